// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_SIMPLEX_GEOMETRY_H
#define MOREAU_HOMOGENIZATION_SIMPLEX_GEOMETRY_H

#include <Eigen/Core>

/// Simplices in dimension 1, 2, 3 as the columns of matrices, dim+1 corners each.
namespace moreau::homogenization
{
using Eigen::Index;

/// Signed volume of the simplex with these corners, dim x (dim+1): positive where it is positively oriented.
double signed_volume(const Eigen::Ref<const Eigen::MatrixXd> &corners);

/// Diameter of the sphere through the corners, dim x (dim+1), dim > 1; no finite number where they lie in a plane.
double circumscribed_diameter(const Eigen::Ref<const Eigen::MatrixXd> &corners);

/// Sum of the volumes of simplices, dim x (dim+1) k, without sign.
double total_volume(const Eigen::MatrixXd &corners);

/// A convex polytope as simplices from its first vertex, positively oriented: dim x (dim+1) k. Outline and, in space, faces
/// as in voronoi.h.
void fan(const Eigen::Ref<const Eigen::MatrixXd> &outline, const int *first_face, const int *last_face,
         Eigen::MatrixXd &corners);
} // namespace moreau::homogenization

#endif
