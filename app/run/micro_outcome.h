// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_MICRO_OUTCOME_H
#define MOREAU_APP_RUN_MICRO_OUTCOME_H

#include "app/input/sphere_setting.h"
#include "app/output/log.h"
#include "app/output/output_directory.h"
#include "app/output/stages.h"
#include "app/output/summary.h"
#include "convex/solvers/diagnostics.h"
#include "micro/body_motion.h"
#include "micro/impact_sequence.h"
#include "micro/network/rigid_clusters.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace moreau::app
{
/// What a run of `micro impact` works with.
struct MicroSetting
{
  const ParameterFile                  &file;
  const Parameters                     &parameters;
  const Configuration                  &configuration;
  const std::optional<OutputDirectory> &output; ///< of the first process
  Stages                               &stages;
  Log                                  &log;

  std::unique_ptr<convex::ConeProjector> projector() const;
};

/// Numbers of all spheres, before and after.
struct MicroTotals
{
  micro::Index                     n_spheres = 0, n_contacts = 0, n_unknowns = 0;
  double                           smallest_gap  = 0.;                    ///< m
  double                           energy_before = 0., energy_after = 0.; ///< J
  double                           fastest = 0.;                          ///< largest component of U (m/s)
  micro::Vector                    momentum_before, momentum_after;       ///< kg m/s
  std::optional<micro::BodyMotion> bodies;                                ///< where they are few

  static constexpr micro::Index most_bodies = 1000; ///< of which each has a velocity of its own
};

/// Those of spheres that one process has; at the end they are elsewhere and move at u.
MicroTotals totals_of(const Configuration &configuration, const micro::Spheres &at_end, const micro::Vector &u);

/// What it has to say and to keep, whether it was one impact or a sequence.
struct MicroOutcome
{
  Summary                                          summary;
  nlohmann::ordered_json                           details; ///< further keys of summary.json
  std::vector<std::pair<std::string, std::string>> rows;    ///< further lines of the closing table
  std::string                                      method;  ///< how the projections were computed, for that table
  std::string                                      reason;  ///< why not converged
  std::vector<micro::SequenceImpact>               impacts;
  bool has_energies; ///< not with a mean gradient: those of D x + w depend on where the box lies

  /// With all that every kind of run has.
  MicroOutcome(const MicroSetting &run, const MicroTotals &totals);

  void add(const convex::Diagnostics &diagnostics);
  /// Behind the diagnostics.
  void add(const micro::RigidClusters &clusters, micro::Index n_spheres);

  /// The closing table. summary: the same with the tolerance demanded.
  void say(const Summary &summary, double restitution, bool has_walls, Log &log) const;
};
} // namespace moreau::app

#endif
