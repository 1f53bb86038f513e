// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/active_contacts.h"

#include "motions.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(active_contacts)

using namespace moreau;
using namespace moreau::micro;
namespace utf = boost::unit_test;
namespace tt  = boost::test_tools;

namespace
{
constexpr double slack = 1e-9;

/// All that a motion meets, step by step.
ConstraintConstants met(SphereSystem system, const double T, const int n_steps)
{
  const auto          motion = make_motion(std::move(system), {});
  ConstraintConstants constants;
  for (int k = 1; k <= n_steps; ++k)
    {
      motion->advance(T * k / n_steps);
      constants.see(*micro::active_contacts(*motion, slack, 100));
    }
  return constants;
}

/// A disc of mass m and radius R at x, which moves along the first axis, and what is around it.
SphereSystem disc(const double x, const double speed, const double R, const double m, const Obstacles &obstacles)
{
  SphereSystem system = row_of_spheres({x}, {speed}, R, 2);
  system.spheres.m *= m;
  system.spheres.r(1, 0) = R;
  system.obstacles       = obstacles;
  return system;
}
} // namespace

// |D²g| = |∇g|²/D with the distance of centres D = R_1 + R_2 where they touch: η = D/|∇g|.
BOOST_AUTO_TEST_CASE(two_discs_that_touch_are_prox_regular_with_the_distance_of_their_centres)
{
  SphereSystem two = row_of_spheres({0., 2.}, {1., 0.}, .5, 2);
  two.spheres.R(1) = .7;
  two.spheres.m << 2., 3.;
  const double gradient = std::sqrt(1. / 2. + 1. / 3.);
  const auto   pair     = met(two, 2., 4000);
  BOOST_TEST(pair.n_states() > 1000);
  BOOST_TEST(pair.alpha() == gradient, tt::tolerance(1e-12));
  BOOST_TEST(pair.beta() == gradient, tt::tolerance(1e-12));
  BOOST_TEST(pair.gamma() == 1., tt::tolerance(1e-9));
  BOOST_TEST(pair.multiplier_bound() == 1. / gradient, tt::tolerance(1e-9));
  BOOST_TEST(pair.curvature() == gradient * gradient / 1.2, tt::tolerance(1e-6));
  BOOST_TEST(pair.prox_regularity() == 1.2 / gradient, tt::tolerance(1e-6));
  BOOST_TEST(pair.speed_of_set() == 0.);

  const auto on_a_line = met(row_of_spheres({0., 2.}, {1., 0.}, .5), 2., 100);
  BOOST_TEST(on_a_line.n_states() > 0);
  BOOST_TEST(std::isinf(on_a_line.prox_regularity()));
}

BOOST_AUTO_TEST_CASE(walls_are_flat_and_corners_cost_a_root_of_two, *utf::tolerance(1e-9))
{
  const Obstacles corner({half_space("floor", Vector::Zero(2), Vector::Unit(2, 1)),
                          half_space("right", Vector::Constant(2, 3.), -Vector::Unit(2, 0))},
                         {RigidMotion()});
  const auto      walls = met(disc(1., 1., .5, 4., corner), 3., 300);
  BOOST_TEST(walls.alpha() == .5);
  BOOST_TEST(walls.gamma() == std::sqrt(2.));
  BOOST_TEST(walls.curvature() == 0.);
  BOOST_TEST(std::isinf(walls.prox_regularity()));

  const Obstacles gap({half_space("left", Vector::Zero(2), Vector::Unit(2, 0)),
                       half_space("right", Vector::Constant(2, 1.), -Vector::Unit(2, 0))},
                      {RigidMotion()});
  BOOST_TEST(std::isinf(met(disc(.5, 1., .5, 1., gap), .1, 3).gamma())); // pressed from both sides
}

BOOST_AUTO_TEST_CASE(bodies_are_bent_inwards_and_containers_outwards, *utf::tolerance(2e-3))
{
  Obstacle ball;
  ball.shape        = Obstacle::Shape::ball;
  ball.a            = Eigen::Vector2d(3., .5);
  ball.radius       = .75;
  const auto beside = met(disc(1., 1., .5, 4., Obstacles({ball}, {RigidMotion()})), 3., 3000);
  BOOST_TEST(beside.prox_regularity() == 1.25 * 2.); // √m times the distance of centres
  ball.shape        = Obstacle::Shape::inside_of_ball;
  ball.a            = Eigen::Vector2d(1., .5);
  ball.radius       = 1.5;
  const auto inside = met(disc(1., 1., .5, 4., Obstacles({ball}, {RigidMotion()})), 3., 3000);
  BOOST_TEST(inside.n_states() > 0);
  BOOST_TEST(std::isinf(inside.prox_regularity()));
  BOOST_TEST(inside.curvature() == 1. / 4.); // the centre is 1 away from the middle
}

BOOST_AUTO_TEST_CASE(walls_that_move_and_spheres_that_grow_move_the_set, *utf::tolerance(1e-9))
{
  RigidMotion moving;
  moving.translation = [](const double t) -> Vector { return Eigen::Vector2d(.5 * t, 0.); };
  const Obstacles wall({half_space("left", Vector::Zero(2), Vector::Unit(2, 0), 1)}, {RigidMotion(), moving});
  BOOST_TEST(met(disc(1., 0., .5, 4., wall), 2., 200).speed_of_set() == .5 * 2.);

  SphereSystem grow = row_of_spheres({0., 2.}, {0., 0.}, .5, 2);
  grow.radii        = [](const double t) -> Vector { return Vector::Constant(2, .5 + .25 * t); };
  BOOST_TEST(met(grow, 3., 300).speed_of_set() == .5 / std::sqrt(2.)); // both gaps' ends move
}

BOOST_AUTO_TEST_CASE(images_in_a_periodic_box_count)
{
  SphereSystem row  = row_of_spheres({.5, 1.5}, {1., 1.}, .5, 2);
  row.lower         = Vector::Zero(2);
  row.period        = Eigen::Vector2d(2., 8.);
  const auto motion = make_motion(std::move(row), {});
  motion->advance(.01);
  const auto both = micro::active_contacts(*motion, slack, 100);
  BOOST_TEST(both->rows.rows() == 2);
  ConstraintConstants constants;
  constants.see(*both);
  BOOST_TEST(std::isinf(constants.gamma())); // they press each other around the period
  BOOST_TEST(!micro::active_contacts(*motion, slack, 1).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
