// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/measurements/gate.h"

#include "convex/input_error.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace moreau::micro
{
namespace
{
Vector normal_of(const Gate &gate)
{
  if (gate.shape == Gate::Shape::segment)
    return (Vector(2) << gate.b(1) - gate.a(1), gate.a(0) - gate.b(0)).finished();
  if (gate.shape == Gate::Shape::rectangle)
    return Eigen::Vector3d(gate.b - gate.a).cross(Eigen::Vector3d(gate.c - gate.a));
  return gate.b;
}

void require_extent(const Gate &gate, const Vector &normal, const Index dim)
{
  const auto refuse  = [&](const std::string &what) { throw InputError("the fluxes", "'" + gate.name + "' " + what); };
  const bool is_flat = gate.shape == Gate::Shape::rectangle || gate.shape == Gate::Shape::disc;
  if (gate.shape == Gate::Shape::segment && dim != 2)
    refuse("is a segment, which is for Dimension = 2; give a plane" + std::string(dim == 3 ? ", rectangle or disc." : "."));
  if (is_flat && dim != 3)
    refuse("is a surface in space; give a plane" + std::string(dim == 2 ? " (a line) or a segment." : " (a point)."));
  if (!gate.a.allFinite() || !gate.b.allFinite() || !gate.c.allFinite() || !std::isfinite(gate.radius))
    refuse("has a number that is not finite.");
  if (!(normal.norm() > 0.))
    refuse(gate.shape == Gate::Shape::segment     ? "begins where it ends; give two different points."
           : gate.shape == Gate::Shape::rectangle ? "has parallel sides; give a corner and its two neighbours."
                                                  : "has the normal 0; give the direction in which spheres count as +1.");
  if (gate.shape == Gate::Shape::disc && !(gate.radius > 0.))
    refuse("has no positive radius; give one.");
}

/// The repetition of a gate that begins in the box: its images beside the box are all that spheres may meet there.
void lay_into_box(Gate &gate, const PeriodicBox &box)
{
  const auto refuse = [&](const char axis) {
    throw InputError("the fluxes", "'" + gate.name + "' is longer than the period along " + axis +
                                       ", so that its repetitions overlap and count twice; make it shorter.");
  };
  Vector a = gate.a;
  box.wrap(a.data());
  const Vector way = a - gate.a;
  gate.a           = a;
  const bool has_c = gate.shape == Gate::Shape::rectangle, has_b = has_c || gate.shape == Gate::Shape::segment;
  if (has_b)
    gate.b += way;
  if (has_c)
    gate.c += way;
  for (Index k = 0; k < box.period.size(); ++k)
    {
      // between the outermost of its corners, or of the rim
      const double b = has_b ? gate.b(k) - gate.a(k) : 0., c = has_c ? gate.c(k) - gate.a(k) : 0.;
      const double length =
          gate.shape == Gate::Shape::disc ? 2. * gate.radius : std::max({0., b, c, b + c}) - std::min({0., b, c, b + c});
      if (box.period(k) > 0. && length > (1. + 1e-12) * box.period(k))
        refuse("xyz"[k]);
    }
}
} // namespace

GateCounter::GateCounter(const Gate &gate, const Index dim, const PeriodicBox &box) : data(gate), dim(dim), box(box)
{
  if (gate.shape == Gate::Shape::segment && dim == 2 || gate.shape == Gate::Shape::rectangle && dim == 3 ||
      gate.shape == Gate::Shape::plane || gate.shape == Gate::Shape::disc)
    normal = normal_of(gate);
  require_extent(gate, normal, dim);
  normal.stableNormalize();
  if (box.any())
    lay_into_box(data, box);
  for (const std::int32_t image : box.images())
    {
      const Vector shift = box.displacement(image, dim);
      if (gate.shape == Gate::Shape::plane && image != 0)
        {
          // a plane that the shift does not move is met once
          if (std::abs(normal.dot(shift)) <= 1e-12 * shift.norm())
            continue;
          if (std::abs(normal.dot(shift)) < (1. - 1e-12) * shift.norm())
            {
              if ((shift.array() != 0.).count() == 1)
                throw InputError("the fluxes", "'" + gate.name + "' leans towards a side at which the box repeats itself; " +
                                                   "give a normal along an axis.");
              continue;
            }
        }
      shifts.push_back(shift);
    }
}

bool GateCounter::within_extent(const Vector &x) const
{
  switch (data.shape)
    {
      case Gate::Shape::plane:
        return true;
      case Gate::Shape::segment:
        {
          const Vector side = data.b - data.a;
          const double s    = side.dot(x - data.a) / side.squaredNorm();
          return 0. <= s && s < 1.;
        }
      case Gate::Shape::rectangle:
        {
          const Eigen::Vector3d u = data.b - data.a, v = data.c - data.a, w = x - data.a, n = u.cross(v);
          const double          s = w.cross(v).dot(n) / n.squaredNorm(), t = u.cross(w).dot(n) / n.squaredNorm();
          return 0. <= s && s < 1. && 0. <= t && t < 1.;
        }
      case Gate::Shape::disc:
        return (x - data.a).norm() <= data.radius;
    }
  return false; // no other value exists
}

int GateCounter::direction(const double *begin, const double *end) const
{
  const Eigen::Map<const Vector> x(begin, dim), y(end, dim);
  const double                   before = normal.dot(x - data.a), after = normal.dot(y - data.a);
  if ((before < 0.) == (after < 0.))
    return 0;
  const Vector meets = x + before / (before - after) * (y - x);
  return !within_extent(meets) ? 0 : before < 0. ? 1 : -1;
}

Passage GateCounter::passage(const SphereMotion &motion) const
{
  const StepPaths       &paths   = motion.paths();
  const Eigen::MatrixXd &centres = motion.spheres().r;
  const bool             repeats = box.any();
  Passage                result;
  Vector                 jump = Vector::Zero(dim), begin(dim), end(dim);
  for (Index i = 0; i < paths.begin.cols(); ++i)
    {
      // The end is where the next step begins, to the last bit: in the image that the path leads to it is taken as it is.
      if (repeats)
        for (Index axis = 0; axis < dim; ++axis)
          if (const double period = box.period(axis); period > 0.)
            jump(axis) = period * std::round((paths.begin(axis, i) + paths.way(axis, i) - centres(axis, i)) / period);
      for (const Vector &shift : shifts)
        {
          begin        = paths.begin.col(i) + shift;
          end          = centres.col(i) + (jump + shift);
          const int by = direction(begin.data(), end.data());
          result.n += by;
          result.mass += by * motion.spheres().m(i);
        }
    }
  return result;
}
} // namespace moreau::micro
