// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_ENERGY_BOOKS_H
#define MOREAU_MICRO_MOTION_ENERGY_BOOKS_H

#include "micro/motion/motion.h"

#include <string>

/// The books of energy that all motions keep.
namespace moreau::micro
{
/// Of the record at the start: throws InputError(subject, ...) where its kinetic energy is no number.
void require_finite_energy(const StepRecord &start, const std::string &subject);

/// Closes the books of a step, whose kinetic_energy, pushed_energy, work and constraint_work are filled in: dissipated,
/// scheme_error and energy_gain.
///   before  what the record was before the step
///   taken   by reactions in the step (J): -R·(u⁻ + u⁺)/2, and the work of constraints that move
void book_energies(StepRecord &record, const StepRecord &before, double taken);

/// How many sums the books have.
constexpr std::size_t n_energies = 5;

/// The sums of the books (J), n_energies of them, for checkpoints.
std::vector<double> energies_of(const StepRecord &record);

/// Puts what energies_of() gave into a record.
void set_energies(StepRecord &record, const std::vector<double> &energies);
} // namespace moreau::micro

#endif
