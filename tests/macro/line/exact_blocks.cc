// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/line/exact_blocks.h"

#include "convex/input_error.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(exact_blocks)

using namespace moreau;
using namespace moreau::macro;

namespace
{
using Blocks = std::vector<Block>;

ExactBlocks::Parameters with(const double e, const double force = 0., const LineWalls &walls = LineWalls())
{
  ExactBlocks::Parameters parameters;
  parameters.restitution = e;
  parameters.force       = force;
  parameters.walls       = walls;
  return parameters;
}

/// n blocks in [0, 1] that fill `filling` of it; velocities are normal.
Blocks random_blocks(const int n, const double filling, const unsigned int seed)
{
  oracles::Random random(seed);
  Blocks          blocks;
  for (int k = 0; k < n; ++k)
    {
      const double cell = 1. / n, width = cell * filling * (.5 + .5 * random.uniform());
      blocks.push_back({k * cell + (cell - width) * random.uniform(), width, random.normal()});
    }
  return blocks;
}

/// Two by two, with a scan of all contacts per impact: right where no two contacts are hit at once and nothing sticks.
Blocks one_impact_after_the_other(Blocks blocks, const double T, const ExactBlocks::Parameters &parameters)
{
  const int    n = static_cast<int>(blocks.size());
  const double e = parameters.restitution, f = parameters.force;
  // smallest root of g + ws + as²/2 at which the gap gets narrower
  const auto meeting = [](const double g, const double w, const double a) {
    const double never = std::numeric_limits<double>::infinity();
    if (a == 0.)
      return w < 0. ? g / -w : never;
    const double root = w * w - 2. * a * g;
    if (root < 0.)
      return never;
    const double s = (-w - std::sqrt(root)) / a; // there g' = -√
    return s >= 0. ? s : never;
  };
  for (double t = 0.; t < T;)
    {
      double dt  = T - t;
      int    hit = -2; // -1: the left wall; k: blocks k and k+1 or the right wall
      for (int k = -1; k < n; ++k)
        {
          const double left  = k < 0 ? parameters.walls.left : blocks[k].left + blocks[k].width;
          const double right = k + 1 == n ? parameters.walls.right : blocks[k + 1].left;
          const double w     = (k + 1 == n ? 0. : blocks[k + 1].u) - (k < 0 ? 0. : blocks[k].u);
          const double a     = (k + 1 == n ? 0. : f) - (k < 0 ? 0. : f);
          const double s     = right - left < 1e300 ? meeting(std::max(right - left, 0.), w, a) : 1e300;
          if (s < dt)
            {
              dt  = s;
              hit = k;
            }
        }
      for (Block &block : blocks)
        {
          block.left += dt * (block.u + .5 * f * dt);
          block.u += f * dt;
        }
      t += dt;
      if (hit == -2)
        return blocks;
      if (hit == -1 || hit == n - 1)
        {
          double &u = blocks[std::max(hit, 0)].u;
          u *= -e;
        }
      else
        {
          Block       &a = blocks[hit], &b = blocks[hit + 1];
          const double mean = (a.width * a.u + b.width * b.u) / (a.width + b.width);
          a.u               = mean - e * (a.u - mean);
          b.u               = mean - e * (b.u - mean);
        }
    }
  return blocks;
}

double largest_difference(const Blocks &a, const Blocks &b)
{
  BOOST_TEST_REQUIRE(a.size() == b.size());
  double largest = 0.;
  for (std::size_t k = 0; k < a.size(); ++k)
    largest = std::max({largest, std::abs(a[k].left - b[k].left), std::abs(a[k].u - b[k].u)});
  return largest;
}

/// Of blocks that are apart, for e = 0.
Blocks sticky_blocks(const Blocks &blocks, const double t, const LineWalls &walls)
{
  LineDensity data;
  for (const Block &block : blocks)
    {
      data.x.insert(data.x.end(), {block.left, block.left + block.width});
      data.rho.insert(data.rho.end(), {1., 0.});
      data.u.insert(data.u.end(), {block.u, 0.});
    }
  data.rho.pop_back();
  data.u.pop_back();
  const Parcels solution = sticky_solution(parcels(data), t, walls);

  Blocks      moved = blocks;
  double      m     = 0.; // in the middle of a block
  std::size_t i     = 0;
  for (Block &block : moved)
    {
      while (solution.m[i + 1] < m + .5 * block.width)
        ++i;
      block.left = solution.left[i] - solution.m[i] + m;
      block.u    = solution.u[i];
      m += block.width;
    }
  return moved;
}

double widest_gap(const Blocks &blocks)
{
  double widest = 0.;
  for (std::size_t k = 1; k < blocks.size(); ++k)
    widest = std::max(widest, blocks[k].left - blocks[k - 1].left - blocks[k - 1].width);
  return widest;
}
} // namespace

// 1e-12: a handful of operations with numbers near 1.
BOOST_AUTO_TEST_CASE(two_blocks_are_case_a_of_the_motions)
{
  const double expected[][4] = {{0., .5, .5, .0375}, {.5, .25, 1., .05625}, {1., 0., 1.5, .1125}};
  for (const auto &[e, u0, u1, energy] : expected)
    {
      ExactBlocks blocks({{.2, .2, 1.}, {.55, .1, -.5}}, with(e));
      blocks.advance(.1); // they have met: right-continuous
      BOOST_TEST(std::abs(blocks.blocks()[0].u - u0) < 1e-12);
      blocks.advance(.2);
      const Blocks &x = blocks.blocks();
      BOOST_TEST(std::abs(x[0].left - (.3 + .1 * u0)) < 1e-12);
      BOOST_TEST(std::abs(x[1].left - (.5 + .1 * u1)) < 1e-12);
      BOOST_TEST(std::abs(x[0].u - u0) < 1e-12);
      BOOST_TEST(std::abs(x[1].u - u1) < 1e-12);
      BOOST_TEST(std::abs(blocks.kinetic_energy() - energy) < 1e-12);
      BOOST_TEST(blocks.n_impacts() == 1u);
      BOOST_TEST(blocks.n_collapsed() == 0u);
    }
}

BOOST_AUTO_TEST_CASE(three_blocks_are_case_b_of_the_motions)
{
  const Blocks start = {{.1, .1, 1.}, {.3, .1, 0.}, {.5, .1, -.5}};
  ExactBlocks  inelastic(start, with(0.)), elastic(start, with(1.)), half(start, with(.5));
  for (ExactBlocks *blocks : {&inelastic, &elastic, &half})
    blocks->advance(.3);
  BOOST_TEST(largest_difference(inelastic.blocks(), {{.25, .1, 1. / 6.}, {.35, .1, 1. / 6.}, {.45, .1, 1. / 6.}}) < 1e-12);
  BOOST_TEST(largest_difference(elastic.blocks(), {{.15, .1, -.5}, {.3, .1, 0.}, {.6, .1, 1.}}) < 1e-12);
  BOOST_TEST(largest_difference(half.blocks(), one_impact_after_the_other(start, .3, with(.5))) < 1e-12);
}

BOOST_AUTO_TEST_CASE(touching_blocks_collide_at_once_as_one_cluster)
{
  const auto leave_with = [](const std::vector<double> &U, const double e, const std::vector<double> &u) {
    Blocks blocks;
    for (const double velocity : U)
      blocks.push_back({.1 * static_cast<double>(blocks.size()), .1, velocity});
    const ExactBlocks exact(blocks, with(e));
    for (std::size_t k = 0; k < u.size(); ++k)
      BOOST_TEST(std::abs(exact.blocks()[k].u - u[k]) < 1e-14);
    return exact.n_impacts();
  };
  BOOST_TEST(leave_with({1., 0., 0., 0., 0.}, 1., {-.6, .4, .4, .4, .4}) == 1u);
  BOOST_TEST(leave_with({1., 0., 0., 0., 0.}, .5, {-.2, .3, .3, .3, .3}) == 1u);
  BOOST_TEST(leave_with({1., 0., -1.}, 0., {0., 0., 0.}) == 1u);
  BOOST_TEST(leave_with({1., 0., -1.}, 1., {-1., 0., 1.}) == 1u);
  BOOST_TEST(leave_with({1., 0., .3, -1.3}, 1., {-1., -.3, 0., 1.3}) == 2u);
  BOOST_TEST(leave_with({-1., 0., .3}, 1., {-1., 0., .3}) == 0u); // they separate
}

BOOST_AUTO_TEST_CASE(a_striker_sends_off_the_last_of_blocks_with_gaps_and_touching_blocks_only_if_they_are_one_body)
{
  Blocks gaps, row;
  for (int k = 0; k < 5; ++k)
    {
      gaps.push_back({.1 * k, .09, k == 0 ? 1. : 0.});
      row.push_back({k == 0 ? -.5 : .1 * k, .1, k == 0 ? 1. : 0.});
    }
  ExactBlocks with_gaps(gaps, with(1.)), touching(row, with(1.));
  with_gaps.advance(1.);
  touching.advance(1.);
  for (int k = 0; k < 5; ++k)
    {
      BOOST_TEST(std::abs(with_gaps.blocks()[k].u - (k == 4)) < 1e-12);
      BOOST_TEST(std::abs(touching.blocks()[k].u - (k == 0 ? -.6 : .4)) < 1e-12);
    }
  BOOST_TEST(with_gaps.n_impacts() == 4u);
  BOOST_TEST(touching.n_impacts() == 1u);
}

// Three contacts are hit in the same instant, two of them share a block.
BOOST_AUTO_TEST_CASE(simultaneous_contacts_are_one_impact_where_they_touch)
{
  ExactBlocks blocks({{0., .1, 1.}, {.2, .1, 0.}, {.4, .1, -1.}, {2., .1, 1.}, {2.3, .1, -1.}}, with(1.));
  blocks.advance(.2);
  BOOST_TEST(largest_difference(blocks.blocks(), {{0., .1, -1.}, {.2, .1, 0.}, {.4, .1, 1.}, {2., .1, -1.}, {2.3, .1, 1.}}) <
             1e-12);
  BOOST_TEST(blocks.n_impacts() == 2u);
}

// Two independent ways: events, and the regression of X0 - m + tU0. 1e-12: rounding of 100 merges.
BOOST_AUTO_TEST_CASE(inelastic_blocks_are_the_sticky_solution_also_between_walls)
{
  for (unsigned int seed = 0; seed < 20; ++seed)
    for (const LineWalls &walls :
         {LineWalls(), LineWalls{-.05, 1.1}, LineWalls{-std::numeric_limits<double>::infinity(), 1.01}})
      {
        const Blocks start = random_blocks(100, .7, seed);
        ExactBlocks  blocks(start, with(0., 0., walls));
        for (const double t : {.002, .03, .3, 2.})
          {
            blocks.advance(t);
            BOOST_TEST(largest_difference(blocks.blocks(), sticky_blocks(start, t, walls)) < 1e-12);
          }
        BOOST_TEST(blocks.n_collapsed() == 0u);
      }
}

// 1e-8: rounding of up to some hundred impacts in a row, each of which widens it.
BOOST_AUTO_TEST_CASE(rebounding_blocks_are_those_of_one_impact_after_the_other)
{
  const double infinity = std::numeric_limits<double>::infinity();
  unsigned int impacts  = 0;
  for (unsigned int seed = 0; seed < 20; ++seed)
    for (const double e : {.5, .9, 1.})
      for (const double force : {0., -1.5, 1.5})
        for (const LineWalls &walls : {LineWalls(), LineWalls{-.1, 1.2}, LineWalls{0., infinity}})
          {
            const Blocks start      = random_blocks(12, .6, seed);
            const auto   parameters = with(e, force, walls);
            ExactBlocks  blocks(start, parameters);
            blocks.advance(.35);
            if (blocks.n_collapsed() > 0)
              continue;
            BOOST_TEST(largest_difference(blocks.blocks(), one_impact_after_the_other(start, .35, parameters)) < 1e-8);
            impacts += blocks.n_impacts();
          }
  BOOST_TEST(impacts > 2000u); // there was something to compare
}

BOOST_AUTO_TEST_CASE(energy_is_conserved_for_e_1_and_never_rises_otherwise_and_momentum_is_that_of_walls_and_force)
{
  for (const double e : {0., .3, .8, 1.})
    for (const double force : {0., -1.})
      {
        const Blocks start = random_blocks(60, .6, 7);
        ExactBlocks  blocks(start, with(e, force, {-.01, 1.02}));
        double       width = 0., before = 0., momentum = 0.;
        for (const Block &block : start)
          {
            width += block.width;
            before += block.width * (.5 * block.u * block.u - force * (block.left + .5 * block.width));
            momentum += block.width * block.u;
          }
        for (int step = 1; step <= 20; ++step)
          {
            blocks.advance(.05 * step);
            double energy = blocks.kinetic_energy();
            for (const Block &block : blocks.blocks())
              energy -= block.width * force * (block.left + .5 * block.width);
            BOOST_TEST(energy < before + 1e-13);
            if (e == 1.)
              BOOST_TEST(std::abs(energy - before) < 1e-12); // rounding of 1000 impacts
            before = energy;
            BOOST_TEST(std::abs(momentum + force * width * blocks.time() + blocks.wall_impulse() - blocks.momentum()) <
                       1e-12);
          }
        BOOST_TEST(blocks.wall_impulse() != 0.);
        BOOST_TEST(blocks.blocks().front().left > -.01 - 1e-12);
        BOOST_TEST(blocks.blocks().back().left + blocks.blocks().back().width < 1.02 + 1e-12);
      }
}

// e < 7 - 4√3 = 0.0718: infinitely many impacts in finite time, after which the three are one.
BOOST_AUTO_TEST_CASE(a_collapse_of_three_equal_blocks_ends_and_is_counted)
{
  for (const double e : {.02, .05, .07})
    {
      ExactBlocks blocks({{0., .1, 1.}, {.2, .1, 0.}, {.31, .1, -1.}}, with(e));
      blocks.advance(5.);
      BOOST_TEST(blocks.n_collapsed() == 1u);
      BOOST_TEST(blocks.n_impacts() > 5u);
      BOOST_TEST(widest_gap(blocks.blocks()) < 1e-11);
      for (const Block &block : blocks.blocks())
        BOOST_TEST(std::abs(block.u) < 1e-14);
    }
  ExactBlocks apart({{0., .1, 1.}, {.2, .1, 0.}, {.31, .1, -1.}}, with(.2));
  apart.advance(5.);
  BOOST_TEST(apart.n_collapsed() == 0u);
  BOOST_TEST(widest_gap(apart.blocks()) > .01);
}

// Two gaps close on each other at a wall: without end, but for rounding, and no single contact collapses.
BOOST_AUTO_TEST_CASE(endless_sequences_that_do_not_end_as_a_collapse_are_counted)
{
  for (const auto &[e, endless] : {std::pair(.28, true), {.3, true}, {.32, true}, {.6, false}, {1., false}})
    {
      ExactBlocks blocks({{.1, .1, 1.}, {.4, .1, 0.}, {.7, .1, 0.}},
                         with(e, 0., {-std::numeric_limits<double>::infinity(), 1.}));
      blocks.advance(endless ? 2. : 20.);
      BOOST_TEST_CONTEXT("e = " << e << ", " << blocks.n_impacts() << " impacts, " << blocks.n_collapsed() << " collapses")
      BOOST_TEST((blocks.n_unseen_rebounds() + (endless ? blocks.n_collapsed() : 0u) > 0u) == endless);
    }
}

BOOST_AUTO_TEST_CASE(the_cap_on_impacts_ends_a_sequence)
{
  auto parameters        = with(.99, -1., {0., std::numeric_limits<double>::infinity()});
  parameters.max_impacts = 10;
  ExactBlocks ball({{.5, .1, 0.}}, parameters);
  ball.advance(1000.);
  BOOST_TEST(ball.n_impacts() == 11u);
  BOOST_TEST(ball.n_collapsed() == 1u);
  BOOST_TEST(std::abs(ball.blocks()[0].left) < 1e-12);
  BOOST_TEST(ball.blocks()[0].u == 0.);
}

// Falls 1/2 in T = 1 with force -1; later hops last 2e, 2e², ... ; for e = ½ they are over at t = 3.
BOOST_AUTO_TEST_CASE(a_ball_bounces_at_the_exact_times_and_comes_to_rest)
{
  const LineWalls floor = {0., std::numeric_limits<double>::infinity()};
  ExactBlocks     elastic({{.5, .1, 0.}}, with(1., -1., floor)), half({{.5, .1, 0.}}, with(.5, -1., floor));
  elastic.advance(20.); // ten periods
  BOOST_TEST(std::abs(elastic.blocks()[0].left - .5) < 1e-12);
  BOOST_TEST(elastic.n_impacts() == 10u);

  half.advance(1.5); // top of the first hop
  BOOST_TEST(std::abs(half.blocks()[0].left - .125) < 1e-12);
  BOOST_TEST(std::abs(half.blocks()[0].u) < 1e-12);
  half.advance(2.25); // of the second one
  BOOST_TEST(std::abs(half.blocks()[0].left - .03125) < 1e-12);
  half.advance(3.);
  BOOST_TEST(half.blocks()[0].left == 0.);
  BOOST_TEST(half.blocks()[0].u == 0.);
  BOOST_TEST(half.n_collapsed() == 1u);
  half.advance(5.);
  BOOST_TEST(std::abs(half.wall_impulse() - .1 * 5.) < 1e-12); // carries the weight at last: momentum 0
}

BOOST_AUTO_TEST_CASE(a_falling_column_ends_touching_and_at_rest_on_either_wall)
{
  for (const double e : {0., .5})
    for (const double force : {-1., 1.})
      {
        const Blocks start = random_blocks(20, .5, 3);
        ExactBlocks  column(start, with(e, force, {-1., 2.}));
        column.advance(40.);
        double width = 0.;
        for (const Block &block : start)
          width += block.width;
        double x = force < 0. ? -1. : 2. - width;
        for (const Block &block : column.blocks())
          {
            BOOST_TEST(block.u == 0.);
            BOOST_TEST(std::abs(block.left - x) < 1e-12);
            x += block.width;
          }
        const unsigned int impacts = column.n_impacts();
        column.advance(100.);
        BOOST_TEST(column.n_impacts() == impacts); // rest is not an impact
      }
}

// Force away from the wall: blocks that touch it at rest leave; towards it: they stay.
BOOST_AUTO_TEST_CASE(blocks_rest_on_a_wall_only_where_the_force_presses_them)
{
  for (const double force : {-1., 0., 1.})
    {
      ExactBlocks blocks({{0., .1, 0.}, {.1, .1, 0.}}, with(.5, force, {0., 10.}));
      blocks.advance(1.);
      BOOST_TEST(blocks.blocks()[0].left == (force > 0. ? .5 : 0.));
      BOOST_TEST(blocks.n_impacts() == 0u);
    }
}

BOOST_AUTO_TEST_CASE(the_mirror_image_moves_as_the_mirror_image)
{
  const Blocks start = random_blocks(15, .6, 11);
  Blocks       mirrored;
  for (auto block = start.rbegin(); block != start.rend(); ++block)
    mirrored.push_back({-block->left - block->width, block->width, -block->u});
  ExactBlocks one(start, with(.6, -2., {-.1, 1.5})), other(mirrored, with(.6, 2., {-1.5, .1}));
  one.advance(.5);
  other.advance(.5);
  for (std::size_t k = 0; k < start.size(); ++k)
    {
      const Block &a = one.blocks()[k], &b = other.blocks()[start.size() - 1 - k];
      BOOST_TEST(std::abs(a.left + b.left + b.width) < 1e-9); // as rounding grows from impact to impact
      BOOST_TEST(std::abs(a.u + b.u) < 1e-9);
    }
}

BOOST_AUTO_TEST_CASE(blocks_at_rest_or_alone_just_move_on)
{
  ExactBlocks rest({{0., 1., 0.}, {1., 1., 0.}, {2., .5, 0.}}, with(.5)), single({{1., 1., 2.}}, with(1.)),
      none({}, with(0.));
  rest.advance(10.);
  single.advance(3.);
  none.advance(1.);
  BOOST_TEST(largest_difference(rest.blocks(), {{0., 1., 0.}, {1., 1., 0.}, {2., .5, 0.}}) == 0.);
  BOOST_TEST(largest_difference(single.blocks(), {{7., 1., 2.}}) == 0.);
  BOOST_TEST(rest.n_impacts() + single.n_impacts() == 0u);
  BOOST_TEST(none.time() == 1.);
}

BOOST_AUTO_TEST_CASE(stops_on_the_way_change_nothing)
{
  const Blocks start = random_blocks(50, .6, 5);
  ExactBlocks  once(start, with(.7, -1., {-.1, 1.1})), often = once;
  once.advance(.4);
  for (int step = 1; step <= 40; ++step)
    often.advance(step == 40 ? .4 : .01 * step);
  BOOST_TEST(largest_difference(once.blocks(), often.blocks()) == 0.);
  BOOST_TEST(once.n_impacts() == often.n_impacts());
}

BOOST_AUTO_TEST_CASE(thousands_of_blocks_are_done_by_events)
{
  for (const double e : {0., .5})
    {
      ExactBlocks  blocks(random_blocks(4000, .5, 1), with(e, 0., {0., 1.}));
      const double before = blocks.kinetic_energy();
      blocks.advance(.01);
      BOOST_TEST(blocks.n_impacts() > 3000u);
      BOOST_TEST(blocks.kinetic_energy() < before);
      for (std::size_t k = 1; k < blocks.blocks().size(); ++k)
        {
          const double gap = blocks.blocks()[k].left - blocks.blocks()[k - 1].left - blocks.blocks()[k - 1].width;
          if (gap < -1e-12)
            BOOST_ERROR("overlap");
        }
    }
}

BOOST_AUTO_TEST_CASE(a_state_is_taken_at_any_time_and_one_that_is_none_is_refused)
{
  for (const double force : {0., -1.})
    for (const double e : {0., .5})
      {
        const Blocks initial = random_blocks(40, .5, 1);
        ExactBlocks  blocks(initial, with(e, force, {0., 1.}));
        for (int k = 1; k <= 40; ++k)
          {
            blocks.advance(.02 * k);
            ExactBlocks other(initial, with(e, force, {0., 1.}));
            other.restore(blocks.state());
            ExactBlocks undisturbed = blocks;
            for (ExactBlocks *const one : {&other, &undisturbed})
              one->advance(1.);
            BOOST_TEST(largest_difference(other.blocks(), undisturbed.blocks()) == 0.);
          }
      }

  ExactBlocks blocks({{0., .1, 1.}, {.2, .1, 0.}, {.5, .1, -1.}}, with(.5, 0., {0., 1.}));
  const auto  state   = blocks.state();
  const auto  refused = [&](const std::string &name, const std::size_t k, const std::int64_t value) {
    auto other                    = state;
    other.integers.at(name).at(k) = value;
    BOOST_CHECK_THROW(blocks.restore(other), std::logic_error);
  };
  for (std::size_t k = 0; k < 4; ++k) // of the second body: blocks, then bodies
    for (const std::int64_t value : {std::int64_t(-1), std::int64_t(7), std::int64_t(1) << 62})
      refused("bodies", 6 + k, value);
  refused("bodies", 6 + 3, 1); // its own next
  refused("events", 0, 5);
  refused("events", 0, -1);
  auto other                     = state;
  other.reals.at("bodies").at(5) = std::numeric_limits<double>::quiet_NaN();
  BOOST_CHECK_THROW(blocks.restore(other), std::logic_error);
}

BOOST_AUTO_TEST_SUITE_END()
