// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/flow/congested_flow.h"

#include "app/input/flow_measurement_setting.h"
#include "app/input/flow_setting.h"
#include "app/input/motion_fields.h"
#include "app/input/line_setting.h"
#include "app/input/macro_setting.h"
#include "app/input/obstacle_text.h"
#include "app/input/text/words.h"
#include "app/output/flow_measurement_output.h"
#include "app/output/flow_output.h"
#include "app/output/plot.h"
#include "app/output/verdict.h"
#include "app/run/evolution.h"
#include "app/run/flow/flow_bodies.h"
#include "app/run/flow/flow_line.h"
#include "app/run/flow/flow_steps.h"
#include "app/run/recent_mean.h"

#include "convex/input_error.h"
#include "convex/vectors.h"
#include "geometry/fill_picture.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>

namespace moreau::app
{
namespace
{
using geometry::Index;
using geometry::Vector;

constexpr const char *shown_pressure = "p of the last picture", *shown_impulse = "impulse of the last picture";

void say_setting(const macro::FlowSetting &setting, Log &log)
{
  std::vector<std::string> extents, lengths;
  for (int axis = 0; axis < setting.grid.dim; ++axis)
    {
      extents.push_back(std::to_string(setting.grid.n[axis]));
      lengths.push_back(short_number(setting.grid.h(axis)));
    }
  if (std::count(lengths.begin(), lengths.end(), lengths.front()) == setting.grid.dim)
    lengths.resize(1);
  const auto count = [&](const macro::Boundary kind) {
    return std::count(setting.sides.begin(), setting.sides.begin() + 2 * setting.grid.dim, kind);
  };
  std::string sides;
  for (const auto &[kind, name] : {std::pair<macro::Boundary, std::string>(macro::Boundary::wall, "wall"),
                                   {macro::Boundary::inflow, "inflow side"},
                                   {macro::Boundary::periodic, "periodic side"},
                                   {macro::Boundary::open, "open side"}})
    if (count(kind) > 0)
      sides += (sides.empty() ? "" : ", ") + counted(count(kind), name);
  log.line(joined(extents, " x ") + " cells of " + joined(lengths, " x ") + " m; " + sides);
  log.line("mass " + short_number(*setting.mass_asked_for) + " asked for, which cells hold with an estimated error of " +
           short_number(setting.mass_asked_for_error));
}

/// Where matter is to enter and all cells are solid.
void warn_of_closed_inflows(const macro::FlowSetting &setting, Log &log)
{
  const geometry::BoxGrid &grid = setting.grid;
  for (int side = 0; side < 2 * grid.dim; ++side)
    {
      if (setting.sides[side] != macro::Boundary::inflow)
        continue;
      const int   axis   = side / 2;
      const Index at     = side % 2 == 0 ? 0 : grid.n[axis] - 1;
      double      widest = 0.;
      geometry::for_own_cells(grid, [&](const geometry::CellIndex &cell) {
        if (cell[axis] == at)
          widest = std::max(widest, setting.rho_max(cell));
      });
      if (!(grid.processes.max(widest) > 0.))
        log.warn("All cells at '" + name_of_side(side) +
                 "' are solid (their Maximal density is 0): nothing enters there, "
                 "whatever Inflow says.");
    }
}

/// Where the flow begins with another energy than was asked for.
void warn_of_lost_energy(const macro::CongestedFlow &flow, Log &log)
{
  const double asked = *flow.setting().energy_asked_for, held = flow.record().kinetic_energy;
  if (!(std::abs(held - asked) > .1 * asked + flow.setting().energy_asked_for_error))
    return;
  log.warn(
      "Of the kinetic energy asked for, " + short_number(asked) + ", these cells hold " + short_number(held) +
      ": what varies within a cell has one mean velocity, and what moves into a wall beside it none; give more Mesh/Cells "
      "per unit length.");
}

/// Those of one velocity at the start, where matter keeps its order; none where edges cannot be told.
LineBodies bodies_on_line(ParameterFile &file, const macro::FlowSetting &setting)
{
  const auto has_other_order = [](const macro::Boundary side) {
    return side == macro::Boundary::periodic || side == macro::Boundary::inflow;
  };
  if (setting.grid.dim > 1 || has_other_order(setting.sides[0]) || has_other_order(setting.sides[1]))
    return {};
  try
    {
      return LineBodies(LineSetting(file).parcels(), false);
    }
  catch (const InputError &) // bodies or gaps too short for the cells
    {
      return {};
    }
}

macro::FlowSetting initial_flow(ParameterFile &file, Stages &stages)
{
  Stage stage(stages, "Setting", "evaluating the initial state");
  return flow_setting(file, processes_of(file.values()), stage.progress());
}

class FlowEvolution : public Evolution
{
public:
  FlowEvolution(ParameterFile &file, Log &log, Stages &stages)
      : file(file)
      , parameters(file.values())
      , flow(initial_flow(file, stages))
      , steps(parameters)
      , shape(std::make_shared<const geometry::Mesh>(geometry::cell_mesh(grid())))
      , shown{Vector::Zero(grid().n_own_cells()), Vector::Zero(grid().n_own_cells())}
  {
    if (grid().dim == 1)
      recent.emplace(grid().n_own_cells());
    say_setting(flow.setting(), log);
    warn_of_closed_inflows(flow.setting(), log);
    if (const std::string warning = open_side_of_force(parameters); !warning.empty())
      log.warn(warning);
    warn_of_lost_energy(flow, log);
    check_comparison(file);
    const auto &sides       = flow.setting().sides;
    const bool  is_periodic = std::count(sides.begin(), sides.end(), macro::Boundary::periodic) > 0;
    if (grid().dim == 1)
      bodies = bodies_on_line(file, flow.setting());
    else
      two_bodies = {bodies_now = flow.two_bodies(), is_periodic};
    kind      = "flow";
    processes = grid().processes;
    if (!parameters.zone.file.empty())
      inputs = {parameters.zone.file};
    parameter_of_inputs = "Zone/File";
    double least = 1., most = 0.; // of ρ̄ beside solids
    geometry::for_own_cells(grid(), [&](const geometry::CellIndex &cell) {
      if (const double rho_max = flow.setting().rho_max(cell); rho_max > 0.)
        {
          least = std::min(least, rho_max);
          most  = std::max(most, rho_max);
        }
    });
    maximal_density_varies = processes.max(most) + processes.max(-least) > 1e-12;
    if (macro::FlowMeasurementPlan plan = flow_measurement_plan(parameters, flow.setting()); plan.any())
      {
        const bool has_intervals = plan.has_intervals();
        measured.emplace(std::move(plan), flow);
        measured->see(flow);
        if (has_intervals)
          tables = {{"measurements.csv", interval_header(*measured, grid().dim), true}};
      }
  }

private:
  const geometry::BoxGrid &grid() const { return flow.setting().grid; }
  bool has_bodies() const { return flow.setting().bodies == macro::BodyVelocities::kept; } ///< that keep their velocity

  std::int64_t step() const override { return flow.record().step; }
  double       time() const override { return flow.time(); }
  double       fraction() const override { return std::min(1., time() / parameters.motion.time.end_time); }
  Record       record() const override;

  bool                advance(const Totals &totals, Log &log) override;
  convex::NamedArrays state() const override;
  void                restore(convex::NamedArrays state) override;

  std::vector<geometry::Mesh> meshes() const override;
  std::vector<std::string>    rows_of_table(std::size_t) const override;
  void                        picture_taken() override;

  void        write_results(const OutputDirectory &output, Log &log, const geometry::Progress &progress) override;
  void        say_result(const Totals &totals, Log &log) const override;
  std::string verdict(const Totals &totals) const override;
  std::string how_it_goes() const override;
  std::string about_steps(const Totals &totals) const override;
  void        add_to(Summary &summary) const override;

  nlohmann::ordered_json details() const override;
  FlowPressures          pressures_now() const;

  ParameterFile                        &file;
  const Parameters                     &parameters;
  macro::CongestedFlow                  flow;
  FlowSteps                             steps;
  std::shared_ptr<const geometry::Mesh> shape;                          ///< points and cells of all pictures
  FlowPressures                         shown;                          ///< in the last picture
  std::optional<RecentMean>             recent;                         ///< of p, on the line
  bool                                  reduced                = false; ///< the last step, for the CFL condition
  bool                                  maximal_density_varies = false; ///< but for solids
  nlohmann::ordered_json                comparison;
  LineBodies                            bodies;     ///< on the line
  TwoFlowBodies                         two_bodies; ///< beyond
  std::vector<macro::BodySums>          bodies_now; ///< likewise, as in the last picture

  std::optional<macro::FlowMeasurements> measured; ///< where something is asked for
};

std::vector<geometry::Mesh> FlowEvolution::meshes() const
{
  std::vector<geometry::Mesh> meshes = geometry::list_of(flow_mesh(shape, flow, pressures_now()));
  const auto                 &zone   = parameters.zone;
  for (geometry::Mesh &mesh : wall_mesh(zone.walls, zone.lower_corner, zone.upper_corner, grid().processes.rank() == 0))
    meshes.push_back(std::move(mesh));
  return meshes;
}

Record FlowEvolution::record() const
{
  const macro::FlowRecord &last   = flow.record();
  Record                   record = columns_of(last);
  if (measured)
    {
      Record more;
      add_columns(more, *measured, grid().dim, last.time, last.h);
      const auto of_the_clock = std::find_if(record.columns.begin(), record.columns.end(),
                                             [](const Record::Column &column) { return column.name == "transport_time"; });
      record.columns.insert(of_the_clock, more.columns.begin(), more.columns.end());
    }
  record.columns.push_back({"", reduced ? 1 : 0, {{Total::sum, "reduced_steps"}}});
  record.columns.push_back({"", last.unrebounded_energy, {{Total::sum, "unrebounded_energy"}}});
  record.columns.push_back({"", last.rebounds_of_matter, {{Total::last, "rebounds_of_matter"}}});
  if (has_bodies())
    add_columns(record, last.bodies);
  return record;
}

bool FlowEvolution::advance(const Totals &totals, Log &log)
{
  const double   longest = flow.longest_step();
  const FlowStep next    = steps.next(time(), longest, flow.until_contact(longest));
  reduced                = next.reduced;
  if (reduced && totals.count("reduced_steps") == 0)
    log.line("  Steps are shorter than Time/Time step = " + short_number(parameters.motion.time.steps.front()) +
             " s where the CFL condition asks for it; at t = " + short_number(time()) + " s it allows " +
             short_number(next.t - time()) + " s.");
  flow.advance(next.t);
  if (measured)
    measured->see(flow);
  return next.has_picture;
}

std::vector<std::string> FlowEvolution::rows_of_table(std::size_t) const
{
  if (step() == 0)
    return {};
  return {interval_row(*measured, time())};
}

convex::NamedArrays FlowEvolution::state() const
{
  convex::NamedArrays state = flow.state();
  state.reals.emplace(shown_pressure, convex::values(shown.p));
  state.reals.emplace(shown_impulse, convex::values(shown.impulse));
  steps.put_into(state);
  if (recent)
    recent->put_into(state);
  if (measured)
    state.reals.merge(measured->state().reals);
  return state;
}

void FlowEvolution::restore(convex::NamedArrays state)
{
  shown = {convex::vector(state.reals.at(shown_pressure)), convex::vector(state.reals.at(shown_impulse))};
  if (shown.p.size() != grid().n_own_cells() || shown.impulse.size() != grid().n_own_cells())
    throw std::invalid_argument("The state is of other cells.");
  for (const char *const name : {shown_pressure, shown_impulse})
    state.reals.erase(name);
  steps.take_from(state);
  if (recent)
    recent->take_from(state);
  if (measured)
    measured->restore(state);
  flow.restore(state);
  bodies_now = flow.two_bodies();
}

/// As a picture of now has them: the mean p since the last one, the impulse of all.
FlowPressures FlowEvolution::pressures_now() const
{
  if (flow.impulse_time() == 0.)
    return shown;
  FlowPressures now = shown;
  Index         k   = 0;
  geometry::for_own_cells(grid(), [&](const geometry::CellIndex &cell) {
    const double impulse = flow.impulse()(cell);
    now.impulse(k) += impulse;
    now.p(k++) = impulse / flow.impulse_time();
  });
  return now;
}

void FlowEvolution::picture_taken()
{
  shown = pressures_now();
  flow.clear_impulse();
  bodies_now = flow.two_bodies();
  if (recent)
    recent->see(time(), shown.impulse);
  if (measured)
    measured->end_interval(time());
}

void FlowEvolution::write_results(const OutputDirectory &output, Log &log, const geometry::Progress &progress)
{
  if (grid().dim > 1)
    return;
  ExactProfile exact;
  if (!parameters.flow.compare_with.empty())
    {
      LineComparison compared = compare_on_line(file, flow, output, log);
      comparison              = std::move(compared.json);
      exact                   = std::move(compared.exact);
    }
  const Vector p_mean = recent->mean(time(), shown.impulse);
  const auto   write  = [&](std::ostream &out) { write_profile(out, flow, shown, p_mean, exact); };
  output.write("profile.csv", write);
  Plot plot{"profile",
            {{"title", title_of(file) + ", t = " + short_number(time()) + " s"},
             {"exact", exact.name},
             {"since", rounded_number(recent->since())}},
            {},
            "profile.csv",
            parameters.plot_formats};
  if (const std::string complaint = draw(plot, output.path(), "profile", write, progress); !complaint.empty())
    log.warn(complaint);
}

std::string FlowEvolution::verdict(const Totals &totals) const
{
  return verdict_on_steps(totals, "|u before the impact|", "the projections of the density and the discretisation");
}

std::string FlowEvolution::how_it_goes() const
{
  const macro::FlowRecord &last = flow.record();
  return "t = " + short_number(last.time) + " s of " + short_number(parameters.motion.time.end_time) + " s, " +
         step_of_all() + ": kinetic energy " + short_number(last.kinetic_energy) + ", congested volume " +
         short_number(last.congested_volume);
}

void FlowEvolution::add_to(Summary &summary) const
{
  summary.n_constraints = grid().n_cells();
  for (int axis = 0; axis < grid().dim; ++axis)
    summary.n_unknowns += grid().n_cells() / grid().n[axis] * (grid().n[axis] + 1); // velocities on faces
}

nlohmann::ordered_json FlowEvolution::details() const
{
  nlohmann::ordered_json json = {{"method", parameters.flow.method},
                                 {"density_flux", parameters.flow.density_flux},
                                 {"cfl_number", number(parameters.flow.cfl)},
                                 {"cells", grid().n_cells()},
                                 {"processes", processes.size()},
                                 {"mass_asked_for", number(*flow.setting().mass_asked_for)},
                                 {"mass_asked_for_error", number(flow.setting().mass_asked_for_error)},
                                 {"energy_asked_for", number(*flow.setting().energy_asked_for)},
                                 {"energy_asked_for_error", number(flow.setting().energy_asked_for_error)}};
  if (grid().dim == 1)
    {
      json["fronts"]      = fronts(flow);
      json["p_mean_from"] = number(recent->since());
      json.update(bodies.details(parcels_of(flow)));
    }
  else
    json.update(two_bodies.details(bodies_now));
  if (!comparison.is_null())
    json["comparison"] = comparison;
  return json;
}

std::string FlowEvolution::about_steps(const Totals &totals) const
{
  const std::int64_t n = totals.count("reduced_steps");
  return n > 0 ? "; " + std::to_string(n) + " reduced by the CFL condition" : "";
}

void FlowEvolution::say_result(const Totals &totals, Log &log) const
{
  const auto real = [&](const std::string &key) { return short_number(totals.real(key)); };
  log.row("kinetic energy", real("energy_before") + ", then " + real("energy_after") + "; work of forces " + real("work"));
  log.row("density", "between " + real("min_density") + " and " + real("max_density") + " of the largest possible");
  log.row("congested volume", real("congested_volume") + "; mass " + real("mass"));
  log.row("mean pressure", real("pressure_mean") + ", integral over the box, mean over time");
  log.row("errors", "mass " + real("mass_error") + ", momentum " + real("momentum_error") + " at most, relative");
  const std::int64_t n_impacts = totals.count("impacts"), n_collapsed = totals.count("collapsed");
  log.row("congestion problems", std::to_string(totals.count("solves")) + " solved, " +
                                     counted(totals.count("iterations"), "iteration") + ", " + real("congestion_time_s") +
                                     " s; transport " + real("transport_time_s") + " s" +
                                     (n_impacts > 0 ? "; " + counted(n_impacts, "impact") + " with rebound" : ""));
  log.row("natural residual", real("certificate/natural_residual") + " at worst");
  log.row("impact law", bound_or_estimate(totals.at("certificate/guaranteed") == true) + " of a projection " +
                            real("certificate/relative_error_bound") + " of the velocity before it");
  if (n_collapsed > 0)
    log.row("inelastic collapses", counted(n_collapsed, "step") + " ended by an inelastic projection");
  if (const std::string text = grid().dim == 1 ? bodies.sentence(parcels_of(flow)) : two_bodies.sentence(bodies_now);
      !text.empty())
    log.row("two bodies", text);
  if (has_bodies())
    say_bodies(flow.record().bodies, grid().dim, parameters.law.restitution > 0., log);
  if (maximal_density_varies && n_impacts > 0)
    log.warn("Where the maximal density varies, as in cells that the side of a solid cuts, rebounds with "
             "Restitution > 0 lose energy, by some per cent; let sides of solids be sides of cells.");
  constexpr double noticeable = .01;
  const double     lost       = totals.real("unrebounded_energy");
  if (lost >
      noticeable * std::max({totals.real("energy_before"), totals.real("energy_after"), std::abs(totals.real("work"))}))
    log.warn("With Restitution > 0 approaches of " + short_number(lost) +
             " J did not rebound, since they were slower than what the force presses them with in two steps, or a " +
             (has_bodies() && grid().dim == 1 ? "millionth" : "thousandth") +
             " of the largest speed, and count as at rest; shorter steps ('Congested flow/CFL number', 'Time/Time step') "
             "resolve them.");
  const std::int64_t n = flow.record().any_between_bodies ? totals.count("rebounds_of_matter") : 0; // walls are exact
  if (n > 1 && has_bodies() && parameters.dimension > 1)
    log.warn("The same matter rebounds " + std::to_string(n) +
             " times: sequences of impacts are right where bodies fill the box across and move along it, but where their "
             "sides are free, or they move obliquely, jets and edges take energy away, and energies and places afterwards "
             "hardly get better with finer cells.");
  else if (n > 1)
    log.warn("The same matter" + std::string(has_bodies() ? ", which is no body of its own," : "") + " rebounds " +
             std::to_string(n) + " times: with Restitution > 0 finite volumes do not converge under refinement once " +
             (has_bodies() ? "such matter is" : "bodies are") +
             " hit again, and energies and places afterwards may be wrong; " +
             (has_bodies() ? "'Congested flow/Method = exact blocks'"
                           : "'Congested flow/Bodies = coloured' or 'Method = exact blocks'") +
             " on the line, or 'Problem = particle motion', follow such sequences.");
}

bool is_on_line(const Parameters &parameters) { return parameters.flow.method != "finite volumes"; }
} // namespace

ExitStatus congested_flow(ParameterFile &file, Log &log, const bool resume)
{
  return follow_evolution(file, log, resume, [&](Stages &stages) -> std::unique_ptr<Evolution> {
    if (is_on_line(file.values()))
      return flow_on_line(file, log);
    return std::make_unique<FlowEvolution>(file, log, stages);
  });
}

void check_congested_flow(ParameterFile &file, Log &log)
{
  if (is_on_line(file.values()))
    {
      flow_on_line(file, log);
      log.line("the parameters are valid");
      return;
    }
  const macro::CongestedFlow flow(flow_setting(file, processes_of(file.values())));
  say_setting(flow.setting(), log);
  flow.longest_step(); // which evaluates the force
  macro::FlowMeasurements(flow_measurement_plan(file.values(), flow.setting()), flow);
  check_comparison(file);
  log.line("the parameters are valid");
}
} // namespace moreau::app
