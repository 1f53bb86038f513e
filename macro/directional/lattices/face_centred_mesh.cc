// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/face_centred_mesh.h"

#include "convex/input_error.h"
#include "macro/directional/torn_velocity.h"
#include "macro/total_bound.h"
#include "macro/saturated_cells.h"

#include <Eigen/LU>
#include <tbb/parallel_for.h>

#include <atomic>
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace moreau::macro
{
namespace
{
constexpr double rounding_of_sides = 1e-6; // of the side of a cube

/// The five tetrahedra of a cube whose lower corner is a site (0) or a centre (1): corners as bits 1, 2, 4 along the axes.
struct TetrahedraOfCube
{
  int             vertex[2][FaceCentredMesh::per_cube][4];
  Eigen::Matrix4d to_barycentric[2][FaceCentredMesh::per_cube]; ///< from (x, y, z, 1), in sides

  TetrahedraOfCube()
  {
    for (int parity = 0; parity < 2; ++parity)
      {
        int n_sites = 0, t = 0;
        for (int c = 0; c < 8; ++c)
          if (((c & 1) + (c >> 1 & 1) + (c >> 2) + parity) % 2 == 0)
            vertex[parity][0][n_sites++] = c;
          else
            {
              const int of_piece[] = {c, c ^ 1, c ^ 2, c ^ 4};
              std::copy(of_piece, of_piece + 4, vertex[parity][++t]);
            }
        for (t = 0; t < FaceCentredMesh::per_cube; ++t)
          {
            Eigen::Matrix4d affine;
            affine << corners(parity, t), Eigen::RowVector4d::Ones();
            to_barycentric[parity][t] = affine.inverse();
          }
      }
  }

  static Eigen::Vector3d corner(const int c) { return {double(c & 1), double(c >> 1 & 1), double(c >> 2)}; }

  Eigen::Matrix<double, 3, 4> corners(const int parity, const int t) const
  {
    Eigen::Matrix<double, 3, 4> x;
    for (int i = 0; i < 4; ++i)
      x.col(i) = corner(vertex[parity][t][i]);
    return x;
  }
};

const TetrahedraOfCube &tetrahedra_of_cube()
{
  static const TetrahedraOfCube tetrahedra;
  return tetrahedra;
}
} // namespace

FaceCentredMesh::FaceCentredMesh(const Setting &setting)
    : d(1. / setting.mesh.cells_per_unit_length), walls(setting.domain.walls)
{
  // (1,±1,0)/√2 and (1,0,±1)/√2 give the axes back
  const Eigen::MatrixXd &e = setting.cone.directions;
  frame.col(0)             = .5 * d * (e.col(0) + e.col(1));
  frame.col(1)             = .5 * d * (e.col(0) - e.col(1));
  frame.col(2)             = .5 * d * (e.col(2) - e.col(3));
  to_cubes                 = frame.transpose() / (side() * side());
  check_walls(setting);

  const Eigen::Vector3d extent = setting.domain.upper - setting.domain.lower;
  Eigen::Vector3d       low = Eigen::Vector3d::Zero(), high = low;
  for (int corner = 0; corner < 8; ++corner)
    {
      const Eigen::Vector3d s = to_cubes * TetrahedraOfCube::corner(corner).cwiseProduct(extent);
      low                     = low.cwiseMin(s);
      high                    = high.cwiseMax(s);
    }
  const Eigen::Vector3d first = (low.array() + rounding_of_sides).floor(),
                        size  = (high.array() - rounding_of_sides).ceil() - first.array();
  if (!(size.prod() * per_cube < std::numeric_limits<int>::max()))
    throw InputError("the cells per unit length", "The lattice would have more than 2e8 sites; give a smaller number.");
  for (int a = 0; a < 3; ++a)
    n[a] = std::max<Index>(1, static_cast<Index>(size(a)));
  odd    = std::abs(static_cast<int>(first.sum())) % 2;
  origin = setting.domain.lower + frame * first;
  find_zone(setting);
  number_nodes(setting);
}

/// A side can be a wall where it is a plane of cubes.
void FaceCentredMesh::check_walls(const Setting &setting) const
{
  static const std::string names[] = {"left", "right", "bottom", "top", "back", "front"};
  for (int a = 0; a < 3; ++a)
    for (const int s : {2 * a, 2 * a + 1})
      {
        if (!walls[s])
          continue;
        if (frame.row(a).cwiseAbs().maxCoeff() < (1. - 1e-12) * side())
          throw InputError("the walls", "The side '" + names[s] +
                                            "' is no plane of the lattice; give the lattice the angle 0, or align the "
                                            "mesh with the box.");
        const double layers = (setting.domain.upper(a) - setting.domain.lower(a)) / side();
        if (s % 2 == 1 && std::abs(layers - std::round(layers)) > .1 * rounding_of_sides)
          {
            std::ostringstream fitting;
            fitting.precision(12);
            fitting << std::max(1., std::round(layers)) / layers / d;
            throw InputError("the walls", "Between '" + names[s - 1] + "' and '" + names[s] + "' lie " +
                                              std::to_string(layers) +
                                              " layers of the lattice, not a whole number; make the cells per unit length " +
                                              fitting.str() + ", or align the mesh with the box.");
          }
      }
}

Tetrahedron FaceCentredMesh::corners(const Index place) const
{
  const std::array<Index, 3> cube = coordinates(place / per_cube);
  Tetrahedron                x;
  for (int i = 0; i < 4; ++i)
    x.col(i) = position(cube, TetrahedraOfCube::corner(tetrahedra_of_cube().vertex[parity(cube)][place % per_cube][i]));
  return x;
}

void FaceCentredMesh::find_zone(const Setting &setting)
{
  constexpr double        sliver  = 1e-3;
  const Eigen::Matrix4Xd &samples = samples_of_tetrahedron();
  numbers.assign(per_cube * n[0] * n[1] * n[2], none);
  const Index                     n_rows = n[1] * n[2];
  std::vector<std::vector<Index>> whole_of_row(n_rows), cut_of_row(n_rows);
  tbb::parallel_for(Index(0), n_rows, [&](const Index row) {
    const Index     first = row * n[0] * per_cube, last = first + n[0] * per_cube;
    Eigen::MatrixXd x(3, (last - first) * samples.cols());
    for (Index place = first; place < last; ++place)
      x.middleCols((place - first) * samples.cols(), samples.cols()) = corners(place) * samples;
    const std::vector<char> saturated = saturated_at(setting.domain, x);
    for (Index place = first; place < last; ++place)
      {
        const auto begin = saturated.begin() + (place - first) * samples.cols();
        const auto n_in  = std::count(begin, begin + samples.cols(), 1);
        if (is_cut_by_box(setting.domain, corners(place)))
          cut_of_row[row].push_back(place);
        else if (n_in == samples.cols())
          whole_of_row[row].push_back(place);
        else if (n_in > 0)
          cut_of_row[row].push_back(place);
      }
  });
  std::vector<Index>       candidates;
  std::vector<Tetrahedron> x;
  for (const std::vector<Index> &of_row : cut_of_row)
    for (const Index place : of_row)
      {
        candidates.push_back(place);
        x.push_back(corners(place));
      }
  const std::vector<CutTetrahedron> found = cut_tetrahedra(setting, x);
  for (const std::vector<Index> &of_row : whole_of_row)
    for (const Index place : of_row)
      numbers[place] = 1;
  const auto whole_volume = [&](const Index place) { return std::pow(side(), 3) / (place % per_cube == 0 ? 3. : 6.); };
  std::unordered_map<Index, Index> kept;
  for (std::size_t k = 0; k < found.size(); ++k)
    {
      const Index  place     = candidates[k];
      const double saturated = found[k].mass.sum();
      of_volume += found[k].error;
      if (saturated <= sliver * whole_volume(place))
        {
          if (saturated > 0.)
            slivers.emplace_back(x[k] * found[k].mass / saturated, saturated);
          continue;
        }
      numbers[place] = 1;
      if (found[k].cut)
        kept[place] = static_cast<Index>(k);
    }
  for (Index place = 0; place < static_cast<Index>(numbers.size()); ++place)
    if (numbers[place] != none)
      {
        const auto q   = static_cast<Index>(places.size());
        numbers[place] = static_cast<int>(q);
        places.push_back(place);
        const auto of     = kept.find(place);
        const bool is_cut = of != kept.end();
        parts.push_back(
            is_cut ? std::min(static_cast<float>(found[of->second].mass.sum() / whole_volume(place)), 1.f - 1e-6f) : 1.f);
        if (is_cut)
          of_cut[q] = found[of->second];
        else
          ++whole;
      }
  if (zone_is_tetrahedra())
    look_between_samples(setting.domain);
}

void FaceCentredMesh::look_between_samples(const Domain &domain)
{
  const Index       of_row = n[0] * per_cube;
  std::atomic<bool> found  = false;
  tbb::parallel_for(Index(0), n[1] * n[2], [&](const Index row) {
    Eigen::MatrixXd x(3, 4 * of_row);
    for (Index k = 0; k < of_row; ++k)
      x.middleCols<4>(4 * k) = corners(row * of_row + k);
    if (may_be_cut(domain, x, 4))
      found = true;
  });
  is_seen = !found;
}

void FaceCentredMesh::number_nodes(const Setting &setting)
{
  SimplexMesh mesh;
  mesh.simplices.resize(4, n_tetrahedra());
  const Index                        row = n[0] + 1, layer = row * (n[1] + 1);
  std::vector<int>                   point(layer * (n[2] + 1), none);
  std::vector<std::pair<Index, int>> used; // a cube and its corner
  for (Index q = 0; q < n_tetrahedra(); ++q)
    {
      const std::array<Index, 3> cube = coordinates(places[q] / per_cube);
      for (int i = 0; i < 4; ++i)
        {
          const int c  = tetrahedra_of_cube().vertex[parity(cube)][places[q] % per_cube][i];
          int      &at = point[cube[0] + (c & 1) + row * (cube[1] + (c >> 1 & 1)) + layer * (cube[2] + (c >> 2))];
          if (at == none)
            {
              at = static_cast<int>(used.size());
              used.emplace_back(places[q] / per_cube, c);
            }
          mesh.simplices(i, q) = at;
        }
    }
  mesh.points.resize(3, used.size());
  for (std::size_t k = 0; k < used.size(); ++k)
    mesh.points.col(static_cast<Index>(k)) = position(coordinates(used[k].first), TetrahedraOfCube::corner(used[k].second));
  const BoxGrid box =
      box_grid(setting.domain.lower, setting.domain.upper, setting.mesh.cells_per_unit_length, Processes::alone());
  of_zone        = directional_zone(mesh, std::vector<char>(n_tetrahedra(), 1), setting.cone, box, walls);
  of_zone.length = d;
  of_zone        = torn_where_U_jumps(of_zone, SimplexData(of_zone, setting.U));
}

Index FaceCentredMesh::cube_of(const Eigen::Vector3d &x, Eigen::Vector3d &local) const
{
  const Eigen::Vector3d s = to_cubes * (x - origin);
  std::array<Index, 3>  at;
  for (int a = 0; a < 3; ++a)
    {
      if (!(s(a) >= -rounding_of_sides && s(a) <= static_cast<double>(n[a]) + rounding_of_sides))
        return none;
      at[a]    = std::clamp<Index>(static_cast<Index>(std::floor(s(a))), 0, n[a] - 1);
      local(a) = s(a) - static_cast<double>(at[a]);
    }
  return cube_at(at);
}

int FaceCentredMesh::kind_of(const Index cube, const Eigen::Vector3d &local, Eigen::Vector4d &barycentric) const
{
  const int parity_of_cube = parity(coordinates(cube)), regular = 0;
  for (int t = 1; t < per_cube; ++t)
    {
      barycentric = tetrahedra_of_cube().to_barycentric[parity_of_cube][t] * local.homogeneous();
      if (barycentric(0) > 0.) // beyond the side opposite to the centre lies the regular tetrahedron
        return t;
    }
  barycentric = tetrahedra_of_cube().to_barycentric[parity_of_cube][regular] * local.homogeneous();
  return regular;
}

int FaceCentredMesh::containing(const Eigen::Vector3d &x, Eigen::Vector4d &barycentric) const
{
  Eigen::Vector3d local;
  const Index     cube = cube_of(x, local);
  return cube == none ? none : number(cube, kind_of(cube, local, barycentric));
}

double FaceCentredMesh::nearest(const Eigen::Vector3d &x, int &tetrahedron, Eigen::Vector4d &barycentric) const
{
  constexpr Index       around = 2; // cubes
  double                least  = std::numeric_limits<double>::infinity();
  const Eigen::Vector3d s      = to_cubes * (x - origin);
  std::array<Index, 3>  from, to, at;
  for (int a = 0; a < 3; ++a)
    {
      if (!(s(a) >= -3. && s(a) <= static_cast<double>(n[a]) + 3.))
        return least;
      const auto own = static_cast<Index>(std::floor(s(a)));
      from[a]        = std::max<Index>(0, own - around);
      to[a]          = std::min<Index>(n[a] - 1, own + around);
    }
  if (tetrahedron = containing(x, barycentric); tetrahedron != none)
    return 0.;
  for (at[2] = from[2]; at[2] <= to[2]; ++at[2])
    for (at[1] = from[1]; at[1] <= to[1]; ++at[1])
      for (at[0] = from[0]; at[0] <= to[0]; ++at[0])
        for (int t = 0; t < per_cube; ++t)
          if (const int q = number(cube_at(at), t); q != none)
            {
              const Eigen::Vector3d inside = s - Eigen::Vector3d(at[0], at[1], at[2]);
              Eigen::Vector4d       l      = tetrahedra_of_cube().to_barycentric[parity(at)][t] * inside.homogeneous();
              l                            = l.cwiseMax(0.);
              l /= l.sum();
              const double off = (tetrahedra_of_cube().corners(parity(at), t) * l - inside).norm() * side();
              if (off < least)
                {
                  least       = off;
                  tetrahedron = q;
                  barycentric = l;
                }
            }
  return least;
}

Vector FaceCentredMesh::masses() const
{
  Vector m = Vector::Zero(n_nodes());
  for (Index q = 0; q < n_tetrahedra(); ++q)
    for (int i = 0; i < 4; ++i)
      m(of_zone.zone.mesh.simplices(i, q)) += is_whole(q) ? .25 * of_zone.zone.volumes(q) : cut(q).mass(i);
  return m;
}

Eigen::MatrixXd FaceCentredMesh::nodal_values(const Setting &setting, const Progress &progress) const
{
  const auto &mesh = of_zone.zone.mesh;
  const Rule  rule = simplex_rule(3);
  // ψ times weight, by point and vertex; ∫_T ψ = |T|/4
  const Eigen::MatrixXd psi = rule.weights.asDiagonal() * (5. * rule.points.transpose().array() - 1.).matrix();
  // what is not linear: there U may jump
  const Eigen::MatrixXd linear = rule.points.transpose();
  const Eigen::MatrixXd rest   = Eigen::MatrixXd::Identity(rule.size(), rule.size()) -
                               linear * (linear.transpose() * linear).inverse() * linear.transpose();
  std::vector<CutTetrahedron> of_tetrahedra(n_tetrahedra());
  std::vector<char>           may_jump(n_tetrahedra(), 0);
  const auto                  in_block = [&](const Index first, const Index last) {
    Eigen::MatrixXd x(3, (last - first) * rule.size()), values(3, x.cols());
    for (Index q = first; q < last; ++q)
      x.middleCols((q - first) * rule.size(), rule.size()) = mesh.vertices(q) * rule.points;
    setting.U(within_box(setting.domain, x), values);
    for (Index q = first; q < last; ++q)
      {
        if (!is_whole(q))
          {
            of_tetrahedra[q] = cut(q);
            continue;
          }
        const auto            at_points = values.middleCols((q - first) * rule.size(), rule.size());
        const Eigen::Vector3d mean      = at_points * rule.weights;
        const Eigen::MatrixXd about     = at_points.colwise() - mean;
        of_tetrahedra[q].mass.setConstant(.25 * of_zone.zone.volumes(q));
        of_tetrahedra[q].momentum = of_zone.zone.volumes(q) * (about * psi) + mean * of_tetrahedra[q].mass.transpose();
        may_jump[q]               = (about * rest).cwiseAbs().maxCoeff() > .1 * about.cwiseAbs().maxCoeff();
      }
  };
  for_blocks(n_tetrahedra(), 512, in_block, progress);
  std::vector<Index>       rough;
  std::vector<Tetrahedron> x;
  for (Index q = 0; q < n_tetrahedra(); ++q)
    if (may_jump[q])
      {
        rough.push_back(q);
        x.push_back(mesh.vertices(q));
      }
  const std::vector<CutTetrahedron> jumps = cut_tetrahedra(setting, x);
  for (std::size_t k = 0; k < rough.size(); ++k)
    of_tetrahedra[rough[k]] = jumps[k];

  Eigen::MatrixXd sum  = Eigen::MatrixXd::Zero(3, n_nodes());
  Vector          mass = Vector::Zero(n_nodes());
  for (Index q = 0; q < n_tetrahedra(); ++q)
    for (int i = 0; i < 4; ++i)
      {
        sum.col(mesh.simplices(i, q)) += of_tetrahedra[q].momentum.col(i);
        mass(mesh.simplices(i, q)) += of_tetrahedra[q].mass(i);
      }
  sum.array().rowwise() /= mass.transpose().array();
  return sum;
}
} // namespace moreau::macro
