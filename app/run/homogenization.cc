// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/homogenization.h"

#include "app/input/shared_setting.h"
#include "app/input/sphere_setting.h"
#include "app/output/homogenization_output.h"
#include "app/input/macro_setting.h"
#include "app/output/micro_output.h"
#include "app/output/pictures.h"
#include "app/output/plot.h"
#include "app/output/study_tables.h"
#include "app/run/disorder.h"
#include "app/run/reference_mesh.h"
#include "app/run/references.h"
#include "app/run/study_levels.h"
#include "app/input/text/words.h"

#include "convex/clock.h"
#include "convex/input_error.h"
#include "exchange/hdf5_table.h"
#include "homogenization/hidden_velocity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>

namespace moreau::app
{
namespace
{
using homogenization::Level;
using homogenization::Packing;
using homogenization::Reference;

class HomogenizationRun : public Run
{
public:
  HomogenizationRun(ParameterFile &file, Log &log) : Run(file, log, processes_of(file.values()))
  {
    find_sources();
    choose_mesh();
  }

private:
  void                   look() override;
  void                   compute() override;
  void                   say_outcome() override;
  nlohmann::ordered_json summary() const override;

  /// Whether levels may be in parts, on several processes: then each writes pieces of pictures.
  bool is_in_pieces() const { return processes.size() > 1 && has_levels_in_parts(parameters); }

  void    find_sources();
  void    choose_mesh();
  void    set_cells(double per_unit_length);
  Packing packing(const SourceOfLevel &source, const macro::Setting &setting, const geometry::Progress &progress = {}) const
  {
    return packing_of_level(parameters, source, setting, processes, progress);
  }
  std::vector<Reference> references(const macro::Setting &setting)
  {
    return compared_with(setting, parameters, stages, log);
  }
  void        refine_references(macro::Setting &setting);
  bool        same_kind_of_meshes(macro::Setting a, macro::Setting b) const;
  void        compare(const SourceOfLevel &source, const macro::Setting &setting);
  void        warn(micro::Index n_contacts, double smallest_gap, bool directions_match, const macro::Setting &setting);
  void        warn_of_hidden(const macro::Setting &setting);
  void        write_pictures(const Packing &packing, const Level &level);
  void        add_macroscopic_pictures(geometry::Snapshot &snapshot) const;
  void        say_sharing();
  void        write_results();
  void        plot();
  bool        converged() const;
  void        set_result();
  std::string verdict() const;

  std::vector<ExpectedDistance> expected(const macro::Setting &setting);
  homogenization::StudyOptions  study_options() const;

  bool                       mesh_is_open = false; ///< its cells are the program's choice
  std::vector<SourceOfLevel> sources;
  std::vector<Reference>     compared;
  std::vector<Level>         levels;
  std::string                missing_plot; ///< why there is no plot
  std::string                drawn;        ///< files of the plot, with a comma behind each
  std::optional<Pictures>    pictures;
  bool                       has_hidden = false; ///< a level that may not see all of U
};

/// Coarse levels first. Where the spheres come from is written back, so that the print-out repeats the run.
void HomogenizationRun::find_sources()
{
  if (parameters.spheres.arrangement != "file")
    for (const double n : parameters.spheres.per_unit_length)
      sources.push_back({n, {}});
  else
    {
      std::vector<std::string> found;
      const RoundedFile rounded = read_files_of_spheres(file, [&](const std::string &path, const micro::SphereFile &read) {
        found.push_back(path);
        sources.push_back({.5 / read.spheres.R.maxCoeff(), path});
        if (read.has_velocity || read.has_mass)
          log.warn("Velocities and masses in Spheres/File are not used: U is Velocity/Function expression, and spheres "
                   "weigh as much as their cells.");
      });
      file.set("Spheres/File", joined(found, ", "));
      if (const std::string remark = fit_contact_tolerance(file, rounded); !remark.empty())
        log.line(remark);
    }
  const auto coarser = [](const SourceOfLevel &a, const SourceOfLevel &b) { return a.size < b.size; };
  if (!std::is_sorted(sources.begin(), sources.end(), coarser))
    {
      std::stable_sort(sources.begin(), sources.end(), coarser);
      log.warn("The levels are sorted: the largest spheres come first.");
    }
  for (std::size_t k = 1; k < sources.size(); ++k)
    if (sources[k].size == sources[k - 1].size && sources[k].file.empty())
      throw InputError("Spheres/Spheres per unit length",
                       short_number(sources[k].size) + " is in the list twice; every level needs a radius of its own.");
}

/// A mesh that the user left open: twice as fine as the finest level to begin with.
void HomogenizationRun::choose_mesh()
{
  mesh_is_open = !file.given("Mesh/Cells per unit length");
  if (!mesh_is_open)
    return;
  set_cells(std::max(least_cells(parameters), 2. * sources.back().size));
}

void HomogenizationRun::set_cells(const double per_unit_length)
{
  file.set("Mesh/Cells per unit length", digits(rounded_up(std::min(affordable_cells(parameters), per_unit_length))));
}

/// Refines a mesh that the user left open until all references should tell the order of the finest level, within budget.
void HomogenizationRun::refine_references(macro::Setting &setting)
{
  constexpr int max_rounds = 3;
  const bool    is_exact   = std::all_of(compared.begin(), compared.end(), [](const Reference &r) { return r.error == 0.; });
  if (!mesh_is_open || sources.size() < 2 || is_exact)
    return;
  const double most = rounded_up(affordable_cells(parameters));
  for (int round = 0; round < max_rounds && parameters.mesh.cells_per_unit_length < most; ++round)
    {
      const double cells = parameters.mesh.cells_per_unit_length, wanted = cells * refinement_wanted(expected(setting));
      if (!(wanted > cells))
        return;
      set_cells(wanted);
      macro::Setting finer = macro_setting(file, geometry::Processes::alone());
      if (!same_kind_of_meshes(setting, finer))
        return set_cells(cells);
      log.line("u is computed again, with " + short_number(parameters.mesh.cells_per_unit_length) + " instead of " +
               short_number(cells) + " cells per unit length (at most " + short_number(most) +
               "): its error bound is to be below a quarter of the smallest distance expected");
      setting  = std::move(finer);
      compared = references(setting);
    }
}

/// Whether all references have meshes along the lattice, or in the box, in both settings: errors of the two kinds differ.
bool HomogenizationRun::same_kind_of_meshes(macro::Setting a, macro::Setting b) const
{
  bool is_same = macro::is_along_lattice(a) == macro::is_along_lattice(b);
  for (const macro::ConeType type : parameters.homogenization.compare_with)
    {
      a.cone = b.cone = macro::lattice_cone(type, parameters.cone.lattice_angle);
      is_same         = is_same && macro::is_along_lattice(a) == macro::is_along_lattice(b);
    }
  return is_same;
}

/// What the coarsest levels, two of three or more, say of the distances to the references on the finest one.
std::vector<ExpectedDistance> HomogenizationRun::expected(const macro::Setting &setting)
{
  homogenization::StudyOptions options = study_options();
  options.interpolant = options.falk = false;
  std::vector<Level> probes;
  {
    Stage stage(stages, "Levels", "looking at the coarsest levels");
    for (std::size_t k = 0; k < std::min<std::size_t>(2, sources.size() - 1); ++k)
      probes.push_back(homogenization::study(packing(sources[k], setting), setting, compared, options, stage.progress()));
  }
  homogenization::set_orders(probes);

  std::vector<ExpectedDistance> result;
  const double                  refined = sources[probes.size() - 1].size / sources.back().size;
  for (std::size_t k = 0; k < compared.size(); ++k)
    {
      const homogenization::Comparison &last = probes.back().comparisons[k];
      if (homogenization::is_rounding(last.error.value, probes.back()))
        continue; // no mesh is finer than that
      const double order = std::isfinite(last.order) ? std::clamp(last.order, 0., 1.) : 1.;
      result.push_back({compared[k].error, last.error.value * std::pow(refined, order)});
    }
  return result;
}

homogenization::StudyOptions HomogenizationRun::study_options() const
{
  homogenization::StudyOptions options;
  options.solver      = parameters.solver;
  options.criterion   = parameters.criterion;
  options.interpolant = parameters.homogenization.interpolant;
  options.falk        = parameters.homogenization.falk_estimate;
  options.windows     = parameters.homogenization.windows;
  return options;
}

void HomogenizationRun::warn(const micro::Index n_contacts, const double smallest_gap, const bool directions_match,
                             const macro::Setting &setting)
{
  if (const std::string remark = macro::remark_on_closed_box(setting); !remark.empty())
    log.warn(remark);
  if (n_contacts == 0)
    log.warn("Nothing touches, so that v = Ũ" + (std::isfinite(smallest_gap)
                                                     ? ": the smallest gap is " + short_number(smallest_gap) + " m."
                                                     : std::string(".")));
  else if (!directions_match)
    log.warn(
        parameters.spheres.arrangement == "file" || setting.cone.type == macro::ConeType::isotropic
            ? "No theorem relates these contacts to the " + name(parameters.cone.type) +
                  " cone: whether φ_n(U) tends to its u is what the table shows."
            : "The contacts do not point along the directions of the " + name(parameters.cone.type) +
                  " cone: φ_n(U) is not expected to tend to its u; set Cone/Type and Cone/Lattice angle as in Spheres.");
}

void HomogenizationRun::look()
{
  const macro::Setting setting = macro_setting(file, geometry::Processes::alone());
  require_admissible_gradients(setting, parameters);
  for (const SourceOfLevel &source : sources)
    {
      const micro::Spheres      all   = spheres_of_level(parameters, source);
      const micro::ContactGraph graph = contact_graph_of(parameters, all, walls(parameters), periodic_box(parameters));
      Eigen::MatrixXd           U;
      setting.U(all.r, U);
      log.line(counted(all.size(), "sphere") + ", " + counted(graph.n_contacts(), "contact"));
      if (&source == &sources.front())
        warn(graph.n_contacts(), graph.smallest_gap, homogenization::directions_match(graph, setting.cone), setting);
    }
}

void HomogenizationRun::compare(const SourceOfLevel &source, const macro::Setting &setting)
{
  std::optional<Packing> packed;
  double                 seconds_cells = 0.;
  {
    Stage                   stage(stages, "Spheres and cells", "placing spheres and cutting their cells");
    const convex::Stopwatch watch(seconds_cells);
    packed.emplace(packing(source, setting, stage.progress()));
    if (levels.empty())
      warn(packed->n_contacts(), packed->graph.smallest_gap, homogenization::directions_match(*packed, setting.cone),
           setting);
  }
  {
    Stage stage(stages, "Levels", "projecting " + counted(packed->n_spheres(), "sphere") + " and comparing");
    levels.push_back(homogenization::study(*packed, setting, compared, study_options(), stage.progress()));
  }
  levels.back().seconds_cells = seconds_cells;
  if (!has_hidden)
    warn_of_hidden(setting);
  homogenization::set_orders(levels);
  if (pictures && (parameters.homogenization.pictures == "all" ||
                   (parameters.homogenization.pictures == "finest" && levels.size() == sources.size())))
    write_pictures(*packed, levels.back());
  // velocities of all levels together would be as large as the finest
  Level &level = levels.back();
  for (convex::Vector *const large : {&level.U_tilde, &level.u_tilde, &level.u_int, &level.p})
    large->resize(0);
}

/// Of what the last level may not see of U.
void HomogenizationRun::warn_of_hidden(const macro::Setting &setting)
{
  Stage             stage(stages, "Levels", "looking at U between points");
  const std::string sentence = sentence_on_hidden(
      levels.back(), homogenization::hidden_velocity(setting, 2. * levels.back().radius, stage.progress()));
  has_hidden = !sentence.empty();
  if (has_hidden)
    log.warn(sentence);
}

void HomogenizationRun::write_pictures(const Packing &packing, const Level &level)
{
  Stage              stage(stages, "Output", "writing files");
  geometry::Snapshot snapshot = snapshot_of(packing, level, levels.size() - 1);
  if (!is_first() && !packing.parts)
    snapshot = without_cells(std::move(snapshot));
  geometry::Snapshot of_first; // which has u
  add_macroscopic_pictures(of_first);
  if (!is_first())
    of_first = without_cells(std::move(of_first));
  std::move(of_first.meshes.begin(), of_first.meshes.end(), std::back_inserter(snapshot.meshes));
  pictures->write(std::move(snapshot), stage.progress());
}

/// The macroscopic u beside the cells: of the first cone "continuum", of others their name behind it.
void HomogenizationRun::add_macroscopic_pictures(geometry::Snapshot &snapshot) const
{
  bool is_first = true;
  for (const Reference &reference : compared)
    if (reference.fields)
      {
        geometry::Mesh mesh = reference.fields();
        macro::name_components(mesh.cell_data, reference.cone);
        if (!is_first)
          mesh.name += "_" + reference.name;
        is_first = false;
        std::replace(mesh.name.begin(), mesh.name.end(), ' ', '_');
        snapshot.meshes.push_back(std::move(mesh));
      }
}

bool HomogenizationRun::converged() const
{
  return std::all_of(levels.begin(), levels.end(), [](const Level &level) { return level.effort.converged(); }) &&
         std::all_of(compared.begin(), compared.end(), [](const Reference &reference) { return reference.certified; });
}

/// Of the finest level, with the worst certificate of all.
void HomogenizationRun::set_result()
{
  const Level &finest = levels.back();
  const auto   energy = [&finest](const double norm) { // of velocities, not of fluctuations
    return finest.of_fluctuations ? std::numeric_limits<double>::quiet_NaN() : .5 * norm * norm;
  };
  result.converged        = converged();
  result.n_unknowns       = parameters.dimension * finest.n_spheres;
  result.n_constraints    = finest.n_contacts;
  result.energy_before    = energy(finest.norm_U_tilde);
  result.energy_projected = energy(finest.norm_v);
  result.energy_after     = result.energy_projected;
  result.certificate      = finest.certificate;
  for (const Level &level : levels)
    {
      result.effort += level.effort;
      if (level.certificate.relative_error_bound > result.certificate.relative_error_bound)
        result.certificate = level.certificate;
    }
  result.verdict = verdict();
}

/// On the distances of the table.
std::string HomogenizationRun::verdict() const
{
  if (!result.converged)
    return "not certified: a projection did not converge";
  const bool micro_guaranteed =
      std::all_of(levels.begin(), levels.end(), [](const Level &level) { return level.certificate.guaranteed; });
  const bool guaranteed =
      micro_guaranteed && std::all_of(compared.begin(), compared.end(), [](const Reference &r) { return r.guaranteed; });
  if (is_refuted(compared.front()))
    return "not certified: Exact velocity is not the macroscopic projection of U";
  const std::string condition = compared.front().name == closed_form ? " if Exact velocity is the projection" : "";
  return guaranteed ? "certified" + condition + ": every distance |v - exact u| lies in its interval, up to quadrature"
                    : "not certified: intervals of the distances |v - exact u| are estimates" +
                          std::string(micro_guaranteed ? "" : ", as bounds of the micro problem are that follow ~");
}

nlohmann::ordered_json HomogenizationRun::summary() const
{
  nlohmann::ordered_json json = to_json(result);
  json["processes"]           = processes.size();
  json["solver"]              = parameters.solver;
  json["cone"]                = name(parameters.cone.type);
  json["observed_order"]      = number(observed_order(levels, compared));
  json["observed_cost"]       = number(homogenization::observed_cost(levels));
  json["windows"]             = parameters.homogenization.windows;
  json["levels"]              = nlohmann::ordered_json::array();
  for (const Level &level : levels)
    json["levels"].push_back(to_json(level, compared));
  json["references"] = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < compared.size(); ++k)
    {
      json["references"].push_back(to_json(compared[k]));
      json["references"].back()["observed_order"] = number(observed_order(levels, compared, k));
      json["references"].back()["finest_error"]   = number(levels.back().comparisons[k].error.value);
    }
  json["nearest"] = has_nearest(levels.back()) ? nlohmann::ordered_json(compared[nearest_reference(levels.back())].name)
                                               : nlohmann::ordered_json();
  json["nearest_is_certain"] = nearest_is_certain(levels.back());
  return json;
}

void HomogenizationRun::plot()
{
  Stage             stage(stages, "Output", "drawing plots");
  const std::string title    = title_of(file);
  const auto        draw_one = [&](Plot plot, const std::string &name, const std::string &table, const auto &write_table,
                            const geometry::Progress &progress) {
    plot.formats = parameters.plot_formats;
    plot.table   = table;
    missing_plot = draw(plot, output->path(), name, write_table, progress);
    if (missing_plot.empty())
      drawn += pictures_of(plot, name) + ", " + name + ".gp, ";
    else
      log.warn(missing_plot);
  };
  draw_one(
      convergence_plot(title, parameters.dimension, compared), "convergence", "convergence.csv",
      [&](std::ostream &out) { write_convergence(out, levels, compared); }, stage.progress().part(0., .5));
  if (levels.size() > 1)
    draw_one(
        cost_plot(title), "costs", "statistics.csv", [&](std::ostream &out) { write_statistics(out, levels); },
        stage.progress().part(.5, 1.));
}

void HomogenizationRun::say_outcome()
{
  const auto row = [&](const std::string &name, const std::string &text) { log.row(name, text); };
  for (const std::string &line : conditions_table(levels))
    log.line(line);
  for (const std::string &line : conclusions(levels, compared))
    log.line("  " + line);
  row(result.certificate.guaranteed ? "micro error bound" : "micro error estimate",
      short_number(result.certificate.relative_error_bound) + scale_of_micro_bound(levels.back()) + " on the worst level" +
          (result.certificate.guaranteed ? ", guaranteed" : ""));
  say_tolerance(log, result);
  for (std::size_t k = 0; k < compared.size(); ++k)
    if (const std::string sentence = sentence_on_order(levels, compared, k, parameters.mesh.cells_per_unit_length);
        !sentence.empty())
      log.warn(sentence);
  row("files", (output->path() / "").string() + ": convergence.csv, " + drawn + "solution.pvd");
  log.line(result.converged ? "converged" : "not converged");
}

void HomogenizationRun::compute()
{
  macro::Setting                     setting = macro_setting(file, geometry::Processes::alone());
  std::vector<std::filesystem::path> inputs;
  for (const SourceOfLevel &source : sources)
    inputs.push_back(source.file);
  open(inputs);
  say_sharing();
  if (is_in_pieces())
    pictures.emplace(parameters, log, processes);
  else if (is_first())
    pictures.emplace(parameters, log);

  // what is wrong with the coarsest level is said before long work begins
  constexpr micro::Index few = 100000;
  if (const micro::Spheres coarsest = spheres_of_level(parameters, sources.front()); coarsest.size() <= few)
    contact_graph_of(parameters, coarsest, walls(parameters), periodic_box(parameters));
  if (sources.back().file.empty()) // the finest level
    require_memory_for_level(parameters, sources.back().size, processes, has_levels_in_parts(parameters));
  compared = references(setting);
  refine_references(setting);
  check_closed_form(compared, setting, parameters, stages, log);
  for (const std::string &line : errors_header(compared))
    log.line(line);
  for (const SourceOfLevel &source : sources)
    {
      compare(source, setting);
      doubt_closed_form(compared.front(), levels.back(), !parameters.zone.walls.empty(), log);
      for (const std::string &line : errors_row(levels.back(), compared))
        log.line(line);
    }
  if (is_in_pieces()) // of which the first process lists those that all have written
    guard_writing([&] { pictures->finish(); });
  if (is_first())
    write_results();
  set_result();
}

void HomogenizationRun::say_sharing()
{
  if (processes.size() > 1)
    log.line(std::to_string(processes.size()) +
             " processes share the integrals over cells; each computes u for itself, and " +
             (has_levels_in_parts(parameters)
                  ? "levels of more than 12288 spheres are in parts, of others each has all spheres and the first "
                    "one projects"
                  : "each has all spheres and the first one projects"));
}

void HomogenizationRun::write_results()
{
  guard_writing([&] {
    if (!is_in_pieces())
      pictures->finish();
    pictures->list_each_mesh();
  });
  plot();
  output->write("convergence.csv", [&](std::ostream &out) { write_convergence(out, levels, compared); });
  output->write("statistics.csv", [&](std::ostream &out) { write_statistics(out, levels); });
}
} // namespace

std::unique_ptr<Run> homogenization_study(ParameterFile &file, Log &log)
{
  if (file.values().is_disorder())
    return disorder_study(file, log);
  return std::make_unique<HomogenizationRun>(file, log);
}
} // namespace moreau::app
