// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/chains/chain_families.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_map>
#include <utility>

namespace moreau::convex
{
namespace
{
constexpr int    none      = ChainFamilies::none;
constexpr double same_line = 1e-12; // directions that differ by less are one

/// The directions of B, up to sign, and those of its rows.
struct Directions
{
  std::vector<Vector>      distinct;
  std::vector<signed char> of_row; ///< ±(k+1): along distinct[k] or against it
};

/// Rows of one direction, before runs are strung together.
struct Strand
{
  Vector                       direction;
  std::vector<int>             next, previous; ///< per node: row that leads to its successor, predecessor, or none
  std::unordered_map<int, int> before, after;  ///< per node at a fixed body: row of the body
  Index                        n_links = 0;
};

/// +1, -1: the row points along the direction or against it; 0: neither.
int orientation(const Vector &direction, const PairConstraint &B, const Index row)
{
  double same = 0., opposite = 0.;
  for (Index k = 0; k < B.dimension(); ++k)
    {
      same     = std::max(same, std::abs(B.directions()(k, row) - direction(k)));
      opposite = std::max(opposite, std::abs(B.directions()(k, row) + direction(k)));
    }
  return same <= same_line ? 1 : opposite <= same_line ? -1 : 0;
}

/// Nothing where there are too many.
std::optional<Directions> find_directions(const PairConstraint &B)
{
  Directions directions;
  auto      &distinct = directions.distinct;
  directions.of_row.reserve(B.n_constraints());
  std::size_t k = 0; // rows often come in the order of their directions
  for (Index row = 0; row < B.n_constraints(); ++row)
    {
      int sign = 0;
      for (std::size_t tried = 0; tried < distinct.size() && sign == 0; ++tried)
        {
          k    = tried == 0 ? k : (k + 1) % distinct.size();
          sign = orientation(distinct[k], B, row);
        }
      if (sign == 0)
        {
          if (distinct.size() == ChainFamilies::max_families)
            return {};
          k = distinct.size();
          distinct.push_back(B.directions().col(row));
          sign = 1;
        }
      directions.of_row.push_back(static_cast<signed char>(sign * static_cast<int>(k + 1)));
    }
  return directions;
}

/// False where a place in the strand is taken already.
bool insert(Strand &strand, const PairConstraint::Pair &pair, const int row, const bool forward)
{
  if (pair.j == PairConstraint::fixed_body)
    return (forward ? strand.after : strand.before).emplace(pair.i, row).second;
  int &next     = strand.next[forward ? pair.i : pair.j];
  int &previous = strand.previous[forward ? pair.j : pair.i];
  if (next != none || previous != none)
    return false;
  next = previous = row;
  ++strand.n_links;
  return true;
}

int find_or(const std::unordered_map<int, int> &rows, const int node)
{
  const auto found = rows.find(node);
  return found == rows.end() ? none : found->second;
}

/// The node that a row leads to from another one.
int across(const PairConstraint &B, const int row, const int node)
{
  return B.pairs()[row].i == node ? B.pairs()[row].j : B.pairs()[row].i;
}

/// Adds the closed chains, those of nodes that are in no run.
void add_closed(const Strand &strand, const PairConstraint &B, ChainFamilies::Family &family)
{
  std::vector<char> is_done(B.n_nodes(), 0);
  for (const int node : family.node)
    is_done[node] = 1;
  family.row_around.assign(family.n_runs(), none);
  for (int first = 0; first < B.n_nodes(); ++first)
    {
      if (is_done[first] || strand.next[first] == none)
        continue;
      for (int node = first; !is_done[node]; node = across(B, strand.next[node], node))
        {
          is_done[node] = 1;
          family.node.push_back(node);
          family.row.push_back(strand.next[node]);
        }
      family.row_around.push_back(std::exchange(family.row.back(), none));
      family.row_before.push_back(none);
      family.row_after.push_back(none);
      family.run_start.push_back(static_cast<int>(family.node.size()));
    }
}

/// The runs of a strand; nothing where a fixed body is not at an end.
std::optional<ChainFamilies::Family> strung(const Strand &strand, const PairConstraint &B)
{
  ChainFamilies::Family family;
  family.direction = strand.direction;
  family.run_start.push_back(0);
  Index n_links = 0;
  for (const auto &[node, row] : strand.before)
    if (strand.previous[node] != none)
      return {};
  for (const auto &[node, row] : strand.after)
    if (strand.next[node] != none)
      return {};
  for (int first = 0; first < B.n_nodes(); ++first)
    {
      if (strand.previous[first] != none)
        continue;
      const int before = strand.before.empty() ? none : find_or(strand.before, first);
      if (strand.next[first] == none && before == none && (strand.after.empty() || find_or(strand.after, first) == none))
        continue;
      family.row_before.push_back(before);
      for (int node = first;;)
        {
          const int row = strand.next[node];
          family.node.push_back(node);
          family.row.push_back(row);
          if (row == none)
            break;
          ++n_links;
          node = across(B, row, node);
        }
      family.row_after.push_back(strand.after.empty() ? none : find_or(strand.after, family.node.back()));
      family.run_start.push_back(static_cast<int>(family.node.size()));
    }
  if (n_links != strand.n_links)
    add_closed(strand, B, family);
  return family;
}
} // namespace

Index ChainFamilies::Family::longest_run() const
{
  Index longest = 0;
  for (Index r = 0; r < n_runs(); ++r)
    longest = std::max<Index>(longest, run_start[r + 1] - run_start[r]);
  return longest;
}

Index ChainFamilies::longest_run() const
{
  Index longest = 0;
  for (const Family &family : families)
    longest = std::max(longest, family.longest_run());
  return longest;
}

std::optional<ChainFamilies> find_chain_families(const PairConstraint &B)
{
  const std::optional<Directions> directions =
      find_directions(B); // a disordered network is refused before anything is stored
  if (!directions)
    return {};
  std::vector<Strand> strands(directions->distinct.size());
  for (std::size_t k = 0; k < strands.size(); ++k)
    {
      strands[k].direction = directions->distinct[k];
      strands[k].next.assign(B.n_nodes(), none);
      strands[k].previous.assign(B.n_nodes(), none);
    }
  for (int row = 0; row < B.n_constraints(); ++row)
    {
      const int k = directions->of_row[row];
      if (!insert(strands[std::abs(k) - 1], B.pairs()[row], row, k > 0))
        return {};
    }

  ChainFamilies chains;
  chains.dim     = B.dimension();
  chains.n_nodes = B.n_nodes();
  for (const Strand &strand : strands)
    {
      std::optional<ChainFamilies::Family> family = strung(strand, B);
      if (!family)
        return {};
      chains.families.push_back(std::move(*family));
    }
  const auto has_closed = [](const ChainFamilies::Family &family) { return !family.row_around.empty(); };
  if (std::any_of(chains.families.begin(), chains.families.end(), has_closed) && !uncoupled(chains))
    return {};
  return chains;
}

bool orthogonal(const Eigen::MatrixXd &directions)
{
  for (Index k = 0; k < directions.cols(); ++k)
    for (Index l = 0; l < k; ++l)
      if (std::abs(directions.col(k).dot(directions.col(l))) > same_line)
        return false;
  return true;
}

bool uncoupled(const ChainFamilies &chains)
{
  Eigen::MatrixXd directions(chains.dim, static_cast<Index>(chains.families.size()));
  for (std::size_t k = 0; k < chains.families.size(); ++k)
    directions.col(static_cast<Index>(k)) = chains.families[k].direction;
  return orthogonal(directions);
}
} // namespace moreau::convex
