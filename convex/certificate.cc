// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/certificate.h"

#include <cmath>
#include <limits>

namespace moreau::convex
{
namespace
{
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// W_cc/2 with W = B M⁻¹Bᵀ: turns an impulse p_c into a velocity (the factor is 1 for unit masses and a pair of nodes).
Vector velocity_per_impulse(const ProjectionProblem &problem)
{
  const auto *const B = dynamic_cast<const SparseConstraint *>(problem.B.get());
  const auto *const V = dynamic_cast<const DiagonalSpace *>(problem.V.get());
  if (!B || !V)
    return Vector::Ones(problem.n_constraints());
  Vector half_W(problem.n_constraints());
  if (const auto *const pairs = dynamic_cast<const PairConstraint *>(B))
    {
      const Vector &m            = V->masses_of_nodes();
      const auto    inverse_mass = [&](const int node) { return node == PairConstraint::fixed_body ? 0. : 1. / m(node); };
      if (V->dimension() == pairs->dimension())
        {
          for (Index c = 0; c < half_W.size(); ++c)
            half_W(c) = .5 * (inverse_mass(pairs->pairs()[c].i) + inverse_mass(pairs->pairs()[c].j));
          return half_W;
        }
    }
  for (Index c = 0; c < half_W.size(); ++c)
    {
      half_W(c) = 0.;
      for (SparseConstraint::Matrix::InnerIterator entry(B->matrix(), c); entry; ++entry)
        half_W(c) += .5 * entry.value() * entry.value() / V->masses()(entry.col());
    }
  return half_W;
}

double max_abs(const Vector &v) { return v.size() == 0 ? 0. : v.lpNorm<Eigen::Infinity>(); }
} // namespace

Vector ProjectionProblem::velocity_of(const Vector &p) const
{
  Vector Btp(n_unknowns()), Bstar_p(n_unknowns());
  B->apply_transpose(p, Btp);
  V->inverse_riesz(Btp, Bstar_p);
  return U - Bstar_p;
}

std::string name(const Status status)
{
  switch (status)
    {
      case Status::converged:
        return "converged";
      case Status::iteration_limit:
        return "iteration limit";
      case Status::stagnated:
        return "stagnated";
      case Status::infeasible:
        return "infeasible";
    }
  return "unknown";
}

double operator_norm(const ProjectionProblem &problem)
{
  const Index m = problem.n_constraints();
  if (m == 0)
    return 0.;
  // a start without symmetry, the same in every run
  Vector q(m), Btq(problem.n_unknowns()), v(problem.n_unknowns()), Wq(m);
  for (Index c = 0; c < m; ++c)
    q(c) = 1. + .5 * std::sin(1. + 7.3 * static_cast<double>(c));
  double lambda = 0.;
  for (int iteration = 0; iteration < 30; ++iteration)
    {
      q /= q.norm();
      problem.B->apply_transpose(q, Btq);
      problem.V->inverse_riesz(Btq, v);
      problem.B->apply(v, Wq);
      lambda = Wq.norm();
      if (lambda == 0.)
        return 0.;
      q.swap(Wq);
    }
  return std::sqrt(1.05 * lambda);
}

double relative_scale(const ProjectionProblem &problem)
{
  const Vector mean  = problem.V->mean(problem.U);
  double       scale = problem.V->norm(problem.U - mean);
  Vector       B_mean(problem.n_constraints());
  problem.B->apply(mean, B_mean);
  const double offset = (problem.b.size() == 0 ? B_mean : Vector(problem.b - B_mean)).norm();
  if (offset > 0.)
    {
      const double B_norm = operator_norm(problem);
      if (B_norm > 0.)
        scale = std::max(scale, offset / B_norm);
    }
  return scale;
}

Vector feasible_companion(const ProjectionProblem &problem, const Vector &u, bool &feasible)
{
  const Index  m = problem.n_constraints();
  const Vector b = problem.right_hand_side();
  Vector       Bv(m);
  problem.B->apply(u, Bv);
  const double rounding = 4. * epsilon * max_abs(u);
  feasible              = m == 0 || (Bv - b).maxCoeff() <= rounding;
  if (feasible || problem.expansion.empty())
    return u;

  const Expansion &expansion = problem.expansion;
  Vector           rate(m), v = u;
  problem.B->apply(expansion.w, rate);
  rate = -rate;

  // The repaired rows are met with a margin of one rounding, so that one round is nearly always enough.
  std::vector<double> t(expansion.n_parts, 0.);
  for (int round = 0; round < 8; ++round)
    {
      std::vector<double> more(expansion.n_parts, 0.);
      for (Index c = 0; c < m; ++c)
        if (Bv(c) > b(c) && rate(c) > 0.)
          {
            double &needed = more[expansion.part_of_row[c]];
            needed         = std::max(needed, (Bv(c) - b(c)) / rate(c));
          }
      double most = 0.;
      for (int part = 0; part < expansion.n_parts; ++part)
        {
          t[part] += more[part] * (1. + 4. * epsilon) * (1 << round);
          most = std::max(most, more[part]);
        }
      if (most == 0.)
        break;
      for (Index k = 0; k < u.size(); ++k)
        v(k) = u(k) + t[expansion.part_of_unknown[k]] * expansion.w(k);
      problem.B->apply(v, Bv);
    }
  feasible = (Bv - b).maxCoeff() <= 4. * epsilon * max_abs(v);
  return v;
}

Certificate certify(const ProjectionProblem &problem, const Vector &u, const Vector &p)
{
  const VelocitySpace &V = *problem.V;
  const Index          m = problem.n_constraints();
  const Vector         b = problem.right_hand_side(), p_plus = p.cwiseMax(0.);
  const double         size = max_abs(problem.U - V.mean(problem.U));

  Certificate certificate;
  certificate.scale  = relative_scale(problem);
  const double scale = certificate.scale > 0. ? certificate.scale : 1.;
  const Vector u_p   = problem.velocity_of(p_plus);

  Vector Bu(m);
  problem.B->apply(u, Bu);
  const Vector half_W   = velocity_per_impulse(problem);
  const double max_size = size > 0. ? size : std::max(max_abs(b - Bu), std::numeric_limits<double>::min());
  if (m > 0)
    {
      certificate.primal_infeasibility = std::max(0., (Bu - b).maxCoeff()) / max_size;
      certificate.dual_infeasibility   = std::max(0., -p.cwiseProduct(half_W).minCoeff()) / max_size;
      certificate.natural_residual     = max_abs(p.cwiseProduct(half_W).cwiseMin(b - Bu)) / max_size;
    }
  certificate.complementarity = std::abs((b - Bu).dot(p_plus)) / (scale * scale);
  certificate.momentum        = V.norm(u - u_p) / scale;

  const Vector v = feasible_companion(problem, u, certificate.guaranteed);
  Vector       Bv(m);
  problem.B->apply(v, Bv);
  const double slack               = (b - Bv).cwiseMax(0.).dot(p_plus);
  const double gap                 = .5 * std::pow(V.norm(v - u_p), 2) + slack;
  const double rounding            = epsilon * p_plus.sum() * max_abs(v);
  const double bound               = std::min(V.norm(u - u_p), V.norm(u - v)) + std::sqrt(2. * (gap + rounding));
  certificate.gap                  = gap / (scale * scale);
  certificate.round_off_floor      = std::sqrt(2. * rounding) / scale;
  certificate.relative_error_bound = bound / scale;

  const double u_size             = V.norm(u - V.mean(u));
  certificate.bound_relative_to_u = bound == 0. ? 0. : bound / u_size;
  return certificate;
}

void judge(const ProjectionProblem &problem, const StoppingCriterion &criterion, SaddlePoint &x)
{
  x.certificate = certify(problem, x.u, x.p);
  // NaN compares false: a solver that broke down never counts as converged
  if (x.status != Status::infeasible &&
      x.certificate.relative_error_bound <= std::max(criterion.tolerance, 2. * x.certificate.round_off_floor))
    x.status = Status::converged;
  else if (x.status == Status::converged)
    x.status = Status::stagnated;
}
} // namespace moreau::convex
