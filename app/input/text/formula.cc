// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/formula.h"

#include "app/input/text/enclosure.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"

#include <deal.II/base/mu_parser_internal.h>
#include <deal.II/base/utilities.h>

#include <muParser.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <regex>

namespace moreau::app
{
namespace
{
using dealii::Utilities::split_string_list;

/// What deal.II adds to muParser, so that all expressions of a parameter file speak one language.
void add_functions(mu::Parser &parser)
{
  namespace functions = dealii::internal::FunctionParser;
  parser.DefineFun("if", functions::mu_if);
  parser.DefineOprt("|", functions::mu_or, 1);
  parser.DefineOprt("&", functions::mu_and, 2);
  parser.DefineFun("int", functions::mu_int);
  parser.DefineFun("ceil", functions::mu_ceil);
  parser.DefineFun("cot", functions::mu_cot);
  parser.DefineFun("csc", functions::mu_csc);
  parser.DefineFun("floor", functions::mu_floor);
  parser.DefineFun("sec", functions::mu_sec);
  parser.DefineFun("log", functions::mu_log);
  parser.DefineFun("pow", functions::mu_pow);
  parser.DefineFun("erf", functions::mu_erf);
  parser.DefineFun("erfc", functions::mu_erfc);
}

/// muParser wants the parenthesis of a function directly behind its name. No std::regex, whose depth grows with the text.
std::string without_blanks_before_parentheses(const std::string &expression)
{
  const auto  in_name = [](const char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  std::string result;
  for (const char c : expression)
    {
      const std::size_t end = c == '(' ? result.find_last_not_of(" \t") + 1 : 0; // 0: blanks only
      if (end > 0 && in_name(result[end - 1]))
        {
          std::size_t begin = end;
          while (begin > 0 && in_name(result[begin - 1]))
            --begin;
          if (!std::isdigit(static_cast<unsigned char>(result[begin]))) // "2 (x" is no call
            result.erase(end);
        }
      result += c;
    }
  return result;
}

std::string reason(const mu::ParserError &error, const std::string &expression)
{
  static const std::regex random(R"(\brand(_seed)?\b)"); // which deal.II's own parser knows
  if (std::regex_search(expression, random))
    return "there are no random numbers, because no run could repeat them";
  std::string text = error.GetMsg();
  while (!text.empty() && (text.back() == '.' || text.back() == ' '))
    text.pop_back();
  return text + (text.find("position") == std::string::npos ? " at position " + std::to_string(error.GetPos()) : "");
}
} // namespace

std::map<std::string, double> named_numbers(const std::string &parameter, const std::string &text)
{
  std::map<std::string, double> numbers;
  for (const std::string &definition : split_string_list(text, ','))
    {
      const std::vector<std::string> parts = split_string_list(definition, '=');
      std::size_t                    read  = 0;
      double                         value = 0.;
      try
        {
          value = std::stod(parts.size() == 2 ? parts[1] : "", &read);
        }
      catch (const std::logic_error &) // no number, or one that no double can hold
        {}
      if (read == 0 || read != parts[1].size())
        throw InputError(parameter, "'" + definition + "' is not of the form name = number; write a = 1, b = 2.");
      numbers[parts[0]] = value;
    }
  return numbers;
}

/// muParser's objects hold the variables that they read, so every thread has its own.
class Formula::Parsers
{
public:
  struct OfThread
  {
    std::vector<double>     variables;
    std::vector<mu::Parser> components;
  };

  Parsers(const std::vector<std::string> &expressions, const std::vector<std::string> &names,
          const std::map<std::string, double> &constants)
      : expressions(expressions), names(names), constants(constants)
  {}

  OfThread &mine() const
  {
    OfThread &parsers = of_threads.local();
    if (parsers.components.empty())
      fill(parsers);
    return parsers;
  }

private:
  void fill(OfThread &parsers) const
  {
    parsers.variables.assign(names.size(), 0.);
    parsers.components.resize(expressions.size());
    for (std::size_t k = 0; k < expressions.size(); ++k)
      {
        mu::Parser &parser = parsers.components[k];
        for (const auto &[name, value] : constants)
          parser.DefineConst(name, value);
        for (std::size_t v = 0; v < names.size(); ++v)
          parser.DefineVar(names[v], &parsers.variables[v]);
        add_functions(parser);
        parser.SetExpr(without_blanks_before_parentheses(expressions[k]));
      }
  }

  const std::vector<std::string>                    expressions, names;
  const std::map<std::string, double>               constants;
  mutable tbb::enumerable_thread_specific<OfThread> of_threads;
};

Formula::Formula(const std::string &section, const ExpressionText &text, const Eigen::Index n_components,
                 const std::string &because)
    : place(section + "/" + text.prefix)
    , expressions(split_string_list(text.expression, ';'))
    , names(split_string_list(text.variable_names, ','))
{
  if (n_components >= 0 && this->n_components() != n_components)
    throw InputError(place + " expression", "'" + text.expression + "' has " + counted(this->n_components(), "component") +
                                                ", separated by ';', but " + std::to_string(n_components) +
                                                (n_components == 1 ? " is" : " are") + " needed" + because + ".");
  std::map<std::string, double> constants = named_numbers(place + " constants", text.constants);
  constants.insert({"pi", M_PI});
  parsers = std::make_unique<Parsers>(expressions, names, constants);
  try
    {
      parsers->mine();
    }
  catch (const mu::ParserError &error)
    {
      if (error.GetCode() == mu::ecEXPRESSION_TOO_LONG)
        throw InputError(place + " expression", "A component is too long to be read; write a shorter one.");
      throw InputError(place + " constants", "'" + text.constants + "' with the variables '" + text.variable_names +
                                                 "' holds a name that cannot be used; use other letters.");
    }
  for (std::size_t k = 0; k < expressions.size(); ++k)
    try
      {
        for (const auto &[variable, address] : parsers->mine().components[k].GetUsedVar())
          used.push_back(variable);
        parsers->mine().components[k].Eval(); // muParser reads an expression when it is first evaluated
      }
    catch (const mu::ParserError &error)
      {
        throw InputError(place + " expression", "Component " + std::to_string(k + 1) + ", '" + expressions[k] +
                                                    "', cannot be evaluated: " + reason(error, expressions[k]) +
                                                    "; variables are " + joined(names, ", ") + ".");
      }
}

Formula::~Formula() = default;

bool Formula::uses(const std::string &variable) const { return std::find(used.begin(), used.end(), variable) != used.end(); }

void Formula::evaluate(const double *variables, double *result) const
{
  Parsers::OfThread &mine = parsers->mine();
  std::copy(variables, variables + names.size(), mine.variables.begin());
  for (std::size_t k = 0; k < expressions.size(); ++k)
    result[k] = mine.components[k].Eval();
}

Eigen::VectorXd Formula::operator()(const Eigen::VectorXd &variables) const
{
  Eigen::VectorXd result(n_components());
  evaluate(variables.data(), result.data());
  for (Eigen::Index k = 0; k < result.size(); ++k)
    if (!std::isfinite(result(k)))
      throw_not_finite(k, result(k), variables.data());
  return result;
}

void Formula::values(const Eigen::MatrixXd &x, Eigen::MatrixXd &result) const
{
  Parsers::OfThread &mine = parsers->mine();
  std::fill(mine.variables.begin(), mine.variables.end(), 0.);
  result.resize(n_components(), x.cols());
  for (Eigen::Index j = 0; j < x.cols(); ++j)
    {
      std::copy_n(x.col(j).data(), x.rows(), mine.variables.begin());
      for (Eigen::Index k = 0; k < result.rows(); ++k)
        {
          result(k, j) = mine.components[k].Eval();
          if (!std::isfinite(result(k, j)))
            refuse(k, result(k, j), " at " + point(x.col(j)) + "; it must be finite everywhere");
        }
    }
}

void Formula::throw_not_finite(const Eigen::Index k, const double value, const double *variables,
                               const std::string &where) const
{
  std::string at;
  for (std::size_t v = 0; v < names.size(); ++v)
    at += (v == 0 ? " at " : ", ") + names[v] + " = " + short_number(variables[v]);
  refuse(k, value, where + at + "; it must be finite there");
}

void Formula::refuse(const Eigen::Index k, const double value, const std::string &where) const
{
  throw InputError(place + " expression", "Component " + std::to_string(k + 1) + ", '" + expressions[k] + "', is " +
                                              (std::isnan(value) ? "not a number (nan)" : "infinite") + where + ".");
}

namespace
{
/// Whether trees have the values of the formula at points all over, from the size of a grain to that of a mountain.
bool agree(const std::vector<ExpressionTree> &trees, const Formula &formula, const Eigen::Index n_variables)
{
  constexpr int                   n_points   = 40;
  constexpr double                same       = 1e-9;
  constexpr std::array<double, 3> irrational = {.7548776662466927, .5698402909980532, .3819660112501051};
  Eigen::MatrixXd                 values(formula.n_components(), n_points), of_trees = values;
  for (int k = 0; k < n_points; ++k)
    {
      Eigen::VectorXd x = Eigen::VectorXd::Zero(n_variables);
      for (Eigen::Index i = 0; i < std::min<Eigen::Index>(3, n_variables); ++i)
        x(i) = (std::fmod(.5 + k * irrational[i], 1.) - .5) * std::pow(10., k % 8 - 4);
      formula.evaluate(x.data(), values.col(k).data());
      Enclosures at_point(x);
      for (std::size_t c = 0; c < trees.size(); ++c)
        of_trees(static_cast<Eigen::Index>(c), k) = at_point(trees[c]).value;
    }
  const auto      is_number = values.array().isFinite();
  Eigen::ArrayXXd known     = is_number.select(values.array(), 0.);
  Eigen::ArrayXXd off       = is_number.select((of_trees - values).array().abs(), 0.);
  return ((off <= same * (known.abs() + 1e-3 * known.abs().rowwise().maxCoeff().replicate(1, n_points))) || off == 0.).all();
}

} // namespace

std::vector<ExpressionTree> trees_of(const ExpressionText &text)
{
  const std::vector<std::string> names       = split_string_list(text.variable_names, ','),
                                 expressions = split_string_list(text.expression, ';');
  std::map<std::string, double> constants    = named_numbers("", text.constants);
  constants.insert({"pi", M_PI});
  std::vector<ExpressionTree> trees;
  for (const std::string &expression : expressions)
    if (const auto tree = expression_tree(expression, names, constants))
      trees.push_back(*tree);
  if (trees.size() < expressions.size())
    trees.clear();
  return trees;
}

namespace
{
geometry::Field::Hulls on_hulls(const ExpressionText &text, const Formula &formula, const Eigen::Index dim)
{
  std::vector<ExpressionTree> trees        = trees_of(text);
  const Eigen::Index          n_components = formula.n_components();
  if (!trees.empty() &&
      !agree(trees, formula, static_cast<Eigen::Index>(split_string_list(text.variable_names, ',').size())))
    trees.clear();
  return [all = std::make_shared<const std::vector<ExpressionTree>>(std::move(trees)), n_components,
          dim](const Eigen::MatrixXd &corners) {
    const std::vector<ExpressionTree> &trees = *all;
    geometry::OnHull                   known;
    known.is_polynomial = !trees.empty();
    known.value         = Eigen::VectorXd::Zero(n_components);
    known.remainder     = Eigen::VectorXd::Constant(n_components, std::numeric_limits<double>::infinity());
    known.upper         = known.remainder;
    known.lower         = -known.upper;
    known.gradient      = Eigen::MatrixXd::Zero(n_components, dim);
    Enclosures enclosures(corners);
    for (std::size_t k = 0; k < trees.size(); ++k)
      {
        const auto      c    = static_cast<Eigen::Index>(k);
        const Enclosure of_k = enclosures(trees[k]);
        known.is_polynomial &= of_k.degree < Enclosure::none;
        known.value(c)        = of_k.value;
        known.remainder(c)    = of_k.remainder;
        known.lower(c)        = enclosures.range(of_k).low;
        known.upper(c)        = enclosures.range(of_k).high;
        known.gradient.row(c) = Eigen::Map<const Eigen::RowVectorXd>(of_k.slope.data(), dim);
      }
    known.is_in_one_piece = !trees.empty() && enclosures.is_in_one_piece();
    return known;
  };
}
} // namespace

geometry::Field field_of(const std::string &section, const ExpressionText &text, const Eigen::Index dim,
                         const Eigen::Index n_components)
{
  const auto n = static_cast<Eigen::Index>(split_string_list(text.variable_names, ',').size());
  if (n != dim && n != dim + 1 && n != 4)
    throw InputError(section + "/Variable names", "'" + text.variable_names + "' has " + std::to_string(n) +
                                                      " names; name the " + std::to_string(dim) +
                                                      " coordinates and, if you like, the time.");
  const auto formula = std::make_shared<const Formula>(section, text, n_components, " in dimension " + std::to_string(dim));
  return {[formula](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) { formula->values(x, values); },
          on_hulls(text, *formula, dim)};
}
} // namespace moreau::app
