// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_CHAINS_RUNS_OF_PROBLEM_H
#define MOREAU_CONVEX_CHAINS_RUNS_OF_PROBLEM_H

#include "convex/chains/chain_families.h"
#include "convex/chains/isotonic_regression.h"

#include <tbb/parallel_for.h>

#include <optional>
#include <vector>

namespace moreau::convex
{
constexpr Index nodes_at_a_time = 8192; ///< that a thread takes, whatever the number of threads

/// A chain family with the data of a problem. Velocities along the chains are shifted by the running sums of b, so that
///     x_l = e·u(node_l) + shift_l
/// is to be monotone on every run, between the bounds that fixed bodies set, and on a closed one
///     x_last <= x_first + S,   S: the sum of its b.
struct RunsOfProblem
{
  const ChainFamilies::Family *chains = nullptr;
  std::vector<double>          mass;  ///< per position; empty: all equal
  std::vector<double>          shift; ///< per position; empty: zero
  std::vector<double> lower, upper;   ///< per run, bounds of x, lower > upper beyond rounding only; empty: no fixed body
  std::vector<double> room;           ///< S per closed run, 0 where it is rounding; empty: no run is closed
  std::vector<int>    chunk;          ///< first runs of pieces of work of similar size, and n_runs

  RunsOfProblem(const ChainFamilies::Family &chains, const Vector &node_masses, bool equal_masses, const Vector &b);

  Index  n_positions() const { return static_cast<Index>(chains->node.size()); }
  Index  n_chunks() const { return static_cast<Index>(chunk.size()) - 1; }
  double mass_at(const Index position) const { return mass.empty() ? 1. : mass[position]; }
  double shift_at(const Index position) const { return shift.empty() ? 0. : shift[position]; }

  /// x: the admissible values nearest to s + shift on run r; s, x: as long as the run.
  void regress(LineRegression &line, Index r, const double *s, double *x) const;

  /// p on the rows of run r from the velocities y_l = e·(U - u)(node_l) that its nodes lose: running sums of mass * y,
  /// which start anew where x increases. mass: the common one where masses are equal, else 1.
  void multipliers(Index r, const double *x, const double *y, double mass, Vector &p) const;

  std::optional<Index> blocked_run() const; ///< one that fixed bodies or its closure leave no velocity, if there is one
  /// A closed run that no admissible velocity opens: S = 0, and all x are equal.
  bool is_rigid(const Index r) const { return chains->is_closed(r) && room[r] == 0.; }

  /// Calls run(r) for every run; threads share the chunks, so no two runs of one call have a node in common.
  template <class Run>
  void for_all_runs(Run &&run) const
  {
    tbb::parallel_for(Index(0), n_chunks(), [&](const Index c) {
      for (int r = chunk[c]; r < chunk[c + 1]; ++r)
        run(r);
    });
  }

  /// The exact projection on this family alone: set(node, u) with the new e·u for e·U = get(node), and p of the rows.
  template <class Get, class Set>
  void project(Get &&get, Set &&set, const double common_mass, Vector &p) const
  {
    for_all_runs([&](const Index r) {
      const Index                      begin = chains->run_start[r], n = chains->run_start[r + 1] - begin;
      thread_local LineRegression      line;
      thread_local std::vector<double> s, z;
      s.resize(n);
      z.resize(n);
      for (Index l = 0; l < n; ++l)
        s[l] = get(chains->node[begin + l]);
      regress(line, r, s.data(), z.data());
      for (Index l = 0; l < n; ++l)
        {
          const double u = z[l] - shift_at(begin + l);
          s[l] -= u;
          set(chains->node[begin + l], u);
        }
      multipliers(r, z.data(), s.data(), common_mass, p);
    });
  }

private:
  void set_room(const Vector &b);
  void regress_closed(LineRegression &line, Index r, const double *s, double *x) const;
  void closed_multipliers(Index r, const double *x, const double *y, double mass, Vector &p) const;

  /// The bounds of run r; where they contradict each other by the rounding of the running sums of b alone, their mean.
  void set_bounds(Index r, const Vector &b);
};

/// The rows of a run that is left no velocity, with multipliers 1: p >= 0, Bᵀp = 0, <b,p> < 0.
std::optional<Vector> blocking_chain(const std::vector<RunsOfProblem> &families, Index n_rows);

/// Rows of closed runs that no admissible velocity opens; nothing where no run is closed.
std::optional<RigidSet> rigid_chains(const std::vector<RunsOfProblem> &families, Index n_rows);
} // namespace moreau::convex

#endif
