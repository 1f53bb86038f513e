// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/interior_point.h"

#include "convex/certificate.h"
#include "convex/solvers/interior_point_iteration.h"
#include "convex/solvers/momentum.h"
#include "convex/start.h"
#include "convex/structure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace moreau::convex
{
namespace
{
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
      const std::vector<char> &equal, const StoppingCriterion &criterion, const InteriorPoint::Parameters &parameters)
      : problem(problem)
      , criterion(criterion)
      , max_iterations(std::min(parameters.max_iterations, criterion.max_iterations))
      , scaled(problem, B, V, scale)
      , unit(scaled.velocity_unit * std::sqrt(scaled.mass_unit))
      , scale(scale)
      , demanded(criterion.tolerance * scale)
      , iteration(scaled, equal, parameters)
      , on_face(!equal.empty())
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
        // before the first step nothing is known of equalities, whose multipliers may begin at 0
        const double estimate =
            on_face && n_iterations == 0 ? std::numeric_limits<double>::infinity() : unit * iteration.error_estimate();
        remember(estimate);
        if (std::isfinite(estimate))
          criterion.watch(estimate, demanded);
        if (on_face                         ? estimate <= demanded
            : criterion.on_natural_residual ? residual_met()
                                            : estimate <= demanded && bound_met())
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
    x.p      = scaled.impulse(best_p);
    x.status = status;
    if (on_face)
      return x;
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
  InteriorPointIteration   iteration;
  const bool               on_face; ///< rows are equal, and the caller judges
  ErrorBound               error_bound;
  Vector                   best_u, best_p, farkas;
  double                   best_estimate = std::numeric_limits<double>::infinity(), to_beat = best_estimate;
  unsigned int             since_progress = 0, n_failures = 0, n_iterations = 0;
  Status                   status = Status::stagnated;

  void remember(const double estimate)
  {
    ++since_progress;
    if (estimate < .9 * to_beat)
      {
        to_beat        = estimate;
        since_progress = 0;
      }
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
      Run run(problem, *B, *V, scale, {}, criterion, parameters);
      run.start(p_start);
      run.iterate();
      x = run.answer();
    }
  judge(problem, criterion, *x);
  return *std::move(x);
}

SaddlePoint InteriorPoint::project_with_equalities(const ProjectionProblem &problem, const std::vector<char> &equal) const
{
  const auto [B, pairs, V] = structure_with_entries(problem, "InteriorPoint");
  Run run(problem, *B, *V, relative_scale(problem), equal, criterion, parameters);
  run.start(nullptr);
  run.iterate();
  return run.answer();
}
} // namespace moreau::convex
