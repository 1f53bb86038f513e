// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/single_impact.h"

#include "app/run/run.h"

#include "app/output/contact_plots.h"
#include "app/output/micro_output.h"
#include "app/output/pictures.h"
#include "app/input/text/words.h"

#include "micro/impact.h"
#include "micro/impact_problem.h"

#include <ostream>

namespace moreau::app
{
namespace
{
convex::Impact solve(const MicroSetting &run, const convex::ProjectionProblem &problem)
{
  Stage             stage(run.stages, "Projection", "projecting on " + counted(problem.n_constraints(), "contact"));
  const Parameters &p = run.parameters;
  return micro::apply_law(problem, run.configuration.graph, run.configuration.walls,
                          {p.law, stage.watched(p.criterion), p.solver});
}

/// The row of statistics.csv.
micro::SequenceImpact record_of(const MicroOutcome &o, const convex::Impact &impact)
{
  micro::SequenceImpact record;
  record.n_contacts       = o.summary.n_constraints;
  record.energy_before    = o.summary.energy_before;
  record.energy_projected = o.summary.energy_projected;
  record.energy_after     = o.summary.energy_after;
  record.effort           = impact.effort;
  record.certificate      = impact.worst;
  record.method           = impact.projection.method;
  return record;
}

void write_files(const MicroSetting &run, const micro::ImpactScene &scene)
{
  Stage                 stage(run.stages, "Output", "writing files");
  const convex::Impact &impact = scene.impact;
  const convex::Vector *u_projected =
      run.parameters.law.restitution > 0. ? &impact.projection.u : nullptr; // with e = 0 it is u
  const OutputDirectory &output = run.output;
  output.guard([&] {
    Pictures pictures(run.parameters, run.log);
    pictures.write(
        {0., 0,
         impact_meshes(run.parameters, run.configuration,
                       sphere_mesh(scene.spheres, scene.problem.U, impact.u_plus, u_projected), contact_mesh(scene))},
        stage.progress().part(0., .6));
    pictures.finish();
  });
  output.write("contacts.csv", [&](std::ostream &out) {
    write_contacts_header(out, scene.graph.dim, scene.graph.box.any());
    write_contacts(out, 1, scene);
  });
}

/// What Plots/Contacts asks for.
void show_contacts(const MicroSetting &run, const micro::ImpactScene &scene, MicroOutcome &o)
{
  const micro::ContactStatistics statistics =
      micro::contact_statistics(pressed_contacts(scene, run.parameters.criterion.tolerance), scene.graph.dim);
  o.details["contact_statistics"] = statistics_as_json(statistics);
  write_contact_tables(run.output, statistics);
  Stage stage(run.stages, "Output", "drawing plots");
  draw_contacts(run.file, run.output, statistics, "p", 0., run.log, stage.progress());
}
} // namespace

MicroOutcome single_impact(const MicroSetting &run, const convex::Impact *const known)
{
  const Configuration            &c       = run.configuration;
  const convex::ProjectionProblem problem = micro::impact_problem(c.spheres, c.walls, c.graph, c.U, c.D);
  const convex::Impact            impact  = known ? *known : solve(run, problem);

  MicroOutcome o(run, c.spheres, impact.u_plus);
  o.summary.converged        = impact.effort.converged();
  o.summary.n_constraints    = problem.n_constraints();
  o.summary.effort           = impact.effort;
  o.summary.energy_projected = 0.5 * problem.V->dot(impact.projection.u, impact.projection.u);
  o.summary.certificate      = impact.worst;
  o.method                   = impact.projection.method;
  o.reason                   = convex::name(impact.effort.status);
  o.impacts                  = {record_of(o, impact)};
  o.details["method"]        = impact.projection.method;
  o.details["impacts"]       = impact.effort.n_projections;
  o.details["collapsed"]     = impact.effort.collapsed;
  o.details["leaves_cone"]   = impact.approach > 0.;
  warn_of_approach(impact.approach, run.log);
  o.rows.emplace_back("impacts", std::to_string(impact.effort.n_projections) +
                                     (impact.effort.collapsed ? ", ended by an inelastic projection" : ""));
  {
    const Stage stage(run.stages, "Diagnostics", "diagnosing");
    o.add(convex::diagnose(problem, impact.projection));
  }
  const micro::ImpactScene scene = {c.spheres, c.walls,   c.graph,       problem,
                                    impact,    problem.U, impact.u_plus, impact.projection.u};
  write_files(run, scene);
  if (run.parameters.plot_contacts)
    show_contacts(run, scene, o);
  return o;
}
} // namespace moreau::app
