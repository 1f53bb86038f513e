// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_CHAINS_VALUES_ON_RUNS_H
#define MOREAU_CONVEX_CHAINS_VALUES_ON_RUNS_H

#include "convex/chains/lines_traffic.h"
#include "convex/chains/runs_of_problem.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <vector>

namespace moreau::convex
{
/// How numbers of nodes come to the positions of a family's runs and go back: at once where the nodes are at hand. Where
/// processes share them by way of a LinesTraffic.
template <int dim>
class ValuesOnRuns
{
public:
  using Point = Eigen::Matrix<double, dim, 1>;

  const Point e; ///< direction of the family

  /// Runs whose nodes are at hand. node: of each position; must outlive this.
  ValuesOnRuns(const RunsOfProblem &family, const std::vector<int> &node) : e(family.chains->direction), node(node.data()) {}

  /// Runs that have what arrives of a network that several processes share: family k of the traffic.
  ValuesOnRuns(const RunsOfProblem &family, const LinesAlong &shared, LinesTraffic &traffic, const std::size_t k)
      : e(family.chains->direction)
      , shared(&shared)
      , traffic(&traffic)
      , k(k)
      , value(family.n_positions(), 0.)
      , position(family.n_positions())
  {
    for (std::size_t l = 0; l < position.size(); ++l)
      position[family.chains->node[l]] = static_cast<int>(l);
  }

  /// Brings what has arrived to its positions, for along(); and from there back.
  void arrive()
  {
    if (shared)
      for_all(traffic->arrived(k), [&](const std::size_t j, const std::size_t place) {
        expect(j);
        value[position[j]] = traffic->of_arrived[place];
      });
  }

  /// e·v of position l.
  template <class Velocity>
  double along(Velocity &&v, const Index l) const
  {
    return shared ? value[l] : e.dot(v(node[l]));
  }

  /// What position l has for its node: to_node(i, number), or on its way there. In that case all positions give something,
  /// after they have been read.
  template <class ToNode>
  void give(const Index l, const double number, ToNode &&to_node)
  {
    if (shared)
      value[l] = number;
    else
      to_node(node[l], number);
  }
  void leave()
  {
    if (shared)
      for_all(traffic->arrived(k), [&](const std::size_t j, const std::size_t place) {
        expect(j);
        traffic->of_arrived[place] = value[position[j]];
      });
  }

private:
  const int        *node    = nullptr;
  const LinesAlong *shared  = nullptr; ///< null where nodes are at hand
  LinesTraffic     *traffic = nullptr;
  std::size_t       k       = 0;

  std::vector<double> value;    ///< of each position
  std::vector<int>    position; ///< of what arrives

  /// What arrives together lies far apart on the runs: memory is fetched ahead.
  void expect(const std::size_t j) const
  {
    constexpr std::size_t ahead = 24;
    if (j + ahead < position.size())
      __builtin_prefetch(value.data() + position[j + ahead], 1);
  }

  template <class Body>
  static void for_all(const std::vector<LinesTraffic::Piece> &pieces, Body &&body)
  {
    for (const LinesTraffic::Piece &piece : pieces)
      tbb::parallel_for(tbb::blocked_range<std::size_t>(piece.first, piece.end, nodes_at_a_time), [&](const auto &some) {
        for (std::size_t j = some.begin(); j < some.end(); ++j)
          body(j, piece.place + (j - piece.first));
      });
  }
};
} // namespace moreau::convex

#endif
