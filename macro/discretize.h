// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DISCRETIZE_H
#define MOREAU_MACRO_DISCRETIZE_H

#include "geometry/box_grid.h"
#include "macro/vocabulary.h"
#include "macro/discretization.h"

#include <filesystem>

namespace moreau::macro
{
enum class ConeType
{
  isotropic,          ///< -div u <= 0 (BM, eq. 14)
  square,             ///< directions e_x, e_y (BM, eq. 25)
  triangular,         ///< (1,0), (-1/2, ±√3/2) (BM, eq. 32)
  cubic,              ///< e_x, e_y, e_z
  face_centred_cubic, ///< the six (1,±1,0)/√2 ...
  directions          ///< any, as functions of x
};

/// Which velocities are admissible on the saturated zone: div u >= 0, or ∂_{e_k}(u·e_k) >= 0 for all k.
struct Cone
{
  ConeType        type = ConeType::isotropic;
  Eigen::MatrixXd directions; ///< dim x K, unit, rotated already; empty for `isotropic` and where direction_field is given
  double          lattice_angle = 0.; ///< degrees, in the x-y plane
  Field           direction_field;    ///< dim*K components, direction after direction, constant on each cell; empty: uniform
  int             n_directions = 0;   ///< K
};

/// The unit directions of a lattice, rotated by an angle in the x-y plane (degrees): dim x K. Throws std::invalid_argument
/// for isotropic and directions.
Eigen::MatrixXd lattice_directions(ConeType type, double angle);

/// Where matter is, and where it is saturated.
struct Domain
{
  Vector lower, upper; ///< box Ω (m)
  Sides  walls = {};
  Field  density;                     ///< ρ in [0,1], one component; saturated where it is 1 (up to 1e-12)
  bool   uniform             = true;  ///< ρ = 1 everywhere: nobody need ask
  bool   density_is_cellwise = false; ///< ρ is an array: its cells *are* the zone
  Field  level; ///< one component, smooth, positive exactly in the zone: a shape whose boundary may cut cells; may be empty
  bool   level_is_given = false; ///< by the user; else it was read off the density and may be ignored
};

struct MeshChoice
{
  double                cells_per_unit_length = 64.;
  std::filesystem::path file; ///< Gmsh; empty: the box
  unsigned int          adaptive_cycles = 0;
  std::string           elements  = "automatic"; ///< isotropic cone: or "Raviart-Thomas", deal.II's RT1 on the box, too
  std::string           alignment = "automatic"; ///< directional cones: "lattice" (mesh along the lattice) or "box"
};

/// A projection as a user states it.
struct Setting
{
  Domain     domain;
  Cone       cone;
  MeshChoice mesh;
  Field      U; ///< dim components (m/s)
  Processes  processes;

  Index dim() const { return domain.lower.size(); }
};

/// Lower and upper corner of the smallest box around a Gmsh mesh (m). Throws
/// InputError("the file of the mesh", ...) where it cannot be read.
std::pair<Vector, Vector> bounding_box(const std::filesystem::path &mesh, int dim);

/// Makes it finite. Throws InputError for what cannot be.
std::unique_ptr<Discretization> discretize(const Setting &setting);

/// Isotropic cone on the box: staggered velocities, cell pressures.
std::unique_ptr<Discretization> staggered_discretization(const Setting &setting);
/// Isotropic cone on the box, with a zone cut out by domain.level.
std::unique_ptr<Discretization> shape_discretization(const Setting &setting);
/// Isotropic cone on any quadrilaterals or hexahedra, and on adaptively refined ones.
std::unique_ptr<Discretization> mixed_discretization(const Setting &setting);
/// Directional cones on a mesh that lies along the lattice.
std::unique_ptr<Discretization> aligned_discretization(const Setting &setting);
/// Directional cones, any directions, on triangles and tetrahedra.
std::unique_ptr<Discretization> simplex_discretization(const Setting &setting);
} // namespace moreau::macro

#endif
