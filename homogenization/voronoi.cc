// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/voronoi.h"

#include "convex/input_error.h"
#include "homogenization/outlines.h"
#include "homogenization/simplex_geometry.h"
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

[[noreturn]] void throw_for_sphere(const Index i, const micro::Spheres &spheres, const std::string &problem,
                                   const std::string &remedy)
{
  throw InputError("the zone", "Sphere " + std::to_string(i) + " at " + point(spheres.r.col(i)) + " m " + problem + "; " +
                                   remedy + " (spheres are numbered from 0).");
}

/// A centre may lie on the boundary, up to a millionth of the radius where the
/// zone is curved; what counts is that its cell has a volume.
void check_centres(const micro::Spheres &spheres, const macro::Domain &domain)
{
  const double rounding = rounding_of_coordinates(domain);
  for (Index i = 0; i < spheres.size(); ++i)
    {
      const double margin = 1e-9 * spheres.R(i) + rounding;
      if (!((spheres.r.col(i) - domain.lower).minCoeff() >= -margin &&
            (domain.upper - spheres.r.col(i)).minCoeff() >= -margin))
        throw_for_sphere(i, spheres, "has its centre outside the box", "enlarge the box or leave the sphere out");
    }
  if (domain.uniform)
    return;

  const Index       dim = spheres.dimension();
  std::vector<char> in(spheres.size());
  for_each_block(spheres.size(), [&](Index, const Index first, const Index last) {
    const std::vector<char> saturated = macro::saturated_at(domain, spheres.r.middleCols(first, last - first));
    std::copy(saturated.begin(), saturated.end(), in.begin() + first);
  });
  for (Index i = 0; i < spheres.size(); ++i)
    if (!in[i])
      {
        Eigen::MatrixXd around = spheres.r.col(i).replicate(1, 2 * dim);
        around.leftCols(dim).diagonal().array() += 1e-6 * spheres.R(i);
        around.rightCols(dim).diagonal().array() -= 1e-6 * spheres.R(i);
        const std::vector<char> saturated = macro::saturated_at(domain, around);
        if (std::find(saturated.begin(), saturated.end(), 1) == saturated.end())
          throw_for_sphere(i, spheres, "has its centre outside the zone", "enlarge the zone or leave the sphere out");
      }
}

Outlines outlines(const micro::Spheres &spheres, const macro::Domain &domain)
{
  switch (spheres.dimension())
    {
      case 1:
        return line_outlines(spheres, domain);
      case 2:
        return plane_outlines(spheres, domain);
      default:
        return space_outlines(spheres, domain);
    }
}
} // namespace

VoronoiCells::VoronoiCells(const micro::Spheres &spheres, const macro::Domain &domain, const geometry::Processes &processes)
    : shared_by(processes), dim(spheres.dimension()), volume(spheres.size()), cut(spheres.size(), 0)
{
  const Index n = spheres.size();
  check_centres(spheres, domain);
  Outlines all  = outlines(spheres, domain);
  vertices      = std::move(all.vertices);
  vertex_start  = std::move(all.vertex_start);
  face_vertices = std::move(all.face_vertices);
  face_start    = std::move(all.face_start);
  behind_face   = std::move(all.behind_face);
  behind_start  = std::move(all.behind_start);
  words         = std::move(all.words);
  piece_of_cell.assign(n, -1);
  piece_start.assign(1, 0);
  for_each_block(n, [&](Index, const Index first, const Index last) {
    Eigen::MatrixXd corners;
    for (Index i = first; i < last; ++i)
      {
        simplices(i, corners);
        volume(i)                = total_volume(corners);
        const auto [behind, end] = neighbours(i);
        cut[i]                   = std::find(behind, end, box) != end;
      }
  });
  check_volumes(spheres);
  const double filled = volume.sum(), volume_of_box = (domain.upper - domain.lower).prod();
  if (!(std::abs(filled - volume_of_box) <= 1e-9 * volume_of_box))
    throw std::runtime_error("The cells of the spheres do not fill the box: their volumes are " +
                             std::to_string(filled / volume_of_box) + " of it.");
  if (!domain.uniform)
    {
      cut_to_zone(spheres, domain);
      check_volumes(spheres);
    }
}

void VoronoiCells::check_volumes(const micro::Spheres &spheres) const
{
  for (Index i = 0; i < size(); ++i)
    if (!(volume(i) > 1e-12 * micro::volume_of_ball(spheres.R(i), dim)))
      throw_for_sphere(i, spheres, "has a cell without volume in the zone", "leave the sphere out or move it into the zone");
}

void VoronoiCells::cut_to_zone(const micro::Spheres &spheres, const macro::Domain &domain)
{
  const std::vector<ZoneCell> found     = zone_cells(*this, spheres, domain);
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
      error_of_volume += part.error;
    }
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
