// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/micro_outcome.h"
#include "convex/solvers/make_projector.h"

#include "app/input/text/words.h"
#include "convex/velocity_space.h"

#include <cmath>
#include <limits>

namespace moreau::app
{
namespace
{
using convex::Vector;

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

/// "3e-7 of |U - mean U|, 4e-7 of |u - mean u|, guaranteed". Without walls the scale of a certificate is |U - mean U|.
std::string bound_text(const convex::Certificate &certificate, const bool walls)
{
  const bool u_is_uniform = !(certificate.bound_relative_to_u < 1.); // as far as the bound can tell
  return short_number(certificate.relative_error_bound) +
         (walls ? " of the larger of |U - mean U| and the approach to the walls, " : " of |U - mean U|, ") +
         (u_is_uniform ? "u is uniform" : short_number(certificate.bound_relative_to_u) + " of |u - mean u|") +
         (certificate.guaranteed ? ", guaranteed" : "");
}
} // namespace

std::unique_ptr<convex::ConeProjector> MicroSetting::projector() const
{
  return convex::make_projector(parameters.solver, parameters.criterion);
}

MicroTotals totals_of(const Configuration &c, const micro::Spheres &at_end, const Vector &u)
{
  MicroTotals totals;
  totals.n_spheres       = c.spheres.size();
  totals.n_contacts      = c.graph.n_contacts();
  totals.n_unknowns      = u.size();
  totals.smallest_gap    = c.graph.smallest_gap;
  totals.energy_before   = energy(c.spheres, c.U);
  totals.energy_after    = energy(at_end, u);
  totals.fastest         = convex::max_abs(c.U);
  totals.momentum_before = momentum(c.spheres, c.U);
  totals.momentum_after  = momentum(at_end, u);
  if (const micro::BodyMotion bodies = micro::body_motion(c.spheres, c.U, u);
      bodies.n_bodies <= MicroTotals::most_bodies && !c.graph.box.any())
    totals.bodies = bodies;
  return totals;
}

MicroOutcome::MicroOutcome(const MicroSetting &run, const MicroTotals &totals)
    : summary(run.parameters), has_energies(run.configuration.D.size() == 0 || run.configuration.D.isZero(0.))
{
  const Configuration &c = run.configuration;

  summary.n_unknowns    = totals.n_unknowns;
  const double lost     = std::numeric_limits<double>::quiet_NaN();
  summary.energy_before = has_energies ? totals.energy_before : lost;
  summary.energy_after  = has_energies ? totals.energy_after : lost;

  if (c.packing)
    details["packing"] = *c.packing;
  const Vector &before = totals.momentum_before, &after = totals.momentum_after;
  details["solver"]          = run.parameters.solver;
  details["restitution"]     = number(run.parameters.law.restitution);
  details["spheres"]         = totals.n_spheres;
  details["contacts"]        = totals.n_contacts;
  details["walls"]           = c.walls.size();
  details["smallest_gap"]    = number(totals.smallest_gap);
  details["momentum_before"] = std::vector<double>(before.begin(), before.end());
  details["momentum_after"]  = std::vector<double>(after.begin(), after.end());
  rows.emplace_back("momentum before", point(before) + " kg m/s");
  rows.emplace_back("momentum after", point(after) + " kg m/s");

  const std::optional<micro::BodyMotion> &bodies = totals.bodies;
  details["bodies"]                              = bodies ? nlohmann::ordered_json(bodies->n_bodies) : nullptr;
  details["granular_energy"]                     = bodies ? number(bodies->granular) : nullptr;
  details["effective_restitution"]               = nullptr;
  if (bodies && bodies->effective_restitution && c.walls.empty())
    {
      const double e                   = *bodies->effective_restitution;
      details["effective_restitution"] = number(e);
      rows.emplace_back("bodies", (e < 0. ? "two, which go on towards each other with " : "two, which part with ") +
                                      short_number(std::abs(e)) + " of the speed that they met with, in their mean");
    }
}

void MicroOutcome::add(const convex::Diagnostics &diagnostics)
{
  details["diagnostics"] = to_json(diagnostics);
  if (diagnostics.rank_of_B)
    {
      std::string text = std::to_string(*diagnostics.rank_of_B) + " of " + counted(summary.n_constraints, "row") + ", " +
                         counted(summary.n_unknowns, "unknown");
      if (diagnostics.multiplier_is_unique)
        text += *diagnostics.multiplier_is_unique ? "; p is unique" : "; p is not unique";
      rows.emplace_back("rank of B", text);
    }
  if (diagnostics.gamma_at_most && std::isfinite(*diagnostics.gamma_at_most))
    rows.emplace_back("gamma", short_number(*diagnostics.gamma_at_most) + ": no self-stress, multipliers are bounded");
  else if (diagnostics.gamma_at_least && std::isinf(*diagnostics.gamma_at_least))
    rows.emplace_back("gamma", "infinite: contacts can press each other in a self-stress, multipliers are not bounded");
  if (diagnostics.n_rigid_rows && *diagnostics.n_rigid_rows > 0)
    rows.emplace_back("rigid contacts", std::to_string(*diagnostics.n_rigid_rows) + " of " +
                                            std::to_string(summary.n_constraints) +
                                            ": a self-stress presses them, no admissible velocity opens them");
  if (diagnostics.maximum_principle && *diagnostics.maximum_principle != convex::MaximumPrinciple::not_applicable)
    rows.emplace_back("maximum principle", convex::name(*diagnostics.maximum_principle) + " for this velocity");
}

void MicroOutcome::add(const micro::RigidClusters &clusters, const micro::Index n_spheres)
{
  nlohmann::ordered_json &json  = details["diagnostics"];
  json["rigid_clusters"]        = clusters.n_clusters;
  json["largest_rigid_cluster"] = clusters.largest;
  if (clusters.n_clusters > 0)
    rows.emplace_back("rigid clusters", std::to_string(clusters.n_clusters) + ", the largest of " +
                                            std::to_string(clusters.largest) + " of " + counted(n_spheres, "sphere"));
}

void MicroOutcome::say(const Summary &summary, const double restitution, const bool has_walls, Log &log) const
{
  const auto row = [&](const std::string &name, const std::string &text) { log.row(name, text); };
  if (has_energies)
    {
      row("energy before", energy_text(summary.energy_before));
      row("energy projected", energy_text(summary.energy_projected));
      row("energy after", energy_text(summary.energy_after) + ", restitution " + short_number(restitution));
    }
  for (const auto &[name, text] : rows)
    row(name, text);
  row("solver", method + ", " + counted(summary.effort.n_iterations, "iteration") + ", " +
                    short_number(summary.effort.seconds) + " s");
  row(bound_or_estimate(summary.certificate.guaranteed), bound_text(summary.certificate, has_walls));
  say_tolerance(log, summary);
}
} // namespace moreau::app
