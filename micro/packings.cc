// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/packings.h"

#include "convex/input_error.h"

namespace moreau::micro
{
Packing random_packing(const PackingParameters &, const std::function<void(double)> &)
{
  throw InputError("Spheres/Arrangement", "Not written yet.");
}
} // namespace moreau::micro
