// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/congested_flow.h"

#include "convex/input_error.h"
#include "flows.h"

#include <boost/test/unit_test.hpp>

#include <stdexcept>
#include <string>

BOOST_AUTO_TEST_SUITE(congested_flow)

using namespace moreau;
using namespace moreau::macro;
using namespace flows;

namespace
{
constexpr double rounding = 1e-12; // of densities and momenta, over some hundred steps

std::function<void(double, const Eigen::MatrixXd &, const Eigen::MatrixXd &, Eigen::MatrixXd &)> gravity(const int axis)
{
  return [axis](double, const Eigen::MatrixXd &x, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
    f.setZero(x.rows(), x.cols());
    f.row(axis).setConstant(-1.);
  };
}

/// Errors fall at least as this power of the size of a cell, from the first to the last of several halvings.
double order(const std::vector<double> &errors)
{
  return std::log2(errors.front() / errors.back()) / static_cast<double>(errors.size() - 1);
}
} // namespace

// Two edges within cells, 0.45 m in steps of half a cell: the anti-diffusive flux moves a block as it is.
BOOST_AUTO_TEST_CASE(a_lone_block_moves_unchanged)
{
  const FlowSetting start = line(0., 1., 100, {{.1234, .3, 1., 1.}});
  CongestedFlow     flow(start);
  run(flow, .45);
  BOOST_TEST(distance(flow, line(0., 1., 100, {{.5734, .75, 1., 1.}})) < rounding);
  BOOST_TEST(flow.record().kinetic_energy == .5 * .1766, boost::test_tools::tolerance(1e-12));
}

// (.7, 1) | (.3, -1): fronts at -+1, u = .4, p = .84 (reference cases); the mean pressure of the second half of the time.
BOOST_AUTO_TEST_CASE(riemann_problem_converges)
{
  constexpr double    T = .2931, c = .013;
  std::vector<double> densities, pressures, velocities;
  for (const int n : {100, 200, 400})
    {
      CongestedFlow flow(line(-1., 1., n, {{-.9, c, 1., .7}, {c, .9, -1., .3}}));
      run(flow, T / 2.);
      flow.clear_impulse();
      run(flow, T);
      const CellIndex middle = {n / 2, 0, 0};
      densities.push_back(
          distance(flow, line(-1., 1., n, {{-.9 + T, c - T, 1., .7}, {c - T, c + T, .4, 1.}, {c + T, .9 - T, -1., .3}})));
      pressures.push_back(std::abs(flow.impulse()(middle) / flow.impulse_time() - .84));
      velocities.push_back(std::abs(flow.record().momentum(0) - (.7 * .913 - .3 * .887)));
      BOOST_TEST(densities.back() < .2 * flow.setting().grid.h(0)); // a fifth of a cell: first order
    }
  BOOST_TEST(pressures.back() < .02 * .84); // a sawtooth: the window holds some dozen teeth
  for (const double error : velocities)
    BOOST_TEST(error < rounding);
}

// A block at rest takes in a stream: [.4, .8] is congested at t = .3 and moves with .5 (reference cases).
BOOST_AUTO_TEST_CASE(snow_plough_converges_with_first_order)
{
  std::vector<double> errors;
  for (const int n : {100, 200, 400})
    {
      CongestedFlow flow(line(0., 1., n, {{.053, .5, 1., .5}, {.5, .7, 0., 1.}}));
      run(flow, .3);
      errors.push_back(distance(flow, line(0., 1., n, {{.353, .4, 1., .5}, {.4, .8, .5, 1.}})));
    }
  BOOST_TEST(order(errors) > .9);
  BOOST_TEST(errors.back() < 1e-3);
}

// Two blocks that hit at t = .1 (reference cases, a).
BOOST_AUTO_TEST_CASE(blocks_rebound_by_the_impact_law)
{
  struct Case
  {
    double               restitution, energy, least_order;
    std::vector<Segment> after;
  };
  const std::vector<Case> cases = {{0., .0375, .85, {{.35, .65, .5, 1.}}},
                                   {.5, .05625, .7, {{.325, .525, .25, 1.}, {.6, .7, 1., 1.}}},
                                   {1., .1125, .7, {{.3, .5, 0., 1.}, {.65, .75, 1.5, 1.}}}};
  for (const Case &c : cases)
    {
      std::vector<double> errors, energies;
      for (const int n : {100, 200, 400, 800})
        {
          FlowSetting setting     = line(0., 1., n, {{.2, .4, 1., 1.}, {.55, .65, -.5, 1.}});
          setting.law.restitution = c.restitution;
          CongestedFlow flow(setting);
          run(flow, .2);
          errors.push_back(distance(flow, line(0., 1., n, c.after)));
          energies.push_back(std::abs(flow.record().kinetic_energy - c.energy));
        }
      BOOST_TEST_CONTEXT("e = " << c.restitution)
      {
        BOOST_TEST(order(errors) > c.least_order); // where velocities mix in the cell of the impact, for e > 0, less than 1
        BOOST_TEST(errors.back() < .012);
        BOOST_TEST(energies.back() < .02 * c.energy);
      }
    }
}

// ρ = .5 on [.2, .8] falls on a wall: ends as ρ = 1 on [0, .3] with p = .3 - x (reference cases).
// The counts move with the matter: what rebounds from a wall, and then meets what has not moved, is hit again.
BOOST_AUTO_TEST_CASE(rebounds_of_the_same_matter_are_counted)
{
  for (const int n : {50, 200})
    {
      FlowSetting setting     = line(0., 1., n, {{.2, .4, -1., 1.}, {.7, .8, 0., 1.}});
      setting.law.restitution = .8;
      setting.sides           = {Boundary::wall, Boundary::open};
      CongestedFlow flow(setting);
      run(flow, .15, 1.);
      BOOST_TEST(flow.record().rebounds_of_matter == 0);
      run(flow, .4, 1.);
      BOOST_TEST(flow.record().rebounds_of_matter == 1);
      run(flow, .9, 1.);
      BOOST_TEST(flow.record().rebounds_of_matter == 2);
      CongestedFlow again(setting);
      again.restore(flow.state());
      BOOST_TEST(again.record().rebounds_of_matter == 2);
    }
}

BOOST_AUTO_TEST_CASE(a_column_comes_to_hydrostatic_rest)
{
  for (const double restitution : {0., .5})
    {
      FlowSetting setting     = line(0., 1., 50, {{.2, .8, 0., .5}});
      setting.sides[0]        = Boundary::wall;
      setting.force           = gravity(0);
      setting.force_is_steady = true;
      setting.law.restitution = restitution;
      CongestedFlow flow(setting);
      run(flow, 4., .01);
      BOOST_TEST(distance(flow, line(0., 1., 50, {{0., .3, 0., 1.}})) < rounding);
      BOOST_TEST(flow.record().largest_speed < rounding);
      for (Index i = 0; i < 15; ++i)
        BOOST_TEST(std::abs(flow.pressure()({i, 0, 0}) - (.3 - (static_cast<double>(i) + .5) / 50.)) < rounding);
    }
}

// The surface lies within a cell, and a drop lies on the floor of a box of its own: neither falls through its cell for ever.
// Between two walls a full box stops at once; fluxes of later steps are rounding errors, to which nothing is relative.
BOOST_AUTO_TEST_CASE(a_full_box_that_rests_has_converged)
{
  for (const double n : {64., 100.})
    {
      FlowSetting setting = empty_box(1, static_cast<int>(n));
      setting.sides[0] = setting.sides[1] = Boundary::wall;
      for_own_cells(setting.grid, [&](const CellIndex &cell) {
        setting.rho(cell)         = 1.;
        setting.momentum[0](cell) = .657 - setting.grid.centre(cell)(0);
      });
      CongestedFlow flow(setting);
      run(flow, .3, 1e9, [](const FlowRecord &record) {
        BOOST_TEST(record.effort.converged());
        BOOST_TEST(record.effort.natural_residual <= 1e-6);
      });
    }
}

BOOST_AUTO_TEST_CASE(matter_within_one_cell_rests)
{
  for (const double height : {.26, .01})
    {
      FlowSetting setting     = line(0., 1., 48, {{0., height, 0., 1.}});
      setting.sides[0]        = Boundary::wall;
      setting.force           = gravity(0);
      setting.force_is_steady = true;
      CongestedFlow flow(setting);
      run(flow, 1., .01);
      BOOST_TEST(flow.record().largest_speed < rounding);
      BOOST_TEST(distance(flow, line(0., 1., 48, {{0., height, 0., 1.}})) < rounding);
      BOOST_TEST(flow.record().momentum_error < rounding);
    }
}

// A stream of density .5 and velocity 1 against a wall: the jam grows with ρu/(1-ρ) = 1, p = ρu²/(1-ρ) = 1.
BOOST_AUTO_TEST_CASE(inflow_jams_before_a_wall)
{
  FlowSetting setting = empty_box(1, 200);
  setting.sides       = {Boundary::inflow, Boundary::wall};
  setting.inflow      = [](double, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    values.resize(2, x.cols());
    values.row(0).setConstant(.5);
    values.row(1).setConstant(1.);
  };
  CongestedFlow flow(setting);
  run(flow, 1.3);
  flow.clear_impulse();
  run(flow, 1.5);
  BOOST_TEST(flow.record().mass == .75, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(distance(flow, line(0., 1., 200, {{0., .5, 1., .5}, {.5, 1., 0., 1.}})) < .01); // two cells
  BOOST_TEST(flow.impulse()({199, 0, 0}) / flow.impulse_time() == 1., boost::test_tools::tolerance(.02));
  BOOST_TEST(flow.record().mass_error < rounding);
  BOOST_TEST(flow.record().momentum_error < rounding);
  run(flow, 3.); // the box is full: what finds no room stays outside
  BOOST_TEST(flow.record().mass == 1., boost::test_tools::tolerance(1e-10));
}

BOOST_AUTO_TEST_CASE(densities_keep_their_bounds_and_energy_never_rises)
{
  for (const int dim : {1, 2, 3})
    for (const double restitution : {0., .5, 1.})
      for (const DensityFlux flux : {DensityFlux::anti_diffusive, DensityFlux::upwind})
        for (unsigned int seed = 1; seed <= (dim == 1 ? 20u : dim == 2 ? 8u : 2u); ++seed)
          {
            FlowSetting setting     = random_setting(dim, dim == 1 ? 40 : dim == 2 ? 12 : 6, seed);
            setting.law.restitution = restitution;
            setting.flux            = flux;
            CongestedFlow flow(setting);
            const double  start  = flow.record().kinetic_energy;
            double        energy = start;
            for (int k = 0; k < 12; ++k)
              {
                flow.advance(flow.time() + flow.longest_step());
                const FlowRecord &record = flow.record();
                BOOST_TEST_REQUIRE(record.effort.converged());
                BOOST_TEST_REQUIRE(record.max_density <= 1. + 1e-12);
                BOOST_TEST_REQUIRE(record.min_density >= -1e-12);
                BOOST_TEST_REQUIRE(record.mass_error < 1e-12);
                BOOST_TEST_REQUIRE(record.momentum_error < 1e-12);
                BOOST_TEST_REQUIRE(record.kinetic_energy <= energy + 1e-12 * start);
                energy = record.kinetic_energy;
              }
          }
}

BOOST_AUTO_TEST_CASE(a_rotated_flow_is_the_flow_rotated)
{
  constexpr int     n = 24;
  const FlowSetting a = random_setting(2, n, 1);
  FlowSetting       b = empty_box(2, n);
  // (x, y) -> (-y, x) about the centre: cell (i, j) goes to (n-1-j, i)
  const auto rotated = [](const CellIndex &c) { return CellIndex{n - 1 - c[1], c[0], 0}; };
  for_own_cells(a.grid, [&](const CellIndex &cell) {
    b.rho(rotated(cell))         = a.rho(cell);
    b.momentum[0](rotated(cell)) = -a.momentum[1](cell);
    b.momentum[1](rotated(cell)) = a.momentum[0](cell);
  });
  b.sides = {a.sides[3], a.sides[2], a.sides[0], a.sides[1]};
  CongestedFlow flow(a), other(b);
  for (int k = 0; k < 15; ++k)
    {
      const double t = flow.time() + std::min(flow.longest_step(), other.longest_step());
      flow.advance(t);
      other.advance(t);
    }
  double difference = 0.;
  for_own_cells(a.grid, [&](const CellIndex &cell) {
    difference = std::max(difference, std::abs(flow.rho()(cell) - other.rho()(rotated(cell))));
  });
  BOOST_TEST(flow.record().congested_volume > 0.);
  BOOST_TEST(difference < 1e-9); // rounding grows where streams meet
}

// Densities, pressures and maximal density halved: the same flow.
BOOST_AUTO_TEST_CASE(maximal_density_is_a_unit_of_density)
{
  const std::vector<Segment> whole = {{.1, .5, 1., .7}, {.5, .9, -1., .3}};
  std::vector<Segment>       half  = whole;
  for (Segment &s : half)
    s.rho *= .5;
  FlowSetting setting = line(0., 1., 100, half);
  setting.rho_max     = CellArray(setting.grid, .5);
  CongestedFlow flow(setting), other(line(0., 1., 100, whole));
  run(flow, .1);
  run(other, .1);
  for (Index i = 0; i < 100; ++i)
    {
      BOOST_TEST(std::abs(flow.rho()({i, 0, 0}) - .5 * other.rho()({i, 0, 0})) < rounding);
      BOOST_TEST(std::abs(flow.impulse()({i, 0, 0}) - .5 * other.impulse()({i, 0, 0})) < rounding);
    }
}

// A stream (.6, 1) meets ρ̄ = .4 from x = .5 on (Bernoulli through the
// mouth: ρ̄w = v, and the jam before it, p = 0 behind it):
// v = .4305 in the jam, w = 1.0762 behind, the jam grows with -.42375. Energy falls, the narrowing takes momentum.
BOOST_AUTO_TEST_CASE(a_narrowing_jams_a_stream)
{
  constexpr int n       = 200;
  FlowSetting   setting = empty_box(1, n, 0., 2.);
  setting.sides[0]      = Boundary::inflow;
  setting.inflow        = [](double, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    values.resize(2, x.cols());
    values.row(0).setConstant(.6);
    values.row(1).setConstant(1.);
  };
  for (Index i = 0; i < n; ++i)
    {
      const CellIndex cell = {i, 0, 0};
      if (i >= 3 * n / 4)
        setting.rho_max(cell) = .4;
      else
        setting.rho(cell) = setting.momentum[0](cell) = .6;
    }
  CongestedFlow flow(setting);
  run(flow, 2.);
  const FaceArrays u = flow.velocity();
  BOOST_TEST(u(0, {5 * n / 8, 0, 0}) == .4305, boost::test_tools::tolerance(.03));
  BOOST_TEST(u(0, {7 * n / 8, 0, 0}) == 1.0762, boost::test_tools::tolerance(.03));
  BOOST_TEST(flow.record().max_density <= 1. + 1e-12);
  BOOST_TEST(flow.record().mass_error < rounding);
  BOOST_TEST(flow.record().momentum_error < rounding);
}

// A block falls on a solid sill in the middle of the box and stays there; beside the sill matter falls on.
BOOST_AUTO_TEST_CASE(solids_carry)
{
  constexpr int n       = 20;
  FlowSetting   setting = empty_box(2, n);
  setting.sides[2]      = Boundary::wall;
  setting.force         = gravity(1);
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    if (cell[1] >= 6 && cell[1] < 8 && cell[0] < n / 2)
      setting.rho_max(cell) = 0.;
    else if (cell[1] >= 10 && cell[1] < 14)
      setting.rho(cell) = 1.;
  });
  for (const int side : {0, 1})
    setting.sides[side] = Boundary::wall;
  CongestedFlow flow(setting);
  run(flow, 1.5, .02);
  double on_sill = 0.;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    if (setting.rho_max(cell) == 0.)
      BOOST_TEST(flow.rho()(cell) == 0.);
    else if (cell[0] < n / 2 && cell[1] >= 8)
      on_sill += flow.rho()(cell);
  });
  BOOST_TEST(on_sill > 1.);
  BOOST_TEST(flow.record().max_density <= 1. + 1e-12);
  BOOST_TEST(flow.record().mass_error < rounding);
  BOOST_TEST(flow.record().momentum_error < rounding);
}

BOOST_AUTO_TEST_CASE(a_restored_flow_goes_on_bit_for_bit)
{
  FlowSetting setting     = random_setting(2, 16, 3);
  setting.law.restitution = .5;
  CongestedFlow flow(setting), other(setting);
  const auto    step = [](CongestedFlow &f) { f.advance(f.time() + f.longest_step()); };
  for (int k = 0; k < 5; ++k)
    step(flow);
  other.restore(flow.state());
  for (int k = 0; k < 5; ++k)
    {
      step(flow);
      step(other);
    }
  BOOST_TEST(flow.time() == other.time());
  BOOST_TEST(flow.rho().values == other.rho().values);
  BOOST_TEST(flow.impulse().values == other.impulse().values);
  BOOST_TEST(flow.record().kinetic_energy == other.record().kinetic_energy);
  CongestedFlow smaller(random_setting(2, 8, 3));
  BOOST_CHECK_THROW(smaller.restore(flow.state()), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(impossible_settings_are_refused)
{
  const auto is_about = [](const std::string &subject) {
    return [subject](const InputError &error) { return error.subject == subject; };
  };
  FlowSetting setting    = line(0., 1., 20, {{.2, .4, 1., 1.}});
  setting.rho({5, 0, 0}) = 1.5;
  BOOST_CHECK_EXCEPTION(CongestedFlow{setting}, InputError, is_about("the density"));
  setting.rho({5, 0, 0}) = std::nan("");
  BOOST_CHECK_EXCEPTION(CongestedFlow{setting}, InputError, is_about("the density"));
  setting                 = line(0., 1., 20, {{.2, .4, 1., 1.}});
  setting.law.restitution = 1.5;
  BOOST_CHECK_EXCEPTION(CongestedFlow{setting}, InputError, is_about("the restitution"));
  setting.law.restitution = 0.;
  CongestedFlow flow(setting);
  BOOST_CHECK_EXCEPTION(flow.advance(2. * flow.longest_step()), InputError, is_about("the time step"));
}

BOOST_AUTO_TEST_SUITE_END()
