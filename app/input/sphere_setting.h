// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_SPHERE_SETTING_H
#define MOREAU_APP_INPUT_SPHERE_SETTING_H

#include "app/input/parameters.h"
#include "geometry/processes.h"
#include "micro/contact_graph.h"
#include "micro/spheres.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <optional>
#include <string>

namespace moreau::app
{
/// What became of a random packing: micro::Packing without its spheres.
struct PackingReport
{
  double       coverage   = 0.; ///< fraction of the box
  bool         jammed     = false;
  double       reach      = 0.; ///< micro::Packing::reach
  micro::Index n_contacts = 0, n_rattlers = 0;
  unsigned int n_steps = 0;
  std::string  record;            ///< the text of packing.json
  bool         was_there = false; ///< made by an earlier run, which left it in its output directory or a cache
  std::string  warning;           ///< where it could not be left in a cache; else empty

  std::string text() const; ///< for the log
};

/// For summary.json.
void to_json(nlohmann::ordered_json &json, const PackingReport &packing);

/// The spheres that a parameter file describes, before the impact.
struct Configuration
{
  micro::Spheres           spheres;
  std::vector<micro::Wall> walls;
  micro::ContactGraph      graph;
  Eigen::MatrixXd          D; ///< mean gradient of a periodic box (d x d, 1/s); of size 0: none
  micro::Vector            U; ///< velocity before the impact, d n, interleaved by sphere (m/s)

  std::optional<PackingReport> packing;       ///< where they are a random one
  std::string                  remark;        ///< on the contact tolerance of a file of rounded numbers; empty: none
  std::string                  lost_contacts; ///< warning_on_lost_contacts()
};

/// A contact tolerance of 0 takes what is written with finitely many digits, or was packed to a tolerance, by its word: what
/// to say where pairs that the usual tolerance joins do not touch then; else, and for other tolerances, nothing.
///   graph  that of these spheres with this tolerance
std::string warning_on_lost_contacts(const micro::Spheres &spheres, const std::vector<micro::Wall> &walls, double tolerance,
                                     const micro::ContactGraph &graph);

/// Sets spheres and report of a random packing. Throws InputError.
void pack(Configuration &result, const Parameters &parameters, const std::function<void(double)> &progress);

/// Velocity/Function expression where the velocities are those of the file.
constexpr const char *velocity_from_file = "from file";

/// The spheres of every arrangement but `file` and `random packing`. Throws InputError.
micro::Spheres arranged_spheres(const Parameters &parameters);

/// The sites of a lattice of arranged_spheres(), its vacancies included.
micro::Spheres sites_of_lattice(const Parameters &parameters);

/// Whether arranged_part() can be used: one lattice.
bool is_made_in_parts(const Parameters &parameters);

/// Of those spheres, in their order, what process `part` of n_parts makes; perhaps none.
micro::Spheres arranged_part(const Parameters &parameters, int part, int n_parts);

/// Refuses a level of a study on a lattice (`row` included) that cannot fit into memory before the study begins: so many
/// spheres per unit length, all of them on each of the processes, or a part on each. These call it together. Throws
/// InputError on all.
void require_memory_for_level(Parameters parameters, double per_unit_length, const geometry::Processes &processes,
                              bool in_parts);

/// The sides of the box that are walls, with their velocities. Throws InputError.
std::vector<micro::Wall> walls(const Parameters &parameters);

/// What repeats itself by Zone/Periodic.
micro::PeriodicBox periodic_box(const Parameters &parameters);

/// D of Velocity/Mean gradient (d x d, 1/s); of size 0 where none is set.
Eigen::MatrixXd mean_gradient(const Parameters &parameters);

/// The rounding of gaps in a file of spheres, of smaller radii.
struct RoundedFile
{
  double      rounding = 0.;
  std::string path;
};

/// Reads all files that Spheres/File names, one after the other, and tells of each. Returns the one whose rounding is
/// largest. Throws where the list is empty.
RoundedFile read_files_of_spheres(const ParameterFile                                                           &file,
                                  const std::function<void(const std::string &path, const micro::SphereFile &)> &tell);

/// Sets the contact tolerance to the rounding of gaps in files of spheres, where that is above the usual one and no other is
/// asked for. Returns what to say of it, else nothing.
std::string fit_contact_tolerance(ParameterFile &file, const RoundedFile &largest);

/// Throws InputError where the velocity's text cannot be read.
void check_velocity(const Parameters &parameters);

/// Builds it. Where the velocities and the file come from is written back to `file`, so that its print-out repeats the run.
/// progress: of packing spheres at random; may be empty. Throws InputError.
Configuration configuration(ParameterFile &file, const std::function<void(double)> &progress = {});
} // namespace moreau::app

#endif
