// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/derivative.h"

#include "app/input/text/functions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::app
{
namespace
{
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A value and its derivative along one variable (forward differentiation).
struct Dual
{
  double value, slope = 0.;
  double error = 0.; ///< of the value, in units of roundings
};

Dual power(const Dual &a, const Dual &b)
{
  Dual result = {std::pow(a.value, b.value)};
  if (a.slope != 0.)
    result.slope += b.value * std::pow(a.value, b.value - 1.) * a.slope;
  if (b.slope != 0.)
    result.slope += result.value * std::log(a.value) * b.slope;
  return result;
}

/// The larger one for sign 1, the smaller one for -1; of two that are the same, the mean of the slopes.
Dual extreme(const Dual &a, const Dual &b, const double sign)
{
  if (a.value == b.value)
    return {a.value, .5 * (a.slope + b.slope)};
  return sign * a.value > sign * b.value ? a : b;
}

/// Of what has a value only: comparisons, logic, roundings.
double of_steps(const Operation operation, const double a, const double b)
{
  switch (operation)
    {
      case Operation::less:
        return a < b;
      case Operation::less_or_equal:
        return a <= b;
      case Operation::greater:
        return a > b;
      case Operation::greater_or_equal:
        return a >= b;
      case Operation::equal:
        return a == b;
      case Operation::unequal:
        return a != b;
      case Operation::logical_and:
        return a != 0. && b != 0.;
      case Operation::logical_or:
        return a != 0. || b != 0.;
      case Operation::floor:
        return std::floor(a);
      case Operation::ceil:
        return std::ceil(a);
      case Operation::round:
        return std::round(a);
      case Operation::sign:
        return (a > 0.) - (a < 0.);
      default:
        return unknown;
    }
}

Dual of_step(const ExpressionTree::Step &step, const std::vector<Dual> &known)
{
  const auto of = [&](const std::size_t k) -> const Dual & { return known[step.arguments[k]]; };
  const Dual a = of(0), b = step.arguments.size() > 1 ? of(1) : Dual{0.};
  switch (step.operation)
    {
      case Operation::negative:
        return {-a.value, -a.slope};
      case Operation::add:
        return {a.value + b.value, a.slope + b.slope};
      case Operation::subtract:
        return {a.value - b.value, a.slope - b.slope};
      case Operation::multiply:
        return {a.value * b.value, a.slope * b.value + a.value * b.slope};
      case Operation::divide:
        return {a.value / b.value, (a.slope - a.value / b.value * b.slope) / b.value};
      case Operation::power:
        return power(a, b);
      case Operation::abs:
        return {std::abs(a.value), of_steps(Operation::sign, a.value, 0.) * a.slope};
      case Operation::choice:
        return a.value != 0. ? of(1) : of(2);
      case Operation::rounded_choice:
        return std::round(a.value) != 0. ? of(1) : of(2);
      case Operation::min:
      case Operation::max:
      case Operation::sum:
      case Operation::average:
        {
          Dual result = a;
          for (std::size_t k = 1; k < step.arguments.size(); ++k)
            result = step.operation == Operation::min   ? extreme(result, of(k), -1.)
                     : step.operation == Operation::max ? extreme(result, of(k), 1.)
                                                        : Dual{result.value + of(k).value, result.slope + of(k).slope};
          const double n = step.operation == Operation::average ? static_cast<double>(step.arguments.size()) : 1.;
          return {result.value / n, result.slope / n};
        }
      case Operation::other:
        {
          if (step.function == "atan2" && step.arguments.size() == 2)
            return {std::atan2(a.value, b.value),
                    (a.slope * b.value - a.value * b.slope) / (a.value * a.value + b.value * b.value)};
          if (step.arguments.size() != 1)
            return {unknown, unknown};
          const ValueAndSlope f = function_at(step.function, a.value);
          return {f.value, a.slope == 0. ? 0. : f.slope * a.slope};
        }
      default:
        return {of_steps(step.operation, a.value, b.value)};
    }
}

/// What rounding of the arguments of a step and of its value amounts to.
double error_of_step(const ExpressionTree::Step &step, const std::vector<Dual> &known, const double value)
{
  const auto of = [&](const std::size_t k) -> const Dual & { return known[step.arguments[k]]; };
  const Dual a = of(0), b = step.arguments.size() > 1 ? of(1) : Dual{0.};
  double     error = std::abs(value);
  switch (step.operation)
    {
      case Operation::add:
      case Operation::subtract:
      case Operation::min:
      case Operation::max:
      case Operation::sum:
      case Operation::average:
        for (std::size_t k = 0; k < step.arguments.size(); ++k)
          error += of(k).error;
        return error;
      case Operation::multiply:
        return error + std::abs(b.value) * a.error + std::abs(a.value) * b.error;
      case Operation::divide:
        return error + (a.error + std::abs(value) * b.error) / std::abs(b.value);
      case Operation::power:
        return error + (a.value == 0. ? a.error
                                      : std::abs(value) * (std::abs(b.value) * a.error / std::abs(a.value) +
                                                           std::abs(std::log(std::abs(a.value))) * b.error));
      case Operation::negative:
      case Operation::abs:
        return error + a.error;
      case Operation::choice:
      case Operation::rounded_choice:
        return error + of(1).error + of(2).error;
      case Operation::other:
        if (step.arguments.size() == 2)
          return error +
                 (std::abs(b.value) * a.error + std::abs(a.value) * b.error) / (a.value * a.value + b.value * b.value);
        return error + std::abs(function_at(step.function, a.value).slope) * a.error;
      default:
        return error;
    }
}

Dual value_and_slope(const ExpressionTree &tree, const Eigen::VectorXd &variables, const Eigen::Index along)
{
  std::vector<Dual> known;
  known.reserve(tree.steps.size());
  for (const ExpressionTree::Step &step : tree.steps)
    if (step.operation == Operation::number)
      known.push_back({step.number, 0., std::abs(step.number)});
    else if (step.operation == Operation::variable)
      known.push_back({variables(step.arguments.front()), step.arguments.front() == along ? 1. : 0.});
    else
      {
        Dual result  = of_step(step, known);
        result.error = error_of_step(step, known, result.value);
        known.push_back(result);
      }
  return known.back();
}
} // namespace

DifferentiableFormula::DifferentiableFormula(const std::string &section, const ExpressionText &text,
                                             const Eigen::Index n_components)
    : Formula(section, text, n_components), trees(trees_of(text))
{}

Eigen::VectorXd DifferentiableFormula::derivative(const Eigen::VectorXd &variables, const Eigen::Index k) const
{
  if (trees.empty())
    return by_differences(variables, k);
  constexpr double      roundings = 100. * std::numeric_limits<double>::epsilon();
  const Eigen::VectorXd values    = (*this)(variables);
  Eigen::VectorXd       result(n_components());
  for (Eigen::Index i = 0; i < result.size(); ++i)
    {
      const Dual f = value_and_slope(trees[i], variables, k);
      if (!(std::abs(f.value - values(i)) <= roundings * f.error && std::isfinite(f.slope)))
        return by_differences(variables, k);
      result(i) = f.slope;
    }
  return result;
}

Eigen::VectorXd DifferentiableFormula::by_differences(const Eigen::VectorXd &variables, const Eigen::Index k) const
{
  // ε^{1/3} and ε^{1/5}: rounding and the error of the order are then the same
  constexpr double near = 6e-6, far = 1e-3, same = 1e-7;
  const double     size      = std::max(1., std::abs(variables(k)));
  const auto       place_for = [&](const double by) {
    Eigen::VectorXd x = variables;
    x(k) += by * size;
    return x;
  };
  const auto difference = [&](const double by) -> Eigen::VectorXd { // over a step that the numbers have indeed
    const Eigen::VectorXd right = place_for(by), left = place_for(-by);
    Eigen::VectorXd       f_right(n_components()), f_left(n_components());
    evaluate(right.data(), f_right.data());
    evaluate(left.data(), f_left.data());
    return (f_right - f_left) / (right(k) - left(k));
  };
  const Eigen::VectorXd second = difference(near);
  if (!second.allFinite())
    {
      (*this)(place_for(near)); // throws where one of them is not finite
      (*this)(place_for(-near));
    }
  const Eigen::VectorXd fourth = (4. * difference(far) - difference(2. * far)) / 3.;
  Eigen::VectorXd       result = second;
  for (Eigen::Index i = 0; i < result.size(); ++i)
    if (std::abs(fourth(i) - second(i)) <= same * (1. + std::abs(second(i)))) // not near a kink, nor beside a number
      result(i) = fourth(i);
  return result;
}
} // namespace moreau::app
