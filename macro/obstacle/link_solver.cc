// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/link_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
template <class F>
void for_own(const LevelBox &box, F &&f)
{
  box.for_rows([&](const Index row, Index, Index) {
    for (Index c = row; c < row + box.n[0]; ++c)
      f(c);
  });
}
} // namespace

LinkSolver::LinkSolver(const LevelChain &chain, const LinkOperator &A, CoarseCorrection &coarse)
    : chain(chain)
    , box(chain.boxes[0])
    , A(A)
    , coarse(coarse)
    , zero(box.size, 0.)
    , r(box.size)
    , z(box.size)
    , d(box.size)
    , p(box.size)
{}

convex::Effort LinkSolver::solve(const std::vector<double> &f, const double tolerance, std::vector<double> &x)
{
  const double norm = std::sqrt(dot(f, f));
  int          unit = 0; // of f, 2^unit: coarse levels are in single precision
  if (std::isfinite(norm))
    std::frexp(norm, &unit);
  const auto scaled = [](const std::vector<double> &from, const double factor, std::vector<double> &to) {
    std::transform(from.begin(), from.end(), to.begin(), [factor](const double value) { return factor * value; });
  };
  scaled(f, std::ldexp(1., -unit), r);
  const convex::Effort effort = solve_for_r(tolerance, x);
  scaled(x, std::ldexp(1., unit), x);
  return effort;
}

convex::Effort LinkSolver::solve_for_r(const double tolerance, std::vector<double> &x)
{
  constexpr unsigned int cap = 200, patience = 20; // a singular system never ends
  double                 least    = std::numeric_limits<double>::infinity();
  std::int64_t           least_at = 0;
  convex::Effort         effort   = {1, 0, 0., convex::Status::stagnated};
  x.assign(box.size, 0.);
  p.assign(box.size, 0.);
  const double goal = tolerance * std::sqrt(dot(r, r));
  double       rz   = 0.;
  for (double norm = goal / tolerance; !(norm <= goal); norm = std::sqrt(dot(r, r)))
    {
      if (norm < .5 * least)
        {
          least    = norm;
          least_at = effort.n_iterations;
        }
      if (effort.n_iterations == cap || effort.n_iterations - least_at > patience)
        return effort;
      ++effort.n_iterations;
      precondition();
      const double rz_new = dot(r, z), beta = rz > 0. ? rz_new / rz : 0.;
      rz = rz_new;
      for_own(box, [&](const Index c) { p[c] = z[c] + beta * p[c]; });
      box.update_ghosts(p);
      for_residual_rows(box, A, zero, p, [&](const Index row, double *const minus_Ap) {
        for (Index i = 0; i < box.n[0]; ++i)
          d[row + i] = -minus_Ap[i];
      });
      const double pAp = dot(p, d);
      if (!(pAp > 0.))
        return effort;
      const double alpha = rz / pAp;
      for_own(box, [&](const Index c) {
        x[c] += alpha * p[c];
        r[c] -= alpha * d[c];
      });
    }
  effort.status = convex::Status::converged;
  return effort;
}

double LinkSolver::dot(const std::vector<double> &a, const std::vector<double> &b) const
{
  double sum = 0.;
  box.for_rows([&](const Index row, Index, Index) {
    double of_row = 0.;
    for (Index c = row; c < row + box.n[0]; ++c)
      of_row += a[c] * b[c];
    sum += of_row;
  });
  return box.processes.sum(sum);
}

/// z ≈ A⁻¹r.
void LinkSolver::precondition()
{
  z.assign(box.size, 0.);
  sweep<false>(box, A, r, z, false);
  if (chain.boxes.size() > 1)
    {
      box.update_ghosts(z);
      for_residual_rows(box, A, r, z,
                        [&](const Index row, double *const values) { std::copy_n(values, box.n[0], d.begin() + row); });
      box.update_ghosts(d);
      for_prolonged_rows<float>(chain, 0, coarse.correction(d), [&](const Index row, const float *const correction) {
        for (Index i = 0; i < box.n[0]; ++i)
          z[row + i] += A.diagonal[row + i] > 0. ? static_cast<double>(correction[i]) : 0.;
      });
    }
  box.update_ghosts(z);
  sweep<false>(box, A, r, z, true);
}
} // namespace moreau::macro
