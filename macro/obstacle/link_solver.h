// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_LINK_SOLVER_H
#define MOREAU_MACRO_OBSTACLE_LINK_SOLVER_H

#include "convex/effort.h"
#include "macro/obstacle/coarse_correction.h"

namespace moreau::macro
{
/// Conjugate gradients for Ax = f on the finest level of a chain, preconditioned by a V(1,1) cycle.
class LinkSolver
{
public:
  /// coarse: holds the levels under A when solve() is called, unless the chain has one level only.
  LinkSolver(const LevelChain &chain, const LinkOperator &A, CoarseCorrection &coarse);

  /// x from 0 until |f - Ax|₂ <= tolerance |f|₂, where that can be reached. f = 0 where A has no unknown.
  convex::Effort solve(const std::vector<double> &f, double tolerance, std::vector<double> &x);

private:
  /// The same for f = r, which becomes what is left.
  convex::Effort solve_for_r(double tolerance, std::vector<double> &x);
  double         dot(const std::vector<double> &a, const std::vector<double> &b) const;
  void           precondition();

  const LevelChain   &chain;
  const LevelBox     &box;
  const LinkOperator &A;
  CoarseCorrection   &coarse;
  std::vector<double> zero, r, z, d, p;
};
} // namespace moreau::macro

#endif
