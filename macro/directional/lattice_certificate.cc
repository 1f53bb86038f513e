// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattice_certificate.h"

#include <Eigen/Cholesky>
#include <tbb/parallel_for.h>

#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
using Place               = TriangularMesh::Place;
constexpr Index at_a_time = 1024; // triangles, whatever the number of threads
} // namespace

LatticePressure::LatticePressure(const TriangularMesh &mesh, const std::vector<int> &row_of_edge,
                                 const std::vector<int> &row_of_wall, const Vector &p)
    : mesh(mesh), edge(row_of_edge.size(), 0.), at_wall(Vector::Zero(mesh.n_nodes())), vertex(6, mesh.n_nodes())
{
  const double d = mesh.spacing(), A = 2. * mesh.area();
  for (Index site = 0; site < mesh.n_sites(); ++site)
    for (int k = 0; k < 3; ++k)
      if (const int row = row_of_edge[3 * site + k]; row != TriangularMesh::none)
        edge[3 * site + k] = std::max(0., p(row)) * d / (.5 * A * mesh.n_triangles_at(site, k));
  // a node stands for half of every edge that it has on the wall
  for (Index q = 0; q < mesh.n_nodes(); ++q)
    if (row_of_wall[q] != TriangularMesh::none)
      {
        double length = 0.;
        for (int k = 0; k < 3; ++k)
          length += .5 * d * (mesh.on_wall(mesh.site(q), k) + mesh.on_wall(mesh.site(q) - mesh.step(k), k));
        at_wall(q) = 2. / 3. * std::max(0., p(row_of_wall[q])) / length;
      }
  set_vertices();
}

/// Whether all three triangles on one side of the line along e_k through a site are there, or hidden by a wall.
bool LatticePressure::complete(const Index site, const int k, const Side side) const
{
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
struct LatticeSums
{
  double          mismatch = 0., work = 0., oscillation = 0., spread = 0.;
  Eigen::Vector2d shift = Eigen::Vector2d::Zero(); // ∫(U - reference)
};

class LatticeIntegrator
{
public:
  LatticeIntegrator(const TriangularMesh &mesh, const LatticePressure &p, const Field &U, const Vector &u)
      : mesh(mesh), p(p), U(U), u(u), rule(TriangularMesh::rule()), reference(u.head<2>())
  {
    const auto      l0 = rule.points.row(0), l1 = rule.points.row(1), l2 = rule.points.row(2);
    Eigen::MatrixXd quadratic(rule.size(), 6);
    quadratic << l0.cwiseAbs2().transpose(), l1.cwiseAbs2().transpose(), l2.cwiseAbs2().transpose(),
        2. * l0.cwiseProduct(l1).transpose(), 2. * l1.cwiseProduct(l2).transpose(), 2. * l2.cwiseProduct(l0).transpose();
    const Eigen::MatrixXd gram = quadratic.transpose() * rule.weights.asDiagonal() * quadratic;
    polynomials                = gram.llt().matrixL().solve(quadratic.transpose()).transpose();
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

  LatticeSums operator()(const Index first, const Index last, Vector &indicator) const
  {
    Eigen::MatrixXd x, values(2, (last - first) * rule.size());
    mesh.points(first, last, rule.points, x);
    U(x, values);
    LatticeSums     sums;
    Eigen::MatrixXd residual(2, rule.size());
    const double    area = mesh.area(), d = mesh.spacing();
    for (Index q = first; q < last; ++q)
      {
        const TriangularMesh::Triangle &triangle  = mesh.triangles()[q];
        const auto                      at_points = values.middleCols((q - first) * rule.size(), rule.size());
        Eigen::Matrix<double, 2, 3>     v;
        for (int k = 0; k < 3; ++k)
          v.col(k) = u.segment<2>(2 * mesh.node(mesh.vertex(triangle, k)));
        residual    = v * rule.points - at_points;
        double work = 0.;
        for (int k = 0; k < 3; ++k)
          {
            const std::array<double, 6>                         c = p.coefficients(triangle, k);
            const Eigen::Map<const Eigen::Matrix<double, 6, 1>> coefficients(c.data());
            // along the edge as the triangle runs around it: ±e_k, which changes no product
            const Eigen::Vector2d t = (triangle.t == 0 ? 1. : -1.) * mesh.directions().col(k);
            residual += t * (slopes[k] * coefficients / d).transpose();
            work += 2. * area * coefficients.mean() * t.dot(v.col((k + 1) % 3) - v.col(k)) / d + wall_work(triangle, k);
          }
        const double mismatch = area * rule.weights.dot(residual.colwise().squaredNorm());
        indicator(q)          = mismatch + work;
        sums.mismatch += mismatch;
        sums.work += work;
        const Eigen::MatrixXd about = (at_points.colwise() - reference).transpose();
        const Eigen::MatrixXd remainder =
            about - polynomials * (polynomials.transpose() * (rule.weights.asDiagonal() * about));
        sums.oscillation += area * rule.weights.dot(remainder.rowwise().squaredNorm());
        sums.spread += area * rule.weights.dot(about.rowwise().squaredNorm());
        sums.shift += area * about.transpose() * rule.weights;
      }
    return sums;
  }

private:
  /// -2∫ q v·n over edge k of a triangle where it lies on a wall; q and v are linear there.
  double wall_work(const TriangularMesh::Triangle &triangle, const int k) const
  {
    const Index begin = mesh.edge(triangle, k);
    if (!mesh.on_wall(begin, k))
      return 0.;
    const double          sign = triangle.t == 0 ? 1. : -1.;
    const Eigen::Vector2d e    = sign * mesh.directions().col(k), n(e(1), -e(0));
    const auto [q_a, q_b]      = p.wall_pressures(begin, k);
    const double v_a           = n.dot(u.segment<2>(2 * mesh.node(begin))),
                 v_b           = n.dot(u.segment<2>(2 * mesh.node(begin + mesh.step(k))));
    return -mesh.spacing() / 3. * (2. * q_a * v_a + q_a * v_b + q_b * v_a + 2. * q_b * v_b);
  }

  const TriangularMesh  &mesh;
  const LatticePressure &p;
  const Field           &U;
  const Vector          &u;
  Rule                   rule;
  Eigen::Vector2d        reference; // a velocity of the size of U, which keeps the spread free of cancellation
  Eigen::MatrixXd        polynomials;
  Eigen::MatrixXd        slopes[3];
};

/// max of -∂_{e_k}(v·e_k) over edges and of v·n/d over walls (1/s).
double violation(const TriangularMesh &mesh, const Vector &u)
{
  double worst = 0.;
  for (Index q = 0; q < mesh.n_nodes(); ++q)
    for (int k = 0; k < 3; ++k)
      {
        const Index           begin = mesh.site(q);
        const Eigen::Vector2d e     = mesh.directions().col(k);
        if (mesh.n_triangles_at(begin, k) == 0)
          continue;
        const Eigen::Vector2d v_i = u.segment<2>(2 * q), v_j = u.segment<2>(2 * mesh.node(begin + mesh.step(k)));
        worst = std::max(worst, e.dot(v_i - v_j));
        if (!mesh.on_wall(begin, k))
          continue;
        const double          sign = mesh.place_at(begin, k, 0) == Place::in_zone ? 1. : -1.;
        const Eigen::Vector2d n(sign * e(1), -sign * e(0));
        worst = std::max({worst, n.dot(v_i), n.dot(v_j)});
      }
  return worst / mesh.spacing();
}
} // namespace

TotalBound lattice_total_bound(const TriangularMesh &mesh, const LatticePressure &p, const Field &U, const Vector &u)
{
  TotalBound bound;
  bound.available    = true;
  const auto n       = static_cast<Index>(mesh.triangles().size());
  bound.indicator    = Vector::Zero(n);
  bound.construction = "nodal velocities, quadratic pressures from edge multipliers";
  if (n == 0)
    {
      bound.guaranteed = true;
      return bound;
    }
  const LatticeIntegrator  integrator(mesh, p, U, u);
  std::vector<LatticeSums> blocks((n + at_a_time - 1) / at_a_time);
  tbb::parallel_for(std::size_t(0), blocks.size(), [&](const std::size_t b) {
    const Index first = static_cast<Index>(b) * at_a_time;
    blocks[b]         = integrator(first, std::min(n, first + at_a_time), bound.indicator);
  });
  LatticeSums sums;
  for (const LatticeSums &block : blocks)
    {
      sums.mismatch += block.mismatch;
      sums.work += block.work;
      sums.oscillation += block.oscillation;
      sums.spread += block.spread;
      sums.shift += block.shift;
    }
  const double area       = mesh.area() * static_cast<double>(n);
  bound.mismatch          = sums.mismatch;
  bound.work              = std::max(0., sums.work); // below 0 by rounding only
  bound.eta               = std::sqrt(bound.mismatch + bound.work);
  bound.scale             = std::sqrt(std::max(0., sums.spread - sums.shift.squaredNorm() / area));
  bound.relative          = bound.scale > 0. ? bound.eta / bound.scale : 0.;
  bound.oscillation       = sums.oscillation;
  bound.largest_violation = violation(mesh, u);

  constexpr double epsilon  = std::numeric_limits<double>::epsilon();
  const double     rounding = 64. * epsilon * u.lpNorm<Eigen::Infinity>() / mesh.spacing();
  const double     of_U     = 64. * epsilon * std::sqrt(sums.spread + area * u.head<2>().squaredNorm());
  if (!(bound.largest_violation <= rounding))
    bound.remark = "The velocity is not admissible everywhere, so the bound is an estimate.";
  else if (!mesh.zone_is_triangles())
    bound.remark =
        "The boundary of the zone cuts triangles: the bound is that of the whole triangles, and an estimate for the zone.";
  else if (!(sums.oscillation <= 1e-12 * bound.eta * bound.eta + of_U * of_U))
    bound.remark = "U is not quadratic on every triangle and is integrated by Gauss's rule, so the bound is an estimate.";
  bound.guaranteed = bound.remark.empty();
  return bound;
}
} // namespace moreau::macro
