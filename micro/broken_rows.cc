// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/broken_rows.h"

#include <algorithm>

namespace moreau::micro
{
namespace
{
constexpr int none = RowsOfSites::none;

/// The rows of one direction that can be broken.
class Rows
{
public:
  explicit Rows(const std::vector<int> &next) : row_of_site(next.size(), none)
  {
    std::vector<char> has_before(next.size(), 0), seen(next.size(), 0);
    for (const int site : next)
      if (site != none)
        has_before[site] = 1;
    const auto follow = [&](const int first) {
      std::vector<int> row;
      for (int site = first; site != none && !seen[site]; site = next[site])
        {
          seen[site] = 1;
          row.push_back(site);
        }
      const bool is_closed = next[row.back()] != none;
      if (row.size() < 3)
        return;
      if (!is_closed)
        row = {row.begin() + 1, row.end() - 1};
      for (const int site : row)
        row_of_site[site] = n_rows();
      sites.push_back(std::move(row));
    };
    for (std::size_t site = 0; site < next.size(); ++site)
      if (!has_before[site])
        follow(static_cast<int>(site));
    for (std::size_t site = 0; site < next.size(); ++site)
      if (!seen[site]) // of a closed row
        follow(static_cast<int>(site));
    n_vacant.assign(sites.size(), 0);
  }

  int                     n_rows() const { return static_cast<int>(sites.size()); }
  const std::vector<int> &row(const int r) const { return sites[r]; } ///< sites that break it
  bool                    is_whole(const int r) const { return n_vacant[r] == 0; }

  void count(const int site, const int change)
  {
    if (row_of_site[site] != none)
      n_vacant[row_of_site[site]] += change;
  }

  /// Whether it alone breaks a row.
  bool needs(const int site) const { return row_of_site[site] != none && n_vacant[row_of_site[site]] == 1; }

private:
  std::vector<int>              row_of_site;
  std::vector<std::vector<int>> sites;
  std::vector<int>              n_vacant;
};
} // namespace

std::vector<char> with_broken_rows(const RowsOfSites &sites, std::vector<char> is_vacant)
{
  std::vector<Rows> directions;
  for (const std::vector<int> &next : sites.next)
    directions.emplace_back(next);
  const auto less   = [&](const int a, const int b) { return sites.number[a] < sites.number[b]; };
  const auto change = [&](const int site, const int by) {
    is_vacant[site] = by > 0;
    for (Rows &rows : directions)
      rows.count(site, by);
  };
  std::vector<int> vacant;
  const auto       vacate = [&](const int site) {
    vacant.push_back(site);
    change(site, 1);
  };
  for (std::size_t site = 0; site < is_vacant.size(); ++site)
    if (is_vacant[site])
      vacate(static_cast<int>(site));
  std::ptrdiff_t n_more = 0;
  for (Rows &rows : directions)
    for (int r = 0; r < rows.n_rows(); ++r)
      if (rows.is_whole(r))
        {
          vacate(*std::min_element(rows.row(r).begin(), rows.row(r).end(), less));
          ++n_more;
        }
  std::sort(vacant.begin(), vacant.end(), less);
  for (auto site = vacant.rbegin(); site != vacant.rend() && n_more > 0; ++site)
    if (std::none_of(directions.begin(), directions.end(), [&](const Rows &rows) { return rows.needs(*site); }))
      {
        change(*site, -1);
        --n_more;
      }
  return is_vacant;
}
} // namespace moreau::micro
