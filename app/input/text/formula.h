// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_TEXT_FORMULA_H
#define MOREAU_APP_INPUT_TEXT_FORMULA_H

#include "app/input/text/expression_tree.h"

#include "geometry/field.h"

#include <Eigen/Core>

#include <map>
#include <memory>
#include <string>
#include <vector>

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

/// "a = 1, b = 2". Throws InputError(parameter, ...) for another form.
std::map<std::string, double> named_numbers(const std::string &parameter, const std::string &text);

/// A function of any named variables, written in the .prm file in muParser's language with what deal.II adds to it;
/// pi is known. Random numbers are refused, because no run could repeat them.
class Formula
{
public:
  /// section: where the text stands, for messages, which say "section/prefix expression".
  /// text.variable_names: the variables, separated by commas. n_components: expressions, ';' between them; -1: as many as
  /// there are. because: why so many are needed, as " in dimension 2".
  /// Throws InputError for text that cannot be evaluated, another number of components, bad constants.
  Formula(const std::string &section, const ExpressionText &text, Eigen::Index n_components,
          const std::string &because = "");
  ~Formula();

  Eigen::Index n_components() const { return static_cast<Eigen::Index>(expressions.size()); }

  /// Whether some component contains the variable.
  bool uses(const std::string &variable) const;

  /// Whether all are numbers.
  bool is_constant() const { return used.empty(); }

  /// variables: one value for each, in their order; result: n_components
  /// values, finite or not. Several threads may call it at once.
  void evaluate(const double *variables, double *result) const;

  /// The values. Throws InputError where one is not finite, saying which and where.
  Eigen::VectorXd operator()(const Eigen::VectorXd &variables) const;

  /// At many points: x is dim x n and holds the first dim variables, the others are 0; result becomes n_components x n.
  /// Throws as operator(). Several threads may call it at once.
  void values(const Eigen::MatrixXd &x, Eigen::MatrixXd &result) const;

  /// Throws InputError: component k (from 0) is `value` at these variables. where: more about the place, as " for sphere 3".
  [[noreturn]] void throw_not_finite(Eigen::Index k, double value, const double *variables,
                                     const std::string &where = "") const;

private:
  class Parsers;
  [[noreturn]] void refuse(Eigen::Index k, double value, const std::string &where) const;

  std::string              place; ///< "Section/Function", as messages call it
  std::vector<std::string> expressions, names;
  std::vector<std::string> used; ///< variables that occur
  std::unique_ptr<Parsers> parsers;
};

/// What the components are made of; none where one of them is not understood. Whether they have the values that muParser
/// gives them is left to the caller.
std::vector<ExpressionTree> trees_of(const ExpressionText &text);

/// The values of a Formula of position (length dim, m) at time 0, which knows itself on hulls (Field::on_hull). Variable
/// names: those of the coordinates, or of the coordinates and the time, or all four of x, y, z, t. Throws as Formula, and
/// for another number of names.
geometry::Field field_of(const std::string &section, const ExpressionText &text, Eigen::Index dim,
                         Eigen::Index n_components);
} // namespace moreau::app

#endif
