// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_FORMULA_H
#define MOREAU_APP_INPUT_FORMULA_H

#include "app/input/expression.h"

#include <Eigen/Core>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace moreau::app
{
/// "a = 1, b = 2". Throws InputError(parameter, ...) for another form.
std::map<std::string, double> named_numbers(const std::string &parameter, const std::string &text);

/// A function of any named variables, in the language of Expression (random numbers excepted, which no run could repeat):
/// forces, growth, constraints, motions in time. An Expression is one of position alone.
class Formula
{
public:
  /// section: where the text stands, for messages, which say "section/prefix expression". text.variable_names: the
  /// variables, separated by commas. n_components: expressions, ';' between them; -1: as many as there are.
  /// Throws InputError for text that cannot be evaluated, another number of components, bad constants.
  Formula(const std::string &section, const ExpressionText &text, Eigen::Index n_components);
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

  /// Throws InputError: component k (from 0) is `value` at these variables.
  /// where: more about the place, as " for sphere 3"; may be empty.
  [[noreturn]] void throw_not_finite(Eigen::Index k, double value, const double *variables,
                                     const std::string &where = "") const;

private:
  class Parsers;

  std::string              place; ///< "Section/Function", as messages call it
  std::vector<std::string> expressions, names;
  std::vector<std::string> used; ///< variables that occur
  std::unique_ptr<Parsers> parsers;
};
} // namespace moreau::app

#endif
