// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_MULTIGRID_H
#define MOREAU_MACRO_OBSTACLE_MULTIGRID_H

#include "macro/obstacle/link_operator.h"

namespace moreau::macro
{
/// Layers begin ... end-1 of every process, those behind the end of the box included.
struct Slabs
{
  Slabs(const LevelBox &box, const Processes &processes);

  std::vector<Index> begin, end;
};

/// The cells of a BoxZone as the finest level of a LevelChain: with a layer of cells behind every side that has unknowns of
/// its own, and with process borders where coarsening wants them, a few layers from those of the grid.
class BoxMultigrid
{
public:
  /// behind: sides that get a layer of cells; keeps: sides where interpolation
  /// keeps constants (walls); neither counts at the ends of periodic axes.
  /// 2D and 3D.
  BoxMultigrid(const BoxGrid &grid, const Sides &behind, const Sides &keeps,
               const std::array<bool, 3> &periodic = {false, false, false});

  const LevelChain &chain() const { return levels; }
  /// The cells of this process on the grid, in the numbering of the finest level.
  const LevelBox &own() const { return own_box; }
  Index           position(const CellIndex &cell) const
  {
    return own_box.position(cell[1] + shift[1], cell[2] + shift[2]) + cell[0] + shift[0];
  }

  /// From the layout of own() to that of the finest level; ghosts are fetched.
  template <class T>
  std::vector<T> to_level(std::vector<T> array) const;
  /// And back; ghosts are not.
  std::vector<double> to_own(std::vector<double> array) const;

  /// A on the finest level with links |f|² / (L^{2d-2} θ |c|): W of DivergenceConstraint, if unknowns are x = p L^{d-1}.
  ///   theta       on faces, <= 0: no link
  ///   is_unknown  in the layout of own()
  LinkOperator links(const FaceArrays &theta, const std::vector<char> &is_unknown) const;

  /// A on the finest level with links unit[axis] * weights >= 0, alike where
  /// the weight is 1. is_unknown: in the layout of own().
  LinkOperator weighted_links(const std::array<double, 3> &unit, const FaceArrays &weights,
                              const std::vector<char> &is_unknown) const;

private:
  /// Links of(axis, number on the face) of all faces of own cells.
  template <class F>
  LinkOperator links_of(const std::array<double, 3> &plain_w, const FaceArrays &numbers, const std::vector<char> &is_unknown,
                        F &&of) const;

  BoxGrid              grid;
  std::array<Index, 3> shift = {0, 0, 0};
  LevelBox             own_box;
  LevelChain           levels;
  Slabs                own_slabs, level_slabs;
};

/// Whether matter can leave along an axis: it has no walls on both sides and does not repeat itself.
bool is_open(const BoxZone &zone, int axis);

/// Walls or periodic axes all around and no free boundary inside: pressures are unique up to a constant.
bool is_closed(const BoxZone &zone);
} // namespace moreau::macro

#endif
