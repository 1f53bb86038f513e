// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_MOTION_PARAMETERS_H
#define MOREAU_APP_INPUT_MOTION_PARAMETERS_H

#include "app/input/text/formula.h"
#include "app/input/measurement_setting.h"
#include "micro/motion/motion.h"
#include "micro/packings.h"

#include <array>
#include <string>
#include <vector>

namespace dealii
{
class ParameterHandler;
}

namespace moreau::app
{
/// Declares "PREFIX expression" and "PREFIX constants" of a Formula in these variables.
void add_formula(dealii::ParameterHandler &prm, ExpressionText &text, const std::string &variable_names,
                 const std::string &documentation, const std::string &prefix = "Function");

/// Declares "Function expression", "Function constants" and "Variable names" of an Expression.
void add_expression(dealii::ParameterHandler &prm, ExpressionText &text, const std::string &documentation);

/// What `particle motion` and `time convergence` need beyond the other parameters. Meanings stand in add_to().
struct TimeParameters
{
  double              end_time           = 1.;     ///< s
  std::vector<double> steps              = {1e-3}; ///< s; a list for time convergence
  double              output_every       = 0.;     ///< s; 0: at most 100 frames
  unsigned int        checkpoint_every   = 0;      ///< steps
  double              checkpoint_minutes = 0.;     ///< of the clock

  micro::MotionParameters how; ///< all but what stands at the top of the file: criterion, solver, law

  void add_to(dealii::ParameterHandler &prm);
};

struct SystemParameters
{
  std::string     type = "spheres";
  std::string     constants;
  Eigen::VectorXd initial_position, initial_velocity;

  // of the type `expressions`
  std::string    coordinates; ///< names; empty: x, y, z
  ExpressionText masses, constraints, potential, generalised_force;

  void add_to(dealii::ParameterHandler &prm);
};

/// Shapes that move together.
struct ObstacleParameters
{
  std::string     shapes;
  ExpressionText  translation; ///< of t (m)
  ExpressionText  angle;       ///< of t (rad)
  Eigen::VectorXd centre, axis;

  void add_to(dealii::ParameterHandler &prm, const std::string &section);
};

struct TimeConvergenceParameters
{
  std::string    reference = "automatic";
  ExpressionText exact_position, exact_velocity;

  void add_to(dealii::ParameterHandler &prm);
};

/// All of them, and the force.
struct MotionText
{
  static constexpr int n_groups = 4;

  TimeParameters                           time;
  SystemParameters                         system;
  ExpressionText                           force;    ///< m/s²
  ExpressionText                           growth;   ///< factor of the radii
  std::vector<std::size_t>                 periodic; ///< axes
  std::array<ObstacleParameters, n_groups> obstacles;
  micro::PackingParameters                 packing;
  std::string                              packing_cache; ///< a folder; empty: none
  TimeConvergenceParameters                convergence;
  MeasurementText                          measurements;

  /// "Obstacles", "Obstacles 2", ...
  static std::string section_of_group(int group);

  void add_to(dealii::ParameterHandler &prm);
};
} // namespace moreau::app

#endif
