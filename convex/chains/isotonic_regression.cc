// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/chains/isotonic_regression.h"

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
