// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/shared_components.h"

#include "convex/components.h"

#include <map>
#include <set>

namespace moreau::convex
{
std::vector<Index> lowest_connected(const SharedNetwork &network, const std::function<bool(Index)> &connects)
{
  const NetworkPart &part = network.here();
  const Index        n    = network.rows().n_nodes();
  Components         here(n);
  for (Index c = 0; c < network.n_constraints(); ++c)
    if (const auto &[i, j] = network.rows().pairs()[c]; j != PairConstraint::fixed_body && connects(c))
      here.join(i, j);
  std::vector<Index> lowest(n);
  for (Index k = 0; k < n; ++k)
    lowest[k] = part.number[here.first(static_cast<int>(k))];

  // what the owner of a ghost calls its component is the one that this process sees it in
  Vector own(part.n_own);
  for (Index k = 0; k < part.n_own; ++k)
    own(k) = static_cast<double>(lowest[part.first_own + k]);
  const Vector                      named = network.with_ghosts(own, 1);
  std::set<std::pair<Index, Index>> same;
  for (const Index k : network.ghosts())
    if (const Index other = static_cast<Index>(named(k)); other != lowest[k])
      same.insert(std::minmax(other, lowest[k]));
  std::vector<double> pairs;
  for (const auto &[a, b] : same)
    pairs.insert(pairs.end(), {static_cast<double>(a), static_cast<double>(b)});
  pairs = network.processes().on_all(pairs);

  std::map<Index, int> place;
  for (const double number : pairs)
    place.emplace(static_cast<Index>(number), 0);
  std::vector<Index> number_at;
  for (auto &[number, at] : place)
    {
      at = static_cast<int>(number_at.size());
      number_at.push_back(number);
    }
  Components across(place.size());
  for (std::size_t k = 0; k < pairs.size(); k += 2)
    across.join(place.at(static_cast<Index>(pairs[k])), place.at(static_cast<Index>(pairs[k + 1])));
  for (Index &number : lowest)
    if (const auto found = place.find(number); found != place.end())
      number = number_at[across.first(found->second)];
  return lowest;
}

Eigen::MatrixXd sums_of_parts(const SharedNetwork &network, const Index n_rows, const Index n_parts,
                              const std::function<Index(Index)>                    &part_of_own,
                              const std::function<void(Index, Eigen::Ref<Vector>)> &add)
{
  const NetworkPart  &here = network.here();
  std::vector<double> parts; // number of the part, column
  for (int block = here.first_own_block; block < here.first_own_block + here.n_own_blocks; ++block)
    {
      std::map<Index, Vector> of_part;
      for (Index node = here.block_begin[block]; node < here.block_begin[block + 1]; ++node)
        {
          const Index own = node - here.first_own;
          add(own, of_part.emplace(part_of_own(own), Vector::Zero(n_rows)).first->second);
        }
      for (const auto &[part, sum] : of_part)
        {
          parts.push_back(static_cast<double>(part));
          parts.insert(parts.end(), sum.begin(), sum.end());
        }
    }
  parts                = network.processes().on_all(parts);
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(n_rows, n_parts);
  for (std::size_t at = 0; at < parts.size(); at += 1 + n_rows)
    sums.col(static_cast<Index>(parts[at])) += Eigen::Map<const Vector>(parts.data() + at + 1, n_rows);
  return sums;
}
} // namespace moreau::convex
