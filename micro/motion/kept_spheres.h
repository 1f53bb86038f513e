// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_KEPT_SPHERES_H
#define MOREAU_MICRO_MOTION_KEPT_SPHERES_H

#include "micro/motion/linearised_step.h"
#include "micro/motion/sphere_motion.h"

#include <vector>

namespace moreau::micro
{
/// What is left of everything that is numbered by spheres when some of them are taken out: the same in the same order, with
/// new numbers.
class KeptSpheres
{
public:
  /// Of n spheres without those with the numbers `removed`. Throws std::invalid_argument where these are not ascending
  /// numbers of spheres.
  KeptSpheres(Index n, const std::vector<Index> &removed);

  /// Of n spheres with ascending ids those of `ids`, counted among all ids.
  static KeptSpheres by_ids(Index n, const std::vector<Index> &ids);

  const std::vector<Index> &old_numbers() const { return kept; }

  Eigen::MatrixXd columns(const Eigen::MatrixXd &x) const; ///< a matrix without columns stays one
  Vector          entries(const Vector &x) const;
  Vector          interleaved(const Vector &x, Index dim) const;
  Spheres spheres(const Spheres &spheres) const { return {columns(spheres.r), entries(spheres.R), entries(spheres.m)}; }
  RowMultipliers rows(const RowMultipliers &known) const;

  std::vector<MotionContact> contacts(const std::vector<MotionContact> &contacts) const;

private:
  /// Renumbers the two partners; false where one of them is gone.
  template <class Pair>
  bool renumber(Pair &pair) const;

  Index              n_before;
  std::vector<Index> kept;       ///< ascending numbers before
  std::vector<Index> new_number; ///< -1: gone
};

/// What these spheres with velocities u (d n, interleaved) have.
RemovedSpheres what_goes(const Spheres &spheres, const Vector &u, const std::vector<Index> &which);
} // namespace moreau::micro

#endif
