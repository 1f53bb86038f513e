// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/line/mass_coordinate.h"

#include "convex/chains/isotonic_regression.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(mass_coordinate)

using namespace moreau;
using namespace moreau::macro;

namespace
{
/// The parcel of velocity u and density 1 next to x.
std::size_t congested_parcel(const Parcels &parcels, const double x)
{
  for (std::size_t k = 0; k < parcels.u.size(); ++k)
    if (parcels.left[k] <= x && x <= parcels.right[k] &&
        std::abs(parcels.right[k] - parcels.left[k] - (parcels.m[k + 1] - parcels.m[k])) < 1e-12)
      return k;
  BOOST_FAIL("there is no congestion");
  return 0;
}

LineDensity random_density(const int n, const unsigned int seed)
{
  oracles::Random random(seed);
  LineDensity     data;
  data.x.push_back(0.);
  for (int k = 0; k < n; ++k)
    {
      const double kind = random.uniform();
      data.x.push_back(data.x.back() + (.2 + random.uniform()) / n);
      data.rho.push_back(kind < .2 ? 0. : kind < .4 ? 1. : random.uniform());
      data.u.push_back(random.normal());
    }
  return data;
}

double momentum(const Parcels &parcels)
{
  double sum = 0.;
  for (std::size_t k = 0; k < parcels.u.size(); ++k)
    sum += (parcels.m[k + 1] - parcels.m[k]) * parcels.u[k];
  return sum;
}

/// By how much parcels overlap or are denser than 1.
double violation(const Parcels &parcels)
{
  double largest = 0.;
  for (std::size_t k = 0; k < parcels.u.size(); ++k)
    {
      largest = std::max(largest, parcels.m[k + 1] - parcels.m[k] - (parcels.right[k] - parcels.left[k]));
      if (k > 0)
        largest = std::max(largest, parcels.right[k - 1] - parcels.left[k]);
    }
  return largest;
}

/// max |X - X_discrete| of n equal pieces of each parcel, with the discrete
/// regression of their means; relative to the longest piece.
double distance_to_discrete_regression(const LineDensity &data, const double t, const int n)
{
  const Parcels       start = parcels(data), moved = sticky_solution(start, t);
  std::vector<double> middles;
  convex::Vector      y(n * static_cast<convex::Index>(start.u.size())), masses(y.size());
  double              longest = 0.;
  for (convex::Index i = 0; i < y.size(); ++i)
    {
      const auto   k = static_cast<std::size_t>(i / n);
      const double s = (static_cast<double>(i % n) + .5) / n, mass = start.m[k + 1] - start.m[k];
      middles.push_back(start.m[k] + s * mass);
      masses(i) = mass / n;
      y(i)      = start.left[k] + s * (start.right[k] - start.left[k]) + t * start.u[k] - middles.back();
      longest   = std::max(longest, (start.right[k] - start.left[k]) / n);
    }
  y              = convex::isotonic_regression(y, masses);
  double largest = 0.;
  for (convex::Index i = 0, k = 0; i < y.size(); ++i)
    {
      const double m = middles[static_cast<std::size_t>(i)];
      while (moved.m[k + 1] < m)
        ++k;
      const double s = (m - moved.m[k]) / (moved.m[k + 1] - moved.m[k]);
      largest        = std::max(largest, std::abs(moved.left[k] + s * (moved.right[k] - moved.left[k]) - m - y(i)));
    }
  return largest / longest;
}
} // namespace

// Exact: 1e-12 is rounding.
BOOST_AUTO_TEST_CASE(the_riemann_problem_has_the_exact_fronts_and_velocity)
{
  const double cases[][4] = {{.3, .4, -1., 1.}, {.7, 0., -7. / 3., 7. / 3.}};
  for (const auto &[rho, u, s_left, s_right] : cases)
    {
      const Parcels     solution = sticky_solution(parcels({{-4., 0., 4.}, {.7, rho}, {1., -1.}}), .5);
      const std::size_t k        = congested_parcel(solution, 0.);
      BOOST_TEST(std::abs(solution.u[k] - u) < 1e-12);
      BOOST_TEST(std::abs(solution.left[k] - .5 * s_left) < 1e-12);
      BOOST_TEST(std::abs(solution.right[k] - .5 * s_right) < 1e-12);
      BOOST_TEST(solution.u.size() == 3u);
      BOOST_TEST(solution.u.front() == 1.);
      BOOST_TEST(solution.u.back() == -1.);
    }
}

BOOST_AUTO_TEST_CASE(the_snow_plough_pushes_its_block)
{
  const Parcels     solution = sticky_solution(parcels({{.05, .5, .7}, {.5, 1.}, {1., 0.}}), .3);
  const std::size_t k        = congested_parcel(solution, .6);
  BOOST_TEST(std::abs(solution.left[k] - .4) < 1e-12);
  BOOST_TEST(std::abs(solution.right[k] - .8) < 1e-12);
  BOOST_TEST(std::abs(solution.u[k] - .5) < 1e-12);
}

// q = ρ0 in one dimension: a core of radius tq/(1-q) at rest, between either wall and the stream.
BOOST_AUTO_TEST_CASE(congested_noh_fills_up_from_the_wall)
{
  const double  infinity = std::numeric_limits<double>::infinity();
  const Parcels left     = sticky_solution(parcels({{0., 2.}, {.4}, {-1.}}), .6, {0., infinity});
  const Parcels right    = sticky_solution(parcels({{-2., 0.}, {.4}, {1.}}), .6, {-infinity, 0.});
  BOOST_TEST(left.u == std::vector<double>({0., -1.}), boost::test_tools::per_element());
  BOOST_TEST(right.u == std::vector<double>({1., 0.}), boost::test_tools::per_element());
  BOOST_TEST(left.left[0] == 0.);
  BOOST_TEST(right.right[1] == 0.);
  BOOST_TEST(std::abs(left.right[0] - .4) < 1e-12);
  BOOST_TEST(std::abs(right.left[1] + .4) < 1e-12);
}

// The discrete regression cuts pools at ends of pieces; a wrong pool would be seen at the size of the data, 100 pieces.
BOOST_AUTO_TEST_CASE(random_densities_move_as_the_fine_discrete_regression_says)
{
  for (unsigned int seed = 0; seed < 50; ++seed)
    for (const double t : {.01, .1, 1.})
      BOOST_TEST(distance_to_discrete_regression(random_density(12, seed), t, 1000) < 1.);
}

// 1e-13: rounding. Velocities 1e-6: the end of a pool moves by 1e-13, of which the L² norm takes the root.
BOOST_AUTO_TEST_CASE(the_solution_keeps_momentum_and_density_below_one_and_does_not_depend_on_cuts)
{
  for (unsigned int seed = 0; seed < 30; ++seed)
    {
      const LineDensity data  = random_density(12, seed);
      const Parcels     start = parcels(data), cut = parcels(data, .003);
      BOOST_TEST(cut.u.size() > 3 * start.u.size());
      for (const double t : {0., .01, .1, 1.})
        {
          const Parcels solution = sticky_solution(start, t);
          BOOST_TEST(std::abs(momentum(solution) - momentum(start)) < 1e-13);
          BOOST_TEST(violation(solution) < 1e-14);
          BOOST_TEST(wasserstein_distance(solution, sticky_solution(cut, t)) < 1e-13);
          BOOST_TEST(velocity_distance(solution, sticky_solution(cut, t)) < 1e-6); // a pool's end moves by 1e-13: its root
          // energy only falls, and at t = 0 nothing has happened
          BOOST_TEST((t > 0. || wasserstein_distance(solution, start) < 1e-15));
        }
    }
}

BOOST_AUTO_TEST_CASE(what_the_walls_leave_no_room_for_is_refused)
{
  const Parcels start = parcels({{0., 1.}, {1.}, {1.}});
  BOOST_CHECK_THROW(sticky_solution(start, 1., {.5, 1.}), std::invalid_argument);
  const Parcels wedged = sticky_solution(start, 1., {0., 1.});
  BOOST_TEST(wedged.left.front() == 0.);
  BOOST_TEST(wedged.u.front() == 0.);
}

/// Of n steps of the splitting to T = .3, with parcels of max_mass.
double splitting_error(const LineDensity &data, const double max_mass, const int n_steps)
{
  const double T      = .3;
  Parcels      moving = parcels(data, max_mass);
  const double before = momentum(moving);
  for (int step = 0; step < n_steps; ++step)
    {
      moving = splitting_step(moving, T / n_steps);
      BOOST_TEST_REQUIRE(violation(moving) < 1e-14);
    }
  BOOST_TEST(std::abs(momentum(moving) - before) < 1e-12);
  return wasserstein_distance(moving, sticky_solution(parcels(data), T));
}

// Order 1: a parcel is reached somewhere in a step. Means of four numbers of steps: a single error depends on where.
BOOST_AUTO_TEST_CASE(the_splitting_converges_to_the_solution_with_order_one)
{
  const LineDensity snow_plough = {{.05, .5, .7}, {.5, 1.}, {1., 0.}}, riemann = {{0., 1., 2.}, {.7, .3}, {1., -1.}};
  for (const LineDensity &data : {snow_plough, riemann})
    {
      double coarse = 0., fine = 0.;
      for (const int n : {10, 11, 12, 13})
        {
          coarse += splitting_error(data, .02, n) / 4.;
          fine += splitting_error(data, .002, 10 * n) / 4.;
        }
      BOOST_TEST_MESSAGE("order " << std::log10(coarse / fine) << ", error " << fine);
      BOOST_TEST(std::log10(coarse / fine) > .9);
      BOOST_TEST(fine < 1e-3);
    }
}

// The projection keeps the mean of a pool, so that blocks have their place as soon as they have met.
BOOST_AUTO_TEST_CASE(the_splitting_is_exact_for_blocks_that_have_met)
{
  const LineDensity blocks = {{.2, .4, .55, .65, .7, .8}, {1., 0., 1., 0., 1.}, {1., 0., -.5, 0., -1.}};
  for (const int n_steps : {7, 30, 300})
    BOOST_TEST(splitting_error(blocks, 0., n_steps) < 1e-13);
}

BOOST_AUTO_TEST_CASE(velocities_are_those_after_the_impact_at_that_time)
{
  const LineDensity touching = {{0., .1, .3, .5, .6}, {1., 1., 0., 1.}, {1., -1., 0., -1.}};
  const Parcels     start = sticky_solution(parcels(touching), 0.), floor = sticky_solution(parcels(touching), 0., {0., 1.});
  const double      expected[] = {-1. / 3., -1. / 3., -1.};
  for (int k = 0; k < 3; ++k)
    {
      BOOST_TEST(std::abs(start.u[k] - expected[k]) < 1e-15);
      BOOST_TEST(std::abs(floor.u[k] - (k == 2 ? -1. : 0.)) < 1e-15);
    }
}

// ρ = ½ on [.2, .8] above a wall at 0 ends as ρ = 1 on [0, .3], with no velocity.
BOOST_AUTO_TEST_CASE(the_splitting_lets_a_column_come_to_rest)
{
  const LineWalls floor  = {0., std::numeric_limits<double>::infinity()};
  Parcels         column = parcels({{.2, .8}, {.5}, {0.}}, .01);
  for (int step = 0; step < 200; ++step)
    column = splitting_step(column, .01, -1., floor);
  for (std::size_t k = 0; k < column.u.size(); ++k)
    {
      BOOST_TEST(std::abs(column.left[k] - column.m[k]) < 1e-12);
      BOOST_TEST(std::abs(column.right[k] - column.m[k + 1]) < 1e-12);
      BOOST_TEST(std::abs(column.u[k]) < 1e-12); // rounding of positions over h
    }
}

BOOST_AUTO_TEST_CASE(parcels_leave_out_what_is_empty_and_are_cut)
{
  const Parcels whole = parcels({{0., 1., 2., 4.}, {.5, 0., 1.}, {1., 7., -1.}});
  BOOST_TEST(whole.m == std::vector<double>({0., .5, 2.5}), boost::test_tools::per_element());
  BOOST_TEST(whole.left == std::vector<double>({0., 2.}), boost::test_tools::per_element());
  BOOST_TEST(whole.right == std::vector<double>({1., 4.}), boost::test_tools::per_element());
  BOOST_TEST(whole.u == std::vector<double>({1., -1.}), boost::test_tools::per_element());
  const Parcels cut = parcels({{0., 1., 2., 4.}, {.5, 0., 1.}, {1., 7., -1.}}, .5);
  BOOST_TEST(cut.m == std::vector<double>({0., .5, 1., 1.5, 2., 2.5}), boost::test_tools::per_element());
  BOOST_TEST(wasserstein_distance(whole, cut) == 0.);
  for (const double rho : {-.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    BOOST_CHECK_THROW(parcels({{0., 1.}, {rho}, {0.}}), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(cells_hold_the_mass_that_lies_in_them)
{
  const Parcels             two        = parcels({{.25, 1.25, 1.5, 2.}, {.5, 0., 1.}, {0., 0., 0.}});
  const std::vector<double> density    = cell_densities(two, {-1., 0., .5, 1., 1.75, 3.});
  const double              expected[] = {0., .25, .5, (.125 + .25) / .75, .25 / 1.25};
  for (int cell = 0; cell < 5; ++cell)
    BOOST_TEST(std::abs(density[cell] - expected[cell]) < 1e-15);

  const Parcels       moved = sticky_solution(parcels(random_density(20, 3)), .2);
  std::vector<double> ends;
  for (int k = 0; k <= 100; ++k)
    ends.push_back(-2. + .05 * k);
  double mass = 0.;
  for (const double rho : cell_densities(moved, ends))
    {
      BOOST_TEST(rho < 1. + 1e-13);
      mass += .05 * rho;
    }
  BOOST_TEST(std::abs(mass - moved.m.back()) < 1e-14);
}

BOOST_AUTO_TEST_CASE(distances_are_those_of_shifts_and_crossings)
{
  const Parcels a = parcels({{0., 1.}, {.5}, {2.}}), shifted = parcels({{.3, 1.3}, {.5}, {-1.}});
  BOOST_TEST(std::abs(wasserstein_distance(a, shifted) - .5 * .3) < 1e-15);
  BOOST_TEST(std::abs(velocity_distance(a, shifted) - 3.) < 1e-15);
  // distributions cross in the middle: 2 triangles of ½·½·¼·...
  const Parcels narrow = parcels({{.25, .75}, {1.}, {2.}});
  BOOST_TEST(std::abs(wasserstein_distance(a, narrow) - .5 * .125) < 1e-15);
  BOOST_TEST(velocity_distance(a, narrow) == 0.);
  const Parcels heavier = parcels({{0., 1.}, {.6}, {2.}});
  BOOST_CHECK_THROW(wasserstein_distance(a, heavier), std::invalid_argument);
  BOOST_CHECK_THROW(velocity_distance(a, Parcels()), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
