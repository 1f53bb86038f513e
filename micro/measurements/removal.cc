// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/measurements/removal.h"

#include <algorithm>

namespace moreau::micro
{
std::vector<Index> Removal::due(const Spheres &spheres) const
{
  std::vector<Index> which;
  for (Index i = 0; i < spheres.size(); ++i)
    {
      const double *const x = spheres.r.col(i).data();
      if (std::any_of(in.begin(), in.end(), [&](const Box &box) { return box.contains(x); }) ||
          (outside_of && !outside_of->contains(x)))
        which.push_back(i);
    }
  return which;
}
} // namespace moreau::micro
