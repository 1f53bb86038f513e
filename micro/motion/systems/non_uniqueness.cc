// SPDX-License-Identifier: GPL-3.0-or-later
// Two motions from the same data (BM, Fig. 9): a particle that begins at rest
// on a wall, restitution 0, pushed by a force that is C^∞,
//     x'' = A exp(-c r (1/t - 1)) ( sin(2π τ) - b ),   τ = -r/t,   x >= 0,   f(0) = 0 with all derivatives.
// Seen in the time τ, in which a unit is a period T = t²/r of the force, what happens near t = 0 is the same in every
// period but for a factor exp(c):
//     d²x/dτ² ~ exp(c τ) ( sin(2π τ) - b ).
// From rest, a particle leaves the wall where the bracket becomes positive, at τ = τ_0 + k with sin(2π τ_0) = b. For b =
// .11, c = .4 it stays in the air during the first downward push and lands in the second one, at τ = τ_0 + k + 1.9, which
// presses it on the wall until it leaves at τ_0 + k + 2. So there is a motion that leaves in even periods and one that
// leaves in odd ones, for all k down to -∞, that is t = 0:
// each is on the wall while the other one flies. Both begin at rest at x = 0.
//
// Which of them a scheme approximates is decided when a period becomes longer
// than a few steps, t ~ √(rh): by h. For r = 16 and scheme A,
//     h = 4^-k           leaves in odd periods,     k = 5, ..., 10:  h = 9.8e-4, 2.4e-4, ..., 9.5e-7,
//     h = 64/(2^{k+3}+3)²  leaves in even ones,       k = 5, ..., 10:  h = 9.5e-4, 2.4e-4, ..., 9.5e-7,
// as found by computing: of these steps, not by proof for all k.
#include "micro/motion/system_entry.h"

#include <cmath>

namespace moreau::micro::systems
{
namespace
{
class NonUniqueness : public MechanicalSystem
{
public:
  explicit NonUniqueness(const SystemConstants &c)
      : amplitude(c.at("amplitude")), bias(c.at("bias")), growth(positive(c, "growth")), rate(positive(c, "rate"))
  {}

  Index                    n_coordinates() const override { return 1; }
  std::vector<std::string> coordinate_names() const override { return {"x (m)"}; }
  Vector                   initial_position() const override { return Vector::Zero(1); }
  Vector                   initial_velocity() const override { return Vector::Zero(1); }

  Eigen::MatrixXd mass(const Vector &) const override { return Eigen::MatrixXd::Ones(1, 1); }
  bool            constant_mass() const override { return true; }

  Vector force(double t, const Vector &, const Vector &) const override
  {
    if (!(t > 0.))
      return Vector::Zero(1);
    const double tau = -rate / t;
    return Vector::Constant(1, amplitude * std::exp(growth * (tau + rate)) * (std::sin(2. * M_PI * tau) - bias));
  }

  Index           n_constraints() const override { return 1; }
  Vector          constraints(double, const Vector &q) const override { return q; }
  Eigen::MatrixXd gradients(double, const Vector &) const override { return Eigen::MatrixXd::Ones(1, 1); }
  bool            convex_constraints() const override { return true; }

  std::optional<Vector> projection(double, const Vector &q) const override { return q.cwiseMax(0.); }

  std::optional<ContractionBounds> contraction_bounds() const override { return ContractionBounds{0., 1., 1.}; }

private:
  double amplitude, bias, growth, rate;
};
} // namespace

SystemEntry non_uniqueness()
{
  return {
      "non-uniqueness",
      "a particle at rest on a wall and a smooth force, exp(-growth rate/t) (-sin(2 pi rate/t) - bias), under which it has "
      "two motions with restitution 0",
      {{"amplitude", 1024., "m/s^2"}, {"bias", .11, ""}, {"growth", .4, ""}, {"rate", 16., "s"}},
      [](const SystemConstants &constants) { return std::make_unique<NonUniqueness>(constants); }};
}
} // namespace moreau::micro::systems
