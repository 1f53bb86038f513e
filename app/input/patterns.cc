// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/patterns.h"

#include "convex/vectors.h"

#include <deal.II/base/parameter_handler.h>

#include <cstdlib>
#include <vector>

namespace moreau::app
{
namespace
{
class Interval : public dealii::Patterns::PatternBase
{
public:
  Interval(const std::string &bounds, const std::string &remark)
      : words((bounds == "(0, inf)" ? "a positive number" : "a number in " + bounds) + (remark.empty() ? "" : ": " + remark))
      , has_low(bounds.front() == '[')
      , has_high(bounds.back() == ']')
      , low(std::strtod(bounds.c_str() + 1, nullptr))
      , high(std::strtod(bounds.c_str() + bounds.find(',') + 1, nullptr))
  {}

  bool match(const std::string &text) const override
  {
    if (!dealii::Patterns::Double().match(text))
      return false;
    const double x = std::strtod(text.c_str(), nullptr);
    return (has_low ? low <= x : low < x) && (has_high ? x <= high : x < high);
  }

  std::string description(OutputStyle) const override { return words; }

  std::unique_ptr<PatternBase> clone() const override { return std::make_unique<Interval>(*this); }

private:
  std::string words;
  bool        has_low, has_high; ///< whether these belong to it
  double      low, high;
};
} // namespace

std::unique_ptr<dealii::Patterns::PatternBase> interval(const std::string &bounds, const std::string &remark)
{
  return std::make_unique<Interval>(bounds, remark);
}

void add_vector(dealii::ParameterHandler &prm, const std::string &name, Eigen::VectorXd &x, const std::string &documentation,
                const unsigned int least, const unsigned int most)
{
  using Numbers = dealii::Patterns::Tools::Convert<std::vector<double>>;
  const dealii::Patterns::List pattern(dealii::Patterns::Double(), least, most);
  prm.declare_entry(name, Numbers::to_string(convex::values(x), pattern), pattern, documentation);
  prm.add_action(name, [&x](const std::string &text) { x = convex::vector(Numbers::to_value(text)); });
}
} // namespace moreau::app
