// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_IMPACT_H
#define MOREAU_MACRO_IMPACT_H

#include "convex/impact_law.h"
#include "macro/discretization.h"

#include <string>

namespace moreau::macro
{
/// The impact law for what a mesh holds (BM, eq. 46): u⁺ = U - (1+e)(U - P_C U), from the guess of p that the mesh has.
///   solver  a name that mesh.projector() knows
/// Throws InputError as mesh.projector() and convex::single_impact() do. A projection that did not converge is a status, not
/// thrown. The same on all processes of the mesh.
convex::Impact impact(const Discretization &mesh, const convex::Law &law, const convex::StoppingCriterion &criterion = {},
                      const std::string &solver = "automatic");

/// The total error bound of u⁺, discretisation included, and the verdict on the impact in view of it: judge() may find it
/// accurate enough. U - (1+e)(U - v) is off by (1+e)|v - u|, so η is that of the projection times 1 + e. Where the law was
/// repeated an error is known of its first application only: an estimate.
TotalBound bound_of_impact(const Discretization &mesh, const convex::Law &law, const convex::StoppingCriterion &criterion,
                           convex::Impact &impact, const Progress &progress = {});
} // namespace moreau::macro

#endif
