// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/enclosure.h"

#include "app/input/text/functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace moreau::app
{
namespace
{
constexpr double infinity   = std::numeric_limits<double>::infinity();
constexpr double epsilon    = std::numeric_limits<double>::epsilon();
constexpr int    undecided  = -1;
constexpr double on_a_side  = 1e-11; ///< of the width of a hull
constexpr double of_numbers = 64. * epsilon;

/// f, f' and an upper bound of |f''| on an interval; not finite where f is not smooth there.
struct Smooth
{
  double f, slope, bend;
};

/// An upper bound of |f''| on an interval, NaN where f is not smooth there; none for functions that are not followed.
std::optional<double> most_bend(const std::string &function, const double low, const double high)
{
  const double positive = low > 0. ? low : std::numeric_limits<double>::quiet_NaN();
  if (function == "sin" || function == "cos")
    return 1.;
  if (function == "exp")
    return std::exp(high);
  if (function == "log" || function == "ln")
    return 1. / (positive * positive);
  if (function == "log10")
    return 1. / (positive * positive * M_LN10);
  if (function == "log2")
    return 1. / (positive * positive * M_LN2);
  if (function == "sqrt")
    return .25 / (positive * std::sqrt(positive));
  if (function == "atan")
    return .65; // 3 √3 / 8
  if (function == "tanh")
    return .77; // 4 / (3 √3)
  if (function == "erf" || function == "erfc")
    return .97; // 4 / √(2 π e)
  return {};
}

Smooth smooth_function(const std::string &function, const double x, const double low, const double high)
{
  const std::optional<double> bend = most_bend(function, low, high);
  if (!bend)
    {
      const double unknown = std::numeric_limits<double>::quiet_NaN();
      return {unknown, unknown, unknown};
    }
  const ValueAndSlope f = function_at(function, x);
  return {f.value, f.slope, *bend};
}
} // namespace

Enclosures::Enclosures(const Eigen::MatrixXd &corners) : about(corners), centre(corners.rowwise().mean())
{
  about.colwise() -= centre;
}

Enclosure Enclosures::operator()(const ExpressionTree &tree)
{
  values.clear();
  for (const ExpressionTree::Step &step : tree.steps)
    values.push_back(with_range(apply(step)));
  return values.back();
}

Enclosure Enclosures::number(const double value)
{
  Enclosure result;
  result.value = result.low = result.high = value;
  return result;
}

Enclosure Enclosures::unknown()
{
  Enclosure result;
  result.remainder = infinity;
  result.degree    = Enclosure::none;
  return result;
}

Enclosure Enclosures::truth(const int decided)
{
  Enclosure result = number(decided == undecided ? .5 : decided);
  if (decided == undecided)
    {
      result.low       = 0.;
      result.high      = 1.;
      result.remainder = .5;
      result.degree    = Enclosure::none;
    }
  return result;
}

Enclosure Enclosures::variable(const int which) const
{
  Enclosure result;
  if (which < centre.size())
    {
      result.value        = centre(which);
      result.slope[which] = 1.;
      result.degree       = is_point() ? 0 : 1;
      result.may_be_flat  = is_point();
      result.low          = centre(which) + about.row(which).minCoeff();
      result.high         = centre(which) + about.row(which).maxCoeff();
      return result;
    }
  return number(0.);
}

Enclosures::Interval Enclosures::linear_range(const Enclosure &a) const
{
  Interval result{0., 0.};
  for (Eigen::Index k = 0; k < about.cols(); ++k)
    {
      double linear = 0.;
      for (Eigen::Index i = 0; i < about.rows(); ++i)
        linear += a.slope[i] * about(i, k);
      result.low  = k == 0 ? linear : std::min(result.low, linear);
      result.high = k == 0 ? linear : std::max(result.high, linear);
    }
  return result;
}

double Enclosures::half_width(const Enclosure &a) const
{
  if (a.half_width >= 0.)
    return a.half_width;
  const Interval linear = linear_range(a);
  return std::max({0., std::abs(linear.low), std::abs(linear.high)});
}

Enclosures::Interval Enclosures::range(const Enclosure &a) const
{
  if (a.half_width >= 0.)
    return {a.low, a.high};
  const Interval linear = linear_range(a);
  return {std::max(a.low, a.value + linear.low - a.remainder), std::min(a.high, a.value + linear.high + a.remainder)};
}

/// The same, with what all that is made of it asks for found once.
Enclosure Enclosures::with_range(Enclosure a) const
{
  if (a.half_width >= 0.)
    return a;
  const Interval all = range(a);
  a.half_width       = half_width(a);
  a.low              = all.low;
  a.high             = all.high;
  return a;
}

double Enclosures::slack_of(const Enclosure &a, const Interval &of_a, const double size)
{
  return !a.may_be_flat ? on_a_side * (of_a.high - of_a.low) + of_numbers * size : 0.;
}

/// -1, 0, 1, or 2 where it is not the same all over the hull. size: of the numbers that it is the difference of.
int Enclosures::sign(const Enclosure &difference, const double size) const
{
  const Interval of_it = range(difference);
  if (difference.degree == 0)
    return (of_it.low > 0.) - (of_it.low < 0.);
  // what has no value on more than a surface, as polynomials, may have its least one on the side of the hull
  const double slack = slack_of(difference, of_it, size);
  if (slack > 0. ? of_it.high <= slack && of_it.low < -slack : of_it.high < 0.)
    return -1;
  if (slack > 0. ? of_it.low >= -slack && of_it.high > slack : of_it.low > 0.)
    return 1;
  all_decided = false;
  return 2;
}

/// 0, 1 or undecided.
int Enclosures::decided(const Enclosure &a) const
{
  if (a.degree == 0)
    return a.value != 0. ? 1 : 0;
  const Interval of_a = range(a);
  return of_a.low > 0. || of_a.high < 0. ? 1 : undecided;
}

/// Also known to be in an interval, which takes the place of the linear part where it is narrower.
Enclosure Enclosures::within(Enclosure a, const Interval &of_f) const
{
  a.half_width = -1.;
  a.low        = std::max(a.low, of_f.low);
  a.high       = std::min(a.high, of_f.high);
  if (std::isfinite(a.value) && a.degree < Enclosure::none)
    return a;
  const double half = std::max(0., .5 * (a.high - a.low));
  if (std::isfinite(half) && !(a.remainder <= half))
    {
      a.value     = .5 * (a.low + a.high);
      a.remainder = half;
      a.slope     = {};
    }
  return std::isfinite(a.value) && !std::isnan(a.remainder) ? a : unknown();
}

Enclosure Enclosures::on_interval(const Interval &of_f) const { return within(unknown(), of_f); }

Enclosure Enclosures::sum(const Enclosure &a, const Enclosure &b, const double factor_of_b) const
{
  Enclosure result;
  result.value     = a.value + factor_of_b * b.value;
  result.remainder = a.remainder + b.remainder;
  result.degree    = std::max(a.degree, b.degree);
  if (result.degree < Enclosure::none)
    result.may_be_flat = result.degree == 0;
  else
    result.may_be_flat = a.degree != 0 && b.degree != 0 || a.may_be_flat && b.may_be_flat;
  for (std::size_t i = 0; i < result.slope.size(); ++i)
    result.slope[i] = a.slope[i] + factor_of_b * b.slope[i];
  const Interval of_a = range(a), of_b = range(b);
  return within(result, {of_a.low + (factor_of_b > 0. ? of_b.low : -of_b.high) * std::abs(factor_of_b),
                         of_a.high + (factor_of_b > 0. ? of_b.high : -of_b.low) * std::abs(factor_of_b)});
}

Enclosure Enclosures::product(const Enclosure &a, const Enclosure &b) const
{
  const double width_a = half_width(a), width_b = half_width(b);
  Enclosure    result;
  result.value     = a.value * b.value;
  result.remainder = width_a * width_b;
  for (std::size_t i = 0; i < result.slope.size(); ++i)
    result.slope[i] = a.value * b.slope[i] + b.value * a.slope[i];
  if (b.remainder > 0.)
    result.remainder += (std::abs(a.value) + width_a) * b.remainder;
  if (a.remainder > 0.)
    result.remainder += (std::abs(b.value) + width_b + b.remainder) * a.remainder;
  result.degree      = std::min(Enclosure::none, a.degree + b.degree);
  result.may_be_flat = result.degree == Enclosure::none;
  if (a.degree == 0 && b.degree == 0)
    return number(a.value * b.value);
  if (a.degree == 0 && a.value == 0. || b.degree == 0 && b.value == 0.)
    return number(0.);
  const Interval              of_a = range(a), of_b = range(b);
  const std::array<double, 4> ends  = {of_a.low * of_b.low, of_a.low * of_b.high, of_a.high * of_b.low,
                                       of_a.high * of_b.high};
  const bool                  known = std::none_of(ends.begin(), ends.end(), [](const double x) { return std::isnan(x); });
  return within(result,
                known ? Interval{*std::min_element(ends.begin(), ends.end()), *std::max_element(ends.begin(), ends.end())}
                      : Interval{-infinity, infinity});
}

Enclosure Enclosures::quotient(const Enclosure &a, const Enclosure &b) const
{
  if (b.degree == 0)
    return b.value == 0. ? (a.degree == 0 ? number(a.value / b.value) : unknown()) : product(a, number(1. / b.value));
  const Interval of_b = range(b);
  if (of_b.low <= 0. && of_b.high >= 0.)
    return unknown();
  const double low = 1. / of_b.high, high = 1. / of_b.low;
  return product(a, on_interval({low, high}));
}

Enclosure Enclosures::power(const Enclosure &a, const Enclosure &b) const
{
  constexpr double most = 16.;
  if (b.degree == 0 && a.degree == 0)
    return number(std::pow(a.value, b.value));
  if (b.degree == 0 && b.value >= 0. && b.value <= most && b.value == std::floor(b.value))
    {
      Enclosure result = number(1.);
      for (int k = 0; k < static_cast<int>(b.value); ++k)
        result = product(result, a);
      const bool     is_even = std::fmod(b.value, 2.) == 0.;
      const Interval of_a    = range(a);
      const double   low = std::pow(of_a.low, b.value), high = std::pow(of_a.high, b.value);
      const bool     has_zero = of_a.low <= 0. && of_a.high >= 0.;
      return within(result, {is_even ? (has_zero ? 0. : std::min(low, high)) : low, is_even ? std::max(low, high) : high});
    }
  const Interval of_a = range(a), of_b = range(b);
  if (of_a.low <= 0.)
    return unknown();
  const std::array<double, 4> ends = {std::pow(of_a.low, of_b.low), std::pow(of_a.low, of_b.high),
                                      std::pow(of_a.high, of_b.low), std::pow(of_a.high, of_b.high)};
  return on_interval({*std::min_element(ends.begin(), ends.end()), *std::max_element(ends.begin(), ends.end())});
}

/// Between the two, wherever each of them holds.
Enclosure Enclosures::either(const Enclosure &a, const Enclosure &b) const
{
  const Interval of_a = range(a), of_b = range(b);
  Enclosure      middle, apart;
  middle.value = .5 * (a.value + b.value);
  for (std::size_t i = 0; i < middle.slope.size(); ++i)
    {
      middle.slope[i] = .5 * (a.slope[i] + b.slope[i]);
      apart.slope[i]  = .5 * (a.slope[i] - b.slope[i]);
    }
  middle.remainder   = .5 * std::abs(a.value - b.value) + half_width(apart) + std::max(a.remainder, b.remainder);
  middle.degree      = Enclosure::none;
  middle.may_be_flat = a.may_be_flat || b.may_be_flat;
  return within(middle, {std::min(of_a.low, of_b.low), std::max(of_a.high, of_b.high)});
}

Enclosure Enclosures::smooth(const std::string &function, const Enclosure &a) const
{
  if (a.degree == 0)
    return number(function_at(function, a.value).value);
  const Interval of_a = range(a);
  const Smooth   at   = smooth_function(function, a.value, std::min(of_a.low, a.value), std::max(of_a.high, a.value));
  const double   far  = std::max(of_a.high - a.value, a.value - of_a.low);
  Enclosure      result;
  result.value     = at.f;
  result.remainder = std::abs(at.slope) * a.remainder + .5 * at.bend * far * far;
  result.degree    = Enclosure::none;
  for (std::size_t i = 0; i < result.slope.size(); ++i)
    result.slope[i] = at.slope * a.slope[i];
  if (std::isnan(result.value) || std::isnan(result.remainder))
    result = unknown();
  if (function == "sin" || function == "cos")
    return within(result, {-1., 1.});
  const double first = smooth_function(function, of_a.low, of_a.low, of_a.low).f, // all others are monotonic
      last           = smooth_function(function, of_a.high, of_a.high, of_a.high).f;
  return std::isnan(first) || std::isnan(last) ? result : within(result, {std::min(first, last), std::max(first, last)});
}

Enclosure Enclosures::comparison(const Operation operation, const Enclosure &a, const Enclosure &b) const
{
  const int found = sign(sum(a, b, -1.), std::abs(a.value) + std::abs(b.value));
  if (found == 2)
    return truth(undecided);
  switch (operation)
    {
      case Operation::less:
        return truth(found < 0);
      case Operation::less_or_equal:
        return truth(found <= 0);
      case Operation::greater:
        return truth(found > 0);
      case Operation::greater_or_equal:
        return truth(found >= 0);
      case Operation::equal:
        return truth(found == 0);
      default:
        return truth(found != 0);
    }
}

Enclosure Enclosures::whole_number(const Operation operation, const Enclosure &a) const
{
  const auto of = [&](const double x) {
    return operation == Operation::floor ? std::floor(x) : operation == Operation::ceil ? std::ceil(x) : std::floor(x + .5);
  };
  const Interval of_a  = range(a);
  const double   slack = slack_of(a, of_a, std::abs(a.value));
  if (!std::isfinite(of_a.low) || !std::isfinite(of_a.high))
    return unknown();
  if (of(of_a.low + slack) == of(of_a.high - slack))
    return number(of(of_a.low + slack));
  all_decided = false;
  return on_interval({of(of_a.low), of(of_a.high)});
}

/// The greater one, or the smaller.
Enclosure Enclosures::greatest(const Enclosure &a, const Enclosure &b, const int sign_wanted) const
{
  const int found = sign(sum(a, b, -1.), std::abs(a.value) + std::abs(b.value));
  if (found == 2)
    return either(a, b);
  return found == 0 || found == sign_wanted ? a : b;
}

Enclosure Enclosures::of_one(const ExpressionTree::Step &step, const Enclosure &a) const
{
  const Enclosure negative = sum(number(0.), a, -1.);
  switch (step.operation)
    {
      case Operation::negative:
        return negative;
      case Operation::floor:
      case Operation::ceil:
      case Operation::round:
        return whole_number(step.operation, a);
      case Operation::sign:
      case Operation::abs:
        {
          const int found = sign(a, 0.);
          if (step.operation == Operation::sign)
            return found == 2 ? on_interval({-1., 1.}) : number(found);
          return found == 2 ? either(a, negative) : found < 0 ? negative : a;
        }
      default:
        return smooth(step.function, a);
    }
}

Enclosure Enclosures::of_two(const Operation operation, const Enclosure &a, const Enclosure &b) const
{
  switch (operation)
    {
      case Operation::add:
      case Operation::subtract:
        return sum(a, b, operation == Operation::add ? 1. : -1.);
      case Operation::multiply:
        return product(a, b);
      case Operation::divide:
        return quotient(a, b);
      case Operation::power:
        return power(a, b);
      case Operation::logical_and:
      case Operation::logical_or:
        {
          const int settles = operation == Operation::logical_and ? 0 : 1, first = decided(a), second = decided(b);
          if (first == settles || second == settles)
            return truth(settles);
          return truth(first == undecided || second == undecided ? undecided : 1 - settles);
        }
      default:
        return comparison(operation, a, b);
    }
}

Enclosure Enclosures::of_many(const ExpressionTree::Step &step) const
{
  Enclosure result = values[step.arguments.front()];
  for (std::size_t k = 1; k < step.arguments.size(); ++k)
    {
      const Enclosure &next = values[step.arguments[k]];
      result                = step.operation == Operation::min   ? greatest(result, next, -1)
                              : step.operation == Operation::max ? greatest(result, next, 1)
                                                                 : sum(result, next, 1.);
    }
  if (step.operation == Operation::average)
    result = product(result, number(1. / static_cast<double>(step.arguments.size())));
  return result;
}

Enclosure Enclosures::apply(const ExpressionTree::Step &step) const
{
  if (step.operation == Operation::number)
    return number(step.number);
  if (step.operation == Operation::variable)
    return variable(step.arguments.front());
  const Enclosure &a = values[step.arguments.front()];
  switch (step.operation)
    {
      case Operation::min:
      case Operation::max:
      case Operation::sum:
      case Operation::average:
        return of_many(step);
      case Operation::choice:
      case Operation::rounded_choice:
        {
          const int        found = decided(step.operation == Operation::choice ? a : whole_number(Operation::round, a));
          const Enclosure &first = values[step.arguments[1]], &second = values[step.arguments[2]];
          return found == undecided ? either(first, second) : found == 1 ? first : second;
        }
      case Operation::other:
        if (step.arguments.size() == 1)
          return of_one(step, a);
        return step.function == "atan2" && is_point() ? number(std::atan2(a.value, values[step.arguments[1]].value))
                                                      : unknown();
      default:
        return step.arguments.size() == 1 ? of_one(step, a) : of_two(step.operation, a, values[step.arguments[1]]);
    }
}
} // namespace moreau::app
