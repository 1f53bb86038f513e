// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/energy_books.h"

#include "convex/input_error.h"

#include <algorithm>
#include <cmath>

namespace moreau::micro
{
void require_finite_energy(const StepRecord &start, const std::string &subject)
{
  if (!std::isfinite(start.kinetic_energy))
    throw InputError(
        subject, "The kinetic energy at the start is larger than numbers; give smaller velocities, or choose other units.");
}

void book_energies(StepRecord &record, const StepRecord &before, const double taken)
{
  constexpr double noise     = 1e-9; // of the energies of a step: what rounding and projections leave
  const double     impacts   = std::max(0., taken);
  const double     explained = (record.work - before.work) + (record.constraint_work - before.constraint_work) - impacts;
  record.dissipated          = before.dissipated + impacts;
  record.scheme_error        = before.scheme_error + (record.kinetic_energy - before.kinetic_energy - explained);
  record.energy_gain         = -taken > noise * (before.kinetic_energy + record.pushed_energy) ? -taken : 0.;
}

std::vector<double> energies_of(const StepRecord &record)
{
  return {record.kinetic_energy, record.work, record.dissipated, record.constraint_work, record.scheme_error};
}

void set_energies(StepRecord &record, const std::vector<double> &energies)
{
  record.kinetic_energy  = energies.at(0);
  record.work            = energies.at(1);
  record.dissipated      = energies.at(2);
  record.constraint_work = energies.at(3);
  record.scheme_error    = energies.at(4);
}
} // namespace moreau::micro
