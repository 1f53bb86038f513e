// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MACRO_PICTURES_H
#define MOREAU_TESTS_MACRO_PICTURES_H

#include "geometry/picture.h"

#include <Eigen/Core>

#include <stdexcept>
#include <string>
#include <vector>

/// What pictures hold, as columns again. They see the picture and do not copy it.
namespace moreau::macro::pictures
{
using Columns = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

/// dim x n_points (m)
inline Columns points(const geometry::Mesh &mesh, const int dim)
{
  return Columns(mesh.points.data(), dim, static_cast<Eigen::Index>(mesh.n_points()), Eigen::OuterStride<>(3));
}

/// The array with this name, a column per point or cell: dim rows of U and u, all rows of others.
inline Columns data(const std::vector<geometry::Array> &arrays, const std::string &name, const int dim)
{
  for (const geometry::Array &array : arrays)
    if (array.name == name)
      {
        const Eigen::Index n_components = array.n_components, n = array.values.size() / n_components;
        return Columns(array.values.data(), name == "U" || name == "u" ? dim : n_components, n,
                       Eigen::OuterStride<>(n_components));
      }
  throw std::out_of_range(name);
}
} // namespace moreau::macro::pictures

#endif
