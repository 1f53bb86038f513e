// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_CHAINS_CHAIN_SPLITTING_H
#define MOREAU_CONVEX_CHAINS_CHAIN_SPLITTING_H

#include "convex/chains/runs_of_problem.h"

#include <memory>
#include <vector>

namespace moreau::convex
{
class LinesAlong;

/// Alternating directions on coupled chains, and conjugate gradients on the face of K that they find. On a network that
/// processes share they call together, and digits do not depend on how many there are.
class ChainSplitting
{
public:
  virtual ~ChainSplitting() = default;

  /// Per family the lines of a shared network.
  using SharedRuns = std::vector<const LinesAlong *>;

  /// families  by nodes and rows of the problem; or, of a shared network, as its lines have them
  /// mass      the common mass of the nodes where they are equal, else 1
  /// All of them but p_start must outlive the result.
  static std::unique_ptr<ChainSplitting> make(const ProjectionProblem &problem, const std::vector<RunsOfProblem> &families,
                                              double mass, const Vector *p_start, const SharedRuns &shared = {});

  /// One iteration with penalty ρ, which may change from one to the next.
  virtual void iterate(double rho) = 0;

  /// Sets p = running sums of y_k = ρ (s_k - z_k), u = U - Σ e_k y_k = U - B*p, and the face: which rows the regressions
  /// made equalities.
  virtual void observe() = 0;

  /// Replaces u by its projection on the face, in at most max_iterations. Returns their number.
  virtual unsigned int project_on_face(unsigned int max_iterations) = 0;

  virtual Vector        velocity() const    = 0; ///< u
  virtual const Vector &multipliers() const = 0; ///< p of the last observe()

  /// √(2 gap) in the norm of V, if u is repaired by an expansion at the same rate on every row: what certify() will say,
  /// without its cost.
  virtual double error_estimate() = 0;
};
} // namespace moreau::convex

#endif
