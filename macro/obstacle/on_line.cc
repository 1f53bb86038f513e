// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/on_line.h"

#include "convex/chains/isotonic_regression.h"

#include <algorithm>

namespace moreau::macro
{
namespace
{
/// Unknown cells in a row with open links between them: m cells and the m + 1 faces at their ends.
struct Stretch
{
  Vector f, masses;                  ///< masses h / w of the fluxes; those of closed faces at the ends are not used
  bool   closed_below, closed_above; ///< else π = 0 one cell away

  Index  size() const { return f.size(); }
  Vector solve(double h) const;

private:
  void solve_between_walls(double h, Vector &pi) const;
  void solve_block(double h, Index begin, Index end, Vector &pi) const;
  void solve_at_wall_below(double h, Index end, Vector &pi) const;
  void solve_at_wall_above(double h, Index begin, Vector &pi) const;
};

/// Nothing moves: f without its mean, min π = 0.
void Stretch::solve_between_walls(const double h, Vector &pi) const
{
  const double mean = f.mean();
  double       g = 0., value = 0.;
  for (Index c = 0; c < size(); ++c)
    {
      pi(c) = value;
      g -= h * (f(c) - mean);
      if (c + 1 < size())
        value += masses(c + 1) * g;
    }
  pi.array() -= pi.minCoeff();
}

/// Faces begin ... end-1, π = 0 beyond: div g = -f between them.
void Stretch::solve_block(const double h, const Index begin, const Index end, Vector &pi) const
{
  double g = 0., sum = 0., mass = 0.;
  for (Index k = begin; k < end; ++k)
    {
      sum += masses(k) * g;
      mass += masses(k);
      if (k + 1 < end)
        g -= h * f(k);
    }
  g            = -sum / mass;
  double value = 0.;
  for (Index k = begin; k + 1 < end; ++k)
    {
      value += masses(k) * g;
      pi(k) = std::max(value, 0.);
      g -= h * f(k);
    }
}

/// Faces 0 ... end-1 where the first one is closed.
void Stretch::solve_at_wall_below(const double h, const Index end, Vector &pi) const
{
  double g = 0., value = 0.;
  for (Index k = 1; k < end; ++k)
    g -= h * f(k - 1);
  for (Index c = end - 1; c-- > 0;)
    {
      value -= masses(c + 1) * g;
      pi(c) = std::max(value, 0.);
      g += h * f(c);
    }
}

void Stretch::solve_at_wall_above(const double h, const Index begin, Vector &pi) const
{
  double g = 0., value = 0.;
  for (Index k = size(); k > begin; --k)
    g += h * f(k - 1);
  for (Index c = begin; c < size(); ++c)
    {
      value += masses(c) * g;
      pi(c) = std::max(value, 0.);
      g -= h * f(c);
    }
}

Vector Stretch::solve(const double h) const
{
  const Index m = size(), first = closed_below ? 1 : 0, last = closed_above ? m : m + 1; // faces that are open
  Vector      pi = Vector::Zero(m), minus_F = Vector::Zero(m + 1);
  if ((f.array() <= 0.).all())
    return pi;
  for (Index c = 0; c < m; ++c)
    minus_F(c + 1) = minus_F(c) - h * f(c);
  if (closed_below && closed_above && minus_F(m) <= 0.)
    {
      solve_between_walls(h, pi);
      return pi;
    }
  convex::LineRegression           line;
  const convex::PooledBlock *const blocks = line.pool(last - first, minus_F.data() + first, masses.data() + first);
  // those that walls keep from moving
  Index below = first, above = last;
  for (Index b = 0; b < line.n_blocks(); ++b)
    {
      const Index end = first + blocks[b].end, begin = b == 0 ? first : first + blocks[b - 1].end;
      if (closed_below && blocks[b].sum <= 0.)
        below = end;
      else if (closed_above && blocks[b].sum >= minus_F(m) * blocks[b].weight)
        above = std::min(above, begin);
      else
        solve_block(h, begin, end, pi);
    }
  if (closed_below)
    solve_at_wall_below(h, below, pi);
  if (closed_above)
    solve_at_wall_above(h, above, pi);
  return pi;
}

/// All cells unknown, all faces open: three rounds of the ring, of which the middle one lies between cells with π = 0.
Vector solve_ring(const CongestedLine &line, const Vector &f)
{
  const Index n      = f.size();
  const auto  masses = (line.h / line.weights.head(n).array()).matrix().eval();
  if (f.sum() < 0.)
    {
      Stretch run{f.replicate(3, 1), Vector(3 * n + 1), false, false};
      run.masses << masses, masses, masses, masses(0);
      return run.solve(line.h).segment(n, n);
    }
  // g_k = g_0 - s_k where Σ g/w = 0
  Vector s = Vector::Zero(n), pi(n);
  for (Index k = 1; k < n; ++k)
    s(k) = s(k - 1) + line.h * (f(k - 1) - f.mean());
  const double g = masses.dot(s) / masses.sum();
  pi(0)          = 0.;
  for (Index k = 1; k < n; ++k)
    pi(k) = pi(k - 1) + masses(k) * (g - s(k));
  return (pi.array() - pi.minCoeff()).matrix();
}
} // namespace

Vector CongestedLine::solve(const Vector &f) const
{
  const Index n      = f.size();
  const auto  cell   = [&](const Index j) { return j % n; };
  const auto  face   = [&](const Index j) { return periodic ? j % n : j; };
  const auto  linked = [&](const Index j) { // cell j with the one before it
    return weights(face(j)) > 0. && unknown[cell(j)] && unknown[cell(j + n - 1)];
  };
  Index begin = 0;
  if (periodic)
    while (begin < n && n > 1 && linked(begin))
      ++begin;
  if (begin == n)
    return solve_ring(*this, f);

  Vector      pi  = Vector::Zero(n);
  const Index end = begin + n;
  while (begin < end)
    {
      if (!unknown[cell(begin)])
        {
          ++begin;
          continue;
        }
      Index stop = begin + 1;
      while (stop < end && linked(stop))
        ++stop;
      Stretch run{Vector(stop - begin), Vector(stop - begin + 1), !(weights(face(begin)) > 0.), !(weights(face(stop)) > 0.)};
      for (Index j = begin; j < stop; ++j)
        run.f(j - begin) = f(cell(j));
      for (Index j = begin; j <= stop; ++j)
        run.masses(j - begin) = h / weights(face(j));
      const Vector part = run.solve(h);
      for (Index j = begin; j < stop; ++j)
        pi(cell(j)) = part(j - begin);
      begin = stop;
    }
  return pi;
}

void CongestedLine::refine(const Vector &f, Vector &pi) const
{
  const Index n     = pi.size();
  const bool  ring  = periodic && weights.minCoeff() > 0.;
  Index       begin = 0;
  while (begin < n)
    {
      // cells begin ... end-1 between two faces that are closed or at the ends of the line
      Index end = begin + 1;
      while (end < n && weights(end) > 0.)
        ++end;
      const bool closed = ring || weights(begin) == 0. && weights(end) == 0.;
      if (!closed || f.segment(begin, end - begin).sum() <= 0.)
        refine_stretch(begin, end, f, pi);
      begin = end;
    }
}

/// Elimination on every run of cells with π > 0 or too little π; twice, since cells may join.
void CongestedLine::refine_stretch(const Index first, const Index last, const Vector &f, Vector &pi) const
{
  const Index  n    = pi.size();
  const Vector A_cc = diagonal();
  Vector       pivot(n), right(n);
  for (int pass = 0; pass < 2; ++pass)
    {
      const Vector residual = f - apply(pi);
      for (Index begin = first; begin < last; ++begin)
        {
          Index end = begin;
          while (end < last && unknown[end] && (pi(end) > 0. || residual(end) > 0.))
            ++end;
          const bool at_seam = periodic && (begin == 0 || end == n), singular = weights(begin) == 0. && weights(end) == 0.;
          if (end > begin && !at_seam && !singular)
            {
              for (Index c = begin; c < end; ++c)
                {
                  const double link = c > begin ? weights(c) / (h * h) : 0., share = link > 0. ? link / pivot(c - 1) : 0.;
                  pivot(c) = A_cc(c) - share * link;
                  right(c) = residual(c) + (c > begin ? share * right(c - 1) : 0.);
                }
              double above = 0.;
              for (Index c = end; c-- > begin;)
                {
                  above = (right(c) + (c + 1 < end ? weights(c + 1) / (h * h) * above : 0.)) / pivot(c);
                  pi(c) = std::max(pi(c) + above, 0.);
                }
            }
          begin = std::max(begin, end);
        }
    }
}

Vector CongestedLine::apply(const Vector &pi) const
{
  const Index  n = pi.size();
  Vector       result(n);
  const double outside = 0.;
  for (Index c = 0; c < n; ++c)
    {
      const double below = c > 0 ? pi(c - 1) : periodic ? pi(n - 1) : outside;
      const double above = c + 1 < n ? pi(c + 1) : periodic ? pi(0) : outside;
      result(c)          = (weights(c) * (pi(c) - below) + weights(c + 1) * (pi(c) - above)) / (h * h);
    }
  return result;
}

Vector CongestedLine::diagonal() const
{
  const Index n = weights.size() - 1;
  return (weights.head(n) + weights.tail(n)) / (h * h);
}
} // namespace moreau::macro
