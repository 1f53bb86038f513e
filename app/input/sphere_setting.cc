// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/sphere_setting.h"

#include "app/input/memory.h"
#include "app/input/obstacle_text.h"
#include "app/input/packing_file.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"
#include "convex/number_text.h"
#include "exchange/hdf5_table.h"
#include "micro/lattices.h"
#include "micro/packings.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

namespace moreau::app
{
namespace
{
using micro::Index;
using micro::Spheres;
using micro::Vector;
using micro::Wall;

std::string without_blanks(const std::string &text)
{
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> split(const std::string &text, const char separator)
{
  std::vector<std::string> parts;
  std::istringstream       stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(without_blanks(part));
  return parts;
}

/// "1, 0" -> (1, 0); empty where it is not `dim` finite numbers.
Vector numbers(const std::string &text, const Index dim)
{
  const std::vector<std::string> words = split(text, ',');
  if (static_cast<Index>(words.size()) != dim)
    return {};
  Vector result(dim);
  for (Index k = 0; k < dim; ++k)
    {
      std::istringstream word(words[k]);
      std::string        rest;
      if (!(word >> result(k)) || word >> rest)
        return {};
    }
  return result;
}

/// Adds "left: 1, 0; right: -1, 0" to the walls.
void set_velocities(std::vector<Wall> &walls, const std::string &text, const Index dim)
{
  const std::string     parameter = "Zone/Wall velocities";
  std::set<std::string> named;
  for (const std::string &item : split(text, ';'))
    {
      const std::size_t colon    = item.find(':');
      const std::string name     = without_blanks(item.substr(0, colon));
      const Vector      velocity = colon == std::string::npos ? Vector() : numbers(item.substr(colon + 1), dim);
      if (velocity.size() == 0)
        throw InputError(parameter, "'" + item + "' is not of the form 'wall: velocity' with " + std::to_string(dim) +
                                        (dim == 1 ? " number" : " numbers, separated by commas") + ".");
      const auto wall = std::find_if(walls.begin(), walls.end(), [&](const Wall &w) { return w.name == name; });
      if (wall == walls.end())
        throw InputError(parameter, "'" + name + "' is not among the walls; add it to Zone/Walls.");
      if (!named.insert(name).second)
        throw InputError(parameter, "The wall '" + name + "' has two velocities; keep one of them.");
      wall->velocity = velocity;
    }
}

/// Where a density given as text is 1.
std::function<bool(const Vector &)> where_saturated(const std::string &section, const ExpressionText &text,
                                                    const unsigned int dimension)
{
  const auto density = field_of(section, text, dimension, 1);
  return [section, density](const Vector &x) {
    Eigen::MatrixXd value;
    density(x, value);
    const double     rho   = value(0);
    constexpr double slack = 1e-12; // of an expression that is 0 or 1 up to round-off
    if (!(-slack <= rho && rho <= 1. + slack))
      {
        std::ostringstream message;
        message << "The density is " << digits(rho) << " at (" << x.transpose() << "); it must lie in [0, 1].";
        throw InputError(section + "/Function expression", message.str());
      }
    return rho >= 1. - slack;
  };
}

micro::lattices::Zone zone(const Parameters &parameters)
{
  micro::lattices::Zone zone;
  zone.lower         = parameters.zone.lower_corner;
  zone.upper         = parameters.zone.upper_corner;
  zone.whole_spheres = parameters.spheres.whole;
  zone.box           = periodic_box(parameters);
  if (parameters.zone.density.expression != "1")
    zone.contains = where_saturated("Zone", parameters.zone.density, parameters.dimension);
  return zone;
}

micro::lattices::Placement placement(const Parameters &parameters)
{
  micro::lattices::Placement placement = parameters.spheres.lattice;
  placement.spacing                    = 2. * parameters.spheres.radius();
  placement.gap                        = parameters.spheres.gap;
  return placement;
}

/// A row along x whose first sphere touches the lower corner's sides from inside.
Spheres row(const Parameters &parameters)
{
  const double radius = parameters.spheres.radius();
  const double pitch  = 2. * radius + parameters.spheres.gap;
  const Vector lower  = parameters.zone.lower_corner;
  const double length = parameters.zone.upper_corner[0] - lower(0);
  const bool   given  = parameters.spheres.number > 0;
  double       n      = std::floor((length - 2. * radius) / pitch + 1. + 1e-9);
  if (given)
    n = parameters.spheres.number;
  else if (parameters.spheres.arrangement == "cradle")
    n = 5.;
  if (!(n >= 1.))
    throw InputError("Zone", "No sphere of radius " + short_number(radius) +
                                 " m fits into the zone; enlarge it or raise Spheres/Spheres per unit length.");
  require_memory(n, parameters.dimension, given ? "Spheres/Number of spheres" : "Spheres/Spheres per unit length");
  return micro::lattices::row(static_cast<Index>(n), radius, lower.array() + radius, parameters.spheres.gap);
}

void require_dimension(const std::string &parameter, const std::string &arrangement, const unsigned int wanted,
                       const unsigned int dimension)
{
  if (dimension != wanted)
    throw InputError(parameter, "'" + arrangement + "' needs Dimension = " + std::to_string(wanted) + ", but Dimension is " +
                                    std::to_string(dimension) + ".");
}

/// How many cubes with the side of a diameter fill the box.
double n_cubes(const Parameters &parameters)
{
  const auto &zone = parameters.zone;
  return ((zone.upper_corner - zone.lower_corner) * parameters.spheres.per_unit_length.front()).prod();
}

struct Lattice
{
  Spheres (*spheres)(const micro::lattices::Zone &, const micro::lattices::Placement &);
  double n_sites; ///< per spacing^d
};

const Lattice &lattice_of(const std::string &arrangement)
{
  namespace lattices                                  = micro::lattices;
  static const std::map<std::string, Lattice> by_name = {
      {"row", {lattices::line, 1.}},
      {"square lattice", {lattices::square, 1.}},
      {"triangular lattice", {lattices::triangular, 2. / std::sqrt(3.)}},
      {"honeycomb lattice", {lattices::honeycomb, 4. / std::sqrt(27.)}},
      {"kagome lattice", {lattices::kagome, std::sqrt(.75)}},
      {"cubic lattice", {lattices::cubic, 1.}},
      {"face-centred cubic lattice", {lattices::face_centred_cubic, std::sqrt(2.)}}};
  return by_name.at(arrangement);
}

/// What part of the box the zone is, as some thousand points see it.
double share_of_box(const micro::lattices::Zone &zone)
{
  if (!zone.contains)
    return 1.;
  const Index dim = zone.lower.size(), n = dim == 1 ? 4096 : dim == 2 ? 64 : 16;
  const Index n_points = dim == 1 ? n : dim == 2 ? n * n : n * n * n;
  Index       inside   = 0;
  Vector      x(dim);
  for (Index k = 0; k < n_points; ++k)
    {
      for (Index axis = 0, rest = k; axis < dim; ++axis, rest /= n)
        x(axis) = zone.lower(axis) + (static_cast<double>(rest % n) + .5) / n * (zone.upper(axis) - zone.lower(axis));
      inside += zone.contains(x);
    }
  return static_cast<double>(inside) / n_points;
}

void require_memory_for_lattice(const Parameters &parameters, const std::string &arrangement,
                                const micro::lattices::Zone &zone, const double n_times = 1.)
{
  const double most = lattice_of(arrangement).n_sites * (1. - parameters.spheres.lattice.vacancies) * n_cubes(parameters);
  if (most > 1e6) // fewer fit into every memory
    require_memory(most * share_of_box(zone), parameters.dimension, "Spheres/Spheres per unit length", n_times);
}

/// Spheres of a lattice that takes part in a zone.
Spheres lattice(const Parameters &parameters, const std::string &arrangement, const micro::lattices::Zone &zone,
                const micro::lattices::Placement &placement)
{
  require_memory_for_lattice(parameters, arrangement, zone);
  return lattice_of(arrangement).spheres(zone, placement);
}

/// Spheres that touched, smaller by half of the gap; their centres stay.
Spheres with_gaps(Spheres spheres, const double gap)
{
  if (gap == 0. || spheres.size() == 0)
    return spheres;
  if (!(.5 * gap < spheres.R.minCoeff()))
    throw InputError("Spheres/Gap", "A gap of " + short_number(gap) + " m leaves nothing of spheres of diameter " +
                                        short_number(2. * spheres.R.minCoeff()) + " m; make it smaller.");
  for (Index k = 0; k < spheres.size(); ++k)
    {
      spheres.R(k) -= .5 * gap;
      spheres.m(k) = micro::volume_of_ball(spheres.R(k), spheres.dimension());
    }
  return spheres;
}

/// The first lattice outside the zone of the second, the second inside, without what would overlap.
Spheres two_lattices(const Parameters &parameters, const micro::lattices::Zone &whole)
{
  const auto            in_second = where_saturated("Second lattice", parameters.second_lattice.where, parameters.dimension);
  micro::lattices::Zone part      = whole;
  micro::lattices::Placement place = placement(parameters);
  part.contains            = [&](const Vector &x) { return (!whole.contains || whole.contains(x)) && !in_second(x); };
  const auto lattice_there = [&](const std::string &arrangement) {
    try
      {
        return lattice(parameters, arrangement, part, place);
      }
    catch (const InputError &error)
      {
        throw InputError(error.subject,
                         error.sentence + " Second lattice/Function expression says which part of the zone is whose.");
      }
  };
  const Spheres first = lattice_there(parameters.spheres.arrangement);

  part.contains = [&](const Vector &x) { return (!whole.contains || whole.contains(x)) && in_second(x); };
  place.angle   = parameters.second_lattice.lattice.angle;
  place.anchor  = parameters.second_lattice.lattice.anchor;
  return micro::united(first, lattice_there(parameters.second_lattice.arrangement), parameters.spheres.contact_tolerance,
                       periodic_box(parameters));
}

void require_dimension_of(const std::string &parameter, const std::string &arrangement, const unsigned int dimension)
{
  const bool is_in_space = arrangement == "cubic lattice" || arrangement == "face-centred cubic lattice";
  if (arrangement != "row")
    require_dimension(parameter, arrangement, is_in_space ? 3 : 2, dimension);
}
} // namespace

bool is_made_in_parts(const Parameters &parameters)
{
  return parameters.spheres.arrangement.find("lattice") != std::string::npos &&
         parameters.second_lattice.where.expression.empty() && !parameters.spheres.lattice.break_rows;
}

Spheres arranged_part(const Parameters &parameters, const int part, const int n_parts)
{
  require_dimension_of("Spheres/Arrangement", parameters.spheres.arrangement, parameters.dimension);
  micro::lattices::Placement place = placement(parameters);
  place.part                       = part;
  place.n_parts                    = n_parts;
  return with_gaps(lattice(parameters, parameters.spheres.arrangement, zone(parameters), place), parameters.spheres.gap);
}

Spheres sites_of_lattice(const Parameters &parameters)
{
  Parameters filled                 = parameters;
  filled.spheres.lattice.vacancies  = 0.;
  filled.spheres.lattice.break_rows = false;
  return arranged_spheres(filled);
}

Spheres arranged_spheres(const Parameters &parameters)
{
  namespace lattices             = micro::lattices;
  const std::string &arrangement = parameters.spheres.arrangement;
  if (arrangement == "cradle" || (arrangement == "row" && !parameters.is_homogenization()))
    return row(parameters);
  require_dimension_of("Spheres/Arrangement", arrangement, parameters.dimension);
  if (arrangement == "hyperstatic cluster")
    return lattices::hyperstatic_cluster(parameters.spheres.radius());
  if (arrangement == "seven discs")
    return lattices::seven_discs(parameters.spheres.radius());
  if (parameters.second_lattice.where.expression.empty())
    return arranged_part(parameters, 0, 1);
  require_dimension_of("Second lattice/Arrangement", parameters.second_lattice.arrangement, parameters.dimension);
  return with_gaps(two_lattices(parameters, zone(parameters)), parameters.spheres.gap);
}

void require_memory_for_level(Parameters parameters, const double per_unit_length, const geometry::Processes &processes,
                              const bool in_parts)
{
  const std::string &arrangement     = parameters.spheres.arrangement;
  const double       n_here          = processes.n_on_this_machine(); // which hold so many times all spheres:
  const double       n_times         = in_parts ? n_here / processes.size() : n_here;
  parameters.spheres.per_unit_length = {per_unit_length};
  geometry::together(processes, [&] {
    if (arrangement == "row" || arrangement.find("lattice") != std::string::npos)
      require_memory_for_lattice(parameters, arrangement, zone(parameters), n_times);
  });
}

std::vector<micro::Wall> walls(const Parameters &parameters)
{
  std::vector<Wall> result =
      micro::box_walls(parameters.zone.lower_corner, parameters.zone.upper_corner, parameters.zone.walls);
  set_velocities(result, parameters.zone.wall_velocities, parameters.dimension);
  return result;
}

micro::PeriodicBox periodic_box(const Parameters &parameters)
{
  if (parameters.motion.periodic.empty())
    return {};
  micro::PeriodicBox box{parameters.zone.lower_corner, Vector::Zero(parameters.dimension)};
  for (const std::size_t axis : parameters.motion.periodic)
    box.period(axis) = parameters.zone.upper_corner(axis) - parameters.zone.lower_corner(axis);
  return box;
}

Eigen::MatrixXd mean_gradient(const Parameters &parameters)
{
  if (parameters.mean_gradient.size() == 0)
    return {};
  const Index dim = parameters.dimension;
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      parameters.mean_gradient.data(), dim, dim);
}

namespace
{
/// With a number of spheres they grow as far as the coverage lets them;
/// without one, radius and coverage say how many there are.
micro::PackingParameters packing_parameters(const Parameters &parameters)
{
  micro::PackingParameters packing = parameters.motion.packing;
  packing.lower                    = parameters.zone.lower_corner;
  packing.upper                    = parameters.zone.upper_corner;
  packing.periodic                 = std::vector<bool>(parameters.dimension, false);
  for (const std::size_t axis : parameters.motion.periodic)
    packing.periodic[axis] = true;
  packing.n         = parameters.spheres.number;
  packing.radius    = parameters.spheres.number > 0 ? 0. : parameters.spheres.radius();
  packing.seed      = parameters.spheres.lattice.seed;
  packing.obstacles = obstacles(parameters.motion.obstacles, {}, parameters.dimension).at(0.).obstacles();
  require_memory(parameters.spheres.number > 0 ? parameters.spheres.number : n_cubes(parameters), parameters.dimension,
                 parameters.spheres.number > 0 ? "Spheres/Number of spheres" : "Spheres/Spheres per unit length");
  return packing;
}

} // namespace

void pack(Configuration &result, const Parameters &parameters, const std::function<void(double)> &progress)
{
  const micro::PackingParameters how  = packing_parameters(parameters);
  const auto                     left = packing_left_in(parameters.output_directory, how);
  const auto                     make = [&] { return micro::random_packing(how, progress); };
  CachedPacking found = left ? CachedPacking{*left, true, {}} : packing_of_cache(parameters.motion.packing_cache, how, make);
  const micro::Packing &made = found.packing;
  result.packing             = {
                  made.coverage,   made.jammed,  made.reach, made.n_contacts, made.n_rattlers, made.n_steps, packing_record(how, made),
                  found.was_there, found.warning};
  if (how.coverage == 0. && !made.jammed)
    result.packing->warning +=
        std::string(result.packing->warning.empty() ? "" : " ") +
        "The packing is not jammed: its forces could not be balanced, or what holds it was not found; "
        "another seed may do.";
  result.spheres = std::move(found.packing.spheres);
}

RoundedFile read_files_of_spheres(const ParameterFile                                                           &file,
                                  const std::function<void(const std::string &path, const micro::SphereFile &)> &tell)
{
  RoundedFile                    largest;
  const std::vector<std::string> names = comma_separated(file.values().spheres.file);
  if (names.empty())
    throw InputError("Spheres/File", "There is no name in the list; give files of spheres, separated by commas.");
  for (const std::string &name : names)
    {
      const std::string       path = file.absolute(name);
      const micro::SphereFile read = exchange::read_spheres_of_run(path, file.values().dimension);
      if (const double rounding = micro::rounding_of_gaps(read); rounding > largest.rounding)
        largest = {rounding, path};
      tell(path, read);
    }
  return largest;
}

std::string fit_contact_tolerance(ParameterFile &file, const RoundedFile &largest)
{
  if (file.given("Spheres/Contact tolerance") || !(largest.rounding > micro::usual_contact_tolerance))
    return "";
  const std::string tolerance = short_number(std::min(largest.rounding, .01));
  file.set("Spheres/Contact tolerance", tolerance);
  const bool is_one  = comma_separated(file.values().spheres.file).size() == 1;
  const bool is_text = !exchange::is_hdf5(largest.path);
  return (is_one ? "the" : "a") + std::string(" file of spheres has ") +
         (is_text ? "six digits" : "less than double precision") + ": those that are nearer than " + tolerance +
         " of the smaller radius touch, and overlaps of as much are allowed (Spheres/Contact tolerance)";
}

std::string warning_on_lost_contacts(const micro::Spheres &spheres, const std::vector<micro::Wall> &walls,
                                     const double tolerance, const micro::ContactGraph &graph)
{
  if (tolerance > 0.)
    return "";
  const micro::Index n_usual = micro::contact_graph(spheres, walls, micro::usual_contact_tolerance, graph.box).n_contacts();
  if (n_usual == graph.n_contacts())
    return "";
  return "With a contact tolerance of 0 " + counted(n_usual - graph.n_contacts(), "pair") + " of " +
         std::to_string(n_usual) + " that are nearer than " + short_number(micro::usual_contact_tolerance) +
         " of the smaller radius count as apart, which may be the rounding of their digits; leave the tolerance out, unless "
         "these gaps are meant.";
}

void check_velocity(const Parameters &parameters)
{
  if (parameters.velocity.expression != velocity_from_file)
    field_of("Velocity", parameters.velocity, parameters.dimension, parameters.dimension);
}

std::string PackingReport::text() const
{
  return std::string(was_there ? "packed at random by an earlier run with the same parameters" : "packed at random") +
         ", coverage " + short_number(coverage) + (jammed ? ", jammed, " : ", ") +
         (reach > 0. ? "overlaps removed by radii smaller by " + short_number(reach / (1. + reach)) + ", " : "") +
         counted(n_contacts, "contact") + ", " + counted(n_rattlers, "rattler");
}

void to_json(nlohmann::ordered_json &json, const PackingReport &packing)
{
  json = {{"coverage", packing.coverage},   {"jammed", packing.jammed},       {"reach", packing.reach},
          {"contacts", packing.n_contacts}, {"rattlers", packing.n_rattlers}, {"steps", packing.n_steps}};
}
} // namespace moreau::app
