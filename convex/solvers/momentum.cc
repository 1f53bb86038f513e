// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/momentum.h"

#include "convex/shared_components.h"
#include "convex/structure.h"

#include <algorithm>

namespace moreau::convex
{
Vector with_momentum_of_U(const ProjectionProblem &problem, Vector u)
{
  const DiagonalSpace *const V = structure_of(problem).masses;
  if (!V || u.size() == 0 && !shared_network(problem))
    return u;
  const Index      dim = V->dimension(), n = V->masses_of_nodes().size();
  const Expansion &parts   = problem.expansion;
  const Index      n_parts = std::max(1, parts.n_parts);
  const auto part_of = [&](const Index node) -> Index { return parts.n_parts == 0 ? 0 : parts.part_of_unknown[dim * node]; };

  const Vector &masses = V->masses_of_nodes();
  const auto    add    = [&](const Index k, Eigen::Ref<Vector> sum) { // momentum that is missing, and mass
    sum.head(dim) += masses(k) * (problem.U.segment(dim * k, dim) - u.segment(dim * k, dim));
    sum(dim) += masses(k);
  };
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(dim + 1, n_parts);
  if (const SharedNetwork *const network = shared_network(problem))
    sums = sums_of_parts(*network, dim + 1, n_parts, part_of, add);
  else
    for (Index k = 0; k < n; ++k)
      add(k, sums.col(part_of(k)));

  Vector uniform(u.size()), B_uniform(problem.n_constraints());
  for (Index k = 0; k < n; ++k)
    uniform.segment(dim * k, dim) = sums.col(part_of(k)).head(dim) / sums(dim, part_of(k));
  problem.B->apply(uniform, B_uniform);
  std::vector<double> is_held(n_parts, 0.);
  const double        rounding = 8. * epsilon * problem.V->max_over_processes(max_abs(uniform));
  for (Index c = 0; c < B_uniform.size(); ++c)
    if (!(std::abs(B_uniform(c)) <= rounding))
      is_held[parts.n_parts == 0 ? 0 : parts.part_of_row[c]] = 1.;
  max_of_each_over_processes(problem, is_held);
  for (Index k = 0; k < n; ++k)
    if (is_held[part_of(k)] == 0.)
      u.segment(dim * k, dim) += uniform.segment(dim * k, dim);
  return u;
}
} // namespace moreau::convex
