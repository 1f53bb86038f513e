// SPDX-License-Identifier: GPL-3.0-or-later
// A ball falls on a floor that may move up and down: z is the height of its lowest point,
//     m z'' = -m g,   z >= a sin(2π ν t).
#include "micro/motion/system_entry.h"

#include <cmath>

namespace moreau::micro::systems
{
namespace
{
class BallOnAFloor : public MechanicalSystem
{
public:
  explicit BallOnAFloor(const SystemConstants &c)
      : m(positive(c, "mass"))
      , gravity(not_negative(c, "gravity"))
      , height(c.at("height"))
      , speed(c.at("velocity"))
      , amplitude(c.at("amplitude"))
      , frequency(c.at("frequency"))
  {}

  Index                    n_coordinates() const override { return 1; }
  std::vector<std::string> coordinate_names() const override { return {"z (m)"}; }
  Vector                   initial_position() const override { return Vector::Constant(1, height); }
  Vector                   initial_velocity() const override { return Vector::Constant(1, speed); }

  Eigen::MatrixXd mass(const Vector &) const override { return Eigen::MatrixXd::Constant(1, 1, m); }
  bool            constant_mass() const override { return true; }
  Vector          force(double, const Vector &, const Vector &) const override { return Vector::Constant(1, -m * gravity); }

  Index           n_constraints() const override { return 1; }
  Vector          constraints(double t, const Vector &q) const override { return q - Vector::Constant(1, floor(t)); }
  Eigen::MatrixXd gradients(double, const Vector &) const override { return Eigen::MatrixXd::Ones(1, 1); }
  bool            convex_constraints() const override { return true; }

  std::optional<Vector> projection(double t, const Vector &q) const override { return q.cwiseMax(floor(t)); }

  std::optional<Arc> exact(double t, double restitution) const override
  {
    if (amplitude != 0.)
      return std::nullopt;
    const Flight flight = flight_at(t, restitution);
    const double since  = t - flight.start;
    Arc          arc;
    arc.q                 = Vector::Constant(1, flight.rests ? 0. : flight.z + (flight.v - .5 * gravity * since) * since);
    arc.u                 = Vector::Constant(1, flight.rests ? 0. : flight.v - gravity * since);
    arc.cumulated_impulse = m * (arc.u - initial_velocity()) + Vector::Constant(1, m * gravity * t);
    return arc;
  }

  std::optional<ContractionBounds> contraction_bounds() const override { return ContractionBounds{0., m, m}; }

private:
  /// A parabola z + v s - ½ g s² from `start` on, or rest on the floor.
  struct Flight
  {
    double start, z, v;
    bool   rests;
  };

  double floor(const double t) const { return amplitude * std::sin(2. * M_PI * frequency * t); }

  /// The flight in which the ball is at t, on a floor at rest. Flight k = 1, 2, ... begins with e^k w and lasts 2 e^k w/g,
  /// so that for e < 1 infinitely many end within 2 e w/(g (1 - e)); w is the speed of the first impact.
  Flight flight_at(const double t, const double e) const
  {
    const double w         = std::sqrt(speed * speed + 2. * gravity * height);
    const double first     = gravity > 0. ? (speed + w) / gravity : height / -speed;
    const bool   touches   = gravity > 0. || speed < 0.;
    const double remaining = t - first;
    if (!touches || remaining < 0.)
      return {0., height, speed, false};
    if (gravity == 0.)
      return {first, 0., e * w, false};
    const double unit = 2. * w / gravity; // flight k lasts unit * e^k
    if (e * unit == 0.)
      return {first, 0., 0., true};
    if (e == 1.)
      return {first + unit * std::floor(remaining / unit), 0., w, false};
    // Σ_{k=1}^{K} unit e^k = end (1 - e^K)
    const double end = unit * e / (1. - e);
    if (remaining >= end)
      return {first + end, 0., 0., true};
    const double K = std::floor(std::log1p(-remaining / end) / std::log(e));
    return {first + end * -std::expm1(K * std::log(e)), 0., w * std::pow(e, K + 1.), false};
  }

  double m, gravity, height, speed, amplitude, frequency;
};
} // namespace

SystemEntry ball_on_a_floor()
{
  return {"ball on a floor",
          "a ball that falls on a floor at rest, or moving as amplitude * sin(2 pi frequency t)",
          {{"amplitude", 0., "m"},
           {"frequency", 1., "1/s"},
           {"gravity", 1., "m/s^2"},
           {"height", 1., "m"},
           {"mass", 1., "kg"},
           {"velocity", 0., "m/s"}},
          [](const SystemConstants &constants) { return std::make_unique<BallOnAFloor>(constants); }};
}
} // namespace moreau::micro::systems
