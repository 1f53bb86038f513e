// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_CONSTRAINT_SWEEP_H
#define MOREAU_CONVEX_SOLVERS_CONSTRAINT_SWEEP_H

#include "convex/cone_projection.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>
#include <optional>

/// One pass over the rows of B that reads a velocity w and builds a force f = Bᵀy at the same time: what first-order
/// methods spend their time in. Rows are scaled to W_cc = 2 (W = B
/// M⁻¹Bᵀ), the value for two equal unit masses: with d_c = √(W_cc/2)
///     row c of B becomes b_c/d_c,   multipliers p_c become d_c p_c,   b_c becomes b_c/d_c.
/// Three classes with the same members, so that the methods are written once as templates:
///   sweep(F)    y_c = F(c, (Bw)_c, sums),  f = Bᵀy        gather(F)   F(c, (Bw)_c, sums)
///   scatter(F)  y_c = F(c, sums),          f = Bᵀy
///   velocity()            w = U - M⁻¹f
///   direction(a, beta)    w = a M⁻¹f + beta w,  returns wᵀMw
/// F may change what it captures at c only. All sums are added in an order that does not depend on the number of threads.
namespace moreau::convex::sweeps
{
/// What a sweep accumulates; the meaning is the caller's.
struct Sums
{
  double a = 0., max = 0.;

  Sums &operator+=(const Sums &other)
  {
    a += other.a;
    max = std::max(max, other.max);
    return *this;
  }
};

/// d_c for W_cc; rows without entries keep theirs.
inline double scale_of_row(const double W) { return W > 0. ? std::sqrt(.5 * W) : 1.; }

/// Nodes of a graph, cut into compact blocks of equal size without looking at positions.
struct NodeBlocks
{
  std::vector<int> order;    ///< nodes, block by block and breadth first inside a block
  std::vector<int> position; ///< its inverse
  int              size = 0; ///< nodes per block: block of node k is position[k] / size

  /// Each block grows breadth first from the oldest node that touches the blocks before it.
  NodeBlocks(Index n_nodes, const std::vector<PairConstraint::Pair> &pairs, int size);
};

/// B of a graph of nodes, one block after another (or side by side, where that pays). A block works on its own nodes and on
/// copies of the nodes of other blocks that its rows touch: forces on the copies are added to the originals afterwards.
template <int dim>
class PairSweep
{
public:
  /// inverse_mass: one per node; W: its diagonal W_cc; U: velocity in the frame of the iteration.
  PairSweep(const PairConstraint &B, const Vector &inverse_mass, const Vector &W, const Vector &U);

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

  void   velocity();
  double direction(double a, double beta);

private:
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

  /// run(k) for all blocks k.
  template <class Run>
  void for_each_block(Run &&run) const
  {
    const int n = static_cast<int>(blocks.size());
    if (n > 1 && n_rows() >= 30000)
      tbb::parallel_for(0, n, run);
    else
      for (int k = 0; k < n; ++k)
        run(k);
  }

  Sums total() const
  {
    Sums sums;
    for (const Sums &part : partial)
      sums += part;
    return sums;
  }

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
};

/// B with known entries, serial.
class SparseSweep
{
public:
  /// inverse_mass: one per column; W: its diagonal W_cc.
  SparseSweep(const SparseConstraint &B, const Vector &inverse_mass, const Vector &W, const Vector &U);

  Index  n_rows() const { return static_cast<Index>(d.size()); }
  Index  original(const Index c) const { return c; }
  double scale(const Index c) const { return d[c]; }

  template <class F>
  Sums sweep(F f);
  template <class F>
  Sums gather(F f);
  template <class F>
  Sums scatter(F f);

  void   velocity() { w = U - inverse_mass.cwiseProduct(this->f); }
  double direction(const double a, const double beta)
  {
    w = a * inverse_mass.cwiseProduct(f) + beta * w;
    return (w.array().square() / inverse_mass.array()).sum();
  }

private:
  double product(const Index c) const
  {
    double Bw = 0.;
    for (Index k = start[c]; k < start[c + 1]; ++k)
      Bw += value[k] * w[column[k]];
    return Bw;
  }

  void add(const Index c, const double y)
  {
    for (Index k = start[c]; k < start[c + 1]; ++k)
      f[column[k]] += value[k] * y;
  }

  std::vector<Index>  start;
  std::vector<int>    column;
  std::vector<double> value, d;
  Vector              w, f, U, inverse_mass;
};

/// Any B and any inner product, through their interfaces; rows are not scaled (d_c = 1).
class OperatorSweep
{
public:
  OperatorSweep(const ProjectionProblem &problem, const Vector &U)
      : V(problem.V), B(problem.B), w(U), f(Vector::Zero(U.size())), U(U), y(B->n_constraints()), M_inverse_f(U.size())
  {}

  Index  n_rows() const { return B->n_constraints(); }
  Index  original(const Index c) const { return c; }
  double scale(Index) const { return 1.; }

  template <class F>
  Sums sweep(F f)
  {
    Sums sums;
    B->apply(w, y);
    for (Index c = 0; c < n_rows(); ++c)
      y[c] = f(c, y[c], sums);
    B->apply_transpose(y, this->f);
    return sums;
  }

  template <class F>
  Sums gather(F f)
  {
    Sums sums;
    B->apply(w, y);
    for (Index c = 0; c < n_rows(); ++c)
      f(c, y[c], sums);
    return sums;
  }

  template <class F>
  Sums scatter(F f)
  {
    Sums sums;
    for (Index c = 0; c < n_rows(); ++c)
      y[c] = f(c, sums);
    B->apply_transpose(y, this->f);
    return sums;
  }

  void velocity()
  {
    V->inverse_riesz(f, M_inverse_f);
    w = U - M_inverse_f;
  }

  double direction(const double a, const double beta)
  {
    V->inverse_riesz(f, M_inverse_f);
    w = a * M_inverse_f + beta * w;
    return V->dot(w, w);
  }

private:
  std::shared_ptr<const VelocitySpace>      V;
  std::shared_ptr<const ConstraintOperator> B;
  Vector                                    w, f, U, y, M_inverse_f;
};

// ---------------------------------------------------------------------------------------------------------------------

template <int dim>
PairSweep<dim>::PairSweep(const PairConstraint &B, const Vector &inverse_mass_of_nodes, const Vector &W,
                          const Vector &velocity)
{
  constexpr int    nodes_per_block = 4096; // w, f and U of a block stay in the second-level cache
  const Index      n = B.n_nodes(), m = B.n_constraints();
  const auto      &pairs = B.pairs();
  const NodeBlocks order(n, pairs, nodes_per_block);
  const auto       block_of = [&](const int node) { return order.position[node] / order.size; };

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

  const int n_blocks = static_cast<int>((n + order.size - 1) / order.size);
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
      const Index begin = Index(k) * order.size, end = std::min<Index>(n, begin + order.size);
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
}

template <int dim>
template <class F>
Sums PairSweep<dim>::sweep(F function)
{
  for_each_block([this, function](const int k) {
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
  for_each_block([this, function](const int k) {
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
void PairSweep<dim>::velocity()
{
  for_each_block([this](const int k) {
    const Block &block = blocks[k];
    collect(block);
    for (Index q = block.first_place; q < block.first_place + block.n_own; ++q)
      for (int a = 0; a < dim; ++a)
        w[dim * q + a] = U[dim * q + a] - inverse_mass[q] * f[dim * q + a];
    distribute(block);
  });
}

template <int dim>
double PairSweep<dim>::direction(const double a, const double beta)
{
  for_each_block([this, a, beta](const int k) {
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
  return total().a;
}

template <class F>
Sums SparseSweep::sweep(F function)
{
  f.setZero();
  Sums sums;
  for (Index c = 0; c < n_rows(); ++c)
    add(c, function(c, product(c), sums));
  return sums;
}

template <class F>
Sums SparseSweep::gather(F function)
{
  Sums sums;
  for (Index c = 0; c < n_rows(); ++c)
    function(c, product(c), sums);
  return sums;
}

template <class F>
Sums SparseSweep::scatter(F function)
{
  f.setZero();
  Sums sums;
  for (Index c = 0; c < n_rows(); ++c)
    add(c, function(c, sums));
  return sums;
}

/// max(0, z) without a branch, exact: signs of multipliers are unpredictable and a wrong guess costs as much as a row.
inline double positive_part(const double z) { return .5 * (z + std::abs(z)); }

/// One value per node where the dim entries of every node have the same one.
std::optional<Vector> values_of_nodes(const Vector &entries, Index dim);
} // namespace moreau::convex::sweeps

#endif
