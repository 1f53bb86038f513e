// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/held_contacts.h"

#include <algorithm>

namespace moreau::micro
{
void count_contacts(Packing &packing, const std::vector<std::pair<int, int>> &touching)
{
  const Index       dim = packing.spheres.dimension(), n = packing.spheres.size();
  std::vector<bool> held(n, true);
  const auto        counts = [&](const std::pair<int, int> &pair) {
    return held[pair.first] && (pair.second < 0 || held[pair.second]);
  };
  for (bool changed = true; changed;)
    {
      std::vector<int> n_contacts(n, 0);
      for (const auto &pair : touching)
        if (counts(pair))
          {
            ++n_contacts[pair.first];
            if (pair.second >= 0)
              ++n_contacts[pair.second];
          }
      changed = false;
      for (Index i = 0; i < n; ++i)
        if (held[i] && n_contacts[i] < dim + 1)
          {
            held[i] = false;
            changed = true;
          }
    }
  packing.n_contacts = std::count_if(touching.begin(), touching.end(), counts);
  packing.n_rattlers = std::count(held.begin(), held.end(), false);
}
} // namespace moreau::micro
