// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_SCALED_PROBLEM_H
#define MOREAU_CONVEX_SOLVERS_SCALED_PROBLEM_H

#include "convex/certificate.h"

#include <algorithm>
#include <cmath>

namespace moreau::convex
{
/// The problem in units in which velocities, masses and rows are of size 1, and in the frame of the mean velocity. What the
/// mean velocity itself breaks counts as a velocity: a body that falls on a floor as a whole breaks the rows of its lowest
/// spheres only, which are a small part of `scale`, but all of it is stopped.
struct ScaledProblem
{
  const SparseConstraint &B;
  Vector                  mean;          ///< in m/s
  double                  velocity_unit; ///< a power of two, so that scaling does not round
  double                  mass_unit;
  Vector                  U, b, m;
  Vector                  row_scale; ///< √(BM⁻¹Bᵀ)_cc; 1 for empty rows
  Vector                  rounding;  ///< with which b is known: large where U moves fast as a whole

  ScaledProblem(const ProjectionProblem &problem, const SparseConstraint &B, const DiagonalSpace &V, const double scale)
      : B(B)
      , mean(V.mean(problem.U))
      , velocity_unit(power_of_two(std::max(scale / std::sqrt(V.masses().sum()), approach_speed(problem, mean))))
      , mass_unit(power_of_two(V.masses().mean()))
      , U((problem.U - mean) / velocity_unit)
      , b(problem.right_hand_side())
      , m(V.masses() / mass_unit)
      , row_scale((mass_unit * delassus_diagonal(problem)).cwiseSqrt())
  {
    Vector B_mean(b.size());
    B.apply(mean, B_mean);
    rounding = epsilon / velocity_unit * (b.cwiseAbs() + B_mean.cwiseAbs());
    b        = (b - B_mean) / velocity_unit;
    for (Index c = 0; c < b.size(); ++c)
      if (row_scale(c) == 0.)
        {
          // 0 <= b_c says nothing: any positive slack serves
          row_scale(c) = 1.;
          b(c)         = 1.;
        }
  }

  Vector velocity(const Vector &u) const { return mean + velocity_unit * u; }
  Vector impulse(const Vector &p) const { return velocity_unit * mass_unit * p; }

private:
  static double power_of_two(const double x)
  {
    int exponent = 0;
    std::frexp(x, &exponent);
    return std::ldexp(1., exponent);
  }
};
} // namespace moreau::convex

#endif
