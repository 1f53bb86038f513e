// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_PAIR_SEARCH_H
#define MOREAU_MICRO_PAIR_SEARCH_H

#include "micro/hierarchical_grid.h"
#include "micro/periodic_box.h"

#include <cstdint>
#include <memory>

namespace moreau::micro
{
/// Spheres i <= j that are near each other; with periods j is seen through one of its images.
struct NearPair
{
  int             i, j;
  std::int32_t    image; ///< code of the image of j: 0 within the box, one digit in base 3 per direction otherwise
  Eigen::Vector3d x;     ///< r_j (its image) - r_i; entries beyond the dimension are 0

  bool operator<(const NearPair &other) const
  {
    return i != other.i ? i < other.i : j != other.j ? j < other.j : image < other.image;
  }
};

/// Finds all pairs with |r_j - r_i| <= a_i + a_j in O(n), images included.
class PairSearch
{
public:
  /// r: d x n, anywhere (images are taken where the box is periodic); a: n, positive: radius plus what it may move.
  /// Throws InputError("the periods", ...) where a period is not longer than the reach of a sphere, a_i + max a: a pair
  /// could be near through two images at once that are not neighbours.
  PairSearch(const Eigen::MatrixXd &r, const Vector &a, const PeriodicBox &box);

  /// The pairs for which keep(pair) holds, ordered. keep is called from
  /// several threads. A sphere and its own image are no pair.
  template <class Keep>
  std::vector<NearPair> pairs(const Keep &keep) const
  {
    const Index                        n = n_spheres;
    std::vector<std::vector<NearPair>> of_block((n_extended() + block - 1) / block);
    for_each_block(n_extended(), [&](const Index b, const Index first, const Index last) {
      for (Index k = first; k < last; ++k)
        grid->visit_partners(k, [&](const int l) {
          NearPair pair;
          if ((k < n || l < n) && is_near(static_cast<int>(k), l, pair) && keep(pair))
            of_block[b].push_back(pair);
          return true;
        });
    });
    return sorted(std::move(of_block));
  }

private:
  Index                 n_extended() const { return extended.size(); }
  bool                  is_near(int k, int l, NearPair &pair) const;
  std::vector<NearPair> sorted(std::vector<std::vector<NearPair>> &&of_block) const;
  void                  add_images(const PeriodicBox &box);

  Index                             n_spheres;
  Spheres                           extended; ///< spheres of radius a, then their images
  std::vector<int>                  original; ///< of each image
  std::vector<std::int32_t>         image;    ///< code of each image
  std::unique_ptr<HierarchicalGrid> grid;
};
} // namespace moreau::micro

#endif
