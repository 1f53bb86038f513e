// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/certificate.h"

#include "geometry/quadrature.h"

namespace moreau::macro
{
namespace
{
AdmissiblePair::Facts completed(AdmissiblePair::Facts facts, const MixedSpace &space, const int n_gauss)
{
  facts.n_cells     = space.n_cells();
  facts.at_a_time   = std::max(Index(1), space.n_cells()); // evaluators do one cell after another
  facts.polynomials = n_gauss == 6 ? "quartic" : "quadratic";
  facts.processes   = space.processes();
  return facts;
}

/// The oscillation leaves out what is of degree n_gauss - 2 per direction in the reference cell.
IntegralsOfU integrals_of_U(const int n_gauss, const int dim)
{
  return IntegralsOfU::on_cubes(gauss_rule(n_gauss, dim), n_gauss - 2);
}
} // namespace

MeshPair::MeshPair(const MixedSpace &space, const Vector &v, const Field &U, CellEvaluator &velocities,
                   CellEvaluator &pressures, std::function<Vector(Index)> pressure_on_cell, const int n_gauss, Facts facts)
    : AdmissiblePair(completed(std::move(facts), space, n_gauss))
    , space(space)
    , v(space.unknowns.fetched(v))
    , U(U)
    , velocities(velocities)
    , pressures(pressures)
    , pressure_on_cell(std::move(pressure_on_cell))
    , of_U(integrals_of_U(n_gauss, space.dim))
{}

GapIntegrals MeshPair::integrals(const Index first, const Index last, Eigen::MatrixXd &indicators) const
{
  GapIntegrals    sum;
  Eigen::MatrixXd data;
  for (Index c = first; c < last; ++c)
    {
      const CellFunctions velocity = velocities.inside(c), pressure = pressures.inside(c);
      const Vector        v_K = space.velocity[c].gather(v), p_K = pressure_on_cell(c);
      data.resize(space.dim, velocity.x.cols());
      U(velocity.x, data);
      const Eigen::MatrixXd of_v       = (velocity.vectors * v_K).reshaped(space.dim, data.cols());
      const Eigen::MatrixXd difference = of_v + (pressure.vectors * p_K).reshaped(space.dim, data.cols()) - data;
      const Vector          divergence = velocity.scalars * v_K, p = pressure.scalars * p_K;
      GapIntegrals          on_cell = of_U(data, velocity.weights);
      on_cell.mismatch[0]           = (difference.colwise().squaredNorm() * velocity.weights).value();
      on_cell.work[0]               = 2. * (p.array() * divergence.array() * velocity.weights.array()).sum();
      on_cell.energy[0]             = (of_v.cwiseProduct(data - .5 * of_v).colwise().sum() * velocity.weights).value();
      on_cell.violation             = -divergence.minCoeff();
      const auto wall_velocity = velocities.on_walls(c), wall_pressure = pressures.on_walls(c);
      for (std::size_t f = 0; f < wall_velocity.size(); ++f)
        {
          const Vector outflow = wall_velocity[f].scalars * v_K, p_wall = wall_pressure[f].scalars * p_K;
          on_cell.work[0] -= 2. * (outflow.array() * p_wall.array() * wall_velocity[f].weights.array()).sum();
        }
      indicators(c) = std::max(0., on_cell.gap(0));
      sum.add(on_cell);
    }
  return sum;
}

Unseen MeshPair::hidden(const Index first, const Index last, const bool all_seen) const
{
  Unseen sum;
  for (Index c = first; c < last; ++c)
    {
      const CellFunctions velocity = velocities.inside(c);
      sum += of_U.hidden(U, velocity.x, Vector::Constant(1, velocity.weights.sum()), all_seen);
    }
  return sum;
}
} // namespace moreau::macro
