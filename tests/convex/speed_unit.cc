// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/speed_unit.h"

#include "convex/certificate.h"
#include "convex/solvers/make_projector.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(speed_unit)

using namespace moreau;
using namespace moreau::convex;

// Times a power of two nothing may change: squares of these speeds are 0 or infinite.
BOOST_AUTO_TEST_CASE(speeds_whose_squares_are_no_numbers_are_projected_and_certified_as_others)
{
  std::vector<oracles::Oracle> all = oracles::network_cones(3);
  for (oracles::Oracle &oracle : oracles::affine_oracles(3))
    all.push_back(std::move(oracle));
  for (const oracles::Oracle &oracle : all)
    for (const char *const solver : {"automatic", "interior point", "Lawson-Hanson"})
      {
        const auto        projector = make_projector(solver, {});
        const SaddlePoint usual     = projector->project(oracle.problem);
        if (max_abs(oracle.problem.U) == 0.)
          continue;
        int exponent = 0;
        std::frexp(max_abs(oracle.problem.U), &exponent);
        const SaddlePoint alike = projector->project(in_speed_unit(oracle.problem, exponent));
        for (const int k : {-900, -600, 500, 900})
          {
            ProjectionProblem problem = oracle.problem;
            problem.U                 = times_power_of_two(problem.U, k);
            problem.b                 = times_power_of_two(problem.b, k);
            const SaddlePoint x       = projector->project(problem);
            BOOST_TEST((x.u == times_power_of_two(alike.u, k + exponent)), oracle.name << ", " << solver << ", " << k);
            BOOST_TEST((x.status == usual.status), oracle.name << ", " << solver << ", " << k);
            BOOST_TEST(x.certificate.relative_error_bound == alike.certificate.relative_error_bound);
            const Certificate again = certify(problem, x.u, x.p);
            BOOST_TEST(again.relative_error_bound == alike.certificate.relative_error_bound);
          }
      }
}

BOOST_AUTO_TEST_CASE(usual_speeds_keep_their_unit)
{
  for (const oracles::Oracle &oracle : oracles::network_cones(1))
    BOOST_TEST(exponent_of_speeds(oracle.problem) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
