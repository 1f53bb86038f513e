// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/run.h"

#include "app/input/text/words.h"

#include "convex/input_error.h"

#include <ostream>

namespace moreau::app
{
ExitStatus status_of(const nlohmann::ordered_json &summary)
{
  return summary.at("status") == "converged" ? ExitStatus::done : ExitStatus::not_converged;
}

ExitStatus report(OutputDirectory &output, Log &log, Stages &stages, nlohmann::ordered_json summary,
                  const std::string &earlier_log)
{
  summary["warnings"] = log.warnings();
  separate_estimates(summary);
  log.note(stages.table());
  output.write("log.txt", [&](std::ostream &out) { out << earlier_log << log.text(); });
  output.write("summary.json", [&](std::ostream &out) { out << summary.dump(2) << '\n'; });
  output.keep();
  return status_of(summary);
}

void warn_of_end(const convex::Impact &impact, const double restitution, Log &log)
{
  if (impact.approach > 0.)
    log.warn("The velocity after the impact leaves the cone, contacts approach at up to " + short_number(impact.approach) +
             " m/s: with Maximum repetitions = 1 the law is applied once, a larger number repeats it.");
  if (impact.effort.collapsed && restitution > 0.)
    log.warn(
        "The law was applied " + counted(impact.effort.n_projections - 1, "time") +
        " with e = " + short_number(restitution) + " and contacts still approached, " +
        "after the last times as before or for longer than Maximum repetitions lets it; a projection with e = 0 ended it, "
        "and energy_after is what that has left.");
}

Run::Run(ParameterFile &file, Log &log, const geometry::Processes &processes)
    : file(file), parameters(file.values()), log(log), processes(processes), stages(!log.is_quiet()), result(parameters)
{}

void Run::check()
{
  look();
  log.line("the parameters are valid");
}

ExitStatus Run::run()
{
  try
    {
      compute();
    }
  catch (const std::invalid_argument &error) // a problem without the structure that the solver needs
    {
      throw InputError("Solver", "'" + parameters.solver + "' cannot solve this problem: " + error.what());
    }
  result.tolerance_demanded         = demanded();
  const nlohmann::ordered_json json = summary(); // of all processes together
  if (!is_first())
    return status_of(json);
  output->write("parameters.prm", [&](std::ostream &out) { file.print(out); });
  log.line(result.verdict);
  say_outcome();
  return report(*output, log, stages, json);
}

double Run::demanded() const { return parameters.criterion.demanded(result.certificate); }

void Run::open(std::vector<std::filesystem::path> inputs)
{
  inputs.push_back(file.path());
  geometry::together(processes, [&] {
    if (!is_first())
      return;
    output.emplace(parameters.output_directory, inputs);
    output->say_what_is_replaced(log);
  });
}
} // namespace moreau::app
