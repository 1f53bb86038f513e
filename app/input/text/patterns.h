// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_TEXT_PATTERNS_H
#define MOREAU_APP_INPUT_TEXT_PATTERNS_H

#include <Eigen/Core>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dealii
{
class ParameterHandler;
namespace Patterns
{
class PatternBase;
}
} // namespace dealii

/// What deal.II does not know of parameters: open intervals, vectors and enumerations.
namespace moreau::app
{
/// Numbers in an interval such as "[0, 1)" or "(0, inf)", and one that stands for something else, as "-1". Manual and
/// messages name them and the remark.
std::unique_ptr<dealii::Patterns::PatternBase> interval(const std::string &bounds, const std::string &remark = "",
                                                        const std::string &also = "");

/// Declares a list of numbers and ties it to x, the default. `least` and `most`: of its length.
void add_vector(dealii::ParameterHandler &prm, const std::string &name, Eigen::VectorXd &x, const std::string &documentation,
                unsigned int least = 0, unsigned int most = 3);

/// Declares one of these words, at first words[value]; choose() is told which.
void add_word(dealii::ParameterHandler &prm, const std::string &name, std::size_t value,
              const std::vector<std::string> &words, const std::string &documentation,
              const std::function<void(std::size_t)> &choose);

/// Declares a list of these words, at first none; choose() is told which.
void add_list_of_words(dealii::ParameterHandler &prm, const std::string &name, const std::vector<std::string> &words,
                       const std::string                                           &documentation,
                       const std::function<void(const std::vector<std::size_t> &)> &choose);

/// Declares a choice that is false or true in the program.
inline void add_choice(dealii::ParameterHandler &prm, const std::string &name, bool &value, const std::string &word_of_false,
                       const std::string &word_of_true, const std::string &documentation)
{
  add_word(prm, name, value, {word_of_false, word_of_true}, documentation,
           [&value](const std::size_t k) { value = k == 1; });
}

/// What name() calls the values of an enumeration.
template <class Enum>
std::vector<std::string> names_of(const std::vector<Enum> &values)
{
  std::vector<std::string> names;
  for (const Enum value : values)
    names.push_back(name(value));
  return names;
}

/// Declares one of these values, which name() calls what stands in the file, and ties it to `value`, the default.
template <class Enum>
void add_choice(dealii::ParameterHandler &prm, const std::string &name, Enum &value, const std::vector<Enum> &choices,
                const std::string &documentation)
{
  add_word(prm, name, std::find(choices.begin(), choices.end(), value) - choices.begin(), names_of(choices), documentation,
           [&value, choices](const std::size_t k) { value = choices[k]; });
}
} // namespace moreau::app

#endif
