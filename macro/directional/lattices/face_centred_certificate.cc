// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/face_centred_certificate.h"

#include "macro/directional/dual_polish.h"
#include "macro/directional/pressure_limits.h"
#include "macro/directional/lattices/face_centred_lines.h"
#include "macro/directional/simplex_certificate.h"

#include <algorithm>
#include <array>

namespace moreau::macro
{
namespace
{
/// Whether the row of (q,k) is that of a centre and an edge of its octahedron; else it is that of an edge.
bool is_central(const FaceCentredMesh &mesh, const Index q, const int k)
{
  const DirectionalZone &zone = mesh.zone();
  return !mesh.is_regular(q) &&
         std::abs(zone.zone.gradients_of(q).col(0).dot(zone.directions_of(q).col(k))) > 1e-9 / mesh.side();
}
/// At the nodes of pressures, which are continuous where velocities are torn: means of what the corners of simplices have.
Eigen::MatrixXd joined(const DirectionalZone &zone, const Eigen::MatrixXd &p)
{
  const auto     &torn = zone.zone.mesh.simplices, &whole = zone.grains.mesh.simplices;
  Eigen::MatrixXd sum     = Eigen::MatrixXd::Zero(p.rows(), zone.grains.mesh.n_points());
  Vector          corners = Vector::Zero(sum.cols());
  for (Index q = 0; q < torn.cols(); ++q)
    for (Index i = 0; i < torn.rows(); ++i)
      {
        sum.col(whole(i, q)) += p.col(torn(i, q));
        corners(whole(i, q)) += 1.;
      }
  sum.array().rowwise() /= corners.transpose().array();
  return sum;
}
} // namespace

Eigen::MatrixXd nodal_pressures(const FaceCentredMesh &mesh, const SharedRows &rows, const Vector &multipliers)
{
  const DirectionalZone &zone      = mesh.zone();
  const auto            &simplices = zone.zone.mesh.simplices;
  const Index            n = mesh.n_tetrahedra(), n_nodes = mesh.n_nodes();
  // multipliers and volumes of rows; rows at centres of octahedra, and which edges these have
  Vector                          lambda = multipliers.head(rows.n_rows).cwiseMax(0.), volume = Vector::Zero(rows.n_rows);
  std::vector<std::array<int, 2>> edges_at(6 * n_nodes, {FaceCentredMesh::none, FaceCentredMesh::none}), central = edges_at;
  const auto                      note = [](std::array<int, 2> &two, const int row) {
    if (two[0] != row && two[1] != row)
      two[two[0] == FaceCentredMesh::none ? 0 : 1] = row;
  };
  for (Index q = 0; q < n; ++q)
    for (int k = 0; k < 6; ++k)
      {
        const int row = rows.row(k, q);
        volume(row) += mesh.volume(q);
        const bool of_centre = is_central(mesh, q, k);
        if (!mesh.is_regular(q))
          note((of_centre ? central : edges_at)[6 * static_cast<Index>(simplices(0, q)) + k], row);
        if (of_centre)
          continue;
        const auto e = zone.directions_of(q).col(k);
        const auto g = zone.zone.gradients_of(q);
        for (int i = mesh.is_regular(q) ? 0 : 1; i < 4; ++i)
          if (std::abs(g.col(i).dot(e)) > 1e-9 / mesh.side())
            note(edges_at[6 * static_cast<Index>(simplices(i, q)) + k], row);
      }
  for (std::size_t at = 0; at < central.size(); ++at)
    for (const int from : central[at])
      if (from != FaceCentredMesh::none)
        {
          const double n_edges = static_cast<double>(std::count_if(
              edges_at[at].begin(), edges_at[at].end(), [](const int to) { return to != FaceCentredMesh::none; }));
          for (const int to : edges_at[at])
            if (to != FaceCentredMesh::none)
              {
                lambda(to) += lambda(from) / n_edges;
                volume(to) += volume(from) / n_edges;
              }
        }
  Eigen::MatrixXd p = Eigen::MatrixXd::Zero(6, n_nodes);
  for (std::size_t at = 0; at < edges_at.size(); ++at)
    {
      int n_edges = 0;
      for (const int edge : edges_at[at])
        if (edge != FaceCentredMesh::none)
          {
            p(static_cast<Index>(at)) += lambda(edge) * zone.length / volume(edge);
            ++n_edges;
          }
      p(static_cast<Index>(at)) /= std::max(1, n_edges);
    }
  return p;
}

TotalBound face_centred_total_bound(const Setting &setting, const FaceCentredMesh &mesh, const SharedRows &rows,
                                    const Vector &v, const bool feasible, const Vector &multipliers,
                                    const Progress &progress)
{
  AdmissiblePair::Facts facts;
  facts.cells                 = "tetrahedra";
  facts.feasible              = feasible;
  facts.zone_is_seen          = mesh.n_whole() > 0 && mesh.zone_is_seen();
  const Eigen::MatrixXd p     = nodal_pressures(mesh, rows, multipliers);
  const auto           &sides = mesh.zone().side_of_facet;
  if (!mesh.zone_is_tetrahedra() && std::any_of(sides.begin(), sides.end(), [](const auto side) { return side >= 0; }))
    {
      TotalBound none;
      none.remark = "There is no total bound: lines of the zone that end in cut tetrahedra cannot be followed from wall to "
                    "wall; give sides that are planes of the lattice, or no walls.";
      none.indicator = Vector::Zero(mesh.n_tetrahedra());
      return none;
    }
  if (!mesh.zone_is_tetrahedra())
    return bound_of_face_centred_lines(setting, mesh, p, v, std::move(facts), progress);

  const DirectionalZone &zone  = mesh.zone();
  const SimplexEdges     edges = simplex_edges(zone.grains.mesh);
  const SimplexData      data(zone, setting.U);
  constexpr PolishSteps  steps  = {100};
  const auto             limits = pressure_limits(zone, edges);
  const SimplexPressure  first =
      quadratic_pressure(zone, edges, *limits, joined(zone, p).cwiseProduct(free_coefficients(zone, edges).nodes));
  const SimplexPressure best =
      polished(zone, edges, data, *limits, best_combination(zone, edges, data, {first}), steps, progress.part(.1, .9));
  return total_bound(SimplexPair(zone, edges, data, v, best, std::move(facts)), progress.part(.9, 1.));
}
} // namespace moreau::macro
