// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/colour.h"
#include "macro/flow/velocity_flux.h"

#include "flows.h"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <random>

BOOST_AUTO_TEST_SUITE(flow_tiles)

using namespace moreau;
using namespace moreau::macro;
using namespace flows;

// What is known in tiles is what an array of all cells would have, to the last bit.
namespace
{
struct Lump
{
  Vector centre;
  double radius;
};

/// Full lumps (spheres in the maximum norm, their edges partly full) with velocities that vary within them.
struct Lumps
{
  Lumps(const int dim, const int n, const std::vector<Lump> &lumps, const Boundary sides) : setting(empty_box(dim, n))
  {
    setting.sides.fill(sides);
    std::mt19937                           numbers(7);
    std::uniform_real_distribution<double> uniform(-1., 1.);
    grid     = std::make_unique<FlowGrid>(setting.grid, setting.sides, setting.rho_max);
    momentum = grid->faces();
    for_own_cells(setting.grid, [&](const CellIndex &cell) {
      for (const Lump &lump : lumps)
        {
          Vector from_centre = setting.grid.centre(cell) - lump.centre;
          if (sides == Boundary::periodic)
            from_centre -= from_centre.array().round().matrix();
          const double inside = lump.radius - from_centre.lpNorm<Eigen::Infinity>(), h = setting.grid.h(0);
          setting.rho(cell) = std::max(setting.rho(cell), std::clamp(.5 + inside / h, 0., 1.));
        }
    });
    grid->exchange(setting.rho);
    for (int axis = 0; axis < dim; ++axis)
      {
        const DualFlux mean = DualFlux::mean(*grid, axis, setting.rho);
        grid->for_faces(axis, [&](const Index c) {
          momentum[axis].values(c) = grid->open(axis)(c) * mean(c) * (.3 + .2 * uniform(numbers));
        });
      }
  }

  FlowSetting               setting;
  std::unique_ptr<FlowGrid> grid;
  FaceCells                 momentum;
};

/// A step without pressure, as it would be without walls.
struct Matter
{
  void step(const FlowGrid &grid, const double h)
  {
    for (FaceCells *const faces : {&velocity, &mass, &mass_before, &flux})
      *faces = grid.faces();
    after = grid.array();
    dual_densities(grid, rho, mass_before);
    face_velocities(grid, momentum, mass_before, velocity);
    MassFlux(DensityFlux::anti_diffusive).predict(grid, rho, velocity, {}, h, flux);
    for (int axis = 0; axis < grid.dim(); ++axis)
      grid.exchange(flux[axis]);
    negative_divergence(grid, flux, after);
    grid.for_cells([&](const Index c) { after.values(c) = rho.values(c) + h * after.values(c); });
    grid.exchange(after);
    transport_momentum(grid, flux, velocity, {}, h, momentum);
    dual_densities(grid, after, mass);
    VelocityFlux().correct(grid, flux, velocity, mass_before, mass, h, momentum);
    rho = after;
  }

  CellArray rho, after;
  FaceCells momentum, velocity, mass, mass_before, flux;
};
} // namespace

// Boxes whose sides are multiples of any size of tiles, and others; lumps across sides where they are periodic.
BOOST_AUTO_TEST_CASE(matter_moves_in_tiles_as_in_all_cells)
{
  for (const Boundary sides : {Boundary::wall, Boundary::open, Boundary::periodic})
    for (const auto &[dim, n] : {std::pair(1, 240), {1, 7}, {2, 96}, {2, 61}, {3, 24}, {3, 19}})
      BOOST_TEST_CONTEXT("dimension " << dim << ", " << n << " cells, sides " << static_cast<int>(sides))
      {
        const Lumps     lumps(dim, n, {{Vector::Constant(dim, .2), .11}, {Vector::Constant(dim, .8), .17}}, sides);
        const FlowGrid &grid = *lumps.grid;
        Colour          colour(grid, false);
        colour.take(lumps.setting.rho, lumps.momentum);
        Matter dense, sparse;
        dense.rho      = lumps.setting.rho;
        dense.momentum = lumps.momentum;
        for (int step = 0; step < 20; ++step)
          {
            const double h = .5 / n;
            colour.fit(false);
            colour.grid().exchange(colour.rho);
            sparse.rho      = colour.rho;
            sparse.momentum = colour.momentum;
            dense.step(grid, h);
            sparse.step(colour.grid(), h);
            colour.rho         = sparse.rho;
            colour.momentum    = sparse.momentum;
            CellArray rho      = grid.array();
            FaceCells momentum = grid.faces();
            colour.grid().for_cells_in_whole(
                [&](const Index c, const Index all) { rho.values(all) = colour.rho.values(c); });
            double error = 0.;
            grid.for_cells([&](const Index c) { error = std::max(error, std::abs(rho.values(c) - dense.rho.values(c))); });
            for (int axis = 0; axis < dim; ++axis)
              {
                colour.grid().for_faces_in_whole(axis, [&](const Index c, const Index all) {
                  momentum[axis].values(all) = colour.momentum[axis].values(c);
                });
                grid.for_faces(axis, [&](const Index c) {
                  error = std::max(error, std::abs(momentum[axis].values(c) - dense.momentum[axis].values(c)));
                });
              }
            BOOST_TEST(error == 0.);
          }
      }
}

// Forty squares on 300² cells, 17 % of the box: what is stored of all colours is less than one array of all cells.
BOOST_AUTO_TEST_CASE(many_bodies_take_no_more_than_one_array_of_all_cells)
{
  constexpr int n       = 300;
  FlowSetting   setting = empty_box(2, n);
  setting.bodies        = BodyVelocities::kept;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    const Index i = cell[0] % 33, j = cell[1] % 50; // 9 x 6 places, the last ones empty
    if (i < 19 && j < 20 && cell[1] / 50 < 5 && cell[0] / 33 < 8)
      {
        setting.rho(cell)         = 1.;
        setting.momentum[0](cell) = .5;
        setting.momentum[1](cell) = .3;
      }
  });
  CongestedFlow flow(setting);
  BOOST_TEST(flow.record().bodies.bodies == 40);
  const auto stored = [&] {
    std::size_t               sum   = 0;
    const convex::NamedArrays state = flow.state();
    for (const auto &[name, values] : state.reals)
      sum += name.rfind("rho of colour", 0) == 0 ? values.size() : 0;
    return static_cast<double>(sum);
  };
  BOOST_TEST(stored() < n * n);
}

BOOST_AUTO_TEST_SUITE_END()
