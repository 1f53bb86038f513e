// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_RECENT_MEAN_H
#define MOREAU_APP_RUN_RECENT_MEAN_H

#include "convex/named_arrays.h"
#include "geometry/field.h"

namespace moreau::app
{
/// Means over the last part of a time that goes on, of what is known by its integral since t = 0 only: from a moment that is
/// a tenth of the time ago or somewhat more, a fifth at most while moments that are seen are close to each other. What is
/// kept does not depend on when the run ends.
class RecentMean
{
public:
  explicit RecentMean(const geometry::Index n) : old{0., geometry::Vector::Zero(n)}, young(old) {}

  /// Moments in ascending order.
  void see(double time, const geometry::Vector &integral);

  double           since() const { return old.time; }
  geometry::Vector mean(double time, const geometry::Vector &integral) const; ///< 0 where no time has gone by

  void put_into(convex::NamedArrays &state) const;
  /// Takes its own from `state`. Throws std::out_of_range where they are not there, std::invalid_argument where they are of
  /// other cells.
  void take_from(convex::NamedArrays &state);

private:
  struct Moment
  {
    double           time;
    geometry::Vector integral;
  };

  Moment old, young;
};
} // namespace moreau::app

#endif
