// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_PAIR_SWEEP_H
#define MOREAU_CONVEX_SOLVERS_PAIR_SWEEP_H

#include "convex/shared_network.h"
#include "convex/solvers/constraint_sweep.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

/// The sweep of a network (constraint_sweep.h), block by block.
namespace moreau::convex::sweeps
{
/// Nodes of a graph, cut into blocks.
struct NodeBlocks
{
  std::vector<int> order;                       ///< nodes, block by block
  std::vector<int> position;                    ///< its inverse
  std::vector<int> begin;                       ///< position of the first node of each block; and the number of nodes
  std::vector<int> block;                       ///< of each node
  int              first_own = 0, last_own = 0; ///< blocks of this process

  /// Compact blocks of equal size without looking at positions: each grows breadth first from the oldest node that touches
  /// the blocks before it.
  NodeBlocks(Index n_nodes, const std::vector<PairConstraint::Pair> &pairs, int size);

  /// Those that a network has.
  explicit NodeBlocks(const NetworkPart &part);

private:
  void number_blocks(); ///< sets block from begin and order
};

/// B of a graph of nodes, one block after another (or side by side, where that pays). A block works on its own nodes and on
/// copies of the nodes of other blocks that its rows touch: forces on the copies are added to the originals afterwards.
/// Where a network is shared, blocks of other processes have the rows that touch an own node, and velocities of their nodes
/// come from their owners while rows are worked on that do not need them.
template <int dim>
class PairSweep
{
public:
  /// inverse_mass: one per node; W: its diagonal W_cc; U: velocity in the frame of the iteration.
  PairSweep(const PairConstraint &B, const Vector &inverse_mass, const Vector &W, const Vector &U)
      : PairSweep(B, inverse_mass, W, U, NodeBlocks(B.n_nodes(), B.pairs(), nodes_per_block))
  {}

  /// The same for a part of a network; U: of own nodes.
  PairSweep(const SharedNetwork &network, const Vector &W, const Vector &U);

  Index  n_rows() const { return static_cast<Index>(rows.size()); }
  Index  original(const Index c) const { return row_of[c]; } ///< the row of B that is number c here
  double scale(const Index c) const { return d[c]; }

  template <class F>
  Sums sweep(F f);
  template <class F>
  Sums gather(F f);
  template <class F>
  Sums scatter(F f)
  {
    return sweep([&f](const Index c, double, Sums &sums) { return f(c, sums); });
  }

  template <class F>
  Sums reduce(F f);

  void   velocity();
  double direction(double a, double beta);
  double max(const double x) const { return network ? network->processes().max(x) : x; }
  double label(const Index c) const { return network ? network->label(original(c)) : static_cast<double>(c); }

private:
  static constexpr int nodes_per_block = 4096; // w, f and U of a block stay in the second-level cache

  PairSweep(const PairConstraint &B, const Vector &inverse_mass, const Vector &W, const Vector &U, const NodeBlocks &order);

  struct Row
  {
    int                     i, j; // places of the nodes in w and f
    std::array<double, dim> e;    // (Bw)_c = e·(w_i - w_j)
  };

  struct Copy
  {
    int original, copy; // places
  };

  struct Block
  {
    Index first_row, last_row;
    int   first_place, n_own, last_place; // own nodes, copies, one place at rest for fixed bodies
    Index first_copy, last_copy;          // in `copies`: copies elsewhere of its own nodes
  };

  /// run(k) for the blocks k of a list, and for own blocks.
  template <class Run>
  void for_each(const std::vector<int> &list, Run &&run) const
  {
    const int n = static_cast<int>(list.size());
    if (n > 1 && n_rows() >= 30000)
      tbb::parallel_for(0, n, [&](const int k) { run(list[k]); });
    else
      for (const int k : list)
        run(k);
  }

  template <class Run>
  void for_own_blocks(Run &&run) const
  {
    if (own_blocks > 1 && n_rows() >= 30000)
      tbb::parallel_for(first_own, first_own + own_blocks, run);
    else
      for (int k = first_own; k < first_own + own_blocks; ++k)
        run(k);
  }

  /// run(k) for all blocks that have rows here, those that wait for other processes last.
  template <class Run>
  void for_all_blocks(Run &&run)
  {
    for_each(inner, run);
    if (under_way)
      receive();
    for_each(outer, run);
  }

  bool is_own(const int block) const { return first_own <= block && block < first_own + own_blocks; }
  Sums total() const;
  void send();    ///< velocities of own nodes that others need
  void receive(); ///< and those of others that are needed here

  void collect(const Block &block)
  {
    for (Index k = block.first_copy; k < block.last_copy; ++k)
      for (int a = 0; a < dim; ++a)
        f[Index(dim) * copies[k].original + a] += f[Index(dim) * copies[k].copy + a];
  }

  void distribute(const Block &block)
  {
    for (Index k = block.first_copy; k < block.last_copy; ++k)
      for (int a = 0; a < dim; ++a)
        w[Index(dim) * copies[k].copy + a] = w[Index(dim) * copies[k].original + a];
  }

  std::vector<Row>    rows;
  std::vector<int>    row_of;
  std::vector<double> d;
  std::vector<Block>  blocks;
  std::vector<Copy>   copies;
  std::vector<double> w, f, U, inverse_mass; // by places; the last one value per place
  std::vector<Sums>   partial;

  int              first_own = 0, own_blocks = 0;
  std::vector<int> inner, outer; // blocks: own ones that need nobody, the others

  const SharedNetwork               *network = nullptr;
  std::unique_ptr<Sharing::Transfer> transfer;
  bool                               under_way = false;
  std::vector<int>                   sent_place, ghost_place;
  std::vector<double>                outgoing;
};

// ---------------------------------------------------------------------------------------------------------------------

template <int dim>
PairSweep<dim>::PairSweep(const PairConstraint &B, const Vector &inverse_mass_of_nodes, const Vector &W,
                          const Vector &velocity, const NodeBlocks &order)
    : first_own(order.first_own), own_blocks(order.last_own - order.first_own)
{
  const Index n = B.n_nodes(), m = B.n_constraints();
  const auto &pairs    = B.pairs();
  const auto  block_of = [&](const int node) { return order.block[node]; };

  // rows in the order of their earlier node: counting sort
  std::vector<Index> first_row(n + 1, 0);
  const auto         earlier = [&](const PairConstraint::Pair &pair) {
    return pair.j == PairConstraint::fixed_body ? order.position[pair.i]
                                                        : std::min(order.position[pair.i], order.position[pair.j]);
  };
  for (const auto &pair : pairs)
    ++first_row[earlier(pair) + 1];
  for (Index k = 0; k < n; ++k)
    first_row[k + 1] += first_row[k];
  row_of.resize(m);
  {
    std::vector<Index> next(first_row.begin(), first_row.end() - 1);
    for (Index c = 0; c < m; ++c)
      row_of[next[earlier(pairs[c])]++] = static_cast<int>(c);
  }

  const int n_blocks = static_cast<int>(order.begin.size()) - 1;
  blocks.resize(n_blocks);
  rows.resize(m);
  d.resize(m);
  partial.resize(n_blocks);

  std::vector<int> place_of_node(n), copy_in(n, -1), copy_place(n);
  std::vector<int> node_at; // -1: at rest
  node_at.reserve(n + n / 8 + n_blocks);
  struct Reference
  {
    int block, node, place;
  };
  std::vector<Reference> references;
  for (int k = 0; k < n_blocks; ++k)
    {
      Block      &block = blocks[k];
      const Index begin = order.begin[k], end = order.begin[k + 1];
      block.first_row   = first_row[begin];
      block.last_row    = first_row[end];
      block.first_place = static_cast<int>(node_at.size());
      block.n_own       = static_cast<int>(end - begin);
      for (Index q = begin; q < end; ++q)
        {
          place_of_node[order.order[q]] = static_cast<int>(node_at.size());
          node_at.push_back(order.order[q]);
        }
      for (Index c = block.first_row; c < block.last_row; ++c)
        {
          const auto &pair = pairs[row_of[c]];
          for (const int node : {pair.i, pair.j})
            if (node != PairConstraint::fixed_body && block_of(node) != k && copy_in[node] != k)
              {
                copy_in[node]    = k;
                copy_place[node] = static_cast<int>(node_at.size());
                references.push_back({block_of(node), node, copy_place[node]});
                node_at.push_back(node);
              }
        }
      const int at_rest = static_cast<int>(node_at.size());
      node_at.push_back(-1);
      block.last_place = static_cast<int>(node_at.size());

      const auto place = [&](const int node) {
        return node == PairConstraint::fixed_body ? at_rest : block_of(node) == k ? place_of_node[node] : copy_place[node];
      };
      for (Index c = block.first_row; c < block.last_row; ++c)
        {
          const auto &pair = pairs[row_of[c]];
          const auto  e    = B.directions().col(row_of[c]);
          d[c]             = scale_of_row(W(row_of[c]));
          // the earlier node first: it is the one whose neighbours come one after another
          const bool swap = pair.j != PairConstraint::fixed_body && order.position[pair.j] < order.position[pair.i];
          rows[c].i       = place(swap ? pair.j : pair.i);
          rows[c].j       = place(swap ? pair.i : pair.j);
          for (int a = 0; a < dim; ++a)
            rows[c].e[a] = (swap ? -e(a) : e(a)) / d[c];
        }
    }

  std::vector<Index> first_copy(n_blocks + 1, 0);
  for (const Reference &reference : references)
    ++first_copy[reference.block + 1];
  for (int k = 0; k < n_blocks; ++k)
    {
      first_copy[k + 1] += first_copy[k];
      blocks[k].first_copy = first_copy[k];
      blocks[k].last_copy  = first_copy[k + 1];
    }
  copies.resize(references.size());
  for (const Reference &reference : references)
    copies[first_copy[reference.block]++] = {place_of_node[reference.node], reference.place};

  const Index n_places = static_cast<Index>(node_at.size());
  w.assign(dim * n_places, 0.);
  f.assign(dim * n_places, 0.);
  U.assign(dim * n_places, 0.);
  inverse_mass.assign(n_places, 0.);
  for (Index k = 0; k < n_places; ++k)
    if (node_at[k] >= 0)
      {
        inverse_mass[k] = inverse_mass_of_nodes(node_at[k]);
        for (int a = 0; a < dim; ++a)
          w[dim * k + a] = U[dim * k + a] = velocity(Index(dim) * node_at[k] + a);
      }
  for (int k = first_own; k < first_own + own_blocks; ++k)
    inner.push_back(k);
}

template <int dim>
PairSweep<dim>::PairSweep(const SharedNetwork &network, const Vector &W, const Vector &velocity)
    : PairSweep(
          network.rows(), network.here().masses.cwiseInverse(), W,
          [&] {
            Vector all = Vector::Zero(network.rows().n_unknowns()); // w of ghosts comes with the first transfer
            all.segment(dim * network.here().first_own, velocity.size()) = velocity;
            return all;
          }(),
          NodeBlocks(network.here()))
{
  this->network = &network;
  transfer      = network.processes().transfer(dim);
  std::vector<int> place_of_node(network.rows().n_nodes());
  for (std::size_t k = 0; k < blocks.size(); ++k)
    for (int q = 0; q < blocks[k].n_own; ++q)
      place_of_node[network.here().block_begin[k] + q] = blocks[k].first_place + q;
  for (const Index node : network.processes().sent())
    sent_place.push_back(place_of_node[network.here().first_own + node]);
  for (const Index node : network.ghosts())
    ghost_place.push_back(place_of_node[node]);
  outgoing.resize(dim * sent_place.size());

  // rows of own blocks that have copies of nodes of others wait for these
  const int         n = static_cast<int>(blocks.size());
  std::vector<char> waits(n, 0);
  for (int k = 0; k < n; ++k)
    if (!is_own(k))
      {
        waits[k] = 1;
        for (Index c = blocks[k].first_copy; c < blocks[k].last_copy; ++c)
          {
            const auto behind =
                std::upper_bound(blocks.begin(), blocks.end(), copies[c].copy,
                                 [](const int place, const Block &block) { return place < block.first_place; });
            waits[behind - blocks.begin() - 1] = 1;
          }
      }
  inner.clear();
  for (int k = 0; k < n; ++k)
    (waits[k] ? outer : inner).push_back(k);
}

template <int dim>
Sums PairSweep<dim>::total() const
{
  Sums sums;
  if (!network)
    {
      for (const Sums &part : partial)
        sums += part;
      return sums;
    }
  std::vector<double> own;
  for (int k = first_own; k < first_own + own_blocks; ++k)
    own.insert(own.end(), {partial[k].a, partial[k].max});
  const std::vector<double> all = network->processes().of_all_blocks(own, 2);
  for (std::size_t k = 0; k < all.size(); k += 2)
    sums += {all[k], all[k + 1]};
  return sums;
}

template <int dim>
void PairSweep<dim>::send()
{
  if (!transfer)
    return;
  for (std::size_t k = 0; k < sent_place.size(); ++k)
    for (int a = 0; a < dim; ++a)
      outgoing[dim * k + a] = w[Index(dim) * sent_place[k] + a];
  transfer->start(outgoing);
  under_way = true;
}

template <int dim>
void PairSweep<dim>::receive()
{
  const std::vector<double> &incoming = transfer->finish();
  under_way                           = false;
  for (std::size_t k = 0; k < ghost_place.size(); ++k)
    for (int a = 0; a < dim; ++a)
      w[Index(dim) * ghost_place[k] + a] = incoming[dim * k + a];
  for (int k = 0; k < static_cast<int>(blocks.size()); ++k)
    if (!is_own(k))
      distribute(blocks[k]);
}

template <int dim>
template <class F>
Sums PairSweep<dim>::sweep(F function)
{
  for_all_blocks([this, function](const int k) {
    const Block &block = blocks[k];
    std::fill(f.begin() + Index(dim) * block.first_place, f.begin() + Index(dim) * block.last_place, 0.);
    const Row *const    row   = rows.data();
    const double *const v     = w.data();
    double *const       force = f.data();
    Sums                sums;
    for (Index c = block.first_row; c < block.last_row; ++c)
      {
        const std::array<double, dim> e = row[c].e;
        const double *const w_i = v + Index(dim) * row[c].i, *const w_j = v + Index(dim) * row[c].j;
        double *const f_i = force + Index(dim) * row[c].i, *const f_j = force + Index(dim) * row[c].j;
        double Bw = 0.;
        for (int a = 0; a < dim; ++a)
          Bw += e[a] * (w_i[a] - w_j[a]);
        const double y = function(c, Bw, sums);
        for (int a = 0; a < dim; ++a)
          {
            f_i[a] += e[a] * y;
            f_j[a] -= e[a] * y;
          }
      }
    partial[k] = sums;
  });
  return total();
}

template <int dim>
template <class F>
Sums PairSweep<dim>::gather(F function)
{
  for_all_blocks([this, function](const int k) {
    Sums sums;
    for (Index c = blocks[k].first_row; c < blocks[k].last_row; ++c)
      {
        double Bw = 0.;
        for (int a = 0; a < dim; ++a)
          Bw += rows[c].e[a] * (w[Index(dim) * rows[c].i + a] - w[Index(dim) * rows[c].j + a]);
        function(c, Bw, sums);
      }
    partial[k] = sums;
  });
  return total();
}

template <int dim>
template <class F>
Sums PairSweep<dim>::reduce(F function)
{
  for_own_blocks([this, function](const int k) {
    Sums sums;
    for (Index c = blocks[k].first_row; c < blocks[k].last_row; ++c)
      function(c, sums);
    partial[k] = sums;
  });
  return total();
}

template <int dim>
void PairSweep<dim>::velocity()
{
  for_own_blocks([this](const int k) {
    const Block &block = blocks[k];
    collect(block);
    for (Index q = block.first_place; q < block.first_place + block.n_own; ++q)
      for (int a = 0; a < dim; ++a)
        w[dim * q + a] = U[dim * q + a] - inverse_mass[q] * f[dim * q + a];
    distribute(block);
  });
  send();
}

template <int dim>
double PairSweep<dim>::direction(const double a, const double beta)
{
  for_own_blocks([this, a, beta](const int k) {
    const Block &block = blocks[k];
    collect(block);
    Sums sums;
    for (Index q = block.first_place; q < block.first_place + block.n_own; ++q)
      {
        double square = 0.;
        for (int s = 0; s < dim; ++s)
          {
            double &w_q = w[dim * q + s];
            w_q         = a * inverse_mass[q] * f[dim * q + s] + beta * w_q;
            square += w_q * w_q;
          }
        sums.a += square / inverse_mass[q];
      }
    distribute(block);
    partial[k] = sums;
  });
  send();
  return total().a;
}
} // namespace moreau::convex::sweeps

#endif
