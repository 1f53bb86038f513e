// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_OBSTACLE_TEXT_H
#define MOREAU_APP_INPUT_OBSTACLE_TEXT_H

#include "app/input/motion_parameters.h"
#include "geometry/picture.h"
#include "micro/obstacles.h"

#include <string>
#include <vector>

namespace moreau::app
{
/// The obstacles of all groups in the words of 'Obstacles/Shapes', and the walls of the box as half-spaces that move at
/// constant velocities. Throws InputError naming section and parameter for what cannot be understood.
micro::Obstacles obstacles(const std::array<ObstacleParameters, MotionText::n_groups> &groups,
                           const std::vector<micro::Wall> &walls, micro::Index dim);

/// The obstacles as a picture, "obstacles": polygons in space, outlines of lines in the plane, points on the line;
/// half-spaces as far as the box lower ... upper shows them. Cell data: obstacle (number).
geometry::Mesh obstacle_mesh(const micro::PlacedObstacles &obstacles, const micro::Vector &lower,
                             const micro::Vector &upper);

/// Walls at time 0 as a picture, "walls", drawn likewise; cell data: wall (number). Nothing without walls, no cells where
/// not asked for (of several processes that write pieces one draws them).
std::vector<geometry::Mesh> wall_mesh(const std::vector<micro::Wall> &walls, const micro::Vector &lower,
                                      const micro::Vector &upper, bool draws = true);

/// The same of the sides `names` of the box.
std::vector<geometry::Mesh> wall_mesh(const std::vector<std::string> &names, const micro::Vector &lower,
                                      const micro::Vector &upper, bool draws = true);
} // namespace moreau::app

#endif
