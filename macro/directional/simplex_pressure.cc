// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/simplex_pressure.h"

#include "macro/directional/pressure_limits.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace moreau::macro
{
namespace
{
/// Means over the simplices around a node, weighted by their volumes: add() one by one, then the means.
class NodalMean
{
public:
  NodalMean(const SimplexMesh &mesh, const Index n_components)
      : mesh(mesh), sums(Eigen::MatrixXd::Zero(n_components, mesh.n_points())), weights(Vector::Zero(mesh.n_points()))
  {}

  void add(const Index simplex, const double volume, const Vector &value)
  {
    for (Index i = 0; i < mesh.simplices.rows(); ++i)
      {
        sums.col(mesh.simplices(i, simplex)) += volume * value;
        weights(mesh.simplices(i, simplex)) += volume;
      }
  }

  Eigen::MatrixXd means() const { return sums * weights.cwiseInverse().asDiagonal(); }

private:
  const SimplexMesh &mesh;
  Eigen::MatrixXd    sums;
  Vector             weights;
};

/// The most that facets demand of p_k at nodes (K x n_nodes) and on edges (K x n_edges).
struct Demands
{
  Eigen::Array<Crossing, Eigen::Dynamic, Eigen::Dynamic> nodes, edges;

  Demands(const DirectionalZone &zone, const SimplexEdges &topology)
      : nodes(zone.K, zone.grains.mesh.n_points()), edges(zone.K, topology.ends.cols())
  {
    nodes.setConstant(Crossing::free);
    edges.setConstant(Crossing::free);
    for (std::size_t f = 0; f < zone.zone.facets.size(); ++f)
      {
        const Facet &facet = zone.zone.facets[f];
        if (facet.neighbour >= 0 && zone.same_lattice(facet))
          continue;
        raise(zone, f, false, topology);
        if (facet.neighbour >= 0)
          raise(zone, f, true, topology);
      }
  }

private:
  void raise(const DirectionalZone &zone, const std::size_t f, const bool of_neighbour, const SimplexEdges &topology)
  {
    const Facet &facet    = zone.zone.facets[f];
    const int    simplex  = of_neighbour ? facet.neighbour : facet.simplex;
    const int    opposite = of_neighbour ? facet.opposite_of_neighbour : facet.opposite;
    for (int k = 0; k < zone.K; ++k)
      if (const Crossing crossing = zone.crossing(f, k, of_neighbour); crossing != Crossing::free)
        for (int i = 0, edge = 0; i <= zone.dim(); ++i)
          {
            if (i != opposite)
              raise(nodes(k, zone.grains.mesh.simplices(i, simplex)), crossing);
            for (int j = i + 1; j <= zone.dim(); ++j, ++edge)
              if (i != opposite && j != opposite)
                raise(edges(k, topology.of_cell(edge, simplex)), crossing);
          }
  }

  static void raise(Crossing &demand, const Crossing to) { demand = std::max(demand, to); }
};

/// p_k >= 0, and what facets demand.
class DirectionalLimits : public PressureLimits
{
public:
  DirectionalLimits(const DirectionalZone &zone, const SimplexEdges &edges) : demands(zone, edges) {}

  void limit_nodes(Eigen::MatrixXd &nodes) const override
  {
    nodes = (demands.nodes == Crossing::free).select(nodes.cwiseMax(0.), 0.);
  }

  void limit_edges(Eigen::MatrixXd &edges, const Eigen::MatrixXd &means) const override
  {
    edges = (demands.edges == Crossing::free).select(edges.cwiseMax(0.), means);
    edges = (demands.edges == Crossing::zero).select(0., edges);
  }

  void limit(SimplexPressure &p) const override
  {
    p.nodes = p.nodes.cwiseMax(0.);
    p.edges = p.edges.cwiseMax(0.);
  }

  void limit_steps(SimplexPressure &steps) const override
  {
    steps.nodes = (demands.nodes == Crossing::free).select(steps.nodes, 0.);
    steps.edges = (demands.edges == Crossing::free).select(steps.edges, 0.);
  }

private:
  Demands demands;
};
} // namespace

std::unique_ptr<PressureLimits> pressure_limits(const DirectionalZone &zone, const SimplexEdges &edges)
{
  if (zone.is_circular())
    return circular_limits(zone, edges);
  return std::make_unique<DirectionalLimits>(zone, edges);
}

SimplexEdges simplex_edges(const SimplexMesh &mesh)
{
  const int   dim = mesh.dim(), n_edges = dim * (dim + 1) / 2;
  const Index n = mesh.n_simplices();

  std::vector<std::array<int, 3>> all; // two ends, position in of_cell
  all.reserve(n_edges * n);
  for (Index t = 0; t < n; ++t)
    for (int i = 0; i <= dim; ++i)
      for (int j = i + 1; j <= dim; ++j)
        {
          const auto [a, b] = std::minmax(mesh.simplices(i, t), mesh.simplices(j, t));
          all.push_back({a, b, static_cast<int>(all.size())});
        }
  std::sort(all.begin(), all.end());
  SimplexEdges     edges;
  std::vector<int> ends;
  edges.of_cell.resize(n_edges, n);
  for (std::size_t k = 0; k < all.size(); ++k)
    {
      if (k == 0 || all[k][0] != all[k - 1][0] || all[k][1] != all[k - 1][1])
        {
          ends.push_back(all[k][0]);
          ends.push_back(all[k][1]);
        }
      edges.of_cell(all[k][2]) = static_cast<int>(ends.size()) / 2 - 1;
    }
  edges.ends = Eigen::Map<const Eigen::MatrixXi>(ends.data(), 2, static_cast<Index>(ends.size()) / 2);
  return edges;
}

SimplexMatrix SimplexPressure::coefficients(const DirectionalZone &zone, const SimplexEdges &topology, const Index simplex,
                                            const int k) const
{
  const int     n_vertices = zone.dim() + 1;
  SimplexMatrix C(n_vertices, n_vertices);
  for (int i = 0, edge = 0; i < n_vertices; ++i)
    {
      C(i, i) = nodes(k, zone.grains.mesh.simplices(i, simplex));
      for (int j = i + 1; j < n_vertices; ++j, ++edge)
        C(i, j) = C(j, i) = edges(k, topology.of_cell(edge, simplex));
    }
  return C;
}

SimplexMatrix SimplexPressure::gradient(const DirectionalZone &zone, const SimplexEdges &topology, const Index simplex) const
{
  SimplexMatrix result = SimplexMatrix::Zero(zone.dim(), zone.dim() + 1);
  for (int k = 0; k < zone.K; ++k)
    result += 2. * zone.applied(simplex, k, zone.zone.gradients_of(simplex)) * coefficients(zone, topology, simplex, k);
  return result;
}

Vector SimplexPressure::means(const DirectionalZone &zone, const SimplexEdges &topology, const Index simplex) const
{
  const double n_coefficients = .5 * (zone.dim() + 1) * (zone.dim() + 2); // whose functions have the same integral
  Vector       result(zone.K);
  for (int k = 0; k < zone.K; ++k)
    {
      const SimplexMatrix C = coefficients(zone, topology, simplex, k);
      result(k)             = .5 * (C.sum() + C.trace()) / n_coefficients;
    }
  return result;
}

SimplexPressure quadratic_pressure(const DirectionalZone &zone, const SimplexEdges &topology, const PressureLimits &limits,
                                   const Eigen::MatrixXd &p)
{
  const auto &mesh = zone.grains.mesh;
  const int   dim  = zone.dim();
  NodalMean   gradients(mesh, dim * zone.K);
  for (Index t = 0; t < mesh.n_simplices(); ++t)
    {
      Eigen::MatrixXd gradient = Eigen::MatrixXd::Zero(dim, zone.K);
      for (int i = 0; i <= dim; ++i)
        gradient += zone.zone.gradients_of(t).col(i) * p.col(mesh.simplices(i, t)).transpose();
      gradients.add(t, zone.zone.volumes(t), Eigen::Map<const Vector>(gradient.data(), gradient.size()));
    }
  const Eigen::MatrixXd g      = gradients.means();
  SimplexPressure       result = linear_pressure(topology, p);
  const Eigen::MatrixXd means  = result.edges;
  for (Index edge = 0; edge < topology.ends.cols(); ++edge)
    {
      const int a = topology.ends(0, edge), b = topology.ends(1, edge);
      Vector    along = .25 * (mesh.points.col(b) - mesh.points.col(a));
      for (Index axis = 0; axis < mesh.period.size(); ++axis)
        if (const double length = .25 * mesh.period(axis); length > 0.)
          along(axis) = std::remainder(along(axis), length);
      for (int k = 0; k < zone.K; ++k)
        result.edges(k, edge) += (g.col(a) - g.col(b)).segment(dim * k, dim).dot(along);
    }
  limits.limit_edges(result.edges, means);
  return result;
}

SimplexPressure linear_pressure(const SimplexEdges &edges, const Eigen::MatrixXd &p)
{
  SimplexPressure result = {p, Eigen::MatrixXd(p.rows(), edges.ends.cols())};
  for (Index edge = 0; edge < edges.ends.cols(); ++edge)
    result.edges.col(edge) = .5 * (p.col(edges.ends(0, edge)) + p.col(edges.ends(1, edge)));
  return result;
}

SimplexPressure free_coefficients(const DirectionalZone &zone, const SimplexEdges &topology)
{
  const Demands demands(zone, topology);
  return {(demands.nodes == Crossing::free).cast<double>().matrix(),
          (demands.edges == Crossing::free).cast<double>().matrix()};
}

Eigen::MatrixXd nodal_pressures(const DirectionalZone &zone, const PressureLimits &limits,
                                const Eigen::MatrixXd &cell_pressures)
{
  const auto     &mesh = zone.grains.mesh;
  Eigen::MatrixXd p    = Eigen::MatrixXd::Zero(zone.K, mesh.n_points());
  for (int correction = 0; correction < 3; ++correction)
    {
      NodalMean defects(mesh, zone.K);
      for (Index t = 0; t < mesh.n_simplices(); ++t)
        {
          Vector defect = cell_pressures.col(t);
          for (int i = 0; i <= zone.dim(); ++i)
            defect -= p.col(mesh.simplices(i, t)) / (zone.dim() + 1);
          defects.add(t, zone.zone.volumes(t), defect);
        }
      p += defects.means();
      limits.limit_nodes(p);
    }
  return p;
}
} // namespace moreau::macro
