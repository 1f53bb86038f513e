// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_INPUT_ERROR_H
#define MOREAU_CONVEX_INPUT_ERROR_H

#include <stdexcept>
#include <string>

namespace moreau
{
/// What a user can cause and mend: one sentence that says what was found, what was expected and what to do, and what it is
/// about. what() is "subject: sentence", or the sentence alone.
class InputError : public std::runtime_error
{
public:
  explicit InputError(const std::string &sentence) : std::runtime_error(sentence), sentence(sentence) {}

  InputError(const std::string &subject, const std::string &sentence)
      : std::runtime_error(subject.empty() ? sentence : subject + ": " + sentence), subject(subject), sentence(sentence)
  {}

  /// In words, as "the walls": app/input/places.h knows which part of a parameter file speaks of it. Errors that are made in
  /// app/ name this part itself, "Section/Name". May be empty.
  std::string subject;
  std::string sentence;
};
} // namespace moreau

#endif
