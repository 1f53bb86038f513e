// SPDX-License-Identifier: GPL-3.0-or-later
// A bead slides without friction on the curve y = ½ a x² + ¼ b x⁴ under
// gravity, from a stop on: x >= stop. In the coordinate x,
//     M = m (1 + y'²),   M u' = -m y' y'' u² - m g y'.
#include "micro/motion/system_entry.h"

namespace moreau::micro::systems
{
namespace
{
class BeadOnACurve : public MechanicalSystem
{
public:
  explicit BeadOnACurve(const SystemConstants &c)
      : m(positive(c, "mass"))
      , gravity(not_negative(c, "gravity"))
      , curvature(c.at("curvature"))
      , quartic(c.at("quartic"))
      , stop(c.at("stop"))
      , position(c.at("position"))
      , speed(c.at("velocity"))
  {}

  Index                    n_coordinates() const override { return 1; }
  std::vector<std::string> coordinate_names() const override { return {"x (m)"}; }
  Vector                   initial_position() const override { return Vector::Constant(1, position); }
  Vector                   initial_velocity() const override { return Vector::Constant(1, speed); }

  Eigen::MatrixXd mass(const Vector &q) const override { return Eigen::MatrixXd::Constant(1, 1, inertia(q(0))); }

  Vector force(double, const Vector &q, const Vector &P) const override
  {
    const double u = P(0) / inertia(q(0)), slope = slope_at(q(0));
    return Vector::Constant(1, -m * slope * ((curvature + 3. * quartic * q(0) * q(0)) * u * u + gravity));
  }

  Index           n_constraints() const override { return 1; }
  Vector          constraints(double, const Vector &q) const override { return q - Vector::Constant(1, stop); }
  Eigen::MatrixXd gradients(double, const Vector &) const override { return Eigen::MatrixXd::Ones(1, 1); }
  bool            convex_constraints() const override { return true; }

private:
  double slope_at(const double x) const { return (curvature + quartic * x * x) * x; }
  double inertia(const double x) const { return m * (1. + slope_at(x) * slope_at(x)); }

  double m, gravity, curvature, quartic, stop, position, speed;
};
} // namespace

SystemEntry bead_on_a_curve()
{
  return {"bead on a curve",
          "a bead that slides on y = curvature x^2/2 + quartic x^4/4, with x >= stop",
          {{"curvature", 1., "1/m"},
           {"gravity", 1., "m/s^2"},
           {"mass", 1., "kg"},
           {"position", 1., "m"},
           {"quartic", 0., "1/m^3"},
           {"stop", 0., "m"},
           {"velocity", 0., "m/s"}},
          [](const SystemConstants &constants) { return std::make_unique<BeadOnACurve>(constants); }};
}
} // namespace moreau::micro::systems
