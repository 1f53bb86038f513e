// SPDX-License-Identifier: GPL-3.0-or-later
// A mass on a spring with a stop on one side:
//     m x'' = -k x,   x >= stop.
// stop = 0: it hits where the spring is at rest; stop < 0: only if the
// amplitude is large enough; stop > 0: the spring presses against the stop.
#include "micro/motion/system_entry.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::micro::systems
{
namespace
{
class OscillatorWithAStop : public MechanicalSystem
{
public:
  explicit OscillatorWithAStop(const SystemConstants &c)
      : m(positive(c, "mass"))
      , stiffness(positive(c, "stiffness"))
      , stop(c.at("stop"))
      , position(c.at("position"))
      , speed(c.at("velocity"))
      , omega(std::sqrt(stiffness / m))
  {}

  Index                    n_coordinates() const override { return 1; }
  std::vector<std::string> coordinate_names() const override { return {"x (m)"}; }
  Vector                   initial_position() const override { return Vector::Constant(1, position); }
  Vector                   initial_velocity() const override { return Vector::Constant(1, speed); }

  Eigen::MatrixXd mass(const Vector &) const override { return Eigen::MatrixXd::Constant(1, 1, m); }
  bool            constant_mass() const override { return true; }
  Vector          force(double, const Vector &q, const Vector &) const override { return -stiffness * q; }

  Index           n_constraints() const override { return 1; }
  Vector          constraints(double, const Vector &q) const override { return q - Vector::Constant(1, stop); }
  Eigen::MatrixXd gradients(double, const Vector &) const override { return Eigen::MatrixXd::Ones(1, 1); }
  bool            convex_constraints() const override { return true; }

  std::optional<Vector> projection(double, const Vector &q) const override { return q.cwiseMax(stop); }

  /// Arcs of ellipses in (x, x'/ω), from one impact to the next.
  std::optional<Arc> exact(double t, double restitution) const override
  {
    double x = position, v = speed, begin = 0., impulse = 0.; // of the arc, and what the stop has given
    bool   rests = false;
    for (;;)
      {
        if (x == stop && v <= 0. && !rests)
          {
            impulse -= m * (1. + restitution) * v;
            v *= -restitution;
            rests = stop >= 0. && (stop > 0. && v <= at_rest() || v == 0.);
          }
        const double end = rests ? std::numeric_limits<double>::infinity() : begin + time_of_flight(x, v);
        if (t < end)
          break;
        v     = -std::sqrt(std::max(0., v * v + omega * omega * (x * x - stop * stop)));
        x     = stop;
        begin = end;
      }
    const double phase = omega * (t - begin);
    Arc          arc;
    arc.q                 = Vector::Constant(1, rests ? stop : x * std::cos(phase) + v / omega * std::sin(phase));
    arc.u                 = Vector::Constant(1, rests ? 0. : v * std::cos(phase) - omega * x * std::sin(phase));
    arc.cumulated_impulse = Vector::Constant(1, impulse + (rests ? stiffness * stop * (t - begin) : 0.));
    return arc;
  }

  std::optional<ContractionBounds> contraction_bounds() const override { return ContractionBounds{0., m, m}; }

private:
  /// A speed on the stop, pressed by the spring, that is no more than rounding: the sum of infinitely many impacts is over.
  double at_rest() const { return 1e-15 * (std::abs(speed) + omega * std::abs(position)); }

  /// Until x(t) = stop with x' <= 0, from x >= stop: x = A cos θ, x' = -A ω sin θ.
  double time_of_flight(const double x, const double v) const
  {
    const double A = std::hypot(x, v / omega);
    if (A < std::abs(stop) || A == 0.)
      return std::numeric_limits<double>::infinity();
    const double impact = std::acos(std::clamp(stop / A, -1., 1.));
    const double start  = x == stop ? -impact : std::atan2(-v / omega, x);
    return (impact - start) / omega;
  }

  double m, stiffness, stop, position, speed, omega;
};
} // namespace

SystemEntry oscillator_with_a_stop()
{
  return {"oscillator with a stop",
          "a mass on a spring that is relaxed at x = 0, with x >= stop",
          {{"mass", 1., "kg"}, {"position", 1., "m"}, {"stiffness", 1., "N/m"}, {"stop", 0., "m"}, {"velocity", 0., "m/s"}},
          [](const SystemConstants &constants) { return std::make_unique<OscillatorWithAStop>(constants); }};
}
} // namespace moreau::micro::systems
