// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_PARAMETERS_H
#define MOREAU_APP_INPUT_PARAMETERS_H

#include "app/input/flow_parameters.h"
#include "app/input/motion_parameters.h"
#include "app/input/prm_text.h"
#include "convex/cone_projection.h"
#include "macro/discretize.h"

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
  double       restitution         = 0.;
  unsigned int maximum_repetitions = 1000;
  std::string  solver              = "automatic";
  unsigned int threads             = 0;

  convex::StoppingCriterion criterion;

  ExpressionText velocity = {"-x; -y", "", "x,y,z,t"};

  struct Spheres
  {
    std::string         arrangement     = "triangular lattice";
    std::vector<double> per_unit_length = {32.}; ///< a list for homogenization, else one number
    unsigned int        number          = 0;
    double              gap             = 0.; ///< m
    double              density         = 1.; ///< kg/m^d
    std::string         file;
    double              lattice_angle = 0.; ///< degrees
    Eigen::VectorXd     lattice_anchor;     ///< m
    std::string         cut_by            = "centre";
    double              vacancies         = 0.;
    unsigned int        seed              = 1;
    double              contact_tolerance = 1e-6; ///< of the smaller radius

    double radius() const { return 0.5 / per_unit_length.front(); } ///< m
  } spheres;

  struct SecondLattice
  {
    ExpressionText  where         = {"", "", "x,y,z,t"}; ///< 1 where it replaces the first
    std::string     arrangement   = "triangular lattice";
    double          lattice_angle = 0.; ///< degrees
    Eigen::VectorXd lattice_anchor;     ///< m
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

  struct ImpactSequence
  {
    unsigned int maximum_number = 0;  ///< 0: a single impact
    double       end_time       = 0.; ///< s; 0: none
  } impact_sequence;

  struct Cone
  {
    std::string    type          = "isotropic";
    double         lattice_angle = 0.; ///< degrees
    ExpressionText directions    = {"", "", "x,y,z,t"};
  } cone;

  macro::MeshChoice mesh;

  struct Homogenization
  {
    std::vector<std::string> compare_with; ///< further cones
    bool                     falk_estimate = true, interpolant = true;
    std::string              pictures = "finest";
    ExpressionText           exact    = {"", "", "x,y,z,t"}; ///< u; empty: computed on a mesh
  } homogenization;

  MotionText motion;
  FlowText   flow;

  struct InSitu
  {
    std::string  catalyst_script; ///< several, separated by commas
    unsigned int every = 0;       ///< steps; 0: with pictures
  } in_situ;

  bool is_motion() const { return problem == "particle motion" || problem == "time convergence"; }
  bool is_flow() const { return problem == "congested flow"; }
  bool is_macroscopic() const { return problem == "macro impact"; }
  bool is_homogenization() const { return problem == "homogenization"; }

  /// Declares every parameter and ties it to the member here, which follows each prm.set().
  void add_to(dealii::ParameterHandler &prm);

  /// Throws InputError for values that are allowed one by one but not together, or that this version does not offer.
  void validate() const;

private:
  void validate_zone() const;
  void validate_spheres() const;
  void validate_micro() const;
  void validate_cone() const;
  void validate_macro() const;
  void validate_homogenization() const;
  void validate_motion() const;
  void validate_time() const;
  void validate_moving_spheres() const;
  void validate_system() const;
  void validate_packing() const;
  void validate_periodic() const;
  void validate_flow() const;
  void validate_sides() const; ///< of a flow
  void validate_flow_on_line() const;
  void validate_density_file() const;
  void refuse_motion() const; ///< in problems that have none
  void refuse_flow() const;
};

/// Parameters as text, in a file and on the command line, and as values.
class ParameterFile
{
public:
  /// The defaults.
  ParameterFile();

  /// Reads the file, then applies settings "Section/Name=value", then fits the defaults that depend on the dimension.
  /// Throws InputError naming "Section/Name" for what is unknown (with the nearest known name), ill-typed or set twice.
  ParameterFile(const std::filesystem::path &path, const std::vector<std::string> &settings);
  ~ParameterFile();

  const Parameters &values() const { return parameters; }

  /// Where it was read from; empty for the defaults.
  const std::filesystem::path &path() const { return file; }

  /// Whether file or command line set "Section/Name".
  bool given(const std::string &path) const { return given_paths.count(path) != 0; }

  /// Sets one parameter as if it stood in the file.
  void set(const std::string &path, const std::string &value);

  /// A complete .prm file with these values; running it repeats the run.
  void print(std::ostream &out) const;

  /// Every parameter's value as text, by "Section/Name", in their order.
  std::vector<std::pair<std::string, std::string>> values_as_text() const;

  /// The reference manual: a .prm file with every parameter's meaning, unit, choices and default.
  void print_manual(std::ostream &out) const;

  /// `name` as given, where it exists; else beside the parameter file or in
  /// the two folders above it. `name` where there is none.
  std::filesystem::path find_file(const std::string &name) const;

private:
  struct Entry
  {
    std::string path, value, default_value, documentation, pattern;
  };
  std::vector<Entry> entries() const;
  static void collect_entries(const nlohmann::ordered_json &tree, const std::string &section, std::vector<Entry> &entries);
  void        check_known(const PrmText &text) const;
  void        assign(const std::vector<Assignment> &assignments);
  void        fit_to_dimension();

  Parameters                                parameters;
  std::unique_ptr<dealii::ParameterHandler> prm;
  std::set<std::string>                     given_paths;
  std::filesystem::path                     file;
};
} // namespace moreau::app

#endif
