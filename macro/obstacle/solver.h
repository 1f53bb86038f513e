// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_SOLVER_H
#define MOREAU_MACRO_OBSTACLE_SOLVER_H

#include "convex/effort.h"
#include "geometry/box_grid.h"
#include "macro/vocabulary.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace moreau::macro
{
/// The obstacle problem of a congested flow, on all cells of a box:
///     π >= 0,    f - Aπ <= 0,    complementary,        (Aπ)_c = Σ_faces ± w_f (∂π)_f |f|/|c| = -div(w ∇π),
/// w_f >= 0 a weight per face (0: closed, as walls are) and (∂π)_f the difference of the two cells over their distance
/// h_a. Behind open sides of the box π = 0 stands one cell away. With f =
/// (ρ* - ρ̄)/h, π is the impulse h p of mathematics.md 6.
/// 1D: direct, to round-off. 2D, 3D: truncated nonsmooth Newton multigrid and conjugate gradients, on the part of the box
/// where f > 0 or π > 0 and some cells around; hierarchies last until that part has moved on.
class CongestionSolver
{
public:
  /// weights: on all faces that this process holds (both sides of process borders). In 1D they may be infinite on faces
  /// between unknown cells: these have one π then, and one row, the sum of theirs.
  /// periodic: axes whose first and last cells are neighbours; the face between them is the first one (index 0), and weights
  /// there agree with those at index n.
  /// unknown: null, or nonzero where π may be positive (a CellArray's layout without need for ghosts); π = 0 elsewhere.
  CongestionSolver(const BoxGrid &grid, const std::array<bool, 3> &periodic, const FaceArrays &weights,
                   const CellArray *unknown = nullptr);
  ~CongestionSolver();
  CongestionSolver(CongestionSolver &&) noexcept;

  struct Progress
  {
    double residual = 0.; ///< max |min(π A_cc, Aπ - f)| (1/s)
    double excess   = 0.; ///< max (f - Aπ)⁺ (1/s)
    /// Converged: both are within the tolerances or rounding errors of Aπ, which they are not where there is no solution.
    convex::Effort effort;
  };

  /// From π as given to the solution. Ends when residual <= tolerance and excess <= excess_tolerance (both 1/s), or does
  /// not fall any more, or after max_iterations. Where f <= 0 everywhere, π becomes 0 at once. Ghosts of π are up to date
  /// afterwards (periodic ones too: π(-1) = π(n-1), π(n) = π(0)).
  /// nested: start from coarser grids instead of from π, for impacts; so it is where π = 0.
  /// Where no link leads to π = 0 (walls all around, periodic boxes), π is unique up to a constant and min π = 0 is
  /// taken; if Σf > 0 there, there is no solution, and f without its mean is solved for. Numbers that are not finite: π
  /// stays what it is, residual and excess are NaN.
  Progress solve(const CellArray &f, CellArray &pi, double tolerance, double excess_tolerance, unsigned int max_iterations,
                 bool nested = false);

  /// What later solves depend on besides their arguments, down to the last
  /// digit: for checkpoints. Empty or of any length as memory() gives it.
  std::vector<std::int64_t> memory() const;
  void remember(const std::vector<std::int64_t> &memory); ///< Throws std::invalid_argument for that of another box.

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};
} // namespace moreau::macro

#endif
