// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_TIME_LEVELS_H
#define MOREAU_APP_OUTPUT_TIME_LEVELS_H

#include "app/output/record.h"
#include "micro/motion/trajectory.h"

#include <limits>
#include <vector>

namespace moreau::app
{
/// One motion of `time convergence`.
struct TimeLevel
{
  double            h = 0.; ///< s
  Totals            totals;
  micro::StepRecord last; ///< the last step
  micro::Vector     final_q;

  static constexpr double unknown        = std::numeric_limits<double>::quiet_NaN();
  bool                    is_lost        = false; ///< its error exceeds the way that the reference goes: it has no order
  micro::TrajectoryError  rounding       = {0., 0., 0.};                ///< errors and distances up to it have no order
  int                     limit          = 0;                           ///< 1 or 2 where the levels tend to two motions
  micro::TrajectoryError  error          = {unknown, unknown, unknown}; ///< to the reference
  micro::TrajectoryError  order          = {unknown, unknown, unknown}; ///< in h, from the level before with the same limit
  micro::TrajectoryError  distance       = {unknown, unknown, unknown}; ///< to the level before with the same limit
  micro::TrajectoryError  distance_order = {unknown, unknown,
                                            unknown}; ///< from the distance before; h is the finer of each two
};

/// The level before k with the same limit; -1 where there is none.
int level_before(const std::vector<TimeLevel> &levels, int k);

/// Says of levels whether they are lost. size: sup over time of |q - q(0)| of the reference, in the norm of the errors.
void find_lost(std::vector<TimeLevel> &levels, double size);

/// Fills the orders of levels, whose h decrease. Where an error is 0 or rounding, or a level is lost, there is no order.
void set_orders(std::vector<TimeLevel> &levels);

/// Least squares slope of log(error) over log(h) in the last three levels (two where there are no more) that tend to the
/// reference, where others do not; NaN where one of them is lost, or its error rounding.
micro::TrajectoryError observed_orders(const std::vector<TimeLevel> &levels);

/// Whether levels with decreasing h tend to two different motions instead of one (as they may: BM, Fig. 9). Each level gets
/// 1, that of the finest, or 2; empty where there is no sign of it. The sign: levels of both kinds alternate as h decreases,
/// and the distance between the finest ones of the two kinds is beyond four times that of the two finest of each kind.
///   distance   sup |q - q'| of all pairs of levels;  least: distances below it are none (m)
std::vector<int> two_limits(const Eigen::MatrixXd &distance, double least);
} // namespace moreau::app

#endif
