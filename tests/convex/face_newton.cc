// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/face_newton.h"

#include "tests/oracles.h"

#include "convex/solvers/lawson_hanson.h"
#include "convex/solvers/warm_projection.h"
#include "convex/solvers/make_projector.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(face_newton)

using namespace moreau;
using namespace moreau::convex;

namespace
{
StoppingCriterion to_residual(const double tolerance)
{
  StoppingCriterion criterion;
  criterion.tolerance           = tolerance;
  criterion.on_natural_residual = true;
  return criterion;
}

bool is_factorisable(const ProjectionProblem &problem)
{
  return dynamic_cast<const SparseConstraint *>(problem.B.get()) && dynamic_cast<const DiagonalSpace *>(problem.V.get());
}

double error(const ProjectionProblem &problem, const Vector &u, const Vector &answer)
{
  return problem.V->norm(u - answer) / problem.V->norm(problem.U - problem.V->mean(problem.U));
}
} // namespace

BOOST_AUTO_TEST_CASE(multipliers_that_are_nearly_right_are_completed)
{
  int n_tried = 0;
  for (const oracles::Oracle &oracle : oracles::affine_oracles(4))
    if (is_factorisable(oracle.problem))
      {
        // the signs are right, the numbers are not
        const SaddlePoint exact = LawsonHanson(to_residual(1e-13)).project(oracle.problem);
        const Vector      start = exact.p * 1.0003;
        const SaddlePoint x     = FaceNewton(to_residual(1e-10)).project(oracle.problem, &start);
        BOOST_TEST(x.converged(), oracle.name << ": " << x.certificate.natural_residual);
        BOOST_TEST(error(oracle.problem, x.u, oracle.u) < 1e-8, oracle.name);
        BOOST_TEST(x.n_iterations >= 1u);
        ++n_tried;
      }
  BOOST_TEST(n_tried >= 3);
}

BOOST_AUTO_TEST_CASE(it_says_when_it_gives_up)
{
  for (const oracles::Oracle &oracle : oracles::network_cones(7))
    if (is_factorisable(oracle.problem))
      {
        const Vector      start = Vector::Constant(oracle.problem.n_constraints(), 1.);
        const SaddlePoint x     = FaceNewton(to_residual(1e-10)).project(oracle.problem, &start);
        // whatever happened, the certificate is that of what is returned
        BOOST_TEST((x.converged() == (x.certificate.natural_residual <= 1e-10)), oracle.name);
        if (x.converged())
          BOOST_TEST(error(oracle.problem, x.u, oracle.u) < 1e-7, oracle.name);
      }
}

BOOST_AUTO_TEST_CASE(without_a_start_nothing_is_tried)
{
  const oracles::Oracle oracle = oracles::network_cones(1).front();
  const SaddlePoint     x      = FaceNewton(to_residual(1e-6)).project(oracle.problem);
  BOOST_TEST(!x.converged());
  BOOST_TEST(x.n_iterations == 0u);
}

// What time steps use: each of a row of slowly changing problems starts from the answer to the one before.
BOOST_AUTO_TEST_CASE(a_sequence_of_neighbouring_problems_is_followed)
{
  const oracles::Network network = oracles::disturbed(oracles::lattice_patch(30, 30, true), .02, .3, 5);
  oracles::Random        random(3);
  const Vector           masses = oracles::masses(random, network.size(), .5);
  const Vector           U = random.normals(network.dim() * network.size()), V = random.normals(U.size());
  Vector                 p;
  for (int k = 0; k <= 5; ++k)
    {
      const ProjectionProblem problem = oracles::network_problem(network, masses, U + .01 * k * V);
      BOOST_TEST_REQUIRE(problem.n_constraints() > 500);
      if (k == 0)
        p = Vector::Zero(problem.n_constraints());
      WarmProjection    warm(problem, p, "automatic", to_residual(1e-9));
      const SaddlePoint rough = warm.rough(1e-2), x = warm.exact();
      const SaddlePoint cold = make_projector("interior point", to_residual(1e-9))->project(problem);
      BOOST_TEST(x.converged());
      BOOST_TEST(error(problem, x.u, cold.u) < 1e-7);
      BOOST_TEST(error(problem, rough.u, cold.u) < .2);
      p = x.p;
    }
}

BOOST_AUTO_TEST_SUITE_END()
