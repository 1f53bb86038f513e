// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep/swept.h"

#include "app/input/text/words.h"
#include "app/sweep/lists.h"

#include "convex/input_error.h"

#include <boost/algorithm/string/predicate.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace moreau::app
{
namespace
{
constexpr std::size_t most_runs = 10000;

/// The values between single bars where there are any ("||" is an operator of formulas), else between commas.
std::vector<std::string> values_in(const std::string &text)
{
  std::vector<std::string> parts(1);
  for (std::size_t k = 0; k < text.size(); ++k)
    if (text.compare(k, 2, "||") == 0)
      parts.back() += text[k++], parts.back() += '|';
    else if (text[k] == '|')
      parts.emplace_back();
    else
      parts.back() += text[k];
  if (parts.size() == 1)
    boost::split(parts, text, [](const char c) { return c == ','; });
  for (std::string &part : parts)
    boost::trim(part);
  return parts;
}

std::string value_of(const std::string &path, const ParameterFile &file)
{
  for (const auto &[name, value] : file.values_as_text())
    if (name == path)
      return value;
  return "";
}

void require_constant(const Swept &swept, const ParameterFile &base)
{
  std::vector<std::string> names;
  for (const auto &[name, value] : constants_in(value_of(swept.path, base)))
    names.push_back(name);
  if (std::find(names.begin(), names.end(), swept.constant) == names.end())
    throw InputError(swept.path, "--sweep names the constant '" + swept.constant + "'; the file " +
                                     (names.empty() ? "has none here" : "has " + joined(names, ", ")) +
                                     ", and another one would change nothing.");
}

Swept parse_sweep(const std::string &option, const ParameterFile &base)
{
  if (option.find('=') == std::string::npos)
    throw InputError("--sweep \"" + option + "\" has no '='; write --sweep \"Section/Name=first,second\".");
  const Assignment assignment = parse_setting(option);
  Swept            result{assignment.path, "", {}};
  std::string      text = assignment.value;
  if (boost::ends_with(result.path, "onstants") && std::count(text.begin(), text.end(), '=') == 1)
    {
      const std::size_t equals = text.find('=');
      result.constant          = boost::trim_copy(text.substr(0, equals));
      text                     = text.substr(equals + 1);
      require_constant(result, base);
    }
  result.values = values_in(text);
  if (std::count(result.values.begin(), result.values.end(), "") > 0)
    throw InputError(result.path, "--sweep '" + option + "' has an empty value; write Section/Name=first,second.");
  for (auto value = result.values.begin(); value != result.values.end(); ++value)
    if (std::any_of(result.values.begin(), value, [&](const std::string &other) { return is_same(other, *value); }))
      throw InputError(result.path, "--sweep '" + option + "' has the value " + *value + " twice; leave one out.");
  if (result.path == "Output directory")
    throw InputError(result.path, "The runs of a sweep have folders of their own in it; sweep another parameter.");
  return result;
}
} // namespace

std::vector<Swept> parse_sweeps(const std::vector<std::string> &options, const std::vector<std::string> &settings,
                                const ParameterFile &base)
{
  std::vector<Swept> result;
  std::size_t        n = 1;
  for (const std::string &option : options)
    {
      Swept next = parse_sweep(option, base);
      for (const Swept &earlier : result)
        if (earlier.path == next.path &&
            (earlier.constant == next.constant || earlier.constant.empty() || next.constant.empty()))
          throw InputError(next.path, "The parameter is swept twice; keep one of the two options --sweep.");
      for (const std::string &setting : settings)
        if (next.constant.empty() && parse_setting(setting).path == next.path)
          throw InputError(next.path, "The parameter is both set and swept; leave out --set or --sweep.");
      n *= next.values.size();
      if (n > most_runs)
        throw InputError(next.path, "The sweep has more than " + std::to_string(most_runs) + " runs; give fewer values.");
      result.push_back(std::move(next));
    }
  return result;
}

std::vector<std::string> first_values(const std::vector<std::string> &options)
{
  std::vector<std::string> result;
  for (const std::string &option : options)
    if (const std::size_t equals = option.find('=');
        equals != std::string::npos && std::count(option.begin(), option.end(), '=') == 1)
      result.push_back(option.substr(0, equals + 1) + values_in(option.substr(equals + 1)).front());
  return result;
}

std::vector<Combination> combinations_of(const std::vector<Swept> &swept)
{
  std::vector<Combination> result(1);
  for (const Swept &parameter : swept)
    {
      std::vector<Combination> longer;
      for (const Combination &combination : result)
        for (std::size_t k = 0; k < parameter.values.size(); ++k)
          {
            longer.push_back(combination);
            longer.back().push_back(k);
          }
      result = std::move(longer);
    }
  return result;
}

std::vector<std::string> settings_of(const std::vector<Swept> &swept, const Combination &combination,
                                     const ParameterFile &base)
{
  std::vector<std::pair<std::string, std::string>> values; // by path
  for (std::size_t k = 0; k < swept.size(); ++k)
    {
      const Swept       &parameter = swept[k];
      const std::string &value     = parameter.values[combination[k]];
      if (parameter.constant.empty())
        {
          values.emplace_back(parameter.path, value);
          continue;
        }
      auto found =
          std::find_if(values.begin(), values.end(), [&](const auto &pair) { return pair.first == parameter.path; });
      if (found == values.end())
        found = values.insert(values.end(), {parameter.path, value_of(parameter.path, base)});
      std::vector<std::string> constants;
      for (const auto &[name, before] : constants_in(found->second))
        constants.push_back(name + " = " + (name == parameter.constant ? value : before));
      found->second = joined(constants, ", ");
    }
  std::vector<std::string> result;
  for (const auto &[path, value] : values)
    result.push_back(path + "=" + value);
  const auto is_given = [&](const std::string &path) {
    return base.given(path) && std::none_of(swept.begin(), swept.end(), [&](const Swept &one) { return one.path == path; });
  };
  for (std::size_t k = 0; k < swept.size(); ++k)
    if (swept[k].path == "Cone/Type")
      for (const std::string &setting : taken_back(swept[k].values, swept[k].values[combination[k]], is_given))
        result.push_back(setting);
  for (const auto &[path, value] : values) // the lattice with all its sites draws none
    if (path == "Spheres/Vacancies" && std::strtod(value.c_str(), nullptr) == 0. && is_given("Spheres/Seed"))
      result.push_back("Spheres/Seed=" + std::to_string(Parameters().spheres.lattice.seed));
  return result;
}

std::string in_words(const std::vector<Swept> &swept, const Combination &combination)
{
  std::vector<std::string> words;
  for (std::size_t k = 0; k < swept.size(); ++k)
    words.push_back(swept[k].name() + " = " + swept[k].values[combination[k]]);
  return joined(words, ", ");
}
} // namespace moreau::app
