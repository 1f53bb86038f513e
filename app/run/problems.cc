// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/problems.h"

#include "app/run/flow/congested_flow.h"
#include "app/run/contact_cone.h"
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

template <std::unique_ptr<Run> (*make)(ParameterFile &, Log &)>
Problem without_checkpoints()
{
  return {[](ParameterFile &file, Log &log, const bool resume) {
            if (resume)
              throw InputError("Problem", "'" + file.values().problem + "' has nothing to resume; leave out --resume.");
            return make(file, log)->run();
          },
          [](ParameterFile &file, Log &log) { make(file, log)->check(); }};
}

/// By the name in `set Problem`.
const std::map<std::string, Problem> problems = {{"micro impact", without_checkpoints<micro_impact>()},
                                                 {"macro impact", without_checkpoints<macro_impact>()},
                                                 {"homogenization", without_checkpoints<homogenization_study>()},
                                                 {"particle motion", {particle_motion, check_particle_motion}},
                                                 {"congested flow", {congested_flow, check_congested_flow}},
                                                 {"contact cone", without_checkpoints<contact_cone>()},
                                                 {"time convergence", without_checkpoints<time_convergence>()}};
} // namespace

ExitStatus run_problem(ParameterFile &file, Log &log, const bool resume)
{
  return problems.at(file.values().problem).run(file, log, resume);
}

void check_problem(ParameterFile &file, Log &log) { problems.at(file.values().problem).check(file, log); }
} // namespace moreau::app
