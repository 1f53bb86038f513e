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

  /// What is not 0 in the cells that this process owns, of all processes, in the order of cells. All processes call.
  struct Entry
  {
    CellIndex cell;
    double    value;
  };
  std::vector<Entry> gathered(std::vector<Entry> of_part) const;

  /// The values of all cells; ghosts of periodic axes up to date. All processes call.
  CellArray gathered(const CellArray &of_part) const;

  /// The cells here get theirs of all; ghosts stay.
  void take_part(const CellArray &of_all, CellArray &of_part) const;

  /// The cell, wrapped, if this process owns it; likewise a face (the lower one of `cell`, which may lie behind the last
  /// cell) if it computes that.
  std::optional<CellIndex> cell_here(const CellIndex &cell) const;
  std::optional<CellIndex> face_here(int axis, const CellIndex &cell) const;

private:
  const FlowGrid           &part;
  std::unique_ptr<FlowGrid> own; ///< where there are several processes
  CellArray                 largest_densities;
};
} // namespace moreau::macro

#endif
