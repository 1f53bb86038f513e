// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MACRO_FLOW_RANDOM_FACES_H
#define MOREAU_TESTS_MACRO_FLOW_RANDOM_FACES_H

#include "geometry/box_grid.h"

#include <random>

/// White noise: normal numbers on all faces, the same for the same seed.
inline moreau::geometry::FaceArrays random_faces(const moreau::geometry::BoxGrid &grid, const unsigned int seed)
{
  std::mt19937                     numbers(seed);
  std::normal_distribution<double> normal;
  moreau::geometry::FaceArrays     result(grid);
  for (int axis = 0; axis < grid.dim; ++axis)
    for (moreau::geometry::Index k = 0; k < result.values[axis].size(); ++k)
      result.values[axis](k) = normal(numbers);
  return result;
}

#endif
