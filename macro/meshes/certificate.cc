// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/certificate.h"

#include "geometry/quadrature.h"

#include <Eigen/QR>

namespace moreau::macro
{
namespace
{
/// Projects what a cell has at its Gauss points on polynomials of degree n_gauss - 2 per direction in the reference cell:
/// what the rule sees of higher degree is left. n x n, n = n_gauss^dim.
Eigen::MatrixXd high_degree_part(const int n_gauss, const int dim)
{
  const Rule      line = gauss_rule(n_gauss, 1);
  const Vector    root = line.weights.cwiseSqrt();
  Eigen::MatrixXd powers(n_gauss, n_gauss - 1);
  for (int k = 0; k < n_gauss - 1; ++k)
    powers.col(k) = root.array() * (2. * line.points.row(0).transpose().array() - 1.).pow(k);
  const Eigen::MatrixXd Q =
      Eigen::HouseholderQR<Eigen::MatrixXd>(powers).householderQ() * Eigen::MatrixXd::Identity(n_gauss, n_gauss - 1);
  const Eigen::MatrixXd low = root.cwiseInverse().asDiagonal() * (Q * Q.transpose()) * root.asDiagonal();
  // low degree in every direction; x is the fastest index
  Eigen::MatrixXd product = Eigen::MatrixXd::Ones(1, 1);
  for (int axis = 0; axis < dim; ++axis)
    {
      Eigen::MatrixXd next(n_gauss * product.rows(), n_gauss * product.cols());
      for (int i = 0; i < n_gauss; ++i)
        for (int j = 0; j < n_gauss; ++j)
          next.block(i * product.rows(), j * product.cols(), product.rows(), product.cols()) = low(i, j) * product;
      product = next;
    }
  return Eigen::MatrixXd::Identity(product.rows(), product.cols()) - product;
}

/// Some value of U, the same for all processes: subtracted first, so that a
/// fast frame does not drown |U - mean U| in rounding.
Vector frame_of(const MixedSpace &space, const Field &U, CellEvaluator &velocities)
{
  Vector          sum = Vector::Zero(space.dim);
  Eigen::MatrixXd value(space.dim, 1);
  if (space.n_cells() > 0)
    {
      U(velocities.inside(0).x.leftCols(1), value);
      sum = value;
    }
  const double n = space.processes().sum(space.n_cells() > 0 ? 1. : 0.);
  for (Index a = 0; a < sum.size(); ++a)
    sum(a) = space.processes().sum(sum(a)) / std::max(1., n);
  return sum;
}
} // namespace

TotalBound mixed_total_bound(const MixedSpace &space, const Vector &v, const Field &U, CellEvaluator &velocities,
                             CellEvaluator &pressures, const std::function<Vector(Index)> &pressure_on_cell,
                             const int n_gauss, const Index n_own_cells)
{
  const Processes       processes = space.processes();
  const Vector          all_v     = space.unknowns.fetched(v);
  const Vector          frame     = frame_of(space, U, velocities);
  const Eigen::MatrixXd high      = high_degree_part(n_gauss, space.dim);
  TotalBound            bound;
  bound.indicator        = Vector::Zero(n_own_cells);
  double          volume = 0., square = 0., violation = 0., mismatch = 0., work = 0., oscillation = 0.;
  Vector          drift = Vector::Zero(space.dim);
  Eigen::MatrixXd data;
  for (Index c = 0; c < space.n_cells(); ++c)
    {
      const CellFunctions velocity = velocities.inside(c), pressure = pressures.inside(c);
      const Vector        v_K = space.velocity[c].gather(all_v), p_K = pressure_on_cell(c);
      data.resize(space.dim, velocity.x.cols());
      U(velocity.x, data);
      const Eigen::MatrixXd difference =
          (velocity.vectors * v_K + pressure.vectors * p_K).reshaped(space.dim, data.cols()) - data;
      const Vector divergence = velocity.scalars * v_K, p = pressure.scalars * p_K;
      const auto   squares = [&](const Eigen::MatrixXd &field) { return field.colwise().squaredNorm() * velocity.weights; };
      const double mismatch_K    = squares(difference).value();
      double       work_K        = 2. * (p.array() * divergence.array() * velocity.weights.array()).sum();
      const auto   wall_velocity = velocities.on_walls(c), wall_pressure = pressures.on_walls(c);
      for (std::size_t f = 0; f < wall_velocity.size(); ++f)
        {
          const Vector outflow = wall_velocity[f].scalars * v_K, p_wall = wall_pressure[f].scalars * p_K;
          work_K -= 2. * (outflow.array() * p_wall.array() * wall_velocity[f].weights.array()).sum();
        }
      mismatch += mismatch_K;
      work += work_K;
      bound.indicator(space.own_cell[c]) = std::max(0., mismatch_K + work_K);
      violation                          = std::max(violation, -divergence.minCoeff());
      oscillation += squares(data * high.transpose()).value();
      data.colwise() -= frame;
      square += squares(data).value();
      drift += data * velocity.weights;
      volume += space.volume[c];
    }
  for (Index a = 0; a < drift.size(); ++a)
    drift(a) = processes.sum(drift(a));
  volume                  = processes.sum(volume);
  bound.available         = true;
  bound.mismatch          = processes.sum(mismatch);
  bound.work              = processes.sum(work);
  bound.oscillation       = processes.sum(oscillation);
  bound.largest_violation = processes.max(violation);
  bound.eta               = std::sqrt(std::max(0., bound.mismatch + bound.work));
  bound.scale    = std::sqrt(std::max(0., processes.sum(square) - (volume > 0. ? drift.squaredNorm() / volume : 0.)));
  bound.relative = bound.scale > 0. ? bound.eta / bound.scale : bound.eta;
  return bound;
}
} // namespace moreau::macro
