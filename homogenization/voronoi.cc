// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/voronoi.h"

#include "convex/input_error.h"
#include "homogenization/outlines.h"
#include "homogenization/periodic_images.h"
#include "homogenization/simplex_geometry.h"
#include "homogenization/triangulation.h"
#include "homogenization/zone_pieces.h"
#include "macro/saturated_cells.h"

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace moreau::homogenization
{
namespace
{
std::string point(const Eigen::VectorXd &x)
{
  std::ostringstream out;
  for (Index k = 0; k < x.size(); ++k)
    out << (k == 0 ? "(" : ", ") << x(k);
  out << ")";
  return out.str();
}

[[noreturn]] void throw_for_sphere(const Index i, const micro::Spheres &spheres, const SpheresHere &here,
                                   const std::string &problem, const std::string &remedy)
{
  throw InputError("the zone", "Sphere " + std::to_string(here.place_of(i)) + " at " + point(spheres.r.col(i)) + " m " +
                                   problem + "; " + remedy + " (spheres are numbered from 0).");
}

/// Pieces of cells, and their faces, are not looked for beyond the sides of a box.
void require_whole_period(const macro::Domain &domain)
{
  if (geometry::any(domain.periodic) && !domain.uniform)
    throw InputError("the zone",
                     "Cells of spheres in a box that repeats itself fill all of it; leave out the density, or the "
                     "periods.");
}

SpheresHere all_here(const micro::Spheres &spheres) { return {spheres.size(), {}, {}, 0.}; }

/// A centre may lie on the boundary, up to a millionth of the radius where the
/// zone is curved; what counts is that its cell has a volume.
void check_centres(const micro::Spheres &spheres, const macro::Domain &domain, const SpheresHere &here)
{
  const double rounding = rounding_of_coordinates(domain);
  for (Index i = 0; i < here.n_own; ++i)
    {
      const double margin = 1e-9 * spheres.R(i) + rounding;
      if (!((spheres.r.col(i) - domain.lower).minCoeff() >= -margin &&
            (domain.upper - spheres.r.col(i)).minCoeff() >= -margin))
        throw_for_sphere(i, spheres, here, "has its centre outside the box", "enlarge the box or leave the sphere out");
    }
  if (domain.uniform)
    return;

  const Index       dim = spheres.dimension();
  std::vector<char> in(here.n_own, 0);
  for_each_block(here.n_own, [&](Index, const Index first, const Index last) {
    const std::vector<char> saturated = macro::saturated_at(domain, spheres.r.middleCols(first, last - first));
    std::copy(saturated.begin(), saturated.end(), in.begin() + first);
  });
  for (Index i = 0; i < here.n_own; ++i)
    if (!in[i])
      {
        Eigen::MatrixXd around = spheres.r.col(i).replicate(1, 2 * dim);
        around.leftCols(dim).diagonal().array() += 1e-6 * spheres.R(i);
        around.rightCols(dim).diagonal().array() -= 1e-6 * spheres.R(i);
        const std::vector<char> saturated = macro::saturated_at(domain, around);
        if (std::find(saturated.begin(), saturated.end(), 1) == saturated.end())
          throw_for_sphere(i, spheres, here, "has its centre outside the zone", "enlarge the zone or leave the sphere out");
      }
}

/// Of the first n spheres.
Outlines outlines(const micro::Spheres &spheres, const Index n, const macro::Domain &domain)
{
  switch (spheres.dimension())
    {
      case 1:
        return line_outlines(spheres, n, domain);
      case 2:
        return plane_outlines(spheres, n, domain);
      default:
        return space_outlines(spheres, {}, domain, {n, {}, {}, 0.}, {});
    }
}

/// The square of the largest distance of a vertex of the first n cells from its sphere.
double farthest_squared(const Outlines &all, const micro::Spheres &spheres, const Index n)
{
  double farthest = 0.;
  for (Index i = 0; i < n; ++i)
    for (Index k = all.vertex_start[i]; k < all.vertex_start[i + 1]; ++k)
      farthest = std::max(farthest, (all.vertices.col(k) - spheres.r.col(i)).squaredNorm());
  return farthest;
}

/// Among images that reach far enough: half way to the next ones, less what a large sphere gains, no cell goes.
Outlines periodic_outlines(const micro::Spheres &spheres, const macro::Domain &domain)
{
  const Index  n     = spheres.size();
  const double gains = equal_radii(spheres) ? 0. : spheres.R.maxCoeff() * spheres.R.maxCoeff();
  for (double reach = first_reach(spheres, domain);; reach *= 2.)
    {
      require_sensible_reach(reach, domain);
      const PeriodicImages images = with_images(spheres, domain, reach);
      Outlines             all    = outlines(images.spheres, n, with_surroundings(domain, reach));
      if (!(2. * std::sqrt(farthest_squared(all, images.spheres, n)) < reach - gains / reach))
        continue;
      for (int &behind : all.behind_face)
        if (behind != VoronoiCells::box)
          behind = images.original[behind];
      return all;
    }
}

Outlines outlines(const micro::Spheres &spheres, const macro::Domain &domain)
{
  return geometry::any(domain.periodic) ? periodic_outlines(spheres, domain) : outlines(spheres, spheres.size(), domain);
}
} // namespace

VoronoiCells::VoronoiCells(Outlines all, SpheresHere here_, const geometry::Processes &processes)
    : shared_by(processes), here(std::move(here_)), dim(all.vertices.rows()), volume(here.n_own), cut(here.n_own, 0)
{
  vertices      = std::move(all.vertices);
  vertex_start  = std::move(all.vertex_start);
  face_vertices = std::move(all.face_vertices);
  face_start    = std::move(all.face_start);
  behind_face   = std::move(all.behind_face);
  behind_start  = std::move(all.behind_start);
  words         = std::move(all.words);
  piece_of_cell.assign(here.n_own, -1);
  piece_start.assign(1, 0);
  for_each_block(here.n_own, [&](Index, const Index first, const Index last) {
    Eigen::MatrixXd corners;
    for (Index i = first; i < last; ++i)
      {
        simplices(i, corners);
        volume(i)                = total_volume(corners);
        const auto [behind, end] = neighbours(i);
        cut[i]                   = std::find(behind, end, box) != end;
      }
  });
}

VoronoiCells::VoronoiCells(const micro::Spheres &spheres, const macro::Domain &domain, const geometry::Processes &processes)
    : VoronoiCells(
          (require_whole_period(domain), check_centres(spheres, domain, all_here(spheres)), outlines(spheres, domain)),
          all_here(spheres), processes)
{
  check_volumes(spheres);
  require_filled_box(domain);
  if (!domain.uniform)
    {
      cut_to_zone(spheres, domain);
      check_volumes(spheres);
    }
}

std::optional<VoronoiCells> VoronoiCells::of_part(const micro::Spheres &spheres, const Triangulation &found,
                                                  const macro::Domain &domain, SpheresHere here,
                                                  const geometry::Processes &processes)
{
  geometry::together(processes, [&] { check_centres(spheres, domain, here); });
  Outlines     all = spheres.dimension() == 2 ? plane_outlines_of_part(spheres, found, domain, here)
                                              : space_outlines(spheres, found, domain, here, processes);
  VoronoiCells cells(std::move(all), std::move(here), processes);
  double       farthest = 0.; // of a vertex from its sphere: twice as far away begins what cannot cut the cell
  for (Index i = 0; i < cells.size(); ++i)
    if (const auto outline = cells.outline(i); outline.cols() > 0)
      farthest = std::max(farthest, (outline.colwise() - spheres.r.col(i)).colwise().squaredNorm().maxCoeff());
  if (!cells.here.with_wide && !(2. * std::sqrt(processes.max(farthest)) < cells.here.reach))
    return std::nullopt;
  geometry::together(processes, [&] { cells.check_volumes(spheres); });
  cells.require_filled_box(domain);
  if (!domain.uniform)
    {
      cells.cut_to_zone(spheres, domain);
      geometry::together(processes, [&] { cells.check_volumes(spheres); });
    }
  return cells;
}

Vector VoronoiCells::sum(const Index n, const std::function<void(Index, Vector &)> &add) const
{
  Eigen::MatrixXd of_block(n, n_blocks(size()));
  for_each_block(size(), [&](const Index b, const Index first, const Index last) {
    Vector of_cells = Vector::Zero(n);
    for (Index i = first; i < last; ++i)
      add(i, of_cells);
    of_block.col(b) = of_cells;
  });
  return geometry::sum_of_columns(in_parts() ? shared_by : geometry::Processes::alone(), of_block);
}

double VoronoiCells::sum(const std::function<double(Index)> &term) const
{
  return sum(1, [&](const Index i, Vector &total) { total(0) += term(i); })(0);
}

void VoronoiCells::require_filled_box(const macro::Domain &domain) const
{
  const double filled = sum([&](const Index i) { return volume(i); }), volume_of_box = (domain.upper - domain.lower).prod();
  if (!(std::abs(filled - volume_of_box) <= 1e-9 * volume_of_box))
    throw std::runtime_error("The cells of the spheres do not fill the box: their volumes are " +
                             std::to_string(filled / volume_of_box) + " of it.");
}

void VoronoiCells::check_volumes(const micro::Spheres &spheres) const
{
  for (Index i = 0; i < size(); ++i)
    if (!(volume(i) > 1e-12 * micro::volume_of_ball(spheres.R(i), dim)))
      throw_for_sphere(i, spheres, here, "has a cell without volume in the zone",
                       "leave the sphere out or move it into the zone");
}

void VoronoiCells::cut_to_zone(const micro::Spheres &spheres, const macro::Domain &domain)
{
  const std::vector<ZoneCell> found     = zone_cells(*this, spheres, domain);
  Vector                      error     = Vector::Zero(in_parts() ? size() : 0);
  Index                       n_corners = 0;
  for (const ZoneCell &part : found)
    n_corners += part.corners.cols();
  pieces.resize(dim, n_corners);
  n_corners = 0;
  for (const ZoneCell &part : found)
    {
      cut[part.cell] = 1;
      if (part.is_whole)
        continue;
      piece_of_cell[part.cell]                          = static_cast<Index>(piece_start.size()) - 1;
      pieces.middleCols(n_corners, part.corners.cols()) = part.corners;
      n_corners += part.corners.cols();
      piece_start.push_back(n_corners / (dim + 1));
      volume(part.cell) = part.volume;
      if (in_parts())
        error(part.cell) = part.error;
      else
        error_of_volume += part.error;
    }
  if (in_parts())
    error_of_volume = sum([&](const Index i) { return error(i); });
}

void VoronoiCells::simplices(const Index i, Eigen::MatrixXd &corners) const
{
  if (has_pieces(i))
    {
      const Index piece = piece_of_cell[i];
      corners = pieces.middleCols((dim + 1) * piece_start[piece], (dim + 1) * (piece_start[piece + 1] - piece_start[piece]));
      return;
    }
  const auto [first, last] = faces(i);
  fan(outline(i), first, last, corners);
}
} // namespace moreau::homogenization
