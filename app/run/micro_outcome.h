// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_MICRO_OUTCOME_H
#define MOREAU_APP_RUN_MICRO_OUTCOME_H

#include "app/input/sphere_setting.h"
#include "app/output/log.h"
#include "app/output/output_directory.h"
#include "app/output/stages.h"
#include "app/output/summary.h"
#include "convex/solvers/diagnostics.h"
#include "micro/impact_sequence.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace moreau::app
{
/// What a run of `micro impact` works with.
struct MicroSetting
{
  const ParameterFile   &file;
  const Parameters      &parameters;
  const Configuration   &configuration;
  const OutputDirectory &output;
  Stages                &stages;
  Log                   &log;

  std::unique_ptr<convex::ConeProjector> projector() const;
};

/// What it has to say and to keep, whether it was one impact or a sequence.
struct MicroOutcome
{
  Summary                                          summary;
  nlohmann::ordered_json                           details; ///< further keys of summary.json
  std::vector<std::pair<std::string, std::string>> rows;    ///< further lines of the closing table
  std::string                                      method;  ///< how the projections were computed, for that table
  std::string                                      reason;  ///< why not converged
  micro::Spheres                                   spheres; ///< at the end
  micro::Vector                                    u_plus;
  std::vector<micro::SequenceImpact>               impacts;

  /// With all that both kinds of run share.
  MicroOutcome(const MicroSetting &run, micro::Spheres spheres, micro::Vector u_plus);

  void add(const convex::Diagnostics &diagnostics);

  /// The closing table. summary: the same with the tolerance demanded.
  void say(const Summary &summary, double restitution, bool has_walls, Log &log) const;
};
} // namespace moreau::app

#endif
