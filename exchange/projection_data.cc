// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/projection_data.h"

#include "convex/input_error.h"
#include "convex/solvers/inner_direction.h"
#include "convex/speed_unit.h"

#include <Eigen/SparseCholesky>

#include <cmath>

namespace moreau::exchange
{
namespace
{
std::string shape(const Index rows, const Index columns) { return std::to_string(rows) + " x " + std::to_string(columns); }

void require_length(const Vector &v, const Index n, const std::string &name, const std::string &of, const std::string &file)
{
  if (v.size() != n)
    throw InputError(file + ": " + name + " has " + std::to_string(v.size()) + " entries; B has " + std::to_string(n) + " " +
                     of + ", and it needs one for each.");
  for (Index k = 0; k < n; ++k)
    if (!std::isfinite(v(k)))
      throw InputError(file + ": Entry " + std::to_string(k) + " of " + name + " (from 0) is no finite number.");
}

void require_finite(const Matrix &A, const std::string &name, const std::string &file)
{
  for (Index r = 0; r < A.outerSize(); ++r)
    for (Matrix::InnerIterator entry(A, r); entry; ++entry)
      if (!std::isfinite(entry.value()))
        throw InputError(file + ": " + name + "(" + std::to_string(r) + "," + std::to_string(entry.col()) +
                         ") (from 0) is no finite number.");
}

bool is_diagonal(const Matrix &M)
{
  for (Index r = 0; r < M.outerSize(); ++r)
    for (Matrix::InnerIterator entry(M, r); entry; ++entry)
      if (entry.col() != r && entry.value() != 0.)
        return false;
  return true;
}

using Columns = Eigen::SparseMatrix<double>;

/// L of M = L Lᵀ where M is not diagonal, else no entries. Throws where M is not positive definite.
Columns metric_factor(const Matrix &M, const std::string &file)
{
  if (is_diagonal(M))
    {
      if (M.size() == 0 || Vector(M.diagonal()).minCoeff() > 0.)
        return {};
    }
  else
    {
      const Eigen::SimplicialLLT<Columns, Eigen::Lower, Eigen::NaturalOrdering<int>> factors{Columns(M)};
      if (factors.info() == Eigen::Success)
        return factors.matrixL();
    }
  throw InputError(file + ": M is not positive definite; every velocity needs a positive mass.");
}
} // namespace

std::string sentences(const std::string &text, const std::string &more)
{
  return text + (text.empty() || more.empty() ? "" : " ") + more;
}

void require_sound(const ProjectionData &data, const std::string &file)
{
  if (data.B.rows() == 0 || data.B.cols() == 0)
    throw InputError(file + ": B is " + shape(data.B.rows(), data.B.cols()) +
                     "; it needs a row per inequality, a column per unknown.");
  require_finite(data.B, "B", file);
  require_length(data.U, data.B.cols(), "U", "columns", file);
  if (data.b.size() > 0)
    require_length(data.b, data.B.rows(), "b", "rows", file);
  if (data.M.size() == 0)
    return;
  if (data.M.rows() != data.B.cols() || data.M.cols() != data.B.cols())
    throw InputError(file + ": M is " + shape(data.M.rows(), data.M.cols()) + "; B has " + std::to_string(data.B.cols()) +
                     " columns, so M must be " + shape(data.B.cols(), data.B.cols()) + ".");
  require_finite(data.M, "M", file);
  constexpr double rounding   = 1e-12;
  const Matrix     transposed = data.M.transpose();
  if (!data.M.isApprox(transposed, rounding))
    throw InputError(file + ": M is not symmetric; the projection is one in the metric of M, give a symmetric one.");
  metric_factor(data.M, file);
}

void require_sound(const Answer &answer, const ProjectionData &data, const std::string &file)
{
  if (answer.u.size() > 0)
    require_length(answer.u, data.B.cols(), "u", "columns", file);
  if (answer.p.size() > 0)
    require_length(answer.p, data.B.rows(), "p", "rows", file);
}

Posed::Posed(const ProjectionData &data, const std::string &file)
{
  Matrix B      = data.B;
  Vector U      = data.U;
  Vector masses = Vector::Ones(B.cols());
  if (const Columns factor = metric_factor(data.M, file); factor.size() > 0)
    {
      Columns Bt = B.transpose();
      factor.triangularView<Eigen::Lower>().solveInPlace(Bt); // B L⁻ᵀ
      B = Bt.transpose();
      L = factor;
      U = to_coordinates(U);
    }
  else if (data.M.size() > 0)
    masses = data.M.diagonal();
  posed.V = std::make_shared<convex::DiagonalSpace>(masses, 1, std::vector<bool>{true});
  posed.B = std::make_shared<convex::SparseConstraint>(std::move(B));
  posed.U = std::move(U);
  if (!data.b.isZero(0.))
    posed.b = data.b;
  try
    {
      convex::require_numbers_of_rows(posed);
    }
  catch (const InputError &error)
    {
      throw InputError(file + ": " + error.sentence);
    }
  posed.expansion = convex::inner_direction(posed);
}

Vector Posed::to_coordinates(const Vector &u) const { return L.size() == 0 ? u : Vector(L.transpose() * u); }

Vector Posed::velocity(const Vector &y) const
{
  return L.size() == 0 ? y : Vector(L.transpose().triangularView<Eigen::Upper>().solve(y));
}
} // namespace moreau::exchange
