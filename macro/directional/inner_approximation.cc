// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/inner_approximation.h"

#include <limits>
#include <utility>

namespace moreau::macro
{
namespace
{
convex::SparseConstraint::Matrix rows(const DirectionalZone &zone, const std::vector<std::pair<int, int>> &on_walls)
{
  const int                           dim  = zone.dim();
  const auto                         &mesh = zone.zone.mesh;
  const Index                         n    = mesh.n_simplices();
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(n * zone.K * dim * (dim + 1) + on_walls.size());
  for (Index t = 0; t < n; ++t)
    {
      const auto e = zone.directions_of(t);
      const auto g = zone.zone.gradients_of(t);
      for (int k = 0; k < zone.K; ++k)
        for (int i = 0; i <= dim; ++i)
          for (int a = 0; a < dim; ++a)
            if (const double entry = -zone.length * g.col(i).dot(e.col(k)) * e(a, k); entry != 0.)
              entries.emplace_back(t * zone.K + k, dim * mesh.simplices(i, t) + a, entry);
    }
  Index row = n * zone.K;
  for (const auto &[node, side] : on_walls)
    entries.emplace_back(row++, dim * node + side / 2, side % 2 == 0 ? -1. : 1.);
  convex::SparseConstraint::Matrix B(row, dim * mesh.n_points());
  B.setFromTriplets(entries.begin(), entries.end());
  return B;
}

/// Projects on the half spaces of violated rows, one after the other and again: what is a little wrong is mended where it
/// is, while an expansion moves everything and works against all pressures.
class RowRepair : public convex::FeasibleRepair
{
public:
  RowRepair(std::shared_ptr<const convex::SparseConstraint> B, const Vector &masses)
      : B(std::move(B)), inverse_masses(masses.cwiseInverse())
  {}

  Vector repaired(const Vector &u) const override
  {
    constexpr int n_sweeps = 100; // after a solver has stopped a few are enough
    using Row              = convex::SparseConstraint::Matrix::InnerIterator;
    Vector       v         = u;
    const double rounding  = 2. * std::numeric_limits<double>::epsilon() * convex::max_abs(u);
    bool         again     = true;
    for (int sweep = 0; again && sweep < n_sweeps; ++sweep)
      {
        again = false;
        for (Index c = 0; c < B->n_constraints(); ++c)
          {
            double excess = 0.;
            for (Row entry(B->matrix(), c); entry; ++entry)
              excess += entry.value() * v(entry.col());
            if (!(excess > rounding))
              continue;
            again    = true;
            double W = 0.;
            for (Row entry(B->matrix(), c); entry; ++entry)
              W += entry.value() * entry.value() * inverse_masses(entry.col());
            for (Row entry(B->matrix(), c); entry; ++entry)
              v(entry.col()) -= excess / W * entry.value() * inverse_masses(entry.col());
          }
      }
    return v;
  }

private:
  std::shared_ptr<const convex::SparseConstraint> B;
  Vector                                          inverse_masses;
};

/// x - c on every part; empty where there is no such c.
convex::Expansion expansion(const DirectionalZone &zone, const std::vector<std::pair<int, int>> &on_walls)
{
  const Eigen::MatrixXd centres = expansion_centres(zone);
  if (centres.size() == 0)
    return {};
  const auto       &points = zone.zone.mesh.points;
  const auto       &part   = zone.zone.part_of_node;
  const Index       dim    = points.rows();
  convex::Expansion result;
  result.n_parts = zone.zone.n_parts;
  result.w.resize(points.size());
  for (Index i = 0; i < points.cols(); ++i)
    {
      result.w.segment(dim * i, dim) = points.col(i) - centres.col(part[i]);
      result.part_of_unknown.insert(result.part_of_unknown.end(), dim, part[i]);
    }
  for (const int of_cell : zone.zone.part_of_cell)
    result.part_of_row.insert(result.part_of_row.end(), zone.K, of_cell);
  for (const auto &[node, side] : on_walls)
    result.part_of_row.push_back(part[node]);
  return result;
}
} // namespace

convex::ProjectionProblem inner_approximation(const DirectionalZone &zone, const Eigen::MatrixXd &nodal_U)
{
  const int   dim    = zone.dim();
  const auto &mesh   = zone.zone.mesh;
  Vector      masses = Vector::Zero(mesh.n_points());
  for (Index t = 0; t < mesh.n_simplices(); ++t)
    for (int i = 0; i <= dim; ++i)
      masses(mesh.simplices(i, t)) += zone.zone.volumes(t) / (dim + 1);

  const auto on_walls = nodes_on_walls(zone);
  Sides      walls    = {};
  for (const auto &[node, side] : on_walls)
    walls[side] = true;
  const auto V = std::make_shared<convex::DiagonalSpace>(masses, dim, axes_with_walls(walls, dim));
  const auto B = std::make_shared<convex::SparseConstraint>(rows(zone, on_walls));

  convex::ProjectionProblem problem;
  problem.V         = V;
  problem.B         = B;
  problem.U         = Eigen::Map<const Vector>(nodal_U.data(), nodal_U.size());
  problem.expansion = expansion(zone, on_walls);
  problem.repair    = std::make_shared<RowRepair>(B, V->masses());
  return problem;
}

Eigen::MatrixXd cell_pressures(const DirectionalZone &zone, const convex::Vector &multipliers)
{
  const Index     n = zone.zone.mesh.n_simplices();
  Eigen::MatrixXd p = Eigen::Map<const Eigen::MatrixXd>(multipliers.data(), zone.K, n);
  for (Index t = 0; t < n; ++t)
    p.col(t) *= zone.length / zone.zone.volumes(t);
  return p;
}
} // namespace moreau::macro
