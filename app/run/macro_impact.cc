// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/macro_impact.h"

#include "app/input/macro_setting.h"
#include "app/input/obstacle_text.h"
#include "app/output/impact_profile.h"
#include "app/output/pictures.h"
#include "app/output/verdict.h"
#include "app/input/text/words.h"

#include "convex/shared_network.h"
#include "convex/velocity_space.h"
#include "convex/solvers/diagnostics.h"
#include "convex/clock.h"
#include "macro/impact.h"
#include "macro/zone_level.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>

namespace moreau::app
{
namespace
{
using convex::Index;

/// One mesh of a run and what was computed on it.
struct Cycle
{
  std::unique_ptr<macro::Discretization> mesh;
  convex::Impact                         impact;
  macro::TotalBound                      bound;
  double                                 bound_wall_time = 0.;              ///< s
  Index                                  n_unknowns = 0, n_constraints = 0; ///< of all processes
};

class MacroRun : public Run
{
public:
  MacroRun(ParameterFile &file, Log &log) : Run(file, log, processes_of(file.values())) {}

private:
  void                   look() override { say(*discretization()); }
  void                   compute() override;
  void                   say_outcome() override;
  nlohmann::ordered_json summary() const override;
  double                 demanded() const override;

  std::unique_ptr<macro::Discretization> discretization();
  void                                   say(const macro::Discretization &mesh);
  void                                   solve();
  void                                   write(unsigned int cycle);
  void                                   plot();
  void                                   set_result();
  void                                   write_statistics(std::ostream &out) const;
  std::string                            verdict() const;
  std::string                            total_bound_text() const;
  double                                 order_of(std::size_t cycle) const;

  /// What statistics.csv and summary.json keep of every mesh.
  struct Row
  {
    Index               n_unknowns, n_constraints;
    convex::Effort      effort;
    double              bound_wall_time;
    convex::Certificate certificate;
    macro::TotalBound   bound;
  };

  convex::Vector          momentum_before, momentum_after; ///< ∫ρU and ∫ρu over Ω
  Cycle                   level;                           ///< the mesh at hand, at last the finest
  std::vector<Row>        rows;
  std::optional<Pictures> pictures;
  std::optional<double>   approximation_of_cone; ///< of the last mesh, where it has one

  macro::Cone   cone;   ///< of the mesh at hand
  macro::Domain domain; ///< the same
  bool          has_mean_gradient = false;
};

std::unique_ptr<macro::Discretization> MacroRun::discretization()
{
  Stage                stage(stages, "Mesh and fields", "evaluating the fields on the mesh");
  const macro::Setting setting = macro_setting(file, processes);
  cone                         = setting.cone;
  domain                       = setting.domain;
  has_mean_gradient            = setting.mean_gradient.size() > 0;
  for (const std::string &remark : {macro::remark_on_closed_box(setting), macro::remark_on_single_cells(setting)})
    if (!remark.empty())
      log.warn(remark);
  return macro::discretize(setting, stage.progress());
}

void MacroRun::say(const macro::Discretization &mesh)
{
  log.line(mesh.description());
  if (const std::string remarks = mesh.remarks(); !remarks.empty())
    log.line(remarks);
  if (const auto zone = mesh.volume_of_zone(); zone && zone->error > 0.)
    log.line("The zone holds " + short_number(zone->volume) + " m^" + std::to_string(parameters.dimension) +
             ", with an error of about " + short_number(zone->error) + " where its boundary cuts cells.");
}

void MacroRun::solve()
{
  const convex::ProjectionProblem &problem = level.mesh->problem();
  const auto *const                shared  = convex::shared_network(problem); // rows between processes are with both
  level.n_unknowns                         = processes.sum(problem.n_unknowns());
  level.n_constraints                      = shared ? shared->here().n_rows : processes.sum(problem.n_constraints());
  {
    Stage stage(stages, "Projection", "projecting on " + counted(level.n_constraints, "inequality"));
    level.impact = macro::impact(*level.mesh, parameters.law, stage.watched(parameters.criterion), parameters.solver);
  }
  Stage                   stage(stages, "Total error bound", "bounding the error");
  const convex::Stopwatch watch(level.bound_wall_time);
  level.bound = macro::bound_of_impact(*level.mesh, parameters.law, parameters.criterion, level.impact, stage.progress());
}

double MacroRun::demanded() const
{
  return level.impact.effort.n_projections == 1 ? level.impact.worst.demanded : Run::demanded();
}

void MacroRun::write(const unsigned int cycle)
{
  Stage              stage(stages, "Output", "writing files");
  geometry::Snapshot snapshot = {
      static_cast<double>(cycle), cycle,
      geometry::list_of(level.mesh->fields(level.impact.projection, level.impact.u_plus, level.bound)), cycle};
  macro::name_components(snapshot.meshes[0].cell_data, cone);
  if (level.mesh->cuts_cells())
    if (auto array = macro::zone_level(domain, snapshot.meshes[0].geometry().points))
      snapshot.meshes[0].point_data.push_back(std::move(*array));
  for (geometry::Mesh &mesh :
       wall_mesh(parameters.zone.walls, parameters.zone.lower_corner, parameters.zone.upper_corner, processes.rank() == 0))
    snapshot.meshes.push_back(std::move(mesh));
  pictures->write(std::move(snapshot), stage.progress().part(.3, 1.));
}

/// On the line.
void MacroRun::plot()
{
  Stage      stage(stages, "Output", "drawing plots");
  const auto fields = level.mesh->fields(level.impact.projection, level.impact.u_plus, level.bound);
  const auto write  = [&](std::ostream &out) { write_impact_profile(out, fields); };
  Plot       plot   = impact_plot(title_of(file));
  plot.formats      = parameters.plot_formats;
  output->write("profile.csv", write);
  if (const std::string complaint = draw(plot, output->path(), "profile", write, stage.progress()); !complaint.empty())
    log.warn(complaint);
}

/// Energies are kinetic, per unit of areal (in space: volume) density.
void MacroRun::set_result()
{
  const convex::VelocitySpace &V       = *level.mesh->problem().V;
  const macro::Motion          outside = level.mesh->outside();
  const auto                   energy  = [&](const convex::Vector &u) { return .5 * V.dot(u, u) + outside.energy; };

  result.converged        = level.impact.effort.converged();
  result.n_unknowns       = level.n_unknowns;
  result.n_constraints    = level.n_constraints;
  result.effort           = level.impact.effort;
  result.energy_before    = energy(level.mesh->problem().U);
  result.energy_projected = energy(level.impact.projection.u);
  result.energy_after     = energy(level.impact.u_plus);
  result.certificate      = level.impact.worst;
  take_out_lost_energies(result, processes.max(convex::max_abs(level.mesh->problem().U)), log);
  if (has_mean_gradient) // energies of D x + w are those of where the box lies
    result.energy_before = result.energy_projected = result.energy_after = std::numeric_limits<double>::quiet_NaN();
  if (std::isnan(result.energy_before))
    level.bound.least_energy = level.bound.most_energy = result.energy_before;
  momentum_before = level.mesh->momentum(level.mesh->problem().U) + outside.momentum;
  momentum_after  = level.mesh->momentum(level.impact.u_plus) + outside.momentum;
  result.verdict  = verdict();
}

/// Of the answer on this mesh, then with discretisation.
std::string MacroRun::verdict() const
{
  const std::string scale = scale_in_words(!parameters.zone.walls.empty(), has_mean_gradient);
  std::string       text  = verdict_on_impact(result, parameters.law.restitution, scale, name(result.effort.status)) +
                     " on this mesh; with discretisation ";
  if (!level.bound.available || !std::isfinite(level.bound.relative))
    return text + "nothing bounds it";
  return text + (level.bound.guaranteed ? "<= " : "estimated as ") + total_bound_text();
}

/// With what it is relative to.
std::string MacroRun::total_bound_text() const
{
  return short_number(level.bound.relative) + " " +
         (level.bound.scale_is_of_U ? "|U|" : scale_in_words(!parameters.zone.walls.empty(), has_mean_gradient));
}

/// Observed order of the total bound in the number of unknowns, between a mesh and the one before it.
double MacroRun::order_of(const std::size_t cycle) const
{
  if (cycle == 0 || !rows[cycle].bound.available || !rows[cycle - 1].bound.available)
    return std::numeric_limits<double>::quiet_NaN();
  return std::log(rows[cycle - 1].bound.eta / rows[cycle].bound.eta) /
         std::log(static_cast<double>(rows[cycle].n_unknowns) / static_cast<double>(rows[cycle - 1].n_unknowns));
}

nlohmann::ordered_json MacroRun::summary() const
{
  nlohmann::ordered_json json                       = app::to_json(result);
  json["certificate"]["total_relative_error_bound"] = relative_bound(level.bound);
  json["momentum_before"]                           = std::vector<double>(momentum_before.begin(), momentum_before.end());
  json["momentum_after"]                            = std::vector<double>(momentum_after.begin(), momentum_after.end());
  json["solver"]                                    = parameters.solver;
  json["method"]                                    = level.impact.projection.method;
  json["restitution"]                               = number(parameters.law.restitution);
  json["impacts"]                                   = level.impact.effort.n_projections;
  json["collapsed"]                                 = level.impact.effort.collapsed;
  json["leaves_cone"]                               = level.impact.approach > 0.;
  json["cone"]                                      = name(parameters.cone.type);
  json["approximation_of_cone"]                     = approximation_of_cone ? number(*approximation_of_cone) : nullptr;
  json["walls"]                                     = parameters.zone.walls;
  json["mesh"]                                      = level.mesh->description();
  json["remarks"]                                   = level.mesh->remarks();
  const auto zone                                   = level.mesh->volume_of_zone();
  json["zone_volume"]                               = zone ? number(zone->volume) : nullptr;
  json["zone_volume_error"]                         = zone ? number(zone->error) : nullptr;
  json["processes"]                                 = processes.size();
  json["total_bound"]                               = app::total_bound(level.bound);
  json["total_bound"]["wall_time_s"]                = number(level.bound_wall_time);
  json["adaptive_levels"]                           = nlohmann::ordered_json::array();
  for (std::size_t cycle = 0; cycle < rows.size(); ++cycle)
    json["adaptive_levels"].push_back({{"unknowns", rows[cycle].n_unknowns},
                                       {"constraints", rows[cycle].n_constraints},
                                       {"total_relative_error_bound", relative_bound(rows[cycle].bound)},
                                       {"order_per_unknown", number(order_of(cycle))}});
  if (processes.size() == 1 || convex::shared_network(level.mesh->problem()))
    json["diagnostics"] = app::to_json(convex::diagnose(level.mesh->problem(), level.impact.projection));
  return json;
}

void MacroRun::write_statistics(std::ostream &out) const
{
  out << "cycle,unknowns,constraints,iterations,wall_time,bound_wall_time,relative_error_bound,natural_residual,"
         "total_relative_error_bound,order_per_unknown\n";
  for (std::size_t cycle = 0; cycle < rows.size(); ++cycle)
    {
      const Row &row = rows[cycle];
      out << cycle << ',' << row.n_unknowns << ',' << row.n_constraints << ',' << row.effort.n_iterations << ','
          << digits(row.effort.seconds) << ',' << digits(row.bound_wall_time) << ','
          << digits(row.certificate.relative_error_bound) << ',' << digits(row.certificate.natural_residual) << ',';
      if (row.bound.available)
        out << digits(row.bound.relative);
      out << ',';
      if (const double order = order_of(cycle); std::isfinite(order))
        out << digits(order);
      out << '\n';
    }
}

void MacroRun::say_outcome()
{
  const auto row = [&](const std::string &name, const std::string &text) { log.row(name, text); };
  if (!has_mean_gradient)
    {
      row("energy before", energy_text(result.energy_before) + " per unit of density");
      row("energy projected", energy_text(result.energy_projected, ""));
      row("energy after",
          energy_text(result.energy_after, "") + ", restitution " + short_number(parameters.law.restitution));
    }
  row("momentum before", point(momentum_before) + " kg m/s per unit of density");
  row("momentum after", point(momentum_after));
  row("impacts",
      std::to_string(result.effort.n_projections) + (result.effort.collapsed ? ", ended by an inelastic projection" : ""));
  row("solver", level.impact.projection.method + ", " + counted(result.effort.n_iterations, "iteration") + ", " +
                    short_number(result.effort.seconds) + " s");
  row(bound_or_estimate(result.certificate.guaranteed), short_number(result.certificate.relative_error_bound) +
                                                            " of the discrete projection" +
                                                            (result.certificate.guaranteed ? ", guaranteed" : ""));
  if (approximation_of_cone)
    row("cone", "|u - u_outer| = " + short_number(*approximation_of_cone) + " of " +
                    scale_in_words(!parameters.zone.walls.empty(), has_mean_gradient) +
                    " between the inner polygon, whose u this is, and the outer one");
  if (level.bound.available)
    {
      row("total error bound", short_number(level.bound.relative) + " with discretisation, " +
                                   (level.bound.guaranteed ? "guaranteed" : "an estimate"));
      row("", level.bound.construction);
    }
  else
    row("total error bound",
        level.bound.estimated ? "none; an estimate of the error is " + short_number(level.bound.relative) : "none");
  if (!level.bound.remark.empty())
    log.line("  " + level.bound.remark);
  say_tolerance(log, result);
  const double demanded = result.tolerance_demanded, found = result.certificate.relative_error_bound;
  const bool   by_total = demanded > std::max(result.tolerance, 3. * result.certificate.round_off_floor);
  // of what η is where it is no bound, doc/formats.md
  const std::string total =
      level.bound.available ? "total error bound" : "error that this mesh is estimated to leave (no bound)";
  if (by_total)
    log.line("  Demanded is " + short_number(demanded) + ", a tenth of the " + total + ": no more would be seen.");
  row("files", (std::filesystem::path(parameters.output_directory) / "").string() + ": open solution.pvd in ParaView");
  if (result.converged && by_total && found > result.tolerance)
    log.line("converged: " + bound_or_estimate(result.certificate.guaranteed) + " " + short_number(found) + ", demanded " +
             short_number(demanded) + ", a tenth of the " + total);
  else
    log.line(result.converged ? "converged" : "not converged: " + convex::name(result.effort.status));
}

void MacroRun::compute()
{
  level.mesh = discretization();
  say(*level.mesh);
  open({parameters.mesh.file, parameters.zone.file});
  pictures.emplace(parameters, log, processes);

  for (unsigned int cycle = 0;; ++cycle)
    {
      solve();
      rows.push_back({level.n_unknowns, level.n_constraints, level.impact.effort, level.bound_wall_time, level.impact.worst,
                      level.bound});
      rows.back().bound.indicator.resize(0);
      if (parameters.mesh.adaptive_cycles > 0)
        log.line("cycle " + std::to_string(cycle) + ": " + counted(level.n_unknowns, "unknown") + ", total error bound " +
                 (level.bound.available ? short_number(level.bound.relative) : "none"));
      write(cycle);
      if (cycle == parameters.mesh.adaptive_cycles)
        break;
      const Stage stage(stages, "Refinement", "refining the mesh");
      auto        refined = level.mesh->refined(level.impact.projection, level.bound);
      if (!refined)
        break;
      level      = Cycle();
      level.mesh = std::move(refined);
    }
  if (parameters.cone.type == macro::ConeType::dilatant) // of a circle nothing is left out
    {
      const Stage stage(stages, "Outer approximation", "projecting on the outer polygon of the cone");
      approximation_of_cone = level.mesh->approximation_of_cone(level.impact.projection);
    }
  if (level.n_constraints == 0)
    log.warn("No inequality acts on this mesh, so that the velocity is that before: matter is saturated where its density "
             "(Zone) is 1, not nearly 1, and cells have to hold some of it.");
  if (level.bound.available && level.bound.relative > 1.)
    log.warn("The total error bound, " + total_bound_text() +
             ", says nothing of u; take more cells, and where it stays, U is "
             "not square integrable, as 1/x.");
  set_result();
  warn_of_end(level.impact, parameters.law.restitution, log);
  guard_writing([&] { pictures->finish(); });
  if (parameters.dimension == 1 && processes.size() == 1)
    plot();
  if (is_first())
    output->write("statistics.csv", [&](std::ostream &out) { write_statistics(out); });
}
} // namespace

std::unique_ptr<Run> macro_impact(ParameterFile &file, Log &log) { return std::make_unique<MacroRun>(file, log); }
} // namespace moreau::app
