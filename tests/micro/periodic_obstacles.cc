// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/periodic_obstacles.h"

#include "tests/micro/motion/motions.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

BOOST_AUTO_TEST_SUITE(periodic_obstacles)

using namespace moreau;
using namespace moreau::micro;

namespace
{
using Shape = Obstacle::Shape;

Obstacle body(const Shape shape, const Vector &a, const Vector &b, const Vector &c, const double radius)
{
  Obstacle result;
  result.name   = "body";
  result.shape  = shape;
  result.a      = a;
  result.b      = b;
  result.c      = c;
  result.radius = radius;
  return result;
}

Obstacle ball_at(const Vector &centre, const double radius, const Shape shape = Shape::ball)
{
  return body(shape, centre, {}, {}, radius);
}

Obstacle displaced(Obstacle body, const Vector &way)
{
  for (Vector *const point : {&body.a, &body.b, &body.c})
    if (point->size() > 0)
      *point += way;
  return body;
}

RigidMotion along_x(const Index dim, const double speed)
{
  RigidMotion motion;
  motion.translation = [=](const double t) { return Vector(speed * t * Vector::Unit(dim, 0)); };
  return motion;
}

/// Spheres in a box with x in [-1, 1), of period 2.
SphereSystem in_a_box(const std::vector<Vector> &r, const double R, const Obstacle &obstacle, const RigidMotion &motion = {})
{
  const Index  dim = r.front().size(), n = static_cast<Index>(r.size());
  SphereSystem system;
  system.spheres = {Eigen::MatrixXd(dim, n), Vector::Constant(n, R), Vector::Ones(n)};
  for (Index i = 0; i < n; ++i)
    system.spheres.r.col(i) = r[i];
  system.U         = Vector::Zero(dim * n);
  system.lower     = Vector::Constant(dim, -1.);
  system.period    = 2. * Vector::Unit(dim, 0);
  system.obstacles = Obstacles({obstacle}, {motion});
  return system;
}

Vector in_plane(const double x, const double y) { return Eigen::Vector2d(x, y); }
Vector in_space(const double x, const double y, const double z) { return Eigen::Vector3d(x, y, z); }

MotionParameters of_scheme(const Scheme scheme, const double restitution = 0.)
{
  MotionParameters parameters;
  parameters.scheme          = scheme;
  parameters.law.restitution = restitution;
  return parameters;
}

/// What is said of the periods where an obstacle is in a box with this period.
std::string refusal(const Obstacle &obstacle, const Vector &period)
{
  try
    {
      PeriodicObstacles(PlacedObstacles({obstacle}), {Vector::Zero(period.size()), period});
    }
  catch (const InputError &error)
    {
      return error.subject == "the periods" ? error.sentence : "";
    }
  return "nothing was thrown";
}
} // namespace

// Bodies longer than a period among them; looked for one by one.
BOOST_AUTO_TEST_CASE(all_images_of_a_body_are_found_wherever_it_is)
{
  std::mt19937                           generator(3);
  std::uniform_real_distribution<double> uniform(-1., 1.);
  for (const Index dim : {2, 3})
    {
      const auto  point = [&]() -> Vector { return Vector::NullaryExpr(dim, [&] { return uniform(generator); }); };
      PeriodicBox box{Vector::Constant(dim, -1.), Vector::Constant(dim, 2.)};
      box.period(1) = 0.;
      for (const double laps : {0., 1., -3., 4096.})
        {
          std::vector<Obstacle> near = {ball_at(point(), .3), body(Shape::capsule, point(), 4. * point(), {}, .1)};
          if (dim == 3)
            near.push_back(body(Shape::plate, point(), 3. * point(), point(), .05));
          std::vector<Obstacle> far;
          for (const Obstacle &one : near)
            far.push_back(displaced(one, laps * box.period));
          const PlacedObstacles   known(near);
          const PeriodicObstacles periodic(PlacedObstacles(far), box);
          for (int trial = 0; trial < 50; ++trial)
            {
              const Vector                     x = point();
              std::vector<std::vector<double>> found(far.size()), expected(far.size());
              constexpr double                 R = .05, reach = 1.5;
              periodic.visit_near(x.data(), R, reach, [&](const int k, const PeriodicObstacles::Image image) {
                const Approach approach = periodic.approach(k, image, x.data(), R);
                const Vector   there    = x + periodic.displacement(k, image);
                BOOST_TEST(std::abs(periodic.as_placed().approach(k, there.data(), R).D - approach.D) < 1e-11);
                if (approach.D < reach)
                  found[k].push_back(approach.D);
              });
              for (int k = 0; k < known.size(); ++k)
                {
                  for (int n0 = -6; n0 <= 6; ++n0)
                    for (int n2 = dim == 3 ? -6 : 0; n2 <= (dim == 3 ? 6 : 0); ++n2)
                      {
                        Vector there = x;
                        there(0) += 2. * n0;
                        if (dim == 3)
                          there(2) += 2. * n2;
                        if (const double D = known.approach(k, there.data(), R).D; D < reach)
                          expected[k].push_back(D);
                      }
                  std::sort(found[k].begin(), found[k].end());
                  std::sort(expected[k].begin(), expected[k].end());
                  BOOST_TEST_REQUIRE(found[k].size() == expected[k].size());
                  for (std::size_t c = 0; c < found[k].size(); ++c)
                    BOOST_TEST(std::abs(found[k][c] - expected[k][c]) < 1e-11);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_body_in_the_box_keeps_its_digits)
{
  const PeriodicBox       box{in_plane(-1., -1.), in_plane(2., 0.)};
  const Obstacle          here = ball_at(in_plane(.3, .7), .1);
  const PeriodicObstacles periodic(PlacedObstacles({here, displaced(here, in_plane(64., 0.))}), box);
  const PlacedObstacles   known({here});
  const Vector            x = in_plane(.1, .2);
  BOOST_TEST(periodic.approach(0, 0, x.data(), .1).D == known.approach(0, x.data(), .1).D);
  BOOST_TEST(periodic.displacement(1, 0)(0) == 64.);
}

// The image of the ball at 0 bears what falls.
BOOST_AUTO_TEST_CASE(spheres_rest_on_bodies_that_are_many_periods_away)
{
  for (const Scheme scheme : {Scheme::linearised_constraints, Scheme::catching_up})
    for (const double x : {0., 2., 4., -4., -6., 2e6})
      {
        SphereSystem system = in_a_box({in_plane(0., .5)}, .1, ball_at(in_plane(x, 0.), .1));
        system.force        = gravity(1.);
        const auto motion   = make_motion(system, of_scheme(scheme));
        run(*motion, .01, 2.);
        BOOST_TEST(std::abs(motion->q()(1) - .2) < 1e-8);
        // its weight, about the ball where that is
        const ObstacleImpulse &load = motion->obstacle_impulses()[0];
        BOOST_TEST(std::abs(load.impulse.y() + .01) < 1e-9);
        BOOST_TEST(std::abs(load.moment.z() - x * load.impulse.y()) < 1e-9 * std::max(1., std::abs(x)));
      }
}

BOOST_AUTO_TEST_CASE(a_sphere_in_a_far_image_of_a_body_is_refused_at_the_beginning)
{
  const SphereSystem system = in_a_box({in_plane(0., 0.)}, .1, ball_at(in_plane(4., 0.), .1));
  BOOST_CHECK_EXCEPTION(make_motion(system, MotionParameters()), InputError, [](const InputError &error) {
    return error.sentence.find("reaches into body") != std::string::npos;
  });
}

// The ball is as heavy as can be and meets the sphere at .3 s, and every 1.6 s after.
BOOST_AUTO_TEST_CASE(a_body_that_goes_round_meets_a_sphere_every_time)
{
  SphereSystem system = in_a_box({in_plane(.5, 0.)}, .1, ball_at(in_plane(0., 0.), .1), along_x(2, 1.));
  const auto   motion = make_motion(system, of_scheme(Scheme::linearised_constraints, 1.));
  int          n_hits = 0;
  for (int k = 1; k <= 2000; ++k)
    {
      motion->advance(.01 * k);
      n_hits += motion->record().n_contacts > 0;
    }
  BOOST_TEST(n_hits == 13);
  BOOST_TEST(std::abs(motion->u()(0) - 2.) < 1e-8); // after every other one it is at rest
}

BOOST_AUTO_TEST_CASE(an_image_that_would_jump_over_a_sphere_is_refused)
{
  SphereSystem system = in_a_box({in_plane(-.8, 0.)}, .1, ball_at(in_plane(.8, 0.), .1), along_x(2, 80.));
  const auto   motion = make_motion(system, MotionParameters());
  BOOST_CHECK_EXCEPTION(motion->advance(.01), InputError,
                        [](const InputError &error) { return error.sentence.find("jump over") != std::string::npos; });
}

BOOST_AUTO_TEST_CASE(a_flight_through_too_many_bodies_is_refused)
{
  SphereSystem system = in_a_box({in_plane(0., .5)}, .1, ball_at(in_plane(0., 0.), .1));
  system.U(0)         = 3e4;
  const auto motion   = make_motion(system, MotionParameters());
  BOOST_CHECK_EXCEPTION(motion->advance(.01), InputError,
                        [](const InputError &error) { return error.sentence.find("100 periods") != std::string::npos; });
}

// At rest across the side, and carried round; cylinders in both directions that go with the period.
BOOST_AUTO_TEST_CASE(a_container_holds_its_spheres_across_the_side)
{
  const Obstacle ball = ball_at(in_space(.8, 0., 0.), .4, Shape::inside_of_ball);
  const Obstacle beam = body(Shape::inside_of_cylinder, in_space(.8, 0., 0.), in_space(.8, 1., 0.), {}, .4);
  for (const Scheme scheme : {Scheme::linearised_constraints, Scheme::catching_up})
    for (const double speed : {0., .5})
      for (const double laps : {0., 7.})
        for (const Obstacle &container : {ball, beam})
          {
            SphereSystem system =
                in_a_box({in_space(-.95, 0., .1), in_space(.7, 0., 0.)}, .1,
                         displaced(container, in_space(2. * laps, 0., 0.)), speed > 0. ? along_x(3, speed) : RigidMotion());
            system.force      = gravity(1.);
            const auto motion = make_motion(system, of_scheme(scheme));
            for (int k = 1; k <= 300; ++k)
              {
                motion->advance(.02 * k);
                for (Index i = 0; i < 2; ++i)
                  {
                    Vector offset = motion->spheres().r.col(i) - container.a - speed * motion->time() * Vector::Unit(3, 0);
                    offset(0)     = std::remainder(offset(0), 2.);
                    BOOST_TEST_REQUIRE(offset.norm() < .3 + 1e-6);
                  }
              }
          }
}

BOOST_AUTO_TEST_CASE(what_does_not_repeat_itself_is_refused)
{
  const Vector along_x = in_space(2., 0., 0.);
  const auto   wide    = ball_at(in_space(0., 0., 0.), 1.5, Shape::inside_of_ball);
  BOOST_TEST(refusal(wide, along_x).find("3 m wide") != std::string::npos);
  const auto cylinder = [](const Vector &to, const double radius) {
    return body(Shape::inside_of_cylinder, in_space(0., 0., 0.), to, {}, radius);
  };
  BOOST_TEST(refusal(cylinder(in_space(0., 1., 0.), 1.5), along_x).find("3 m wide") != std::string::npos);
  BOOST_TEST(refusal(cylinder(in_space(1., 1., 0.), .5), along_x).find("whose axis") != std::string::npos);
  BOOST_TEST(refusal(cylinder(in_space(1., 0., 0.), 1.5), along_x) == "nothing was thrown");
  const Obstacle rod = body(Shape::capsule, in_space(0., 0., 0.), in_space(201., 0., 0.), {}, .1);
  BOOST_TEST(refusal(rod, along_x).find("longer than 100 periods") != std::string::npos);

  // a floor that begins to lean
  SphereSystem system  = in_a_box({in_plane(0., 1.)}, .1, half_space("floor", in_plane(0., 0.), in_plane(0., 1.)));
  RigidMotion  tilting = {};
  tilting.angle        = [](const double t) { return t; };
  system.obstacles     = Obstacles({half_space("floor", in_plane(0., 0.), in_plane(0., 1.))}, {tilting});
  const auto motion    = make_motion(system, MotionParameters());
  BOOST_CHECK_EXCEPTION(motion->advance(.01), InputError,
                        [](const InputError &error) { return error.subject == "the periods"; });
}

BOOST_AUTO_TEST_SUITE_END()
