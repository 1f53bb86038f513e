// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_CHAINS_ISOTONIC_REGRESSION_H
#define MOREAU_CONVEX_CHAINS_ISOTONIC_REGRESSION_H

#include "convex/velocity_space.h"

#include <vector>

namespace moreau::convex
{
/// Sites that move together: the u of sites begin ... end-1 is sum/weight.
struct PooledBlock
{
  double sum;    ///< Σ w_k U_k (kg m/s)
  double weight; ///< Σ w_k (kg)
  Index  end;    ///< one past the last site
};

/// Weighted isotonic regression by pooling adjacent violators, in linear time:
///     u = argmin Σ_k w_k (u_k - U_k)²  over  u_0 <= u_1 <= ... <= u_{n-1}.
/// This is the impact of a row of touching spheres with masses w (BM, section 3.1): blocks leave with the velocity of
/// their centre of mass. Owns the stack of blocks, so that many lines are done without allocation.
class LineRegression
{
public:
  /// Pools n sites; weights null: all 1. The blocks are valid until the next call.
  const PooledBlock *pool(Index n, const double *U, const double *weights);

  Index n_blocks() const { return count; } ///< of the last pool()

  /// u of the last pool(): n entries, exactly monotone. u may be its U.
  void expand(const double *U, double *u) const;

  /// pool() and expand().
  void project(const Index n, const double *U, const double *weights, double *u)
  {
    pool(n, U, weights);
    expand(U, u);
  }

private:
  template <bool weighted>
  void pool_sites(Index n, const double *U, const double *weights);

  std::vector<PooledBlock> blocks;
  Index                    count = 0;
};

/// One line; weights of length 0: all 1. Throws std::invalid_argument for another length than that of U.
Vector isotonic_regression(const Vector &U, const Vector &weights = Vector());

/// p_k = Σ_{l<=k} w_l (U_l - u_l) >= 0 between sites k and k+1 (length n-1), for u = isotonic_regression(U, weights):
/// exactly zero where u increases.
Vector multiplier_of_line(const Vector &U, const Vector &u, const Vector &weights = Vector());
} // namespace moreau::convex

#endif
