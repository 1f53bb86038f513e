// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/congested_flow.h"

#include "flows.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(inflow_sides)

using namespace moreau;
using namespace moreau::macro;
using namespace flows;

// What enters along a side: velocities that are not normal to it.
namespace
{
constexpr double rounding = 1e-12;

/// Through the lower side of the first axis enters matter of density ½ with a velocity that depends on the place; the others
/// are open, but for walls at the ends of the second axis where asked for.
FlowSetting entered(const int dim, const int n, const bool has_walls, const std::function<Vector(const Vector &x)> &u)
{
  FlowSetting setting = empty_box(dim, n);
  setting.sides.fill(Boundary::open);
  setting.sides[0] = Boundary::inflow;
  if (has_walls)
    setting.sides[2] = setting.sides[3] = Boundary::wall;
  setting.inflow = [u](double, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    values.resize(x.rows() + 1, x.cols());
    for (Index k = 0; k < x.cols(); ++k)
      values.col(k) << .5, u(x.col(k));
  };
  return setting;
}
} // namespace

BOOST_AUTO_TEST_CASE(a_stream_that_enters_with_its_own_velocity_stays_uniform)
{
  for (const int dim : {2, 3})
    for (const double across : {.9, -.9})
      for (const BodyVelocities bodies : {BodyVelocities::mixed, BodyVelocities::kept})
        {
          Vector u     = Vector::Constant(dim, across);
          u(0)         = .3;
          auto setting = entered(dim, dim == 2 ? 16 : 6, false, [&u](const Vector &) { return u; });
          for (int side = 2; side < 2 * dim; ++side) // what leaves over one of them comes in over the other
            setting.sides[side] = (side % 2 == 0) == (across > 0.) ? Boundary::inflow : Boundary::open;
          for_own_cells(setting.grid, [&](const CellIndex &cell) {
            setting.rho(cell) = .5;
            for (int axis = 0; axis < dim; ++axis)
              setting.momentum[axis](cell) = .5 * u(axis);
          });
          setting.bodies = bodies;
          CongestedFlow flow(setting);
          run(flow, .3, 1e9, [&](const FlowRecord &record) {
            BOOST_TEST((record.momentum - .5 * u).norm() < rounding);
            BOOST_TEST(std::abs(record.kinetic_energy - .25 * u.squaredNorm()) < rounding);
          });
          double apart = 0.;
          for_own_cells(setting.grid,
                        [&](const CellIndex &cell) { apart = std::max(apart, std::abs(flow.rho()(cell) - .5)); });
          BOOST_TEST(apart < rounding);
        }
}

// Steady: all keeps (.3, ±.9) until it leaves through the side; in a box of side 1, ∫ρ = ½ ∫ min(.3 y/.9, ...) = ½ · 1/6.
BOOST_AUTO_TEST_CASE(what_enters_keeps_its_velocity_in_both_directions)
{
  double energy[2];
  for (const int k : {0, 1})
    {
      const double      across  = k == 0 ? .9 : -.9;
      const FlowSetting setting = entered(2, 32, false, [&](const Vector &) { return Vector(Eigen::Vector2d(.3, across)); });
      CongestedFlow     flow(setting);
      run(flow, 1.4);
      energy[k] = flow.record().kinetic_energy;
      BOOST_TEST(std::abs(flow.record().momentum(1) / flow.record().momentum(0) / (across / .3) - 1.) < .01);
      BOOST_TEST(std::abs(energy[k] / (.45 / 12.) - 1.) < .03); // ½ |u|² ρ of a triangle of sides 1 and 1/3
    }
  BOOST_TEST(std::abs(energy[0] - energy[1]) < rounding);
}

BOOST_AUTO_TEST_CASE(mirrored_inflows_make_mirrored_flows)
{
  for (const bool has_walls : {true, false})
    {
      const auto mirrored = [&](const double sign) {
        return entered(2, 16, has_walls, [sign](const Vector &x) {
          const double y = sign > 0. ? x(1) : 1. - x(1);
          return Vector(Eigen::Vector2d(.3 + .2 * y, sign * (.9 + 2. * y - 3. * y * y)));
        });
      };
      CongestedFlow one(mirrored(1.)), other(mirrored(-1.));
      run(one, .5);
      run(other, .5);
      double apart = 0.;
      for_own_cells(one.setting().grid, [&](const CellIndex &cell) {
        apart = std::max(apart, std::abs(one.rho()(cell) - other.rho()({cell[0], 15 - cell[1], 0})));
      });
      BOOST_TEST(apart < 1e-10);
      BOOST_TEST(std::abs(one.record().kinetic_energy - other.record().kinetic_energy) < rounding);
    }
}

BOOST_AUTO_TEST_SUITE_END()
