// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/body_matter.h"

namespace moreau::macro
{
BodyMatter::BodyMatter(const WholeBox &box) : box(&box), tiles(box.grid().box(), box.grid().periodic()) {}

BodyMatter::BodyMatter(const WholeBox &box, const Colour &colour) : BodyMatter(box)
{
  if (colour.is_empty)
    return;
  std::vector<WholeBox::Entry> entries;
  colour.grid().for_cell_rows([&](const Index row, const CellIndex &first, const Index n) {
    for (Index k = 0; k < n; ++k)
      if (colour.rho.values(row + k) != 0.)
        entries.push_back({moved(first, 0, k), colour.rho.values(row + k)});
  });
  entries = box.gathered(std::move(entries));
  std::vector<Index> wanted;
  for (const WholeBox::Entry &entry : entries)
    if (const Index tile = tiles.tile_of(entry.cell); wanted.empty() || wanted.back() != tile)
      wanted.push_back(tile);
  add_tiles(std::move(wanted));
  for (const WholeBox::Entry &entry : entries)
    rho[tiles.position(entry.cell)] = entry.value;
}

void BodyMatter::add_tiles(std::vector<Index> wanted)
{
  tiles.add(tiles.missing_of(std::move(wanted)));
  rho.resize(tiles.size(), 0.);
  label.resize(tiles.size(), none);
}

void BodyMatter::make_room_around(const std::vector<CellIndex> &cells, const Index reach)
{
  std::vector<Index> wanted;
  for (const CellIndex &cell : cells)
    box->grid().any_around(cell, reach, [&](const CellIndex &there) {
      if (const Index tile = tiles.tile_of(there); wanted.empty() || wanted.back() != tile)
        wanted.push_back(tile);
      return false;
    });
  add_tiles(std::move(wanted));
}

void BodyMatter::move_to(BodyMatter &other, const CellIndex &cell)
{
  double &mine = rho[position(cell)];
  other.rho[other.position(cell)] += mine;
  mine = 0.;
}
} // namespace moreau::macro
