// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/frame.h"

#include "convex/certificate.h"
#include "convex/impact_law.h"
#include "convex/solvers/make_projector.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(frame)

using namespace moreau::convex;
using namespace moreau;

// Networks of spheres and an operator without entries; U in a frame that is up to 10^9 times faster.
BOOST_AUTO_TEST_CASE(a_fast_frame_costs_no_digit_but_those_of_U)
{
  const StoppingCriterion criterion;
  int                     n = 0;
  for (const oracles::Oracle &oracle : oracles::network_cones(3))
    {
      ProjectionProblem    problem = oracle.problem;
      const VelocitySpace &V       = *problem.V;
      const auto          *space   = dynamic_cast<const DiagonalSpace *>(problem.V.get());
      const double         scale   = relative_scale(problem);
      const Vector         axis    = space ? Vector(V.mean(Vector::LinSpaced(V.size(), 1., 2.))) : Vector();
      Vector               of_axis(problem.n_constraints());
      if (!space || scale == 0. || axis.isZero(0.))
        continue;
      problem.B->apply(axis, of_axis);
      if (!of_axis.isZero(1e-12)) // something at rest tells frames apart
        continue;
      ++n;
      for (const double speed : {1e3, 1e6, 1e9})
        {
          const double      c      = speed * scale / V.norm(axis);
          ProjectionProblem moving = problem;
          moving.U                 = problem.U + c * axis;
          const auto        solver = make_projector("interior point", criterion);
          const SaddlePoint x      = project_in_frame(*solver, moving);
          BOOST_TEST_INFO(oracle.name << " at " << speed);
          // what U itself keeps of its differences
          const double kept = 4. * epsilon * speed;
          BOOST_TEST(x.converged());
          BOOST_TEST(V.norm(x.u - c * axis - oracle.u) <= (x.certificate.relative_error_bound + kept) * scale);
          BOOST_TEST(x.certificate.relative_error_bound <= 1e-6 + 200. * epsilon * speed);
          BOOST_TEST(single_impact(moving, *solver, Law()).worst.relative_error_bound == x.certificate.relative_error_bound);
        }
    }
  BOOST_TEST(n >= 3);
}

// Means over cells differ by rounding: no bound is relative to that.
BOOST_AUTO_TEST_CASE(what_rounding_leaves_of_a_uniform_velocity_is_at_rest)
{
  constexpr Index          n = 400;
  SparseConstraint::Matrix B(n - 1, n);
  for (Index c = 0; c + 1 < n; ++c)
    {
      B.insert(c, c)     = 1.;
      B.insert(c, c + 1) = -1.;
    }
  ProjectionProblem problem;
  problem.V = std::make_shared<DiagonalSpace>(Vector::LinSpaced(n, 1., 3.));
  problem.B = std::make_shared<SparseConstraint>(B);
  problem.U = Vector::Constant(n, .3);
  for (Index k = 0; k < n; k += 3)
    problem.U(k) *= 1. + 4. * epsilon * (k % 2 == 0 ? 1. : -1.);
  for (const char *const solver : {"interior point", "projected gradient"})
    {
      const SaddlePoint x = project_in_frame(*make_projector(solver, {}), problem);
      BOOST_TEST(x.converged(), solver);
      BOOST_TEST(x.p.isZero(0.), solver);
      BOOST_TEST((x.u - problem.U).lpNorm<Eigen::Infinity>() < 20. * epsilon, solver);
      // it is admissible: the law has nothing to do, once or again
      for (const double e : {0., .5})
        {
          const Impact impact = post_impact(problem, *make_projector(solver, {}), e);
          BOOST_TEST(impact.effort.n_projections == 0);
          BOOST_TEST(impact.effort.converged());
          BOOST_TEST(impact.worst.relative_error_bound == 0.);
          BOOST_TEST(impact.u_plus == problem.U);
        }
    }
  BOOST_TEST(is_uniform(problem));
  problem.U(0) *= 1. + 1e-6;
  BOOST_TEST(!is_uniform(problem));
}

// A wall knows which frame it is in.
BOOST_AUTO_TEST_CASE(what_rows_notice_is_left_as_it_is)
{
  ProjectionProblem problem;
  problem.V = std::make_shared<DiagonalSpace>(Vector::Ones(2));
  SparseConstraint::Matrix B(2, 2);
  B.insert(0, 0)      = 1.; // v_0 <= v_1 <= 0
  B.insert(0, 1)      = -1.;
  B.insert(1, 1)      = 1.;
  problem.B           = std::make_shared<SparseConstraint>(B);
  problem.U           = Vector::Constant(2, 1e6) + Vector::LinSpaced(2, 1., 0.);
  const SaddlePoint x = project_in_frame(*make_projector("Lawson-Hanson", {}), problem);
  BOOST_TEST(x.u.isZero(1e-9));
  BOOST_TEST(x.converged());
}

BOOST_AUTO_TEST_SUITE_END()
