// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_PACKINGS_H
#define MOREAU_MICRO_PACKINGS_H

#include "micro/obstacles.h"
#include "micro/spheres.h"

#include <functional>
#include <string>
#include <vector>

namespace moreau::micro
{
/// How a random packing is made. What ends it: the coverage, the radius where n is given too, else jamming.
struct PackingParameters
{
  Vector            lower, upper; ///< box (m)
  std::vector<bool> periodic;     ///< per direction; elsewhere the sides are walls
  Index  n = 0; ///< number of spheres; 0: what fits the radius and the coverage (about that of jamming without one)
  double radius =
      0.; ///< mean radius of the end (m); 0: whatever n spheres reach. Only about so where n is 0: n is an integer.
  std::vector<Obstacle> obstacles;   ///< at rest, out of which spheres stay; a periodic box repeats them
  double                spread = 0.; ///< radii are uniform in mean * [1 - spread, 1 + spread], in [0, 1)
  double coverage = 0.; ///< fraction of the box that the spheres cover in the end; 0: until the packing is jammed
  /// ε in [0, .1]: soft spheres whose radii are 1 + ε times those of a jammed packing, their forces in balance; they are
  /// made smaller, all by one factor, until none overlaps, and what overlapped is a contact. 0: hard spheres.
  double       overlap     = 0.;
  bool         compression = false; ///< a larger box shrinks to this one, its walls push; else the radii grow
  unsigned int seed        = 1;
  double       tolerance   = 1e-10; ///< relative growth of the radii in a step below which the packing counts as jammed

  /// Throws InputError for what makes no sense.
  void validate() const;

  /// n, or how many spheres of the mean radius cover what is wanted, or about what jammed packings cover.
  Index number() const;

  /// Throws the InputError for a packing that ended at the coverage `reached`
  /// and not where it should; end: why, as "is jammed".
  [[noreturn]] void throw_unreachable(double reached, const std::string &end) const;
};

/// Raised where the same parameters give other packings than before.
constexpr int packing_revision = 3;

struct Packing
{
  Spheres spheres;
  double  reach    = 0.;    ///< of R_i + R_j (R_i at a wall): pairs that overlapped have gaps up to this; 0: hard spheres
  double  coverage = 0.;    ///< Σ volumes / volume of the box
  bool    jammed   = false; ///< nothing could grow any further
  Index   n_contacts =
      0; ///< of spheres that are held, with each other and walls: gaps below 1e-8 of the smaller radius, or overlaps that were
  Index        n_rattlers = 0; ///< spheres that are not held: fewer than d + 1 contacts with walls and spheres that are
  unsigned int n_steps    = 0;
};

/// Spheres at random places that cover little of the box move by scheme A with one more coordinate, the common factor of
/// their radii, which is pushed. In steps, with rows of all gaps D within reach, x the displacements (d n) and η the
/// growth of the mean radius,
///     min ½|x|² + ½ w (η - H)²,   e·(x_i - x_j) + (R_i + R_j)/R η <= D,
/// least displacements that make room. D is convex in the centres, so that no step makes an overlap. There always is a
/// solution, x = 0, η = 0; where nothing else is left the packing is jammed, and the multipliers are the forces that hold
/// it: in the generic case as many as there are coordinates of spheres that are held, and one, less the translations of the
/// periodic box.
///
/// In compression the spheres keep their radii and stay where they are until something pushes; seen from the shrinking box
/// radii grow and spheres move outwards. Periods shrink with everything in between: there both methods are the same.
///
/// Where an overlap is asked for, and where many hard spheres are to jam, jam() makes the packing (micro/jamming.h).
///
/// Obstacles are walls of another shape. About bodies D is convex, too; in containers it is concave, and steps are
/// shortened until their spheres stay inside.
///
/// Reproducible: the same parameters give the same packing on every machine with the same arithmetic, for any number of
/// threads (the caller holds OpenBLAS to one, see convex::SparseCholesky). progress(fraction) is called now and then.
/// Throws InputError("the coverage") where the coverage cannot be reached, saying what was, InputError("the obstacles")
/// where they leave no room, and InputError for parameters that make no sense.
Packing random_packing(const PackingParameters &parameters, const std::function<void(double)> &progress = {});
} // namespace moreau::micro

#endif
