// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_WHOLE_BOX_H
#define MOREAU_MACRO_FLOW_WHOLE_BOX_H

#include "macro/flow/grid.h"

#include <memory>
#include <optional>

namespace moreau::macro
{
/// All cells of a flow on every process, for what has to know bodies as a whole: which cells are one, how large they are,
/// what is near them. Everything else works with the cells of one process, here().
class WholeBox
{
public:
  /// Keeps a reference. rho_max: of the cells here. All processes call.
  WholeBox(const FlowGrid &here, const CellArray &rho_max);

  const FlowGrid &here() const { return part; }
  const FlowGrid &grid() const { return own ? *own : part; } ///< of the whole box, of one process; here() where that is all

  const CellArray &rho_max() const { return largest_densities; } ///< ρ̄ of the whole box

  /// The values of all cells; ghosts of periodic axes up to date. All processes call.
  CellArray gathered(const CellArray &of_part) const;

  /// The cells here get theirs of all; ghosts stay.
  void take_part(const CellArray &of_all, CellArray &of_part) const;

  /// Position here of a cell that this process owns, of a face (the lower one of `cell`, which may lie behind the last cell)
  /// that it computes; cells need not be wrapped.
  std::optional<Index> cell_here(CellIndex cell) const;
  std::optional<Index> face_here(int axis, CellIndex cell) const;

private:
  CellIndex wrapped(CellIndex cell) const;
  bool      is_in_layers(const CellIndex &cell) const;

  const FlowGrid           &part;
  std::unique_ptr<FlowGrid> own; ///< where there are several processes
  CellArray                 largest_densities;
};
} // namespace moreau::macro

#endif
