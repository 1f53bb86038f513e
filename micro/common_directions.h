// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_COMMON_DIRECTIONS_H
#define MOREAU_MICRO_COMMON_DIRECTIONS_H

#include "micro/contact_graph.h"

namespace moreau::micro
{
/// Where all directions, up to sign, lie within 1e-9 of at most 12 common ones, they are made equal to these (the means of
/// what they stand for); crystallographic ones exactly. Else nothing changes.
void snap_directions(std::vector<Contact> &contacts);
} // namespace moreau::micro

#endif
