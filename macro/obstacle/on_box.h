// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_ON_BOX_H
#define MOREAU_MACRO_OBSTACLE_ON_BOX_H

#include "macro/obstacle/multigrid.h"
#include "macro/obstacle/solver.h"
#include "macro/obstacle/nested_obstacle.h"

namespace moreau::macro
{
/// CongestionSolver in two and three dimensions, working on all cells of a box. Ghosts of π are left alone.
class BoxCongestion
{
public:
  /// As for CongestionSolver.
  BoxCongestion(const BoxGrid &grid, const std::array<bool, 3> &periodic, const FaceArrays &weights,
                const CellArray *unknown);

  CongestionSolver::Progress solve(const CellArray &f, CellArray &pi, double tolerance, double excess_tolerance,
                                   unsigned int max_iterations, bool nested);

private:
  LinkObstacle make_obstacle(const FaceArrays &weights, const CellArray *unknown) const;
  template <class F>
  void for_unknowns(const LinkObstacle &obstacle, F &&f) const;
  bool is_open(const LinkObstacle &obstacle) const;
  bool is_divided(const LinkObstacle &obstacle) const;
  void judge(const std::vector<double> &f, const std::vector<double> &x, double tolerance, double excess_tolerance,
             CongestionSolver::Progress &progress) const;

  BoxGrid        grid;
  BoxMultigrid   multigrid;
  NestedObstacle obstacle;
};

/// What is below the tolerances, or below the rounding errors of π, is fine. size: of the terms of Aπ.
bool is_fine(const CongestionSolver::Progress &progress, double tolerance, double excess_tolerance, double size);
} // namespace moreau::macro

#endif
