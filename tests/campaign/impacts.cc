// SPDX-License-Identifier: GPL-3.0-or-later
// Random impacts against an oracle: prints counts, and a sentence for everything that should not be.
#include "tests/benchmarks/table.h"
#include "tests/campaign/judged_impact.h"

#include <iostream>
#include <map>
#include <stdexcept>

using namespace moreau;
using namespace moreau::campaign;

namespace
{
std::vector<benchmarks::Cell> row(const std::string &solver, const Counts &c)
{
  return {solver,
          c.impacts,
          c.without_contacts,
          c.bounds,
          c.largest_ratio,
          c.converged,
          c.estimates,
          c.largest_estimate_ratio,
          c.infeasible,
          c.undecided,
          c.largest_momentum_change,
          static_cast<std::int64_t>(c.faults.size())};
}

void run(const benchmarks::Options &options)
{
  const auto count = static_cast<unsigned int>(options.number("count", 1000.)),
             first = static_cast<unsigned int>(options.number("seed", 1.));
  std::map<std::string, Counts> of_solver;
  Counts                        all;
  for (unsigned int k = 0; k < count; ++k)
    {
      const RandomImpact impact = random_impact(first + k);
      const Counts       found  = judged(impact, first + k);
      for (const std::string &sentence : found.faults)
        std::cout << sentence << std::endl;
      of_solver[impact.solver] += found;
      all += found;
      if ((k + 1) % 10000 == 0)
        std::cout << k + 1 << " impacts, " << all.faults.size() << " faults" << std::endl;
    }
  benchmarks::Table table(std::cout,
                          "random impacts, seeds " + std::to_string(first) + " ... " + std::to_string(first + count - 1),
                          {"solver", "impacts", "no contact", "bounds", "error/bound", "converged", "estimates",
                           "error/estimate", "infeasible", "undecided", "momentum", "faults"});
  for (const auto &[solver, counts] : of_solver)
    table.add(row(solver, counts));
  table.add(row("all", all));
  benchmarks::write_json(options.text("json", ""), {&table});
  if (!all.faults.empty())
    throw std::runtime_error(std::to_string(all.faults.size()) + " faults");
}
} // namespace

int main(const int argc, char **const argv)
{
  return benchmarks::run_benchmark(
      argc, argv,
      {{"count", "how many impacts (default 1000)"}, {"seed", "of the first; the next one has the next seed (default 1)"}},
      run);
}
