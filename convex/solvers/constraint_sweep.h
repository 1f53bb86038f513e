// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_CONSTRAINT_SWEEP_H
#define MOREAU_CONVEX_SOLVERS_CONSTRAINT_SWEEP_H

#include "convex/cone_projection.h"

#include <algorithm>
#include <cmath>
#include <vector>
#include <optional>

/// One pass over the rows of B that reads a velocity w and builds a force f = Bᵀy at the same time: what first-order
/// methods spend their time in. Rows are scaled to W_cc = 2 (W = B
/// M⁻¹Bᵀ), the value for two equal unit masses: with d_c = √(W_cc/2)
///     row c of B becomes b_c/d_c,   multipliers p_c become d_c p_c,   b_c becomes b_c/d_c.
/// Three classes with the same members (PairSweep in pair_sweep.h), so that the methods are written once as templates:
///   sweep(F)    y_c = F(c, (Bw)_c, sums),  f = Bᵀy        gather(F)   F(c, (Bw)_c, sums)
///   scatter(F)  y_c = F(c, sums),          f = Bᵀy
///   velocity()            w = U - M⁻¹f
///   direction(a, beta)    w = a M⁻¹f + beta w,  returns wᵀMw
///   reduce(F)             F(c, sums) and nothing else       max(x)   the largest of what processes have
///   label(c)              of the row (label_of_row)
/// F may change what it captures at c only. All sums are added in an order that does not depend on the number of threads.
namespace moreau::convex::sweeps
{
/// What a sweep accumulates; the meaning is the caller's.
struct Sums
{
  double a = 0., max = 0.;

  Sums &operator+=(const Sums &other)
  {
    a += other.a;
    max = std::max(max, other.max);
    return *this;
  }
};

/// d_c for W_cc; rows without entries keep theirs.
inline double scale_of_row(const double W) { return W > 0. ? std::sqrt(.5 * W) : 1.; }

/// B with known entries, serial.
class SparseSweep
{
public:
  /// inverse_mass: one per column; W: its diagonal W_cc.
  SparseSweep(const SparseConstraint &B, const Vector &inverse_mass, const Vector &W, const Vector &U);

  Index  n_rows() const { return static_cast<Index>(d.size()); }
  Index  original(const Index c) const { return c; }
  double scale(const Index c) const { return d[c]; }

  template <class F>
  Sums sweep(F f);
  template <class F>
  Sums gather(F f);
  template <class F>
  Sums scatter(F f);
  template <class F>
  Sums reduce(F f)
  {
    Sums sums;
    for (Index c = 0; c < n_rows(); ++c)
      f(c, sums);
    return sums;
  }
  double max(const double x) const { return x; }
  double label(const Index c) const { return static_cast<double>(c); }

  void   velocity() { w = U - inverse_mass.cwiseProduct(this->f); }
  double direction(const double a, const double beta)
  {
    w = a * inverse_mass.cwiseProduct(f) + beta * w;
    return (w.array().square() / inverse_mass.array()).sum();
  }

private:
  double product(const Index c) const
  {
    double Bw = 0.;
    for (Index k = start[c]; k < start[c + 1]; ++k)
      Bw += value[k] * w[column[k]];
    return Bw;
  }

  void add(const Index c, const double y)
  {
    for (Index k = start[c]; k < start[c + 1]; ++k)
      f[column[k]] += value[k] * y;
  }

  std::vector<Index>  start;
  std::vector<int>    column;
  std::vector<double> value, d;
  Vector              w, f, U, inverse_mass;
};

/// Any B and any inner product, through their interfaces; rows are not scaled (d_c = 1).
class OperatorSweep
{
public:
  OperatorSweep(const ProjectionProblem &problem, const Vector &U)
      : V(problem.V), B(problem.B), w(U), f(Vector::Zero(U.size())), U(U), y(B->n_constraints()), M_inverse_f(U.size())
  {}

  Index  n_rows() const { return B->n_constraints(); }
  Index  original(const Index c) const { return c; }
  double scale(Index) const { return 1.; }

  template <class F>
  Sums sweep(F f)
  {
    Sums sums;
    B->apply(w, y);
    for (Index c = 0; c < n_rows(); ++c)
      y[c] = f(c, y[c], sums);
    B->apply_transpose(y, this->f);
    return sums;
  }

  template <class F>
  Sums gather(F f)
  {
    Sums sums;
    B->apply(w, y);
    for (Index c = 0; c < n_rows(); ++c)
      f(c, y[c], sums);
    return sums;
  }

  template <class F>
  Sums scatter(F f)
  {
    Sums sums;
    for (Index c = 0; c < n_rows(); ++c)
      y[c] = f(c, sums);
    B->apply_transpose(y, this->f);
    return sums;
  }

  void velocity()
  {
    V->inverse_riesz(f, M_inverse_f);
    w = U - M_inverse_f;
  }

  template <class F>
  Sums reduce(F f)
  {
    Sums sums;
    for (Index c = 0; c < n_rows(); ++c)
      f(c, sums);
    return sums;
  }
  double max(const double x) const { return x; }
  double label(const Index c) const { return static_cast<double>(c); }

  double direction(const double a, const double beta)
  {
    V->inverse_riesz(f, M_inverse_f);
    w = a * M_inverse_f + beta * w;
    return V->dot(w, w);
  }

private:
  std::shared_ptr<const VelocitySpace>      V;
  std::shared_ptr<const ConstraintOperator> B;
  Vector                                    w, f, U, y, M_inverse_f;
};

// ---------------------------------------------------------------------------------------------------------------------

template <class F>
Sums SparseSweep::sweep(F function)
{
  f.setZero();
  Sums sums;
  for (Index c = 0; c < n_rows(); ++c)
    add(c, function(c, product(c), sums));
  return sums;
}

template <class F>
Sums SparseSweep::gather(F function)
{
  Sums sums;
  for (Index c = 0; c < n_rows(); ++c)
    function(c, product(c), sums);
  return sums;
}

template <class F>
Sums SparseSweep::scatter(F function)
{
  f.setZero();
  Sums sums;
  for (Index c = 0; c < n_rows(); ++c)
    add(c, function(c, sums));
  return sums;
}

/// max(0, z) without a branch, exact: signs of multipliers are unpredictable and a wrong guess costs as much as a row.
inline double positive_part(const double z) { return .5 * (z + std::abs(z)); }

/// One value per node where the dim entries of every node have the same one.
std::optional<Vector> values_of_nodes(const Vector &entries, Index dim);
} // namespace moreau::convex::sweeps

#endif
