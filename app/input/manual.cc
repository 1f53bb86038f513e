// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/manual.h"

#include "app/input/parameter_use.h"
#include "convex/input_error.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <ostream>
#include <regex>
#include <sstream>

namespace moreau::app
{
namespace
{
/// Text in comment lines of at most 110 characters.
void print_comment(std::ostream &out, const std::string &indent, const std::string &text)
{
  std::istringstream words(text);
  std::string        line = indent + "#";
  for (std::string word; words >> word;)
    {
      if (line.size() + 1 + word.size() > 110)
        {
          out << line << '\n';
          line = indent + "#";
        }
      line += " " + word;
    }
  out << line << '\n';
}

/// Unit and meaning of a documentation.
std::pair<std::string, std::string> parts_of(const std::string &documentation)
{
  std::smatch match;
  if (std::regex_match(documentation, match, std::regex(R"(\[(.*?)\] (.*))")))
    return {match[1], match[2]};
  return {"", documentation};
}

using Json = nlohmann::ordered_json;

Json number_or_text(const std::string &text)
{
  char        *end = nullptr;
  const double x   = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0')
    return text;
  if (x == static_cast<double>(static_cast<long long>(x)) && text.find_first_of(".eE") == std::string::npos)
    return static_cast<long long>(x);
  return x;
}

/// Type and limits of what in_words() says.
Json schema_of(const std::string &words)
{
  std::smatch match;
  if (std::regex_match(words, match, std::regex("one of (.*)")))
    {
      Json              schema = {{"type", "string"}, {"enum", Json::array()}};
      const std::string all    = match[1];
      const std::regex  comma(", ");
      for (auto word = std::sregex_token_iterator(all.begin(), all.end(), comma, -1); word != std::sregex_token_iterator();
           ++word)
        schema["enum"].push_back(word->str());
      return schema;
    }
  if (std::regex_match(words, match, std::regex("a list, separated by commas, each (.*)")))
    return {{"type", "array"}, {"items", schema_of(match[1])}};
  if (words == "true or false")
    return {{"type", "boolean"}};
  if (std::regex_match(words, match,
                       std::regex("(a positive number|a number in .*?[\\])]|a number >= [^ ]+) or ([^:]+)(:.*)?")))
    return {{"anyOf", {schema_of(match[1]), {{"const", number_or_text(match[2])}}}}};
  if (std::regex_match(words, match, std::regex("a positive number(:.*)?")))
    return {{"type", "number"}, {"exclusiveMinimum", 0}};
  if (std::regex_match(words, match, std::regex("a number in ([\\[(])([^,]+), ([^\\])]+)([\\])])(:.*)?")))
    {
      Json schema                                              = {{"type", "number"}};
      schema[match[1] == "[" ? "minimum" : "exclusiveMinimum"] = number_or_text(match[2]);
      if (match[3] != "inf")
        schema[match[4] == "]" ? "maximum" : "exclusiveMaximum"] = number_or_text(match[3]);
      return schema;
    }
  if (std::regex_match(words, match,
                       std::regex("a (whole )?number( from ([^ ]+) to ([^ ]+)| >= ([^ :]+)| <= ([^ :]+))?(:.*)?")))
    {
      Json schema = {{"type", match[1].matched ? "integer" : "number"}};
      if (match[3].matched || match[5].matched)
        schema["minimum"] = number_or_text(match[3].matched ? match[3] : match[5]);
      if (match[4].matched || match[6].matched)
        schema["maximum"] = number_or_text(match[4].matched ? match[4] : match[6]);
      return schema;
    }
  return {{"type", "string"}};
}

/// The default as a value of this schema.
Json default_of(const std::string &text, const Json &schema)
{
  const std::string type = schema.value("type", "number");
  if (type == "string")
    return text;
  if (type == "boolean")
    return text == "true";
  if (type != "array")
    return number_or_text(text);
  Json             list = Json::array();
  const std::regex comma(" *, *");
  if (!text.empty())
    for (auto word = std::sregex_token_iterator(text.begin(), text.end(), comma, -1); word != std::sregex_token_iterator();
         ++word)
      list.push_back(default_of(word->str(), schema["items"]));
  return list;
}

/// Text for a cell of a table.
std::string cell(const std::string &text)
{
  std::string result;
  for (const char c : text)
    result += c == '|' ? "\\|" : c == '<' ? "&lt;" : c == '*' ? "\\*" : c == '_' ? "\\_" : std::string(1, c);
  return result;
}
} // namespace

std::string ParameterEntry::name() const { return path.substr(path.rfind('/') + 1); }

std::string ParameterEntry::section() const
{
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string ParameterEntry::unit() const { return parts_of(documentation).first; }
std::string ParameterEntry::meaning() const { return parts_of(documentation).second; }

std::string in_words(const std::string &pattern)
{
  const auto without_limits = [](const std::string &kind, const std::string &low, const std::string &high) {
    const bool below = low.find("MAX") == std::string::npos && low != "-2147483648";
    const bool above = high.find("MAX") == std::string::npos && high != "2147483647";
    return kind + (below && above ? " from " + low + " to " + high : below ? " >= " + low : above ? " <= " + high : "");
  };
  std::smatch match;
  if (std::regex_match(pattern, match, std::regex(R"(\[Selection (.*) \])")))
    return "one of " + std::regex_replace(match[1].str(), std::regex(R"(\|)"), ", ");
  if (std::regex_match(pattern, match, std::regex(R"(\[Double (\S+)\.\.\.(\S+) \(inclusive\)\])")))
    return without_limits("a number", match[1], match[2]);
  if (std::regex_match(pattern, match, std::regex(R"(\[Integer range (\S+)\.\.\.(\S+) \(inclusive\)\])")))
    return without_limits("a whole number", match[1], match[2]);
  if (pattern == "[Integer]")
    return "a whole number";
  if (pattern == "[Bool]")
    return "true or false";
  if (std::regex_match(pattern, match, std::regex(R"(\[List of <(.*)> of length .*\])")))
    return "a list, separated by commas, each " + in_words(match[1]);
  return pattern.front() == '[' ? "text" : pattern; // of interval()
}

std::string enter_section(std::ostream &out, std::string &open, const ParameterEntry &entry)
{
  const std::string section = entry.section();
  if (section != open)
    {
      if (!open.empty())
        out << "end\n";
      if (!section.empty())
        out << "\nsubsection " << section << '\n';
      open = section;
    }
  return open.empty() ? "" : "  ";
}

std::vector<ParameterEntry> of_section(const std::vector<ParameterEntry> &entries, const std::string &section)
{
  if (section.empty())
    return entries;
  std::vector<ParameterEntry> result;
  std::string                 known;
  for (const ParameterEntry &entry : entries)
    {
      const std::string of_entry = entry.section();
      if (of_entry == section || of_entry.rfind(section + "/", 0) == 0)
        result.push_back(entry);
      if (!of_entry.empty() && known.find("'" + of_entry + "'") == std::string::npos)
        known += (known.empty() ? "'" : ", '") + of_entry + "'";
    }
  if (result.empty())
    throw InputError("There is no section '" + section + "'; the sections are " + known + ".");
  return result;
}

void print_manual(std::ostream &out, const std::vector<ParameterEntry> &entries)
{
  std::string open;
  for (const ParameterEntry &entry : entries)
    {
      const std::string indent = enter_section(out, open, entry), unit = entry.unit();
      const std::string default_value = entry.default_value.empty() ? "empty" : entry.default_value;
      print_comment(out, indent, entry.meaning());
      print_comment(out, indent,
                    "Expected: " + in_words(entry.pattern) + (unit.empty() ? "" : ", in " + unit) +
                        ". Default: " + default_value + ".");
      // a comment, too: what stands in a file must be used by its problem
      out << indent << "# set " << entry.name() << " = " << entry.default_value << "\n";
    }
  out << (open.empty() ? "" : "end\n");
}

void print_schema(std::ostream &out, const std::vector<ParameterEntry> &entries)
{
  const auto object = [] {
    return Json{{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
  };
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Parameters of moreau"}};
  schema.update(object());
  for (const ParameterEntry &entry : entries)
    {
      Json              *place = &schema;
      std::istringstream sections(entry.section());
      for (std::string section; std::getline(sections, section, '/');)
        {
          if (!(*place)["properties"].contains(section))
            (*place)["properties"][section] = object();
          place = &(*place)["properties"][section];
        }
      Json parameter           = schema_of(in_words(entry.pattern));
      parameter["default"]     = default_of(entry.default_value, parameter);
      parameter["description"] = entry.meaning();
      if (const std::string unit = entry.unit(); !unit.empty())
        parameter["unit"] = unit;
      for (const auto &[problem, condition] : problems_using(entry.path))
        {
          parameter["problems"].push_back(problem);
          if (!condition.empty())
            parameter["only_with"][problem] = condition;
        }
      (*place)["properties"][entry.name()] = parameter;
    }
  out << schema.dump(2) << '\n';
}

void print_tables(std::ostream &out, const std::vector<ParameterEntry> &entries)
{
  out << "# Parameters\n\nWritten by `moreau --parameters=markdown`. In a file: `subsection Spheres`, `set Gap = 0.1`, "
         "`end`; on the "
         "command line: `--set \"Spheres/Gap=0.1\"`.\n";
  std::string open = "none";
  for (const ParameterEntry &entry : entries)
    {
      if (entry.section() != open)
        {
          open = entry.section();
          out << "\n## " << (open.empty() ? "Without a section" : open)
              << "\n\n| name | meaning | expected | default |\n|---|---|---|---|\n";
        }
      const std::string unit = entry.unit();
      out << "| " << cell(entry.name()) << " | " << cell(entry.meaning()) << " | "
          << cell(in_words(entry.pattern) + (unit.empty() ? "" : ", in " + unit)) << " | "
          << (entry.default_value.empty() ? "" : "`" + entry.default_value + "`") << " |\n";
    }
}
} // namespace moreau::app
