// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_GRID_COLUMNS_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_GRID_COLUMNS_H

#include "macro/directional/lattices/aligned_grid.h"

namespace moreau::macro
{
/// A grid that processes share by layers across its last axis, shared by layers across its first one: so that each has
/// whole the lines along the last axis that belong to it. Numbers of nodes travel between the two; all processes call
/// together.
class GridColumns
{
public:
  /// layers: by layers; must outlive this.
  GridColumns(const AlignedGrid &layers, const Domain &domain, const Processes &processes);

  /// The cells here, ghosts beside the own ones included. Where the zone is no union of cells only passages along the last
  /// axis are there, and there is no U.
  const AlignedGrid &grid() const { return columns; }

  /// Nodes of grid() that are this process', ascending.
  const std::vector<int> &own() const { return own_nodes; }

  /// n_each numbers of each own node of the layers: of the nodes of grid().
  Vector to_columns(const Vector &of_layers, Index n_each = 1) const;

  /// n_each numbers of each node of grid(), of which those of own() count: of the own nodes of the layers.
  Vector to_layers(const Vector &of_columns, Index n_each = 1) const;

private:
  /// What travels: items to each process, one list behind the other, and how many arrive from each.
  struct Way
  {
    std::vector<int> items, n_to, n_from;
  };

  Vector sent(const Way &way, const Vector &numbers, Index n_each) const;

  Processes        processes;
  AlignedGrid      columns;
  std::vector<int> own_nodes;
  Way              there; ///< own nodes of the layers, those that are ghosts elsewhere twice; they arrive as nodes of grid()
  Way              back;  ///< of own(); what arrives is
  std::vector<int> place; ///< of these nodes of the layers
};
} // namespace moreau::macro

#endif
