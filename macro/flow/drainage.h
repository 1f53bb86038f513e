// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_DRAINAGE_H
#define MOREAU_MACRO_FLOW_DRAINAGE_H

#include "macro/flow/full_zone.h"

namespace moreau::macro
{
/// Makes velocities of a flow admissible without a solve: what compresses a cell is led on from cell to cell, along a
/// shortest way out of the zone, and compresses none of them. One visit to every cell.
/// A part of the zone with closed faces all around (a pocket) has no way out, and needs none: what compresses some of its
/// cells leaves room in others, up to rounding errors, of which every cell keeps an equal part.
class Drainage : public convex::FeasibleRepair
{
public:
  /// p (per row): cells with p > 0 end with Bv = 0 instead of Bv <= 0, which is what p and v prove most with. Empty: none.
  /// speed: the largest one before the impact, of all processes; what is left of it but for rounding errors becomes 0.
  Drainage(std::shared_ptr<const FullZone> zone, const double speed, Vector p = {})
      : zone(std::move(zone)), speed(speed), p(std::move(p))
  {}

  Vector repaired(const Vector &u) const override;

private:
  std::shared_ptr<const FullZone> zone;
  double                          speed;
  Vector                          p;
};
} // namespace moreau::macro

#endif
