// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/switches.h"

#include "convex/input_error.h"

#include <deal.II/base/utilities.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace moreau::app
{
namespace
{
using geometry::Index;

/// A function in the text that decides between branches.
struct Decider
{
  std::string function;
  bool        by_sign; ///< jumps where its sign changes, else where its integer part does
};

/// The end of what begins at `from` and goes in steps of 1 or -1: at a parenthesis that is not its own, a comma, a logical
/// operator or another comparison.
std::size_t end_of_operand(const std::string &text, std::size_t from, const int step)
{
  const char opens = step > 0 ? '(' : ')', closes = step > 0 ? ')' : '(';
  for (int depth = 0; from < text.size(); from += step)
    {
      const char c = text[from];
      if (c == closes && depth == 0 || depth == 0 && std::string(",&|?:<>=!").find(c) != std::string::npos)
        break;
      depth += (c == opens) - (c == closes);
    }
  return from;
}

std::vector<Decider> comparisons(const std::string &text)
{
  std::vector<Decider> result;
  for (std::size_t k = 0; k < text.size(); ++k)
    {
      const char c = text[k], next = k + 1 < text.size() ? text[k + 1] : ' ';
      if (c != '<' && c != '>' && !((c == '=' || c == '!') && next == '='))
        continue;
      const std::size_t right = k + 1 + (next == '='), begin = end_of_operand(text, k - 1, -1) + 1;
      result.push_back(
          {"(" + text.substr(begin, k - begin) + ")-(" + text.substr(right, end_of_operand(text, right, 1) - right) + ")",
           true});
      k = right - 1;
    }
  return result;
}

/// Of functions that jump: the argument, in the form in which its integer part decides.
std::vector<Decider> arguments(const std::string &text)
{
  struct Jumping
  {
    const char *name, *before, *behind;
    bool        by_sign;
  };
  static constexpr std::array<Jumping, 10> functions = {{{"floor", "(", ")", false},
                                                         {"ceil", "(", ")", false},
                                                         {"int", "(", ")+0.5", false},
                                                         {"rint", "(", ")+0.5", false},
                                                         {"if", "(", ")+0.5", false},
                                                         {"sign", "(", ")", true},
                                                         {"tan", "(", ")/pi+0.5", false},
                                                         {"sec", "(", ")/pi+0.5", false},
                                                         {"cot", "(", ")/pi", false},
                                                         {"csc", "(", ")/pi", false}}};
  std::vector<Decider>                     result;
  std::string                              name;
  for (std::size_t k = 0; k < text.size(); ++k)
    if (std::isalnum(static_cast<unsigned char>(text[k])) || text[k] == '_')
      name += text[k];
    else if (text[k] != ' ' && text[k] != '\t')
      {
        if (text[k] == '(')
          for (const Jumping &function : functions)
            if (name == function.name)
              {
                std::size_t end = k + 1;
                for (int depth = 0; end < text.size() && !(depth == 0 && (text[end] == ',' || text[end] == ')')); ++end)
                  depth += (text[end] == '(') - (text[end] == ')');
                result.push_back({function.before + text.substr(k + 1, end - k - 1) + function.behind, function.by_sign});
              }
        name.clear();
      }
  return result;
}

/// Looks for the jumps of what one function decides.
class Follower
{
public:
  Follower(const Formula &function, const Index n_variables, const bool by_sign, Switches &found)
      : function(function), variables(Eigen::VectorXd::Zero(n_variables)), by_sign(by_sign), found(found)
  {}

  void follow(const std::vector<double> &x)
  {
    Point before = {}, last = at(x.front());
    for (std::size_t k = 1; k < x.size() && found.complete; ++k)
      {
        const Point now = at(x[k]);
        jumps(last, now);
        if (by_sign && k > 1 && before.decides == last.decides && last.decides == now.decides &&
            std::abs(last.value) <= std::abs(before.value) && std::abs(last.value) <= std::abs(now.value))
          pair_of_zeros(before, last, now);
        before = last;
        last   = now;
      }
  }

private:
  struct Point
  {
    double x, value, decides;
  };

  Point at(const double x)
  {
    double value = 0.;
    variables(0) = x;
    function.evaluate(variables.data(), &value);
    return {x, value, !by_sign ? std::floor(value) : static_cast<double>((value > 0.) - (value < 0.))};
  }

  static double middle_of(const double a, const double b) { return a + .5 * (b - a); }

  /// All that a bisection meets; NaN decides nothing.
  void jumps(const Point &a, const Point &b)
  {
    constexpr std::size_t most = 2000000;
    if (a.decides == b.decides || std::isnan(a.decides) && std::isnan(b.decides) || !found.complete)
      return;
    const double middle = middle_of(a.x, b.x);
    if (middle <= a.x || middle >= b.x)
      {
        found.at.push_back(a.x);
        found.complete = found.at.size() < most;
        return;
      }
    const Point m = at(middle);
    jumps(a, m);
    jumps(m, b);
  }

  /// The smallest absolute value by the golden section, as long as the sign stays.
  void pair_of_zeros(Point a, Point m, Point b)
  {
    constexpr double golden = .381966011250105;
    constexpr int    most   = 120;
    const Point      first = a, last = b;
    for (int step = 0; step < most; ++step)
      {
        const bool   in_left = m.x - a.x > b.x - m.x;
        const double x       = in_left ? m.x - golden * (m.x - a.x) : m.x + golden * (b.x - m.x);
        if (x <= a.x || x >= b.x || x == m.x)
          return;
        const Point next = at(x);
        if (next.decides != m.decides)
          {
            jumps(first, next);
            jumps(next, last);
            return;
          }
        const bool is_smaller = std::abs(next.value) < std::abs(m.value);
        if (in_left)
          (is_smaller ? b : a) = is_smaller ? m : next;
        else
          (is_smaller ? a : b) = is_smaller ? m : next;
        if (is_smaller)
          m = next;
      }
  }

  const Formula  &function;
  Eigen::VectorXd variables;
  const bool      by_sign;
  Switches       &found;
};

void sort_once(std::vector<double> &x)
{
  std::sort(x.begin(), x.end());
  x.erase(std::unique(x.begin(), x.end()), x.end());
}
} // namespace

std::vector<double> between(const std::vector<double> &places, const double spacing)
{
  std::vector<double> result;
  for (std::size_t k = 1; k < places.size(); ++k)
    if (places[k] - places[k - 1] < 2. * spacing)
      result.push_back(places[k - 1] + .5 * (places[k] - places[k - 1]));
  return result;
}

Switches switches_of(const std::string &section, const ExpressionText &text, const double left, const double right,
                     const Index n_samples)
{
  std::vector<Decider> deciders; // those of jumping functions first, where comparisons are looked at in more points
  const auto           components = dealii::Utilities::split_string_list(text.expression, ';');
  for (const auto find : {arguments, comparisons})
    for (const std::string &component : components)
      for (Decider &decider : find(component))
        deciders.push_back(std::move(decider));

  std::vector<double> x;
  for (Index k = 0; k < n_samples; ++k)
    x.push_back(k + 1 == n_samples ? right
                                   : left + (right - left) * (static_cast<double>(k) / static_cast<double>(n_samples - 1)));
  const double spacing     = (right - left) / static_cast<double>(n_samples - 1);
  const auto   n_variables = static_cast<Index>(dealii::Utilities::split_string_list(text.variable_names, ',').size());

  Switches found;
  for (const Decider &decider : deciders)
    try
      {
        ExpressionText of_decider = text;
        of_decider.expression     = decider.function;
        const Formula function(section, of_decider, 1);
        const auto    n_before = found.at.size();
        Follower(function, n_variables, decider.by_sign, found).follow(x);
        if (!decider.by_sign && found.at.size() > n_before) // both sides, and what lies between two of them
          {
            std::vector<double> places(found.at.begin() + static_cast<std::ptrdiff_t>(n_before), found.at.end());
            std::vector<double> more = between(places, spacing);
            for (const double place : places)
              for (const double side : {place, std::nextafter(place, right)})
                more.push_back(side);
            x.insert(x.end(), more.begin(), more.end());
            sort_once(x);
          }
      }
    catch (const InputError &)
      {
        found.complete = false;
      }
  sort_once(found.at);
  return found;
}
} // namespace moreau::app
