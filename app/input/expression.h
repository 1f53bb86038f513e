// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_EXPRESSION_H
#define MOREAU_APP_INPUT_EXPRESSION_H

#include <Eigen/Core>

#include <functional>
#include <memory>
#include <string>

namespace moreau::app
{
/// The three parameters of a function given as text, named as deal.II's ParsedFunction names them.
struct ExpressionText
{
  std::string expression;
  std::string constants;
  std::string variable_names = "x,y,z,t";
  std::string prefix         = "Function"; ///< of the parameters' names: "Function expression", "Function constants"
};

/// "(0.5, 1)".
std::string point(const Eigen::VectorXd &x);

/// A function of position, written in the .prm file in muParser's language; at time t = 0. pi is known.
class Expression
{
public:
  /// section: where the text stands, for messages. dim: length of the
  /// positions. One expression per component, ';' between them.
  /// Variable names: those of the coordinates, or of the coordinates and time, or all four of x, y, z, t.
  /// Throws InputError(section + "/Function ...", ...) for text that cannot be
  /// evaluated, another number of components, bad constants.
  Expression(const std::string &section, const ExpressionText &text, Eigen::Index dim, Eigen::Index n_components);
  ~Expression();

  /// x: length dim (m). Throws InputError where a component is not finite, saying where.
  Eigen::VectorXd operator()(const Eigen::VectorXd &x) const;

  /// At many points: x is dim x n (m), result becomes n_components x n. Throws
  /// as operator() does. Several threads may call it at once.
  void values(const Eigen::MatrixXd &x, Eigen::MatrixXd &result) const;

private:
  class Parser;
  [[noreturn]] void throw_not_finite(const Eigen::VectorXd &value, const Eigen::VectorXd &x) const;

  std::string             place; ///< "Section/Function", as messages call it
  Eigen::Index            n_components;
  std::unique_ptr<Parser> parser;
};

/// expression->values() as a geometry::Field, which keeps the expression alive.
std::function<void(const Eigen::MatrixXd &x, Eigen::MatrixXd &values)> field(std::shared_ptr<const Expression> expression);
} // namespace moreau::app

#endif
