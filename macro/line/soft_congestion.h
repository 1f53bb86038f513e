// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_LINE_SOFT_CONGESTION_H
#define MOREAU_MACRO_LINE_SOFT_CONGESTION_H

#include "macro/line/mass_coordinate.h"

namespace moreau::macro
{
/// Soft congestion on the line [BM §6, "ε p(ρ)"]: a pressure that grows beyond all bounds as the density tends to 1 in the
/// place of the inequality ρ <= 1. In the mass coordinate m = ∫ρ dx, with τ = 1/ρ,
///     ∂ₜτ = ∂ₘu,   ∂ₜu = -∂ₘp + f,   p = ε (τ - 1)⁻²,
/// by Godunov's scheme: parcels keep their mass, and what acts between two of them follows from the waves that they send
/// into each other. There is no tension: where p would be negative parcels part, and vacuum is between them until they
/// meet again. Of order 1; shocks dissipate, and what a body is hit with comes back only as far as ε lets it.
class SoftCongestion
{
public:
  /// What does not change.
  struct Parameters
  {
    double    epsilon = 1e-4; ///< ε > 0: m²/s², p over the maximal density
    double    force   = 0.;   ///< f, m/s²
    LineWalls walls;
  };

  /// Throws std::invalid_argument where a parcel has the density 1 or more, or ε is not positive.
  SoftCongestion(Parcels initial, const Parameters &parameters);

  /// To time t >= time(), in steps that are as long as waves and closing gaps allow.
  void advance(double t);

  double         time() const { return now; }
  const Parcels &parcels() const { return matter; }
  double         wall_impulse() const { return from_walls; } ///< given by the walls since the start (kg m/s)

  /// Goes on from a state of the same matter. Throws std::invalid_argument where it is of other parcels.
  void restore(Parcels parcels, double time, double wall_impulse);

  /// ∫ ε/(τ - 1) dm, what p can give back (J per unit of density and area).
  double elastic_energy() const;

private:
  void   evaluate();
  double longest_step() const;
  void   step(double h);

  /// A side of a parcel: how fast it moves and what acts on it.
  struct Side
  {
    double u, p;
  };

  Parameters          parameters;
  Parcels             matter;
  std::vector<double> p, c; ///< of parcels: pressure, and √(-dp/dτ), which waves run with in m
  std::vector<Side>   left_side, right_side;
  double              now = 0., from_walls = 0.;
};
} // namespace moreau::macro

#endif
