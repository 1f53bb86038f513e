// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/table_text.h"

#include "app/input/text/words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace moreau::app
{
std::string cell(const double x, const int width, const char *const format)
{
  char buffer[32];
  if (std::isfinite(x))
    std::snprintf(buffer, sizeof buffer, format, x);
  else
    std::snprintf(buffer, sizeof buffer, "-");
  return cell(std::string(buffer), width);
}

std::string cell(const std::string &text, const int width)
{
  return std::string(std::max<int>(1, width - static_cast<int>(text.size())), ' ') + text;
}

void write_table(std::ostream &out, const std::vector<std::vector<Column>> &rows)
{
  for (std::size_t k = 0; k < rows.front().size(); ++k)
    out << (k == 0 ? "" : ",") << rows.front()[k].name;
  out << '\n';
  for (const std::vector<Column> &row : rows)
    {
      for (std::size_t k = 0; k < row.size(); ++k)
        {
          out << (k == 0 ? "" : ",");
          if (std::isfinite(row[k].value))
            out << digits(row[k].value);
        }
      out << '\n';
    }
}
} // namespace moreau::app
