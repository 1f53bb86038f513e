// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/positive_independence.h"

#include "convex/solvers/lawson_hanson.h"
#include "convex/structure.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::convex
{
namespace
{
constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr double nothing   = 1e-12; ///< a combination of unit vectors of this length is a rounding error
} // namespace

double PositiveIndependence::gamma() const
{
  return gamma_at_most - gamma_at_least <= 1e-6 * gamma_at_most ? gamma_at_least : gamma_at_most;
}

bool PositiveIndependence::is_dependent() const { return gamma_at_least == unbounded; }

/// min |(0, 1) - Σ p_i (n_i, 1)|² over p >= 0, n_i = a_i/|a_i|: for a given direction of p its length enters by a factor, so
/// that p/Σp is the point of the hull nearest to 0. It is the dual of the projection of (0, 1) on { v : (n_i, 1)·v <= 0 }.
PositiveIndependence positive_independence(const SparseConstraint::Matrix &rows)
{
  const Index                         n = rows.cols();
  std::vector<Index>                  kept;
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < rows.rows(); ++i)
    if (const double length = rows.row(i).norm(); length > 0.)
      {
        const int row = static_cast<int>(kept.size());
        kept.push_back(i);
        for (SparseConstraint::Matrix::InnerIterator entry(rows, i); entry; ++entry)
          entries.emplace_back(row, static_cast<int>(entry.col()), entry.value() / length);
      }
  PositiveIndependence result;
  result.weights        = Vector::Zero(rows.rows());
  result.good_direction = Vector::Zero(n);
  const auto m          = static_cast<Index>(kept.size());
  if (m == 0)
    return result;
  SparseConstraint::Matrix units(m, n);
  units.setFromTriplets(entries.begin(), entries.end());
  for (Index i = 0; i < m; ++i)
    entries.emplace_back(static_cast<int>(i), static_cast<int>(n), 1.);
  SparseConstraint::Matrix with_ones(m, n + 1);
  with_ones.setFromTriplets(entries.begin(), entries.end());

  ProjectionProblem problem;
  problem.V              = std::make_shared<DiagonalSpace>(Vector::Ones(n + 1), 1, std::vector<bool>{true});
  problem.B              = std::make_shared<SparseConstraint>(with_ones);
  problem.U              = Vector::Unit(n + 1, n);
  const SaddlePoint x    = LawsonHanson({1e-14, static_cast<unsigned int>(1000 + 20 * m), true}).project(problem);
  const double      sum  = x.p.sum();
  const Vector      part = sum > 0. ? Vector(x.p / sum) : Vector(Vector::Constant(m, 1. / static_cast<double>(m)));
  for (Index i = 0; i < m; ++i)
    result.weights(kept[i]) = part(i);
  const Vector nearest  = units.transpose() * part;
  const double distance = nearest.norm();
  if (distance <= nothing)
    {
      result.gamma_at_least = result.gamma_at_most = unbounded;
      return result;
    }
  result.good_direction = nearest / distance;
  const double least    = Vector(units * result.good_direction).minCoeff();
  result.gamma_at_least = std::max(1., 1. / distance);
  result.gamma_at_most  = least > 0. ? std::max(result.gamma_at_least, 1. / least) : unbounded;
  return result;
}

std::optional<PositiveIndependence> positive_independence(const ProjectionProblem &problem)
{
  const Structure structure = structure_of(problem);
  if (!structure.has_entries())
    return std::nullopt;
  const Vector             roots = structure.masses->masses().cwiseSqrt();
  SparseConstraint::Matrix rows  = structure.entries->matrix(); // aᵀ v of the coefficients √m v
  for (Index i = 0; i < rows.rows(); ++i)
    for (SparseConstraint::Matrix::InnerIterator entry(rows, i); entry; ++entry)
      entry.valueRef() /= -roots(entry.col());
  PositiveIndependence result = positive_independence(rows);
  result.good_direction       = result.good_direction.cwiseQuotient(roots);
  return result;
}
} // namespace moreau::convex
