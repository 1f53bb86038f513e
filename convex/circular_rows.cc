// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/circular_rows.h"

namespace moreau::convex
{
Vector CircularRows::excess(const Vector &y) const
{
  Vector result(y.size());
  for (Index b = 0; b < n_blocks(); ++b)
    result.segment(begin[b], size(b)).setConstant(y(begin[b]) + y.segment(begin[b] + 1, size(b) - 1).norm());
  return result;
}

Vector CircularRows::nearest(const Vector &y) const
{
  Vector result = y;
  for (Index b = 0; b < n_blocks(); ++b)
    {
      double    &axis   = result(begin[b]);
      auto       radial = result.segment(begin[b] + 1, size(b) - 1);
      const auto norm   = radial.norm();
      if (norm <= axis)
        continue;
      if (norm <= -axis)
        result.segment(begin[b], size(b)).setZero();
      else
        {
          radial *= .5 * (norm + axis) / norm;
          axis = .5 * (norm + axis);
        }
    }
  return result;
}

Vector CircularRows::largest_of_blocks(const Vector &y) const
{
  Vector result(y.size());
  for (Index b = 0; b < n_blocks(); ++b)
    result.segment(begin[b], size(b)).setConstant(y.segment(begin[b], size(b)).maxCoeff());
  return result;
}

Vector CircularRows::products(const Vector &y, const Vector &p) const
{
  Vector result(n_blocks());
  for (Index b = 0; b < n_blocks(); ++b)
    result(b) = y.segment(begin[b], size(b)).dot(p.segment(begin[b], size(b)));
  return result;
}
} // namespace moreau::convex
