// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/chain_projector.h"

#include "convex/certificate.h"
#include "convex/chains/chain_splitting.h"
#include "convex/solvers/by_one_process.h"
#include "convex/solvers/interior_point.h"
#include "convex/solvers/lines_in_parts.h"
#include "convex/solvers/momentum.h"
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
      const Vector &e   = family.chains->direction;
      const Index   dim = e.size();
      family.project([&](const Index node) { return e.dot(problem.U.segment(dim * node, dim)); },
                     [&](const Index node, const double u) { x.u.segment(dim * node, dim) += u * e; }, mass, x.p);
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
  if (measure(best.certificate) <= measure(x.certificate))
    return;
  // the record of what was done stays that of `best`
  x.method       = best.method;
  x.n_iterations = best.n_iterations;
  best           = std::move(x);
}

/// How far u is from P_K U, by what doubling the iterations changes: with d_j = ‖u_{2k} - u_k‖ and θ = d_j/d_{j-1}, at least
/// 2/3, all changes to come add up to d_j θ/(1 - θ). Twice that is the estimate: measured, three to twenty times the error
/// of a triangular lattice and once twice, where the changes shrink ever more slowly.
class ErrorByDoubling
{
public:
  explicit ErrorByDoubling(const VelocitySpace &V) : V(V) {}

  bool is_due(const unsigned int iteration) const { return iteration == next; }

  /// Of u after as many iterations as were due; infinite at the first two looks.
  double estimate(const Vector &u)
  {
    next *= 2;
    const double change = std::exchange(has_before, true) ? V.norm(u - before) : std::numeric_limits<double>::infinity();
    const double theta  = std::clamp(change / last_change, 2. / 3., .95);
    const bool   knows  = std::isfinite(last_change);
    before              = u;
    last_change         = change;
    return knows ? 2. * change * theta / (1. - theta) : std::numeric_limits<double>::infinity();
  }

private:
  const VelocitySpace &V;
  Vector               before;
  bool                 has_before  = false;
  double               last_change = std::numeric_limits<double>::infinity();
  unsigned int         next        = 16;
};

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
    SaddlePoint     best;
    unsigned int    polished = 0, next_check = first_check(), since_check = 0;
    bool            stagnated = false;
    ErrorByDoubling error(*problem.V);
    for (unsigned int iteration = 0; iteration < max_iterations && !best.converged() && !stagnated;)
      {
        splitting.iterate(penalty(iteration));
        ++iteration;
        ++since_check;
        if (criterion.accuracy > 0. && error.is_due(iteration))
          {
            splitting.observe();
            const double estimate = error.estimate(splitting.velocity());
            criterion.watch(estimate, criterion.accuracy * scale);
            if (estimate <= criterion.accuracy * scale)
              return with_record(accurate(estimate / scale, iteration + polished), polished);
          }
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
    return with_record(std::move(best), polished);
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
  bool                              has_best       = false;

  /// Estimates of the error need no polish, which costs as much as the iterations.
  unsigned int first_check() const
  {
    constexpr unsigned int most_without_polish = 600;
    return criterion.accuracy > 0. ? std::max(most_without_polish, parameters.first_check) : parameters.first_check;
  }

  /// The present pair, certified where it is found to be, of which the error is estimated.
  SaddlePoint accurate(const double relative_error, const unsigned int iterations)
  {
    n_iterations  = iterations;
    SaddlePoint x = judged();
    if (!x.converged() && x.status != Status::infeasible)
      {
        x.status                           = Status::converged;
        x.certificate.relative_error_bound = relative_error;
        x.certificate.demanded             = criterion.accuracy;
        x.certificate.guaranteed           = false;
      }
    return x;
  }

  /// The present pair.
  SaddlePoint judged()
  {
    SaddlePoint x;
    x.u = with_momentum_of_U(problem, splitting.velocity());
    x.p = splitting.multipliers();
    judge(problem, criterion, x);
    return x;
  }

  SaddlePoint with_record(SaddlePoint x, const unsigned int polished) const
  {
    x.n_iterations = n_iterations;
    x.method       = "lines (" + std::to_string(n_iterations - polished) + ", polish " + std::to_string(polished) + ")";
    return x;
  }

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
    SaddlePoint x = judged();
    if (std::exchange(has_best, true)) // not what u says, which may be empty on one of several processes
      keep_better(best, std::move(x), criterion);
    else
      best = std::move(x);
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
    throw std::invalid_argument(
        "lines are made of contacts between bodies, of which a matrix says nothing; choose another solver.");
  return structure;
}

/// x by an interior point: from the multipliers that have been found, and cold where that gets stuck.
SaddlePoint finished(const ProjectionProblem &problem, const StoppingCriterion &criterion, const Vector &p,
                     const double offset, SaddlePoint &&x)
{
  // An interior point that starts on the boundary gets stuck there: an offset
  // keeps it off (measured: half the factorisations).
  const Vector start  = p.array() + offset;
  SaddlePoint  finish = project_by_one(InteriorPoint(criterion), problem, &start);
  if (!finish.converged() && finish.status != Status::infeasible)
    {
      SaddlePoint warm = std::move(finish);
      finish           = project_by_one(InteriorPoint(criterion), problem);
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
  if (const SharedNetwork *const network = shared_network(problem))
    {
      const SharedLines lines = lines_of(*network);
      return lines == SharedLines::uncoupled || lines == SharedLines::coupled
                 ? project_on_lines_in_parts(problem, *network, criterion, parameters, p_start)
                 : project_by_one(*this, problem, p_start);
    }
  const std::optional<ChainFamilies> chains = find_chain_families(*structure_on_nodes(problem).pairs);
  if (!chains)
    throw std::invalid_argument(
        "lines need contacts that form straight lines in at most 12 directions, each the same to the "
        "last digit, and with two ends where they cross obliquely, which these do not; choose another solver.");
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
      x       = exact_projection(problem, families, mass);
      x.rigid = rigid_chains(families, problem.n_constraints());
      judge(problem, criterion, x);
      return x;
    }

  const SizeOfChains size      = {chains.dim, chains.n_nodes, chains.longest_run(), masses.mean()};
  const auto         splitting = ChainSplitting::make(problem, families, mass, p_start);
  return project_on_coupled_chains(problem, criterion, parameters, size, *splitting);
}

SaddlePoint project_on_coupled_chains(const ProjectionProblem &problem, const StoppingCriterion &criterion,
                                      const ChainProjector::Parameters &parameters, const SizeOfChains &size,
                                      ChainSplitting &splitting)
{
  const double n = static_cast<double>(size.n_nodes);
  const bool   factorisable =
      size.n_nodes <= (size.dim == 2 ? parameters.largest_factorised_plane : parameters.largest_factorised_space);
  // vacancies shorten the runs, not the way that a momentum has to go
  const Index  width = std::max(size.longest_run, static_cast<Index>(std::pow(n, 1. / static_cast<double>(size.dim))));
  unsigned int cap   = std::max(1u, criterion.max_iterations);
  if (factorisable && parameters.finish)
    cap = std::min<unsigned int>(cap, parameters.runs_before_finish * width);
  SaddlePoint x = CoupledProjection(problem, criterion, parameters, width, splitting).run(cap);
  if (x.converged() || !factorisable || !parameters.finish || cap >= criterion.max_iterations)
    return x;

  // a thousandth of a typical impulse
  const double offset = 1e-3 * relative_scale(problem) * std::sqrt(size.mean_mass / n);
  return finished(problem, criterion, splitting.multipliers(), offset, std::move(x));
}
} // namespace moreau::convex
