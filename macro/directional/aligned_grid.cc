// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/aligned_grid.h"

#include "convex/input_error.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
constexpr Index  cells_at_a_time = 2048; // whatever the number of threads
constexpr double rounding        = 1e-9; // of a cell

/// run(first, last) for blocks of 0 ... n-1, threads sharing the blocks.
template <class Run>
void for_blocks(const Index n, Run &&run)
{
  tbb::parallel_for(Index(0), (n + cells_at_a_time - 1) / cells_at_a_time,
                    [&](const Index b) { run(b * cells_at_a_time, std::min(n, (b + 1) * cells_at_a_time)); });
}

/// The box grid where the axes of the cone are those of the box; throws where walls demand that and they are not.
AlignedGrid empty_grid(const Setting &setting)
{
  const Eigen::MatrixXd &e = setting.cone.directions;
  AlignedGrid            grid;
  grid.dim   = static_cast<int>(setting.dim());
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
  for (const bool wall : setting.domain.walls)
    if (wall)
      throw InputError("the walls",
                       "The sides of the box are no lines of the lattice; turn it by a multiple of 90 degrees, or "
                       "set 'Mesh/Alignment = box'.");
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

/// Centre, corners, and points in between that tell whether the boundary of the zone cuts a cell. A little inside the cell,
/// where rounding does not matter.
Eigen::MatrixXd samples(const int dim)
{
  const Eigen::MatrixXd corners = geometry::corners(dim, 1e-6), within = gauss_rule(2, dim).points;
  Eigen::MatrixXd       xi(dim, 1 + corners.cols() + within.cols());
  xi << Vector::Constant(dim, .5), corners, within;
  return xi;
}
} // namespace

void AlignedGrid::points(const Index *const cells, const Index n_cells, const Eigen::MatrixXd &xi, Eigen::MatrixXd &x) const
{
  const Eigen::MatrixXd step = frame * h.asDiagonal(), local = step * xi;
  x.resize(dim, n_cells * xi.cols());
  Vector corner(dim), index(dim);
  for (Index k = 0; k < n_cells; ++k)
    {
      const CellIndex cell = cell_index(cells[k]);
      for (int a = 0; a < dim; ++a)
        index(a) = static_cast<double>(cell[a]);
      corner.noalias()                                 = origin + step * index;
      x.middleCols(k * xi.cols(), xi.cols()).noalias() = local.colwise() + corner;
    }
}

bool AlignedGrid::covers(const Vector &x) const
{
  const Vector s    = (frame.transpose() * (x - origin)).cwiseQuotient(h);
  CellIndex    cell = {0, 0, 0};
  for (int a = 0; a < dim; ++a)
    {
      cell[a] = static_cast<Index>(std::floor(s(a)));
      if (cell[a] < 0 || cell[a] >= n[a])
        return false;
    }
  return node[position(cell)] != none;
}

AlignedGrid aligned_grid(const Setting &setting)
{
  AlignedGrid grid = empty_grid(setting);
  grid.node.assign(grid.n_cells(), AlignedGrid::none);
  const bool            full     = grid.is_box && setting.domain.uniform;
  const Eigen::MatrixXd xi       = samples(grid.dim);
  const Index           n_decide = 1 + (Index(1) << grid.dim); // centre and corners
  std::vector<char>     cut(full ? 0 : grid.n_cells(), 0);
  if (!full)
    for_blocks(grid.n_cells(), [&](const Index first, const Index last) {
      std::vector<Index> cells(last - first);
      for (Index k = first; k < last; ++k)
        cells[k - first] = k;
      Eigen::MatrixXd x;
      grid.points(cells.data(), last - first, xi, x);
      const std::vector<char> saturated = saturated_at(setting.domain, x);
      for (Index k = first; k < last; ++k)
        {
          const char *const of_cell  = saturated.data() + (k - first) * xi.cols();
          const Index       deciding = std::count(of_cell, of_cell + n_decide, 1),
                      all            = std::count(of_cell, of_cell + xi.cols(), 1);
          grid.node[k]               = deciding == n_decide ? 0 : AlignedGrid::none;
          cut[k]                     = all != 0 && all != xi.cols();
        }
    });
  for (Index k = 0; k < grid.n_cells(); ++k)
    if (full || grid.node[k] != AlignedGrid::none)
      {
        grid.node[k] = static_cast<int>(grid.n_nodes());
        grid.cell_of_node.push_back(k);
      }
  grid.zone_is_cells = std::count(cut.begin(), cut.end(), 1) == 0;
  return grid;
}

Vector cell_means(const AlignedGrid &grid, const Field &U)
{
  const Rule rule = gauss_rule(3, grid.dim);
  Vector     means(grid.dim * grid.n_nodes());
  for_blocks(grid.n_nodes(), [&](const Index first, const Index last) {
    Eigen::MatrixXd x, values(grid.dim, (last - first) * rule.size());
    grid.points(grid.cell_of_node.data() + first, last - first, rule.points, x);
    U(x, values);
    for (Index k = first; k < last; ++k)
      means.segment(grid.dim * k, grid.dim).noalias() =
          values.middleCols((k - first) * rule.size(), rule.size()) * rule.weights;
  });
  return means;
}

convex::ChainFamilies chains_of(const AlignedGrid &grid)
{
  constexpr int         none = convex::ChainFamilies::none;
  convex::ChainFamilies chains;
  chains.dim     = grid.dim;
  chains.n_nodes = grid.n_nodes();
  int n_rows     = 0;
  for (const int axis : grid.axis_of_direction)
    {
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
              if (l == 0 || grid.node[cell - stride] == AlignedGrid::none)
                family.row_before.push_back(l == 0 && grid.walls[2 * axis] ? n_rows++ : none);
              family.node.push_back(grid.node[cell]);
              if (l + 1 < length && grid.node[cell + stride] != AlignedGrid::none)
                family.row.push_back(n_rows++);
              else
                {
                  family.row.push_back(none);
                  family.row_after.push_back(l + 1 == length && grid.walls[2 * axis + 1] ? n_rows++ : none);
                  family.run_start.push_back(static_cast<int>(family.node.size()));
                }
            }
      chains.families.push_back(std::move(family));
    }
  return chains;
}

std::shared_ptr<const convex::PairConstraint> constraint_of(const convex::ChainFamilies &chains)
{
  using Pair          = convex::PairConstraint::Pair;
  constexpr int fixed = convex::PairConstraint::fixed_body, none = convex::ChainFamilies::none;
  Index         n_rows = 0;
  for (const auto &family : chains.families)
    for (const std::vector<int> *rows : {&family.row, &family.row_before, &family.row_after})
      n_rows += static_cast<Index>(rows->size()) - std::count(rows->begin(), rows->end(), none);
  std::vector<Pair> pairs(n_rows);
  Eigen::MatrixXd   e(chains.dim, n_rows);
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
  return std::make_shared<convex::PairConstraint>(chains.dim, chains.n_nodes, std::move(pairs), std::move(e));
}

Motion outside(const Setting &setting, const std::function<bool(const Vector &x)> &covered)
{
  const BoxGrid grid =
      box_grid(setting.domain.lower, setting.domain.upper, setting.mesh.cells_per_unit_length, Processes::alone());
  AlignedGrid cells;
  cells.dim                = grid.dim;
  cells.frame              = Eigen::MatrixXd::Identity(grid.dim, grid.dim);
  cells.origin             = grid.lower;
  cells.h                  = grid.h;
  cells.n                  = grid.n;
  const Rule          rule = gauss_rule(3, grid.dim);
  std::vector<Motion> parts((grid.n_cells() + cells_at_a_time - 1) / cells_at_a_time, Motion(grid.dim));
  for_blocks(grid.n_cells(), [&](const Index first, const Index last) {
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
