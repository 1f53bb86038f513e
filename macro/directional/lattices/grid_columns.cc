// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/grid_columns.h"

#include "parallel/collectives.h"

#include <algorithm>

namespace moreau::macro
{
namespace
{
using parallel::List;

/// First of `all` layers of a process; that of the process behind it ends them.
Index first_layer(const Index all, const int rank, const int n_processes) { return all * rank / n_processes; }
} // namespace

GridColumns::GridColumns(const AlignedGrid &layers, const Domain &domain, const Processes &processes)
    : processes(processes), columns(layers)
{
  const int   n = processes.size(), last = layers.dim - 1;
  const Index width = layers.n[0], of_layer = layers.n_cells() / layers.n[last], all = layers.layers.all;
  columns.first_own = 0; // ghosts lie between own nodes
  columns.cell_of_node.clear();
  columns.U.resize(0);
  columns.n[last] = all;
  columns.walls   = domain.walls;
  if (!layers.is_box)
    columns.walls = {};
  columns.keep(0, first_layer(width, processes.rank(), n), first_layer(width, processes.rank() + 1, n));

  // who has which columns: own ones, and those with the ghosts
  std::vector<int>              owner(width);
  std::vector<std::vector<int>> holders(width);
  for (int rank = 0; rank < n; ++rank)
    {
      const Index first = first_layer(width, rank, n), end = first_layer(width, rank + 1, n);
      for (Index i = std::max(first - 1, Index(0)); i < std::min(end + 1, width); ++i)
        holders[i].push_back(rank);
      for (Index i = first; i < end; ++i)
        owner[i] = rank;
    }

  // cells arrive layer by layer, as they lie in the columns; nodes likewise
  std::vector<List>             of_cells(n);
  std::vector<std::vector<int>> nodes(n), back_to(n);
  for (Index cell = of_layer * layers.layers.first; cell < of_layer * layers.layers.last; ++cell)
    {
      const int node = layers.node[cell];
      for (const int rank : holders[cell % width])
        {
          of_cells[rank].insert(of_cells[rank].end(), {node == AlignedGrid::none ? 0. : layers.volume(node),
                                                       static_cast<double>(layers.is_rough[cell])});
          if (node != AlignedGrid::none)
            nodes[rank].push_back(static_cast<int>(node - layers.first_own));
        }
      if (node != AlignedGrid::none)
        back_to[owner[cell % width]].push_back(static_cast<int>(node - layers.first_own));
    }
  const List arrived = parallel::exchanged(processes, of_cells);
  of_cells.clear();
  const Eigen::Map<const Eigen::MatrixXd> cells(arrived.data(), 2, static_cast<Index>(arrived.size() / 2));
  columns.fill(cells.row(0));
  columns.is_rough.assign(columns.n_cells(), 0);
  for (Index k = 0; k < columns.n_cells(); ++k)
    columns.is_rough[k] = cells(1, k) > 0.;
  const auto counts = [n](const std::vector<std::vector<int>> &lists) {
    std::vector<List> numbers(n);
    for (int rank = 0; rank < n; ++rank)
      numbers[rank] = {static_cast<double>(lists[rank].size())};
    return numbers;
  };
  for (int rank = 0; rank < n; ++rank)
    {
      there.items.insert(there.items.end(), nodes[rank].begin(), nodes[rank].end());
      there.n_to.push_back(static_cast<int>(nodes[rank].size()));
      place.insert(place.end(), back_to[rank].begin(), back_to[rank].end());
      back.n_from.push_back(static_cast<int>(back_to[rank].size()));
    }
  for (const double from : parallel::exchanged(processes, counts(nodes)))
    there.n_from.push_back(static_cast<int>(from));

  // own nodes lie layer by layer, those of one process behind those of another
  back.n_to.assign(n, 0);
  columns.n_own = 0;
  for (Index k = 0; k < columns.n_nodes(); ++k)
    {
      const CellIndex cell = columns.cell_index(columns.cell_of_node[k]);
      if (cell[0] < columns.layers.first || cell[0] >= columns.layers.last)
        continue;
      own_nodes.push_back(static_cast<int>(k));
      int rank = static_cast<int>(cell[last] * n / all);
      while (rank + 1 < n && first_layer(all, rank + 1, n) <= cell[last])
        ++rank;
      ++back.n_to[rank];
    }
  columns.n_own = static_cast<Index>(own_nodes.size());
  back.items    = own_nodes;
  if (!columns.zone_is_cells)
    {
      columns.passages = geometry::FaceArrays(columns.cells());
      together(processes, [&] { set_passages(columns, domain, last); });
    }
}

Vector GridColumns::sent(const Way &way, const Vector &numbers, const Index n_each) const
{
  List outgoing, incoming;
  outgoing.reserve(n_each * way.items.size());
  for (const int item : way.items)
    for (Index a = 0; a < n_each; ++a)
      outgoing.push_back(numbers(n_each * item + a));
  const auto times = [n_each](std::vector<int> counts) {
    for (int &count : counts)
      count *= static_cast<int>(n_each);
    return counts;
  };
  parallel::exchange(processes, outgoing, times(way.n_to), times(way.n_from), incoming);
  return Eigen::Map<const Vector>(incoming.data(), static_cast<Index>(incoming.size()));
}

Vector GridColumns::to_columns(const Vector &of_layers, const Index n_each) const { return sent(there, of_layers, n_each); }

Vector GridColumns::to_layers(const Vector &of_columns, const Index n_each) const
{
  const Vector arrived = sent(back, of_columns, n_each);
  Vector       result(arrived.size());
  for (std::size_t k = 0; k < place.size(); ++k)
    result.segment(n_each * place[k], n_each) = arrived.segment(n_each * static_cast<Index>(k), n_each);
  return result;
}
} // namespace moreau::macro
