// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/carried_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace moreau::micro
{
namespace
{
using Laps = std::array<int, 3>; ///< whole periods

/// That were taken from the position of each sphere.
std::vector<Laps> laps_of(const StepPaths &ways, const Eigen::MatrixXd &r, const PeriodicBox &box)
{
  std::vector<Laps> laps(r.cols(), Laps{0, 0, 0});
  for (Index i = 0; i < r.cols(); ++i)
    for (Index k = 0; k < r.rows(); ++k)
      if (box.period(k) > 0.)
        laps[i][k] = static_cast<int>(std::round((ways.begin(k, i) + ways.way(k, i) - r(k, i)) / box.period(k)));
  return laps;
}

/// The image of j that i sees after both were moved; -1 where it is none beside the box.
std::int64_t image_of_pair(const std::int64_t image, const Laps &of_i, const Laps &of_j)
{
  constexpr std::int64_t n_images = 27;
  if (image >= n_images)
    return -1;
  Laps shift = PeriodicBox::shift(static_cast<std::int32_t>(image));
  for (std::size_t k = 0; k < 3; ++k)
    if (shift[k] += of_j[k] - of_i[k]; std::abs(shift[k]) > 1)
      return -1;
  return PeriodicBox::code(shift);
}
} // namespace

RowMultipliers carried_over(RowMultipliers known, const StepPaths &ways, const Eigen::MatrixXd &r, const PeriodicBox &box,
                            const PeriodicObstacles &now, const PeriodicObstacles &next)
{
  if (!box.any() || known.rows.empty() || ways.way.cols() != r.cols())
    return known;
  const int               n    = static_cast<int>(r.cols());
  const std::vector<Laps> laps = laps_of(ways, r, box);
  for (StepRow &row : known.rows)
    if (row.j < n)
      row.image = image_of_pair(row.image, laps[row.i], laps[row.j]);
    else
      row.image = now.image_after(next, row.j - n, row.image_of_sphere(), laps[row.i]) * StepRow::supports +
                  row.image % StepRow::supports;
  if (std::is_sorted(known.rows.begin(), known.rows.end()))
    return known;

  std::vector<Index> order(known.rows.size());
  std::iota(order.begin(), order.end(), Index(0));
  std::sort(order.begin(), order.end(), [&](const Index a, const Index b) { return known.rows[a] < known.rows[b]; });
  RowMultipliers sorted;
  for (const Index c : order)
    sorted.rows.push_back(known.rows[c]);
  sorted.p = known.p(order);
  if (known.stress.size() > 0)
    sorted.stress = known.stress(order);
  return sorted;
}
} // namespace moreau::micro
