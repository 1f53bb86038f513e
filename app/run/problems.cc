// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/problems.h"

#include "app/run/congested_flow.h"
#include "app/run/homogenization.h"
#include "app/run/macro_impact.h"
#include "app/run/micro_impact.h"
#include "app/run/particle_motion.h"
#include "app/run/time_convergence.h"

#include "convex/input_error.h"

#include <map>

namespace moreau::app
{
namespace
{
struct Problem
{
  ExitStatus (*run)(ParameterFile &, Log &, bool resume);
  void (*check)(ParameterFile &, Log &);
};

/// For problems without checkpoints.
template <ExitStatus (*run)(ParameterFile &, Log &)>
ExitStatus begin(ParameterFile &file, Log &log, const bool resume)
{
  if (resume)
    throw InputError("Problem", "'" + file.values().problem + "' has nothing to resume; leave out --resume.");
  return run(file, log);
}

/// By the name in `set Problem`.
const std::map<std::string, Problem> problems = {
    {"micro impact", {begin<micro_impact>, check_micro_impact}},
    {"macro impact", {begin<macro_impact>, check_macro_impact}},
    {"homogenization", {begin<homogenization_study>, check_homogenization_study}},
    {"particle motion", {particle_motion, check_particle_motion}},
    {"congested flow", {congested_flow, check_congested_flow}},
    {"time convergence", {begin<time_convergence>, check_time_convergence}}};
} // namespace

ExitStatus run_problem(ParameterFile &file, Log &log, const bool resume)
{
  return problems.at(file.values().problem).run(file, log, resume);
}

void check_problem(ParameterFile &file, Log &log) { problems.at(file.values().problem).check(file, log); }
} // namespace moreau::app
