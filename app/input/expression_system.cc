// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/expression_system.h"

#include "app/input/text/formula.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"

#include <algorithm>
#include <cmath>

namespace moreau::app
{
namespace
{
using micro::Index;
using micro::Vector;

constexpr Index max_coordinates = 3;

/// Of the coordinates; their number is that of the expressions.
Vector masses(const ExpressionText &text)
{
  const std::string parameter = "System/" + text.prefix + " expression";
  const Formula     formula("System", text, -1);
  if (formula.n_components() > max_coordinates)
    throw InputError(parameter, "'" + text.expression + "' has " + std::to_string(formula.n_components()) +
                                    " masses, but there are at most three coordinates.");
  const Vector m = formula(Vector());
  for (Index k = 0; k < m.size(); ++k)
    if (!(m(k) > 0.))
      throw InputError(parameter, "Mass " + std::to_string(k + 1) + " is " + short_number(m(k)) + "; it must be positive.");
  return m;
}

class ExpressionSystem : public micro::MechanicalSystem
{
public:
  ExpressionSystem(const SystemParameters &system, const ExpressionText &force_text) : m(masses(system.masses))
  {
    if (!system.constraints.expression.empty())
      g = std::make_unique<Formula>("System", system.constraints, -1);
    if (!force_text.expression.empty())
      f = std::make_unique<Formula>("Force", force_text, m.size());
  }

  Index                    n_coordinates() const override { return m.size(); }
  std::vector<std::string> coordinate_names() const override
  {
    const std::vector<std::string> names = {"x (m)", "y (m)", "z (m)"};
    return {names.begin(), names.begin() + m.size()};
  }
  Vector initial_position() const override { return Vector::Zero(m.size()); }
  Vector initial_velocity() const override { return Vector::Zero(m.size()); }

  Eigen::MatrixXd mass(const Vector &) const override { return m.asDiagonal(); }
  bool            constant_mass() const override { return true; }

  Vector force(double t, const Vector &q, const Vector &P) const override
  {
    if (!f)
      return Vector::Zero(m.size());
    Vector variables                             = Vector::Zero(2 * max_coordinates + 1);
    variables.head(m.size())                     = q;
    variables.segment(max_coordinates, m.size()) = P.cwiseQuotient(m);
    variables(2 * max_coordinates)               = t;
    return m.cwiseProduct((*f)(variables));
  }

  Index  n_constraints() const override { return g ? g->n_components() : 0; }
  Vector constraints(double t, const Vector &q) const override
  {
    if (!g)
      return Vector(0);
    Vector variables           = Vector::Zero(max_coordinates + 1);
    variables.head(m.size())   = q;
    variables(max_coordinates) = t;
    return (*g)(variables);
  }
  Eigen::MatrixXd gradients(double t, const Vector &q) const override
  {
    constexpr double relative = 6e-6; // ε^{1/3}: rounding and the second-order error are then the same
    Eigen::MatrixXd  G(n_constraints(), m.size());
    for (Index k = 0; k < m.size(); ++k)
      {
        Vector       left = q, right = q;
        const double h = relative * std::max(1., std::abs(q(k)));
        left(k) -= h;
        right(k) += h;
        G.col(k) = (constraints(t, right) - constraints(t, left)) / (right(k) - left(k));
      }
    return G;
  }
  bool convex_constraints() const override { return true; }

private:
  Vector                   m;
  std::unique_ptr<Formula> g, f;
};
} // namespace

std::unique_ptr<micro::MechanicalSystem> expression_system(const SystemParameters &system, const ExpressionText &force)
{
  return micro::started_at(std::make_unique<ExpressionSystem>(system, force), system.initial_position,
                           system.initial_velocity);
}
} // namespace moreau::app
