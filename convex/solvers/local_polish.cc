// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/local_polish.h"

#include "convex/certificate.h"
#include "convex/solvers/polished_cluster.h"
#include "convex/structure.h"

#include <algorithm>

namespace moreau::convex
{
namespace
{
/// Lists of integers, one per row.
struct Lists
{
  std::vector<int> start = {0}, entry;

  const int *begin(const Index c) const { return entry.data() + start[c]; }
  const int *end(const Index c) const { return entry.data() + start[c + 1]; }
  Index      size() const { return static_cast<Index>(start.size()) - 1; }
  void       close_list() { start.push_back(static_cast<int>(entry.size())); }
};

/// The nodes that a row of B connects; a node owns dim consecutive entries of a velocity.
Lists nodes_of_rows(const Structure &B, const Index dim)
{
  Lists nodes;
  if (B.pairs)
    for (const auto &[i, j] : B.pairs->pairs())
      {
        nodes.entry.push_back(i);
        if (j != PairConstraint::fixed_body)
          nodes.entry.push_back(j);
        nodes.close_list();
      }
  else
    for (Index c = 0; c < B.entries->n_constraints(); ++c)
      {
        for (SparseConstraint::Matrix::InnerIterator entry(B.entries->matrix(), c); entry; ++entry)
          {
            const int node = static_cast<int>(entry.col() / dim);
            if (nodes.entry.size() == static_cast<std::size_t>(nodes.start.back()) || nodes.entry.back() != node)
              nodes.entry.push_back(node);
          }
        nodes.close_list();
      }
  return nodes;
}

Lists transpose(const Lists &lists, const Index n)
{
  Lists transposed;
  transposed.start.assign(n + 1, 0);
  transposed.entry.resize(lists.entry.size());
  for (const int k : lists.entry)
    ++transposed.start[k + 1];
  for (Index k = 0; k < n; ++k)
    transposed.start[k + 1] += transposed.start[k];
  std::vector<int> next(transposed.start.begin(), transposed.start.end() - 1);
  for (Index c = 0; c < lists.size(); ++c)
    for (const int *k = lists.begin(c); k != lists.end(c); ++k)
      transposed.entry[next[*k]++] = static_cast<int>(c);
  return transposed;
}

/// A set of nodes and the rows that lie wholly among them.
struct Rows
{
  std::vector<int> nodes, rows;
};

/// The state (u, p) of the dual iteration seen as a graph, in the frame of the mean velocity.
class Network
{
public:
  Network(const ProjectionProblem &problem, const Structure &structure, Vector &p, const PolishParameters &parameters)
      : B(*structure.entries)
      , pairs(structure.pairs)
      , V(*structure.masses)
      , dim(pairs ? pairs->dimension() : V.dimension())
      , p(p)
      , parameters(parameters)
      , nodes_of(nodes_of_rows(structure, dim))
      , rows_of(transpose(nodes_of, V.size() / dim))
      , b(problem.right_hand_side())
  {
    const Vector mean = V.mean(problem.U);
    u                 = problem.velocity_of(p) - mean;
    Vector Bv(b.size());
    B.apply(mean, Bv);
    b -= Bv;
    B.apply(u, Bv);
    slack    = b - Bv;
    velocity = max_abs(problem.U - mean);
    residual = .5 * delassus_diagonal(problem).cwiseProduct(p).cwiseMin(slack).cwiseAbs();
  }

  /// The nodes to solve for, as connected clusters: bad rows and their surroundings, within the cap.
  std::vector<Rows> clusters()
  {
    const double worst = max_abs(residual), most = parameters.largest * static_cast<double>(rows_of.size());
    double       threshold = std::min(parameters.threshold, .99);
    unsigned int depth     = parameters.depth;
    if (!(worst > 0.))
      return {};
    std::vector<int> marked = neighbourhood(threshold * worst, depth);
    while (static_cast<double>(marked.size()) > most && (threshold < .99 || depth > 0))
      {
        if (threshold < .99)
          threshold = std::min(.99, 1.6 * threshold);
        else
          depth /= 2;
        marked = neighbourhood(threshold * worst, depth);
      }
    return connected(marked);
  }

  /// Minimises the dual over the multipliers of the cluster's rows, unless its value would rise.
  void solve(const Rows &rows, PolishReport &report)
  {
    const Index n = static_cast<Index>(rows.nodes.size()), m = static_cast<Index>(rows.rows.size());
    Cluster     cluster;
    Vector      masses(dim * n);
    cluster.u.resize(dim * n);
    cluster.p.resize(m);
    cluster.problem.b.resize(m);
    for (Index k = 0; k < n; ++k)
      {
        masses.segment(dim * k, dim)    = V.masses().segment(dim * rows.nodes[k], dim);
        cluster.u.segment(dim * k, dim) = u.segment(dim * rows.nodes[k], dim);
      }
    for (Index c = 0; c < m; ++c)
      {
        cluster.p(c)         = p(rows.rows[c]);
        cluster.problem.b(c) = b(rows.rows[c]);
      }
    cluster.problem.B  = restricted(rows);
    cluster.problem.V  = V.dimension() == dim ? std::make_shared<DiagonalSpace>(masses(Eigen::seqN(0, n, dim)), dim)
                                              : std::make_shared<DiagonalSpace>(masses); // one mass per entry
    const Vector p_new = polished(std::move(cluster), parameters.tolerance, report);
    for (Index c = 0; c < m; ++c)
      p(rows.rows[c]) = p_new(c);
  }

private:
  const SparseConstraint &B;
  const PairConstraint   *pairs; ///< the same where it is one
  const DiagonalSpace    &V;
  Index                   dim;
  Vector                 &p;
  const PolishParameters &parameters;
  Lists                   nodes_of, rows_of;
  Vector                  u, b, slack, residual;
  double                  velocity = 0.;
  std::vector<int>        local; ///< of a node in its cluster; used by restricted() alone

  std::vector<int> neighbourhood(const double bad, const unsigned int depth) const
  {
    std::vector<bool> is_marked(rows_of.size(), false);
    std::vector<int>  marked;
    const auto        mark_ends = [&](const Index c) {
      for (const int *node = nodes_of.begin(c); node != nodes_of.end(c); ++node)
        if (!is_marked[*node])
          {
            is_marked[*node] = true;
            marked.push_back(*node);
          }
    };
    for (Index c = 0; c < residual.size(); ++c)
      if (residual(c) > bad)
        mark_ends(c);
    std::size_t layer = 0;
    for (unsigned int d = 0; d < depth; ++d)
      for (const std::size_t end = marked.size(); layer < end; ++layer)
        for (const int *c = rows_of.begin(marked[layer]); c != rows_of.end(marked[layer]); ++c)
          if (p(*c) > 0. || slack(*c) < parameters.near * velocity)
            mark_ends(*c);
    return marked;
  }

  std::vector<Rows> connected(const std::vector<int> &marked) const
  {
    constexpr int     outside = -2, unseen = -1;
    std::vector<int>  cluster_of(rows_of.size(), outside);
    std::vector<Rows> clusters;
    std::vector<bool> row_seen(nodes_of.size(), false);
    for (const int node : marked)
      cluster_of[node] = unseen;
    const auto inside = [&](const Index c) {
      return std::all_of(nodes_of.begin(c), nodes_of.end(c), [&](const int node) { return cluster_of[node] != outside; });
    };
    for (const int seed : marked)
      {
        if (cluster_of[seed] != unseen)
          continue;
        Rows      cluster;
        const int number = static_cast<int>(clusters.size());
        cluster.nodes.push_back(seed);
        cluster_of[seed] = number;
        for (std::size_t k = 0; k < cluster.nodes.size(); ++k)
          for (const int *c = rows_of.begin(cluster.nodes[k]); c != rows_of.end(cluster.nodes[k]); ++c)
            if (!row_seen[*c] && inside(*c))
              {
                row_seen[*c] = true;
                cluster.rows.push_back(*c);
                for (const int *node = nodes_of.begin(*c); node != nodes_of.end(*c); ++node)
                  if (cluster_of[*node] == unseen)
                    {
                      cluster_of[*node] = number;
                      cluster.nodes.push_back(*node);
                    }
              }
        if (!cluster.rows.empty())
          clusters.push_back(std::move(cluster));
        else
          cluster_of[seed] = unseen; // a node without rows of its own; its number is free again
      }
    return clusters;
  }

  /// B of the cluster's rows and nodes.
  std::shared_ptr<const SparseConstraint> restricted(const Rows &cluster)
  {
    const Index n = static_cast<Index>(cluster.nodes.size()), m = static_cast<Index>(cluster.rows.size());
    local.resize(rows_of.size());
    for (Index k = 0; k < n; ++k)
      local[cluster.nodes[k]] = static_cast<int>(k);
    if (pairs)
      {
        std::vector<PairConstraint::Pair> between;
        Eigen::MatrixXd                   directions(dim, m);
        for (Index c = 0; c < m; ++c)
          {
            const auto [i, j] = pairs->pairs()[cluster.rows[c]];
            between.push_back({local[i], j == PairConstraint::fixed_body ? j : local[j]});
            directions.col(c) = pairs->directions().col(cluster.rows[c]);
          }
        return std::make_shared<PairConstraint>(dim, n, std::move(between), std::move(directions));
      }
    std::vector<Eigen::Triplet<double>> entries;
    for (Index c = 0; c < m; ++c)
      for (SparseConstraint::Matrix::InnerIterator entry(B.matrix(), cluster.rows[c]); entry; ++entry)
        entries.emplace_back(c, dim * local[entry.col() / dim] + entry.col() % dim, entry.value());
    SparseConstraint::Matrix matrix(m, dim * n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return std::make_shared<SparseConstraint>(std::move(matrix));
  }
};
} // namespace

PolishReport local_polish(const ProjectionProblem &problem, Vector &p, const PolishParameters &parameters)
{
  const Structure structure = structure_with_entries(problem, "local_polish");
  PolishReport    report;
  if (p.size() == 0)
    return report;
  Network network(problem, structure, p, parameters);
  for (const Rows &cluster : network.clusters())
    {
      report.n_nodes += static_cast<Index>(cluster.nodes.size());
      network.solve(cluster, report);
    }
  return report;
}
} // namespace moreau::convex
