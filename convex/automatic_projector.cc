// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/automatic_projector.h"

#include "convex/certificate.h"
#include "convex/interior_point.h"
#include "convex/lawson_hanson.h"
#include "convex/line_families.h"
#include "convex/local_polish.h"
#include "convex/projected_gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::convex
{
namespace
{
/// What the costs of the methods depend on.
struct Size
{
  double n_nodes;
  double rows_per_node;
  bool   planar; ///< separators of size √n: graphs in dimension 1 and 2

  explicit Size(const ProjectionProblem &problem)
  {
    const auto *const pairs = dynamic_cast<const PairConstraint *>(problem.B.get());
    n_nodes                 = pairs ? pairs->n_nodes() : problem.n_unknowns() / 2.;
    rows_per_node           = problem.n_constraints() / std::max(1., n_nodes);
    planar                  = !pairs || pairs->dimension() < 3;
  }

  /// Work of an interior point in passes of a first-order method, read off measurements on lattices and jittered networks
  /// (doc/numerics.md): factorisations grow as n^1.4 in the plane and n² in space.
  double interior_point_passes() const
  {
    return planar ? 6000. * std::pow(n_nodes / 1e5, .35) : 29000. * std::max(.05, n_nodes / 1e4);
  }

  /// Memory decides in the plane, time in space.
  bool factorisable(const AutomaticProjector::Parameters &parameters) const
  {
    return n_nodes <= (planar ? parameters.largest_factorised : .02 * parameters.largest_factorised);
  }
};

/// The attempts on one problem: keeps the best answer and the list of what was done.
class Attempts
{
public:
  Attempts(const ProjectionProblem &problem, const StoppingCriterion &criterion) : problem(problem), criterion(criterion) {}

  /// Takes an answer with its certificate. Returns whether the search is over.
  bool take(SaddlePoint &&x)
  {
    method += (method.empty() ? "" : ", ") + x.method;
    iterations += x.n_iterations;
    const bool over = x.converged() || x.status == Status::infeasible;
    if (over || empty || measure(x.certificate) < measure(best.certificate))
      best = std::move(x);
    empty = false;
    return over;
  }

  /// Work that has no answer of its own.
  void add_work(const std::string &what, const unsigned int n_iterations)
  {
    method += (method.empty() ? "" : ", ") + what;
    iterations += n_iterations;
  }

  bool made() const { return !empty; }

  SaddlePoint result()
  {
    best.method       = method;
    best.n_iterations = iterations;
    return std::move(best);
  }

private:
  double measure(const Certificate &certificate) const
  {
    const double value = criterion.on_natural_residual ? certificate.natural_residual : certificate.relative_error_bound;
    return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
  }

  const ProjectionProblem &problem;
  const StoppingCriterion &criterion;
  SaddlePoint              best;
  bool                     empty = true;
  std::string              method;
  unsigned int             iterations = 0;
};

/// The first-order method on a network, stage by stage: its residual goal follows the bound that is still missing.
class FirstOrderStage
{
public:
  using Outcome = ProjectedGradientIteration::Outcome;

  FirstOrderStage(const ProjectionProblem &problem, const StoppingCriterion &criterion, const Vector *p_start)
      : problem(problem)
      , criterion(criterion)
      , iteration(problem)
      , residual_goal((criterion.on_natural_residual ? .5 : 1e-2) * criterion.tolerance)
  {
    iteration.start(p_start);
  }

  /// At most max_passes in all.
  Outcome advance(const unsigned int max_passes)
  {
    ProjectedGradientIteration::Goal goal;
    goal.natural_residual = residual_goal;
    goal.max_passes       = max_passes > n_before ? max_passes - n_before : 1;
    goal.stall_passes     = 600;
    return iteration.advance(goal);
  }

  /// The present answer with its certificate; the next residual goal follows from it.
  SaddlePoint answer(const Outcome outcome)
  {
    SaddlePoint x;
    x.p            = iteration.p();
    x.u            = iteration.u();
    x.n_iterations = n_before + iteration.passes() - n_reported;
    n_reported += x.n_iterations;
    x.method = "projected gradient (" + std::to_string(x.n_iterations) + ")";
    x.status = outcome == Outcome::stalled ? Status::stagnated : Status::iteration_limit;
    if (outcome == Outcome::infeasible)
      {
        x.p      = iteration.infeasibility();
        x.status = Status::infeasible;
      }
    judge(problem, criterion, x);

    // the bound falls with the square root of the residual
    const double missing = x.certificate.relative_error_bound / criterion.tolerance;
    residual_goal /= criterion.on_natural_residual ? 2. : std::clamp(missing * missing, 4., 1e4);
    return x;
  }

  /// Continues from p, with the passes made so far counted on.
  void go_on_from(const Vector &p)
  {
    n_before += iteration.passes();
    iteration.start(&p);
  }

  double natural_residual() { return iteration.natural_residual(); }
  Vector p() const { return iteration.p(); }
  bool   at_rounding() const { return residual_goal < 1e-16; }

private:
  const ProjectionProblem   &problem;
  const StoppingCriterion   &criterion;
  ProjectedGradientIteration iteration;
  double                     residual_goal;
  unsigned int               n_before   = 0; ///< passes before the last go_on_from
  unsigned int               n_reported = 0;
};

/// Where a first-order method does not get far: more contacts than degrees of freedom, by a margin.
bool hyperstatic(const Size &size) { return size.rows_per_node > (size.planar ? 2.5 : 5.); }

/// First-order passes and local polish on a general network, as long as they are cheaper than an interior point.
/// Returns whether the search is over.
bool project_on_network(const ProjectionProblem &problem, const StoppingCriterion &criterion,
                        const AutomaticProjector::Parameters &parameters, const Vector *const p_start, const Size &size,
                        const bool factorisable, Attempts &attempts)
{
  using Outcome = FirstOrderStage::Outcome;
  FirstOrderStage first_order(problem, criterion, p_start);
  const double    share      = parameters.first_order_share * size.interior_point_passes();
  const double    allowed    = factorisable ? std::min<double>(share, criterion.max_iterations) : criterion.max_iterations;
  const double    first_look = std::min(allowed, 600.);

  Outcome outcome = first_order.advance(first_look);
  if (outcome == Outcome::pass_limit && factorisable && hyperstatic(size) && first_order.natural_residual() > 1e-4)
    return attempts.take(first_order.answer(outcome));
  if (outcome == Outcome::pass_limit && first_look < allowed)
    outcome = first_order.advance(allowed);

  for (unsigned int round = 0, n_polished = 0; round < 60; ++round)
    {
      if (outcome == Outcome::residual_met || outcome == Outcome::infeasible)
        {
          if (attempts.take(first_order.answer(outcome)))
            return true;
          if (first_order.at_rounding())
            return false;
        }
      else if (outcome == Outcome::stalled && factorisable && n_polished < 12)
        {
          PolishParameters polish;
          polish.largest            = parameters.polished_fraction;
          Vector             p      = first_order.p();
          const PolishReport report = local_polish(problem, p, polish);
          if (report.dual_change == 0.)
            return attempts.take(first_order.answer(outcome));
          ++n_polished;
          attempts.add_work("local polish of " + std::to_string(report.n_nodes) + " nodes", report.n_iterations);
          first_order.go_on_from(p);
        }
      else
        return attempts.take(first_order.answer(outcome));
      outcome = first_order.advance(allowed);
    }
  return attempts.take(first_order.answer(outcome));
}
} // namespace

AutomaticProjector::AutomaticProjector(const StoppingCriterion &criterion, const Parameters &parameters)
    : criterion(criterion), parameters(parameters)
{}

SaddlePoint AutomaticProjector::project(const ProjectionProblem &problem, const Vector *const p_start) const
{
  Attempts          attempts(problem, criterion);
  const auto *const pairs    = dynamic_cast<const PairConstraint *>(problem.B.get());
  const bool        sparse   = dynamic_cast<const SparseConstraint *>(problem.B.get());
  const bool        diagonal = dynamic_cast<const DiagonalSpace *>(problem.V.get());
  const Size        size(problem);

  const std::optional<LineFamilies> lines = pairs && diagonal ? find_line_families(*pairs) : std::nullopt;
  const bool                        few   = problem.n_constraints() <= parameters.few_constraints;

  if (few && !(lines && uncoupled(*lines)))
    if (attempts.take(LawsonHanson(criterion).project(problem, p_start)))
      return attempts.result();

  if (lines)
    if (attempts.take(LineProjector(criterion).project(problem, p_start)))
      return attempts.result();

  const bool factorisable = sparse && diagonal && size.factorisable(parameters);
  if (!attempts.made() || !factorisable)
    if (project_on_network(problem, criterion, parameters, p_start, size, factorisable, attempts))
      return attempts.result();

  if (factorisable)
    attempts.take(InteriorPoint(criterion).project(problem, p_start));
  return attempts.result();
}

} // namespace moreau::convex
