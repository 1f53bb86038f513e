// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_NESTED_OBSTACLE_H
#define MOREAU_MACRO_NESTED_OBSTACLE_H

#include "macro/coarse_correction.h"

namespace moreau::macro
{
/// x >= 0, Ax - f >= 0, complementary, on the unknown cells of a level.
struct LinkObstacle
{
  explicit LinkObstacle(const LevelBox &box) : A(box), f(box.size, 0.), is_unknown(box.size, 0) {}

  LinkOperator        A;
  std::vector<double> f;
  std::vector<char>   is_unknown;        ///< ghosts up to date
  bool                is_closed = false; ///< A is singular, x unique up to a constant: min x = 0 is taken
};

/// Truncated nonsmooth Newton multigrid for a LinkObstacle, with starts from coarser grids.
class NestedObstacle
{
public:
  /// The obstacle stands on the finest level of the chain.
  NestedObstacle(const LevelChain &chain, LinkObstacle obstacle);

  /// x of the finest level from solutions on the coarser ones.
  std::vector<double> start();

  struct Progress
  {
    unsigned int n_iterations = 0;
    double       residual     = 0.;    ///< max |min(x A_cc / 2, Ax - f)| of the x returned
    bool         stagnated    = false; ///< it does not fall any more
  };

  /// Iterates on the finest level until `residual` is at most `tolerance`, `max_iterations` times, or in vain.
  Progress iterate(std::vector<double> &x, double tolerance, unsigned int max_iterations)
  {
    return iterate(0, x, tolerance, max_iterations);
  }

private:
  Progress iterate(std::size_t level, std::vector<double> &x, double tolerance, unsigned int max_iterations);
  void     relax(std::size_t level, std::vector<double> &x) const;
  double   masked_residual(std::size_t level, const std::vector<double> &x, std::vector<double> &r,
                           std::vector<char> &states) const;
  void     correct(std::size_t level, std::vector<double> &x, std::vector<double> &r, const std::vector<char> &states);

  const LevelChain         &chain;
  std::vector<LinkObstacle> obstacles;
  CoarseCorrection          coarse;
};
} // namespace moreau::macro

#endif
