// SPDX-License-Identifier: GPL-3.0-or-later
// A point in the ring inner <= |x| <= outer, under gravity along -y. The outer circle is seen from inside: the set is
// prox-regular, not convex, and neither are its constraints; scheme B uses the projection.
#include "convex/input_error.h"
#include "micro/motion/point_in_the_plane.h"

namespace moreau::micro::systems
{
namespace
{
class DiscWithAHole : public PointInThePlane
{
public:
  explicit DiscWithAHole(const SystemConstants &c)
      : PointInThePlane(c), inner(positive(c, "inner")), outer(positive(c, "outer"))
  {
    if (!(inner < outer))
      throw InputError("the constants of the system",
                       "The hole is not smaller than the disc; 'inner' must be below 'outer'.");
  }

  Index  n_constraints() const override { return 2; }
  Vector constraints(double, const Vector &q) const override { return Eigen::Vector2d(q.norm() - inner, outer - q.norm()); }
  Eigen::MatrixXd gradients(double, const Vector &q) const override
  {
    const Vector    n = outwards(q);
    Eigen::MatrixXd G(2, 2);
    G << n.transpose(), -n.transpose();
    return G;
  }

  std::optional<Vector> projection(double, const Vector &q) const override
  {
    const double r = q.norm();
    if (r < inner)
      return inner * outwards(q);
    if (r > outer)
      return outer * outwards(q);
    return q;
  }

private:
  /// At the centre every direction is as good as any other.
  static Vector outwards(const Vector &q) { return q.norm() > 0. ? Vector(q.normalized()) : Vector(Vector::Unit(2, 0)); }

  double inner, outer;
};
} // namespace

SystemEntry disc_with_a_hole()
{
  return {"disc with a hole",
          "a point in the ring between two circles around the origin, for 'catching-up'",
          {{"gravity", 0., "m/s^2"},
           {"inner", .3, "m"},
           {"mass", 1., "kg"},
           {"outer", 1., "m"},
           {"ux", 1., "m/s"},
           {"uy", 0., "m/s"},
           {"x", -.8, "m"},
           {"y", .1, "m"}},
          [](const SystemConstants &constants) { return std::make_unique<DiscWithAHole>(constants); }};
}
} // namespace moreau::micro::systems
