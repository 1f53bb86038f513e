// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/lattice_certificate.h"

#include "macro/directional/simplex_mesh.h"
#include "macro/directional/lattices/triangular_lines.h"
#include "macro/integrals_of_u.h"

#include <algorithm>

namespace moreau::macro
{
LatticePressure::LatticePressure(const TriangularMesh &mesh, const std::vector<int> &row_of_edge,
                                 const std::vector<int> &row_of_wall, const Vector &p)
    : mesh(mesh), edge(row_of_edge.size(), 0.), at_wall(Vector::Zero(mesh.n_nodes())), vertex(6, mesh.n_nodes())
{
  const double d = mesh.spacing(), A = 2. * mesh.area();
  for (Index site = 0; site < mesh.n_sites(); ++site)
    for (int k = 0; k < 3; ++k)
      if (row_of_edge[3 * site + k] != TriangularMesh::none && mesh.n_triangles_at(site, k) > 0)
        edge[3 * site + k] = mesh.multiplier(site, k, row_of_edge, p) * d / (.5 * A * mesh.parts_at(site, k));
  // a node stands for half of every edge that it has on the wall
  for (Index q = 0; q < mesh.n_nodes(); ++q)
    if (const int row = row_of_wall[q]; row != TriangularMesh::none)
      {
        double length = 0.;
        for (int k = 0; k < 3; ++k)
          length += .5 * d * (mesh.on_wall(mesh.site(q), k) + mesh.on_wall(mesh.site(q) - mesh.step(k), k));
        at_wall(q) = 2. / 3. * std::max(0., p(row)) / length;
      }
  set_vertices();
}

/// Whether all three triangles on one side of the line along e_k through a site are there, or hidden by a wall.
bool LatticePressure::complete(const Index site, const int k, const Side side) const
{
  using Place   = TriangularMesh::Place;
  const int own = side == left ? 0 : 1; // the kind of triangle whose edge k lies on the line
  return mesh.place_at(site, k, own) != Place::outside && mesh.place_at(site, k + 1, own) != Place::outside &&
         mesh.place_at(site, k + 2, 1 - own) != Place::outside;
}

void LatticePressure::set_vertices()
{
  for (Index q = 0; q < mesh.n_nodes(); ++q)
    {
      const Index site = mesh.site(q);
      for (int k = 0; k < 3; ++k)
        {
          const Index  before = site - mesh.step(k);
          const bool   passes = mesh.n_triangles_at(site, k) > 0 && mesh.n_triangles_at(before, k) > 0;
          const double value  = passes ? .5 * (edge[3 * site + k] + edge[3 * before + k]) : 0.;
          for (const Side side : {left, right})
            vertex(2 * k + side, q) = complete(site, k, side) ? value : 0.;
        }
      if (at_wall(q) == 0.)
        continue;
      // the two directions that cross the wall carry the same pressure on each of its edges, hence on both or on none
      const int j = wall_direction(site), k = (j + 1) % 3, l = (j + 2) % 3;
      for (const Side side : {left, right})
        {
          const Side other        = side == left ? right : left;
          vertex(2 * k + side, q) = vertex(2 * l + other, q) =
              complete(site, k, side) && complete(site, l, other) ? at_wall(q) : 0.;
        }
    }
}

/// The direction of the wall that a site lies on.
int LatticePressure::wall_direction(const Index site) const
{
  int k = 0;
  while (!mesh.on_wall(site, k) && !mesh.on_wall(site - mesh.step(k), k))
    ++k;
  return k;
}

std::array<double, 2> LatticePressure::wall_pressures(const Index begin, const int j) const
{
  const int k = (j + 1) % 3;
  return {1.5 * at_vertex(begin, k, right), 1.5 * at_vertex(begin + mesh.step(j), k, left)};
}

double LatticePressure::along(const Index site, const int k) const
{
  return std::max(at_vertex(site, k, left), at_vertex(site, k, right));
}

/// p_k on the edge along e_across that begins at a site.
double LatticePressure::on_edge(const Index begin, const int k, const int across) const
{
  const Index  E = mesh.step(across), end = begin + E;
  const bool   leftwards = across == (k + 1) % 3; // e_across points to the left of e_k
  const double p_begin = at_vertex(begin, k, leftwards ? left : right), p_end = at_vertex(end, k, leftwards ? right : left);
  if (mesh.n_triangles_at(begin, across) < 2)
    return mesh.on_wall(begin, across) ? .5 * (p_begin + p_end) : 0.;
  const bool before = mesh.n_triangles_at(begin - E, across) > 0, behind = mesh.n_triangles_at(end, across) > 0;
  double     bend = 0.;
  if (before)
    bend += along(begin - E, k) - 2. * p_begin + p_end;
  if (behind)
    bend += p_begin - 2. * p_end + along(end + E, k);
  if (before != behind)
    bend *= 2.;
  return std::max(0., .5 * (p_begin + p_end) - .125 * bend);
}

std::array<double, 6> LatticePressure::coefficients(const TriangularMesh::Triangle &triangle, const int k) const
{
  std::array<double, 6> c;
  const Side            side = triangle.t == 0 ? left : right; // of the line along its own edge
  const int             apex = (k + 2) % 3;
  for (int v = 0; v < 3; ++v)
    c[v] = at_vertex(mesh.vertex(triangle, v), k, (v == apex) == (side == left) ? right : left);
  for (int l = 0; l < 3; ++l)
    {
      const Index begin = mesh.edge(triangle, l);
      c[3 + l]          = l == k ? edge[3 * begin + k] : on_edge(begin, k, l);
    }
  return c;
}

namespace
{
AdmissiblePair::Facts facts_of(const TriangularMesh &mesh)
{
  AdmissiblePair::Facts facts;
  facts.constructions = {"nodal velocities, quadratic pressures from edge multipliers"};
  facts.n_cells       = static_cast<Index>(mesh.triangles().size());
  facts.at_a_time     = 1024;
  facts.cells         = "triangles";
  facts.width         = mesh.spacing();
  facts.zone_is_seen  = mesh.zone_is_seen();
  return facts;
}

class LatticePair : public AdmissiblePair
{
public:
  LatticePair(const TriangularMesh &mesh, const LatticePressure &p, const Field &U, const Vector &u)
      : AdmissiblePair(facts_of(mesh))
      , mesh(mesh)
      , p(p)
      , U(U)
      , u(u)
      , rule(simplex_rule(2))
      , of_U(IntegralsOfU::on_simplices(rule))
  {
    // derivative of the Bernstein polynomials from v_k to v_{k+1}, times the length of that edge
    for (int k = 0; k < 3; ++k)
      {
        const int b = (k + 1) % 3, c = (k + 2) % 3;
        slopes[k] = Eigen::MatrixXd::Zero(rule.size(), 6);
        for (Index q = 0; q < rule.size(); ++q)
          {
            const auto l        = rule.points.col(q);
            slopes[k](q, k)     = -2. * l(k);
            slopes[k](q, b)     = 2. * l(b);
            slopes[k](q, 3 + k) = 2. * (l(k) - l(b));
            slopes[k](q, 3 + b) = 2. * l(c);
            slopes[k](q, 3 + c) = -2. * l(c);
          }
      }
  }

  GapIntegrals integrals(const Index first, const Index last, Eigen::MatrixXd &indicators) const override
  {
    Eigen::MatrixXd x, values(2, (last - first) * rule.size());
    mesh.points(first, last, rule.points, x);
    U(x, values);
    GapIntegrals    sum;
    Eigen::MatrixXd residual(2, rule.size());
    const double    area = mesh.area(), d = mesh.spacing();
    const Vector    weights_of_cell = area * rule.weights;
    for (Index q = first; q < last; ++q)
      {
        const TriangularMesh::Triangle &triangle  = mesh.triangles()[q];
        const auto                      at_points = values.middleCols((q - first) * rule.size(), rule.size());
        GapIntegrals                    on_cell   = of_U(at_points, weights_of_cell);
        Eigen::Matrix<double, 2, 3>     v;
        for (int k = 0; k < 3; ++k)
          v.col(k) = u.segment<2>(2 * mesh.node(mesh.vertex(triangle, k)));
        residual = v * rule.points - at_points;
        on_cell.energy[0] =
            .5 * area * rule.weights.dot((at_points.colwise().squaredNorm() - residual.colwise().squaredNorm()).transpose());
        on_cell.speed = v.lpNorm<Eigen::Infinity>();
        for (int k = 0; k < 3; ++k)
          {
            const std::array<double, 6>                         c = p.coefficients(triangle, k);
            const Eigen::Map<const Eigen::Matrix<double, 6, 1>> coefficients(c.data());
            // along the edge as the triangle runs around it: ±e_k, which changes no product
            const Eigen::Vector2d t    = (triangle.t == 0 ? 1. : -1.) * mesh.directions().col(k);
            const double          gain = t.dot(v.col((k + 1) % 3) - v.col(k));
            residual += t * (slopes[k] * coefficients / d).transpose();
            on_cell.work[0] += 2. * area * coefficients.mean() * gain / d + wall_work(triangle, k, on_cell.violation);
            on_cell.violation = std::max(on_cell.violation, -gain / d);
          }
        on_cell.mismatch[0] = area * rule.weights.dot(residual.colwise().squaredNorm());
        indicators(q)       = on_cell.gap(0);
        sum.add(on_cell);
      }
    return sum;
  }

  Unseen hidden(const Index first, const Index last, const bool all_seen) const override
  {
    Eigen::MatrixXd x;
    mesh.points(first, last, rule.points, x);
    return of_U.hidden(U, x, Vector::Constant(last - first, mesh.area()), all_seen, IntegralsOfU::in_a_row(facts.n_cells));
  }

private:
  /// -2∫ q v·n over edge k of a triangle where it lies on a wall; q and v are linear there.
  double wall_work(const TriangularMesh::Triangle &triangle, const int k, double &violation) const
  {
    const Index begin = mesh.edge(triangle, k);
    if (!mesh.on_wall(begin, k))
      return 0.;
    const double          sign = triangle.t == 0 ? 1. : -1.;
    const Eigen::Vector2d e    = sign * mesh.directions().col(k), n(e(1), -e(0));
    const auto [q_a, q_b]      = p.wall_pressures(begin, k);
    const double v_a           = n.dot(u.segment<2>(2 * mesh.node(begin))),
                 v_b           = n.dot(u.segment<2>(2 * mesh.node(begin + mesh.step(k))));
    violation                  = std::max({violation, v_a / mesh.spacing(), v_b / mesh.spacing()});
    return -mesh.spacing() / 3. * (2. * q_a * v_a + q_a * v_b + q_b * v_a + 2. * q_b * v_b);
  }

  const TriangularMesh  &mesh;
  const LatticePressure &p;
  const Field           &U;
  const Vector          &u;
  Rule                   rule;
  IntegralsOfU           of_U;
  Eigen::MatrixXd        slopes[3];
};
} // namespace

TotalBound lattice_total_bound(const Setting &setting, const TriangularMesh &mesh, const std::vector<int> &row_of_edge,
                               const std::vector<int> &row_of_wall, const std::vector<WallCrossing> &crossings,
                               const Vector &u, const Vector &p, const bool feasible, const Progress &progress)
{
  if (mesh.zone_is_triangles() && crossings.empty() && mesh.torn_edges().empty())
    return total_bound(LatticePair(mesh, LatticePressure(mesh, row_of_edge, row_of_wall, p), setting.U, u), progress);
  return bound_of_triangular_lines(setting, mesh, row_of_edge, p, u,
                                   parts_of_walls(setting.domain, mesh, row_of_wall, crossings, p), feasible, progress);
}
} // namespace moreau::macro
