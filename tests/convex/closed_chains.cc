// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/chains/chain_families.h"
#include "convex/solvers/automatic_projector.h"
#include "convex/solvers/chain_projector.h"
#include "convex/solvers/lawson_hanson.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(closed_chains)

using namespace moreau::convex;
using namespace moreau::oracles;

namespace
{
/// n bodies around a period: u_{k+1} >= u_k - b_k, the last one is before the first. Every second row is turned around.
ProjectionProblem ring(const Vector &m, const Vector &U, const Vector &b)
{
  const Index                       n = m.size();
  std::vector<PairConstraint::Pair> pairs;
  Eigen::MatrixXd                   e = Eigen::MatrixXd::Ones(1, n);
  for (int k = 0; k < n; ++k)
    {
      const int next = (k + 1) % static_cast<int>(n);
      k % 2 == 0 ? pairs.push_back({k, next}) : pairs.push_back({next, k});
      e(0, k) = k % 2 == 0 ? 1. : -1.;
    }
  ProjectionProblem problem;
  problem.V = std::make_shared<DiagonalSpace>(m);
  problem.B = std::make_shared<PairConstraint>(1, n, pairs, e);
  problem.U = U;
  problem.b = b;
  return problem;
}
} // namespace

BOOST_AUTO_TEST_CASE(a_ring_that_touches_all_around_moves_as_one)
{
  Random random(1);
  for (const Index n : {2, 3, 10, 301})
    {
      const Vector            m = masses(random, n, 2.), U = random.normals(n);
      const ProjectionProblem problem = ring(m, U, Vector());
      const double            mean    = m.dot(U) / m.sum();
      for (const bool automatic : {false, true})
        {
          const SaddlePoint x = automatic ? AutomaticProjector(StoppingCriterion()).project(problem)
                                          : ChainProjector(StoppingCriterion()).project(problem);
          BOOST_TEST(x.converged());
          BOOST_TEST(x.certificate.guaranteed);
          BOOST_TEST((x.u.array() - mean).abs().maxCoeff() <= 1e-13);
          BOOST_TEST(saddle_point_defect(problem, x) <= 1e-12); // running sums of 301 numbers
          BOOST_TEST(x.p.minCoeff() == 0.);                     // of all p the least
          BOOST_TEST_REQUIRE(x.rigid.has_value());
          BOOST_TEST(x.rigid->n_rows == n);
          BOOST_TEST((x.rigid->is_rigid.array() == 1.).all());
        }
    }
}

// Any masses and b with room around the period, from next to none to more than is used: the saddle point is checked by its
// definition, and u by another solver.
BOOST_AUTO_TEST_CASE(rings_with_room_are_exact)
{
  Random random(2);
  for (int trial = 0; trial < 400; ++trial)
    {
      const Index n = 2 + random.below(12);
      Vector      b = random.normals(n);
      b(n - 1) += std::pow(10., -10. + 11. * random.uniform()) - b.sum();
      const ProjectionProblem problem = ring(masses(random, n, 1.), 3. * random.normals(n), b);
      const SaddlePoint       x       = ChainProjector(StoppingCriterion()).project(problem);
      BOOST_TEST(saddle_point_defect(problem, x) <= 1e-12);
      const Vector u = LawsonHanson().project(problem).u;
      BOOST_TEST((x.u - u).lpNorm<Eigen::Infinity>() <= 1e-9 * u.lpNorm<Eigen::Infinity>());
      BOOST_TEST_REQUIRE(x.rigid.has_value());
      BOOST_TEST(x.rigid->n_rows == 0);
    }
}

BOOST_AUTO_TEST_CASE(a_ring_without_room_is_infeasible_and_named)
{
  Vector b                        = Vector::Zero(5);
  b(3)                            = -.25;
  const ProjectionProblem problem = ring(Vector::Ones(5), Vector::Zero(5), b);
  const SaddlePoint       x       = ChainProjector(StoppingCriterion()).project(problem);
  BOOST_TEST((x.status == Status::infeasible));
  Vector Btp(5);
  problem.B->apply_transpose(x.p, Btp);
  BOOST_TEST(Btp.norm() == 0.);
  BOOST_TEST(x.p.minCoeff() >= 0.);
  BOOST_TEST(b.dot(x.p) < 0.);
}

namespace
{
/// The sites of n x n on a torus that are not left out; neighbours to the right and above, and diagonal ones.
ProjectionProblem torus(const int n, const double vacancies, const bool diagonal, Random &random)
{
  std::vector<int> number(n * n, -1);
  int              n_sites = 0;
  for (int k = 0; k < n * n; ++k)
    if (k < n || random.uniform() >= vacancies) // the first row is whole
      number[k] = n_sites++;
  std::vector<PairConstraint::Pair> pairs;
  std::vector<Eigen::Vector2d>      e;
  const auto                        join = [&](const int k, const int x, const int y, const Eigen::Vector2d &direction) {
    const int other = (x + n) % n + n * ((y + n) % n);
    if (number[k] < 0 || number[other] < 0)
      return;
    pairs.push_back({number[k], number[other]});
    e.push_back(direction);
  };
  for (int k = 0; k < n * n; ++k)
    {
      join(k, k % n + 1, k / n, {1., 0.});
      join(k, k % n, k / n + 1, {0., 1.});
      if (diagonal)
        join(k, k % n + 1, k / n + 1, {std::sqrt(.5), std::sqrt(.5)});
    }
  Eigen::MatrixXd directions(2, e.size());
  for (std::size_t c = 0; c < e.size(); ++c)
    directions.col(static_cast<Index>(c)) = e[c];
  ProjectionProblem problem;
  problem.V = std::make_shared<DiagonalSpace>(masses(random, n_sites, 1.), 2);
  problem.B = std::make_shared<PairConstraint>(2, n_sites, pairs, directions);
  problem.U = random.normals(2 * n_sites);
  return problem;
}
} // namespace

BOOST_AUTO_TEST_CASE(closed_and_open_lines_of_a_torus_are_exact)
{
  Random random(3);
  for (const double vacancies : {0., .2, .5})
    {
      const ProjectionProblem problem = torus(8, vacancies, false, random);
      const SaddlePoint       x       = AutomaticProjector(StoppingCriterion()).project(problem);
      BOOST_TEST(x.converged());
      BOOST_TEST(x.method == "lines (exact)");
      BOOST_TEST(x.certificate.guaranteed);
      BOOST_TEST(saddle_point_defect(problem, x) <= 1e-12);
      const Vector u = LawsonHanson().project(problem).u;
      BOOST_TEST((x.u - u).lpNorm<Eigen::Infinity>() <= 1e-8);
      BOOST_TEST(x.rigid.value().n_rows >= 8);
      BOOST_TEST((x.rigid.value().n_rows == 128) == (vacancies == 0.));
    }
}

// Lines that are coupled and closed are no lines to a projector, which leaves them to the others.
BOOST_AUTO_TEST_CASE(coupled_lines_of_a_torus_are_left_to_others)
{
  Random                  random(4);
  const ProjectionProblem problem = torus(8, .2, true, random);
  BOOST_TEST(!find_chain_families(dynamic_cast<const PairConstraint &>(*problem.B)).has_value());
  const SaddlePoint x = AutomaticProjector(StoppingCriterion()).project(problem);
  BOOST_TEST(x.converged());
  BOOST_TEST((x.u - LawsonHanson().project(problem).u).lpNorm<Eigen::Infinity>() <= 1e-5);
}

BOOST_AUTO_TEST_SUITE_END()
