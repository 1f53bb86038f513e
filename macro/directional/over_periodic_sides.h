// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_OVER_PERIODIC_SIDES_H
#define MOREAU_MACRO_DIRECTIONAL_OVER_PERIODIC_SIDES_H

#include "macro/directional/simplex_mesh.h"

#include <map>
#include <utility>
#include <vector>

namespace moreau::macro
{
/// The points of a picture that simplices have beyond the sides of a box that repeats itself, where their nodes are on the
/// other side: behind `n_points` others.
struct OverPeriodicSides
{
  const SimplexMesh                  &mesh;
  Index                               n_points;
  std::map<std::pair<int, int>, int>  numbers; ///< of a node, and the axes along which it is moved, as bits
  std::vector<std::pair<int, Vector>> added;   ///< nodes and positions

  Eigen::VectorXi vertices(const Index simplex)
  {
    Eigen::VectorXi result = mesh.simplices.col(simplex);
    if (mesh.period.size() == 0)
      return result;
    const SimplexMatrix x = mesh.vertices(simplex);
    for (int &node : result)
      {
        const Vector at   = x.col(&node - result.data());
        int          axes = 0;
        for (Index axis = 0; axis < at.size(); ++axis)
          axes |= static_cast<int>(at(axis) != mesh.points(axis, node)) << axis;
        if (axes == 0)
          continue;
        const auto [place, is_new] = numbers.try_emplace({node, axes}, static_cast<int>(n_points + numbers.size()));
        if (is_new)
          added.emplace_back(node, at);
        node = place->second;
      }
    return result;
  }

  void append_to(Eigen::MatrixXd &points, Eigen::MatrixXd &nodal_u) const
  {
    points.conservativeResize(Eigen::NoChange, n_points + static_cast<Index>(added.size()));
    nodal_u.conservativeResize(Eigen::NoChange, points.cols());
    for (std::size_t k = 0; k < added.size(); ++k)
      {
        points.col(n_points + static_cast<Index>(k))  = added[k].second;
        nodal_u.col(n_points + static_cast<Index>(k)) = Vector(nodal_u.col(added[k].first));
      }
  }
};
} // namespace moreau::macro

#endif
