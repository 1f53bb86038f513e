// SPDX-License-Identifier: GPL-3.0-or-later
// What Parameters::validate() answers to values that are allowed one by one but not together, or that are not offered.
#include "app/input/parameter_checks.h"

#include "app/input/macro_setting.h"
#include "app/input/parameters.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"
#include "insitu/catalyst.h"

#include <algorithm>
#include <cmath>

namespace moreau::app
{
void require_length(const std::string &path, const std::size_t length, const unsigned int dimension)
{
  if (length != dimension)
    throw InputError(path, std::to_string(length) + (length == 1 ? " number is" : " numbers are") + " given; Dimension = " +
                               std::to_string(dimension) + " needs " + std::to_string(dimension) + ".");
}

void require_empty(const std::vector<std::pair<std::string, std::string>> &texts, const std::string &why)
{
  for (const auto &[path, text] : texts)
    if (!text.empty())
      throw InputError(path, why + "; leave it out.");
}

void Parameters::validate() const
{
  if (!in_situ.catalyst_script.empty() && insitu::catalyst_version().empty())
    throw InputError("In situ/Catalyst script", "This build has no Catalyst to run " + in_situ.catalyst_script +
                                                    "; leave the parameter empty and open solution.pvd in ParaView.");
  if (is_macroscopic())
    validate_macro();
  else if (is_homogenization())
    validate_homogenization();
  else if (is_motion())
    validate_motion();
  else if (is_flow())
    validate_flow();
  else if (is_contact_cone())
    validate_contact_cone();
  else
    validate_micro();
  validate_zone();
}

void Parameters::validate_zone() const
{
  require_length("Zone/Lower corner", zone.lower_corner.size(), dimension);
  require_length("Zone/Upper corner", zone.upper_corner.size(), dimension);
  for (unsigned int k = 0; k < dimension; ++k)
    if (!(zone.lower_corner[k] < zone.upper_corner[k]))
      throw InputError("Zone/Upper corner", "Coordinate " + std::to_string(k + 1) +
                                                " is not above that of Zone/Lower corner: the zone is empty.");
}

void Parameters::require_solver_without_mesh() const
{
  if (solver == "multigrid" || solver == "active set")
    throw InputError("Solver", "'" + solver + "' needs a mesh; 'automatic' chooses one where there is none.");
}

void Parameters::validate_spheres() const
{
  require_solver_without_mesh();
  validate_periodic();
  if (spheres.arrangement == "file" && spheres.file.empty())
    throw InputError("Spheres/File", "Arrangement = file needs the name of a file of spheres here, CSV or HDF5.");
  if (spheres.arrangement != "file" && !spheres.file.empty())
    throw InputError("Spheres/Arrangement", "'" + spheres.arrangement + "' is asked for, but Spheres/File names '" +
                                                spheres.file + "'; leave out one of them.");
  if (spheres.lattice.anchor.size() > 0)
    require_length("Spheres/Lattice anchor", spheres.lattice.anchor.size(), dimension);
  if (second_lattice.lattice.anchor.size() > 0)
    require_length("Second lattice/Lattice anchor", second_lattice.lattice.anchor.size(), dimension);
}

void Parameters::validate_micro() const
{
  validate_spheres();
  if (spheres.per_unit_length.size() != 1)
    throw InputError("Spheres/Spheres per unit length", std::to_string(spheres.per_unit_length.size()) +
                                                            " numbers are given; a list is for 'homogenization', give one.");
  if (impact_sequence.max_impacts > 0 && !(spheres.contact_tolerance >= 1e-12))
    throw InputError("Spheres/Contact tolerance",
                     "A sequence of impacts needs at least 1e-12, since rounding keeps spheres that "
                     "arrive a little apart.");
  if (impact_sequence.max_impacts > 0 && spheres.arrangement == "random packing" && motion.packing.overlap > 0.)
    throw InputError("Random packing/Overlap",
                     "Between impacts of a sequence only gaps count, and overlaps that were removed "
                     "have left some; leave it out, or ask for one impact.");
  if (impact_sequence.max_impacts > 0 && plot_contacts)
    throw InputError("Plots/Contacts", "Statistics of contacts are those of one impact or of a motion, but 'Impact "
                                       "sequence/Maximum number of impacts' asks for a sequence; leave one of them out.");
  if (impact_sequence.max_impacts == 0 && impact_pictures_every > 0)
    throw InputError("Impact sequence/Output every",
                     "There is no sequence with pictures, since 'Maximum number of impacts' is "
                     "0; set that, or leave 'Output every' out.");
  if (impact_sequence.max_impacts == 0 && std::isfinite(impact_sequence.end_time))
    throw InputError("Impact sequence/End time", "There is no sequence that it could end, since 'Maximum number of impacts' "
                                                 "is 0; set that, too, or leave this out.");
  if (impact_sequence.max_impacts > 0 && !motion.periodic.empty())
    throw InputError("Zone/Periodic", "A sequence of impacts knows no periodic box; leave this out, or set Problem = "
                                      "particle motion.");
  validate_mean_gradient();
}

void Parameters::validate_contact_cone() const
{
  validate_spheres();
  if (dimension == 1)
    throw InputError("Dimension", "A contact cone needs Dimension = 2 or 3; on a line there is no shear.");
  if (motion.periodic.size() != dimension)
    throw InputError("Zone/Periodic",
                     std::string("A mean velocity gradient is free only in a box that repeats itself in all "
                                 "directions; set it to ") +
                         (dimension == 2 ? "x, y." : "x, y, z."));
  if (spheres.per_unit_length.size() != 1)
    throw InputError("Spheres/Spheres per unit length", std::to_string(spheres.per_unit_length.size()) +
                                                            " numbers are given; a list is for 'homogenization', give one.");
}

void Parameters::validate_mean_gradient() const
{
  const Eigen::Index n = mean_gradient.size();
  if (n == 0)
    return;
  if (n != static_cast<Eigen::Index>(dimension) * dimension)
    throw InputError("Velocity/Mean gradient", std::to_string(n) + (n == 1 ? " number is" : " numbers are") +
                                                   " given; a matrix in Dimension = " + std::to_string(dimension) + " has " +
                                                   std::to_string(dimension * dimension) + ", row by row.");
  if (motion.periodic.empty())
    throw InputError("Velocity/Mean gradient", "Only a box that repeats itself has one; set Zone/Periodic, or give the "
                                               "velocity by Function expression.");
  const geometry::Sides walls = sides("Zone/Walls", zone.walls, dimension);
  for (unsigned int axis = 0; axis < dimension; ++axis)
    if ((walls[2 * axis] || walls[2 * axis + 1]) && !mean_gradient.segment(axis * dimension, dimension).isZero(0.))
      throw InputError("Velocity/Mean gradient", std::string("It moves the walls across ") + "xyz"[axis] +
                                                     ", which stay where they are; its row for that axis must be 0.");
}

namespace
{
void require_dimension_of(const std::string &path, const macro::ConeType cone, const unsigned int dimension)
{
  using macro::ConeType;
  const bool in_plane = cone == ConeType::square || cone == ConeType::triangular,
             in_space = cone == ConeType::cubic || cone == ConeType::face_centred_cubic;
  if ((in_plane && dimension != 2) || (in_space && dimension != 3))
    throw InputError(path, "'" + name(cone) + "' needs Dimension = " + (in_plane ? "2" : "3") + ", but Dimension is " +
                               std::to_string(dimension) + ".");
}
} // namespace

void Parameters::validate_cone() const
{
  const bool isotropic = cone.type == macro::ConeType::isotropic, functions = cone.type == macro::ConeType::directions;
  require_dimension_of("Cone/Type", cone.type, dimension);
  if (!isotropic && dimension == 1)
    throw InputError("Cone/Type", "In one dimension every cone is the isotropic one; give 'isotropic'.");
  if (functions && cone_directions.expression.empty())
    throw InputError("Cone/Function expression",
                     "'directions' needs unit vectors here, as 1; 0; 0; 1 for the square lattice.");
  if (!functions && !cone_directions.expression.empty())
    throw InputError("Cone/Function expression", "Directions are given, but Cone/Type is '" + name(cone.type) +
                                                     "'; set it to 'directions' or leave them out.");
  if (const bool needs = has_dilatancy(cone.type); needs == dilatancy.empty())
    throw InputError("Cone/Dilatancy", needs ? "'" + name(cone.type) + "' needs a dilatancy in [0, 1] here, as 0.3."
                                             : "A dilatancy is given, but Cone/Type is '" + name(cone.type) +
                                                   "'; set it to 'dilatant' or 'circular', or leave it out.");
  const auto &others = homogenization.compare_with;
  if (cone.lattice_angle != 0. && !has_lattice(cone.type) && std::none_of(others.begin(), others.end(), macro::has_lattice))
    throw InputError("Cone/Lattice angle",
                     "Cone/Type is '" + name(cone.type) + "', which has no lattice to turn; leave the angle out.");
  if (isotropic && mesh.alignment == macro::Alignment::lattice)
    throw InputError("Mesh/Alignment", "The isotropic cone has no lattice; leave the parameter out.");
}

void Parameters::validate_macro() const
{
  validate_cone();
  validate_periodic();
  validate_mean_gradient();
  const bool isotropic     = cone.type == macro::ConeType::isotropic;
  const auto not_on_a_line = [&](const bool asked, const std::string &path, const std::string &what) {
    if (asked && dimension == 1)
      throw InputError(path, what + " needs Dimension = 2 or 3; in one dimension the grid on the box is exact enough.");
  };
  const auto isotropic_only = [&](const bool asked, const std::string &path, const std::string &what) {
    if (asked && !isotropic)
      throw InputError(path, what + " is offered for the isotropic cone only; Cone/Type is '" + name(cone.type) + "'.");
    not_on_a_line(asked, path, what);
  };
  isotropic_only(!mesh.file.empty(), "Mesh/File", "A mesh from a file");
  not_on_a_line(mesh.adaptive_cycles > 0, "Mesh/Adaptive cycles", "Adaptive refinement");
  if (mesh.adaptive_cycles > 0 && mesh.alignment == macro::Alignment::lattice)
    throw InputError("Mesh/Adaptive cycles", "A mesh along a lattice is not refined; set Mesh/Alignment to 'box' or "
                                             "'automatic', or leave the cycles out.");
  isotropic_only(mesh.raviart_thomas, "Mesh/Elements", "Raviart-Thomas");
  validate_density_file();
}

void Parameters::validate_density_file() const
{
  if (!zone.file.empty() && (zone.density.expression != "1" || !zone.level_function.empty()))
    throw InputError("Zone/File", "The density is given twice, by a file and by an expression; keep one of them.");
}

void Parameters::validate_homogenization() const
{
  validate_spheres();
  validate_mean_gradient();
  validate_cone();
  if (law.restitution != 0.)
    throw InputError("Restitution",
                     "'homogenization' compares projections, which is what e = 0 gives; for another e all distances are "
                     "(1 + e) times as large; set it to 0.");
  const std::vector<std::string> lattices = {"row",
                                             "square lattice",
                                             "triangular lattice",
                                             "honeycomb lattice",
                                             "kagome lattice",
                                             "cubic lattice",
                                             "face-centred cubic lattice",
                                             "random packing",
                                             "file"};
  if (std::find(lattices.begin(), lattices.end(), spheres.arrangement) == lattices.end())
    throw InputError("Spheres/Arrangement",
                     "'" + spheres.arrangement +
                         "' has no sequence of radii; use a lattice, random packings, a row (Dimension = 1) or files.");
  if (spheres.arrangement == "row" && dimension != 1)
    throw InputError("Spheres/Arrangement",
                     "'row' needs Dimension = 1 for 'homogenization'; a row does not fill a zone of higher dimension.");
  if (velocity.expression == "from file")
    throw InputError("Velocity/Function expression", "'homogenization' needs U everywhere in the zone; give an expression.");
  if (!homogenization.compare_with.empty() && dimension == 1)
    throw InputError("Homogenization/Compare with", "In one dimension all cones are the same; leave the parameter out.");
  for (const macro::ConeType other : homogenization.compare_with)
    require_dimension_of("Homogenization/Compare with", other, dimension);
  require_different("Homogenization/Compare with", homogenization.compare_with);
  if (!motion.periodic.empty() && zone.density.expression != "1")
    throw InputError("Zone/Function expression", "In a box that repeats itself 'homogenization' fills all of it; leave this "
                                                 "out, or Zone/Periodic, or give the corners of a band along the period, "
                                                 "whose other sides are free.");
  validate_disorder();
}

void Parameters::validate_disorder() const
{
  const auto &h        = homogenization;
  const bool  packings = spheres.arrangement == "random packing";
  require_different("Homogenization/Dilatancies", h.dilatancies);
  require_different("Homogenization/Packings", h.packings);
  require_different("Homogenization/Seeds", h.seeds);
  require_different("Homogenization/Contact tolerances", h.contact_tolerances);
  require_different("Homogenization/Windows", h.windows);
  const int most_windows = dimension == 3 ? 32 : 256; // 3·10⁴ in space and 7·10⁴ in the plane take some seconds a sample
  for (const int k : h.windows)
    if (k > most_windows)
      throw InputError("Homogenization/Windows", std::to_string(k) + " windows along each side are more than the " +
                                                     std::to_string(most_windows) +
                                                     " that are worth their time here; give fewer: coarse distances with "
                                                     "windows smaller than spheres are those of the fields themselves.");
  for (const double s : h.dilatancies)
    if (!(s >= 0. && s <= 1.))
      throw InputError("Homogenization/Dilatancies", short_number(s) +
                                                         " is no dilatancy; give numbers from 0 (isotropic) to "
                                                         "1 (all directions).");
  for (const double tolerance : h.contact_tolerances)
    if (!(tolerance >= 0. && tolerance < 1.))
      throw InputError("Homogenization/Contact tolerances",
                       short_number(tolerance) + " is no part of a radius; give numbers from 0 on, below 1.");
  if ((h.dilatancies.size() > 0 || h.fit_dilatancy) && dimension == 1)
    throw InputError(h.fit_dilatancy ? "Homogenization/Fit dilatancy" : "Homogenization/Dilatancies",
                     "In one dimension all cones are the same; leave it out.");
  if (packings && h.packings.empty())
    throw InputError("Homogenization/Packings",
                     "Random packings need a list of their numbers of spheres here, as 100, 400, 1600.");
  if (packings && motion.packing.overlap > 0. && h.contact_tolerances.size() > 0)
    throw InputError("Homogenization/Contact tolerances",
                     "Contacts are the overlaps of Random packing/Overlap; leave out the list, or the overlap.");
  if (packings && dimension == 1)
    throw InputError("Spheres/Arrangement", "A random packing needs Dimension = 2 or 3; on a line take a 'row'.");
  if (packings && !zone.walls.empty())
    throw InputError("Zone/Walls", "Random packings are made in a box that repeats itself; leave out the walls, or give "
                                   "packings that were made between walls as files.");
  if (!h.seeds.empty() && !packings && !spheres.lattice.is_random())
    throw InputError("Homogenization/Seeds", "There is nothing random in '" + spheres.arrangement +
                                                 "': seeds are for random packings and lattices with vacancies.");
}
} // namespace moreau::app
