// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/rebound.h"

#include "micro/motion/resting_clusters.h"

#include "convex/certificate.h"
#include "convex/solvers/make_projector.h"

namespace moreau::micro
{
namespace
{
/// e·(u_i - u_j)
double approach_speed(const StepRow &row, const Vector &u, const Index dim, const Index n)
{
  double speed = 0.;
  for (Index k = 0; k < dim; ++k)
    speed += row.e[k] * (u(dim * row.i + k) - (row.j < n ? u(dim * row.j + k) : 0.));
  return speed;
}

double change_of_velocity(const StepRow &row, const double p, const Vector &m)
{
  return p * (1. / m(row.i) + (row.j < m.size() ? 1. / m(row.j) : 0.));
}

/// The pressed rows, ascending.
std::vector<std::size_t> pressed_rows(const StepSolution &step, const Vector &m, const double tolerance)
{
  double speed = 0.;
  for (std::size_t c = 0; c < step.rows.size(); ++c)
    speed = std::max(speed, change_of_velocity(step.rows[c], step.x.p(c), m));
  std::vector<std::size_t> pressed;
  for (std::size_t c = 0; c < step.rows.size(); ++c)
    if (change_of_velocity(step.rows[c], step.x.p(c), m) > tolerance * speed)
      pressed.push_back(c);
  return pressed;
}

/// The pressed rows of the clusters that rebound, ascending; what the others lose is added to `unrebounded`.
std::vector<std::size_t> rebounding_rows(const StepSolution &step, const Vector &m, const Index dim, const Vector &U,
                                         const Vector &gap_rates, const double tolerance,
                                         const ReboundParameters &parameters, double &unrebounded)
{
  const Index                    n        = m.size();
  const std::vector<std::size_t> pressed  = pressed_rows(step, m, tolerance);
  const PressedClusters          clusters = pressed_clusters(step.rows, pressed, m, dim, parameters.pushed);
  const double                   noise    = 64. * convex::epsilon * (U.size() > 0 ? U.cwiseAbs().maxCoeff() : 0.);
  const auto approach = [&](const std::size_t c, const Vector &u) { return approach_speed(step.rows[c], u, dim, n); };
  std::vector<double> closing; // of the pressed rows: what U closes them with
  Vector              fastest = Vector::Zero(static_cast<Index>(clusters.resting.size()));
  for (const std::size_t c : pressed)
    {
      closing.push_back(approach(c, U) - gap_rates(c));
      double &f = fastest(clusters.of_sphere[step.rows[c].i]);
      f         = std::max(f, closing.back());
    }
  std::vector<std::size_t> result;
  for (std::size_t k = 0; k < pressed.size(); ++k)
    {
      const std::size_t c       = pressed[k];
      const int         cluster = clusters.of_sphere[step.rows[c].i];
      if (fastest(cluster) >
          (parameters.resting_speed >= 0. ? parameters.resting_speed : std::max(noise, clusters.resting[cluster])))
        {
          result.push_back(c);
          continue;
        }
      const double own  = closing[k] - approach(c, parameters.pushed),
                   left = std::max(0., approach(c, step.x.u) - gap_rates(c));
      if (own > left)
        unrebounded += .5 * (own * own - left * left) / change_of_velocity(step.rows[c], 1., m);
    }
  return result;
}
} // namespace

Rebound rebound(const StepSolution &step, const Vector &m, const Index dim, const Vector &U, const Vector &gap_rates,
                const StepParameters &step_parameters, const ReboundParameters &parameters)
{
  Rebound result;
  result.u       = step.x.u;
  result.impulse = step.x.p;
  const std::vector<std::size_t> chosen =
      rebounding_rows(step, m, dim, U, gap_rates, step_parameters.criterion.tolerance, parameters, result.unrebounded);
  if (chosen.empty())
    return result;

  // the spheres that take part, renumbered
  const Index      n = m.size();
  std::vector<int> local(n, -1), global;
  const auto       number = [&](const int i) {
    if (local[i] < 0)
      {
        local[i] = static_cast<int>(global.size());
        global.push_back(i);
      }
    return local[i];
  };
  std::vector<StepRow> rows;
  Vector               b(chosen.size()), p_start(chosen.size());
  for (const std::size_t c : chosen)
    {
      const StepRow &row = step.rows[c];
      number(row.i);
      if (row.j < n)
        number(row.j);
    }
  const int n_local = static_cast<int>(global.size());
  for (std::size_t k = 0; k < chosen.size(); ++k)
    {
      StepRow row = step.rows[chosen[k]];
      b(k)        = gap_rates(chosen[k]);
      p_start(k)  = step.x.p(chosen[k]);
      row.i       = local[row.i];
      row.j       = row.j < n ? local[row.j] : n_local;
      rows.push_back(row);
    }
  Vector masses(n_local), velocities(dim * n_local);
  for (int k = 0; k < n_local; ++k)
    {
      masses(k)                        = m(global[k]);
      velocities.segment(dim * k, dim) = U.segment(dim * global[k], dim);
    }

  const convex::ProjectionProblem problem   = step_problem(rows, masses, dim, velocities, b);
  convex::StoppingCriterion       criterion = step_parameters.criterion;
  criterion.on_natural_residual             = true;
  const convex::Impact impact = convex::post_impact(problem, *convex::make_projector(step_parameters.solver, criterion),
                                                    parameters.law.restitution, parameters.law.max_repetitions, &p_start);
  // rows of these spheres that are not pressed take no part; then u follows
  // from the impulses, so that momentum is balanced to the last bit
  for (std::size_t c = 0; c < step.rows.size(); ++c)
    if (local[step.rows[c].i] >= 0 || (step.rows[c].j < n && local[step.rows[c].j] >= 0))
      result.impulse(c) = 0.;
  for (std::size_t k = 0; k < chosen.size(); ++k)
    result.impulse(chosen[k]) = impact.impulse(k);
  result.u = U;
  for (std::size_t c = 0; c < step.rows.size(); ++c)
    if (const StepRow &row = step.rows[c]; result.impulse(c) != 0.)
      {
        result.u.segment(dim * row.i, dim) -= result.impulse(c) / m(row.i) * row.e.head(dim);
        if (row.j < n)
          result.u.segment(dim * row.j, dim) += result.impulse(c) / m(row.j) * row.e.head(dim);
      }
  result.effort = impact.effort;
  return result;
}
} // namespace moreau::micro
