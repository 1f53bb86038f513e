// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_FACE_MEANS_H
#define MOREAU_GEOMETRY_FACE_MEANS_H

#include "geometry/box_grid.h"
#include "geometry/progress.h"

namespace moreau::geometry
{
/// Means of U·(axis direction) on faces, as face_means(grid, U), which takes the whole box for the zone. Where U jumps on a
/// face the mean of both sides counts, or on the boundary of the zone that of the side that lies in it. So Σ m_f U_f = ∫U
/// over the zone, m_f the volume of the half cells beside f that lie in it, where U is linear within every cell; and where
/// U·n does not jump, div of the means is the mean of div U.
FaceArrays face_means(const BoxZone &zone, const Field &U, const Progress &progress = {});
} // namespace moreau::geometry

#endif
