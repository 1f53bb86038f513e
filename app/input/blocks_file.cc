// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/blocks_file.h"

#include "app/input/text/words.h"
#include "micro/csv_reader.h"

#include <algorithm>
#include <cmath>

namespace moreau::app
{
namespace
{
/// Of the last instant.
struct BlockRow
{
  double      left, right, u; ///< m, m/s
  std::size_t line;
};

std::vector<BlockRow> rows_of_last_instant(micro::CsvReader &csv, BlocksOfFile &result)
{
  const std::vector<std::string> &names = csv.columns();
  csv.require_columns({"left", "right", "u"}, "blocks");
  const auto column = [&](const char *const name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const std::size_t left = column("left"), right = column("right"), u = column("u"), t = column("t");

  std::vector<BlockRow> rows;
  for (std::vector<double> row; csv.next_row(row);)
    {
      if (!(row[left] < row[right]))
        csv.fail_at_column(right, "the block ends at " + short_number(row[right]) + ", which is not on the right of " +
                                      short_number(row[left]) + ", where it begins.");
      const double now = t < row.size() ? row[t] : 0.;
      if (!rows.empty() && now < result.t)
        csv.fail_at_column(t, "the time " + short_number(now) + " s comes after " + short_number(result.t) +
                                  " s; times must not decrease.");
      if (!rows.empty() && now > result.t)
        {
          rows.clear();
          ++result.n_instants;
        }
      result.t = now;
      rows.push_back({row[left], row[right], row[u], csv.line()});
    }
  return rows;
}
} // namespace

BlocksOfFile blocks_of_file(const std::string &file_name, const macro::LineWalls &walls)
{
  constexpr double      rounding = 1e-12; // as ExactBlocks::Parameters::touching
  constexpr double      shortest = 1e-14; // of the extent: whatever is shorter is lost in rounding where it moves
  BlocksOfFile          result;
  micro::CsvReader      csv({"Congested flow/Blocks file", "blocks", {"t", "block", "left", "right", "u"}}, file_name);
  std::vector<BlockRow> rows = rows_of_last_instant(csv, result);
  std::stable_sort(rows.begin(), rows.end(), [](const BlockRow &a, const BlockRow &b) { return a.left < b.left; });

  double extent = 0.;
  for (const BlockRow &row : rows)
    extent = std::max({extent, std::abs(row.left), std::abs(row.right)});
  const auto at_line = [](const BlockRow &row) {
    return "line " + std::to_string(row.line) + ": the block [" + short_number(row.left) + ", " + short_number(row.right) +
           "] ";
  };
  for (std::size_t k = 0; k < rows.size(); ++k)
    {
      BlockRow &row = rows[k];
      for (const auto &[wall, into] :
           {std::pair<double, double>(walls.left, walls.left - row.left), {walls.right, row.right - walls.right}})
        if (into > rounding * std::max(extent, std::abs(wall)))
          csv.fail(at_line(row) + "reaches into the wall at " + short_number(wall) +
                   "; blocks must lie between the walls, or leave the wall out of Zone/Walls.");
      if (k > 0 && rows[k - 1].right > row.left)
        {
          if (rows[k - 1].right - row.left > rounding * extent)
            csv.fail(at_line(row) + "overlaps [" + short_number(rows[k - 1].left) + ", " + short_number(rows[k - 1].right) +
                     "] of line " + std::to_string(rows[k - 1].line) + "; the density must be at most 1.");
          row.left = rows[k - 1].right; // they touch
        }
      if (!(row.right - row.left > shortest * extent))
        csv.fail(at_line(row) + "is as short as the rounding of its ends; leave it out.");
      result.blocks.push_back({row.left, row.right - row.left, row.u});
    }
  return result;
}
} // namespace moreau::app
