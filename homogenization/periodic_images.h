// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_PERIODIC_IMAGES_H
#define MOREAU_HOMOGENIZATION_PERIODIC_IMAGES_H

#include "macro/discretize.h"
#include "micro/spheres.h"

#include <array>
#include <vector>

namespace moreau::homogenization
{
using Eigen::Index;
using Vector = Eigen::VectorXd;

/// The spheres of a periodic box and images of them around it: the spheres themselves come first.
struct PeriodicImages
{
  micro::Spheres                  spheres;
  std::vector<int>                original; ///< of each the sphere of the box that it is, or is an image of
  std::vector<std::array<int, 3>> periods;  ///< by how many of them it lies beside that one

  /// n_each numbers of each sphere of the box: those of all here.
  Vector values(const Vector &of_box, Index n_each) const;
};

/// All images with centres within `reach` (m) of the box, along its periodic axes. Coordinates are rounded to multiples of a
/// power of two, as large as the rounding of the farthest ones, so that images lie beside each other by the same vectors to
/// the last bit: what is decided by coordinates is decided for all images alike.
///   spheres  with their centres in the box
PeriodicImages with_images(const micro::Spheres &spheres, const macro::Domain &domain, double reach);

/// The box that holds all those centres.
macro::Domain with_surroundings(macro::Domain domain, double reach);

/// A reach (m) to begin with: a few spacings of the spheres.
double first_reach(const micro::Spheres &spheres, const macro::Domain &domain);

/// Throws std::runtime_error where a reach is farther than cells of a box can be.
void require_sensible_reach(double reach, const macro::Domain &domain);
} // namespace moreau::homogenization

#endif
