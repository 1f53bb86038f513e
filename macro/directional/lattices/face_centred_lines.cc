// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/face_centred_lines.h"

#include "macro/saturated_cells.h"

#include <array>
#include <cmath>
#include <numeric>

namespace moreau::macro
{
namespace
{
constexpr Index parts_of_side = 2, samples_of_side = 6;
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

/// Saturated points of tetrahedra of the zone in a cube, for equal parts; its centre of mass where there are none.
Eigen::Matrix3Xd samples_of_cube(const Domain &domain, const FaceCentredMesh &mesh, const Index cube,
                                 const Eigen::Vector3d &centre)
{
  constexpr Index  n = samples_of_side;
  Eigen::Matrix3Xd x(3, n * n * n);
  Index            n_found = 0;
  Eigen::Vector4d  unused;
  for (Index k = 0; k < x.cols(); ++k)
    {
      const Eigen::Vector3d local =
          (Eigen::Vector3d(k % n, k / n % n, k / (n * n)).array() + .5).matrix() / static_cast<double>(n);
      if (mesh.number(cube, mesh.kind_of(cube, local, unused)) != FaceCentredMesh::none)
        x.col(n_found++) = mesh.position(mesh.coordinates(cube), local);
    }
  x.conservativeResize(3, n_found);
  const std::vector<char> saturated = saturated_at(domain, x);
  std::vector<Index>      inside;
  for (Index k = 0; k < n_found; ++k)
    if (saturated[k])
      inside.push_back(k);
  return inside.empty() ? Eigen::Matrix3Xd(centre) : Eigen::Matrix3Xd(x(Eigen::all, inside));
}

/// A rule of degree 2 on each of its tetrahedra; the one between sites is twice as large as the others and comes twice.
Eigen::Matrix3Xd samples_of_whole_cube(const FaceCentredMesh &mesh, const Index cube)
{
  const double          a         = (5. - std::sqrt(5.)) / 20.;
  const Eigen::Matrix4d rule      = Eigen::Matrix4d::Constant(a) + (1. - 4. * a) * Eigen::Matrix4d::Identity();
  const SimplexMesh    &simplices = mesh.zone().zone.mesh;
  Eigen::Matrix3Xd      x(3, 4 * (FaceCentredMesh::per_cube + 1));
  for (int t = 0; t < FaceCentredMesh::per_cube; ++t)
    x.middleCols(4 * t, 4) = simplices.vertices(mesh.number(cube, t)) * rule;
  x.rightCols(4) = x.leftCols(4);
  return x;
}

LinePoints<3> points_in_cubes(const Setting &setting, const FaceCentredMesh &mesh)
{
  constexpr Index      per_cube = parts_of_side * parts_of_side * parts_of_side;
  LinePoints<3>        points;
  std::array<Index, 3> n_places; // with a margin, so that no line leaves on one side and comes back on the other
  for (int a = 0; a < 3; ++a)
    n_places[a] = parts_of_side * mesh.n_cubes()[a] + 2;
  const auto place_at = [&](const Index i, const Index j, const Index k) { return i + n_places[0] * (j + n_places[1] * k); };

  const auto index_of = [](const Index part) {
    return Eigen::Vector3d(part % parts_of_side, part / parts_of_side % parts_of_side,
                           part / (parts_of_side * parts_of_side));
  };

  const Index      n_cubes = mesh.n_cubes()[0] * mesh.n_cubes()[1] * mesh.n_cubes()[2];
  Eigen::Matrix3Xd all(3, per_cube * n_cubes);
  for (Index cube = 0; cube < n_cubes; ++cube)
    for (Index part = 0; part < per_cube; ++part)
      all.col(per_cube * cube + part) =
          mesh.position(mesh.coordinates(cube), (index_of(part).array() + .5).matrix() / static_cast<double>(parts_of_side));
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
          const Eigen::Vector3d local = (index_of(part).array() + .5).matrix() / static_cast<double>(parts_of_side);
          const int             q = saturated[per_cube * cube + part] ? mesh.number(cube, mesh.kind_of(cube, local, unused))
                                                                      : FaceCentredMesh::none;
          if (q == FaceCentredMesh::none)
            continue;
          std::array<Index, 3> of_part;
          for (int a = 0; a < 3; ++a)
            of_part[a] = parts_of_side * at[a] + static_cast<Index>(index_of(part)(a)) + 1;
          points.place.push_back(place_at(of_part[0], of_part[1], of_part[2]));
          points.at[points.place.back()] = static_cast<int>(x.size());
          x.push_back(all.col(per_cube * cube + part));
          points.cell.push_back(q);
          points.part.push_back(static_cast<int>(points.parts.size()));
        }
      std::vector<int> here(x.size() - first);
      std::iota(here.begin(), here.end(), static_cast<int>(first));
      points.parts.push_back(
          {of.centre, of.volume, of.largest, of.is_whole,
           of.is_whole ? samples_of_whole_cube(mesh, cube) : samples_of_cube(setting.domain, mesh, cube, of.centre), here});
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
  points.e       = setting.cone.directions;
  points.spacing = mesh.spacing() / parts_of_side;
  points.width   = std::pow(mesh.side() / parts_of_side, 3) / points.spacing;
  points.n_cells = mesh.n_tetrahedra();
  points.size    = mesh.spacing();
  // sides of cubes, and the planes of the lattice that cut off their corners
  Eigen::Matrix<double, 7, 3> numbers;
  numbers << Eigen::Matrix3d::Identity(), 1., 1., 1., 1., 1., -1., 1., -1., 1., -1., 1., 1.;
  points.first_plane = numbers * mesh.in_sides(Eigen::Vector3d::Zero());
  points.planes.resize(3, 7);
  for (int a = 0; a < 3; ++a)
    points.planes.row(a) = (numbers * mesh.in_sides(Eigen::Vector3d::Unit(a)) - points.first_plane).transpose();
  for (const auto &[centre, volume] : mesh.left_out())
    points.parts.push_back({centre, volume, FaceCentredMesh::none, false, centre, {}});
  points.complete(setting.domain, setting.U);
  for (const auto &step : steps_of_cubes)
    points.step.push_back(place_at(step[0], step[1], step[2]));
  return points;
}
} // namespace

TotalBound bound_of_face_centred_lines(const Setting &setting, const FaceCentredMesh &mesh, const Eigen::MatrixXd &p,
                                       const Vector &v, AdmissiblePair::Facts facts, const Progress &progress)
{
  const auto            &simplices = mesh.zone().zone.mesh.simplices;
  LinePoints<3>          points    = points_in_cubes(setting, mesh);
  const std::vector<int> cell      = points.cell;
  const Eigen::Matrix3Xd x_points  = points.x;
  // the tetrahedron of the zone that holds a point, or none
  const auto located = [&mesh](const Eigen::Vector3d &x, Eigen::Vector4d &barycentric) {
    Eigen::Vector3d local;
    const Index     cube = mesh.cube_of(x, local);
    return cube == FaceCentredMesh::none ? FaceCentredMesh::none : mesh.number(cube, mesh.kind_of(cube, local, barycentric));
  };
  // the last one on the way to x from a point of the lines
  const auto left_last = [&](const Eigen::Vector3d &x, const int near) {
    constexpr int   steps = 32; // tetrahedra in which the way is shorter than one of these do not matter
    Eigen::Vector4d unused;
    for (int step = 1; step < steps; ++step)
      if (const int q = located(x + static_cast<double>(step) / steps * (x_points.col(near) - x), unused);
          q != FaceCentredMesh::none)
        return q;
    return cell[near];
  };
  const auto start = [&](const Eigen::Vector3d &x, const int k) {
    Eigen::Vector4d barycentric;
    const int       q     = located(x, barycentric);
    double          value = 0.;
    for (int i = 0; q != FaceCentredMesh::none && i < 4; ++i)
      value += barycentric(i) * p(k, simplices(i, q));
    return value;
  };
  const auto velocity = [&](const Eigen::Vector3d &x, const int near) -> Eigen::Vector3d {
    Eigen::Vector4d barycentric;
    int             q = near >= 0 ? located(x, barycentric) : FaceCentredMesh::none;
    if (near < 0)
      mesh.nearest(x, q, barycentric); // as velocity() has it
    else if (q == FaceCentredMesh::none)
      {
        q           = left_last(x, near);
        barycentric = mesh.barycentric(q, x);
      }
    return mesh.velocity(v, q, barycentric);
  };
  progress(.2);
  LatticeLines<3> lines(
      setting.domain, std::move(points), velocity, start, [](const Eigen::Vector3d &, int) { return 0.; }, {},
      progress.part(.2, .4));
  lines.polish(200, progress.part(.4, .9));
  return lines.bound(std::move(facts));
}
} // namespace moreau::macro
