// SPDX-License-Identifier: GPL-3.0-or-later
// Two rods without mass in a vertical plane, hinged at the origin and at a
// mass m_1, with m_2 at the end; angles θ from the vertical.
// The end may not pass the wall x = wall (the mass in the middle may: scheme C has one constraint). With Δ = θ_1 - θ_2,
//     M = [ (m_1 + m_2) l_1²     m_2 l_1 l_2 cos Δ ]
//         [ m_2 l_1 l_2 cos Δ    m_2 l_2²          ]
//     M u' = ( -m_2 l_1 l_2 sin Δ u_2² - (m_1 + m_2) g l_1 sin θ_1,  m_2 l_1 l_2 sin Δ u_1² - m_2 g l_2 sin θ_2 ).
#include "micro/motion/system_entry.h"

#include <Eigen/LU>

#include <cmath>

namespace moreau::micro::systems
{
namespace
{
class DoublePendulumWithAWall : public MechanicalSystem
{
public:
  explicit DoublePendulumWithAWall(const SystemConstants &c)
      : m1(positive(c, "mass1"))
      , m2(positive(c, "mass2"))
      , l1(positive(c, "length1"))
      , l2(positive(c, "length2"))
      , gravity(not_negative(c, "gravity"))
      , wall(c.at("wall"))
      , start(c.at("angle1"), c.at("angle2"))
      , start_speed(c.at("velocity1"), c.at("velocity2"))
  {}

  Index                    n_coordinates() const override { return 2; }
  std::vector<std::string> coordinate_names() const override { return {"theta1 (rad)", "theta2 (rad)"}; }
  Vector                   initial_position() const override { return start; }
  Vector                   initial_velocity() const override { return start_speed; }

  Eigen::MatrixXd mass(const Vector &q) const override { return matrix(q); }

  Vector force(double, const Vector &q, const Vector &P) const override
  {
    const Eigen::Vector2d u        = matrix(q).inverse() * Eigen::Vector2d(P);
    const double          inertial = m2 * l1 * l2 * std::sin(q(0) - q(1));
    return Eigen::Vector2d(-inertial * u(1) * u(1) - (m1 + m2) * gravity * l1 * std::sin(q(0)),
                           inertial * u(0) * u(0) - m2 * gravity * l2 * std::sin(q(1)));
  }

  Index  n_constraints() const override { return 1; }
  Vector constraints(double, const Vector &q) const override
  {
    return Vector::Constant(1, wall - l1 * std::sin(q(0)) - l2 * std::sin(q(1)));
  }
  Eigen::MatrixXd gradients(double, const Vector &q) const override
  {
    return Eigen::RowVector2d(-l1 * std::cos(q(0)), -l2 * std::cos(q(1)));
  }

private:
  Eigen::Matrix2d matrix(const Vector &q) const
  {
    const double    coupling = m2 * l1 * l2 * std::cos(q(0) - q(1));
    Eigen::Matrix2d M;
    M << (m1 + m2) * l1 * l1, coupling, coupling, m2 * l2 * l2;
    return M;
  }

  double          m1, m2, l1, l2, gravity, wall;
  Eigen::Vector2d start, start_speed;
};
} // namespace

SystemEntry double_pendulum_with_a_wall()
{
  return {"double pendulum with a wall",
          "two rods that hang from the origin, whose end may not pass x = wall",
          {{"angle1", -.5, "rad"},
           {"angle2", -1., "rad"},
           {"gravity", 9.81, "m/s^2"},
           {"length1", 1., "m"},
           {"length2", 1., "m"},
           {"mass1", 1., "kg"},
           {"mass2", 1., "kg"},
           {"velocity1", 0., "rad/s"},
           {"velocity2", 0., "rad/s"},
           {"wall", .5, "m"}},
          [](const SystemConstants &constants) { return std::make_unique<DoublePendulumWithAWall>(constants); }};
}
} // namespace moreau::micro::systems
