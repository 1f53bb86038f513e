// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/step_length.h"

#include "convex/input_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace moreau::macro
{
void check_data(const FlowGrid &grid, const FlowSetting &setting)
{
  constexpr double round_off = 1e-12;
  for_own_cells(grid.box(), [&](const CellIndex &cell) {
    const double value = setting.rho(cell), most = setting.rho_max(cell);
    if (!(value >= 0. && value <= most + round_off))
      {
        std::ostringstream text;
        text << "The density of the cell at (" << grid.box().centre(cell).transpose() << ") is " << value
             << "; it must lie between 0 and the maximal density there, " << most << ".";
        throw InputError("the density", text.str());
      }
  });
  for (int side = 0; side < 2 * grid.dim(); ++side)
    if (grid.side(side) == Boundary::inflow && !setting.inflow)
      throw std::invalid_argument("CongestedFlow: what enters is not given.");
  if (!(setting.law.restitution >= 0. && setting.law.restitution <= 1.))
    throw InputError("the restitution", "It must lie in [0, 1].");
  if (!(setting.cfl > 0. && setting.cfl <= 1.))
    throw InputError("the CFL number", "It must lie in (0, 1].");
}

double longest_step_of(const FlowGrid &grid, const double cfl, const CellArray &rho, const FaceCells &U,
                       const FlowForce &force)
{
  // h (speed + h acceleration) <= cfl, summed over the faces that a cell empties through
  double     least    = std::numeric_limits<double>::infinity();
  const bool is_apart = &force.flow_grid() != &grid; // a force in all cells on matter in tiles
  grid.for_cells_in_whole([&](const Index c, const Index all) {
    if (!(rho.values(c) > empty_density))
      return;
    double speed = 0., acceleration = 0., added = 0.; // added: what drag lets a force add at most
    for (int axis = 0; axis < grid.dim(); ++axis)
      {
        const Index  s = grid.stride(axis);
        const Index  f = is_apart ? all : c, above_f = f + force.flow_grid().stride(axis);
        const double per_h = 1. / grid.box().h(axis);
        const double below = per_h * grid.outflow_weight(axis)(c), above = per_h * grid.outflow_weight(axis)(c + s);
        speed += above * std::max(U[axis].values(c + s), 0.) + below * std::max(-U[axis].values(c), 0.);
        if (!force.acts())
          continue;
        const double push_above = above * std::max(force.values()[axis].values(above_f), 0.),
                     push_below = below * std::max(-force.values()[axis].values(f), 0.);
        acceleration += push_above + push_below;
        added += (push_above > 0. ? push_above / force.drag()[axis].values(above_f) : 0.) +
                 (push_below > 0. ? push_below / force.drag()[axis].values(f) : 0.);
      }
    if (!(speed > 0. || acceleration > 0.))
      return;
    double longest = 2. * cfl / (speed + std::sqrt(speed * speed + 4. * acceleration * cfl));
    if (std::isfinite(added))
      longest = std::max(longest, cfl / (speed + added));
    least = std::min(least, longest);
  });
  return least;
}
} // namespace moreau::macro
