// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/particle_motion.h"

#include "app/input/motion_fields.h"
#include "app/input/motion_setting.h"
#include "app/input/text/words.h"
#include "app/output/contact_plots.h"
#include "app/output/measurement_output.h"
#include "app/output/micro_output.h"
#include "app/output/motion_output.h"
#include "app/output/verdict.h"
#include "app/run/evolution.h"
#include "app/run/rigid_end.h"
#include "app/run/time_grid.h"

#include "convex/input_error.h"
#include "convex/vectors.h"
#include "micro/motion/active_contacts.h"
#include "micro/motion/jumps.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>
#include <stdexcept>

namespace moreau::app
{
namespace
{
/// Of spheres whose constraints are looked at: at every step where contacts are few, else at every sixteenth.
constexpr micro::Index most_spheres = 200, few_contacts = 20, most_contacts = 400;
constexpr std::int64_t seldom = 16;

constexpr const char *picture_steps = "steps per picture", *constants_in_state = "constants of constraints";

void warn(const std::string &complaint, Log &log)
{
  if (!complaint.empty())
    log.warn(complaint);
}

std::string on_jump(const std::string &what, const micro::Jump &jump, const std::string &they)
{
  return what + " by " + short_number(jump.length) + " m at t = " + short_number(jump.t) + " s: " + they +
         " get a velocity which is larger the shorter the time step is, and energies with it; give it a time to move.";
}

/// On an obstacle whose way is not continuous; empty: none is.
std::string warning_on_jump(const micro::SphereSystem &system, const TimeParameters &time)
{
  const auto found = micro::largest_jump(system.obstacles, system.spheres.r.col(0), 0., time.end_time, time.steps.front());
  if (!found)
    return "";
  const std::string name = system.obstacles.at(0.).obstacles()[found->obstacle].name;
  return on_jump("The way of " + name + " jumps", found->jump, "spheres that it pushes");
}

/// On radii that do not grow continuously, of some of the spheres; empty: these do.
std::string warning_on_growth(const ExpressionText &growth, const micro::Spheres &spheres, const TimeParameters &time)
{
  constexpr micro::Index most = 4;
  micro::Spheres         some;
  const micro::Index     n = std::min(most, spheres.size());
  some.r.resize(spheres.dimension(), n);
  some.R.resize(n);
  for (micro::Index k = 0; k < n; ++k)
    {
      some.r.col(k) = spheres.r.col(k * spheres.size() / n);
      some.R(k)     = spheres.R(k * spheres.size() / n);
    }
  const auto radii = growing_radii(growth, some);
  if (!radii)
    return "";
  const auto way   = [&](const double a, const double b) { return (radii(b) - radii(a)).cwiseAbs().maxCoeff(); };
  const auto found = micro::largest_jump(way, 0., time.end_time, time.steps.front());
  return found ? on_jump("The radius of spheres jumps", *found, "spheres that they push") : "";
}

/// On what is prescribed and jumps.
void warn_of_jumps(const Parameters &parameters, const micro::SphereSystem &system, Log &log)
{
  if (system.spheres.size() == 0)
    return;
  try
    {
      warn(warning_on_jump(system, parameters.motion.time), log);
      warn(warning_on_growth(parameters.motion.growth, system.spheres, parameters.motion.time), log);
    }
  catch (const InputError &) // a motion that is not finite somewhere: the run says so where it gets there
    {}
}

void say_setting(const Parameters &parameters, const MotionSetting &setting, Log &log)
{
  if (setting.moves_spheres())
    log.line(counted(setting.spheres.spheres.size(), "sphere") + " in dimension " +
             std::to_string(setting.spheres.spheres.dimension()) + ", walls and obstacles: " +
             std::to_string(setting.spheres.obstacles.size()) + (setting.packing ? "; " + setting.packing->text() : ""));
  else
    log.line(parameters.motion.system.type + ": " + joined(setting.system->coordinate_names(), ", "));
  if (!setting.remark.empty())
    log.line(setting.remark);
  warn(setting.warning, log);
  if (setting.moves_spheres())
    warn_of_jumps(parameters, setting.spheres, log);
  if (setting.packing)
    warn(setting.packing->warning, log);
}

MotionSetting staged_setting(ParameterFile &file, Stages &stages)
{
  const bool packs = file.values().spheres.arrangement == "random packing";
  Stage      stage(stages, "Setting", packs ? "packing spheres at random" : "placing spheres");
  return motion_setting(file, [&](const double fraction) { stage.done(fraction); });
}

/// Names of the components of the momentum.
std::vector<std::string> names_of_momentum(const MotionSetting &setting, const Parameters &parameters)
{
  std::vector<std::string> names = {"x", "y", "z"};
  names.resize(parameters.dimension);
  if (setting.moves_spheres())
    return names;
  names.clear();
  for (const std::string &name : setting.system->coordinate_names())
    names.push_back(without_unit(name));
  return names;
}

/// Columns of a step; measured: null where nothing is.
Record record_of(const micro::StepRecord &last, const std::vector<std::string> &coordinates,
                 const micro::Measurements *const measured, const Parameters &parameters)
{
  Record record = columns_of(last, coordinates);
  if (measured == nullptr)
    return record;
  Record more;
  add_columns(more, *measured, parameters.dimension, last.time, last.h);
  const auto of_the_clock = std::find_if(record.columns.begin(), record.columns.end(),
                                         [](const Record::Column &column) { return column.name == "search_time"; });
  record.columns.insert(of_the_clock, more.columns.begin(), more.columns.end());
  return record;
}

class MotionEvolution : public Evolution
{
public:
  MotionEvolution(ParameterFile &file, Log &log, Stages &stages)
      : file(file)
      , parameters(file.values())
      , grid(parameters.motion.time.end_time, parameters.motion.time.steps.front())
      , setting(staged_setting(file, stages))
      , moving(setting)
      , coordinates(names_of_momentum(setting, parameters))
  {
    say_setting(parameters, setting, log);
    kind = "motion";
    inputs.assign(setting.inputs.begin() + 1, setting.inputs.end());
    parameter_of_inputs = "Spheres/File";
    has_pictures        = setting.moves_spheres();
    if (!setting.moves_spheres())
      {
        tables = {{"motion.csv", motion_header(*setting.system)}};
        constants.emplace();
        if (parameters.motion.time.how.scheme == micro::Scheme::inertia_operator)
          apriori = micro::apriori_bound(*setting.system, parameters.motion.time.end_time);
      }
    else if (setting.measured.any())
      {
        measured.emplace(setting.measured, setting.spheres, parameters.dimension);
        measured->see_beginning(*moving.spheres);
        if (measured->coarse() != nullptr)
          warn(complaint_of_cells(*measured->coarse()), log);
        if (setting.measured.has_intervals())
          tables = {{"measurements.csv", interval_header(*measured, parameters.dimension), true}};
      }
    if (parameters.plot_contacts)
      {
        tables.push_back({"contact_forces.csv", force_header, true});
        if (parameters.dimension > 1)
          tables.push_back({"contact_directions.csv", direction_header, true});
      }
    if (setting.moves_spheres() && setting.spheres.spheres.size() <= most_spheres)
      constants.emplace();
    const double every = parameters.motion.time.output_every;
    steps_per_picture  = every > 0. ? n_whole_steps(every, grid.h) : (grid.n_steps + 99) / 100;
  }

private:
  std::int64_t step() const override { return moving.motion->record().step; }
  double       time() const override { return moving.motion->time(); }
  double       fraction() const override { return static_cast<double>(step()) / static_cast<double>(grid.n_steps); }
  Record       record() const override;

  bool                advance(const Totals &totals, Log &log) override;
  convex::NamedArrays state() const override;
  void                restore(convex::NamedArrays state) override;

  std::vector<geometry::Mesh> meshes() const override;
  std::vector<std::string>    rows_of_table(std::size_t k) const override;

  void picture_taken() override
  {
    if (measured)
      measured->end_interval(time());
  }

  void        write_setting(OutputDirectory &output) const override;
  void        write_results(const OutputDirectory &output, Log &log, const geometry::Progress &progress) override;
  void        say_result(const Totals &totals, Log &log) const override;
  std::string verdict(const Totals &totals) const override;
  std::string how_it_goes() const override;
  std::string step_of_all() const override;
  void        add_to(Summary &summary) const override { summary.n_unknowns = moving.motion->q().size(); }

  nlohmann::ordered_json   details() const override;
  micro::ContactStatistics contact_statistics_now() const;
  void                     see_constraints();

  const ParameterFile     &file;
  const Parameters        &parameters;
  TimeGrid                 grid;
  MotionSetting            setting;
  Moving                   moving;
  std::vector<std::string> coordinates;
  std::int64_t             steps_per_picture;

  std::optional<micro::Measurements>        measured;  ///< where something is asked for
  std::optional<micro::ConstraintConstants> constants; ///< of a mechanical system, or a few spheres
  std::optional<micro::AprioriBound>        apriori;   ///< of scheme C
  std::optional<RigidEnd>                   rigid;     ///< of spheres, at the end
};

Record MotionEvolution::record() const
{
  return record_of(moving.motion->record(), coordinates, measured ? &*measured : nullptr, parameters);
}

std::vector<geometry::Mesh> MotionEvolution::meshes() const
{
  std::vector<geometry::Mesh> meshes = meshes_of(*moving.spheres, parameters);
  if (measured && measured->plan().has_coarse_picture())
    meshes.push_back(coarse_mesh(*measured->coarse(), *moving.spheres));
  return meshes;
}

micro::ContactStatistics MotionEvolution::contact_statistics_now() const
{
  return micro::contact_statistics(pressed_contacts(*moving.spheres), parameters.dimension);
}

std::vector<std::string> MotionEvolution::rows_of_table(const std::size_t k) const
{
  if (tables[k].file == "motion.csv")
    return {motion_row(*moving.motion)};
  if (step() == 0)
    return {};
  if (tables[k].file == "contact_forces.csv")
    return force_rows(contact_statistics_now(), time());
  if (tables[k].file == "contact_directions.csv")
    return direction_rows(contact_statistics_now(), time());
  return {interval_row(*measured, parameters.dimension, time())};
}

bool MotionEvolution::advance(const Totals &, Log &)
{
  moving.motion->advance(grid.time(step() + 1));
  if (measured)
    measured->see(*moving.spheres);
  if (constants)
    see_constraints();
  return step() % steps_per_picture == 0;
}

/// Of spheres not at every step where contacts are many: γ costs more than their step does.
void MotionEvolution::see_constraints()
{
  if (!setting.moves_spheres())
    try
      {
        constants->see(micro::active_constraints(*setting.system, *moving.motion));
      }
    catch (const InputError &) // differences reach beyond where the constraints are defined
      {}
  else if (const micro::Spheres &spheres = moving.spheres->spheres(); spheres.size() > 0)
    {
      const double slack = parameters.motion.time.how.position_tolerance * spheres.R.minCoeff();
      if (const auto active =
              micro::active_contacts(*moving.spheres, slack, step() % seldom == 0 ? most_contacts : few_contacts))
        constants->see(*active);
      else
        constants->leave_out();
    }
}

convex::NamedArrays MotionEvolution::state() const
{
  convex::NamedArrays state     = moving.motion->state();
  state.integers[picture_steps] = {steps_per_picture};
  if (constants)
    state.reals[constants_in_state] = convex::values(constants->state());
  if (measured)
    {
      convex::NamedArrays more = measured->state();
      state.reals.merge(more.reals);
      state.integers.merge(more.integers);
    }
  return state;
}

void MotionEvolution::restore(convex::NamedArrays state)
{
  if (!(parameters.motion.time.output_every > 0.)) // as the whole run, even where it became longer
    steps_per_picture = state.integers.at(picture_steps).at(0);
  if (steps_per_picture < 1)
    throw std::out_of_range("The state has no interval of pictures.");
  state.integers.erase(picture_steps);
  if (constants)
    {
      constants->restore(convex::vector(state.reals.at(constants_in_state)));
      state.reals.erase(constants_in_state);
    }
  if (measured)
    measured->restore(state);
  moving.motion->restore(state);
  if (std::abs(time() - grid.time(step())) > 1e-6 * grid.h)
    throw InputError("Time/End time", "The checkpoint is at t = " + short_number(time()) +
                                          " s, after a last step that was shorter than Time/Time step, from where no run "
                                          "goes on as if it had not stopped; leave out --resume to begin anew.");
}

void MotionEvolution::write_setting(OutputDirectory &output) const
{
  if (setting.packing)
    write_packing(output, *setting.packing, setting.spheres.spheres, setting.spheres.U);
}

void MotionEvolution::write_results(const OutputDirectory &output, Log &log, const geometry::Progress &progress)
{
  if (parameters.plot_contacts)
    draw_contacts(file, output, contact_statistics_now(), "force", time(), log, progress.part(0., .9));
  if (moving.spheres != nullptr)
    rigid = rigid_end(*moving.spheres, parameters.motion.time.how.position_tolerance);
  if (moving.spheres != nullptr)
    output.write("spheres.csv", [&](std::ostream &out) {
      const bool removes = parameters.motion.measurements.removes();
      micro::write_csv(out, moving.spheres->spheres(), moving.motion->u(),
                       removes ? moving.spheres->ids() : std::vector<micro::Index>());
    });
}

std::string MotionEvolution::verdict(const Totals &totals) const
{
  const bool has_walls = setting.spheres.obstacles.size() > 0;
  return verdict_on_steps(
      totals, setting.moves_spheres() ? scale_in_words(has_walls) : "max(|U|, approach to the constraints)",
      "the error in time" +
          std::string(sentence_on_scheme_error(totals, grid.h).empty() ? "" : ", which is as large as the motion"));
}

std::string MotionEvolution::step_of_all() const
{
  return "step " + std::to_string(step()) + " of " + std::to_string(grid.n_steps);
}

std::string MotionEvolution::how_it_goes() const
{
  const micro::StepRecord &last = moving.motion->record();
  return "t = " + short_number(last.time) + " s, " + step_of_all() + ": kinetic energy " +
         short_number(last.kinetic_energy) + " J, " + counted(last.n_contacts, "contact");
}

nlohmann::ordered_json MotionEvolution::details() const
{
  nlohmann::ordered_json json = {{"scheme", name(parameters.motion.time.how.scheme)},
                                 {"time_step", number(grid.h)},
                                 {"system", parameters.motion.system.type},
                                 {"solver", parameters.solver}};
  if (setting.moves_spheres())
    json.update({{"spheres", setting.spheres.spheres.size()}, {"obstacles", setting.spheres.obstacles.size()}});
  if (constants && constants->n_states() > 0)
    json["constants"] = to_json(*constants);
  if (apriori && apriori->tau > 0.)
    json["apriori_bound"] = {{"R", number(apriori->R)},     {"alpha", number(apriori->alpha)},
                             {"L", number(apriori->L)},     {"C_f", number(apriori->C_f)},
                             {"tau", number(apriori->tau)}, {"theta", number(apriori->theta(apriori->tau))}};
  if (setting.packing)
    json["packing"] = *setting.packing;
  if (rigid)
    json["diagnostics"] = rigid->json();
  if (parameters.plot_contacts)
    json["contact_statistics"] = statistics_as_json(contact_statistics_now());
  return json;
}

void MotionEvolution::say_result(const Totals &totals, Log &log) const
{
  const auto real = [&](const std::string &key) { return short_number(totals.real(key)); };
  log.row("kinetic energy", real("energy_before") + " J, then " + real("energy_after") + " J; work of forces " +
                                real("work") + " J, of " +
                                (setting.moves_spheres() ? "walls and growth " : "constraints that move ") +
                                real("constraint_work") + " J, dissipated by impacts " + real("dissipated_energy") +
                                " J, error of the scheme " + real("scheme_error") + " J");
  if (setting.moves_spheres())
    log.row("largest overlap", real("max_overlap") + " of the smallest radius");
  else
    log.row("largest violation", real("max_overlap") + ", of a constraint g >= 0");
  log.row(setting.moves_spheres() ? "contacts at most" : "active at most",
          std::to_string(totals.count("contacts_max")) + " of " + counted(totals.count("constraints"), "constraint"));
  if (rigid)
    rigid->say(log);
  log.row("velocity", "at most " + real("velocity_sup") + " in the metric of the masses, variation " +
                          real("velocity_variation") + " (kg^1/2 m/s)");
  if (constants && constants->n_states() > 0)
    log.row("constraints met", in_words(*constants));
  if (apriori && apriori->tau > 0.)
    log.row("a-priori bound", "velocity below " + short_number(apriori->theta(apriori->tau)) +
                                  " until tau = " + short_number(apriori->tau) +
                                  " s, within R = " + short_number(apriori->R) + " of the start, from sampled suprema");
  log.row("momentum error", real("momentum_error") + " at most, relative");
  log.row("projections", counted(totals.count("projections"), "projection") + ", " +
                             counted(totals.count("iterations"), "iteration") + ", " + real("projection_time_s") +
                             " s; search " + real("search_time_s") + " s");
  if (std::isnan(totals.real("certificate/natural_residual")))
    log.row("natural residual", "unknown: the system projects on its admissible set itself");
  else
    log.row("natural residual", real("certificate/natural_residual") + " at worst; " +
                                    bound_or_estimate(totals.at("certificate/guaranteed") == true) + " " +
                                    real("certificate/relative_error_bound"));
  if (const std::int64_t n = totals.count("collapsed"); n > 0)
    log.row("inelastic collapses", counted(n, "step") + " ended by an inelastic projection");
  if (measured && measured->coarse() != nullptr && moving.spheres->spheres().size() > 0)
    warn(complaint_of_growth(*measured->coarse(), moving.spheres->spheres().R.maxCoeff()), log);
  if (const double radii = totals.real("largest_move"); radii > 1.)
    log.warn("Spheres move up to " + short_number(radii) +
             " radii in a step: impacts are seen where steps end, and motion and energies may be far from those of short "
             "steps; set Time/Time step to " +
             short_number(grid.h / radii) +
             " s or less; where the way of a wall or obstacle jumps no step is short enough.");
  if (const double drag = totals.real("largest_drag"); drag > 1.)
    log.warn("The force slows spheres down so fast that a step turns their velocity round" +
             std::string(drag > 2. ? ", and drag makes them faster" : "") + ": " + short_number(drag) +
             " times their speed in a step; set Time/Time step to " + short_number(grid.h / drag) + " s or less.");
  constexpr double noticeable = 1e-3;
  if (const double lost = totals.real("unrebounded_energy"); lost > 10. * noticeable * energy_that_took_part(totals))
    log.warn("Contacts that approached with " + short_number(lost) +
             " J did not rebound, since clusters slower than what forces press them with in two steps count as at rest; set "
             "Time/Time step to less, or Time/Resting speed.");
  if (const double gain = totals.real("largest_energy_gain"); gain > noticeable * energy_that_took_part(totals))
    log.warn("In a step the energy" + std::string(setting.moves_spheres() ? " of the spheres" : "") + " grew by " +
             short_number(gain) + " J more than forces" +
             (setting.moves_spheres() ? ", walls and growth" : " and constraints that move") +
             " gave, which is an error of the time step; set Time/Time step lower.");
  warn(sentence_on_scheme_error(totals, grid.h), log);
}
} // namespace

ExitStatus particle_motion(ParameterFile &file, Log &log, const bool resume)
{
  return follow_evolution(file, log, resume,
                          [&](Stages &stages) { return std::make_unique<MotionEvolution>(file, log, stages); });
}

void check_particle_motion(ParameterFile &file, Log &log)
{
  if (file.values().spheres.arrangement == "random packing" && file.values().motion.system.type == "spheres")
    {
      surroundings(file.values());
      log.line("the parameters are valid; the spheres are packed when the problem runs");
      return;
    }
  const MotionSetting setting = motion_setting(file);
  const Moving        moving(setting);
  say_setting(file.values(), setting, log);
  if (const micro::SphereSystem &system = setting.spheres; setting.moves_spheres() && system.force)
    {
      Eigen::MatrixXd f;
      system.force(0., system.spheres.r,
                   Eigen::Map<const Eigen::MatrixXd>(system.U.data(), system.spheres.dimension(), system.spheres.size()), f);
    }
  if (setting.moves_spheres() && setting.measured.any())
    {
      const micro::Measurements measured(setting.measured, setting.spheres, file.values().dimension);
      header_of(record_of(moving.motion->record(), names_of_momentum(setting, file.values()), &measured, file.values()));
      if (measured.coarse() != nullptr)
        warn(complaint_of_cells(*measured.coarse()), log);
    }
  log.line("the parameters are valid");
}
} // namespace moreau::app
