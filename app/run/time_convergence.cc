// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/time_convergence.h"

#include "app/input/memory.h"
#include "app/output/motion_output.h"
#include "app/output/pictures.h"
#include "app/input/motion_setting.h"
#include "app/output/plot.h"
#include "app/run/time_convergence_motions.h"
#include "app/output/time_convergence_tables.h"
#include "app/run/time_grid.h"
#include "app/run/time_reference.h"
#include "app/input/text/words.h"

#include "convex/clock.h"
#include "convex/input_error.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>

namespace moreau::app
{
namespace
{
using micro::Index;
using micro::Trajectory;
using micro::TrajectoryError;
using micro::Vector;

/// Masses for every coordinate: of spheres their own, of systems the diagonal
/// of M at the beginning (kg where the coordinate is in m).
Vector masses(const MotionSetting &setting, const Vector &q_0)
{
  if (setting.moves_spheres())
    return masses_of_coordinates(setting.spheres.spheres);
  return setting.system->mass(q_0).diagonal();
}

/// "x (m)" or, of sphere 2, "x_2 (m)".
std::vector<std::string> coordinate_names(const MotionSetting &setting)
{
  if (!setting.moves_spheres())
    return setting.system->coordinate_names();
  std::vector<std::string> names;
  for (Index k = 0; k < setting.spheres.spheres.size(); ++k)
    for (Index axis = 0; axis < setting.spheres.spheres.dimension(); ++axis)
      names.push_back(std::string(1, "xyz"[axis]) + "_" + std::to_string(k) + " (m)");
  return names;
}

/// "m" of {"x (m)", "y (m)"}; "SI" where coordinates have different units.
std::string unit_of(const std::vector<std::string> &names)
{
  const auto unit = [](const std::string &name) {
    const std::size_t begin = name.find('('), end = name.find(')');
    return end == std::string::npos ? std::string("1") : name.substr(begin + 1, end - begin - 1);
  };
  for (const std::string &name : names)
    if (unit(name) != unit(names.front()))
      return "SI";
  return unit(names.front());
}

/// Period of every coordinate, 0 where there is none.
Vector periods(const MotionSetting &setting)
{
  if (!setting.moves_spheres() || setting.spheres.period.size() == 0)
    return {};
  return setting.spheres.period.replicate(setting.spheres.spheres.size(), 1);
}

MotionSetting staged_motion(ParameterFile &file, Stages &stages)
{
  Stage stage(stages, "Setting", "placing what moves");
  return motion_setting(file, [&](const double fraction) { stage.done(fraction); });
}

/// A step. What makes it impossible may be its length, which the message then says.
void advance(micro::Motion &motion, const double t_next, const double h)
{
  try
    {
      motion.advance(t_next);
    }
  catch (const InputError &error)
    {
      const std::string message = error.sentence;
      throw InputError(error.subject,
                       message.substr(0, message.find_last_not_of('.') + 1) + ", for h = " + short_number(h) + " s.");
    }
}

class TimeConvergenceRun : public Run
{
public:
  TimeConvergenceRun(ParameterFile &file, Log &log)
      : Run(file, log), setting(staged_motion(file, stages)), steps(parameters.motion.time.steps)
  {
    sort_steps();
    reference = time_reference(setting, parameters);
    q_0       = setting.make_motion()->q();
    weights   = masses(setting, q_0);
    period    = periods(setting);
    require_memory();
  }

private:
  void                   look() override;
  void                   compute() override;
  void                   say_outcome() override;
  nlohmann::ordered_json summary() const override;

  void       sort_steps();
  void       require_memory() const;
  double     n_all_steps() const;
  Trajectory follow(double h, TimeLevel &level, Stage &stage);
  void       show(const micro::SphereMotion &motion);
  void       follow_all();
  void       compare();
  void       find_rounding();
  void       warn_of_long_steps();
  double     extent() const; ///< how far a coordinate goes
  double     way_of_reference() const;
  void       find_limits(const geometry::Progress &progress);
  void       plot();

  bool has_few() const { return q_0.size() <= 12; }     ///< coordinates: motions become a table
  bool has_very_few() const { return q_0.size() <= 3; } ///< and a picture

  TrajectoryError error(const Trajectory &motion) const
  {
    return reference.exact ? micro::error(motion, *reference.exact, weights)
                           : micro::error(motion, *reference.motion, weights);
  }

  MotionSetting           setting;
  std::vector<double>     steps; ///< decreasing
  TimeReference           reference;
  Vector                  q_0, weights, period;
  std::vector<TimeLevel>  levels;
  TimeLevel               finest; ///< what a reference by the same scheme did
  std::vector<Trajectory> motions;
  double                  limits_apart = 0.; ///< m
  Totals                  totals;            ///< of all of them
  std::string             missing_plot;      ///< why there is no plot
  std::string             drawn;             ///< files of the plots, with a comma behind each
  std::optional<Pictures> pictures;
  unsigned int            n_shown = 0;
};

void TimeConvergenceRun::sort_steps()
{
  if (!std::is_sorted(steps.rbegin(), steps.rend()))
    {
      std::sort(steps.rbegin(), steps.rend());
      log.warn("The levels are sorted: the largest step comes first.");
    }
  for (std::size_t k = 1; k < steps.size(); ++k)
    if (steps[k] == steps[k - 1])
      throw InputError("Time/Time step",
                       short_number(steps[k]) + " is in the list twice; every level needs a step of its own.");
  if (!(steps.front() <= parameters.motion.time.end_time))
    throw InputError("Time/Time step", short_number(steps.front()) + " s is longer than Time/End time, " +
                                           short_number(parameters.motion.time.end_time) + " s; leave it out.");
}

double TimeConvergenceRun::n_all_steps() const
{
  const double T   = parameters.motion.time.end_time;
  double       sum = reference.h > 0. ? std::ceil(T / reference.h) : 0.;
  for (const double h : steps)
    sum += std::ceil(T / h);
  return sum;
}

/// Motions are kept as a whole, since each is compared with the others.
void TimeConvergenceRun::require_memory() const
{
  const double needed = Trajectory::bytes(q_0.size(), n_all_steps()), available = available_memory();
  if (needed > available)
    throw InputError("Time/Time step",
                     "The motions have " + short_number(n_all_steps()) + " steps together" +
                         (reference.h > 0. ? ", those of the reference included," : "") + " and take " + bytes(needed) +
                         " of memory where " + bytes(available) +
                         " are available; leave out the smallest steps, shorten Time/End time or move fewer "
                         "spheres.");
}

void TimeConvergenceRun::look()
{
  log.line(counted(q_0.size(), "coordinate") + ", " + short_number(n_all_steps()) + " steps in " +
           counted(steps.size(), "level"));
  log.line("reference: " + reference.description);
}

/// The motion with steps h.
Trajectory TimeConvergenceRun::follow(const double h, TimeLevel &level, Stage &stage)
{
  const TimeGrid       grid(parameters.motion.time.end_time, h);
  const double         n_all = n_all_steps();
  const Moving         moving(setting);
  micro::Motion *const motion = moving.motion.get();
  Trajectory           result(*motion);
  result.reserve(grid.n_steps);
  level.h = h;
  for (Totals *const of : {&level.totals, &totals})
    of->set(Total::first, columns_of(motion->record(), {}));
  for (std::int64_t n = 1; n <= grid.n_steps; ++n)
    {
      const auto start = convex::Clock::now();
      advance(*motion, grid.time(n), h);
      const double seconds = convex::seconds_since(start);
      result.record(*motion, period);
      const Record record = columns_of(motion->record(), {});
      level.totals.add(record, seconds);
      totals.add(record, seconds);
      stage.done(static_cast<double>(totals.n_steps) / n_all);
    }
  if (pictures && moving.spheres != nullptr)
    show(*moving.spheres);
  level.last    = motion->record();
  level.final_q = motion->q();
  return result;
}

/// Where spheres are at the end of a level; the reference, if it is a motion with steps, comes last.
void TimeConvergenceRun::show(const micro::SphereMotion &motion)
{
  pictures->write({static_cast<double>(n_shown), n_shown,
                   geometry::list_of(moving_sphere_mesh(motion), force_chain_mesh(motion)), n_shown});
  ++n_shown;
}

void TimeConvergenceRun::follow_all()
{
  Stage stage(stages, "Motions", "following " + counted(steps.size(), "motion") + " and the reference");
  if (reference.name == "events")
    reference.motion = followed_events(setting, parameters, log);
  for (const double h : steps)
    {
      levels.emplace_back();
      motions.push_back(follow(h, levels.back(), stage));
    }
  if (reference.name == "finest")
    reference.motion = follow(reference.h, finest, stage);
}

void TimeConvergenceRun::compare()
{
  Stage                    stage(stages, "Comparison", "comparing motions");
  const geometry::Progress of_errors = stage.progress().part(0., .4), of_distances = stage.progress().part(.8, 1.);
  const auto               n = static_cast<double>(levels.size());
  for (std::size_t k = 0; k < levels.size(); ++k)
    {
      levels[k].error = error(motions[k]);
      of_errors(static_cast<double>(k + 1) / n);
    }
  find_limits(stage.progress().part(.4, .8));
  for (std::size_t k = 0; k < levels.size(); ++k)
    {
      if (const int l = level_before(levels, static_cast<int>(k)); l >= 0)
        levels[k].distance = micro::error(motions[k], motions[l], weights);
      of_distances(static_cast<double>(k + 1) / n);
    }
  find_lost(levels, way_of_reference());
  find_rounding();
  set_orders(levels);
  warn_of_long_steps();
}

/// What no error can be told from.
void TimeConvergenceRun::find_rounding()
{
  double speed = 0.;
  for (const double t : motions.front().instants())
    speed = std::max(speed, motions.front().u(t).lpNorm<Eigen::Infinity>());
  constexpr double         digits = 1e-12;
  std::vector<std::string> exact;
  for (TimeLevel &level : levels)
    {
      level.rounding = {digits * (extent() + q_0.lpNorm<Eigen::Infinity>()), digits * speed, digits * speed};
      if (level.error.q <= level.rounding.q)
        exact.push_back(short_number(level.h));
    }
  if (exact.size() == levels.size())
    log.warn("All errors are rounding: the scheme is exact for this motion, and orders mean nothing.");
  else if (!exact.empty())
    log.warn("Errors in q of h = " + joined(exact, ", ") + " s are rounding, from which no order is taken.");
}

double TimeConvergenceRun::extent() const
{
  double result = 0.;
  for (Index k = 0; k <= motions.front().n_steps(); ++k)
    result = std::max(result, (motions.front().q_at(k) - q_0).lpNorm<Eigen::Infinity>());
  return result;
}

/// sup |q - q(0)| in the norm of errors: the error of what stays where it is.
double TimeConvergenceRun::way_of_reference() const
{
  const std::vector<double> &instants = motions.back().instants();
  Trajectory                 rest(instants.front(), q_0);
  for (std::size_t k = 1; k < instants.size(); ++k)
    rest.record(instants[k], q_0, Vector::Zero(q_0.size()));
  return error(rest).q;
}

void TimeConvergenceRun::warn_of_long_steps()
{
  for (const TimeLevel &level : levels)
    if (const std::string sentence = sentence_on_scheme_error(level.totals, level.h); !sentence.empty())
      log.warn(sentence);
  std::vector<std::string> lost;
  for (const TimeLevel &level : levels)
    if (level.is_lost)
      lost.push_back(short_number(level.h));
  if (!lost.empty())
    log.warn("Errors of h = " + joined(lost, ", ") +
             " s exceed the way that the motion goes: there is no order to be seen in them; leave these steps out.");
}

void TimeConvergenceRun::find_limits(const geometry::Progress &progress)
{
  const auto n = static_cast<Index>(motions.size());
  if (n < 4)
    return;
  Eigen::MatrixXd distance = Eigen::MatrixXd::Zero(n, n);
  geometry::Steps compared(progress, n * (n - 1) / 2);
  for (Index k = 1; k < n; ++k)
    for (Index l = 0; l < k; ++l)
      {
        distance(k, l) = distance(l, k) = micro::error(motions[k], motions[l], weights).q;
        compared.done();
      }
  // a millionth of the way is less than anybody calls another motion, and more than rounding
  const std::vector<int> limits = two_limits(distance, 1e-6 * extent());
  for (std::size_t k = 0; k < limits.size(); ++k)
    {
      levels[k].limit = limits[k];
      if (limits[k] == 2)
        limits_apart = distance(k, n - 1);
    }
}

/// Energies of the finest level, all else over all levels and the reference.
nlohmann::ordered_json TimeConvergenceRun::summary() const
{
  const TrajectoryError observed = observed_orders(levels);
  Totals                all      = totals;
  all.set(Total::last, columns_of(levels.back().last, {}));
  nlohmann::ordered_json json    = all.summary_of(result);
  json["scheme"]                 = name(parameters.motion.time.how.scheme);
  json["reference"]              = reference.name;
  json["reference_h"]            = number(reference.h > 0. ? reference.h : TimeLevel::unknown);
  json["observed_order_q"]       = number(observed.q);
  json["observed_order_u"]       = number(observed.u);
  json["observed_order_impulse"] = number(observed.impulse);
  json["levels"]                 = nlohmann::ordered_json::array();
  for (const TimeLevel &level : levels)
    json["levels"].push_back(to_json(level));
  json["limits"]       = levels.back().limit > 0 ? 2 : 1;
  json["limits_apart"] = number(limits_apart);
  return json;
}

void TimeConvergenceRun::plot()
{
  Stage      stage(stages, "Output", "drawing plots");
  const auto coordinates = coordinate_names(setting);
  const auto title       = title_of(file);

  const auto draw_one = [&](Plot plot, const std::string &name, const auto &write_table,
                            const geometry::Progress &progress) {
    plot.formats = parameters.plot_formats;
    missing_plot = draw(plot, output->path(), name, write_table, progress);
    if (missing_plot.empty())
      drawn += pictures_of(plot, name) + ", " + name + ".gp, ";
  };
  Plot convergence  = convergence_plot(title, levels.back().limit > 0, unit_of(coordinates));
  convergence.table = "convergence.csv";
  draw_one(
      convergence, "convergence", [&](std::ostream &out) { write_convergence(out, levels); },
      stage.progress().part(0., has_very_few() ? .5 : 1.));
  if (missing_plot.empty() && has_very_few()) // more instants than motions.csv has, so that corners are sharp
    draw_one(
        motion_plot(title, coordinates, levels, reference,
                    setting.moves_spheres() ? Walls() : walls_of_one_coordinate(*setting.system)),
        "motions", [&](std::ostream &out) { write_motions(out, coordinates, levels, motions, reference, 2000); },
        stage.progress().part(.5, 1.));
  if (!missing_plot.empty())
    log.warn(missing_plot);
}

void TimeConvergenceRun::say_outcome()
{
  for (const std::string &line : errors_header())
    log.line(line);
  for (const TimeLevel &level : levels)
    {
      log.line(errors_row(level));
      if (!level.totals.converged())
        log.line("    " + level.totals.complaint());
    }
  if (!finest.totals.converged())
    log.line("  the reference: " + finest.totals.complaint());
  for (const std::string &line : conclusions(levels, reference.h))
    log.line("  " + line);
  if (const std::string sentence = sentence_on_two_limits(levels, limits_apart, unit_of(coordinate_names(setting)));
      !sentence.empty())
    log.line("  " + sentence);
  log.line("  files                 " + (output->path() / "").string() + ": convergence.csv, " + drawn + "statistics.csv" +
           (has_few() ? ", motions.csv" : ""));
  log.line(totals.converged() ? "converged" : "not converged");
}

void TimeConvergenceRun::compute()
{
  open(setting.inputs);
  log.line("errors against " + reference.description);
  if (!setting.warning.empty())
    log.warn(setting.warning);
  if (setting.moves_spheres())
    pictures.emplace(parameters, log);
  follow_all();
  if (pictures)
    guard_writing([&] { pictures->finish(); });
  compare();
  plot();
  output->write("convergence.csv", [&](std::ostream &out) { write_convergence(out, levels); });
  output->write("statistics.csv", [&](std::ostream &out) { write_statistics(out, levels); });
  if (has_few())
    output->write("motions.csv",
                  [&](std::ostream &out) { write_motions(out, coordinate_names(setting), levels, motions, reference); });
  result.n_unknowns = q_0.size();
  result.verdict    = "not certified: errors are distances to " + reference.description;
}
} // namespace

std::unique_ptr<Run> time_convergence(ParameterFile &file, Log &log)
{
  return std::make_unique<TimeConvergenceRun>(file, log);
}
} // namespace moreau::app
