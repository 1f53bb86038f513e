// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_IMPACT_STAGE_H
#define MOREAU_MACRO_FLOW_IMPACT_STAGE_H

#include "convex/impact_law.h"
#include "macro/flow/transport.h"

namespace moreau::macro
{
/// The impact law of a flow.
struct ImpactLaw
{
  convex::Law          law;
  convex::SlowApproach slow; ///< `resting` without what the force does
  /// The tolerance is that of the approach that is left, relative to the largest one before each application.
  convex::StoppingCriterion criterion;
  double           share_of_tolerance = 1e-2; ///< that a projection with rebound may leave; one without leaves 1e-4 at most
  const FaceCells *given = nullptr; ///< velocities that the force gives in the step, on faces (m/s); null: there is none
};

/// An impact of the full zone of a flow.
struct FlowImpact : convex::Impact
{
  /// What parts at rest would have kept of their approach with a rebound, without what the force added to it in the step
  /// (J per unit of density).
  double unrebounded_energy = 0.;
};

/// u⁺ = u⁻ - (1+e)(u⁻ - P_C u⁻) for the full zone [ρ = ρ̄] in the metric of the dual masses (BM, eq. 46), repeated until u⁺
/// is admissible: convex::post_impact() on the cone of a FullZone,
///     C = { u : -div(ρ̄u) <= 0 in the zone },    ρ_D u⁺ = ρ_D u⁻ - ρ̄∇q,    q >= 0 in the zone, 0 elsewhere;    p = ρ̄q/h.
/// response: ρ̄ on faces; where drag k is taken implicitly ρ̄/(1 + h k),
/// since it acts on what pressure does, too: then the metric is ρ_D (1 + h k).
/// Where ρ̄ varies, what narrows takes momentum: -ρ̄∇q is not conservative there, but a projection. Why this is not
/// the impulse that keeps ρ <= ρ̄: in the step in which two blocks meet the last gap between them closes first, so that
/// impulse is any fraction of the impact's.
///   inside                1 in the full zone, 0 elsewhere; ghosts up to date
///   rho_D, momentum       after the transport; ghosts of the first up to date; 0 as FullZone takes it
///   q                     a first guess (that of the last step), becomes the multiplier (m²/s); ghosts up to date
/// Connected parts of the zone that are at rest under the force, see parts_of_zone(), do not rebound; where others do,
/// vectors and first projection of what is returned are those of the others.
/// e = 0 is a projection, so energy cannot rise; nor can it for e <= 1. The certificates are relative to |u⁻| on the faces
/// of the zone, before the first application. Where nothing approaches there is no projection in the effort.
FlowImpact apply_impact_law(const FlowGrid &grid, const CellArray &inside, const FaceCells &rho_D,
                            const std::array<Vector, 3> &response, const ImpactLaw &law, FaceCells &momentum, CellArray &q);
} // namespace moreau::macro

#endif
