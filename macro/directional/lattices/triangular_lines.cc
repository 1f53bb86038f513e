// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/triangular_lines.h"

#include "macro/directional/lattices/oblique_walls.h"
#include "macro/directional/lattices/torn_triangles.h"
#include "macro/saturated_cells.h"

#include <Eigen/LU>

#include <cmath>

namespace moreau::macro
{
namespace
{
constexpr int   parts_of_edge = 3, samples_of_edge = 9, most_samples_of_edge = 90;
constexpr Index steps_of_parts[][2] = {{1, 0}, {-1, 1}, {0, -1}}; // along e_k, in coordinates along e_0 and -e_2

/// Centres of equal parts of a triangle (barycentric).
Eigen::Matrix3Xd centres_of_parts(const int n)
{
  Eigen::Matrix3Xd centres(3, n * n);
  Index            column = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; i + j < n; ++j)
      for (const double off : {1. / 3., 2. / 3.})
        if (const double rest = n - i - j - 2. * off; rest > 0.)
          centres.col(column++) = Eigen::Vector3d(rest, i + off, j + off) / n;
  return centres;
}

/// Middles of edges: a rule of degree 2.
const Eigen::Matrix3d middles_of_edges = .5 * (Eigen::Matrix3d::Ones() - Eigen::Matrix3d::Identity());

/// Saturated points that stand for equal parts of what the zone has of a triangle, about 80 of them whatever its area (m²);
/// the centre of mass where it is too thin.
Eigen::Matrix2Xd samples_of(const Domain &domain, const TriangularMesh &mesh, const Eigen::Matrix<double, 2, 3> &corners,
                            const double area, const Eigen::Vector2d &centre)
{
  const double           n         = samples_of_edge * std::sqrt(mesh.area() / area);
  const Eigen::Matrix2Xd x         = corners * centres_of_parts(static_cast<int>(std::min<double>(most_samples_of_edge, n)));
  const auto             saturated = saturated_at(domain, x);
  std::vector<Index>     inside;
  for (Index k = 0; k < x.cols(); ++k)
    if (saturated[k])
      inside.push_back(k);
  return inside.empty() ? Eigen::Matrix2Xd(centre) : Eigen::Matrix2Xd(x(Eigen::all, inside));
}

bool touches_tear(const TriangularMesh &mesh, const TriangularMesh::Triangle &t)
{
  for (int k = 0; k < 3 && !mesh.torn_edges().empty(); ++k)
    if (mesh.touches_tear(mesh.vertex(t, k)))
      return true;
  return false;
}

/// What the zone has of the triangles of the mesh, in their order, and of those that it left out.
void add_parts(const Domain &domain, const TriangularMesh &mesh, LinePoints<2> &points)
{
  const auto n = static_cast<Index>(mesh.triangles().size());
  points.parts.resize(n);
  for_blocks(n, 64, [&](const Index first, const Index last) {
    for (Index q = first; q < last; ++q)
      {
        const TriangularMesh::Triangle   &t       = mesh.triangles()[q];
        const Eigen::Matrix<double, 2, 3> corners = mesh.corners(t);
        CellPart<2>                      &of      = points.parts[q];
        const bool                        jumps   = touches_tear(mesh, t);
        if (mesh.is_whole(t))
          {
            of = {corners.rowwise().mean(), mesh.area(), static_cast<int>(q), true, corners * middles_of_edges, {}, {}};
            if (jumps) // a little inside, where v is that of this triangle
              of.samples += 1e-6 * corners * (Eigen::Matrix3d::Constant(1. / 3.) - middles_of_edges);
            continue;
          }
        const Eigen::Vector3d  mass    = mesh.cut_triangle(t).mass;
        const Eigen::Vector2d  centre  = corners * mass / mass.sum();
        const Eigen::Matrix2Xd samples = samples_of(domain, mesh, corners, mass.sum(), centre);
        of                             = {centre, mass.sum(), static_cast<int>(q), false, samples, {}, {}};
      }
  });
  for (std::size_t q = 0; q < points.part.size(); ++q)
    points.parts[points.part[q]].points.push_back(static_cast<int>(q));
  for (Index q = 0; q < n; ++q)
    if (touches_tear(mesh, mesh.triangles()[q]))
      points.parts[q].asked = points.parts[q].points;
  for (const auto &[centre, area] : mesh.left_out())
    points.parts.push_back({centre,
                            area,
                            TriangularMesh::none,
                            false,
                            samples_of(domain, mesh, mesh.corners(mesh.triangle_at(centre)), area, centre),
                            {},
                            {}});
}

/// Saturated centres of the parts of triangles of the zone, with U and weights that add up to the part of each triangle.
LinePoints<2> points_of(const Setting &setting, const TriangularMesh &mesh, const Progress &progress)
{
  const Index n_i = parts_of_edge * mesh.n_sites_per_row(), n_j = parts_of_edge * (mesh.n_sites() / mesh.n_sites_per_row());
  const auto  place = [n_i](const Index i, const Index j, const int t) { return 2 * (i + n_i * j) + t; };
  LinePoints<2>         points;
  const auto            n = static_cast<Index>(mesh.triangles().size());
  std::vector<Index>    places;
  std::vector<int>      of_triangle;
  Eigen::Matrix2Xd      all(2, parts_of_edge * parts_of_edge * n);
  const Eigen::Vector2d a = mesh.spacing() * mesh.directions().col(0), b = -mesh.spacing() * mesh.directions().col(2);
  for (Index q = 0; q < n; ++q)
    {
      const TriangularMesh::Triangle &t     = mesh.triangles()[q];
      const Index                     row   = mesh.n_sites_per_row();
      const Eigen::Vector2d           first = mesh.position(t.anchor);
      for (Index j = 0; j < parts_of_edge; ++j)
        for (Index i = 0; i < parts_of_edge; ++i)
          for (const int kind : {0, 1})
            {
              const double    off = kind == 0 ? 1. / 3. : 2. / 3.;
              Eigen::Vector2d s((static_cast<double>(i) + off) / parts_of_edge,
                                (static_cast<double>(j) + off) / parts_of_edge);
              if ((s.sum() < 1.) != (t.t == 0))
                continue;
              all.col(static_cast<Index>(places.size())) = first + s(0) * a + s(1) * b;
              places.push_back(place(parts_of_edge * (t.anchor % row) + i, parts_of_edge * (t.anchor / row) + j, kind));
              of_triangle.push_back(static_cast<int>(q));
            }
    }
  const std::vector<char> saturated = saturated_in_blocks(setting.domain, all, progress.part(0., .4));
  points.at.assign(2 * n_i * n_j, TriangularMesh::none);
  std::vector<int> n_points(n, 0);
  for (std::size_t k = 0; k < places.size(); ++k)
    if (saturated[k])
      {
        all.col(static_cast<Index>(points.place.size())) = all.col(static_cast<Index>(k));
        points.at[places[k]]                             = static_cast<int>(points.place.size());
        points.place.push_back(places[k]);
        points.cell.push_back(of_triangle[k]);
        points.part.push_back(of_triangle[k]);
        ++n_points[of_triangle[k]];
      }
  const auto n_found = static_cast<Index>(points.place.size());
  points.x           = all.leftCols(n_found);
  points.U.resize(2, n_found);
  points.weight.resize(n_found);
  const auto set_U = [&](const Index first, const Index last) {
    Eigen::MatrixXd values(2, last - first);
    setting.U(within_box(setting.domain, points.x.middleCols(first, last - first)), values);
    points.U.middleCols(first, last - first) = values;
    for (Index q = first; q < last; ++q)
      {
        const TriangularMesh::Triangle &t = mesh.triangles()[points.cell[q]];
        points.weight(q)                  = mesh.area() * mesh.part(t.anchor, t.t) / n_points[points.cell[q]];
      }
  };
  for_blocks(n_found, 8192, set_U, progress.part(.4, .7));
  points.e       = mesh.directions();
  points.spacing = mesh.spacing() / parts_of_edge;
  points.width   = std::sqrt(.1875) * points.spacing; // half the height of a part
  points.size    = mesh.spacing();
  points.n_cells = n;
  // edges lie where one of the two coordinates along the lattice is a whole number, or their sum
  const Eigen::Matrix<double, 3, 2> numbers = (Eigen::Matrix<double, 3, 2>() << 1., 0., 0., 1., 1., 1.).finished();
  points.ends.first                         = numbers * mesh.coordinates(Eigen::Vector2d::Zero());
  points.ends.planes.resize(2, 3);
  for (int a = 0; a < 2; ++a)
    points.ends.planes.row(a) = (numbers * mesh.coordinates(Eigen::Vector2d::Unit(a)) - points.ends.first).transpose();
  add_parts(setting.domain, mesh, points);
  points.complete(setting.domain, setting.U);
  for (const auto &step : steps_of_parts)
    points.step.push_back(2 * (step[0] + n_i * step[1]));
  return points;
}

/// p_k at a point from the multipliers of the edges along e_k: linear between their middles, and across between lines.
double interpolated(const TriangularMesh &mesh, const Eigen::Vector2d &at, const int k, const std::vector<int> &row_of_edge,
                    const Vector &p)
{
  const auto of_edge = [&](const Index begin) {
    return row_of_edge[3 * begin + k] == TriangularMesh::none
               ? 0.
               : mesh.multiplier(begin, k, row_of_edge, p) * mesh.spacing() / (mesh.area() * mesh.parts_at(begin, k));
  };
  TriangularMesh::Triangle in;
  Eigen::Vector3d          l;
  if (!mesh.containing(at, in, l))
    return 0.;
  const Index  begin = mesh.edge(in, k), apex = mesh.vertex(in, (k + 2) % 3), E = mesh.step(k);
  const double along = (in.t == 0 ? .5 : -.5) * (l((k + 1) % 3) - l(k));
  const double base =
      (1. - std::abs(along)) * of_edge(begin) + std::abs(along) * of_edge(along > 0. ? begin + E : begin - E);
  const double top = (.5 - along) * of_edge(apex - E) + (.5 + along) * of_edge(apex);
  return (1. - l((k + 2) % 3)) * base + l((k + 2) % 3) * top;
}

/// v linear on triangles; beyond the mesh the last of those on the way from a point of the mesh continues it, or it stays as
/// it is at the nearest point where none is given.
Eigen::Vector2d interpolated(const TriangularMesh &mesh, const Eigen::Vector2d &at, const Vector &v,
                             const Eigen::Vector2d *const from)
{
  TriangularMesh::Triangle in;
  Eigen::Vector3d          l;
  if (!from)
    mesh.nearest(at, in, l); // as velocity() has it
  else if (!mesh.containing(at, in, l))
    {
      constexpr int steps = 32; // triangles in which the way is shorter than one of these do not matter
      for (int step = 1; step <= steps; ++step)
        if (mesh.containing(at + static_cast<double>(step) / steps * (*from - at), in, l))
          break;
      const Eigen::Matrix<double, 2, 3> corners = mesh.corners(in);
      Eigen::Matrix3d                   affine;
      affine << corners, Eigen::RowVector3d::Ones();
      l = affine.inverse() * Eigen::Vector3d(at(0), at(1), 1.);
    }
  Eigen::Vector2d value = Eigen::Vector2d::Zero();
  for (int c = 0; c < 3; ++c)
    value += l(c) * v.segment<2>(2 * static_cast<Index>(mesh.node(in, c)));
  return value;
}
} // namespace

TotalBound bound_of_triangular_lines(const Setting &setting, const TriangularMesh &mesh, const std::vector<int> &row_of_edge,
                                     const Vector &p, const Vector &v, const std::vector<WallPressure::Part> &on_walls,
                                     const bool feasible, const Progress &progress)
{
  LinePoints<2>          points = points_of(setting, mesh, progress.part(0., .2));
  const Eigen::Matrix2Xd x      = points.x;
  const WallPressure     q(on_walls, mesh.spacing());
  const auto start  = [&](const Eigen::Vector2d &at, const int k) { return interpolated(mesh, at, k, row_of_edge, p); };
  const auto at_end = [&](const Eigen::Vector2d &at, const int k) {
    constexpr double beside = 1e-6; // of the spacing
    for (int side = 0; side < 4; ++side)
      if (setting.domain.walls[side] && std::abs(depth_below(setting.domain, side, at)) <= beside * mesh.spacing())
        {
          const Eigen::Vector2d n = normal_of_side(side, 2), inside = at - mesh.spacing() * n;
          return tied_pressures(mesh.directions(), n, q(side, at(1 - side / 2)),
                                Eigen::Vector3d(start(inside, 0), start(inside, 1), start(inside, 2)))(k);
        }
    return 0.;
  };
  const auto velocity = [&](const Eigen::Vector2d &at, const int near) {
    const Eigen::Vector2d from = near < 0 ? at : Eigen::Vector2d(x.col(near));
    return interpolated(mesh, at, v, near < 0 ? nullptr : &from);
  };
  LatticeLines<2>::Opening opens;
  if (!mesh.torn_edges().empty())
    opens = [&mesh, &v](const Eigen::Vector2d &from, const Eigen::Vector2d &to, const int k) {
      return opening(mesh, v, from, to, k);
    };
  LatticeLines<2> lines(setting.domain, std::move(points), velocity, start, at_end, opens, progress.part(.2, .4));
  lines.polish(200, progress.part(.4, .9));
  AdmissiblePair::Facts facts;
  facts.cells        = "triangles";
  facts.width        = mesh.spacing();
  facts.feasible     = feasible;
  facts.zone_is_seen = mesh.n_whole_triangles() > 0;
  return lines.bound(std::move(facts));
}
} // namespace moreau::macro
