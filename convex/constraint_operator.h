// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_CONSTRAINT_OPERATOR_H
#define MOREAU_CONVEX_CONSTRAINT_OPERATOR_H

#include "convex/velocity_space.h"

#include <Eigen/SparseCore>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace moreau::convex
{
/// B : V -> Λ′ and its transpose; the feasible side is Bv <= b and multipliers are p >= 0 (BM, eq. 50).
/// The adjoint for the inner product of V is B*q = M⁻¹Bᵀq.
class ConstraintOperator
{
public:
  virtual ~ConstraintOperator() = default;

  virtual Index n_constraints() const = 0; ///< m, the rows of B
  virtual Index n_unknowns() const    = 0; ///< n, the columns of B

  virtual void apply(const Vector &v, Vector &Bv) const            = 0; ///< Bv (m) from v (n)
  virtual void apply_transpose(const Vector &q, Vector &Btq) const = 0; ///< Bᵀq (n) from q (m)

  /// W_cc (m), the diagonal of W = B M⁻¹Bᵀ, 1/kg; length 0 where this operator does not know it.
  virtual Vector delassus_diagonal(const VelocitySpace &) const { return {}; }

  /// Euclidean norms of the rows (m): rounding errors of Bv grow with them. Length 0: of the size of 1, or not known.
  virtual Vector row_norms() const { return {}; }
};

/// A B whose entries are known: what factorising solvers ask for.
class SparseConstraint : public ConstraintOperator
{
public:
  using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

  explicit SparseConstraint(Matrix B) : B(std::move(B)) { this->B.makeCompressed(); }

  Index n_constraints() const override { return B.rows(); }
  Index n_unknowns() const override { return B.cols(); }
  void  apply(const Vector &v, Vector &Bv) const override { Bv.noalias() = B * v; }
  void  apply_transpose(const Vector &q, Vector &Btq) const override { Btq.noalias() = B.transpose() * q; }

  Vector row_norms() const override;

  /// The m x n matrix, compressed, row by row.
  virtual const Matrix &matrix() const { return B; }

  /// Whether matrix() is there already: neither has to be assembled first nor is known in parts only.
  virtual bool is_assembled() const { return true; }

protected:
  SparseConstraint() = default;
  mutable Matrix B;
};

/// B of a graph whose nodes own dim consecutive entries of a velocity:
///     (Bv)_c = -e_c · (v_j - v_i),   c = {i, j},   |e_c| = 1,
/// where the node `fixed_body` does not move (its velocity, if any, is in b). Rows are -G_ij of (BM, eq. 6).
/// Stored as two indices and one direction per row; matrix() is assembled when first asked for.
class PairConstraint : public SparseConstraint
{
public:
  static constexpr int fixed_body = -1;

  struct Pair
  {
    int i; ///< a node, 0 ... n_nodes-1
    int j; ///< a node, or fixed_body
  };

  /// directions: dim x m, column c is e_c from i to j, a unit vector. Throws std::invalid_argument for an index out of range
  /// and where | |e_c|² - 1 | exceeds 1e-6.
  PairConstraint(Index dim, Index n_nodes, std::vector<Pair> pairs, Eigen::MatrixXd directions);

  Index         n_constraints() const override { return static_cast<Index>(pair.size()); }
  Index         n_unknowns() const override { return dim * nodes; }
  void          apply(const Vector &v, Vector &Bv) const override;
  void          apply_transpose(const Vector &q, Vector &Btq) const override;
  Vector        row_norms() const override { return {}; } // those of unit vectors
  const Matrix &matrix() const override;
  bool          is_assembled() const override { return false; }

  /// The rows that touch each node, in their order: row[start[i]] ... of node i.
  struct RowsOfNodes
  {
    std::vector<int> start, row;
  };

  /// Found when first asked for, 8 bytes a row. From then on apply_transpose() goes node by node where TBB has threads for
  /// it, with the same digits.
  const RowsOfNodes &rows_of_nodes() const;

  Index                    dimension() const { return dim; }
  Index                    n_nodes() const { return nodes; }
  const std::vector<Pair> &pairs() const { return pair; }
  const Eigen::MatrixXd   &directions() const { return e; }

private:
  Index                     dim, nodes;
  std::vector<Pair>         pair;
  Eigen::MatrixXd           e;
  mutable std::once_flag    assembled, sorted;
  mutable RowsOfNodes       of_nodes;
  mutable std::atomic<bool> knows_rows_of_nodes{false};
};
} // namespace moreau::convex

#endif
