// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_CHAIN_FAMILIES_H
#define MOREAU_CONVEX_SOLVERS_CHAIN_FAMILIES_H

#include "convex/cone_projection.h"

#include <optional>
#include <vector>

namespace moreau::convex
{
/// A cone "monotone along K families of lines": what B is when all its pairs point in a few directions e_k. Along a run of
/// nodes x_0, x_1, ... that touch successively in the direction e_k
///     e_k·u(x_{l+1}) >= e_k·u(x_l) - b,
/// and a fixed body at an end of the run bounds e_k·u there.
struct ChainFamilies
{
  static constexpr int         none         = -1;
  static constexpr std::size_t max_families = 12;

  struct Family
  {
    Vector           direction; ///< e_k, unit, length dim
    std::vector<int> node;      ///< run after run, each in the order of +e_k
    std::vector<int> row;       ///< as long as node: the row of B between a node and its successor; none at the end of a run
    std::vector<int> run_start; ///< n_runs + 1 positions in node
    std::vector<int> row_before; ///< per run: row of the fixed body before its first node, or none
    std::vector<int> row_after;  ///< per run: row of the fixed body behind its last node, or none

    Index n_runs() const { return static_cast<Index>(row_before.size()); }
  };

  Index               dim     = 0;
  Index               n_nodes = 0;
  std::vector<Family> families; ///< every row of B is in exactly one of them; nodes without a row in a family are not listed

  Index longest_run() const; ///< in nodes
};

/// The families of B, whatever the order of its nodes and rows; nothing where there are more than 12 directions (equal to
/// 1e-12, up to sign), a node with two successors or two predecessors in one direction, or a closed chain.
std::optional<ChainFamilies> find_chain_families(const PairConstraint &B);

/// Are the directions mutually orthogonal (to 1e-12)? Then the projection is exact, one isotonic regression per run.
bool uncoupled(const ChainFamilies &chains);

/// Projects on cones made of chains, for V = DiagonalSpace.
///
/// Uncoupled families (a row, square and cubic lattices): weighted isotonic regression of every run, exact. Where fixed
/// bodies at both ends of a run demand the impossible the status is `infeasible` and p is the blocking chain.
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
} // namespace moreau::convex

#endif
