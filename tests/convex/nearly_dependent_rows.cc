// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/interior_point.h"

#include "tests/oracles.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(nearly_dependent_rows)

namespace utf = boost::unit_test;
using namespace moreau;
using namespace moreau::convex;

/// Rows of nearly a lattice nearly depend on each other: what the proximal term leaves of their violation was undone by a
/// twentieth a step, and bounds stayed above 1e-6.
BOOST_DATA_TEST_CASE(what_is_nearly_a_lattice_is_certified, utf::data::make({2e-4, 5e-4}) * utf::data::make({3u, 5u}), shift,
                     seed)
{
  const oracles::Network network = oracles::disturbed(oracles::lattice_patch(110, 110, true), shift, 0., seed);
  oracles::Random        random(seed);
  const Vector           of_blocks = random.normals(2 * 19 * 9);
  Vector                 U(2 * network.size());
  for (Index k = 0; k < network.size(); ++k)
    U.segment(2 * k, 2) = of_blocks.segment(
        2 * (static_cast<Index>((network.r(0, k) + .5) / 13.) * 9 + static_cast<Index>((network.r(1, k) + .5) / 13.)), 2);
  StoppingCriterion criterion;
  criterion.tolerance = 1e-6;
  const SaddlePoint x = InteriorPoint(criterion).project(oracles::network_problem(network, Vector::Ones(network.size()), U));
  BOOST_TEST(x.converged());
  BOOST_TEST(x.certificate.guaranteed);
  BOOST_TEST(x.certificate.relative_error_bound < 1e-6);
}

BOOST_AUTO_TEST_SUITE_END()
