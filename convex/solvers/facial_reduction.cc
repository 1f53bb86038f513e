// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/facial_reduction.h"

#include "convex/certificate.h"
#include "convex/shared_network.h"
#include "convex/solvers/least_relaxation.h"
#include "convex/solvers/rigid_rows.h"
#include "convex/structure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace moreau::convex
{
namespace
{
/// Whether q, moved a little on its support and on the rows that are rigid already, satisfies B*q = 0 to rounding and stays
/// positive on the others. What does so only to six digits says that rows hardly open, not that they cannot.
bool is_self_stress(const ProjectionProblem &problem, const std::vector<char> &rigid, Vector &q)
{
  std::vector<char> support = rigid;
  for (Index c = 0; c < q.size(); ++c)
    support[c] = rigid[c] || q(c) > 0.;
  RigidRows(problem, support).balance(q);
  const auto &B = structure_of(problem).entries->matrix();
  Vector      Btq(problem.n_unknowns());
  problem.B->apply_transpose(q, Btq);
  const Vector terms = B.cwiseAbs().transpose() * q.cwiseAbs();
  if (!q.allFinite() || max_abs(Btq) > 1e-11 * max_abs(terms))
    return false;
  const double least = 1e-9 * max_abs(q);
  for (Index c = 0; c < q.size(); ++c)
    if (!rigid[c] && support[c] && q(c) <= least)
      return false;
  return true;
}

Expansion one_part(Vector w, const Index n_constraints)
{
  Expansion result;
  result.part_of_unknown.assign(w.size(), 0);
  result.part_of_row.assign(n_constraints, 0);
  result.n_parts = 1;
  result.w       = std::move(w);
  return result;
}
/// The whole face at once, by the linear program min { t : (Bw)_c <= t √W_cc }. Its interior point ends in the middle of all
/// stresses and of all w: one of p and -Bw is positive in each row. No search (n_rounds = 0) where that is not clear.
Face face_by_relaxation(const ProjectionProblem &problem, const unsigned int max_iterations)
{
  const Index      m     = problem.n_constraints();
  const Vector     roots = delassus_diagonal(problem).cwiseSqrt();
  Face             face;
  const Relaxation x =
      LeastRelaxation(*structure_of(problem).entries, roots).solve(Vector::Zero(m), -1., 1e-10, max_iterations, 1e-16);
  face.n_factorisations = x.n_iterations;
  face.stress           = Vector::Zero(m);
  Vector w              = x.unbounded ? x.w : x.w_central, Bw(m);
  if (x.p.size() == 0 || !w.allFinite())
    return face;
  problem.B->apply(w, Bw);
  if (!x.unbounded)
    {
      Vector            q = x.p_central;
      std::vector<char> rigid(m, 0);
      for (Index c = 0; c < m; ++c)
        {
          const double slack = x.upper - Bw(c) / roots(c), press = q(c) * roots(c) * static_cast<double>(m);
          rigid[c] = press > slack;
          face.n_rigid += rigid[c];
          if (!rigid[c])
            q(c) = 0.;
        }
      if (!x.converged || face.n_rigid == 0 || !is_self_stress(problem, std::vector<char>(m, 0), q))
        {
          face.n_rigid = 0;
          return face;
        }
      face.stress = q / q.maxCoeff();
      face.rigid  = std::move(rigid);
      RigidRows(problem, face.rigid).hold(w);
      problem.B->apply(w, Bw);
    }
  double least = std::numeric_limits<double>::infinity();
  for (Index c = 0; c < m; ++c)
    if (face.n_rigid == 0 || !face.rigid[c])
      least = std::min(least, -Bw(c) / roots(c));
  if (!(least > 1e-9 * max_abs(Bw.cwiseQuotient(roots))))
    {
      if (face.n_rigid < m)
        return Face();
      w.setZero();
      least = 1.;
    }
  face.inner    = one_part(face.n_rigid == m ? Vector(Vector::Zero(w.size())) : Vector(w / least), m);
  face.n_rounds = 1;
  return face;
}
/// The rows `chosen` of B alone.
std::shared_ptr<const ConstraintOperator> rows_of(const ProjectionProblem &problem, const std::vector<Index> &chosen)
{
  const Structure structure = structure_of(problem);
  const auto      n         = static_cast<Index>(chosen.size());
  if (structure.pairs)
    {
      std::vector<PairConstraint::Pair> pairs;
      Eigen::MatrixXd                   e(structure.pairs->dimension(), n);
      for (Index k = 0; k < n; ++k)
        {
          pairs.push_back(structure.pairs->pairs()[chosen[k]]);
          e.col(k) = structure.pairs->directions().col(chosen[k]);
        }
      return std::make_shared<PairConstraint>(structure.pairs->dimension(), structure.pairs->n_nodes(), std::move(pairs),
                                              std::move(e));
    }
  std::vector<Eigen::Triplet<double>> which;
  for (Index k = 0; k < n; ++k)
    which.emplace_back(k, chosen[k], 1.);
  SparseConstraint::Matrix choice(n, problem.n_constraints());
  choice.setFromTriplets(which.begin(), which.end());
  return std::make_shared<SparseConstraint>(choice * structure.entries->matrix());
}

/// The face of the rows without room.
Face face_of_closed_rows(const ProjectionProblem &problem, const unsigned int max_iterations)
{
  const Vector       b = problem.right_hand_side();
  std::vector<Index> closed;
  for (Index c = 0; c < b.size(); ++c)
    if (b(c) == 0.)
      closed.push_back(c);
  Face face;
  face.stress = Vector::Zero(b.size());
  if (closed.empty() || b.minCoeff() < 0.)
    return face;
  ProjectionProblem cone;
  cone.V             = problem.V;
  cone.B             = rows_of(problem, closed);
  cone.U             = problem.U;
  const Face of_cone = find_face(cone, max_iterations);

  face.n_rigid          = of_cone.n_rigid;
  face.n_rounds         = of_cone.n_rounds;
  face.n_factorisations = of_cone.n_factorisations;
  if (face.n_rigid == 0)
    return face;
  face.rigid.assign(b.size(), 0);
  for (std::size_t k = 0; k < closed.size(); ++k)
    {
      face.rigid[closed[k]]  = of_cone.rigid[k];
      face.stress(closed[k]) = of_cone.stress(static_cast<Index>(k));
    }
  return face;
}
} // namespace

Face find_face(const ProjectionProblem &problem, const unsigned int max_iterations)
{
  if (!problem.is_cone())
    return face_of_closed_rows(problem, max_iterations);
  if (const Vector W = delassus_diagonal(problem); W.size() == 0 || !W.allFinite() || !(W.minCoeff() > 0.))
    {
      Face none; // a row without entries says nothing about velocities
      none.stress = Vector::Zero(W.size());
      return none;
    }
  Face at_once = face_by_relaxation(problem, max_iterations);
  if (at_once.n_rounds > 0)
    return at_once;

  constexpr unsigned int max_rounds = 30;
  const Index            m          = problem.n_constraints();
  const Vector           roots      = delassus_diagonal(problem).cwiseSqrt();
  Face                   face;
  face.stress = Vector::Zero(m);

  StoppingCriterion roughly;
  roughly.tolerance      = 1e-3; // any w serves; the shortest moves least
  roughly.max_iterations = max_iterations;
  std::vector<char> rigid(m, 0);
  ProjectionProblem opening;
  opening.V = problem.V;
  opening.B = problem.B;
  opening.U = Vector::Zero(problem.n_unknowns());
  while (face.n_rounds < max_rounds && face.n_rigid < m)
    {
      opening.b = -roots;
      for (Index c = 0; c < m; ++c)
        if (rigid[c])
          opening.b(c) = 0.;
      const SaddlePoint x = InteriorPoint(roughly).project_with_equalities(opening, rigid);
      ++face.n_rounds;
      face.n_factorisations += x.n_iterations;
      if (x.status != Status::infeasible)
        {
          Vector w = x.u, Bw(m);
          if (!w.allFinite())
            break;
          if (face.n_rigid > 0)
            RigidRows(problem, rigid).hold(w);
          problem.B->apply(w, Bw);
          bool opens = true;
          for (Index c = 0; c < m; ++c)
            opens = opens && (rigid[c] || Bw(c) <= -.5 * roots(c));
          if (opens)
            face.inner = one_part(std::move(w), m);
          break;
        }
      Vector q = x.p;
      if (!is_self_stress(problem, rigid, q))
        break;
      // s := s + t q with s > 0 on all that is rigid now
      double t = 1.;
      for (Index c = 0; c < m; ++c)
        if (rigid[c] && q(c) < 0.)
          t = std::min(t, -.5 * face.stress(c) / q(c));
      face.stress += t * q;
      const Index before = face.n_rigid;
      for (Index c = 0; c < m; ++c)
        if (!rigid[c] && face.stress(c) > 0.)
          {
            rigid[c] = 1;
            ++face.n_rigid;
          }
      face.stress /= face.stress.maxCoeff();
      if (face.n_rigid == before)
        break;
    }
  if (face.n_rigid == m && m > 0)
    face.inner = one_part(Vector::Zero(problem.n_unknowns()), m);
  if (face.n_rigid > 0)
    face.rigid = std::move(rigid);
  return face;
}

RigidSet Face::rigid_set() const
{
  return {n_rigid, Eigen::Map<const Eigen::Matrix<char, Eigen::Dynamic, 1>>(rigid.data(), static_cast<Index>(rigid.size()))
                       .cast<double>()};
}

std::optional<RigidSet> rigid_rows(const ProjectionProblem &problem, const Index limit)
{
  const Vector b = problem.right_hand_side();
  if (shared_network(problem) || problem.circles || std::max(problem.n_unknowns(), b.size()) > limit ||
      !structure_of(problem).has_entries() || (b.size() > 0 && b.minCoeff() < 0.))
    return std::nullopt;
  const Face face         = find_face(problem);
  const bool has_not_seen = face.n_rigid == 0 && problem.is_cone() && face.inner.empty();
  return has_not_seen && b.size() > 0 ? std::nullopt : std::optional<RigidSet>(face.rigid_set());
}

SaddlePoint project_on_face(const ProjectionProblem &problem, const Face &face, const StoppingCriterion &criterion)
{
  const Vector b       = problem.right_hand_side();
  bool         is_face = face.n_rigid > 0;
  for (Index c = 0; is_face && c < b.size(); ++c)
    is_face = !face.rigid[c] || b(c) == 0.;
  if (!is_face)
    throw std::invalid_argument("project_on_face() needs rigid rows, with b = 0.");
  ProjectionProblem on_face = problem;
  if (problem.is_cone())
    on_face.expansion = face.inner;
  StoppingCriterion finer = criterion;
  finer.tolerance *= 1e-2;
  if (criterion.on_natural_residual) // which is the square of an error, or less
    finer.tolerance = std::max(finer.tolerance, 1e-9);
  SaddlePoint x = InteriorPoint(finer).project_with_equalities(on_face, face.rigid);

  RigidRows rows(problem, face.rigid);
  Vector    s = face.stress;
  rows.balance(s);
  // p >= 0 by what changes nothing: B*(p + ts) = B*p
  double t = 0.;
  for (Index c = 0; c < x.p.size(); ++c)
    if (face.rigid[c] && s(c) > 0.)
      t = std::max(t, -x.p(c) / s(c));
  x.p = (x.p + t * s).cwiseMax(0.);
  rows.hold(x.u);
  remove_rounding(problem, x.u);
  x.rigid = face.rigid_set();
  judge(on_face, criterion, x);
  return x;
}

std::string name(const Face &face)
{
  return (face.n_rigid == 0 ? "no" : std::to_string(face.n_rigid)) + " rigid rows (" + std::to_string(face.n_rounds) + ")";
}

Face face_of_stress(const ProjectionProblem &problem, const Vector &stress)
{
  const Vector b = problem.right_hand_side();
  Face         face;
  face.stress = Vector::Zero(b.size());
  Vector q    = stress;
  for (Index c = 0; c < q.size(); ++c)
    if (b(c) != 0.)
      q(c) = 0.;
  if (q.size() != b.size() || !(max_abs(q) > 0.) || !is_self_stress(problem, std::vector<char>(b.size(), 0), q))
    return face;
  face.stress = q / q.maxCoeff();
  face.rigid.assign(b.size(), 0);
  for (Index c = 0; c < b.size(); ++c)
    face.n_rigid += face.rigid[c] = face.stress(c) > 0.;
  face.n_factorisations = 1;
  return face;
}

SaddlePoint or_on_face(const ProjectionProblem &problem, SaddlePoint &&x, const StoppingCriterion &criterion,
                       Vector *const stress)
{
  const auto missing = [&](const SaddlePoint &y) {
    return criterion.on_natural_residual ? y.certificate.natural_residual : y.certificate.relative_error_bound;
  };
  SaddlePoint best     = std::move(x);
  const auto  try_face = [&](const Face &face) {
    SaddlePoint y;
    if (face.n_rigid > 0)
      y = project_on_face(problem, face, criterion);
    const std::string  method       = best.method + ", " + name(face) + (face.n_rigid > 0 ? ", " + y.method : "");
    const unsigned int n_iterations = best.n_iterations + face.n_factorisations + y.n_iterations;
    if (face.n_rigid > 0 && (y.converged() || missing(y) < missing(best)))
      best = std::move(y);
    best.method       = method;
    best.n_iterations = n_iterations;
    best.rigid        = face.rigid_set();
    if (stress)
      *stress = face.n_rigid > 0 ? face.stress : Vector();
  };
  if (stress && stress->size() > 0)
    if (const Face known = face_of_stress(problem, *stress); known.n_rigid > 0)
      try_face(known);
  if (!best.converged())
    try_face(find_face(problem));
  return best;
}

SaddlePoint InteriorPointOnFaces::project(const ProjectionProblem &problem, const Vector *const p_start) const
{
  SaddlePoint x = InteriorPoint(criterion, parameters).project(problem, p_start);
  return x.status == Status::stagnated ? or_on_face(problem, std::move(x), criterion) : x;
}
} // namespace moreau::convex
