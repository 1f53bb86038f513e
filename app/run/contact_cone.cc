// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/contact_cone.h"

#include "app/input/macro_setting.h"
#include "app/input/shared_setting.h"
#include "app/input/text/words.h"
#include "app/output/contact_cone_output.h"
#include "app/output/micro_output.h"
#include "app/output/origin.h"
#include "app/output/pictures.h"
#include "app/output/plot.h"

#include "convex/clock.h"
#include "convex/input_error.h"
#include "parallel/collectives.h"
#include "parallel/dealt_contact_cone.h"

#include <algorithm>
#include <ostream>

namespace moreau::app
{
namespace
{
class ContactConeRun : public Run
{
public:
  ContactConeRun(ParameterFile &file, Log &log) : Run(file, log, processes_of(file.values())) {}

private:
  void look() override
  {
    parallel::by_first(processes, [&] { setting = app::configuration(file); });
    say();
    require_contacts();
  }
  void                   compute() override;
  void                   say_outcome() override;
  nlohmann::ordered_json summary() const override
  {
    nlohmann::ordered_json json = is_first() ? summary_of(cone, result) : to_json(result);
    json["processes"]           = processes.size();
    return json;
  }
  double demanded() const override { return parameters.criterion.tolerance; }

  void say();
  void require_contacts();
  void write();
  void plot(const geometry::Progress &progress);

  Configuration setting;
  NetworkCone   cone;
  std::string   missing_plot; ///< why there is none
  std::string   drawn;        ///< files of the plot, with a comma behind each
};

void ContactConeRun::say()
{
  if (!is_first())
    return;
  log.line(counted(setting.spheres.size(), "sphere") + " in dimension " + std::to_string(setting.spheres.dimension()) +
           ", " + counted(setting.graph.n_contacts(), "contact") + " in a periodic box");
  if (!setting.remark.empty())
    log.line(setting.remark);
  if (!setting.lost_contacts.empty())
    log.warn(setting.lost_contacts);
  if (setting.packing)
    {
      log.line(setting.packing->text());
      if (!setting.packing->warning.empty())
        log.warn(setting.packing->warning);
    }
}

/// Throws, on all processes, where there are none.
void ContactConeRun::require_contacts()
{
  parallel::by_first(processes, [&] {
    if (setting.graph.n_contacts() > 0)
      return;
    throw InputError("Spheres/Contact tolerance",
                     "Nothing touches, the smallest gap is " + short_number(setting.graph.smallest_gap) +
                         " m, so that no mean velocity gradient is blocked; raise it, or give a "
                         "packing.");
  });
}

void ContactConeRun::compute()
{
  {
    Stage stage(stages, "Spheres and contacts", "placing spheres and finding contacts");
    parallel::by_first(processes,
                       [&] { setting = app::configuration(file, [&](const double fraction) { stage.done(fraction); }); });
  }
  say();
  require_contacts();
  if (processes.size() > 1)
    log.line(std::to_string(processes.size()) + " processes share the linear programs");
  open(parameters.spheres.arrangement == "file" ? std::vector<std::filesystem::path>{parameters.spheres.file}
                                                : std::vector<std::filesystem::path>{});
  if (setting.packing && is_first())
    write_packing(*output, *setting.packing, setting.spheres, setting.U);
  parallel::by_first(processes, [&] {
    Stage stage(stages, "Network", "counting contacts and self-stresses");
    cone.coordination    = micro::coordination(setting.graph);
    cone.n_self_stresses = micro::n_self_stresses(setting.graph);
  });
  {
    Stage             stage(stages, "Linear programs", "solving a linear program for each direction");
    convex::Stopwatch solving(result.effort.seconds);
    const auto        deviators = parameters.dimension == 2
                                      ? micro::plane_deviators(static_cast<int>(parameters.contact_cone_angles))
                                      : micro::space_deviators();
    cone.edges = parallel::dealt_contact_cone(setting.spheres, setting.graph, deviators, parameters.criterion.tolerance,
                                              processes, stage.progress());
  }
  if (!is_first())
    return;
  cone.n_spheres       = setting.spheres.size();
  cone.fabric          = micro::fabric(setting.graph);
  cone.packing         = setting.packing;
  result.n_unknowns    = setting.spheres.dimension() * cone.n_spheres + 1;
  result.n_constraints = setting.graph.n_contacts();
  for (const micro::ConeEdge &edge : cone.edges)
    result.effort.n_iterations += edge.n_iterations;
  result.converged =
      cone.agrees() && std::all_of(cone.edges.begin(), cone.edges.end(), [](const auto &edge) { return edge.converged; });
  result.verdict = verdict_of(cone, parameters.criterion.tolerance);
  if (cone.coordination.n_held == 0 && cone.has_stress())
    log.warn("Every sphere counts as a rattler, since none has contacts on all sides: stresses run along single rows of "
             "spheres, whose s says what these block and not what a packing does.");
  if (!cone.has_stress())
    log.warn("No stress is balanced in this packing: its contacts block no mean velocity gradient.");
  write();
}

void ContactConeRun::write()
{
  Stage      stage(stages, "Output", "writing files");
  const auto n_edges = static_cast<double>(cone.edges.size());
  output->write("spheres.csv", [&](std::ostream &out) { micro::write_csv(out, setting.spheres, {}); });
  output->write("cone.csv", [&](std::ostream &out) { write_cone(out, cone.edges); });
  guard_writing([&] {
    Pictures pictures(parameters, log);
    for (std::size_t k = 0; k < cone.edges.size(); ++k)
      pictures.write(
          {parameters.dimension == 2 ? cone.edges[k].deviator.angle : static_cast<double>(k), static_cast<unsigned int>(k),
           geometry::list_of(network_spheres(setting.spheres, cone.coordination, cone.edges[k]),
                             network_contacts(setting.spheres, setting.graph, cone.edges[k]))},
          stage.progress().part(.7 * static_cast<double>(k) / n_edges, .7 * static_cast<double>(k + 1) / n_edges));
    pictures.finish();
  });
  if (parameters.dimension == 2 && cone.has_stress() && cone.agrees())
    plot(stage.progress().part(.7, 1.));
}

void ContactConeRun::plot(const geometry::Progress &progress)
{
  Plot plot;
  plot.script         = "contact_cone";
  plot.texts["title"] = title_of(file);
  plot.texts["mean"]  = rounded_number(micro::harmonics(cone.edges).mean);
  plot.formats        = parameters.plot_formats;
  missing_plot        = draw(
             plot, output->path(), "cone", [&](std::ostream &out) { write_polar_table(out, cone.edges, setting.graph); }, progress);
  drawn = missing_plot.empty() ? pictures_of(plot, "cone") + ", cone.gp, " : "";
  if (!missing_plot.empty())
    log.warn(missing_plot);
}

void ContactConeRun::say_outcome()
{
  const bool is_disordered = parameters.spheres.arrangement.find("lattice") == std::string::npos;
  for (const auto &[name, text] : rows_of(cone, is_disordered))
    log.row(name, text);
  log.row("linear programs", std::to_string(cone.edges.size()) + ", " + counted(result.effort.n_iterations, "iteration") +
                                 ", " + short_number(result.effort.seconds) + " s");
  log.row("tolerance", short_number(result.tolerance) + " of s");
  log.row("files", drawn + "cone.csv and " + (output->path() / "").string() + ": open solution.pvd in ParaView");
  log.line(result.converged ? "converged" : "not converged");
}
} // namespace

std::unique_ptr<Run> contact_cone(ParameterFile &file, Log &log) { return std::make_unique<ContactConeRun>(file, log); }
} // namespace moreau::app
