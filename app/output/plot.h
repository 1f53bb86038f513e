// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_PLOT_H
#define MOREAU_APP_OUTPUT_PLOT_H

#include "geometry/progress.h"

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace moreau::app
{
class ParameterFile;

/// A table of a run as a picture: a script for gnuplot in app/plots, and the variables that its first lines ask for. Texts
/// are UTF-8 and shown as they are.
struct Plot
{
  std::string                                     script; ///< "convergence"
  std::map<std::string, std::string>              texts;
  std::map<std::string, std::vector<std::string>> lists; ///< none of them empty

  std::string              table   = "";      ///< file beside the picture that the run writes; empty: draw() writes one
  std::vector<std::string> formats = {"png"}; ///< png, svg, pdf

  double time_limit = 60.; ///< s; a gnuplot that takes longer is ended

  /// Adds a curve to the script `convergence`: a column of the table, all rows or those of a limit. Dashed ones are bounds
  /// and have the colour of the curve before them. One with_interval has bars, from the column column_lower to column_upper.
  void add_curve(const std::string &name, const std::string &column, bool dashed = false, int limit = 0,
                 bool with_interval = false);
};

/// Plots/Title, or the name of the parameter file: "square blocks" of square_blocks.prm.
std::string title_of(const ParameterFile &file);

/// "convergence.png, convergence.pdf"
std::string pictures_of(const Plot &plot, const std::string &name);

/// Draws the table with gnuplot as pictures folder/name.png (1000 x 750 pixels), .svg, .pdf, each complete or not at all.
/// Beside them it leaves the script name.gp, which draws them again from plot.table, also where the folder has moved, and
/// where that is empty name_plot.csv for it. Returns one sentence saying why there is no picture, empty where all are there:
/// without gnuplot a run goes on. progress: of the formats.
std::string draw(const Plot &plot, const std::filesystem::path &folder, const std::string &name,
                 const std::function<void(std::ostream &)> &write_table, const geometry::Progress &progress = {});
} // namespace moreau::app

#endif
