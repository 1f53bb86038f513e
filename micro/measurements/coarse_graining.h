// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MEASUREMENTS_COARSE_GRAINING_H
#define MOREAU_MICRO_MEASUREMENTS_COARSE_GRAINING_H

#include "micro/measurements/removal.h"

#include <array>
#include <string>
#include <vector>

namespace moreau::micro
{
/// Fields of the continuum that moving spheres stand for (Goldhirsch, Granular Matter 12 (2010) 239-252):
///
///   ρ(x) = Σ m_i φ(x - x_i),   ρu(x) = Σ m_i u_i φ(x - x_i),
///   σ(x) = Σ (p/h) l eᵀ ∫₀¹ φ(x - x_i - s l) ds over contacts with branch l, and Σ m_i (u_i - u(x))(u_i - u(x))ᵀ φ(x - x_i)
///
/// with the kernel φ(x) = Π_k β(x_k), β the cubic B-spline of standard deviation w: nearly Gauss's, without a tail beyond
/// 2√3 w. At the sides of the box it is mirrored, or goes on at the other side where the box repeats itself: all mass stays
/// in it. Spheres whose centre is outside are left out.
struct CoarseGraining
{
  std::vector<unsigned int> cells;      ///< per axis; empty: no picture
  double                    width = 0.; ///< w (m); 0: the largest diameter
};

/// A point where ρ and u are wanted.
struct Probe
{
  std::string name;
  Vector      x; ///< length d (m)
};

struct ProbeState
{
  double rho = 0.; ///< kg/m^d
  Vector u;        ///< m/s; NaN where ρ = 0
};

/// Means over the cells of a grid, i fastest: the integral over all cells of ρ is the mass of the spheres to rounding.
struct CoarseFields
{
  Vector          rho;            ///< kg/m^d
  Vector          solid_fraction; ///< the same with volumes of spheres
  Eigen::MatrixXd u;              ///< d x cells (m/s): Σ m u φ / Σ m φ of cell means; 0 where ρ = 0
  Eigen::MatrixXd stress;         ///< of contacts, d² x cells (N/m^(d-1)), pressure positive
  Eigen::MatrixXd kinetic_stress; ///< d² x cells, about the cell's u
};

class CoarseGrainer
{
public:
  /// In the box lower ... upper, which repeats itself along the axes of a positive period. Throws InputError("the coarse
  /// graining", ...) for a width below the largest radius or too large for the box, or another number of cells than axes.
  CoarseGrainer(CoarseGraining parameters, const Vector &lower, const Vector &upper, const SphereSystem &system);

  CoarseFields fields(const SphereMotion &motion) const;
  ProbeState   at(const Vector &x, const SphereMotion &motion) const;

  const std::vector<unsigned int> &cells() const { return parameters.cells; }
  const Vector                    &lower_corner() const { return lower; }
  Vector                           cell_size() const;                         ///< m
  double                           width() const { return parameters.width; } ///< w (m), as it is taken

  bool contains(const double *x) const;

private:
  /// Cells along an axis and what of β(· - x) they hold.
  struct Weights
  {
    std::vector<Index>  cell;
    std::vector<double> weight; ///< they add up to 1
  };

  Weights weights(Index axis, double x) const;
  double  kernel(Index axis, double x, double centre) const;

  /// visit(cell, weight) for all cells that the kernel about x reaches.
  template <class Visit>
  void spread(const Vector &x, const Visit &visit) const;

  CoarseGraining parameters;
  Vector         lower, upper, period;
  Box            sides;      ///< the zone, with its upper sides; without end along axes that repeat themselves
  double         knots = 0.; ///< distance of the knots of β (m)
};
} // namespace moreau::micro

#endif
