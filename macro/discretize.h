// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DISCRETIZE_H
#define MOREAU_MACRO_DISCRETIZE_H

#include "geometry/box_grid.h"
#include "geometry/periodic_field.h"
#include "geometry/progress.h"
#include "macro/cone.h"
#include "macro/discretization.h"
#include "macro/mesh_choice.h"

namespace moreau::macro
{
/// Where matter is, and where it is saturated.
struct Domain
{
  Vector                 lower, upper; ///< box Ω (m)
  Sides                  walls    = {};
  geometry::PeriodicAxes periodic = {};               ///< axes along which Ω repeats itself, without walls
  Field                  density;                     ///< ρ in [0,1], one component; saturated where it is 1 (up to 1e-12)
  bool                   uniform             = true;  ///< ρ = 1 everywhere: nobody need ask
  bool                   density_is_cellwise = false; ///< ρ is an array: its cells *are* the zone
  Field level; ///< one component, smooth, positive exactly in the zone: a shape whose boundary may cut cells; may be empty
  bool  level_is_given = false; ///< by the user; else it was read off the density and may be ignored
};

/// A projection as a user states it.
struct Setting
{
  Domain     domain;
  Cone       cone;
  MeshChoice mesh;
  Field      U; ///< dim components (m/s)
  Processes  processes;

  /// D (dim x dim, 1/s) of a box that repeats itself, of size 0 where it is 0: U = D x + w, w repeats itself, and the
  /// projection is that on the admissible velocities of this form with the same D.
  Eigen::MatrixXd mean_gradient = {};

  Index dim() const { return domain.lower.size(); }

  /// w, repeated: U itself in a box that does not repeat itself.
  Field fluctuation() const { return geometry::fluctuation(U, mean_gradient, domain.lower, domain.upper, domain.periodic); }
};

/// Lower and upper corner of the smallest box around a Gmsh mesh (m). Throws
/// InputError("the file of the mesh", ...) where it cannot be read.
std::pair<Vector, Vector> bounding_box(const std::filesystem::path &mesh, int dim);

/// Throws InputError("the zone", ...) for boxes with sides that are not between 1e-40 and 1e40 m: volumes, their squares and
/// what is left of them after a projection would not be numbers, and bounds of errors be 0.
void require_computable(const Vector &lower, const Vector &upper);

/// The same of the largest speed (m/s) in a volume (m^dim): throws InputError("the velocity", ...) where squares of speeds
/// over powers of cells, or their integrals, would not be numbers.
void require_computable(double fastest, double volume, Index dim);

/// Makes it finite, and tells how much is done. Throws InputError for what cannot be.
std::unique_ptr<Discretization> discretize(const Setting &setting, const Progress &progress = {});

/// Throws InputError("the mean gradient", ...) where the zone fills a box that repeats itself or has two walls along each
/// axis, and no velocity with the mean gradient is admissible. What is not known to be so passes.
void require_admissible_gradient(const Setting &setting);

/// A sentence on a dilatant or circular cone between walls or periodic sides all around, where no velocity but 0 is
/// admissible; empty where there is nothing to say.
std::string remark_on_closed_box(const Setting &setting);

/// A sentence on meshes of one cell between walls that face each other, on which no velocity along that axis but 0 is
/// admissible, whatever U is; empty where there is nothing to say, as on elements that have velocities within a cell.
std::string remark_on_single_cells(const Setting &setting);

/// Whether it lays the mesh of a directional cone along the lattice: where the user says so, where the lines of the lattice
/// are those of the box, and with many cells. Else triangles or tetrahedra fill the box; the isotropic cone has no lattice.
bool is_along_lattice(const Setting &setting);

/// Whether several processes can share what discretize() makes: the isotropic cone beyond dimension 1, and square and cubic
/// cones on at least 16384 cells along the lattice that no wall cuts. All else, and what repeats itself, knows one process.
bool can_be_shared(const Setting &setting);

/// Isotropic cone on the box: staggered velocities, cell pressures.
std::unique_ptr<Discretization> staggered_discretization(const Setting &setting, const Progress &progress = {});
/// Isotropic cone on the box, with a zone cut out by domain.level.
std::unique_ptr<Discretization> shape_discretization(const Setting &setting, const Progress &progress = {});
/// Isotropic cone on any quadrilaterals or hexahedra, and on adaptively refined ones.
std::unique_ptr<Discretization> mixed_discretization(const Setting &setting, const Progress &progress = {});
/// Directional cones on a mesh that lies along the lattice.
std::unique_ptr<Discretization> aligned_discretization(const Setting &setting, const Progress &progress = {});
/// Directional cones, any directions, on triangles and tetrahedra.
std::unique_ptr<Discretization> simplex_discretization(const Setting &setting, const Progress &progress = {});
} // namespace moreau::macro

#endif
