// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/lines_in_parts.h"

#include "convex/certificate.h"
#include "convex/chains/chain_splitting.h"
#include "convex/chains/shared_lines.h"
#include "convex/solvers/by_one_process.h"

#include <algorithm>
#include <limits>

namespace moreau::convex
{
namespace
{
using List = std::vector<double>;

/// The runs of all directions with the data of a problem.
std::vector<RunsOfProblem> runs_here(const ProjectionProblem &problem, const SharedNetwork &network,
                                     const LinesOfNetwork &lines)
{
  const Vector               b       = problem.right_hand_side();
  const bool                 is_cone = network.processes().max(max_abs(b)) == 0.;
  std::vector<RunsOfProblem> runs;
  for (const auto &along : lines.along)
    {
      const Vector of_lines =
          is_cone ? Vector::Zero(along->masses().size() + 2 * along->lines().n_runs()) : along->rows_to_lines(b);
      runs.emplace_back(along->lines(), along->masses(), lines.equal_masses, of_lines);
    }
  return runs;
}

/// u += e (e·u) along one direction, where it is already without its own part along e, and p of its rows.
void add_regression(const LinesAlong &along, const RunsOfProblem &runs, const double mass, const ProjectionProblem &problem,
                    SaddlePoint &x)
{
  const Vector &e   = along.direction();
  const Index   dim = e.size(), n = along.masses().size();
  const List    along_e =
      along.dealing().told([&](const Index own, List &list) { list.push_back(e.dot(problem.U.segment(dim * own, dim))); });
  const ChainFamilies::Family &family = along.lines();
  List                         found(n, 0.);
  Vector                       p = Vector::Zero(n + 2 * family.n_runs());
  runs.project([&](const Index node) { return along_e[node]; }, [&](const Index node, const double u) { found[node] = u; },
               mass, p);
  along.dealing().answer(found, 1, [&](const Index own, const double *const u) { x.u.segment(dim * own, dim) += *u * e; });
  along.rows_to_network(p, x.p);
}

SaddlePoint exact_projection(const ProjectionProblem &problem, const LinesOfNetwork &lines,
                             const std::vector<RunsOfProblem> &runs)
{
  SaddlePoint x;
  x.u = problem.U;
  x.p = Vector::Zero(problem.n_constraints());
  // What no family touches comes first: along an axis nothing is left, and u is exactly monotone.
  for (const auto &along : lines.along)
    {
      const Vector &e   = along->direction();
      const Index   dim = e.size();
      for (const Index own : along->nodes())
        x.u.segment(dim * own, dim) -= e.dot(problem.U.segment(dim * own, dim)) * e;
    }
  for (std::size_t k = 0; k < runs.size(); ++k)
    add_regression(*lines.along[k], runs[k], lines.common_mass, problem, x);
  x.n_iterations = 1;
  x.status       = Status::converged;
  x.method       = "lines (exact)";
  return x;
}
} // namespace

SharedLines lines_of(const SharedNetwork &network)
{
  const LinesOfNetwork &lines = network.remembered<LinesOfNetwork>();
  if (lines.along.empty())
    return lines.has_closed && lines.orthogonal ? SharedLines::closed : SharedLines::none;
  return lines.orthogonal ? SharedLines::uncoupled : SharedLines::coupled;
}

SaddlePoint project_on_lines_in_parts(const ProjectionProblem &problem, const SharedNetwork &network,
                                      const StoppingCriterion &criterion, const ChainProjector::Parameters &parameters,
                                      const Vector *const p_start)
{
  const LinesOfNetwork            &lines = network.remembered<LinesOfNetwork>();
  const std::vector<RunsOfProblem> runs  = runs_here(problem, network, lines);
  const bool                       blocked =
      std::any_of(runs.begin(), runs.end(), [](const RunsOfProblem &r) { return r.blocked_run().has_value(); });
  if (network.processes().max(blocked ? 1. : 0.) > 0.) // the first process finds the chain
    return project_by_one(ChainProjector(criterion, parameters), problem, p_start);

  if (lines.orthogonal)
    {
      SaddlePoint x = exact_projection(problem, lines, runs);
      judge(problem, criterion, x);
      return x;
    }
  const auto                 own_masses = network.here().masses.segment(network.here().first_own, network.here().n_own);
  ChainSplitting::SharedRuns shared;
  for (const auto &along : lines.along)
    shared.push_back(along.get());
  const auto         splitting = ChainSplitting::make(problem, runs, lines.common_mass, p_start, shared);
  const SizeOfChains size      = {network.here().dim, network.here().n_nodes, lines.longest_run,
                                  network.sum_over_nodes([&](const Index k) { return own_masses(k); }) /
                                      static_cast<double>(network.here().n_nodes)};
  return project_on_coupled_chains(problem, criterion, parameters, size, *splitting);
}
} // namespace moreau::convex
