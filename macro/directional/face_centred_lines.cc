// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/face_centred_lines.h"

#include "macro/saturated_cells.h"

#include <array>
#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
constexpr Index parts_of_side       = 2;
constexpr Index steps_of_cubes[][3] = {{1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1}}; // along e_k

/// Where tetrahedra of the zone lie in a cube, and the centre of mass of what is saturated there.
struct CubeOfZone
{
  double          volume   = 0.;
  Eigen::Vector3d centre   = Eigen::Vector3d::Zero();
  int             largest  = FaceCentredMesh::none; // tetrahedron
  bool            is_whole = false;

  CubeOfZone(const FaceCentredMesh &mesh, const Index cube)
  {
    const auto &simplices = mesh.zone().zone.mesh;
    int         n_whole   = 0;
    for (int t = 0; t < FaceCentredMesh::per_cube; ++t)
      if (const int q = mesh.number(cube, t); q != FaceCentredMesh::none)
        {
          const Eigen::Vector4d mass =
              mesh.is_whole(q) ? Eigen::Vector4d::Constant(.25 * mesh.volume(q)) : Eigen::Vector4d(mesh.cut(q).mass);
          if (largest == FaceCentredMesh::none || mesh.volume(q) > mesh.volume(largest))
            largest = q;
          n_whole += mesh.is_whole(q);
          volume += mass.sum();
          for (int i = 0; i < 4; ++i)
            centre += mass(i) * simplices.points.col(simplices.simplices(i, q));
        }
    if (volume > 0.)
      centre /= volume;
    is_whole = n_whole == FaceCentredMesh::per_cube;
  }
};

LinePoints<3> points_in_cubes(const Setting &setting, const FaceCentredMesh &mesh)
{
  constexpr Index      per_cube = parts_of_side * parts_of_side * parts_of_side;
  LinePoints<3>        points;
  std::array<Index, 3> n_places; // with a margin, so that no line leaves on one side and comes back on the other
  for (int a = 0; a < 3; ++a)
    n_places[a] = parts_of_side * mesh.n_cubes()[a] + 2;
  const auto place_at = [&](const Index i, const Index j, const Index k) { return i + n_places[0] * (j + n_places[1] * k); };

  const Index      n_cubes = mesh.n_cubes()[0] * mesh.n_cubes()[1] * mesh.n_cubes()[2];
  Eigen::Matrix3Xd all(3, per_cube * n_cubes);
  for (Index cube = 0; cube < n_cubes; ++cube)
    for (Index part = 0; part < per_cube; ++part)
      all.col(per_cube * cube + part) =
          mesh.position(mesh.coordinates(cube), (Eigen::Vector3d(part & 1, part >> 1 & 1, part >> 2).array() + .5).matrix() /
                                                    static_cast<double>(parts_of_side));
  const std::vector<char> saturated = saturated_in_blocks(setting.domain, all);

  points.at.assign(n_places[0] * n_places[1] * n_places[2], -1);
  std::vector<Eigen::Vector3d> x;
  std::vector<double>          weight;
  Eigen::Vector4d              unused;
  for (Index cube = 0; cube < n_cubes; ++cube)
    {
      const CubeOfZone of(mesh, cube);
      if (of.volume == 0.)
        continue;
      const auto  at    = mesh.coordinates(cube);
      std::size_t first = x.size();
      for (Index part = 0; part < per_cube; ++part)
        {
          const Eigen::Vector3d local = (Eigen::Vector3d(part & 1, part >> 1 & 1, part >> 2).array() + .5).matrix() /
                                        static_cast<double>(parts_of_side);
          const int q = saturated[per_cube * cube + part] ? mesh.number(cube, mesh.kind_of(cube, local, unused))
                                                          : FaceCentredMesh::none;
          if (q == FaceCentredMesh::none)
            continue;
          points.place.push_back(place_at(parts_of_side * at[0] + (part & 1) + 1,
                                          parts_of_side * at[1] + (part >> 1 & 1) + 1,
                                          parts_of_side * at[2] + (part >> 2) + 1));
          points.at[points.place.back()] = static_cast<int>(x.size());
          x.push_back(all.col(per_cube * cube + part));
          points.cell.push_back(q);
          points.is_whole.push_back(of.is_whole);
        }
      if (x.size() == first)
        {
          points.place.push_back(std::numeric_limits<Index>::max() / 2); // on no line with others
          x.push_back(of.centre);
          points.cell.push_back(of.largest);
          points.is_whole.push_back(0);
        }
      weight.resize(x.size(), of.volume / static_cast<double>(x.size() - first));
    }
  const auto n  = static_cast<Index>(x.size());
  points.weight = Eigen::Map<const Vector>(weight.data(), n);
  points.x.resize(3, n);
  points.U.resize(3, n);
  for (Index q = 0; q < n; ++q)
    points.x.col(q) = x[q];
  for_blocks(n, 8192, [&](const Index first, const Index last) {
    Eigen::MatrixXd values(3, last - first);
    setting.U(within_box(setting.domain, points.x.middleCols(first, last - first)), values);
    points.U.middleCols(first, last - first) = values;
  });
  points.e              = setting.cone.directions;
  points.spacing        = mesh.spacing() / parts_of_side;
  points.width          = std::pow(mesh.side() / parts_of_side, 3) / points.spacing;
  points.n_cells        = mesh.n_tetrahedra();
  points.compare_with_v = true;
  for (const auto &step : steps_of_cubes)
    points.step.push_back(place_at(step[0], step[1], step[2]));
  return points;
}
} // namespace

TotalBound bound_of_face_centred_lines(const Setting &setting, const FaceCentredMesh &mesh, const Eigen::MatrixXd &p,
                                       const Vector &v, AdmissiblePair::Facts facts)
{
  const auto            &simplices = mesh.zone().zone.mesh.simplices;
  LinePoints<3>          points    = points_in_cubes(setting, mesh);
  const std::vector<int> cell      = points.cell;
  // the tetrahedron that holds a point, `otherwise` where none does
  const auto located = [&mesh](const Eigen::Vector3d &x, const int otherwise, Eigen::Vector4d &barycentric) {
    Eigen::Vector3d local;
    const Index     cube = mesh.cube_of(x, local);
    const int       q    = cube == FaceCentredMesh::none ? cube : mesh.number(cube, mesh.kind_of(cube, local, barycentric));
    if (q == FaceCentredMesh::none && otherwise != FaceCentredMesh::none)
      barycentric = mesh.barycentric(otherwise, x);
    return q == FaceCentredMesh::none ? otherwise : q;
  };
  LatticeLines<3> lines(setting.domain, std::move(points), [&](const Eigen::Vector3d &x, const int k) {
    Eigen::Vector4d barycentric;
    const int       q     = located(x, FaceCentredMesh::none, barycentric);
    double          value = 0.;
    for (int i = 0; q != FaceCentredMesh::none && i < 4; ++i)
      value += barycentric(i) * p(k, simplices(i, q));
    return value;
  });
  const auto      velocity = [&](const Eigen::Vector3d &x, const int near) -> Eigen::Vector3d {
    Eigen::Vector4d barycentric;
    const int       q = located(x, cell[near], barycentric);
    return mesh.velocity(v, q, barycentric);
  };
  lines.polish(velocity, 1e-3, 200);
  return lines.bound(velocity, std::move(facts));
}
} // namespace moreau::macro
