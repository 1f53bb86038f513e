// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/congested_flow.h"

#include "convex/input_error.h"
#include "flows.h"
#include "macro/line/exact_blocks.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(coloured_flow)

using namespace moreau;
using namespace moreau::macro;
using namespace flows;

// Bodies that keep their velocity, against exact blocks; in every step the bounds of densities, mass, momentum, energy.
namespace
{
constexpr double rounding = 1e-12;

/// Blocks of density 1 on the line.
struct Row
{
  std::vector<Segment> segments;
  double               restitution, T;
  bool                 walls = true;
  double               lower = 0., upper = 1.;
  double               cfl = .5;

  FlowSetting setting(const int n) const
  {
    FlowSetting setting     = line(lower, upper, n, segments);
    setting.bodies          = BodyVelocities::kept;
    setting.law.restitution = restitution;
    setting.cfl             = cfl;
    if (walls)
      setting.sides[0] = setting.sides[1] = Boundary::wall;
    return setting;
  }

  ExactBlocks exact() const
  {
    std::vector<Block> blocks;
    for (const Segment &s : segments)
      blocks.push_back({s.left, s.right - s.left, s.u});
    ExactBlocks::Parameters parameters;
    parameters.restitution = restitution;
    if (walls)
      parameters.walls = {lower, upper};
    ExactBlocks exact(blocks, parameters);
    exact.advance(T);
    return exact;
  }
};

struct Outcome
{
  double       energy = 0., relative_energy_error = 0., distance = 0.; ///< W1 (m²) from the exact solution
  std::int64_t n_impacts = 0;
  BodyCounts   bodies;
};

Outcome run(const Row &row, const int n, const bool ends_at_impacts = true)
{
  CongestedFlow flow(row.setting(n));
  Outcome       outcome;
  double        energy = flow.record().kinetic_energy, rise = 0., excess = 0., least = 0., balance = 0.;
  bool          converged = true, adds_up = true;
  run_to(
      flow, row.T,
      [&](const FlowRecord &record) {
        rise      = std::max(rise, record.kinetic_energy - energy);
        energy    = record.kinetic_energy;
        excess    = std::max(excess, record.max_density - 1.);
        least     = std::min(least, record.min_density);
        balance   = std::max({balance, record.mass_error, record.momentum_error});
        converged = converged && record.effort.converged() && record.impact.guaranteed;
        outcome.n_impacts += record.n_impacts;
        const BodyCounts &n = record.bodies;
        adds_up             = adds_up && n.bodies == n.births + n.broken_off - n.deaths - n.fusions - n.gone;
      },
      ends_at_impacts);
  BOOST_TEST(adds_up);
  BOOST_TEST(rise < rounding);
  BOOST_TEST(excess < rounding);
  BOOST_TEST(least > -rounding);
  BOOST_TEST(balance < rounding);
  BOOST_TEST(converged);

  const ExactBlocks    exact = row.exact();
  std::vector<Segment> segments;
  for (const Block &block : exact.blocks())
    segments.push_back({block.left, block.left + block.width, block.u, 1.});
  const FlowSetting there = line(row.lower, row.upper, n, segments);
  double            moved = 0.;
  for_own_cells(there.grid, [&](const CellIndex &cell) {
    moved += (flow.rho()(cell) - there.rho(cell)) * there.grid.h(0);
    outcome.distance += std::abs(moved) * there.grid.h(0);
  });
  outcome.energy                = energy;
  outcome.relative_energy_error = std::abs(energy / exact.kinetic_energy() - 1.);
  outcome.bodies                = flow.record().bodies;
  return outcome;
}

void require_exact(const Row &row, const std::vector<int> &cells, const bool counts_impacts = true)
{
  const ExactBlocks exact = row.exact();
  for (const int n : cells)
    BOOST_TEST_CONTEXT(n << " cells, e = " << row.restitution)
    {
      const Outcome outcome = run(row, n);
      BOOST_TEST(outcome.relative_energy_error < 1e-10);
      BOOST_TEST(outcome.distance < 1e-10);
      if (counts_impacts)
        BOOST_TEST(outcome.n_impacts == (row.restitution > 0. ? static_cast<std::int64_t>(exact.n_impacts()) : 0));
      BOOST_TEST(outcome.bodies.births == static_cast<std::int64_t>(row.segments.size()));
      BOOST_TEST(outcome.bodies.deaths == 0);
      BOOST_TEST(outcome.bodies.fused == 0);
    }
}

const std::vector<Segment> four  = {{.1, .25, 1.3, 1.}, {.37, .44, -.4, 1.}, {.61, .72, .2, 1.}, {.8, .85, -1.1, 1.}};
const std::vector<Segment> three = {{.1, .2, 1., 1.}, {.3, .4, 0., 1.}, {.5, .6, -.5, 1.}};

/// Blocks at least 3 cells wide at 100 cells per metre and 1.2 cells apart.
Row random_row(const unsigned int seed)
{
  std::mt19937                           generator(seed);
  std::uniform_real_distribution<double> number(0., 1.);
  const int                              n = 2 + static_cast<int>(5. * number(generator));
  std::vector<double>                    widths(n), gaps(n + 1);
  double                                 matter = 0., space = 0.;
  for (double &width : widths)
    matter += width = .03 + .08 * number(generator);
  for (double &gap : gaps)
    space += gap = number(generator) + .02;
  Row          row;
  const double least = .012, free = 1. - matter - least * (n + 1);
  double       left = 0.;
  for (int k = 0; k < n; ++k)
    {
      left += least + free * gaps[k] / space;
      row.segments.push_back({left, left + widths[k], 2. * number(generator) - 1., 1.});
      left += widths[k];
    }
  row.restitution = std::vector<double>{.3, .7, 1.}[static_cast<int>(3. * number(generator))];
  row.cfl         = .3 + .6 * number(generator);
  row.T           = .5 + number(generator);
  return row;
}
} // namespace

// Sixteen impacts. One velocity per cell has an energy error of 123, 70 and 66 % on these meshes.
BOOST_AUTO_TEST_CASE(four_blocks_partly_elastic) { require_exact({four, .6, 1.5}, {100, 200, 400}); }

BOOST_AUTO_TEST_CASE(three_blocks)
{
  for (const double e : {1., 0.})
    require_exact({three, e, .3, false}, {100, 167, 400});
}

BOOST_AUTO_TEST_CASE(two_blocks_meet)
{
  for (const double e : {1., .5, 0.})
    require_exact({{{.2, .4, 1., 1.}, {.55, .65, -.5, 1.}}, e, .2, false}, {100, 400});
}

BOOST_AUTO_TEST_CASE(two_blocks_between_walls)
{
  for (const double e : {1., .8})
    require_exact({{{.1, .3, 1., 1.}, {.5, .65, -.7, 1.}}, e, 3.}, {100, 200});
}

// 148 impacts; errors of rounding grow by a factor with each of them.
BOOST_AUTO_TEST_CASE(ten_blocks)
{
  Row row = {{}, 1., 2.};
  for (int k = 0; k < 10; ++k)
    {
      const double left = .02 + .0965 * k;
      row.segments.push_back({left, left + .03 + .004 * ((7 * k) % 5), 1.1 * std::sin(2.3 * k + 1.), 1.});
    }
  BOOST_TEST(row.exact().n_impacts() == 148u);
  const Outcome outcome = run(row, 200);
  BOOST_TEST(outcome.n_impacts == 148);
  BOOST_TEST(outcome.relative_energy_error < 1e-9);
  BOOST_TEST(outcome.distance < 1e-5);
  BOOST_TEST(outcome.bodies.colours == 3);
  row.restitution = .8;
  require_exact(row, {100, 200});
}

// Where steps do not end at impacts places are off by up to a step, and the energy of this sequence is still right.
BOOST_AUTO_TEST_CASE(places_are_of_first_order_where_steps_do_not_end_at_impacts)
{
  std::vector<double> distances;
  for (const int n : {100, 400})
    {
      distances.push_back(run({four, .6, 1.5}, n, false).distance);
      BOOST_TEST(run({four, .6, 1.5}, n, false).relative_energy_error < 1e-10);
    }
  BOOST_TEST(distances.front() < 1e-3);
  BOOST_TEST(distances.back() < .3 * distances.front());
}

// Two of these 60 rows have some ninety impacts in a collapse: what separates after it is not exact. All keep their bounds.
BOOST_AUTO_TEST_CASE(random_rows)
{
  int                 n_wrong = 0;
  std::vector<double> distances;
  for (unsigned int seed = 0; seed < 60; ++seed)
    {
      const Outcome outcome = run(random_row(seed), 100);
      n_wrong += outcome.relative_energy_error > 1e-6;
      distances.push_back(outcome.distance);
    }
  BOOST_TEST(n_wrong <= 2);
  std::nth_element(distances.begin(), distances.begin() + 30, distances.end());
  BOOST_TEST(distances[30] < 1e-12);
}

// Edges that share a cell or a face at the start, and bodies that touch: their masses follow from densities and momenta.
BOOST_AUTO_TEST_CASE(bodies_less_than_a_cell_apart_are_told_apart)
{
  for (const double gap : {0., .0004, .004, .008, .013})
    for (const double shift : {0., .0031, .0067})
      BOOST_TEST_CONTEXT("gap " << gap << ", shift " << shift)
      {
        const Row row = {{{.2 + shift, .4 + shift, 1., 1.}, {.4 + shift + gap, .55 + shift + gap, -.6, 1.}}, .7, .2};
        if (gap > 0.)
          require_exact(row, {100});
        else // the impact is at the end of the first step
          BOOST_TEST(run(row, 100).relative_energy_error < 1e-10);
      }
  // which of the two has how much of a shared cell cannot be known where they move alike
  CongestedFlow alike(Row{{{.2, .403, 1., 1.}, {.405, .55, 1., 1.}}, .7, .2}.setting(100));
  BOOST_TEST(alike.record().bodies.bodies == 0);
  BOOST_TEST(alike.record().bodies.joined == 1);
  CongestedFlow thin(Row{{{.2, .4, 1., 1.}, {.5, .525, -1., 1.}}, .7, .2}.setting(100));
  BOOST_TEST(thin.record().bodies.bodies == 1);
  BOOST_TEST(thin.record().bodies.thin == 1);
}

// Two blocks meet at .1 s and, around the ring, at .1 + .7/.75 s; e halves the speed at which they part.
BOOST_AUTO_TEST_CASE(blocks_on_a_ring)
{
  Row         row     = {{{.2, .4, 1., 1.}, {.55, .65, -.5, 1.}}, .5, 2., false};
  FlowSetting setting = row.setting(100);
  setting.sides[0] = setting.sides[1] = Boundary::periodic;
  CongestedFlow flow(setting);
  std::int64_t  n_impacts = 0;
  run_to(flow, row.T, [&](const FlowRecord &record) {
    n_impacts += record.n_impacts;
    BOOST_TEST(record.momentum_error < rounding);
    BOOST_TEST(record.mass_error < rounding);
  });
  BOOST_TEST(n_impacts == 2);
  BOOST_TEST(flow.record().kinetic_energy == .5 * .3 * .25 + .5 * (.2 * .1 / .3) * .375 * .375,
             boost::test_tools::tolerance(1e-11));
  BOOST_TEST(flow.record().bodies.bodies == 2);
}

// Dilute matter shares a colour, since mixing is its physics: with no body in it nothing changes.
BOOST_AUTO_TEST_CASE(the_mixture_is_as_it_was)
{
  const std::vector<Segment> streams = {{-.9, .013, 1., .7}, {.013, .9, -1., .3}};
  FlowSetting                setting = line(-1., 1., 200, streams);
  CongestedFlow              mixed(setting);
  setting.bodies = BodyVelocities::kept;
  CongestedFlow kept(setting);
  flows::run(mixed, .2931);
  flows::run(kept, .2931);
  setting.rho = mixed.rho();
  BOOST_TEST(distance(kept, setting) < 1e-3);
  const double      c = .013, T = .2931;
  const FlowSetting exact = line(-1., 1., 200, {{-.9 + T, c - T, 1., .7}, {c - T, c + T, .4, 1.}, {c + T, .9 - T, -1., .3}});
  BOOST_TEST(distance(kept, exact) < .2 * setting.grid.h(0));
}

BOOST_AUTO_TEST_CASE(a_snow_plough_converges)
{
  std::vector<double> errors;
  for (const int n : {100, 200, 400})
    {
      FlowSetting setting = line(0., 1., n, {{.053, .5, 1., .5}, {.5, .7, 0., 1.}});
      setting.bodies      = BodyVelocities::kept;
      CongestedFlow flow(setting);
      run_to(flow, .3, [](const FlowRecord &) {});
      errors.push_back(distance(flow, line(0., 1., n, {{.353, .4, 1., .5}, {.4, .8, .5, 1.}})));
    }
  BOOST_TEST(std::log2(errors.front() / errors.back()) / 2. > .85);
  BOOST_TEST(errors.back() < 1.5e-3);
}

// What a body leaves behind or sheds is mixture; where matter packs it becomes a body.
BOOST_AUTO_TEST_CASE(bodies_are_born_and_die)
{
  FlowSetting setting = line(0., 1., 100, {{.2, .4, -1., 1.}, {.7, .9, 0., .5}});
  setting.bodies      = BodyVelocities::kept;
  setting.sides[1]    = Boundary::wall;
  for_own_cells(setting.grid, [&](const CellIndex &cell) { // the cloud is blown at the wall
    if (setting.grid.centre(cell)(0) > .6)
      setting.momentum[0](cell) = setting.rho(cell);
  });
  CongestedFlow flow(setting);
  BOOST_TEST(flow.record().bodies.births == 1);
  run_to(flow, .5, [](const FlowRecord &record) { BOOST_TEST(record.mass_error < rounding); });
  BOOST_TEST(flow.record().bodies.births == 2);
  BOOST_TEST(flow.record().bodies.deaths == 1);                             // it has left through the open side
  BOOST_TEST(flow.record().mass == .1, boost::test_tools::tolerance(1e-5)); // dust leaves ever more slowly
}

BOOST_AUTO_TEST_CASE(a_state_goes_on_bit_for_bit)
{
  const Row     row = {four, .6, 1.5};
  CongestedFlow whole(row.setting(100)), second(row.setting(100));
  run_to(whole, .5, [](const FlowRecord &) {});
  second.restore(whole.state());
  BOOST_TEST(second.record().bodies.changes == whole.record().bodies.changes);
  run_to(whole, .9, [](const FlowRecord &) {});
  run_to(second, .9, [](const FlowRecord &) {});
  BOOST_TEST((whole.state().reals == second.state().reals));
  BOOST_CHECK_THROW(second.restore(CongestedFlow(line(0., 1., 100, four)).state()), std::invalid_argument);
  convex::NamedArrays without = whole.state(); // forged
  without.integers["colours"] = {0};
  BOOST_CHECK_THROW(second.restore(without), std::invalid_argument);
}

// Solids in the place of walls, and bodies on both sides of one.
BOOST_AUTO_TEST_CASE(bodies_bounce_off_solids_as_off_walls)
{
  const Row row = {four, .6, 1.5};
  for (const int n : {100, 200})
    BOOST_TEST_CONTEXT(n << " cells")
    {
      std::vector<Segment> rooms = four;
      for (const Segment &s : four)
        rooms.push_back({2.2 - s.right, 2.2 - s.left, -s.u, 1.}); // the mirror image behind [1, 1.2]
      FlowSetting setting     = line(-.1, 2.3, static_cast<int>(std::lround(2.4 * n)), rooms);
      setting.bodies          = BodyVelocities::kept;
      setting.law.restitution = row.restitution;
      for_own_cells(setting.grid, [&](const CellIndex &cell) {
        const double x = setting.grid.centre(cell)(0);
        if (x < 0. || (x > 1. && x < 1.2) || x > 2.2)
          setting.rho_max(cell) = 0.;
      });
      CongestedFlow flow(setting), walls(row.setting(n));
      std::int64_t  n_impacts = 0, n_exact = 0;
      run_to(flow, row.T, [&](const FlowRecord &record) { n_impacts += record.n_impacts; });
      run_to(walls, row.T, [&](const FlowRecord &record) { n_exact += record.n_impacts; });
      BOOST_TEST(flow.record().kinetic_energy / walls.record().kinetic_energy == 2., boost::test_tools::tolerance(1e-10));
      BOOST_TEST(n_exact > 10);
      BOOST_TEST(n_impacts >= n_exact); // what both rows do at once is one projection
      for_own_cells(row.setting(n).grid, [&](const CellIndex &cell) {
        const auto beyond = static_cast<Index>(std::lround(.1 * n));
        BOOST_TEST(std::abs(flow.rho()({cell[0] + beyond, 0, 0}) - walls.rho()(cell)) < 1e-9);
      });
    }
}

BOOST_AUTO_TEST_CASE(what_is_not_offered_is_refused)
{
  const auto refused = [](FlowSetting setting, const std::string &what) {
    setting.bodies = BodyVelocities::kept;
    BOOST_CHECK_EXCEPTION(CongestedFlow{setting}, InputError, [&](const InputError &error) {
      return std::string(error.what()).find(what) != std::string::npos;
    });
  };
  FlowSetting setting = line(0., 1., 50, {{.2, .4, 1., 1.}});
  setting.flux        = DensityFlux::upwind;
  refused(setting, "upwind");
}

BOOST_AUTO_TEST_SUITE_END()
