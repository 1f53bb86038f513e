// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MEASUREMENTS_GATE_H
#define MOREAU_MICRO_MEASUREMENTS_GATE_H

#include "micro/motion/sphere_motion.h"
#include "micro/pair_search.h"

#include <string>
#include <vector>

namespace moreau::micro
{
/// A flat surface through which centres are counted; on the line a point, in the plane a line.
struct Gate
{
  enum class Shape
  {
    plane,     ///< a: a point, b: normal; without end
    segment,   ///< dimension 2: from a to b, a included and b not; its normal points to the right of who goes from a to b
    rectangle, ///< dimension 3: a + s (b - a) + t (c - a) with s, t in [0, 1); its normal is that of (b - a) x (c - a)
    disc       ///< dimension 3: a: centre, b: normal, radius
  };

  std::string name;
  Shape       shape = Shape::plane;
  Vector      a, b, c; ///< length d, as far as the shape needs them
  double      radius = 0.;
};

/// What went through a gate along its normal, less what went against it.
struct Passage
{
  std::int64_t n    = 0;
  double       mass = 0.; ///< kg
};

/// Counts at one gate.
class GateCounter
{
public:
  /// In a periodic box a gate is repeated as the box is, wherever it is given. Throws InputError("the fluxes", ...) for a
  /// normal of length 0, an extent that is none or longer than a period, numbers that are not finite, a shape that does not
  /// exist in the dimension, and a plane that leans towards a periodic side.
  GateCounter(const Gate &gate, Index dim, const PeriodicBox &box);

  /// Of one step: +1 for every centre that comes from n·(x - a) < 0 to n·(x - a) >= 0 through the extent, -1 for the other
  /// way round, on its straight path. Nothing is lost or counted twice between steps.
  Passage passage(const SphereMotion &motion) const;

  const Gate &gate() const { return data; }

private:
  int  direction(const double *begin, const double *end) const;
  bool within_extent(const Vector &x) const;

  Gate        data;
  Index       dim;
  PeriodicBox box;
  Vector      normal;

  std::vector<Vector> shifts; ///< images of the box that paths are seen from, 0 first
};
} // namespace moreau::micro

#endif
