// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/diagnostics.h"

#include "convex/certificate.h"
#include "convex/shared_network.h"
#include "convex/solvers/lawson_hanson.h"
#include "convex/solvers/positive_independence.h"
#include "convex/splitmix.h"
#include "convex/structure.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace moreau::convex
{
namespace
{
/// Numbers below this fraction of the largest are zero in a rank.
constexpr double rank_threshold = 1e-10;

/// In [-1, 1): the same for the same label, without relation to those of others.
double noise(const double label)
{
  std::uint64_t bits;
  std::memcpy(&bits, &label, sizeof bits);
  return 2. * fraction_of(mixed(bits)) - 1.;
}

/// Noise of each unknown and of each row, the same on any number of processes.
Vector noise_of_unknowns(const ProjectionProblem &problem)
{
  const SharedNetwork *const network = shared_network(problem);
  const NetworkPart *const   here    = network ? &network->here() : nullptr;
  return Vector::NullaryExpr(problem.n_unknowns(), [&](const Index k) {
    const Index label = here ? here->dim * here->number[here->first_own + k / here->dim] + k % here->dim : k;
    return noise(static_cast<double>(label) + .25);
  });
}

Vector noise_of_rows(const ProjectionProblem &problem)
{
  return Vector::NullaryExpr(problem.n_constraints(), [&](const Index c) { return noise(label_of_row(problem, c)); });
}

/// |q|, of the rows of all processes.
double norm_of_rows(const ProjectionProblem &problem, const Vector &q)
{
  return std::sqrt(sum_over_rows(problem, q.cwiseAbs2()));
}

/// The largest entry on all processes.
double largest(const ProjectionProblem &problem, const Vector &v)
{
  return problem.V->max_over_processes(v.size() > 0 ? v.maxCoeff() : -std::numeric_limits<double>::infinity());
}

double largest_size(const ProjectionProblem &problem, const Vector &v) { return problem.V->max_over_processes(max_abs(v)); }

/// positive_couplings() of spheres that several processes share: rows have a sphere in common or nothing, and its owner has
/// them all.
PositiveCouplings positive_couplings(const SharedNetwork &network)
{
  const NetworkPart    &here     = network.here();
  const PairConstraint &rows     = network.rows();
  const Vector          diagonal = network.delassus_diagonal(DiagonalSpace(here.masses, here.dim));

  std::vector<std::vector<Index>> of_node(here.n_own);
  for (Index c = 0; c < rows.n_constraints(); ++c)
    for (const int node : {rows.pairs()[c].i, rows.pairs()[c].j})
      if (node != PairConstraint::fixed_body && here.first_own <= node && node < here.first_own + here.n_own)
        of_node[node - here.first_own].push_back(c);

  PositiveCouplings result;
  result.n_pairs = static_cast<Index>(network.sum_over_nodes([&](const Index k) {
    const int node = static_cast<int>(here.first_own + k);
    Index     n    = 0;
    for (std::size_t a = 0; a < of_node[k].size(); ++a)
      for (std::size_t b = a + 1; b < of_node[k].size(); ++b)
        {
          const Index  c = of_node[k][a], d = of_node[k][b];
          const double sign     = (rows.pairs()[c].i == node) == (rows.pairs()[d].i == node) ? 1. : -1.;
          const double W_cd     = sign * rows.directions().col(c).dot(rows.directions().col(d)) / here.masses(node);
          const double relative = W_cd / std::sqrt(diagonal(c) * diagonal(d));
          n += relative > rank_threshold;
          result.largest = std::max(result.largest, relative > rank_threshold ? relative : 0.);
        }
    return static_cast<double>(n);
  }));
  result.largest = network.processes().max(result.largest);
  return result;
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
  const Vector v = noise_of_unknowns(problem), q = noise_of_rows(problem);
  Vector       Bv(problem.n_constraints());
  problem.B->apply(v, Bv);
  const double size   = norm_of_rows(problem, Bv) * norm_of_rows(problem, q);
  const double defect = std::abs(sum_over_rows(problem, Bv.cwiseProduct(q)) - problem.V->dot(v, adjoint(problem, q)));
  return size > 0. ? defect / size : 0.;
}

Index rank(const ProjectionProblem &problem) { return rank(unit_columns(problem)); }

std::optional<PositiveCouplings> positive_couplings(const ProjectionProblem &problem)
{
  if (const SharedNetwork *const network = shared_network(problem))
    return positive_couplings(*network);
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
  const Vector slack_of_U = slacks(problem, problem.U), slack_of_u = slacks(problem, x.u);
  const double rounding = 1e-12 * largest_size(problem, slack_of_U), most = largest(problem, slack_of_U);
  if (std::isinf(most) || !(most <= rounding)) // no rows at all, or some that open
    return MaximumPrinciple::not_applicable;
  // a row is open where it opens faster than the tolerance of the projection explains
  const double size = largest_size(problem, problem.U - problem.V->mean(problem.U));
  const double allowed =
      rounding + 10. * size * std::max(x.certificate.natural_residual, x.certificate.relative_error_bound);
  return largest(problem, slack_of_u) > allowed ? MaximumPrinciple::fails : MaximumPrinciple::holds;
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
  const bool  by_rows        = !problem.circles; // rows of a circle have no sign of their own
  diagnostics.adjoint_defect = adjoint_defect(problem);
  if (by_rows)
    diagnostics.positive_couplings = positive_couplings(problem);
  if (x.status == Status::infeasible)
    return diagnostics;

  if (by_rows)
    diagnostics.maximum_principle = test_maximum_principle(problem, x);
  if (x.rigid)
    diagnostics.n_rigid_rows = x.rigid->n_rows;
  const double scale = x.certificate.scale;
  if (largest_size(problem, problem.b) == 0. && scale > 0.)
    {
      // a uniform velocity that no row feels would only add cancellation
      Vector B_mean(problem.n_constraints()), mean = problem.V->mean(problem.U);
      problem.B->apply(mean, B_mean);
      if (largest_size(problem, B_mean) > 1e-14 * largest_size(problem, mean))
        mean.setZero();
      const Vector U = problem.U - mean, u = x.u - mean, change = U - u;
      const auto   squared             = [&](const Vector &v) { return problem.V->dot(v, v); };
      diagnostics.orthogonality_defect = std::abs(problem.V->dot(u, change)) / (scale * scale);
      diagnostics.energy_defect        = std::abs(squared(U) - squared(u) - squared(change)) / (scale * scale);
    }
  if (!shared_network(problem) && std::max(problem.n_unknowns(), problem.n_constraints()) <= limit)
    {
      diagnostics.rank_of_B           = rank(problem);
      diagnostics.dim_kernel_of_B     = problem.n_unknowns() - *diagnostics.rank_of_B;
      diagnostics.dim_kernel_of_Bstar = problem.n_constraints() - *diagnostics.rank_of_B;
      if (!by_rows)
        return diagnostics;
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
