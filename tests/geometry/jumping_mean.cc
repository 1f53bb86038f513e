// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/jumping_mean.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(jumping_mean)

namespace
{
using namespace moreau;
using geometry::Index;
using geometry::JumpingMean;
using geometry::Vector;

/// One component.
geometry::Field field(const std::function<double(const Vector &)> &f)
{
  return [=](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    values.resize(1, x.cols());
    for (Index k = 0; k < x.cols(); ++k)
      values(0, k) = f(x.col(k));
  };
}

Vector point(const double x, const double y) { return Eigen::Vector2d(x, y); }
Vector point(const double x, const double y, const double z) { return Eigen::Vector3d(x, y, z); }

const JumpingMean::Effort much = {1e-11, 1000000};

/// Part of the unit square with a x + b y < c, for 0 < a <= b: ∫_0^1 of (c - a x)/b between 0 and 1.
double below_line(const double a, const double b, const double c)
{
  const auto positive = [](const double x) { return std::max(x, 0.); };
  const auto square   = [&](const double x) { return positive(x) * positive(x); };
  return (square(c) - square(c - a) - square(c - b) + square(c - a - b)) / (2. * a * b);
}

/// Part of the unit cube with a x + b y + c z < d, of positive a, b, c.
double below_plane(const double a, const double b, const double c, const double d)
{
  const auto cube = [](const double x) { return x > 0. ? x * x * x : 0.; };
  return (cube(d) - cube(d - a) - cube(d - b) - cube(d - c) + cube(d - a - b) + cube(d - a - c) + cube(d - b - c) -
          cube(d - a - b - c)) /
         (6. * a * b * c);
}
} // namespace

BOOST_AUTO_TEST_CASE(straight_edges_are_integrated_to_rounding_wherever_they_are)
{
  for (const auto &[a, b] : {std::pair<double, double>(.3, 1.), {1., 1.}, {1e-3, 1.}, {.9, 1.}})
    for (int k = 1; k < 40; ++k)
      {
        const double c = (a + b) * k / 40.;
        for (const bool turned : {false, true}) // the unit square, far from the origin
          {
            const auto f     = field([&](const Vector &x) {
              const double u = (x(0) - 100.) / .25, v = (x(1) + 3.) / .5;
              return (turned ? a * v + b * u : a * u + b * v) < c ? 2. : 0.;
            });
            const auto found = JumpingMean(f, 2)(point(100., -3.), point(100.25, -2.5), much);
            if (found.has_jump) // a corner that is cut off by less than a hair is not seen
              BOOST_TEST(std::abs(found.mean(0) - 2. * below_line(a, b, c)) < 2e-11); // of 100 m in cells of .25 m
          }
      }
}

BOOST_AUTO_TEST_CASE(planes_are_integrated_to_rounding_wherever_they_are)
{
  for (const auto &[a, b, c] : {std::array<double, 3>{.3, .7, 1.}, {1., 1., 1.}, {1e-3, .5, 1.}, {.01, .02, 1.}})
    for (int k = 1; k < 12; ++k)
      {
        const double d     = (a + b + c) * k / 12.;
        const auto   f     = field([&, n = Eigen::Vector3d(b, c, a)](const Vector &x) { return n.dot(x) < d ? 1. : 0.; });
        const auto   found = JumpingMean(f, 3)(point(0., 0., 0.), point(1., 1., 1.), much);
        BOOST_TEST_REQUIRE(found.has_jump);
        BOOST_TEST(std::abs(found.mean(0) - below_plane(a, b, c, d)) < 1e-12);
      }
}

BOOST_AUTO_TEST_CASE(corners_of_boxes_and_thin_slabs_are_integrated_to_rounding)
{
  const auto corner = field([](const Vector &x) { return x(0) > .3 && x(1) < .7 && x(2) > .9 ? 1. : 0.; });
  BOOST_TEST(std::abs(JumpingMean(corner, 3)(point(0., 0., 0.), point(1., 1., 1.), much).mean(0) - .049) < 1e-12);
  const auto slab = field([](const Vector &x) { return std::abs(x(0) - .5) < .01 ? 1. : 0.; });
  BOOST_TEST(std::abs(JumpingMean(slab, 2)(point(0., 0.), point(1., 1.), much).mean(0) - .02) < 1e-12);
  // two bodies that touch, with three values
  const auto three = field([](const Vector &x) { return x(0) < .4 ? 0. : x(0) < .6 ? 1. : -.5; });
  BOOST_TEST(std::abs(JumpingMean(three, 2)(point(0., 0.), point(1., 1.), much).mean(0) - 0.) < 1e-12);
}

// The second component is 0 wherever the strip is seen from outside; by itself it would have a scale of 1e-12.
BOOST_AUTO_TEST_CASE(what_vanishes_beside_an_edge_hides_no_other_jump)
{
  for (const double width : {.001, .03, .1, .2})
    {
      const geometry::Field f = [width](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
        values.resize(2, x.cols());
        for (Index k = 0; k < x.cols(); ++k)
          values.col(k) << (x(0, k) < width ? 1. : 0.), (x(0, k) < width ? x(0, k) : 0.);
      };
      JumpingMean::Effort effort = much;
      effort.usual               = Vector::Ones(2);
      const auto found           = JumpingMean(f, 2)(point(0., 0.), point(1., 1.), effort);
      BOOST_TEST(found.has_jump);
      BOOST_TEST(std::abs(found.mean(0) - width) < 1e-12);
      BOOST_TEST(std::abs(found.mean(1) - .5 * width * width) < 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(what_is_linear_beside_an_edge_keeps_its_integral)
{
  const geometry::Field f = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    values.resize(2, x.cols());
    for (Index k = 0; k < x.cols(); ++k)
      values.col(k) << (x(0, k) + x(1, k) < 1.2 ? 1. : 0.), (x(0, k) + x(1, k) < 1.2 ? x(0, k) : 0.);
  };
  const auto found = JumpingMean(f, 2)(point(0., 0.), point(1., 1.), much);
  BOOST_TEST(std::abs(found.mean(0) - .68) < 1e-12);
  // ∫x over the square less that over the triangle, whose centre of mass is at 1 - .8/3
  BOOST_TEST(std::abs(found.mean(1) - (.5 - .32 * (1. - .8 / 3.))) < 1e-12);
}

BOOST_AUTO_TEST_CASE(curved_edges_are_as_exact_as_the_estimate_says)
{
  for (const double x : {-.5, 0., .3})
    for (const double above : {-.03, 0., .08, .098}) // the centre of the box; the last one holds a lens above the middle of
      {                                              // its lower side
        const double y     = std::sqrt(1. - x * x) + above;
        const auto   disc  = field([](const Vector &x) { return x.squaredNorm() < 1. ? 1. : 0.; });
        const double h     = .1;
        const auto   found = JumpingMean(disc, 2)(point(x - h, y - h), point(x + h, y + h), {1e-10, 100000});
        // ∫ of the height between the sides, in small steps
        const int n    = 200000;
        double    area = 0.;
        for (int k = 0; k < n; ++k)
          {
            const double s = x - h + 2. * h * (k + .5) / n;
            area += std::clamp(std::sqrt(1. - s * s), y - h, y + h) - (y - h);
          }
        area *= 2. * h / n;
        BOOST_TEST_REQUIRE(found.has_jump);
        BOOST_TEST(std::abs(found.mean(0) - area / (4. * h * h)) <= found.error(0) + 1e-9); // of the steps
        BOOST_TEST(std::abs(found.mean(0) - area / (4. * h * h)) <= 2e-9);
        BOOST_TEST(found.error(0) <= 2e-4); // as if it had corners, a tip of a 64th
      }
  // an octant of a ball
  const auto ball  = field([](const Vector &x) { return x.squaredNorm() < 1. ? 1. : 0.; });
  const auto found = JumpingMean(ball, 3)(point(0., 0., 0.), point(1., 1., 1.), {1e-5, 3000000});
  BOOST_TEST(std::abs(found.mean(0) - M_PI / 6.) <= found.error(0));
  BOOST_TEST(std::abs(found.mean(0) - M_PI / 6.) <= 1e-5);
  BOOST_TEST(found.error(0) < 1e-2); // a tip of an 8th
}

// Two of the sides of a square that is turned by 30 degrees meet a hair beyond the upper side of the box.
BOOST_AUTO_TEST_CASE(tips_that_enter_are_seen_or_counted)
{
  for (const double beyond : {.5, .1, .02, .01, .004})
    {
      const auto tip = field([=](const Vector &x) {
        const double u = x(0) - .37, v = x(1) - (1. - beyond), s = std::sqrt(.75);
        return s * u + .5 * v > 0. && .5 * u - s * v < 0. && v > 0. ? 1. : 0.;
      });
      // between the lines u = -v/(2s) and u = 2 s v, at v = 0 ... beyond, or where they leave the box
      const double s = std::sqrt(.75), exact = .5 * beyond * beyond * (2. * s + .5 / s);
      const auto   found = JumpingMean(tip, 2)(point(0., 0.), point(1., 1.), much);
      if (beyond < .4)
        BOOST_TEST(std::abs((found.has_jump ? found.mean(0) : 0.) - exact) <=
                   (found.has_jump ? found.error(0) : .5 / (64. * 64.)));
      BOOST_TEST((found.has_jump || beyond < .01)); // tips with a base of a 64th
    }
}

BOOST_AUTO_TEST_CASE(smooth_fields_are_left_to_others_and_bad_ones_end)
{
  const auto smooth = field([](const Vector &x) { return std::exp(3. * x(0)) * std::cos(4. * x(1)); });
  BOOST_TEST(!JumpingMean(smooth, 2)(point(0., 0.), point(1., 1.), much).has_jump);
  BOOST_TEST(!JumpingMean(field([](const Vector &) { return 0.; }), 3)(point(0., 0., 0.), point(1., 1., 1.), much).has_jump);
  // edges on the boundary are those of the neighbours
  const auto beside = field([](const Vector &x) { return x(0) < .7 && x(1) > .1 ? 1. : 0.; });
  BOOST_TEST(!JumpingMean(beside, 2)(point(.7 - .1, .1), point(.7, .2), much).has_jump);
  const auto rough = field([](const Vector &x) { return std::sin(1e9 * x(0) * x(1)) > 0. ? 1. : 0.; });
  const auto found = JumpingMean(rough, 2)(point(0., 0.), point(1., 1.), {1e-10, 20000});
  BOOST_TEST(std::abs(found.mean(0) - .5) < .1);
  BOOST_TEST(found.error(0) > 1e-3); // and says so
}

BOOST_AUTO_TEST_SUITE_END()
