// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/campaign/active_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace moreau::campaign
{
namespace
{
using Index = Eigen::Index;

/// Of |y|, for rows of length 1: what counts as satisfied. Light spheres between heavy ones make a million times as much
/// of it.
constexpr Real tolerance = 3e-18L;
constexpr Real dependent = 1e-12L; ///< of a row of length 1: what is left of it beside those that it depends on

/// Q and R of the active rows, as columns: N = Q R.
class Factorisation
{
public:
  Factorisation(const Index n, const Index most) : Q(n, most), R(RealMatrix::Zero(most, most)) {}

  Index size() const { return k; }
  auto  q() const { return Q.leftCols(k); }

  /// What of a is orthogonal to the active rows; d = Qᵀa.
  RealVector remainder(const RealVector &a, RealVector &d) const
  {
    d                     = q().transpose() * a;
    RealVector       z    = a - q() * d;
    const RealVector more = q().transpose() * z; // once is not enough where little is left
    d += more;
    return z - q() * more;
  }

  /// R⁻¹d and R⁻ᵀd.
  RealVector solved(const RealVector &d) const
  {
    return R.topLeftCorner(k, k).template triangularView<Eigen::Upper>().solve(d);
  }
  RealVector solved_transposed(const RealVector &d) const
  {
    return R.topLeftCorner(k, k).transpose().template triangularView<Eigen::Lower>().solve(d);
  }

  void add(const RealVector &d, const RealVector &z)
  {
    const Real length = z.norm();
    R.col(k).head(k)  = d;
    R(k, k)           = length;
    Q.col(k)          = z / length;
    ++k;
  }

  void remove(const Index column)
  {
    for (Index c = column; c + 1 < k; ++c)
      R.col(c).head(k) = R.col(c + 1).head(k);
    --k;
    for (Index c = column; c < k; ++c) // one entry below the diagonal in each column that moved
      {
        const Real       length = std::hypot(R(c, c), R(c + 1, c)), cosine = R(c, c) / length, sine = R(c + 1, c) / length;
        const RealMatrix rows          = R.middleRows(c, 2).middleCols(c, k - c);
        R.row(c).segment(c, k - c)     = cosine * rows.row(0) + sine * rows.row(1);
        R.row(c + 1).segment(c, k - c) = cosine * rows.row(1) - sine * rows.row(0);
        R(c + 1, c)                    = 0.L;
        const RealVector first         = Q.col(c);
        Q.col(c)                       = cosine * first + sine * Q.col(c + 1);
        Q.col(c + 1)                   = cosine * Q.col(c + 1) - sine * first;
      }
    R.row(k).setZero();
  }

private:
  RealMatrix Q, R;
  Index      k = 0;
};

/// One projection, rows of A of length 1.
class DualMethod
{
public:
  DualMethod(const RealMatrix &A, const RealVector &b, const RealVector &y)
      : A(A)
      , b(b)
      , y(y)
      , slack(tolerance * std::max(y.norm(), b.size() > 0 ? b.norm() : 0.L))
      , x(y)
      , factors(y.size(), std::min(A.rows(), A.cols()) + 1)
      , is_active(A.rows(), false)
  {}

  NearestPoint run()
  {
    const Index limit = 50 * (A.rows() + 10);
    for (Index step = 0; step < limit; ++step)
      {
        const Index c = most_violated();
        if (c < 0)
          return checked();
        if (!enter(c))
          return proof;
      }
    return {};
  }

private:
  Index most_violated() const
  {
    Index worst = -1;
    Real  most  = slack;
    for (Index c = 0; c < A.rows(); ++c)
      if (!is_active[c])
        if (const Real by = A.row(c).dot(x) - b(c); by > most)
          {
            most  = by;
            worst = c;
          }
    return worst;
  }

  /// Makes row c hold, while others leave. False where `proof` says why not.
  bool enter(const Index c)
  {
    const RealVector a       = A.row(c).transpose();
    Real             of_c    = 0.L;
    const Index      at_most = factors.size() + 1;
    for (Index change = 0; change <= at_most; ++change)
      {
        RealVector       d;
        const RealVector z       = factors.remainder(a, d);
        const RealVector r       = factors.solved(d);
        const bool       is_free = z.norm() > dependent && factors.size() < y.size();
        const Real       full    = is_free ? (a.dot(x) - b(c)) / z.squaredNorm() : infinity;
        Real             part    = infinity;
        Index            leaving = -1;
        for (Index j = 0; j < r.size(); ++j)
          if (r(j) > 1e-15L * (1.L + r.cwiseAbs().maxCoeff()) && lambda[j] / r(j) < part)
            {
              part    = lambda[j] / r(j);
              leaving = j;
            }
        const Real step = std::min(full, part);
        if (step == infinity)
          return set_proof(c, r);
        for (Index j = 0; j < r.size(); ++j)
          lambda[j] -= step * r(j);
        of_c += step;
        if (is_free)
          x -= step * z;
        if (step == full)
          {
            factors.add(d, z);
            active.push_back(c);
            lambda.push_back(of_c);
            is_active[c] = true;
            refresh();
            return true;
          }
        is_active[active[leaving]] = false;
        active.erase(active.begin() + leaving);
        lambda.erase(lambda.begin() + leaving);
        factors.remove(leaving);
      }
    proof = {};
    return false;
  }

  /// x and λ from the active rows alone: errors of steps do not add up.
  void refresh()
  {
    RealVector of_active(factors.size());
    for (Index j = 0; j < of_active.size(); ++j)
      of_active(j) = b(active[j]);
    const RealVector excess = factors.q().transpose() * y - factors.solved_transposed(of_active);
    x                       = y - factors.q() * excess;
    const RealVector anew   = factors.solved(excess);
    for (Index j = 0; j < anew.size(); ++j)
      lambda[j] = anew(j);
  }

  /// λ = e_c - Σ r_j e_j with r <= 0 proves that there is no x, if rounding lets it.
  bool set_proof(const Index c, const RealVector &r)
  {
    proof           = {};
    proof.lambda    = RealVector::Zero(A.rows());
    proof.lambda(c) = 1.L;
    for (Index j = 0; j < r.size(); ++j)
      proof.lambda(active[j]) = std::max(0.L, -r(j));
    const Real deficit = -b.dot(proof.lambda), remainder = (A.transpose() * proof.lambda).norm();
    proof.x = x;
    if (deficit > 1e6L * remainder * std::max(x.norm(), y.norm()))
      proof.verdict = Verdict::empty;
    return false;
  }

  NearestPoint checked() const
  {
    NearestPoint result;
    result.x      = x;
    result.lambda = RealVector::Zero(A.rows());
    for (std::size_t j = 0; j < active.size(); ++j)
      result.lambda(active[j]) = lambda[j];
    const RealVector open = b - A * x;
    const Real       size = std::max(slack, tolerance * result.lambda.lpNorm<Eigen::Infinity>());
    bool             good = (y - x - A.transpose() * result.lambda).norm() <= 8.L * size;
    for (Index c = 0; c < A.rows(); ++c)
      good = good && open(c) >= -8.L * size && result.lambda(c) >= -8.L * size && (!is_active[c] || open(c) <= 8.L * size);
    result.verdict = good ? Verdict::solved : Verdict::undecided;
    return result;
  }

  static constexpr Real infinity = std::numeric_limits<Real>::infinity();

  const RealMatrix  &A;
  const RealVector  &b, &y;
  const Real         slack;
  RealVector         x;
  Factorisation      factors;
  std::vector<bool>  is_active;
  std::vector<Index> active; ///< in the order of the columns of the factorisation
  std::vector<Real>  lambda; ///< of these
  NearestPoint       proof;
};
} // namespace

NearestPoint nearest_point(const RealMatrix &A, const RealVector &b, const RealVector &y)
{
  const RealVector lengths = A.rowwise().norm();
  const RealMatrix scaled  = lengths.cwiseInverse().asDiagonal() * A;
  const RealVector right   = b.cwiseQuotient(lengths);
  NearestPoint     result  = DualMethod(scaled, right, y).run();
  if (result.lambda.size() > 0)
    result.lambda = result.lambda.cwiseQuotient(lengths);
  return result;
}
} // namespace moreau::campaign
