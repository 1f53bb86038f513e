// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/effort.h"

#include <cmath>

namespace moreau::convex
{
namespace
{
/// Written so that NaN is worse than any number.
double worse(const double a, const double b) { return std::isnan(a) || a > b ? a : b; }
} // namespace

Effort &Effort::operator+=(const Effort &more)
{
  n_projections += more.n_projections;
  n_iterations += more.n_iterations;
  seconds += more.seconds;
  if (converged())
    status = more.status;
  collapsed            = collapsed || more.collapsed;
  natural_residual     = worse(natural_residual, more.natural_residual);
  relative_error_bound = worse(relative_error_bound, more.relative_error_bound);
  guaranteed           = guaranteed && more.guaranteed;
  return *this;
}

void Effort::end_with(const Status verdict, const Certificate &certificate)
{
  status               = verdict;
  natural_residual     = certificate.natural_residual;
  relative_error_bound = certificate.relative_error_bound;
  guaranteed           = certificate.guaranteed;
}

Effort effort_of(const SaddlePoint &x, const double seconds)
{
  Effort effort = {1, x.n_iterations, seconds};
  effort.end_with(x.status, x.certificate);
  return effort;
}
} // namespace moreau::convex
