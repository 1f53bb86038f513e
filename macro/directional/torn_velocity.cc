// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/torn_velocity.h"

#include <Eigen/QR>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace moreau::macro
{
namespace
{
/// A_k n of the directions that cross a facet. Of circular cones n and vectors along the facet, with factors so that the
/// products with admissible jumps lie in a circle (circular_jump); empty where nothing may part.
std::vector<Vector> forces(const DirectionalZone &zone, const Facet &facet, const double s)
{
  constexpr double    parallel = 1e-12;
  const Vector        n        = zone.zone.normal(facet);
  std::vector<Vector> result;
  if (zone.is_circular())
    {
      if (const auto factors = circular_jump(zone.dim(), s))
        {
          result.push_back(factors->first * n);
          const Eigen::MatrixXd along = Eigen::HouseholderQR<Eigen::MatrixXd>(n).householderQ();
          for (int k = 1; k < zone.dim(); ++k)
            result.push_back(factors->second * along.col(k));
        }
      return result;
    }
  for (int k = 0; k < zone.K; ++k)
    if (const Vector force = zone.applied(facet.simplex, k, s, n); force.norm() > parallel)
      result.push_back(force);
  return result;
}

/// The s of forces: the larger one of both sides where a circle stands for all directions.
double dilatancy_at(const DirectionalZone &zone, const Facet &facet)
{
  return zone.is_circular() ? std::max(zone.dilatancy_of(facet.simplex), zone.dilatancy_of(facet.neighbour))
                            : zone.inner_factor * zone.dilatancy_of(facet.simplex);
}

/// The admissible jump that is closest to one that is given, by Dykstra's algorithm: the few forces of a facet need few
/// sweeps for the digit that counts here.
Vector admissible_part(const std::vector<Vector> &forces, Vector jump)
{
  constexpr int       n_sweeps = 50;
  std::vector<double> lambda(forces.size(), 0.);
  for (int sweep = 0; sweep < n_sweeps; ++sweep)
    for (std::size_t k = 0; k < forces.size(); ++k)
      {
        const double next = std::max(0., lambda[k] - forces[k].dot(jump) / forces[k].squaredNorm());
        jump += (next - lambda[k]) * forces[k];
        lambda[k] = next;
      }
  return jump;
}

/// Whether a jump has an admissible part where the products with these forces must lie in a circle: its projection.
bool opens(const std::vector<Vector> &forces, const Vector &jump)
{
  constexpr double least_part = .1;
  if (forces.empty() || forces.front().norm() == 0.)
    return false;
  const Vector n      = forces.front().normalized();
  const double across = n.dot(jump), along = (jump - across * n).norm();
  // the part is the projection on the ray at the edge, q : |t| as factors tell, or the jump itself
  const double q = forces.back().norm(), t = forces.front().norm(), size = std::hypot(q, t);
  const double part = t * across >= 0. && t * across >= q * along ? jump.norm() : (q * across + t * along) / size;
  return part > least_part * jump.norm();
}

bool is_torn(const DirectionalZone &zone, const SimplexData &data, const Facet &facet)
{
  const int  dim  = zone.dim();
  const auto U_of = [&](const int simplex) {
    return Eigen::Map<const Eigen::MatrixXd>(data.projected.col(simplex).data(), dim, dim + 1);
  };
  const auto variation = [&](const int simplex) {
    const Eigen::MatrixXd U    = U_of(simplex);
    double                most = 0.;
    for (int i = 0; i < dim; ++i)
      most = std::max(most, (U.rightCols(dim - i).colwise() - U.col(i)).colwise().norm().maxCoeff());
    return most;
  };
  Vector jump = Vector::Zero(dim);
  for_common_vertices(zone.zone.mesh, facet, [&](const int i, const int j) {
    jump += (U_of(facet.neighbour).col(j) - U_of(facet.simplex).col(i)) / dim;
  });
  const double rounding = 1e-9 * U_of(facet.simplex).cwiseAbs().maxCoeff();
  if (!(jump.norm() > std::max(variation(facet.simplex), variation(facet.neighbour)) + rounding))
    return false;
  const std::vector<Vector> of_facet = forces(zone, facet, dilatancy_at(zone, facet));
  return zone.is_circular() ? opens(of_facet, jump) : has_admissible_part(of_facet, jump);
}
} // namespace

bool has_admissible_part(const std::vector<Vector> &forces, const Vector &jump)
{
  constexpr double least_part = .1;
  return admissible_part(forces, jump).norm() > least_part * jump.norm();
}

DirectionalZone torn_where_U_jumps(const DirectionalZone &zone, const SimplexData &data)
{
  DirectionalZone   result = zone;
  std::vector<char> joined(zone.zone.facets.size(), 1);
  for (std::size_t f = 0; f < joined.size(); ++f)
    if (const Facet &facet = zone.zone.facets[f];
        facet.neighbour >= 0 && zone.same_lattice(facet) && is_torn(zone, data, facet))
      {
        joined[f] = 0;
        result.torn.push_back(static_cast<int>(f));
      }
  if (result.torn.empty())
    return result;
  TornMesh mesh            = torn_apart(zone.zone.mesh, zone.zone.facets, joined);
  result.zone.part_of_node = std::vector<int>(mesh.origin.size());
  for (std::size_t i = 0; i < mesh.origin.size(); ++i)
    result.zone.part_of_node[i] = zone.zone.part_of_node[mesh.origin[i]];
  result.zone.mesh = std::move(mesh.mesh);
  return result;
}

std::vector<JumpRow> jump_rows(const DirectionalZone &zone)
{
  std::vector<JumpRow> rows;
  const auto          &mesh = zone.zone.mesh;
  for (const int f : zone.torn)
    {
      const Facet              &facet    = zone.zone.facets[f];
      const std::vector<Vector> of_facet = forces(zone, facet, dilatancy_at(zone, facet));
      for_common_vertices(mesh, facet, [&](const int i, const int j) {
        const int here = mesh.simplices(i, facet.simplex), behind = mesh.simplices(j, facet.neighbour);
        for (const Vector &force : of_facet)
          if (here < behind)
            rows.push_back({here, behind, facet.simplex, force});
          else if (here > behind)
            rows.push_back({behind, here, facet.simplex, -force});
      });
    }
  if (zone.is_circular()) // rows of a circle stay together
    return rows;
  // on a straight line two facets say the same of the node between them
  const auto components = [](const Vector &x) {
    std::array<long, 3> result = {0, 0, 0};
    for (Index a = 0; a < x.size(); ++a)
      result[a] = std::lround(1e9 * x(a));
    return result;
  };
  const auto key = [&](const JumpRow &row) { return std::tuple(row.here, row.behind, components(row.force)); };
  std::stable_sort(rows.begin(), rows.end(), [&](const JumpRow &a, const JumpRow &b) { return key(a) < key(b); });
  rows.erase(std::unique(rows.begin(), rows.end(), [&](const JumpRow &a, const JumpRow &b) { return key(a) == key(b); }),
             rows.end());
  return rows;
}

void open_torn_facets(const DirectionalZone &zone, Vector &w)
{
  const int       dim     = zone.dim();
  const auto     &mesh    = zone.zone.mesh;
  Eigen::MatrixXd outward = Eigen::MatrixXd::Zero(dim, mesh.n_points());
  for (const int f : zone.torn)
    {
      const Facet &facet = zone.zone.facets[f];
      const Vector n     = zone.zone.normal(facet);
      for_common_vertices(mesh, facet, [&](const int i, const int j) {
        const int here = mesh.simplices(i, facet.simplex), behind = mesh.simplices(j, facet.neighbour);
        if (here == behind)
          return;
        outward.col(here) -= n;
        outward.col(behind) += n;
      });
    }
  for (Index i = 0; i < mesh.n_points(); ++i)
    if (const double norm = outward.col(i).norm(); norm > 1e-9)
      w.segment(dim * i, dim) += .05 * zone.length / norm * outward.col(i);
}
} // namespace moreau::macro
