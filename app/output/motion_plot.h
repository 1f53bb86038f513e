// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_MOTION_PLOT_H
#define MOREAU_APP_OUTPUT_MOTION_PLOT_H

#include <Eigen/Core>

#include <filesystem>
#include <string>
#include <vector>

namespace moreau::app
{
/// A motion in a plot.
struct PlottedMotion
{
  std::string         name;
  std::vector<double> t;              ///< s
  Eigen::MatrixXd     q;              ///< a column per instant
  bool                dashed = false; ///< and black: what others are compared with
};

/// Few coordinates of some motions over time, one panel per coordinate. Texts are UTF-8 and shown as they are.
struct MotionPlot
{
  std::string                title;
  std::vector<std::string>   coordinates; ///< with units
  std::vector<PlottedMotion> motions;
};

/// Draws it as draw(ConvergencePlot) does.
std::string draw(const MotionPlot &plot, const std::filesystem::path &png);
} // namespace moreau::app

#endif
