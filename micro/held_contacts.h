// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_HELD_CONTACTS_H
#define MOREAU_MICRO_HELD_CONTACTS_H

#include "micro/packings.h"

#include <utility>

namespace moreau::micro
{
/// What counts as a contact of a packing: gaps up to this part of the smaller radius.
constexpr double contact_gap = 1e-8;

/// Sets n_contacts and n_rattlers of a packing of spheres. touching: pairs i, j; j < 0: a wall.
void count_contacts(Packing &packing, const std::vector<std::pair<int, int>> &touching);
} // namespace moreau::micro

#endif
