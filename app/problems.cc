// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/problems.h"

#include "app/homogenization.h"
#include "app/macro_impact.h"
#include "app/micro_impact.h"
#include "app/particle_motion.h"
#include "app/time_convergence.h"

#include "convex/input_error.h"

#include <map>

namespace moreau::app
{
namespace
{
struct Problem
{
  ExitStatus (*run)(ParameterFile &, Log &);
  void (*check)(ParameterFile &, Log &);
};

/// By the name in `set Problem`; Parameters::validate() answers for the names that are not here.
const std::map<std::string, Problem> problems = {{"micro impact", {micro_impact, check_micro_impact}},
                                                 {"macro impact", {macro_impact, check_macro_impact}},
                                                 {"homogenization", {homogenization_study, check_homogenization_study}},
                                                 {"time convergence", {time_convergence, check_time_convergence}}};
} // namespace

ExitStatus run_problem(ParameterFile &file, Log &log, const bool resume)
{
  const std::string &problem = file.values().problem;
  if (problem == "particle motion")
    return particle_motion(file, log, resume);
  if (resume)
    throw InputError("Problem", "'" + problem + "' has nothing to resume; leave out --resume.");
  return problems.at(problem).run(file, log);
}

void check_problem(ParameterFile &file, Log &log)
{
  if (file.values().problem == "particle motion")
    check_particle_motion(file, log);
  else
    problems.at(file.values().problem).check(file, log);
}
} // namespace moreau::app
