// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/obstacles.h"

#include "convex/input_error.h"
#include "micro/motion/jumps.h"

#include <Eigen/Geometry>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <random>

BOOST_AUTO_TEST_SUITE(obstacles)

using namespace moreau;
using namespace moreau::micro;

namespace
{
using Shape = Obstacle::Shape;
using Eigen::Vector2d;
using Eigen::Vector3d;

Obstacle half_space(const Vector &a, const Vector &normal, const int group = 0)
{
  return {"half-space", Shape::half_space, a, normal, {}, 0., group};
}
Obstacle ball(const Vector &a, const double radius, const int group = 0)
{
  return {"ball", Shape::ball, a, {}, {}, radius, group};
}
Obstacle capsule(const Vector &a, const Vector &b, const double radius, const int group = 0)
{
  return {"capsule", Shape::capsule, a, b, {}, radius, group};
}
Obstacle plate(const Vector &a, const Vector &b, const Vector &c, const double radius)
{
  return {"plate", Shape::plate, a, b, c, radius, 0};
}
Obstacle inside_of_ball(const Vector &a, const double radius)
{
  return {"ball", Shape::inside_of_ball, a, {}, {}, radius, 0};
}
Obstacle inside_of_cylinder(const Vector &a, const Vector &b, const double radius)
{
  return {"cylinder", Shape::inside_of_cylinder, a, b, {}, radius, 0};
}

PlacedObstacles at_rest(const std::vector<Obstacle> &bodies) { return Obstacles(bodies, {RigidMotion()}).at(0.); }

/// Numbers uniform in [-1, 1].
class Random
{
public:
  double operator()() { return uniform(generator); }
  Vector point(const Index dim)
  {
    return Vector::NullaryExpr(dim, [&] { return (*this)(); });
  }

private:
  std::mt19937                           generator{7};
  std::uniform_real_distribution<double> uniform{-1., 1.};
};

/// One of each shape in general position; containers are the last ones.
std::vector<Obstacle> bodies(const Index dim)
{
  Random                random;
  const auto            point  = [&] { return random.point(dim); };
  std::vector<Obstacle> result = {half_space(point(), point()), ball(point(), .3), capsule(point(), point(), .1),
                                  capsule(point(), point(), 0.)};
  if (dim == 3)
    result.push_back(plate(point(), point(), point(), .05));
  result.push_back(inside_of_ball(.1 * point(), 2.5));
  if (dim == 3)
    result.push_back(inside_of_cylinder(.1 * point(), point(), 2.5));
  return result;
}

Vector direction(const Approach &approach, const Index dim) { return approach.e.head(dim); }

/// The message of Obstacles' complaint about a body, and where it stands.
std::pair<std::string, std::string> complaint(const std::vector<Obstacle> &bodies, const RigidMotion &motion = {})
{
  try
    {
      Obstacles(bodies, {motion});
    }
  catch (const InputError &error)
    {
      return {error.subject, error.sentence};
    }
  return {"", "nothing was thrown"};
}
} // namespace

BOOST_AUTO_TEST_CASE(gaps_of_simple_shapes_are_known, *boost::unit_test::tolerance(1e-14)) // round-off
{
  const PlacedObstacles plane =
      at_rest({half_space(Vector2d(0., 1.), Vector2d(0., 2.)), ball(Vector2d(3., 4.), 2.),
               capsule(Vector2d(0., 0.), Vector2d(4., 0.), .5), inside_of_ball(Vector2d(0., 0.), 10.)});
  const Vector2d origin(0., 0.), beside(7., 4.), above(3., 4.);
  BOOST_TEST(plane.approach(0, origin.data(), .25).D == -1.25);
  BOOST_TEST((plane.approach(0, origin.data(), .25).e == Vector3d(0., -1., 0.)));
  BOOST_TEST(plane.approach(1, origin.data(), 1.).D == 2.);
  BOOST_TEST((plane.approach(1, origin.data(), 1.).e - Vector3d(.6, .8, 0.)).norm() == 0.);
  BOOST_TEST(plane.approach(2, beside.data(), 1.).D == 5. - 1.5);
  BOOST_TEST(plane.approach(2, above.data(), 1.).D == 4. - 1.5);
  BOOST_TEST(plane.approach(3, above.data(), 1.).D == 4.);
  BOOST_TEST((plane.approach(3, above.data(), 1.).e - Vector3d(.6, .8, 0.)).norm() == 0.);

  const PlacedObstacles space = at_rest({plate(Vector3d(0., 0., 0.), Vector3d(2., 0., 0.), Vector3d(0., 1., 0.), .5),
                                         inside_of_cylinder(Vector3d(0., 0., 0.), Vector3d(0., 0., 3.), 10.)});
  const Vector3d        over(1.5, .5, -2.), off_corner(5., 5., 0.), off_edge(1., 4., 4.), high(3., 4., 70.);
  BOOST_TEST(space.approach(0, over.data(), 1.).D == 2. - 1.5);
  BOOST_TEST((space.approach(0, over.data(), 1.).e == Vector3d(0., 0., 1.)));
  BOOST_TEST(space.approach(0, off_corner.data(), 1.).D == 5. - 1.5);
  BOOST_TEST(space.approach(0, off_edge.data(), 1.).D == 5. - 1.5);
  BOOST_TEST(space.approach(1, high.data(), 1.).D == 4.);
  BOOST_TEST((space.approach(1, high.data(), 1.).e - Vector3d(.6, .8, 0.)).norm() == 0.);

  const PlacedObstacles line =
      at_rest({half_space(Vector::Constant(1, 2.), Vector::Constant(1, -3.)), ball(Vector::Constant(1, -2.), .5),
               capsule(Vector::Constant(1, -1.), Vector::Constant(1, 0.), .25)});
  const double x = 1.;
  BOOST_TEST(line.approach(0, &x, .5).D == .5);
  BOOST_TEST(line.approach(0, &x, .5).e.x() == 1.);
  BOOST_TEST(line.approach(1, &x, .5).D == 2.);
  BOOST_TEST(line.approach(1, &x, .5).e.x() == -1.);
  BOOST_TEST(line.approach(2, &x, .5).D == .25);
}

// What scheme A needs of bodies; containers are concave, which is why they are replaced by supporting half-spaces.
BOOST_AUTO_TEST_CASE(gaps_of_bodies_are_convex_and_those_of_containers_concave)
{
  for (Index dim = 1; dim <= 3; ++dim)
    {
      const PlacedObstacles placed = at_rest(bodies(dim));
      Random                random;
      int                   n_strict = 0;
      for (int k = 0; k < placed.size(); ++k)
        for (int trial = 0; trial < 300; ++trial)
          {
            const Vector x = 2. * random.point(dim), y = 2. * random.point(dim), middle = (x + y) / 2.;
            const auto   D      = [&](const Vector &z) { return placed.approach(k, z.data(), .1).D; };
            const double excess = (D(x) + D(y)) / 2. - D(middle);
            const bool   convex = !placed.obstacles()[k].is_container();
            BOOST_TEST((convex ? excess : -excess) >= -1e-14); // round-off of numbers near 1
            n_strict += std::abs(excess) > .01;
          }
      BOOST_TEST(n_strict > 100); // curved shapes are among them
    }
}

BOOST_AUTO_TEST_CASE(the_gradient_of_the_gap_is_minus_e)
{
  const double h = 1e-6;
  for (Index dim = 1; dim <= 3; ++dim)
    {
      const PlacedObstacles placed = at_rest(bodies(dim));
      Random                random;
      for (int k = 0; k < placed.size(); ++k)
        for (int trial = 0; trial < 100; ++trial)
          {
            const Vector   x        = 2. * random.point(dim);
            const Approach approach = placed.approach(k, x.data(), .1);
            BOOST_TEST(std::abs(approach.e.norm() - 1.) < 1e-14);
            BOOST_TEST(approach.e.tail(3 - dim).isZero(0.));
            if (std::abs(approach.D + .1 + placed.obstacles()[k].radius) < 1e-3)
              continue; // near the core the gap is not smooth
            for (Index axis = 0; axis < dim; ++axis)
              {
                const Vector step   = h * Vector::Unit(dim, axis);
                const Vector before = x - step, after = x + step;
                const double slope =
                    (placed.approach(k, after.data(), .1).D - placed.approach(k, before.data(), .1).D) / (2. * h);
                BOOST_TEST(std::abs(slope + approach.e(axis)) < 1e-5); // second differences are below h/distance to the core
              }
          }
    }
}

BOOST_AUTO_TEST_CASE(half_spaces_that_stand_for_containers_support_them)
{
  const PlacedObstacles placed = at_rest(bodies(3));
  Random                random;
  for (int k = 0; k < placed.size(); ++k)
    if (placed.obstacles()[k].is_container())
      for (int trial = 0; trial < 300; ++trial)
        {
          const Vector   x = 2. * random.point(3), y = 2. * random.point(3);
          const Approach approach = placed.approach(k, x.data(), .1);
          BOOST_TEST(approach.D - direction(approach, 3).dot(y - x) >= placed.approach(k, y.data(), .1).D - 1e-14);
        }
}

BOOST_AUTO_TEST_CASE(a_centre_in_the_core_has_a_finite_gap_and_a_unit_direction)
{
  const PlacedObstacles placed = at_rest(
      {ball(Vector3d(1., 2., 3.), .5), capsule(Vector3d(1., 2., 3.), Vector3d(2., 2., 3.), .25),
       plate(Vector3d(1., 2., 3.), Vector3d(2., 2., 3.), Vector3d(1., 3., 4.), 0.), inside_of_ball(Vector3d(1., 2., 3.), 5.),
       inside_of_cylinder(Vector3d(1., 2., 3.), Vector3d(2., 2., 3.), 6.)});
  const Vector3d            x(1., 2., 3.);
  const std::vector<double> D = {-.6, -.35, -.1, 4.9, 5.9};
  for (int k = 0; k < placed.size(); ++k)
    {
      const Approach approach = placed.approach(k, x.data(), .1);
      BOOST_TEST(std::abs(approach.D - D[k]) < 1e-15);
      BOOST_TEST(std::abs(approach.e.norm() - 1.) < 1e-15);
    }
  for (const int k : {1, 2, 4}) // across the segment, the parallelogram, the axis
    BOOST_TEST(std::abs(placed.approach(k, x.data(), .1).e.x()) < 1e-15);
  BOOST_TEST(std::abs(placed.approach(2, x.data(), .1).e.dot(Vector3d(0., 1., 1.))) < 1e-15);
}

BOOST_AUTO_TEST_CASE(nothing_near_is_passed_over_and_what_is_far_is)
{
  for (Index dim = 1; dim <= 3; ++dim)
    {
      const PlacedObstacles placed = at_rest(bodies(dim));
      Random                random;
      int                   n_near = 0, n_visited = 0, n_far = 0;
      for (int trial = 0; trial < 500; ++trial)
        {
          const Vector      x = 2. * random.point(dim);
          const double      R = .1, reach = .2;
          std::vector<bool> visited(placed.size(), false);
          placed.visit_near(x.data(), R, reach, [&](const int k) { visited[k] = true; });
          for (int k = 0; k < placed.size(); ++k)
            {
              const bool near = placed.approach(k, x.data(), R).D <= reach;
              BOOST_TEST((!near || visited[k]));
              n_near += near, n_visited += visited[k], n_far += !visited[k];
            }
        }
      BOOST_TEST(n_near > 100);
      BOOST_TEST(n_visited < 2.5 * n_near);
      BOOST_TEST(n_far > n_visited); // boxes are of use
    }
}

BOOST_AUTO_TEST_CASE(groups_move_as_their_motions_say, *boost::unit_test::tolerance(1e-14)) // round-off
{
  RigidMotion turn, shift;
  turn.angle        = [](const double t) { return M_PI * t; };
  turn.centre       = Vector2d(1., 0.);
  shift.translation = [](const double t) { return Vector(Vector2d(t, -t * t)); };
  const Obstacles moving({capsule(Vector2d(2., 0.), Vector2d(3., 0.), .1, 0),
                          half_space(Vector2d(2., 0.), Vector2d(1., 0.), 0), ball(Vector2d(0., 0.), 1., 1),
                          ball(Vector2d(0., 0.), 1., 2)},
                         {turn, shift, RigidMotion()});
  BOOST_TEST((moving.moves(0) && moving.moves(1) && moving.moves(2) && !moving.moves(3)));

  const PlacedObstacles placed = moving.at(.5); // a quarter turn about (1, 0)
  const auto           &bodies = placed.obstacles();
  BOOST_TEST((bodies[0].a - Vector2d(1., 1.)).norm() == 0.);
  BOOST_TEST((bodies[0].b - Vector2d(1., 2.)).norm() == 0.);
  BOOST_TEST((bodies[1].a - Vector2d(1., 1.)).norm() == 0.);
  BOOST_TEST((bodies[1].b - Vector2d(0., 1.)).norm() == 0.);
  BOOST_TEST((bodies[2].a - Vector2d(.5, -.25)).norm() == 0.);
  BOOST_TEST((bodies[3].a == Vector2d(0., 0.)));
  const Vector2d x(1., 4.);
  BOOST_TEST(placed.approach(0, x.data(), .5).D == 1.4);
  BOOST_TEST(placed.approach(1, x.data(), .5).D == 2.5);
}

BOOST_AUTO_TEST_CASE(a_motion_in_space_turns_about_its_axis, *boost::unit_test::tolerance(1e-14)) // round-off
{
  RigidMotion motion;
  motion.angle  = [](const double t) { return 2. * M_PI / 3. * t; };
  motion.axis   = Vector3d(2., 2., 2.); // any length: x -> y -> z -> x
  motion.centre = Vector3d(0., 0., 0.);
  const PlacedObstacles placed =
      Obstacles({plate(Vector3d(1., 2., 3.), Vector3d(2., 2., 3.), Vector3d(1., 5., 3.), .1)}, {motion}).at(1.);
  BOOST_TEST((placed.obstacles()[0].a - Vector3d(3., 1., 2.)).norm() == 0.);
  BOOST_TEST((placed.obstacles()[0].b - Vector3d(3., 2., 2.)).norm() == 0.);
  BOOST_TEST((placed.obstacles()[0].c - Vector3d(3., 1., 5.)).norm() == 0.);
}

BOOST_AUTO_TEST_CASE(velocities_are_those_of_material_points)
{
  RigidMotion motion;
  motion.translation = [](const double t) { return Vector(Vector3d(t * t, std::sin(t), 1. - t)); };
  motion.angle       = [](const double t) { return 3. * t * t; };
  motion.axis        = Vector3d(1., -2., .5);
  motion.centre      = Vector3d(.3, .2, .1);
  const Obstacles moving({ball(Vector3d(1., 2., 3.), .5)}, {motion}); // its centre is a material point
  for (const double h : {.7, 1e-3})
    {
      const Vector before = moving.at(.4).obstacles()[0].a, after = moving.at(.4 + h).obstacles()[0].a;
      const Vector velocity = moving.velocity(0, after, .4, h);
      BOOST_TEST((velocity - (after - before) / h).norm() < 1e-13 * velocity.norm() / h); // round-off of the positions
    }
  const Vector   x = Vector3d(4., -1., 2.), axis = motion.axis.normalized();
  const Vector3d arm   = x - motion.centre - motion.translation(.4);
  const Vector   exact = Vector3d(2. * .4, std::cos(.4), -1.) + 6. * .4 * Vector3d(axis).cross(arm);
  const double   error = (moving.velocity(0, x, .4, 1e-7) - exact).norm(),
               coarser = (moving.velocity(0, x, .4, 1e-4) - exact).norm();
  BOOST_TEST(error < 1e-5);           // h times the acceleration, some 50, and round-off / h
  BOOST_TEST(error < 1e-2 * coarser); // first order in h
}

// Walls of boxes: no digit is lost to a coordinate that is much larger than the way of a step.
BOOST_AUTO_TEST_CASE(a_wall_of_constant_velocity_has_it_to_the_last_digits)
{
  RigidMotion motion;
  motion.translation = [](const double t) { return Vector(Vector2d(.1 * t, 0.)); };
  const Obstacles moving({half_space(Vector2d(1e6, 0.), Vector2d(1., 0.))}, {motion});
  const Vector2d  velocity = moving.velocity(0, Vector2d(1e6, 3.), 0., 1e-3);
  BOOST_TEST(std::abs(velocity.x() - .1) < 1e-15);
  BOOST_TEST(velocity.y() == 0.);
}

BOOST_AUTO_TEST_CASE(shapes_that_make_no_sense_are_refused_with_their_name)
{
  const double   nan = std::numeric_limits<double>::quiet_NaN();
  const Vector2d o(0., 0.), x(1., 0.);
  const Vector3d o3(0., 0., 0.), x3(1., 0., 0.);
  const auto     message = [](const Obstacle &body) { return complaint({body}).second; };
  BOOST_TEST(message(half_space(o, o)) == "The half-space has the normal 0; give the direction that points to the spheres.");
  BOOST_TEST(message(ball(o, 0.)) == "The ball has the radius 0; give a positive one.");
  BOOST_TEST(message(ball(o, -1.)) == "The ball has the radius -1; give a finite number that is not negative.");
  BOOST_TEST(message(ball(o, nan)) == "The ball has the radius nan; give a finite number that is not negative.");
  BOOST_TEST(message(ball(Vector2d(nan, 0.), 1.)) ==
             "The ball has a point or normal that is not 2 finite numbers; correct it.");
  BOOST_TEST(message(capsule(o, o, 0.)) == "The capsule is a single point; move one end or give a positive radius.");
  BOOST_TEST(message(capsule(o, o, 1.)) == "nothing was thrown");
  BOOST_TEST(message(plate(o3, x3, 2. * x3, 1.)) == "The plate has parallel sides; give a corner and its two neighbours.");
  BOOST_TEST(message(plate(o, x, Vector2d(0., 1.), 1.)) ==
             "The plate exists in dimension 3 only; use a capsule or half-spaces.");
  BOOST_TEST(message(inside_of_cylinder(o3, o3, 1.)) ==
             "The cylinder has no axis, since its two points are the same; move one of them.");
  BOOST_TEST(message(inside_of_ball(o, 0.)) == "The ball has the radius 0; give a positive one.");

  BOOST_TEST(complaint({ball(o, 1.), ball(o3, 1.)}).second ==
             "The ball has a point or normal that is not 2 finite numbers; correct it.");
  BOOST_TEST(complaint({ball(o, 0.)}).first == "the shapes of the obstacles");
  BOOST_TEST(complaint({ball(o, 1., 1)}).first == "the obstacles, group 2");
}

BOOST_AUTO_TEST_CASE(motions_that_make_no_sense_are_refused)
{
  const Vector2d o(0., 0.);
  const Vector3d o3(0., 0., 0.);
  RigidMotion    motion;
  motion.axis = Vector3d(0., 0., 1.);
  BOOST_TEST(complaint({ball(o, 1.)}, motion).first == "the axis of the obstacles");
  motion.axis = o3;
  BOOST_TEST(complaint({ball(o3, 1.)}, motion).first == "the axis of the obstacles");
  motion        = {};
  motion.centre = o3;
  BOOST_TEST(complaint({ball(o, 1.)}, motion).first == "the centre of the obstacles");
  motion       = {};
  motion.angle = [](double t) { return 1. / (t - 1.); };
  BOOST_TEST(complaint({ball(Vector::Zero(1), 1.)}, motion).first == "the angle of the obstacles");
  const Obstacles turning({ball(o, 1.)}, {motion});
  BOOST_CHECK_NO_THROW(turning.at(0.));
  BOOST_CHECK_THROW(turning.at(1.), InputError);
}

BOOST_AUTO_TEST_CASE(ways_that_jump_are_found_and_fast_ones_are_not)
{
  const Vector2d o(0., 0.), x(.3, .4);
  const auto     jump_of = [&](const RigidMotion &motion) {
    return largest_jump(Obstacles({ball(o, 1.)}, {motion}), x, 0., 1., 1e-3);
  };
  RigidMotion motion;
  BOOST_TEST(!jump_of(motion));
  for (const std::function<Vector(double)> &continuous : std::vector<std::function<Vector(double)>>{
           [](const double t) { return Vector2d(std::sin(200. * t), t * t); },
           [](const double t) { return Vector2d(0., t < .4 ? 0. : std::min(1e3 * (t - .4), .07)); }, // a kink, and fast
           [](const double t) { return Vector2d(std::sqrt(std::abs(t - .3)), 0.); }})
    {
      motion.translation = continuous;
      BOOST_TEST(!jump_of(motion));
    }
  motion.translation = [](const double t) { return Vector2d(3. * t, t < .0505 ? 0. : .03); };
  BOOST_TEST_REQUIRE(jump_of(motion).has_value());
  BOOST_TEST(std::abs(jump_of(motion)->jump.t - .0505) < 1e-9);
  BOOST_TEST(std::abs(jump_of(motion)->jump.length - .03) < 1e-9);
  motion       = {};
  motion.angle = [](const double t) { return t < .7 ? t : t + .2; };
  BOOST_TEST_REQUIRE(jump_of(motion).has_value());
  BOOST_TEST(std::abs(jump_of(motion)->jump.length - std::sin(.1)) < 1e-6); // a chord of .2 rad, half a metre away
}

BOOST_AUTO_TEST_SUITE_END()
