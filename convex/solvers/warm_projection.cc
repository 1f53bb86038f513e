// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/warm_projection.h"

#include "convex/solvers/automatic_projector.h"
#include "convex/certificate.h"
#include "convex/solvers/face_newton.h"
#include "convex/solvers/facial_reduction.h"
#include "convex/solvers/interior_point.h"
#include "convex/chains/chain_families.h"
#include "convex/solvers/make_projector.h"
#include "convex/structure.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace moreau::convex
{
namespace
{
constexpr Index        large        = 500; ///< constraints from which first-order passes come first
constexpr unsigned int rough_passes = 300;
/// Natural residual from which Newton's method on the active set arrives, as a rule.
constexpr double       close        = 1e-4;
constexpr unsigned int stall_passes = 600;
/// Up to which a stress is looked for that the answer does not need: a linear program takes a second or so.
constexpr Index most_nodes_plane = 20000, most_nodes_space = 4000;

/// A fifth of an interior point's work, in passes (AutomaticProjector has the measurements behind these numbers).
unsigned int share_of_interior_point(const unsigned int n_nodes) { return .2 * 6000. * std::pow(n_nodes / 1e5, .35); }
} // namespace

WarmProjection::WarmProjection(const ProjectionProblem &problem, const Vector &p_start, const std::string &solver,
                               const StoppingCriterion &criterion, const Vector &stress, const bool looks)
    : problem(problem), p_start(p_start), solver(solver), criterion(criterion), stress(stress), looks(looks)
{
  const Structure   structure = structure_of(problem);
  const auto *const pairs     = structure.pairs;
  if (solver == "automatic" && pairs && problem.n_constraints() > large &&
      !find_chain_families(*pairs)) // chains are quick and exact
    {
      n_nodes = static_cast<unsigned int>(pairs->n_nodes());
      planar  = pairs->dimension() < 3 && pairs->n_nodes() <= AutomaticProjector::Parameters().largest_factorised_plane;
      iteration.emplace(problem);
      iteration->start(&p_start);
      return;
    }
  if (stress.size() > 0 && solver == "automatic" && structure.has_entries())
    if (const Face face = face_of_stress(problem, stress); face.n_rigid > 0)
      if (SaddlePoint x = project_on_face(problem, face, criterion); x.converged())
        {
          x.method = name(face) + ", " + x.method;
          x.n_iterations += face.n_factorisations;
          answer = std::move(x);
          return;
        }
  this->stress.resize(0);
  const Vector *const start = p_start.isZero(0.) ? nullptr : &this->p_start;
  answer                    = make_projector(solver, criterion)->project(problem, start);
  if (solver == "automatic" && !answer->converged() && answer->status != Status::infeasible && structure.has_entries())
    if (SaddlePoint other = InteriorPoint(criterion).project(problem);
        other.converged() || other.status == Status::infeasible)
      answer = std::move(other); // chains see that they are blocked, but have no proof
  if (solver == "automatic" && structure.has_entries())
    answer = certified(std::move(*answer));
}

SaddlePoint WarmProjection::present() const
{
  SaddlePoint x;
  x.u            = iteration->u();
  x.p            = iteration->p();
  x.n_iterations = n_tried + iteration->passes();
  x.method       = tried + "projected gradient (" + std::to_string(iteration->passes()) + ")";
  if (iteration->infeasibility().size() > 0)
    {
      x.p      = iteration->infeasibility();
      x.status = Status::infeasible;
    }
  return x;
}

SaddlePoint WarmProjection::rough(const double loose)
{
  if (answer)
    return *answer;
  if (iteration->natural_residual() > criterion.tolerance)
    {
      ProjectedGradientIteration::Goal goal;
      goal.natural_residual = std::max(loose, .5 * criterion.tolerance);
      goal.max_passes       = rough_passes;
      goal.stall_passes     = 0;
      goal.watch            = criterion.watch;
      iteration->advance(goal);
    }
  return present();
}

SaddlePoint WarmProjection::exact() { return answer ? *answer : certified(solved()); }

/// Or the projection on the face that rigid rows leave, where that has a guaranteed bound and x has not.
SaddlePoint WarmProjection::certified(SaddlePoint &&x)
{
  constexpr double small = 1e-6; // an estimate that is, as where few bodies are solved exactly, needs no stress
  if (!looks || !x.converged() || x.certificate.guaranteed || x.certificate.relative_error_bound <= small ||
      !may_be_jammed())
    return std::move(x);
  const Face face = find_face(problem);
  x.method += ", " + name(face);
  if (2 * face.n_rigid < problem.n_constraints()) // a row that walls press is no jammed matter: others settle the answer
    return std::move(x);                          // its iterations are those of the answer, without what was looked for
  x.n_iterations += face.n_factorisations;
  x.rigid       = face.rigid_set();
  SaddlePoint y = project_on_face(problem, face, criterion);
  if (!y.converged() || !y.certificate.guaranteed)
    return std::move(x);
  stress = face.stress;
  y.n_iterations += x.n_iterations;
  y.method = x.method + ", " + y.method;
  return y;
}

/// Whether rows without room are more than the unknowns of what they touch, as those of jammed matter are.
bool WarmProjection::may_be_jammed() const
{
  const auto *const pairs = structure_of(problem).pairs;
  const Vector      b     = problem.right_hand_side();
  if (!pairs || pairs->n_nodes() > (pairs->dimension() < 3 ? most_nodes_plane : most_nodes_space) || b.size() == 0 ||
      b.minCoeff() < 0.)
    return false;
  std::vector<char> touched(pairs->n_nodes(), 0);
  Index             n_closed = 0;
  for (Index c = 0; c < b.size(); ++c)
    if (b(c) == 0.)
      {
        ++n_closed;
        const auto &[i, j] = pairs->pairs()[c];
        touched[i]         = 1;
        if (j != PairConstraint::fixed_body)
          touched[j] = 1;
      }
  return n_closed > pairs->dimension() * std::count(touched.begin(), touched.end(), 1);
}

SaddlePoint WarmProjection::solved()
{
  if (stress.size() > 0 && face_fits())
    {
      SaddlePoint x = after_passes(0);
      if (!is_over(x) || (x.converged() && !x.certificate.guaranteed))
        x = or_on_face(problem, std::move(x), criterion, &stress);
      if (is_over(x))
        return x;
      tried   = x.method + ", ";
      n_tried = x.n_iterations - iteration->passes();
    }
  stress.resize(0);
  const unsigned int share = share_of_interior_point(n_nodes);
  if (!planar)
    {
      SaddlePoint x = after_passes(share);
      return is_over(x) ? x : continued(std::move(x), AutomaticProjector(criterion));
    }
  // where an interior point was needed before, more passes will not do either
  const std::vector<unsigned int> stops =
      start_is_interior() ? std::vector<unsigned int>{share / 4} : std::vector<unsigned int>{share / 2, share};
  SaddlePoint x;
  for (const unsigned int most : stops)
    {
      x = after_passes(most);
      if (!is_over(x) && x.certificate.natural_residual < close)
        x = continued(std::move(x), FaceNewton(criterion));
      if (is_over(x))
        return x;
    }
  x = continued(std::move(x), InteriorPoint(criterion), start_is_interior() ? &p_start : nullptr);
  if (!is_over(x))
    x = or_on_face(problem, std::move(x), criterion, &stress);
  return is_over(x) ? x : continued(std::move(x), AutomaticProjector(criterion));
}

/// Whether rigid rows can be looked for.
bool WarmProjection::face_fits() const { return planar || n_nodes <= AutomaticProjector::Parameters().largest_face_space; }

/// Whether p_start is what an interior point left, which is never 0, but for a few rows that are new.
bool WarmProjection::start_is_interior() const { return (p_start.array() > 0.).count() > .95 * p_start.size(); }

bool WarmProjection::is_over(const SaddlePoint &x) const
{
  return x.converged() || x.status == Status::infeasible || x.n_iterations >= criterion.max_iterations;
}

/// First-order passes until `most` of them have been made; judged.
SaddlePoint WarmProjection::after_passes(const unsigned int most)
{
  if (iteration->natural_residual() > .9 * criterion.tolerance)
    {
      ProjectedGradientIteration::Goal goal;
      goal.natural_residual = .5 * criterion.tolerance;
      goal.max_passes       = std::min(criterion.max_iterations, most);
      goal.stall_passes     = stall_passes;
      goal.watch            = criterion.watch;
      if (iteration->passes() < goal.max_passes)
        iteration->advance(goal);
    }
  SaddlePoint x = present();
  judge(problem, criterion, x);
  return x;
}

/// What another projector makes of x, or of another start, with the work of both.
SaddlePoint WarmProjection::continued(SaddlePoint &&x, const ConeProjector &projector, const Vector *const start) const
{
  SaddlePoint next = projector.project(problem, start ? start : &x.p);
  next.n_iterations += x.n_iterations;
  next.method = x.method + ", " + next.method;
  return next;
}
} // namespace moreau::convex
