// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/table_reader.h"

#include "micro/csv_reader.h"

#include <algorithm>

namespace moreau::micro
{
void TableReader::require_columns(const std::vector<std::string> &needed, const std::string &by) const
{
  for (const std::string &name : needed)
    if (std::find(columns().begin(), columns().end(), name) == columns().end())
      fail_at_names("the column '" + name + "' is missing; " + by + " need " + listed(needed) + ".");
}
} // namespace moreau::micro
