// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/polish_in_parts.h"

#include "convex/certificate.h"
#include "convex/components.h"
#include "convex/dealt_items.h"
#include "convex/solvers/polished_cluster.h"
#include "convex/vectors.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace moreau::convex
{
namespace
{
using List = std::vector<double>;

/// (u, p) here, in the frame of the mean velocity; values of nodes are those of all nodes here.
class PartOfState
{
public:
  PartOfState(const ProjectionProblem &problem, const SharedNetwork &network, const Vector &p,
              const PolishParameters &parameters)
      : network(network), here(network.here()), pairs(network.rows().pairs()), p(p), parameters(parameters)
  {
    const Vector mean = problem.V->mean(problem.U), own = problem.velocity_of(p) - mean;
    Vector       Bv;
    problem.B->apply(mean, Bv);
    b = problem.right_hand_side() - Bv;
    problem.B->apply(own, Bv);
    slack    = b - Bv;
    u        = network.with_ghosts(own, here.dim);
    velocity = problem.V->max_over_processes(max_abs(problem.U - mean));
    residual = .5 * network.delassus_diagonal(*problem.V).cwiseProduct(p).cwiseMin(slack).cwiseAbs();
    worst    = problem.V->max_over_processes(max_abs(residual));
    rows_of.resize(here.number.size());
    for (std::size_t c = 0; c < pairs.size(); ++c)
      for (const int node : {pairs[c].i, pairs[c].j})
        if (node != PairConstraint::fixed_body)
          rows_of[node].push_back(static_cast<int>(c));
  }

  /// Marks bad rows and their surroundings, within the cap: the rows here whose nodes are all marked. Empty on all processes
  /// where nothing is bad.
  std::vector<Index> rows_to_solve()
  {
    if (!(worst > 0.))
      return {};
    const double most      = parameters.largest * static_cast<double>(here.n_nodes);
    double       threshold = std::min(parameters.threshold, .99);
    unsigned int depth     = parameters.depth;
    mark(threshold * worst, depth);
    while (n_marked() > most && (threshold < .99 || depth > 0))
      {
        if (threshold < .99)
          threshold = std::min(.99, 1.6 * threshold);
        else
          depth /= 2;
        mark(threshold * worst, depth);
      }
    std::vector<Index> rows;
    for (std::size_t c = 0; c < pairs.size(); ++c)
      if (is_marked[pairs[c].i] && (at_fixed_body(c) || is_marked[pairs[c].j]))
        rows.push_back(static_cast<Index>(c));
    return rows;
  }

  bool   at_fixed_body(const std::size_t c) const { return pairs[c].j == PairConstraint::fixed_body; }
  double number(const int node) const { return static_cast<double>(here.number[node]); }

  /// What a row needs to be solved elsewhere: its nodes, j < 0 for a fixed body; p, b, e; mass and velocity of both nodes.
  void add_to(List &list, const Index c) const
  {
    const auto [i, j]  = pairs[c];
    const bool is_pair = j != PairConstraint::fixed_body;
    list.insert(list.end(), {number(i), is_pair ? number(j) : -1., p(c), b(c)});
    list.insert(list.end(), network.rows().directions().col(c).begin(), network.rows().directions().col(c).end());
    for (const int node : {i, is_pair ? j : i})
      {
        list.push_back(here.masses(node));
        list.insert(list.end(), u.begin() + here.dim * node, u.begin() + here.dim * (node + 1));
      }
  }

private:
  const SharedNetwork                     &network;
  const NetworkPart                       &here;
  const std::vector<PairConstraint::Pair> &pairs;
  const Vector                            &p;
  const PolishParameters                  &parameters;
  Vector                                   b, slack, u, residual;
  double                                   velocity = 0., worst = 0.;
  std::vector<std::vector<int>>            rows_of;
  std::vector<char>                        is_marked; ///< of all nodes here

  bool   is_own(const int node) const { return here.first_own <= node && node < here.first_own + here.n_own; }
  double n_marked() const
  {
    return network.sum_over_nodes([&](const Index k) { return static_cast<double>(is_marked[here.first_own + k]); });
  }

  /// A layer a round: what owners have marked all know, and who knows a marked node marks own ones beside it.
  void mark(const double bad, const unsigned int depth)
  {
    is_marked.assign(here.number.size(), 0);
    std::vector<int> fresh;
    const auto       mark_ends = [&](const std::size_t c) {
      for (const int node : {pairs[c].i, pairs[c].j})
        if (node != PairConstraint::fixed_body && is_own(node) && !is_marked[node])
          {
            is_marked[node] = 1;
            fresh.push_back(node);
          }
    };
    for (std::size_t c = 0; c < pairs.size(); ++c)
      if (residual(static_cast<Index>(c)) > bad)
        mark_ends(c);
    hear_of_others(fresh);
    for (unsigned int d = 0; d < depth; ++d)
      {
        std::vector<int> layer;
        layer.swap(fresh);
        for (const int node : layer)
          for (const int c : rows_of[node])
            if (p(c) > 0. || slack(c) < parameters.near * velocity)
              mark_ends(c);
        hear_of_others(fresh);
      }
  }

  void hear_of_others(std::vector<int> &fresh)
  {
    const Vector all = network.with_ghosts(
        Vector::NullaryExpr(here.n_own, [&](const Index k) { return static_cast<double>(is_marked[here.first_own + k]); }),
        1);
    for (const Index node : network.ghosts())
      if (all(node) > 0. && !is_marked[node])
        {
          is_marked[node] = 1;
          fresh.push_back(static_cast<int>(node));
        }
  }
};

/// Which cluster each of some rows belongs to, and who solves it.
struct Deal
{
  std::vector<Index> cluster;
  std::vector<int>   process;
};

/// The first process hears the nodes of all rows, finds what hangs together, and deals it out, the largest clusters first.
Deal deal_out(const PartOfState &state, const std::vector<PairConstraint::Pair> &pairs, const std::vector<Index> &rows,
              const Sharing &processes)
{
  List own = {static_cast<double>(rows.size())};
  for (const Index c : rows)
    {
      own.push_back(state.number(pairs[c].i));
      own.push_back(state.at_fixed_body(c) ? -1. : state.number(pairs[c].j));
    }
  const List        all = processes.on_first(own);
  std::vector<List> answers;
  by_first(processes, [&] {
    std::map<double, int> place; // of each node, in their order
    const auto            for_each_row = [&](const auto &f) {
      for (std::size_t at = 0, process = 0; at < all.size(); ++process)
        {
          const std::size_t n = static_cast<std::size_t>(all[at]);
          for (std::size_t k = 0; k < n; ++k)
            f(process, all[at + 1 + 2 * k], all[at + 2 + 2 * k]);
          at += 1 + 2 * n;
        }
    };
    for_each_row([&](std::size_t, const double i, const double j) {
      place.emplace(i, 0);
      if (j >= 0.)
        place.emplace(j, 0);
    });
    int n_nodes = 0, n_clusters = 0;
    for (auto &[number, at] : place)
      at = n_nodes++;
    Components together(n_nodes);
    for_each_row([&](std::size_t, const double i, const double j) {
      if (j >= 0.)
        together.join(place.at(i), place.at(j));
    });
    const std::vector<int> cluster = together.numbers(n_clusters);
    std::vector<Index>     size(n_clusters, 0);
    for (const int number : cluster)
      ++size[number];
    std::vector<int> by_size(n_clusters), process(n_clusters);
    std::iota(by_size.begin(), by_size.end(), 0);
    std::stable_sort(by_size.begin(), by_size.end(), [&](const int a, const int b) { return size[a] > size[b]; });
    std::vector<Index> load(processes.n_processes(), 0);
    for (const int number : by_size)
      {
        const auto least = std::min_element(load.begin(), load.end());
        process[number]  = static_cast<int>(least - load.begin());
        *least += size[number];
      }
    answers.resize(processes.n_processes());
    for_each_row([&](const std::size_t asks, const double i, double) {
      const int number = cluster[place.at(i)];
      answers[asks].insert(answers[asks].end(), {static_cast<double>(number), static_cast<double>(process[number])});
    });
  });
  const List mine = processes.from_first(answers);
  Deal       deal;
  for (std::size_t k = 0; k < rows.size(); ++k)
    {
      deal.cluster.push_back(static_cast<Index>(mine[2 * k]));
      deal.process.push_back(static_cast<int>(mine[2 * k + 1]));
    }
  return deal;
}

/// Rows that arrived, some of two nodes twice: from both processes that hold them.
class ArrivedRows
{
public:
  ArrivedRows(List numbers, const Index dim) : numbers(std::move(numbers)), dim(dim) {}

  Index         size() const { return static_cast<Index>(numbers.size()) / length(dim); }
  Index         cluster(const Index row) const { return static_cast<Index>(at(row)[0]); }
  const double *at(const Index row) const { return numbers.data() + length(dim) * row; }

  static Index length(const Index dim) { return 5 + dim + 2 * (1 + dim); } ///< with the cluster before

  bool same_place(const Index a, const Index b) const
  {
    return a == b || (at(a)[2] >= 0. && std::equal(at(a), at(a) + 3, at(b)));
  }
  bool before(const Index a, const Index b) const
  {
    return std::lexicographical_compare(at(a), at(a) + 3, at(b), at(b) + 3);
  }

  /// The cluster of rows that are all of one, in ascending order and each once.
  Cluster problem_of(const std::vector<Index> &rows, Index &n_nodes) const
  {
    std::map<double, const double *> nodes; // mass and velocity
    for (const Index row : rows)
      {
        const double *const numbers = at(row);
        nodes.emplace(numbers[1], numbers + 5 + dim);
        if (numbers[2] >= 0.)
          nodes.emplace(numbers[2], numbers + 5 + dim + 1 + dim);
      }
    n_nodes       = static_cast<Index>(nodes.size());
    const Index m = static_cast<Index>(rows.size());
    Cluster     result;
    Vector      masses(n_nodes);
    result.u.resize(dim * n_nodes);
    result.p.resize(m);
    result.problem.b.resize(m);
    std::map<double, int> place;
    for (const auto &[number, values] : nodes)
      {
        const int k                    = static_cast<int>(place.size());
        masses(k)                      = values[0];
        result.u.segment(dim * k, dim) = Eigen::Map<const Vector>(values + 1, dim);
        place.emplace(number, k);
      }
    std::vector<PairConstraint::Pair> pairs;
    Eigen::MatrixXd                   directions(dim, m);
    for (Index c = 0; c < m; ++c)
      {
        const double *const numbers = at(rows[c]);
        pairs.push_back({place.at(numbers[1]), numbers[2] < 0. ? PairConstraint::fixed_body : place.at(numbers[2])});
        result.p(c)         = numbers[3];
        result.problem.b(c) = numbers[4];
        directions.col(c)   = Eigen::Map<const Vector>(numbers + 5, dim);
      }
    result.problem.B = std::make_shared<PairConstraint>(dim, n_nodes, std::move(pairs), std::move(directions));
    result.problem.V = std::make_shared<DiagonalSpace>(masses, dim);
    return result;
  }

private:
  List  numbers;
  Index dim;
};

/// Solves the clusters that arrived: p of each row as they came. Adds a line of the report for each cluster.
List solved(const ArrivedRows &arrived, const double tolerance, List &lines)
{
  std::vector<Index> order(arrived.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](const Index a, const Index b) { return arrived.before(a, b); });
  List p(arrived.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end)
    {
      std::vector<Index> once;
      for (; end < order.size() && arrived.cluster(order[end]) == arrived.cluster(order[begin]); ++end)
        if (once.empty() || !arrived.same_place(once.back(), order[end]))
          once.push_back(order[end]);
      PolishReport report;
      const Vector found = polished(arrived.problem_of(once, report.n_nodes), tolerance, report);
      lines.insert(lines.end(), {static_cast<double>(arrived.cluster(order[begin])), static_cast<double>(report.n_nodes),
                                 static_cast<double>(report.effort.n_iterations), static_cast<double>(report.n_rejected),
                                 report.dual_change});
      std::size_t k = 0;
      for (std::size_t at = begin; at < end; ++at)
        {
          if (!arrived.same_place(once[k], order[at]))
            ++k;
          p[order[at]] = found(static_cast<Index>(k));
        }
    }
  return p;
}

/// The lines of all processes in the order of clusters.
PolishReport added_up(const List &lines)
{
  constexpr std::size_t    length = 5;
  std::vector<std::size_t> order;
  for (std::size_t at = 0; at < lines.size(); at += length)
    order.push_back(at);
  std::sort(order.begin(), order.end(), [&](const auto a, const auto b) { return lines[a] < lines[b]; });
  PolishReport report;
  for (const std::size_t at : order)
    {
      report.n_nodes += static_cast<Index>(lines[at + 1]);
      report.effort.n_iterations += static_cast<std::int64_t>(lines[at + 2]);
      ++report.effort.n_projections;
      report.n_rejected += static_cast<unsigned int>(lines[at + 3]);
      report.dual_change += lines[at + 4];
    }
  return report;
}
} // namespace

PolishReport polish_in_parts(const ProjectionProblem &problem, const SharedNetwork &network, Vector &p,
                             const PolishParameters &parameters)
{
  const Sharing           &processes = network.processes();
  const auto              &pairs     = network.rows().pairs();
  const Index              dim       = network.here().dim;
  PartOfState              state(problem, network, p, parameters);
  const std::vector<Index> rows = state.rows_to_solve();
  const Deal               deal = deal_out(state, pairs, rows, processes);

  std::vector<std::vector<Index>> places(processes.n_processes()); // among the rows
  for (std::size_t k = 0; k < rows.size(); ++k)
    places[deal.process[k]].push_back(static_cast<Index>(k));
  const DealtItems  dealt(processes, std::move(places));
  const ArrivedRows arrived(dealt.told([&](const Index k, List &list) {
    list.push_back(static_cast<double>(deal.cluster[k]));
    state.add_to(list, rows[k]);
  }),
                            dim);
  List              lines;
  dealt.answer(solved(arrived, parameters.tolerance, lines), 1,
               [&](const Index k, const double *const found) { p(rows[k]) = *found; });
  return added_up(processes.on_all(lines));
}
} // namespace moreau::convex
