// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/circular_face.h"

#include "convex/certificate.h"
#include "convex/solvers/circular_interior_point.h"
#include "convex/solvers/interior_point.h"
#include "convex/solvers/rigid_rows.h"
#include "convex/structure.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

namespace moreau::convex
{
namespace
{
/// Linear rows TᵀB of a face: equalities, and inequalities TᵀBv <= 0.
struct LinearFace
{
  SparseConstraint::Matrix T; ///< m x number of linear rows; multipliers of B are T times those of the linear rows
  ProjectionProblem        problem;
  std::vector<char>        equal;
};

bool is_self_stress(const SparseConstraint::Matrix &B, const Vector &s)
{
  const Vector terms = B.cwiseAbs().transpose() * s.cwiseAbs();
  return s.allFinite() && max_abs(s) > 0. && max_abs(Vector(B.transpose() * s)) <= 1e-12 * max_abs(terms);
}

/// None where s does not lie in Q, or leaves a circle as it is.
std::optional<LinearFace> linear_face(const ProjectionProblem &problem, const SparseConstraint::Matrix &B, const Vector &s)
{
  constexpr double    tiny = 1e-10; // of what lies on a boundary nothing but rounding is on either side
  const CircularRows &Q    = *problem.circles;
  if (s.size() != Q.n_rows() || !problem.is_cone() || !is_self_stress(B, s))
    return {};
  const double                        size = max_abs(s);
  std::vector<Eigen::Triplet<double>> entries;
  LinearFace                          face;
  const auto                          add = [&](const Index first, const auto &column, const bool equal) {
    Eigen::SparseVector<double> row(B.cols()); // of TᵀB; rows of a block that cancel ask for nothing
    double                      terms = 0.;
    for (Index k = 0; k < column.size(); ++k)
      {
        row += column(k) * B.row(first + k).transpose();
        terms += std::abs(column(k)) * B.row(first + k).norm();
      }
    if (!(row.norm() > 1e-12 * terms))
      return;
    for (Index k = 0; k < column.size(); ++k)
      if (column(k) != 0.)
        entries.emplace_back(first + k, static_cast<Index>(face.equal.size()), column(k));
    face.equal.push_back(equal);
  };
  for (Index b = 0; b < Q.n_blocks(); ++b)
    {
      const Index  first = Q.begin[b], k = Q.size(b);
      const auto   radial = s.segment(first + 1, k - 1);
      const double inside = s(first) - radial.norm();
      if (inside < -tiny * size)
        return {};
      if (k == 1)
        add(first, Vector::Ones(1), inside > tiny * size);
      else if (!(s(first) > tiny * size))
        return {};
      else if (inside > tiny * s(first))
        for (Index row = 0; row < k; ++row)
          add(first, Vector(Vector::Unit(k, row)), true);
      else
        {
          Vector d(k);
          d << 1., -radial.normalized();
          const Eigen::MatrixXd turned = Eigen::HouseholderQR<Eigen::MatrixXd>(d).householderQ();
          add(first, Vector(d.normalized()), false);
          for (Index row = 1; row < k; ++row)
            add(first, Vector(turned.col(row)), true);
        }
    }
  face.T.resize(Q.n_rows(), static_cast<Index>(face.equal.size()));
  face.T.setFromTriplets(entries.begin(), entries.end());
  SparseConstraint::Matrix rows = face.T.transpose() * B;
  rows.prune(1., epsilon); // what cancels between the rows of a block
  face.problem.V = problem.V;
  face.problem.B = std::make_shared<SparseConstraint>(std::move(rows));
  face.problem.U = problem.U;
  return face;
}

/// u moved inside of the inequalities by a field that opens them and leaves the equalities.
void open_inequalities(const LinearFace &face, RigidRows &rows, Vector &u)
{
  const Index m = face.problem.n_constraints();
  Vector      Bu(m), Bw(m);
  face.problem.B->apply(u, Bu);
  double most = 0.;
  for (Index c = 0; c < m; ++c)
    most = std::max(most, face.equal[c] ? 0. : Bu(c));
  if (!(most > 0.))
    return;
  ProjectionProblem opening = face.problem;
  opening.U.setZero();
  opening.b = -delassus_diagonal(face.problem).cwiseSqrt();
  for (Index c = 0; c < m; ++c)
    if (face.equal[c])
      opening.b(c) = 0.;
  StoppingCriterion roughly;
  roughly.tolerance      = 1e-2; // any w serves; the shortest moves least
  roughly.max_iterations = 100;
  Vector w               = InteriorPoint(roughly).project_with_equalities(opening, face.equal).u;
  if (!w.allFinite())
    return;
  rows.hold(w);
  face.problem.B->apply(w, Bw);
  double t = 0.;
  for (Index c = 0; c < m; ++c)
    if (!face.equal[c] && Bu(c) > 0. && Bw(c) < 0.)
      t = std::max(t, -Bu(c) / Bw(c));
  u += (1. + 4. * epsilon) * t * w;
}

/// The projection on the face, with the multiplier of Q that is certified best.
SaddlePoint project_on(const LinearFace &face, const ProjectionProblem &problem, const Vector &s,
                       const StoppingCriterion &criterion)
{
  StoppingCriterion finer = criterion;
  finer.tolerance *= 1e-2;
  SaddlePoint x = InteriorPoint(finer).project_with_equalities(face.problem, face.equal);
  RigidRows   rows(face.problem, face.equal);
  rows.hold(x.u);
  remove_rounding(face.problem, x.u);
  open_inequalities(face, rows, x.u);

  const Vector p    = face.T * x.p;
  const double unit = max_abs(p) > 0. ? max_abs(p) / max_abs(s) : 1.;
  double       best = std::numeric_limits<double>::infinity();
  for (double tau = .1; tau < 1e13; tau *= 4.)
    {
      const Vector      q           = problem.nearest_multiplier(p + tau * unit * s);
      const Certificate certificate = certify(problem, x.u, q);
      if (certificate.relative_error_bound < best)
        {
          best = certificate.relative_error_bound;
          x.p  = q;
        }
      if (criterion.met_by(certificate))
        break;
    }
  x.method = "face of circular cones (" + std::to_string(std::count(face.equal.begin(), face.equal.end(), char(1))) +
             " equalities), " + x.method;
  judge(problem, criterion, x);
  return x;
}
} // namespace

SaddlePoint CircularOnFace::project(const ProjectionProblem &problem, const Vector *const p_start) const
{
  const CircularInteriorPoint in_general(criterion);
  if (stress.size() == 0 || !problem.circles)
    return in_general.project(problem, p_start);
  if (approach_speed(problem, problem.U) <= 0.)
    return in_general.project(problem, p_start);
  const auto [B, pairs, V] = structure_with_entries(problem, "CircularOnFace");
  const auto face          = linear_face(problem, B->matrix(), stress);
  if (!face)
    return in_general.project(problem, p_start);
  SaddlePoint x = project_on(*face, problem, stress, criterion);
  if (x.converged())
    return x;
  SaddlePoint other           = in_general.project(problem, p_start);
  const bool  other_is_better = other.converged() || other.certificate.guaranteed && !x.certificate.guaranteed ||
                               other.certificate.guaranteed == x.certificate.guaranteed &&
                                   other.certificate.relative_error_bound < x.certificate.relative_error_bound;
  SaddlePoint &better = other_is_better ? other : x;
  better.method       = x.method + ", " + other.method;
  better.n_iterations = x.n_iterations + other.n_iterations;
  return better;
}
} // namespace moreau::convex
