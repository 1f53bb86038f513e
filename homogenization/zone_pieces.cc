// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/zone_pieces.h"

#include "homogenization/outlines.h"
#include "homogenization/zone_cutter.h"
#include "macro/saturated_cells.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <cmath>

namespace moreau::homogenization
{
namespace
{
using Eigen::MatrixXd;

/// Points of the outlines of cells first ... last-1 that say whether a boundary runs through them; point_start: per cell.
MatrixXd samples(const VoronoiCells &cells, const micro::Spheres &spheres, const double rounding, const Index first,
                 const Index last, std::vector<Index> &point_start)
{
  const Index dim        = cells.dimension();
  const Index per_vertex = dim == 2 ? 2 : 1;
  point_start.assign(1, 0);
  for (Index i = first; i < last; ++i)
    point_start.push_back(point_start.back() + per_vertex * cells.outline(i).cols() + 1);
  MatrixXd x(dim, point_start.back());
  Index    n = 0;
  for (Index i = first; i < last; ++i)
    {
      const auto            outline = cells.outline(i);
      const Eigen::VectorXd middle  = outline.rowwise().mean();
      // a hair inside, so that a boundary that coincides with faces does not count
      const double hair = 1e-12 + 8. * rounding / spheres.R(i);
      const auto   add  = [&](const Eigen::VectorXd &point) { x.col(n++) = point + hair * (middle - point); };
      add(spheres.r.col(i));
      for (Index k = 0; k < outline.cols(); ++k)
        {
          add(outline.col(k));
          if (dim == 2)
            add(.5 * (outline.col(k) + outline.col((k + 1) % outline.cols())));
        }
    }
  return x;
}

std::vector<char> cells_with_boundary(const VoronoiCells &cells, const micro::Spheres &spheres, const macro::Domain &domain)
{
  std::vector<char> found(cells.size(), 0);
  const double      rounding = rounding_of_coordinates(domain);
  for_each_block(cells.size(), [&](Index, const Index first, const Index last) {
    std::vector<Index>      point_start;
    const MatrixXd          x  = samples(cells, spheres, rounding, first, last, point_start);
    const std::vector<char> in = macro::saturated_at(domain, x);
    for (Index i = first; i < last; ++i)
      found[i] = std::find(in.begin() + point_start[i - first], in.begin() + point_start[i - first + 1], 0) !=
                 in.begin() + point_start[i - first + 1];
  });
  return found;
}

/// The search for cells that the boundary meets, and for the planes that it consists of.
class BoundarySearch
{
public:
  BoundarySearch(const VoronoiCells &cells, const micro::Spheres &spheres, const macro::Domain &domain)
      : cells(cells)
      , spheres(spheres)
      , domain(domain)
      , cutters([&domain] { return ZoneCutter(domain); })
      , position(cells.size(), -1)
  {}

  /// Looks at these cells and their neighbours, and goes on as long as that finds more cells with a boundary in them.
  void spread_from(const std::vector<char> &found)
  {
    for (Index i = 0; i < cells.size(); ++i)
      if (found[i])
        add(i);
    for (std::size_t first = 0; first < members.size();)
      {
        const std::size_t last = members.size();
        for_members(first, last, [&](Member &member, ZoneCutter &cut) {
          member.part =
              cut(simplices(member.cell), {}, {max_deviation(member.cell), max_simplices(), /*is_first_look=*/true});
          member.curved = member.part.curved;
        });
        for (; first < last; ++first)
          if (remember_planes(first); members[first].part.boundary_seen || found[members[first].cell])
            for_neighbours(members[first].cell, [&](const Index j) { add(j); });
      }
  }

  /// Cuts again where the neighbourhood tells more than the cell by itself; false if there is no such cell.
  bool cut_thoroughly()
  {
    std::vector<CutCell> part(members.size());
    for_members(0, members.size(), [&](Member &member, ZoneCutter &cut) {
      const std::vector<Plane> planes = planes_across(member.cell);
      bool                     curved = member.curved;
      for_neighbours(member.cell,
                     [&](const Index j) { curved = curved || (position[j] >= 0 && members[position[j]].curved); });
      const bool plane_is_all = planes.size() == 1 && member.part.boundary_seen && !member.curved;
      member.is_due           = planes.empty() ? curved && !member.part.is_fine && !member.is_thorough
                                               : planes.size() > member.n_planes_used && !plane_is_all;
      if (member.is_due)
        {
          member.n_planes_used           = planes.size();
          member.is_thorough             = true;
          part[&member - members.data()] = cut(
              simplices(member.cell), planes,
              {max_deviation(member.cell), max_simplices(), /*is_first_look=*/false, /*look_for_lenses=*/planes.empty()});
        }
    });
    bool any = false;
    for (std::size_t k = 0; k < members.size(); ++k)
      if (members[k].is_due)
        {
          members[k].part = std::move(part[k]);
          remember_planes(k);
          any = true;
        }
    return any;
  }

  std::vector<ZoneCell> result()
  {
    for_members(0, members.size(), [&](Member &member, ZoneCutter &) {
      member.is_whole = member.part.volume >= (1. - 1e-12) * cells.volumes()(member.cell);
      member.ends     = !member.is_whole || ends_at_boundary(member.cell);
    });
    std::vector<ZoneCell> all;
    for (const int k : position)
      if (k >= 0 && members[k].ends)
        {
          const Member  &member = members[k];
          const CutCell &part   = member.part;
          const Index    dim    = cells.dimension();
          if (member.is_whole)
            all.push_back({member.cell, true, {}});
          else
            all.push_back({member.cell, false,
                           Eigen::Map<const MatrixXd>(part.corners.data(), dim, part.corners.size() / dim), part.volume,
                           part.error});
        }
    return all;
  }

private:
  struct Member
  {
    Index              cell;
    CutCell            part;
    std::vector<Plane> planes;                ///< of the boundary, seen in this cell
    bool               curved        = false; ///< or more than one plane
    std::size_t        n_planes_used = 0;
    bool               is_thorough = false, is_due = false, is_whole = false, ends = false;
  };

  void add(const Index i)
  {
    if (position[i] < 0)
      {
        position[i] = static_cast<int>(members.size());
        members.push_back({i, {}, {}});
      }
  }

  template <class Run>
  void for_members(const std::size_t first, const std::size_t last, const Run &run)
  {
    tbb::parallel_for(first, last, [&](const std::size_t k) { run(members[k], cutters.local()); });
  }

  template <class Visit>
  void for_neighbours(const Index i, const Visit &visit) const
  {
    const auto [first, last] = cells.neighbours(i);
    for (const int *j = first; j != last; ++j)
      if (*j != VoronoiCells::box)
        visit(*j);
  }

  MatrixXd simplices(const Index i) const
  {
    MatrixXd corners;
    cells.simplices(i, corners);
    return corners;
  }

  /// How far a curved boundary may be from its polygon or polyhedron (m): nothing in the plane, where it costs little, and
  /// in space a small part of the distance of spheres, so that its error falls with them as that of homogenization does.
  double max_deviation(const Index i) const
  {
    const double length = std::pow((domain.upper - domain.lower).prod(), 1. / static_cast<double>(cells.dimension()));
    if (cells.dimension() < 3)
      return 2e-7 * length;
    double squared = length * length;
    for_neighbours(i,
                   [&](const Index j) { squared = std::min(squared, (spheres.r.col(j) - spheres.r.col(i)).squaredNorm()); });
    return 8e-3 * std::sqrt(squared);
  }

  /// Per cell, so that all of them take seconds.
  Index max_simplices() const { return std::clamp<Index>(1000000 / static_cast<Index>(members.size()), 1000, 100000); }

  /// Moves the planes that were seen in a member to those that are known, where they are new.
  void remember_planes(const std::size_t k)
  {
    Member &member = members[k];
    for (const Plane &plane : member.part.planes)
      add_plane(plane, cells.outline(member.cell), member.planes);
    member.part.planes.clear();
  }

  /// Planes that are the same in a cell to 1e-9 of its size are one; the larger piece knows it better.
  static void add_plane(const Plane &plane, const Eigen::Ref<const MatrixXd> &outline, std::vector<Plane> &planes)
  {
    const double size = (outline.rowwise().maxCoeff() - outline.rowwise().minCoeff()).maxCoeff();
    for (Plane &known : planes)
      {
        double difference = 0., difference_of_opposite = 0.;
        for (Index k = 0; k < outline.cols(); ++k)
          {
            const double d = plane.distance(outline.col(k)), d_known = known.distance(outline.col(k));
            difference             = std::max(difference, std::abs(d - d_known));
            difference_of_opposite = std::max(difference_of_opposite, std::abs(d + d_known));
          }
        if (std::min(difference, difference_of_opposite) <= 1e-9 * size)
          {
            if (plane.measure > known.measure)
              known = plane;
            return;
          }
      }
    planes.push_back(plane);
  }

  /// Those of cell i and its neighbours that have vertices of the cell on both sides.
  std::vector<Plane> planes_across(const Index i) const
  {
    std::vector<Plane> planes;
    const auto         outline = cells.outline(i);
    const double       size    = (outline.rowwise().maxCoeff() - outline.rowwise().minCoeff()).maxCoeff();
    const auto         add_all = [&](const Index j) {
      if (position[j] < 0)
        return;
      for (const Plane &plane : members[position[j]].planes)
        {
          double lowest = 0., highest = 0.;
          for (Index k = 0; k < outline.cols(); ++k)
            {
              const double distance = plane.distance(outline.col(k));
              lowest                = std::min(lowest, distance);
              highest               = std::max(highest, distance);
            }
          if (std::min(-lowest, highest) > 1e-10 * size)
            add_plane(plane, outline, planes);
        }
    };
    add_all(i);
    for_neighbours(i, add_all);
    return planes;
  }

  /// Whether the zone ends right behind a face of a cell that lies in it.
  bool ends_at_boundary(const Index i) const
  {
    constexpr double             hair    = 1e-7;
    const auto                   outline = cells.outline(i);
    const Eigen::VectorXd        middle  = outline.rowwise().mean();
    std::vector<Eigen::VectorXd> behind;
    for_faces(i, [&](const MatrixXd &face) {
      const Eigen::VectorXd centre = face.rowwise().mean();
      for (Index k = 0; k < face.cols(); ++k)
        behind.push_back(middle + (1. + hair) * (.5 * (centre + face.col(k)) - middle));
    });
    MatrixXd x(cells.dimension(), behind.size());
    for (std::size_t k = 0; k < behind.size(); ++k)
      x.col(k) = behind[k];
    const std::vector<char> in = macro::saturated_at(domain, x);
    return std::find(in.begin(), in.end(), 0) != in.end();
  }

  /// Calls visit(vertices) for the faces of a cell.
  template <class Visit>
  void for_faces(const Index i, const Visit &visit) const
  {
    const auto  outline = cells.outline(i);
    const Index n       = outline.cols();
    if (cells.dimension() == 3)
      {
        const auto [first, last] = cells.faces(i);
        for (const int *face = first; face != last; face += *face + 1)
          {
            MatrixXd vertices(3, *face);
            for (int k = 0; k < *face; ++k)
              vertices.col(k) = outline.col(face[1 + k]);
            visit(vertices);
          }
      }
    else
      for (Index k = 0; k < n; ++k)
        {
          MatrixXd vertices(cells.dimension(), cells.dimension());
          for (Index c = 0; c < cells.dimension(); ++c)
            vertices.col(c) = outline.col((k + c) % n);
          visit(vertices);
        }
  }

  const VoronoiCells                         &cells;
  const micro::Spheres                       &spheres;
  const macro::Domain                        &domain;
  tbb::enumerable_thread_specific<ZoneCutter> cutters;
  std::vector<int>                            position; ///< in members, per cell, or -1
  std::vector<Member>                         members;
};
} // namespace

std::vector<ZoneCell> zone_cells(const VoronoiCells &cells, const micro::Spheres &spheres, const macro::Domain &domain)
{
  BoundarySearch search(cells, spheres, domain);
  search.spread_from(cells_with_boundary(cells, spheres, domain));
  // cells that hold several planes may learn of them one after the other
  constexpr int n_rounds = 4;
  for (int round = 0; round < n_rounds && search.cut_thoroughly(); ++round)
    ;
  return search.result();
}
} // namespace moreau::homogenization
