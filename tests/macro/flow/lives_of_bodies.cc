// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/body_history.h"

#include "flows.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(lives_of_bodies)

using namespace moreau;
using namespace moreau::macro;
using namespace flows;

// Bodies that are found, break, fuse, are given up or leave: their numbers add up in every step.
namespace
{
std::int64_t sum(const BodyCounts &n) { return n.births + n.broken_off - n.deaths - n.fusions - n.gone; }

/// To T; BodyCounts at the end.
BodyCounts lives_until(const double T, const FlowSetting &setting)
{
  CongestedFlow flow(setting);
  BOOST_TEST(flow.record().bodies.bodies == sum(flow.record().bodies));
  run_to(flow, T, [&](const FlowRecord &record) { BOOST_TEST(record.bodies.bodies == sum(record.bodies)); });
  return flow.record().bodies;
}

/// Squares of 3 cells a side on 64² cells, n in a row and n rows, gap cells apart, that move towards the middle.
FlowSetting squares(const int n, const int gap, const double speed)
{
  FlowSetting setting = empty_box(2, 64);
  setting.bodies      = BodyVelocities::kept;
  const int extent = n * 3 + (n - 1) * gap, first = (64 - extent) / 2;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    const auto place = [&](const int axis) {
      const auto at = static_cast<int>(cell[axis]) - first;
      return 0 <= at && at < extent && at % (3 + gap) < 3 ? at / (3 + gap) : -1;
    };
    const int i = place(0), j = place(1);
    if (i < 0 || j < 0)
      return;
    setting.rho(cell)         = 1.;
    setting.momentum[0](cell) = speed * (.5 * (n - 1) - i);
    setting.momentum[1](cell) = speed * (.5 * (n - 1) - j);
  });
  return setting;
}
} // namespace

BOOST_AUTO_TEST_CASE(what_a_step_made_of_bodies_is_counted)
{
  using Links      = std::vector<std::pair<std::size_t, std::size_t>>;
  const auto count = [](const std::size_t before, const std::size_t after, const Links &links) {
    BodyCounts n;
    count_step(before, after, links, n);
    BOOST_TEST(n.broken_off - n.fusions - n.gone == static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before));
    return std::vector<std::int64_t>{n.broken_off, n.fusions, n.gone};
  };
  using Numbers = std::vector<std::int64_t>;
  BOOST_TEST((count(2, 2, {{0, 0}, {1, 1}, {1, 1}}) == Numbers{0, 0, 0}));
  BOOST_TEST((count(2, 4, {{0, 0}, {1, 1}, {1, 2}, {0, 3}}) == Numbers{2, 0, 0}));
  BOOST_TEST((count(3, 1, {{0, 0}, {1, 0}}) == Numbers{0, 1, 1}));
  BOOST_TEST((count(0, 1, {}) == Numbers{1, 0, 0}));
  BOOST_TEST((count(4, 3, {{0, 0}, {0, 1}, {2, 2}, {3, 2}}) == Numbers{1, 1, 1}));
}

// Its parts fly apart: it gets thinner until no cell is full.
BOOST_AUTO_TEST_CASE(a_body_that_is_given_up_is_noted_with_time_and_place)
{
  FlowSetting setting = line(0., 1., 100, {{.2, .4, 0., 1.}, {.7, .8, 0., 1.}});
  setting.bodies      = BodyVelocities::kept;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    if (const double x = setting.grid.centre(cell)(0); x < .5)
      setting.momentum[0](cell) = setting.rho(cell) * 2. * (x - .3);
  });
  const BodyCounts n = lives_until(.1, setting);
  BOOST_TEST(n.births == 2);
  BOOST_TEST(n.deaths == 1);
  BOOST_TEST(n.narrowed == 1);
  BOOST_TEST(n.bodies == 1);
  BOOST_TEST(n.first_narrowed.time > 0.);
  BOOST_TEST(n.first_narrowed.time < .1);
  BOOST_TEST(n.first_narrowed.place[0] == .3, boost::test_tools::tolerance(.02));
  BOOST_TEST(n.first_fused.time < 0.);
}

// That is no fault of the numerics.
BOOST_AUTO_TEST_CASE(a_body_that_leaves_the_box_did_not_get_narrow)
{
  FlowSetting setting = line(0., 1., 100, {{.2, .4, -1., 1.}});
  setting.bodies      = BodyVelocities::kept;
  const BodyCounts n  = lives_until(.5, setting);
  BOOST_TEST(n.deaths + n.gone == 1);
  BOOST_TEST(n.narrowed == 0);
  BOOST_TEST(n.bodies == 0);
}

// They come so near each other that four colours are not enough.
BOOST_AUTO_TEST_CASE(bodies_without_a_colour_of_their_own_become_one)
{
  const BodyCounts n = lives_until(.4, squares(5, 4, .25));
  BOOST_TEST(n.births == 25);
  BOOST_TEST(n.fused > 0);
  BOOST_TEST(n.fusions > 0);
  BOOST_TEST(n.first_fused.time > 0.);
  BOOST_TEST(std::hypot(n.first_fused.place[0] - .5, n.first_fused.place[1] - .5) < .3);
}

// Jets of discs.
BOOST_AUTO_TEST_CASE(pieces_that_break_off_are_counted_when_they_are_given_up)
{
  FlowSetting setting     = empty_box(2, 40);
  setting.bodies          = BodyVelocities::kept;
  setting.law.restitution = .5;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    const Vector x       = setting.grid.centre(cell);
    const bool   is_left = std::hypot(x(0) - .3, x(1) - .45) < .1414, is_right = std::hypot(x(0) - .7, x(1) - .5) < .1414;
    setting.rho(cell)         = is_left || is_right ? 1. : 0.;
    setting.momentum[0](cell) = is_left ? 1. : is_right ? -1. : 0.;
  });
  for (int side = 0; side < 4; ++side)
    setting.sides[side] = Boundary::wall;
  const BodyCounts n = lives_until(1., setting);
  BOOST_TEST(n.births >= 2);
  BOOST_TEST(n.broken_off > 0);
}

BOOST_AUTO_TEST_CASE(counts_go_on_from_a_state)
{
  CongestedFlow whole(squares(3, 6, .25)), second(squares(3, 6, .25));
  run(whole, .4);
  second.restore(whole.state());
  const BodyCounts a = whole.record().bodies, b = second.record().bodies;
  BOOST_TEST(a.first_fused.time > 0.);
  BOOST_TEST((a.first_fused.place == b.first_fused.place));
  BOOST_TEST((whole.state().integers == second.state().integers));
  run(whole, .5);
  run(second, .5);
  BOOST_TEST((whole.state().integers == second.state().integers));
  convex::NamedArrays short_one = whole.state(); // forged
  short_one.reals["first times of bodies"].pop_back();
  BOOST_CHECK_THROW(second.restore(short_one), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
