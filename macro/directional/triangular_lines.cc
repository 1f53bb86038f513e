// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/triangular_lines.h"

#include "macro/saturated_cells.h"

#include <Eigen/LU>

#include <cmath>

namespace moreau::macro
{
namespace
{
constexpr int   parts_of_edge       = 3;
constexpr Index steps_of_parts[][2] = {{1, 0}, {-1, 1}, {0, -1}}; // along e_k, in coordinates along e_0 and -e_2

/// Saturated centres of the parts of triangles of the zone, with U and weights that add up to the part of each triangle.
LinePoints<2> points_of(const Setting &setting, const TriangularMesh &mesh)
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
  const std::vector<char> saturated = saturated_in_blocks(setting.domain, all);
  points.at.assign(2 * n_i * n_j, TriangularMesh::none);
  std::vector<int> n_points(n, 0);
  for (std::size_t k = 0; k < places.size(); ++k)
    if (saturated[k])
      {
        all.col(static_cast<Index>(points.place.size())) = all.col(static_cast<Index>(k));
        points.at[places[k]]                             = static_cast<int>(points.place.size());
        points.place.push_back(places[k]);
        points.cell.push_back(of_triangle[k]);
        points.is_whole.push_back(mesh.is_whole(mesh.triangles()[of_triangle[k]]));
        ++n_points[of_triangle[k]];
      }
  const auto n_found = static_cast<Index>(points.place.size());
  points.x           = all.leftCols(n_found);
  points.U.resize(2, n_found);
  points.weight.resize(n_found);
  for_blocks(n_found, 8192, [&](const Index first, const Index last) {
    Eigen::MatrixXd values(2, last - first);
    setting.U(within_box(setting.domain, points.x.middleCols(first, last - first)), values);
    points.U.middleCols(first, last - first) = values;
    for (Index q = first; q < last; ++q)
      {
        const TriangularMesh::Triangle &t = mesh.triangles()[points.cell[q]];
        points.weight(q)                  = mesh.area() * mesh.part(t.anchor, t.t) / n_points[points.cell[q]];
      }
  });
  points.e       = mesh.directions();
  points.spacing = mesh.spacing() / parts_of_edge;
  points.width   = std::sqrt(.1875) * points.spacing; // half the height of a part
  points.n_cells = n;
  for (const auto &step : steps_of_parts)
    points.step.push_back(2 * (step[0] + n_i * step[1]));
  return points;
}

/// p_k at a point from the multipliers of the edges along e_k: linear between their middles, and across between lines.
double interpolated(const TriangularMesh &mesh, const Eigen::Vector2d &at, const int k, const std::vector<int> &row_of_edge,
                    const Vector &p)
{
  const auto of_edge = [&](const Index begin) {
    const int row = row_of_edge[3 * begin + k];
    return row == TriangularMesh::none ? 0.
                                       : std::max(0., p(row)) * mesh.spacing() / (mesh.area() * mesh.parts_at(begin, k));
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

/// v linear on triangles; `near`: that in which it is continued beyond the mesh.
Eigen::Vector2d interpolated(const TriangularMesh &mesh, const Eigen::Vector2d &at, const Vector &v, const int near)
{
  TriangularMesh::Triangle in;
  Eigen::Vector3d          l;
  if (!mesh.containing(at, in, l))
    {
      in                                        = mesh.triangles()[near];
      const Eigen::Matrix<double, 2, 3> corners = mesh.corners(in);
      Eigen::Matrix3d                   affine;
      affine << corners, Eigen::RowVector3d::Ones();
      l = affine.inverse() * Eigen::Vector3d(at(0), at(1), 1.);
    }
  Eigen::Vector2d value = Eigen::Vector2d::Zero();
  for (int c = 0; c < 3; ++c)
    value += l(c) * v.segment<2>(2 * mesh.node(mesh.vertex(in, c)));
  return value;
}
} // namespace

TotalBound bound_of_triangular_lines(const Setting &setting, const TriangularMesh &mesh, const std::vector<int> &row_of_edge,
                                     const Vector &p, const Vector &v)
{
  LinePoints<2>          points = points_of(setting, mesh);
  const std::vector<int> cell   = points.cell;
  LatticeLines<2>        lines(setting.domain, std::move(points),
                               [&](const Eigen::Vector2d &at, const int k) { return interpolated(mesh, at, k, row_of_edge, p); });
  const auto velocity = [&](const Eigen::Vector2d &at, const int near) { return interpolated(mesh, at, v, cell[near]); };
  lines.polish(velocity, 1e-3, 200);
  AdmissiblePair::Facts facts;
  facts.cells = "triangles";
  facts.width = mesh.spacing();
  return lines.bound(velocity, std::move(facts));
}
} // namespace moreau::macro
