// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/targets.h"

#include "app/input/parameters.h"
#include "app/output/log.h"
#include "app/output/output_directory.h"
#include "app/output/pictures.h"
#include "app/run/problems.h"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

namespace moreau::fuzz
{
namespace
{
/// Whether --check is done at once: it places spheres and evaluates fields, as many as the file asks for.
bool is_small(const app::Parameters &p)
{
  constexpr double most_spheres = 300., most_cells = 300.;
  const auto       extent = [&] { return (p.zone.upper_corner - p.zone.lower_corner).array(); };
  const double     n      = (extent() * p.mesh.cells_per_unit_length).prod();
  const auto      &levels = p.spheres.per_unit_length;
  const double     finest = levels.empty() ? 1. : *std::max_element(levels.begin(), levels.end());
  const bool       packs  = p.spheres.arrangement == "random packing";
  return n <= most_cells && (extent() * finest).prod() <= most_spheres && p.spheres.number <= most_spheres &&
         p.flow.spheres_per_unit_length.size() <= 3 && !(packs && p.problem == "micro impact");
}

/// As --check does. What is valid is printed and read again, to be the same.
void read_parameters(const Bytes &bytes)
{
  static app::ParameterFile file, reread; // declared once: that takes longer than all that follows
  file.read(written("fuzz.prm", bytes), {});
  app::require_usable(file.values().output_directory.empty() ? "output" : file.values().output_directory);
  app::find_catalyst_scripts(file);
  app::Log log(nullptr);
  if (is_small(file.values()))
    app::check_problem(file, log);
  std::ostringstream printed, again;
  file.print(printed);
  reread.read(written("printed.prm", printed.str()), {});
  reread.print(again);
  if (again.str() != printed.str())
    throw std::logic_error("Parameters that are printed and read again are others.");
}

/// Those of prm/, and coarse ones, which are looked at more closely.
std::vector<Bytes> seeds()
{
  static const std::regex fine(R"(((Cells|Spheres) per unit length *= *)[0-9.]+)");
  std::vector<Bytes>      result;
  for (const Bytes &text : shipped(".prm"))
    {
      result.push_back(std::regex_replace(text, std::regex(R"((^|\n)#[^\n]*)"), ""));
      result.push_back(std::regex_replace(result.back(), fine, "$014"));
    }
  return result;
}

std::vector<std::string> words()
{
  std::set<std::string> names = {"subsection ", "set ",   "end\n", " = ", "\\\n",      "#",
                                 "1e308",       "1e-320", "nan",   "-1",  "2147483648"};
  for (const auto &[path, value] : app::ParameterFile().values_as_text())
    {
      const std::size_t slash = path.rfind('/');
      names.insert("set " + path.substr(slash == std::string::npos ? 0 : slash + 1) + " = ");
      if (slash != std::string::npos)
        names.insert("subsection " + path.substr(0, slash) + "\n");
    }
  return {names.begin(), names.end()};
}
} // namespace

Target parameter_files() { return {"prm", read_parameters, seeds, words()}; }
} // namespace moreau::fuzz
