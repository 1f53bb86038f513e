// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_LINE_MASS_COORDINATE_H
#define MOREAU_MACRO_LINE_MASS_COORDINATE_H

#include <limits>
#include <vector>

/// The congested flow on the line in the mass coordinate m = ∫ρ dx, where ρ <= 1 reads ∂X/∂m >= 1: X - m increases.
/// Lengths in m, the maximal density is 1: so a mass is a length (times the unit of density, kg/m).
namespace moreau::macro
{
/// Walls on the line: matter stays between them. Infinite: none.
struct LineWalls
{
  double left = -std::numeric_limits<double>::infinity(), right = std::numeric_limits<double>::infinity();
};

/// Piecewise constant density and velocity on consecutive intervals x[k] ... x[k+1].
struct LineDensity
{
  std::vector<double> x;      ///< n+1 ends, increasing (m)
  std::vector<double> rho, u; ///< n each; 0 <= rho <= 1; u counts where rho > 0 (m/s)
};

/// The same data in the mass coordinate m = ∫ρ dx: parcels of equal velocity, which is what the exact solution moves.
struct Parcels
{
  std::vector<double> m; ///< n+1 ends, from 0 to the mass
  /// X(m) is linear on each parcel, from left[k] to right[k]; right[k] <=
  /// left[k+1], and right[k] - left[k] >= m[k+1] - m[k].
  std::vector<double> left, right;
  std::vector<double> u;
};

/// Empty intervals leave no parcel; parcels longer than max_mass are cut (0:
/// none are). Throws std::invalid_argument for rho outside [0, 1].
Parcels parcels(const LineDensity &data, double max_mass = 0.);

/// The solution with e = 0 and no force at time t >= 0, for any data:   X(t, m) = m + P( X0(m) - m + t U0(m) )
/// (reference cases, motions), P the isotonic regression in L²(dm), cut off at the walls: congested zones end inside of
/// parcels where they do, so that the result is exact to rounding for piecewise constant densities. One parcel per congested
/// zone, with the mean of U0; the others keep their U0.
/// Velocities are those after impacts at t itself (also t = 0). Throws
/// std::invalid_argument where the mass does not fit between the walls.
Parcels sticky_solution(const Parcels &initial, double t, const LineWalls &walls = LineWalls());

/// One step of the splitting of [BM §6] (Maury & Preux) in one dimension: parcels move freely by h, X* = X + hU, U = u + h
/// force; the density is projected on ρ <= 1 in the Wasserstein distance, which is the isotonic regression of X* - m; the
/// velocity becomes (X⁺ - X)/h, its mean over each parcel: momentum is conserved. e = 0 only. Parcels stay the same in m;
/// X⁺ is interpolated on those that a congested zone covers in part, which is an error of the order of their mass.
Parcels splitting_step(const Parcels &before, double h, double force = 0., const LineWalls &walls = LineWalls());

/// What parcels do between two places m[i], m[i+1] in the mass coordinate, as a body.
struct BodyMotion
{
  double mass;     ///< kg
  double u;        ///< its mean velocity (m/s)
  double granular; ///< kinetic energy about it, ½∫|u - mean u|² dm (J)
};

/// Of bodies that lie side by side in m.
std::vector<BodyMotion> body_motions(const Parcels &parcels, const std::vector<double> &m);

/// Mean density in cells: cell k from ends[k] to ends[k+1].
std::vector<double> cell_densities(const Parcels &parcels, const std::vector<double> &ends);

/// Mean of ρu in them (m/s).
std::vector<double> cell_momenta(const Parcels &parcels, const std::vector<double> &ends);

/// ∫|F - G| dx of two distribution functions of mass, the Wasserstein-1
/// distance (kg m). Throws std::invalid_argument unless masses agree to 1e-9.
double wasserstein_distance(const Parcels &a, const Parcels &b);

/// (∫ |u_a - u_b|² dm / mass)^½: velocities compared in the mass coordinate (m/s). Throws as the above.
double velocity_distance(const Parcels &a, const Parcels &b);
} // namespace moreau::macro

#endif
