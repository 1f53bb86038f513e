// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_NEIGHBOUR_LIST_H
#define MOREAU_MICRO_MOTION_NEIGHBOUR_LIST_H

#include "micro/pair_search.h"

namespace moreau::micro
{
/// Pairs that were near once and are asked for again while spheres move little: a search with reaches that are a tenth of a
/// radius longer holds until a sphere has used its tenth up. What is computed from a pair depends on where the spheres are
/// now, not on when the list was made.
class NeighbourList
{
public:
  struct Candidate
  {
    int          i, j;  ///< i < j
    std::int32_t image; ///< of j, as in NearPair
  };

  /// Makes candidates() contain all pairs with |r_j - r_i| <= a_i + a_j, images included. r: d x n, within the box; a, R: n.
  /// Throws as PairSearch does.
  void prepare(const Eigen::MatrixXd &r, const Vector &a, const Vector &R, const PeriodicBox &box);

  const std::vector<Candidate> &candidates() const { return pairs; } ///< ordered by i, j, image

private:
  bool covers(const Eigen::MatrixXd &r, const Vector &a) const;

  Eigen::MatrixXd        r_then; ///< when the search was made
  Vector                 a_then;
  std::vector<Candidate> pairs;
};
} // namespace moreau::micro

#endif
