// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/micro_impact.h"

#include "app/configuration.h"
#include "app/micro_output.h"
#include "app/output_directory.h"
#include "app/summary.h"

#include "convex/diagnostics.h"
#include "convex/impact_law.h"
#include "convex/input_error.h"
#include "insitu/writer.h"
#include "micro/impact_problem.h"
#include "micro/impact_sequence.h"

#include <deal.II/base/timer.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <ostream>
#include <set>
#include <sstream>

namespace moreau::app
{
namespace
{
using convex::Index;
using convex::Vector;

std::string short_number(const double x)
{
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", x);
  return buffer;
}

std::string counted(const Index n, const std::string &what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

/// ½<u,u> (J).
double energy(const micro::Spheres &spheres, const Vector &u)
{
  return 0.5 * convex::DiagonalSpace(spheres.m, spheres.dimension()).dot(u, u);
}

/// Σ m_k v_k (kg m/s).
Vector momentum(const micro::Spheres &spheres, const Vector &v)
{
  return Eigen::Map<const Eigen::MatrixXd>(v.data(), spheres.dimension(), spheres.size()) * spheres.m;
}

/// What an infeasible problem's p >= 0 with B*p = 0, <b,p> < 0 says: the contacts with p > 0 are a chain that walls squeeze.
std::string blocking_chain(const Configuration &c, const Vector &p)
{
  std::set<int>                    chain;
  std::set<std::string>            walls;
  std::vector<std::pair<int, int>> links;
  for (Index k = 0; k < c.graph.n_contacts(); ++k)
    if (const micro::Contact &contact = c.graph.contacts[k]; p(k) > 1e-6 * p.maxCoeff())
      {
        chain.insert(contact.i);
        if (c.graph.touches_wall(contact))
          walls.insert(name_of_second(c, contact));
        else
          {
            chain.insert(contact.j);
            links.emplace_back(contact.i, contact.j);
          }
      }
  if (chain.empty())
    return "the walls leave no admissible velocity; change their velocities";

  // Along the chain, from an end if it has one, so that neighbours stand side by side.
  const auto n_links = [&](const int k) {
    return std::count_if(links.begin(), links.end(), [k](const auto &l) { return l.first == k || l.second == k; });
  };
  int next =
      *std::min_element(chain.begin(), chain.end(), [&](const int a, const int b) { return n_links(a) < n_links(b); });
  constexpr int most_shown = 12;
  std::string   text;
  int           n_shown = 0;
  const Index   n       = chain.size();
  while (!chain.empty() && n_shown < most_shown)
    {
      text += (n_shown++ == 0 ? "" : "-") + std::to_string(next);
      chain.erase(next);
      const auto link = std::find_if(links.begin(), links.end(), [&](const auto &l) {
        return (l.first == next && chain.count(l.second)) || (l.second == next && chain.count(l.first));
      });
      if (link != links.end())
        next = link->first == next ? link->second : link->first;
      else if (!chain.empty())
        next = *chain.begin();
    }
  std::string between;
  for (const std::string &wall : walls)
    between += (between.empty() ? "" : " and ") + wall;
  return (n == 1 ? "sphere " : "spheres ") + text + (chain.empty() ? "" : "-... (" + std::to_string(n) + " spheres)") +
         (n == 1 ? " is" : " are") + " squeezed between " + (walls.size() == 1 ? "parts of the wall " : "the walls ") +
         between + "; change Zone/Wall velocities or leave a gap";
}

std::string vector_text(const Vector &v)
{
  std::string text = "(";
  for (Index k = 0; k < v.size(); ++k)
    text += (k == 0 ? "" : ", ") + short_number(v(k));
  return text + ")";
}

void say_configuration(const Configuration &c, Log &log)
{
  log.line(counted(c.spheres.size(), "sphere") + " in dimension " + std::to_string(c.spheres.dimension()) + ", " +
           counted(c.graph.n_contacts(), "contact") + ", " + counted(c.walls.size(), "wall"));
  if (c.graph.n_contacts() == 0)
    log.line("nothing touches: the smallest gap is " + short_number(c.graph.smallest_gap) + " m");
}

/// What one run has to say and to keep, whether it was one impact or a sequence.
struct Outcome
{
  Summary                                          summary;
  nlohmann::ordered_json                           details; ///< further keys of summary.json
  std::vector<std::pair<std::string, std::string>> rows;    ///< further lines of the closing table
  std::string                                      method;  ///< how the projections were computed
  std::string                                      reason;  ///< why not converged
  micro::Spheres                                   spheres; ///< at the end
  Vector                                           u_plus;
  std::vector<micro::SequenceImpact>               impacts;
};

/// What both kinds of run share.
Outcome outcome(const Parameters &parameters, const Configuration &c, micro::Spheres spheres, Vector u_plus)
{
  Outcome o;
  o.spheres                    = std::move(spheres);
  o.u_plus                     = std::move(u_plus);
  o.summary.problem            = parameters.problem;
  o.summary.dimension          = parameters.dimension;
  o.summary.n_unknowns         = o.u_plus.size();
  o.summary.energy_before      = energy(c.spheres, c.U);
  o.summary.energy_after       = energy(o.spheres, o.u_plus);
  o.summary.tolerance          = parameters.tolerance;
  const Vector before          = momentum(c.spheres, c.U);
  const Vector after           = momentum(o.spheres, o.u_plus);
  o.details["solver"]          = parameters.solver;
  o.details["restitution"]     = number(parameters.restitution);
  o.details["spheres"]         = c.spheres.size();
  o.details["contacts"]        = c.graph.n_contacts();
  o.details["walls"]           = c.walls.size();
  o.details["smallest_gap"]    = number(c.graph.smallest_gap);
  o.details["momentum_before"] = std::vector<double>(before.begin(), before.end());
  o.details["momentum_after"]  = std::vector<double>(after.begin(), after.end());
  o.rows.emplace_back("momentum before", vector_text(before) + " kg m/s");
  o.rows.emplace_back("momentum after", vector_text(after) + " kg m/s");
  return o;
}

void add_diagnostics(Outcome &o, const convex::Diagnostics &diagnostics)
{
  o.details["diagnostics"] = to_json(diagnostics);
  if (diagnostics.rank_of_B)
    {
      std::string text = std::to_string(*diagnostics.rank_of_B) + " of " + counted(o.summary.n_constraints, "row") + ", " +
                         counted(o.summary.n_unknowns, "unknown");
      if (diagnostics.multiplier_is_unique)
        text += *diagnostics.multiplier_is_unique ? "; p is unique" : "; p is not unique";
      o.rows.emplace_back("rank of B", text);
    }
  if (diagnostics.maximum_principle && *diagnostics.maximum_principle != convex::MaximumPrinciple::not_applicable)
    o.rows.emplace_back("maximum principle", convex::name(*diagnostics.maximum_principle) + " for this velocity");
}

convex::StoppingCriterion criterion(const Parameters &parameters)
{
  convex::StoppingCriterion criterion;
  criterion.tolerance      = parameters.tolerance;
  criterion.max_iterations = parameters.maximum_iterations;
  return criterion;
}

std::unique_ptr<convex::ConeProjector> projector(const Parameters &parameters)
{
  return convex::make_projector(parameters.solver, criterion(parameters));
}

/// One impact of what touches now.
Outcome single_impact(const Parameters &parameters, const Configuration &c, const OutputDirectory &output,
                      dealii::TimerOutput &timer)
{
  const convex::ProjectionProblem problem = micro::impact_problem(c.spheres, c.walls, c.graph, c.U);

  timer.enter_subsection("Projection");
  dealii::Timer        solve;
  const convex::Impact impact =
      convex::post_impact(problem, *projector(parameters), parameters.restitution, parameters.maximum_repetitions);
  solve.stop();
  timer.leave_subsection();
  if (impact.status == convex::Status::infeasible)
    throw InputError("Zone/Wall velocities",
                     "The box cannot move as asked: " + blocking_chain(c, impact.projection.p) + ".");

  Outcome o                  = outcome(parameters, c, c.spheres, impact.u_plus);
  o.summary.converged        = impact.status == convex::Status::converged;
  o.summary.n_constraints    = problem.n_constraints();
  o.summary.n_iterations     = impact.n_iterations;
  o.summary.wall_time        = solve.wall_time();
  o.summary.energy_projected = energy(c.spheres, impact.projection.u);
  o.summary.certificate      = impact.worst;
  o.method                   = impact.projection.method;
  o.reason                   = convex::name(impact.status);
  o.details["method"]        = impact.projection.method;
  o.details["impacts"]       = impact.n_impacts;
  o.details["collapsed"]     = impact.collapsed;
  o.rows.emplace_back("impacts",
                      std::to_string(impact.n_impacts) + (impact.collapsed ? ", ended by an inelastic projection" : ""));
  o.impacts = {{0., c.graph.n_contacts(), impact.n_impacts, impact.collapsed, o.summary.energy_before,
                o.summary.energy_after, impact.worst, impact.status}};

  timer.enter_subsection("Diagnostics");
  add_diagnostics(o, convex::diagnose(problem, impact.projection));
  timer.leave_subsection();

  timer.enter_subsection("Output");
  const Vector *u_projected = parameters.restitution > 0. ? &impact.projection.u : nullptr; // with e = 0 it is u
  output.guard([&] {
    insitu::VtkWriter(output.path())
        .write({0., 0, {sphere_mesh(c.spheres, c.U, impact.u_plus, u_projected), contact_mesh(c, problem, impact)}});
  });
  output.write("contacts.csv", [&](std::ostream &out) { write_contacts(out, c, problem, impact); });
  timer.leave_subsection();
  return o;
}

/// Free flight and impacts, one after the other; a snapshot at every impact and at the end.
Outcome sequence_of_impacts(const Parameters &parameters, const Configuration &c, const OutputDirectory &output,
                            dealii::TimerOutput &timer)
{
  micro::SequenceParameters sequence;
  sequence.restitution       = parameters.restitution;
  sequence.contact_tolerance = parameters.spheres.contact_tolerance;
  sequence.max_impacts       = parameters.impact_sequence.maximum_number;
  if (parameters.impact_sequence.end_time > 0.)
    sequence.end_time = parameters.impact_sequence.end_time;

  timer.enter_subsection("Flight and impacts");
  insitu::VtkWriter vtk(output.path());
  unsigned int      step    = 0;
  const auto write_snapshot = [&](const double time, const micro::Spheres &spheres, const Vector &U, const Vector &u) {
    output.guard([&] { vtk.write({time, step++, {sphere_mesh(spheres, U, u)}}); });
  };
  const auto observe = [&](const micro::SequenceImpact &impact, const micro::Spheres &spheres, const Vector &U,
                           const Vector &u_plus) {
    if (step == 0 && impact.time > 0.)
      write_snapshot(0., c.spheres, c.U, c.U);
    write_snapshot(impact.time, spheres, U, u_plus);
  };
  dealii::Timer               solve;
  const micro::ImpactSequence result =
      micro::impact_sequence(c.spheres, c.walls, c.U, *projector(parameters), sequence, observe);
  solve.stop();
  if (step == 0 || result.time > result.impacts.back().time)
    write_snapshot(result.time, result.spheres, result.U, result.U);
  timer.leave_subsection();

  Outcome o                        = outcome(parameters, c, result.spheres, result.U);
  o.impacts                        = result.impacts;
  o.summary.converged              = result.end != micro::ImpactSequence::End::overlap;
  o.summary.wall_time              = solve.wall_time();
  o.summary.energy_projected       = std::numeric_limits<double>::quiet_NaN(); // belongs to one impact
  o.summary.certificate.guaranteed = true;
  o.reason                         = "spheres overlap after " + short_number(result.time) + " s";
  for (const micro::SequenceImpact &impact : result.impacts)
    {
      if (impact.status == convex::Status::infeasible)
        throw InputError("Zone/Wall velocities",
                         "The box cannot move as asked after " + short_number(impact.time) +
                             " s: spheres are squeezed between walls; change their velocities or the end time.");
      if (impact.status != convex::Status::converged)
        {
          o.summary.converged = false;
          o.reason            = convex::name(impact.status) + " at " + short_number(impact.time) + " s";
        }
      o.summary.n_constraints = std::max(o.summary.n_constraints, impact.n_contacts);
      o.summary.n_iterations += impact.n_repeated;
      if (impact.certificate.relative_error_bound >= o.summary.certificate.relative_error_bound)
        o.summary.certificate = impact.certificate;
    }
  o.method                   = parameters.solver;
  o.details["impacts"]       = result.impacts.size();
  o.details["final_time"]    = number(result.time);
  o.details["ended_because"] = micro::name(result.end);
  o.rows.emplace_back("impacts", std::to_string(result.impacts.size()) + " until " + short_number(result.time) +
                                     " s: " + micro::name(result.end));
  return o;
}

void say_result(const Outcome &o, const Parameters &parameters, Log &log)
{
  const auto row = [&](const std::string &name, const std::string &text) {
    log.line("  " + name + std::string(22 - name.size(), ' ') + text);
  };
  const convex::Certificate &certificate = o.summary.certificate;
  row("energy before", short_number(o.summary.energy_before) + " J");
  if (std::isfinite(o.summary.energy_projected))
    row("energy projected", short_number(o.summary.energy_projected) + " J");
  row("energy after", short_number(o.summary.energy_after) + " J, restitution " + short_number(parameters.restitution));
  for (const auto &[name, text] : o.rows)
    row(name, text);
  row("solver",
      o.method + ", " + counted(o.summary.n_iterations, "iteration") + ", " + short_number(o.summary.wall_time) + " s");
  const bool u_is_uniform = !(certificate.bound_relative_to_u < 1.); // as far as the bound can tell
  row("relative error bound",
      short_number(certificate.relative_error_bound) + " of |U|, " +
          (u_is_uniform ? "u is uniform, " : short_number(certificate.bound_relative_to_u) + " of |u|, ") +
          (certificate.guaranteed ? "guaranteed" : "an estimate"));
  row("tolerance", short_number(parameters.tolerance));
  if (o.summary.tolerance_demanded > parameters.tolerance)
    log.line("  The tolerance lies below what double precision can certify here: three times the round-off floor, " +
             short_number(o.summary.tolerance_demanded) + ", is demanded.");
}
} // namespace

void check_micro_impact(ParameterFile &file, Log &log)
{
  say_configuration(configuration(file), log);
  log.line("the parameters are valid");
}

ExitStatus micro_impact(ParameterFile &file, Log &log)
{
  const Parameters   &parameters = file.values();
  std::ostringstream  timer_text;
  dealii::TimerOutput timer(timer_text, dealii::TimerOutput::never, dealii::TimerOutput::wall_times);

  timer.enter_subsection("Spheres and contacts");
  const Configuration c = configuration(file);
  timer.leave_subsection();
  say_configuration(c, log);

  const OutputDirectory output(parameters.output_directory);
  const auto            run = parameters.impact_sequence.maximum_number == 0 ? single_impact : sequence_of_impacts;
  Outcome               o;
  try
    {
      o = run(parameters, c, output, timer);
    }
  catch (const std::invalid_argument &error) // a problem without the structure that the solver needs
    {
      throw InputError("Solver", "'" + parameters.solver + "' cannot solve this problem: " + error.what());
    }

  timer.enter_subsection("Output");
  output.write("spheres.csv", [&](std::ostream &out) { micro::write_csv(out, o.spheres, o.u_plus); });
  output.write("statistics.csv", [&](std::ostream &out) { write_statistics(out, o.impacts); });
  output.write("parameters.prm", [&](std::ostream &out) { file.print(out); });
  timer.leave_subsection();

  o.summary.tolerance_demanded = criterion(parameters).demanded(o.summary.certificate);
  say_result(o, parameters, log);
  log.line("  files                 " + (output.path() / "").string() + ": open solution.pvd in ParaView");
  log.line(o.summary.converged ? "converged" : "not converged: " + o.reason);
  timer.print_summary();
  log.note(timer_text.str());
  output.write("log.txt", [&](std::ostream &out) { out << log.text(); });

  nlohmann::ordered_json json = to_json(o.summary);
  json.update(o.details);
  output.write("summary.json", [&](std::ostream &out) { out << json.dump(2) << '\n'; });
  return o.summary.converged ? ExitStatus::done : ExitStatus::not_converged;
}
} // namespace moreau::app
