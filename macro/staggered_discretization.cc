// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/impact_problem.h"

#include <stdexcept>

namespace moreau::macro
{
std::unique_ptr<Discretization> staggered_discretization(const Setting &) { throw std::logic_error("not written yet"); }
} // namespace moreau::macro
