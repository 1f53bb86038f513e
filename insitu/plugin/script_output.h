// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_INSITU_PLUGIN_SCRIPT_OUTPUT_H
#define MOREAU_INSITU_PLUGIN_SCRIPT_OUTPUT_H

#include <vtkOutputWindow.h>
#include <vtkSmartPointer.h>

#include <string>
#include <vector>

namespace moreau::insitu
{
/// Collects what scripts print and what ParaView and Python complain of, instead of the terminal.
class ScriptOutput : public vtkOutputWindow
{
public:
  static ScriptOutput *New();
  vtkTypeMacro(ScriptOutput, vtkOutputWindow);

  /// A new one, which takes everything from now on.
  static vtkSmartPointer<ScriptOutput> installed();

  void DisplayText(const char *text) override;

  /// Whether Python is among those who complain.
  bool has_python_errors() const;

  /// Complaints since the last call.
  std::string take_complaints();

  /// Lines printed since the last call.
  std::vector<std::string> take_lines();

private:
  std::string complaints, printed;
};

/// Without what changes from one complaint to the next like it: "(0x55cd)".
std::string without_addresses(const std::string &text);

/// The line that says what is wrong: of Python the last one, behind where it
/// was called from; of VTK the first one behind "ERROR: In ...".
std::string reason(const std::string &complaints);
} // namespace moreau::insitu

#endif
