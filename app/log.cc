// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/log.h"

#include <ostream>

namespace moreau::app
{
void Log::line(const std::string &text)
{
  if (terminal != nullptr)
    *terminal << text << std::endl;
  note(text);
}
} // namespace moreau::app
