// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/single_impact.h"

#include "app/run/run.h"

#include "app/output/contact_plots.h"
#include "app/output/impact_arrays.h"
#include "app/output/micro_output.h"
#include "app/output/pictures.h"
#include "app/output/shared_table.h"
#include "app/input/text/words.h"

#include "convex/solvers/diagnostics.h"
#include "convex/solvers/facial_reduction.h"
#include "convex/solvers/make_projector.h"
#include "convex/vectors.h"
#include "convex/velocity_space.h"
#include "micro/impact.h"
#include "micro/impact_problem.h"
#include "micro/network/rigid_clusters.h"
#include "parallel/collectives.h"
#include "parallel/impact_totals.h"
#include "parallel/parts_of_spheres.h"

#include <algorithm>
#include <ostream>

namespace moreau::app
{
namespace
{
using convex::Vector;
using geometry::Processes;

/// The problem and its answer, in an order in which sums can be made.
struct Answer
{
  const convex::ProjectionProblem &problem;
  const convex::Impact            &impact;
  MicroTotals                      totals;
};

/// What this process shows of it: its spheres and the contacts that begin at one of them.
struct Shown
{
  Vector        u_plus, u_projected;
  ContactRows   rows;
  PartOfSpheres part;
  Vector        rigid; ///< per contact, as RigidSet::is_rigid
};

/// Clusters of the rigid contacts of all processes, which all get.
micro::RigidClusters clusters_of(const Shown &shown, const Processes &processes)
{
  const micro::ContactGraph graph = parallel::on_first(processes, shown.rows.graph);
  const Vector              flags = parallel::on_first(processes, shown.rigid);
  micro::RigidClusters      result;
  parallel::by_first(processes,
                     [&] { result = micro::rigid_clusters(graph, std::vector<char>(flags.begin(), flags.end())); });
  Eigen::Index n_spheres = static_cast<Eigen::Index>(result.of_sphere.size());
  parallel::from_first(processes, &n_spheres, sizeof n_spheres);
  result.of_sphere.resize(n_spheres);
  parallel::from_first(processes, result.of_sphere.data(), n_spheres * sizeof(int));
  parallel::from_first(processes, &result.n_clusters, sizeof result.n_clusters);
  parallel::from_first(processes, &result.largest, sizeof result.largest);
  return result;
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

/// All numbers of the outcome.
MicroOutcome outcome_of(const MicroSetting &run, const Answer &answer)
{
  const convex::Impact &impact = answer.impact;
  MicroOutcome          o(run, answer.totals);
  o.summary.converged        = impact.effort.converged();
  o.summary.n_constraints    = answer.totals.n_contacts;
  o.summary.effort           = impact.effort;
  o.summary.energy_projected = 0.5 * answer.problem.V->dot(impact.projection.u, impact.projection.u);
  o.summary.certificate      = impact.worst;
  if (o.has_energies)
    take_out_lost_energies(o.summary, answer.totals.fastest, run.log);
  else
    o.summary.energy_projected = o.summary.energy_before;
  o.method                 = impact.projection.method;
  o.reason                 = convex::name(impact.effort.status);
  o.impacts                = {record_of(o, impact)};
  o.details["method"]      = impact.projection.method;
  o.details["impacts"]     = impact.effort.n_projections;
  o.details["collapsed"]   = impact.effort.collapsed;
  o.details["leaves_cone"] = impact.approach > 0.;
  warn_of_end(impact, run.parameters.law.restitution, run.log);
  o.rows.emplace_back("impacts", std::to_string(impact.effort.n_projections) +
                                     (impact.effort.collapsed ? ", ended by an inelastic projection" : ""));
  {
    const Stage stage(run.stages, "Diagnostics", "diagnosing");
    o.add(convex::diagnose(answer.problem, impact.projection));
  }
  return o;
}

/// The box of the zone with all spheres of all processes.
std::pair<Vector, Vector> box_of_all(const MicroSetting &run, const Processes &processes)
{
  auto [lower, upper] = box_around(run.parameters, run.configuration.spheres);
  for (Eigen::Index axis = 0; axis < lower.size(); ++axis)
    {
      lower(axis) = -processes.max(-lower(axis));
      upper(axis) = processes.max(upper(axis));
    }
  return {lower, upper};
}

void write_tables(const MicroSetting &run, const Shown &shown, const Processes &processes)
{
  const Configuration       &c     = run.configuration;
  const micro::ContactGraph &graph = shown.rows.graph;
  if (run.parameters.tables_are_hdf5)
    {
      write_shared(run.output, processes, "contacts.h5", contact_columns(graph), graph.n_contacts(),
                   [&](std::vector<double> &numbers, const auto first, const auto last) {
                     add_contacts(numbers, shown.rows, first, last);
                   });
      write_shared(run.output, processes, "spheres.h5", sphere_columns(graph.dim), c.spheres.size(),
                   [&](std::vector<double> &numbers, const auto first, const auto last) {
                     add_spheres(numbers, c.spheres, shown.u_plus, first, last);
                   });
      return;
    }
  write_shared(
      run.output, processes, "contacts.csv",
      [&](std::ostream &out) { write_contacts_header(out, graph.dim, graph.box.any()); }, graph.n_contacts(),
      [&](std::ostream &out, const auto first, const auto last) {
        write_contacts(out, 1, shown.rows, c.walls, first, last);
      });
  write_shared(
      run.output, processes, "spheres.csv", [&](std::ostream &out) { micro::write_csv_header(out, graph.dim, true, false); },
      c.spheres.size(),
      [&](std::ostream &out, const auto first, const auto last) {
        micro::write_csv_rows(out, c.spheres, shown.u_plus, first, last);
      });
}

/// clusters: where there are rigid contacts, or null.
void write_files(const MicroSetting &run, const Shown &shown, const micro::RigidClusters *const clusters,
                 const Processes &processes)
{
  Stage                stage(run.stages, "Output", "writing files");
  const Configuration &c          = run.configuration;
  const Vector *const u_projected = run.parameters.law.restitution > 0. ? &shown.u_projected : nullptr; // with e = 0 it is u
  const auto          box         = box_of_all(run, processes);
  geometry::Mesh      spheres     = sphere_mesh(c.spheres, c.U, shown.u_plus, u_projected);
  geometry::Mesh      contacts    = contact_mesh(c.spheres, shown.rows, shown.part);
  if (clusters != nullptr)
    {
      const auto first = clusters->of_sphere.begin() + shown.part.first;
      spheres.point_data.push_back({"rigid_cluster", "", 1, {first, first + c.spheres.size()}});
      contacts.cell_data.push_back({"rigid", "", 1, convex::values(shown.rigid)});
    }
  Pictures pictures(run.parameters, run.log, processes);
  pictures.write({0., 0, impact_meshes(c.walls, box, std::move(spheres), std::move(contacts), processes.rank() == 0)},
                 stage.progress().part(0., .6));
  guard_writing([&] { pictures.finish(); });
  write_tables(run, shown, processes);
}

/// What Plots/Contacts asks for.
void show_contacts(const MicroSetting &run, const Shown &shown, MicroOutcome &o, const Processes &processes)
{
  const Vector  &p     = shown.rows.p;
  const double   least = run.parameters.criterion.tolerance * processes.max(p.size() > 0 ? std::max(0., p.maxCoeff()) : 0.);
  parallel::List pressed;
  for (const micro::PressedContact &contact : pressed_contacts(shown.rows.graph, p, least))
    pressed.insert(pressed.end(), {contact.e(0), contact.e(1), contact.e(2), contact.p});
  pressed = parallel::on_first(processes, pressed);
  parallel::by_first(processes, [&] {
    std::vector<micro::PressedContact> all;
    for (std::size_t at = 0; at < pressed.size(); at += 4)
      all.push_back({Eigen::Map<const Eigen::Vector3d>(pressed.data() + at), pressed[at + 3]});
    const micro::ContactStatistics statistics = micro::contact_statistics(all, shown.rows.graph.dim);
    o.details["contact_statistics"]           = statistics_as_json(statistics);
    write_contact_tables(*run.output, statistics);
    Stage stage(run.stages, "Output", "drawing plots");
    draw_contacts(run.file, *run.output, statistics, "p", 0., run.log, stage.progress());
  });
}

MicroOutcome reported(const MicroSetting &run, const Answer &answer, const Shown &shown, const Processes &processes)
{
  MicroOutcome                        o = outcome_of(run, answer);
  std::optional<micro::RigidClusters> clusters;
  if (const std::optional<convex::RigidSet> &rigid = answer.impact.projection.rigid)
    {
      if (rigid->n_rows > 0)
        clusters = clusters_of(shown, processes);
      o.add(clusters.value_or(micro::RigidClusters()), answer.totals.n_spheres);
    }
  write_files(run, shown, clusters ? &*clusters : nullptr, processes);
  if (run.parameters.plot_contacts)
    show_contacts(run, shown, o, processes);
  return o;
}

/// Where walls or the mean gradient leave no admissible velocity the first process says which spheres are in the way.
void refuse_squeeze(const Configuration &c, const Vector &p, const Processes &processes)
{
  const micro::ContactGraph graph   = parallel::on_first(processes, c.graph);
  const Vector              p_whole = parallel::on_first(processes, p);
  parallel::by_first(processes, [&] { micro::refuse_squeeze(graph, c.walls, p_whole); });
}
} // namespace

MicroOutcome single_impact(const MicroSetting &run)
{
  const Configuration            &c       = run.configuration;
  const Parameters               &p       = run.parameters;
  const convex::ProjectionProblem problem = micro::impact_problem(c.spheres, c.walls, c.graph, c.U, c.D);
  convex::Impact                  impact;
  {
    Stage stage(run.stages, "Projection", "projecting on " + counted(problem.n_constraints(), "contact"));
    impact = micro::apply_law(problem, c.graph, c.walls, {p.law, stage.watched(p.criterion), p.solver});
  }
  if (!impact.projection.rigid)
    {
      const Stage stage(run.stages, "Diagnostics", "looking for rigid contacts");
      impact.projection.rigid = convex::rigid_rows(problem, convex::dense_limit);
    }
  const micro::ImpactScene scene = {c.spheres, c.walls,   c.graph,       problem,
                                    impact,    problem.U, impact.u_plus, impact.projection.u};
  return reported(run, {problem, impact, totals_of(c, c.spheres, impact.u_plus)},
                  {impact.u_plus,
                   impact.projection.u,
                   contact_rows(scene),
                   {},
                   impact.projection.rigid.value_or(convex::RigidSet()).is_rigid},
                  Processes::alone());
}

MicroOutcome single_impact(const MicroSetting &run, const parallel::SharedImpact &shared, Eigen::MatrixXd r_j,
                           const Processes &processes)
{
  const Configuration             &c       = run.configuration;
  const convex::ProjectionProblem &problem = shared.problem;
  const convex::NetworkPart       &here    = convex::shared_network(problem)->here();
  convex::Impact                   impact;
  {
    Stage      stage(run.stages, "Projection", "projecting on " + counted(here.n_rows, "contact"));
    const auto projector = convex::make_projector(run.parameters.solver, stage.watched(run.parameters.criterion));
    impact               = convex::single_impact(problem, *projector, run.parameters.law);
  }
  if (impact.effort.status == convex::Status::infeasible)
    refuse_squeeze(c, shared.given_rows(impact.projection.p), processes);

  MicroTotals totals;
  totals.n_spheres       = here.n_nodes;
  totals.n_contacts      = here.n_rows;
  totals.n_unknowns      = here.dim * here.n_nodes;
  totals.smallest_gap    = c.graph.smallest_gap;
  totals.energy_before   = .5 * problem.V->dot(problem.U, problem.U);
  totals.energy_after    = .5 * problem.V->dot(impact.u_plus, impact.u_plus);
  totals.fastest         = processes.max(convex::max_abs(problem.U));
  totals.momentum_before = parallel::momentum(shared, problem.U);
  totals.momentum_after  = parallel::momentum(shared, impact.u_plus);
  if (!c.graph.box.any())
    totals.bodies = parallel::body_motion(shared, impact.u_plus, MicroTotals::most_bodies, processes);

  const auto approach = [&](const Vector &v) {
    Vector Bv(problem.n_constraints());
    problem.B->apply(v, Bv);
    return shared.given_rows(Bv - problem.right_hand_side());
  };
  const convex::RigidSet rigid = impact.projection.rigid.value_or(convex::RigidSet());
  const Shown            shown = {shared.given_nodes(impact.u_plus, here.dim),
                                  shared.given_nodes(impact.projection.u, here.dim),
                                  {c.graph, shared.given_rows(impact.projection.p), shared.given_rows(impact.impulse),
                                   approach(problem.U), approach(impact.u_plus)},
                                  {shared.spheres().given_begin[processes.rank()], std::move(r_j)},
                       rigid.n_rows > 0 ? shared.given_rows(rigid.is_rigid) : Vector()};
  return reported(run, {problem, impact, std::move(totals)}, shown, processes);
}
} // namespace moreau::app
