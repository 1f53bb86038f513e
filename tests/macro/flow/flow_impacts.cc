// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/impact_stage.h"

#include "convex/certificate.h"
#include "convex/solvers/lawson_hanson.h"
#include "flows.h"
#include "macro/flow/coloured_impact.h"
#include "macro/flow/drainage.h"
#include "macro/flow/edges.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(flow_impacts)

using namespace moreau;
using namespace moreau::macro;
using namespace flows;

namespace
{
/// A random state of a flow, with solids, narrowings and drag here and there, and the impact problem that it poses.
struct State
{
  State(const int dim, const int n, const unsigned int seed)
      : State(dim == 3 ? random_setting(3, n, seed) : with_solids(random_setting(dim, n, seed), seed), seed)
  {}

  State(const FlowSetting &setting, const unsigned int seed)
      : grid(setting.grid, setting.sides, setting.rho_max), rho(setting.rho), rho_max(setting.rho_max), q(grid.array())
  {
    grid.exchange(rho);
    grid.exchange(rho_max);
    for (FaceCells *const faces : {&rho_D, &momentum, &u})
      faces->fill(grid.array());
    dual_densities(grid, rho, rho_D);
    std::mt19937                           generator(seed);
    std::uniform_real_distribution<double> number(-1., 1.);
    response = grid.capacities();
    for (int axis = 0; axis < grid.dim(); ++axis)
      {
        if (seed % 2 == 0) // drag
          response[axis] *= .7;
        grid.for_faces(axis, [&](const Index c) {
          momentum[axis].values(c) = grid.open(axis)(c) * rho_D[axis].values(c) * number(generator);
        });
      }
    face_velocities(grid, momentum, rho_D, u);
    zone = std::make_shared<const FullZone>(grid, full_cells_with_edges(grid, rho, rho_max), rho_D, response);
  }

  static FlowSetting with_solids(FlowSetting setting, const unsigned int seed)
  {
    std::mt19937                           generator(seed);
    std::uniform_real_distribution<double> number(0., 1.);
    for_own_cells(setting.grid, [&](const CellIndex &cell) {
      const double kind = number(generator), before = setting.rho_max(cell);
      setting.rho_max(cell) = kind < .1 ? 0. : kind < .3 ? .6 : 1.;
      setting.rho(cell) *= setting.rho_max(cell) / before;
    });
    return setting;
  }

  convex::ProjectionProblem problem() const { return FullZone::problem(zone, zone->coefficients(u)); }

  /// The impact, and the velocity after it on the faces of the zone.
  std::pair<FlowImpact, Vector> impact(const ImpactLaw &law)
  {
    FaceCells  after = momentum, u_plus = u;
    const auto found = apply_impact_law(grid, full_cells_with_edges(grid, rho, rho_max), rho_D, response, law, after, q);
    face_velocities(grid, after, rho_D, u_plus);
    return {found, zone->coefficients(u_plus)};
  }

  FlowGrid                        grid;
  CellArray                       rho, rho_max, q;
  FaceCells                       rho_D, momentum, u;
  std::array<Vector, 3>           response;
  std::shared_ptr<const FullZone> zone;
};

State random_state(const unsigned int seed)
{
  const int dim = 1 + static_cast<int>(seed % 3);
  return State(dim, dim == 1 ? 40 : dim == 2 ? 10 : 5, seed);
}

Vector exactly_projected(const convex::ProjectionProblem &problem)
{
  convex::StoppingCriterion criterion;
  criterion.tolerance = 1e-13;
  return convex::LawsonHanson(criterion).project(problem).u;
}

constexpr unsigned int n_states = 60;
} // namespace

// Every tolerance, every zone: walls, solids, periodic sides, narrowings, drag, pockets.
BOOST_AUTO_TEST_CASE(the_bound_of_an_impact_never_lies)
{
  int n_guaranteed = 0, n_all = 0;
  for (unsigned int seed = 1; seed <= n_states; ++seed)
    for (const double tolerance : {1e-1, 1e-3, 1e-6})
      {
        State      state   = random_state(seed);
        const auto problem = state.problem();
        ImpactLaw  law;
        law.criterion.tolerance    = tolerance;
        const auto [impact, after] = state.impact(law);
        if (impact.effort.n_projections == 0)
          continue;
        const double error = problem.V->norm(after - exactly_projected(problem)) / problem.V->norm(problem.U);
        BOOST_TEST_CONTEXT("seed " << seed << ", tolerance " << tolerance)
        {
          BOOST_TEST(impact.effort.relative_error_bound >= error - 1e-14);
          BOOST_TEST(impact.effort.relative_error_bound <= 10. * tolerance);
          BOOST_TEST(impact.worst.scale == problem.V->norm(problem.U), boost::test_tools::tolerance(1e-14));
        }
        n_guaranteed += impact.effort.guaranteed;
        ++n_all;
      }
  BOOST_TEST_MESSAGE(n_guaranteed << " of " << n_all << " guaranteed");
  BOOST_TEST(n_all > 100);
  BOOST_TEST(n_guaranteed == n_all);
}

BOOST_AUTO_TEST_CASE(e_one_half_is_the_formula)
{
  for (unsigned int seed = 1; seed <= n_states; ++seed)
    {
      State      state   = random_state(seed);
      const auto problem = state.problem();
      ImpactLaw  law;
      law.law.restitution     = .5;
      law.slow.resting        = 100.; // once
      const auto [once, rest] = state.impact(law);
      law.slow.resting        = 1e-300;
      law.law.max_repetitions = 1;
      state.q.values.setZero();
      const auto [twice, after] = state.impact(law);
      const Vector u            = exactly_projected(problem);
      if (once.effort.n_projections == 0)
        continue;
      BOOST_TEST_CONTEXT("seed " << seed)
      {
        BOOST_TEST(once.n_rebounds == 0);
        BOOST_TEST(once.unrebounded_energy == .25 * .5 * std::pow(problem.V->norm(problem.U - u), 2),
                   boost::test_tools::tolerance(1e-4));
        BOOST_TEST(convex::max_abs(rest - u) < 1e-6);
        BOOST_TEST(twice.n_rebounds == 1);
        convex::ProjectionProblem next = problem;
        next.U                         = problem.U - 1.5 * (problem.U - u);
        const Vector expected          = twice.effort.n_projections == 1 ? next.U : exactly_projected(next);
        BOOST_TEST(convex::max_abs(after - expected) < 1e-5);
      }
    }
}

// A block that falls on a wall and two that meet, each with the law or at rest, whatever the other one does.
BOOST_AUTO_TEST_CASE(parts_that_do_not_touch_do_not_know_of_each_other)
{
  constexpr double e = .5, fall = .05, meet = .01;
  FlowSetting      setting = empty_box(1, 40);
  setting.sides[0]         = Boundary::wall;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    setting.rho(cell) = cell[0] < 10 || (cell[0] >= 20 && cell[0] < 28) ? 1. : 0.;
  });
  State     state(setting, 1);
  FaceCells force = state.grid.faces();
  for (Index i = 0; i <= 28; ++i)
    {
      const Index c               = state.grid.position({i, 0, 0});
      force[0].values(c)          = i < 15 ? -1. : 0.;
      const double u              = i < 15 ? -fall : i < 24 ? meet : i > 24 ? -meet : 0.;
      state.momentum[0].values(c) = state.grid.open(0)(c) * state.rho_D[0].values(c) * u;
    }
  for (const bool falling_rests : {false, true})
    for (const bool meeting_rests : {false, true})
      {
        ImpactLaw law;
        law.law.restitution     = e;
        law.criterion.tolerance = 1e-9;
        law.slow.resting        = meeting_rests ? 1.1 * meet : 1e-9;
        FaceCells given         = force;
        given[0].values *= falling_rests ? .03 : .005; // m/s, half of what rests
        law.given = &given;
        state.q.values.setZero();
        FaceCells        momentum = state.momentum, u = state.grid.faces();
        const FlowImpact impact = apply_impact_law(state.grid, full_cells_with_edges(state.grid, state.rho, state.rho_max),
                                                   state.rho_D, state.response, law, momentum, state.q);
        face_velocities(state.grid, momentum, state.rho_D, u);
        const auto at = [&](const Index i) { return u[0].values(state.grid.position({i, 0, 0})); };
        BOOST_TEST_CONTEXT(falling_rests << ", " << meeting_rests)
        {
          BOOST_TEST(at(5) == (falling_rests ? 0. : e * fall), boost::test_tools::tolerance(1e-6));
          BOOST_TEST(at(22) == (meeting_rests ? 0. : -e * meet), boost::test_tools::tolerance(1e-6));
          BOOST_TEST(at(26) == (meeting_rests ? 0. : e * meet), boost::test_tools::tolerance(1e-6));
          BOOST_TEST(impact.effort.converged());
          BOOST_TEST((impact.n_rebounds > 0) == !(falling_rests && meeting_rests));
          // less what the force added; masses are those of faces that move
          const double of_fall = falling_rests ? .5 * e * e * .25 * std::pow(fall - .03, 2) : 0.;
          const double of_meet = meeting_rests ? .5 * e * e * .2 * meet * meet : 0.;
          BOOST_TEST(std::abs(impact.unrebounded_energy - of_fall - of_meet) <= .15 * (of_fall + of_meet));
        }
      }
}

// Nothing but one visit to every cell: any velocity becomes admissible.
BOOST_AUTO_TEST_CASE(a_block_bounces_off_a_solid_as_off_a_wall)
{
  for (const int dim : {1, 2})
    for (int axis = 0; axis < dim; ++axis)
      for (const double direction : {-1., 1.})
        {
          FlowSetting setting     = empty_box(dim, 40);
          setting.law.restitution = 1.;
          for (int other = 0; other < dim; ++other)
            if (other != axis)
              setting.sides[2 * other] = setting.sides[2 * other + 1] = Boundary::wall;
          for_own_cells(setting.grid, [&](const CellIndex &cell) {
            const double x               = .5 + direction * (setting.grid.centre(cell)(axis) - .5); // towards the solid
            setting.rho_max(cell)        = x > .7 ? 0. : 1.;
            setting.rho(cell)            = x > .2 && x < .4 ? 1. : 0.;
            setting.momentum[axis](cell) = direction * setting.rho(cell);
          });
          CongestedFlow flow(setting);
          double        least = 1.;
          run(flow, .5, 1e9, [&](const FlowRecord &record) { least = std::min(least, record.kinetic_energy); });
          BOOST_TEST(flow.record().kinetic_energy == .1, boost::test_tools::tolerance(1e-9));
          BOOST_TEST(least > .0999);
          BOOST_TEST(flow.record().momentum_in(axis) == -.4 * direction, boost::test_tools::tolerance(1e-9));
        }
}

BOOST_AUTO_TEST_CASE(drained_velocities_are_admissible)
{
  for (unsigned int seed = 1; seed <= n_states; ++seed)
    {
      const State  state   = random_state(seed);
      const auto   problem = state.problem();
      const Vector v       = Drainage(state.zone, 0.).repaired(problem.U);
      BOOST_TEST_CONTEXT("seed " << seed)
      BOOST_TEST(convex::approach_speed(problem, v) <= 1e-13 * (1. + convex::max_abs(v)));
    }
}

// A box full to its walls: u⁺ has no divergence anywhere, which rounding errors alone keep from being proved.
BOOST_AUTO_TEST_CASE(full_boxes_are_certified)
{
  for (const int dim : {1, 2, 3})
    for (const int n : {4, 16, dim == 3 ? 20 : 100})
      {
        FlowSetting setting = empty_box(dim, n);
        setting.rho         = setting.rho_max;
        setting.sides.fill(Boundary::wall);
        State                state(setting, 7);
        const convex::Impact impact = state.impact({}).first;
        BOOST_TEST_CONTEXT(n << " cells, dimension " << dim)
        {
          BOOST_TEST(impact.effort.guaranteed);
          BOOST_TEST(impact.effort.relative_error_bound < 1e-5);
        }
      }
}

// Crumbs on the face on which one body ends and the next one begins would be the lightest masses of the projection, on which
// its solver stagnates.
BOOST_AUTO_TEST_CASE(crumbs_between_bodies_stop_no_projection)
{
  constexpr int       n       = 24;
  const FlowSetting   setting = empty_box(2, n);
  const FlowGrid      grid(setting.grid, setting.sides, setting.rho_max);
  CellArray           rho = grid.array(), rho_max = setting.rho_max, q = grid.array();
  std::vector<Colour> colours;
  for (int k = 0; k < 3; ++k) // crumbs, the left body, the right one
    {
      CellArray of_rho = grid.array();
      FaceCells mass, momentum;
      mass.fill(grid.array());
      momentum.fill(grid.array());
      for_own_cells(grid.box(), [&](const CellIndex &cell) {
        const bool is_row = cell[1] >= 8 && cell[1] < 16, is_left = cell[0] >= 4 && cell[0] < 12,
                   is_right = cell[0] >= 12 && cell[0] < 20 && (cell[1] + cell[0]) % 9 != 0;
        of_rho(cell)        = !is_row ? 0. : k == 0 ? (cell[0] == 12 ? 2e-12 : 0.) : (k == 1 ? is_left : is_right);
      });
      rho.values += of_rho.values;
      grid.exchange(of_rho);
      dual_densities(grid, of_rho, mass);
      momentum[0].values = (k == 1 ? 1. : k == 2 ? -.5 : .3) * mass[0].values;
      colours.emplace_back(grid, false);
      Colour &colour = colours.back();
      colour.take(of_rho, momentum);
      colour.fit(false);
      colour.grid().exchange(colour.rho);
      colour.find_velocities();
    }
  grid.exchange(rho);
  grid.exchange(rho_max);
  const auto momentum = [&] {
    double sum = 0.;
    for (const Colour &colour : colours)
      colour.grid().for_faces_in_whole(0, [&](const Index c, Index) { sum += colour.momentum[0].values(c); });
    return sum;
  };
  const double         before = momentum();
  ImpactLaw            law    = {setting.law, {}, setting.criterion};
  ColouredImpact       law_of_colours(grid);
  const convex::Impact impact = law_of_colours.apply(colours, rho, rho_max, law, q);
  BOOST_TEST(impact.effort.n_projections > 0);
  BOOST_TEST((impact.projection.status == convex::Status::converged));
  BOOST_TEST(impact.worst.natural_residual < 1e-6);
  BOOST_TEST(std::abs(momentum() - before) < 1e-9 * std::abs(before));
}

// A block glides along a solid and around its corners, where dual cells hold other shares of cells than those beside them.
BOOST_AUTO_TEST_CASE(corners_of_solids_give_no_energy)
{
  for (const int dim : {2, 3})
    for (const BodyVelocities bodies : {BodyVelocities::mixed, BodyVelocities::kept})
      {
        const int   n       = dim == 2 ? 24 : 12;
        FlowSetting setting = empty_box(dim, n);
        setting.sides.fill(Boundary::wall);
        setting.law.restitution = .5;
        setting.bodies          = bodies;
        for_own_cells(setting.grid, [&](const CellIndex &cell) {
          const Vector x      = setting.grid.centre(cell);
          const bool   beside = dim == 2 || (.25 < x(2) && x(2) < .75);
          if (.5 < x(0) && x(0) < .75 && .25 < x(1) && x(1) < .5 && beside)
            setting.rho_max(cell) = 0.;
          setting.rho(cell)         = .1 < x(0) && x(0) < .4 && .4 < x(1) && x(1) < .7;
          setting.momentum[0](cell) = setting.rho(cell);
          setting.momentum[1](cell) = -.6 * setting.rho(cell);
        });
        CongestedFlow flow(setting);
        double        before = flow.record().kinetic_energy;
        run(flow, dim == 2 ? 1. : .6, .01, [&](const FlowRecord &record) {
          BOOST_TEST(record.kinetic_energy <= before * (1. + 1e-12));
          BOOST_TEST(record.largest_speed < 50.);
          before = record.kinetic_energy;
        });
        BOOST_TEST(flow.record().momentum_error <= 1e-8);
      }
}

// Matter flows into a gap of one cell between a solid and the wall, and out of it: what stops there is taken by these.
BOOST_AUTO_TEST_CASE(narrow_gaps_keep_account_of_momentum)
{
  for (const int axis : {0, 1})
    for (const bool at_end : {false, true})
      for (const BodyVelocities bodies : {BodyVelocities::mixed, BodyVelocities::kept})
        {
          FlowSetting setting = empty_box(2, 16);
          setting.sides.fill(Boundary::wall);
          setting.bodies = bodies;
          for_own_cells(setting.grid, [&](const CellIndex &cell) {
            const Index along = cell[axis], from_wall = at_end ? 15 - cell[1 - axis] : cell[1 - axis];
            if (8 <= along && along < 12 && 1 <= from_wall && from_wall < 5)
              setting.rho_max(cell) = 0.;
            setting.rho(cell)                = 2 <= along && along < 7 && from_wall < 4;
            setting.momentum[axis](cell)     = setting.rho(cell);
            setting.momentum[1 - axis](cell) = (at_end ? .3 : -.3) * setting.rho(cell);
          });
          CongestedFlow flow(setting);
          run(flow, 1.5, .05);
          BOOST_TEST(flow.record().momentum_error <= 1e-10);
          double inside = 0.;
          for_own_cells(setting.grid, [&](const CellIndex &cell) { inside += (cell[axis] >= 8) * flow.rho()(cell); });
          BOOST_TEST(inside > .1); // some has got there
        }
}

BOOST_AUTO_TEST_SUITE_END()
