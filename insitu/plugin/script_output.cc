// SPDX-License-Identifier: GPL-3.0-or-later
#include "insitu/plugin/script_output.h"

#include <vtkLogger.h>
#include <vtkObjectFactory.h>

#include <cstring>
#include <regex>
#include <sstream>
#include <utility>

namespace moreau::insitu
{
namespace
{
/// ParaView says so of every source at a script's first call, where it hands over the same moment twice.
constexpr const char *of_first_call = "New time step is not after last time step.";

bool are_of_python(const std::string &complaints)
{
  return complaints.find("Traceback (most recent call last)") != std::string::npos ||
         complaints.find("SyntaxError:") != std::string::npos;
}
} // namespace

vtkStandardNewMacro(ScriptOutput);

vtkSmartPointer<ScriptOutput> ScriptOutput::installed()
{
  auto output = vtkSmartPointer<ScriptOutput>::New();
  vtkOutputWindow::SetInstance(output);
  vtkLogger::SetStderrVerbosity(vtkLogger::VERBOSITY_OFF); // it would say the same once more
  return output;
}

void ScriptOutput::DisplayText(const char *const text)
{
  const auto type = this->GetCurrentMessageType();
  if (type == MESSAGE_TYPE_TEXT)
    printed += text;
  else if (type != MESSAGE_TYPE_DEBUG && std::strstr(text, of_first_call) == nullptr)
    complaints += text;
}

bool ScriptOutput::has_python_errors() const { return are_of_python(complaints); }

std::string ScriptOutput::take_complaints() { return std::exchange(complaints, {}); }

std::vector<std::string> ScriptOutput::take_lines()
{
  std::vector<std::string> lines;
  std::istringstream       text(std::exchange(printed, {}));
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  return lines;
}

std::string without_addresses(const std::string &text)
{
  static const std::regex address(R"(\(0x[0-9a-f]+\))");
  return std::regex_replace(text, address, "");
}

std::string reason(const std::string &complaints)
{
  const bool         of_python = are_of_python(complaints);
  std::istringstream text(complaints);
  std::string        found;
  for (std::string line; std::getline(text, line) && (of_python || found.empty());)
    if (line.find_first_not_of(" \r") != std::string::npos && line.find(": In ") == std::string::npos)
      found = line.substr(line.find_first_not_of(' '));
  return without_addresses(found);
}
} // namespace moreau::insitu
