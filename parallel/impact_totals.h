// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_IMPACT_TOTALS_H
#define MOREAU_PARALLEL_IMPACT_TOTALS_H

#include "micro/body_motion.h"
#include "parallel/shared_impact.h"

#include <optional>

/// Sums over the spheres of a shared impact: by blocks, with the same digits on any number of processes, which call these
/// together.
namespace moreau::parallel
{
/// Σ m_k v_k (kg m/s); v: of own spheres.
Vector momentum(const SharedImpact &shared, const Vector &v);

/// micro::body_motion(); u: velocities of own spheres after the impact. Nothing where there are more than `most` bodies.
std::optional<micro::BodyMotion> body_motion(const SharedImpact &shared, const Vector &u, Index most,
                                             const Processes &processes);
} // namespace moreau::parallel

#endif
