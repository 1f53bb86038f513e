// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_PARAMETERS_H
#define MOREAU_APP_INPUT_PARAMETERS_H

#include "app/input/flow_parameters.h"
#include "app/input/manual.h"
#include "app/input/motion_parameters.h"
#include "app/input/text/prm_text.h"
#include "convex/cone_projection.h"
#include "convex/law.h"
#include "macro/cone.h"
#include "macro/mesh_choice.h"
#include "micro/impact_sequence.h"
#include "micro/lattices.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dealii
{
class ParameterHandler;
}

namespace moreau::app
{
/// Every parameter with its default. The meaning of each stands in add_to(), which `moreau --parameters` prints.
struct Parameters
{
  std::string  problem   = "micro impact";
  unsigned int dimension = 2;
  std::string  output_directory;
  std::string  solver          = "automatic";
  unsigned int threads         = 0;
  std::string  factorisation   = "automatic"; ///< or "one process", "all processes"
  bool         tables_are_hdf5 = false;       ///< spheres and contacts of one impact

  convex::Law               law;
  convex::StoppingCriterion criterion;

  ExpressionText  velocity = {"-x; -y", "", "x,y,z,t"};
  Eigen::VectorXd mean_gradient; ///< D of a periodic box, row by row (1/s); of length 0: none

  struct Spheres
  {
    std::string         arrangement     = "triangular lattice";
    std::vector<double> per_unit_length = {32.}; ///< a list for homogenization, else one number
    unsigned int        number          = 0;
    double              gap             = 0.; ///< m
    double              density         = 1.; ///< kg/m^d
    std::string         file;
    bool                whole             = false; ///< cut by whole spheres, else by centres
    double              contact_tolerance = micro::usual_contact_tolerance;

    micro::lattices::Placement lattice; ///< all but the spacing; its seed is that of packings, too

    double radius() const { return 0.5 / per_unit_length.front(); } ///< m
  } spheres;

  struct SecondLattice
  {
    ExpressionText             where; ///< 1 where it replaces the first
    std::string                arrangement = "triangular lattice";
    micro::lattices::Placement lattice; ///< angle and anchor
  } second_lattice;

  struct Zone
  {
    Eigen::VectorXd          lower_corner = Eigen::VectorXd::Zero(2), upper_corner = Eigen::VectorXd::Ones(2); ///< m
    ExpressionText           density = {"1", "", "x,y,z,t"};
    std::string              file;           ///< of densities, instead of the expression
    std::string              level_function; ///< in the variables and constants of the density
    std::vector<std::string> walls;
    std::string              wall_velocities; ///< "left: 1, 0; right: -1, 0", m/s
  } zone;

  micro::SequenceParameters impact_sequence;           ///< max_impacts = 0: a single impact
  unsigned int              impact_pictures_every = 0; ///< 0: fewer and fewer

  macro::Cone       cone; ///< type and angle
  ExpressionText    cone_directions;
  std::string       dilatancy; ///< of cones that have one: a number, or an expression with the constants of the directions
  unsigned int      dilatant_directions = 16; ///< K
  macro::MeshChoice mesh;

  struct Homogenization
  {
    std::vector<macro::ConeType> compare_with; ///< further cones
    Eigen::VectorXd              dilatancies;  ///< of further dilatant cones, or circular ones
    bool                         fit_dilatancy = false;
    bool                         contact_cone  = false;
    std::vector<unsigned int>    packings, seeds;           ///< numbers of spheres of random packings; samples of each size
    Eigen::VectorXd              contact_tolerances;        ///< instead of that of Spheres
    std::vector<int>             windows       = {2, 4, 8}; ///< k of coarse distances
    bool                         falk_estimate = true, interpolant = true;
    std::string                  pictures = "finest";
    ExpressionText               exact; ///< u; empty: computed on a mesh
  } homogenization;

  unsigned int contact_cone_angles = 12; ///< of the plane

  MotionText motion;
  FlowText   flow;

  std::string              plot_title;              ///< empty: the name of the parameter file
  std::vector<std::string> plot_formats  = {"png"}; ///< png, svg, pdf
  bool                     plot_contacts = false;

  struct InSitu
  {
    std::string  catalyst_script;  ///< several, separated by commas
    unsigned int every      = 0;   ///< steps; 0: with pictures
    double       time_limit = 60.; ///< s, of a call
  } in_situ;

  bool is_motion() const { return problem == "particle motion" || problem == "time convergence"; }
  bool is_flow() const { return problem == "congested flow"; }
  bool is_macroscopic() const { return problem == "macro impact"; }
  bool is_contact_cone() const { return problem == "contact cone"; }
  bool is_homogenization() const { return problem == "homogenization"; }
  /// Several samples of a size, with means and deviations.
  bool is_disorder() const
  {
    return is_homogenization() && (spheres.arrangement == "random packing" || homogenization.fit_dilatancy ||
                                   !homogenization.seeds.empty() || homogenization.contact_tolerances.size() > 0);
  }

  /// Declares every parameter and ties it to the member here, which follows each prm.set().
  void add_to(dealii::ParameterHandler &prm);

  /// Throws InputError for values that are allowed one by one but not together, or that this version does not offer.
  void validate() const;

private:
  void validate_zone() const;
  void validate_spheres() const;
  void validate_micro() const;
  void validate_mean_gradient() const;
  void validate_contact_cone() const;
  void validate_cone() const;
  void validate_macro() const;
  void validate_homogenization() const;
  void validate_disorder() const;
  void validate_motion() const;
  void validate_time() const;
  void validate_moving_spheres() const;
  void validate_system() const;
  void require_solver_without_mesh() const;
  void validate_periodic() const;
  void validate_flow() const;
  void validate_sides() const; ///< of a flow
  void validate_flow_on_line() const;
  void validate_blocks_file() const;
  void validate_density_file() const;
};

/// Parameters as text, in a file and on the command line, and as values.
class ParameterFile
{
public:
  /// The defaults.
  ParameterFile();

  /// Reads the file, then applies settings "Section/Name=value", then fits the defaults that depend on the dimension.
  /// Throws InputError naming "Section/Name" for what is unknown (with the nearest known name), ill-typed, set twice, or set
  /// where the problem does not use it, be it to its default.
  ParameterFile(const std::filesystem::path &path, const std::vector<std::string> &settings);
  ~ParameterFile();

  /// The same with another file: what stands here, or was set later, is forgotten. Declarations, which take longer than a
  /// small file, stay.
  void read(const std::filesystem::path &path, const std::vector<std::string> &settings);

  const Parameters &values() const { return parameters; }

  /// Where it was read from; empty for the defaults.
  const std::filesystem::path &path() const { return file; }

  /// Whether file or command line set "Section/Name".
  bool given(const std::string &path) const { return given_paths.count(path) != 0; }

  /// Sets one parameter as if it stood in the file. Throws InputError where no file can say the value.
  void set(const std::string &path, const std::string &text);

  /// A .prm file with the values of all parameters that the problem uses; running it repeats the run. It opens with
  /// first_line.
  void print(std::ostream &out) const;

  /// The name of a parameter file that is read from standard input.
  static constexpr const char *standard_input = "-";

  static constexpr const char *first_line = "# written by moreau: running this file repeats the run";

  /// Every parameter's value as text, by "Section/Name", in their order.
  std::vector<std::pair<std::string, std::string>> values_as_text() const;

  /// All of them, with their declarations, in their order: what the manual is made from.
  std::vector<ParameterEntry> entries() const;

  /// `name` as given, where it exists; else beside the parameter file or in
  /// the two folders above it. `name` where there is none.
  std::filesystem::path find_file(const std::string &name) const;

  /// The whole path of the file that find_file() finds, so that a print-out repeats the run.
  std::string absolute(const std::string &name) const;

private:
  static const std::vector<ParameterEntry> &declared(); ///< with their defaults as values
  static const ParameterEntry              &declared(const std::string &path);

  static void collect_entries(const nlohmann::ordered_json &tree, const std::string &section,
                              std::vector<ParameterEntry> &entries);
  void        restore_defaults();
  std::string value_of(const std::string &path) const;
  void        check_known(const PrmText &text) const;
  void        check_used(const std::vector<Assignment> &assignments) const;
  void        assign(const std::vector<Assignment> &assignments);
  void        fit_to_dimension();

  Parameters                                parameters;
  std::unique_ptr<dealii::ParameterHandler> prm;
  std::set<std::string>                     given_paths, changed_paths;
  std::filesystem::path                     file;
};
} // namespace moreau::app

#endif
