// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_RIGID_END_H
#define MOREAU_APP_RUN_RIGID_END_H

#include "app/output/log.h"
#include "micro/motion/sphere_motion.h"
#include "micro/network/rigid_clusters.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace moreau::app
{
/// The test of strict jamming where a motion ends: contacts that are closed then, and those of them that no velocity opens
/// while walls and bodies rest.
struct RigidEnd
{
  micro::Index                n_closed = 0;
  std::optional<micro::Index> n_rigid;              ///< empty: not known
  bool                        is_too_large = false; ///< for the linear program that tells them
  micro::RigidClusters        clusters;             ///< of these
  micro::Index                n_spheres = 0;

  nlohmann::ordered_json json() const; ///< `diagnostics` of summary.json; null for what is not known
  void                   say(Log &log) const;
};

/// tolerance: gap of a closed contact, of the smallest radius.
RigidEnd rigid_end(const micro::SphereMotion &motion, double tolerance);
} // namespace moreau::app

#endif
