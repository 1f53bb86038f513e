// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/zone_pieces.h"

#include "homogenization/outlines.h"
#include "homogenization/zone_cutter.h"
#include "macro/saturated_cells.h"
#include "parallel/shared_spheres.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <map>
#include <set>

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

/// What other processes know of cells in parts that lie beside own ones. Does nothing where all have all cells.
class CellsElsewhere
{
public:
  struct Cell
  {
    bool               is_member = false, curved = false;
    std::vector<Plane> planes = {}; ///< of the boundary, seen in the cell
  };

  explicit CellsElsewhere(const VoronoiCells &cells)
      : here(cells.spheres())
      , dim(cells.dimension())
      , processes(cells.in_parts() ? cells.processes() : geometry::Processes::alone())
      , blocks{cells.count(cells.size()), cells_per_block}
      , to(processes.size())
  {}

  bool is_elsewhere(const Index j) const { return j >= here.n_own; }
  bool is_any(const bool local) const { return processes.max(local ? 1. : 0.) > 0.; }
  template <class F>
  void together(const F &f) const
  {
    geometry::together(processes, f);
  }

  /// Is to be a member where it is an own one.
  void add(const Index j)
  {
    if (to_be_added.insert(j).second)
      list_of_owner(j).push_back(static_cast<double>(here.number[j]));
  }

  /// Calls visit(i) for each own cell that others have added since the last call.
  template <class Visit>
  void visit_added(const Visit &visit)
  {
    for (const double number : exchanged())
      visit(own(number));
  }

  /// From now on update() says what is known of cell j, too.
  void watch(const Index j)
  {
    if (known.emplace(j, Cell()).second)
      {
        parallel::List &list = list_of_owner(j);
        list.push_back(processes.rank());
        list.push_back(static_cast<double>(here.number[j]));
      }
  }

  void end_of_watch()
  {
    const parallel::List asked = exchanged();
    for (std::size_t k = 0; k < asked.size(); k += 2)
      watchers.emplace_back(static_cast<int>(asked[k]), own(asked[k + 1]));
  }

  /// state(i): what is known here of an own cell.
  template <class State>
  void update(const State &state)
  {
    for (const auto &[rank, i] : watchers)
      {
        const Cell      cell = state(i);
        parallel::List &list = to[rank];
        list.insert(list.end(), {static_cast<double>(here.number[i]), cell.is_member ? 1. : 0., cell.curved ? 1. : 0.,
                                 static_cast<double>(cell.planes.size())});
        for (const Plane &plane : cell.planes)
          {
            list.insert(list.end(), plane.normal.begin(), plane.normal.end());
            list.insert(list.end(), {plane.offset, plane.measure});
          }
      }
    const parallel::List told = exchanged();
    for (const double *at = told.data(), *const end = at + told.size(); at != end;)
      {
        Cell      &cell     = known.at(elsewhere(at[0]));
        const auto n_planes = static_cast<std::size_t>(at[3]);
        cell.is_member = at[1] == 1., cell.curved = at[2] == 1.;
        cell.planes.clear();
        at += 4;
        for (std::size_t k = 0; k < n_planes; ++k, at += dim + 2)
          cell.planes.push_back({Eigen::Map<const Eigen::VectorXd>(at, dim), at[dim], at[dim + 1]});
      }
  }

  const Cell &operator[](const Index j) const { return known.at(j); }

private:
  parallel::List &list_of_owner(const Index j) { return to[blocks.owner(here.number[j], processes.size())]; }
  Index           own(const double number) const { return static_cast<Index>(number) - here.number.front(); }
  Index           elsewhere(const double number) const
  {
    return std::lower_bound(here.number.begin() + here.n_own, here.number.end(), static_cast<Index>(number)) -
           here.number.begin();
  }
  parallel::List exchanged()
  {
    parallel::List arrived = processes.size() > 1 ? parallel::exchanged(processes, to) : parallel::List();
    to.assign(processes.size(), {});
    return arrived;
  }

  const SpheresHere                 &here;
  Index                              dim;
  geometry::Processes                processes;
  parallel::Blocks                   blocks;
  std::vector<parallel::List>        to; ///< for each process
  std::set<Index>                    to_be_added;
  std::map<Index, Cell>              known;
  std::vector<std::pair<int, Index>> watchers; ///< ranks and own cells
};

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
      , others(cells)
  {}

  /// Looks at cells whose samples see a boundary and at their neighbours, and goes on as long as that finds more cells with
  /// a boundary in them.
  void spread()
  {
    std::vector<char> found;
    others.together([&] { found = cells_with_boundary(cells, spheres, domain); });
    for (Index i = 0; i < cells.size(); ++i)
      if (found[i])
        add(i);
    for (std::size_t first = 0; others.is_any(first < members.size());)
      {
        const std::size_t last = members.size();
        n_members              = cells.count(static_cast<Index>(last));
        for_members(first, last, [&](Member &member, ZoneCutter &cut) {
          member.part =
              cut(simplices(member.cell), {}, {max_deviation(member.cell), max_simplices(), /*is_first_look=*/true});
          member.curved = member.part.curved;
        });
        for (; first < last; ++first)
          if (remember_planes(first); members[first].part.boundary_seen || found[members[first].cell])
            for_neighbours(members[first].cell, [&](const Index j) { add(j); });
        others.visit_added([&](const Index i) { add(i); });
      }
    n_members = cells.count(static_cast<Index>(members.size()));
    for (const Member &member : members)
      for_neighbours(member.cell, [&](const Index j) {
        if (others.is_elsewhere(j))
          others.watch(j);
      });
    others.end_of_watch();
  }

  /// Cuts again where the neighbourhood tells more than the cell by itself; false if there is no such cell.
  bool cut_thoroughly()
  {
    others.update([&](const Index i) {
      const Member *const member = position[i] < 0 ? nullptr : &members[position[i]];
      return member ? CellsElsewhere::Cell{true, member->curved, member->planes} : CellsElsewhere::Cell();
    });
    std::vector<CutCell> part(members.size());
    for_members(0, members.size(), [&](Member &member, ZoneCutter &cut) {
      const std::vector<Plane> planes = planes_across(member.cell);
      bool                     curved = member.curved;
      for_neighbours(member.cell, [&](const Index j) {
        curved = curved || (others.is_elsewhere(j) ? others[j].is_member && others[j].curved
                                                   : position[j] >= 0 && members[position[j]].curved);
      });
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
    return others.is_any(any);
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
    if (others.is_elsewhere(i))
      others.add(i);
    else if (position[i] < 0)
      {
        position[i] = static_cast<int>(members.size());
        members.push_back({i, {}, {}});
      }
  }

  template <class Run>
  void for_members(const std::size_t first, const std::size_t last, const Run &run)
  {
    others.together([&] { tbb::parallel_for(first, last, [&](const std::size_t k) { run(members[k], cutters.local()); }); });
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
  Index max_simplices() const { return std::clamp<Index>(1000000 / n_members, 1000, 100000); }

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
      if (!others.is_elsewhere(j) && position[j] < 0)
        return;
      for (const Plane &plane : others.is_elsewhere(j) ? others[j].planes : members[position[j]].planes)
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
  Index                                       n_members = 1; ///< of all processes
  CellsElsewhere                              others;
};
} // namespace

std::vector<ZoneCell> zone_cells(const VoronoiCells &cells, const micro::Spheres &spheres, const macro::Domain &domain)
{
  BoundarySearch search(cells, spheres, domain);
  search.spread();
  // cells that hold several planes may learn of them one after the other
  constexpr int n_rounds = 4;
  for (int round = 0; round < n_rounds && search.cut_thoroughly(); ++round)
    ;
  return search.result();
}
} // namespace moreau::homogenization
