// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/momentum.h"

#include "convex/structure.h"

namespace moreau::convex
{
Vector with_momentum_of_U(const ProjectionProblem &problem, Vector u)
{
  const DiagonalSpace *const V = structure_of(problem).masses;
  if (!V || u.size() == 0)
    return u;
  const Index      dim = V->dimension(), n = V->masses_of_nodes().size();
  const Expansion &parts   = problem.expansion;
  const Index      n_parts = parts.empty() ? 1 : parts.n_parts;
  const auto       part_of = [&](const Index node) { return parts.empty() ? 0 : parts.part_of_unknown[dim * node]; };

  Eigen::MatrixXd missing = Eigen::MatrixXd::Zero(dim, n_parts);
  Vector          mass    = Vector::Zero(n_parts);
  for (Index k = 0; k < n; ++k)
    {
      const double m = V->masses_of_nodes()(k);
      missing.col(part_of(k)) += m * (problem.U.segment(dim * k, dim) - u.segment(dim * k, dim));
      mass(part_of(k)) += m;
    }
  Vector uniform(u.size()), B_uniform(problem.n_constraints());
  for (Index k = 0; k < n; ++k)
    uniform.segment(dim * k, dim) = missing.col(part_of(k)) / mass(part_of(k));
  problem.B->apply(uniform, B_uniform);
  std::vector<char> is_held(n_parts, 0);
  const double      rounding = 8. * epsilon * max_abs(uniform);
  for (Index c = 0; c < B_uniform.size(); ++c)
    if (!(std::abs(B_uniform(c)) <= rounding))
      is_held[parts.empty() ? 0 : parts.part_of_row[c]] = 1;
  for (Index k = 0; k < n; ++k)
    if (!is_held[part_of(k)])
      u.segment(dim * k, dim) += uniform.segment(dim * k, dim);
  return u;
}
} // namespace moreau::convex
