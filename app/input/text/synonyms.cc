// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/synonyms.h"

#include "app/input/text/words.h"

#include "convex/input_error.h"

#include <boost/algorithm/string/case_conv.hpp>

#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>

namespace moreau::app
{
namespace
{
const std::string of_radius       = "did you mean 'Spheres/Radius', half of a diameter, in m?";
const std::string of_mass         = "did you mean 'Spheres/Density', or the column 'mass' of Spheres/File?";
const std::string of_acceleration = "did you mean 'Force/Function expression', an acceleration, as 0; -9.81?";
const std::string of_velocity     = "did you mean 'Velocity/Function expression', or the column 'ux' of Spheres/File?";
const std::string out_of_scope    = "there is no friction and no rotation, they are out of scope: see README.";

/// What others call it, in small letters.
const std::map<std::string, std::string> meanings = {
    {"radius", of_radius},
    {"radii", of_radius},
    {"r", of_radius},
    {"diameter", of_radius},
    {"mass", of_mass},
    {"m", of_mass},
    {"gravity", of_acceleration},
    {"acceleration", of_acceleration},
    {"g", of_acceleration},
    {"vx", of_velocity},
    {"vy", of_velocity},
    {"vz", of_velocity},
    {"initial velocity", of_velocity},
    {"friction", out_of_scope},
    {"friction coefficient", out_of_scope},
    {"rolling friction", out_of_scope},
    {"mu", out_of_scope},
    {"rotation", out_of_scope},
    {"torque", out_of_scope},
};
} // namespace

std::string suggestion(const std::string &path, const std::vector<std::string> &names)
{
  const auto meant = meanings.find(boost::to_lower_copy(path.substr(path.rfind('/') + 1)));
  if (meant != meanings.end())
    return meant->second;
  const std::string best = nearest(path, names);
  return best.empty() ? "moreau --parameters lists all." : "did you mean '" + best + "'?";
}

Assignment without_aliases(Assignment assignment)
{
  if (assignment.path != "Spheres/Radius")
    return assignment;
  std::vector<std::string> per_unit_length;
  for (const std::string &word : comma_separated(assignment.value))
    {
      char        *end    = nullptr;
      const double radius = std::strtod(word.c_str(), &end);
      if (*end != '\0' || !(radius > 0.) || !std::isnormal(radius) || !std::isnormal(.5 / radius))
        {
          per_unit_length.clear();
          break;
        }
      per_unit_length.push_back(digits(.5 / radius));
    }
  if (per_unit_length.empty())
    throw InputError(assignment.path,
                     "'" + assignment.value + "' is not valid; expected is a number in (0, inf), or a list of such, in m.");
  return {"Spheres/Spheres per unit length", joined(per_unit_length, ", "), assignment.line, assignment.path};
}

std::string with_names_of_sides(const std::string &text)
{
  static const std::pair<const char *, const char *> sides[] = {{"x-", "left"},  {"x\\+", "right"}, {"y-", "bottom"},
                                                                {"y\\+", "top"}, {"z-", "back"},    {"z\\+", "front"}};
  std::string                                        result  = text;
  for (const auto &[side, name] : sides)
    result = std::regex_replace(result, std::regex("\\b" + std::string(side) + "(?=\\s*([,:;]|$))"), name);
  return result;
}
} // namespace moreau::app
