// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/patterns.h"

#include "app/input/text/words.h"

#include "convex/vectors.h"

#include <deal.II/base/parameter_handler.h>

#include <cstdlib>

namespace moreau::app
{
namespace
{
class Interval : public dealii::Patterns::PatternBase
{
public:
  Interval(const std::string &bounds, const std::string &remark, const std::string &also)
      : words((bounds == "(0, inf)"   ? "a positive number"
               : bounds == "[0, inf)" ? "a number >= 0"
                                      : "a number in " + bounds) +
              (also.empty() ? "" : " or " + also) + (remark.empty() ? "" : ": " + remark))
      , has_low(bounds.front() == '[')
      , has_high(bounds.back() == ']')
      , low(std::strtod(bounds.c_str() + 1, nullptr))
      , high(std::strtod(bounds.c_str() + bounds.find(',') + 1, nullptr))
      , exception(also.empty() ? NAN : std::strtod(also.c_str(), nullptr))
  {}

  bool match(const std::string &text) const override
  {
    if (!dealii::Patterns::Double().match(text))
      return false;
    const double x = std::strtod(text.c_str(), nullptr);
    return x == exception || ((has_low ? low <= x : low < x) && (has_high ? x <= high : x < high));
  }

  std::string description(OutputStyle) const override { return words; }

  std::unique_ptr<PatternBase> clone() const override { return std::make_unique<Interval>(*this); }

private:
  std::string words;
  bool        has_low, has_high;    ///< whether these belong to it
  double      low, high, exception; ///< NaN: there is none
};
} // namespace

std::unique_ptr<dealii::Patterns::PatternBase> interval(const std::string &bounds, const std::string &remark,
                                                        const std::string &also)
{
  return std::make_unique<Interval>(bounds, remark, also);
}

void add_vector(dealii::ParameterHandler &prm, const std::string &name, Eigen::VectorXd &x, const std::string &documentation,
                const unsigned int least, const unsigned int most)
{
  using Numbers = dealii::Patterns::Tools::Convert<std::vector<double>>;
  const dealii::Patterns::List pattern(dealii::Patterns::Double(), least, most);
  prm.declare_entry(name, Numbers::to_string(convex::values(x), pattern), pattern, documentation);
  prm.add_action(name, [&x](const std::string &text) { x = convex::vector(Numbers::to_value(text)); });
}

namespace
{
std::size_t place_of(const std::string &word, const std::vector<std::string> &words)
{
  return std::find(words.begin(), words.end(), word) - words.begin();
}
} // namespace

void add_word(dealii::ParameterHandler &prm, const std::string &name, const std::size_t value,
              const std::vector<std::string> &words, const std::string &documentation,
              const std::function<void(std::size_t)> &choose)
{
  prm.declare_entry(name, words.at(value), dealii::Patterns::Selection(joined(words, "|")), documentation);
  prm.add_action(name, [words, choose](const std::string &word) { choose(place_of(word, words)); });
}

void add_list_of_words(dealii::ParameterHandler &prm, const std::string &name, const std::vector<std::string> &words,
                       const std::string &documentation, const std::function<void(const std::vector<std::size_t> &)> &choose)
{
  const dealii::Patterns::List pattern(dealii::Patterns::Selection(joined(words, "|")), 0, words.size());
  prm.declare_entry(name, "", pattern, documentation);
  prm.add_action(name, [words, choose](const std::string &text) {
    std::vector<std::size_t> chosen;
    for (const std::string &word : comma_separated(text))
      chosen.push_back(place_of(word, words));
    choose(chosen);
  });
}
} // namespace moreau::app
