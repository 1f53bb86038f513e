// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/local_polish.h"

#include "convex/certificate.h"
#include "convex/solvers/interior_point.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(local_polish)

using namespace moreau;
using namespace moreau::convex;

namespace
{
/// ½|U - B*p|² + <b,p>.
double dual_value(const ProjectionProblem &problem, const Vector &p)
{
  return .5 * std::pow(problem.V->norm(problem.velocity_of(p)), 2) + problem.right_hand_side().dot(p);
}

double error(const ProjectionProblem &problem, const Vector &u, const Vector &answer)
{
  return problem.V->norm(u - answer) / problem.V->norm(problem.U - problem.V->mean(problem.U));
}

PolishParameters everything()
{
  PolishParameters parameters;
  parameters.threshold = 0.;
  parameters.depth     = 1000;
  parameters.near      = 1e9;
  parameters.largest   = 1.;
  return parameters;
}

/// A network of spheres with masses over two decades and a random U.
ProjectionProblem loose_network(const unsigned int seed)
{
  oracles::Random        random(seed);
  const oracles::Network network = oracles::lattice_patch(24, 24, true, .2, seed);
  return oracles::network_problem(network, oracles::masses(random, network.size(), 2.), random.normals(2 * network.size()));
}
} // namespace

BOOST_AUTO_TEST_CASE(exact_when_the_cluster_is_everything)
{
  std::vector<oracles::Oracle> all = oracles::affine_oracles(1);
  for (oracles::Oracle &oracle : oracles::network_cones(1))
    all.push_back(std::move(oracle));
  for (const oracles::Oracle &oracle : all)
    BOOST_TEST_CONTEXT(oracle.name)
    {
      Vector             p      = Vector::Zero(oracle.p.size());
      const PolishReport report = convex::local_polish(oracle.problem, p, everything());
      BOOST_TEST(report.n_rejected == 0u);
      BOOST_TEST(error(oracle.problem, oracle.problem.velocity_of(p), oracle.u) < 1e-6); // certified to the round-off floor
    }
}

// Exact block minimisation: the dual value falls, by what is reported, from any p.
BOOST_AUTO_TEST_CASE(the_dual_value_never_rises)
{
  for (unsigned int seed = 1; seed < 4; ++seed)
    {
      const ProjectionProblem problem = loose_network(seed);
      oracles::Random         random(seed);
      Vector                  p = random.normals(problem.n_constraints()).cwiseMax(0.);
      for (const double largest : {.05, .1, .2, .4, .8})
        {
          PolishParameters parameters;
          parameters.largest        = largest;
          parameters.depth          = 3;
          const Vector       before = p;
          const PolishReport report = convex::local_polish(problem, p, parameters);
          BOOST_TEST(p.minCoeff() >= 0.);
          BOOST_TEST(report.dual_change < 0.);
          BOOST_TEST(dual_value(problem, p) - dual_value(problem, before) == report.dual_change,
                     boost::test_tools::tolerance(1e-6));
          BOOST_TEST(static_cast<double>(report.n_nodes) <= largest * static_cast<double>(problem.V->size()) / 2.);
        }
    }
}

// Only rows among the marked nodes move, and on them (p, b - Bu) is complementary afterwards.
BOOST_AUTO_TEST_CASE(a_local_disturbance_is_mended_locally)
{
  const ProjectionProblem problem = loose_network(5);
  StoppingCriterion       criterion;
  criterion.tolerance     = 1e-9;
  const SaddlePoint exact = InteriorPoint(criterion).project(problem);
  BOOST_TEST_REQUIRE(exact.converged());

  Vector p = exact.p;
  Index  c = 0;
  p.maxCoeff(&c);
  p(c) *= 2.;
  const double     disturbed = error(problem, problem.velocity_of(p), exact.u);
  PolishParameters parameters;
  parameters.depth          = 4;
  parameters.near           = 1e9;
  parameters.largest        = .5;
  const PolishReport report = convex::local_polish(problem, p, parameters);
  BOOST_TEST(report.effort.n_projections == 1);
  BOOST_TEST(report.n_nodes < problem.V->size() / 4);
  BOOST_TEST(error(problem, problem.velocity_of(p), exact.u) < 1e-5 * disturbed);
}

BOOST_AUTO_TEST_CASE(an_answer_is_left_alone)
{
  const ProjectionProblem problem = loose_network(6);
  StoppingCriterion       criterion;
  criterion.tolerance     = 1e-9;
  const SaddlePoint exact = InteriorPoint(criterion).project(problem);
  Vector            p     = exact.p;
  convex::local_polish(problem, p);
  BOOST_TEST(error(problem, problem.velocity_of(p), exact.u) < 1e-6);

  ProjectionProblem feasible = problem;
  feasible.U.setZero();
  p.setZero();
  const PolishReport report = convex::local_polish(feasible, p);
  BOOST_TEST(report.effort.n_projections == 0);
  BOOST_TEST(p.isZero(0.));
}

// Masses that differ between the entries of a node belong to a space of scalar nodes.
BOOST_AUTO_TEST_CASE(every_entry_may_have_its_own_mass)
{
  oracles::Random   random(7);
  ProjectionProblem problem = loose_network(7);
  problem.V                 = std::make_shared<DiagonalSpace>(oracles::masses(random, problem.U.size(), 2.));
  StoppingCriterion criterion;
  criterion.tolerance     = 1e-9;
  const SaddlePoint exact = InteriorPoint(criterion).project(problem);
  BOOST_TEST_REQUIRE(exact.converged());

  Vector             p      = Vector::Zero(problem.n_constraints());
  const PolishReport report = convex::local_polish(problem, p, everything());

  BOOST_TEST(report.n_rejected == 0u);
  BOOST_TEST(error(problem, problem.velocity_of(p), exact.u) < 1e-6); // certified to 1e-6
  BOOST_TEST(dual_value(problem, p) - dual_value(problem, Vector::Zero(p.size())) == report.dual_change,
             boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_SUITE_END()
