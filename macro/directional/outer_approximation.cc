// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/outer_approximation.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <map>

namespace moreau::macro
{
namespace
{
using Entries = std::vector<Eigen::Triplet<double>>;

/// Extreme rays (columns) of { q >= 0 : Eq = 0 }. A ray has at most rank E + 1 entries, and no other solution lives on them:
/// all such sets of columns are tried. None where there are too many columns for that; p = 0 is admissible, too.
Eigen::MatrixXd extreme_rays(const Eigen::MatrixXd &E)
{
  constexpr Index  most_columns = 14;
  constexpr double tiny         = 1e-10;
  const Index      n            = E.cols();
  Eigen::MatrixXd  rays(n, 0);
  if (n > most_columns)
    return rays;
  Eigen::FullPivLU<Eigen::MatrixXd> all(E);
  all.setThreshold(tiny);
  for (int subset = 1; subset < (1 << n); ++subset)
    {
      std::vector<Index> support;
      for (Index j = 0; j < n; ++j)
        if (subset >> j & 1)
          support.push_back(j);
      const Index size = static_cast<Index>(support.size());
      if (size < 2 || size > all.rank() + 1)
        continue;
      Eigen::MatrixXd columns(E.rows(), size);
      for (Index j = 0; j < size; ++j)
        columns.col(j) = E.col(support[j]);
      Eigen::FullPivLU<Eigen::MatrixXd> lu(columns);
      lu.setThreshold(tiny);
      if (lu.dimensionOfKernel() != 1)
        continue;
      Vector q = lu.kernel().col(0);
      q /= q(0) > 0. ? q.cwiseAbs().maxCoeff() : -q.cwiseAbs().maxCoeff();
      if (q.minCoeff() < 1e-6)
        continue;
      rays.conservativeResize(Eigen::NoChange, rays.cols() + 1);
      rays.rightCols(1).setZero();
      for (Index j = 0; j < size; ++j)
        rays(support[j], rays.cols() - 1) = q(j);
    }
  return rays;
}

/// The pressures at one node of the zone, and what the facets around it demand of them.
class NodeRays
{
public:
  NodeRays(const DirectionalZone &zone, const std::vector<int> &grain_nodes, const std::vector<int> &facets)
      : zone(zone)
      , grain_nodes(grain_nodes)
      , size(zone.K * static_cast<Index>(grain_nodes.size()))
      , crossing(size, Crossing::free)
  {
    equations.resize(0, size);
    for (const int f : facets)
      {
        const Facet &facet = zone.zone.facets[f];
        equations.conservativeResize(equations.rows() + zone.dim(), Eigen::NoChange);
        equations.bottomRows(zone.dim()).setZero();
        add(f, false, 1.);
        if (facet.neighbour >= 0)
          add(f, true, -1.);
        else
          {
            // on a wall only the tangential part of the traction; a free boundary leaves nothing that is tied
            const Vector          n    = zone.zone.normal(facet);
            const Eigen::MatrixXd rows = equations.bottomRows(zone.dim());
            equations.bottomRows(zone.dim()) -= n * (n.transpose() * rows);
          }
      }
  }

  /// Appends the rays of this node; n_rays counts all of them. `known` saves the search where equations come again.
  void append(Entries &entries, Index &n_rays, std::map<std::vector<long>, Eigen::MatrixXd> &known) const
  {
    std::vector<Index> tied;
    for (Index j = 0; j < size; ++j)
      if (crossing[j] == Crossing::free)
        entries.emplace_back(row(j), n_rays++, 1.);
      else if (crossing[j] == Crossing::tied)
        tied.push_back(j);
    if (tied.empty())
      return;
    const Index       n_tied = static_cast<Index>(tied.size());
    Eigen::MatrixXd   E(equations.rows(), n_tied);
    std::vector<long> key = {n_tied};
    for (Index j = 0; j < n_tied; ++j)
      {
        E.col(j) = equations.col(tied[j]);
        for (const double entry : E.col(j))
          key.push_back(std::lround(1e9 * entry));
      }
    const auto [place, is_new] = known.try_emplace(key);
    if (is_new)
      place->second = extreme_rays(E);
    const Eigen::MatrixXd &rays = place->second;
    for (Index r = 0; r < rays.cols(); ++r, ++n_rays)
      for (Index j = 0; j < n_tied; ++j)
        if (rays(j, r) > 0.)
          entries.emplace_back(row(tied[j]), n_rays, rays(j, r));
  }

private:
  const DirectionalZone  &zone;
  const std::vector<int> &grain_nodes;
  const Index             size;
  std::vector<Crossing>   crossing;
  Eigen::MatrixXd         equations; ///< dim rows per facet, K columns per grain

  Index row(const Index column) const { return zone.K * grain_nodes[column / zone.K] + column % zone.K; }

  /// ± the traction on one side of a facet.
  void add(const int f, const bool of_neighbour, const double sign)
  {
    const Facet &facet   = zone.zone.facets[f];
    const int    simplex = of_neighbour ? facet.neighbour : facet.simplex;
    const Vector n       = zone.zone.normal(facet);
    Index        grain   = 0;
    for (int i = 0; i <= zone.dim(); ++i)
      for (std::size_t g = 0; g < grain_nodes.size(); ++g)
        if (zone.grains.mesh.simplices(i, simplex) == grain_nodes[g])
          grain = static_cast<Index>(g);
    for (int k = 0; k < zone.K; ++k)
      {
        const Crossing demand = zone.crossing(f, k, of_neighbour);
        Crossing      &most   = crossing[zone.K * grain + k];
        most                  = std::max(most, demand);
        if (demand == Crossing::tied)
          equations.col(zone.K * grain + k).tail(zone.dim()) += sign * zone.applied(simplex, k, n);
      }
  }
};

/// L^{d-1}: what makes rows velocities.
double row_scale(const DirectionalZone &zone) { return std::pow(zone.length, zone.dim() - 1); }

/// x - c at the centroids: <Bw,q> = -∫ Σ_k q_k + walls, exactly.
convex::Expansion expansion(const DirectionalZone &zone, const Eigen::SparseMatrix<double> &rays)
{
  const Eigen::MatrixXd centres = expansion_centres(zone);
  if (centres.size() == 0)
    return {};
  const Index       dim = zone.dim(), n = zone.zone.mesh.n_simplices();
  convex::Expansion result;
  result.n_parts = zone.zone.n_parts;
  result.w.resize(dim * n);
  for (Index t = 0; t < n; ++t)
    {
      const int part                 = zone.zone.part_of_cell[t];
      result.w.segment(dim * t, dim) = zone.zone.mesh.centroid(t) - centres.col(part);
      result.part_of_unknown.insert(result.part_of_unknown.end(), dim, part);
    }
  for (Index r = 0; r < rays.cols(); ++r)
    {
      const Index row = Eigen::SparseMatrix<double>::InnerIterator(rays, r).row();
      result.part_of_row.push_back(zone.zone.part_of_node[zone.grains.origin[row / zone.K]]);
    }
  return result;
}
} // namespace

Eigen::SparseMatrix<double> pressure_rays(const DirectionalZone &zone)
{
  const Index                   n_nodes = zone.zone.mesh.n_points(), n_grain_nodes = zone.grains.mesh.n_points();
  std::vector<std::vector<int>> grain_nodes(n_nodes), facets(n_nodes);
  for (Index i = 0; i < n_grain_nodes; ++i)
    grain_nodes[zone.grains.origin[i]].push_back(static_cast<int>(i));
  for (std::size_t f = 0; f < zone.zone.facets.size(); ++f)
    if (const Facet &facet = zone.zone.facets[f]; facet.neighbour < 0 || !zone.same_lattice(facet))
      for (int i = 0; i <= zone.dim(); ++i)
        if (i != facet.opposite)
          facets[zone.zone.mesh.simplices(i, facet.simplex)].push_back(static_cast<int>(f));

  Entries                                      entries;
  Index                                        n_rays = 0;
  std::map<std::vector<long>, Eigen::MatrixXd> known;
  for (Index i = 0; i < n_nodes; ++i)
    NodeRays(zone, grain_nodes[i], facets[i]).append(entries, n_rays, known);
  Eigen::SparseMatrix<double> rays(zone.K * n_grain_nodes, n_rays);
  rays.setFromTriplets(entries.begin(), entries.end());
  return rays;
}

convex::ProjectionProblem outer_approximation(const DirectionalZone &zone, const Eigen::SparseMatrix<double> &rays,
                                              const Eigen::MatrixXd &means)
{
  const int   dim = zone.dim();
  const Index n   = zone.zone.mesh.n_simplices();
  Entries     entries; // of the rows that single p_k would give
  entries.reserve(n * (dim + 1) * zone.K * dim);
  for (Index t = 0; t < n; ++t)
    {
      const double weight = zone.zone.volumes(t) / row_scale(zone);
      for (int k = 0; k < zone.K; ++k)
        {
          const SimplexMatrix of_k = zone.applied(t, k, zone.zone.gradients_of(t));
          for (int i = 0; i <= dim; ++i)
            for (int a = 0; a < dim; ++a)
              if (const double entry = weight * of_k(a, i); entry != 0.)
                entries.emplace_back(zone.K * zone.grains.mesh.simplices(i, t) + k, dim * t + a, entry);
        }
    }
  convex::SparseConstraint::Matrix single(rays.rows(), dim * n);
  single.setFromTriplets(entries.begin(), entries.end());
  Entries().swap(entries);

  convex::ProjectionProblem problem;
  problem.V = std::make_shared<convex::DiagonalSpace>(zone.zone.volumes, dim);
  problem.B = std::make_shared<convex::SparseConstraint>(
      convex::SparseConstraint::Matrix(convex::SparseConstraint::Matrix(rays.transpose()) * single));
  problem.U         = Eigen::Map<const Vector>(means.data(), means.size());
  problem.expansion = expansion(zone, rays);
  if (zone.mean_gradient.size() == 0)
    return problem;
  Vector of_single = Vector::Zero(rays.rows()); // ∫λ A_k:D
  for (Index t = 0; t < n; ++t)
    for (int k = 0; k < zone.K; ++k)
      for (int i = 0; i <= dim; ++i)
        of_single(zone.K * zone.grains.mesh.simplices(i, t) + k) +=
            zone.zone.volumes(t) / (row_scale(zone) * (dim + 1)) * zone.mean_rate(t, k, zone.smallest_dilatancy);
  problem.b = rays.transpose() * of_single;
  return problem;
}

Eigen::MatrixXd outer_pressures(const DirectionalZone &zone, const Eigen::SparseMatrix<double> &rays,
                                const Vector &multipliers)
{
  const Vector p = rays * (multipliers.cwiseMax(0.) / row_scale(zone));
  return Eigen::Map<const Eigen::MatrixXd>(p.data(), zone.K, zone.grains.mesh.n_points());
}
} // namespace moreau::macro
