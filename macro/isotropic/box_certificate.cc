// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/box_certificate.h"
#include "convex/velocity_space.h"
#include "geometry/box_rows.h"
#include "geometry/quadrature.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
using convex::epsilon;
constexpr int   n_gauss  = 4;
constexpr Index in_batch = 64; ///< cells whose points go to U at once: their data stay in the cache

/// Integrals over part of the zone.
struct Integrals
{
  double          mismatch = 0., work = 0., oscillation = 0.;
  double          violation = 0., wall_violation = 0., speed = 0.; ///< largest (-div v)⁺, (v·n)⁺, |v|
  double          volume = 0., spread = 0.;                        ///< spread: ∫|U - mean|²
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();                  ///< of U

  /// In the order of the calls, hence the same for any number of threads.
  void add(const Integrals &other)
  {
    mismatch += other.mismatch;
    work += other.work;
    oscillation += other.oscillation;
    violation      = std::max(violation, other.violation);
    wall_violation = std::max(wall_violation, other.wall_violation);
    speed          = std::max(speed, other.speed);
    if (other.volume == 0.)
      return;
    const double          both = volume + other.volume;
    const Eigen::Vector3d jump = other.mean - mean;
    spread += other.spread + volume * other.volume / both * jump.squaredNorm();
    mean += other.volume / both * jump;
    volume = both;
  }

  Integrals over_processes(const Processes &processes) const
  {
    Integrals all;
    all.mismatch       = processes.sum(mismatch);
    all.work           = processes.sum(work);
    all.oscillation    = processes.sum(oscillation);
    all.violation      = processes.max(violation);
    all.wall_violation = processes.max(wall_violation);
    all.speed          = processes.max(speed);
    all.volume         = processes.sum(volume);
    for (int a = 0; a < 3; ++a)
      all.mean(a) = all.volume > 0. ? processes.sum(volume * mean(a)) / all.volume : 0.;
    all.spread = processes.sum(spread + volume * (mean - all.mean).squaredNorm());
    return all;
  }
};

constexpr int power(const int base, const int n) { return n == 0 ? 1 : base * power(base, n - 1); }

/// ∫ over the unit cube of what of a vector field, given at the Gauss points, is of degree 3 in some variable, squared.
template <int dim>
class Oscillation
{
public:
  static constexpr int n_values = dim * power(n_gauss, dim); ///< component after component of one point, then the next

  Oscillation()
  {
    const Rule line = gauss_rule(n_gauss, 1), face = gauss_rule(n_gauss, dim - 1);
    for (int q = 0; q < n_gauss; ++q)
      {
        const double X = 2. * line.points(0, q) - 1.;
        legendre[q]    = std::sqrt(7.) * .5 * X * (5. * X * X - 3.);
        weight[q]      = line.weights(q);
      }
    for (int k = 0; k < n_lines; ++k)
      line_weight[k] = face.weights(k / dim);
  }

  double operator()(const double *const values) const
  {
    double f[n_values], sum = 0.;
    std::copy(values, values + n_values, f);
    remove<0>(f, sum);
    if constexpr (dim > 1)
      remove<1>(f, sum);
    if constexpr (dim > 2)
      remove<2>(f, sum);
    return sum;
  }

private:
  static constexpr int n_lines = n_values / n_gauss; ///< along one axis, per component

  /// Takes the cubic part along an axis out of f, line by line.
  template <int axis>
  void remove(double *const f, double &sum) const
  {
    constexpr int stride = dim * power(n_gauss, axis);
    for (int slow = 0; slow < n_lines / stride; ++slow)
      for (int fast = 0; fast < stride; ++fast)
        {
          double *const line = f + slow * stride * n_gauss + fast;
          double        c    = 0.;
          for (int q = 0; q < n_gauss; ++q)
            c += weight[q] * legendre[q] * line[q * stride];
          for (int q = 0; q < n_gauss; ++q)
            line[q * stride] -= c * legendre[q];
          sum += line_weight[slow * stride + fast] * c * c;
        }
  }

  double legendre[n_gauss], weight[n_gauss], line_weight[n_lines];
};

/// The integrals of η², row by row of cells.
template <int dim>
class RowIntegrator
{
public:
  RowIntegrator(const BoxZone &zone, const Field &U, const ReconstructedVelocity &v, const BoxPressure &p)
      : zone(zone), U(U), v(v), p(p), rule(gauss_rule(n_gauss, dim)), weights(rule.weights)
  {
    for (int k = 0; k < dim * n_points; ++k)
      weights_of_vectors(k) = weights(k / dim);
    for (int side = 0; side < 2 * dim; ++side)
      {
        face_rules[side] = face_rule(n_gauss, dim, side / 2);
        face_rules[side].points.row(side / 2).setConstant(side % 2);
      }
  }

  /// indicator: of the cells of this row.
  Integrals operator()(const Row &row, double *const indicator) const
  {
    Integrals          sum;
    Workspace          w;
    std::vector<Index> batch;
    for (Index i = row.begin[0]; i < row.end; ++i)
      {
        if (zone({i, row.begin[1], row.begin[2]}))
          batch.push_back(i);
        if (static_cast<Index>(batch.size()) == in_batch || (i + 1 == row.end && !batch.empty()))
          {
            evaluate_U(row, batch, w);
            Integrals of_batch;
            for (std::size_t k = 0; k < batch.size(); ++k)
              indicator[batch[k] - row.begin[0]] =
                  add_cell({batch[k], row.begin[1], row.begin[2]}, k * rule.size(), w, of_batch);
            add_spread(w, of_batch);
            sum.add(of_batch);
            batch.clear();
          }
      }
    return sum;
  }

private:
  struct Workspace
  {
    Eigen::MatrixXd x, values, v, gradient, v_on_wall, gradient_on_wall;
    Vector          div, p, div_on_wall, p_on_wall;
  };

  void evaluate_U(const Row &row, const std::vector<Index> &batch, Workspace &w) const
  {
    const BoxGrid &grid = zone.grid;
    w.x.resize(dim, batch.size() * rule.size());
    w.values.resize(dim, w.x.cols());
    CellIndex cell = row.begin;
    for (std::size_t k = 0; k < batch.size(); ++k)
      {
        cell[0] = batch[k];
        for (Index q = 0; q < rule.size(); ++q)
          for (int a = 0; a < dim; ++a)
            w.x(a, k * rule.size() + q) = grid.lower(a) + (static_cast<double>(cell[a]) + rule.points(a, q)) * grid.h(a);
      }
    U(w.x, w.values);
  }

  /// The part of η² on one cell, whose values of U begin at `first`.
  double add_cell(const CellIndex &cell, const Index first, Workspace &w, Integrals &sum) const
  {
    const double volume = zone.grid.cell_volume();
    v.evaluate(cell, rule.points, w.v, w.div);
    p.evaluate(cell, rule.points, w.p, w.gradient);
    const Vectors of_v(w.v.data()), of_U(w.values.data() + dim * first), of_gradient(w.gradient.data());
    const Scalars div(w.div.data()), of_p(w.p.data());

    const double mismatch = volume * (weights_of_vectors * (of_v - of_U + of_gradient).square()).sum();
    const double work     = 2. * volume * (weights * of_p * div.max(0.)).sum() + work_on_walls(cell, w, sum);
    sum.mismatch += mismatch;
    sum.work += work;
    sum.oscillation += volume * oscillation(of_U.data());
    sum.violation = std::max(sum.violation, -div.minCoeff());
    sum.speed     = std::max(sum.speed, of_v.abs().maxCoeff());
    return mismatch + work;
  }

  /// -2 ∫ p v·n over the walls of a cell.
  double work_on_walls(const CellIndex &cell, Workspace &w, Integrals &sum) const
  {
    double work = 0.;
    for (int side = 0; side < 2 * dim; ++side)
      {
        const int axis = side / 2;
        if (!zone.walls[side] || cell[axis] != (side % 2 ? zone.grid.n[axis] - 1 : 0))
          continue;
        const Rule &face = face_rules[side];
        v.evaluate(cell, face.points, w.v_on_wall, w.div_on_wall);
        p.evaluate(cell, face.points, w.p_on_wall, w.gradient_on_wall);
        for (Index q = 0; q < face.size(); ++q)
          {
            const double inwards = side % 2 ? -w.v_on_wall(axis, q) : w.v_on_wall(axis, q);
            work += 2. * zone.grid.face_area(axis) * face.weights(q) * w.p_on_wall(q) * std::max(inwards, 0.);
            sum.wall_violation = std::max(sum.wall_violation, -inwards / zone.grid.h(axis));
          }
      }
    return work;
  }

  /// Mean of U over the batch and what deviates from it.
  void add_spread(const Workspace &w, Integrals &sum) const
  {
    using PerCell                         = Eigen::Map<const Eigen::Matrix<double, dim, n_points>>;
    const Index                   n_cells = w.values.cols() / n_points;
    const auto                    on_cell = [&](const Index k) { return PerCell(w.values.data() + k * dim * n_points); };
    Eigen::Matrix<double, dim, 1> mean    = Eigen::Matrix<double, dim, 1>::Zero();
    for (Index k = 0; k < n_cells; ++k)
      mean += on_cell(k) * weights.matrix();
    mean /= static_cast<double>(n_cells);
    double spread = 0.;
    for (Index k = 0; k < n_cells; ++k)
      spread += ((on_cell(k).colwise() - mean).colwise().squaredNorm() * weights.matrix()).value();
    sum.volume           = zone.grid.cell_volume() * static_cast<double>(n_cells);
    sum.spread           = zone.grid.cell_volume() * spread;
    sum.mean.head<dim>() = mean;
  }

  static constexpr int n_points = power(n_gauss, dim);
  using ScalarArray             = Eigen::Array<double, n_points, 1>;
  using VectorArray             = Eigen::Array<double, dim * n_points, 1>;
  using Scalars                 = Eigen::Map<const ScalarArray>;
  using Vectors                 = Eigen::Map<const VectorArray>;

  const BoxZone               &zone;
  const Field                 &U;
  const ReconstructedVelocity &v;
  const BoxPressure           &p;
  Rule                         rule;
  ScalarArray                  weights;
  VectorArray                  weights_of_vectors; ///< each dim times
  std::array<Rule, 2 * dim>    face_rules;
  Oscillation<dim>             oscillation;
};

template <int dim>
Integrals integrate(const RowIntegrator<dim> &integrator, const BoxZone &zone, Vector &indicator)
{
  std::vector<Integrals> rows(n_own_rows(zone.grid));
  for_own_rows(zone.grid,
               [&](const Index r, const Row &row) { rows[r] = integrator(row, indicator.data() + r * zone.grid.own(0)); });
  Integrals sum;
  for (const Integrals &row : rows)
    sum.add(row);
  return sum.over_processes(zone.grid.processes);
}

Integrals integrals(const BoxZone &zone, const Field &U, const ReconstructedVelocity &v, const BoxPressure &p,
                    Vector &indicator)
{
  switch (zone.grid.dim)
    {
      case 1:
        return integrate(RowIntegrator<1>(zone, U, v, p), zone, indicator);
      case 2:
        return integrate(RowIntegrator<2>(zone, U, v, p), zone, indicator);
      default:
        return integrate(RowIntegrator<3>(zone, U, v, p), zone, indicator);
    }
}
} // namespace

TotalBound box_total_bound(const BoxZone &zone, const Field &U, const ReconstructedVelocity &v, const BoxPressure &p)
{
  TotalBound bound;
  bound.indicator     = Vector::Zero(zone.grid.n_own_cells());
  const Integrals sum = integrals(zone, U, v, p, bound.indicator);
  bound.available     = true;
  bound.mismatch      = sum.mismatch;
  bound.work          = sum.work;
  bound.eta           = std::sqrt(sum.mismatch + sum.work);
  bound.scale         = std::sqrt(sum.spread);
  bound.relative      = bound.scale > 0. ? bound.eta / bound.scale : 0.;
  bound.oscillation   = sum.oscillation;
  bound.construction  = "RT1 velocity and Bernstein-Q2 pressure from the staggered solution";

  bound.largest_violation = std::max(sum.violation, sum.wall_violation);
  const double rounding   = 64. * epsilon * sum.speed / zone.grid.h.minCoeff();
  // a polynomial leaves nothing but the rounding errors of its values
  const double of_U = 64. * epsilon * std::sqrt(sum.spread + sum.volume * sum.mean.squaredNorm());
  if (!(bound.largest_violation <= rounding))
    bound.remark = "The velocity is not admissible everywhere, so the bound is an estimate.";
  else if (!(sum.oscillation <= 1e-12 * bound.eta * bound.eta + of_U * of_U))
    bound.remark = "U is not quadratic on every cell and is integrated by Gauss's rule, so the bound is an estimate.";
  bound.guaranteed = bound.remark.empty();
  return bound;
}
} // namespace moreau::macro
