// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_INPUT_ERROR_H
#define MOREAU_CONVEX_INPUT_ERROR_H

#include <stdexcept>
#include <string>

namespace moreau
{
/// What a user can cause and mend: one sentence that says what was found, what was expected and what to do.
/// `parameter` is the place in the .prm file, "Section/Name", or empty; main prints
/// `moreau: FILE.prm: Section/Name: message` without a banner and exits with status 1.
class InputError : public std::runtime_error
{
public:
  explicit InputError(const std::string &message) : std::runtime_error(message) {}

  InputError(const std::string &parameter, const std::string &message) : std::runtime_error(message), parameter(parameter) {}

  std::string parameter;
};
} // namespace moreau

#endif
