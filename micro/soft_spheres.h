// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_SOFT_SPHERES_H
#define MOREAU_MICRO_SOFT_SPHERES_H

#include "convex/constraint_operator.h"
#include "convex/factorisation/sparse_cholesky.h"
#include "micro/packings.h"
#include "micro/pair_search.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace moreau::micro
{
/// Spheres with the radii s a_i in a box, of the energy E = ½ Σ ((R_i + R_j - |r_j - r_i|)⁺)² over pairs and walls.
class SoftSpheres
{
public:
  /// A pair of spheres that are near each other, or a sphere and a side of the box.
  struct Close
  {
    int             i, j; ///< j < 0: the side -1 - j
    Eigen::Vector3d L;    ///< r_j + L is the image that is near
  };

  /// At random places, with radii of a coverage beyond that of jamming.
  explicit SoftSpheres(const PackingParameters &parameters);

  Index  dimension() const { return r.rows(); }
  Index  size() const { return r.cols(); }
  double coverage() const;

  /// What is within the reach (m) of each other; spheres are within the box.
  std::vector<Close> near(double reach) const;

  /// D (m); e, from i to j; and S: the sum of the radii is s S.
  double gap(const Close &pair, Eigen::Vector3d &e, double &S) const;

  /// The pairs i, j whose gap is at most (part) of the smaller radius; j < 0: a wall.
  std::vector<std::pair<int, int>> touching(double part) const;

  /// B x = e·(x_i - x_j) of these pairs, their D (m), and S.
  struct Rows
  {
    convex::PairConstraint B;
    Vector                 D, S;
  };
  Rows rows(const std::vector<Close> &pairs) const;

  /// Root mean square of the forces on spheres over the mean overlap, up to rounding; 0 where nothing overlaps.
  double imbalance() const;

  /// Moves spheres until forces are balanced: the mean square of the forces on spheres is at most this part of the mean
  /// overlap. By inertia that is taken away where it leads uphill (FIRE, Bitzek et al. 2006): good from afar. Returns the
  /// mean overlap that is left, of the mean diameter.
  double glide(double balanced);

  /// The same by majorants: D is convex in the places, so that E(r + x) <= ½|(B x - D)⁺|², of which the minimum with ½
  /// λ |x|² more is taken again and again; λ is .05 of the mean overlap over the mean diameter. Good where forces are nearly
  /// balanced, in tens of steps for any number of spheres.
  double settle(double balanced);

  /// Reduces the radii until overlaps are some 5e-4 diameters with forces in balance to a hundredth, of many balls 2e-5 with
  /// forces in balance to 1e-4, and then until nothing overlaps.
  void soften(const std::function<void(double)> &said);

  /// Spheres back into the box.
  void wrap();

  Eigen::MatrixXd r; ///< d x n (m)
  Vector          a; ///< radii over their mean
  double          s       = 0.;
  unsigned int    n_steps = 0;

  std::function<void()> at_step; ///< called at each step of glide() and settle(), which it may end by throwing; may be empty

private:
  Vector            lower, upper;
  PeriodicBox       box;
  std::vector<Wall> walls;

  using Factors = std::unique_ptr<convex::SparseCholesky>;
  struct Push
  {
    double E = 0., mean_overlap = 0.; ///< m², m; of those that overlap
  };
  Push push(const std::vector<Close> &pairs, Eigen::MatrixXd &F) const; ///< F := -∇E
  bool is_balanced(const Push &now, const Eigen::MatrixXd &F, double balanced) const;

  /// x, d x n (m), of the least ½|(B x - D)⁺|² + ½ λ |x|² by Newton's method with exact line searches, forces to a
  /// tenth of what they are. factors: of systems of the same pairs; made where there are none.
  Eigen::MatrixXd descent(const Rows &rows, double lambda, Factors &factors) const;
};
} // namespace moreau::micro

#endif
