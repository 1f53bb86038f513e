// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/whole_box.h"

namespace moreau::macro
{
WholeBox::WholeBox(const FlowGrid &here, const CellArray &rho_max) : part(here)
{
  largest_densities = rho_max;
  if (here.box().processes.size() == 1)
    return;
  BoxGrid box   = here.box();
  box.first     = 0;
  box.last      = box.n[box.last_axis()];
  box.processes = Processes::alone();
  std::array<Boundary, 6> sides;
  for (int side = 0; side < 6; ++side)
    sides[side] = here.side(side);
  CellArray any(box, 1.); // the layout is all that is needed to gather
  own               = std::make_unique<FlowGrid>(box, sides, any);
  largest_densities = gathered(rho_max);
  own               = std::make_unique<FlowGrid>(box, sides, largest_densities);
}

CellArray WholeBox::gathered(const CellArray &of_part) const
{
  if (!own)
    return of_part;
  Vector cells(part.box().n_own_cells());
  Index  k = 0;
  part.for_cells([&](const Index c) { cells(k++) = of_part.values(c); });
  const Vector all    = geometry::gathered(part.box().processes, cells); // layers follow each other as processes do
  CellArray    result = own->array();
  k                   = 0;
  own->for_cells([&](const Index c) { result.values(c) = all(k++); });
  own->exchange(result);
  return result;
}

void WholeBox::take_part(const CellArray &of_all, CellArray &of_part) const
{
  for_own_cells(part.box(),
                [&](const CellIndex &cell) { of_part.values(part.position(cell)) = of_all.values(grid().position(cell)); });
}

std::vector<WholeBox::Entry> WholeBox::gathered(std::vector<Entry> of_part) const
{
  if (!own)
    return of_part;
  constexpr Index n_each = 4;
  Vector          mine(n_each * static_cast<Index>(of_part.size()));
  for (Index k = 0; k < static_cast<Index>(of_part.size()); ++k)
    mine.segment<n_each>(n_each * k) << static_cast<double>(of_part[k].cell[0]), static_cast<double>(of_part[k].cell[1]),
        static_cast<double>(of_part[k].cell[2]), of_part[k].value;
  const Vector       all = geometry::gathered(part.box().processes, mine);
  std::vector<Entry> result;
  for (Index k = 0; k < all.size(); k += n_each)
    result.push_back(
        {{static_cast<Index>(all(k)), static_cast<Index>(all(k + 1)), static_cast<Index>(all(k + 2))}, all(k + 3)});
  return result;
}

std::optional<CellIndex> WholeBox::cell_here(const CellIndex &cell) const
{
  const auto there = part.wrapped(cell);
  return there && part.is_here(*there) ? there : std::nullopt;
}

std::optional<CellIndex> WholeBox::face_here(const int axis, const CellIndex &cell) const
{
  if (part.periodic()[axis] || cell[axis] != part.box().n[axis])
    return cell_here(cell);
  const auto below = cell_here(moved(cell, axis, -1));
  return below && part.holds_last_faces(axis) ? std::optional(moved(*below, axis, 1)) : std::nullopt;
}
} // namespace moreau::macro
