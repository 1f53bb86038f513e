// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_PARAMETER_CHECKS_H
#define MOREAU_APP_INPUT_PARAMETER_CHECKS_H

#include "app/input/text/words.h"

#include "convex/input_error.h"
#include "macro/cone.h"

#include <algorithm>
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

/// What a message calls an entry of a list.
inline std::string entry_in_words(const std::string &word) { return "'" + word + "'"; }
inline std::string entry_in_words(const macro::ConeType type) { return entry_in_words(name(type)); }
inline std::string entry_in_words(const double number) { return short_number(number); }

/// Throws InputError(path, ...) where a list has something twice.
template <class List>
void require_different(const std::string &path, const List &list)
{
  for (auto k = list.begin(); k != list.end(); ++k)
    if (std::find(list.begin(), k, *k) != k)
      throw InputError(path, entry_in_words(*k) + " is in the list twice; leave out one of them.");
}
} // namespace moreau::app

#endif
