// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/neighbour_list.h"

#include <limits>

namespace moreau::micro
{
bool NeighbourList::covers(const Eigen::MatrixXd &r, const Vector &a) const
{
  if (r_then.rows() != r.rows() || r_then.cols() != r.cols())
    return false;
  for (Index i = 0; i < r.cols(); ++i)
    if (!(a(i) + (r.col(i) - r_then.col(i)).norm() <=
          a_then(i))) // a sphere that left the box on one side is far from where it was
      return false;
  return true;
}

void NeighbourList::prepare(const Eigen::MatrixXd &r, const Vector &a, const Vector &R, const PeriodicBox &box)
{
  if (covers(r, a))
    return;
  constexpr double spare = .1; // of a radius
  double           room  = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < box.period.size(); ++k)
    if (box.period(k) > 0.)
      room = std::min(room, .5 * box.period(k));
  const Vector longer = a + spare * R;
  r_then              = r;
  a_then              = longer.maxCoeff() < room ? longer : a;

  const std::vector<NearPair> found = PairSearch(r, a_then, box).pairs([](const NearPair &) { return true; });
  pairs.resize(found.size());
  for (std::size_t c = 0; c < found.size(); ++c)
    pairs[c] = {found[c].i, found[c].j, found[c].image};
}
} // namespace moreau::micro
