// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/discretize.h"

#include "convex/input_error.h"
#include "macro/mean_gradient.h"
#include "macro/saturated_cells.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace moreau::macro
{
namespace
{
BoxGrid grid_of(const Setting &setting)
{
  return box_grid(setting.domain.lower, setting.domain.upper, setting.mesh.cells_per_unit_length, setting.processes);
}

/// Whether the zone is to be treated as a shape: where the user says so, or
/// where the shape that the density was seen to have cuts cells.
bool is_shape(const Setting &setting)
{
  if (!setting.domain.level)
    return false;
  return setting.domain.level_is_given || saturated_cells(setting.domain, grid_of(setting)).n_cut > 0;
}

bool any_faces_another(const Sides &walls)
{
  for (std::size_t side = 0; side + 1 < walls.size(); side += 2)
    if (walls[side] && walls[side + 1])
      return true;
  return false;
}

/// Whether the mesh along the lattice is the more accurate one: it keeps the parts of its cells that the zone has, also at
/// walls that cut them. Between such walls bounds of the box's simplices are far better; and the face-centred cubic lattice
/// cannot have them.
bool lattice_is_better(const Setting &setting)
{
  const Cone  &cone     = setting.cone;
  const Sides &walls    = setting.domain.walls;
  const bool   any_wall = std::count(walls.begin(), walls.end(), true) > 0;
  switch (cone.type)
    {
      case ConeType::square:
      case ConeType::cubic:
        return !any_faces_another(walls) || std::remainder(cone.lattice_angle, 90.) == 0.;
      case ConeType::triangular:
        return !any_faces_another(walls);
      case ConeType::face_centred_cubic:
        return !any_wall;
      default:
        return false;
    }
}

bool is_of_elements(const MeshChoice &mesh) { return mesh.raviart_thomas || !mesh.file.empty() || mesh.adaptive_cycles > 0; }

/// Whether the dilatancy, if there is one, is the same at some thousand points of the box.
bool has_one_dilatancy(const Setting &setting)
{
  if (!has_dilatancy(setting.cone.type))
    return true;
  constexpr double n_points = 4096.;
  const double     volume   = (setting.domain.upper - setting.domain.lower).prod();
  const BoxGrid    grid     = box_grid(setting.domain.lower, setting.domain.upper,
                                       std::pow(n_points / volume, 1. / static_cast<double>(setting.dim())), Processes::alone());
  Eigen::MatrixXd  x(grid.dim, grid.n_cells()), s(1, grid.n_cells());
  Index            k = 0;
  for_own_cells(grid, [&](const CellIndex &cell) { x.col(k++) = grid.centre(cell); });
  setting.cone.dilatancy(x, s);
  return s.maxCoeff() == s.minCoeff();
}

/// Throws InputError for boxes that repeat themselves in a way that no discretisation knows.
void require_possible_periods(const Setting &setting)
{
  const Domain          &domain = setting.domain;
  const Eigen::MatrixXd &D      = setting.mean_gradient;
  if (!any(domain.periodic))
    return;
  if (is_of_elements(setting.mesh))
    throw InputError("the periods", "Meshes from files, adaptive ones and Raviart-Thomas elements do not repeat "
                                    "themselves; leave these out, so that cells of the box are used.");
  if (setting.mesh.alignment == Alignment::lattice)
    throw InputError("the alignment of the mesh",
                     "A mesh along a lattice does not repeat itself as the box does; give 'box' or 'automatic'.");
  if (setting.cone.type == ConeType::isotropic && domain.level_is_given)
    throw InputError("the level function",
                     "Cells of a box that repeats itself are in the zone or not, as the density says at "
                     "their centres; leave the level out.");
  for (int axis = 0; axis < setting.dim(); ++axis)
    {
      const bool below = domain.walls[2 * axis], above = domain.walls[2 * axis + 1];
      if (domain.periodic[axis] && (below || above))
        throw InputError("the periods", std::string("The box cannot repeat itself along ") + "xyz"[axis] +
                                            " where it has a wall across; leave out one of them.");
      if ((below || above) && D.size() > 0 && !D.row(axis).isZero(0.))
        throw InputError("the mean gradient", std::string("It moves the walls across ") + "xyz"[axis] +
                                                  ", which stay where they are; its row for that axis must be 0.");
    }
  require_admissible_gradient(setting);
  if (D.size() > 0 && domain.uniform && has_one_dilatancy(setting) && domain.walls == Sides{})
    if (const std::string why = why_not_by_directions(setting.cone, D); !why.empty())
      throw InputError("the number of directions", "The cone has velocities with this mean gradient, but the " +
                                                       std::to_string(setting.cone.n_directions) +
                                                       " directions that stand for it have none: " + why +
                                                       "; give more directions, or take the circular cone.");
}

std::unique_ptr<Discretization> isotropic_discretization(const Setting &setting, const Progress &progress)
{
  if (is_of_elements(setting.mesh))
    return mixed_discretization(setting, progress);
  if (any(setting.domain.periodic)) // shapes know no other side
    return staggered_discretization(setting, progress);
  return is_shape(setting) ? shape_discretization(setting, progress) : staggered_discretization(setting, progress);
}

/// The zone of a level that the user gave, as a density: all meshes of directional cones read it off that.
Setting with_zone_of_level(Setting setting)
{
  if (!setting.domain.level_is_given)
    return setting;
  setting.domain.uniform = setting.domain.density_is_cellwise = false;
  setting.domain.density = [density = setting.domain.density, level = setting.domain.level](const Eigen::MatrixXd &x,
                                                                                            Eigen::MatrixXd       &values) {
    constexpr double not_full = 1. - 1e-9;
    density(x, values);
    Eigen::MatrixXd heights(1, x.cols());
    level(x, heights);
    for (Index q = 0; q < x.cols(); ++q)
      values(0, q) = heights(0, q) > 0. ? 1. : std::min(values(0, q), not_full);
  };
  return setting;
}

std::unique_ptr<Discretization> directional_discretization(const Setting &given, const Progress &progress)
{
  const Setting setting = with_zone_of_level(given);
  if (setting.cone.direction_field && setting.mesh.alignment == Alignment::lattice)
    throw InputError("the alignment of the mesh",
                     "Directions that are given as functions have no lattice; give 'box' or 'automatic'.");
  if (has_dilatancy(setting.cone.type) && setting.mesh.alignment == Alignment::lattice)
    throw InputError("the alignment of the mesh",
                     "The " + name(setting.cone.type) + " cone has no lattice; give 'box' or 'automatic'.");
  return is_along_lattice(setting) ? aligned_discretization(setting, progress) : simplex_discretization(setting, progress);
}
} // namespace

bool is_along_lattice(const Setting &setting)
{
  const Cone &cone = setting.cone;
  if (cone.type == ConeType::isotropic || has_dilatancy(cone.type) || cone.direction_field || any(setting.domain.periodic) ||
      setting.mesh.alignment == Alignment::box || setting.mesh.adaptive_cycles > 0)
    return false;
  // on larger boxes the interior point of the unaligned mesh would take minutes
  const double most_cells = setting.dim() == 2 ? 2e4 : 2e3;
  return setting.mesh.alignment == Alignment::lattice || lattice_is_better(setting) ||
         static_cast<double>(grid_of(setting).n_cells()) > most_cells;
}

void require_admissible_gradient(const Setting &setting)
{
  const Domain          &domain = setting.domain;
  const Eigen::MatrixXd &D      = setting.mean_gradient;
  if (D.size() == 0 || !domain.uniform || setting.cone.direction_field)
    return;
  std::vector<bool> walled(D.rows());
  for (Index axis = 0; axis < D.rows(); ++axis)
    {
      walled[axis] = domain.walls[2 * axis] && domain.walls[2 * axis + 1];
      if (!walled[axis] && !domain.periodic[axis])
        return;
    }
  // whatever the dilatancy is, div u >= 0
  const std::string why = why_not_admissible(has_one_dilatancy(setting) ? setting.cone : Cone(), D, walled);
  if (!why.empty())
    throw InputError("the mean gradient", "The " + name(setting.cone.type) +
                                              " cone has no velocity with this mean gradient: " + why +
                                              "; change the gradient or the cone.");
}

bool can_be_shared(const Setting &setting)
{
  constexpr double fewest = 4. * 4096.; // cells, as many as spheres of an impact that is shared
  const Cone      &cone   = setting.cone;
  if (any(setting.domain.periodic))
    return false;
  if (setting.dim() < 2 || cone.type == ConeType::isotropic)
    return setting.dim() > 1;
  if (!is_along_lattice(setting) || cone.type == ConeType::triangular || cone.type == ConeType::face_centred_cubic)
    return false;
  const Sides &walls      = setting.domain.walls;
  const bool   are_of_box = std::remainder(cone.lattice_angle, 90.) == 0.;
  const Vector n          = (setting.domain.upper - setting.domain.lower) * setting.mesh.cells_per_unit_length;
  return (are_of_box || std::count(walls.begin(), walls.end(), true) == 0) && n.array().max(1.).prod() >= fewest;
}

std::string remark_on_closed_box(const Setting &setting)
{
  const Sides &walls = setting.domain.walls;
  const auto  &axes  = setting.domain.periodic;
  if (!has_dilatancy(setting.cone.type) || !setting.domain.uniform ||
      (setting.mean_gradient.size() > 0 && setting.mean_gradient.trace() != 0.))
    return "";
  for (int side = 0; side < 2 * setting.dim(); ++side)
    if (!walls[side] && !axes[side / 2])
      return "";
  if (any(axes))
    return "In a box that repeats itself, with a mean gradient that does not dilate, matter cannot dilate: where the "
           "dilatancy is above 0 nothing moves within it, since ∫ div u = 0 leaves no shear, while the isotropic cone lets "
           "every solenoidal flow pass; a small dilatancy is not near to none.";
  return "Between walls all around matter cannot dilate: where the dilatancy is above 0 nothing moves, since ∫ div u = 0 "
         "leaves no shear, while the isotropic cone lets every solenoidal flow pass; a small dilatancy is not near to none.";
}

std::string remark_on_single_cells(const Setting &setting)
{
  const Cone &cone       = setting.cone;
  const bool  on_faces   = cone.type == ConeType::isotropic && !is_of_elements(setting.mesh);
  const bool  at_centres = (cone.type == ConeType::square || cone.type == ConeType::cubic) &&
                          std::remainder(cone.lattice_angle, 90.) == 0. && is_along_lattice(setting);
  if (!on_faces && !at_centres)
    return "";
  const BoxGrid grid =
      box_grid(setting.domain.lower, setting.domain.upper, setting.mesh.cells_per_unit_length, Processes::alone());
  std::string axes;
  for (int axis = 0; axis < grid.dim; ++axis)
    if (grid.n[axis] == 1 && setting.domain.walls[2 * axis] && setting.domain.walls[2 * axis + 1])
      axes += (axes.empty() ? "" : ", ") + std::string(1, "xyz"[axis]);
  if (axes.empty())
    return "";
  return "Between the walls across " + axes +
         " the mesh has one cell only, which touches both of them: where it is saturated no velocity along " + axes +
         " but 0 is admissible on it, whatever U is; give more cells per unit length.";
}

void require_computable(const Vector &lower, const Vector &upper)
{
  constexpr double least = 1e-40, most = 1e40;
  for (Index axis = 0; axis < lower.size(); ++axis)
    if (const double length = upper(axis) - lower(axis); !(least <= length && length <= most))
      {
        std::ostringstream text;
        text << "The box is " << length << " m long along "
             << "xyz"[axis] << "; what is computed with lengths are numbers between " << least << " and " << most
             << " m; choose other units.";
        throw InputError("the zone", text.str());
      }
}

void require_computable(const double fastest, const double volume, const Index dim)
{
  constexpr double least = 1e-140, most = 1e140, least_energy = 1e-285, most_energy = 1e285;
  const double     energy = fastest * volume * fastest;
  if (fastest <= most && energy <= most_energy && (fastest == 0. || fastest >= least && energy >= least_energy))
    return;
  std::ostringstream text;
  text << "The largest speed is " << fastest;
  if (fastest > most || fastest < least)
    text << " m/s; squares of it are numbers between " << least << " and " << most << "; choose other units.";
  else
    text << " m/s in a volume of " << volume << " m^" << dim << "; the volume times its square is a number between "
         << least_energy << " and " << most_energy << "; choose other units.";
  throw InputError("the velocity", text.str());
}

std::unique_ptr<Discretization> discretize(const Setting &setting, const Progress &progress)
{
  require_computable(setting.domain.lower, setting.domain.upper);
  require_possible_periods(setting);
  std::unique_ptr<Discretization> result = setting.cone.type == ConeType::isotropic
                                               ? isotropic_discretization(setting, progress)
                                               : directional_discretization(setting, progress);
  const Vector                   &U      = result->problem().U;
  require_computable(setting.processes.max(U.size() > 0 ? U.cwiseAbs().maxCoeff() : 0.),
                     (setting.domain.upper - setting.domain.lower).prod(), setting.dim());
  return result;
}
} // namespace moreau::macro
