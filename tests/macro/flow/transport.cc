// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/transport.h"

#include "flows.h"

#include <memory>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(transport)

using namespace moreau::macro;
using namespace flows;

namespace
{
/// Predicted fluxes of a random density in a periodic box under given face velocities.
struct PeriodicBox
{
  explicit PeriodicBox(const int dim, const int n, const unsigned int seed) : setting(random_setting(dim, n, seed))
  {
    setting.sides.fill(Boundary::periodic);
    grid = std::make_unique<FlowGrid>(setting.grid, setting.sides, setting.rho_max);
    grid->exchange(setting.rho);
    for (FaceCells *const faces : {&U, &G, &rho_D, &M})
      faces->fill(grid->array());
  }

  void set_velocity(const std::function<double(int axis, const CellIndex &)> &u)
  {
    for (int axis = 0; axis < grid->dim(); ++axis)
      {
        for_own_cells(setting.grid, [&](const CellIndex &cell) { U[axis](cell) = u(axis, cell); });
        grid->exchange(U[axis]);
      }
  }

  void predict(const DensityFlux kind, const double h)
  {
    MassFlux(kind).predict(*grid, setting.rho, U, {}, h, G);
    for (int axis = 0; axis < grid->dim(); ++axis)
      grid->exchange(G[axis]);
  }

  /// ρ - h div G
  CellArray after(const double h) const
  {
    CellArray result = setting.rho;
    for_own_cells(setting.grid, [&](const CellIndex &cell) {
      for (int axis = 0; axis < grid->dim(); ++axis)
        result(cell) -= h / setting.grid.h(axis) * (G[axis](moved(cell, axis, 1)) - G[axis](cell));
    });
    return result;
  }

  FlowSetting               setting;
  std::unique_ptr<FlowGrid> grid;
  FaceCells                 U, G, rho_D, M;
};
} // namespace

// A constant velocity compresses nothing: the density of a cell stays between those of it and its neighbours.
BOOST_AUTO_TEST_CASE(densities_stay_between_those_of_neighbours)
{
  for (const int dim : {1, 2, 3})
    for (const DensityFlux kind : {DensityFlux::upwind, DensityFlux::anti_diffusive})
      {
        PeriodicBox box(dim, 8, 4);
        box.set_velocity([](const int axis, const CellIndex &) { return axis == 1 ? -.7 : 1.; });
        const double h = .5 / (2.7 * 8.);
        box.predict(kind, h);
        const CellArray after = box.after(h);
        for_own_cells(box.setting.grid, [&](const CellIndex &cell) {
          double least = box.setting.rho(cell), most = least;
          for (int axis = 0; axis < dim; ++axis)
            for (const int by : {-1, 1})
              {
                const double value = box.setting.rho(moved(cell, axis, by));
                least              = std::min(least, value);
                most               = std::max(most, value);
              }
          BOOST_TEST(after(cell) >= least - 1e-14);
          BOOST_TEST(after(cell) <= most + 1e-14);
        });
      }
}

BOOST_AUTO_TEST_CASE(upwind_flux_is_that_of_the_cell_behind)
{
  PeriodicBox box(1, 10, 5);
  box.set_velocity([](int, const CellIndex &cell) { return cell[0] < 5 ? 1. : -2.; });
  box.predict(DensityFlux::upwind, .01);
  BOOST_TEST(box.G[0]({3, 0, 0}) == box.setting.rho({2, 0, 0}));
  BOOST_TEST(box.G[0]({7, 0, 0}) == -2. * box.setting.rho({7, 0, 0}));
  BOOST_TEST(box.G[0]({0, 0, 0}) == box.setting.rho({9, 0, 0})); // through the periodic side
}

// Dual cells: their masses follow ρ_D, so that a uniform velocity stays
// uniform whatever the density does; momentum is conserved.
BOOST_AUTO_TEST_CASE(uniform_velocities_stay_uniform)
{
  for (const int dim : {1, 2, 3})
    {
      PeriodicBox box(dim, 6, 6);
      const auto  u = [](const int axis, const CellIndex &) { return .5 + axis; };
      box.set_velocity(u);
      const double h = .4 / (4.5 * 6.);
      box.predict(DensityFlux::anti_diffusive, h);
      dual_densities(*box.grid, box.setting.rho, box.rho_D);
      for (int axis = 0; axis < dim; ++axis)
        box.M[axis].values = box.rho_D[axis].values.cwiseProduct(box.U[axis].values);
      const Vector entered = transport_momentum(*box.grid, box.G, box.U, {}, h, box.M);
      BOOST_TEST(entered.norm() == 0.);
      CellArray after = box.after(h);
      box.grid->exchange(after);
      dual_densities(*box.grid, after, box.rho_D);
      for (int axis = 0; axis < dim; ++axis)
        for_own_cells(box.setting.grid, [&](const CellIndex &cell) {
          BOOST_TEST(std::abs(box.M[axis](cell) - box.rho_D[axis](cell) * u(axis, cell)) < 1e-14);
        });
    }
}

BOOST_AUTO_TEST_CASE(momentum_through_open_sides_is_counted)
{
  FlowSetting    setting = random_setting(2, 6, 7);
  const FlowGrid grid(setting.grid, {}, setting.rho_max); // all open
  FaceCells      U, G, M;
  for (FaceCells *const faces : {&U, &G, &M})
    faces->fill(grid.array());
  double value = 0.;
  for (FaceCells *const faces : {&U, &G})
    for (int axis = 0; axis < 2; ++axis)
      grid.for_face_rows(axis, [&](const Index row, const CellIndex &, const Index n) {
        for (Index c = row; c < row + n; ++c)
          (*faces)[axis].values(c) = std::sin(value += 1.);
      });
  const Vector entered = transport_momentum(grid, G, U, {}, .01, M);
  for (int axis = 0; axis < 2; ++axis)
    {
      double sum = 0.;
      grid.for_face_rows(
          axis, [&](const Index row, const CellIndex &, const Index n) { sum += M[axis].values.segment(row, n).sum(); });
      BOOST_TEST(std::abs(sum * setting.grid.cell_volume() - entered(axis)) < 1e-15);
    }
}

BOOST_AUTO_TEST_SUITE_END()
