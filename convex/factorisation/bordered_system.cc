// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/factorisation/bordered_system.h"

#include <algorithm>
#include <utility>

namespace moreau::convex
{
BorderedSystem::BorderedSystem(const SparseConstraint &B, const Vector &l, std::shared_ptr<SparseCholesky> factors)
    : B(B)
    , l(l)
    , ones(Vector::Ones(B.n_unknowns()))
    , matrix(make_normal_matrix(B, ones))
    , cholesky(factors ? std::move(factors) : std::shared_ptr<SparseCholesky>(make_sparse_cholesky(matrix->pattern())))
    , border(B.n_unknowns())
{}

bool BorderedSystem::factorize(const Vector &W)
{
  matrix->assemble(W);
  if (!cholesky->factorize(matrix->values()))
    return false;
  const Vector Wl = -W.cwiseProduct(l);
  B.apply_transpose(Wl, border);
  corner        = -Wl.dot(l);
  solved_border = border;
  cholesky->solve(solved_border);
  return solved_border.allFinite();
}

bool BorderedSystem::solve(Vector &x, double &t) const
{
  const double pivot = corner - border.dot(solved_border);
  if (!(pivot > 0.))
    return false;
  cholesky->solve(x);
  t = (t - border.dot(x)) / pivot;
  x -= t * solved_border;
  return true;
}

double longest_part(const Vector &x, const Vector &dx, const double most)
{
  double alpha = most;
  for (Index c = 0; c < x.size(); ++c)
    if (dx(c) < 0.)
      alpha = std::min(alpha, -x(c) / dx(c));
  return alpha;
}
} // namespace moreau::convex
