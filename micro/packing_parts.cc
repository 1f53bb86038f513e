// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/packing_parts.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace moreau::micro
{
PeriodicBox periodic_box(const PackingParameters &parameters)
{
  PeriodicBox box = {parameters.lower, Vector::Zero(parameters.lower.size())};
  for (Index k = 0; k < box.lower.size(); ++k)
    if (parameters.periodic[k])
      box.period(k) = parameters.upper(k) - parameters.lower(k);
  return box;
}

std::vector<Wall> sides(const PackingParameters &parameters)
{
  const std::vector<std::string> all = {"left", "right", "bottom", "top", "back", "front"};
  std::vector<std::string>       names;
  for (std::size_t k = 0; k < parameters.periodic.size(); ++k)
    if (!parameters.periodic[k])
      names.insert(names.end(), {all[2 * k], all[2 * k + 1]});
  return box_walls(parameters.lower, parameters.upper, names);
}

double radius_for(const double coverage, const Vector &a, const PackingParameters &parameters)
{
  const Index dim    = parameters.lower.size();
  double      volume = 0.;
  for (const double proportion : a)
    volume += volume_of_ball(proportion, dim);
  return std::pow(coverage * (parameters.upper - parameters.lower).prod() / volume, 1. / static_cast<double>(dim));
}

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
