// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/micro_impact.h"

#include "app/output/micro_output.h"
#include "app/output/verdict.h"
#include "app/run/sequence_of_impacts.h"
#include "app/run/single_impact.h"
#include "app/input/words.h"

#include <cmath>
#include <ostream>

namespace moreau::app
{
namespace
{
/// flies: the spheres do, until they meet.
void say_configuration(const Configuration &c, const bool flies, Log &log)
{
  log.line(counted(c.spheres.size(), "sphere") + " in dimension " + std::to_string(c.spheres.dimension()) + ", " +
           counted(c.graph.n_contacts(), "contact") + ", " + counted(c.walls.size(), "wall"));
  if (!c.remark.empty())
    log.line(c.remark);
  if (c.packing)
    log.line(c.packing->text());
  if (c.graph.n_contacts() == 0 && !flies)
    log.warn("Nothing touches" +
             (std::isfinite(c.graph.smallest_gap) ? ", the smallest gap is " + short_number(c.graph.smallest_gap) + " m"
                                                  : std::string()) +
             ": the velocity is that before. To let spheres fly until they meet set Impact sequence/Maximum number of "
             "impacts, or Problem = particle motion; to count such gaps as contacts, Spheres/Contact tolerance.");
}

class MicroRun : public Run
{
public:
  using Run::Run;

private:
  void look() override { say_configuration(app::configuration(file), flies(), log); }
  bool flies() const { return parameters.impact_sequence.max_impacts > 0; }

  void compute() override
  {
    {
      const Stage stage(stages, "Spheres and contacts", "placing spheres and finding contacts");
      configuration = app::configuration(file);
    }
    say_configuration(configuration, flies(), log);
    open(parameters.spheres.arrangement == "file" ? std::vector<std::filesystem::path>{parameters.spheres.file}
                                                  : std::vector<std::filesystem::path>{});
    if (configuration.packing)
      write_packing(*output, *configuration.packing, configuration.spheres, configuration.U);
    const MicroSetting setting = {file, parameters, configuration, *output, stages, log};
    outcome.emplace(flies() ? sequence_of_impacts(setting) : single_impact(setting));
    result         = outcome->summary;
    result.verdict = verdict_on_impact(result, parameters.law.restitution, !configuration.walls.empty(), outcome->reason);

    const Stage stage(stages, "Output", "writing files");
    output->write("spheres.csv", [&](std::ostream &out) { micro::write_csv(out, outcome->spheres, outcome->u_plus); });
    output->write("statistics.csv", [&](std::ostream &out) { write_statistics(out, outcome->impacts); });
  }

  void say_outcome() override
  {
    outcome->say(result, parameters.law.restitution, !configuration.walls.empty(), log);
    log.row("files", (output->path() / "").string() + ": open solution.pvd in ParaView");
    log.line(result.converged ? "converged" : "not converged: " + outcome->reason);
  }

  nlohmann::ordered_json summary() const override
  {
    nlohmann::ordered_json json = to_json(result);
    json.update(outcome->details);
    return json;
  }

  Configuration               configuration;
  std::optional<MicroOutcome> outcome;
};
} // namespace

std::unique_ptr<Run> micro_impact(ParameterFile &file, Log &log) { return std::make_unique<MicroRun>(file, log); }
} // namespace moreau::app
