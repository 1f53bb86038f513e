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

CellIndex WholeBox::wrapped(CellIndex cell) const
{
  for (int axis = 0; axis < part.dim(); ++axis)
    if (const Index n = part.box().n[axis]; part.periodic()[axis])
      cell[axis] = (cell[axis] % n + n) % n;
  return cell;
}

bool WholeBox::is_in_layers(const CellIndex &cell) const
{
  const Index layer = cell[part.box().last_axis()];
  return layer >= part.box().first && layer < part.box().last;
}

std::optional<Index> WholeBox::cell_here(CellIndex cell) const
{
  cell = wrapped(cell);
  for (int axis = 0; axis < part.dim(); ++axis)
    if (cell[axis] < 0 || cell[axis] >= part.box().n[axis])
      return {};
  return is_in_layers(cell) ? std::optional(part.position(cell)) : std::nullopt;
}

std::optional<Index> WholeBox::face_here(const int axis, CellIndex cell) const
{
  cell = wrapped(cell);
  if (cell[axis] != part.box().n[axis])
    return cell_here(cell);
  return cell_here(moved(cell, axis, -1)) && part.holds_last_faces(axis) ? std::optional(part.position(cell)) : std::nullopt;
}
} // namespace moreau::macro
