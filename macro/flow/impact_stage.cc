// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/impact_stage.h"

#include "convex/certificate.h"
#include "macro/flow/drainage.h"
#include "macro/obstacle/solver.h"

#include <algorithm>

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
} // namespace

convex::Impact apply_impact_law(const FlowGrid &grid, const CellArray &inside, const FaceCells &rho_D,
                                const std::array<Vector, 3> &response, const ImpactLaw &law, FaceCells &momentum,
                                CellArray &q)
{
  const auto zone = std::make_shared<const FullZone>(grid, inside, rho_D, response);
  FaceCells  u;
  u = grid.faces();
  face_velocities(grid, momentum, rho_D, u);
  const convex::ProjectionProblem problem  = FullZone::problem(zone, zone->coefficients(u));
  const double                    approach = approach_speed(problem, problem.U);
  const double                    of_p     = zone->shortest_side() / grid.box().cell_volume();
  const Vector                    start    = zone->rows(q) / of_p;
  q.values.setZero();
  // a velocity that is not finite is refused below, on all processes; squares of speeds, as certificates need them, vanish
  constexpr double nothing = 1e-150; // m/s
  if (grid.largest(problem.U.allFinite() ? 0. : 1.) == 0. && approach <= std::max(law.slow.negligible, nothing))
    return {};
  convex::Impact impact =
      post_impact(problem, ZoneProjector(zone, law), law.law.restitution, law.law.max_repetitions, &start,
                  {law.slow.resting, std::max(law.slow.negligible, law.criterion.tolerance * approach)});
  zone->scatter(of_p * impact.impulse, q);
  grid.exchange(q);
  subtract_gradient(grid, q, response, momentum);
  return impact;
}
} // namespace moreau::macro
