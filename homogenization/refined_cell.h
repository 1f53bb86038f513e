// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_REFINED_CELL_H
#define MOREAU_HOMOGENIZATION_REFINED_CELL_H

#include "homogenization/cell_integrals.h"
#include "homogenization/embedded_rule.h"
#include "homogenization/simplex_geometry.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

/// Integrals over one cell, and how they become better: the inside of integrate().
namespace moreau::homogenization
{
template <int dim>
using Corners = Eigen::Matrix<double, dim, dim + 1>;

/// Integrals over simplices of one cell at a time (or over one parallelepiped), and what is seen on the way. One per task.
template <int dim>
class SimplexIntegrals
{
public:
  SimplexIntegrals(const EmbeddedRule &rule, const CellIntegrand &f, const Index n_components)
      : f(&f), rule(rule), largest(Vector::Zero(n_components))
  {}

  Index n_components() const { return largest.size(); }
  Index n_points_each() const { return rule.size(); }
  Index n_defects() const { return rule.n_defects(); }
  Index size() const { return volume.size(); } ///< k, the number of simplices in the last evaluation

  /// corners: those of k simplices, one after the other.
  void evaluate(const Index cell, const Eigen::Ref<const Eigen::MatrixXd> &corners)
  {
    const Index k = corners.cols() / (dim + 1), n_q = rule.size(), r = rule.n_defects();
    x.resize(dim, k * n_q);
    for (Index t = 0; t < k; ++t)
      x.middleCols(t * n_q, n_q) = corners.template middleCols<dim + 1>((dim + 1) * t).lazyProduct(rule.points);
    values.resize(n_components(), k * n_q);
    (*f)(cell, x, values);

    integrals.resize(n_components(), k);
    errors.resize(n_components(), r * k);
    volume.resize(k);
    for (Index t = 0; t < k; ++t)
      {
        volume(t)        = rule.volume * std::abs(signed_volume(corners.middleCols((dim + 1) * t, dim + 1)));
        const auto on_t  = values.middleCols(t * n_q, n_q);
        integrals.col(t) = volume(t) * on_t.lazyProduct(rule.weights);
        rule.error_vectors(on_t, errors.middleCols(r * t, r));
        errors.middleCols(r * t, r) *= volume(t);
      }
    largest = largest.cwiseMax(values.cwiseAbs().rowwise().maxCoeff());
    n_points += x.cols();
  }

  auto   integral(const Index t) const { return integrals.col(t); }
  auto   error(const Index t) const { return errors.middleCols(rule.n_defects() * t, rule.n_defects()); } ///< d_T
  double total_volume() const { return volume.sum(); }
  Vector total_integral() const { return integrals.rowwise().sum(); }
  /// Σ_T |d_T|² and Σ_T d_T.
  Vector          squared_errors() const { return errors.rowwise().squaredNorm(); }
  Eigen::MatrixXd sum_of_errors() const
  {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n_components(), n_defects());
    for (Index t = 0; t < size(); ++t)
      sum += error(t);
    return sum;
  }
  const Vector &largest_values() const { return largest; } ///< max|f| of each component so far
  Index         n_evaluated() const { return n_points; }   ///< points so far

private:
  const CellIntegrand *f;
  EmbeddedRule         rule;
  Vector               largest;
  Index                n_points = 0;
  Eigen::MatrixXd      x, values, integrals, errors;
  Vector               volume;
};

/// 2 (|Σ_T d_T|² + Σ_T |d_T|²)^{1/2}.
inline Vector estimate(const Eigen::MatrixXd &sum_of_errors, const Vector &squared_errors)
{
  return 2. * (sum_of_errors.rowwise().squaredNorm() + squared_errors).cwiseSqrt();
}

/// One cell as simplices that become smaller where errors are large.
template <int dim>
class RefinedCell
{
public:
  /// allowed: the error that need not be mended, per component.
  RefinedCell(const Index cell, const Eigen::MatrixXd &corners, const Vector &allowed, SimplexIntegrals<dim> &simplices)
      : cell(cell), allowed(allowed), simplices(simplices)
  {
    simplices.evaluate(cell, corners);
    for (Index t = 0; t < simplices.size(); ++t)
      {
        pieces.emplace_back();
        put(pieces.back(), corners.middleCols<dim + 1>((dim + 1) * t), 0, t);
      }
  }

  /// n_points: how many may be spent.
  void refine(const int max_bisections, Index n_points)
  {
    const Index cost = 2 * simplices.n_points_each();
    // first all of them: a jump may have escaped notice in one
    std::vector<std::size_t> marked(pieces.size());
    std::iota(marked.begin(), marked.end(), 0);
    while (true)
      {
        keep_largest(marked, static_cast<std::size_t>(n_points / cost));
        if (marked.empty())
          return;
        n_points -= cost * static_cast<Index>(marked.size());
        bisect(marked);
        if ((error().array() <= allowed.array()).all())
          return;
        marked = largest_errors(max_bisections);
      }
  }

  Vector integral() const
  {
    Vector sum = Vector::Zero(allowed.size());
    for (const Piece &piece : pieces)
      sum += piece.integral;
    return sum;
  }
  Eigen::MatrixXd sum_of_errors() const
  {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(allowed.size(), simplices.n_defects());
    for (const Piece &piece : pieces)
      sum += piece.error;
    return sum;
  }
  Vector error() const
  {
    Vector squared = Vector::Zero(allowed.size());
    for (const Piece &piece : pieces)
      squared += piece.error.rowwise().squaredNorm();
    return estimate(sum_of_errors(), squared);
  }

private:
  struct Piece
  {
    Corners<dim>    corners;
    int             n_bisections;
    double          size; ///< |d_T| of the worst component, in units of what is allowed
    Vector          integral;
    Eigen::MatrixXd error; ///< d_T
  };

  /// Takes simplex t of the last evaluation.
  void put(Piece &piece, const Corners<dim> &corners, const int n_bisections, const Index t)
  {
    piece.corners      = corners;
    piece.n_bisections = n_bisections;
    piece.integral     = simplices.integral(t);
    piece.error        = simplices.error(t);
    piece.size         = (piece.error.rowwise().norm().array() / allowed.array()).maxCoeff();
  }

  void keep_largest(std::vector<std::size_t> &marked, const std::size_t n_most) const
  {
    if (marked.size() <= n_most)
      return;
    std::sort(marked.begin(), marked.end(), [&](const std::size_t s, const std::size_t t) {
      return pieces[s].size != pieces[t].size ? pieces[s].size > pieces[t].size : s < t;
    });
    marked.resize(n_most);
  }

  /// Those within a factor 4 of the largest, so that every evaluation has many points and none is wasted on small errors.
  std::vector<std::size_t> largest_errors(const int max_bisections) const
  {
    double least = .5 / std::sqrt(static_cast<double>(pieces.size())); // if none is larger, together they are allowed
    for (const Piece &piece : pieces)
      if (piece.n_bisections < max_bisections)
        least = std::max(least, .25 * piece.size);
    std::vector<std::size_t> chosen;
    for (std::size_t t = 0; t < pieces.size(); ++t)
      if (pieces[t].n_bisections < max_bisections && pieces[t].size >= least)
        chosen.push_back(t);
    return chosen;
  }

  /// Both halves, cut in the middle of the longest edge.
  static void bisect(const Corners<dim> &corners, Corners<dim> &first, Corners<dim> &second)
  {
    int    a = 0, b = 1;
    double longest = 0.;
    for (int j = 0; j < dim; ++j)
      for (int k = j + 1; k <= dim; ++k)
        if (const double length = (corners.col(j) - corners.col(k)).squaredNorm(); length > longest)
          {
            longest = length;
            a       = j;
            b       = k;
          }
    const Eigen::Matrix<double, dim, 1> middle = .5 * (corners.col(a) + corners.col(b));
    first = second = corners;
    first.col(b)   = middle;
    second.col(a)  = middle;
  }

  void bisect(const std::vector<std::size_t> &marked)
  {
    Eigen::MatrixXd halves(dim, 2 * (dim + 1) * marked.size());
    Corners<dim>    first, second;
    for (std::size_t s = 0; s < marked.size(); ++s)
      {
        bisect(pieces[marked[s]].corners, first, second);
        halves.template middleCols<2 * (dim + 1)>(2 * (dim + 1) * s) << first, second;
      }
    simplices.evaluate(cell, halves);
    for (std::size_t s = 0; s < marked.size(); ++s)
      {
        const Index first_half   = 2 * static_cast<Index>(s);
        const auto  corners      = [&](const Index t) { return halves.template middleCols<dim + 1>((dim + 1) * t); };
        const int   n_bisections = pieces[marked[s]].n_bisections + 1;
        put(pieces[marked[s]], corners(first_half), n_bisections, first_half);
        pieces.emplace_back();
        put(pieces.back(), corners(first_half + 1), n_bisections, first_half + 1);
      }
  }

  Index                  cell;
  Vector                 allowed;
  SimplexIntegrals<dim> &simplices;
  std::vector<Piece>     pieces;
};
} // namespace moreau::homogenization

#endif
