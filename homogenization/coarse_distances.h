// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_COARSE_DISTANCES_H
#define MOREAU_HOMOGENIZATION_COARSE_DISTANCES_H

#include "homogenization/voronoi.h"

namespace moreau::homogenization
{
/// |Π_k(v - u)| in L²(ω): the box is cut into k^d equal windows, and Π_k takes the mean over the part of ω in each of them.
/// A weak norm: fluctuations on the scale of the spheres do not count, and the windows stay where they are as spheres get
/// small.
///   domain      of the cells: its box is cut; where it repeats itself the windows do, and so must the functions
///   v           constant on cells (d n)
///   functions   the u
///   windows     the k, each at least 1
///   returns     a row per k, a column per function (m/s m^{d/2}); cells are cut exactly by the windows, and functions
///               integrated over what is left to 1e-5 of the largest speed, as far as 4e6 points in all (at least 100 a
///               cell) beside those of a rule of degree 5 reach
Eigen::MatrixXd coarse_distances(const VoronoiCells &cells, const macro::Domain &domain, const Vector &v,
                                 const std::vector<geometry::Field> &functions, const std::vector<int> &windows);
} // namespace moreau::homogenization

#endif
