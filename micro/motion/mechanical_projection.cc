// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/mechanical_projection.h"

#include "convex/input_error.h"
#include "convex/solvers/make_projector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace moreau::micro
{
convex::ProjectionProblem velocity_problem(const MassMetric &metric, const Eigen::MatrixXd &gradients, const Vector &b,
                                           const Vector &U)
{
  const Eigen::MatrixXd     rows = -metric.scaled_rows(gradients);
  convex::ProjectionProblem problem;
  problem.V = std::make_shared<convex::DiagonalSpace>(Vector::Ones(U.size()), 1, std::vector<bool>{true});
  problem.B = std::make_shared<convex::SparseConstraint>(rows.sparseView());
  problem.U = metric.scaled(U);
  problem.b = b;
  return problem;
}

std::unique_ptr<convex::ConeProjector> velocity_projector(const MotionParameters &parameters)
{
  constexpr double enough = 1e-12;
  if (parameters.solver == "lines")
    throw InputError("the solver", "'lines' is made for spheres in contact; 'automatic' chooses one for few coordinates.");
  return convex::make_projector(parameters.solver, {std::min(parameters.criterion.tolerance, enough),
                                                    parameters.criterion.max_iterations, /*on_natural_residual=*/true});
}

void throw_no_velocity(const Vector &p, const std::vector<Index> &rows, const double t)
{
  std::ostringstream blocking, time;
  for (Index c = 0; c < p.size(); ++c)
    if (p(c) > 1e-6 * p.maxCoeff())
      blocking << (blocking.tellp() > 0 ? ", " : "") << rows[c] + 1;
  time << t << " s";
  throw InputError("the system", "No velocity leads to an admissible position at t = " + time.str() +
                                     ": these constraints leave no room between them: " + blocking.str() +
                                     "; change how they move or end before.");
}

std::unique_ptr<convex::ConeProjector> exact_projector()
{
  return convex::make_projector("Lawson-Hanson", {1e-14, 1000, /*on_natural_residual=*/true});
}

std::optional<Vector> nearest_admissible(const MechanicalSystem &system, const MassMetric &metric,
                                         const convex::ConeProjector &projector, const double t, const Vector &target,
                                         const Vector &start)
{
  constexpr int    max_steps  = 500;
  constexpr double at_rest    = 1e-14;
  const auto       admissible = [&](const Vector &y, const Eigen::MatrixXd &gradients) {
    const Vector g = system.constraints(t, y);
    for (Index i = 0; i < g.size(); ++i)
      if (!(g(i) >= -rounding_of_constraint(gradients.row(i), y)))
        return false;
    return true;
  };
  Vector                y = start;
  std::optional<Vector> best;
  double                distance = std::numeric_limits<double>::infinity();
  for (int step = 0; step < max_steps; ++step)
    {
      const Eigen::MatrixXd gradients = system.gradients(t, y);
      const Vector          g         = system.constraints(t, y);
      if (!gradients.allFinite() || !g.allFinite())
        return best;
      const convex::SaddlePoint x = projector.project(velocity_problem(metric, gradients, g, target - y));
      if (x.status == convex::Status::infeasible)
        return best;
      const Vector move    = metric.unscaled(x.u);
      const bool   settled = move.norm() <= at_rest * std::max(y.norm(), target.norm());
      y += move;
      if (!settled && !admissible(y, gradients))
        continue;
      if (settled)
        return admissible(y, gradients) ? std::optional<Vector>(y) : best;
      const double found = metric.scaled(y - target).norm();
      if (!(found < distance)) // rounding: it cannot be done better
        return best;
      best     = y;
      distance = found;
    }
  return best;
}
} // namespace moreau::micro
