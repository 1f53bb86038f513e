// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace moreau::app
{
bool is_same(const std::string &a, const std::string &b)
{
  const auto number = [](const std::string &text, double &x) {
    char *end = nullptr;
    x         = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0';
  };
  double x = 0., y = 0.;
  return a == b || (number(a, x) && number(b, y) && x == y);
}

std::string rounded_number(const double x)
{
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", x);
  return buffer;
}

double rounded_up(const double x)
{
  constexpr double whole_from = 10., digits_behind = 3.;
  const double     unit = x >= whole_from ? 1. : std::pow(10., std::floor(std::log10(x)) - digits_behind);
  return std::ceil(x / unit * (1. - 1e-12)) * unit;
}

std::string point(const Eigen::VectorXd &x)
{
  std::string text;
  for (const double coordinate : x)
    text += (text.empty() ? "(" : ", ") + short_number(coordinate);
  return text + ")";
}

std::string counted(const long long n, const std::string &what)
{
  if (n == 1)
    return "1 " + what;
  const bool ends_in_y = what.back() == 'y'; // inequality, inequalities
  return std::to_string(n) + " " + (ends_in_y ? what.substr(0, what.size() - 1) + "ies" : what + "s");
}

std::string duration(const double seconds)
{
  const long long s = std::llround(seconds);
  if (s < 60)
    return std::to_string(s) + " s";
  if (s < 3600)
    return std::to_string(s / 60) + " min " + std::to_string(s % 60) + " s";
  return std::to_string(s / 3600) + " h " + std::to_string(s / 60 % 60) + " min";
}

std::string bytes(const double n)
{
  char buffer[32];
  if (n < 1e9)
    std::snprintf(buffer, sizeof buffer, "%.0f MB", n / 1e6);
  else
    std::snprintf(buffer, sizeof buffer, "%.3g GB", n / 1e9);
  return buffer;
}
std::vector<std::pair<std::string, std::string>> constants_in(const std::string &text)
{
  const auto trimmed = [](const std::string &part) {
    const std::size_t first = part.find_first_not_of(" \t\n"), last = part.find_last_not_of(" \t\n");
    return first == std::string::npos ? std::string() : part.substr(first, last - first + 1);
  };
  std::vector<std::pair<std::string, std::string>> result;
  for (const std::string &part : comma_separated(text))
    {
      const std::size_t equals = part.find('=');
      result.emplace_back(trimmed(part.substr(0, equals)),
                          equals == std::string::npos ? "" : trimmed(part.substr(equals + 1)));
    }
  return result;
}

std::vector<std::string> comma_separated(const std::string &text)
{
  std::vector<std::string> parts;
  std::istringstream       stream(text);
  for (std::string part; std::getline(stream, part, ',');)
    {
      const std::size_t first = part.find_first_not_of(' ');
      if (first != std::string::npos)
        parts.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
    }
  return parts;
}

std::string joined(const std::vector<std::string> &words, const std::string &separator)
{
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : separator) + word;
  return text;
}

std::string printable(std::string text)
{
  const auto is_control = [](const char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}
} // namespace moreau::app
