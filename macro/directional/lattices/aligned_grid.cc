// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/aligned_grid.h"

#include "convex/input_error.h"
#include "macro/directional/saturated_means.h"
#include "macro/saturated_cells.h"
#include "macro/total_bound.h"

#include <tbb/parallel_for.h>

#include <atomic>
#include <numeric>
#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
constexpr Index  cells_at_a_time = 2048; // whatever the number of threads
constexpr double rounding        = 1e-9; // of a cell

/// The box grid where the axes of the cone are those of the box.
AlignedGrid empty_grid(const Setting &setting)
{
  const Eigen::MatrixXd &e = setting.cone.directions;
  AlignedGrid            grid(static_cast<int>(setting.dim()));
  grid.frame = e;
  grid.axis_of_direction.resize(grid.dim);
  for (int k = 0; k < grid.dim; ++k)
    grid.axis_of_direction[k] = k;

  const bool along_the_box = ((e.array().abs() > .5).cast<double>().matrix() - e.cwiseAbs()).cwiseAbs().maxCoeff() == 0.;
  if (along_the_box)
    {
      const BoxGrid box =
          box_grid(setting.domain.lower, setting.domain.upper, setting.mesh.cells_per_unit_length, Processes::alone());
      grid.frame  = Eigen::MatrixXd::Identity(grid.dim, grid.dim);
      grid.origin = box.lower;
      grid.h      = box.h;
      grid.n      = box.n;
      grid.walls  = setting.domain.walls;
      for (int k = 0; k < grid.dim; ++k)
        e.col(k).cwiseAbs().maxCoeff(&grid.axis_of_direction[k]);
      return grid;
    }
  // cells of side d whose corners are origin + d * integers, as many as cover the box
  const double d   = 1. / setting.mesh.cells_per_unit_length;
  Vector       low = Vector::Zero(grid.dim), high = low;
  for (int corner = 0; corner < 1 << grid.dim; ++corner)
    {
      Vector x = Vector::Zero(grid.dim);
      for (int a = 0; a < grid.dim; ++a)
        x(a) = corner >> a & 1 ? setting.domain.upper(a) - setting.domain.lower(a) : 0.;
      const Vector s = grid.frame.transpose() * x / d;
      low            = low.cwiseMin(s);
      high           = high.cwiseMax(s);
    }
  double n_cells = 1.;
  grid.h         = Vector::Constant(grid.dim, d);
  Vector first(grid.dim);
  for (int a = 0; a < grid.dim; ++a)
    {
      first(a)           = std::floor(low(a) + rounding);
      const double count = std::max(1., std::ceil(high(a) - rounding) - first(a));
      n_cells *= count;
      if (!(n_cells < std::numeric_limits<int>::max()))
        throw InputError("the cells per unit length", "The grid would have more than 2e9 cells; give a smaller number.");
      grid.n[a] = static_cast<Index>(count);
    }
  grid.origin = setting.domain.lower + grid.frame * (d * first);
  grid.is_box = false;
  return grid;
}

/// Samples of a face: points in the middle of equal parts, then those of lines_along(). n_even: how many the first are.
Eigen::MatrixXd samples_of_face(const int dim, const int axis, Index &n_even)
{
  const int             n     = dim == 2 ? 33 : 9;
  const Rule            lines = lines_along(dim, axis);
  const Eigen::MatrixXd even  = face_rule(1, dim, axis, n).points;
  n_even                      = even.cols();
  Eigen::MatrixXd xi(dim, even.cols() + lines.size());
  xi << even, lines.points;
  return xi;
}

} // namespace

void set_passages(AlignedGrid &grid, const Domain &domain, const int axis, const Progress &progress)
{
  constexpr double      beside = 1e-7; // of a cell: where rounding does not matter
  Index                 n_even = 0;
  const Eigen::MatrixXd xi     = samples_of_face(grid.dim, axis, n_even);
  const auto            node   = [&](const CellIndex &cell) {
    return cell[axis] >= 0 && cell[axis] < grid.n[axis] ? grid.node[grid.position(cell)] : AlignedGrid::none;
  };
  const auto saturated = [&](const CellIndex &cell, const double side) {
    Eigen::MatrixXd at = xi, x;
    at.row(axis).setConstant(side);
    const Index position = grid.position(cell);
    grid.points(&position, 1, at, x);
    return saturated_at(domain, x);
  };
  Steps lines(progress, grid.n_cells() / grid.n[axis]);
  tbb::parallel_for(Index(0), grid.n_cells() / grid.n[axis], [&](const Index line) {
    CellIndex cell = {0, 0, 0};
    Index     rest = line;
    for (int a = 0; a < grid.dim; ++a)
      if (a != axis)
        {
          cell[a] = rest % grid.n[a];
          rest /= grid.n[a];
        }
    for (cell[axis] = 0; cell[axis] <= grid.n[axis]; ++cell[axis])
      {
        const CellIndex below = moved(cell, axis, -1);
        const int       i = node(below), j = node(cell);
        const bool wall = cell[axis] == 0 && grid.walls[2 * axis] || cell[axis] == grid.n[axis] && grid.walls[2 * axis + 1];
        if (!wall && (i == AlignedGrid::none || j == AlignedGrid::none) || i == j)
          continue;
        grid.passages(axis, cell) = 1.;
        if ((i == AlignedGrid::none || grid.is_whole(i)) && (j == AlignedGrid::none || grid.is_whole(j)))
          continue;
        std::vector<char> both(xi.cols(), 1);
        for (const bool upper : {false, true})
          if (const int k = upper ? j : i; k != AlignedGrid::none && !grid.is_whole(k))
            {
              const std::vector<char> here = saturated(upper ? cell : below, upper ? beside : 1. - beside);
              for (std::size_t q = 0; q < both.size(); ++q)
                both[q] = both[q] && here[q];
            }
        const auto   n_open       = static_cast<double>(std::count(both.begin(), both.begin() + n_even, 1));
        const double at_least     = std::count(both.begin(), both.end(), 1) > 0 ? .5 / static_cast<double>(n_even) : 0.;
        grid.passages(axis, cell) = std::max(n_open / static_cast<double>(n_even), at_least);
      }
    lines.done();
  });
}

Rule lines_along(const int dim, const int axis) { return face_rule(dim < 3 ? 3 : 2, dim, axis, 2); }

BoxGrid AlignedGrid::cells() const
{
  BoxGrid result;
  result.dim       = dim;
  result.n         = n;
  result.lower     = Vector::Zero(dim);
  result.h         = h;
  result.last      = n[dim - 1];
  result.processes = Processes::alone();
  return result;
}

void AlignedGrid::points(const Index *const cells, const Index n_cells, const Eigen::MatrixXd &xi, Eigen::MatrixXd &x) const
{
  const Eigen::MatrixXd step = frame * h.asDiagonal(), local = step * xi;
  x.resize(dim, n_cells * xi.cols());
  Vector corner(dim), index(dim);
  for (Index k = 0; k < n_cells; ++k)
    {
      const CellIndex cell = cell_index(cells[k]);
      for (int a = 0; a < dim; ++a)
        index(a) = static_cast<double>(a == layers.axis ? cell[a] + layers.below : cell[a]);
      corner.noalias()                                 = origin + step * index;
      x.middleCols(k * xi.cols(), xi.cols()).noalias() = local.colwise() + corner;
    }
}

void AlignedGrid::keep(const int axis, const Index first, const Index last)
{
  const Index all = n[axis], below = std::max(first - 1, Index(0)), end = std::min(last + 1, all);
  layers              = {axis, below, all, first - below, last - below};
  n[axis]             = end - below;
  walls[2 * axis]     = walls[2 * axis] && below == 0;
  walls[2 * axis + 1] = walls[2 * axis + 1] && end == all;
}

void AlignedGrid::fill(const Vector &volume_of_cell)
{
  node.assign(n_cells(), none);
  for (Index k = 0; k < n_cells(); ++k)
    if (volume_of_cell(k) > 0.)
      {
        node[k] = static_cast<int>(n_nodes());
        cell_of_node.push_back(k);
      }
  volume.resize(n_nodes());
  for (Index i = 0; i < n_nodes(); ++i)
    volume(i) = volume_of_cell(cell_of_node[i]);
}

std::vector<Index> AlignedGrid::own_layers() const
{
  const Index        of_layer = n_cells() / n[dim - 1];
  std::vector<Index> begin;
  for (Index layer = layers.first; layer <= layers.last; ++layer)
    begin.push_back(std::lower_bound(cell_of_node.begin(), cell_of_node.end(), layer * of_layer) - cell_of_node.begin() -
                    first_own);
  return begin;
}

namespace
{
/// Numbers of own cells (n_each x cells), which are layers across the last axis, with those of ghosts.
Eigen::MatrixXd with_ghost_layers(const AlignedGrid &grid, const Eigen::MatrixXd &own, const Processes &processes)
{
  const Index n_each = own.rows(), of_layer = grid.n_cells() / grid.n[grid.dim - 1];
  const Index n_lower = of_layer * grid.layers.first, n_upper = grid.n_cells() - of_layer * grid.layers.last;
  Vector      from_lower(n_each * n_lower), from_upper(n_each * n_upper);
  processes.exchange(own.leftCols(of_layer).reshaped(), own.rightCols(of_layer).reshaped(), from_lower, from_upper);
  Eigen::MatrixXd all(n_each, grid.n_cells());
  all << from_lower.reshaped(n_each, n_lower), own, from_upper.reshaped(n_each, n_upper);
  return all;
}

/// Sets what is known of all processes from the own nodes.
void count_nodes(AlignedGrid &grid, const Processes &processes)
{
  const std::vector<Index> begin = grid.own_layers();
  Eigen::MatrixXd          volume(1, begin.size() - 1);
  Index                    n_whole = 0;
  for (std::size_t layer = 0; layer + 1 < begin.size(); ++layer)
    {
      double sum = 0.; // a plain loop: Eigen's sums depend on where a vector lies in memory
      for (Index own = begin[layer]; own < begin[layer + 1]; ++own)
        {
          sum += grid.volume(grid.first_own + own);
          n_whole += grid.is_whole(grid.first_own + own);
        }
      volume(0, static_cast<Index>(layer)) = sum;
    }
  grid.zone_volume          = sum_of_columns(processes, volume)(0);
  grid.n_all                = processes.sum(grid.n_own);
  grid.n_all_whole          = processes.sum(n_whole);
  grid.zone_is_cells        = grid.n_all_whole == grid.n_all;
  const Vector of_processes = gathered(processes, Vector::Constant(1, static_cast<double>(grid.n_own)));
  for (int rank = 0; rank < processes.rank(); ++rank)
    grid.n_before += static_cast<Index>(of_processes(rank));
}

/// Whether the density says of no own cell that it may be cut all the same.
bool no_cell_may_be_cut(const AlignedGrid &grid, const Domain &domain)
{
  const Index           of_layer = grid.n_cells() / grid.n[grid.dim - 1];
  std::atomic<bool>     found    = false;
  const Eigen::MatrixXd corners  = geometry::corners(grid.dim, 0.);
  tbb::parallel_for(grid.layers.first, grid.layers.last, [&](const Index layer) {
    std::vector<Index> cells(of_layer);
    std::iota(cells.begin(), cells.end(), layer * of_layer);
    Eigen::MatrixXd x;
    grid.points(cells.data(), of_layer, corners, x);
    if (may_be_cut(domain, x, corners.cols()))
      found = true;
  });
  return !found;
}
} // namespace

AlignedGrid aligned_grid(const Setting &setting, const Progress &progress)
{
  constexpr double sliver    = 1e-6; // of a cell
  const Processes &processes = setting.processes;
  AlignedGrid      grid      = empty_grid(setting);
  BoxGrid          cells     = grid.cells();
  const int        last_axis = grid.dim - 1;
  share_layers(cells, processes);
  SaturatedMeans means = saturated_means(setting, cells, grid.frame, grid.origin, progress.part(0., .7));
  grid.keep(last_axis, cells.first, cells.last);
  grid.zone_error = means.error;

  const Index     n_own_cells = cells.n_own_cells(), of_layer    = n_own_cells / cells.own(last_axis);
  Eigen::MatrixXd volume_and_roughness(2, n_own_cells), left_out = Eigen::MatrixXd::Zero(1 + grid.dim, cells.own(last_axis));
  for (Index k = 0; k < n_own_cells; ++k)
    {
      const bool is_node = means.fraction(k) > sliver;
      volume_and_roughness.col(k) << (is_node ? means.fraction(k) * grid.cell_volume() : 0.), means.is_rough[k];
      grid.n_own += is_node;
      if (is_node || means.fraction(k) == 0.)
        continue;
      Motion of_cell(grid.dim);
      of_cell.add(means.fraction(k) * grid.cell_volume(), means.U.col(k));
      left_out(0, k / of_layer) += of_cell.energy;
      left_out.col(k / of_layer).tail(grid.dim) += of_cell.momentum;
    }
  const Vector of_slivers = sum_of_columns(processes, left_out);
  grid.outside            = means.outside;
  grid.outside.energy += of_slivers(0);
  grid.outside.momentum += of_slivers.tail(grid.dim);

  volume_and_roughness = with_ghost_layers(grid, volume_and_roughness, processes);
  grid.fill(volume_and_roughness.row(0));
  grid.is_rough.resize(grid.n_cells());
  for (Index k = 0; k < grid.n_cells(); ++k)
    grid.is_rough[k] = volume_and_roughness(1, k) > 0.;
  const Index first_cell = of_layer * grid.layers.first;
  grid.first_own =
      std::lower_bound(grid.cell_of_node.begin(), grid.cell_of_node.end(), first_cell) - grid.cell_of_node.begin();
  grid.U.resize(grid.dim * grid.n_own);
  for (Index i = 0; i < grid.n_own; ++i)
    grid.U.segment(grid.dim * i, grid.dim) = means.U.col(grid.cell_of_node[grid.first_own + i] - first_cell);
  count_nodes(grid, processes);
  if (grid.zone_is_cells)
    grid.zone_is_seen = processes.max(no_cell_may_be_cut(grid, setting.domain) ? 0. : 1.) == 0.;

  if (!grid.is_box && processes.size() == 1)
    {
      Eigen::MatrixXd corners;
      grid.points(grid.cell_of_node.data(), grid.n_nodes(), Vector::Zero(grid.dim), corners);
      grid.on_walls = wall_pieces(setting.domain, corners, grid.frame * grid.h.asDiagonal());
    }
  if (!grid.zone_is_cells)
    {
      grid.passages = geometry::FaceArrays(grid.cells());
      together(processes, [&] {
        for (int axis = 0; axis < grid.dim; ++axis)
          set_passages(grid, setting.domain, axis,
                       progress.part(.7 + .3 * axis / grid.dim, .7 + .3 * (axis + 1) / grid.dim));
      });
    }
  return grid;
}

convex::ChainFamilies::Family chains_along(const AlignedGrid &grid, const int axis, int &n_rows)
{
  constexpr int                 none = convex::ChainFamilies::none;
  convex::ChainFamilies::Family family;
  family.direction = grid.frame.col(axis);
  family.node.reserve(grid.n_nodes());
  family.row.reserve(grid.n_nodes());
  family.run_start.push_back(0);
  const Index length = grid.n[axis], stride = axis == 0 ? 1 : axis == 1 ? grid.n[0] : grid.n[0] * grid.n[1];
  // the first cells of all lines of the grid along this axis
  for (Index outer = 0; outer < grid.n_cells(); outer += stride * length)
    for (Index first = outer; first < outer + stride; ++first)
      for (Index l = 0; l < length; ++l)
        {
          const Index cell = first + l * stride;
          if (grid.node[cell] == AlignedGrid::none)
            continue;
          const CellIndex index      = grid.cell_index(cell);
          const bool      open_below = grid.passage(axis, index) > 0.,
                     open_above      = grid.passage(axis, moved(index, axis, 1)) > 0.;
          if (l == 0 || grid.node[cell - stride] == AlignedGrid::none || !open_below)
            family.row_before.push_back(l == 0 && grid.walls[2 * axis] && open_below ? n_rows++ : none);
          family.node.push_back(grid.node[cell]);
          if (l + 1 < length && grid.node[cell + stride] != AlignedGrid::none && open_above)
            family.row.push_back(n_rows++);
          else
            {
              family.row.push_back(none);
              family.row_after.push_back(l + 1 == length && grid.walls[2 * axis + 1] && open_above ? n_rows++ : none);
              family.run_start.push_back(static_cast<int>(family.node.size()));
            }
        }
  return family;
}

convex::ChainFamilies chains_of(const AlignedGrid &grid)
{
  convex::ChainFamilies chains;
  chains.dim     = grid.dim;
  chains.n_nodes = grid.n_nodes();
  int n_rows     = 0;
  for (const int axis : grid.axis_of_direction)
    chains.families.push_back(chains_along(grid, axis, n_rows));
  return chains;
}

std::shared_ptr<const convex::PairConstraint> constraint_of(const convex::ChainFamilies  &chains,
                                                            const std::vector<WallPiece> &on_walls)
{
  using Pair          = convex::PairConstraint::Pair;
  constexpr int fixed = convex::PairConstraint::fixed_body, none = convex::ChainFamilies::none;
  Index         n_rows = 0;
  for (const auto &family : chains.families)
    for (const std::vector<int> *rows : {&family.row, &family.row_before, &family.row_after})
      n_rows += static_cast<Index>(rows->size()) - std::count(rows->begin(), rows->end(), none);
  const auto        n_pieces = static_cast<Index>(on_walls.size());
  std::vector<Pair> pairs(n_rows + n_pieces);
  Eigen::MatrixXd   e(chains.dim, n_rows + n_pieces);
  const auto        set = [&](const int row, const Pair &pair, const auto &direction) {
    if (row == none)
      return;
    pairs[row] = pair;
    e.col(row) = direction;
  };
  for (const auto &family : chains.families)
    for (Index r = 0; r < family.n_runs(); ++r)
      {
        const int begin = family.run_start[r], end = family.run_start[r + 1];
        set(family.row_before[r], {family.node[begin], fixed}, -family.direction);
        for (int l = begin; l + 1 < end; ++l)
          set(family.row[l], {family.node[l], family.node[l + 1]}, family.direction);
        set(family.row_after[r], {family.node[end - 1], fixed}, family.direction);
      }
  for (Index k = 0; k < n_pieces; ++k)
    set(static_cast<int>(n_rows + k), {on_walls[k].node, fixed},
        normal_of_side(on_walls[k].side, static_cast<int>(chains.dim)));
  return std::make_shared<convex::PairConstraint>(chains.dim, chains.n_nodes, std::move(pairs), std::move(e));
}

Motion outside(const Setting &setting, const std::function<bool(const Vector &x)> &covered)
{
  const BoxGrid grid =
      box_grid(setting.domain.lower, setting.domain.upper, setting.mesh.cells_per_unit_length, Processes::alone());
  AlignedGrid cells(grid.dim);
  cells.frame              = Eigen::MatrixXd::Identity(grid.dim, grid.dim);
  cells.origin             = grid.lower;
  cells.h                  = grid.h;
  cells.n                  = grid.n;
  const Rule          rule = gauss_rule(3, grid.dim);
  std::vector<Motion> parts((grid.n_cells() + cells_at_a_time - 1) / cells_at_a_time, Motion(grid.dim));
  for_blocks(grid.n_cells(), cells_at_a_time, [&](const Index first, const Index last) {
    std::vector<Index> block(last - first);
    for (Index k = first; k < last; ++k)
      block[k - first] = k;
    Eigen::MatrixXd x;
    cells.points(block.data(), last - first, rule.points, x);
    Index               n_outside = 0;
    std::vector<double> weight;
    for (Index k = 0; k < x.cols(); ++k)
      if (!covered(x.col(k)))
        {
          x.col(n_outside++) = x.col(k);
          weight.push_back(rule.weights(k % rule.size()));
        }
    if (n_outside == 0)
      return;
    x.conservativeResize(Eigen::NoChange, n_outside);
    Eigen::MatrixXd values(grid.dim, n_outside), density = Eigen::MatrixXd::Ones(1, n_outside);
    setting.U(x, values);
    if (!setting.domain.uniform)
      setting.domain.density(x, density);
    for (Index k = 0; k < n_outside; ++k)
      parts[first / cells_at_a_time].add(grid.cell_volume() * weight[k] * density(0, k), values.col(k));
  });
  Motion sum(grid.dim);
  for (const Motion &part : parts)
    sum += part;
  return sum;
}
} // namespace moreau::macro
