// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_POINT_IN_THE_PLANE_H
#define MOREAU_MICRO_MOTION_POINT_IN_THE_PLANE_H

#include "micro/motion/system_entry.h"

namespace moreau::micro
{
/// What systems share in which a point of the plane moves under gravity along -y; where it may be is the system's own. Takes
/// the constants mass, gravity, x, y, ux and uy.
class PointInThePlane : public MechanicalSystem
{
public:
  explicit PointInThePlane(const SystemConstants &c)
      : m(positive(c, "mass")), gravity(c.at("gravity")), position(c.at("x"), c.at("y")), speed(c.at("ux"), c.at("uy"))
  {}

  Index                    n_coordinates() const final { return 2; }
  std::vector<std::string> coordinate_names() const final { return {"x (m)", "y (m)"}; }
  Vector                   initial_position() const final { return position; }
  Vector                   initial_velocity() const final { return speed; }

  Eigen::MatrixXd mass(const Vector &) const final { return m * Eigen::MatrixXd::Identity(2, 2); }
  bool            constant_mass() const final { return true; }
  Vector          force(double, const Vector &, const Vector &) const final { return Eigen::Vector2d(0., -m * gravity); }

protected:
  const double m; ///< kg

private:
  double          gravity;
  Eigen::Vector2d position, speed;
};
} // namespace moreau::micro

#endif
