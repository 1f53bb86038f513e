// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/shared_setting.h"

#include "app/input/memory.h"
#include "app/input/parameter_use.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"
#include "exchange/hdf5_table.h"
#include "micro/pair_search.h"
#include "parallel/parts_of_spheres.h"

#include <cmath>
#include <limits>

namespace moreau::app
{
using micro::Index;
using micro::Spheres;
using micro::Vector;
using micro::Wall;

namespace
{
Vector velocities(const Parameters &parameters, const Spheres &spheres)
{
  const Index     dim = spheres.dimension();
  Eigen::MatrixXd U;
  field_of("Velocity", parameters.velocity, dim, dim)(spheres.r, U);
  return U.reshaped();
}

/// That of spheres whose contacts are found here; motions do it themselves.
micro::PeriodicBox box_of_contacts(const Parameters &parameters)
{
  return parameters.is_motion() ? micro::PeriodicBox() : periodic_box(parameters);
}

/// Of lattice sites on two sides of a periodic box that are one: the first, of those of all processes in the order of their
/// ranks. All others stay. spheres: in the closed box.
Spheres without_repetitions(const Spheres &spheres, const micro::PeriodicBox &box, const geometry::Processes &processes)
{
  constexpr double same = .1; // of the radius
  if (!box.any())
    return spheres;
  const Index        dim = spheres.dimension();
  std::vector<Index> at_sides;
  for (Index i = 0; i < spheres.size(); ++i)
    for (Index a = 0; a < dim; ++a)
      if (const double to_lower = spheres.r(a, i) - box.lower(a);
          box.period(a) > 0. && std::min(to_lower, box.period(a) - to_lower) <= same * spheres.R(i))
        {
          at_sides.push_back(i);
          break;
        }
  Eigen::MatrixXd own(dim + 1, at_sides.size());
  own << spheres.r(Eigen::all, at_sides), spheres.R(at_sides).transpose();
  const Index n_before =
      geometry::gathered(processes, Vector::Constant(1, static_cast<double>(at_sides.size()))).head(processes.rank()).sum();
  const Eigen::MatrixXd all = geometry::gathered(processes, own.reshaped()).reshaped(dim + 1, Eigen::AutoSize);

  if (all.cols() == 0)
    return spheres;
  std::vector<char> repeated(spheres.size(), 0);
  for (const micro::NearPair &pair :
       micro::PairSearch(all.topRows(dim), .5 * same * all.row(dim).transpose(), box).pairs([](const auto &) {
         return true;
       }))
    if (const Index k = pair.j - n_before; k >= 0 && k < own.cols())
      repeated[at_sides[k]] = 1;
  std::vector<Index> kept;
  for (Index i = 0; i < spheres.size(); ++i)
    if (!repeated[i])
      kept.push_back(i);
  return {spheres.r(Eigen::all, kept), spheres.R(kept), spheres.m(kept)};
}
} // namespace

micro::ContactGraph contact_graph_of(const Parameters &parameters, const Spheres &spheres, const std::vector<Wall> &walls,
                                     const micro::PeriodicBox &box, const double reach)
try
  {
    if (reach > 0.)
      return micro::graph_of_overlaps(spheres, walls, reach, box);
    return micro::contact_graph(spheres, walls, parameters.spheres.contact_tolerance, box);
  }
catch (const InputError &error)
  {
    const bool        lattice = parameters.spheres.arrangement.find("lattice") != std::string::npos;
    const std::string message = error.sentence;
    const std::size_t comma   = message.find(", that is");
    if (!lattice || parameters.spheres.whole || comma == std::string::npos ||
        message.find("reaches into the wall") == std::string::npos)
      throw;
    throw InputError("Spheres/Cut by", message.substr(0, comma) + "; 'whole sphere' keeps the lattice within the walls.");
  }

Spheres in_periodic_box(Spheres spheres, const Parameters &parameters)
{
  const micro::PeriodicBox box = periodic_box(parameters);
  for (Index k = 0; k < spheres.size(); ++k)
    box.wrap(&spheres.r(0, k));
  const std::string &arrangement = parameters.spheres.arrangement;
  return arrangement == "file" || arrangement == "random packing"
             ? spheres
             : without_repetitions(spheres, box, geometry::Processes::alone());
}

Configuration configuration(ParameterFile &file, const std::function<void(double)> &progress)
{
  Configuration result = configuration_without_contacts(file, geometry::Processes::alone(), progress);
  find_contacts(file.values(), result);
  return result;
}

void find_contacts(const Parameters &parameters, Configuration &configuration)
{
  configuration.graph = contact_graph_of(parameters, configuration.spheres, configuration.walls, box_of_contacts(parameters),
                                         configuration.packing ? configuration.packing->reach : 0.);
  if (!parameters.is_motion() && !(configuration.packing && configuration.packing->reach > 0.))
    configuration.lost_contacts = warning_on_lost_contacts(configuration.spheres, configuration.walls,
                                                           parameters.spheres.contact_tolerance, configuration.graph);
}

bool is_shareable(const Parameters &parameters) { return why_unused("Factorisation", parameters).empty(); }

namespace
{
/// Spheres of the file, of which each process reads a part, and their velocities where the file says them and nobody else.
/// Whether it has masses.
bool read_spheres(ParameterFile &file, const geometry::Processes &processes, Configuration &result)
{
  const Parameters &parameters = file.values();
  file.set("Spheres/File", file.absolute(parameters.spheres.file));
  if (processes.size() > 1)
    parallel::by_first(processes, [&] { exchange::require_harmless(parameters.spheres.file); });
  micro::SphereFile read = parallel::read_spheres({exchange::read_spheres_of_run, exchange::read_part_of_spheres},
                                                  parameters.spheres.file, parameters.dimension, processes);
  const double      R_min =
      -processes.max(read.spheres.size() > 0 ? -read.spheres.R.minCoeff() : -std::numeric_limits<double>::infinity());
  result.remark = fit_contact_tolerance(
      file, {micro::rounding_of_gaps(read.rounding, R_min, parameters.dimension), parameters.spheres.file});
  result.spheres = std::move(read.spheres);
  if (parameters.velocity.expression == velocity_from_file ||
      (read.has_velocity && !file.given("Velocity/Function expression") && parameters.mean_gradient.size() == 0))
    {
      if (!read.has_velocity)
        throw InputError("Velocity/Function expression",
                         "'from file' needs the columns ux, uy, uz in Spheres/File; give an expression.");
      file.set("Velocity/Function expression", velocity_from_file);
      result.U = std::move(read.U);
    }
  if (read.has_mass && file.given("Spheres/Density") && parameters.spheres.density != Parameters().spheres.density)
    throw InputError(
        "Spheres/Density",
        "The parameter is for spheres without masses, but Spheres/File has those of all spheres; leave it out.");
  return read.has_mass;
}

/// A lattice of which each process makes a part; where it has no spheres the first one says so.
void make_in_parts(const Parameters &parameters, const geometry::Processes &processes, Spheres &spheres)
{
  geometry::together(processes, [&] { spheres = arranged_part(parameters, processes.rank(), processes.size()); });
  if (processes.sum(spheres.size()) == 0)
    parallel::by_first(processes, [&] { spheres = arranged_spheres(parameters); });
}

/// What all processes that share the spheres on this machine hold of them.
double n_on_this_machine(const Index n, const geometry::Processes &processes)
{
  return static_cast<double>(processes.sum(n)) * processes.n_on_this_machine() / processes.size();
}
} // namespace

Configuration configuration_without_contacts(ParameterFile &file, const geometry::Processes &processes,
                                             const std::function<void(double)> &progress)
{
  const Parameters  &parameters  = file.values();
  const std::string &arrangement = parameters.spheres.arrangement;
  const bool         is_read     = arrangement == "file";
  Configuration      result;
  bool               masses_given = false;
  result.walls                    = walls(parameters);
  result.spheres                  = {Eigen::MatrixXd(parameters.dimension, 0), Vector(), Vector()};
  check_velocity(parameters); // before spheres are packed, which takes long

  if (!is_read && parameters.velocity.expression == velocity_from_file)
    throw InputError("Velocity/Function expression", "'from file' needs Arrangement = file; give an expression.");
  if (is_read)
    masses_given = read_spheres(file, processes, result);
  else if (processes.size() > 1 && is_made_in_parts(parameters))
    make_in_parts(parameters, processes, result.spheres);
  else
    parallel::by_first(processes, [&] {
      if (arrangement == "random packing")
        pack(result, parameters, progress);
      else
        result.spheres = arranged_spheres(parameters);
    });
  const double n_here = n_on_this_machine(result.spheres.size(), processes);

  const micro::PeriodicBox box = box_of_contacts(parameters);
  geometry::together(processes, [&] {
    if (!masses_given)
      result.spheres.m *= parameters.spheres.density;
    require_memory(n_here, parameters.dimension, is_read ? "Spheres/File" : "Spheres/Spheres per unit length");
    for (Index k = 0; k < result.spheres.size(); ++k)
      box.wrap(&result.spheres.r(0, k));
  });
  if (arrangement.find("lattice") != std::string::npos)
    result.spheres = without_repetitions(result.spheres, periodic_box(parameters), processes);

  geometry::together(processes, [&] {
    if (parameters.spheres.lattice.break_rows && processes.rank() == 0)
      {
        const Spheres sites   = sites_of_lattice(parameters);
        const Index   n_sites = without_repetitions(sites, periodic_box(parameters), geometry::Processes::alone()).size();
        const Index   n       = result.spheres.size();
        result.remark         = std::to_string(n_sites - n) + " of " + std::to_string(n_sites) +
                        " sites are vacant and no row is whole; Spheres/Vacancies alone leaves " +
                        short_number(parameters.spheres.lattice.vacancies * static_cast<double>(n_sites)) + " in the mean.";
      }
    if (parameters.velocity.expression != velocity_from_file)
      result.U = velocities(parameters, result.spheres);

    result.D = mean_gradient(parameters);
    if (result.D.size() > 0)
      result.U += (result.D * result.spheres.r).reshaped();
  });
  return result;
}
} // namespace moreau::app
