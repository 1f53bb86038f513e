// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_VOCABULARY_H
#define MOREAU_MACRO_VOCABULARY_H

#include "geometry/field.h"

namespace moreau::macro
{
using namespace geometry; // fields, grids of boxes, processes: the words of all rooms here
} // namespace moreau::macro

#endif
