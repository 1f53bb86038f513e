// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_ON_LINE_H
#define MOREAU_MACRO_OBSTACLE_ON_LINE_H

#include "macro/vocabulary.h"

#include <vector>

namespace moreau::macro
{
/// The obstacle problem of CongestionSolver on a line of n cells. The fluxes g_k = w_k (π_k - π_{k-1}) / h are an isotonic
/// regression: with F_k = h Σ_{c<k} f_c,
///     g + F minimises Σ_k (v_k - F_k)² / w_k  over  v_0 >= v_1 >= ...,
/// with g_k = 0 where w_k = 0, and π are its multipliers.
struct CongestedLine
{
  double            h        = 1.; ///< side of a cell (m)
  bool              periodic = false;
  Vector            weights; ///< n + 1; the last one is the first one again where periodic
  std::vector<char> unknown; ///< n; π = 0 elsewhere

  /// π, from f. Where walls leave no room for all (Σf > 0 between them), f without its mean is taken there.
  Vector solve(const Vector &f) const;

  /// Takes rounding errors of running sums out of a solution: solves Aπ = f
  /// once more for the residual, on every stretch of cells with π > 0.
  void refine(const Vector &f, Vector &pi) const;

  /// (Aπ)_c
  Vector apply(const Vector &pi) const;
  /// A_cc; 0 where no link is open
  Vector diagonal() const;

private:
  void refine_stretch(Index first, Index last, const Vector &f, Vector &pi) const;
};
} // namespace moreau::macro

#endif
