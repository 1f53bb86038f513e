// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/measurements/removal.h"

#include <algorithm>
#include <cmath>

namespace moreau::micro
{
std::pair<double, double> Box::part_of_line(const Vector &x, const Vector &way) const
{
  double from = 0., to = 1.;
  for (Index k = 0; k < x.size(); ++k)
    if (way(k) != 0.)
      {
        const double s = (lower(k) - x(k)) / way(k), t = (upper(k) - x(k)) / way(k);
        from = std::max(from, std::min(s, t));
        to   = std::min(to, std::max(s, t));
      }
    else if (!(lower(k) <= x(k) && x(k) < upper(k)))
      to = 0.;
  return {from, to};
}

bool Box::contains_image(const double *x, const Vector &period) const
{
  for (Index k = 0; k < lower.size(); ++k)
    {
      double y = x[k];
      if (k < period.size() && period(k) > 0. && !(lower(k) <= y && y < upper(k)))
        y = std::max(lower(k), y + std::ceil((lower(k) - y) / period(k)) * period(k)); // but for rounding
      if (!(lower(k) <= y && y < upper(k)))
        return false;
    }
  return true;
}

std::vector<Index> Removal::due(const Spheres &spheres, const Vector &period) const
{
  std::vector<Index> which;
  for (Index i = 0; i < spheres.size(); ++i)
    {
      const double *const x = spheres.r.col(i).data();
      if (std::any_of(in.begin(), in.end(), [&](const Box &box) { return box.contains_image(x, period); }) ||
          (outside_of && !outside_of->contains_image(x, period)))
        which.push_back(i);
    }
  return which;
}
} // namespace moreau::micro
