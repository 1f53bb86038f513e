// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_WINDOW_H
#define MOREAU_MACRO_OBSTACLE_WINDOW_H

#include "macro/obstacle/on_box.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace moreau::macro
{
/// CongestionSolver in two and three dimensions on a part of the box around the cells where f > 0 or π > 0. Where π = 0 in
/// the outermost cells of the part and f <= 0 beyond it, its solution is that of the box; else the part grows. Parts reach
/// through all layers that processes share.
class CongestionWindow
{
public:
  /// As for CongestionSolver.
  CongestionWindow(const BoxGrid &grid, const std::array<bool, 3> &periodic, const FaceArrays &weights,
                   const CellArray *unknown);

  CongestionSolver::Progress solve(const CellArray &f, CellArray &pi, double tolerance, double excess_tolerance,
                                   unsigned int max_iterations, bool nested);

  /// Where the part is: the next solve begins there. Empty before the first one.
  std::vector<std::int64_t> memory() const;
  void                      remember(const std::vector<std::int64_t> &memory);

private:
  /// Cells begin <= index < end.
  struct Part
  {
    CellIndex begin, end;
  };

  bool is_unknown(const CellIndex &cell) const;
  bool pressed(const CellArray &f) const;
  Part around(const CellArray &f, const CellArray &pi) const;
  Part widened(Part part, Index share) const;
  bool suits(const Part &needed) const;
  void open(const Part &part);
  bool touched(const CellArray &pi) const;
  bool is_cut(int axis, int end) const;

  BoxGrid                        grid;
  std::array<bool, 3>            periodic;
  FaceArrays                     weights;
  std::optional<CellArray>       unknown;
  Part                           part;
  BoxGrid                        part_grid;
  std::unique_ptr<BoxCongestion> solver; ///< on the part
};
} // namespace moreau::macro

#endif
