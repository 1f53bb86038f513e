// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_CONE_H
#define MOREAU_MACRO_CONE_H

#include "macro/vocabulary.h"
#include "geometry/picture.h"

#include <string>
#include <vector>

namespace moreau::macro
{
enum class ConeType
{
  isotropic,          ///< -div u <= 0 (BM, eq. 14)
  square,             ///< directions e_x, e_y (BM, eq. 25)
  triangular,         ///< (1,0), (-1/2, ±√3/2) (BM, eq. 32)
  cubic,              ///< e_x, e_y, e_z
  face_centred_cubic, ///< the six (1,±1,0)/√2 ...
  directions,         ///< any, as functions of x
  dilatant,           ///< (1-s)/d div u + s ∂_e(u·e) >= 0 for all e: tr D >= s√2 |dev D| in the plane
  circular            ///< tr D >= s√(d(d-1)) |dev D|, D the symmetric gradient: in the plane the same
};

/// "isotropic", "face-centred cubic", ...
std::string name(ConeType type);

/// Whether a cone of this type is one of many, by its s.
inline bool has_dilatancy(const ConeType type) { return type == ConeType::dilatant || type == ConeType::circular; }

/// Whether a cone of this type is that of a lattice, which an angle turns.
inline bool has_lattice(const ConeType type)
{
  return type != ConeType::isotropic && type != ConeType::directions && !has_dilatancy(type);
}

/// Which velocities are admissible on the saturated zone: div u >= 0, or ∂_{e_k}(u·e_k) >= 0 for all k, or what random
/// packings obey, (1-s)/d div u + s ∂_e(u·e) >= 0 for all unit vectors e: isotropic for s = 0, all directions for s = 1. Of
/// these e the K `directions` stand for all: see inner_factor() and the admissible pressures of the outer approximation.
/// Packings of balls obey the circular cone of Drucker and Prager, tr D >= s√(d(d-1)) |dev D|, which for s = 1 is the
/// largest one in { D >= 0 }.
struct Cone
{
  ConeType        type = ConeType::isotropic;
  Eigen::MatrixXd directions; ///< dim x K, unit, rotated already; empty for `isotropic` and where direction_field is given
  double          lattice_angle = 0.; ///< degrees, in the x-y plane
  Field           direction_field;    ///< dim*K components, direction after direction, constant on each cell; empty: uniform
  int             n_directions = 0;   ///< K
  Field           dilatancy;          ///< s in [0, 1] of `dilatant` and `circular`, one component; empty elsewhere
};

/// The circular cone of this dilatancy s (one component); it has no directions.
Cone circular_cone(Field dilatancy);

/// The cone of this dilatancy s (one component), with K directions: in the plane the angles πk/K, K even and at least 4; in
/// space sets that have the symmetries of the cube, K = 13, 19, 37, 49 or 73. Throws InputError("the number of directions",
/// ...) for others.
Cone dilatant_cone(int dim, Field dilatancy, int n_directions);

/// How much larger s has to be so that the inequalities for the given directions alone give a part of the cone of s: in the
/// plane 1/cos(π/K), since tr D >= 2 s d max_k(-cos 2(θ_k - α)), where D has the shear d with the axis α; in space between
/// 1.62 (K = 13) and 1.12 (73), found by linear programs. 1 for other cones.
double inner_factor(const Cone &cone);

/// The unit directions of a lattice, rotated by an angle in the x-y plane (degrees): dim x K. Throws std::invalid_argument
/// for isotropic and directions.
Eigen::MatrixXd lattice_directions(ConeType type, double angle);

/// Calls the components of p, of directional derivatives and of `active` after the directions of their cone, as
/// "(0.866025, 0.5)"; leaves them without names for the isotropic cone and where directions vary.
void name_components(std::vector<geometry::Array> &arrays, const Cone &cone);

/// The cone of this type, all but `directions`, which needs functions. angle: of the lattice (degrees).
Cone lattice_cone(ConeType type, double angle);
} // namespace moreau::macro

#endif
