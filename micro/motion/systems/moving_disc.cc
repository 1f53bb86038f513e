// SPDX-License-Identifier: GPL-3.0-or-later
// A point inside a disc that is shaken: |x - c(t)| <= R, c = (amplitude sin(2π ν t), 0). The constraint R - |x - c| is
// concave: scheme B by projection, scheme C with the speed of the wall.
#include "micro/motion/point_in_the_plane.h"

#include <cmath>

namespace moreau::micro::systems
{
namespace
{
class MovingDisc : public PointInThePlane
{
public:
  explicit MovingDisc(const SystemConstants &c)
      : PointInThePlane(c), radius(positive(c, "radius")), amplitude(c.at("amplitude")), frequency(c.at("frequency"))
  {}

  Index  n_constraints() const override { return 1; }
  Vector constraints(double t, const Vector &q) const override
  {
    return Vector::Constant(1, radius - (q - centre(t)).norm());
  }
  Eigen::MatrixXd gradients(double t, const Vector &q) const override
  {
    const Vector d = q - centre(t);
    return d.norm() > 0. ? -d.transpose() / d.norm() : Eigen::RowVectorXd(Eigen::RowVector2d(-1., 0.));
  }

  std::optional<Vector> projection(double t, const Vector &q) const override
  {
    const Vector d = q - centre(t);
    return d.norm() > radius ? centre(t) + radius / d.norm() * d : q;
  }

  std::optional<ContractionBounds> contraction_bounds() const override { return ContractionBounds{0., m, m}; }

private:
  Vector centre(const double t) const { return Eigen::Vector2d(amplitude * std::sin(2. * M_PI * frequency * t), 0.); }

  double radius, amplitude, frequency;
};
} // namespace

SystemEntry moving_disc()
{
  return {"moving disc",
          "a point inside a disc whose centre is (amplitude * sin(2 pi frequency t), 0)",
          {{"amplitude", .5, "m"},
           {"frequency", 1., "1/s"},
           {"gravity", 0., "m/s^2"},
           {"mass", 1., "kg"},
           {"radius", 1., "m"},
           {"ux", 0., "m/s"},
           {"uy", 0., "m/s"},
           {"x", 0., "m"},
           {"y", 0., "m"}},
          [](const SystemConstants &constants) { return std::make_unique<MovingDisc>(constants); }};
}
} // namespace moreau::micro::systems
