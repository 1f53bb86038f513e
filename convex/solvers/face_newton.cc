// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/face_newton.h"

#include "convex/certificate.h"
#include "convex/factorisation/normal_matrix.h"
#include "convex/factorisation/sparse_cholesky.h"
#include "convex/start.h"
#include "convex/structure.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::convex
{
namespace
{
/// (u, p) with p >= 0 and u = U - B*p, the room b - Bu and the natural residual (m/s).
class Pair
{
public:
  Pair(const ProjectionProblem &problem, const Vector &b, const Vector &W) : problem(problem), b(b), W(W) {}

  void set(const Vector &multipliers)
  {
    p = multipliers;
    u = problem.velocity_of(p);
    room.resize(p.size());
    problem.B->apply(u, room);
    room = b - room;
  }

  /// p_c as a velocity.
  double scaled(const Index c) const { return .5 * W(c) * p(c); }
  bool   is_pressed(const Index c) const { return scaled(c) > room(c); }

  double natural_residual() const
  {
    double residual = 0.;
    for (Index c = 0; c < p.size(); ++c)
      if (const double r = std::abs(std::min(scaled(c), room(c))); !(r <= residual))
        residual = r;
    return residual;
  }

  Vector u, p, room;

private:
  const ProjectionProblem &problem;
  const Vector            &b, &W;
};
/// max |b - Bu| on the face.
double largest_room(const Vector &room, const Vector &weights)
{
  double largest = 0.;
  for (Index c = 0; c < room.size(); ++c)
    if (weights(c) > 0.)
      largest = std::max(largest, std::abs(room(c)));
  return largest;
}
/// Whether the active set settles: changes that do not become fewer by a fifth, twice, mean that it wanders.
class Progress
{
public:
  bool is_lost(const Index n_changed)
  {
    constexpr Index few = 5;
    if (n_changed > few && n_changed > .8 * previous)
      ++n_failures;
    previous = static_cast<double>(n_changed);
    return n_failures > 1;
  }

private:
  double previous   = std::numeric_limits<double>::infinity();
  int    n_failures = 0;
};
} // namespace

SaddlePoint FaceNewton::project(const ProjectionProblem &problem, const Vector *const p_start) const
{
  const auto [B, pairs, V] = structure_with_entries(problem, "FaceNewton");
  SaddlePoint x;
  x.status = Status::stagnated;
  if (!is_start(p_start, problem.n_constraints()))
    {
      x.u = problem.U;
      x.p = Vector::Zero(problem.n_constraints());
      judge(problem, criterion, x);
      return x;
    }

  constexpr double       penalty    = 1e6; // of a row, in units of its W_cc: three or four rounds reach rounding
  constexpr unsigned int max_rounds = 4;
  const Vector           b = problem.right_hand_side(), W = delassus_diagonal(problem);
  const double           enough   = .5 * criterion.tolerance * typical_speed(problem);
  const auto             matrix   = make_normal_matrix(*B, V->masses());
  const auto             cholesky = make_sparse_cholesky(matrix->pattern());
  Pair                   now(problem, b, W);
  now.set(p_start->cwiseMax(0.));
  double best = now.natural_residual();
  x.p         = now.p;
  x.u         = now.u;

  Vector   weights = Vector::Zero(b.size()), force(problem.n_unknowns()), Bdu(b.size());
  Progress progress;
  for (; x.n_iterations < max_factorisations && best > enough; ++x.n_iterations)
    {
      criterion.watch(best, enough);
      Vector p         = now.p;
      Index  n_changed = 0;
      for (Index c = 0; c < b.size(); ++c)
        {
          const bool pressed = now.is_pressed(c);
          n_changed += pressed != (weights(c) > 0.);
          weights(c) = pressed ? penalty / W(c) : 0.;
          if (!pressed)
            p(c) = 0.;
        }
      if (x.n_iterations > 0 && progress.is_lost(n_changed))
        break;
      matrix->assemble(weights);
      if (!cholesky->factorize(matrix->values()))
        break;
      // p ← p + W(Bu - b), with u the minimum of the augmented Lagrangian
      Pair face(problem, b, W);
      for (unsigned int round = 0; round < max_rounds; ++round)
        {
          face.set(p);
          const Vector excess = -weights.cwiseProduct(face.room);
          if (largest_room(face.room, weights) <= .01 * enough)
            break;
          B->apply_transpose(excess, force);
          force = -force;
          cholesky->solve(force);
          B->apply(force, Bdu);
          p += excess + weights.cwiseProduct(Bdu);
        }
      // the next active set is judged by the multipliers of the face, negative ones included
      face.set(p);
      Vector cut = p;
      for (Index c = 0; c < b.size(); ++c)
        if (!face.is_pressed(c))
          cut(c) = 0.;
      now.set(p);
      Pair answer(problem, b, W);
      answer.set(cut.cwiseMax(0.));
      if (const double residual = answer.natural_residual(); residual < best)
        {
          best = residual;
          x.p  = answer.p;
          x.u  = answer.u;
        }
    }
  x.method = "face Newton (" + std::to_string(x.n_iterations) + ")";
  judge(problem, criterion, x);
  return x;
}
} // namespace moreau::convex
