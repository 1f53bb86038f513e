// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/link_obstacle.h"

#include <algorithm>

namespace moreau::macro
{
LinkObstacle coarsened(const LevelChain &chain, const std::size_t level, const LinkObstacle &finer)
{
  const LevelBox      &fine = chain.boxes[level], &box = chain.boxes[level + 1];
  const LevelTransfer &transfer = chain.transfers[level];
  LinkObstacle         result(box);
  result.is_closed  = finer.is_closed;
  const Index begin = chain.part_begin[level + 1], end = chain.part_end[level + 1];

  for (int axis = 0; axis < box.dim; ++axis)
    {
      const std::vector<double> &w      = finer.A.w[axis];
      const Index                stride = fine.stride[axis];
      LevelBox                   faces  = box; // the links to what is outside follow the last cell
      faces.n[axis] += 1;
      const Index faces_end = end + (axis == box.dim - 1 && end == box.n[axis]);
      faces.for_rows(begin, faces_end, [&](const Index row, const Index J, const Index K) {
        for (Index I = 0; I < faces.n[0]; ++I)
          {
            const std::array<Index, 3> cell  = {I, J, K};
            std::array<Index, 3>       from  = {0, 0, 0};
            std::array<int, 3>         count = {1, 1, 1};
            for (int a = 0; a < box.dim; ++a)
              {
                from[a] = transfer[a].first_child(cell[a]);
                if (a != axis)
                  count[a] = transfer[a].n_children();
              }
            double sum = 0.;
            for (int k = 0; k < count[2]; ++k)
              for (int j = 0; j < count[1]; ++j)
                for (int i = 0; i < count[0]; ++i)
                  {
                    double                   weight = 1.;
                    const std::array<int, 3> child  = {i, j, k};
                    for (int a = 0; a < box.dim; ++a)
                      if (a != axis)
                        weight *= transfer[a].weight(cell[a], child[a]);
                    if (weight == 0.)
                      continue;
                    const Index c = fine.position(from[1] + j, from[2] + k) + from[0] + i;
                    // links c-1 -- c and c -- c+1, the coarse cells being c-1 and c+1
                    double link = w[c];
                    if (transfer[axis].coarsened && finer.is_unknown[c])
                      {
                        const double next = w[c + stride];
                        link              = link + next > 0. ? link * next / (link + next) : 0.;
                      }
                    else if (transfer[axis].coarsened)
                      link = finer.is_unknown[c - stride] ? w[c] : w[c + stride];
                    sum += weight * link;
                  }
            result.A.w[axis][row + I] = sum;
          }
      });
      if (box.periodic[axis] && box.n[axis] == 1) // from a cell to itself
        std::fill(result.A.w[axis].begin(), result.A.w[axis].end(), 0.);
      chain.complete(level + 1, result.A.w[axis]);
      result.A.plain_w[axis] = finer.A.plain_w[axis];
      for (int a = 0; a < box.dim; ++a)
        if (transfer[a].coarsened)
          result.A.plain_w[axis] *= a == axis ? .5 : 2.;
    }

  box.for_rows(begin, end, [&](const Index row, const Index J, const Index K) {
    const Index fine_row = fine.position(transfer[1].centre(J), box.dim == 3 ? transfer[2].centre(K) : 0);
    for (Index I = 0; I < box.n[0]; ++I)
      result.is_unknown[row + I] = finer.is_unknown[fine_row + transfer[0].centre(I)];
  });
  chain.complete(level + 1, result.is_unknown);
  result.A.finish(box, result.is_unknown);
  return result;
}
} // namespace moreau::macro
