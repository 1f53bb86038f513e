// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/shape_pressure.h"
#include "geometry/quadrature.h"

#include <tbb/parallel_for.h>

#include <cmath>

namespace moreau::macro
{
namespace
{
constexpr double fixed_depth  = 2.5; ///< cells from the boundary from which on coefficients stay what they are
constexpr int    n_fit_points = 2;   ///< per direction: as many equations per cell as the fit can use
constexpr int    n_steps      = 3;   ///< of conjugate gradients: more change the bound by a few per cent

/// The least-squares problem for a change δ of free coefficients: ∫|r -
/// ∇(wδ)|², r = U - ∇(wq) - v, over the cells where δ acts.
class LayerFit
{
public:
  LayerFit(const ShapeFunction &w, const ShapeZone &zone)
      : grid(zone.touched.grid), rule(gauss_rule(n_fit_points, grid.dim)), free(grid), around(neighbourhood(free))
  {
    for_own_cells(grid, [&](const CellIndex &cell) { free(cell) = w.depth()(cell) < fixed_depth; });
    free.update_ghosts();
    for_own_cells(grid, [&](const CellIndex &cell) {
      bool acts = false;
      for (const Index to : around)
        acts = acts || free.values(free.position(cell) + to) != 0.;
      if (acts && zone.touched(cell))
        cells.push_back(cell);
    });
    set_basis(w);
  }

  /// Σ over cells of G^T r, G δ = ∇(wδ) at the Gauss points: the gradient, in free cells.
  ///   residual(k, r)  fills r (dim x points) for the k-th cell
  template <class F>
  CellArray transpose(F &&residual) const
  {
    const Index     n = static_cast<Index>(around.size());
    Eigen::MatrixXd parts(n, cells.size());
    tbb::parallel_for(std::size_t(0), cells.size(), [&](const std::size_t k) {
      Eigen::MatrixXd r(grid.dim, rule.size());
      residual(k, r);
      for (Index b = 0; b < n; ++b)
        {
          double sum = 0.;
          for (Index q = 0; q < rule.size(); ++q)
            for (int axis = 0; axis < grid.dim; ++axis)
              sum += rule.weights(q) * r(axis, q) * gradient(k, b, axis, q);
          parts(b, k) = sum;
        }
    });
    return gathered(parts);
  }

  /// GᵀG δ.
  CellArray normal_product(const CellArray &delta) const
  {
    return transpose([&](const std::size_t k, Eigen::MatrixXd &r) {
      r.setZero();
      const Index c = delta.position(cells[k]);
      for (std::size_t b = 0; b < around.size(); ++b)
        if (const double d = delta.values(c + around[b]); d != 0.)
          for (Index q = 0; q < rule.size(); ++q)
            for (int axis = 0; axis < grid.dim; ++axis)
              r(axis, q) += d * gradient(k, b, axis, q);
    });
  }

  /// Diagonal of GᵀG; 1 where nothing acts.
  CellArray diagonal() const
  {
    Eigen::MatrixXd parts(around.size(), cells.size());
    for (std::size_t k = 0; k < cells.size(); ++k)
      for (std::size_t b = 0; b < around.size(); ++b)
        {
          double sum = 0.;
          for (Index q = 0; q < rule.size(); ++q)
            for (int axis = 0; axis < grid.dim; ++axis)
              sum += rule.weights(q) * std::pow(gradient(k, b, axis, q), 2);
          parts(b, k) = sum;
        }
    CellArray result = gathered(parts);
    for (double &d : result.values)
      d = d > 0. ? d : 1.;
    return result;
  }

  const std::vector<CellIndex> &acting_cells() const { return cells; }
  const Rule                   &points() const { return rule; }

  double dot(const CellArray &a, const CellArray &b) const
  {
    double sum = 0.;
    for_own_cells(grid, [&](const CellIndex &cell) { sum += a(cell) * b(cell); });
    return grid.processes.sum(sum);
  }

private:
  /// The splines are the same in all cells, w is not.
  void set_basis(const ShapeFunction &w)
  {
    basis.resize(around.size(), rule.size());
    for (int axis = 0; axis < grid.dim; ++axis)
      basis_slope[axis].resize(around.size(), rule.size());
    if (!cells.empty())
      for (std::size_t b = 0; b < around.size(); ++b)
        {
          CellArray one(grid);
          one.values(one.position(cells[0]) + around[b]) = 1.;
          Vector          value;
          Eigen::MatrixXd slope;
          evaluate_spline(one, cells[0], rule.points, value, slope);
          basis.row(b) = value;
          for (int axis = 0; axis < grid.dim; ++axis)
            basis_slope[axis].row(b) = slope.row(axis);
        }
    w_values.resize(rule.size(), cells.size());
    w_gradients.resize(grid.dim * rule.size(), cells.size());
    tbb::parallel_for(std::size_t(0), cells.size(), [&](const std::size_t k) {
      Vector          value;
      Eigen::MatrixXd slope;
      w.evaluate(cells[k], rule.points, value, slope);
      w_values.col(k)    = value;
      w_gradients.col(k) = slope.reshaped();
    });
  }

  /// ∂(w B_b) along an axis at point q of the k-th cell.
  double gradient(const std::size_t k, const Index b, const int axis, const Index q) const
  {
    return w_values(q, k) * basis_slope[axis](b, q) + w_gradients(axis + grid.dim * q, k) * basis(b, q);
  }

  /// Sums what cells have for their neighbours, those of other processes included; 0 where not free.
  CellArray gathered(const Eigen::MatrixXd &parts) const
  {
    CellArray result(grid);
    for (std::size_t k = 0; k < cells.size(); ++k)
      for (std::size_t b = 0; b < around.size(); ++b)
        result.values(result.position(cells[k]) + around[b]) += parts(b, k);
    if (grid.processes.size() > 1)
      {
        const Index layer = result.stride(grid.last_axis()), n = result.values.size();
        Vector      below = Vector::Zero(layer), above = Vector::Zero(layer);
        grid.processes.exchange(result.values.head(layer), result.values.tail(layer), below, above);
        result.values.segment(layer, layer) += below;
        result.values.segment(n - 2 * layer, layer) += above;
      }
    CellArray own(grid);
    for_own_cells(grid, [&](const CellIndex &cell) { own(cell) = free(cell) * result(cell); });
    own.update_ghosts();
    return own;
  }

  BoxGrid                        grid;
  Rule                           rule;
  CellArray                      free; ///< 1 or 0
  std::vector<Index>             around;
  std::vector<CellIndex>         cells;
  Eigen::MatrixXd                basis, w_values, w_gradients;
  std::array<Eigen::MatrixXd, 3> basis_slope;
};
} // namespace

CellArray fitted(const ShapeFunction &w, const ShapeZone &zone, const CellArray &q, const Field &U,
                 const ReconstructedVelocity &v)
{
  const BoxGrid      &grid = zone.touched.grid;
  const LayerFit      fit(w, zone);
  const ShapePressure p(w, q);
  // Jacobi-preconditioned conjugate gradients from δ = 0
  CellArray       residual = fit.transpose([&](const std::size_t k, Eigen::MatrixXd &r) {
    const CellIndex &cell = fit.acting_cells()[k];
    Eigen::MatrixXd  values(grid.dim, r.cols()), gradient, v_values;
    Vector           ignored;
    U(points_of(grid, cell, fit.points().points), values);
    p.evaluate(cell, fit.points().points, ignored, gradient);
    v.evaluate(cell, fit.points().points, v_values, ignored);
    r = values - gradient - v_values;
  });
  const CellArray D        = fit.diagonal();
  CellArray       delta(grid), direction(grid), z = residual;
  double          rz = 0.;
  for (int step = 0; step < n_steps; ++step)
    {
      z.values                = residual.values.cwiseQuotient(D.values);
      const double rz_before  = rz;
      rz                      = fit.dot(residual, z);
      direction.values        = z.values + (step == 0 ? 0. : rz / rz_before) * direction.values;
      const CellArray product = fit.normal_product(direction);
      const double    energy  = fit.dot(direction, product);
      if (!(energy > 0.))
        break;
      delta.values += rz / energy * direction.values;
      residual.values -= rz / energy * product.values;
    }
  CellArray result = q;
  result.values    = (q.values + delta.values).cwiseMax(0.);
  return result;
}
} // namespace moreau::macro
