// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/box_poisson.h"

#include <stdexcept>

namespace moreau::macro
{
PoissonSolution solve_poisson(const BoxZone &, const CellArray &, double) { throw std::logic_error("not written yet"); }
} // namespace moreau::macro
