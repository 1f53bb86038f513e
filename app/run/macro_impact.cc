// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/macro_impact.h"

#include "app/output/macro_output.h"
#include "app/input/macro_setting.h"
#include "app/output/output_directory.h"
#include "app/output/pictures.h"
#include "app/output/stages.h"
#include "app/output/summary.h"
#include "app/input/words.h"

#include "convex/solvers/diagnostics.h"
#include "convex/clock.h"
#include "convex/impact_law.h"
#include "convex/input_error.h"

#include <nlohmann/json.hpp>

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

class MacroRun
{
public:
  MacroRun(ParameterFile &file, Log &log)
      : file(file)
      , parameters(file.values())
      , log(log)
      , stages(!log.is_quiet())
      , processes(is_distributed(parameters) ? geometry::Processes() : geometry::Processes::alone())
  {}

  void       check();
  ExitStatus run();

private:
  std::unique_ptr<macro::Discretization> discretization();
  void                                   say(const macro::Discretization &mesh);
  void                                   solve(Cycle &level);
  void                                   make_bound_of_impact(Cycle &level) const;
  void                                   write(const Cycle &level, unsigned int cycle);
  Summary                                summary(const Cycle &level) const;
  nlohmann::ordered_json                 details(const Cycle &level) const;
  void                                   write_statistics(std::ostream &out) const;
  void                                   say_outcome(const Cycle &level, const Summary &summary);
  double                                 order_of(std::size_t cycle) const;

  convex::StoppingCriterion criterion() const
  {
    convex::StoppingCriterion criterion;
    criterion.tolerance      = parameters.tolerance;
    criterion.max_iterations = parameters.maximum_iterations;
    return criterion;
  }
  bool is_first() const { return processes.rank() == 0; }
  void wait_for_all() const { processes.sum(0.); }

  /// What statistics.csv and summary.json keep of every mesh.
  struct Row
  {
    Index               n_unknowns, n_constraints;
    convex::Effort      effort;
    double              bound_wall_time;
    convex::Certificate certificate;
    macro::TotalBound   bound;
  };

  ParameterFile                 &file;
  const Parameters              &parameters;
  Log                           &log;
  Stages                         stages;
  geometry::Processes            processes;
  std::vector<Row>               rows;
  std::optional<OutputDirectory> output; // on the first process
  std::optional<Pictures>        pictures;
};

std::unique_ptr<macro::Discretization> MacroRun::discretization()
{
  const Stage stage(stages, "Mesh and fields", "evaluating the fields on the mesh");
  return macro::discretize(macro_setting(file, processes));
}

void MacroRun::say(const macro::Discretization &mesh)
{
  log.line(mesh.description());
  if (const std::string remarks = mesh.remarks(); !remarks.empty())
    log.line(remarks);
}

void MacroRun::check()
{
  say(*discretization());
  log.line("the parameters are valid");
}

void MacroRun::solve(Cycle &level)
{
  const convex::ProjectionProblem &problem = level.mesh->problem();
  level.n_unknowns                         = processes.sum(problem.n_unknowns());
  level.n_constraints                      = processes.sum(problem.n_constraints());
  const auto projector                     = level.mesh->projector(parameters.solver, criterion());
  try
    {
      const Stage stage(stages, "Projection", "projecting on " + counted(level.n_constraints, "inequality"));
      level.impact = convex::post_impact(problem, *projector, parameters.restitution, parameters.maximum_repetitions,
                                         level.mesh->p_start());
    }
  catch (const std::invalid_argument &error) // a problem without the structure that the solver needs
    {
      throw InputError("Solver", "'" + parameters.solver + "' cannot solve this problem: " + error.what());
    }
  const Stage             stage(stages, "Total error bound", "bounding the error");
  const convex::Stopwatch watch(level.bound_wall_time);
  level.bound = level.mesh->total_bound(level.impact.projection);
  make_bound_of_impact(level);
}

/// The bound of the projection, made one of the velocity after the impact.
void MacroRun::make_bound_of_impact(Cycle &level) const
{
  const convex::ProjectionProblem &problem = level.mesh->problem();
  // U - (1+e)(U - v) is off by (1+e)|v - u|
  if (level.impact.effort.n_projections == 1)
    {
      const double factor = 1. + parameters.restitution;
      level.bound.eta *= factor;
      for (double *const square : {&level.bound.mismatch, &level.bound.work, &level.bound.oscillation})
        *square *= factor * factor;
      level.bound.indicator *= factor * factor;
    }
  else if (level.impact.effort.n_projections > 1)
    {
      level.bound.guaranteed = false;
      level.bound.remark += (level.bound.remark.empty() ? "" : " ") +
                            std::string("The impact was repeated: the bound is that of its first projection only.");
    }
  // a uniform U that runs into a wall has no spread; both bounds are relative to the same
  level.bound.scale = std::max(level.bound.scale, level.impact.projection.certificate.scale);
  // the spread of a uniform U is rounding
  if (const double size = problem.V->norm(problem.U); level.bound.scale < 1e-12 * size)
    level.bound.scale = size;
  level.bound.relative = level.bound.scale > 0. ? level.bound.eta / level.bound.scale : level.bound.eta;
}

void MacroRun::write(const Cycle &level, const unsigned int cycle)
{
  const Stage      stage(stages, "Output", "writing files");
  insitu::Snapshot snapshot = {
      static_cast<double>(cycle), cycle,
      insitu::list_of(field_mesh(level.mesh->fields(level.impact.projection, level.impact.u_plus, level.bound))), cycle};
  guard(output, [&] { pictures->write(std::move(snapshot)); });
}

/// Energies are kinetic, per unit of areal (in space: volume) density.
Summary MacroRun::summary(const Cycle &level) const
{
  const convex::VelocitySpace &V       = *level.mesh->problem().V;
  const double                 outside = level.mesh->energy_outside();
  const auto                   energy  = [&](const convex::Vector &u) { return .5 * V.dot(u, u) + outside; };

  Summary summary;
  summary.problem            = parameters.problem;
  summary.dimension          = parameters.dimension;
  summary.converged          = level.impact.effort.converged();
  summary.n_unknowns         = level.n_unknowns;
  summary.n_constraints      = level.n_constraints;
  summary.effort             = level.impact.effort;
  summary.energy_before      = energy(level.mesh->problem().U);
  summary.energy_projected   = energy(level.impact.projection.u);
  summary.energy_after       = energy(level.impact.u_plus);
  summary.certificate        = level.impact.worst;
  summary.tolerance          = parameters.tolerance;
  summary.tolerance_demanded = criterion().demanded(level.impact.worst);
  return summary;
}

/// Observed order of the total bound in the number of unknowns, between a mesh and the one before it.
double MacroRun::order_of(const std::size_t cycle) const
{
  if (cycle == 0 || !rows[cycle].bound.available || !rows[cycle - 1].bound.available)
    return std::numeric_limits<double>::quiet_NaN();
  return std::log(rows[cycle - 1].bound.eta / rows[cycle].bound.eta) /
         std::log(static_cast<double>(rows[cycle].n_unknowns) / static_cast<double>(rows[cycle - 1].n_unknowns));
}

nlohmann::ordered_json to_json(const macro::TotalBound &bound)
{
  nlohmann::ordered_json json;
  json["available"] = bound.available;
  if (bound.available)
    {
      json["guaranteed"]        = bound.guaranteed;
      json["construction"]      = bound.construction;
      json["eta"]               = number(bound.eta);
      json["scale"]             = number(bound.scale);
      json["mismatch"]          = number(bound.mismatch);
      json["work"]              = number(bound.work);
      json["oscillation"]       = number(bound.oscillation);
      json["largest_violation"] = number(bound.largest_violation);
    }
  json["remark"] = bound.remark;
  return json;
}

nlohmann::ordered_json MacroRun::details(const Cycle &level) const
{
  nlohmann::ordered_json json;
  json["solver"]                     = parameters.solver;
  json["method"]                     = level.impact.projection.method;
  json["restitution"]                = number(parameters.restitution);
  json["impacts"]                    = level.impact.effort.n_projections;
  json["collapsed"]                  = level.impact.effort.collapsed;
  json["cone"]                       = parameters.cone.type;
  json["walls"]                      = parameters.zone.walls;
  json["mesh"]                       = level.mesh->description();
  json["remarks"]                    = level.mesh->remarks();
  json["processes"]                  = processes.size();
  json["total_bound"]                = to_json(level.bound);
  json["total_bound"]["wall_time_s"] = number(level.bound_wall_time);
  json["adaptive_levels"]            = nlohmann::ordered_json::array();
  for (std::size_t cycle = 0; cycle < rows.size(); ++cycle)
    json["adaptive_levels"].push_back({{"unknowns", rows[cycle].n_unknowns},
                                       {"constraints", rows[cycle].n_constraints},
                                       {"total_relative_error_bound", number(rows[cycle].bound.relative)},
                                       {"order_per_unknown", number(order_of(cycle))}});
  if (processes.size() == 1)
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

void MacroRun::say_outcome(const Cycle &level, const Summary &summary)
{
  const auto row = [&](const std::string &name, const std::string &text) { log.row(name, text); };
  row("energy before", short_number(summary.energy_before) + " J per unit of density");
  row("energy projected", short_number(summary.energy_projected));
  row("energy after", short_number(summary.energy_after) + ", restitution " + short_number(parameters.restitution));
  row("impacts",
      std::to_string(summary.effort.n_projections) + (summary.effort.collapsed ? ", ended by an inelastic projection" : ""));
  row("solver", level.impact.projection.method + ", " + counted(summary.effort.n_iterations, "iteration") + ", " +
                    short_number(summary.effort.seconds) + " s");
  row("relative error bound", short_number(summary.certificate.relative_error_bound) + " of the discrete projection, " +
                                  (summary.certificate.guaranteed ? "guaranteed" : "an estimate"));
  if (level.bound.available)
    {
      row("total error bound", short_number(level.bound.relative) + " with discretisation, " +
                                   (level.bound.guaranteed ? "guaranteed" : "an estimate"));
      row("", level.bound.construction);
    }
  else
    row("total error bound", "none");
  if (!level.bound.remark.empty())
    log.line("  " + level.bound.remark);
  row("tolerance", short_number(summary.tolerance));
  if (summary.tolerance_demanded > summary.tolerance)
    log.line("  The tolerance lies below what double precision can certify here: three times the round-off floor, " +
             short_number(summary.tolerance_demanded) + ", is demanded.");
  row("files", (std::filesystem::path(parameters.output_directory) / "").string() + ": open solution.pvd in ParaView");
  log.line(summary.converged ? "converged" : "not converged: " + convex::name(summary.effort.status));
}

ExitStatus MacroRun::run()
{
  Cycle level;
  level.mesh = discretization();
  say(*level.mesh);
  if (is_first())
    output.emplace(parameters.output_directory,
                   std::vector<std::filesystem::path>{file.path(), parameters.mesh.file, parameters.zone.file});
  wait_for_all(); // the directory exists
  pictures.emplace(parameters, log,
                   insitu::Piece{static_cast<unsigned int>(processes.rank()), static_cast<unsigned int>(processes.size())});

  for (unsigned int cycle = 0;; ++cycle)
    {
      solve(level);
      rows.push_back({level.n_unknowns, level.n_constraints, level.impact.effort, level.bound_wall_time, level.impact.worst,
                      level.bound});
      rows.back().bound.indicator.resize(0);
      if (parameters.mesh.adaptive_cycles > 0)
        log.line("cycle " + std::to_string(cycle) + ": " + counted(level.n_unknowns, "unknown") + ", total error bound " +
                 short_number(level.bound.relative));
      write(level, cycle);
      if (cycle == parameters.mesh.adaptive_cycles)
        break;
      const Stage stage(stages, "Refinement", "refining the mesh");
      auto        refined = level.mesh->refined(level.impact.projection, level.bound);
      if (!refined)
        break;
      level      = Cycle();
      level.mesh = std::move(refined);
    }
  wait_for_all(); // every piece is written

  const Summary                result = summary(level); // reduces over processes
  const nlohmann::ordered_json more   = details(level);
  guard(output, [&] { pictures->finish(); });
  if (!is_first())
    return result.converged ? ExitStatus::done : ExitStatus::not_converged;
  output->write("statistics.csv", [&](std::ostream &out) { write_statistics(out); });
  output->write("parameters.prm", [&](std::ostream &out) { file.print(out); });
  say_outcome(level, result);
  log.note(stages.table());
  output->write("log.txt", [&](std::ostream &out) { out << log.text(); });
  nlohmann::ordered_json json = to_json(result);
  if (level.bound.available)
    json["certificate"]["total_relative_error_bound"] = number(level.bound.relative);
  json.update(more);
  output->write("summary.json", [&](std::ostream &out) { out << json.dump(2) << '\n'; });
  output->keep();
  return result.converged ? ExitStatus::done : ExitStatus::not_converged;
}
} // namespace

void check_macro_impact(ParameterFile &file, Log &log) { MacroRun(file, log).check(); }

ExitStatus macro_impact(ParameterFile &file, Log &log) { return MacroRun(file, log).run(); }
} // namespace moreau::app
