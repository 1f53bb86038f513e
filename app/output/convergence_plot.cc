// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/convergence_plot.h"

#include "app/output/gnuplot.h"
#include "app/input/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

namespace moreau::app
{
namespace
{
/// Decimal logarithms of a size and an error: everything here is measured in decades.
struct Point
{
  double x, y;
};

/// A series that has something to show.
struct Curve
{
  std::string        name;
  bool               dashed;
  std::vector<Point> points;
};

std::vector<Curve> curves(const std::vector<PlotSeries> &series)
{
  const auto         is_drawn = [](const double value) { return std::isnormal(value) && value > 0.; };
  std::vector<Curve> result;
  for (const PlotSeries &one : series)
    {
      if (one.x.size() != one.y.size())
        throw std::invalid_argument("ConvergencePlot: '" + one.name + "' has not as many sizes as errors.");
      Curve curve{one.name, one.dashed, {}};
      for (std::size_t k = 0; k < one.x.size(); ++k)
        if (is_drawn(one.x[k]) && is_drawn(one.y[k]))
          curve.points.push_back({std::log10(one.x[k]), std::log10(one.y[k])});
      if (!curve.points.empty())
        result.push_back(std::move(curve));
    }
  return result;
}

/// Part of an axis, in decades.
struct Range
{
  double lower = std::numeric_limits<double>::infinity(), upper = -std::numeric_limits<double>::infinity();

  double length() const { return upper - lower; }
  void   include(const double value)
  {
    lower = std::min(lower, value);
    upper = std::max(upper, value);
  }
  /// At least most of a decade, so that noise does not look like a trend.
  Range with_margin() const
  {
    const double margin = std::max(0.06 * length(), 0.5 * (0.8 - length()));
    return {lower - margin, upper + margin};
  }
};

/// x 10^exponent as a number of gnuplot.
std::string from_decades(const double exponent) { return digits(std::pow(10., exponent)); }

/// Labels of an axis: powers of ten where it has three of them, else 1, 2 and
/// 5 times these; lines without labels between them.
std::string ticks(const Range &range)
{
  const int  first = std::floor(range.lower), last = std::ceil(range.upper);
  const int  n_powers    = std::floor(range.upper) - std::ceil(range.lower) + 1.;
  const bool powers_only = n_powers >= 3;
  const int  step        = (n_powers + 7) / 8; // labels that fit
  const bool plain       = !powers_only && range.lower > -4. && range.upper < 5.;

  std::string result;
  for (int k = first; k < last; ++k)
    for (int m = 1; m < 10; ++m)
      {
        const double position = k + std::log10(m);
        const bool   labelled = m == 1 && k % std::max(step, 1) == 0 || !powers_only && (m == 1 || m == 2 || m == 5);
        if (position < range.lower || position > range.upper || !labelled && n_powers > 8)
          continue;
        const std::string power = "10^{" + std::to_string(k) + "}";
        const std::string label =
            plain ? short_number(m * std::pow(10., k)) : (m == 1 ? "" : std::to_string(m) + "·") + power;
        result += (result.empty() ? "" : ", ") + quoted(labelled ? label : "") + " " + from_decades(position) +
                  (labelled ? " 0" : " 1");
      }
  return "(" + result + ")";
}

/// Lines of given slopes from one corner, and where they end.
struct SlopeFan
{
  Point               corner;
  double              length; ///< along x, negative to the left
  std::vector<double> slopes;

  double x_end() const { return corner.x + length; }
  double y_end(const double slope) const { return corner.y + slope * length; }
};

/// The lowest curve at x, where any is defined.
double lowest(const std::vector<Curve> &curves, const double x)
{
  double y = std::numeric_limits<double>::infinity();
  for (const Curve &curve : curves)
    for (std::size_t k = 0; k < curve.points.size(); ++k)
      {
        const Point &a = curve.points[k], &b = curve.points[std::min(k + 1, curve.points.size() - 1)];
        if (std::min(a.x, b.x) <= x && x <= std::max(a.x, b.x))
          y = std::min(y, a.x == b.x ? std::min(a.y, b.y) : a.y + (x - a.x) / (b.x - a.x) * (b.y - a.y));
      }
  return y;
}

/// Begins at the last point of the first curve, goes to where the other points are, and stays below all curves.
SlopeFan slope_fan(const std::vector<Curve> &curves, const std::vector<double> &slopes, const Range &x, const Range &y)
{
  const double x_last = curves.front().points.back().x;
  const double length = std::max(0.2 * x.length(), 0.12);
  SlopeFan     fan{
      {x_last, std::numeric_limits<double>::infinity()}, x_last > 0.5 * (x.lower + x.upper) ? -length : length, slopes};
  const double steepest = fan.length * (fan.length > 0. ? *std::max_element(slopes.begin(), slopes.end())
                                                        : *std::min_element(slopes.begin(), slopes.end()));
  for (const double t : {0., 0.2, 0.4, 0.6, 0.8, 1.})
    fan.corner.y = std::min(fan.corner.y, lowest(curves, x_last + t * fan.length) - std::max(0., t * steepest));
  fan.corner.y -= std::max(0.05 * y.length(), 0.03);
  return fan;
}

std::string line(const Point &a, const Point &b)
{
  const auto at = [](const Point &point) { return from_decades(point.x) + "," + from_decades(point.y); };
  return "set arrow from " + at(a) + " to " + at(b) + " nohead linewidth 1.5 linecolor rgb '#505050' back\n";
}

/// y_length: of the axis, to see whether there is room for a number per line.
std::string drawn(const SlopeFan &fan, const double y_length)
{
  std::vector<double> slopes = fan.slopes;
  std::sort(slopes.begin(), slopes.end(), [&](const double a, const double b) { return fan.y_end(a) > fan.y_end(b); });
  const auto label = [&](const std::string &text, const double slope) {
    return "set label " + quoted(text) + " at " + from_decades(fan.x_end()) + "," + from_decades(fan.y_end(slope)) +
           (fan.length > 0. ? " left offset 0.6,0" : " right offset -0.6,0") + " noenhanced textcolor rgb '#505050'\n";
  };
  std::string              script;
  std::vector<std::string> numbers;
  double                   smallest_gap = std::numeric_limits<double>::infinity();
  Range                    ends;
  ends.include(fan.corner.y);
  for (std::size_t k = 0; k < slopes.size(); ++k)
    {
      script += line(fan.corner, {fan.x_end(), fan.y_end(slopes[k])});
      numbers.push_back(short_number(slopes[k]));
      ends.include(fan.y_end(slopes[k]));
      if (k > 0)
        smallest_gap = std::min(smallest_gap, fan.y_end(slopes[k - 1]) - fan.y_end(slopes[k]));
    }
  script += line(fan.corner, {fan.x_end(), fan.corner.y}) + line({fan.x_end(), ends.lower}, {fan.x_end(), ends.upper});
  if (smallest_gap < 0.035 * y_length)
    return script + label(joined(numbers, ", "), slopes.front());
  for (std::size_t k = 0; k < slopes.size(); ++k)
    script += label(numbers[k], slopes[k]);
  return script;
}

/// Markers are filled on errors and open on bounds.
std::string plot_command(const std::vector<Curve> &curves)
{
  constexpr std::array filled_markers = {7, 5, 9, 13, 11, 15};
  constexpr std::array open_markers   = {6, 4, 8, 12, 10, 14};
  std::string          script;
  std::size_t          n_solid = 0, n_dashed = 0, n_dashed_here = 0;
  for (std::size_t k = 0; k < curves.size(); ++k)
    {
      const bool dashed = curves[k].dashed;
      n_dashed_here     = dashed ? n_dashed_here + 1 : 0;
      n_solid += !dashed;
      n_dashed += dashed;
      const std::size_t colour = std::max<std::size_t>(n_solid, 1) - 1;
      const int         marker = dashed ? open_markers[(n_dashed - 1) % open_markers.size()]
                                        : filled_markers[(n_solid - 1) % filled_markers.size()];
      script += (k == 0 ? "plot $curve" : ", $curve") + std::to_string(k) +
                " using 1:2 with linespoints linewidth 2 pointsize 1.5" + " dashtype " +
                std::to_string(1 + std::min<std::size_t>(n_dashed_here, 4)) + " pointtype " + std::to_string(marker) +
                " linecolor rgb '" + plot_colours[colour % plot_colours.size()] + "' title " + quoted(curves[k].name);
    }
  return script + "\n";
}

/// What gnuplot has to do; it writes the picture to its standard output.
std::string gnuplot_script(const ConvergencePlot &plot, const std::vector<Curve> &curves)
{
  Range x, y;
  for (const Curve &curve : curves)
    for (const Point &point : curve.points)
      {
        x.include(point.x);
        y.include(point.y);
      }
  std::optional<SlopeFan> fan;
  if (!plot.slopes.empty())
    {
      fan = slope_fan(curves, plot.slopes, x, y);
      x.include(fan->x_end());
      y.include(fan->corner.y);
      for (const double slope : plot.slopes)
        y.include(fan->y_end(slope));
    }
  x = x.with_margin();
  y = y.with_margin();

  const auto axis = [](const std::string &name, const Range &range, const std::string &label) {
    return "set " + name + "range [" + from_decades(range.lower) + ":" + from_decades(range.upper) + "]\nset " + name +
           "tics " + ticks(range) + "\nset " + name + "label " + quoted(label) + " noenhanced\n";
  };
  std::string script =
      "set encoding utf8\n"
      "set terminal pngcairo size 1000,750 enhanced font 'sans,14'\n"
      "set logscale xy\n"
      "set grid xtics ytics mxtics mytics linetype 1 linecolor rgb '#c8c8c8', linetype 1 linecolor rgb '#ececec'\n"
      "set border linewidth 1.5\n"
      "set key bmargin center horizontal Left reverse noenhanced samplen 3 spacing 1.2 height 0.5\n"
      "set title " +
      quoted(plot.title) + " font ',16' noenhanced\n" + axis("x", x, plot.x_label) + axis("y", y, plot.y_label);
  if (fan)
    script += drawn(*fan, y.length());
  for (std::size_t k = 0; k < curves.size(); ++k)
    {
      script += "$curve" + std::to_string(k) + " << end\n";
      for (const Point &point : curves[k].points)
        script += from_decades(point.x) + " " + from_decades(point.y) + "\n";
      script += "end\n";
    }
  return script + plot_command(curves);
}
} // namespace

std::string draw(const ConvergencePlot &plot, const std::filesystem::path &png)
{
  const std::vector<Curve> drawn_curves = curves(plot.series);
  if (drawn_curves.empty())
    return png.filename().string() + " is not drawn: there is no positive error.";
  return draw_by_gnuplot(gnuplot_script(plot, drawn_curves), png);
}
} // namespace moreau::app
