// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/total_bound.h"

#include "convex/velocity_space.h"

#include <Eigen/Cholesky>

#include <cmath>

namespace moreau::macro
{
namespace
{
/// Why the bound is an estimate: the gravest reason; empty where it is guaranteed.
std::string doubts(const AdmissiblePair::Facts &facts, const GapIntegrals &sum, const double eta)
{
  constexpr double rounding = 64. * convex::epsilon;
  // a polynomial leaves nothing but the rounding errors of its values
  const double of_U = rounding * std::sqrt(sum.spread + sum.volume * sum.mean.squaredNorm());
  if (!facts.feasible || !(sum.violation * facts.width <= rounding * sum.speed))
    return "The velocity is not admissible everywhere, so the bound is an estimate.";
  if (!facts.zone_is_cells)
    return "The boundary of the zone cuts " + facts.cells + ": the bound is that of the saturated " + facts.cells +
           ", and an estimate for the zone.";
  if (!(sum.oscillation <= 1e-12 * eta * eta + of_U * of_U))
    return "U is not " + facts.polynomials + " on all " + facts.cells +
           " and is integrated by Gauss's rule, so the bound is an estimate.";
  return "";
}

GapIntegrals over_processes(const GapIntegrals &own, const Processes &processes)
{
  GapIntegrals all;
  for (std::size_t pair = 0; pair < own.mismatch.size(); ++pair)
    {
      all.mismatch[pair] = processes.sum(own.mismatch[pair]);
      all.work[pair]     = processes.sum(own.work[pair]);
    }
  all.oscillation = processes.sum(own.oscillation);
  all.violation   = processes.max(own.violation);
  all.speed       = processes.max(own.speed);
  all.volume      = processes.sum(own.volume);
  for (int a = 0; a < 3; ++a)
    all.mean(a) = all.volume > 0. ? processes.sum(own.volume * own.mean(a)) / all.volume : 0.;
  all.spread = processes.sum(own.spread + own.volume * (own.mean - all.mean).squaredNorm());
  return all;
}
} // namespace

void GapIntegrals::add(const GapIntegrals &other)
{
  for (std::size_t pair = 0; pair < mismatch.size(); ++pair)
    {
      mismatch[pair] += other.mismatch[pair];
      work[pair] += other.work[pair];
    }
  oscillation += other.oscillation;
  violation = std::max(violation, other.violation);
  speed     = std::max(speed, other.speed);
  if (other.volume == 0.)
    return;
  const double          both = volume + other.volume;
  const Eigen::Vector3d jump = other.mean - mean;
  spread += other.spread + volume * other.volume / both * jump.squaredNorm();
  mean += other.volume / both * jump;
  volume = both;
}

GapIntegrals integrals_of(const AdmissiblePair &pair, Eigen::MatrixXd &indicators)
{
  const auto               &facts = pair.facts;
  std::vector<GapIntegrals> blocks((facts.n_cells + facts.at_a_time - 1) / facts.at_a_time);
  indicators = Eigen::MatrixXd::Zero(facts.n_cells, static_cast<Index>(facts.constructions.size()));
  for_blocks(facts.n_cells, facts.at_a_time, [&](const Index first, const Index last) {
    blocks[first / facts.at_a_time] = pair.integrals(first, last, indicators);
  });
  GapIntegrals sum;
  for (const GapIntegrals &block : blocks)
    sum.add(block);
  return over_processes(sum, facts.processes);
}

TotalBound total_bound(const AdmissiblePair &pair)
{
  const AdmissiblePair::Facts &facts = pair.facts;
  Eigen::MatrixXd              indicators;
  const GapIntegrals           sum = integrals_of(pair, indicators);
  TotalBound                   bound;
  bound.pair              = facts.constructions.size() > 1 && sum.gap(1) < sum.gap(0) ? 1 : 0;
  bound.construction      = facts.constructions[bound.pair];
  bound.indicator         = indicators.col(bound.pair);
  bound.mismatch          = sum.mismatch[bound.pair];
  bound.work              = std::max(0., sum.work[bound.pair]); // below 0 by rounding only
  bound.eta               = std::sqrt(bound.mismatch + bound.work);
  bound.scale             = std::sqrt(sum.spread);
  bound.relative          = bound.scale > 0. ? bound.eta / bound.scale : bound.eta;
  bound.oscillation       = sum.oscillation;
  bound.largest_violation = sum.violation;
  bound.available         = sum.volume > 0. || facts.zone_is_cells;
  bound.remark            = bound.available ? doubts(facts, sum, bound.eta)
                                            : "There is no bound: the zone contains none of the " + facts.cells +
                                       ", so u = U is not its projection; give more cells.";
  bound.guaranteed        = bound.remark.empty();
  return bound;
}

IntegralsOfU::IntegralsOfU(const Eigen::MatrixXd &polynomials, const Vector &weights)
{
  const Eigen::MatrixXd gram = polynomials.transpose() * weights.asDiagonal() * polynomials;
  orthonormal                = gram.llt().matrixL().solve(polynomials.transpose()).transpose();
  projection                 = orthonormal.transpose() * weights.asDiagonal();
}

GapIntegrals IntegralsOfU::operator()(const Eigen::Ref<const Eigen::MatrixXd> &U, const Vector &weights) const
{
  GapIntegrals sum;
  sum.volume                      = weights.sum();
  const Eigen::VectorXd mean      = U * weights / sum.volume;
  const Eigen::MatrixXd about     = (U.colwise() - mean).transpose();
  const Eigen::MatrixXd remainder = about - orthonormal * (projection * about);
  sum.mean.head(mean.size())      = mean;
  sum.spread                      = weights.dot(about.rowwise().squaredNorm());
  sum.oscillation                 = weights.dot(remainder.rowwise().squaredNorm());
  return sum;
}

Eigen::MatrixXd tensor_polynomials(const Eigen::MatrixXd &points, const int degree)
{
  Eigen::MatrixXd values = Eigen::MatrixXd::Ones(points.cols(), 1);
  for (Index a = 0; a < points.rows(); ++a)
    {
      Eigen::MatrixXd product(values.rows(), values.cols() * (degree + 1));
      for (int k = 0; k <= degree; ++k)
        for (Index q = 0; q < points.cols(); ++q)
          product.row(q).segment(k * values.cols(), values.cols()) =
              std::legendre(k, 2. * points(a, q) - 1.) * values.row(q);
      values = product;
    }
  return values;
}

Eigen::MatrixXd quadratic_polynomials(const Eigen::MatrixXd &points)
{
  const Index     m = points.rows();
  Eigen::MatrixXd values(points.cols(), m * (m + 1) / 2);
  for (Index i = 0, column = 0; i < m; ++i)
    for (Index j = i; j < m; ++j, ++column)
      values.col(column) = points.row(i).cwiseProduct(points.row(j)).transpose();
  return values;
}
} // namespace moreau::macro
