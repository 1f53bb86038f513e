// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/network/rigid_clusters.h"

#include "convex/components.h"

#include <algorithm>
#include <stdexcept>

namespace moreau::micro
{
RigidClusters rigid_clusters(const ContactGraph &graph, const std::vector<char> &rigid)
{
  if (!rigid.empty() && static_cast<Index>(rigid.size()) != graph.n_contacts())
    throw std::invalid_argument("rigid_clusters: one entry per contact is needed.");
  convex::Components parts(graph.n_spheres);
  std::vector<char>  is_held(graph.n_spheres, 0);
  for (std::size_t c = 0; c < rigid.size(); ++c)
    if (rigid[c])
      {
        const Contact &contact = graph.contacts[c];
        is_held[contact.i]     = 1;
        if (graph.touches_wall(contact))
          continue;
        is_held[contact.j] = 1;
        parts.join(contact.i, contact.j);
      }
  RigidClusters result;
  result.of_sphere.assign(graph.n_spheres, -1);
  std::vector<Index> sizes;
  for (int k = 0; k < static_cast<int>(graph.n_spheres); ++k)
    if (is_held[k])
      {
        const int first = parts.first(k);
        if (first == k) // comes before the others
          {
            result.of_sphere[k] = static_cast<int>(sizes.size());
            sizes.push_back(0);
          }
        result.of_sphere[k] = result.of_sphere[first];
        ++sizes[result.of_sphere[k]];
      }
  result.n_clusters = static_cast<Index>(sizes.size());
  result.largest    = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  return result;
}
} // namespace moreau::micro
