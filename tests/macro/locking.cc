// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/macro/settings.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(locking)

using namespace moreau;
using namespace moreau::macro;

// For U = (0, 1) that of the continuum is 1 on a triangle; linear velocities lock.
BOOST_AUTO_TEST_CASE(skew_directions_between_walls_on_all_sides_lock_and_that_is_said)
{
  const auto with = [](const double angle, const Sides &walls) {
    Setting setting = unit_cube(
        2,
        [](const Eigen::MatrixXd &x, Eigen::MatrixXd &U) {
          U = Eigen::MatrixXd::Zero(2, x.cols());
          U.row(1).setOnes();
        },
        8.);
    setting.cone.type       = ConeType::directions;
    setting.cone.directions = Eigen::Matrix2d();
    setting.cone.directions << 1., std::cos(angle), 0., std::sin(angle);
    setting.domain.walls = walls;
    return macro::simplex_discretization(setting);
  };
  const double skew = std::atan(4. / 3.);
  const auto   d    = with(skew, {true, true, true, true});
  BOOST_TEST(d->remarks().find("right angles") != std::string::npos, d->remarks());
  const convex::SaddlePoint x = d->projector("automatic", {})->project(d->problem());
  BOOST_TEST(x.converged());
  BOOST_TEST(x.u.isZero(1e-6));
  BOOST_TEST(with(skew, {true, true, true, false})->remarks() == "");
  BOOST_TEST(with(M_PI / 2., {true, true, true, true})->remarks() == "");
}

BOOST_AUTO_TEST_SUITE_END()
