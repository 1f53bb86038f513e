// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/diagnostics.h"

#include "convex/certificate.h"
#include "convex/solvers/lawson_hanson.h"
#include "convex/solvers/positive_independence.h"
#include "convex/structure.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <random>

namespace moreau::convex
{
namespace
{
/// Numbers below this fraction of the largest are zero in a rank.
constexpr double rank_threshold = 1e-10;

Vector normals(const Index n, std::mt19937 &bits)
{
  std::normal_distribution<double> normal;
  return Vector::NullaryExpr(n, [&](Index) { return normal(bits); });
}

/// B*q = M⁻¹Bᵀq.
Vector adjoint(const ProjectionProblem &problem, const Vector &q)
{
  Vector Btq(problem.n_unknowns()), Bstar_q(problem.n_unknowns());
  problem.B->apply_transpose(q, Btq);
  problem.V->inverse_riesz(Btq, Bstar_q);
  return Bstar_q;
}

Vector slacks(const ProjectionProblem &problem, const Vector &v)
{
  Vector Bv(problem.n_constraints());
  problem.B->apply(v, Bv);
  return problem.right_hand_side() - Bv;
}

/// Columns Bᵀe_c, each scaled to length 1 (those of empty rows stay zero): ranks and kernels do not depend on M. n x m
Eigen::MatrixXd unit_columns(const ProjectionProblem &problem)
{
  Eigen::MatrixXd columns(problem.n_unknowns(), problem.n_constraints());
  Vector          e_c = Vector::Zero(problem.n_constraints()), Bt_e(problem.n_unknowns());
  for (Index c = 0; c < columns.cols(); ++c)
    {
      e_c(c) = 1.;
      problem.B->apply_transpose(e_c, Bt_e);
      columns.col(c) = Bt_e.normalized();
      e_c(c)         = 0.;
    }
  return columns;
}

Eigen::MatrixXd selected(const Eigen::MatrixXd &columns, const std::vector<Index> &which)
{
  Eigen::MatrixXd some(columns.rows(), which.size());
  for (std::size_t k = 0; k < which.size(); ++k)
    some.col(k) = columns.col(which[k]);
  return some;
}

/// The speed that each p_c takes from its own row, ½ p_c W_cc: comparable with slacks.
Vector speeds(const ProjectionProblem &problem, const Vector &p)
{
  Vector e_c = Vector::Zero(p.size()), Bt_e(problem.n_unknowns()), speed(p.size());
  for (Index c = 0; c < p.size(); ++c)
    {
      e_c(c) = 1.;
      problem.B->apply_transpose(e_c, Bt_e);
      speed(c) = .5 * p(c) * Bt_e.dot(adjoint(problem, e_c));
      e_c(c)   = 0.;
    }
  return speed;
}

Index rank(const Eigen::MatrixXd &columns)
{
  if (columns.size() == 0)
    return 0;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(columns);
  qr.setThreshold(rank_threshold);
  return qr.rank();
}

/// Whether some q >= 0, q != 0 has  columns q  in the span of `basis`: the part of the columns outside that span has q in
/// its kernel exactly where no v satisfies (that part)ᵀ v <= -1 (Gordan).
bool has_nonnegative_combination_in_span(const Eigen::MatrixXd &columns, const Eigen::MatrixXd &basis)
{
  if (columns.cols() == 0)
    return false;
  Eigen::MatrixXd outside = columns;
  if (basis.cols() > 0)
    {
      const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(basis).householderQ() *
                                Eigen::MatrixXd::Identity(basis.rows(), basis.cols());
      for (int pass = 0; pass < 2; ++pass) // the second pass removes the rounding of the first
        outside -= Q * (Q.transpose() * outside).eval();
    }
  if ((outside.colwise().norm().array() < rank_threshold).any())
    return true;
  ProjectionProblem gordan;
  gordan.V = std::make_shared<DiagonalSpace>(Vector::Ones(columns.rows()));
  gordan.B = std::make_shared<SparseConstraint>(outside.transpose().sparseView());
  gordan.U = Vector::Zero(columns.rows());
  gordan.b = Vector::Constant(columns.cols(), -1.);
  return LawsonHanson().project(gordan).status == Status::infeasible;
}
} // namespace

std::string name(const MaximumPrinciple maximum_principle)
{
  switch (maximum_principle)
    {
      case MaximumPrinciple::not_applicable:
        return "not applicable";
      case MaximumPrinciple::holds:
        return "holds";
      case MaximumPrinciple::fails:
        return "fails";
    }
  return "unknown";
}

double adjoint_defect(const ProjectionProblem &problem)
{
  if (problem.n_constraints() == 0)
    return 0.;
  std::mt19937 bits(20210);
  const Vector v = normals(problem.n_unknowns(), bits), q = normals(problem.n_constraints(), bits);
  Vector       Bv(problem.n_constraints());
  problem.B->apply(v, Bv);
  const double size = Bv.norm() * q.norm();
  return size > 0. ? std::abs(Bv.dot(q) - problem.V->dot(v, adjoint(problem, q))) / size : 0.;
}

Index rank(const ProjectionProblem &problem) { return rank(unit_columns(problem)); }

std::optional<PositiveCouplings> positive_couplings(const ProjectionProblem &problem)
{
  const Structure structure = structure_of(problem);
  if (!structure.has_entries())
    return std::nullopt;
  using RowMajor           = SparseConstraint::Matrix;
  const RowMajor &rows     = structure.entries->matrix();
  const RowMajor  columns  = rows.transpose(); // row k: the constraints on unknown k
  const Index     m        = rows.rows();
  const Vector    diagonal = delassus_diagonal(problem);
  Vector          W_c      = Vector::Zero(m);

  PositiveCouplings  couplings;
  std::vector<Index> touched;
  for (Index c = 0; c < m; ++c)
    {
      touched.clear();
      for (RowMajor::InnerIterator B_ck(rows, c); B_ck; ++B_ck)
        for (RowMajor::InnerIterator B_dk(columns, B_ck.col()); B_dk; ++B_dk)
          if (const Index d = B_dk.col(); d > c)
            {
              if (W_c(d) == 0.)
                touched.push_back(d);
              W_c(d) += B_ck.value() * B_dk.value() / structure.masses->masses()(B_ck.col());
            }
      for (const Index d : touched)
        {
          const double relative = W_c(d) / std::sqrt(diagonal(c) * diagonal(d));
          if (relative > rank_threshold)
            {
              ++couplings.n_pairs;
              couplings.largest = std::max(couplings.largest, relative);
            }
          W_c(d) = 0.;
        }
    }
  return couplings;
}

MaximumPrinciple test_maximum_principle(const ProjectionProblem &problem, const SaddlePoint &x)
{
  if (problem.n_constraints() == 0)
    return MaximumPrinciple::not_applicable;
  const Vector slack_of_U = slacks(problem, problem.U), slack_of_u = slacks(problem, x.u);
  const double rounding = 1e-12 * max_abs(slack_of_U);
  if (!(slack_of_U.maxCoeff() <= rounding))
    return MaximumPrinciple::not_applicable;
  // a row is open where it opens faster than the tolerance of the projection explains
  const double size = max_abs(problem.U - problem.V->mean(problem.U));
  const double allowed =
      rounding + 10. * size * std::max(x.certificate.natural_residual, x.certificate.relative_error_bound);
  return slack_of_u.maxCoeff() > allowed ? MaximumPrinciple::fails : MaximumPrinciple::holds;
}

bool is_multiplier_unique(const ProjectionProblem &problem, const SaddlePoint &x)
{
  const Vector slack = slacks(problem, x.u), speed = speeds(problem, x.p);
  const double size      = max_abs(problem.U - problem.V->mean(problem.U));
  const double undecided = 1e-9 * size + 10. * size * x.certificate.natural_residual;

  std::vector<Index> pressed, touching; // p > 0, and p = 0 without slack
  for (Index c = 0; c < slack.size(); ++c)
    if (speed(c) > undecided)
      pressed.push_back(c);
    else if (slack(c) <= undecided)
      touching.push_back(c);
  const Eigen::MatrixXd columns = unit_columns(problem), basis = selected(columns, pressed);
  return rank(basis) == basis.cols() && !has_nonnegative_combination_in_span(selected(columns, touching), basis);
}

Diagnostics diagnose(const ProjectionProblem &problem, const SaddlePoint &x, const Index limit)
{
  Diagnostics diagnostics;
  diagnostics.adjoint_defect     = adjoint_defect(problem);
  diagnostics.positive_couplings = positive_couplings(problem);
  if (x.status == Status::infeasible)
    return diagnostics;

  diagnostics.maximum_principle = test_maximum_principle(problem, x);
  diagnostics.n_rigid_rows      = x.n_rigid_rows;
  const double scale            = x.certificate.scale;
  if (problem.is_cone() && scale > 0.)
    {
      // a uniform velocity that no row feels would only add cancellation
      Vector B_mean(problem.n_constraints()), mean = problem.V->mean(problem.U);
      problem.B->apply(mean, B_mean);
      if (max_abs(B_mean) > 1e-14 * max_abs(mean))
        mean.setZero();
      const Vector U = problem.U - mean, u = x.u - mean, change = U - u;
      const auto   squared             = [&](const Vector &v) { return problem.V->dot(v, v); };
      diagnostics.orthogonality_defect = std::abs(problem.V->dot(u, change)) / (scale * scale);
      diagnostics.energy_defect        = std::abs(squared(U) - squared(u) - squared(change)) / (scale * scale);
    }
  if (std::max(problem.n_unknowns(), problem.n_constraints()) <= limit)
    {
      diagnostics.rank_of_B            = rank(problem);
      diagnostics.dim_kernel_of_B      = problem.n_unknowns() - *diagnostics.rank_of_B;
      diagnostics.dim_kernel_of_Bstar  = problem.n_constraints() - *diagnostics.rank_of_B;
      diagnostics.multiplier_is_unique = *diagnostics.dim_kernel_of_Bstar == 0 || is_multiplier_unique(problem, x);
      if (const auto independence = positive_independence(problem))
        {
          diagnostics.gamma_at_least = independence->gamma_at_least;
          diagnostics.gamma_at_most  = independence->gamma_at_most;
        }
    }
  return diagnostics;
}
} // namespace moreau::convex
