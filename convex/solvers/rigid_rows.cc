// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/rigid_rows.h"

#include "convex/certificate.h"
#include "convex/structure.h"

#include <cmath>

namespace moreau::convex
{
namespace
{
constexpr double penalty       = 1e10; ///< 1e8 to 1e11 serve
constexpr int    n_repetitions = 8;
} // namespace

RigidRows::RigidRows(const ProjectionProblem &problem, const std::vector<char> &rigid)
    : problem(problem)
    , matrix(make_normal_matrix(*structure_of(problem).entries, structure_of(problem).masses->masses()))
    , cholesky(make_sparse_cholesky(matrix->pattern()))
    , w(Vector::Zero(problem.n_constraints()))
    , Bv(w.size())
    , v(problem.n_unknowns())
{
  const Vector W = delassus_diagonal(problem);
  for (Index c = 0; c < w.size(); ++c)
    if (rigid[c] && W(c) > 0.)
      w(c) = penalty / W(c);
  matrix->assemble(w);
  usable = cholesky->factorize(matrix->values());
}

void RigidRows::hold(Vector &u)
{
  for (int repetition = 0; usable && repetition < n_repetitions; ++repetition)
    {
      problem.B->apply(u, Bv);
      Bv = Bv.cwiseProduct(w);
      problem.B->apply_transpose(Bv, v);
      cholesky->solve(v);
      u -= v;
    }
}

void RigidRows::balance(Vector &s)
{
  for (int repetition = 0; usable && repetition < n_repetitions; ++repetition)
    {
      problem.B->apply_transpose(s, v);
      cholesky->solve(v);
      problem.B->apply(v, Bv);
      s -= w.cwiseProduct(Bv);
    }
}

void remove_rounding(const ProjectionProblem &problem, Vector &u)
{
  const double tiny = 1e-13 * typical_speed(problem), rounding = epsilon * max_abs(u);
  const auto  &B     = structure_of(problem).entries->matrix();
  const Vector sizes = problem.B->row_norms(), given = u;
  Vector       Bu(B.rows()), Bu_given(B.rows());
  problem.B->apply(given, Bu_given);
  u = (given.array().abs() < tiny).select(0., given);
  for (bool again = true; again;)
    {
      again = false;
      problem.B->apply(u, Bu);
      for (Index c = 0; c < Bu.size(); ++c)
        {
          const double of_row = rounding * (sizes.size() == 0 ? 1. : sizes(c));
          if (std::abs(Bu(c)) > of_row && std::abs(Bu(c) - Bu_given(c)) > of_row)
            for (SparseConstraint::Matrix::InnerIterator entry(B, c); entry; ++entry)
              {
                double &kept = u(entry.col());
                again        = again || kept != given(entry.col());
                kept         = given(entry.col());
              }
        }
    }
}
} // namespace moreau::convex
