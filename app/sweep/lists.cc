// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep/lists.h"

#include "app/input/parameters.h"
#include "app/input/text/prm_text.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"
#include "macro/cone.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>

namespace moreau::app
{
namespace
{
/// What file and command line say, by "Section/Name".
std::map<std::string, std::string> said_by(const CommandLine &options)
{
  std::ifstream     in(options.parameter_file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};

  std::map<std::string, std::string> values;
  for (const Assignment &assignment : parse_prm(text).assignments)
    values[assignment.path] = assignment.value;
  for (const std::string &setting : options.settings)
    {
      const Assignment assignment = parse_setting(setting);
      values[assignment.path]     = assignment.value;
    }
  return values;
}

/// Those who use a parameter of section Cone.
struct Users
{
  std::string path, default_value;
  bool (*uses)(macro::ConeType);
};

bool has_expression(const macro::ConeType type) { return macro::has_dilatancy(type) || type == macro::ConeType::directions; }

const Users users[] = {
    {"Cone/Dilatancy", "", macro::has_dilatancy},
    {"Cone/Directions", std::to_string(Parameters().dilatant_directions),
     [](const macro::ConeType type) { return type == macro::ConeType::dilatant; }},
    {"Cone/Function expression", "", [](const macro::ConeType type) { return type == macro::ConeType::directions; }},
    {"Cone/Function constants", "", has_expression},
    {"Cone/Variable names", Parameters().cone_directions.variable_names, has_expression},
    {"Cone/Lattice angle", "0", macro::has_lattice}};

/// Whether `uses` holds for the cone of this name; false where there is none.
bool holds(bool (*const uses)(macro::ConeType), const std::string &cone)
{
  for (int k = 0; k <= static_cast<int>(macro::ConeType::circular); ++k)
    if (const auto type = static_cast<macro::ConeType>(k); macro::name(type) == cone)
      return uses(type);
  return false;
}
} // namespace

std::vector<std::string> taken_back(const std::vector<std::string> &cones, const std::string &cone,
                                    const std::function<bool(const std::string &path)> &is_given)
{
  std::vector<std::string> settings;
  for (const Users &one : users)
    if (is_given(one.path) && !holds(one.uses, cone) &&
        std::any_of(cones.begin(), cones.end(), [&](const std::string &other) { return holds(one.uses, other); }))
      settings.push_back(one.path + "=" + one.default_value);
  return settings;
}

CommandLine with_lists_as_sweeps(CommandLine options)
{
  static const std::string path = "Cone/Type";
  std::error_code          ignored; // what can be read once only is left to who reads it next
  if (!std::filesystem::is_regular_file(options.parameter_file, ignored))
    return options;
  std::map<std::string, std::string> values;
  try
    {
      values = said_by(options);
    }
  catch (const InputError &)
    {
      return options;
    }
  const auto               is_of_cone = [](const std::string &text) { return text.rfind(path + "=", 0) == 0; };
  const auto               swept      = std::find_if(options.sweeps.begin(), options.sweeps.end(), is_of_cone);
  const bool               is_swept   = swept != options.sweeps.end(); // which takes the place of the list
  std::vector<std::string> cones      = comma_separated(values[path]);
  if (values["Problem"] != "macro impact" || cones.size() < 2)
    return options;
  if (is_swept)
    {
      std::string given = swept->substr(path.size() + 1);
      std::replace(given.begin(), given.end(), '|', ',');
      cones = comma_separated(given);
      if (cones.empty())
        return options;
    }
  else
    options.settings.erase(std::remove_if(options.settings.begin(), options.settings.end(), is_of_cone),
                           options.settings.end());
  options.heads.push_back(path + "=" + cones.front());
  for (const std::string &setting :
       taken_back(cones, cones.front(), [&](const std::string &said) { return values.count(said) > 0; }))
    options.heads.push_back(setting);
  if (!is_swept)
    options.sweeps.push_back(path + "=" + joined(cones, ","));
  return options;
}
} // namespace moreau::app
