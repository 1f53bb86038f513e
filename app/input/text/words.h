// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_TEXT_WORDS_H
#define MOREAU_APP_INPUT_TEXT_WORDS_H

#include "convex/number_text.h"

#include <Eigen/Core>

#include <string>
#include <utility>
#include <vector>

/// Numbers and words as messages say them.
namespace moreau::app
{
/// Three digits, for pictures: "0.333".
std::string rounded_number(double x);

/// The next larger number with few digits: a whole one from 10 on, else four digits. x > 0.
double rounded_up(double x);

/// The same text, or the same number.
bool is_same(const std::string &a, const std::string &b);

/// "(0.5, 1)".
std::string point(const Eigen::VectorXd &x);

/// The words with a separator between them.
std::string joined(const std::vector<std::string> &words, const std::string &separator);

/// The words between commas, without spaces around them and without empty ones.
std::vector<std::string> comma_separated(const std::string &text);

/// "a = 1, b = 2" as names and values, without blanks around them.
std::vector<std::pair<std::string, std::string>> constants_in(const std::string &text);

/// "1 contact", "2 contacts".
std::string counted(long long n, const std::string &what);

/// "12 s", "3 min 20 s", "1 h 5 min".
std::string duration(double seconds);

/// "512 MB", "3.2 GB".
std::string bytes(double n);

/// As one line of a terminal: control characters, which a file may hold, are question marks.
std::string printable(std::string text);
} // namespace moreau::app

#endif
