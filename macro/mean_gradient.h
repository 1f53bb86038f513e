// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MEAN_GRADIENT_H
#define MOREAU_MACRO_MEAN_GRADIENT_H

#include "macro/cone.h"

#include <string>
#include <vector>

namespace moreau::macro
{
/// Why a velocity with the mean gradient D (dim x dim, 1/s) is not admissible for a cone all over a box that repeats itself
/// along all axes, "tr D = -0.1 1/s is below 0"; empty where D x is. Where it is not nothing is, since the mean of gradients
/// in a convex cone lies in it.
///   cone  without a direction field; its dilatancy is asked for at x = 0 only
std::string why_not_admissible(const Cone &cone, const Eigen::MatrixXd &D);

/// Why none is in a full box that is closed by two walls across the axes of which `walled` is true and repeats itself along
/// the others; D has no row there. A velocity along the walls may change from one to the other, so that the columns of D
/// there are free but for the diagonal: they are 0 where the cone lets most pass. Empty where nothing is known.
std::string why_not_admissible(const Cone &cone, const Eigen::MatrixXd &D, const std::vector<bool> &walled);

/// Of a dilatant cone that lets D x pass: why the K directions that stand for it do not, "D has -0.002 1/s along e = ...";
/// empty where they do, and for other cones.
std::string why_not_by_directions(const Cone &cone, const Eigen::MatrixXd &D);
} // namespace moreau::macro

#endif
