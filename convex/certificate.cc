// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/certificate.h"

#include "convex/shared_network.h"
#include "convex/speed_unit.h"
#include "convex/structure.h"

#include <cmath>
#include <limits>

namespace moreau::convex
{
namespace
{
/// Whether something holds on every process.
bool everywhere(const VelocitySpace &V, const bool local) { return V.max_over_processes(local ? 0. : 1.) == 0.; }

/// (B mean U - b)⁺: what stands in the way of the mean motion. Room that is left (b > 0) must not dilute "relative".
Vector obstruction(const ProjectionProblem &problem, const Vector &mean)
{
  if (everywhere(*problem.V, problem.b.size() == 0 && mean.isZero(0.)))
    return Vector::Zero(problem.n_constraints());
  Vector B_mean(problem.n_constraints());
  problem.B->apply(mean, B_mean);
  const Vector y = problem.b.size() == 0 ? B_mean : Vector(B_mean - problem.b);
  return y + problem.nearest_multiplier(-y);
}

/// Largest absolute value of what all processes hold.
double largest_entry(const VelocitySpace &V, const Vector &v) { return V.max_over_processes(max_abs(v)); }

/// Σ p_c q_c and |q| over the rows of all processes.
double dot(const ProjectionProblem &problem, const Vector &p, const Vector &q)
{
  return sum_over_rows(problem, p.cwiseProduct(q));
}
double norm(const ProjectionProblem &problem, const Vector &q) { return std::sqrt(dot(problem, q, q)); }

/// Largest entry; not below `lowest`, which stands for processes without rows.
double largest(const VelocitySpace &V, const Vector &q, const double lowest)
{
  return V.max_over_processes(q.size() == 0 ? lowest : std::max(lowest, q.maxCoeff()));
}

/// What rounding makes of the rows of Bv: as large as the entries of v, times the norms of the rows.
class RoundingOfRows
{
public:
  explicit RoundingOfRows(const ProjectionProblem &problem) : problem(problem), V(*problem.V), sizes(problem.B->row_norms())
  {
    if (problem.circles && sizes.size() > 0)
      sizes = problem.circles->largest_of_blocks(sizes);
  }

  /// Whether no row of Bv exceeds b by more than that.
  bool feasible(const Vector &v, const Vector &Bv, const Vector &b) const
  {
    const double rounding = 4. * epsilon * largest_entry(V, v);
    const Vector beyond   = problem.excess(Bv - b);
    const bool   here     = sizes.size() == 0 ? beyond.size() == 0 || beyond.maxCoeff() <= rounding
                                              : (beyond.array() <= rounding * sizes.array()).all();
    return everywhere(V, here);
  }

private:
  const ProjectionProblem &problem;
  const VelocitySpace     &V;
  Vector                   sizes; ///< length 0: all are 1
};

/// The largest that rounding makes of b - B(U - B*p), where B is known entry by entry: a light body between heavy ones is
/// accelerated by the difference of large impulses, of which double precision keeps sixteen digits.
double rounding_of_residual(const ProjectionProblem &problem, const Vector &p)
{
  const Structure structure = structure_of(problem);
  if (!structure.has_entries())
    return 0.;
  const auto  &B     = structure.entries->matrix();
  const Vector kicks = (B.cwiseAbs().transpose() * p.cwiseAbs()).cwiseQuotient(structure.masses->masses());
  const Vector rows  = B.cwiseAbs() * (kicks + problem.U.cwiseAbs());
  return epsilon * (rows.size() == 0 ? 0. : (rows + problem.right_hand_side().cwiseAbs()).maxCoeff());
}

/// What "relative" means: relative_scale() and typical_speed().
struct Measures
{
  double scale, speed;
};

/// With the norm of the offset (B mean U - b)⁺ for the scale, which is not divided by ‖B‖ yet.
struct Deviations
{
  Measures measures;
  double   offset;
};

Deviations deviations(const ProjectionProblem &problem)
{
  const VelocitySpace &V         = *problem.V;
  const Vector         mean      = V.mean(problem.U);
  const Vector         deviation = problem.U - mean;
  const Vector         obstacle  = obstruction(problem, mean);
  return {{V.norm(deviation), std::max(largest_entry(V, deviation), largest_entry(V, obstacle))}, norm(problem, obstacle)};
}

Measures measures(const ProjectionProblem &problem)
{
  const VelocitySpace &V = *problem.V;
  auto [result, offset]  = deviations(problem);
  // ‖B‖² >= max W_cc: where that is enough to see that the offset does not count, ‖B‖ need not be computed
  if (offset > result.scale * std::sqrt(largest(V, delassus_diagonal(problem), 0.)))
    {
      const double B_norm = operator_norm(problem);
      if (B_norm > 0.)
        result.scale = std::max(result.scale, offset / B_norm);
    }
  return result;
}

/// <b - Bv, p>, distance = b - Bv: a row that v violates by rounding spoils the proof by <Bv - b, p*>, p* ≈ p, and counts as
/// if it were open by that much. Where v is not feasible its violations are left out.
double work(const ProjectionProblem &problem, const Vector &distance, const Vector &p, const bool feasible)
{
  if (!feasible)
    return dot(problem, problem.nearest_multiplier(distance), p);
  if (!problem.circles)
    return dot(problem, distance.cwiseAbs(), p);
  const CircularRows &circles = *problem.circles;
  const Vector        beyond  = circles.excess(-distance);
  double              sum     = circles.products(distance, p).cwiseAbs().sum();
  for (Index b = 0; b < circles.n_blocks(); ++b)
    sum += 2. * std::max(0., beyond(circles.begin[b])) * p(circles.begin[b]);
  return sum;
}

/// Sets entries of rows that feel nothing that moves to 0.
void leave_out_rows_at_rest(const SparseConstraint &B, const Vector &v, Vector &rows)
{
  if (const auto *const network = dynamic_cast<const PairConstraint *>(&B))
    {
      const Index dim   = network->dimension();
      const auto  rests = [&](const int node) { return v.segment(dim * node, dim).isZero(0.); };
      for (Index c = 0; c < rows.size(); ++c)
        if (const auto &[i, j] = network->pairs()[c]; rests(i) && (j == PairConstraint::fixed_body || rests(j)))
          rows(c) = 0.;
    }
  else if (B.is_assembled())
    for (Index c = 0; c < rows.size(); ++c)
      {
        bool rests = true;
        for (SparseConstraint::Matrix::InnerIterator entry(B.matrix(), c); entry && rests; ++entry)
          rests = v(entry.col()) == 0.;
        if (rests)
          rows(c) = 0.;
      }
}

/// What rounding makes of <b - Bv, p>: as large as the entries of v, but nothing where bodies rest exactly, however they are
/// pressed. p >= 0, or in Q.
double rounding_of_work(const ProjectionProblem &problem, const Vector &p, const Vector &v)
{
  Vector sizes = p.cwiseAbs();
  if (const SharedNetwork *const network = shared_network(problem))
    leave_out_rows_at_rest(network->rows(), network->with_ghosts(v, network->here().dim), sizes);
  else if (const SparseConstraint *const entries = structure_of(problem).entries)
    leave_out_rows_at_rest(*entries, v, sizes);
  return epsilon * sum_over_rows(problem, sizes) * largest_entry(*problem.V, v);
}

/// What is known of a pair that is not a number: nothing. Maxima and clipping would hide a NaN.
Certificate worthless_certificate()
{
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Certificate      certificate;
  certificate.relative_error_bound = certificate.bound_relative_to_u = certificate.gap = infinity;
  certificate.primal_infeasibility = certificate.dual_infeasibility = certificate.complementarity = infinity;
  certificate.momentum = certificate.natural_residual = infinity;
  return certificate;
}
} // namespace

Vector delassus_diagonal(const ProjectionProblem &problem)
{
  const auto [B, pairs, V] = structure_of(problem);
  if (!B || !V)
    {
      Vector W = problem.B->delassus_diagonal(*problem.V);
      return W.size() == problem.n_constraints() ? W : Vector(Vector::Ones(problem.n_constraints()));
    }
  Vector W(problem.n_constraints());
  if (pairs && V->dimension() == pairs->dimension())
    {
      const Vector &m = V->masses_of_nodes();
      for (Index c = 0; c < W.size(); ++c)
        {
          const auto &[i, j] = pairs->pairs()[c];
          W(c)               = 1. / m(i) + (j == PairConstraint::fixed_body ? 0. : 1. / m(j));
        }
      return W;
    }
  for (Index c = 0; c < W.size(); ++c)
    {
      W(c) = 0.;
      for (SparseConstraint::Matrix::InnerIterator entry(B->matrix(), c); entry; ++entry)
        W(c) += entry.value() * entry.value() / V->masses()(entry.col());
    }
  return W;
}

bool proves_infeasible(const ProjectionProblem &problem, const Vector &p)
{
  const VelocitySpace &V = *problem.V;
  const bool           usable =
      problem.b.size() > 0 && p.size() == problem.n_constraints() && p.allFinite() && (p.array() >= 0.).all();
  if (!everywhere(V, usable || problem.n_constraints() == 0) || everywhere(V, p.size() == 0))
    return false;
  const Vector b = problem.right_hand_side();
  // in the frame of mean U, where a fast frame does not drown b in rounding
  const Vector mean = V.mean(problem.U);
  Vector       B_mean(problem.n_constraints()), Btp(problem.n_unknowns()), Bstar_p(problem.n_unknowns());
  problem.B->apply(mean, B_mean);
  problem.B->apply_transpose(p, Btp);
  V.inverse_riesz(Btp, Bstar_p);
  const double       deficit  = dot(problem, B_mean - b, p);
  constexpr unsigned far      = 1000000;
  const double       rounding = 64. * epsilon * dot(problem, B_mean.cwiseAbs() + b.cwiseAbs(), p);
  return deficit > far * V.norm(Bstar_p) * relative_scale(problem) && deficit > rounding;
}

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
  const VelocitySpace &V = *problem.V;
  const Index          m = problem.n_constraints();
  if (everywhere(V, m == 0))
    return 0.;
  // a start without symmetry, the same in every run
  Vector q(m), Btq(problem.n_unknowns()), v(problem.n_unknowns()), Wq(m);
  for (Index c = 0; c < m; ++c)
    q(c) = 1. + .5 * std::sin(1. + 7.3 * label_of_row(problem, c));
  double lambda = 0.;
  for (int iteration = 0; iteration < 30; ++iteration)
    {
      q /= norm(problem, q);
      problem.B->apply_transpose(q, Btq);
      V.inverse_riesz(Btq, v);
      problem.B->apply(v, Wq);
      lambda = norm(problem, Wq);
      if (lambda == 0.)
        return 0.;
      q.swap(Wq);
    }
  return std::sqrt(1.05 * lambda);
}

double relative_scale(const ProjectionProblem &problem) { return measures(problem).scale; }

double typical_speed(const ProjectionProblem &problem) { return deviations(problem).measures.speed; }

double approach_speed(const ProjectionProblem &problem, const Vector &v)
{
  Vector Bv(problem.n_constraints());
  problem.B->apply(v, Bv);
  return largest(*problem.V, problem.excess(Bv - problem.right_hand_side()), 0.);
}

namespace
{
/// feasible_companion() with Bv: that of u on entry, of the result on exit.
Vector companion(const ProjectionProblem &problem, const Vector &u, const Vector &b, Vector &Bv, bool &feasible)
{
  const VelocitySpace &V = *problem.V;
  const Index          m = problem.n_constraints();
  const RoundingOfRows rounding_of_rows(problem);
  Vector               v = u;
  feasible               = rounding_of_rows.feasible(v, Bv, b);
  if (!feasible && problem.repair)
    {
      v = problem.repair->repaired(u);
      problem.B->apply(v, Bv);
      feasible = rounding_of_rows.feasible(v, Bv, b);
    }
  if (feasible || everywhere(V, problem.expansion.empty()))
    return v;

  const Expansion &expansion = problem.expansion;
  const Vector     start     = v;
  Vector           rate(m);
  problem.B->apply(expansion.w, rate);
  rate                  = -problem.excess(rate);                         // of rows of a circle one that suffices
  const double rounding = 64. * epsilon * largest_entry(V, expansion.w); // a rate of rounding opens nothing

  // The repaired rows are met with a margin of one rounding, so that one round is nearly always enough.
  std::vector<double> t(expansion.n_parts, 0.);
  for (int round = 0; round < 8; ++round)
    {
      std::vector<double> more(expansion.n_parts, 0.);
      const Vector        beyond = problem.excess(Bv - b);
      for (Index c = 0; c < m; ++c)
        if (beyond(c) > 0. && rate(c) > rounding)
          {
            double &needed = more[expansion.part_of_row[c]];
            needed         = std::max(needed, beyond(c) / rate(c));
          }
      max_of_each_over_processes(problem, more);
      double most = 0.;
      for (int part = 0; part < expansion.n_parts; ++part)
        {
          t[part] += more[part] * (1. + 4. * epsilon) * (1 << round);
          most = std::max(most, more[part]);
        }
      if (most == 0.)
        break;
      for (Index k = 0; k < u.size(); ++k)
        v(k) = start(k) + t[expansion.part_of_unknown[k]] * expansion.w(k);
      problem.B->apply(v, Bv);
    }
  feasible = rounding_of_rows.feasible(v, Bv, b);
  return v;
}

} // namespace

std::vector<std::pair<std::string, double>> named_numbers(const Certificate &c)
{
  return {{"relative_error_bound", c.relative_error_bound},
          {"bound_relative_to_u", c.bound_relative_to_u},
          {"gap", c.gap},
          {"primal_infeasibility", c.primal_infeasibility},
          {"dual_infeasibility", c.dual_infeasibility},
          {"complementarity", c.complementarity},
          {"momentum", c.momentum},
          {"natural_residual", c.natural_residual},
          {"round_off_floor", c.round_off_floor},
          {"scale", c.scale}};
}

Vector feasible_companion(const ProjectionProblem &problem, const Vector &u, bool &feasible)
{
  Vector Bv(problem.n_constraints());
  problem.B->apply(u, Bv);
  return companion(problem, u, problem.right_hand_side(), Bv, feasible);
}

Certificate certify(const ProjectionProblem &problem, const Vector &u, const Vector &p)
{
  const VelocitySpace &V = *problem.V;
  if (!everywhere(V, u.allFinite() && p.allFinite() && problem.U.allFinite() && problem.b.allFinite()))
    return worthless_certificate();
  if (const int k = exponent_of_speeds(problem); k != 0)
    {
      Certificate certificate = certify(in_speed_unit(problem, k), times_power_of_two(u, -k), times_power_of_two(p, -k));
      certificate.scale       = std::ldexp(certificate.scale, k);
      return certificate;
    }

  const Index  m = problem.n_constraints();
  const Vector b = problem.right_hand_side(), p_plus = problem.nearest_multiplier(p);
  const auto [relative, size] = measures(problem);

  Certificate certificate;
  certificate.scale = relative;
  // squares that underflow or overflow prove nothing
  constexpr double tiny = 1e-150, huge = 1e150;
  if (certificate.scale == 0. ? size > 0. : !(tiny < certificate.scale && certificate.scale < huge))
    return worthless_certificate();
  const double scale    = certificate.scale > 0. ? certificate.scale : 1.;
  const double max_size = size > 0. ? size : 1.;
  const Vector u_p      = problem.velocity_of(p_plus);

  Vector Bu(m), Bu_p(m);
  problem.B->apply(u, Bu);
  problem.B->apply(u_p, Bu_p);
  const Vector W                   = delassus_diagonal(problem);
  const Vector impulse_as_velocity = .5 * p.cwiseProduct(problem.circles ? problem.circles->largest_of_blocks(W) : W);
  certificate.primal_infeasibility = largest(V, problem.excess(Bu - b), 0.) / max_size;
  certificate.dual_infeasibility   = largest(V, problem.excess(-impulse_as_velocity), 0.) / max_size;
  // of u recomputed from p: a feasible u beside p = 0 must not look like a solution
  const Vector distance_of_p   = b - Bu_p;
  const Vector natural         = problem.circles
                                     ? Vector(impulse_as_velocity - problem.nearest_multiplier(impulse_as_velocity - distance_of_p))
                                     : Vector(impulse_as_velocity.cwiseMin(distance_of_p));
  certificate.natural_residual = largest_entry(V, natural) / max_size;
  certificate.complementarity  = std::abs(dot(problem, b - Bu, p_plus)) / (scale * scale);
  certificate.momentum         = V.norm(u - u_p) / scale;

  const Vector v                   = companion(problem, u, b, Bu, certificate.guaranteed);
  const Vector distance            = b - Bu; // of v now
  const double slack               = work(problem, distance, p_plus, certificate.guaranteed);
  const double gap                 = .5 * std::pow(V.norm(v - u_p), 2) + slack;
  const double rounding            = rounding_of_work(problem, p_plus, v);
  const double bound               = std::min(V.norm(u - u_p), V.norm(u - v)) + std::sqrt(2. * (gap + rounding));
  certificate.gap                  = gap / (scale * scale);
  certificate.round_off_floor      = std::sqrt(2. * rounding) / scale;
  certificate.relative_error_bound = bound / scale;

  const double u_size = V.norm(u - V.mean(u));
  // a u that is uniform as far as the bound can tell has no relative error
  certificate.bound_relative_to_u =
      bound == 0. ? 0. : (bound < u_size ? bound / u_size : std::numeric_limits<double>::infinity());
  return certificate;
}

double StoppingCriterion::demanded(const Certificate &certificate) const
{
  return std::max(tolerance, std::min(3. * certificate.round_off_floor, 1e-4));
}

bool StoppingCriterion::met_by(const Certificate &certificate) const
{
  // NaN compares false: a solver that broke down never counts as converged
  if (on_natural_residual)
    return certificate.natural_residual <= tolerance;
  const double residual_demanded = std::max(tolerance, 1e-12);
  return certificate.relative_error_bound <= demanded(certificate) &&
         (certificate.guaranteed
              ? certificate.natural_residual <= std::sqrt(residual_demanded)
              : certificate.natural_residual <= residual_demanded && certificate.primal_infeasibility <= residual_demanded);
}

namespace
{
/// Whether the natural residual is what rounding leaves of it, and small enough for that to be no excuse.
bool is_at_rounding(const ProjectionProblem &problem, const SaddlePoint &x)
{
  constexpr double most  = 1e-8; // and a few roundings add up
  const double     speed = typical_speed(problem);
  return x.certificate.natural_residual <= most &&
         x.certificate.natural_residual * speed <= 4. * rounding_of_residual(problem, x.p);
}
} // namespace

void judge(const ProjectionProblem &problem, const StoppingCriterion &criterion, SaddlePoint &x)
{
  x.certificate          = certify(problem, x.u, x.p);
  x.certificate.demanded = criterion.demanded(x.certificate);
  if (x.status == Status::infeasible)
    x.status = proves_infeasible(problem, x.p) ? Status::infeasible : Status::stagnated;
  if (x.status == Status::infeasible)
    return;
  if (criterion.met_by(x.certificate) || criterion.on_natural_residual && is_at_rounding(problem, x))
    x.status = Status::converged;
  else if (x.status == Status::converged)
    x.status = Status::stagnated;
}
} // namespace moreau::convex
