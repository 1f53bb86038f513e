// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_PARAMETER_CHECKS_H
#define MOREAU_APP_INPUT_PARAMETER_CHECKS_H

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

/// What Parameters::validate() asks of single values.
namespace moreau::app
{
/// Throws InputError(path, ...) where a list does not have one number per dimension.
void require_length(const std::string &path, std::size_t length, unsigned int dimension);

/// Throws InputError("Section/Name", why + "; leave it out.") for the first one whose text is not empty.
void require_empty(const std::vector<std::pair<std::string, std::string>> &texts, const std::string &why);
} // namespace moreau::app

#endif
