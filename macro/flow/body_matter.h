// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_BODY_MATTER_H
#define MOREAU_MACRO_FLOW_BODY_MATTER_H

#include "macro/flow/colour.h"
#include "macro/flow/whole_box.h"

namespace moreau::macro
{
/// The matter of a colour in the whole box, which every process knows, in tiles: densities, and which body has a cell.
class BodyMatter
{
public:
  static constexpr int none = -1;

  /// Of a colour; of none yet. All processes call the first one. Keep a reference to the box.
  BodyMatter(const WholeBox &box, const Colour &colour);
  explicit BodyMatter(const WholeBox &box);

  /// By cells that need not be wrapped: ρ_k, 0 beyond the box; number of the body, or none.
  double density(const CellIndex &cell) const
  {
    const Index at = position(cell);
    return at == Tiles::none ? 0. : rho[at];
  }
  int label_of(const CellIndex &cell) const
  {
    const Index at = position(cell);
    return at == Tiles::none ? none : label[at];
  }

  void set_label(const CellIndex &cell, const int number) { label[position(cell)] = number; }

  /// f(cell) for all cells that may hold something, row by row.
  template <class F>
  void for_cells(F &&f) const
  {
    tiles.for_rows({0, 0, 0}, [&](Index, const CellIndex &first, const Index n) {
      for (Index k = 0; k < n; ++k)
        f(moved(first, 0, k));
    });
  }

  /// So that the next ones can be called for all cells within `reach` of these.
  void make_room_around(const std::vector<CellIndex> &cells, Index reach);
  void move_to(BodyMatter &other, const CellIndex &cell); ///< the density of a cell

private:
  Index position(const CellIndex &cell) const
  {
    const auto there = box->grid().wrapped(cell);
    return there ? tiles.position(*there) : Tiles::none;
  }
  void add_tiles(std::vector<Index> wanted);

  const WholeBox     *box;
  Tiles               tiles;
  std::vector<double> rho;
  std::vector<int>    label;
};
} // namespace moreau::macro

#endif
