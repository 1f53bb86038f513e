// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_SHARED_CHAINS_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_SHARED_CHAINS_H

#include "convex/shared_network.h"
#include "macro/directional/lattices/grid_columns.h"
#include "macro/directional/lattices/runs_on_lines.h"

#include <functional>
#include <memory>
#include <optional>

namespace moreau::macro
{
/// The chains of a grid that processes share by layers across its last axis: those along other axes are whole where they
/// are; those along the last one are whole in columns, where their numbers travel. Blocks of sums are layers. Nothing but
/// the cut depends on the number of processes, one included, which all call the same functions together.
class SharedChains : public convex::FeasibleRepair
{
public:
  using Family = convex::ChainFamilies::Family;

  /// grid: this process' layers of it, no cells of which are cut by walls; must outlive this.
  /// chains: of grid; its rows are numbered anew, as the network has them, those of ghosts alone behind all others.
  SharedChains(const AlignedGrid &grid, convex::ChainFamilies &chains, const Domain &domain, const Processes &processes);

  const Processes &processes() const { return sharers; }

  /// B: nodes are those of the grid here, own ones those of its own layers.
  std::shared_ptr<const convex::SharedNetwork> network() const { return B; }

  /// Each chain monotone, within its walls: the projection of u itself (dim * n_own), along one axis after the other.
  Vector repaired(const Vector &u) const override;

  /// u = U + Σ_k e_k (z_k - e_k·U) and p of the exact projection on all chains, not judged yet.
  convex::SaddlePoint projection(const Vector &U, const Vector &masses) const;

  /// n_each numbers of each own node: of all nodes here.
  Vector with_ghosts(const Vector &of_own, Index n_each) const { return B->with_ghosts(of_own, n_each); }

  /// By columns, and the chains along the last axis there: where there are several processes; else null.
  const GridColumns *columns() const { return in_columns ? &*in_columns : nullptr; }
  const Family      &along_columns() const { return whole; }

  /// The runs along the last axis; null where they are whole here. u: of the nodes here (dim * n_nodes, m/s).
  std::shared_ptr<const RunsOnLines> runs_along_last_axis(const Vector &u) const;

private:
  const AlignedGrid                           &grid;
  const convex::ChainFamilies                 &chains;
  Processes                                    sharers;
  std::shared_ptr<const convex::SharedNetwork> B;
  std::optional<GridColumns>                   in_columns;
  Family                                       whole; ///< chains along the last axis by nodes of in_columns
  std::vector<Family>                          own;   ///< of several processes: chains of other axes, by own nodes
  bool                                         has_walls = false; ///< across the last axis

  const Family &local(const std::size_t k) const { return in_columns ? own[k] : chains.families[k]; }

  /// Calls set(node, z) for own nodes with the values along direction k that are monotone on every chain and between its
  /// walls and nearest to s (m/s), and sets the multipliers p of the rows here.
  ///   masses  of own nodes; null, on all processes: all have common_mass
  void   regress(std::size_t k, const Vector &s, const Vector *masses, double common_mass,
                 const std::function<void(Index, double)> &set, Vector &p) const;
  void   regress_in_columns(std::size_t k, const Vector &s, const Vector *masses, double common_mass,
                            const std::function<void(Index, double)> &set, Vector &p) const;
  Vector along(std::size_t k, const Vector &u) const; ///< e_k·u of own nodes
};

/// The exact projection on them: one regression per chain.
class SharedChainProjector : public convex::ConeProjector
{
public:
  SharedChainProjector(const convex::StoppingCriterion &criterion, std::shared_ptr<const SharedChains> chains)
      : criterion(criterion), chains(std::move(chains))
  {}

  convex::SaddlePoint project(const convex::ProjectionProblem &problem, const Vector *p_start = nullptr) const override;

private:
  convex::StoppingCriterion           criterion;
  std::shared_ptr<const SharedChains> chains;
};
} // namespace moreau::macro

#endif
