// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/input_error.h"
#include "macro/discretize.h"
#include "macro/directional/zone.h"
#include "tests/macro/directional/dilatant_flows.h"

#include <boost/test/unit_test.hpp>

#include <Eigen/Eigenvalues>

#include <random>

BOOST_AUTO_TEST_SUITE(dilatant_cone)

namespace tt = boost::test_tools;
using namespace moreau;
using namespace moreau::macro;

namespace
{
Setting setting_of(const Function &U, const Field &s, const double cells, const Sides &walls = {}, const int K = 16)
{
  Setting setting = unit_cube(2, by_points(U), cells, walls);
  setting.cone    = macro::dilatant_cone(2, s, K);
  return setting;
}

/// min_e e·Ae / (1/d) share and the rest: what has to be >= 0.
double smallest(const Eigen::MatrixXd &D, const double s)
{
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> principal(D);
  return (1. - s) / static_cast<double>(D.rows()) * D.trace() + s * principal.eigenvalues()(0);
}

double smallest_of(const Eigen::MatrixXd &D, const double s, const Eigen::MatrixXd &directions)
{
  const Eigen::VectorXd along = (directions.array() * (D * directions).array()).colwise().sum();
  return (1. - s) / static_cast<double>(D.rows()) * D.trace() + s * along.minCoeff();
}

const Sides all_around = {true, true, true, true, false, false};
} // namespace

// K inequalities of the enlarged s leave a part of the cone, those of s contain it, and neither could be said of less.
BOOST_AUTO_TEST_CASE(polygons_enclose_the_cone)
{
  std::mt19937                     random(3);
  std::normal_distribution<double> normal;
  for (const int K : {4, 8, 16})
    {
      const Cone   cone     = macro::dilatant_cone(2, constant(.5), K);
      const double factor   = inner_factor(cone);
      double       tightest = 0.;
      for (int sample = 0; sample < 20000; ++sample)
        {
          Eigen::Matrix2d D;
          D << normal(random), normal(random), 0., normal(random);
          D(1, 0)         = D(0, 1);
          const double s  = .5;
          const double at = smallest(D, s), size = D.norm();
          BOOST_TEST_REQUIRE(smallest_of(D, factor * s, cone.directions) <= at + 1e-14 * size);
          BOOST_TEST_REQUIRE(smallest_of(D, s, cone.directions) >= at - 1e-14 * size);
          // of tr D / 2 = s d there is equality where no direction is near
          const double shear = .5 * (D.eigenvalues().real().maxCoeff() - D.eigenvalues().real().minCoeff());
          tightest           = std::max(tightest, (at - smallest_of(D, s, cone.directions)) / (-s * shear));
        }
      BOOST_TEST(tightest == 1. - 1. / factor, tt::tolerance(.02));
    }
}

// The same in space, with sets that have the symmetries of the cube.
BOOST_AUTO_TEST_CASE(polyhedra_enclose_the_cone)
{
  std::mt19937                     random(5);
  std::normal_distribution<double> normal;
  for (const int K : {13, 19, 37, 49, 73})
    {
      const Cone   cone   = macro::dilatant_cone(3, constant(.5), K);
      const double factor = inner_factor(cone), s = .5;
      BOOST_TEST_REQUIRE(cone.directions.cols() == K);
      for (int sample = 0; sample < 2000; ++sample)
        {
          Eigen::Matrix3d G;
          for (double &entry : G.reshaped())
            entry = normal(random);
          const Eigen::Matrix3d D  = G + G.transpose();
          const Eigen::Matrix3d X  = D - D.trace() / 3. * Eigen::Matrix3d::Identity(); // the trace counts in both alike
          const double          at = smallest(X, s), size = D.norm();
          BOOST_TEST_REQUIRE(smallest_of(X, factor * s, cone.directions) <= at + 1e-14 * size);
          BOOST_TEST_REQUIRE(smallest_of(X, s, cone.directions) >= at - 1e-14 * size);
        }
    }
  BOOST_CHECK_THROW(macro::dilatant_cone(3, constant(.5), 16), InputError);
}

// Tetrahedra: a compression of a cube nearly stops, an expansion goes on.
BOOST_AUTO_TEST_CASE(works_in_space)
{
  for (const double sign : {-1., 1.})
    {
      Setting setting = unit_cube(3, by_points([sign](const Vector &x) -> Vector { return sign * x; }), 2.);
      setting.cone    = macro::dilatant_cone(3, constant(.4), 13);
      const Solution cube(setting);
      BOOST_TEST_REQUIRE(cube.x.converged());
      if (sign > 0.)
        BOOST_TEST(cube.distance_to_U() < 1e-12);
      else
        BOOST_TEST(cube.norm() < .95 * cube.mesh->problem().V->norm(cube.mesh->problem().U)); // √3/2 of a uniform u
    }
}

// tr D >= s √2 |dev D|, the form of the papers on packings, is the same cone.
BOOST_AUTO_TEST_CASE(is_a_circular_cone_in_the_plane)
{
  std::mt19937                     random(4);
  std::normal_distribution<double> normal;
  for (int sample = 0; sample < 1000; ++sample)
    {
      Eigen::Matrix2d D;
      D << normal(random), normal(random), 0., normal(random);
      D(1, 0)                        = D(0, 1);
      const double          s        = std::uniform_real_distribution<double>(0., 1.)(random);
      const Eigen::Matrix2d deviator = D - .5 * D.trace() * Eigen::Matrix2d::Identity();
      BOOST_TEST(2. * smallest(D, s) == D.trace() - s * std::sqrt(2.) * deviator.norm(), tt::tolerance(1e-9));
    }
}

// s = 0 is the isotropic cone, of which staggered velocities know |u| = .7360.
BOOST_AUTO_TEST_CASE(no_dilatancy_is_the_isotropic_cone)
{
  const Solution s(setting_of(flow_of_BM, constant(0.), 16.));
  BOOST_TEST_REQUIRE(s.x.converged());
  BOOST_TEST_REQUIRE(s.bound.available);
  BOOST_TEST(std::abs(s.norm() - .7360) <= s.bound.eta);
  BOOST_TEST(s.bound.eta < .05);
}

// Norms of u for the flow of BM that independent programs found (trials with Q1 velocities, 16 directions, 64² cells).
BOOST_AUTO_TEST_CASE(norms_lie_within_their_bounds)
{
  for (const auto &[dilatancy, expected] : {std::pair(.3, .6877), std::pair(1., .6531)})
    {
      const Solution s(setting_of(flow_of_BM, constant(dilatancy), 16.));
      BOOST_TEST_REQUIRE(s.x.converged());
      BOOST_TEST_REQUIRE(s.bound.available);
      BOOST_TEST(std::abs(s.norm() - expected) <= s.bound.eta);
      BOOST_TEST(s.norm() == expected, tt::tolerance(.02));
      BOOST_TEST(s.bound.eta < .15);
    }
}

// Rigid motions and expansions are admissible: they stay.
BOOST_AUTO_TEST_CASE(leaves_what_is_admissible)
{
  const auto     swirl = [](const Vector &x) -> Vector { return Eigen::Vector2d(2. - x(1) + .5 * x(0), x(0) + .5 * x(1)); };
  const Solution s(setting_of(swirl, constant(.7), 4.));
  BOOST_TEST(s.distance_to_U() < 1e-12);
}

// All directions, a squeeze: u = (x - 1/2, 0), since the second component may only be constant on vertical lines.
BOOST_AUTO_TEST_CASE(squeeze_of_all_directions_stops_one_axis)
{
  const auto     squeeze = [](const Vector &x) -> Vector { return Eigen::Vector2d(x(0) - .5, .5 - x(1)); };
  const Solution s(setting_of(squeeze, constant(1.), 8.));
  BOOST_TEST_REQUIRE(s.bound.available);
  BOOST_TEST(std::abs(s.distance_to_U() - 1. / std::sqrt(12.)) <= s.bound.eta);
  BOOST_TEST(s.bound.eta < .1);
}

// More dilatancy, a smaller cone: |u|² = <u, U> falls.
BOOST_AUTO_TEST_CASE(cones_shrink_as_dilatancy_grows)
{
  double before = 1.;
  for (const double dilatancy : {0., .2, .5, .8})
    {
      const double now = Solution(setting_of(flow_of_BM, constant(dilatancy), 8.)).norm();
      BOOST_TEST(now < before);
      before = now;
    }
}

// The quarter turn of U is the quarter turn of u.
BOOST_AUTO_TEST_CASE(turns_with_its_flow)
{
  const auto turned = [](const Vector &x) -> Vector {
    const Vector U = flow_of_BM(Eigen::Vector2d(x(1), 1. - x(0)));
    return Eigen::Vector2d(-U(1), U(0));
  };
  const Solution s(setting_of(flow_of_BM, constant(.4), 8.)), t(setting_of(turned, constant(.4), 8.));
  BOOST_TEST(s.norm() == t.norm(), tt::tolerance(1e-5));
}

// Where s varies, u is admissible for the s of its place and the bound holds: u = U where U is admissible.
BOOST_AUTO_TEST_CASE(dilatancy_may_vary)
{
  const Field    halves = by_points([](const Vector &x) -> Vector { return Vector::Constant(1, x(0) < .5 ? 0. : .8); });
  const auto     shear  = [](const Vector &x) -> Vector { return Eigen::Vector2d(0., std::min(x(0), .5)); };
  const Solution s(setting_of(shear, halves, 8.));
  BOOST_TEST(s.distance_to_U() < 1e-6); // of the solver: where s = 0 a shear is on the edge of the cone
  const Solution flow(setting_of(flow_of_BM, halves, 8.));
  BOOST_TEST_REQUIRE(flow.x.converged());
  BOOST_TEST(flow.bound.available);
  BOOST_TEST(!flow.bound.guaranteed); // s is looked at in points
  BOOST_TEST(flow.bound.remark.find("dilatancy varies") != std::string::npos);
  BOOST_TEST(flow.norm() < Solution(setting_of(flow_of_BM, constant(0.), 8.)).norm());
  BOOST_TEST(flow.norm() > Solution(setting_of(flow_of_BM, constant(.8), 8.)).norm());
}

// Between walls all around nothing moves where s > 0, and that is said.
BOOST_AUTO_TEST_CASE(closed_boxes_are_jammed)
{
  const auto swirl = [](const Vector &x) -> Vector {
    return Eigen::Vector2d(std::sin(M_PI * x(0)) * std::cos(M_PI * x(1)), -std::cos(M_PI * x(0)) * std::sin(M_PI * x(1)));
  };
  const Setting closed = setting_of(swirl, constant(.3), 8., all_around);
  BOOST_TEST(!remark_on_closed_box(closed).empty());
  BOOST_TEST(remark_on_closed_box(setting_of(swirl, constant(.3), 8.)).empty());
  const Solution s(closed);
  BOOST_TEST(s.norm() < 1e-4);
}

// The outer polygon's u differs by what K leaves: less for more directions.
BOOST_AUTO_TEST_CASE(approximation_improves_with_directions)
{
  std::vector<double> found;
  for (const int K : {4, 8, 16})
    {
      const Solution s(setting_of(flow_of_BM, constant(.5), 8., {}, K));
      const auto     difference = s.mesh->approximation_of_cone(s.x);
      BOOST_TEST_REQUIRE(difference.has_value());
      found.push_back(*difference);
    }
  BOOST_TEST(found[1] < .5 * found[0]);
  BOOST_TEST(found[2] < .5 * found[1]);
  BOOST_TEST(found[2] < .02);
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_dilatancy)
{
  BOOST_CHECK_THROW(discretize(setting_of(flow_of_BM, constant(1.2), 4.)), InputError);
  BOOST_CHECK_THROW(discretize(setting_of(flow_of_BM, constant(-.1), 4.)), InputError);
  BOOST_CHECK_THROW(macro::dilatant_cone(2, constant(.3), 7), InputError);
  BOOST_CHECK_THROW(macro::dilatant_cone(2, constant(.3), 2), InputError);
}

BOOST_AUTO_TEST_SUITE_END()
