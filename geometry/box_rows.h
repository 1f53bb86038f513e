// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_BOX_ROWS_H
#define MOREAU_GEOMETRY_BOX_ROWS_H

#include "geometry/box_grid.h"

#include <tbb/parallel_for.h>

namespace moreau::geometry
{
/// Rows of own cells along axis 0.
inline Index n_own_rows(const BoxGrid &grid) { return grid.own(1) * grid.own(2); }

/// The cells i = begin[0] ... end of a row share begin[1] and begin[2].
struct Row
{
  CellIndex begin;
  Index     end;
};

/// Row r of own cells, 0 <= r < n_own_rows().
inline Row own_row(const BoxGrid &grid, const Index r)
{
  CellIndex begin = {0, r % grid.own(1), r / grid.own(1)};
  begin[grid.last_axis()] += grid.first;
  return {begin, begin[0] + grid.own(0)};
}

/// div of face means on an own cell (1/s).
double divergence(const FaceArrays &v, const CellIndex &cell);

/// The same, to the last digit, on the cells of a row; d holds own(0) numbers.
void divergence(const FaceArrays &v, const Row &row, double *d);

/// Calls f(r, row) for all rows of own cells from several threads; f must write only what belongs to its row.
template <class F>
void for_own_rows(const BoxGrid &grid, F &&f, const Progress &progress = {})
{
  Steps rows(progress, n_own_rows(grid));
  tbb::parallel_for(Index(0), n_own_rows(grid), [&](const Index r) {
    f(r, own_row(grid, r));
    rows.done();
  });
}
} // namespace moreau::geometry

#endif
