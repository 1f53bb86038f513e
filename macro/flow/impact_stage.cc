// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/impact_stage.h"

#include "convex/certificate.h"
#include "macro/flow/drainage.h"
#include "macro/flow/resting_parts.h"
#include "macro/obstacle/solver.h"

#include <algorithm>
#include <utility>

namespace moreau::macro
{
namespace
{
/// The congestion solver of a zone as a projector on its cone.
class ZoneProjector : public convex::ConeProjector
{
public:
  ZoneProjector(std::shared_ptr<const FullZone> full_zone, const ImpactLaw &law)
      : zone(std::move(full_zone))
      , grid(zone->flow_grid())
      , law(law)
      , solver(grid.box(), grid.periodic(), face_arrays(grid, zone->mobility()), &zone->inside())
  {}

  convex::SaddlePoint project(const convex::ProjectionProblem &problem, const Vector *p_start) const override;

private:
  std::shared_ptr<const FullZone> zone;
  const FlowGrid                 &grid;
  const ImpactLaw                &law;
  mutable CongestionSolver        solver; ///< keeps what it has set up
};

convex::SaddlePoint ZoneProjector::project(const convex::ProjectionProblem &problem, const Vector *const p_start) const
{
  const double h = zone->shortest_side(), of_p = h / grid.box().cell_volume(); // q = p h/|c|
  Vector       BU(problem.n_constraints());
  zone->apply(problem.U, BU);
  const double approach = grid.largest(BU.size() == 0 ? 0. : std::max(0., BU.maxCoeff()));
  CellArray    f = grid.array(), q = f;
  zone->scatter_sums(BU / h, f);
  if (p_start)
    zone->scatter(of_p * *p_start, q);
  const bool cold = !(grid.largest(q.values.maxCoeff()) > 0.);
  // projections are cheap where they are linear, and what e = 0 leaves adds up over the steps
  const bool   rests    = law.law.restitution == 0. || approach <= law.slow.resting;
  const double goal     = (rests ? 1e-4 : law.share_of_tolerance) * law.criterion.tolerance * approach / h;
  const auto   progress = solver.solve(f, q, goal, goal, law.criterion.max_iterations, cold);

  convex::SaddlePoint x;
  x.p            = zone->rows(q) / of_p;
  x.u            = problem.velocity_of(x.p);
  x.n_iterations = static_cast<unsigned int>(progress.effort.n_iterations);
  x.status       = progress.effort.status;
  x.method       = "multigrid";

  const double              speed = convex::typical_speed(problem);
  convex::StoppingCriterion criterion;
  criterion.on_natural_residual = true;
  criterion.tolerance = std::max(speed > 0. ? law.criterion.tolerance * approach / speed : 0., 64. * convex::epsilon);
  convex::ProjectionProblem known = problem;
  known.repair                    = std::make_shared<Drainage>(zone, speed, x.p);
  judge(known, criterion, x);
  return x;
}

/// The full zone and the velocities of its unknowns.
struct ZoneProblem
{
  std::shared_ptr<const FullZone> zone;
  convex::ProjectionProblem       problem;

  ZoneProblem(const FlowGrid &grid, const CellArray &inside, const FaceCells &rho_D, const std::array<Vector, 3> &response,
              const FaceCells &u)
      : zone(std::make_shared<const FullZone>(grid, inside, rho_D, response))
      , problem(FullZone::problem(zone, zone->coefficients(u)))
  {}

  /// BU (m/s).
  Vector approach() const
  {
    Vector result(zone->n_constraints());
    zone->apply(problem.U, result);
    return result;
  }

  /// The same of what the force gives in the step.
  Vector pressed(const ImpactLaw &law) const
  {
    Vector result = Vector::Zero(zone->n_constraints());
    if (law.given)
      zone->apply(zone->coefficients(*law.given), result);
    return result;
  }
};

/// The largest of rows within two cells of each.
Vector largest_nearby(const ZoneProblem &at, const Vector &of_rows)
{
  constexpr int   reach  = 2;
  const FlowGrid &grid   = at.zone->flow_grid();
  CellArray       values = grid.array();
  at.zone->scatter(of_rows, values);
  for (int cell = 0; cell < reach; ++cell)
    {
      grid.exchange(values);
      CellArray larger = values;
      for (int axis = 0; axis < grid.dim(); ++axis)
        {
          const Index s = grid.stride(axis);
          grid.for_cells([&](const Index c) {
            larger.values(c) = std::max({larger.values(c), values.values(c - s), values.values(c + s)});
          });
        }
      values = larger;
    }
  return at.zone->rows(values);
}

/// ½e²|U - P_C U|² = ½e² Σ p_k a_k, but without what the force added to the approaches a in the step: to rows nearby, too,
/// since edges join dual cells, which share it.
double energy_of_rebound(const ZoneProblem &at, const Vector &p, const ImpactLaw &law)
{
  constexpr double rounding = 1e-10; // of what the force gives
  const Vector     a = at.approach(), pressed = at.pressed(law);
  const Vector     closing = largest_nearby(at, pressed.cwiseMax(0.)), opening = largest_nearby(at, (-pressed).cwiseMax(0.));
  const double     least = rounding * at.zone->flow_grid().largest(convex::max_abs(pressed));
  double           sum   = 0.;
  for (Index k = 0; k < p.size(); ++k)
    {
      const double by_force = a(k) > 0. ? -closing(k) : opening(k);
      const double before   = a(k) > 0. ? std::max(0., a(k) + by_force) : std::min(0., a(k) + by_force);
      if (std::abs(before) > least)
        sum += p(k) * before * (a(k) > 0. ? before / a(k) : 1.); // what separates is pressed by what does not
    }
  return .5 * std::pow(law.law.restitution, 2) * std::max(0., at.zone->flow_grid().sum(sum));
}

/// A velocity that is not finite is refused by the law, on all processes; squares of speeds, as certificates need them,
/// vanish below `least`.
bool nothing_approaches(const ZoneProblem &at, const double approach, const ImpactLaw &law)
{
  constexpr double least = 1e-150; // m/s
  return at.zone->flow_grid().largest(at.problem.U.allFinite() ? 0. : 1.) == 0. &&
         approach <= std::max(law.slow.negligible, least);
}

/// The law in a zone, or one projection where it is at rest; resting as in convex::SlowApproach (m/s).
FlowImpact impact_in(const ZoneProblem &at, const bool is_at_rest, const double resting, const ImpactLaw &law,
                     const std::array<Vector, 3> &response, FaceCells &momentum, CellArray &q)
{
  const FlowGrid &grid     = at.zone->flow_grid();
  const double    of_p     = at.zone->shortest_side() / grid.box().cell_volume();
  const Vector    start    = at.zone->rows(q) / of_p;
  const double    approach = approach_speed(at.problem, at.problem.U);
  if (nothing_approaches(at, approach, law))
    {
      q.values.setZero();
      return {};
    }
  ImpactLaw of_zone       = law;
  of_zone.law.restitution = is_at_rest ? 0. : law.law.restitution;
  of_zone.slow            = {std::max(resting, of_zone.law.restitution == 0. ? approach : 0.),
                             std::max(law.slow.negligible, law.criterion.tolerance * approach)};
  FlowImpact impact{post_impact(at.problem, ZoneProjector(at.zone, of_zone), of_zone.law.restitution,
                                law.law.max_repetitions, &start, of_zone.slow)};
  if (is_at_rest)
    impact.unrebounded_energy = energy_of_rebound(at, impact.impulse, law);
  q.values.setZero();
  at.zone->scatter(of_p * impact.impulse, q);
  grid.exchange(q);
  subtract_gradient(grid, q, response, momentum);
  return impact;
}

/// Of parts that do not touch: all that counts, and the worst certificate.
void add(FlowImpact next, FlowImpact &impact)
{
  if (impact.effort.n_projections == 0)
    {
      impact = std::move(next);
      return;
    }
  impact.effort += next.effort;
  impact.n_rebounds += next.n_rebounds;
  impact.unrebounded_energy += next.unrebounded_energy;
  if (next.worst.relative_error_bound > impact.worst.relative_error_bound)
    impact.worst = next.worst;
}
} // namespace

FlowImpact apply_impact_law(const FlowGrid &grid, const CellArray &inside, const FaceCells &rho_D,
                            const std::array<Vector, 3> &response, const ImpactLaw &law, FaceCells &momentum, CellArray &q)
{
  FaceCells u;
  u = grid.faces();
  face_velocities(grid, momentum, rho_D, u);
  const ZoneProblem all(grid, inside, rho_D, response, u);
  if (law.law.restitution == 0. || !law.given)
    {
      const bool rests = law.law.restitution > 0. && approach_speed(all.problem, all.problem.U) <= law.slow.resting;
      return impact_in(all, rests, law.slow.resting, law, response, momentum, q);
    }
  const std::vector<PartsOfZone> parts = parts_of_zone(*all.zone, all.approach(), all.pressed(law), law.slow.resting);
  if (parts.size() == 1)
    return impact_in(all, parts.front().at_rest, parts.front().resting, law, response, momentum, q);
  const CellArray guess = q;
  q.values.setZero();
  FlowImpact impact;
  for (const PartsOfZone &those : parts)
    {
      const ZoneProblem at(grid, those.inside, rho_D, response, u);
      CellArray         of_those = guess;
      add(impact_in(at, those.at_rest, those.resting, law, response, momentum, of_those), impact);
      q.values += of_those.values;
    }
  return impact;
}
} // namespace moreau::macro
