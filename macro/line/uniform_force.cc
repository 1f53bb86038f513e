// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/line/uniform_force.h"

#include "convex/input_error.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace moreau::macro
{
namespace
{
constexpr double      no_time     = std::numeric_limits<double>::infinity();
constexpr double      accuracy    = 1e-13;  ///< of the largest value in a piece
constexpr double      sufficient  = 1e-9;   ///< where halves are hardly better
constexpr double      little      = 1e-280; ///< m/s²: smaller ones lose their digits
constexpr int         deepest     = 40;     ///< halvings of an interval
constexpr std::size_t most_pieces = 20000;  ///< pieces of an interval

/// Σ c_k x^k, k <= degree.
struct Polynomial
{
  std::array<double, 10> c = {};
  int                    degree;

  double operator()(const double x) const
  {
    double sum = 0.;
    for (int k = degree; k >= 0; --k)
      sum = sum * x + c[k];
    return sum;
  }

  Polynomial derivative() const
  {
    Polynomial result = {{}, std::max(0, degree - 1)};
    for (int k = 1; k <= degree; ++k)
      result.c[k - 1] = k * c[k];
    return result;
  }
};

/// The place in [a, b] where holds(x) begins to be true: not at a, but at b.
template <class F>
double first_place(double a, double b, F &&holds)
{
  for (double middle = .5 * (a + b); a < middle && middle < b; middle = .5 * (a + b))
    (holds(middle) ? b : a) = middle;
  return b;
}

/// Where p changes sign in (0, end), ascending: one place at most between two where its derivative does.
std::vector<double> sign_changes(const Polynomial &p, const double end)
{
  std::vector<double> found;
  if (p.degree == 0)
    return found;
  std::vector<double> turns = sign_changes(p.derivative(), end);
  turns.push_back(end);
  double a = 0.;
  for (const double b : turns)
    {
      const bool was_negative = p(a) < 0.;
      if ((p(b) < 0.) != was_negative)
        found.push_back(first_place(a, b, [&](const double x) { return (p(x) < 0.) != was_negative; }));
      a = b;
    }
  return found;
}

/// Points of interpolation, and their monomials' inverse.
struct Rule
{
  static constexpr int                         n = 8;
  Eigen::Matrix<double, n, 1>                  points, between;
  Eigen::Matrix<double, n, n, Eigen::RowMajor> to_coefficients;

  Rule()
  {
    const double                pi = std::acos(-1.);
    Eigen::Matrix<double, n, n> monomials;
    for (int i = 0; i < n; ++i)
      {
        points(i)  = -std::cos(pi * (i + .5) / n);
        between(i) = -std::cos(pi * (i + (i < n / 2 ? .02 : .98)) / n); // near the ends, too
        for (int k = 0; k < n; ++k)
          monomials(i, k) = std::pow(points(i), k);
      }
    to_coefficients = monomials.inverse();
  }
};

const Rule &rule()
{
  static const Rule the_rule;
  return the_rule;
}
} // namespace

UniformForce::UniformForce(std::function<double(double t)> f, const double interval) : f(std::move(f)), length(interval) {}

double UniformForce::end_of_interval(const double t) const
{
  double n = std::floor(t / length) + 1.;
  if (n * length <= t)
    ++n;
  return n * length;
}

void UniformForce::prepare(const double t)
{
  while (varies() && (n_intervals == 0 || static_cast<double>(n_intervals) * length < t))
    add_interval();
}

void UniformForce::add_interval()
{
  allowed = pieces.size() + most_pieces;
  add_pieces(static_cast<double>(n_intervals) * length, static_cast<double>(n_intervals + 1) * length, no_time, 0);
  ++n_intervals;
}

/// error_before: of the piece of which this is a half.
void UniformForce::add_pieces(const double begin, const double end, const double error_before, const int depth)
{
  const Rule &of     = rule();
  Piece       piece  = {begin, end, {}, 0., 0.};
  const auto  values = [&](const auto &points) {
    Eigen::Matrix<double, Rule::n, 1> y;
    for (int i = 0; i < Rule::n; ++i)
      {
        const double t = piece.middle() + piece.half() * points(i);
        y(i)           = f(t);
        if (!std::isfinite(y(i)))
          {
            std::ostringstream text;
            text << "It is not finite at t = " << t << " s; give one that is.";
            throw InputError("the force", text.str());
          }
      }
    return y;
  };
  const Eigen::Matrix<double, Rule::n, 1> at = values(of.points), found = values(of.between), c = of.to_coefficients * at;
  Polynomial                              p = {{}, Rule::n - 1};
  std::copy_n(c.data(), n_points, p.c.begin());
  std::copy_n(c.data(), n_points, piece.c.begin());
  double error = 0.;
  for (int i = 0; i < Rule::n; ++i)
    error = std::max(error, std::abs(p(of.between(i)) - found(i)));
  const double size     = std::max(at.cwiseAbs().maxCoeff(), found.cwiseAbs().maxCoeff());
  const double middle   = piece.middle();
  const bool   is_small = error <= accuracy * size + little || (error <= sufficient * size && error > .25 * error_before);
  if (!is_small && depth < deepest && begin < middle && middle < end)
    {
      add_pieces(begin, middle, error, depth + 1);
      add_pieces(middle, end, error, depth + 1);
      return;
    }
  if (pieces.size() == allowed)
    {
      std::ostringstream text;
      text << "It changes too fast to be followed near t = " << begin << " s; give one that changes more slowly.";
      throw InputError("the force", text.str());
    }
  if (!pieces.empty())
    {
      piece.velocity = velocity_since_start(begin);
      piece.way      = way_since_start(begin);
    }
  pieces.push_back(piece);
}

const UniformForce::Piece &UniformForce::piece_at(const double t) const
{
  const auto after = std::upper_bound(pieces.begin(), pieces.end(), t,
                                      [](const double time, const Piece &piece) { return time < piece.begin; });
  return after == pieces.begin() ? pieces.front() : *(after - 1);
}

double UniformForce::value(const double t) const
{
  if (!varies())
    return constant;
  const Piece &piece = piece_at(t);
  const double x     = (t - piece.middle()) / piece.half();
  double       sum   = 0.;
  for (std::size_t k = n_points; k-- > 0;)
    sum = sum * x + piece.c[k];
  return sum;
}

double UniformForce::velocity_since_start(const double t) const
{
  const Piece &piece = piece_at(t);
  const double x     = (t - piece.middle()) / piece.half();
  double       sum = 0., at_begin = 0.;
  for (std::size_t k = n_points; k-- > 0;)
    {
      sum      = (sum + piece.c[k] / static_cast<double>(k + 1)) * x;
      at_begin = (at_begin + piece.c[k] / static_cast<double>(k + 1)) * -1.;
    }
  return piece.velocity + piece.half() * (sum - at_begin);
}

double UniformForce::way_since_start(const double t) const
{
  const Piece &piece = piece_at(t);
  const double h = piece.half(), x = (t - piece.middle()) / h;
  double       sum = 0., at_begin = 0., slope = 0.;
  for (std::size_t k = n_points; k-- > 0;)
    {
      const double once = piece.c[k] / static_cast<double>(k + 1), twice = once / static_cast<double>(k + 2);
      sum      = (sum + twice) * x;
      at_begin = (at_begin + twice) * -1.;
      slope    = (slope + once) * -1.;
    }
  // ∬ from -1 to x of Σ c_k x^k = F(x) - F(-1) - (x + 1) F'(-1), F = Σ c_k x^{k+2}/((k+1)(k+2))
  return piece.way + (t - piece.begin) * piece.velocity + h * h * (x * sum + at_begin - (x + 1.) * slope);
}

double UniformForce::velocity(const double from, const double to) const
{
  return varies() ? velocity_since_start(to) - velocity_since_start(from) : (to - from) * constant;
}

double UniformForce::way(const double u, const double from, const double to) const
{
  const double s = to - from;
  return varies() ? s * (u - velocity_since_start(from)) + (way_since_start(to) - way_since_start(from))
                  : s * (u + .5 * s * constant);
}

namespace
{
/// Σ c_k (x0 + y)^k as a polynomial in y.
Polynomial around(const std::array<double, 8> &c, const double x0)
{
  Polynomial p = {{}, 7};
  std::copy(c.begin(), c.end(), p.c.begin());
  for (int k = 0; k < p.degree; ++k) // by Horner's rule, again and again
    for (int i = p.degree - 1; i >= k; --i)
      p.c[i] += x0 * p.c[i + 1];
  return p;
}
} // namespace

double UniformForce::meeting(const double t, double g, double w, const double sign) const
{
  const double until = end_of_interval(t);
  for (double start = t; start < until;)
    {
      const Piece &piece = piece_at(start);
      const double stop = std::min(piece.end, until), s = stop - start, h = piece.half();
      double       largest = 0.;
      for (const double c : piece.c)
        largest += std::abs(c);
      const Polynomial force = around(piece.c, (start - piece.middle()) / h);
      Polynomial       gap   = {{g, w * h}, 9};
      for (int k = 0; k <= force.degree; ++k)
        gap.c[k + 2] = sign * h * h * force.c[k] / ((k + 1.) * (k + 2.));
      if (!(g + std::min(0., w) * s - .5 * largest * s * s > 0.))
        {
          const double        end   = s / h;
          std::vector<double> turns = sign_changes(gap.derivative(), end);
          turns.push_back(end);
          double a = 0.;
          for (const double b : turns)
            {
              if (gap(b) < 0.)
                return std::min(stop, start + h * first_place(a, b, [&](const double x) { return gap(x) < 0.; }));
              a = b;
            }
        }
      g     = std::max(0., gap(s / h));
      w     = gap.derivative()(s / h) / h;
      start = stop;
    }
  return no_time;
}

double UniformForce::pull(const double t, const double sign) const
{
  const double until = end_of_interval(t);
  const auto   pulls = [&](const double time) { return sign * value(time) > 0.; };
  for (double start = t; start < until;)
    {
      if (pulls(start))
        return start;
      const Piece        &piece = piece_at(start);
      const double        stop = std::min(piece.end, until), h = piece.half();
      std::vector<double> turns = sign_changes(around(piece.c, (start - piece.middle()) / h), (stop - start) / h);
      turns.push_back((stop - start) / h);
      double a = 0., before = start; // a time when it does not
      for (const double b : turns)
        {
          const double middle = start + .5 * (a + b) * h;
          if (pulls(middle))
            return first_place(before, middle, pulls);
          before = middle;
          a      = b;
        }
      start = stop;
    }
  return no_time;
}
} // namespace moreau::macro
