// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/dilatancy_fit.h"

#include <algorithm>
#include <cmath>

namespace moreau::homogenization
{
namespace
{
/// |v - u_s| and how far that may be from the exact one, by s in hundredths.
struct Found
{
  double distance, error;
};

using Distances = std::map<int, Found>;

Distances::const_iterator nearest(const Distances &known)
{
  return std::min_element(known.begin(), known.end(),
                          [](const auto &a, const auto &b) { return a.second.distance < b.second.distance; });
}

/// The parabola through three points with different x.
struct Parabola
{
  double x, slope, curvature, value; ///< value + slope (t - x) + curvature (t - x)²

  Parabola(const Eigen::Vector3d &t, const Eigen::Vector3d &f) : x(t(1)), value(f(1))
  {
    const double before = (f(1) - f(0)) / (t(1) - t(0)), behind = (f(2) - f(1)) / (t(2) - t(1));
    curvature = (behind - before) / (t(2) - t(0));
    slope     = before + curvature * (t(1) - t(0));
  }

  /// The smallest in [lower, upper], where the middle one of the points is the smallest of them.
  double vertex(const double lower, const double upper) const
  {
    return curvature > 0. ? std::clamp(x - .5 * slope / curvature, lower, upper) : x;
  }
  double at(const double t) const { return value + (slope + curvature * (t - x)) * (t - x); }
};

/// The neighbours of the nearest s: it may be one of them at an end.
struct Bracket
{
  Distances::const_iterator lower, best, upper;

  explicit Bracket(const Distances &known) : lower(nearest(known)), best(lower), upper(lower)
  {
    if (lower != known.begin())
      --lower;
    if (std::next(upper) != known.end())
      ++upper;
  }

  bool is_at_end() const { return lower == best || upper == best; }

  Parabola parabola() const
  {
    const auto square = [](const Distances::const_iterator &place) { return std::pow(place->second.distance, 2); };
    return {Eigen::Vector3d(lower->first, best->first, upper->first),
            Eigen::Vector3d(square(lower), square(best), square(upper))};
  }
};

/// Where to look next between the neighbours; -1 where they are near enough.
int next(const Bracket &bracket)
{
  constexpr int enough = 2; // hundredths between neighbours
  const int     lower = bracket.lower->first, best = bracket.best->first, upper = bracket.upper->first;
  const int     below = best - lower, above = upper - best;
  if (below <= enough && above <= enough)
    return -1;
  const int middle = below > above ? best - below / 2 : best + above / 2;
  if (bracket.is_at_end())
    return middle;
  // the vertex, but not beside the best, and on the wider side where that is much wider
  const int vertex = static_cast<int>(std::lround(bracket.parabola().vertex(lower, upper)));
  if (std::max(below, above) > 4 * std::max(1, std::min(below, above)) || std::abs(vertex - best) < 1)
    return middle;
  const int step = std::max(1, std::min(enough, (vertex < best ? below : above) / 2));
  return vertex < best ? std::clamp(vertex, lower + 1, best - step) : std::clamp(vertex, best + step, upper - 1);
}
} // namespace

const Reference &DilatantProjections::operator()(const int hundredths)
{
  const auto place = known.find(hundredths);
  return place != known.end() ? place->second : known.emplace(hundredths, projection(.01 * hundredths)).first->second;
}

FittedDilatancy fitted_dilatancy(const VoronoiCells &cells, const Vector &v, DilatantProjections &u)
{
  constexpr int most = 16; // more than the search can need
  Distances     known;
  const auto    look = [&](const int hundredths) {
    const Reference &reference = u(hundredths);
    Fields           fields;
    fields.functions     = {reference.u};
    fields.cellwise      = {&v};
    const Distance found = distances(cells, fields, {{0, 1}})[0];
    known[hundredths]    = {found.value, found.error + reference.error};
  };
  for (const int hundredths : {0, 10, 20, 40, 70, 100})
    look(hundredths);
  for (int again = next(Bracket(known)); again >= 0 && static_cast<int>(known.size()) < most; again = next(Bracket(known)))
    look(again);

  const auto [least, largest] = std::minmax_element(
      known.begin(), known.end(), [](const auto &a, const auto &b) { return a.second.distance < b.second.distance; });
  const Bracket   bracket(known);
  FittedDilatancy fit;
  fit.s        = .01 * bracket.best->first;
  fit.distance = bracket.best->second.distance;
  fit.spread   = largest->second.distance - least->second.distance;
  if (!bracket.is_at_end())
    {
      const Parabola parabola = bracket.parabola();
      const double   vertex   = parabola.vertex(bracket.lower->first, bracket.upper->first);
      fit.s                   = .01 * vertex;
      fit.distance            = std::sqrt(std::max(0., parabola.at(vertex)));
    }
  const Found &best = bracket.best->second;
  for (const auto &[hundredths, found] : known)
    if (found.distance - found.error > best.distance + best.error)
      {
        if (hundredths < bracket.best->first)
          fit.lower = .01 * hundredths;
        else
          {
            fit.upper = .01 * hundredths;
            break;
          }
      }
  return fit;
}
} // namespace moreau::homogenization
