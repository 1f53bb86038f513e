// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/motion_plot.h"

#include "app/output/gnuplot.h"
#include "app/input/words.h"

namespace moreau::app
{
namespace
{
/// t and all coordinates of a motion, as a block of data.
std::string data(const PlottedMotion &motion, const std::size_t number)
{
  std::string block = "$motion" + std::to_string(number) + " << end\n";
  for (std::size_t k = 0; k < motion.t.size(); ++k)
    {
      block += digits(motion.t[k]);
      for (const double q : motion.q.col(static_cast<Eigen::Index>(k)))
        block += " " + digits(q);
      block += "\n";
    }
  return block + "end\n";
}

/// Lines of all motions in the panel of a coordinate; names stand in the last panel.
std::string panel(const MotionPlot &plot, const std::size_t coordinate)
{
  const bool  is_last = coordinate + 1 == plot.coordinates.size();
  std::string script  = "set ylabel " + quoted(plot.coordinates[coordinate]) + " noenhanced\n" +
                       (is_last ? "set xlabel 't [s]'\nset key bmargin center horizontal Left reverse noenhanced samplen 3\n"
                                : "unset key\n") +
                       (coordinate == 0 ? "set title " + quoted(plot.title) + " font ',16' noenhanced\n" : "unset title\n");
  for (std::size_t k = 0; k < plot.motions.size(); ++k)
    script += std::string(k == 0 ? "plot" : ",") + " $motion" + std::to_string(k) +
              " using 1:" + std::to_string(coordinate + 2) + " with lines linewidth 2 linecolor rgb '" +
              (plot.motions[k].dashed ? "#000000' dashtype 2" : plot_colours[k % plot_colours.size()] + std::string("'")) +
              " title " + quoted(plot.motions[k].name);
  return script + "\n";
}
} // namespace

std::string draw(const MotionPlot &plot, const std::filesystem::path &png)
{
  std::string script = "set encoding utf8\n"
                       "set terminal pngcairo size 1000,750 enhanced font 'sans,14'\n"
                       "set grid xtics ytics linetype 1 linecolor rgb '#c8c8c8'\n"
                       "set border linewidth 1.5\n"
                       "set autoscale xfix\n";
  for (std::size_t k = 0; k < plot.motions.size(); ++k)
    script += data(plot.motions[k], k);
  script += "set multiplot layout " + std::to_string(plot.coordinates.size()) + ",1\n";
  for (std::size_t coordinate = 0; coordinate < plot.coordinates.size(); ++coordinate)
    script += panel(plot, coordinate);
  return draw_by_gnuplot(script + "unset multiplot\n", png);
}
} // namespace moreau::app
