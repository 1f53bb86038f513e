// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/line_pieces.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>

namespace moreau::app
{
namespace
{
using geometry::Index;

struct Sample
{
  double x, rho, u;
};

/// Equal but for the rounding of an expression.
bool same(const Sample &a, const Sample &b)
{
  constexpr double rounding = 1e-13;
  return std::abs(a.rho - b.rho) <= rounding &&
         std::abs(a.u - b.u) <= rounding * std::max(std::abs(a.u), std::abs(b.u)); // both 0 where there is no matter
}

/// The position with 15 digits, if it is one of these two neighbours or next to them: 0.2 instead of 0.20000000000000001.
/// Near 0, where numbers are closer to each other than the rounding of the box, 0.
double typed(const double left, const double right)
{
  if (left <= 0. && right >= 0.)
    return 0.;
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", left);
  const double x = std::strtod(text, nullptr);
  return std::abs(x - left) <= 4. * (right - left) ? x : left;
}

class PieceFinder
{
public:
  explicit PieceFinder(const geometry::Field &f) : f(f), point(1, 1) {}

  /// x: ascending.
  LinePieces operator()(const std::vector<double> &x)
  {
    const auto n = static_cast<Index>(x.size());
    begin        = x.front();
    rounding     = .25 * std::numeric_limits<double>::epsilon() * std::max(std::abs(x.front()), std::abs(x.back()));
    Sample last  = samples(x, 0, 1).front();
    for (Index k = 1; k < n; k += n_at_once)
      for (const Sample &next : samples(x, k, std::min(n, k + n_at_once)))
        {
          between(last, next);
          last = next;
        }
    add(x.back(), last, true);
    pieces.back().right = x.back();
    return {std::move(pieces), std::move(jumps)};
  }

private:
  static constexpr Index n_at_once = 4096;

  /// Those with numbers from k to end.
  std::vector<Sample> samples(const std::vector<double> &all, const Index k, const Index end)
  {
    const Eigen::MatrixXd x = Eigen::Map<const Eigen::RowVectorXd>(all.data() + k, end - k);
    Eigen::MatrixXd       values;
    f(x, values);
    std::vector<Sample> result;
    for (Index i = 0; i < x.cols(); ++i)
      result.push_back(made(x(0, i), values(0, i), values(1, i)));
    return result;
  }

  static Sample made(const double x, const double rho, const double u)
  {
    const double density = std::clamp(rho, 0., 1.);
    return {x, density, density > 0. ? u : 0.};
  }

  Sample at(const double x)
  {
    point(0, 0) = x;
    f(point, value);
    return made(x, value(0, 0), value(1, 0));
  }

  /// What is from `a` on, up to `b`: one jump and what varies beside it.
  void between(const Sample &a, const Sample &b, const int depth = 0)
  {
    constexpr int    most_jumps = 4;
    constexpr double jump       = 1e-6; // of the whole difference: what is left of it where the function is smooth
    if (same(a, b))
      return;
    Sample l = a, r = b;
    while (distance(l, r) > jump * distance(a, b))
      {
        const Sample middle = at(.5 * (l.x + r.x));
        if (middle.x <= l.x || middle.x >= r.x || r.x - l.x < rounding)
          break;
        (distance(l, middle) >= distance(middle, r) ? r : l) = middle;
      }
    if (!(distance(l, r) > jump * distance(a, b)) || depth == most_jumps)
      {
        add(a.x, a, true);
        const Sample middle = at(.5 * (a.x + b.x));
        const double rho    = (a.rho + 4. * middle.rho + b.rho) / 6.;
        const double mass_u = (a.rho * a.u + 4. * middle.rho * middle.u + b.rho * b.u) / 6.;
        add(b.x, {b.x, rho, rho > 0. ? mass_u / rho : 0.}, false);
        return;
      }
    between(a, l, depth + 1);
    jumps.push_back(typed(l.x, r.x));
    add(jumps.back(), l, true);
    between(r, b, depth + 1);
  }

  static double distance(const Sample &a, const Sample &b) { return std::abs(a.rho - b.rho) + std::abs(a.u - b.u); }

  /// What is there up to x. Slivers as thin as rounding become part of what comes next.
  void add(const double x, const Sample &what, const bool uniform)
  {
    if (!(x - begin > 32. * rounding))
      return;
    if (!pieces.empty() && uniform && pieces.back().uniform && same({x, pieces.back().rho, pieces.back().u}, what))
      pieces.back().right = x;
    else
      pieces.push_back({begin, x, what.rho, what.u, uniform});
    begin = x;
  }

  const geometry::Field &f;
  double                 begin    = 0.; ///< of the piece at hand
  double                 rounding = 0.; ///< of the ends of the box (m), to which jumps are found
  std::vector<LinePiece> pieces;
  std::vector<double>    jumps;
  Eigen::MatrixXd        point, value;
};
} // namespace

bool LinePieces::has_same_jumps(const LinePieces &other) const
{
  constexpr double rounding = 1e-12; // of an expression that says where
  const double     extent   = std::max(std::abs(pieces.front().left), std::abs(pieces.back().right));
  return std::equal(jumps.begin(), jumps.end(), other.jumps.begin(), other.jumps.end(),
                    [&](const double a, const double b) { return std::abs(a - b) <= rounding * extent; });
}

LinePieces line_pieces(const geometry::Field &f, const double left, const double right, const Index n_samples,
                       const std::vector<double> &more)
{
  std::vector<double> x;
  for (Index i = 0; i < n_samples; ++i)
    x.push_back(i + 1 == n_samples ? right
                                   : left + (right - left) * (static_cast<double>(i) / static_cast<double>(n_samples - 1)));
  std::copy_if(more.begin(), more.end(), std::back_inserter(x), [&](const double at) { return left < at && at < right; });
  std::sort(x.begin(), x.end());
  return PieceFinder(f)(x);
}
} // namespace moreau::app
