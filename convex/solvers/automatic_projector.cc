// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/automatic_projector.h"

#include "convex/certificate.h"
#include "convex/solvers/by_one_process.h"
#include "convex/solvers/facial_reduction.h"
#include "convex/solvers/inner_point.h"
#include "convex/solvers/interior_point.h"
#include "convex/solvers/lawson_hanson.h"
#include "convex/chains/chain_families.h"
#include "convex/solvers/chain_projector.h"
#include "convex/solvers/lines_in_parts.h"
#include "convex/solvers/local_polish.h"
#include "convex/solvers/polish_in_parts.h"
#include "convex/solvers/projected_gradient.h"
#include "convex/structure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>

namespace moreau::convex
{
namespace
{
/// What the costs of the methods depend on.
struct Size
{
  double n_nodes;
  double n_rows;
  double rows_per_node;
  bool   planar; ///< separators of size √n: graphs in dimension 1 and 2

  explicit Size(const ProjectionProblem &problem)
  {
    const auto *const          pairs   = structure_of(problem).pairs;
    const SharedNetwork *const network = shared_network(problem);

    n_nodes       = network ? network->here().n_nodes : pairs ? pairs->n_nodes() : problem.n_unknowns() / 2.;
    n_rows        = network ? network->here().n_rows : problem.n_constraints();
    rows_per_node = n_rows / std::max(1., n_nodes);
    planar        = network ? network->here().dim < 3 : !pairs || pairs->dimension() < 3;
  }

  /// Work of an interior point in passes of a first-order method, read off a few runs on lattices and jittered networks:
  /// factorisations grow as n^1.4 in the plane and n² in space, where many of the first steps do without.
  double interior_point_passes() const
  {
    return planar ? 6000. * std::pow(n_nodes / 1e5, .35) : 15000. * std::max(.1, std::pow(n_nodes / 1e4, .6));
  }

  /// Nodes up to which an interior point is tried.
  Index largest_factorised(const AutomaticProjector::Parameters &parameters, const bool on_natural_residual) const
  {
    if (planar)
      return parameters.largest_factorised_plane;
    return on_natural_residual ? std::min(parameters.largest_factorised_space, parameters.largest_double_space)
                               : parameters.largest_factorised_space;
  }

  /// Whether lines end in an interior point of their own, so that nothing is left to be tried after them.
  bool lines_finish(const AutomaticProjector::Parameters &parameters) const
  {
    return n_nodes <= largest_factorised(parameters, true);
  }

  /// Whether rigid rows, and velocities inside of K, can be looked for.
  bool faces_factorisable(const AutomaticProjector::Parameters &parameters) const
  {
    return n_nodes <= (planar ? parameters.largest_factorised_plane : parameters.largest_face_space);
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
    add_work(x.method, x.n_iterations);
    if (x.rigid)
      rigid = x.rigid;
    if (empty || x.converged() || x.status == Status::infeasible || measure(x.certificate) < measure(best.certificate))
      best = std::move(x);
    empty = false;
    return over();
  }

  std::optional<RigidSet> rigid; ///< where they were looked for

  /// Work that has no answer of its own.
  void add_work(const std::string &what, const unsigned int n_iterations)
  {
    method += (method.empty() ? "" : ", ") + what;
    iterations += n_iterations;
  }

  /// With an expansion that was not known before. Returns whether the search is over.
  bool judge_again()
  {
    if (!empty)
      judge(problem, criterion, best);
    return over();
  }

  bool   is_empty() const { return empty; }
  bool   guaranteed() const { return !empty && best.certificate.guaranteed; }
  bool   over() const { return best.converged() || best.status == Status::infeasible; }
  Vector best_p() const { return best.p; } ///< length 0 before the first answer
  double best_natural_residual() const { return empty ? 1. : best.certificate.natural_residual; }

  SaddlePoint result()
  {
    best.method       = method;
    best.n_iterations = iterations;
    if (rigid)
      best.rigid = std::move(rigid);
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

  /// stall_passes: passes without halving the residual that count as a stall.
  FirstOrderStage(const ProjectionProblem &problem, const StoppingCriterion &criterion, const unsigned int stall_passes,
                  const Vector *p_start)
      : problem(problem)
      , criterion(criterion)
      , stall_passes(stall_passes)
      , iteration(problem)
      , residual_goal((criterion.on_natural_residual ? .5 : 1e-2) * criterion.tolerance)
  {
    iteration.start(p_start);
  }

  /// At most max_passes in all.
  Outcome advance(const unsigned int max_passes)
  {
    if (passes() >= max_passes)
      return Outcome::pass_limit;
    ProjectedGradientIteration::Goal goal;
    goal.natural_residual = residual_goal;
    goal.max_passes       = max_passes - n_before;
    goal.stall_passes     = stall_passes;
    goal.watch            = criterion.watch;
    return iteration.advance(goal);
  }

  /// The present answer with its certificate; the next residual goal follows from it.
  SaddlePoint answer(const Outcome outcome)
  {
    SaddlePoint x;
    x.p            = iteration.p();
    x.u            = iteration.u();
    x.n_iterations = report();
    x.method       = "projected gradient (" + std::to_string(x.n_iterations) + ")";
    x.status       = outcome == Outcome::stalled ? Status::stagnated : Status::iteration_limit;
    if (outcome == Outcome::infeasible)
      {
        x.p      = iteration.infeasibility();
        x.status = Status::infeasible;
      }
    judge(problem, criterion, x);

    // the bound falls with the square root of the residual
    const double missing = x.certificate.relative_error_bound / criterion.demanded(x.certificate);
    residual_goal /= criterion.on_natural_residual ? 2. : std::clamp(missing * missing, 4., 1e4);
    return x;
  }

  /// Passes since the last report.
  unsigned int report()
  {
    const unsigned int n_new = passes() - n_reported;
    n_reported               = passes();
    return n_new;
  }

  /// Continues from p, with the passes made so far counted on.
  void go_on_from(const Vector &p)
  {
    n_before += iteration.passes();
    iteration.start(&p);
  }

  Vector       p() const { return iteration.p(); }
  unsigned int passes() const { return n_before + iteration.passes(); }
  bool         at_rounding() const { return residual_goal < std::numeric_limits<double>::epsilon(); }

private:
  const ProjectionProblem   &problem;
  const StoppingCriterion   &criterion;
  unsigned int               stall_passes;
  ProjectedGradientIteration iteration;
  double                     residual_goal;
  unsigned int               n_before   = 0; ///< passes before the last go_on_from
  unsigned int               n_reported = 0;
};

/// Where a first-order method does not get far: more contacts than degrees of freedom, by a margin.
bool hyperstatic(const Size &size) { return size.rows_per_node > (size.planar ? 2.5 : 5.); }

/// First-order passes and local polish on a general network, as long as they are cheaper than an interior point
/// (`allowed` passes). Returns whether the search is over.
bool project_on_network(const ProjectionProblem &problem, const StoppingCriterion &criterion,
                        const AutomaticProjector::Parameters &parameters, const Vector *const p_start, const Size &size,
                        const bool has_entries, const bool factorisable, Attempts &attempts)
{
  using Outcome                      = FirstOrderStage::Outcome;
  const SharedNetwork *const network = shared_network(problem);
  // without an interior point behind it the first-order method is given more time to recover
  FirstOrderStage first_order(problem, criterion, factorisable ? 300 : 5000, p_start);
  double          share = criterion.max_iterations;
  // in the plane nothing beats an interior point on a hyperstatic network: a short try finds the easy cases
  if (factorisable)
    share = hyperstatic(size) && size.planar ? 300. : parameters.first_order_share * size.interior_point_passes();
  const unsigned int allowed      = std::min<double>(share, criterion.max_iterations);
  const unsigned int max_polishes = has_entries && !hyperstatic(size) ? parameters.max_polishes : 0;

  Outcome outcome = first_order.advance(allowed);

  for (unsigned int n_polished = 0;;)
    {
      if (outcome == Outcome::residual_met)
        {
          // a bound that is missing although the residual is small is found faster by an interior point that starts from p
          if (attempts.take(first_order.answer(outcome)) || (factorisable && !criterion.on_natural_residual))
            return attempts.over();
          if (first_order.at_rounding())
            return false;
        }
      else if (outcome == Outcome::stalled && n_polished < max_polishes)
        {
          PolishParameters polish;
          polish.largest =
              std::min(parameters.polished_fraction,
                       size.largest_factorised(parameters, criterion.on_natural_residual) / (5. * size.n_nodes));
          Vector             p = first_order.p();
          const PolishReport report =
              network ? polish_in_parts(problem, *network, p, polish) : local_polish(problem, p, polish);
          if (report.dual_change == 0.)
            return attempts.take(first_order.answer(outcome));
          ++n_polished;
          const unsigned int n_passes = first_order.report();
          attempts.add_work("projected gradient (" + std::to_string(n_passes) + ")", n_passes);
          attempts.add_work("local polish of " + std::to_string(report.n_nodes) + " nodes", report.effort.n_iterations);
          first_order.go_on_from(p);
        }
      else
        return attempts.take(first_order.answer(outcome));
      outcome = first_order.advance(allowed);
    }
}

/// An interior point from the best p so far where that is close, cold where it is not or where the warm one gets stuck.
void finish_by_interior_point(const ProjectionProblem &problem, const StoppingCriterion &criterion,
                              const Vector *const p_start, Attempts &attempts)
try
  {
    constexpr double    close    = 1e-3; // natural residual from which a warm start is tried: chosen, not tuned
    const bool          is_close = attempts.best_natural_residual() < close;
    const Vector        p_best   = attempts.best_p();
    const Vector *const p        = is_close ? &p_best : p_start;
    if (!attempts.take(project_by_one(InteriorPoint(criterion), problem, p)) && p)
      attempts.take(project_by_one(InteriorPoint(criterion), problem));
  }
catch (const std::bad_alloc &)
  {
    attempts.add_work("interior point (not enough memory)", 0);
  }

/// Of lines that end in an interior point, in double precision.
ChainProjector::Parameters with_finish(const AutomaticProjector::Parameters &parameters)
{
  ChainProjector::Parameters of_chains;
  of_chains.largest_factorised_plane = parameters.largest_factorised_plane;
  of_chains.largest_factorised_space = parameters.largest_double_space;
  return of_chains;
}

/// Whether the expansion that is known moves all rows apart; not where bodies touch walls that face each other.
bool opens_all_rows(const ProjectionProblem &problem)
{
  if (problem.V->max_over_processes(problem.expansion.empty() ? 0. : 1.) == 0.)
    return false;
  Vector Bw(problem.n_constraints());
  problem.B->apply(problem.expansion.w, Bw);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return problem.V->max_over_processes(Bw.size() == 0 ? -infinity : Bw.maxCoeff()) < 0.;
}

/// Looks for rows that a self-stress presses, of those without room, where multipliers are unbounded. Where there are
/// some, the projection is tried on the face; where there are none, the problem gets the field that opens all rows. Returns
/// whether the search is over.
bool project_on_rigid_face(ProjectionProblem &problem, const StoppingCriterion &criterion, Attempts &attempts)
try
  {
    Face face = find_face(problem, std::min(100u, criterion.max_iterations));
    attempts.add_work(name(face), face.n_factorisations);
    attempts.rigid = face.rigid_set();
    if (face.n_rigid > 0)
      return attempts.take(project_on_face(problem, face, criterion));
    if (!face.inner.empty())
      problem.expansion = std::move(face.inner);
    return attempts.judge_again();
  }
catch (const std::bad_alloc &)
  {
    attempts.add_work("rigid rows (not enough memory)", 0);
    return false;
  }

/// Where b is not 0 and no field opens all rows, bounds are guaranteed by a velocity inside of K, if there is one.
void look_for_inner_point(ProjectionProblem &problem)
try
  {
    problem.repair = repair_by_inner_point(problem);
  }
catch (const std::bad_alloc &)
  {}

/// project_on_rigid_face() of an answer p_start that others have found, or of none.
class OnRigidFace : public ConeProjector
{
public:
  explicit OnRigidFace(const StoppingCriterion &criterion) : criterion(criterion) {}

  SaddlePoint project(const ProjectionProblem &given, const Vector *const p_start) const override
  {
    ProjectionProblem problem = given; // it may get an expansion
    Attempts          attempts(problem, criterion);
    SaddlePoint       x;
    x.p      = p_start ? *p_start : Vector(Vector::Zero(problem.n_constraints()));
    x.u      = problem.velocity_of(x.p);
    x.status = Status::stagnated;
    judge(problem, criterion, x);
    attempts.take(std::move(x));
    project_on_rigid_face(problem, criterion, attempts);
    return attempts.result();
  }

private:
  StoppingCriterion criterion;
};

/// Bu <= b for u = U: there is nothing to do, and u is U to the last bit.
bool admissible(const ProjectionProblem &problem) { return approach_speed(problem, problem.U) <= 0.; }
} // namespace

AutomaticProjector::AutomaticProjector(const StoppingCriterion &criterion, const Parameters &parameters)
    : criterion(criterion), parameters(parameters)
{}

SaddlePoint AutomaticProjector::project(const ProjectionProblem &given, const Vector *const p_start) const
{
  ProjectionProblem problem = given; // pointers, U and b: it may get an expansion
  if (admissible(problem))
    {
      SaddlePoint x;
      x.u      = problem.U;
      x.p      = Vector::Zero(problem.n_constraints());
      x.method = "none, U is admissible";
      judge(problem, criterion, x);
      return x;
    }

  if (const SharedNetwork *const network = shared_network(problem))
    return project_in_parts(problem, *network, p_start);

  const Index                        m = problem.n_constraints();
  Attempts                           attempts(problem, criterion);
  const Size                         size(problem);
  const Structure                    structure = structure_of(problem);
  const std::optional<ChainFamilies> chains    = structure.on_nodes() ? find_chain_families(*structure.pairs) : std::nullopt;
  const bool                         small     = m <= parameters.few_constraints && m * problem.n_unknowns() <= 1000000;
  const bool                         factorisable =
      structure.has_entries() && size.n_nodes <= size.largest_factorised(parameters, criterion.on_natural_residual);

  // bodies that nothing can move apart, as far as one knows: between walls on all sides
  const bool faces_fit     = structure.has_entries() && size.faces_factorisable(parameters);
  const bool wants_bound   = problem.is_cone() && !criterion.on_natural_residual;
  const bool may_have_face = faces_fit && wants_bound;
  const bool is_closed     = !problem.repair && !(chains && uncoupled(*chains)) && !opens_all_rows(problem);

  if (is_closed && faces_fit && !problem.is_cone() && !criterion.on_natural_residual)
    look_for_inner_point(problem);

  if (small && !(chains && uncoupled(*chains)))
    if (attempts.take(LawsonHanson(criterion).project(problem, p_start)) && (attempts.guaranteed() || !may_have_face))
      return attempts.result();

  if (may_have_face && is_closed && project_on_rigid_face(problem, criterion, attempts))
    return attempts.result();

  if (chains)
    {
      const ChainProjector projector(criterion, with_finish(parameters));
      if (attempts.take(projector.project(problem, *chains, p_start)) || size.lines_finish(parameters))
        return attempts.result();
    }

  const Vector  p_best  = attempts.best_p();
  const Vector *p_known = p_best.size() == m && m > 0 ? &p_best : p_start;
  // a hyperstatic network is left to the interior point at once where a guess is known: passes would only spoil it
  const bool at_once = factorisable && p_known && hyperstatic(size);
  if (!at_once &&
      project_on_network(problem, criterion, parameters, p_known, size, structure.has_entries(), factorisable, attempts))
    return attempts.result();

  if (factorisable)
    finish_by_interior_point(problem, criterion, p_start, attempts);
  if (faces_fit && !(wants_bound && is_closed) && !attempts.over())
    project_on_rigid_face(problem, criterion, attempts);
  return attempts.result();
}

/// A network on several processes: lines and first-order methods in parts, everything else by one process, in the same order
/// as above.
SaddlePoint AutomaticProjector::project_in_parts(const ProjectionProblem &problem, const SharedNetwork &network,
                                                 const Vector *const p_start) const
{
  const SharedLines lines = lines_of(network);
  if (lines == SharedLines::uncoupled)
    return project_on_lines_in_parts(problem, network, criterion, with_finish(parameters), p_start);
  if (lines == SharedLines::closed)
    return project_by_one(*this, problem, p_start);
  const Size size(problem);
  const bool factorisable  = size.n_nodes <= size.largest_factorised(parameters, criterion.on_natural_residual);
  const bool is_cone       = network.processes().max(problem.is_cone() ? 0. : 1.) == 0.;
  const bool faces_fit     = size.faces_factorisable(parameters) && !criterion.on_natural_residual;
  const bool may_have_face = faces_fit && is_cone;
  const bool is_small      = size.n_rows <= parameters.few_constraints;
  if (is_small || faces_fit && !problem.repair && !opens_all_rows(problem))
    return project_by_one(*this, problem, p_start);

  Attempts attempts(problem, criterion);
  if (lines == SharedLines::coupled &&
      (attempts.take(project_on_lines_in_parts(problem, network, criterion, with_finish(parameters), p_start)) ||
       size.lines_finish(parameters)))
    return attempts.result();

  const Vector  p_best  = attempts.best_p();
  const Vector *p_known = attempts.is_empty() ? p_start : &p_best;
  const bool    at_once = factorisable && p_known && hyperstatic(size);
  if (!at_once && project_on_network(problem, criterion, parameters, p_known, size, true, factorisable, attempts))
    return attempts.result();
  if (factorisable)
    finish_by_interior_point(problem, criterion, p_start, attempts);
  if (may_have_face && !attempts.over())
    {
      const Vector p_face = attempts.best_p();
      attempts.take(project_by_one(OnRigidFace(criterion), problem, attempts.is_empty() ? p_start : &p_face));
    }
  return attempts.result();
}
} // namespace moreau::convex
