// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_NESTED_OBSTACLE_H
#define MOREAU_MACRO_OBSTACLE_NESTED_OBSTACLE_H

#include "macro/obstacle/link_obstacle.h"
#include "macro/obstacle/link_solver.h"

#include <functional>
#include <memory>

namespace moreau::macro
{
/// Truncated nonsmooth Newton multigrid for a LinkObstacle, with starts from coarser grids.
class NestedObstacle
{
public:
  /// The obstacle stands on the finest level of the chain.
  NestedObstacle(const LevelChain &chain, LinkObstacle obstacle);
  NestedObstacle(NestedObstacle &&) = delete;

  /// Told the natural residual of the finest level after each of its iterations, on every process; may be empty.
  std::function<void(double)> watch;

  const LinkObstacle &obstacle() const { return obstacles[0]; }
  void                set_right_hand_side(std::vector<double> f) { obstacles[0].f = std::move(f); }

  /// x of the finest level from solutions on the coarser ones, which are made when first asked for.
  std::vector<double> start();

  /// ½x·Ax - f·x on the finest level, least for the solution. Ghosts of x are brought up to date.
  double energy(std::vector<double> &x) const { return -gain(obstacles[0].f, x); }

  /// Iterates on the finest level until the natural residual max |min(x A_cc / 2, Ax - f)| of x, which is not a relative one
  /// here, is at most `tolerance`, `max_iterations` times, or until it does not fall any more: at rounding that is seen at
  /// once.
  convex::Effort iterate(std::vector<double> &x, double tolerance, unsigned int max_iterations)
  {
    return iterate(0, x, tolerance, max_iterations);
  }

  /// The same, with conjugate gradients on the cells where x > 0 once these hardly change: for warm starts and for
  /// tolerances close to rounding errors. Their steps count as iterations. Stagnates where rounding errors of x are felt.
  convex::Effort iterate_closely(std::vector<double> &x, double tolerance, unsigned int max_iterations);

private:
  convex::Effort iterate(std::size_t level, std::vector<double> &x, double tolerance, unsigned int max_iterations);
  double         rounding(std::size_t level, const std::vector<double> &x) const; ///< of Ax, from that of x
  void           relax(std::size_t level, std::vector<double> &x) const;
  double         masked_residual(std::size_t level, const std::vector<double> &x, std::vector<double> &r,
                                 std::vector<char> &states) const;
  void           correct(std::size_t level, std::vector<double> &x, std::vector<double> &r, const std::vector<char> &states);
  void           step(std::size_t level, std::vector<double> &x, const std::vector<double> &r, std::vector<double> &d) const;
  void           make_coarser();
  double         gain(const std::vector<double> &r, std::vector<double> &d) const;
  void           projected_step(std::vector<double> &x, const std::vector<double> &r, const std::vector<double> &d) const;

  /// What is left of A where some x are kept at 0.
  struct FreeSystem
  {
    FreeSystem(const LevelChain &chain, const LinkOperator &A, CoarseCorrection &coarse)
        : A(A), solver(chain, this->A, coarse)
    {}

    LinkOperator A;
    LinkSolver   solver;
  };

  const LevelChain           &chain;
  std::vector<LinkObstacle>   obstacles; ///< the coarser ones: only where start() was called
  CoarseCorrection            coarse;
  std::unique_ptr<FreeSystem> free_system; ///< of the finest level
};
} // namespace moreau::macro

#endif
