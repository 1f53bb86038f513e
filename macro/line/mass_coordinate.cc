// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/line/mass_coordinate.h"

#include "convex/chains/isotonic_regression.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace moreau::macro
{
namespace
{
enum class Origin : char
{
  data,
  pool,
  wall ///< rests there
};

/// y = X - m, linear and increasing between two masses.
struct Piece
{
  double m0, m1, y0, y1;
  Origin origin;

  double mass() const { return m1 - m0; }
  double slope() const { return (y1 - y0) / (m1 - m0); }
  double at(const double m) const { return m <= m0 ? y0 : m >= m1 ? y1 : y0 + (y1 - y0) * ((m - m0) / (m1 - m0)); }
  double mean(const double a, const double b) const { return .5 * (at(a) + at(b)); }
  double mass_below(const double c) const { return c >= y1 ? mass() : c <= y0 ? 0. : (c - y0) / slope(); }
};

/// Isotonic regression in L²(dm) of a function that is linear and increasing between jumps, in linear time: pooling
/// adjacent violators, where a pool may take a part of a piece only.
class PiecewiseRegression
{
public:
  /// Smaller steps down are rounding, not pools: matter that touches there may separate.
  explicit PiecewiseRegression(const double rounding) : rounding(rounding) {}

  /// The next piece to the right; y0 <= y1.
  void add(const Piece &piece);

  std::vector<Piece> take() { return std::move(pieces); }

private:
  double             rounding;
  std::vector<Piece> pieces; ///< an increasing function

  static double solve(const Piece &tail, const Piece &added, double M, double A, double low, double high);
};

/// What the pool of height c takes from the left, less what it lacks on the
/// right: (A - Mc) + ∫_tail (y - c)₊ - ∫_added (c - y)₊ dm.
double balance(const Piece &tail, const Piece &added, const double M, const double A, const double c)
{
  const double above = tail.mass() - tail.mass_below(c), below = added.mass_below(c);
  return A - M * c + above * (.5 * (std::max(c, tail.y0) + tail.y1) - c) -
         below * (c - .5 * (added.y0 + std::min(c, added.y1)));
}

/// The zero of balance() in [low, high], where it decreases from >= 0 to <= 0 and is quadratic on either side of added.y1.
double PiecewiseRegression::solve(const Piece &tail, const Piece &added, const double M, const double A, double low,
                                  double high)
{
  if (low < added.y1 && added.y1 < high)
    (balance(tail, added, M, A, added.y1) >= 0. ? low : high) = added.y1;
  const double at_low  = std::max(balance(tail, added, M, A, low), 0.);
  const double slope   = M + tail.mass() - tail.mass_below(low) + added.mass_below(low); // -d/dc
  const bool   in_tail = high > tail.y0 && low < tail.y1, in_added = low < added.y1;
  const double curvature =
      (in_tail && tail.y1 > tail.y0 ? 1. / tail.slope() : 0.) - (in_added && added.y1 > added.y0 ? 1. / added.slope() : 0.);
  const double root = std::sqrt(std::max(slope * slope - 2. * curvature * at_low, 0.));
  return slope + root > 0. ? std::clamp(low + 2. * at_low / (slope + root), low, high) : low;
}

void PiecewiseRegression::add(const Piece &piece)
{
  if (pieces.empty() || pieces.back().y1 <= piece.y0 + rounding)
    {
      const double y = pieces.empty() ? piece.y0 : pieces.back().y1;
      pieces.push_back({piece.m0, piece.m1, std::max(y, piece.y0), std::max(y, piece.y1), piece.origin});
      return;
    }
  double M = 0., A = 0.; // mass and ∫y of what is pooled entirely
  double c = pieces.back().y1, from = piece.m0;
  while (true)
    {
      const Piece nothing = {piece.m0, piece.m0, piece.y0, piece.y0, Origin::data};
      if (pieces.empty() || balance(pieces.back(), piece, M, A, pieces.back().y1) >= 0.) // between the last pooled and this
        {
          const double low = pieces.empty() ? piece.y0 : std::max(pieces.back().y1, piece.y0);
          c                = solve(nothing, piece, M, A, low, c);
          break;
        }
      const Piece tail = pieces.back();
      pieces.pop_back();
      if (tail.y0 <= piece.y0 || balance(tail, piece, M, A, tail.y0) >= 0.) // a part of this one
        {
          c                = solve(tail, piece, M, A, std::max(tail.y0, piece.y0), tail.y1);
          const double cut = tail.m0 + tail.mass_below(c);
          from             = cut;
          if (cut > tail.m0)
            pieces.push_back({tail.m0, cut, tail.y0, c, tail.origin});
          break;
        }
      M += tail.mass();
      A += tail.mass() * .5 * (tail.y0 + tail.y1);
      from = tail.m0;
      c    = tail.y0;
    }
  const double to = piece.m0 + piece.mass_below(c);
  if (to > from)
    pieces.push_back({from, to, c, c, Origin::pool});
  if (piece.m1 > to)
    pieces.push_back({to, piece.m1, std::max(c, piece.y0), piece.y1, piece.origin});
}
/// f(i, j, m0, m1) for the intervals m0 ... m1 that piece i of one partition
/// of [0, mass] has in common with piece j of another one.
template <class F>
void for_common_intervals(const std::vector<double> &a, const std::vector<double> &b, F &&f)
{
  for (std::size_t i = 0, j = 0; i + 1 < a.size() && j + 1 < b.size();)
    {
      const double m0 = std::max(a[i], b[j]), m1 = std::min(a[i + 1], b[j + 1]);
      if (m1 > m0)
        f(i, j, m0, m1);
      if (a[i + 1] <= b[j + 1])
        ++i;
      else
        ++j;
    }
}

/// Isotonic regression of X - m after free flight with U for the time h, then cut off where walls are.
std::vector<Piece> projected_flight(const Parcels &parcels, const std::vector<double> &U, const double h,
                                    const LineWalls &walls)
{
  double extent = 0.;
  for (std::size_t k = 0; k < U.size(); ++k)
    extent = std::max({extent, std::abs(parcels.left[k]) + std::abs(h * U[k]), std::abs(parcels.right[k])});
  PiecewiseRegression regression(8. * std::numeric_limits<double>::epsilon() * extent);
  for (std::size_t k = 0; k < U.size(); ++k)
    {
      const double y0 = parcels.left[k] - parcels.m[k] + h * U[k], y1 = parcels.right[k] - parcels.m[k + 1] + h * U[k];
      regression.add({parcels.m[k], parcels.m[k + 1], y0, std::max(y0, y1), Origin::data});
    }
  const std::vector<Piece> free = regression.take();
  const double             mass = parcels.m.empty() ? 0. : parcels.m.back();
  const double             low = walls.left, high = walls.right - mass;
  if (!(low <= high + 1e-9 * mass))
    throw std::invalid_argument("The walls leave less room than the mass needs");
  if (low == -std::numeric_limits<double>::infinity() && high == -low)
    return free;

  std::vector<Piece> between;
  for (const Piece &piece : free)
    {
      const double from = piece.m0 + (piece.y0 < low ? piece.mass_below(low) : 0.);
      const double to   = piece.y1 > high ? std::max(piece.m0 + piece.mass_below(high), from) : piece.m1;
      if (piece.y0 < low)
        between.push_back({piece.m0, from, low, low, Origin::wall});
      if (to > from)
        between.push_back({from, to, std::max(piece.y0, low), std::min(piece.y1, high), piece.origin});
      if (to < piece.m1)
        between.push_back({to, piece.m1, high, high, Origin::wall});
    }
  return between;
}

/// X⁺ moves on with the projection of u on what keeps X - m increasing:
/// isotonic where X - m is constant, within rounding, and away from walls.
void stop_pressing(const std::vector<Piece> &pieces, const LineWalls &walls, std::vector<double> &u)
{
  double extent = 0., low = walls.left, high = walls.right - (pieces.empty() ? 0. : pieces.back().m1);
  for (const Piece &piece : pieces)
    extent = std::max({extent, std::abs(piece.m0 + piece.y0), std::abs(piece.m1 + piece.y1)});
  const double           closed = 1e-12 * extent;
  std::vector<double>    masses;
  convex::LineRegression regression;
  for (std::size_t begin = 0, end; begin < pieces.size(); begin = end)
    {
      const double y = pieces[begin].y0;
      masses.clear();
      for (end = begin; end < pieces.size() && pieces[end].y1 <= y + closed; ++end)
        masses.push_back(pieces[end].mass());
      regression.project(static_cast<convex::Index>(masses.size()), &u[begin], masses.data(), &u[begin]);
      for (std::size_t k = begin; k < end; ++k)
        {
          u[k] = y <= low + closed ? std::max(u[k], 0.) : u[k];
          u[k] = y >= high - closed ? std::min(u[k], 0.) : u[k];
        }
      end = std::max(end, begin + 1); // where the density is less than 1
    }
}

std::vector<double> ends_of(const std::vector<Piece> &pieces)
{
  std::vector<double> ends = {0.};
  for (const Piece &piece : pieces)
    ends.push_back(piece.m1);
  return ends;
}

/// Means of ρ times the factor of each parcel.
std::vector<double> cell_means(const Parcels &parcels, const std::vector<double> &factors, const std::vector<double> &ends)
{
  std::vector<double> means(ends.empty() ? 0 : ends.size() - 1, 0.);
  for (std::size_t k = 0, cell = 0; k < parcels.u.size(); ++k)
    {
      const double length = parcels.right[k] - parcels.left[k], mass = parcels.m[k + 1] - parcels.m[k];
      while (cell < means.size() && ends[cell + 1] <= parcels.left[k])
        ++cell;
      for (std::size_t i = cell; i < means.size() && ends[i] < parcels.right[k]; ++i)
        {
          const double inside = std::min(ends[i + 1], parcels.right[k]) - std::max(ends[i], parcels.left[k]);
          means[i] += factors[k] * mass * (std::max(inside, 0.) / length) / (ends[i + 1] - ends[i]);
        }
    }
  return means;
}

void check_masses(const Parcels &a, const Parcels &b)
{
  if (a.m.empty() || b.m.empty() || !(std::abs(a.m.back() - b.m.back()) <= 1e-9 * std::max(a.m.back(), b.m.back())))
    throw std::invalid_argument("Parcels of different masses cannot be compared");
}
} // namespace

Parcels parcels(const LineDensity &data, const double max_mass)
{
  Parcels result;
  result.m.push_back(0.);
  for (std::size_t k = 0; k < data.rho.size(); ++k)
    {
      const double x = data.x[k], length = data.x[k + 1] - x, rho = data.rho[k];
      if (!(0. <= rho && rho <= 1.))
        throw std::invalid_argument("The density " + std::to_string(rho) + " is not in [0, 1]");
      if (rho == 0. || length <= 0.)
        continue;
      const double m        = result.m.back();
      const double n_pieces = max_mass > 0. ? std::max(1., std::ceil(rho * length / max_mass * (1. - 1e-12))) : 1.;
      for (double i = 0.; i < n_pieces; ++i)
        {
          result.left.push_back(x + length * (i / n_pieces));
          result.right.push_back(i + 1. == n_pieces ? data.x[k + 1] : x + length * ((i + 1.) / n_pieces));
          result.m.push_back(m + rho * length * ((i + 1.) / n_pieces));
          result.u.push_back(data.u[k]);
        }
    }
  return result;
}

Parcels sticky_solution(const Parcels &initial, const double t, const LineWalls &walls)
{
  const std::vector<Piece> pieces = projected_flight(initial, initial.u, t, walls);
  Parcels                  result;
  result.m = ends_of(pieces);
  result.u.assign(pieces.size(), 0.);
  for (const Piece &piece : pieces)
    {
      result.left.push_back(piece.m0 + piece.y0);
      result.right.push_back(piece.m1 + piece.y1);
    }
  for_common_intervals(result.m, initial.m, [&](const std::size_t i, const std::size_t k, const double m0, const double m1) {
    if (pieces[i].origin == Origin::data)
      result.u[i] = initial.u[k]; // of which it is a part
    else if (pieces[i].origin == Origin::pool)
      result.u[i] += initial.u[k] * ((m1 - m0) / pieces[i].mass());
  });
  stop_pressing(pieces, walls, result.u);
  return result;
}

Parcels splitting_step(const Parcels &before, const double h, const double force, const LineWalls &walls)
{
  std::vector<double> U = before.u;
  for (double &u : U)
    u += h * force;
  const std::vector<Piece> pieces = projected_flight(before, U, h, walls);

  Parcels result = before;
  result.u       = U;
  for_common_intervals(before.m, ends_of(pieces),
                       [&](const std::size_t k, const std::size_t i, const double m0, const double m1) {
                         const Piece &piece = pieces[i];
                         if (m0 == before.m[k])
                           result.left[k] = m0 + piece.at(m0);
                         if (m1 == before.m[k + 1])
                           result.right[k] = m1 + piece.at(m1);
                         if (piece.origin == Origin::data)
                           return;
                         const Piece flight = {before.m[k], before.m[k + 1], before.left[k] - before.m[k] + h * U[k],
                                               before.right[k] - before.m[k + 1] + h * U[k], Origin::data};
                         result.u[k] += (piece.mean(m0, m1) - flight.mean(m0, m1)) / h * ((m1 - m0) / flight.mass());
                       });
  return result;
}

std::vector<BodyMotion> body_motions(const Parcels &parcels, const std::vector<double> &m)
{
  std::vector<BodyMotion> bodies;
  for (std::size_t i = 0; i + 1 < m.size(); ++i)
    bodies.push_back({m[i + 1] - m[i], 0., 0.});
  for_common_intervals(m, parcels.m, [&](const std::size_t i, const std::size_t k, const double m0, const double m1) {
    bodies[i].u += parcels.u[k] * ((m1 - m0) / bodies[i].mass);
  });
  for_common_intervals(m, parcels.m, [&](const std::size_t i, const std::size_t k, const double m0, const double m1) {
    const double deviation = parcels.u[k] - bodies[i].u;
    bodies[i].granular += .5 * (m1 - m0) * deviation * deviation;
  });
  return bodies;
}

std::vector<double> cell_densities(const Parcels &parcels, const std::vector<double> &ends)
{
  return cell_means(parcels, std::vector<double>(parcels.u.size(), 1.), ends);
}

std::vector<double> cell_momenta(const Parcels &parcels, const std::vector<double> &ends)
{
  return cell_means(parcels, parcels.u, ends);
}

double wasserstein_distance(const Parcels &a, const Parcels &b)
{
  check_masses(a, b);
  const auto X = [](const Parcels &parcels, const std::size_t k, const double m) {
    const double s = (m - parcels.m[k]) / (parcels.m[k + 1] - parcels.m[k]);
    return parcels.left[k] + s * (parcels.right[k] - parcels.left[k]);
  };
  double distance = 0.; // = ∫|X_a - X_b| dm
  for_common_intervals(a.m, b.m, [&](const std::size_t i, const std::size_t j, const double m0, const double m1) {
    const double at_start = X(a, i, m0) - X(b, j, m0), at_end = X(a, i, m1) - X(b, j, m1);
    const double sizes = std::abs(at_start) + std::abs(at_end);
    if (at_start * at_end >= 0.)
      distance += .5 * (m1 - m0) * sizes;
    else // changes sign in between
      distance += .5 * (m1 - m0) * (at_start * at_start + at_end * at_end) / sizes;
  });
  return distance;
}

double velocity_distance(const Parcels &a, const Parcels &b)
{
  check_masses(a, b);
  double sum = 0.;
  for_common_intervals(a.m, b.m, [&](const std::size_t i, const std::size_t j, const double m0, const double m1) {
    sum += (m1 - m0) * (a.u[i] - b.u[j]) * (a.u[i] - b.u[j]);
  });
  return a.m.back() > 0. ? std::sqrt(sum / a.m.back()) : 0.;
}
} // namespace moreau::macro
