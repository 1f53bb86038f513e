// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/expression_system.h"

#include "app/input/text/derivative.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"
#include "micro/motion/mechanical_projection.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

namespace moreau::app
{
namespace
{
using micro::Index;
using micro::Vector;

constexpr Index max_unnamed = 3;

/// The first word of "theta (rad)".
std::string name_of_coordinate(const std::string &text) { return text.substr(0, text.find_first_of(" (")); }

/// As they stand in the parameter, or x, y, z; n_masses: expressions for the mass.
std::vector<std::string> coordinates(const SystemParameters &system, const Index n_masses)
{
  const std::string        parameter = "System/Coordinates";
  std::vector<std::string> given     = comma_separated(system.coordinates);
  if (given.empty())
    {
      if (n_masses > max_unnamed)
        throw InputError("System/Mass expression", "'" + system.masses.expression + "' has " + std::to_string(n_masses) +
                                                       " components, but without System/Coordinates there are at most three "
                                                       "coordinates, x, y, z; name them there, as theta1 (rad), theta2.");
      given = {"x (m)", "y (m)", "z (m)"};
      given.resize(n_masses);
    }
  std::vector<std::string> names = {"t", "pi", "time", "step", "kinetic_energy", "error"}; // columns of tables, too
  static const std::set<std::string> functions = {
      "sin",  "cos",   "tan",  "asin", "acos", "atan",  "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",    "atan2",
      "log2", "log10", "log",  "ln",   "exp",  "sqrt",  "sign", "rint", "abs",  "min",   "max",   "sum",      "avg",
      "if",   "int",   "ceil", "cot",  "csc",  "floor", "sec",  "pow",  "erf",  "erfc",  "rand",  "rand_seed"};
  for (std::string &coordinate : given)
    {
      if (functions.count(name_of_coordinate(coordinate)) != 0)
        throw InputError(parameter, "'" + name_of_coordinate(coordinate) +
                                        "' is a function of expressions, no name of a coordinate; choose another name.");
      static const std::regex form(R"(([A-Za-z][A-Za-z_0-9]{0,31})( *\([^()]{1,16}\))?)");
      if (!std::regex_match(coordinate, form) || coordinate.rfind("u_", 0) == 0 || coordinate.rfind("impulse_", 0) == 0)
        throw InputError(parameter, "'" + printable(coordinate) +
                                        "' is not the name of a coordinate; write letters and "
                                        "digits and, if you like, a unit, as theta1 (rad).");
      for (const std::string &name : {name_of_coordinate(coordinate), "u" + name_of_coordinate(coordinate)})
        {
          if (std::find(names.begin(), names.end(), name) != names.end())
            throw InputError(parameter, "'" + name +
                                            "' has two meanings: coordinates, their velocities ('u' before the "
                                            "name), the time t and pi need different names.");
          names.push_back(name);
        }
      if (const std::size_t unit = coordinate.find('('); unit != std::string::npos)
        coordinate = name_of_coordinate(coordinate) + " " + coordinate.substr(unit);
    }
  return given;
}

/// An expression of coordinates, velocities and time; components: as Formula has it.
std::unique_ptr<DifferentiableFormula> formula(const std::string &section, ExpressionText text, const std::string &variables,
                                               const Index n_components)
{
  if (text.expression.empty())
    return nullptr;
  text.variable_names = variables;
  return std::make_unique<DifferentiableFormula>(section, text, n_components);
}

/// A constraint is a function that is >= 0 where the system may be, no comparison.
void refuse_comparisons(const std::string &text)
{
  int depth = 0;
  for (const char c : text)
    {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0 && (c == '<' || c == '>' || c == '='))
        throw InputError("System/Constraint expression", "'" + text +
                                                             "' compares; give functions that are >= 0 where the "
                                                             "system may be, as y - 1 for y >= 1.");
    }
}

class ExpressionSystem : public micro::MechanicalSystem
{
public:
  ExpressionSystem(const SystemParameters &system, const ExpressionText &force_text)
      : names(coordinates(system, n_components(system.masses.expression))), projector(micro::exact_projector())
  {
    std::string positions, velocities;
    for (const std::string &coordinate : names)
      {
        positions += name_of_coordinate(coordinate) + ",";
        velocities += "u" + name_of_coordinate(coordinate) + ",";
      }
    masses = formula("System", system.masses, positions.substr(0, positions.size() - 1), -1);
    check_masses(system.masses.expression);
    refuse_comparisons(system.constraints.expression);
    g           = formula("System", system.constraints, positions + "t", -1);
    potential   = formula("System", system.potential, positions + "t", 1);
    generalised = formula("System", system.generalised_force, positions + velocities + "t", n_coordinates());
    per_mass    = formula("Force", force_text, positions + velocities + "t", n_coordinates());
  }

  Index                    n_coordinates() const override { return static_cast<Index>(names.size()); }
  std::vector<std::string> coordinate_names() const override { return names; }
  Vector                   initial_position() const override { return Vector::Zero(n_coordinates()); }
  Vector                   initial_velocity() const override { return Vector::Zero(n_coordinates()); }

  Eigen::MatrixXd mass(const Vector &q) const override;
  bool            constant_mass() const override { return masses->is_constant(); }
  Vector          force(double t, const Vector &q, const Vector &P) const override;

  Index           n_constraints() const override { return g ? g->n_components() : 0; }
  Vector          constraints(const double t, const Vector &q) const override { return g ? (*g)(at(q, t)) : Vector(0); }
  Eigen::MatrixXd gradients(double t, const Vector &q) const override;
  bool            convex_constraints() const override { return true; }

  std::optional<Vector> projection(const double t, const Vector &q) const override
  {
    if (!constant_mass())
      return std::nullopt;
    return n_constraints() == 0 ? q : micro::nearest_admissible(*this, micro::MassMetric(mass(q)), *projector, t, q, q);
  }

private:
  static Index n_components(const std::string &expression)
  {
    return 1 + std::count(expression.begin(), expression.end(), ';');
  }

  void check_masses(const std::string &text) const;

  Eigen::MatrixXd matrix(const Vector &entries) const;
  Vector          inertial_force(const Vector &q, const Vector &u) const;

  static Vector at(const Vector &q, const double t)
  {
    Vector variables(q.size() + 1);
    variables << q, t;
    return variables;
  }

  std::vector<std::string>                     names; ///< with units
  std::unique_ptr<DifferentiableFormula>       masses, g, potential, generalised, per_mass;
  std::unique_ptr<const convex::ConeProjector> projector;
};

void ExpressionSystem::check_masses(const std::string &text) const
{
  const std::string parameter = "System/Mass expression";
  const Index       n = n_coordinates(), n_given = masses->n_components(), triangle = n * (n + 1) / 2;
  if (n_given != n && n_given != triangle)
    throw InputError(parameter, "'" + text + "' has " + counted(n_given, "component") + ", but of " +
                                    counted(n, "coordinate") + " the mass matrix has " + std::to_string(n) +
                                    " on its diagonal, and " + std::to_string(triangle) +
                                    " in its upper triangle, row by row; give one or the other.");
  if (!masses->is_constant() || n_given != n)
    return;
  const Vector m = (*masses)(Vector::Zero(n));
  for (Index k = 0; k < n; ++k)
    if (!(m(k) > 0.))
      throw InputError(parameter, "Mass " + std::to_string(k + 1) + " is " + short_number(m(k)) + "; it must be positive.");
}

Eigen::MatrixXd ExpressionSystem::matrix(const Vector &entries) const
{
  const Index n = n_coordinates();
  if (entries.size() == n)
    return entries.asDiagonal();
  Eigen::MatrixXd M(n, n);
  for (Index i = 0, next = 0; i < n; ++i)
    for (Index j = i; j < n; ++j)
      M(i, j) = M(j, i) = entries(next++);
  return M;
}

Eigen::MatrixXd ExpressionSystem::mass(const Vector &q) const
{
  const Eigen::MatrixXd M   = matrix((*masses)(q));
  constexpr double      far = 1e8; // angles of so many radians have lost half of their digits
  if (Eigen::LLT<Eigen::MatrixXd>(M).info() == Eigen::Success)
    return M;
  if (!(convex::max_abs(q) < far))
    throw InputError("System", "The motion reaches " + point(q) +
                                   ", where the mass matrix has lost its digits: forces or velocities are too large for the "
                                   "time step; set Time/Time step lower, or correct the potential and the forces.");
  throw InputError("System/Mass expression", "The mass matrix is not positive definite at " + point(q) +
                                                 "; correct it, or the motion that leads there.");
}

Vector ExpressionSystem::inertial_force(const Vector &q, const Vector &u) const
{
  Vector f = Vector::Zero(q.size());
  for (Index i = 0; i < q.size(); ++i)
    {
      const Vector along = matrix(masses->derivative(q, i)) * u; // ∂_i M u
      f(i) += .5 * u.dot(along);
      f -= u(i) * along;
    }
  return f;
}

Vector ExpressionSystem::force(const double t, const Vector &q, const Vector &P) const
{
  Vector f = Vector::Zero(q.size());
  if (constant_mass() && !generalised && !per_mass && !potential)
    return f;
  const micro::MassMetric metric(mass(q));
  const Vector            u = metric.velocity(P);
  if (!constant_mass())
    f += inertial_force(q, u);
  if (potential)
    for (Index k = 0; k < q.size(); ++k)
      f(k) -= potential->derivative(at(q, t), k)(0);
  Vector variables(2 * q.size() + 1);
  variables << q, u, t;
  if (generalised)
    f += (*generalised)(variables);
  if (per_mass)
    f += metric.momentum((*per_mass)(variables));
  return f;
}

Eigen::MatrixXd ExpressionSystem::gradients(const double t, const Vector &q) const
{
  Eigen::MatrixXd G(n_constraints(), q.size());
  for (Index k = 0; k < q.size() && g; ++k)
    G.col(k) = g->derivative(at(q, t), k);
  return G;
}
} // namespace

std::unique_ptr<micro::MechanicalSystem> expression_system(const SystemParameters &system, const ExpressionText &force)
{
  auto started =
      micro::started_at(std::make_unique<ExpressionSystem>(system, force), system.initial_position, system.initial_velocity);
  started->mass(started->initial_position()); // throws where it is not positive definite
  return started;
}
} // namespace moreau::app
