// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_BROKEN_ROWS_H
#define MOREAU_MICRO_BROKEN_ROWS_H

#include <vector>

namespace moreau::micro
{
/// Sites of a lattice in a zone and the straight rows in which they touch.
struct RowsOfSites
{
  static constexpr int none = -1;

  /// For each direction and each site the next one along it, or none. Rows may be closed, in a box that repeats itself.
  std::vector<std::vector<int>> next;
  std::vector<double>           number; ///< of each site: those with the least ones are vacated first
};

/// Vacancies such that no row of three sites or more is whole. A row is broken where a site is vacant that is neither its
/// first nor its last one, and a closed one wherever one is. One direction after another, row after row, that site of a
/// whole row is vacated whose number is the least. Then vacancies, new ones and others, that no row needs are filled, those
/// with the largest numbers first, until there are as many as before. Where more are left rows need each of them, though
/// other choices might do with fewer.
std::vector<char> with_broken_rows(const RowsOfSites &sites, std::vector<char> is_vacant);
} // namespace moreau::micro

#endif
