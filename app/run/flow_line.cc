// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/flow_line.h"

#include "app/run/flow_steps.h"
#include "app/run/line_output.h"
#include "app/output/stages.h"
#include "app/output/summary.h"
#include "app/input/words.h"
#include "app/output/worst.h"

#include "convex/clock.h"
#include "convex/input_error.h"

#include <cmath>
#include <ostream>

namespace moreau::app
{
namespace
{
/// One run, from the beginning.
class LineRun
{
public:
  LineRun(ParameterFile &file, Log &log)
      : file(file)
      , parameters(file.values())
      , log(log)
      , stages(!log.is_quiet())
      , setting(file)
      , flow(make_line_flow(parameters.flow.method, setting))
      , meter(setting, *flow)
  {
    const std::string n = counted(static_cast<long long>(flow->parcels().u.size()), moves_blocks() ? "block" : "parcel");
    log.line(n + "; tables with " + counted(setting.grid().n[0], "cell") + " of " + short_number(setting.grid().h(0)) +
             " m");
    if (!moves_blocks() && parameters.motion.time.steps.front() == 0.)
      log.line("Time/Time step is not given: " + short_number(splitting_step_of(parameters)) +
               " s, a thousandth of Time/End time.");
  }

  ExitStatus run();

private:
  bool moves_blocks() const { return flow->moves_blocks(); }

  std::vector<std::filesystem::path> input_files() const
  {
    std::vector<std::filesystem::path> files = {file.path()};
    if (!parameters.zone.file.empty())
      files.push_back(parameters.zone.file);
    return files;
  }

  void                   follow(LineFiles &files);
  nlohmann::ordered_json summary(const LineFiles &files) const;
  void                   say_result(const OutputDirectory &output);

  ParameterFile            &file;
  const Parameters         &parameters;
  Log                      &log;
  Stages                    stages;
  LineSetting               setting;
  std::unique_ptr<LineFlow> flow;
  LineMeter                 meter;
  LineRecord                last;
  LineTotals                totals;
};

void LineRun::follow(LineFiles &files)
{
  Stage           stage(stages, "Motion", "following the motion");
  const FlowSteps steps(parameters);
  const double    end     = parameters.motion.time.end_time;
  const double    longest = moves_blocks() ? std::numeric_limits<double>::infinity() : splitting_step_of(parameters);
  last                    = meter.record();
  files.add_picture(last);
  while (flow->time() < end)
    {
      const auto     start = convex::Clock::now();
      const FlowStep next  = steps.next(flow->time(), longest);
      flow->advance(next.t);
      last = meter.record();
      totals.add(last, convex::seconds_since(start));
      files.add_step(last);
      if (next.has_picture || !(next.t < end))
        files.add_picture(last);
      stage.done(next.t / end);
    }
}

nlohmann::ordered_json LineRun::summary(const LineFiles &files) const
{
  Summary summary;
  summary.problem            = parameters.problem;
  summary.dimension          = 1;
  summary.converged          = true; // there is nothing to iterate
  summary.n_unknowns         = static_cast<convex::Index>(last.parcels.u.size());
  summary.n_constraints      = summary.n_unknowns - 1;
  summary.wall_time          = totals.wall_time;
  summary.energy_before      = meter.energy_before();
  summary.energy_projected   = last.kinetic_energy;
  summary.energy_after       = last.kinetic_energy;
  summary.certificate        = certificate_of_steps();
  summary.tolerance          = parameters.criterion.tolerance;
  summary.tolerance_demanded = summary.tolerance;

  nlohmann::ordered_json json = to_json(summary);
  json["steps"]               = totals.n_steps;
  json["final_time"]          = number(last.time);
  json["max_density"]         = number(totals.max_density);
  json["min_density"]         = number(totals.min_density);
  json["mass_error"]          = number(totals.mass_error);
  json["momentum_error"]      = number(totals.momentum_error);
  json["mass"]                = number(last.mass);
  json["momentum_after"]      = {number(last.momentum)};
  json["work"]                = number(last.work);
  json["congested_volume"]    = number(last.congested_volume);
  json["impacts"]             = flow->n_impacts();
  json["collapsed"]           = flow->n_collapsed();
  json["fronts"]              = fronts(last.parcels);
  json["method"]              = parameters.flow.method;
  json["restitution"]         = number(parameters.restitution);
  json["cells"]               = setting.grid().n[0];
  json["processes"]           = 1;
  json["pictures"]            = files.n_pictures();
  return json;
}

void LineRun::say_result(const OutputDirectory &output)
{
  const auto row = [&](const std::string &name, const std::string &text) { log.row(name, text); };
  row("steps", std::to_string(totals.n_steps) + " until t = " + short_number(last.time) + " s, " +
                   short_number(totals.wall_time) + " s");
  if (moves_blocks())
    row("impacts",
        counted(flow->n_impacts(), "impact") +
            (flow->n_collapsed() > 0 ? "; " + counted(flow->n_collapsed(), "cluster") + " ended by an inelastic projection"
                                     : ""));
  row("kinetic energy", short_number(meter.energy_before()) + ", then " + short_number(last.kinetic_energy) +
                            "; work of forces " + short_number(last.work));
  row("density", "between " + short_number(totals.min_density) + " and " + short_number(totals.max_density));
  row("congested volume", short_number(last.congested_volume) + "; mass " + short_number(last.mass));
  row("errors", "mass " + short_number(totals.mass_error) + ", momentum " +
                    (std::isfinite(totals.momentum_error) ? short_number(totals.momentum_error) : "unknown, as walls push") +
                    " at most, relative");
  row("files", (output.path() / "").string() + ": open solution.pvd in ParaView");
  log.line("converged");
}

ExitStatus LineRun::run()
{
  LineFiles files(parameters.output_directory, input_files(), setting, log);
  files.output().write("parameters.prm", [&](std::ostream &out) { file.print(out); });
  follow(files);
  files.write_profile(last);
  files.finish();
  say_result(files.output());
  log.note(stages.table());
  files.output().write("log.txt", [&](std::ostream &out) { out << log.text(); });
  files.output().write("summary.json", [&](std::ostream &out) { out << summary(files).dump(2) << '\n'; });
  files.output().keep();
  return ExitStatus::done;
}
} // namespace

ExitStatus flow_on_line(ParameterFile &file, Log &log) { return LineRun(file, log).run(); }

void check_flow_on_line(ParameterFile &file, Log &log)
{
  LineRun(file, log);
  log.line("the parameters are valid");
}
} // namespace moreau::app
