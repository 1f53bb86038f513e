// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MACRO_FLOW_FLOWS_H
#define MOREAU_TESTS_MACRO_FLOW_FLOWS_H

#include "macro/flow/congested_flow.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

/// Settings of flows for tests.
namespace flows
{
using namespace moreau::macro;

struct Segment
{
  double left, right, u, rho;
};

/// Empty box of n cells per axis from lower to upper (the same along all axes), open sides.
inline FlowSetting empty_box(const int dim, const int n, const double lower = 0., const double upper = 1.)
{
  FlowSetting setting;
  setting.grid =
      box_grid(Vector::Constant(dim, lower), Vector::Constant(dim, upper), n / (upper - lower), Processes::alone());
  setting.rho     = CellArray(setting.grid);
  setting.rho_max = CellArray(setting.grid, 1.);
  setting.momentum.fill(CellArray(setting.grid));
  return setting;
}

/// Exact cell means of segments on a line.
inline FlowSetting line(const double lower, const double upper, const int n, const std::vector<Segment> &segments)
{
  FlowSetting  setting = empty_box(1, n, lower, upper);
  const double dx      = setting.grid.h(0);
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    const double left = lower + static_cast<double>(cell[0]) * dx;
    for (const Segment &s : segments)
      {
        const double share = std::max(0., std::min(s.right, left + dx) - std::max(s.left, left)) / dx;
        setting.rho(cell) += share * s.rho;
        setting.momentum[0](cell) += share * s.rho * s.u;
      }
    setting.rho(cell) = std::min(setting.rho(cell), 1.); // rounding
  });
  return setting;
}

/// Steps of the CFL condition, at most h_max, until T; calls f after each.
template <class F>
void run(CongestedFlow &flow, const double T, const double h_max, F &&f)
{
  while (flow.time() < T)
    {
      const double t = flow.time() + std::min(flow.longest_step(), h_max);
      flow.advance(t > T - 1e-12 ? T : t);
      f(flow.record());
    }
}
inline void run(CongestedFlow &flow, const double T, const double h_max = 1e9)
{
  run(flow, T, h_max, [](const FlowRecord &) {});
}

/// Steps that end where bodies meet, as the program takes them.
template <class F>
void run_to(CongestedFlow &flow, const double T, F &&f, const bool ends_at_impacts = true)
{
  while (flow.time() < T)
    {
      const double longest = std::min(flow.longest_step(), 1.);
      const double t       = flow.time() + (ends_at_impacts ? flow.until_contact(longest) : longest);
      flow.advance(t > T - 1e-12 ? T : t);
      f(flow.record());
    }
}

/// ∫|ρ - exact| dx
inline double distance(const CongestedFlow &flow, const FlowSetting &exact)
{
  double sum = 0.;
  for_own_cells(exact.grid, [&](const CellIndex &cell) { sum += std::abs(flow.rho()(cell) - exact.rho(cell)); });
  return sum * exact.grid.cell_volume();
}

/// Random densities (many empty and full cells among them), velocities and sides.
inline FlowSetting random_setting(const int dim, const int n, const unsigned int seed)
{
  FlowSetting                            setting = empty_box(dim, n);
  std::mt19937                           generator(seed);
  std::uniform_real_distribution<double> number(0., 1.);
  for (int axis = 0; axis < dim; ++axis)
    for (const int side : {2 * axis, 2 * axis + 1})
      setting.sides[side] = number(generator) < .5 ? Boundary::wall : Boundary::open;
  if (seed % 3 == 0)
    setting.sides[0] = setting.sides[1] = Boundary::periodic;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    const double value = 1.6 * number(generator) - .3;
    setting.rho(cell)  = std::clamp(value, 0., 1.);
    for (int axis = 0; axis < dim; ++axis)
      setting.momentum[axis](cell) = setting.rho(cell) * (2. * number(generator) - 1.) * (number(generator) < .1 ? 5. : 1.);
  });
  return setting;
}
} // namespace flows

#endif
