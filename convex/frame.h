// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_FRAME_H
#define MOREAU_CONVEX_FRAME_H

#include "convex/cone_projection.h"

namespace moreau::convex
{
/// The projection, in a frame that moves with mean U where that is much faster than what U differs from it by and no row
/// notices it (B mean U = 0): P_K(U + c) = P_K U + c. Rounding errors, and with them the floor of what can be certified,
/// then are those of the differences: in a frame a million times faster bounds end a thousand times higher. The certificate
/// counts what the change of frame rounds away, 64 ε |mean U|. A U that differs by no more than that is uniform: at rest
/// in its frame.
SaddlePoint project_in_frame(const ConeProjector &projector, const ProjectionProblem &problem,
                             const Vector *p_start = nullptr);

/// Whether U is uniform to rounding, as above, and no row notices it: with b >= 0 it is its own projection.
bool is_uniform(const ProjectionProblem &problem);
} // namespace moreau::convex

#endif
