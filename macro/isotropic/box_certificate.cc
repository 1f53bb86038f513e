// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/box_certificate.h"

#include "convex/with_dimension.h"
#include "geometry/box_rows.h"
#include "geometry/quadrature.h"
#include "macro/integrals_of_u.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
namespace
{
constexpr int   n_gauss  = 4;
constexpr Index in_batch = 64; ///< cells whose points go to U at once: their data stay in the cache

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

AdmissiblePair::Facts facts_of(const BoxGrid &grid)
{
  AdmissiblePair::Facts facts;
  facts.constructions = {"RT1 velocity and Bernstein-Q2 pressure from the staggered solution"};
  facts.n_cells       = grid.n_own_cells();
  facts.at_a_time     = std::max(Index(1), grid.own(0)); // a row
  facts.width         = grid.h.minCoeff();
  facts.processes     = grid.processes;
  return facts;
}

/// All that is done at points is unrolled at compile time.
template <int dim>
class BoxPair : public AdmissiblePair
{
public:
  BoxPair(const BoxZone &zone, const Field &U, const ReconstructedVelocity &v, const BoxPressure &p)
      : AdmissiblePair(facts_of(zone.grid))
      , zone(zone)
      , U(U)
      , v(v)
      , p(p)
      , rule(gauss_rule(n_gauss, dim))
      , of_U(IntegralsOfU::on_cubes(rule, n_gauss - 2))
      , weights(rule.weights)
  {
    for (int k = 0; k < dim * n_points; ++k)
      weights_of_vectors(k) = weights(k / dim);
    for (int side = 0; side < 2 * dim; ++side)
      {
        face_rules[side] = face_rule(n_gauss, dim, side / 2);
        face_rules[side].points.row(side / 2).setConstant(side % 2);
      }
  }

  GapIntegrals integrals(const Index first, Index, Eigen::MatrixXd &indicators) const override
  {
    double *const indicator = indicators.data() + first;
    GapIntegrals  sum;
    Workspace     w;
    for_batches(first, w, [&](const Row &row, const std::vector<Index> &batch) {
      w.values.resize(dim, w.x.cols());
      U(w.x, w.values);
      GapIntegrals of_batch;
      for (std::size_t k = 0; k < batch.size(); ++k)
        indicator[batch[k] - row.begin[0]] = add_cell({batch[k], row.begin[1], row.begin[2]}, k * rule.size(), w, of_batch);
      add_spread(w, of_batch);
      sum.add(of_batch);
    });
    return sum;
  }

  Unseen hidden(const Index first, Index, const bool all_seen) const override
  {
    Workspace w;
    Unseen    sum;
    for_batches(first, w, [&](const Row &, const std::vector<Index> &batch) {
      sum += of_U.hidden(U, w.x, Vector::Constant(static_cast<Index>(batch.size()), zone.grid.cell_volume()), all_seen,
                         IntegralsOfU::in_a_row(zone.grid.n_cells()));
    });
    return sum;
  }

private:
  struct Workspace
  {
    Eigen::MatrixXd x, values, v, gradient, v_on_wall, gradient_on_wall;
    Vector          div, p, div_on_wall, p_on_wall;
  };

  /// f(row, cells of the zone in it), with their points in w.x, for the row that begins with a cell.
  template <class F>
  void for_batches(const Index first, Workspace &w, const F &f) const
  {
    const Row          row = own_row(zone.grid, first / facts.at_a_time);
    std::vector<Index> batch;
    for (Index i = row.begin[0]; i < row.end; ++i)
      {
        if (zone({i, row.begin[1], row.begin[2]}))
          batch.push_back(i);
        if (static_cast<Index>(batch.size()) == in_batch || (i + 1 == row.end && !batch.empty()))
          {
            set_points(row, batch, w);
            f(row, batch);
            batch.clear();
          }
      }
  }

  void set_points(const Row &row, const std::vector<Index> &batch, Workspace &w) const
  {
    const BoxGrid &grid = zone.grid;
    w.x.resize(dim, batch.size() * rule.size());
    CellIndex cell = row.begin;
    for (std::size_t k = 0; k < batch.size(); ++k)
      {
        cell[0] = batch[k];
        for (Index q = 0; q < rule.size(); ++q)
          for (int a = 0; a < dim; ++a)
            w.x(a, k * rule.size() + q) = grid.lower(a) + (static_cast<double>(cell[a]) + rule.points(a, q)) * grid.h(a);
      }
  }

  /// The part of η² on one cell, whose values of U begin at `first`.
  double add_cell(const CellIndex &cell, const Index first, Workspace &w, GapIntegrals &sum) const
  {
    const double volume = zone.grid.cell_volume();
    v.evaluate(cell, rule.points, w.v, w.div);
    p.evaluate(cell, rule.points, w.p, w.gradient);
    const Vectors of_v(w.v.data()), U_here(w.values.data() + dim * first), of_gradient(w.gradient.data());
    const Scalars div(w.div.data()), of_p(w.p.data());

    const double mismatch = volume * (weights_of_vectors * (of_v - U_here + of_gradient).square()).sum();
    const double work     = 2. * volume * (weights * of_p * div.max(0.)).sum() + work_on_walls(cell, w, sum);
    sum.mismatch[0] += mismatch;
    sum.work[0] += work;
    sum.energy[0] += volume * (weights_of_vectors * of_v * (U_here - .5 * of_v)).sum();
    sum.oscillation += volume * oscillation(U_here.data());
    sum.violation = std::max(sum.violation, -div.minCoeff());
    sum.speed     = std::max(sum.speed, of_v.abs().maxCoeff());
    return mismatch + work;
  }

  /// -2 ∫ p v·n over the walls of a cell.
  double work_on_walls(const CellIndex &cell, Workspace &w, GapIntegrals &sum) const
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
            sum.violation = std::max(sum.violation, -inwards / zone.grid.h(axis));
          }
      }
    return work;
  }

  /// Mean of U over the batch and what deviates from it.
  void add_spread(const Workspace &w, GapIntegrals &sum) const
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
  IntegralsOfU                 of_U; ///< where not unrolled
  ScalarArray                  weights;
  VectorArray                  weights_of_vectors; ///< each dim times
  std::array<Rule, 2 * dim>    face_rules;
  Oscillation<dim>             oscillation;
};
} // namespace

TotalBound box_total_bound(const BoxZone &zone, const Field &U, const ReconstructedVelocity &v, const BoxPressure &p,
                           const Progress &progress)
{
  return convex::with_dimension(zone.grid.dim,
                                [&](const auto d) { return total_bound(BoxPair<d()>(zone, U, v, p), progress); });
}
} // namespace moreau::macro
