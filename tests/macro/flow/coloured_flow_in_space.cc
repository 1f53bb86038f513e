// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/congested_flow.h"

#include "flows.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(coloured_flow_in_space)

using namespace moreau;
using namespace moreau::macro;
using namespace flows;

// Bodies that keep their velocity in the plane and in space. What fills the box across is on a line: exact to rounding.
namespace
{
constexpr double rounding = 1e-12;

/// A row along one axis of a box that it fills across, between walls. n cells per metre, the row [0, 1.2].
FlowSetting row_in_space(const int dim, const int axis, const int n, const double across,
                         const std::vector<Segment> &segments, const double restitution)
{
  Vector upper = Vector::Constant(dim, across);
  upper(axis)  = 1.2;
  FlowSetting setting;
  setting.grid    = box_grid(Vector::Zero(dim), upper, n, Processes::alone());
  setting.rho     = CellArray(setting.grid);
  setting.rho_max = CellArray(setting.grid, 1.);
  setting.momentum.fill(CellArray(setting.grid));
  setting.bodies          = BodyVelocities::kept;
  setting.law.restitution = restitution;
  for (int side = 0; side < 2 * dim; ++side)
    setting.sides[side] = Boundary::wall;
  const FlowSetting on_line = line(0., 1.2, static_cast<int>(setting.grid.n[axis]), segments);
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    setting.rho(cell)            = on_line.rho({cell[axis], 0, 0});
    setting.momentum[axis](cell) = on_line.momentum[0]({cell[axis], 0, 0});
  });
  return setting;
}

struct Outcome
{
  double       energy, rise = 0., excess = 0., least = 0., balance = 0.;
  std::int64_t n_impacts = 0;
  bool         converged = true;
};

/// To T; what every flow must keep is required.
Outcome run_in_space(CongestedFlow &flow, const double T)
{
  Outcome outcome = {flow.record().kinetic_energy};
  run(flow, T, 1e9, [&](const FlowRecord &record) {
    outcome.rise      = std::max(outcome.rise, record.kinetic_energy - outcome.energy);
    outcome.energy    = record.kinetic_energy;
    outcome.excess    = std::max(outcome.excess, record.max_density - 1.);
    outcome.least     = std::min(outcome.least, record.min_density);
    outcome.balance   = std::max({outcome.balance, record.mass_error, record.momentum_error});
    outcome.converged = outcome.converged && record.effort.converged() && record.impact.guaranteed;
    outcome.n_impacts += record.n_impacts;
  });
  BOOST_TEST(outcome.rise < rounding);
  BOOST_TEST(outcome.excess < 5e-13);
  BOOST_TEST(outcome.least > -rounding);
  BOOST_TEST(outcome.balance < rounding);
  BOOST_TEST(outcome.converged);
  return outcome;
}
} // namespace

// Masses .1, .15, .1; the first one with 1 m/s meets the second one, that the third one; also where the first two touch.
BOOST_AUTO_TEST_CASE(rows_that_fill_the_box_are_exact)
{
  const auto after = [](const double a, const double ma, const double b, const double mb, const double e) {
    const double mean = (ma * a + mb * b) / (ma + mb);
    return std::pair(mean - e * mb / (ma + mb) * (a - b), mean + e * ma / (ma + mb) * (a - b));
  };
  struct Case
  {
    int    dim, axis, n;
    double across;
  };
  for (const Case &c : {Case{2, 0, 40, .2}, Case{2, 1, 50, .1}, Case{3, 2, 30, .2}})
    for (const double gap : {.1, 0.})
      for (const double e : {0., .5, 1.})
        BOOST_TEST_CONTEXT("dimension " << c.dim << ", axis " << c.axis << ", gap " << gap << ", e = " << e)
        {
          CongestedFlow flow(row_in_space(c.dim, c.axis, c.n, c.across,
                                          {{.1, .2, 1., 1.}, {.2 + gap, .35 + gap, 0., 1.}, {.5, .6, 0., 1.}}, e));
          BOOST_TEST(flow.record().bodies.births == 3);
          const double area = std::pow(c.across, c.dim - 1);
          BOOST_TEST(flow.record().kinetic_energy == .05 * area, boost::test_tools::tolerance(rounding));
          const Outcome outcome      = run_in_space(flow, .45);
          const auto [first, second] = after(1., .1, 0., .15, e);
          const auto [third, fourth] = after(second, .15, 0., .1, e);
          const double exact =
              e == 0. ? .1 * .1 / .35 / 2. : .05 * first * first + .075 * third * third + .05 * fourth * fourth;
          BOOST_TEST(outcome.energy == exact * area, boost::test_tools::tolerance(1e-10));
          BOOST_TEST(outcome.n_impacts <= (e > 0. ? 4 : 0)); // an impact may be seen in two steps
          BOOST_TEST(flow.record().bodies.bodies == 3);
          for (int axis = 0; axis < c.dim; ++axis)
            BOOST_TEST(std::abs(flow.record().momentum(axis) - (axis == c.axis ? .1 * area : 0.)) < 1e-12);
        }
}

// What projections leave between the rows of a flat body must not grow from impact to impact: 8 impacts, on meshes on
// which edges and contacts coincide with cells, and on others.
BOOST_AUTO_TEST_CASE(sequences_of_impacts_stay_exact)
{
  for (const int n : {25, 40, 50, 60})
    for (const double e : {.9, 1.})
      BOOST_TEST_CONTEXT(n << " cells per metre, e = " << e)
      {
        FlowSetting setting = row_in_space(2, 0, n, .2, {{.1, .3, 1., 1.}, {.6, .72, 0., 1.}}, e);
        FlowSetting on_line = line(0., 1.2, static_cast<int>(setting.grid.n[0]), {{.1, .3, 1., 1.}, {.6, .72, 0., 1.}});
        on_line.bodies      = BodyVelocities::kept;
        on_line.sides[0] = on_line.sides[1] = Boundary::wall;
        on_line.law.restitution             = e;
        CongestedFlow flow(setting), exact(on_line);
        const Outcome outcome = run_in_space(flow, 3.);
        run(exact, 3.);
        BOOST_TEST(flow.record().bodies.bodies == 2);
        BOOST_TEST(outcome.energy == .2 * exact.record().kinetic_energy, boost::test_tools::tolerance(1e-8));
        BOOST_TEST(std::abs(flow.record().momentum(0) - .2 * exact.record().momentum(0)) < 1e-9);
        BOOST_TEST(std::abs(flow.record().momentum(1)) < 1e-11);
      }
}

// What an impulse gives to drag is in the books, also on faces between the last cells of a ring and the first ones.
BOOST_AUTO_TEST_CASE(drag_on_a_ring_keeps_momentum_in_its_books)
{
  FlowSetting setting = row_in_space(2, 1, 20, .4, {{0., .1, 1., 1.}, {1., 1.2, 1., 1.}, {.5, .8, -.5, 1.}}, .5);
  setting.sides[2] = setting.sides[3] = Boundary::periodic;
  setting.force = [](double, const Eigen::MatrixXd &, const Eigen::MatrixXd &u, Eigen::MatrixXd &f) { f = -3. * u; };
  CongestedFlow flow(setting);
  BOOST_TEST(flow.record().bodies.births == 2);
  const Outcome outcome = run_in_space(flow, .8);
  BOOST_TEST(outcome.n_impacts >= 1);
}

// A channel of solids, which leaves the row of before: walls all around are the same.
BOOST_AUTO_TEST_CASE(a_channel_of_solids_is_one_of_walls)
{
  for (const int axis : {0, 1})
    for (const double e : {.5, 1.})
      {
        constexpr int              n        = 50;
        const std::vector<Segment> segments = {{.1, .3, 1., 1.}, {.6, .72, 0., 1.}};
        FlowSetting setting = row_in_space(2, axis, n, .4, segments, e), narrow = row_in_space(2, axis, n, .2, segments, e);
        for_own_cells(setting.grid, [&](const CellIndex &cell) {
          const double across = setting.grid.centre(cell)(1 - axis);
          if (across < .1 || across > .3)
            setting.rho(cell) = setting.rho_max(cell) = setting.momentum[axis](cell) = 0.;
        });
        CongestedFlow flow(setting), walls(narrow);
        const Outcome outcome = run_in_space(flow, 1.5), between_walls = run_in_space(walls, 1.5);
        BOOST_TEST(outcome.energy == between_walls.energy, boost::test_tools::tolerance(1e-9));
        BOOST_TEST(outcome.n_impacts == between_walls.n_impacts);
        BOOST_TEST(outcome.n_impacts > 2);
      }
}

namespace
{
/// Two squares turned by 30° that approach each other with 1 m/s, apart or touching.
FlowSetting turned_squares(const int n, const double gap, const double restitution)
{
  FlowSetting  setting = empty_box(2, n, -.5, .5);
  const double c = std::cos(M_PI / 6.), s = .5;
  setting.bodies          = BodyVelocities::kept;
  setting.law.restitution = restitution;
  constexpr int samples   = 64;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    double first = 0., second = 0.;
    for (int i = 0; i < samples; ++i)
      for (int j = 0; j < samples; ++j)
        {
          const Vector x = setting.grid.centre(cell) +
                           Eigen::Vector2d((i + .5) / samples - .5, (j + .5) / samples - .5) * setting.grid.h(0);
          const double along = c * x(0) + s * x(1), across = c * x(1) - s * x(0);
          if (std::abs(across) < .1)
            {
              first += along < -.5 * gap && along > -.5 * gap - .2;
              second += along >= .5 * gap && along < .5 * gap + .2;
            }
        }
    setting.rho(cell)         = (first + second) / (samples * samples);
    const double momentum     = .5 * (first - second) / (samples * samples);
    setting.momentum[0](cell) = momentum * c;
    setting.momentum[1](cell) = momentum * s;
  });
  return setting;
}
} // namespace

// Corners are jets, which lose energy on every mesh; less with finer cells. Bodies that touch are told apart in cells that
// both share.
BOOST_AUTO_TEST_CASE(turned_squares_lose_less_on_finer_meshes)
{
  for (const double gap : {.1, 0.})
    {
      double lost = 1.;
      for (const int n : {32, 64, 128})
        BOOST_TEST_CONTEXT(n << " cells, gap " << gap)
        {
          CongestedFlow flow(turned_squares(n, gap, 1.));
          BOOST_TEST(flow.record().bodies.births == 2);
          const double before = flow.record().kinetic_energy;
          BOOST_TEST(before > (1. - .8 / n) * .01); // edges share their outer faces' velocities
          const Outcome outcome = run_in_space(flow, gap == 0. ? .1 : .2);
          BOOST_TEST(flow.record().bodies.bodies == 2);
          const double loss = 1. - outcome.energy / before;
          BOOST_TEST_MESSAGE("loss " << loss);
          BOOST_TEST(loss < lost);
          lost = loss;
        }
      BOOST_TEST(lost < .2);
    }
}

// A block that fills the box across falls on its floor and rebounds as on the line, step by step.
BOOST_AUTO_TEST_CASE(falling_block_is_that_of_the_line)
{
  const auto pulled = [](FlowSetting setting, const int axis) {
    setting.force = [axis](double, const Eigen::MatrixXd &x, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
      f.setZero(x.rows(), x.cols());
      f.row(axis).setConstant(-1.);
    };
    setting.force_is_steady    = true;
    setting.force_has_velocity = false;
    return setting;
  };
  FlowSetting on_line     = line(0., 1.2, 48, {{.3, .5, 0., 1.}});
  on_line.bodies          = BodyVelocities::kept;
  on_line.law.restitution = .5;
  on_line.sides[0] = on_line.sides[1] = Boundary::wall;
  CongestedFlow a(pulled(on_line, 0)), b(pulled(row_in_space(2, 1, 40, .15, {{.3, .5, 0., 1.}}, .5), 1));
  for (int k = 1; k <= 400; ++k)
    {
      a.advance(.01 * k);
      b.advance(.01 * k);
      BOOST_TEST(std::abs(b.record().kinetic_energy - .15 * a.record().kinetic_energy) < 1e-11);
    }
  for (Index i = 0; i < 48; ++i)
    for (Index j = 0; j < 6; ++j)
      {
        BOOST_TEST(std::abs(b.rho()({j, i, 0}) - a.rho()({i, 0, 0})) < 1e-10);
        BOOST_TEST(std::abs(b.pressure()({j, i, 0}) - a.pressure()({i, 0, 0})) < 1e-8);
      }
}

// Light faces take some momentum where the law is repeated; crumbs on faces must not stop the solver.
BOOST_AUTO_TEST_CASE(discs_rebound_between_four_walls)
{
  FlowSetting setting     = empty_box(2, 40);
  setting.bodies          = BodyVelocities::kept;
  setting.law.restitution = .5;
  for (int side = 0; side < 4; ++side)
    setting.sides[side] = Boundary::wall;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    const double x = (static_cast<double>(cell[0]) + .5) / 40., y = (static_cast<double>(cell[1]) + .5) / 40.;
    const bool   is_left = std::hypot(x - .3, y - .45) < .1414, is_right = std::hypot(x - .7, y - .5) < .1414;
    setting.rho(cell)         = is_left || is_right ? 1. : 0.;
    setting.momentum[0](cell) = is_left ? 1. : is_right ? -1. : 0.;
    setting.momentum[1](cell) = .3 * setting.rho(cell);
  });
  CongestedFlow flow(setting);
  std::int64_t  n_impacts = 0;
  run(flow, 1., 1e9, [&](const FlowRecord &record) {
    BOOST_TEST(record.effort.converged());
    BOOST_TEST(record.mass_error < rounding);
    BOOST_TEST(record.momentum_error < 1e-7);
    n_impacts += record.n_impacts;
  });
  BOOST_TEST(n_impacts > 100);
}

BOOST_AUTO_TEST_CASE(a_state_in_the_plane_goes_on_bit_for_bit)
{
  CongestedFlow whole(turned_squares(32, .1, .5)), second(turned_squares(32, .1, .5));
  run(whole, .12);
  second.restore(whole.state());
  run(whole, .2);
  run(second, .2);
  BOOST_TEST((whole.state().reals == second.state().reals));
}

// A stream that enters is mixture: where there is no body it is that of one velocity; a block in its way stays a body.
BOOST_AUTO_TEST_CASE(what_enters_is_mixture)
{
  for (const bool has_block : {false, true})
    {
      FlowSetting setting = line(0., 1., 100, {{.5, has_block ? .7 : .5, 0., 1.}});
      setting.sides[0]    = Boundary::inflow;
      setting.sides[1]    = Boundary::wall;
      setting.inflow      = [](double, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
        values.resize(2, x.cols());
        values.colwise() = Eigen::Vector2d(.5, 1.);
      };
      setting.bodies = BodyVelocities::kept;
      CongestedFlow flow(setting), mixed([&] {
        FlowSetting same = setting;
        same.bodies      = BodyVelocities::mixed;
        return same;
      }());
      double        balance = 0.;
      run(flow, 1.25, 1e9, [&](const FlowRecord &r) { balance = std::max({balance, r.mass_error, r.momentum_error}); });
      run(mixed, 1.25);
      BOOST_TEST(balance < rounding);
      BOOST_TEST(std::abs(flow.record().mass_in - .625) < rounding);
      BOOST_TEST(flow.record().bodies.births == has_block);
      double apart = 0.;
      for_own_cells(setting.grid,
                    [&](const CellIndex &cell) { apart += std::abs(flow.rho()(cell) - mixed.rho()(cell)) / 100.; });
      BOOST_TEST(apart < (has_block ? .02 : rounding));
    }
}

BOOST_AUTO_TEST_SUITE_END()
