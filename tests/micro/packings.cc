// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/packings.h"

#include "convex/input_error.h"
#include "convex/solvers/make_projector.h"
#include "micro/jamming.h"
#include "tests/micro/packing_gaps.h"

#include <boost/test/unit_test.hpp>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(packings)

using namespace moreau;
using namespace moreau::micro;
using namespace moreau::micro::test;

namespace
{
/// Whether some velocity makes room at all contacts at once: what growing radii need.
bool could_grow(const Packing &packing, const PackingParameters &parameters)
{
  const std::vector<StepRow> contacts = all_gaps(packing, parameters, 1e-7);
  Vector                     b(contacts.size());
  for (Index c = 0; c < b.size(); ++c)
    {
      const auto &[i, j, image, e, D] = contacts[c];
      b(c)                            = -packing.spheres.R(i) - (j < packing.spheres.size() ? packing.spheres.R(j) : 0.);
    }
  const Vector                    m = Vector::Ones(packing.spheres.size());
  const convex::ProjectionProblem problem =
      step_problem(contacts, m, packing.spheres.dimension(), Vector::Zero(packing.spheres.r.size()), b);
  return convex::make_projector("interior point", {})->project(problem).status != convex::Status::infeasible;
}

void check_jammed(const Packing &packing, const PackingParameters &parameters)
{
  const Index dim = packing.spheres.dimension(), n_held = packing.spheres.size() - packing.n_rattlers;
  Index       n_translations = 0;
  for (const bool periodic : parameters.periodic)
    n_translations += periodic;
  BOOST_TEST(packing.jammed);
  BOOST_TEST(largest_overlap(packing, parameters) < 1e-13); // rounding of coordinates that are 10 to 100 radii large
  BOOST_TEST(packing.n_contacts == dim * n_held + 1 - n_translations); // isostatic, as generic packings are
  BOOST_TEST(!could_grow(packing, parameters));
}

std::string complaint(const PackingParameters &parameters)
{
  try
    {
      random_packing(parameters);
    }
  catch (const InputError &error)
    {
      return error.what();
    }
  return "nothing was thrown";
}
} // namespace

BOOST_AUTO_TEST_CASE(jammed_packings_are_rigid_and_isostatic)
{
  struct Case
  {
    Index  dim, n;
    bool   periodic;
    double least, most; ///< coverage: walls keep small packings looser
  };
  for (const auto &[dim, n, periodic, least, most] : {Case{2, 200, true, .82, .86}, Case{2, 200, false, .78, .84},
                                                      Case{3, 80, true, .58, .66}, Case{3, 60, false, .40, .56}})
    {
      const PackingParameters p       = parameters(dim, n, periodic);
      const Packing           packing = random_packing(p);
      check_jammed(packing, p);
      BOOST_TEST((least < packing.coverage && packing.coverage < most));
      BOOST_TEST(packing.n_rattlers < n / 5);
      double volume = 0.;
      for (Index i = 0; i < n; ++i)
        {
          BOOST_TEST(packing.spheres.m(i) == volume_of_ball(packing.spheres.R(i), dim));
          volume += packing.spheres.m(i);
        }
      BOOST_TEST(std::abs(packing.coverage - volume) < 1e-13); // the box is 1
      const double ratio = packing.spheres.R.maxCoeff() / packing.spheres.R.minCoeff();
      BOOST_TEST((ratio > 1.5 && ratio < 1.3 / .7));
    }
}

BOOST_AUTO_TEST_CASE(soft_spheres_and_linear_programs_jam_as_well)
{
  struct Case
  {
    Index  dim, n;
    bool   periodic;
    double spread, least, most; ///< coverage
  };
  for (const auto &[dim, n, periodic, spread, least, most] :
       {Case{2, 300, true, .2, .82, .86}, Case{2, 200, false, .3, .78, .85}, Case{3, 100, true, .2, .58, .66},
        Case{3, 60, false, .3, .40, .58}})
    {
      const PackingParameters p = parameters(dim, n, periodic, spread);
      std::vector<double>     fractions;
      const Packing           packing = jam(p, [&](const double fraction) { fractions.push_back(fraction); });
      check_jammed(packing, p);
      BOOST_TEST((least < packing.coverage && packing.coverage < most));
      BOOST_TEST(packing.n_rattlers < n / 5);
      BOOST_TEST(std::abs(packing.coverage - packing.spheres.m.sum()) < 1e-13);
      BOOST_TEST(std::is_sorted(fractions.begin(), fractions.end()));
      BOOST_TEST((fractions.size() > 3 && fractions.front() < .5 && std::abs(fractions.back() - 1.) < 1e-12));
      const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
      const Packing             again = jam(p, {});
      BOOST_TEST((packing.spheres.r == again.spheres.r));
      BOOST_TEST((packing.spheres.R == again.spheres.R));
    }
}

// Their crystals carry many stresses: bounds of the growth end above 1e-13 with two of these seeds.
BOOST_AUTO_TEST_CASE(equal_discs_jam_in_crystals)
{
  for (const unsigned int seed : {1u, 2u, 3u})
    {
      PackingParameters p      = parameters(2, 400, true, 0.);
      p.seed                   = seed;
      unsigned int  n_programs = 0; // each says so, beyond .9
      const Packing packing    = jam(p, [&](const double fraction) { n_programs += fraction > .9 ? 1 : 0; });
      BOOST_TEST(packing.jammed);
      BOOST_TEST(n_programs <= 20u);
      BOOST_TEST((.84 < packing.coverage && packing.coverage < .89));
      BOOST_TEST(packing.n_contacts > 2 * (400 - packing.n_rattlers) - 1); // more than isostatic ones
    }
}

BOOST_AUTO_TEST_CASE(what_soft_spheres_cannot_be_is_refused)
{
  for (const auto change : std::vector<void (*)(PackingParameters &)>{
           [](PackingParameters &of) { of.overlap = -.1; }, [](PackingParameters &of) { of.overlap = .2; },
           [](PackingParameters &of) { of.overlap = std::numeric_limits<double>::quiet_NaN(); },
           [](PackingParameters &of) { of.coverage = .5; }, [](PackingParameters &of) { of.compression = true; },
           [](PackingParameters &of) { of.radius = .01; }, [](PackingParameters &of) { of.obstacles.emplace_back(); }})
    {
      PackingParameters p = parameters(2, 30, true);
      p.overlap           = .01;
      change(p);
      BOOST_TEST(complaint(p).find("the overlap") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(they_make_many_jammed_spheres_and_nothing_else)
{
  PackingParameters p = parameters(2, fewest_to_jam(2), true);
  BOOST_TEST(can_jam(p));
  for (const auto change : std::vector<void (*)(PackingParameters &)>{
           [](PackingParameters &of) { of.n = fewest_to_jam(2) - 1; }, [](PackingParameters &of) { of.coverage = .5; },
           [](PackingParameters &of) { of.compression = true; }, [](PackingParameters &of) { of.radius = 1e-3; },
           [](PackingParameters &of) { of.obstacles.emplace_back(); }})
    {
      PackingParameters other = p;
      change(other);
      BOOST_TEST(!can_jam(other));
    }
  BOOST_TEST(can_jam(parameters(3, fewest_to_jam(3), true)));
  BOOST_TEST(!can_jam(parameters(3, fewest_to_jam(3) - 1, true)));
}

BOOST_AUTO_TEST_CASE(on_the_line_everything_is_covered)
{
  for (const bool periodic : {true, false})
    {
      const Packing packing = random_packing(parameters(1, 30, periodic));
      BOOST_TEST(packing.jammed);
      BOOST_TEST(std::abs(packing.coverage - 1.) < 1e-9);
      BOOST_TEST(packing.n_contacts == (periodic ? 30 : 31));
      BOOST_TEST(packing.n_rattlers == 0);
    }
}

BOOST_AUTO_TEST_CASE(a_wanted_coverage_is_met_exactly)
{
  for (const bool compression : {false, true})
    for (const double coverage : {.01, .4, .7})
      {
        PackingParameters p   = parameters(2, 150, false, 0.);
        p.coverage            = coverage;
        p.compression         = compression;
        const Packing packing = random_packing(p);
        BOOST_TEST(std::abs(packing.coverage - coverage) < 1e-13);
        BOOST_TEST(!packing.jammed);
        BOOST_TEST(largest_overlap(packing, p) < 1e-13);
        BOOST_TEST(packing.spheres.R.minCoeff() == packing.spheres.R.maxCoeff());
      }
}

BOOST_AUTO_TEST_CASE(radius_coverage_and_number_say_of_each_other_what_is_missing)
{
  PackingParameters p     = parameters(2, 0, true, .3);
  p.upper                 = Eigen::Vector2d(2., 1.);
  p.radius                = .05;
  p.coverage              = .5;
  const Packing by_radius = random_packing(p);
  BOOST_TEST(by_radius.spheres.size() == std::lround(.5 * 2. / (M_PI * .0025 * 1.03))); // mean R² = .0025 (1 + .3²/3)
  BOOST_TEST(std::abs(by_radius.spheres.R.mean() - .05) < .002); // 124 radii, each ±.0087 in the mean square
  BOOST_TEST(std::abs(by_radius.coverage - .5) < 1e-13);

  p.n                   = 50;
  p.coverage            = 0.;
  p.spread              = 0.;
  const Packing by_both = random_packing(p);
  BOOST_TEST((by_both.spheres.R.array() - .05).abs().maxCoeff() < 1e-15);
  BOOST_TEST(!by_both.jammed);

  p.n                  = 0; // about as many as jam at this radius
  const Packing jammed = random_packing(p);
  BOOST_TEST(jammed.jammed);
  BOOST_TEST(std::abs(jammed.spheres.R(0) / .05 - 1.) < .05);
}

// Before anything touches: in growth spheres stay where they are in the box, in compression where they are in space.
BOOST_AUTO_TEST_CASE(spheres_that_nothing_pushes_stay_where_they_are)
{
  PackingParameters p       = parameters(2, 200, false);
  p.coverage                = .125; // as the random places that all begins with: no step
  const Packing begin       = random_packing(p);
  p.coverage                = .2;
  const Packing growth      = random_packing(p);
  p.compression             = true;
  const Packing compression = random_packing(p);

  BOOST_TEST(begin.n_steps == 0U);
  const Eigen::Vector2d centre(.5, .5);
  const double          scale    = compression.spheres.R(0) / begin.spheres.R(0);
  int                   n_in_box = 0, n_in_space = 0, n_moved = 0;
  for (Index i = 0; i < 200; ++i)
    {
      const Eigen::Vector2d before = begin.spheres.r.col(i), after = compression.spheres.r.col(i);
      const double          near = 1e-3 * begin.spheres.R(i); // steps are computed to 1e-4 of a radius
      n_in_box += (growth.spheres.r.col(i) - before).norm() < near;
      n_in_space += (after - centre - scale * (before - centre)).norm() < near;
      n_moved += (after - before).norm() > 100. * near;
    }
  BOOST_TEST(scale > 1.2);
  BOOST_TEST(n_in_box > 100);
  BOOST_TEST(n_in_space > 80);
  BOOST_TEST(n_moved > 150);
}

BOOST_AUTO_TEST_CASE(compression_jams_too)
{
  PackingParameters p = parameters(2, 120, false);
  p.compression       = true;
  check_jammed(random_packing(p), p);
  p.periodic = {true, false};
  check_jammed(random_packing(p), p);
}

BOOST_AUTO_TEST_CASE(a_seed_gives_the_same_bits_for_any_number_of_threads)
{
  PackingParameters p       = parameters(2, 100, true);
  const auto        packing = [&](const std::size_t n_threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, n_threads);
    return random_packing(p);
  };
  const Packing one = packing(1), four = packing(4);
  BOOST_TEST((one.spheres.r == four.spheres.r));
  BOOST_TEST((one.spheres.R == four.spheres.R));
  p.seed = 2;
  BOOST_TEST((one.spheres.R - packing(1).spheres.R).cwiseAbs().maxCoeff() > .1 * one.spheres.R.mean());
}

BOOST_AUTO_TEST_CASE(progress_rises_to_the_end)
{
  for (const double coverage : {0., .6})
    {
      PackingParameters p = parameters(2, 50, false);
      p.coverage          = coverage;
      std::vector<double> fractions;
      random_packing(p, [&](const double fraction) { fractions.push_back(fraction); });
      BOOST_TEST(std::is_sorted(fractions.begin(), fractions.end()));
      BOOST_TEST((fractions.size() > 3 && fractions.front() < .5 && std::abs(fractions.back() - 1.) < 1e-12));
    }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused)
{
  const double nan     = std::numeric_limits<double>::quiet_NaN();
  const auto   changed = [](const std::function<void(PackingParameters &)> &change) {
    PackingParameters p = parameters(2, 100, false, 0.);
    change(p);
    return complaint(p);
  };
  BOOST_TEST(changed([](auto &p) { p.coverage = 1.; }) ==
             "the coverage: 1 lies outside [0, 1); give a fraction, or 0 for a jammed packing.");
  BOOST_TEST(changed([&](auto &p) { p.coverage = nan; }).find("the coverage: nan lies outside") == 0);
  BOOST_TEST(changed([&](auto &p) { p.spread = nan; }).find("the spread of radii: nan lies outside") == 0);
  BOOST_TEST(changed([](auto &p) { p.n = 0; }).find("the number of spheres: A packing needs") == 0);
  BOOST_TEST(changed([](auto &p) { p.upper(1) = 0.; }).find("the upper corner: ") == 0);
  BOOST_TEST(changed([](auto &p) {
               p.n      = 0;
               p.radius = 2.;
             }).find("the size of the spheres: The zone holds 0 spheres of radius 2 m") == 0);
  BOOST_TEST(changed([](auto &p) { p.radius = p.coverage = .1; }).find("the coverage: Number and radius") == 0);

  // what was reached is said
  const std::string full = changed([](auto &p) { p.coverage = .95; });
  BOOST_TEST(full.find("the coverage: 0.95 cannot be reached, since the packing is jammed at 0.") == 0);
  const std::string thick = changed([](auto &p) { p.radius = .08; });
  BOOST_TEST(thick.find("the size of the spheres: The radius 0.08 m cannot be reached by 100 spheres") == 0);
  PackingParameters lonely = parameters(2, 1, true, 0.);
  BOOST_TEST(complaint(lonely).find("the number of spheres: 1 sphere is too few") == 0);
}

BOOST_AUTO_TEST_CASE(packings_keep_out_of_obstacles)
{
  using Shape     = Obstacle::Shape;
  const auto at   = [](std::vector<double> x) { return Vector(Eigen::Map<const Vector>(x.data(), x.size())); };
  const auto ball = [&](const Vector &centre, const double radius, const Shape shape = Shape::ball) {
    return Obstacle{"ball", shape, centre, {}, {}, radius};
  };
  const Obstacle slope  = {"slope", Shape::half_space, at({0., .3}), at({.6, .8}), {}};
  const Obstacle needle = {"needle", Shape::capsule, at({.2, .5}), at({.8, .7}), {}, .02};
  const Obstacle rod    = {"rod", Shape::capsule, at({.3, .3, .3}), at({.7, .6, .5}), {}, .1};
  struct Case
  {
    Index                 dim;
    bool                  periodic, compression;
    std::vector<Obstacle> obstacles;
    double                free; ///< share of the box that they leave
  };
  const double pi = 3.14159265358979;
  for (const Case &c :
       {Case{2, false, false, {ball(at({.5, .5}), .25)}, 1. - pi / 16.},
        Case{2, true, false, {ball(at({.05, .9}), .3)}, 1. - .09 * pi},
        Case{2, true, false, {ball(at({5.05, -2.1}), .3)}, 1. - .09 * pi}, Case{2, false, false, {slope}, .94},
        Case{2, false, true, {slope, needle}, .94},
        Case{2, false, false, {ball(at({.5, .5}), .5, Shape::inside_of_ball)}, pi / 4.}, Case{3, false, false, {rod}, 1.}})
    {
      PackingParameters p   = parameters(c.dim, c.dim == 2 ? 80 : 40, c.periodic);
      p.obstacles           = c.obstacles;
      p.compression         = c.compression;
      const Packing packing = random_packing(p);
      BOOST_TEST(largest_overlap(packing, p) < 1e-13);
      BOOST_TEST(packing.coverage < .86 * c.free);
      BOOST_TEST(packing.coverage > (c.dim == 2 ? .6 : .3) * c.free);
      const PlacedObstacles bodies(c.obstacles);
      const int             far   = c.periodic ? 6 : 0;
      double                least = 1.;
      for (Index i = 0; i < packing.spheres.size(); ++i)
        for (int x = -far; x <= far; ++x)
          for (int y = -far; y <= far; ++y)
            for (int k = 0; k < bodies.size(); ++k)
              {
                Vector place = packing.spheres.r.col(i);
                place(0) += x;
                place(1) += y;
                least = std::min(least, bodies.approach(k, place.data(), packing.spheres.R(i)).D);
              }
      BOOST_TEST((-1e-13 < least && least < .02)); // it stays out, and it is touched
    }
}

BOOST_AUTO_TEST_CASE(obstacles_without_room_between_them_are_refused)
{
  PackingParameters p      = parameters(2, 10, false);
  const Vector      middle = Vector::Constant(2, .5);
  p.obstacles              = {{"ball", Obstacle::Shape::ball, middle, {}, {}, 1.}};
  BOOST_TEST(complaint(p).find("too little room") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
