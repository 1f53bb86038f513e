// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_CONTACT_STATISTICS_H
#define MOREAU_MICRO_CONTACT_STATISTICS_H

#include <Eigen/Core>

#include <vector>

namespace moreau::micro
{
/// A contact between two spheres that is pressed.
struct PressedContact
{
  Eigen::Vector3d e; ///< unit; entries beyond the dimension are 0
  double          p; ///< > 0: impulse (kg m/s) or force (N)
};

/// How large p is and where contacts point at one instant.
struct ContactStatistics
{
  /// Contacts with lower <= p / mean < upper.
  struct ForceBin
  {
    double       lower, upper;
    Eigen::Index count;
    double       density; ///< count / (n (upper - lower)): its integral is 1
  };

  /// Ends of contacts, two each, e and -e. In the plane the angle is that from the x axis, in space that from the z axis;
  /// bins are 10° wide around it.
  struct DirectionBin
  {
    double       angle; ///< degrees: 0, 10, ... 350; in space 0, 10, ... 180, the first and last half as wide
    Eigen::Index count;
    double       count_density; ///< share of the ends over the share of all directions: 1 where none is preferred
    double       force_density; ///< the same with ends weighted by p
  };

  Eigen::Index n    = 0;
  double       mean = 0., largest = 0.; ///< of p

  std::vector<ForceBin>     forces;     ///< from 0 to the largest p
  std::vector<DirectionBin> directions; ///< empty on a line

  Eigen::MatrixXd fabric;       ///< Σ e eᵀ / n; trace 1
  Eigen::MatrixXd force_fabric; ///< Σ p e eᵀ / Σ p; trace 1
};

/// The bins of p are 2^k wide, k >= -3: as narrow as leaves at most √n of them, which may be 8 in any case and 40 at most.
/// Without contacts there are no bins, means are 0 and the matrices NaN.
ContactStatistics contact_statistics(const std::vector<PressedContact> &contacts, Eigen::Index dim);
} // namespace moreau::micro

#endif
