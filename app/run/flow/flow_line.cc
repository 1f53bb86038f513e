// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/flow/flow_line.h"

#include "app/input/text/words.h"
#include "app/run/flow/flow_bodies.h"
#include "app/run/flow/flow_steps.h"
#include "app/run/flow/line_output.h"

#include <cmath>
#include <optional>
#include <ostream>

namespace moreau::app
{
namespace
{
constexpr const char *longest_in_state = "longest step";

class LineEvolution : public Evolution
{
public:
  LineEvolution(ParameterFile &file, Log &log)
      : parameters(file.values())
      , setting(file)
      , flow(make_line_flow(parameters.flow.method, setting))
      , steps(parameters)
      , meter(setting, *flow)
  {
    const std::string n = counted(static_cast<long long>(flow->parcels().u.size()), moves_blocks() ? "block" : "parcel");
    log.line(n + "; tables with " + counted(setting.grid().n[0], "cell") + " of " + short_number(setting.grid().h(0)) +
             " m");
    if (!moves_blocks() && parameters.motion.time.steps.front() == 0.)
      log.line("Time/Time step is not given: " + short_number(splitting_step_of(parameters)) +
               " s, a thousandth of Time/End time; where a run goes on it keeps the steps that it began with.");
    if (!setting.source_of_edges().empty())
      log.line(setting.source_of_edges());
    if (!setting.warning_of_edges().empty())
      log.warn(setting.warning_of_edges());
    if (const std::string warning = warning_of_closed_gaps(*flow); !warning.empty())
      log.warn(warning);
    kind                  = "flow";
    const bool has_blocks = !parameters.flow.blocks_file.empty();
    if (const std::string &name = has_blocks ? parameters.flow.blocks_file : parameters.zone.file; !name.empty())
      inputs = {name};
    parameter_of_inputs = has_blocks ? "Congested flow/Blocks file" : "Zone/File";
    tables              = {{"blocks.csv", "t,block,left,right,u", true}};
    last                = meter.record();
    bodies              = LineBodies(setting.parcels(), is_soft());
    if (!moves_blocks())
      longest = splitting_step_of(parameters);
  }

private:
  bool moves_blocks() const { return flow->moves_blocks(); }
  bool is_soft() const { return parameters.flow.method == "soft congestion"; }

  std::int64_t step() const override { return last.step; }
  double       time() const override { return flow->time(); }
  double       fraction() const override { return std::min(1., time() / parameters.motion.time.end_time); }
  Record       record() const override { return columns_of(last); }

  bool                advance(const Totals &totals, Log &log) override;
  convex::NamedArrays state() const override;
  void                restore(convex::NamedArrays state) override;

  std::vector<geometry::Mesh> meshes() const override { return geometry::list_of(line_mesh(setting.grid(), last)); }
  std::vector<std::string>    rows_of_table(std::size_t) const override { return rows_of_blocks(last); }

  void        write_results(const OutputDirectory &output, Log &log, const geometry::Progress &progress) override;
  void        say_result(const Totals &totals, Log &log) const override;
  std::string verdict(const Totals &totals) const override;
  std::string how_it_goes() const override;
  void        add_to(Summary &summary) const override;

  nlohmann::ordered_json details() const override;

  const Parameters         &parameters;
  LineSetting               setting;
  std::unique_ptr<LineFlow> flow;
  FlowSteps                 steps;
  LineMeter                 meter;
  LineRecord                last;
  LineBodies                bodies;
  double                    longest = std::numeric_limits<double>::infinity(); ///< step (s)
};

bool LineEvolution::advance(const Totals &, Log &)
{
  const FlowStep next = steps.next(time(), longest);
  flow->advance(next.t);
  last = meter.record();
  return next.has_picture;
}

convex::NamedArrays LineEvolution::state() const
{
  convex::NamedArrays state  = flow->state();
  convex::NamedArrays counts = meter.state();
  state.reals.merge(counts.reals);
  state.integers.merge(counts.integers);
  steps.put_into(state);
  if (!moves_blocks())
    state.reals[longest_in_state] = {longest};
  return state;
}

void LineEvolution::restore(convex::NamedArrays state)
{
  if (!moves_blocks() && parameters.motion.time.steps.front() == 0.) // a longer run does not change its steps
    longest = state.reals.at(longest_in_state).at(0);
  steps.take_from(state);
  flow->restore(state);
  meter.restore(state);
  last = meter.record();
}

void LineEvolution::write_results(const OutputDirectory &output, Log &, const geometry::Progress &)
{
  output.write("profile.csv", [&](std::ostream &out) { write_profile(out, setting.grid(), last); });
}

std::string LineEvolution::verdict(const Totals &) const
{
  const std::string rest = flow->n_unseen_rebounds() > 0 ? ", and what it leaves of endless sequences of impacts" : "";
  return moves_blocks() ? "not certified: exact up to rounding" + rest + " for the blocks found, without a bound"
                        : "not certified: nothing bounds |u - exact| of " +
                              std::string(is_soft() ? "soft congestion" : "the splitting");
}

std::string LineEvolution::how_it_goes() const
{
  return "t = " + short_number(last.time) + " s of " + short_number(parameters.motion.time.end_time) + " s, " +
         step_of_all() + ": kinetic energy " + short_number(last.kinetic_energy) + ", congested volume " +
         short_number(last.congested_volume);
}

void LineEvolution::add_to(Summary &summary) const
{
  summary.n_unknowns    = static_cast<convex::Index>(last.parcels.u.size());
  summary.n_constraints = summary.n_unknowns - 1;
}

nlohmann::ordered_json LineEvolution::details() const
{
  nlohmann::ordered_json json = {{"fronts", fronts(last.parcels, last.shortest_zone)}};
  json.update(bodies.details(last.parcels));
  json.update({{"method", parameters.flow.method}, {"cells", setting.grid().n[0]}, {"processes", 1}});
  return json;
}

void LineEvolution::say_result(const Totals &totals, Log &log) const
{
  const auto         real        = [&](const std::string &key) { return short_number(totals.real(key)); };
  const std::int64_t n_collapsed = totals.count("collapsed");
  if (moves_blocks())
    log.row("impacts",
            counted(totals.count("impacts"), "impact") +
                (n_collapsed > 0 ? "; " + counted(n_collapsed, "cluster") + " ended by an inelastic projection" : ""));
  if (const std::string warning = warning_of_endless_sequences(*flow, parameters.law.restitution); !warning.empty())
    log.warn(warning);
  log.row("kinetic energy", real("energy_before") + ", then " + real("energy_after") + "; work of forces " + real("work"));
  if (const std::string text = bodies.sentence(last.parcels); !text.empty())
    log.row("two bodies", text);
  log.row("density", "between " + real("min_density") + " and " + real("max_density"));
  log.row("congested volume", real("congested_volume") + "; mass " + real("mass"));
  log.row("errors", "mass " + real("mass_error") + ", momentum " +
                        (std::isfinite(totals.real("momentum_error")) ? real("momentum_error") : "unknown, as walls push") +
                        " at most, relative");
  constexpr double noticeable = 1e-6;
  if (const double error = totals.real("momentum_error"); error > noticeable)
    log.warn("Momentum is kept to " + short_number(error) +
             " only, which rounding leaves where waves are much faster than matter" +
             (parameters.flow.method == "soft congestion" ? "; set Congested flow/Soft pressure lower." : "."));
}
} // namespace

std::unique_ptr<Evolution> flow_on_line(ParameterFile &file, Log &log) { return std::make_unique<LineEvolution>(file, log); }
} // namespace moreau::app
