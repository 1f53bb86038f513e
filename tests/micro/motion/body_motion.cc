// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/body_motion.h"

#include "convex/solvers/make_projector.h"
#include "micro/impact_sequence.h"
#include "micro/lattices.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(body_motion)

using namespace moreau;
using namespace moreau::micro;
namespace utf = boost::unit_test;

namespace
{
/// Two rows of N spheres that fill .999 of their lengths and meet at 1 m/s each; with their gaps open.
BodyMotion two_rows(const Index N, const double restitution)
{
  const Spheres      spheres = lattices::row(2 * N, .4995 / N, Vector::Zero(1), .001 / N);
  Vector             U       = Vector::Ones(2 * N);
  SequenceParameters parameters;
  parameters.law.restitution   = restitution;
  parameters.contact_tolerance = 1e-9;
  parameters.max_impacts       = 1000000;
  U.tail(N).setConstant(-1.);
  const ImpactSequence x =
      micro::impact_sequence(spheres, {}, U, *convex::make_projector("Lawson-Hanson", {1e-10}), parameters);
  return micro::body_motion(spheres, U, x.U);
}
} // namespace

// Velocities of bodies by hand: masses 1, 1 and 2; the first body has come apart.
BOOST_AUTO_TEST_CASE(means_and_what_is_left_of_them)
{
  Spheres spheres{Eigen::MatrixXd(2, 3), Vector::Constant(3, .5), Eigen::Vector3d(1., 1., 2.)};
  spheres.r << 0., 1., 2., 0., 0., 0.;
  Vector U(6), u(6);
  U << 1., 0., 1., 0., -1., 0.;
  u << -.5, .25, 0., -.25, .25, 0.;
  const BodyMotion bodies = micro::body_motion(spheres, U, u);
  BOOST_TEST(bodies.n_bodies == 2);
  BOOST_TEST(bodies.granular == .5 * (.0625 + .0625 + .0625 + .0625)); // about (-.25, 0)
  BOOST_TEST_REQUIRE(bodies.effective_restitution.has_value());
  BOOST_TEST(*bodies.effective_restitution == .25); // .5 of 2 m/s
}

BOOST_AUTO_TEST_CASE(bodies_that_part_or_more_than_two_have_no_restitution)
{
  Spheres spheres{Eigen::MatrixXd(1, 3), Vector::Constant(3, .5), Vector::Ones(3)};
  spheres.r << 0., 1., 2.;
  const Vector part = Eigen::Vector3d(-1., 1., 1.), three = Eigen::Vector3d(1., 0., -1.);
  BOOST_TEST(!micro::body_motion(spheres, part, part).effective_restitution.has_value());
  BOOST_TEST(!micro::body_motion(spheres, three, three).effective_restitution.has_value());
  BOOST_TEST(micro::body_motion(spheres, three, three).n_bodies == 3);
}

// Which restitution survives: a function of N (1 - e) alone, .904, .818, .667, .337 at .1, .2, .4, 1.
BOOST_AUTO_TEST_CASE(rows_with_gaps_lose_their_restitution, *utf::tolerance(.005))
{
  BOOST_TEST(*two_rows(10, 1.).effective_restitution == 1.);
  BOOST_TEST(*two_rows(10, .99).effective_restitution == .904);
  BOOST_TEST(*two_rows(20, .99).effective_restitution == .818);
  BOOST_TEST(*two_rows(40, .99).effective_restitution == .667);
  BOOST_TEST(*two_rows(20, .95).effective_restitution == .337);
}

BOOST_AUTO_TEST_SUITE_END()
