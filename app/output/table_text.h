// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_TABLE_TEXT_H
#define MOREAU_APP_OUTPUT_TABLE_TEXT_H

#include <iosfwd>
#include <string>
#include <vector>

/// Tables on the terminal and in .csv files.
namespace moreau::app
{
/// A number at the right of a column of this width, in a format of printf; "-" where it is not finite.
std::string cell(double x, int width, const char *format = "%.3e");
std::string cell(const std::string &text, int width);

/// A number of a row in a file with the name of its column.
struct Column
{
  std::string name;
  double      value; ///< left out where it is not finite
};

/// Names, then the rows, of which there is at least one: all have the same columns.
void write_table(std::ostream &out, const std::vector<std::vector<Column>> &rows);
} // namespace moreau::app

#endif
