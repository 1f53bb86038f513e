// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/pressure_limits.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace moreau::macro
{
namespace
{
/// Normals of the boundary around a node or an edge: free ones, and axes across walls.
struct BoundaryAround
{
  std::vector<Vector> free;
  std::vector<int>    walls;
};

/// The stresses that are admissible where free boundaries and walls meet: σ = QτQᵀ with the columns of Q across all free
/// normals, of which those of walls, that lie in their span, are eigenvectors with eigenvalues >= 0. In r dimensions what
/// is left of |dev σ| <= s√(d(d-1)) tr σ/d is
///     |dev τ| <= κ tr τ,   κ² = s²(d-1)/d + 1/d - 1/r.
class StressAtBoundary
{
public:
  StressAtBoundary(const int dim, BoundaryAround boundary) : dim(dim), boundary(std::move(boundary))
  {
    for (bool again = true; again;)
      {
        again = false;
        set_span();
        normals.resize(0);
        for (const int axis : this->boundary.walls)
          {
            const Vector n = Vector::Unit(dim, axis), inside = Q.transpose() * n;
            if (inside.norm() > 1. - tiny)
              normals.push_back(inside);
            else if (inside.norm() > tiny && !again) // oblique to a free boundary: no traction at all
              {
                this->boundary.free.push_back(n);
                again = true;
              }
          }
      }
  }

  /// σ (dim x dim, symmetric) becomes the nearest admissible stress for this s.
  void limit(SimplexMatrix &stress, const double s) const
  {
    const SimplexMatrix given  = stress;
    const double        r      = static_cast<double>(Q.cols());
    const double        square = s * s * (dim - 1.) / dim + 1. / dim - 1. / std::max(1., r);
    SimplexMatrix       tau    = Q.transpose() * stress * Q;
    if (r == 0. || square < -tiny)
      {
        stress.setZero();
        return;
      }
    for (const Vector &n : normals)
      {
        const Vector traction = tau * n;
        const double push     = traction.dot(n);
        tau -= n * traction.transpose() + traction * n.transpose() - 2. * push * n * n.transpose();
      }
    const double  mean  = tau.trace() / r;
    SimplexMatrix dev   = tau - mean * SimplexMatrix::Identity(Q.cols(), Q.cols());
    const double  slope = std::sqrt(r * std::max(0., square)), axis = std::sqrt(r) * mean, radius = dev.norm();
    if (axis < 0. || radius > slope * axis)
      {
        const double on_cone = std::max(0., (axis + slope * radius) / (1. + slope * slope));
        tau                  = on_cone / std::sqrt(r) * SimplexMatrix::Identity(Q.cols(), Q.cols());
        if (radius > 0.)
          tau += slope * on_cone / radius * dev;
      }
    stress = Q * tau * Q.transpose();
    for (std::size_t k = 0; k < normals.size(); ++k)
      if (normals[k].dot(tau * normals[k]) < 0.) // walls push: then nothing there
        {
          BoundaryAround without = boundary;
          without.free.push_back(Q * normals[k]);
          stress = given;
          StressAtBoundary(dim, without).limit(stress, s);
          return;
        }
  }

private:
  static constexpr double tiny = 1e-9;

  int                 dim;
  BoundaryAround      boundary;
  SimplexMatrix       Q;       ///< dim x r
  std::vector<Vector> normals; ///< of walls, in coordinates of Q

  /// Q: what is left of the axes across the free normals, by Gram and Schmidt.
  void set_span()
  {
    std::vector<Vector> taken, left;
    const auto          add = [&](Vector x, std::vector<Vector> &to) {
      const double size = x.norm();
      for (int repeated = 0; repeated < 2; ++repeated)
        for (const std::vector<Vector> *const list : {&taken, &left})
          for (const Vector &y : *list)
            x -= y.dot(x) * y;
      if (x.norm() > 1e-6 * size)
        to.push_back(x.normalized());
    };
    for (const Vector &n : boundary.free)
      add(n, taken);
    for (int axis = 0; axis < dim; ++axis)
      add(Vector::Unit(dim, axis), left);
    Q.resize(dim, static_cast<Index>(left.size()));
    for (std::size_t k = 0; k < left.size(); ++k)
      Q.col(static_cast<Index>(k)) = left[k];
  }
};

class CircularLimits : public PressureLimits
{
public:
  CircularLimits(const DirectionalZone &zone, const SimplexEdges &topology)
      : tensors(zone.tensors)
      , dim(zone.dim())
      , s_of_nodes(Vector::Ones(zone.grains.mesh.n_points()))
      , s_of_edges(Vector::Ones(topology.ends.cols()))
  {
    const SimplexMesh &mesh = zone.grains.mesh;
    for (Index t = 0; t < mesh.n_simplices(); ++t)
      {
        const double s = zone.least_dilatancy_of(t);
        for (int i = 0; i <= dim; ++i)
          lower(s_of_nodes(mesh.simplices(i, t)), s);
        for (Index edge = 0; edge < topology.of_cell.rows(); ++edge)
          lower(s_of_edges(topology.of_cell(edge, t)), s);
      }
    std::map<int, BoundaryAround> around_nodes, around_edges;
    for (std::size_t f = 0; f < zone.zone.facets.size(); ++f)
      if (const Facet &facet = zone.zone.facets[f]; facet.neighbour < 0)
        {
          const auto add = [&](BoundaryAround &around) {
            if (zone.side_of_facet[f] < 0)
              around.free.push_back(zone.zone.normal(facet));
            else if (std::count(around.walls.begin(), around.walls.end(), zone.side_of_facet[f] / 2) == 0)
              around.walls.push_back(zone.side_of_facet[f] / 2);
          };
          for (int i = 0, edge = 0; i <= dim; ++i)
            {
              if (i != facet.opposite)
                add(around_nodes[mesh.simplices(i, facet.simplex)]);
              for (int j = i + 1; j <= dim; ++j, ++edge)
                if (i != facet.opposite && j != facet.opposite)
                  add(around_edges[topology.of_cell(edge, facet.simplex)]);
            }
        }
    for (auto &[node, around] : around_nodes)
      boundary_nodes.emplace_back(node, StressAtBoundary(dim, std::move(around)));
    for (auto &[edge, around] : around_edges)
      boundary_edges.emplace_back(edge, StressAtBoundary(dim, std::move(around)));
  }

  void limit_nodes(Eigen::MatrixXd &nodes) const override { limit(nodes, s_of_nodes, boundary_nodes); }

  void limit_edges(Eigen::MatrixXd &edges, const Eigen::MatrixXd &) const override
  {
    limit(edges, s_of_edges, boundary_edges);
  }

  void limit(SimplexPressure &p) const override
  {
    limit_nodes(p.nodes);
    limit(p.edges, s_of_edges, boundary_edges);
  }

  void limit_steps(SimplexPressure &steps) const override
  {
    for (Eigen::MatrixXd *const of : {&steps.nodes, &steps.edges})
      for (Index column = 0; column < of->cols(); ++column)
        of->col(column).setConstant(of->col(column).minCoeff());
  }

private:
  using AtBoundary = std::vector<std::pair<int, StressAtBoundary>>;

  std::vector<SimplexMatrix> tensors;
  int                        dim;
  Vector                     s_of_nodes, s_of_edges;
  AtBoundary                 boundary_nodes, boundary_edges;

  static void lower(double &s, const double other) { s = std::min(s, other); }

  void limit(Eigen::MatrixXd &stresses, const Vector &s, const AtBoundary &at_boundary) const
  {
    for (const auto &[column, boundary] : at_boundary)
      {
        SimplexMatrix stress = SimplexMatrix::Zero(dim, dim);
        for (Index k = 0; k < stresses.rows(); ++k)
          stress += stresses(k, column) * tensors[k];
        boundary.limit(stress, s(column));
        for (Index k = 0; k < stresses.rows(); ++k)
          stresses(k, column) = tensors[k].cwiseProduct(stress).sum();
      }
    for (Index column = 0; column < stresses.cols(); ++column)
      {
        const double slope = circular_slope(dim, s(column)), axis = stresses(0, column);
        auto         radial = stresses.col(column).tail(stresses.rows() - 1);
        const double radius = radial.norm();
        if (axis >= 0. && radius <= slope * axis)
          continue;
        const double on_cone = std::max(0., (axis + slope * radius) / (1. + slope * slope));
        stresses(0, column)  = on_cone;
        radial *= radius > 0. ? slope * on_cone / radius : 0.;
      }
  }
};
} // namespace

std::unique_ptr<PressureLimits> circular_limits(const DirectionalZone &zone, const SimplexEdges &edges)
{
  return std::make_unique<CircularLimits>(zone, edges);
}
} // namespace moreau::macro
