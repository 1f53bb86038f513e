// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_VELOCITY_ON_MESH_H
#define MOREAU_MACRO_DIRECTIONAL_VELOCITY_ON_MESH_H

#include "macro/discretize.h"

/// The velocity of a mesh along a lattice as a function on all of Ω.
///
/// Such a mesh leaves out what the boundary of box or zone cuts: a strip
/// narrower than a cell that belongs to the zone all the same.
/// There v is continued from the nearest point of the mesh, so that it does not jump to U. What a bound says of |v - u|
/// holds on the mesh; on the strip v differs from u by the order of the spacing where u is smooth.
namespace moreau::macro
{
/// Where a point lies: on the mesh, up to rounding; so near that it belongs to the strip if it is saturated; anywhere else.
enum class Reach : char
{
  on_mesh,
  beside,
  away
};

/// Reach of a point that is this far from the mesh, in spacings.
inline Reach reach(const double distance)
{
  constexpr double rounding = 1e-9, strip = 1.5;
  return distance <= rounding ? Reach::on_mesh : distance <= strip ? Reach::beside : Reach::away;
}

/// v at the point x, or at the point of the mesh nearest to it where it lies beside (dim numbers each). Nothing is written
/// where it lies away. May be called from several threads.
using VelocityAtPoint = std::function<Reach(const double *x, double *v)>;

/// v on the mesh, its continuation on saturated points beside the mesh,
/// setting.U elsewhere. Keeps a reference to the setting.
Field velocity_on_mesh(const Setting &setting, VelocityAtPoint v);
} // namespace moreau::macro

#endif
