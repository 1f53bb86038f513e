// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/outlines.h"
#include "homogenization/repeated_cells.h"
#include "homogenization/triangulation.h"

#include <numeric>

namespace moreau::homogenization
{
namespace
{
/// Whether spheres that are farther away than here.reach may cut the cell.
bool is_wide(const SpaceCell &cell, const SpheresHere &here)
{
  return !cell.vertices.empty() && !(2. * cell.points().colwise().norm().maxCoeff() < here.reach);
}

/// Looks for repeated cells where all radii are equal.
RepeatedCells repeated_cells(const micro::Spheres &spheres, const macro::Domain &domain, const SpheresHere &here,
                             const std::vector<int> &everybody, const geometry::Processes &processes)
{
  constexpr Index  n_samples = 64;
  const double     rounding  = rounding_of_coordinates(domain);
  const Index      n         = here.in_parts() ? processes.sum(here.n_own) : here.n_own;
  const Index      first     = here.n_own > 0 ? here.number_of(0) : 0;
  std::vector<int> samples;
  if ((here.in_parts() || equal_radii(spheres)) && n > 4 * n_samples) // else there is nothing to gain
    for (Index s = 0; s < n_samples; ++s)
      if (const Index number = (2 * s + 1) * n / (2 * n_samples); first <= number && number < first + here.n_own)
        samples.push_back(static_cast<int>(number - first));
  if (here.in_parts())
    {
      std::vector<SpaceCell> cells = cells_within_reach(spheres, domain, samples, here.reach);
      for (SpaceCell &cell : cells)
        if (is_wide(cell, here))
          cell = {};
      return RepeatedCells(spheres, rounding, samples, cells, processes);
    }
  return RepeatedCells(spheres, rounding, samples, space_cells(spheres, domain, everybody, samples));
}

/// Of own spheres in parts.
std::vector<SpaceCell> cells_of_part(const micro::Spheres &spheres, const Triangulation &found, const macro::Domain &domain,
                                     const std::vector<int> &wanted, const SpheresHere &here)
{
  std::vector<SpaceCell> cells = cells_within_reach(spheres, domain, wanted, here.reach);
  if (!here.with_wide)
    return cells;
  std::vector<int>         wide;
  std::vector<std::size_t> place;
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (is_wide(cells[k], here))
      {
        wide.push_back(wanted[k]);
        place.push_back(k);
      }
  std::vector<SpaceCell> cut = cells_of_neighbours(spheres, found, domain, wide);
  for (std::size_t k = 0; k < cut.size(); ++k)
    cells[place[k]] = std::move(cut[k]);
  return cells;
}

bool lies_in_box(const SpaceCell &cell, const Eigen::Vector3d &r, const macro::Domain &domain)
{
  const auto vertices = cell.points();
  return ((vertices.rowwise().minCoeff() + r - domain.lower).array() >= 0.).all() &&
         ((domain.upper - r - vertices.rowwise().maxCoeff()).array() >= 0.).all();
}

OutlineSize size(const SpaceCell &cell)
{
  return {static_cast<int>(cell.vertices.size() / 3), static_cast<int>(cell.face_vertices.size()),
          static_cast<int>(cell.behind_face.size())};
}

/// Which cells are translates of which prototype.
struct Translates
{
  std::vector<Index>            prototype; ///< per sphere, or -1
  std::vector<std::vector<int>> behind;    ///< per block: neighbours of its translates, one after the other

  /// Calls visit(i, neighbours) for the translates of a block.
  template <class Visit>
  void for_each(const RepeatedCells &repeated, const Index b, const Index first, const Index last, const Visit &visit) const
  {
    const int *neighbours = behind[b].data();
    for (Index i = first; i < last; ++i)
      if (prototype[i] >= 0)
        {
          visit(i, neighbours);
          neighbours += repeated[prototype[i]].behind_face.size();
        }
  }
};

Translates find_translates(const RepeatedCells &repeated, const micro::Spheres &spheres, const macro::Domain &domain,
                           const Index n)
{
  Translates translates{std::vector<Index>(n, -1), std::vector<std::vector<int>>(n_blocks(n))};
  for_each_block(n, [&](const Index b, const Index first, const Index last) {
    std::vector<int> neighbours;
    for (Index i = first; i < last; ++i)
      if (const Index k = repeated.find(i, neighbours); k >= 0 && lies_in_box(repeated[k], spheres.r.col(i), domain))
        {
          translates.prototype[i] = k;
          translates.behind[b].insert(translates.behind[b].end(), neighbours.begin(), neighbours.end());
        }
  });
  return translates;
}

/// Faces of translates with cells that are not, by increasing translate.
std::vector<CommonFace> faces_of_others(const RepeatedCells &repeated, const Translates &translates)
{
  const Index                          n = static_cast<Index>(translates.prototype.size());
  std::vector<std::vector<CommonFace>> of_block(n_blocks(n));
  for_each_block(n, [&](const Index b, const Index first, const Index last) {
    translates.for_each(repeated, b, first, last, [&](const Index j, const int *neighbours) {
      for (std::size_t k = 0; k < repeated[translates.prototype[j]].behind_face.size(); ++k)
        if (neighbours[k] < n && translates.prototype[neighbours[k]] < 0) // images have no cells here
          of_block[b].push_back({neighbours[k], static_cast<int>(j)});
    });
  });
  std::vector<CommonFace> all;
  for (const std::vector<CommonFace> &faces : of_block)
    all.insert(all.end(), faces.begin(), faces.end());
  return all;
}

std::vector<int> all_of(const micro::Spheres &spheres)
{
  std::vector<int> members(spheres.size());
  std::iota(members.begin(), members.end(), 0);
  return members;
}

void fill_in(const SpaceCell &cell, const Eigen::Vector3d &r, const int *behind, const Index i, Outlines &all)
{
  double *vertex = all.vertices.data() + 3 * all.vertex_start[i];
  for (std::size_t c = 0; c < cell.vertices.size(); ++c)
    vertex[c] = r(c % 3) + cell.vertices[c];
  std::copy(cell.face_vertices.begin(), cell.face_vertices.end(), all.face_vertices.begin() + all.face_start[i]);
  std::copy_n(behind, cell.behind_face.size(), all.behind_face.begin() + all.behind_start[i]);
}
} // namespace

Outlines space_outlines(const micro::Spheres &spheres, const Triangulation &found, const macro::Domain &domain,
                        const SpheresHere &here, const geometry::Processes &processes)
{
  const Index            n          = here.n_own;
  const std::vector<int> everybody  = all_of(spheres);
  const RepeatedCells    repeated   = repeated_cells(spheres, domain, here, everybody, processes);
  const Translates       translates = find_translates(repeated, spheres, domain, n);

  // the other cells have common faces only with each other and with translates that know it
  std::vector<int> others;
  std::copy_if(everybody.begin(), everybody.begin() + n, std::back_inserter(others),
               [&](const int i) { return translates.prototype[i] < 0; });
  std::vector<SpaceCell> cells;
  if (here.in_parts())
    cells = cells_of_part(spheres, found, domain, others, here);
  else
    {
      const std::vector<CommonFace> faces   = faces_of_others(repeated, translates);
      std::vector<int>              members = others;
      for (const CommonFace &face : faces)
        if (members.size() == others.size() || members.back() != face.j)
          members.push_back(face.j);
      members.insert(members.end(), everybody.begin() + n, everybody.end());
      cells = space_cells(spheres, domain, members, others, faces);
    }

  std::vector<OutlineSize> sizes(n);
  for (std::size_t k = 0; k < others.size(); ++k)
    sizes[others[k]] = size(cells[k]);
  for (Index i = 0; i < n; ++i)
    if (translates.prototype[i] >= 0)
      sizes[i] = size(repeated[translates.prototype[i]]);
  Outlines all = allocated(/*dim=*/3, sizes);
  for_each_block(n, [&](const Index b, const Index first, const Index last) {
    translates.for_each(repeated, b, first, last, [&](const Index i, const int *neighbours) {
      fill_in(repeated[translates.prototype[i]], spheres.r.col(i), neighbours, i, all);
    });
  });
  for_each_block(static_cast<Index>(others.size()), [&](Index, const Index first, const Index last) {
    for (Index k = first; k < last; ++k)
      fill_in(cells[k], spheres.r.col(others[k]), cells[k].behind_face.data(), others[k], all);
  });

  const Index n_all        = here.in_parts() ? processes.sum(n) : n;
  const Index n_others     = static_cast<Index>(others.size());
  const Index n_translates = n_all - (here.in_parts() ? processes.sum(n_others) : n_others);
  all.words                = here.in_parts() || equal_radii(spheres) ? "Voronoi cells" : "power cells";
  if (n_translates > 0)
    all.words += ", " + std::to_string(n_translates) + " of " + std::to_string(n_all) + " translates of " +
                 (repeated.size() == 1 ? "one" : std::to_string(repeated.size()));
  return all;
}
} // namespace moreau::homogenization
