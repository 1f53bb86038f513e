// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/chain_families.h"

#include "convex/certificate.h"
#include "convex/solvers/interior_point.h"
#include "convex/solvers/chain_splitting.h"
#include "convex/solvers/momentum.h"
#include "convex/structure.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <unordered_map>

namespace moreau::convex
{
namespace
{
constexpr int    none      = ChainFamilies::none;
constexpr double same_line = 1e-12; // directions that differ by less are one

/// The directions of B, up to sign, and those of its rows.
struct Directions
{
  std::vector<Vector>      distinct;
  std::vector<signed char> of_row; ///< ±(k+1): along distinct[k] or against it
};

/// Rows of one direction, before runs are strung together.
struct Strand
{
  Vector                       direction;
  std::vector<int>             next, previous; ///< per node: row that leads to its successor, predecessor, or none
  std::unordered_map<int, int> before, after;  ///< per node at a fixed body: row of the body
  Index                        n_links = 0;
};

/// +1, -1: the row points along the direction or against it; 0: neither.
int orientation(const Vector &direction, const PairConstraint &B, const Index row)
{
  double same = 0., opposite = 0.;
  for (Index k = 0; k < B.dimension(); ++k)
    {
      same     = std::max(same, std::abs(B.directions()(k, row) - direction(k)));
      opposite = std::max(opposite, std::abs(B.directions()(k, row) + direction(k)));
    }
  return same <= same_line ? 1 : opposite <= same_line ? -1 : 0;
}

/// Nothing where there are too many.
std::optional<Directions> find_directions(const PairConstraint &B)
{
  Directions directions;
  auto      &distinct = directions.distinct;
  directions.of_row.reserve(B.n_constraints());
  std::size_t k = 0; // rows often come in the order of their directions
  for (Index row = 0; row < B.n_constraints(); ++row)
    {
      int sign = 0;
      for (std::size_t tried = 0; tried < distinct.size() && sign == 0; ++tried)
        {
          k    = tried == 0 ? k : (k + 1) % distinct.size();
          sign = orientation(distinct[k], B, row);
        }
      if (sign == 0)
        {
          if (distinct.size() == ChainFamilies::max_families)
            return {};
          k = distinct.size();
          distinct.push_back(B.directions().col(row));
          sign = 1;
        }
      directions.of_row.push_back(static_cast<signed char>(sign * static_cast<int>(k + 1)));
    }
  return directions;
}

/// False where a place in the strand is taken already.
bool insert(Strand &strand, const PairConstraint::Pair &pair, const int row, const bool forward)
{
  if (pair.j == PairConstraint::fixed_body)
    return (forward ? strand.after : strand.before).emplace(pair.i, row).second;
  int &next     = strand.next[forward ? pair.i : pair.j];
  int &previous = strand.previous[forward ? pair.j : pair.i];
  if (next != none || previous != none)
    return false;
  next = previous = row;
  ++strand.n_links;
  return true;
}

int find_or(const std::unordered_map<int, int> &rows, const int node)
{
  const auto found = rows.find(node);
  return found == rows.end() ? none : found->second;
}

/// The runs of a strand; nothing where a fixed body is not at an end or a chain is closed.
std::optional<ChainFamilies::Family> strung(const Strand &strand, const PairConstraint &B)
{
  ChainFamilies::Family family;
  family.direction = strand.direction;
  family.run_start.push_back(0);
  Index n_links = 0;
  for (const auto &[node, row] : strand.before)
    if (strand.previous[node] != none)
      return {};
  for (const auto &[node, row] : strand.after)
    if (strand.next[node] != none)
      return {};
  for (int first = 0; first < B.n_nodes(); ++first)
    {
      if (strand.previous[first] != none)
        continue;
      const int before = strand.before.empty() ? none : find_or(strand.before, first);
      if (strand.next[first] == none && before == none && (strand.after.empty() || find_or(strand.after, first) == none))
        continue;
      family.row_before.push_back(before);
      for (int node = first;;)
        {
          const int row = strand.next[node];
          family.node.push_back(node);
          family.row.push_back(row);
          if (row == none)
            break;
          ++n_links;
          node = B.pairs()[row].i == node ? B.pairs()[row].j : B.pairs()[row].i;
        }
      family.row_after.push_back(strand.after.empty() ? none : find_or(strand.after, family.node.back()));
      family.run_start.push_back(static_cast<int>(family.node.size()));
    }
  if (n_links != strand.n_links)
    return {};
  return family;
}
} // namespace

Index ChainFamilies::longest_run() const
{
  Index longest = 0;
  for (const Family &family : families)
    for (Index r = 0; r < family.n_runs(); ++r)
      longest = std::max<Index>(longest, family.run_start[r + 1] - family.run_start[r]);
  return longest;
}

std::optional<ChainFamilies> find_chain_families(const PairConstraint &B)
{
  const std::optional<Directions> directions =
      find_directions(B); // a disordered network is refused before anything is stored
  if (!directions)
    return {};
  std::vector<Strand> strands(directions->distinct.size());
  for (std::size_t k = 0; k < strands.size(); ++k)
    {
      strands[k].direction = directions->distinct[k];
      strands[k].next.assign(B.n_nodes(), none);
      strands[k].previous.assign(B.n_nodes(), none);
    }
  for (int row = 0; row < B.n_constraints(); ++row)
    {
      const int k = directions->of_row[row];
      if (!insert(strands[std::abs(k) - 1], B.pairs()[row], row, k > 0))
        return {};
    }

  ChainFamilies chains;
  chains.dim     = B.dimension();
  chains.n_nodes = B.n_nodes();
  for (const Strand &strand : strands)
    {
      std::optional<ChainFamilies::Family> family = strung(strand, B);
      if (!family)
        return {};
      chains.families.push_back(std::move(*family));
    }
  return chains;
}

bool uncoupled(const ChainFamilies &chains)
{
  for (std::size_t k = 0; k < chains.families.size(); ++k)
    for (std::size_t l = 0; l < k; ++l)
      if (std::abs(chains.families[k].direction.dot(chains.families[l].direction)) > same_line)
        return false;
  return true;
}

namespace
{
/// One regression per run: u = U + Σ_k e_k (z_k - e_k·U), exact where the e_k are orthogonal.
SaddlePoint exact_projection(const ProjectionProblem &problem, const std::vector<RunsOfProblem> &families, const double mass)
{
  SaddlePoint x;
  x.u = problem.U;
  x.p = Vector::Zero(problem.n_constraints());
  // What no family touches comes first: along an axis nothing is left, and u is exactly monotone.
  for (const RunsOfProblem &family : families)
    {
      const Vector &e = family.chains->direction;
      family.for_all_runs([&](const Index r) {
        for (int l = family.chains->run_start[r]; l < family.chains->run_start[r + 1]; ++l)
          {
            const Index first = e.size() * family.chains->node[l];
            x.u.segment(first, e.size()) -= e.dot(problem.U.segment(first, e.size())) * e;
          }
      });
    }
  for (const RunsOfProblem &family : families)
    {
      const Vector &e = family.chains->direction;
      family.for_all_runs([&](const Index r) {
        const Index                      begin = family.chains->run_start[r], n = family.chains->run_start[r + 1] - begin;
        thread_local LineRegression      line;
        thread_local std::vector<double> s, z;
        s.resize(n);
        z.resize(n);
        for (Index l = 0; l < n; ++l)
          s[l] = e.dot(problem.U.segment(e.size() * family.chains->node[begin + l], e.size()));
        family.regress(line, r, s.data(), z.data());
        for (Index l = 0; l < n; ++l)
          {
            const double u = z[l] - family.shift_at(begin + l);
            s[l] -= u;
            x.u.segment(e.size() * family.chains->node[begin + l], e.size()) += u * e;
          }
        family.multipliers(r, z.data(), s.data(), mass, x.p);
      });
    }
  x.n_iterations = 1;
  x.status       = Status::converged;
  x.method       = "lines (exact)";
  return x;
}

/// Keeps the better of two answers.
void keep_better(SaddlePoint &best, SaddlePoint &&x, const StoppingCriterion &criterion)
{
  const auto measure = [&](const Certificate &c) {
    return criterion.on_natural_residual ? c.natural_residual : c.relative_error_bound;
  };
  if (best.u.size() != 0 && measure(best.certificate) <= measure(x.certificate))
    return;
  // the record of what was done stays that of `best`
  if (best.u.size() != 0)
    {
      x.method       = best.method;
      x.n_iterations = best.n_iterations;
    }
  best = std::move(x);
}

/// Alternating directions and polish, until the criterion is met or `max_iterations` are done.
class CoupledProjection
{
public:
  CoupledProjection(const ProjectionProblem &problem, const StoppingCriterion &criterion,
                    const ChainProjector::Parameters &parameters, const Index longest_run, ChainSplitting &splitting)
      : problem(problem)
      , criterion(criterion)
      , parameters(parameters)
      , longest_run(static_cast<double>(longest_run))
      , splitting(splitting)
      , scale(relative_scale(problem))
  {}

  SaddlePoint run(const unsigned int max_iterations)
  {
    SaddlePoint  best;
    unsigned int polished = 0, next_check = parameters.first_check, since_check = 0;
    bool         stagnated = false;
    for (unsigned int iteration = 0; iteration < max_iterations && !best.converged() && !stagnated;)
      {
        splitting.iterate(penalty(iteration));
        ++iteration;
        ++since_check;
        if (iteration < next_check && iteration < max_iterations)
          continue;
        splitting.observe();
        criterion.watch(splitting.error_estimate(), criterion.tolerance * scale);
        stagnated       = !progress(splitting.error_estimate(), iteration); // not after the polish: blocks come and go
        const bool last = stagnated || iteration == max_iterations;
        consider(best, iteration + polished, last);
        if (!best.converged())
          {
            polished += splitting.project_on_face(std::max(20u, since_check / 2));
            consider(best, iteration + polished, last);
          }
        since_check = 0;
        next_check += 1 + next_check / 3;
      }
    if (stagnated && !best.converged())
      best.status = Status::stagnated;
    best.n_iterations = n_iterations;
    best.method       = "lines (" + std::to_string(n_iterations - polished) + ", polish " + std::to_string(polished) + ")";
    return best;
  }

private:
  const ProjectionProblem          &problem;
  const StoppingCriterion          &criterion;
  const ChainProjector::Parameters &parameters;
  const double                      longest_run;
  ChainSplitting                   &splitting;
  const double                      scale;
  unsigned int                      n_iterations   = 0;
  double                            least_estimate = std::numeric_limits<double>::infinity();
  unsigned int                      progress_at    = 0;

  /// Whether the estimate has fallen by a tenth in the last iterations, as many as a momentum needs to cross the chains
  /// twenty times. (Measured: it can rest three times longer and fall again, but then at the price of many factorisations.)
  bool progress(const double estimate, const unsigned int iteration)
  {
    if (estimate < .9 * least_estimate)
      {
        least_estimate = estimate;
        progress_at    = iteration;
      }
    return iteration <= progress_at + std::max(1000., 20. * longest_run);
  }

  /// Small penalties find the large scales first, large ones the blocks: from a tenth of the longest run to the whole.
  double penalty(const unsigned int iteration) const
  {
    if (parameters.penalty > 0.)
      return parameters.penalty;
    return std::min(longest_run, std::min(30., .1 * longest_run) * std::pow(1.4, iteration / 150));
  }

  /// Judges the present pair where the estimate says that it is worth the while.
  void consider(SaddlePoint &best, const unsigned int iterations, const bool last)
  {
    n_iterations               = iterations;
    const double floor_unknown = 2e-6; // where the round-off floor may be what is demanded
    if (!last && !criterion.on_natural_residual &&
        !(splitting.error_estimate() <= 2. * std::max(criterion.tolerance, floor_unknown) * scale))
      return;
    SaddlePoint x;
    x.u = with_momentum_of_U(problem, splitting.velocity());
    x.p = splitting.multipliers();
    judge(problem, criterion, x);
    keep_better(best, std::move(x), criterion);
  }
};
} // namespace

ChainProjector::ChainProjector(const StoppingCriterion &criterion, const Parameters &parameters)
    : criterion(criterion), parameters(parameters)
{}

namespace
{
Structure structure_on_nodes(const ProjectionProblem &problem)
{
  const Structure structure = structure_of(problem);
  if (!structure.on_nodes())
    throw std::invalid_argument("ChainProjector needs a PairConstraint and a DiagonalSpace on the same nodes.");
  return structure;
}

/// x by an interior point: from the multipliers that have been found, and cold where that gets stuck.
SaddlePoint finished(const ProjectionProblem &problem, const StoppingCriterion &criterion, const Vector &p,
                     const double offset, SaddlePoint &&x)
{
  // An interior point that starts on the boundary gets stuck there: an offset
  // keeps it off (measured: half the factorisations).
  const Vector start  = p.array() + offset;
  SaddlePoint  finish = InteriorPoint(criterion).project(problem, &start);
  if (!finish.converged() && finish.status != Status::infeasible)
    {
      SaddlePoint warm = std::move(finish);
      finish           = InteriorPoint(criterion).project(problem);
      finish.n_iterations += warm.n_iterations;
      finish.method = warm.method + ", " + finish.method;
      if (finish.status != Status::infeasible)
        keep_better(finish, std::move(warm), criterion);
    }
  finish.n_iterations += x.n_iterations;
  finish.method = x.method + ", " + finish.method;
  if (finish.status != Status::infeasible)
    keep_better(finish, std::move(x), criterion);
  return finish;
}
} // namespace

SaddlePoint ChainProjector::project(const ProjectionProblem &problem, const Vector *const p_start) const
{
  const std::optional<ChainFamilies> chains = find_chain_families(*structure_on_nodes(problem).pairs);
  if (!chains)
    throw std::invalid_argument("ChainProjector: the pairs do not form straight lines in at most 12 directions.");
  return project(problem, *chains, p_start);
}

SaddlePoint ChainProjector::project(const ProjectionProblem &problem, const ChainFamilies &chains,
                                    const Vector *const p_start) const
{
  const Vector              &masses       = structure_on_nodes(problem).masses->masses_of_nodes();
  const bool                 equal_masses = masses.size() > 0 && (masses.array() == masses(0)).all();
  const double               mass         = equal_masses ? masses(0) : 1.;
  const Vector               b            = problem.right_hand_side();
  std::vector<RunsOfProblem> families;
  for (const ChainFamilies::Family &family : chains.families)
    families.emplace_back(family, masses, equal_masses, b);

  SaddlePoint x;
  if (const std::optional<Vector> chain = blocking_chain(families, problem.n_constraints()))
    {
      x.u      = problem.U;
      x.p      = *chain;
      x.status = Status::infeasible;
      x.method = "lines (blocked)";
      judge(problem, criterion, x);
      return x;
    }
  if (uncoupled(chains))
    {
      x = exact_projection(problem, families, mass);
      judge(problem, criterion, x);
      return x;
    }

  const double n = static_cast<double>(chains.n_nodes);
  const bool   factorisable =
      chains.n_nodes <= (chains.dim == 2 ? parameters.largest_factorised_plane : parameters.largest_factorised_space);
  // vacancies shorten the runs, not the way that a momentum has to go
  const Index  width = std::max(chains.longest_run(), static_cast<Index>(std::pow(n, 1. / static_cast<double>(chains.dim))));
  unsigned int cap   = std::max(1u, criterion.max_iterations);
  if (factorisable && parameters.finish)
    cap = std::min<unsigned int>(cap, parameters.runs_before_finish * width);
  const std::unique_ptr<ChainSplitting> splitting = ChainSplitting::make(problem, families, mass, p_start);
  x = CoupledProjection(problem, criterion, parameters, width, *splitting).run(cap);
  if (x.converged() || !factorisable || !parameters.finish || cap >= criterion.max_iterations)
    return x;

  // a thousandth of a typical impulse
  const double offset = 1e-3 * relative_scale(problem) * std::sqrt(masses.mean() / n);
  return finished(problem, criterion, splitting->multipliers(), offset, std::move(x));
}
} // namespace moreau::convex
