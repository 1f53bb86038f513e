// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/sphere_schemes.h"

namespace moreau::micro
{
SphereStep position_step(const StepScene &scene, const Vector &U, const RowMultipliers &start,
                         const StepParameters &parameters)
{
  constexpr unsigned int max_linearisations = 200;
  const Index            dim = scene.q.rows(), n = scene.q.cols();
  const Eigen::MatrixXd  target = scene.q + scene.h * Eigen::Map<const Eigen::MatrixXd>(U.data(), dim, n);
  const double           enough = parameters.position_tolerance * scene.R.minCoeff();

  SphereStep      step;
  Eigen::MatrixXd r     = scene.q;
  RowMultipliers  known = start;
  for (unsigned int k = 0;; ++k)
    {
      const StepScene about = {r, scene.R, scene.m, scene.obstacles, scene.box, scene.h, scene.neighbours};
      const Vector W = Eigen::Map<const Vector>(target.data(), target.size()) - Eigen::Map<const Vector>(r.data(), r.size());
      StepSolution next = linearised_step(about, W / scene.h, known, parameters);
      next.search_time += step.solution.search_time;
      step.effort += next.effort;
      step.solution = std::move(next);
      if (step.effort.status == convex::Status::infeasible)
        return step;
      known = {step.solution.rows, step.solution.x.p, step.solution.stress};
      r += scene.h * Eigen::Map<const Eigen::MatrixXd>(step.solution.x.u.data(), dim, n);
      if (scene.h * convex::max_abs(step.solution.x.u) <= enough || !step.effort.converged())
        break;
      if (k + 1 == max_linearisations)
        {
          step.effort.status = convex::Status::iteration_limit;
          break;
        }
    }
  const Eigen::MatrixXd moved = (r - scene.q) / scene.h;
  step.v                      = Eigen::Map<const Vector>(moved.data(), moved.size());
  step.u                      = step.v;
  step.impulse                = step.solution.x.p;
  return step;
}
} // namespace moreau::micro
