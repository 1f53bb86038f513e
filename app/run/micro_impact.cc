// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/micro_impact.h"

#include "app/output/micro_output.h"
#include "app/run/sequence_of_impacts.h"
#include "app/run/single_impact.h"
#include "app/input/words.h"

#include "convex/input_error.h"

#include <ostream>

namespace moreau::app
{
namespace
{
void say_configuration(const Configuration &c, Log &log)
{
  log.line(counted(c.spheres.size(), "sphere") + " in dimension " + std::to_string(c.spheres.dimension()) + ", " +
           counted(c.graph.n_contacts(), "contact") + ", " + counted(c.walls.size(), "wall"));
  if (c.packing)
    log.line(c.packing->text());
  if (c.graph.n_contacts() == 0)
    log.line("nothing touches: the smallest gap is " + short_number(c.graph.smallest_gap) + " m");
}

MicroOutcome computed(const MicroRun &run)
{
  try
    {
      return run.parameters.impact_sequence.maximum_number == 0 ? single_impact(run) : sequence_of_impacts(run);
    }
  catch (const std::invalid_argument &error) // a problem without the structure that the solver needs
    {
      throw InputError("Solver", "'" + run.parameters.solver + "' cannot solve this problem: " + error.what());
    }
}

Configuration staged_configuration(ParameterFile &file, Stages &stages)
{
  const Stage stage(stages, "Spheres and contacts", "placing spheres and finding contacts");
  return configuration(file);
}
} // namespace

void check_micro_impact(ParameterFile &file, Log &log)
{
  say_configuration(configuration(file), log);
  log.line("the parameters are valid");
}

ExitStatus micro_impact(ParameterFile &file, Log &log)
{
  const Parameters   &parameters = file.values();
  Stages              stages(!log.is_quiet());
  const Configuration c = staged_configuration(file, stages);
  say_configuration(c, log);

  std::vector<std::filesystem::path> inputs = {file.path()};
  if (parameters.spheres.arrangement == "file")
    inputs.push_back(parameters.spheres.file);
  OutputDirectory output(parameters.output_directory, inputs);
  const MicroRun  run = {parameters, c, output, stages, log};

  MicroOutcome o               = computed(run);
  o.summary.tolerance_demanded = run.criterion().demanded(o.summary.certificate);
  {
    const Stage stage(stages, "Output", "writing files");
    output.write("spheres.csv", [&](std::ostream &out) { micro::write_csv(out, o.spheres, o.u_plus); });
    output.write("statistics.csv", [&](std::ostream &out) { write_statistics(out, o.impacts); });
    output.write("parameters.prm", [&](std::ostream &out) { file.print(out); });
  }
  o.say(run, log);
  log.note(stages.table());
  output.write("log.txt", [&](std::ostream &out) { out << log.text(); });

  nlohmann::ordered_json json = to_json(o.summary);
  json.update(o.details);
  output.write("summary.json", [&](std::ostream &out) { out << json.dump(2) << '\n'; });
  output.keep();
  return o.summary.converged ? ExitStatus::done : ExitStatus::not_converged;
}
} // namespace moreau::app
