// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/on_line.h"

#include "convex/chains/isotonic_regression.h"
#include "macro/obstacle/line.h"
#include "macro/obstacle/on_line.h"

#include <algorithm>

namespace moreau::macro
{
namespace
{
Index n_own_faces(const BoxGrid &grid) { return grid.own(0) + (grid.last == grid.n[0]); }

/// The same where the line repeats itself: the obstacle problem of p on the ring. In cells, BB*p >= BU - b, p >= 0.
Vector project_on_ring(const DivergenceConstraint &B, const Vector &U, const Vector &b)
{
  const BoxGrid &grid = B.zone().grid;
  const Index    n    = grid.n[0];
  const double   h    = grid.h(0);
  CongestedLine  line;
  line.h        = h;
  line.periodic = true;
  line.weights  = Vector::Zero(n + 1);
  for (Index k = 0; k <= n; ++k)
    if (const Index unknown = B.unknown(0, k); unknown != DivergenceConstraint::none)
      line.weights(k) = h / B.masses()(unknown);
  line.unknown.assign(n, 0);
  Vector f = Vector::Zero(n), BU(B.n_constraints()), q(B.n_constraints());
  B.apply(U, BU);
  for (Index c = 0; c < q.size(); ++c)
    {
      const Index cell   = B.cell_positions()[c] - 1; // one ghost cell comes first
      line.unknown[cell] = 1;
      f(cell)            = (BU(c) - b(c)) / h;
    }
  const Vector pi = line.solve(f);
  for (Index c = 0; c < q.size(); ++c)
    q(c) = pi(B.cell_positions()[c] - 1);
  return q;
}
} // namespace

Vector project_on_line(const DivergenceConstraint &B, const Vector &U, const Vector &b)
{
  if (B.zone().periodic[0])
    return project_on_ring(B, U, b);
  const BoxGrid &grid  = B.zone().grid;
  Vector         U_own = Vector::Zero(n_own_faces(grid)), m_own = U_own, b_own = Vector::Zero(grid.own(0));
  for (Index i = 0; i < U_own.size(); ++i)
    if (const Index unknown = B.unknown(0, i); unknown != DivergenceConstraint::none)
      {
        U_own(i) = U(unknown);
        m_own(i) = B.masses()(unknown);
      }
  for (Index c = 0; c < B.n_cells(); ++c)
    b_own(B.cell_positions()[c] - 1) = b(c); // one ghost cell comes first
  double b_below = 0., b_above = 0.;
  for (std::size_t w = 0; w < B.wall_faces().size(); ++w)
    (B.wall_faces()[w].outward < 0. ? b_below : b_above) = b(B.n_cells() + static_cast<Index>(w));
  b_below            = grid.processes.sum(b_below);
  b_above            = grid.processes.sum(b_above);
  const Vector U_all = gathered(grid.processes, U_own), m_all = gathered(grid.processes, m_own),
               b_all = gathered(grid.processes, b_own);

  Vector q_all   = Vector::Zero(grid.n[0]);
  double q_below = 0., q_above = 0.;
  for (const Run &run : runs_of(B.zone()))
    {
      // v + s increases, s_{k+1} = s_k + b_k
      const Index n = run.end - run.begin;
      Vector      s = Vector::Zero(n + 1);
      for (Index k = 0; k < n; ++k)
        s(k + 1) = s(k) + b_all(run.begin + k);
      const Vector m = m_all.segment(run.begin, n + 1), shifted = U_all.segment(run.begin, n + 1) + s;
      Vector       v = convex::isotonic_regression(shifted, m);
      if (run.wall_below)
        v = v.cwiseMax(-b_below);
      if (run.wall_above)
        v = v.cwiseMin(b_above + s(n));
      // M(U - u) = Bᵀq: running sums from an end where q is known
      const Vector impulse = m.cwiseProduct(shifted - v);
      auto         q       = q_all.segment(run.begin, n);
      if (!run.wall_below)
        {
          q = convex::multiplier_of_line(shifted, v, m);
          if (run.wall_above)
            q_above = std::max(q(n - 1) + impulse(n), 0.);
        }
      else
        {
          double sum = 0.; // what stays up to a constant between two walls
          for (Index k = n; k-- > 0;)
            q(k) = sum -= impulse(k + 1);
          q_below = sum - impulse(0);
          if (run.wall_above)
            {
              const double least = std::min({q.minCoeff(), q_below, 0.});
              q.array() -= least;
              q_below -= least;
              q_above = -least;
            }
          q_below = std::max(q_below, 0.);
        }
      q = q.cwiseMax(0.);
    }

  Vector q(B.n_constraints());
  for (Index c = 0; c < B.n_cells(); ++c)
    q(c) = q_all(grid.first + B.cell_positions()[c] - 1);
  for (std::size_t w = 0; w < B.wall_faces().size(); ++w)
    q(B.n_cells() + static_cast<Index>(w)) = B.wall_faces()[w].outward < 0. ? q_below : q_above;
  return q;
}
} // namespace moreau::macro
