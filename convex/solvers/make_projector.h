// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_MAKE_PROJECTOR_H
#define MOREAU_CONVEX_SOLVERS_MAKE_PROJECTOR_H

#include "convex/cone_projection.h"

namespace moreau::convex
{
/// The projector with the .prm name `solver`: "automatic", "lines", "projected gradient", "interior point", "Lawson-Hanson".
/// Throws InputError for another name.
std::unique_ptr<ConeProjector> make_projector(const std::string &solver, const StoppingCriterion &criterion);

/// Names that make_projector knows, `automatic` first.
const std::vector<std::string> &projector_names();
} // namespace moreau::convex

#endif
