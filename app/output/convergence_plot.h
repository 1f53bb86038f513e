// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_CONVERGENCE_PLOT_H
#define MOREAU_APP_OUTPUT_CONVERGENCE_PLOT_H

#include <filesystem>
#include <string>
#include <vector>

namespace moreau::app
{
/// One curve of errors. A dashed one has the colour of the solid one before it.
struct PlotSeries
{
  std::string         name;
  std::vector<double> x, y;           ///< of one length; positive numbers are drawn, others left out
  bool                dashed = false; ///< bounds, beside the errors that they bound
};

/// Errors over a size, both logarithmic, with triangles of slope. Texts are UTF-8 and shown as they are.
struct ConvergencePlot
{
  std::string             title, x_label, y_label;
  std::vector<PlotSeries> series;
  std::vector<double>     slopes = {1.,
                                    /// drawn below the curves from the last point of the first series, with their number
                                    .5};
};

/// Draws it with gnuplot as a PNG of 1000 x 750 pixels, complete or not at all. Returns one sentence saying why there is no
/// picture, empty where there is one: without gnuplot a run goes on.
std::string draw(const ConvergencePlot &plot, const std::filesystem::path &png);
} // namespace moreau::app

#endif
