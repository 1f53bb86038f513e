// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_MANUAL_H
#define MOREAU_APP_INPUT_MANUAL_H

#include <iosfwd>
#include <string>
#include <vector>

/// The reference of all parameters, made from their declarations, for people and machines.
namespace moreau::app
{
/// A declared parameter, its value as text and what deal.II says of its pattern.
struct ParameterEntry
{
  std::string path, value, default_value, documentation, pattern; ///< path: "Section/Name", or "Name"

  std::string name() const;    ///< "Name"
  std::string section() const; ///< "Section", empty where it stands in none
  std::string unit() const;    ///< "m/s" of a documentation that begins with "[m/s] ", else empty
  std::string meaning() const; ///< the documentation without the unit
};

/// What deal.II's description of a pattern means, in words: "a number >= 0".
std::string in_words(const std::string &pattern);

/// Opens and closes subsections so that the next line stands in that of the entry; returns the indentation.
std::string enter_section(std::ostream &out, std::string &open, const ParameterEntry &entry);

/// Of these parameters those of one section and of those in it ("Time", "Spheres"), or all where it is empty. Throws
/// InputError naming the sections where there is none of this name.
std::vector<ParameterEntry> of_section(const std::vector<ParameterEntry> &entries, const std::string &section);

/// A .prm file with meaning, unit, choices and default of every parameter, each set in a comment: the '#' is taken from
/// those that are wanted.
void print_manual(std::ostream &out, const std::vector<ParameterEntry> &entries);

/// JSON Schema (draft 2020-12) of an object with the parameters as .prm files have them: sections are objects, numbers are
/// numbers, lists are arrays, expressions are strings; with description, default, unit where there is one, `problems`, those
/// that use it, and `only_with`, what that takes in some of them (problems_using()).
void print_schema(std::ostream &out, const std::vector<ParameterEntry> &entries);

/// Tables in Markdown, a section each.
void print_tables(std::ostream &out, const std::vector<ParameterEntry> &entries);
} // namespace moreau::app

#endif
