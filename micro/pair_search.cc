// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/pair_search.h"

#include "convex/input_error.h"

#include <sstream>

namespace moreau::micro
{
PairSearch::PairSearch(const Eigen::MatrixXd &r, const Vector &a, const PeriodicBox &box)
    : n_spheres(r.cols()), extended{r, a, Vector()}
{
  if (box.any())
    add_images(box);
  grid = std::make_unique<HierarchicalGrid>(extended, 0., 0.);
}

void PairSearch::add_images(const PeriodicBox &box)
{
  const Index  dim   = extended.dimension();
  const double a_max = extended.R.maxCoeff();
  for (Index k = 0; k < dim; ++k)
    if (box.period(k) > 0. && !(2. * a_max < box.period(k)))
      {
        std::ostringstream message;
        message << "The period " << box.period(k) << " m is not longer than the reach of the largest sphere in a step, "
                << 2. * a_max << " m; enlarge the zone or shorten the time step.";
        throw InputError("the periods", message.str());
      }
  for (Index i = 0; i < n_spheres; ++i)
    box.wrap(&extended.r(0, i));

  // an image is needed where the sphere can see across the side of the box
  std::vector<double> x, R;
  for (Index i = 0; i < n_spheres; ++i)
    {
      std::array<std::array<int, 3>, 3> choices{};
      std::array<int, 3>                n_choices = {1, 1, 1};
      for (Index k = 0; k < dim; ++k)
        if (box.period(k) > 0.)
          {
            const double reach = extended.R(i) + a_max;
            if (extended.r(k, i) - box.lower(k) <= reach)
              choices[k][n_choices[k]++] = 1;
            if (box.lower(k) + box.period(k) - extended.r(k, i) <= reach)
              choices[k][n_choices[k]++] = -1;
          }
      for (int c2 = 0; c2 < n_choices[2]; ++c2)
        for (int c1 = 0; c1 < n_choices[1]; ++c1)
          for (int c0 = 0; c0 < n_choices[0]; ++c0)
            if (c0 + c1 + c2 > 0)
              {
                const std::array<int, 3> shift = {choices[0][c0], choices[1][c1], choices[2][c2]};
                for (Index k = 0; k < dim; ++k)
                  x.push_back(extended.r(k, i) + shift[k] * box.period(k));
                R.push_back(extended.R(i));
                original.push_back(static_cast<int>(i));
                image.push_back(PeriodicBox::code(shift));
              }
    }
  const Index n_images = static_cast<Index>(R.size());
  extended.r.conservativeResize(dim, n_spheres + n_images);
  extended.r.rightCols(n_images) = Eigen::Map<const Eigen::MatrixXd>(x.data(), dim, n_images);
  extended.R.conservativeResize(n_spheres + n_images);
  extended.R.tail(n_images) = Eigen::Map<const Vector>(R.data(), n_images);
}

bool PairSearch::is_near(int k, int l, NearPair &pair) const
{
  if (k >= n_spheres)
    std::swap(k, l);
  // of a pair seen across the box, i with an image of j and j with an image of i, the one with i < j is kept
  int          j    = l;
  std::int32_t code = 0;
  if (l >= n_spheres)
    {
      j    = original[l - n_spheres];
      code = image[l - n_spheres];
      if (j <= k)
        return false;
    }
  const double *const from    = extended.r.data() + extended.dimension() * k;
  const double *const to      = extended.r.data() + extended.dimension() * l;
  const double        reach   = extended.R(k) + extended.R(l);
  double              squared = 0.;
  pair.x.setZero();
  for (Index d = 0; d < extended.dimension(); ++d)
    {
      pair.x[d] = to[d] - from[d];
      squared += pair.x[d] * pair.x[d];
    }
  if (squared > reach * reach)
    return false;
  const bool swapped = j < k;
  pair.i             = swapped ? j : k;
  pair.j             = swapped ? k : j;
  pair.image         = swapped ? PeriodicBox::opposite(code) : code;
  if (swapped)
    pair.x = -pair.x;
  return true;
}

std::vector<NearPair> PairSearch::sorted(std::vector<std::vector<NearPair>> &&of_block) const
{
  std::vector<std::size_t> begin(n_spheres + 1, 0);
  for (const std::vector<NearPair> &found : of_block)
    for (const NearPair &pair : found)
      ++begin[pair.i + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<NearPair>    result(begin.back());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (const std::vector<NearPair> &found : of_block)
    for (const NearPair &pair : found)
      result[next[pair.i]++] = pair;
  for_each_block(n_spheres, [&](Index, const Index first, const Index last) {
    for (Index i = first; i < last; ++i)
      std::sort(result.begin() + begin[i], result.begin() + begin[i + 1]);
  });
  return result;
}
} // namespace moreau::micro
