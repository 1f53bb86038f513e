// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_HIDDEN_VELOCITY_H
#define MOREAU_HOMOGENIZATION_HIDDEN_VELOCITY_H

#include "macro/discretize.h"

namespace moreau::homogenization
{
/// |·| in L² over the box (m^{d/2+1}/s) of what U may have between the points of Gauss's rule, 3 in each direction, on cells
/// of this width (m) that lie in the zone: bands and peaks, where U knows itself there (Field::on_hull), as
/// macro/integrals_of_u.h counts them. 0 where nothing is known of U, and where there are more than 10⁵ such cells, whose
/// points are close.
double hidden_velocity(const macro::Setting &setting, double width, const geometry::Progress &progress = {});
} // namespace moreau::homogenization

#endif
