// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/constraint_sweep.h"

namespace moreau::convex::sweeps
{
SparseSweep::SparseSweep(const SparseConstraint &B, const Vector &inverse_mass, const Vector &W, const Vector &U)
    : start(B.n_constraints() + 1, 0)
    , d(B.n_constraints())
    , w(U)
    , f(Vector::Zero(U.size()))
    , U(U)
    , inverse_mass(inverse_mass)
{
  const auto &matrix = B.matrix();
  column.reserve(matrix.nonZeros());
  value.reserve(matrix.nonZeros());
  for (Index c = 0; c < matrix.rows(); ++c)
    {
      for (SparseConstraint::Matrix::InnerIterator entry(matrix, c); entry; ++entry)
        {
          column.push_back(static_cast<int>(entry.col()));
          value.push_back(entry.value());
        }
      d[c]         = scale_of_row(W(c));
      start[c + 1] = static_cast<Index>(value.size());
      for (Index k = start[c]; k < start[c + 1]; ++k)
        value[k] /= d[c];
    }
}

std::optional<Vector> values_of_nodes(const Vector &entries, const Index dim)
{
  Vector values(entries.size() / dim);
  for (Index k = 0; k < values.size(); ++k)
    {
      values(k) = entries(dim * k);
      if (!(entries.segment(dim * k, dim).array() == values(k)).all())
        return std::nullopt;
    }
  return values;
}
} // namespace moreau::convex::sweeps
