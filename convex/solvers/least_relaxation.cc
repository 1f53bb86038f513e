// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/least_relaxation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace moreau::convex
{
LeastRelaxation::LeastRelaxation(const SparseConstraint &B, const Vector &l)
    : B(B), l(l), system(B, l), Bx(B.n_constraints()), Bw(B.n_constraints()), rest(B.n_unknowns())
{
  if (l.size() != B.n_constraints() || l.size() == 0 || !(l.minCoeff() > 0.))
    throw std::invalid_argument("LeastRelaxation: l has a positive entry per row, and there are rows.");
}

bool LeastRelaxation::factorize(const Vector &W)
{
  // keeps H regular along velocities that no row feels, and is refined away; as little as serves, as weights differ widely
  bool done = false;
  for (double damping = 1e-15; !done && damping < 1e-8; damping *= 100.)
    {
      scale = 1. / (damping * W.maxCoeff());
      if (!(scale > 0. && std::isfinite(scale)))
        return false;
      weights = scale * W;
      done    = system.factorize(weights);
    }
  return done;
}

bool LeastRelaxation::bordered_solve(Vector &x, double &t)
{
  constexpr int n_refinements = 2;
  const Vector  f             = scale * x;
  const double  g             = scale * t;
  x.setZero();
  t    = 0.;
  rest = f;
  for (int k = 0;; ++k)
    {
      // what GᵀWG leaves of the right-hand side, without damping
      Bx = weights.cwiseProduct(t * l);
      B.apply(x, Bw);
      Bx -= weights.cwiseProduct(Bw);
      B.apply_transpose(Bx, rest);
      rest             = f + rest;
      double rest_of_t = g - l.dot(Bx);
      if (k > n_refinements)
        break;
      if (!system.solve(rest, rest_of_t))
        return false;
      x += rest;
      t += rest_of_t;
    }
  return std::isfinite(t) && x.allFinite();
}

void LeastRelaxation::balance(Vector &q)
{
  const Vector before = q;
  for (int repetition = 0; repetition < 2; ++repetition)
    {
      B.apply_transpose(q, rest);
      system.solve_without_border(rest);
      B.apply(rest, Bw);
      q -= weights.cwiseProduct(Bw);
    }
  if (!(q.minCoeff() >= 0.))
    q = before;
}

Relaxation LeastRelaxation::solve(const Vector &b, const double least, const double tolerance,
                                  const unsigned int max_iterations, const double separation)
{
  constexpr double part = .995; // of the way to the boundary
  const Index      m = l.size(), n = B.n_unknowns();
  Relaxation       best;
  best.lower = -std::numeric_limits<double>::infinity();
  best.upper = std::numeric_limits<double>::infinity();

  // strictly admissible: every row has as much room as b and l are large
  const Vector relative = b.cwiseQuotient(l);
  double       t        = 1. + 2. * max_abs(relative);
  Vector       w = Vector::Zero(n), s = b + t * l, p = s.cwiseInverse();
  p /= l.dot(p);

  Vector     dw(n), ds(m), dp(m), r_c(m), q(m), Btp(n);
  double     dt = 0., reach = 1., value = 0., rest_of_p = 0.; // value, rest_of_p: -<b, p> and |Bᵀp|₁ of best.p
  const auto step = [&] {
    // GᵀWG d = r_d - Gᵀ(r_c / s),   r_d = Gᵀp - (0, 1)
    q = r_c.cwiseQuotient(s) - p;
    B.apply_transpose(q, dw);
    dt = -1. - l.dot(q);
    if (!bordered_solve(dw, dt))
      return false;
    B.apply(dw, ds);
    ds = dt * l - ds;
    dp = -(r_c + p.cwiseProduct(ds)).cwiseQuotient(s);
    return ds.allFinite() && dp.allFinite();
  };
  for (best.n_iterations = 0;; ++best.n_iterations)
    {
      B.apply(w, Bw);
      if (const double upper = (Bw - b).cwiseQuotient(l).maxCoeff(); upper < best.upper)
        {
          best.upper = upper;
          best.w     = w;
        }
      q = p;
      if (best.n_iterations > 0)
        balance(q);
      q /= l.dot(q);
      B.apply_transpose(q, Btp);
      // what is left of the balance counts as often as the farthest w so far: with that of its own iteration alone a p that
      // is no stress could seem to be better than a w that is admissible
      reach                   = std::max(reach, max_abs(w));
      const double rest_of_q  = Btp.lpNorm<1>();
      const double value_of_q = -b.dot(q);
      if (best.p.size() == 0 || value_of_q - rest_of_q * reach > value - rest_of_p * reach)
        {
          value     = value_of_q;
          rest_of_p = rest_of_q;
          best.p    = q;
        }
      best.imbalance = rest_of_p * reach;
      best.lower     = value - best.imbalance;
      best.w_central = w;
      best.p_central = q;
      best.unbounded = best.upper < least;
      best.converged = best.unbounded || (best.upper - best.lower <= tolerance && !(s.dot(p) > separation));
      if (best.converged || best.n_iterations == max_iterations || !factorize(p.cwiseQuotient(s)))
        break;

      const double mu = s.dot(p) / static_cast<double>(m);
      r_c             = s.cwiseProduct(p);
      if (!step())
        break;
      // with one step for both: slacks must not vanish before p is balanced
      const double affine    = std::min(longest_part(s, ds), longest_part(p, dp));
      const double mu_affine = (s + affine * ds).dot(p + affine * dp) / static_cast<double>(m);
      const double sigma     = std::pow(std::max(0., mu_affine / mu), 3);
      r_c += ds.cwiseProduct(dp) - Vector::Constant(m, sigma * mu);
      if (!step())
        break;
      const double primal = std::min(1., part * longest_part(s, ds)), dual = std::min(1., part * longest_part(p, dp));
      w += primal * dw;
      t += primal * dt;
      s += primal * ds;
      p += dual * dp;
    }
  return best;
}
} // namespace moreau::convex
