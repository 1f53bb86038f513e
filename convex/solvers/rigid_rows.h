// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_RIGID_ROWS_H
#define MOREAU_CONVEX_SOLVERS_RIGID_ROWS_H

#include "convex/cone_projection.h"
#include "convex/factorisation/normal_matrix.h"

#include <memory>
#include <vector>

namespace moreau::convex
{
/// What the rigid rows F ask for, by H = M + BᵀWB with W large on F and 0 elsewhere, factorised once. Every repetition
/// divides what is left by 1 + Wσ² for the singular values σ of the scaled B_F; rounding is relative to what is left.
class RigidRows
{
public:
  /// Keeps a reference to the problem, which needs a DiagonalSpace and a SparseConstraint; rigid: per row.
  RigidRows(const ProjectionProblem &problem, const std::vector<char> &rigid);

  /// u moved to the nearest velocity with B_F u = 0, to rounding. Nothing happens where H cannot be factorised.
  void hold(Vector &u);

  /// s moved to the nearest s on F with B*s = 0, to rounding.
  void balance(Vector &s);

private:
  const ProjectionProblem        &problem;
  std::unique_ptr<NormalMatrix>   matrix;
  std::unique_ptr<SparseCholesky> cholesky;
  Vector                          w, Bv, v;
  bool                            usable = false;
};

/// Velocities that are rounding beside the others are 0, node by node: what is locked rests exactly. Where rows tie such a
/// one to larger ones it is small, but no rounding, and stays: bodies further and further from what moves.
void remove_rounding(const ProjectionProblem &problem, Vector &u);
} // namespace moreau::convex

#endif
