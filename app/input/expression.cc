// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/expression.h"

#include "app/input/formula.h"

#include "convex/input_error.h"

#include <deal.II/base/function_parser.h>
#include <deal.II/base/utilities.h>

#include <cmath>
#include <iostream>
#include <map>
#include <sstream>

namespace moreau::app
{
namespace
{
using dealii::Utilities::split_string_list;

/// Collects what is written to std::cerr: deal.II prints muParser's complaints there before it throws them.
class CapturedErrors
{
public:
  CapturedErrors() : old(std::cerr.rdbuf(text.rdbuf())) {}
  ~CapturedErrors() { std::cerr.rdbuf(old); }
  CapturedErrors(const CapturedErrors &) = delete;

  /// What follows `label` on its line, without the <> around it.
  std::string field(const std::string &label) const
  {
    const std::string all   = text.str();
    const std::size_t start = all.find(label);
    if (start == std::string::npos)
      return "";
    const std::size_t open = all.find('<', start) + 1;
    return all.substr(open, all.find(">\n", open) - open);
  }

private:
  std::ostringstream text;
  std::streambuf    *old;
};

/// Names of x, y, z, t: those of the user, and names that no formula contains where the user gave none.
std::string four_variable_names(const std::string &section, const std::string &text, const Eigen::Index dim)
{
  const std::vector<std::string> names = split_string_list(text, ',');
  const auto                     n     = static_cast<Eigen::Index>(names.size());
  if (n != dim && n != dim + 1 && n != 4)
    throw InputError(section + "/Variable names", "'" + text + "' has " + std::to_string(n) + " names; name the " +
                                                      std::to_string(dim) + " coordinates and, if you like, the time.");
  std::string joined;
  for (Eigen::Index k = 0; k < 3; ++k)
    joined += (n == 4 || k < dim ? names[k] : "unnamed_" + std::to_string(k)) + ",";
  return joined + (n > dim ? names.back() : "unnamed_time");
}
} // namespace

std::string point(const Eigen::VectorXd &x)
{
  std::ostringstream out;
  for (Eigen::Index k = 0; k < x.size(); ++k)
    out << (k == 0 ? "(" : ", ") << x(k);
  out << ")";
  return out.str();
}

/// deal.II's parser, which keeps muParser's objects once per thread: several may evaluate at once.
class Expression::Parser : public dealii::FunctionParser<3>
{
public:
  explicit Parser(const std::vector<std::string> &expressions)
      : dealii::FunctionParser<3>(expressions.size()), expressions(expressions)
  {}

  /// All components at x, which has dim coordinates, at once: finding the
  /// objects of this thread takes as long as a short formula.
  void evaluate(const double *x, const Eigen::Index dim, double *value) const
  {
    dealii::Point<3> point;
    for (Eigen::Index k = 0; k < dim; ++k)
      point(k) = x[k];
    dealii::ArrayView<double> components(value, expressions.size());
    do_all_values(point, /*time=*/0., components);
  }

  /// muParser reads an expression when it is first evaluated, so every component is evaluated once.
  void try_out(const std::string &place) const
  {
    for (std::size_t component = 0; component < expressions.size(); ++component)
      {
        const CapturedErrors errors;
        try
          {
            value(dealii::Point<3>(), component);
          }
        catch (const dealii::ExceptionBase &)
          {
            std::string reason = errors.field("Message:");
            while (!reason.empty() && reason.back() == '.')
              reason.pop_back();
            if (!reason.empty() && reason.find("position") == std::string::npos)
              reason += " at position " + errors.field("Position:");
            throw InputError(place + " expression", "Component " + std::to_string(component + 1) + ", '" +
                                                        expressions[component] + "', cannot be evaluated: " + reason + ".");
          }
      }
  }

  const std::vector<std::string> expressions;
};

Expression::Expression(const std::string &section, const ExpressionText &text, const Eigen::Index dim,
                       const Eigen::Index n_components)
    : place(section + "/" + text.prefix), n_components(n_components)
{
  const std::vector<std::string> expressions = split_string_list(text.expression, ';');
  if (static_cast<Eigen::Index>(expressions.size()) != n_components)
    throw InputError(place + " expression", "'" + text.expression + "' has " + std::to_string(expressions.size()) +
                                                (expressions.size() == 1 ? " component" : " components") +
                                                ", separated by ';', but " + std::to_string(n_components) +
                                                (n_components == 1 ? " is" : " are") + " needed in dimension " +
                                                std::to_string(dim) + ".");
  const std::string variables = four_variable_names(section, text.variable_names, dim);
  auto              constants = named_numbers(place + " constants", text.constants);
  constants.insert({"pi", M_PI});
  parser = std::make_unique<Parser>(expressions);
  try
    {
      parser->initialize(variables, expressions, constants, /*time_dependent=*/true);
    }
  catch (...) // deal.II lets muParser's own exceptions pass, which are no std::exception
    {
      throw InputError(place + " constants", "'" + text.constants + "' with the variables '" + text.variable_names +
                                                 "' holds a name that cannot be used; use other letters.");
    }
  parser->try_out(place);
}

Expression::~Expression() = default;

Eigen::VectorXd Expression::operator()(const Eigen::VectorXd &x) const
{
  Eigen::VectorXd value(n_components);
  parser->evaluate(x.data(), x.size(), value.data());
  if (!value.allFinite())
    throw_not_finite(value, x);
  return value;
}

void Expression::values(const Eigen::MatrixXd &x, Eigen::MatrixXd &result) const
{
  result.resize(n_components, x.cols());
  for (Eigen::Index k = 0; k < x.cols(); ++k)
    {
      parser->evaluate(x.col(k).data(), x.rows(), result.col(k).data());
      if (!result.col(k).allFinite())
        throw_not_finite(result.col(k), x.col(k));
    }
}

void Expression::throw_not_finite(const Eigen::VectorXd &value, const Eigen::VectorXd &x) const
{
  Eigen::Index k = 0;
  while (std::isfinite(value(k)))
    ++k;
  throw InputError(place + " expression", "Component " + std::to_string(k + 1) + ", '" + parser->expressions[k] + "', is " +
                                              (std::isnan(value(k)) ? "not a number (nan)" : "infinite") + " at " +
                                              point(x) + "; it must be finite everywhere.");
}

std::function<void(const Eigen::MatrixXd &x, Eigen::MatrixXd &values)> field(std::shared_ptr<const Expression> expression)
{
  return [expression = std::move(expression)](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    expression->values(x, values);
  };
}
} // namespace moreau::app
