// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/isotonic_regression.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace moreau::convex
{
template <bool weighted>
void LineRegression::pool_sites(const Index n, const double *const U, const double *const weights)
{
  // The last block lives in registers; `top` points to the one before it. blocks[0] is a sentinel that nothing violates:
  // its "mean" -1/0 is below every velocity.
  PooledBlock *top    = blocks.data();
  double       sum    = weighted ? weights[0] * U[0] : U[0];
  double       weight = weighted ? weights[0] : 1.;
  for (Index k = 1; k < n; ++k)
    {
      const double w = weighted ? weights[k] : 1.;
      if (U[k] * weight >= sum)
        {
          *++top = {sum, weight, k};
          sum    = weighted ? w * U[k] : U[k];
          weight = w;
          continue;
        }
      sum += weighted ? w * U[k] : U[k];
      weight += w;
      // means are compared without division
      while (top->sum * weight > sum * top->weight)
        {
          sum += top->sum;
          weight += top->weight;
          --top;
        }
    }
  *++top = {sum, weight, n};
  count  = top - blocks.data();
}

const PooledBlock *LineRegression::pool(const Index n, const double *const U, const double *const weights)
{
  if (static_cast<Index>(blocks.size()) < n + 1)
    blocks.resize(n + 1);
  blocks[0] = {-1., 0., 0};
  count     = 0;
  if (n > 0)
    weights ? pool_sites<true>(n, U, weights) : pool_sites<false>(n, U, weights);
  return blocks.data() + 1;
}

void LineRegression::expand(const double *const U, double *const u) const
{
  Index  k     = 0;
  double below = -std::numeric_limits<double>::infinity();
  for (Index block = 1; block <= count; ++block)
    {
      const Index end = blocks[block].end;
      if (end == k + 1)
        u[k] = below = std::max(U[k], below); // in this order NaN is kept
      else
        {
          below = std::max(blocks[block].sum / blocks[block].weight, below);
          std::fill(u + k, u + end, below);
        }
      k = end;
    }
}

namespace
{
/// Lines of a tile: two cache lines of doubles.
constexpr Index tile_width = 16;

/// Copies `width` lines between an array and a buffer in which they are contiguous, `pitch` apart.
struct Tile
{
  const Lines &lines;
  Index        first, width, pitch;

  static constexpr Index rows = 8; // sites copied together: full cache lines on both sides

  template <class Copy>
  void for_all(Copy &&copy) const
  {
    for (Index k = 0; k < lines.length; k += rows)
      {
        const Index end = std::min(k + rows, lines.length);
        for (Index l = 0; l < width; ++l)
          for (Index r = k; r < end; ++r)
            copy((first + l) * lines.between_lines + r * lines.between_sites, l * pitch + r);
      }
  }

  void gather(const double *const array, double *const buffer) const
  {
    for_all([=](const Index a, const Index b) { buffer[b] = array[a]; });
  }

  void scatter(const double *const buffer, double *const array) const
  {
    for_all([=](const Index a, const Index b) { array[a] = buffer[b]; });
  }
};

struct Workspace
{
  LineRegression      line;
  std::vector<double> U, weights;
};

Workspace &workspace()
{
  thread_local Workspace space;
  return space;
}

void project_contiguous(const Lines &lines, const double *const U, const double *const weights, double *const u)
{
  tbb::parallel_for(Index(0), lines.n_lines, [&](const Index l) {
    const Index start = l * lines.between_lines;
    workspace().line.project(lines.length, U + start, weights ? weights + start : nullptr, u + start);
  });
}

void project_tile(const Tile &tile, const double *const U, const double *const weights, double *const u)
{
  Workspace  &space = workspace();
  const Index size  = tile.width * tile.pitch;
  space.U.resize(std::max<std::size_t>(space.U.size(), size));
  if (weights)
    {
      space.weights.resize(std::max<std::size_t>(space.weights.size(), size));
      tile.gather(weights, space.weights.data());
    }
  tile.gather(U, space.U.data());
  for (Index l = 0; l < tile.width; ++l)
    {
      double *const line = space.U.data() + l * tile.pitch;
      space.line.project(tile.lines.length, line, weights ? space.weights.data() + l * tile.pitch : nullptr, line);
    }
  tile.scatter(space.U.data(), u);
}
} // namespace

void isotonic_regression(const Lines &lines, const double *const U, const double *const weights, double *const u)
{
  if (lines.between_sites == 1)
    return project_contiguous(lines, U, weights, u);
  const Index pitch   = lines.length + 8; // not a power of two: the buffered lines spread over the cache
  const Index n_tiles = (lines.n_lines + tile_width - 1) / tile_width;
  tbb::parallel_for(Index(0), n_tiles, [&](const Index t) {
    const Index first = t * tile_width;
    project_tile({lines, first, std::min(tile_width, lines.n_lines - first), pitch}, U, weights, u);
  });
}

Vector isotonic_regression(const Vector &U, const Vector &weights)
{
  if (weights.size() != 0 && weights.size() != U.size())
    throw std::invalid_argument("isotonic_regression: one weight per site.");
  Vector         u(U.size());
  LineRegression line;
  line.project(U.size(), U.data(), weights.size() == 0 ? nullptr : weights.data(), u.data());
  return u;
}

Vector multiplier_of_line(const Vector &U, const Vector &u, const Vector &weights)
{
  Vector p   = Vector::Zero(std::max<Index>(0, U.size() - 1));
  double sum = 0.;
  for (Index k = 0; k < p.size(); ++k)
    {
      sum += (weights.size() == 0 ? 1. : weights(k)) * (U(k) - u(k));
      if (u(k) < u(k + 1))
        sum = 0.;
      p(k) = std::max(0., sum);
    }
  return p;
}
} // namespace moreau::convex
