// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/interior_point_iteration.h"

#include <algorithm>
#include <cmath>

namespace moreau::convex
{
namespace
{
/// δ of rows that are equal, relative to (BM⁻¹Bᵀ)_cc: 1e-10 to 1e-13 serve.
constexpr double delta_of_equalities = 1e-12;

/// δ where H is factorised in single precision: weights are at most 1/δ, and what δ does is undone, see
/// without_proximal_term(). Smaller ones lose pivots in rounding.
constexpr double delta_in_single_precision = 1e-6;

/// How far linear systems are solved that are not factorised: less than 1e-3 costs steps, more saves none (measured).
constexpr double linear_tolerance = 1e-3;

/// B where a network is so large and so thick that factors of double precision do not pay; else null. Masses of all sizes
/// want double precision from the start.
const PairConstraint *network_in_space(const ScaledProblem &problem, const std::vector<char> &equal,
                                       const InteriorPoint::Parameters &parameters)
{
  constexpr double  largest_mass_ratio = 1e4; // 1e5 takes half as many steps again, 1e8 does not end
  const auto *const pairs              = dynamic_cast<const PairConstraint *>(&problem.B);
  return pairs && pairs->dimension() == 3 && pairs->n_nodes() >= parameters.single_precision_from && equal.empty() &&
                 problem.m.maxCoeff() <= largest_mass_ratio * problem.m.minCoeff()
             ? pairs
             : nullptr;
}
} // namespace

InteriorPointIteration::InteriorPointIteration(const ScaledProblem &problem, const std::vector<char> &equal,
                                               const InteriorPoint::Parameters &parameters)
    : problem(problem)
    , parameters(parameters)
    , equal(equal)
    , n_inequalities(static_cast<double>(problem.b.size() - std::count(equal.begin(), equal.end(), char(1))))
    , large_in_space(network_in_space(problem, equal, parameters))
    , system(large_in_space ? preconditioned_system(*large_in_space, problem.m)
                            : factorised_system(problem.B, problem.m, parameters.backend))
    , delta((large_in_space ? delta_in_single_precision : parameters.regularization) * problem.row_scale.cwiseAbs2())
    , u(problem.U)
    , p(problem.b.size())
    , s(problem.b.size())
    , r_d(u.size())
    , du(u.size())
    , r_p(p.size())
    , w(p.size())
    , t(p.size())
    , Bv(p.size())
{
  for (Index c = 0; c < p.size(); ++c)
    if (is_equal(c))
      delta(c) = delta_of_equalities * problem.row_scale(c) * problem.row_scale(c);
}

void InteriorPointIteration::start_cold()
{
  const double size = std::max(max_abs(problem.m.cwiseSqrt().cwiseProduct(problem.U)), 1.);
  u.setZero();
  for (Index c = 0; c < p.size(); ++c)
    {
      const double slack = std::max(size, problem.b(c) / problem.row_scale(c));
      s(c)               = is_equal(c) ? 0. : slack * problem.row_scale(c);
      p(c)               = is_equal(c) ? 0. : size * size / slack / problem.row_scale(c);
    }
}

void InteriorPointIteration::start_from(const Vector &p_start)
{
  constexpr double rho = 10.; // 1 to 100 serve, in the units of the rows
  set_velocity_of(p_start);
  problem.B.apply(u, Bv);
  const Vector slack = (problem.b - Bv).cwiseQuotient(problem.row_scale), pressure = p_start.cwiseProduct(problem.row_scale);
  // 300: measured; the mean square of the residuals alone starts too close to the boundary
  const double mean_square = slack.cwiseMin(pressure).squaredNorm() / static_cast<double>(p.size());
  const double barrier     = std::min(1., std::max(1e-10, 300. * mean_square));
  for (Index c = 0; c < p.size(); ++c)
    {
      const double v      = std::max(0., slack(c)) - pressure(c) / rho;
      const double root   = std::sqrt(v * v + 4. * barrier / rho);
      const double smooth = v > 0. ? (v + root) / 2. : 2. * barrier / rho / (root - v); // without cancellation
      s(c)                = is_equal(c) ? 0. : smooth * problem.row_scale(c);
      p(c)                = is_equal(c) ? p_start(c) : barrier / s(c);
    }
  set_velocity_of(p);
}

void InteriorPointIteration::evaluate_residuals()
{
  problem.B.apply_transpose(p, r_d);
  r_d += problem.m.cwiseProduct(u - problem.U);
  problem.B.apply(u, Bv);
  r_p = problem.b - Bv - s;
  mu  = n_inequalities == 0. ? 0. : p.dot(s) / n_inequalities;
}

double InteriorPointIteration::error_estimate() const
{
  return std::sqrt((r_d.cwiseAbs2().cwiseQuotient(problem.m)).sum() + 2. * (s + r_p).cwiseAbs().dot(p.cwiseAbs()));
}

bool InteriorPointIteration::step()
{
  if (large_in_space && spoilt_by_proximal_term())
    go_on_in_double_precision();
  if (newton_step())
    return true;
  if (!large_in_space)
    return false;
  go_on_in_double_precision();
  return newton_step();
}

bool InteriorPointIteration::newton_step()
{
  for (Index c = 0; c < p.size(); ++c)
    w(c) = factor(c) / (s(c) + delta(c) * factor(c));
  if (!system->set_weights(w))
    return false;

  Vector dp(p.size()), ds(p.size()), r_c = p.cwiseProduct(s);
  if (!solve(r_c, dp, ds))
    return false;
  double alpha = longest_step(dp, ds);
  if (n_inequalities > 0.)
    {
      const double mu_aff = (p + alpha * dp).dot(s + alpha * ds) / n_inequalities;
      const double sigma  = std::pow(mu_aff / mu, 3);
      const double target = sigma * mu;
      for (Index c = 0; c < p.size(); ++c)
        r_c(c) += is_equal(c) ? 0. : dp(c) * ds(c) - target;
      if (!solve(r_c, dp, ds) || !without_proximal_term(dp, ds))
        return false;
      alpha = longest_step(dp, ds);

      Vector r_corrected, du_best;
      // a solution costs little beside a factor in space
      const unsigned int n_correctors = large_in_space && !system->solutions_are_costly()
                                            ? std::max(parameters.n_correctors, 3u)
                                            : parameters.n_correctors;
      for (unsigned int k = 0; k < n_correctors && alpha < 1.; ++k)
        {
          // products that a longer step would make outliers are pulled back to the neighbourhood of the target
          const double longer = std::min(1., alpha + .4);
          r_corrected         = r_c;
          for (Index c = 0; c < p.size(); ++c)
            {
              if (is_equal(c))
                continue;
              const double product = (p(c) + longer * dp(c)) * (s(c) + longer * ds(c));
              const double pull    = std::min(std::max(product, .1 * target), 10. * target) - product;
              r_corrected(c) -= std::max(-10. * target, pull);
            }
          du_best = du;
          Vector dp_corrected(p.size()), ds_corrected(p.size());
          if (!solve(r_corrected, dp_corrected, ds_corrected) || !without_proximal_term(dp_corrected, ds_corrected))
            return false;
          const double alpha_corrected = longest_step(dp_corrected, ds_corrected);
          if (alpha_corrected < alpha + .01)
            {
              du.swap(du_best);
              break;
            }
          alpha = alpha_corrected;
          dp.swap(dp_corrected);
          ds.swap(ds_corrected);
          r_c.swap(r_corrected);
        }
      alpha = std::min(1., .995 * alpha);
    }

  if (!(std::isfinite(alpha) && du.allFinite()))
    return false;
  last_alpha = alpha;
  u += alpha * du;
  p += alpha * dp;
  s += alpha * ds;
  return true;
}

/// Whether steps with the large δ lead no further: two in a row that were as long as they should be have hardly reduced the
/// error, since most of it is r_p, or the error has not been halved for long. So it is where multipliers are large beside
/// those of other rows: mass ratios, long chains of forces.
bool InteriorPointIteration::spoilt_by_proximal_term()
{
  constexpr unsigned int patience = 6;
  const double           estimate = error_estimate(), infeasible = std::sqrt(2. * r_p.cwiseAbs().dot(p));
  const bool             slow =
      !system->solutions_are_costly() && last_alpha > .8 && estimate > .75 * last_estimate && infeasible > .5 * estimate;
  n_slow        = slow ? n_slow + 1 : 0;
  last_estimate = estimate;
  if (halved_estimate == 0. || estimate < .5 * halved_estimate)
    {
      halved_estimate = estimate;
      n_since_halved  = 0;
    }
  return n_slow == 2 || n_since_halved++ == patience;
}

void InteriorPointIteration::go_on_in_double_precision()
{
  large_in_space = nullptr;
  system.reset(); // before the memory of the next one is asked for
  system = factorised_system(problem.B, problem.m, parameters.backend);
  delta  = parameters.regularization * problem.row_scale.cwiseAbs2();
}

double InteriorPointIteration::natural_residual() const
{
  double residual = 0.;
  for (Index c = 0; c < p.size(); ++c)
    {
      const double pressure = .5 * p(c) * problem.row_scale(c) * problem.row_scale(c), distance = s(c) + r_p(c);
      residual = std::max(residual, std::abs(is_equal(c) ? distance : std::min(pressure, distance)));
    }
  return residual / std::max(max_abs(problem.U), max_abs(problem.b.cwiseMin(0.)));
}

bool InteriorPointIteration::grows() const
{
  double largest = 0.;
  for (Index c = 0; c < p.size(); ++c)
    if (!is_equal(c))
      largest = std::max(largest, p(c) * problem.row_scale(c));
  return largest > 1e7;
}

bool InteriorPointIteration::seems_infeasible(const double scale) const
{
  return grows() && distance_to_feasible(p) > scale;
}

Vector InteriorPointIteration::infeasibility(const double scale)
{
  const Vector pressure = p.cwiseProduct(problem.row_scale);
  const double largest  = pressure.cwiseAbs().maxCoeff();
  // the entries that do not grow only keep the interior point inside
  Vector q = (pressure.array().abs() > 1e-5 * largest).select(p, 0.) / largest;
  for (int round = 0; round < 8; ++round)
    {
      project_on_kernel(q);
      // what is negative, or of the size of rounding, is not part of the support
      bool nonnegative = true;
      for (Index c = 0; c < q.size(); ++c)
        if (!is_equal(c))
          {
            nonnegative = nonnegative && q(c) >= 0.;
            if (!(q(c) * problem.row_scale(c) > 1e-7))
              q(c) = 0.;
          }
      if (!(max_abs(q) > 0.))
        break;
      if (distance_to_feasible(q) > 1e6 * scale)
        return q / max_abs(q);
      if (nonnegative)
        break;
    }
  return Vector();
}

double InteriorPointIteration::longest_step(const Vector &dp, const Vector &ds) const
{
  double longest = 1.;
  for (const auto &[x, dx] : {std::pair(&p, &dp), std::pair(&s, &ds)})
    for (Index c = 0; c < p.size(); ++c)
      if (!is_equal(c) && (*x)(c) + longest * (*dx)(c) < 0.)
        longest = -(*x)(c) / (*dx)(c);
  return longest;
}

/// A lower bound of |u* - U|: <BU - b, q>/|B*q| for any q >= 0; 0 where it is lost in rounding.
double InteriorPointIteration::distance_to_feasible(const Vector &q) const
{
  Vector Btq(u.size());
  problem.B.apply_transpose(q, Btq);
  const double excess = problem.U.dot(Btq) - problem.b.dot(q);
  const double terms  = problem.U.cwiseAbs().dot(Btq.cwiseAbs()) + problem.b.cwiseAbs().dot(q.cwiseAbs());
  return excess > 1e-10 * terms + 100. * problem.rounding.dot(q.cwiseAbs())
             ? excess / std::sqrt(Btq.cwiseAbs2().cwiseQuotient(problem.m).sum())
             : 0.;
}

/// q := the nearest multiplier with the support of q and B*q = 0, by penalties: q -= wB(M + BᵀwB)⁻¹Bᵀq until nothing is
/// left. Rows that are equal belong to every support.
void InteriorPointIteration::project_on_kernel(Vector &q)
{
  constexpr double penalty = 1e8;
  for (Index c = 0; c < q.size(); ++c)
    w(c) = is_equal(c) || q(c) > 0. ? penalty / (problem.row_scale(c) * problem.row_scale(c)) : 0.;
  // penalties need double precision
  const std::unique_ptr<NewtonSystem> exact =
      large_in_space ? factorised_system(problem.B, problem.m, parameters.backend) : nullptr;
  NewtonSystem &penalized = exact ? *exact : *system;
  if (!penalized.set_weights(w))
    return;
  for (int repetition = 0; repetition < 3; ++repetition)
    {
      problem.B.apply_transpose(q, du);
      penalized.solve(du, 0.);
      problem.B.apply(du, Bv);
      q -= w.cwiseProduct(Bv);
    }
}

void InteriorPointIteration::set_velocity_of(const Vector &multiplier)
{
  problem.B.apply_transpose(multiplier, u);
  u = problem.U - u.cwiseQuotient(problem.m);
}

/// The Newton direction du (a member), dp, ds for the complementarity residual r_c. False where the linear solver fails.
bool InteriorPointIteration::solve(const Vector &r_c, Vector &dp, Vector &ds)
{
  for (Index c = 0; c < p.size(); ++c)
    t(c) = -(r_c(c) + factor(c) * r_p(c)) / (s(c) + delta(c) * factor(c));
  problem.B.apply_transpose(t, du);
  du = -(du + r_d);
  if (!system->solve(du, linear_tolerance))
    return false;
  problem.B.apply(du, Bv);
  dp = t + w.cwiseProduct(Bv);
  ds = r_p - Bv + delta.cwiseProduct(dp);
  for (Index c = 0; c < p.size(); ++c)
    if (is_equal(c))
      ds(c) = 0.;
  return true;
}

/// The same direction for δ = 0, where δ dp would leave more than a tenth of r_p behind: large δ, or rows that nearly depend
/// on each other. By generalised conjugate residuals of ρ = r_p - B du - ds, with the same H:
///     H ddu = BᵀWρ,  x = W(B ddu - ρ),  dds = -x s/p,  B ddu + dds = ρ + δx.
/// False where the linear solver fails.
bool InteriorPointIteration::without_proximal_term(Vector &dp, Vector &ds)
{
  constexpr double  reduction = .1, stagnation = .9, roundings = 100.;
  const std::size_t most  = large_in_space ? 5 : 12; // directions
  Vector            rho   = -delta.cwiseProduct(dp);
  const double      first = max_abs(rho), goal = reduction * first;
  const double      of_Bu = 10. * epsilon * max_abs(u); // rounding
  // where a repair of what is left is noticed beside the gap; rows that contradict each other by rounding, as equal ones
  // may, are left to the proximal term
  const bool is_due = large_in_space || equal.empty() && first * p.sum() > reduction * mu * n_inequalities &&
                                            (rho.cwiseAbs() - roundings * problem.rounding).maxCoeff() >
                                                std::max(reduction * max_abs(r_p), of_Bu);
  if (system->solutions_are_costly() || !is_due)
    return true;
  struct Direction
  {
    Vector x, ddu, change; ///< of ρ, of length 1
  };
  std::vector<Direction> directions;
  for (double size = first, last = 2. * first;
       size > goal && (!large_in_space || size < stagnation * last) && directions.size() < most;)
    {
      Direction now;
      t = w.cwiseProduct(rho);
      problem.B.apply_transpose(t, now.ddu);
      if (!system->solve(now.ddu, 1.))
        return false;
      problem.B.apply(now.ddu, Bv);
      now.x          = w.cwiseProduct(Bv) - t;
      now.change     = rho + delta.cwiseProduct(now.x);
      const auto add = [&](const double factor, const Direction &other) {
        now.x += factor * other.x;
        now.ddu += factor * other.ddu;
        now.change += factor * other.change;
      };
      for (const Direction &before : directions)
        add(-now.change.dot(before.change), before);
      const double length = now.change.norm();
      if (!(length > 0.))
        break;
      for (Vector *const v : {&now.x, &now.ddu, &now.change})
        *v /= length;
      const double along = rho.dot(now.change);
      rho -= along * now.change;
      du += along * now.ddu;
      dp += along * now.x;
      for (Index c = 0; c < p.size(); ++c)
        if (!is_equal(c))
          ds(c) -= along * now.x(c) * s(c) / p(c);
      directions.push_back(std::move(now));
      last = size;
      size = max_abs(rho);
    }
  return true;
}
} // namespace moreau::convex
