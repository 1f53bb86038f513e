// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/integrals_of_u.h"

#include "convex/velocity_space.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
constexpr int    n_halvings     = 6;    ///< 64 parts
constexpr double nearly_nothing = 1e-2; ///< of what may be there

/// Legendre's polynomials up to a degree in each coordinate at points of the unit cube (dim x n), as columns.
Eigen::MatrixXd tensor_polynomials(const Eigen::MatrixXd &points, const int degree)
{
  Eigen::MatrixXd values = Eigen::MatrixXd::Ones(points.cols(), 1);
  for (Index a = 0; a < points.rows(); ++a)
    {
      Eigen::MatrixXd product(values.rows(), values.cols() * (degree + 1));
      for (int k = 0; k <= degree; ++k)
        for (Index q = 0; q < points.cols(); ++q)
          product.row(q).segment(k * values.cols(), values.cols()) =
              std::legendre(k, 2. * points(a, q) - 1.) * values.row(q);
      values = product;
    }
  return values;
}

/// Quadratic polynomials at points with these barycentric coordinates ((dim + 1) x n), as columns.
Eigen::MatrixXd quadratic_polynomials(const Eigen::MatrixXd &points)
{
  const Index     m = points.rows();
  Eigen::MatrixXd values(points.cols(), m * (m + 1) / 2);
  for (Index i = 0, column = 0; i < m; ++i)
    for (Index j = i; j < m; ++j, ++column)
      values.col(column) = points.row(i).cwiseProduct(points.row(j)).transpose();
  return values;
}

/// Parts of the unit cube, halved along its axes in turn; weights of its corners at theirs, as columns.
std::vector<Eigen::MatrixXd> parts_of_cube(const Eigen::MatrixXd &corners)
{
  const Index                  dim = corners.rows(), n_corners = corners.cols();
  std::vector<Eigen::MatrixXd> parts = {corners};
  for (int halving = 0; halving < n_halvings; ++halving)
    {
      const Index                  axis = halving % dim;
      std::vector<Eigen::MatrixXd> halves;
      for (const Eigen::MatrixXd &part : parts)
        {
          const double    middle = part.row(axis).mean();
          Eigen::MatrixXd below = part, above = part;
          below.row(axis) = below.row(axis).cwiseMin(middle);
          above.row(axis) = above.row(axis).cwiseMax(middle);
          halves.push_back(below);
          halves.push_back(above);
        }
      parts = halves;
    }
  for (Eigen::MatrixXd &part : parts)
    {
      Eigen::MatrixXd weights = Eigen::MatrixXd::Ones(n_corners, n_corners);
      for (Index j = 0; j < n_corners; ++j)
        for (Index k = 0; k < n_corners; ++k)
          for (Index a = 0; a < dim; ++a)
            weights(j, k) *= corners(a, j) > .5 ? part(a, k) : 1. - part(a, k);
      part = weights;
    }
  return parts;
}

/// Parts of a simplex, halved across the longest edge of the regular one; barycentric coordinates of their vertices.
std::vector<Eigen::MatrixXd> parts_of_simplex(const Index n_vertices)
{
  std::vector<Eigen::MatrixXd> parts = {Eigen::MatrixXd::Identity(n_vertices, n_vertices)};
  for (int halving = 0; halving < n_halvings; ++halving)
    {
      std::vector<Eigen::MatrixXd> halves;
      for (const Eigen::MatrixXd &part : parts)
        {
          Index  first = 0, second = 1;
          double longest = 0.;
          for (Index i = 0; i < n_vertices; ++i)
            for (Index j = i + 1; j < n_vertices; ++j)
              if (const double length = (part.col(i) - part.col(j)).squaredNorm(); length > longest)
                {
                  longest = length;
                  first   = i;
                  second  = j;
                }
          const Vector middle = .5 * (part.col(first) + part.col(second));
          for (const Index end : {first, second})
            {
              halves.push_back(part);
              halves.back().col(end) = middle;
            }
        }
      parts = halves;
    }
  return parts;
}
} // namespace

IntegralsOfU::IntegralsOfU(const geometry::Rule &rule, const Polynomials &polynomials, const Eigen::MatrixXd &corners,
                           std::vector<Eigen::MatrixXd> parts)
    : parts(std::move(parts)), weights(rule.weights)
{
  const Eigen::MatrixXd             at_rule = polynomials(rule.points);
  const Eigen::MatrixXd             gram    = at_rule.transpose() * rule.weights.asDiagonal() * at_rule;
  const Eigen::LLT<Eigen::MatrixXd> factor(gram);
  orthonormal          = factor.matrixL().solve(at_rule.transpose()).transpose();
  projection           = orthonormal.transpose() * rule.weights.asDiagonal();
  const auto from_rule = [&](const Eigen::MatrixXd &points) -> Eigen::MatrixXd {
    return factor.matrixL().solve(polynomials(points).transpose()).transpose() * projection;
  };
  to_corners = from_rule(corners);
  for (const Eigen::MatrixXd &part : this->parts)
    to_parts.push_back(from_rule(corners * part));
}

IntegralsOfU IntegralsOfU::on_cubes(const geometry::Rule &rule, const int degree)
{
  const Eigen::MatrixXd corners = geometry::corners(static_cast<int>(rule.points.rows()), 0.);
  return {rule, [degree](const Eigen::MatrixXd &points) { return tensor_polynomials(points, degree); }, corners,
          parts_of_cube(corners)};
}

IntegralsOfU IntegralsOfU::on_simplices(const geometry::Rule &rule)
{
  const Index n_vertices = rule.points.rows();
  return {rule, quadratic_polynomials, Eigen::MatrixXd::Identity(n_vertices, n_vertices), parts_of_simplex(n_vertices)};
}

namespace
{
/// How far values (k x n) at points (dim x n) are at most from the linear function that fits them best, per component.
Eigen::VectorXd bend(const Eigen::MatrixXd &points, const Eigen::MatrixXd &values)
{
  Eigen::MatrixXd linear(points.cols(), points.rows() + 1);
  linear << (points.colwise() - points.rowwise().mean()).transpose(), Vector::Ones(points.cols());
  linear.leftCols(points.rows()) /= linear.leftCols(points.rows()).cwiseAbs().maxCoeff();
  const Eigen::MatrixXd fitted = linear * linear.colPivHouseholderQr().solve(values.transpose());
  return (values - fitted.transpose()).cwiseAbs().rowwise().maxCoeff();
}
} // namespace

/// |U - P|² in the mean over parts of a cell, the largest of each. of_rule: U at the points of the rule.
double IntegralsOfU::between_points(const Field &U, const Eigen::MatrixXd &corners, const Eigen::MatrixXd &of_rule,
                                    const double inside, const bool of_peaks) const
{
  const Eigen::VectorXd first = of_rule.col(0);
  const Eigen::MatrixXd about = of_rule.colwise() - first;
  const Eigen::VectorXd enough =
      of_peaks ? Eigen::VectorXd(.25 * U.on_hull(corners).remainder) : Eigen::VectorXd::Zero(first.size());
  double sum = 0.;
  for (std::size_t k = 0; k < parts.size(); ++k)
    {
      const Eigen::MatrixXd  of_part = corners * parts[k];
      const Eigen::VectorXd  centre  = of_part.rowwise().mean();
      const Eigen::MatrixXd  apart   = of_part.colwise() - centre;
      const Eigen::MatrixXd  P       = (about * to_parts[k].transpose()).colwise() + first;
      const geometry::OnHull known   = U.on_hull(of_part);
      Eigen::MatrixXd        of_U(P.rows(), P.cols());
      U((inside * apart).colwise() + centre, of_U);
      const auto at_corners = (of_U - P).colwise().squaredNorm();
      if (known.is_polynomial)
        {
          sum += at_corners.maxCoeff();
          continue;
        }
      if (of_peaks && (known.remainder.array() <= enough.array()).all())
        {
          sum += at_corners.mean();
          continue;
        }
      // a jump across the part is seen by its corners; what none of them sees may fill it
      const Eigen::MatrixXd linear = (known.gradient * apart).colwise() + known.value;
      const double          most = ((linear - P).cwiseAbs().colwise() + known.remainder).colwise().squaredNorm().maxCoeff();
      sum += at_corners.mean() > nearly_nothing * most ? at_corners.mean() : most;
    }
  return sum / static_cast<double>(parts.size());
}

Index IntegralsOfU::in_a_row(const Index n_cells)
{
  constexpr Index most_looks = 16384;
  return std::max<Index>(1, n_cells / most_looks);
}

std::vector<bool> IntegralsOfU::room_for_peaks(const Field &U, const Eigen::MatrixXd &corners, const Index n_cells,
                                               const Index in_a_row) const
{
  constexpr double much = 16., of_size = 1e-2; // of what bends at the points, and of U
  const Index      n_corners = to_corners.rows(), n_rows = (n_cells + in_a_row - 1) / in_a_row;
  const auto       row_of = [&](const Index row) {
    const Index begin = row * in_a_row, end = std::min(n_cells, begin + in_a_row);
    return corners.middleCols(begin * n_corners, (end - begin) * n_corners);
  };
  const auto points_of = [&](const Index row) -> Eigen::MatrixXd { // a hair inside: the first cell, the last one, the middle
    const auto            all    = row_of(row);
    const Eigen::VectorXd middle = all.rowwise().mean();
    Eigen::MatrixXd       points(all.rows(), 2 * n_corners + 1);
    points << all.leftCols(n_corners), all.rightCols(n_corners), middle;
    return ((1. - 1e-9) * (points.colwise() - middle)).colwise() + middle;
  };
  const Index     n_points = 2 * n_corners + 1;
  Eigen::MatrixXd points(corners.rows(), n_rows * n_points), values;
  for (Index row = 0; row < n_rows; ++row)
    points.middleCols(row * n_points, n_points) = points_of(row);
  values.resize(corners.rows(), points.cols());
  U(points, values);
  const double      size = of_size * values.cwiseAbs().maxCoeff();
  std::vector<bool> found(n_cells, false);
  for (Index row = 0; row < n_rows; ++row)
    {
      const geometry::OnHull known = U.on_hull(row_of(row));
      if (known.is_polynomial || !known.is_in_one_piece || !(known.remainder.maxCoeff() > size))
        continue;
      const Eigen::VectorXd bent =
          bend(points.middleCols(row * n_points, n_points), values.middleCols(row * n_points, n_points));
      for (Index c = 0; c < bent.size(); ++c)
        if (std::isfinite(known.remainder(c)) && known.remainder(c) > std::max(size, much * bent(c)))
          std::fill(found.begin() + row * in_a_row, found.begin() + std::min(n_cells, (row + 1) * in_a_row), true);
    }
  return found;
}

Unseen IntegralsOfU::hidden(const Field &U, const Eigen::MatrixXd &x, const Vector &volumes, const bool all_seen,
                            const Index in_a_row) const
{
  constexpr double of_rounding = 1e-12;
  const Index      n = to_corners.cols(), n_corners = to_corners.rows(), n_cells = volumes.size();
  Eigen::MatrixXd  corners(x.rows(), n_corners * n_cells), near = corners, of_rule(x.rows(), x.cols()), of_corners = corners;
  Vector           inside(n_cells);
  for (Index k = 0; k < n_cells; ++k)
    {
      const auto            on_cell  = x.middleCols(k * n, n);
      const Eigen::VectorXd centre   = on_cell.rowwise().mean();
      const Eigen::MatrixXd about    = (on_cell.colwise() - centre) * to_corners.transpose();
      const double          rounding = 64. * convex::epsilon * on_cell.cwiseAbs().maxCoeff() / about.cwiseAbs().maxCoeff();
      inside(k)                      = 1. - std::max(1e-11, rounding);
      corners.middleCols(k * n_corners, n_corners) = about.colwise() + centre;
      near.middleCols(k * n_corners, n_corners)    = (inside(k) * about).colwise() + centre;
    }
  geometry::OnHull of_all;
  if (U.on_hull && n_cells > 0)
    of_all = U.on_hull(geometry::box_around(corners));
  std::vector<bool> may_peak(n_cells, false);
  if (U.on_hull && n_cells > 0 && !of_all.is_polynomial)
    may_peak = room_for_peaks(U, corners, n_cells, in_a_row);
  const bool has_peaks = std::find(may_peak.begin(), may_peak.end(), true) != may_peak.end();
  if (n_cells == 0 || !all_seen && !has_peaks && U.on_hull && of_all.is_in_one_piece)
    return {};
  U(x, of_rule);
  U(near, of_corners);
  Unseen sum;
  for (Index k = 0; k < n_cells; ++k)
    {
      const Eigen::MatrixXd of_cell = of_rule.middleCols(k * n, n), about = of_cell.colwise() - of_cell.col(0);
      const Eigen::MatrixXd rest       = about.transpose() - orthonormal * (projection * about.transpose());
      const double          seen       = weights.dot(rest.rowwise().squaredNorm());
      const bool            polynomial = std::sqrt(seen) <= of_rounding * of_cell.cwiseAbs().maxCoeff();
      const Eigen::MatrixXd off =
          (of_corners.middleCols(k * n_corners, n_corners) - about * to_corners.transpose()).colwise() - of_cell.col(0);
      double                largest  = 0.;
      const Eigen::MatrixXd own      = corners.middleCols(k * n_corners, n_corners);
      const auto            in_doubt = [polynomial](const geometry::OnHull &known) {
        return !(polynomial ? known.is_polynomial : known.is_in_one_piece);
      };
      if (all_seen)
        largest = off.colwise().squaredNorm().maxCoeff();
      const bool has_branches =
          U.on_hull && (all_seen || !of_all.is_in_one_piece) && in_doubt(of_all) && in_doubt(U.on_hull(own));
      if (has_branches || may_peak[k])
        if (const double between = between_points(U, own, of_cell, inside(k), !has_branches);
            seen < nearly_nothing * between && (has_branches || std::isfinite(between)))
          largest = std::max(largest, between);
      sum.squared += volumes(k) * largest;
      if (!polynomial && (!U.on_hull || has_branches)) // it may have a step or a kink here
        sum.energy += volumes(k) * std::sqrt(seen * of_cell.colwise().squaredNorm().dot(weights));
    }
  return sum;
}

GapIntegrals IntegralsOfU::operator()(const Eigen::Ref<const Eigen::MatrixXd> &U, const Vector &weights) const
{
  GapIntegrals sum;
  sum.volume                      = weights.sum();
  const Eigen::VectorXd mean      = U * weights / sum.volume;
  const Eigen::MatrixXd about     = (U.colwise() - mean).transpose();
  const Eigen::MatrixXd remainder = about - orthonormal * (projection * about);
  sum.mean.head(mean.size())      = mean;
  sum.spread                      = weights.dot(about.rowwise().squaredNorm());
  sum.oscillation                 = weights.dot(remainder.rowwise().squaredNorm());
  return sum;
}
} // namespace moreau::macro
