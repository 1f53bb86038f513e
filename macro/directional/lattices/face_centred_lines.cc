// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/face_centred_lines.h"

#include "macro/saturated_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_set>

namespace moreau::macro
{
namespace
{
constexpr Index parts_of_side = 2, samples_of_side = 6;
constexpr Index steps_of_cubes[][3] = {{1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1}}; // along e_k

/// Some of the tetrahedra of a cube, as far as they belong to the zone, and the centre of mass of what is saturated there.
struct PartOfCube
{
  Index            cube;
  std::vector<int> kinds; ///< of the tetrahedra
  double           volume   = 0.;
  Eigen::Vector3d  centre   = Eigen::Vector3d::Zero();
  int              largest  = FaceCentredMesh::none; ///< tetrahedron
  bool             is_whole = false;

  PartOfCube(const FaceCentredMesh &mesh, const Index cube, std::vector<int> all) : cube(cube), kinds(std::move(all))
  {
    const auto &simplices = mesh.zone().zone.mesh;
    std::size_t n_whole   = 0;
    for (const int t : kinds)
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
    is_whole = n_whole == kinds.size();
  }

  /// The tetrahedron that a point of the cube lies in; none where it is no part of this.
  int holding(const FaceCentredMesh &mesh, const Eigen::Vector3d &local) const
  {
    Eigen::Vector4d unused;
    const int       t = mesh.kind_of(cube, local, unused);
    return std::count(kinds.begin(), kinds.end(), t) > 0 ? mesh.number(cube, t) : FaceCentredMesh::none;
  }
};

/// Saturated points that stand for equal parts of it; its centre of mass where there are none.
Eigen::Matrix3Xd samples_of(const Domain &domain, const FaceCentredMesh &mesh, const PartOfCube &part)
{
  constexpr Index  n = samples_of_side;
  Eigen::Matrix3Xd x(3, n * n * n);
  Index            n_found = 0;
  for (Index k = 0; k < x.cols(); ++k)
    {
      const Eigen::Vector3d local =
          (Eigen::Vector3d(k % n, k / n % n, k / (n * n)).array() + .5).matrix() / static_cast<double>(n);
      if (part.holding(mesh, local) != FaceCentredMesh::none)
        x.col(n_found++) = mesh.position(mesh.coordinates(part.cube), local);
    }
  x.conservativeResize(3, n_found);
  const std::vector<char> saturated = saturated_at(domain, x);
  std::vector<Index>      inside;
  for (Index k = 0; k < n_found; ++k)
    if (saturated[k])
      inside.push_back(k);
  return inside.empty() ? Eigen::Matrix3Xd(part.centre) : Eigen::Matrix3Xd(x(Eigen::all, inside));
}

/// A rule of degree 2 on each of its tetrahedra; the one between sites is twice as large as the others and comes twice.
Eigen::Matrix3Xd samples_of_whole(const FaceCentredMesh &mesh, const PartOfCube &part)
{
  const double          a         = (5. - std::sqrt(5.)) / 20.;
  const Eigen::Matrix4d rule      = Eigen::Matrix4d::Constant(a) + (1. - 4. * a) * Eigen::Matrix4d::Identity();
  const SimplexMesh    &simplices = mesh.zone().zone.mesh;
  std::vector<int>      tetrahedra;
  for (const int t : part.kinds)
    {
      tetrahedra.push_back(mesh.number(part.cube, t));
      if (mesh.is_regular(tetrahedra.back()) && part.kinds.size() > 1)
        tetrahedra.push_back(tetrahedra.back());
    }
  Eigen::Matrix3Xd x(3, 4 * tetrahedra.size());
  for (std::size_t t = 0; t < tetrahedra.size(); ++t)
    x.middleCols(4 * static_cast<Index>(t), 4) = simplices.vertices(tetrahedra[t]) * rule;
  return x;
}

/// Where velocities are torn, and where they open on segments.
class Tears
{
public:
  explicit Tears(const FaceCentredMesh &mesh) : mesh(mesh)
  {
    const auto &simplices = mesh.zone().zone.mesh.simplices;
    for (const int f : mesh.zone().torn)
      {
        const Facet &facet = mesh.zone().zone.facets[f];
        for (const int q : {facet.simplex, facet.neighbour})
          sides.insert(q);
        for_common_vertices(mesh.zone().zone.mesh, facet, [&](const int i, const int j) {
          nodes.insert({simplices(i, facet.simplex), simplices(j, facet.neighbour)});
        });
      }
  }

  bool any() const { return !sides.empty(); }

  bool touch_cube(const Index cube) const
  {
    for (int t = 0; t < FaceCentredMesh::per_cube && any(); ++t)
      if (const int q = mesh.number(cube, t); q != FaceCentredMesh::none && touch(q))
        return true;
    return false;
  }

  /// Asks points of tetrahedra that have a node in common with that of a part: they are on the same side.
  void ask_own_sides(LinePoints<3> &of) const
  {
    const auto                               &simplices = mesh.zone().zone.mesh.simplices;
    std::unordered_map<int, std::vector<int>> points_at;
    for (std::size_t q = 0; q < of.cell.size() && any(); ++q)
      for (const int node : simplices.col(of.cell[q]))
        points_at[node].push_back(static_cast<int>(q));
    for (CellPart<3> &part : of.parts)
      {
        if (part.cell == FaceCentredMesh::none || !touch_cube(mesh.cube_of(part.cell)))
          continue;
        for (const int node : simplices.col(part.cell))
          part.asked.insert(part.asked.end(), points_at[node].begin(), points_at[node].end());
        std::sort(part.asked.begin(), part.asked.end());
        part.asked.erase(std::unique(part.asked.begin(), part.asked.end()), part.asked.end());
      }
  }

  /// See LatticeLines; v: coefficients. What is less than a thousandth of the jump along e_k is none.
  std::optional<std::pair<double, double>> opening(const CellEnds<3> &ends, const Vector &v, const Eigen::Vector3d &from,
                                                   const Eigen::Vector3d &to) const
  {
    constexpr double                         least_part = 1e-3, rounding = 1e-12;
    const std::vector<double>                at = ends.crossings(from, to - from, 0., 1.);
    std::optional<std::pair<double, double>> result;
    int                                      before = FaceCentredMesh::none;
    Eigen::Vector4d                          unused;
    for (std::size_t i = 1; i < at.size(); ++i)
      {
        if (at[i] - at[i - 1] < rounding)
          continue;
        const int q = mesh.containing(from + .5 * (at[i] + at[i - 1]) * (to - from), unused);
        if (q != FaceCentredMesh::none && before != FaceCentredMesh::none && sides.count(q) > 0 && sides.count(before) > 0)
          {
            const Eigen::Vector3d x = from + at[i - 1] * (to - from), here = velocity(v, before, x),
                                  jump = velocity(v, q, x) - here;
            const double opens         = jump.dot(to - from) / (to - from).norm();
            if (opens > std::max(least_part * jump.norm(), rounding * here.norm()))
              result = {result ? result->first : at[i - 1], at[i - 1]};
          }
        before = q;
      }
    return result;
  }

private:
  bool touch(const int q) const
  {
    const auto corners = mesh.zone().zone.mesh.simplices.col(q);
    return std::any_of(corners.begin(), corners.end(), [this](const int node) { return nodes.count(node) > 0; });
  }

  Eigen::Vector3d velocity(const Vector &v, const int q, const Eigen::Vector3d &x) const
  {
    return mesh.velocity(v, q, mesh.barycentric(q, x));
  }

  const FaceCentredMesh  &mesh;
  std::unordered_set<int> sides, nodes; // tetrahedra with torn facets; nodes of these facets
};

/// The parts are cubes, and tetrahedra where velocities may jump.
LinePoints<3> points_in_cubes(const Setting &setting, const FaceCentredMesh &mesh, const Tears &tears)
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
  std::vector<Eigen::Vector3d>        x;
  std::vector<double>                 weight;
  const std::vector<std::vector<int>> together = {{0, 1, 2, 3, 4}}, apart = {{0}, {1}, {2}, {3}, {4}};
  for (Index cube = 0; cube < n_cubes; ++cube)
    {
      const auto at    = mesh.coordinates(cube);
      const bool jumps = tears.touch_cube(cube);
      for (const std::vector<int> &kinds : jumps ? apart : together)
        {
          const PartOfCube of(mesh, cube, kinds);
          if (of.volume == 0.)
            continue;
          const std::size_t first = x.size();
          for (Index part = 0; part < per_cube; ++part)
            {
              const Eigen::Vector3d local = (index_of(part).array() + .5).matrix() / static_cast<double>(parts_of_side);
              const int             q = saturated[per_cube * cube + part] ? of.holding(mesh, local) : FaceCentredMesh::none;
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
          points.parts.push_back({of.centre,
                                  of.volume,
                                  of.largest,
                                  of.is_whole,
                                  of.is_whole ? samples_of_whole(mesh, of) : samples_of(setting.domain, mesh, of),
                                  here,
                                  {}});
          weight.resize(x.size(), of.volume / static_cast<double>(x.size() - first));
        }
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
  points.ends.first = numbers * mesh.in_sides(Eigen::Vector3d::Zero());
  points.ends.planes.resize(3, 7);
  for (int a = 0; a < 3; ++a)
    points.ends.planes.row(a) = (numbers * mesh.in_sides(Eigen::Vector3d::Unit(a)) - points.ends.first).transpose();
  for (const auto &[centre, volume] : mesh.left_out())
    points.parts.push_back({centre, volume, FaceCentredMesh::none, false, centre, {}, {}});
  tears.ask_own_sides(points);
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
  const Tears            tears(mesh);
  LinePoints<3>          points   = points_in_cubes(setting, mesh, tears);
  const std::vector<int> cell     = points.cell;
  const Eigen::Matrix3Xd x_points = points.x;
  const CellEnds<3>      ends     = points.ends;
  // the last tetrahedron on the way to x from a point of the lines
  const auto left_last = [&](const Eigen::Vector3d &x, const int near) {
    constexpr int   steps = 32; // tetrahedra in which the way is shorter than one of these do not matter
    Eigen::Vector4d unused;
    for (int step = 1; step < steps; ++step)
      if (const int q = mesh.containing(x + static_cast<double>(step) / steps * (x_points.col(near) - x), unused);
          q != FaceCentredMesh::none)
        return q;
    return cell[near];
  };
  const auto start = [&](const Eigen::Vector3d &x, const int k) {
    Eigen::Vector4d barycentric;
    const int       q     = mesh.containing(x, barycentric);
    double          value = 0.;
    for (int i = 0; q != FaceCentredMesh::none && i < 4; ++i)
      value += barycentric(i) * p(k, simplices(i, q));
    return value;
  };
  const auto velocity = [&](const Eigen::Vector3d &x, const int near) -> Eigen::Vector3d {
    Eigen::Vector4d barycentric;
    int             q = near >= 0 ? mesh.containing(x, barycentric) : FaceCentredMesh::none;
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
  LatticeLines<3>::Opening opens;
  if (tears.any())
    opens = [&](const Eigen::Vector3d &from, const Eigen::Vector3d &to, const int) {
      return tears.opening(ends, v, from, to);
    };
  LatticeLines<3> lines(
      setting.domain, std::move(points), velocity, start, [](const Eigen::Vector3d &, int) { return 0.; }, opens,
      progress.part(.2, .4));
  lines.polish(200, progress.part(.4, .9));
  return lines.bound(std::move(facts));
}
} // namespace moreau::macro
