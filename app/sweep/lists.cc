// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep/lists.h"

#include "app/input/text/prm_text.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"

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
} // namespace

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
  const std::vector<std::string> cones      = comma_separated(values[path]);
  const auto                     is_of_cone = [](const std::string &text) { return text.rfind(path + "=", 0) == 0; };
  const bool                     is_swept   = std::any_of(options.sweeps.begin(), options.sweeps.end(), is_of_cone);
  if (values["Problem"] != "macro impact" || cones.size() < 2 || is_swept)
    return options;
  options.settings.erase(std::remove_if(options.settings.begin(), options.settings.end(), is_of_cone),
                         options.settings.end());
  options.heads.push_back(path + "=" + cones.front());
  options.sweeps.push_back(path + "=" + joined(cones, ","));
  return options;
}
} // namespace moreau::app
