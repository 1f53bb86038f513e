// SPDX-License-Identifier: GPL-3.0-or-later
// Without walls no impact changes ∫ρu.
#include "convex/impact_law.h"
#include "geometry/quadrature.h"
#include "macro/discretize.h"
#include "tests/macro/settings.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace moreau;
using namespace moreau::macro;

namespace
{
/// Waves that run into each other, and a jump at x = .5, a line of all grids here.
void collision(const Eigen::MatrixXd &x, Eigen::MatrixXd &U)
{
  for (Index k = 0; k < x.cols(); ++k)
    for (Index axis = 0; axis < x.rows(); ++axis)
      U(axis, k) = std::sin(3. * x(axis, k) + 1. + x(0, k)) + (axis == 0 && x(0, k) < .5 ? 1. : -.3);
}

/// Saturated in a disc about the middle, half full elsewhere.
Setting on_a_disc(Setting setting)
{
  setting.domain.uniform = false;
  setting.domain.density = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &density) {
    for (Index k = 0; k < x.cols(); ++k)
      density(0, k) = (x.col(k).array() - .5).matrix().norm() < .4 ? 1. : .5;
  };
  return setting;
}

Setting on_a_shape(Setting setting)
{
  setting                       = on_a_disc(setting);
  setting.domain.level_is_given = true;
  setting.domain.level          = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &level) {
    for (Index k = 0; k < x.cols(); ++k)
      level(0, k) = .16 - (x.col(k).array() - .5).matrix().squaredNorm();
  };
  return setting;
}

/// ∫|U| over the unit cube, roughly.
double size_of(const Setting &setting)
{
  const Rule      rule = gauss_rule(4, static_cast<int>(setting.dim()), 8);
  Eigen::MatrixXd U(setting.dim(), rule.size());
  setting.U(rule.points, U);
  return U.colwise().norm().dot(rule.weights);
}

void check(const std::string &name, const Setting &setting, const double restitution = .5)
{
  const auto           mesh      = discretize(setting);
  const auto           projector = mesh->projector("automatic", {});
  const convex::Impact impact    = convex::post_impact(mesh->problem(), *projector, restitution);
  BOOST_TEST_CONTEXT(name)
  {
    const Vector before = mesh->momentum(mesh->problem().U), after = mesh->momentum(impact.u_plus);
    BOOST_TEST(mesh->problem().V->norm(impact.u_plus - mesh->problem().U) > 1e-3); // something happens
    BOOST_TEST((after - before).cwiseAbs().maxCoeff() <= 1e-12 * size_of(setting));
  }
}
} // namespace

BOOST_AUTO_TEST_SUITE(momentum)

BOOST_AUTO_TEST_CASE(isotropic_impacts_conserve_momentum)
{
  for (const int dim : {1, 2, 3})
    check("box of dimension " + std::to_string(dim), unit_cube(dim, collision, dim == 3 ? 8. : 16.));
  for (const int dim : {2, 3})
    {
      check("zone that cuts cells", on_a_disc(unit_cube(dim, collision, 8.)));
      check("shape", on_a_shape(unit_cube(dim, collision, 16.)));
    }
}

// Where U jumps on lines of the mesh and is linear between them, the velocity on the mesh has its momentum, in the zone and
// outside.
BOOST_AUTO_TEST_CASE(momentum_on_the_mesh_is_that_of_U_where_it_jumps_on_lines_of_the_mesh)
{
  const Field U = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    for (Index k = 0; k < x.cols(); ++k)
      for (Index axis = 0; axis < x.rows(); ++axis)
        values(axis, k) = (x(0, k) < .3 ? 1. : -2. + x(axis, k)) + (axis > 0 && x(1, k) < .5 ? 3. : 0.);
  };
  for (const int dim : {1, 2, 3})
    for (const bool in_part : {false, true})
      {
        Setting setting        = unit_cube(dim, U, 10.);
        setting.domain.uniform = !in_part;
        setting.domain.density = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &density) {
          density = (x.row(0).array() > .2 && x.row(0).array() < .8).select(1., Eigen::MatrixXd::Constant(1, x.cols(), .5));
        };
        const auto   mesh  = discretize(setting);
        const Vector found = mesh->momentum(mesh->problem().U) + mesh->outside().momentum;
        // x in (0, .2), (.2, .3), (.3, .8), (.8, 1)
        const double rho = in_part ? .5 : 1., mass = .6 + .4 * rho;
        for (int axis = 0; axis < dim; ++axis)
          {
            // of x_axis over (.3, .8) and (.8, 1)
            const double middle = axis == 0 ? .5 * .55 : .5 * .5, end = axis == 0 ? .2 * .9 : .2 * .5;
            const double exact = .1 + .2 * rho - 2. * (.5 + .2 * rho) + middle + rho * end + (axis > 0 ? 1.5 * mass : 0.);
            BOOST_TEST(std::abs(found(axis) - exact) <= 1e-12); // a ten-billionth of a cell beside the faces
          }
      }
}

// (BM, fig. 6): the mean of u_x stays 0, and the velocity is odd.
BOOST_AUTO_TEST_CASE(blocks_that_meet_on_a_line_of_the_mesh_stay_where_they_are)
{
  Setting setting = unit_cube(
      2,
      [](const Eigen::MatrixXd &x, Eigen::MatrixXd &U) {
        for (Index k = 0; k < x.cols(); ++k)
          U.col(k) << (x(0, k) < 1. ? 1. : -1.), 0.;
      },
      16.);
  setting.domain.upper << 2., 1.;
  const auto                mesh = discretize(setting);
  const convex::SaddlePoint x    = mesh->projector("automatic", {})->project(mesh->problem());
  BOOST_TEST(mesh->momentum(mesh->problem().U).cwiseAbs().maxCoeff() <= 1e-14);
  BOOST_TEST(mesh->momentum(x.u).cwiseAbs().maxCoeff() <= 1e-14);
}

BOOST_AUTO_TEST_SUITE_END()
