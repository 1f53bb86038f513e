// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_INSITU_MESH_CHECKS_H
#define MOREAU_INSITU_MESH_CHECKS_H

#include "insitu/vocabulary.h"

namespace moreau::insitu
{
/// Throws std::invalid_argument for cells that do not fit their type, points, offsets or faces, and for arrays that are not
/// as long as the points or cells.
void require_consistent(const Mesh &mesh);
} // namespace moreau::insitu

#endif
