// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/interior_point.h"

#include "convex/certificate.h"
#include "convex/solvers/momentum.h"
#include "convex/solvers/normal_matrix.h"
#include "convex/solvers/scaled_problem.h"
#include "convex/solvers/start.h"
#include "convex/structure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace moreau::convex
{
namespace
{
/// The smallest part of the way to the boundary of the positive orthant along dx, at most `longest`.
double longest_step(const Vector &x, const Vector &dx, double longest)
{
  for (Index c = 0; c < x.size(); ++c)
    if (x(c) + longest * dx(c) < 0.)
      longest = -x(c) / dx(c);
  return longest;
}

/// One interior point run on a scaled problem: the iterate (u, p, s), its residuals and Newton steps.
class Iteration
{
public:
  Iteration(const ScaledProblem &problem, const InteriorPoint::Parameters &parameters)
      : problem(problem)
      , parameters(parameters)
      , matrix(make_normal_matrix(problem.B, problem.m))
      , cholesky(make_sparse_cholesky(matrix->pattern(), parameters.backend))
      , delta(parameters.regularization * problem.row_scale.cwiseAbs2())
      , u(problem.U)
      , p(problem.b.size())
      , s(problem.b.size())
      , r_d(u.size())
      , du(u.size())
      , r_p(p.size())
      , w(p.size())
      , t(p.size())
      , Bv(p.size())
  {}

  /// Slacks and multipliers of equal products, no slack below the size of a velocity.
  void start_cold()
  {
    const double size = std::max(max_abs(problem.m.cwiseSqrt().cwiseProduct(problem.U)), 1.);
    u.setZero();
    for (Index c = 0; c < p.size(); ++c)
      {
        const double slack = std::max(size, problem.b(c) / problem.row_scale(c));
        s(c)               = slack * problem.row_scale(c);
        p(c)               = size * size / slack / problem.row_scale(c);
      }
  }

  /// From a guess p_start (scaled): the pair with s - p/ρ = (b - Bu)⁺ -
  /// p_start/ρ and equal products ps, as large as the guess is bad.
  void start_from(const Vector &p_start)
  {
    constexpr double rho = 10.; // 1 to 100 serve, in the units of the rows
    set_velocity_of(p_start);
    problem.B.apply(u, Bv);
    const Vector slack    = (problem.b - Bv).cwiseQuotient(problem.row_scale),
                 pressure = p_start.cwiseProduct(problem.row_scale);
    // 300: measured; the mean square of the residuals alone starts too close to the boundary
    const double mean_square = slack.cwiseMin(pressure).squaredNorm() / static_cast<double>(p.size());
    const double barrier     = std::min(1., std::max(1e-10, 300. * mean_square));
    for (Index c = 0; c < p.size(); ++c)
      {
        const double v      = std::max(0., slack(c)) - pressure(c) / rho;
        const double root   = std::sqrt(v * v + 4. * barrier / rho);
        const double smooth = v > 0. ? (v + root) / 2. : 2. * barrier / rho / (root - v); // without cancellation
        s(c)                = smooth * problem.row_scale(c);
        p(c)                = barrier / s(c);
      }
    set_velocity_of(p);
  }

  void evaluate_residuals()
  {
    problem.B.apply_transpose(p, r_d);
    r_d += problem.m.cwiseProduct(u - problem.U);
    problem.B.apply(u, Bv);
    r_p = problem.b - Bv - s;
    mu  = p.size() == 0 ? 0. : p.dot(s) / static_cast<double>(p.size());
  }

  /// √(2 gap) of (u, p) as if u were feasible: |u - u_p|² + 2<|b - Bu|, p>.
  double error_estimate() const
  {
    return std::sqrt((r_d.cwiseAbs2().cwiseQuotient(problem.m)).sum() + 2. * (s + r_p).cwiseAbs().dot(p));
  }

  /// False where H could not be factorised or the step is not finite.
  bool step()
  {
    w = p.array() / (s + delta.cwiseProduct(p)).array();
    matrix->assemble(w);
    if (!cholesky->factorize(matrix->values()))
      return false;

    Vector dp(p.size()), ds(p.size()), r_c = p.cwiseProduct(s);
    solve(r_c, dp, ds);
    double       alpha  = std::min(longest_step(p, dp, 1.), longest_step(s, ds, 1.));
    const double mu_aff = (p + alpha * dp).dot(s + alpha * ds) / static_cast<double>(p.size());
    const double sigma  = std::pow(mu_aff / mu, 3);
    const double target = sigma * mu;
    r_c.array() += dp.array() * ds.array() - target;
    solve(r_c, dp, ds);
    alpha = std::min(longest_step(p, dp, 1.), longest_step(s, ds, 1.));

    Vector r_corrected, du_best;
    for (unsigned int k = 0; k < parameters.n_correctors && alpha < 1.; ++k)
      {
        // products that a longer step would make outliers are pulled back to the neighbourhood of the target
        const double longer = std::min(1., alpha + .4);
        r_corrected         = r_c;
        for (Index c = 0; c < p.size(); ++c)
          {
            const double product = (p(c) + longer * dp(c)) * (s(c) + longer * ds(c));
            const double pull    = std::min(std::max(product, .1 * target), 10. * target) - product;
            r_corrected(c) -= std::max(-10. * target, pull);
          }
        du_best = du;
        Vector dp_corrected(p.size()), ds_corrected(p.size());
        solve(r_corrected, dp_corrected, ds_corrected);
        const double alpha_corrected = std::min(longest_step(p, dp_corrected, 1.), longest_step(s, ds_corrected, 1.));
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
    if (!(std::isfinite(alpha) && du.allFinite()))
      return false;
    u += alpha * du;
    p += alpha * dp;
    s += alpha * ds;
    return true;
  }

  /// max |min(p, b - Bu)| as in Certificate, relative to what has to be undone.
  double natural_residual() const
  {
    const Vector pressure = .5 * p.cwiseProduct(problem.row_scale.cwiseAbs2());
    return max_abs(pressure.cwiseMin(s + r_p)) / std::max(max_abs(problem.U), max_abs(problem.b.cwiseMin(0.)));
  }

  /// p grows without limit and U is far from where it pushes to: worth the factorisations of infeasibility().
  bool seems_infeasible(const double scale) const
  {
    return p.cwiseProduct(problem.row_scale).maxCoeff() > 1e7 && distance_to_feasible(p) > scale;
  }

  /// Farkas' certificate that no u is feasible: q >= 0 with B*q = 0 to
  /// rounding and <b,q> < 0; length 0 where p does not lead to one.
  /// Precisely: any feasible u would have to be 1e6 times farther from U than `scale`.
  Vector infeasibility(const double scale)
  {
    const Vector pressure = p.cwiseProduct(problem.row_scale);
    const double largest  = pressure.maxCoeff();
    // the entries that do not grow only keep the interior point inside
    Vector q = (pressure.array() > 1e-5 * largest).select(p, 0.) / largest;
    for (int round = 0; round < 8; ++round)
      {
        project_on_kernel(q);
        // what is negative, or of the size of rounding, is not part of the support
        const bool nonnegative = q.minCoeff() >= 0.;
        q                      = (q.cwiseProduct(problem.row_scale).array() > 1e-7).select(q, 0.);
        if (!(q.maxCoeff() > 0.))
          break;
        if (distance_to_feasible(q) > 1e6 * scale)
          return q / q.maxCoeff();
        if (nonnegative)
          break;
      }
    return Vector();
  }

  void strengthen_regularization() { delta *= 100.; }

  const Vector &velocity() const { return u; }
  const Vector &multiplier() const { return p; }

private:
  const ScaledProblem             &problem;
  const InteriorPoint::Parameters &parameters;
  std::unique_ptr<NormalMatrix>    matrix;
  std::unique_ptr<SparseCholesky>  cholesky;
  Vector                           delta;
  Vector                           u, p, s, r_d, du, r_p, w, t, Bv;
  double                           mu = 0.;

  /// A lower bound of |u* - U|: <BU - b, q>/|B*q| for any q >= 0; 0 where it is lost in rounding.
  double distance_to_feasible(const Vector &q) const
  {
    Vector Btq(u.size());
    problem.B.apply_transpose(q, Btq);
    const double excess = problem.U.dot(Btq) - problem.b.dot(q);
    const double terms  = problem.U.cwiseAbs().dot(Btq.cwiseAbs()) + problem.b.cwiseAbs().dot(q);
    return excess > 1e-10 * terms + 100. * problem.rounding.dot(q)
               ? excess / std::sqrt(Btq.cwiseAbs2().cwiseQuotient(problem.m).sum())
               : 0.;
  }

  /// q := the nearest multiplier with the support of q and B*q = 0, by
  /// penalties: q -= wB(M + BᵀwB)⁻¹Bᵀq until nothing is left.
  void project_on_kernel(Vector &q)
  {
    constexpr double penalty = 1e8;
    w                        = (q.array() > 0.).select(penalty * problem.row_scale.cwiseAbs2().cwiseInverse(), 0.);
    matrix->assemble(w);
    if (!cholesky->factorize(matrix->values()))
      return;
    for (int repetition = 0; repetition < 3; ++repetition)
      {
        problem.B.apply_transpose(q, du);
        cholesky->solve(du);
        problem.B.apply(du, Bv);
        q -= w.cwiseProduct(Bv);
      }
  }

  void set_velocity_of(const Vector &multiplier)
  {
    problem.B.apply_transpose(multiplier, u);
    u = problem.U - u.cwiseQuotient(problem.m);
  }

  /// The Newton direction du (a member), dp, ds for the complementarity residual r_c.
  void solve(const Vector &r_c, Vector &dp, Vector &ds)
  {
    t = -(r_c.array() + p.array() * r_p.array()) / (s + delta.cwiseProduct(p)).array();
    problem.B.apply_transpose(t, du);
    du = -(du + r_d);
    cholesky->solve(du);
    problem.B.apply(du, Bv);
    dp = t + w.cwiseProduct(Bv);
    ds = r_p - Bv + delta.cwiseProduct(dp);
  }
};

/// The certified bound of (u, p) as certify() computes it, without its repeated costs; in the norm of V.
class ErrorBound
{
public:
  explicit ErrorBound(const ProjectionProblem &problem) : problem(problem), b(problem.right_hand_side()) {}

  struct Value
  {
    double bound, floor;
    bool   feasible; ///< else an estimate, which counts a row that nothing repairs with its violation

    bool suffices(const double demanded) const { return bound <= std::max(demanded, 2. * floor); }
  };

  Value operator()(const Vector &u, const Vector &p)
  {
    bool         feasible;
    const Vector v = feasible_companion(problem, u, feasible), u_p = problem.velocity_of(p);
    problem.B->apply(v, Bv);
    const double slack    = (b - Bv).cwiseAbs().dot(p);
    const double rounding = epsilon * p.sum() * max_abs(v);
    return {std::min(problem.V->norm(u - u_p), problem.V->norm(u - v)) +
                std::sqrt(std::pow(problem.V->norm(v - u_p), 2) + 2. * (slack + rounding)),
            std::sqrt(2. * rounding), feasible};
  }

private:
  const ProjectionProblem &problem;
  Vector                   b, Bv;
};

/// The row that is empty and demands 0 <= b_c < 0, or -1.
Index impossible_row(const SparseConstraint &B, const Vector &b)
{
  for (Index c = 0; c < b.size(); ++c)
    if (b(c) < 0. && B.matrix().row(c).squaredNorm() == 0.)
      return c;
  return -1;
}

/// The answers that need no iteration: U itself where it is feasible, a row that nothing can satisfy.
std::optional<SaddlePoint> immediate_answer(const ProjectionProblem &problem, const SparseConstraint &B, const double scale)
{
  const Vector b = problem.right_hand_side();
  SaddlePoint  x;
  x.u      = problem.U;
  x.p      = Vector::Zero(b.size());
  x.status = Status::stagnated;
  x.method = "interior point (0)";
  if (const Index c = impossible_row(B, b); c >= 0)
    {
      x.p(c)   = 1.;
      x.status = Status::infeasible;
      return x;
    }
  Vector Bu(b.size());
  B.apply(problem.U, Bu);
  if (!std::isfinite(scale) || b.size() == 0 || (Bu - b).maxCoeff() <= 0.)
    return x;
  return {};
}

/// One run: steps until the criterion is met or nothing moves, and the best pair on the way.
class Run
{
public:
  Run(const ProjectionProblem &problem, const SparseConstraint &B, const DiagonalSpace &V, const double scale,
      const StoppingCriterion &criterion, const InteriorPoint::Parameters &parameters)
      : problem(problem)
      , criterion(criterion)
      , max_iterations(std::min(parameters.max_iterations, criterion.max_iterations))
      , scaled(problem, B, V, scale)
      , unit(scaled.velocity_unit * std::sqrt(scaled.mass_unit))
      , scale(scale)
      , demanded(criterion.tolerance * scale)
      , iteration(scaled, parameters)
      , error_bound(problem)
  {}

  void start(const Vector *const p_start)
  {
    if (is_start(p_start, problem.n_constraints()))
      iteration.start_from(p_start->cwiseMax(0.) / (scaled.velocity_unit * scaled.mass_unit));
    else
      iteration.start_cold();
  }

  /// Until there is an answer. The status is that of the iteration; the judge decides about convergence.
  void iterate()
  {
    for (;; ++n_iterations)
      {
        iteration.evaluate_residuals();
        const double estimate = unit * iteration.error_estimate();
        remember(estimate);
        if (criterion.on_natural_residual ? residual_met() : estimate <= demanded && bound_met())
          return;
        // what is demanded may be missing by rounding alone
        const bool stalled = since_progress > (estimate <= demanded ? 8 : is_at_floor() ? 4 : 20);
        if (!problem.is_cone() && (iteration.seems_infeasible(scale / unit) || stalled && estimate > demanded))
          if (farkas = iteration.infeasibility(scale / unit); farkas.size() > 0)
            return;
        if (n_iterations == max_iterations)
          {
            status = Status::iteration_limit;
            return;
          }
        if (stalled || !step())
          return;
      }
  }

  /// Of the velocity of the iterate and that of its multipliers the one that is certified better.
  SaddlePoint answer()
  {
    SaddlePoint x;
    x.n_iterations = n_iterations;
    x.method       = "interior point (" + std::to_string(n_iterations) + ")";
    x.u            = scaled.velocity(best_u);
    if (farkas.size() > 0)
      {
        x.p      = farkas;
        x.status = Status::infeasible;
        return x;
      }
    x.p                 = scaled.impulse(best_p);
    x.status            = status;
    const Vector u_of_p = problem.velocity_of(x.p);
    if (criterion.on_natural_residual || error_bound(u_of_p, x.p).bound < error_bound(x.u, x.p).bound)
      x.u = u_of_p;
    x.u = with_momentum_of_U(problem, std::move(x.u));
    return x;
  }

private:
  const ProjectionProblem &problem;
  const StoppingCriterion &criterion;
  const unsigned int       max_iterations;
  const ScaledProblem      scaled;
  const double             unit; ///< of the norm of V
  const double             scale, demanded;
  Iteration                iteration;
  ErrorBound               error_bound;
  Vector                   best_u, best_p, farkas;
  double                   best_estimate  = std::numeric_limits<double>::infinity();
  unsigned int             since_progress = 0, n_failures = 0, n_iterations = 0;
  Status                   status = Status::stagnated;

  void remember(const double estimate)
  {
    since_progress = estimate < .9 * best_estimate ? 0 : since_progress + 1;
    if (best_u.size() == 0 || estimate < best_estimate)
      {
        best_estimate = estimate;
        best_u        = iteration.velocity();
        best_p        = iteration.multiplier();
      }
  }

  /// After some steps in vain: no better bound can be computed in double precision.
  bool is_at_floor()
  {
    return since_progress > 4 && best_estimate <= 4. * error_bound(scaled.velocity(best_u), scaled.impulse(best_p)).floor;
  }

  /// With an estimate, the judge asks for small residuals as well.
  bool bound_met()
  {
    const Vector u = scaled.velocity(best_u), p = scaled.impulse(best_p);
    const auto   value = error_bound(u, p);
    return value.suffices(demanded) && (value.feasible || criterion.met_by(certify(problem, u, p)));
  }

  /// The residual of (u, p) is cheap, that of (U - B*p, p) is what counts.
  bool residual_met()
  {
    if (!(iteration.natural_residual() <= .9 * criterion.tolerance))
      return false;
    const Vector p = scaled.impulse(iteration.multiplier());
    if (!criterion.met_by(certify(problem, problem.velocity_of(p), p)))
      return false;
    best_u = iteration.velocity();
    best_p = iteration.multiplier();
    return true;
  }

  /// False where no step is possible: the regularisation is strengthened at most 5 times in a run.
  bool step()
  {
    constexpr unsigned int max_failures = 5;
    while (!iteration.step())
      {
        if (n_failures == max_failures)
          return false;
        ++n_failures;
        iteration.strengthen_regularization();
      }
    return true;
  }
};
} // namespace

SaddlePoint InteriorPoint::project(const ProjectionProblem &problem, const Vector *const p_start) const
{
  const auto [B, pairs, V]         = structure_with_entries(problem, "InteriorPoint");
  const double               scale = relative_scale(problem);
  std::optional<SaddlePoint> x     = immediate_answer(problem, *B, scale);
  if (!x)
    {
      Run run(problem, *B, *V, scale, criterion, parameters);
      run.start(p_start);
      run.iterate();
      x = run.answer();
    }
  judge(problem, criterion, *x);
  return *std::move(x);
}
} // namespace moreau::convex
