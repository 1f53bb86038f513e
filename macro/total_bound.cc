// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/total_bound.h"

#include "convex/velocity_space.h"

#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
constexpr double rounding = 64. * convex::epsilon;

/// Why there is no bound of the error on the zone; empty where there is one.
std::string objection(const AdmissiblePair::Facts &facts, const GapIntegrals &sum, const bool admissible)
{
  if (!facts.zone_is_seen)
    return "There is no total bound: the zone, or a gap in it, is thinner than the " + facts.cells +
           ", so that parts may be overlooked; give more cells.";
  if (sum.volume == 0.)
    return "There is no bound: the zone contains none of the " + facts.cells +
           ", so u = U is its projection only if it is empty; give more cells.";
  if (!facts.zone_is_cells)
    return "There is no total bound: the boundary of the zone cuts " + facts.cells +
           ", which are left out or taken whole, so that the error on the zone asked for is not known.";
  if (!facts.other_problem.empty())
    return facts.other_problem;
  if (!admissible)
    return "There is no total bound, only an estimate of the error: the velocity is not admissible everywhere.";
  return "";
}

/// Whether U is a polynomial on cells, which is integrated exactly.
bool is_polynomial(const GapIntegrals &sum, const double eta)
{
  // a polynomial leaves nothing but the rounding errors of its values
  const double of_U = rounding * std::sqrt(sum.spread + sum.volume * sum.mean.squaredNorm());
  return sum.oscillation <= 1e-12 * eta * eta + of_U * of_U;
}

constexpr Index n_numbers = 14; ///< of GapIntegrals

Vector numbers_of(const GapIntegrals &sum)
{
  Vector numbers(n_numbers);
  numbers << sum.mismatch[0], sum.mismatch[1], sum.work[0], sum.work[1], sum.energy[0], sum.energy[1], sum.oscillation,
      sum.violation, sum.speed, sum.volume, sum.spread, sum.mean;
  return numbers;
}

GapIntegrals integrals_from(const double *const at)
{
  GapIntegrals sum;
  sum.mismatch    = {at[0], at[1]};
  sum.work        = {at[2], at[3]};
  sum.energy      = {at[4], at[5]};
  sum.oscillation = at[6];
  sum.violation   = at[7];
  sum.speed       = at[8];
  sum.volume      = at[9];
  sum.spread      = at[10];
  sum.mean        = Eigen::Vector3d(at[11], at[12], at[13]);
  return sum;
}

GapIntegrals over_processes(const GapIntegrals &own, const Processes &processes)
{
  GapIntegrals all;
  for (std::size_t pair = 0; pair < own.mismatch.size(); ++pair)
    {
      all.mismatch[pair] = processes.sum(own.mismatch[pair]);
      all.work[pair]     = processes.sum(own.work[pair]);
      all.energy[pair]   = processes.sum(own.energy[pair]);
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
      energy[pair] += other.energy[pair];
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

GapIntegrals sum_of(const std::vector<GapIntegrals> &parts, const Processes &processes)
{
  Eigen::MatrixXd own(n_numbers, parts.size());
  for (std::size_t part = 0; part < parts.size(); ++part)
    own.col(static_cast<Index>(part)) = numbers_of(parts[part]);
  const Vector all = gathered(processes, own.reshaped());
  GapIntegrals sum;
  for (Index begin = 0; begin < all.size(); begin += n_numbers)
    sum.add(integrals_from(all.data() + begin));
  return sum;
}

namespace
{
/// First cells of the blocks, and n_cells; the first block of each part, and the number of blocks.
struct Blocks
{
  std::vector<Index> begin, of_part;

  explicit Blocks(const AdmissiblePair::Facts &facts)
  {
    const std::vector<Index> one_part = {0, facts.n_cells}, &parts = facts.parts.empty() ? one_part : facts.parts;
    for (std::size_t part = 0; part + 1 < parts.size(); ++part)
      {
        of_part.push_back(n());
        for (Index cell = parts[part]; cell < parts[part + 1]; cell += facts.at_a_time)
          begin.push_back(cell);
      }
    of_part.push_back(n());
    begin.push_back(facts.n_cells);
  }

  Index n() const { return static_cast<Index>(begin.size()); }
};

/// AdmissiblePair::hidden() of all cells, those of other processes included.
Unseen all_hidden(const AdmissiblePair &pair, const bool all_seen, const Progress &progress)
{
  const auto      &facts = pair.facts;
  const Blocks     blocks(facts);
  Eigen::Matrix2Xd of_block(2, blocks.n() - 1);
  together(facts.processes, [&] {
    for_blocks(
        of_block.cols(), 1,
        [&](const Index block, Index) {
          const Unseen unseen = pair.hidden(blocks.begin[block], blocks.begin[block + 1], all_seen);
          of_block.col(block) << unseen.squared, unseen.energy;
        },
        progress);
  });
  const auto sum = [&](const Eigen::Index row) {
    Vector of_part(static_cast<Index>(blocks.of_part.size()) - 1);
    for (Index part = 0; part < of_part.size(); ++part)
      of_part(part) = of_block.row(row).segment(blocks.of_part[part], blocks.of_part[part + 1] - blocks.of_part[part]).sum();
    return facts.parts.empty() ? facts.processes.sum(of_part(0)) : gathered(facts.processes, of_part).sum();
  };
  return {sum(0), sum(1)};
}
} // namespace

GapIntegrals integrals_of(const AdmissiblePair &pair, Eigen::MatrixXd &indicators, const Progress &progress)
{
  const auto               &facts    = pair.facts;
  const bool                in_parts = !facts.parts.empty();
  const Blocks              cells(facts);
  std::vector<GapIntegrals> blocks(cells.n() - 1);
  indicators = Eigen::MatrixXd::Zero(facts.n_cells, static_cast<Index>(facts.constructions.size()));
  together(facts.processes, [&] {
    for_blocks(
        static_cast<Index>(blocks.size()), 1,
        [&](const Index block, Index) {
          blocks[block] = pair.integrals(cells.begin[block], cells.begin[block + 1], indicators);
        },
        progress);
  });
  std::vector<GapIntegrals> parts(cells.of_part.size() - 1);
  for (std::size_t part = 0; part < parts.size(); ++part)
    for (Index block = cells.of_part[part]; block < cells.of_part[part + 1]; ++block)
      parts[part].add(blocks[block]);
  return in_parts ? sum_of(parts, facts.processes) : over_processes(parts.front(), facts.processes);
}

namespace
{
/// What the points of the rules do not see. Where there is something η is an estimate, with what may hide, and energies are
/// not known.
void add_hidden(const AdmissiblePair &pair, const GapIntegrals &sum, TotalBound &bound, const Progress &progress)
{
  constexpr double rounding_in_corners = 1e-10; // extrapolating to them costs digits
  const Unseen     unseen              = all_hidden(pair, bound.guaranteed, progress);
  if (!bound.guaranteed)
    {
      bound.least_energy -= unseen.energy;
      bound.most_energy += unseen.energy;
    }
  const double hidden = unseen.squared;
  const double of_U   = rounding_in_corners * std::sqrt(sum.spread + sum.volume * sum.mean.squaredNorm());
  if (std::sqrt(hidden) <= std::max(1e-6 * bound.eta, of_U))
    return;
  bound.guaranteed = false;
  bound.forget_energies();
  if (!std::isfinite(hidden))
    return;
  bound.oscillation += hidden;
  bound.mismatch += hidden;
  bound.eta      = std::sqrt(bound.mismatch + bound.work);
  bound.relative = bound.scale > 0. ? bound.eta / bound.scale : bound.eta;
}
} // namespace

TotalBound total_bound(const AdmissiblePair &pair, const Progress &progress)
{
  const AdmissiblePair::Facts &facts = pair.facts;
  Eigen::MatrixXd              indicators;
  const GapIntegrals           sum = integrals_of(pair, indicators, progress.part(0., .5));
  TotalBound                   bound;
  bound.pair              = facts.constructions.size() > 1 && sum.gap(1) < sum.gap(0) ? 1 : 0;
  bound.construction      = facts.constructions[bound.pair];
  bound.indicator         = indicators.col(bound.pair);
  bound.mismatch          = sum.mismatch[bound.pair];
  bound.work              = std::max(0., sum.work[bound.pair]); // below 0 by rounding only
  bound.eta               = std::sqrt(bound.mismatch + bound.work);
  bound.scale             = std::sqrt(sum.spread);
  bound.relative          = bound.scale > 0. ? bound.eta / bound.scale : bound.eta;
  const double of_energy  = .5 * rounding * (sum.spread + sum.volume * sum.mean.squaredNorm());
  bound.least_energy      = sum.energy[bound.pair] - of_energy;
  bound.most_energy       = sum.energy[bound.pair] + .5 * bound.eta * bound.eta + of_energy;
  bound.oscillation       = sum.oscillation;
  bound.largest_violation = sum.violation;
  const bool admissible   = facts.feasible && sum.violation * facts.width <= rounding * sum.speed;
  bound.remark            = objection(facts, sum, admissible);
  bound.available         = bound.remark.empty();
  bound.estimated         = facts.zone_is_seen && facts.zone_is_cells && sum.volume > 0. && !bound.available;
  bound.guaranteed        = bound.available && facts.quadrature.empty() && is_polynomial(sum, bound.eta);
  if (!facts.quadrature.empty()) // what rules leave out is larger than η²
    bound.forget_energies();
  if (!bound.guaranteed) // ∫|U|², too, is integrated up to what of U the points do not tell
    {
      bound.least_energy -= 2. * sum.oscillation;
      bound.most_energy += 2. * sum.oscillation;
    }
  if (bound.available)
    add_hidden(pair, sum, bound, progress.part(.5, 1.));
  if (bound.available && !bound.guaranteed)
    bound.remark = !facts.quadrature.empty() ? facts.quadrature
                                             : "U is not " + facts.polynomials + " on all " + facts.cells +
                                                   " and is integrated by Gauss's rule, so the bound is an estimate.";
  return bound;
}

void judge(const convex::StoppingCriterion &criterion, const TotalBound &bound, convex::SaddlePoint &x)
{
  const double relative  = bound.eta / x.certificate.scale;
  const double tenth     = .1 * std::min(relative, 1.); // beyond 1 the bound says nothing of u
  x.certificate.demanded = criterion.demanded(x.certificate);
  constexpr double most  = 1e-4; // on the word of an η that is no bound
  if (!criterion.met_by(x.certificate) && std::isfinite(relative))
    x.certificate.demanded = std::max(x.certificate.demanded, bound.available ? tenth : std::min(tenth, most));
  convex::Certificate rest = x.certificate; // what the criterion demands besides the bound
  if (rest.relative_error_bound <= rest.demanded)
    rest.relative_error_bound = 0.;
  convex::StoppingCriterion of_rest = criterion;
  if (x.certificate.guaranteed && !criterion.on_natural_residual)
    of_rest.tolerance = std::max(criterion.tolerance, x.certificate.demanded); // of multipliers as much as of velocities
  if (x.status != convex::Status::infeasible && of_rest.met_by(rest))
    x.status = convex::Status::converged;
}

double marking_threshold(const Vector &indicator, const double fraction, const Processes &processes)
{
  const double wanted = fraction * processes.sum(indicator.sum());
  double       low = 0., high = processes.max(convex::max_abs(indicator));
  for (int halving = 0; halving < 50; ++halving)
    {
      const double middle            = .5 * (low + high);
      const double share             = processes.sum((indicator.array() >= middle).select(indicator.array(), 0.).sum());
      (share >= wanted ? low : high) = middle;
    }
  constexpr double alike = 1e-6;
  return low > 0. ? (1. - alike) * low : std::numeric_limits<double>::infinity();
}
} // namespace moreau::macro
