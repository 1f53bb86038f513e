// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/log.h"

#include <algorithm>
#include <ostream>

namespace moreau::app
{
void Log::line(const std::string &text)
{
  if (terminal != nullptr)
    *terminal << text << std::endl;
  note(text);
}

void Log::warn(const std::string &sentence)
{
  if (std::find(warned.begin(), warned.end(), sentence) != warned.end())
    return;
  warned.push_back(sentence);
  line("warning: " + sentence);
}

void Log::row(const std::string &name, const std::string &text)
{
  constexpr std::size_t width = 22;
  line("  " + name + std::string(width - name.size(), ' ') + text);
}
} // namespace moreau::app
