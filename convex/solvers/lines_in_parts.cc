// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/lines_in_parts.h"

#include "convex/certificate.h"
#include "convex/dealt_items.h"
#include "convex/shared_components.h"
#include "convex/solvers/by_one_process.h"
#include "convex/solvers/chain_splitting.h"
#include "convex/splitmix.h"
#include "convex/vectors.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>

namespace moreau::convex
{
namespace
{
using List      = std::vector<double>;
using Direction = std::array<double, 3>;

constexpr int no_row = ChainFamilies::none;

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

/// All directions there are, in ascending order; none at all where one process knows more than dim of them.
std::vector<Direction> all_directions(const SharedNetwork &network)
{
  const std::size_t   most = network.here().dim;
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

/// The rows of one direction at each own node: to its successor, from its predecessor, at fixed bodies before and behind it.
struct RowsAtNodes
{
  std::vector<int> next, previous, before, behind;
  bool             is_line = true; ///< no node has two successors or predecessors

  RowsAtNodes(const SharedNetwork &network, const std::vector<Direction> &directions, const std::size_t k)
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
        double sign;
        if (direction_of(network, c, sign) != directions[k])
          continue;
        const auto &[i, j] = network.rows().pairs()[c];
        if (j == PairConstraint::fixed_body)
          set(sign > 0. ? behind : before, i, c);
        else
          {
            set(next, sign > 0. ? i : j, c);
            set(previous, sign > 0. ? j : i, c);
          }
      }
    for (std::size_t own = 0; own < next.size(); ++own)
      is_line =
          is_line && !(next[own] != no_row && behind[own] != no_row) && !(previous[own] != no_row && before[own] != no_row);
  }

  bool meets_fixed_bodies() const
  {
    const auto is_row = [](const int row) { return row != no_row; };
    return std::any_of(before.begin(), before.end(), is_row) || std::any_of(behind.begin(), behind.end(), is_row);
  }

  bool takes_part(const std::size_t own) const
  {
    return next[own] != no_row || previous[own] != no_row || before[own] != no_row || behind[own] != no_row;
  }
};

/// The lines along one direction: what is whole here for a moment, and how it comes here and goes back.
class LinesAlong
{
public:
  LinesAlong(const SharedNetwork &network, const std::vector<Direction> &directions, const std::size_t k)
      : network(network)
      , e(Eigen::Map<const Vector>(directions[k].data(), network.here().dim))
      , rows(network, directions, k)
      , has_fixed_bodies(network.processes().max(rows.meets_fixed_bodies() ? 1. : 0.) > 0.)
  {
    if (!everywhere(rows.is_line))
      return;
    const NetworkPart              &here = network.here();
    const std::vector<Index>        line = lowest_connected(network, [&](const Index c) {
      double sign;
      return direction_of(network, c, sign) == directions[k];
    });
    std::vector<std::vector<Index>> nodes(network.processes().n_processes());
    for (Index own = 0; own < here.n_own; ++own)
      if (rows.takes_part(own))
        nodes[mixed(static_cast<std::uint64_t>(line[here.first_own + own])) % nodes.size()].push_back(own);
    dealt.emplace(network.processes(), std::move(nodes));
    const auto flag = [](const int row) { return row == no_row ? 0. : 1.; };
    join(dealt->told([&](const Index own, List &list) {
      const Index node = here.first_own + own;
      list.insert(list.end(), {static_cast<double>(line[node]), static_cast<double>(here.number[node]), successor_of(own),
                               flag(rows.previous[own]), flag(rows.before[own]), flag(rows.behind[own]), here.masses(node)});
    }));
    is_whole = everywhere(is_whole);
  }

  bool is_usable() const { return rows.is_line && is_whole; }

  /// u += e (e·u), where it is already without its own part along e, and p. False where a line is blocked.
  bool project(const ProjectionProblem &problem, const bool equal_masses, SaddlePoint &x) const
  {
    const Index  dim    = network.here().dim;
    const Vector b_here = problem.right_hand_side();
    const bool   has_b  = network.processes().max(max_abs(b_here)) > 0.;
    const auto   b_of   = [&](const int row) { return row == no_row ? 0. : b_here(row); };

    bool       blocked = false;
    const List found   = solved(dealt->told([&](const Index own, List &list) {
      list.push_back(e.dot(problem.U.segment(dim * own, dim)));
      if (has_b)
        list.insert(list.end(), {b_of(rows.next[own]), b_of(rows.before[own]), b_of(rows.behind[own])});
    }),
                                has_b, equal_masses, blocked);
    if (!everywhere(!blocked))
      return false;

    dealt->answer(found, n_out(), [&](const Index own, const double *const answer) {
      x.u.segment(dim * own, dim) += answer[0] * e;
      const std::array<int, 4> row = {rows.next[own], rows.previous[own], rows.before[own], rows.behind[own]};
      for (std::size_t a = 1; a < n_out(); ++a)
        if (row[a - 1] != no_row)
          x.p(row[a - 1]) = answer[a];
    });
    return true;
  }

  /// Takes from u what it has along e, where lines are.
  void remove_from(const Vector &U, Vector &u) const
  {
    const Index dim = network.here().dim;
    dealt->for_each([&](const Index own) { u.segment(dim * own, dim) -= e.dot(U.segment(dim * own, dim)) * e; });
  }

private:
  const SharedNetwork      &network;
  Vector                    e;
  RowsAtNodes               rows;
  bool                      has_fixed_bodies, is_whole = false;
  std::optional<DealtItems> dealt;  ///< own nodes, to who has their line
  ChainFamilies::Family     family; ///< of the nodes that arrive; rows numbered from 0, those at fixed bodies behind
  Vector                    masses; ///< of these

  static constexpr std::size_t n_told =
      7; ///< line, number, successor or -1, whether there is a row before, fixed bodies, mass

  /// e·u, p of the rows to the successor and from the predecessor, and at fixed bodies before and behind.
  std::size_t n_out() const { return has_fixed_bodies ? 5 : 3; }

  bool everywhere(const bool here) const { return network.processes().max(here ? 0. : 1.) == 0.; }

  double successor_of(const Index own) const
  {
    if (rows.next[own] == no_row)
      return -1.;
    const auto &[i, j] = network.rows().pairs()[rows.next[own]];
    return static_cast<double>(network.here().number[i == network.here().first_own + own ? j : i]);
  }

  /// Puts what arrived in the order of the lines.
  void join(const List &told)
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
    masses.resize(n);
    for (Index k = 0; k < n; ++k)
      {
        order.push_back({at(k)[0], at(k)[1], static_cast<int>(k)});
        masses(k) = at(k)[6];
      }
    std::sort(order.begin(), order.end());
    family.direction = e;
    is_whole         = true;
    for (auto begin = order.begin(); begin != order.end() && is_whole;)
      {
        const auto end  = std::find_if(begin, order.end(), [&](const Key &key) { return key.line != begin->line; });
        const auto find = [&](const double number) {
          const auto found = std::lower_bound(begin, end, Key{begin->line, number, 0});
          return found != end && found->number == number ? found->place : no_row;
        };
        const auto first    = std::find_if(begin, end, [&](const Key &key) { return at(key.place)[3] == 0.; });
        const auto n_before = static_cast<int>(family.node.size()), length = static_cast<int>(end - begin);
        int        last = no_row;
        for (int k = first == end ? no_row : first->place;
             k != no_row && static_cast<int>(family.node.size()) < n_before + length;
             k = at(k)[2] < 0. ? no_row : find(at(k)[2]))
          {
            family.node.push_back(k);
            family.row.push_back(at(k)[2] < 0. ? no_row : static_cast<int>(family.node.size()) - 1);
            last = k;
          }
        is_whole = static_cast<int>(family.node.size()) == n_before + length && at(last)[2] < 0.;
        if (!is_whole)
          break;
        const int r = static_cast<int>(family.row_before.size());
        family.run_start.push_back(n_before);
        family.row_before.push_back(at(first->place)[4] > 0. ? static_cast<int>(n) + 2 * r : no_row);
        family.row_after.push_back(at(last)[5] > 0. ? static_cast<int>(n) + 2 * r + 1 : no_row);
        begin = end;
      }
    family.run_start.push_back(static_cast<int>(family.node.size()));
  }

  /// What each node gets back, in the order of arrival; sets `blocked` where a line has no velocity.
  List solved(const List &told, const bool has_b, const bool equal_masses, bool &blocked) const
  {
    const Index n = masses.size(), n_runs = family.n_runs(), n_in = has_b ? 4 : 1;
    const auto  at = [&](const int position) { return told.data() + n_in * family.node[position]; };
    Vector      b = Vector::Zero(n + 2 * n_runs), p = b;
    if (has_b)
      {
        for (int l = 0; l < n; ++l)
          b(l) = at(l)[1];
        for (Index r = 0; r < n_runs; ++r)
          {
            b(n + 2 * r)     = at(family.run_start[r])[2];
            b(n + 2 * r + 1) = at(family.run_start[r + 1] - 1)[3];
          }
      }
    const std::vector<RunsOfProblem> runs = {RunsOfProblem(family, masses, equal_masses, b)};
    blocked                               = blocking_chain(runs, b.size()).has_value();
    List result(n_out() * n, 0.);
    if (blocked || n == 0)
      return result;
    const double mass = equal_masses ? masses(0) : 1.;
    runs[0].for_all_runs([&](const Index r) {
      const int                        begin = family.run_start[r], length = family.run_start[r + 1] - begin;
      thread_local LineRegression      line;
      thread_local std::vector<double> s, z;
      s.resize(length);
      z.resize(length);
      for (int l = 0; l < length; ++l)
        s[l] = at(begin + l)[0];
      runs[0].regress(line, r, s.data(), z.data());
      for (int l = 0; l < length; ++l)
        {
          const double u = z[l] - runs[0].shift_at(begin + l);
          s[l] -= u;
          result[n_out() * family.node[begin + l]] = u;
        }
      runs[0].multipliers(r, z.data(), s.data(), mass, p);
      const auto p_of = [&](const int row) { return row == no_row ? 0. : p(row); };
      for (int l = 0; l < length; ++l)
        {
          double *const out = result.data() + n_out() * family.node[begin + l];
          out[1]            = p_of(family.row[begin + l]);
          out[2]            = l > 0 ? p_of(family.row[begin + l - 1]) : 0.;
          if (has_fixed_bodies)
            {
              out[3] = l == 0 ? p_of(family.row_before[r]) : 0.;
              out[4] = l + 1 == length ? p_of(family.row_after[r]) : 0.;
            }
        }
    });
    return result;
  }
};

/// The lines of a network, found once.
struct LinesOfNetwork
{
  std::vector<std::unique_ptr<LinesAlong>> along; ///< empty: there are none
  bool                                     equal_masses = false;

  explicit LinesOfNetwork(const SharedNetwork &network)
  {
    const NetworkPart           &here       = network.here();
    const std::vector<Direction> directions = all_directions(network);
    Eigen::MatrixXd              E(here.dim, static_cast<Index>(directions.size()));
    for (std::size_t k = 0; k < directions.size(); ++k)
      E.col(static_cast<Index>(k)) = Eigen::Map<const Vector>(directions[k].data(), here.dim);
    if (!orthogonal(E))
      return;
    const double most = network.processes().max(here.masses.size() > 0 ? here.masses.maxCoeff() : 0.);
    equal_masses      = network.processes().max((here.masses.array() == most).all() ? 0. : 1.) == 0.;
    for (std::size_t k = 0; k < directions.size(); ++k)
      {
        along.push_back(std::make_unique<LinesAlong>(network, directions, k));
        if (!along.back()->is_usable())
          {
            along.clear();
            return;
          }
      }
  }
};
} // namespace

bool orthogonal(const Eigen::MatrixXd &directions)
{
  constexpr double same_line = 1e-12;
  for (Index k = 0; k < directions.cols(); ++k)
    for (Index l = 0; l < k; ++l)
      if (std::abs(directions.col(k).dot(directions.col(l))) > same_line)
        return false;
  return true;
}

std::optional<SaddlePoint> project_on_lines_in_parts(const ProjectionProblem &problem, const SharedNetwork &network,
                                                     const StoppingCriterion &criterion)
{
  const LinesOfNetwork &lines = network.remembered<LinesOfNetwork>();
  if (lines.along.empty())
    return std::nullopt;
  SaddlePoint x;
  x.u = problem.U;
  x.p = Vector::Zero(problem.n_constraints());
  // What no family touches comes first: along an axis nothing is left, and u is exactly monotone.
  for (const auto &along : lines.along)
    along->remove_from(problem.U, x.u);
  for (const auto &along : lines.along)
    if (!along->project(problem, lines.equal_masses, x)) // the first process finds the chain
      return project_by_one(ChainProjector(criterion), problem);
  x.n_iterations = 1;
  x.status       = Status::converged;
  x.method       = "lines (exact)";
  judge(problem, criterion, x);
  return x;
}
} // namespace moreau::convex
