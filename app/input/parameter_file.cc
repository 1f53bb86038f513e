// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/parameters.h"

#include "app/input/parameter_use.h"
#include "app/input/text/synonyms.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"

#include <deal.II/base/parameter_handler.h>

#include <boost/algorithm/string/replace.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>

namespace moreau::app
{
namespace
{
/// "Section/Name" -> {"Section"}, "Name".
std::vector<std::string> sections_of(const std::string &path, std::string &name)
{
  std::vector<std::string> parts;
  std::istringstream       stream(path);
  for (std::string part; std::getline(stream, part, '/');)
    parts.push_back(part);
  name = parts.empty() ? "" : parts.back();
  if (!parts.empty())
    parts.pop_back();
  return parts;
}

std::string where(const Assignment &assignment)
{
  return assignment.line == 0 ? "--set" : "line " + std::to_string(assignment.line);
}

bool is_of_no_text(const char c) { return c >= 0 && c < ' ' && !std::isspace(c); }

/// Throws InputError where the file cannot be read, is no text or has no end, as a device or a pipe may.
std::string text_of(const std::filesystem::path &file)
{
  constexpr std::size_t most_bytes = 16 << 20; // a thousand times what the longest have

  const bool      from_user = file == ParameterFile::standard_input;
  std::error_code ignored;
  if (!from_user && std::filesystem::is_directory(file, ignored))
    throw InputError("This is a directory; give the name of a parameter file.");
  std::ifstream in;
  if (!from_user)
    in.open(file);
  if (!from_user && !in)
    throw InputError("The file cannot be read; check the path and its permissions.");
  std::string       text;
  std::vector<char> block(1 << 16);
  for (std::istream &source = from_user ? std::cin : in; source; text.append(block.data(), source.gcount()))
    {
      source.read(block.data(), block.size());
      if (std::any_of(block.data(), block.data() + source.gcount(), is_of_no_text))
        throw InputError("This is not a text file; a parameter file has lines like 'set Restitution = 1'.");
      if (text.size() > most_bytes)
        throw InputError("The file has more than " + bytes(most_bytes) + "; give the name of a parameter file.");
    }
  return text;
}

/// A subsection of prm that is left again, whatever is thrown in it.
class InSubsection
{
public:
  InSubsection(dealii::ParameterHandler &prm, const std::vector<std::string> &sections) : prm(prm), n(sections.size())
  {
    for (const std::string &section : sections)
      prm.enter_subsection(section);
  }

  InSubsection(const InSubsection &)            = delete;
  InSubsection &operator=(const InSubsection &) = delete;

  ~InSubsection()
  {
    for (std::size_t k = 0; k < n; ++k)
      prm.leave_subsection();
  }

private:
  dealii::ParameterHandler &prm;
  std::size_t               n;
};

/// " and at most 2147483647" where that is what is wrong with a whole number.
std::string limit_of_integers(const std::string &value, const std::string &pattern)
{
  const bool too_large =
      pattern.find("[Integer") == 0 && value.size() >= 10 && value.find_first_not_of("0123456789") == std::string::npos;
  return too_large ? " and at most " + std::to_string(std::numeric_limits<int>::max()) : "";
}

/// Throws InputError where a number of a value is beyond what can be computed with; whole numbers have their own limit.
void check_size(const std::string &path, const std::string &value, const std::string &pattern)
{
  if (pattern.find("[Double") == std::string::npos && pattern.find("number") == std::string::npos)
    return;
  for (const std::string &word : comma_separated(value))
    if (std::abs(std::strtod(word.c_str(), nullptr)) > micro::largest_input)
      throw InputError(path, "'" + word + "' is beyond " + digits(micro::largest_input) +
                                 ", the largest number that can be computed with.");
}
} // namespace

ParameterFile::ParameterFile() : prm(std::make_unique<dealii::ParameterHandler>()) { parameters.add_to(*prm); }

ParameterFile::~ParameterFile() = default;

ParameterFile::ParameterFile(const std::filesystem::path &path, const std::vector<std::string> &settings) : ParameterFile()
{
  read(path, settings);
}

void ParameterFile::read(const std::filesystem::path &path, const std::vector<std::string> &settings)
{
  restore_defaults();
  file                   = std::filesystem::absolute(path);
  const std::string text = text_of(path);

  PrmText from_file = parse_prm(text);
  PrmText from_command_line;
  for (const std::string &setting : settings)
    from_command_line.assignments.push_back(parse_setting(setting));
  for (PrmText *said : {&from_file, &from_command_line})
    std::transform(said->assignments.begin(), said->assignments.end(), said->assignments.begin(), without_aliases);

  check_known(from_file);
  check_known(from_command_line);
  const auto is_overridden = [&](const Assignment &in_file) {
    const auto &later = from_command_line.assignments;
    return std::any_of(later.begin(), later.end(), [&](const Assignment &other) { return other.path == in_file.path; });
  };
  std::vector<Assignment> assignments;
  std::remove_copy_if(from_file.assignments.begin(), from_file.assignments.end(), std::back_inserter(assignments),
                      is_overridden);
  assignments.insert(assignments.end(), from_command_line.assignments.begin(), from_command_line.assignments.end());
  assign(assignments);
  fit_to_dimension();
  check_used(assignments);
  parameters.validate();
}

void ParameterFile::restore_defaults()
{
  std::string name;
  for (const ParameterEntry &entry : declared())
    if (changed_paths.count(entry.path) != 0)
      {
        const std::vector<std::string> sections = sections_of(entry.path, name);
        const InSubsection             inside(*prm, sections);
        prm->set(name, entry.default_value);
      }
  changed_paths.clear();
  given_paths.clear();
}

const std::vector<ParameterEntry> &ParameterFile::declared()
{
  // all files declare the same; deal.II says what only as text
  static const std::vector<ParameterEntry> entries = [] {
    dealii::ParameterHandler defaults;
    Parameters               ignored;
    ignored.add_to(defaults);
    std::stringstream text;
    defaults.print_parameters(text, dealii::ParameterHandler::JSON | dealii::ParameterHandler::KeepDeclarationOrder);
    std::vector<ParameterEntry> all;
    collect_entries(nlohmann::ordered_json::parse(text), "", all);
    return all;
  }();
  return entries;
}

const ParameterEntry &ParameterFile::declared(const std::string &path)
{
  const auto &all = declared();
  const auto  one = std::find_if(all.begin(), all.end(), [&](const ParameterEntry &entry) { return entry.path == path; });
  if (one == all.end())
    throw std::logic_error("There is no parameter '" + path + "'.");
  return *one;
}

std::string ParameterFile::value_of(const std::string &path) const
{
  std::string                    name;
  const std::vector<std::string> sections = sections_of(path, name);
  return prm->get(sections, name);
}

std::vector<ParameterEntry> ParameterFile::entries() const
{
  std::vector<ParameterEntry> result = declared();
  for (ParameterEntry &entry : result)
    entry.value = value_of(entry.path);
  return result;
}

void ParameterFile::collect_entries(const nlohmann::ordered_json &tree, const std::string &section,
                                    std::vector<ParameterEntry> &entries)
{
  for (const auto &[name, child] : tree.items())
    {
      const std::string path = section.empty() ? name : section + "/" + name;
      if (child.contains("pattern_description"))
        entries.push_back({path, child.at("value"), child.at("default_value"), child.at("documentation"),
                           child.at("pattern_description")});
      else
        collect_entries(child, path, entries);
    }
}

void ParameterFile::check_known(const PrmText &text) const
{
  std::vector<std::string> paths;
  std::set<std::string>    sections;
  for (const ParameterEntry &entry : declared())
    {
      paths.push_back(entry.path);
      if (const std::size_t slash = entry.path.rfind('/'); slash != std::string::npos)
        sections.insert(entry.path.substr(0, slash));
    }

  for (const PrmText::Section &section : text.sections)
    if (sections.count(section.path) == 0)
      throw InputError(as_written(section.path), "Line " + std::to_string(section.line) +
                                                     ": there is no subsection of this name; " +
                                                     suggestion(section.path, {sections.begin(), sections.end()}));

  std::map<std::string, Assignment> earlier;
  for (const Assignment &assignment : text.assignments)
    {
      if (std::find(paths.begin(), paths.end(), assignment.path) == paths.end())
        throw InputError(as_written(assignment.path), "There is no parameter of this name (" + where(assignment) + "); " +
                                                          suggestion(assignment.path, paths));
      const auto [first, is_new] = earlier.insert({assignment.path, assignment});
      if (!is_new)
        throw InputError(assignment.path, "The parameter is set twice, to '" + first->second.value + "' (" +
                                              where(first->second) + ") and to '" + assignment.value + "' (" +
                                              where(assignment) + "); keep one of them.");
    }
}

void ParameterFile::check_used(const std::vector<Assignment> &assignments) const
{
  const auto is_at_default = [this](const std::string &path) { // by --set: so is taken back what a file sets
    return is_same(value_of(path), declared(path).default_value);
  };
  // constants that the file gives its own expression stay where --set puts another one in its place
  const auto is_of_replaced = [&](const Assignment &given) {
    const std::size_t end = given.path.rfind(" constants");
    return given.line > 0 && end != std::string::npos &&
           std::any_of(assignments.begin(), assignments.end(), [&](const Assignment &other) {
             return other.line == 0 && !other.value.empty() && other.path == given.path.substr(0, end) + " expression";
           });
  };
  for (const Assignment &assignment : assignments)
    if ((assignment.line > 0 || !is_at_default(assignment.path)) && !is_of_replaced(assignment))
      if (const std::string why = why_unused(assignment.path, parameters); !why.empty())
        throw InputError(assignment.written_path(), "The parameter (" + where(assignment) + ") " + why + "; leave it out.");
}

void ParameterFile::assign(const std::vector<Assignment> &assignments)
{
  for (const Assignment &assignment : assignments)
    {
      set(assignment.path, assignment.value);
      given_paths.insert(assignment.path);
    }
}

void ParameterFile::set(const std::string &path, const std::string &text)
{
  const bool        has_sides = path == "Zone/Walls" || path == "Zone/Wall velocities" || path == "Inflow/Sides";
  const std::string value     = has_sides ? with_names_of_sides(text) : text;
  if (!is_utf8(value))
    throw InputError(path, "The value is not UTF-8; use letters that are.");
  if (!can_be_written(value))
    throw InputError(path,
                     "No parameter file can say '" + boost::algorithm::replace_all_copy(value, "\n", "\\n") +
                         "', because '#' begins a comment, a backslash at the end goes on in the next line, and blanks " +
                         "count once; use another name.");
  std::string                    name;
  const std::vector<std::string> sections = sections_of(path, name);
  changed_paths.insert(path);
  try
    {
      const InSubsection inside(*prm, sections);
      prm->set(name, value);
      check_size(path, value, declared(path).pattern);
    }
  catch (const dealii::ParameterHandler::ExcValueDoesNotMatchPattern &)
    {
      const std::string &pattern = declared(path).pattern;
      throw InputError(path, "'" + value + "' is not valid; expected is " + in_words(pattern) +
                                 limit_of_integers(value, pattern) + ".");
    }
}

void ParameterFile::fit_to_dimension()
{
  const unsigned int dim    = parameters.dimension;
  const auto         preset = [&](const std::string &path, const std::string &value) {
    if (!given(path))
      set(path, value);
  };
  const auto repeated = [dim](const std::string &word, const std::string &separator = ", ") {
    return joined(std::vector<std::string>(dim, word), separator);
  };

  const std::string inwards = dim == 1 ? "-x" : dim == 2 ? "-x; -y" : "-x; -y; -z";
  preset("Velocity/Function expression",
         parameters.is_motion() || parameters.is_flow() || given("Velocity/Mean gradient") ? repeated("0", "; ") : inwards);
  if (parameters.is_flow())
    preset("Time/Time step", "0"); // only the CFL condition
  preset("Spheres/Arrangement", !parameters.spheres.file.empty() ? "file"
                                : dim == 1                       ? "row"
                                : dim == 2                       ? "triangular lattice"
                                                                 : "face-centred cubic lattice");
  if (dim == 3)
    preset("Cone/Directions", "37");
  preset("Zone/Lower corner", repeated("0"));
  preset("Zone/Upper corner", repeated("1"));
}

std::filesystem::path ParameterFile::find_file(const std::string &name) const
{
  const std::filesystem::path folder = file.parent_path();
  for (const std::filesystem::path &candidate :
       {std::filesystem::path(name), folder / name, folder.parent_path() / name, folder.parent_path().parent_path() / name})
    if (std::filesystem::exists(candidate))
      return candidate;
  return name;
}

std::string ParameterFile::absolute(const std::string &name) const
{
  return std::filesystem::absolute(find_file(name)).lexically_normal().string();
}

void ParameterFile::print(std::ostream &out) const
{
  out << first_line << '\n';
  std::string open;
  for (const ParameterEntry &entry : declared())
    {
      if (!why_unused(entry.path, parameters).empty())
        continue;
      const std::string indent = enter_section(out, open, entry);
      out << indent << "set " << entry.name() << " = " << value_of(entry.path) << '\n';
    }
  out << (open.empty() ? "" : "end\n");
}

std::vector<std::pair<std::string, std::string>> ParameterFile::values_as_text() const
{
  std::vector<std::pair<std::string, std::string>> result;
  for (const ParameterEntry &entry : declared())
    result.emplace_back(entry.path, value_of(entry.path));
  return result;
}
} // namespace moreau::app
