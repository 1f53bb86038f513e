// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/shared_chains.h"

#include "convex/certificate.h"
#include "convex/chains/runs_of_problem.h"
#include "parallel/node_sharing.h"

#include <algorithm>
#include <numeric>

namespace moreau::macro
{
namespace
{
using Family       = SharedChains::Family;
constexpr int none = convex::ChainFamilies::none;

/// The families in the order of their axes.
std::vector<std::size_t> by_axes(const AlignedGrid &grid)
{
  std::vector<std::size_t> order(grid.axis_of_direction.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](const std::size_t a, const std::size_t b) { return grid.axis_of_direction[a] < grid.axis_of_direction[b]; });
  return order;
}

/// Calls f(row, i, j, sign) for the rows of a family: pairs of nodes or, j = fixed_body, ends at walls, to which sign e
/// points.
template <class F>
void for_pairs(Family &family, const F &f)
{
  for (std::size_t l = 0; l < family.node.size(); ++l)
    if (family.row[l] != none)
      f(family.row[l], family.node[l], family.node[l + 1], 1.);
}
template <class F>
void for_walls(Family &family, const F &f)
{
  constexpr int fixed = convex::PairConstraint::fixed_body;
  for (Index r = 0; r < family.n_runs(); ++r)
    {
      if (family.row_before[r] != none)
        f(family.row_before[r], family.node[family.run_start[r]], fixed, -1.);
      if (family.row_after[r] != none)
        f(family.row_after[r], family.node[family.run_start[r + 1] - 1], fixed, 1.);
    }
}

/// Numbers the rows anew: by their first node, pairs before walls; those that touch no own node behind all others.
convex::NetworkPart part_of_network(const AlignedGrid &grid, convex::ChainFamilies &chains, const Processes &processes)
{
  const std::vector<std::size_t> order = by_axes(grid);
  const auto                     is_in = [&](const int i, const int j) {
    return grid.owns(i) || j != convex::PairConstraint::fixed_body && grid.owns(j);
  };
  std::vector<int> next(grid.n_nodes() + 1, 0); // of each node its next row
  const auto       count = [&](int &, const int i, const int j, double) { next[i + 1] += is_in(i, j); };
  for (const std::size_t k : order)
    {
      for_pairs(chains.families[k], count);
      for_walls(chains.families[k], count);
    }
  std::partial_sum(next.begin(), next.end(), next.begin());

  convex::NetworkPart part;
  part.dim          = grid.dim;
  const int n_rows  = next.back();
  part.n_rows       = processes.sum(static_cast<Index>(n_rows - next[grid.first_own]));
  int    behind_all = n_rows;
  Vector e;
  part.pairs.resize(n_rows);
  part.directions.resize(grid.dim, n_rows);
  const auto set = [&](int &row, const int i, const int j, const double sign) {
    row = is_in(i, j) ? next[i]++ : behind_all++;
    if (row >= n_rows)
      return;
    part.pairs[row]          = {i, j};
    part.directions.col(row) = sign * e;
  };
  for (const std::size_t k : order)
    {
      e = chains.families[k].direction;
      for_pairs(chains.families[k], set);
    }
  for (const std::size_t k : order)
    {
      e = chains.families[k].direction;
      for_walls(chains.families[k], set);
    }

  part.number.resize(grid.n_nodes());
  std::iota(part.number.begin(), part.number.end(), grid.n_before - grid.first_own);
  const Index of_layer = grid.n_cells() / grid.n[grid.dim - 1];
  for (Index layer = 0; layer <= grid.n[grid.dim - 1]; ++layer)
    part.block_begin.push_back(std::lower_bound(grid.cell_of_node.begin(), grid.cell_of_node.end(), layer * of_layer) -
                               grid.cell_of_node.begin());
  part.first_own       = grid.first_own;
  part.n_own           = grid.n_own;
  part.first_own_block = static_cast<int>(grid.layers.first);
  part.n_own_blocks    = static_cast<int>(grid.layers.last - grid.layers.first);
  part.n_nodes         = grid.n_all;
  part.masses          = grid.volume;
  return part;
}

std::shared_ptr<const convex::SharedNetwork> network_of(const AlignedGrid &grid, convex::ChainFamilies &chains,
                                                        const Processes &processes)
{
  convex::NetworkPart part   = part_of_network(grid, chains, processes);
  std::vector<Index>  ghosts = {part.number.begin(), part.number.begin() + part.first_own};
  ghosts.insert(ghosts.end(), part.number.begin() + part.first_own + part.n_own, part.number.end());
  const auto sharing = parallel::node_sharing(processes, part.n_nodes, grid.n_before, part.n_own, part.n_own_blocks, ghosts);
  return std::make_shared<convex::SharedNetwork>(std::move(part), sharing);
}

/// The runs of a family that own nodes have, by own nodes: chains along another axis than the last one.
Family of_own_nodes(const Family &family, const AlignedGrid &grid)
{
  Family own;
  own.direction = family.direction;
  own.run_start = {0};
  for (Index r = 0; r < family.n_runs(); ++r)
    {
      const int begin = family.run_start[r], end = family.run_start[r + 1];
      if (!grid.owns(family.node[begin]))
        continue;
      for (int l = begin; l < end; ++l)
        own.node.push_back(static_cast<int>(family.node[l] - grid.first_own));
      own.row.insert(own.row.end(), family.row.begin() + begin, family.row.begin() + end);
      own.run_start.push_back(static_cast<int>(own.node.size()));
      own.row_before.push_back(family.row_before[r]);
      own.row_after.push_back(family.row_after[r]);
    }
  return own;
}

/// How many rows a family numbers.
Index n_rows_of(const Family &family)
{
  int most = none;
  for (const std::vector<int> *const rows : {&family.row, &family.row_before, &family.row_after})
    for (const int row : *rows)
      most = std::max(most, row);
  return most + 1;
}
} // namespace

SharedChains::SharedChains(const AlignedGrid &grid, convex::ChainFamilies &chains, const Domain &domain,
                           const Processes &processes)
    : grid(grid), chains(chains), sharers(processes), B(network_of(grid, chains, processes))
{
  if (processes.size() == 1)
    return;
  in_columns.emplace(grid, domain, processes);
  has_walls = in_columns->grid().walls[2 * grid.dim - 2] || in_columns->grid().walls[2 * grid.dim - 1];
  for (std::size_t k = 0; k < chains.families.size(); ++k)
    if (grid.axis_of_direction[k] == grid.dim - 1)
      {
        int n_rows = 0;
        own.emplace_back();
        whole = chains_along(in_columns->grid(), grid.dim - 1, n_rows);
      }
    else
      own.push_back(of_own_nodes(chains.families[k], grid));
}

void SharedChains::regress(const std::size_t k, const Vector &s, const Vector *const masses, const double common_mass,
                           const std::function<void(Index, double)> &set, Vector &p) const
{
  if (in_columns && grid.axis_of_direction[k] == grid.dim - 1)
    return regress_in_columns(k, s, masses, common_mass, set, p);
  const convex::RunsOfProblem runs(local(k), masses ? *masses : Vector(), !masses, Vector::Zero(p.size()));
  runs.project([&](const Index node) { return s(node); }, set, common_mass, p);
}

void SharedChains::regress_in_columns(const std::size_t k, const Vector &s, const Vector *const masses,
                                      const double common_mass, const std::function<void(Index, double)> &set,
                                      Vector &p) const
{
  const Vector s_there = in_columns->to_columns(s), masses_there = masses ? in_columns->to_columns(*masses) : Vector();
  Vector       p_there(n_rows_of(whole));
  const convex::RunsOfProblem runs(whole, masses_there, !masses, Vector::Zero(p_there.size()));

  // of each node: z, and the multipliers of the rows to its neighbours, which both sides hold, and at walls
  const Index     n_each = has_walls ? 5 : 3;
  Eigen::MatrixXd found  = Eigen::MatrixXd::Zero(n_each, in_columns->grid().n_nodes());
  runs.project([&](const Index node) { return s_there(node); },
               [&](const Index node, const double z) { found(0, node) = z; }, common_mass, p_there);
  const auto of_row = [](const Vector &q, const int row) { return row == none ? 0. : q(row); };
  for (Index r = 0; r < whole.n_runs(); ++r)
    for (int begin = whole.run_start[r], end = whole.run_start[r + 1], l = begin; l < end; ++l)
      {
        auto of_node = found.col(whole.node[l]);
        of_node(1)   = of_row(p_there, whole.row[l]);
        of_node(2)   = l > begin ? of_row(p_there, whole.row[l - 1]) : 0.;
        if (!has_walls)
          continue;
        of_node(3) = l == begin ? of_row(p_there, whole.row_before[r]) : 0.;
        of_node(4) = l + 1 == end ? of_row(p_there, whole.row_after[r]) : 0.;
      }
  const Vector  back    = in_columns->to_layers(found.reshaped(), n_each);
  const Family &family  = chains.families[k];
  const auto    set_row = [&](const int row, const double value) {
    if (row != none)
      p(row) = value;
  };
  for (Index r = 0; r < family.n_runs(); ++r)
    for (int begin = family.run_start[r], end = family.run_start[r + 1], l = begin; l < end; ++l)
      {
        if (!grid.owns(family.node[l]))
          continue;
        const Index         own     = family.node[l] - grid.first_own;
        const double *const of_node = back.data() + n_each * own;
        set(own, of_node[0]);
        set_row(family.row[l], of_node[1]);
        set_row(l > begin ? family.row[l - 1] : none, of_node[2]);
        if (!has_walls)
          continue;
        set_row(l == begin ? family.row_before[r] : none, of_node[3]);
        set_row(l + 1 == end ? family.row_after[r] : none, of_node[4]);
      }
}

Vector SharedChains::along(const std::size_t k, const Vector &u) const
{
  const Vector &e   = chains.families[k].direction;
  const Index   dim = grid.dim;
  Vector        s(u.size() / dim);
  for_blocks(s.size(), convex::nodes_at_a_time, [&](const Index first, const Index end) {
    for (Index node = first; node < end; ++node)
      s(node) = e.dot(u.segment(dim * node, dim));
  });
  return s;
}

Vector SharedChains::repaired(const Vector &u) const
{
  const Index dim = grid.dim;
  Vector      v   = u, unwanted(B->n_constraints());
  for (std::size_t k = 0; k < chains.families.size(); ++k)
    {
      const Vector s = along(k, u), &e = chains.families[k].direction;
      regress(
          k, s, nullptr, 1., [&](const Index node, const double z) { v.segment(dim * node, dim) += (z - s(node)) * e; },
          unwanted);
    }
  return v;
}

convex::SaddlePoint SharedChains::projection(const Vector &U, const Vector &masses) const
{
  const Index  dim = grid.dim, n = masses.size();
  const double most         = sharers.max(n > 0 ? masses.maxCoeff() : 0.);
  const bool   equal_masses = sharers.max((masses.array() == most).all() ? 0. : 1.) == 0.;

  convex::SaddlePoint x;
  x.u = U;
  x.p = Vector::Zero(B->n_constraints());
  // What no family touches comes first: along an axis nothing is left, and u is exactly monotone.
  std::vector<Vector> s;
  for (std::size_t k = 0; k < chains.families.size(); ++k)
    {
      const Vector &e = chains.families[k].direction;
      s.push_back(along(k, U));
      for_blocks(n, convex::nodes_at_a_time, [&](const Index first, const Index end) {
        for (Index node = first; node < end; ++node)
          x.u.segment(dim * node, dim) -= s[k](node) * e;
      });
    }
  for (std::size_t k = 0; k < chains.families.size(); ++k)
    {
      const Vector &e = chains.families[k].direction;
      regress(
          k, s[k], equal_masses ? nullptr : &masses, equal_masses ? most : 1.,
          [&](const Index node, const double z) { x.u.segment(dim * node, dim) += z * e; }, x.p);
    }
  x.n_iterations = 1;
  x.status       = convex::Status::converged;
  x.method       = "lines (exact)";
  return x;
}

std::shared_ptr<const RunsOnLines> SharedChains::runs_along_last_axis(const Vector &u) const
{
  if (!in_columns)
    return nullptr;
  const std::size_t k =
      std::find(grid.axis_of_direction.begin(), grid.axis_of_direction.end(), grid.dim - 1) - grid.axis_of_direction.begin();
  const Vector v = along(k, u.segment(grid.dim * grid.first_own, grid.dim * grid.n_own));
  return std::make_shared<RunsOnLines>(runs_of_all_columns(*in_columns, whole, in_columns->to_columns(v), sharers));
}

convex::SaddlePoint SharedChainProjector::project(const convex::ProjectionProblem &problem, const Vector *) const
{
  convex::SaddlePoint x =
      chains->projection(problem.U, dynamic_cast<const convex::DiagonalSpace &>(*problem.V).masses_of_nodes());
  judge(problem, criterion, x);
  return x;
}
} // namespace moreau::macro
