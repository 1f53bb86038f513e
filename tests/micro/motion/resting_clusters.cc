// SPDX-License-Identifier: GPL-3.0-or-later
#include "motions.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(resting_clusters)

using namespace moreau;
using namespace moreau::micro;
namespace utf = boost::unit_test;

namespace
{
struct End
{
  Vector u;
  double unrebounded; ///< J, of all steps
};

End after(SphereSystem system, const double h, const double T, const double e = 1.)
{
  MotionParameters parameters;
  parameters.law.restitution = e;
  const auto motion          = make_motion(std::move(system), parameters);
  double     unrebounded     = 0.;
  for (int k = 1; k * h < T + .5 * h; ++k)
    {
      motion->advance(k * h);
      unrebounded += motion->record().unrebounded;
    }
  return {motion->u(), unrebounded};
}

const Obstacle floor_below = half_space("floor", Vector::Zero(2), Vector::Unit(2, 1)),
               wall_at_0   = half_space("wall", Vector::Zero(2), Vector::Unit(2, 0));
} // namespace

BOOST_AUTO_TEST_CASE(a_force_that_moves_two_discs_alike_does_not_keep_them_together, *utf::tolerance(1e-9))
{
  SphereSystem falling = row_of_spheres({0., 1.01}, {.02, 0.}, .5, 2);
  falling.force        = gravity(10.);
  const End both       = after(std::move(falling), .01, 1.5);
  BOOST_TEST(both.u(0) == 0., boost::test_tools::tolerance(1e-12));
  BOOST_TEST(both.u(2) == .02);
  BOOST_TEST(both.unrebounded == 0.);
}

BOOST_AUTO_TEST_CASE(a_force_along_a_wall_does_not_keep_a_disc_on_it, *utf::tolerance(1e-9))
{
  SphereSystem falling = row_of_spheres({.6}, {-.1}, .5, 2);
  falling.force        = gravity(10.);
  falling.obstacles    = Obstacles({wall_at_0}, {RigidMotion()});
  BOOST_TEST(after(std::move(falling), .01, 2.).u(0) == .1);
}

BOOST_AUTO_TEST_CASE(a_force_on_a_disc_far_away_keeps_nobody_together, *utf::tolerance(1e-9))
{
  SphereSystem two    = row_of_spheres({.6, .6}, {-.1, 0.}, .5, 2);
  two.spheres.r(1, 1) = 90.;
  two.force           = [](double, const Eigen::MatrixXd &r, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
    f.setZero(r.rows(), r.cols());
    f(0, 1) = 1000.;
  };
  two.obstacles = Obstacles({wall_at_0}, {RigidMotion()});
  BOOST_TEST(after(std::move(two), 1e-3, 2.).u(0) == .1);
}

// On a floor forces press, and what approaches more slowly than these within two steps counts as at rest.
BOOST_AUTO_TEST_CASE(what_counts_as_at_rest_and_was_not_is_told)
{
  SphereSystem sliding    = row_of_spheres({.6}, {-.1}, .5, 2);
  sliding.spheres.r(1, 0) = .5;
  sliding.force           = gravity(10.);
  sliding.obstacles       = Obstacles({floor_below, wall_at_0}, {RigidMotion()});
  BOOST_TEST(after(sliding, .01, 2.).unrebounded == .005, boost::test_tools::tolerance(1e-6)); // ½ m u²
  BOOST_TEST(after(sliding, .001, 2.).u(0) == .1, boost::test_tools::tolerance(1e-6));
  sliding.U.setZero();
  BOOST_TEST(after(sliding, .01, 2.).unrebounded <= 1e-18);
}

BOOST_AUTO_TEST_SUITE_END()
