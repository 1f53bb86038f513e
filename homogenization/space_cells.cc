// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/space_cells.h"

#include "homogenization/outlines.h"
#include "homogenization/triangulation.h"
#include "homogenization/voronoi.h"
#include "micro/hierarchical_grid.h"

#include <Eigen/Geometry>

#include <tbb/enumerable_thread_specific.h>

#include <voro++/voro++.hh>

#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

namespace moreau::homogenization
{
namespace
{
/// voro++ on one thread: computing a cell changes its container.
///
/// Its tolerances are lengths about 1e-11, so it gets lengths in units of a power of two near the radii, which rounds
/// nothing, but not so small that the rounding of coordinates comes near the tolerances.
class CellComputer
{
public:
  /// members: the spheres to be considered.
  CellComputer(const micro::Spheres &spheres, const macro::Domain &domain, const std::vector<int> &members)
      : spheres(spheres)
      , lower(domain.lower)
      , upper(domain.upper)
      , unit(std::ldexp(1., std::ilogb(std::max(typical_radius(spheres), 1e-4 * (upper - lower).maxCoeff()))))
      , equal(equal_radii(spheres))
      , container(make_container(members))
      , place(spheres.size())
  {
    for (const int i : members)
      {
        const Eigen::Vector3d x = spheres.r.col(i) / unit;
        container->put(i, x(0), x(1), x(2), equal ? 0. : spheres.R(i) / unit);
      }
    for (int block = 0; block < container->nxyz; ++block)
      for (int q = 0; q < container->co[block]; ++q)
        place[container->id[block][q]] = {block, q};
  }

  /// The cell of a member.
  SpaceCell cell(const Index i)
  {
    const bool exists = container->compute_cell(work, place[i].block, place[i].position) && cut_by_box(i);
    return exists ? result() : SpaceCell();
  }

  /// The same, from a list of spheres that holds all neighbours.
  SpaceCell cell(const Index i, const std::vector<int> &candidates)
  {
    const Eigen::Vector3d from = (lower - spheres.r.col(i)) / unit, to = (upper - spheres.r.col(i)) / unit;
    work.init(from(0) - margin, to(0) + margin, from(1) - margin, to(1) + margin, from(2) - margin, to(2) + margin);
    bool exists = cut_by_box(i);
    for (std::size_t k = 0; k < candidates.size() && exists; ++k)
      {
        const int             j        = candidates[k];
        const Eigen::Vector3d distance = (spheres.r.col(j) - spheres.r.col(i)) / unit;
        const double          power    = power_difference(spheres, equal, i, j) / (unit * unit);
        exists = work.nplane(distance(0), distance(1), distance(2), distance.squaredNorm() + power, j);
      }
    return exists ? result() : SpaceCell();
  }

private:
  static constexpr double margin = .125; ///< of the container around the box, so that it holds centres on the boundary

  /// The same of some spheres as of all, where they are equal.
  static double typical_radius(const micro::Spheres &spheres)
  {
    return equal_radii(spheres) ? spheres.R(0) : spheres.R.mean();
  }

  struct Place
  {
    int block = 0, position = 0;
  };

  /// About five spheres per block.
  std::unique_ptr<voro::container_poly> make_container(const std::vector<int> &members) const
  {
    constexpr double spheres_per_block = 5.;
    const double     n                 = static_cast<double>(std::max<std::size_t>(members.size(), 1));
    Eigen::Vector3d  first = upper, last = lower;
    for (const int i : members)
      {
        first = first.cwiseMin(spheres.r.col(i));
        last  = last.cwiseMax(spheres.r.col(i));
      }
    const Eigen::Vector3d size = (upper - lower) / unit;
    // where they are; flat arrangements are as thick as a sphere, and empty
    // parts of the box must not cost more blocks than the spheres
    const double block =
        std::max(std::cbrt((((last - first) / unit).cwiseMax(0.).array() + 1.).prod() * spheres_per_block / n),
                 std::cbrt(size.prod() * spheres_per_block / (8. * n)));
    Eigen::Array3i n_blocks;
    for (int k = 0; k < 3; ++k)
      n_blocks(k) = static_cast<int>(size(k) / block) + 1;
    const Eigen::Vector3d from = lower.array() / unit - margin, to = upper.array() / unit + margin;
    return std::make_unique<voro::container_poly>(from(0), to(0), from(1), to(1), from(2), to(2), n_blocks(0), n_blocks(1),
                                                  n_blocks(2), false, false, false, /*memory per block=*/8);
  }

  SpaceCell result()
  {
    SpaceCell cell;
    work.vertices(cell.vertices);
    for (double &x : cell.vertices)
      x *= unit;
    work.face_vertices(cell.face_vertices);
    cell.face_vertices.shrink_to_fit();
    for (auto face = cell.face_vertices.begin(); face != cell.face_vertices.end(); face += *face + 1)
      std::reverse(face + 1, face + 1 + *face); // voro++ goes round clockwise, seen from outside
    work.neighbors(cell.behind_face);
    return cell;
  }

  bool cut_by_box(const Index i)
  {
    for (int k = 0; k < 3; ++k)
      for (const int sign : {-1, 1})
        {
          Eigen::Vector3d normal = Eigen::Vector3d::Zero();
          normal(k)              = sign;
          const double distance  = sign * ((sign > 0 ? upper(k) : lower(k)) - spheres.r(k, i)) / unit;
          if (!work.nplane(normal(0), normal(1), normal(2), 2. * distance, VoronoiCells::box))
            return false;
        }
    return true;
  }

  const micro::Spheres                 &spheres;
  Eigen::Vector3d                       lower, upper;
  double                                unit; ///< m
  bool                                  equal;
  std::unique_ptr<voro::container_poly> container;
  std::vector<Place>                    place; ///< per sphere, of members only
  voro::voronoicell_neighbor            work;
};

/// Calls visit(j, area) for the faces of a cell that lie before another one.
template <class Visit>
void for_each_face(const SpaceCell &cell, const Visit &visit)
{
  const auto points = cell.points();
  const int *face   = cell.face_vertices.data();
  for (const int j : cell.behind_face)
    {
      if (j != VoronoiCells::box)
        {
          Eigen::Vector3d normal = Eigen::Vector3d::Zero();
          for (int k = 2; k < face[0]; ++k)
            normal += (points.col(face[k]) - points.col(face[1])).cross(points.col(face[k + 1]) - points.col(face[1]));
          visit(j, .5 * normal.norm());
        }
      face += face[0] + 1;
    }
}

bool contains(const std::vector<int> &list, const int j) { return std::find(list.begin(), list.end(), j) != list.end(); }

/// Computes cells and finds out what is wrong with them.
class CellSet
{
public:
  CellSet(const micro::Spheres &spheres, const macro::Domain &domain, const std::vector<int> &members,
          const std::vector<int> &wanted)
      : spheres(spheres)
      , wanted(wanted)
      , computers([&] { return CellComputer(spheres, domain, members); })
      , cells(wanted.size())
      , position(spheres.size(), -1)
  {
    for (std::size_t k = 0; k < wanted.size(); ++k)
      position[wanted[k]] = static_cast<int>(k);
    for_each_block(static_cast<Index>(wanted.size()), [&](Index, const Index first, const Index last) {
      CellComputer &compute = computers.local();
      for (Index k = first; k < last; ++k)
        cells[k] = compute.cell(wanted[k]);
    });
  }

  /// Faces with a j in cells of i that do not know it, by increasing i.
  std::vector<CommonFace> missing_faces(const std::vector<CommonFace> &known_faces) const
  {
    std::vector<std::vector<CommonFace>> of_block(n_blocks(static_cast<Index>(cells.size())));
    for_each_block(static_cast<Index>(cells.size()), [&](const Index b, const Index first, const Index last) {
      for (Index k = first; k < last; ++k)
        for_each_face(cells[k], [&](const int i, const double area) {
          // where more than four cells meet, rounding decides who has a tiny face with whom
          constexpr double negligible = 1e-9;
          if (position[i] >= 0 && area > negligible * spheres.R(i) * spheres.R(i) &&
              !contains(cells[position[i]].behind_face, wanted[k]))
            of_block[b].push_back({i, wanted[k]});
        });
    });
    std::vector<CommonFace> missing;
    for (const std::vector<CommonFace> &faces : of_block)
      missing.insert(missing.end(), faces.begin(), faces.end());
    std::copy_if(known_faces.begin(), known_faces.end(), std::back_inserter(missing),
                 [&](const CommonFace &face) { return !contains(cells[position[face.i]].behind_face, face.j); });
    std::sort(missing.begin(), missing.end(),
              [](const CommonFace &a, const CommonFace &b) { return a.i != b.i ? a.i < b.i : a.j < b.j; });
    return missing;
  }

  /// Computes cell i again from its neighbours, theirs, and those that it lacked: nearest first, which keeps it small.
  void repair(const int i, const std::vector<int> &lacking)
  {
    std::vector<int> candidates = lacking;
    for (const int j : cells[position[i]].behind_face)
      if (j != VoronoiCells::box)
        candidates.push_back(j);
    for (std::size_t k = 0, n = candidates.size(); k < n; ++k)
      if (const int p = position[candidates[k]]; p >= 0)
        std::copy_if(cells[p].behind_face.begin(), cells[p].behind_face.end(), std::back_inserter(candidates),
                     [&](const int j) { return j != VoronoiCells::box && j != i; });
    const auto distance = [&](const int j) { return (spheres.r.col(j) - spheres.r.col(i)).squaredNorm(); };
    std::sort(candidates.begin(), candidates.end(), [&](const int j, const int k) {
      const double to_j = distance(j), to_k = distance(k);
      return to_j != to_k ? to_j < to_k : j < k;
    });
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    cells[position[i]] = computers.local().cell(i, candidates);
  }

  std::vector<SpaceCell> take() { return std::move(cells); }

private:
  const micro::Spheres                         &spheres;
  const std::vector<int>                       &wanted;
  tbb::enumerable_thread_specific<CellComputer> computers;
  std::vector<SpaceCell>                        cells;
  std::vector<int>                              position; ///< in cells, per sphere, or -1
};
/// The cells of the spheres `wanted`, each cut out by the spheres that visit_candidates(i, visit) calls visit(j) for, the
/// nearest first.
template <class Candidates>
std::vector<SpaceCell> cells_cut_out(const micro::Spheres &spheres, const macro::Domain &domain,
                                     const std::vector<int> &wanted, const Candidates &visit_candidates)
{
  std::vector<SpaceCell>                        cells(wanted.size());
  tbb::enumerable_thread_specific<CellComputer> computers([&] { return CellComputer(spheres, domain, {}); });
  for_each_block(static_cast<Index>(wanted.size()), [&](Index, const Index first, const Index last) {
    std::vector<std::pair<std::array<double, 4>, int>> found; // squared distance, where it is seen, sphere
    std::vector<int>                                   candidates;
    for (Index k = first; k < last; ++k)
      {
        const int             i = wanted[k];
        const Eigen::Vector3d r = spheres.r.col(i);
        found.clear();
        visit_candidates(k, [&](const int j) {
          const Eigen::Vector3d x = spheres.r.col(j) - r;
          found.push_back({{x.squaredNorm(), x(0), x(1), x(2)}, j});
        });
        std::sort(found.begin(), found.end());
        candidates.clear();
        for (const auto &[where, j] : found)
          candidates.push_back(j);
        cells[k] = computers.local().cell(i, candidates);
      }
  });
  return cells;
}
} // namespace

std::vector<SpaceCell> space_cells(const micro::Spheres &spheres, const macro::Domain &domain,
                                   const std::vector<int> &members, const std::vector<int> &wanted,
                                   const std::vector<CommonFace> &known_faces)
{
  CellSet       set(spheres, domain, members, wanted);
  constexpr int n_rounds = 3;
  for (int round = 0; round < n_rounds; ++round)
    {
      const std::vector<CommonFace> missing = set.missing_faces(known_faces);
      if (missing.empty())
        break;
      for (std::size_t first = 0, last = 0; first < missing.size(); first = last)
        {
          std::vector<int> lacking;
          for (; last < missing.size() && missing[last].i == missing[first].i; ++last)
            lacking.push_back(missing[last].j);
          set.repair(missing[first].i, lacking);
        }
    }
  return set.take();
}

std::vector<SpaceCell> cells_within_reach(const micro::Spheres &spheres, const macro::Domain &domain,
                                          const std::vector<int> &wanted, const double reach)
{
  if (wanted.empty())
    return {};
  std::vector<int> everybody(spheres.size());
  std::iota(everybody.begin(), everybody.end(), 0);
  const micro::CellList near(spheres, everybody, reach);
  return cells_cut_out(spheres, domain, wanted, [&](const Index k, const auto &visit) {
    const int             i = wanted[k];
    const Eigen::Vector3d r = spheres.r.col(i);
    near.visit_neighbours(r.data(), [&](const int j) {
      if (j != i && (spheres.r.col(j) - r).squaredNorm() < reach * reach)
        visit(j);
      return true;
    });
  });
}

std::vector<SpaceCell> cells_of_neighbours(const micro::Spheres &spheres, const Triangulation &found,
                                           const macro::Domain &domain, const std::vector<int> &wanted)
{
  std::vector<int> position(spheres.size(), -1);
  for (std::size_t k = 0; k < wanted.size(); ++k)
    position[wanted[k]] = static_cast<int>(k);
  std::vector<std::set<int>> neighbours(wanted.size());
  for (auto corner = found.simplices.begin(); corner != found.simplices.end(); corner += 4)
    for (int a = 0; a < 4; ++a)
      if (const int k = position[corner[a]]; k >= 0)
        for (int b = 0; b < 4; ++b)
          if (b != a)
            neighbours[k].insert(corner[b]);
  return cells_cut_out(spheres, domain, wanted, [&](const Index k, const auto &visit) {
    for (const int j : neighbours[k])
      visit(j);
  });
}
} // namespace moreau::homogenization
