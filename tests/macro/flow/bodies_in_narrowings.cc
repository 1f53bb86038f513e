// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/congested_flow.h"

#include "flows.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(bodies_in_narrowings)

using namespace moreau;
using namespace moreau::macro;
using namespace flows;

// Bodies that keep their velocity in boxes whose maximal density varies.
namespace
{
constexpr double rounding = 1e-12;

const std::vector<Segment> four = {{.1, .25, 1.3, 1.}, {.37, .44, -.4, 1.}, {.61, .72, .2, 1.}, {.8, .85, -1.1, 1.}};

/// Runs to T; in every step densities stay below ρ̄, mass and momentum are kept, energy does not rise.
void run_lawfully(CongestedFlow &flow, const double T)
{
  double energy = flow.record().kinetic_energy, rise = 0., balance = 0., excess = 0., least = 0.;
  bool   converged = true;
  run_to(flow, T, [&](const FlowRecord &record) {
    rise      = std::max(rise, record.kinetic_energy - energy);
    energy    = record.kinetic_energy;
    balance   = std::max({balance, record.mass_error, record.momentum_error});
    least     = std::min(least, record.min_density);
    converged = converged && record.effort.converged();
    for_own_cells(flow.setting().grid, [&](const CellIndex &cell) {
      excess = std::max(excess, flow.rho()(cell) - flow.setting().rho_max(cell));
    });
  });
  BOOST_TEST(rise < rounding);
  BOOST_TEST(balance < rounding);
  BOOST_TEST(excess < rounding);
  BOOST_TEST(least > -rounding);
  BOOST_TEST(converged);
}
} // namespace

// A maximal density that is the same everywhere is a unit: bodies are bodies.
BOOST_AUTO_TEST_CASE(halved_densities_are_the_same_flow)
{
  std::vector<Segment> half = four;
  for (Segment &s : half)
    s.rho = .5;
  FlowSetting whole = line(0., 1., 200, four), setting = line(0., 1., 200, half);
  for (FlowSetting *const of : {&whole, &setting})
    {
      of->bodies   = BodyVelocities::kept;
      of->sides[0] = of->sides[1] = Boundary::wall;
      of->law.restitution         = .6;
    }
  setting.rho_max = CellArray(setting.grid, .5);
  CongestedFlow flow(setting), other(whole);
  run_lawfully(flow, 1.5);
  run_lawfully(other, 1.5);
  BOOST_TEST(flow.record().kinetic_energy == .5 * other.record().kinetic_energy, boost::test_tools::tolerance(1e-10));
  BOOST_TEST(flow.record().bodies.births == 4);
  BOOST_TEST(flow.record().bodies.changed == 0);
  for_own_cells(setting.grid,
                [&](const CellIndex &cell) { BOOST_TEST(std::abs(flow.rho()(cell) - .5 * other.rho()(cell)) < 1e-9); });
}

// Four blocks in [0, 1], a solid cell, and behind it a stream that a narrowing jams: the blocks do as if alone, and
// the jam is that of the mixture (see a_narrowing_jams_a_stream).
BOOST_AUTO_TEST_CASE(bodies_do_not_mind_a_narrowing_elsewhere)
{
  constexpr int n         = 200; // cells per metre
  FlowSetting   setting   = line(0., 4., 4 * n, four);
  setting.bodies          = BodyVelocities::kept;
  setting.sides[0]        = Boundary::wall;
  setting.law.restitution = .6;
  for (Index i = n; i < 4 * n; ++i)
    {
      const CellIndex cell = {i, 0, 0};
      if (i == n)
        setting.rho_max(cell) = 0.;
      else if (i >= 5 * n / 2)
        setting.rho_max(cell) = .4;
      else if (i >= 3 * n / 2)
        setting.rho(cell) = setting.momentum[0](cell) = .6;
    }
  FlowSetting alone     = line(0., 1., n, four);
  alone.bodies          = BodyVelocities::kept;
  alone.sides           = {Boundary::wall, Boundary::wall};
  alone.law.restitution = .6;
  CongestedFlow flow(setting), row(alone);
  run_lawfully(flow, .6);
  run_lawfully(row, .6);
  BOOST_TEST(flow.record().bodies.births == 4);
  for_own_cells(alone.grid, [&](const CellIndex &cell) { BOOST_TEST(std::abs(flow.rho()(cell) - row.rho()(cell)) < 1e-9); });
  double jammed = 0.;
  for (Index i = 2 * n; i < 5 * n / 2; ++i)
    jammed += flow.rho()({i, 0, 0}) >= 1. - 1e-9;
  BOOST_TEST(jammed / n == .42375 * .6, boost::test_tools::tolerance(.05)); // the jam grows with this speed
}

// A block that fits the narrowing to come becomes mixture before it gets there, and squeezes through.
BOOST_AUTO_TEST_CASE(what_changes_its_density_is_no_body)
{
  for (const double e : {0., .5})
    {
      FlowSetting setting     = line(0., 3., 300, {{.1, .5, 1., 1.}, {.7, .8, .5, 1.}});
      setting.bodies          = BodyVelocities::kept;
      setting.law.restitution = e;
      for (Index i = 120; i < 300; ++i)
        setting.rho_max({i, 0, 0}) = .5;
      CongestedFlow flow(setting);
      BOOST_TEST(flow.record().bodies.bodies == 2);
      BOOST_TEST(flow.record().bodies.changed == 0);
      run_lawfully(flow, 1.8);
      BOOST_TEST(flow.record().bodies.changed >= 1);
      double beyond = 0.;
      for (Index i = 120; i < 300; ++i)
        beyond += flow.rho()({i, 0, 0}) * setting.grid.h(0);
      BOOST_TEST(beyond > .2);
    }
}

// A body that lies where ρ̄ varies at the start is counted; one beside it, three cells away, is a body.
BOOST_AUTO_TEST_CASE(pieces_that_lie_there_at_the_start_are_counted)
{
  for (const int n_between : {0, 2, 3})
    {
      FlowSetting setting = line(0., 1., 100, {{.3, .5, 1., 1.}});
      setting.bodies      = BodyVelocities::kept;
      for (Index i = 50 + n_between; i < 100; ++i)
        setting.rho_max({i, 0, 0}) = .5;
      const BodyCounts counts = CongestedFlow(setting).record().bodies;
      BOOST_TEST(counts.bodies == (n_between < 3 ? 0 : 1));
      BOOST_TEST(counts.changed == (n_between < 3 ? 1 : 0));
      BOOST_TEST(counts.thin == 0);
    }
}

// A disc as a solid, whose side cuts cells, in the way of a slab that falls on it.
BOOST_AUTO_TEST_CASE(solids_may_cut_cells)
{
  constexpr int n       = 32;
  FlowSetting   setting = empty_box(2, n);
  for (const int side : {0, 1, 2, 3})
    setting.sides[side] = Boundary::wall;
  setting.bodies          = BodyVelocities::kept;
  setting.law.restitution = .5;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    const Vector x        = setting.grid.centre(cell);
    int          n_inside = 0;
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j)
        n_inside += std::hypot(x(0) - .5 + ((i + .5) / 8. - .5) / n, x(1) - .3 + ((j + .5) / 8. - .5) / n) < .2;
    setting.rho_max(cell) = 1. - n_inside / 64.;
    if (x(1) > .7 && x(1) < .9)
      {
        setting.rho(cell)         = 1.;
        setting.momentum[1](cell) = -1.;
      }
  });
  CongestedFlow flow(setting);
  BOOST_TEST(flow.record().bodies.bodies == 1);
  run_lawfully(flow, .6);
  BOOST_TEST(flow.record().bodies.changed >= 1);
}

BOOST_AUTO_TEST_SUITE_END()
