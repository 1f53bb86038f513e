// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_TORN_VELOCITY_H
#define MOREAU_MACRO_DIRECTIONAL_TORN_VELOCITY_H

#include "macro/directional/simplex_certificate.h"

/// Velocities that jump on facets of the mesh. Admissible are those whose gradient, as a measure, is: on a facet with
/// normal n the jump [v] must satisfy
///     (A_k n)·[v] >= 0   for all k,   or n⊗[v] in the circular cone:
/// bodies part there, or slip along facets that no direction crosses obliquely.
namespace moreau::macro
{
/// The zone with two nodes in place of one, and facets in `torn`, where U jumps on facets and that jump has a part that is
/// admissible; `grains` are those of the zone, since pressures stay continuous. A jump is one where U differs more from
/// simplex to simplex than within both.
DirectionalZone torn_where_U_jumps(const DirectionalZone &zone, const SimplexData &data);

/// Whether there is an admissible jump j, force·j >= 0 for all forces, that takes more than a tenth of this one away.
bool has_admissible_part(const std::vector<Vector> &forces, const Vector &jump);

/// An inequality on a torn facet, at one end: force·(v_behind - v_here) >= 0.
struct JumpRow
{
  int    here, behind; ///< nodes
  int    simplex;      ///< of the facet
  Vector force;        ///< A_k n, n from here to behind
};

/// All of them, each once, for the s of dilatant cones that the inner approximation takes. Of circular cones, whose products
/// with n and along the facet lie in a circle (circular_jump), dim rows each.
std::vector<JumpRow> jump_rows(const DirectionalZone &zone);

/// Adds to w = x - c (dim per node) what opens all torn facets: a tenth of an edge along their normals.
void open_torn_facets(const DirectionalZone &zone, Vector &w);
} // namespace moreau::macro

#endif
