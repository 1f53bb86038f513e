// SPDX-License-Identifier: GPL-3.0-or-later
// A small part of what campaign_impacts does with a hundred thousand.
#include "tests/campaign/active_set.h"
#include "tests/campaign/judged_impact.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(random_impacts)

using namespace moreau::campaign;

// x + y <= 1 cuts the corner of the unit square off; the second copy of the row changes nothing, and x >= 2 leaves nothing.
BOOST_AUTO_TEST_CASE(the_oracle_knows_corners_copies_and_what_is_empty)
{
  RealMatrix A(4, 2);
  A << 1.L, 0.L, 0.L, 1.L, 1.L, 1.L, 2.L, 2.L;
  RealVector b(4), y(2);
  b << 1.L, 1.L, 1.L, 2.L;
  y << 3.L, 2.5L;
  const NearestPoint edge = nearest_point(A, b, y);
  BOOST_TEST((edge.verdict == Verdict::solved));
  BOOST_TEST(std::abs(static_cast<double>(edge.x(0) - .75L)) <= 1e-17);
  BOOST_TEST(std::abs(static_cast<double>(edge.x(1) - .25L)) <= 1e-17);
  y << 5.L, -1.L;
  const NearestPoint corner = nearest_point(A, b, y);
  BOOST_TEST((corner.verdict == Verdict::solved));
  BOOST_TEST(std::abs(static_cast<double>(corner.x(0) - 1.L)) <= 1e-17);
  BOOST_TEST(std::abs(static_cast<double>(corner.x(1) + 1.L)) <= 1e-17);
  BOOST_TEST(static_cast<double>(corner.lambda.minCoeff()) >= 0.);
  A.row(3) << -1.L, 0.L;
  b(3) = -2.L;
  BOOST_TEST((nearest_point(A, b, y).verdict == Verdict::empty));
}

BOOST_AUTO_TEST_CASE(five_hundred_impacts_are_as_their_certificates_say)
{
  Counts all;
  for (unsigned int seed = 1; seed <= 500; ++seed)
    all += judged(random_impact(seed), seed);
  for (const std::string &sentence : all.faults)
    BOOST_ERROR(sentence);
  // what is not there is not tested
  BOOST_TEST(all.bounds >= 250);
  BOOST_TEST(all.estimates > 0);
  BOOST_TEST(all.infeasible > 0);
  BOOST_TEST(all.momenta > 100);
  BOOST_TEST(all.largest_ratio > 1e-3); // the bounds are not huge
  BOOST_TEST(all.undecided <= 5);
}

BOOST_AUTO_TEST_SUITE_END()
