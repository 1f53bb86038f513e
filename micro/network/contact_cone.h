// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_NETWORK_CONTACT_CONE_H
#define MOREAU_MICRO_NETWORK_CONTACT_CONE_H

#include "micro/contact_graph.h"

#include <functional>
#include <string>
#include <vector>

namespace moreau::micro
{
/// A direction of the space of trace-free symmetric matrices, normalised so that its least eigenvalue is -1.
struct Deviator
{
  std::string     name;  ///< "30 degrees", "compression along z"
  double          angle; ///< of the axis that gets longer (degrees, plane); 0 in space
  Eigen::MatrixXd A;     ///< d x d
};

/// A = [[cos 2a, sin 2a], [sin 2a, -cos 2a]] for n angles a = 0, 180/n, ... degrees: longer along a, shorter across it.
std::vector<Deviator> plane_deviators(int n);

/// In space: compression and extension along the axes of the box and the diagonals of a cube, shears in its planes.
std::vector<Deviator> space_deviators();

/// The edge of the contact cone of a packing in a periodic box along one deviator.
///
/// The cone of mean velocity gradients that the contacts let pass,
///     K = { D : l e·De + e·(w_j - w_i) >= 0 on every contact for some w with the period of the box },    l = |r_j - r_i|,
/// meets the ray D = t I + A from t = s(A) on. The dual is the largest -A:σ over tr σ of the stresses σ = Σ p l e eᵀ of
/// p >= 0 that balance in themselves:
///     s(A) = max { -Σ p l e·Ae : p >= 0, Bᵀp = 0, Σ p l = 1 }.
/// s = 0 for {tr D >= 0}, s = 1 for {D >= 0}; s = sin φ in the plane, φ the angle of friction of Mohr and Coulomb.
struct ConeEdge
{
  Deviator     deviator;
  double       lower = 0., upper = 0.; ///< of s: by the stress, less its imbalance; by the fluctuation w, exactly
  Vector       stress;                 ///< p per contact, >= 0, Σ p l = 1 (l in m): an extreme stress
  Vector       fluctuation;            ///< w (d n): velocities in units of |A| times a length, mean 0
  double       imbalance    = 0.;      ///< what is left of Bᵀp, in units of s: taken off `lower`; NaN without stress
  Index        n_pressed    = 0;       ///< contacts that bear the stress: p above 1e-6 of the largest
  bool         has_stress   = true;    ///< false: no stress is balanced, s = -∞ and nothing limits D
  bool         converged    = false;
  unsigned int n_iterations = 0;

  double s() const { return .5 * (lower + upper); }
};

/// The same edge as that of a circular cone { D : tr D >= s √(d(d-1)) |dev D| }, whose stresses are those of Drucker and
/// Prager: this s, which is s(A) in the plane. s = 1 is the largest such cone within {D >= 0}. In space cones that know no
/// direction are more than one family: which of s(A) and this depends less on A says whether what a network blocks is
/// the least eigenvalue of dev D or its length.
double circular_s(const Deviator &deviator, double s);

/// All of these, each a linear program. progress(fraction) may be empty. Throws InputError("the periods", ...) where the box
/// does not repeat itself in all directions, and InputError("the contact tolerance", ...) where nothing touches.
///   tolerance  of s: upper - lower
std::vector<ConeEdge> contact_cone(const Spheres &spheres, const ContactGraph &graph, const std::vector<Deviator> &deviators,
                                   double tolerance, const std::function<void(double)> &progress = {});

/// What s(angle) is, as a sum of harmonics, in the plane. K_s alone has nothing but a mean.
struct Harmonics
{
  double mean = 0.;
  double tilt = 0., tilt_angle = 0.; ///< amplitude of cos 2(a - tilt_angle), tilt_angle in [0, 180) degrees
  double fourth = 0., sixth = 0.;    ///< amplitudes of cos 4(a - ...), cos 6(a - ...): of square and triangular lattices
  double anisotropy = 0.;            ///< root mean square of s - mean
};

/// Of the values at the angles of plane_deviators(n), n >= 1. Amplitudes that n angles cannot tell from others are NaN.
Harmonics harmonics(const std::vector<ConeEdge> &edges);
} // namespace moreau::micro

#endif
