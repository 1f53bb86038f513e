// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_CHAIN_PROJECTOR_H
#define MOREAU_CONVEX_SOLVERS_CHAIN_PROJECTOR_H

#include "convex/chains/chain_families.h"

namespace moreau::convex
{
class ChainSplitting;

/// Projects on cones made of chains, for V = DiagonalSpace.
///
/// Uncoupled families (a row, square and cubic lattices): weighted isotonic regression of every run, exact, also of chains
/// that are closed around a period. Where fixed bodies at both ends of a run, or its closure, demand the impossible the
/// status is `infeasible` and p is the blocking chain.
///
/// Coupled families (triangular, face-centred cubic, mixed): alternating directions, in the metric of the masses,
///     z_k = regression of s_k on every run,   u = (Id + ρ Σ e_k⊗e_k)⁻¹
///     (U + ρ Σ_k e_k (2 z_k - s_k)),   s_k += 1.6 (e_k·u - z_k),
/// where y_k = ρ (s_k - z_k) has running sums p >= 0 and U - Σ e_k y_k tends to P_K U. Then conjugate gradients on the
/// blocks that have been found: the projection of U on the face of K where they move together. Blocks that touch each other
/// only just are found late: then an interior point, which starts close to the solution, ends it where it can be afforded.
/// Elsewhere the status is `stagnated` once the error estimate has not fallen by a tenth in twenty times the longest run, or
/// n^(1/dim) if that is larger, but at least 1000 iterations.
class ChainProjector : public ConeProjector
{
public:
  struct Parameters
  {
    double       penalty     = 0.;   ///< ρ; 0: rises from a tenth of the longest run (at most 30) to the whole
    unsigned int first_check = 30;   ///< iterations before the first look at the residuals; later ones at growing distances
    bool         finish      = true; ///< by InteriorPoint, from the p that has been found
    /// Iterations before that, in multiples of the longest run, or of n^(1/dim) if larger.
    unsigned int runs_before_finish       = 4;
    Index        largest_factorised_plane = 600000; ///< nodes up to which an interior point is worth the while, dimension 2
    Index        largest_factorised_space = 15000;  ///< the same in dimension 3
  };

  explicit ChainProjector(const StoppingCriterion &criterion) : ChainProjector(criterion, Parameters()) {}
  ChainProjector(const StoppingCriterion &criterion, const Parameters &parameters);

  /// Throws std::invalid_argument where B is not a PairConstraint with chain families or V not a DiagonalSpace on its nodes.
  SaddlePoint project(const ProjectionProblem &problem, const Vector *p_start = nullptr) const override;

  /// The same with the chains of B at hand.
  SaddlePoint project(const ProjectionProblem &problem, const ChainFamilies &chains, const Vector *p_start) const;

private:
  StoppingCriterion criterion;
  Parameters        parameters;
};

/// What the work on coupled chains depends on.
struct SizeOfChains
{
  Index  dim = 0, n_nodes = 0, longest_run = 0; ///< longest_run: in nodes
  double mean_mass = 0.;                        ///< of a node (kg)
};

/// ChainProjector's way to project on coupled families, which may be those of a network that processes share.
SaddlePoint project_on_coupled_chains(const ProjectionProblem &problem, const StoppingCriterion &criterion,
                                      const ChainProjector::Parameters &parameters, const SizeOfChains &size,
                                      ChainSplitting &splitting);
} // namespace moreau::convex

#endif
