// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_TEXT_EXPRESSION_TREE_H
#define MOREAU_APP_INPUT_TEXT_EXPRESSION_TREE_H

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace moreau::app
{
enum class Operation
{
  number,
  variable,
  negative,
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  equal,
  unequal,
  logical_and,
  logical_or,
  choice,         ///< c ? a : b
  rounded_choice, ///< if(c, a, b), which rounds c
  floor,
  ceil,
  round,
  sign,
  abs,
  min,
  max,
  sum,
  average,
  other ///< a function, by its name
};

/// An expression of muParser's language, with what deal.II adds to it, as what it is made of: each step is a number, a
/// variable or a function of steps before it; the last one is the value.
struct ExpressionTree
{
  struct Step
  {
    Operation        operation;
    std::vector<int> arguments = {}; ///< steps; of a variable: which one
    double           number    = 0.;
    std::string      function  = {}; ///< of `other`
  };

  std::vector<Step> steps;
};

/// Operators have the order of muParser. None for what is not understood; so is
/// what is nested deeper than a hundred parentheses.
std::optional<ExpressionTree> expression_tree(const std::string &expression, const std::vector<std::string> &variables,
                                              const std::map<std::string, double> &constants);
} // namespace moreau::app

#endif
