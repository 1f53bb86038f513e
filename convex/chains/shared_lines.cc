// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/chains/shared_lines.h"

#include "convex/shared_components.h"
#include "convex/splitmix.h"
#include "convex/vectors.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

namespace moreau::convex
{
namespace
{
using List      = std::vector<double>;
using Direction = std::array<double, 3>;

constexpr int         no_row = ChainFamilies::none;
constexpr std::size_t n_told =
    7; // of a node: line, number, successor or -1, whether there is a row before, fixed bodies, mass

/// That of a row, so that its first entry that is not 0 is positive.
Direction direction_of(const SharedNetwork &network, const Index c, double &sign)
{
  Direction e{};
  for (Index a = 0; a < network.here().dim; ++a)
    e[a] = network.rows().directions()(a, c);
  sign = e < Direction{} ? -1. : 1.;
  for (double &entry : e)
    entry = sign * entry + 0.; // no -0
  return e;
}

/// All directions there are, in ascending order; none at all where there are too many.
std::vector<Direction> all_directions(const SharedNetwork &network)
{
  const std::size_t   most = ChainFamilies::max_families;
  std::set<Direction> found;
  double              sign;
  for (Index c = 0; c < network.n_constraints() && found.size() <= most; ++c)
    found.insert(direction_of(network, c, sign));
  List own;
  for (const Direction &e : found)
    own.insert(own.end(), e.begin(), e.end());
  const List all = network.processes().on_all(own);
  found.clear();
  for (std::size_t at = 0; at < all.size(); at += 3)
    found.insert({all[at], all[at + 1], all[at + 2]});
  if (found.size() > most)
    return {};
  return {found.begin(), found.end()};
}

/// Of each row ±(k+1): along directions[k] or against it.
std::vector<signed char> directions_of_rows(const SharedNetwork &network, const std::vector<Direction> &directions)
{
  std::vector<signed char> of_row;
  of_row.reserve(network.n_constraints());
  for (Index c = 0; c < network.n_constraints(); ++c)
    {
      double     sign;
      const auto k = std::lower_bound(directions.begin(), directions.end(), direction_of(network, c, sign));
      of_row.push_back(static_cast<signed char>(sign * static_cast<double>(k - directions.begin() + 1)));
    }
  return of_row;
}

/// Lines are dealt in as many groups, whatever the number of processes: more than these have none. Their sums are added in
/// order.
constexpr Index n_groups = 4096;

int group_of(const Index line) { return static_cast<int>(mixed(static_cast<std::uint64_t>(line)) % n_groups); }

/// Each process has consecutive groups.
Index process_of(const int group, const Index n_processes) { return group * n_processes / n_groups; }
Index first_group(const Index process, const Index n_processes)
{
  return (process * n_groups + n_processes - 1) / n_processes;
}

double flag(const int row) { return row == no_row ? 0. : 1.; }
} // namespace

RowsAtNodes::RowsAtNodes(const SharedNetwork &network, const std::vector<signed char> &of_row, const int k)
    : next(network.here().n_own, no_row), previous(next), before(next), behind(next)
{
  const NetworkPart &here = network.here();
  const auto         set  = [&](std::vector<int> &list, const Index node, const Index c) {
    const Index own = node - here.first_own;
    if (own < 0 || own >= here.n_own)
      return;
    is_line   = is_line && list[own] == no_row;
    list[own] = static_cast<int>(c);
  };
  for (Index c = 0; c < network.n_constraints(); ++c)
    {
      if (std::abs(of_row[c]) != k + 1)
        continue;
      const bool forward = of_row[c] > 0;
      const auto &[i, j] = network.rows().pairs()[c];
      if (j == PairConstraint::fixed_body)
        set(forward ? behind : before, i, c);
      else
        {
          set(next, forward ? i : j, c);
          set(previous, forward ? j : i, c);
        }
    }
  for (std::size_t own = 0; own < next.size(); ++own)
    is_line =
        is_line && !(next[own] != no_row && behind[own] != no_row) && !(previous[own] != no_row && before[own] != no_row);
}

bool RowsAtNodes::meets_fixed_bodies() const
{
  const auto is_row = [](const int row) { return row != no_row; };
  return std::any_of(before.begin(), before.end(), is_row) || std::any_of(behind.begin(), behind.end(), is_row);
}

bool RowsAtNodes::takes_part(const std::size_t own) const
{
  return next[own] != no_row || previous[own] != no_row || before[own] != no_row || behind[own] != no_row;
}

LinesAlong::LinesAlong(const SharedNetwork &network, const Vector &e, const std::vector<signed char> &of_row, const int k)
    : network(network)
    , rows(network, of_row, k)
    , has_fixed_bodies(network.processes().max(rows.meets_fixed_bodies() ? 1. : 0.) > 0.)
{
  rows.is_line     = everywhere(rows.is_line);
  family.direction = e;
  if (!rows.is_line)
    return;
  const NetworkPart       &here = network.here();
  const std::vector<Index> line = lowest_connected(network, [&](const Index c) { return std::abs(of_row[c]) == k + 1; });
  std::vector<std::vector<Index>> nodes(network.processes().n_processes());
  for (Index own = 0; own < here.n_own; ++own)
    if (rows.takes_part(own))
      nodes[process_of(group_of(line[here.first_own + own]), static_cast<Index>(nodes.size()))].push_back(own);
  dealt.emplace(network.processes(), nodes);
  join(dealt->told([&](const Index own, List &list) {
    const Index node = here.first_own + own;
    list.insert(list.end(), {static_cast<double>(line[node]), static_cast<double>(here.number[node]), successor_of(own),
                             flag(rows.previous[own]), flag(rows.before[own]), flag(rows.behind[own]), here.masses(node)});
  }));
  is_whole = everywhere(is_whole);
}

bool LinesAlong::everywhere(const bool here) const { return network.processes().max(here ? 0. : 1.) == 0.; }

double LinesAlong::successor_of(const Index own) const
{
  if (rows.next[own] == no_row)
    return -1.;
  const auto &[i, j] = network.rows().pairs()[rows.next[own]];
  return static_cast<double>(network.here().number[i == network.here().first_own + own ? j : i]);
}

/// Puts what arrived in the order of the lines, and these in the order of their first nodes: neighbours follow each other.
void LinesAlong::join(const List &told)
{
  const Index n  = static_cast<Index>(told.size() / n_told);
  const auto  at = [&](const Index k) { return told.data() + n_told * k; };
  struct Key
  {
    double line, number;
    int    place;
    bool   operator<(const Key &other) const { return line != other.line ? line < other.line : number < other.number; }
  };
  std::vector<Key> order;
  order.reserve(n);
  masses_here.resize(n);
  for (Index k = 0; k < n; ++k)
    {
      order.push_back({at(k)[0], at(k)[1], static_cast<int>(k)});
      masses_here(k) = at(k)[6];
    }
  std::sort(order.begin(), order.end());

  struct Line
  {
    double                     first_number;
    int                        first; ///< place of its first node
    std::vector<Key>::iterator begin, end;
  };
  std::vector<Line> lines;
  is_whole = true;
  for (auto begin = order.begin(); begin != order.end() && is_whole;)
    {
      const auto end   = std::find_if(begin, order.end(), [&](const Key &key) { return key.line != begin->line; });
      const auto first = std::find_if(begin, end, [&](const Key &key) { return at(key.place)[3] == 0.; });
      is_whole         = first != end; // else it is closed
      if (is_whole)
        lines.push_back({first->number, first->place, begin, end});
      begin = end;
    }
  std::sort(lines.begin(), lines.end(), [](const Line &a, const Line &b) { return a.first_number < b.first_number; });

  for (const Line &line : lines)
    {
      const auto find = [&](const double number) {
        const auto found = std::lower_bound(line.begin, line.end, Key{line.begin->line, number, 0});
        return found != line.end && found->number == number ? found->place : no_row;
      };
      const auto n_before = static_cast<int>(family.node.size()), length = static_cast<int>(line.end - line.begin);
      int        last = no_row;
      for (int k = line.first; k != no_row && static_cast<int>(family.node.size()) < n_before + length;
           k     = at(k)[2] < 0. ? no_row : find(at(k)[2]))
        {
              family.node.push_back(k);
              family.row.push_back(at(k)[2] < 0. ? no_row : static_cast<int>(family.node.size()) - 1);
              last = k;
        }
      is_whole = is_whole && static_cast<int>(family.node.size()) == n_before + length && at(last)[2] < 0.;
      if (!is_whole)
        break;
      const int r = static_cast<int>(family.row_before.size());
      group_of_run.push_back(group_of(static_cast<Index>(line.begin->line)));
      family.run_start.push_back(n_before);
      family.row_before.push_back(at(line.first)[4] > 0. ? static_cast<int>(n) + 2 * r : no_row);
      family.row_after.push_back(at(last)[5] > 0. ? static_cast<int>(n) + 2 * r + 1 : no_row);
    }
  family.run_start.push_back(static_cast<int>(family.node.size()));
}

Vector LinesAlong::rows_to_lines(const Vector &q) const
{
  const auto  q_of = [&](const int row) { return row == no_row ? 0. : q(row); };
  const List  told = dealt->told([&](const Index own, List &list) {
    list.push_back(q_of(rows.next[own]));
    if (has_fixed_bodies)
      list.insert(list.end(), {q_of(rows.before[own]), q_of(rows.behind[own])});
  });
  const Index n = masses_here.size(), n_each = has_fixed_bodies ? 3 : 1;
  Vector      of_lines = Vector::Zero(n + 2 * family.n_runs());
  for (Index l = 0; l < n; ++l)
    of_lines(l) = told[n_each * family.node[l]];
  for (Index r = 0; r < family.n_runs() && has_fixed_bodies; ++r)
    {
      of_lines(n + 2 * r)     = told[n_each * family.node[family.run_start[r]] + 1];
      of_lines(n + 2 * r + 1) = told[n_each * family.node[family.run_start[r + 1] - 1] + 2];
    }
  return of_lines;
}

void LinesAlong::rows_to_network(const Vector &of_lines, Vector &q) const
{
  const auto q_of   = [&](const int row) { return row == no_row ? 0. : of_lines(row); };
  const int  n_each = has_fixed_bodies ? 4 : 2;
  List       found(n_each * masses_here.size(), 0.);
  for (Index r = 0; r < family.n_runs(); ++r)
    for (int begin = family.run_start[r], end = family.run_start[r + 1], l = begin; l < end; ++l)
      {
        double *const of_node = found.data() + n_each * family.node[l];
        of_node[0]            = q_of(family.row[l]);
        of_node[1]            = l > begin ? q_of(family.row[l - 1]) : 0.;
        if (has_fixed_bodies)
          {
            of_node[2] = l == begin ? q_of(family.row_before[r]) : 0.;
            of_node[3] = l + 1 == end ? q_of(family.row_after[r]) : 0.;
          }
      }
  dealt->answer(found, n_each, [&](const Index own, const double *const answer) {
    const std::array<int, 4> row = {rows.next[own], rows.previous[own], rows.before[own], rows.behind[own]};
    for (int a = 0; a < n_each; ++a)
      if (row[a] != no_row)
        q(row[a]) = answer[a];
  });
}

double sum_over_runs(const std::vector<NumbersOfRuns> &of_directions)
{
  const Sharing &processes = of_directions.front().lines->processes();
  List           of_group(n_groups, 0.), own;
  for (const auto &[lines, numbers] : of_directions)
    for (std::size_t r = 0; r < numbers->size(); ++r)
      of_group[lines->groups()[r]] += (*numbers)[r];
  if (const Index n = processes.n_processes(); n > 1)
    {
      own.assign(of_group.begin() + first_group(processes.rank(), n),
                 of_group.begin() + first_group(processes.rank() + 1, n));
      of_group = processes.on_all(own);
    }
  double sum = 0.;
  for (const double part : of_group)
    sum += part;
  return sum;
}

LinesOfNetwork::LinesOfNetwork(const SharedNetwork &network)
{
  const NetworkPart             &here       = network.here();
  const std::vector<Direction>   directions = all_directions(network);
  const std::vector<signed char> of_row =
      directions.empty() ? std::vector<signed char>() : directions_of_rows(network, directions);
  Eigen::MatrixXd E(here.dim, static_cast<Index>(directions.size()));
  for (int k = 0; k < E.cols(); ++k)
    {
      E.col(k) = Eigen::Map<const Vector>(directions[k].data(), here.dim);
      along.push_back(std::make_unique<LinesAlong>(network, E.col(k), of_row, k));
      if (!along.back()->is_usable() && !along.back()->has_closed())
        {
          along.clear();
          return;
        }
    }
  orthogonal = convex::orthogonal(E);
  has_closed = std::any_of(along.begin(), along.end(), [](const auto &lines) { return lines->has_closed(); });
  if (has_closed)
    {
      along.clear();
      return;
    }
  const double most = network.processes().max(here.masses.size() > 0 ? here.masses.maxCoeff() : 0.);
  equal_masses      = network.processes().max((here.masses.array() == most).all() ? 0. : 1.) == 0.;
  common_mass       = equal_masses ? most : 1.;
  for (const auto &lines : along)
    longest_run = std::max(longest_run, lines->lines().longest_run());
  longest_run = static_cast<Index>(network.processes().max(static_cast<double>(longest_run)));
}
} // namespace moreau::convex
