// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/line_certificate.h"

#include "convex/chains/isotonic_regression.h"
#include "macro/directional/lattices/axis_chains.h"
#include "macro/directional/lattices/line_pieces.h"

#include <Eigen/LU>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace moreau::macro
{
namespace
{
/// Integrals up to the points of Gauss's rule: row g weighs the values at all points for that from 0 to point g.
Eigen::Matrix3d integrals_to_points(const Rule &gauss)
{
  Eigen::Matrix3d powers, integrals;
  for (int g = 0; g < 3; ++g)
    for (int k = 0; k < 3; ++k)
      {
        powers(g, k)    = std::pow(gauss.points(0, g), k);
        integrals(g, k) = std::pow(gauss.points(0, g), k + 1) / (k + 1);
      }
  return integrals * powers.inverse();
}

AdmissiblePair::Facts facts_of_lines(const AlignedGrid &grid, const SharedChains *const shared)
{
  AdmissiblePair::Facts facts;
  facts.constructions = {"velocity constant on cells, pressures of the lines"};
  if (grid.on_walls.empty())
    facts.constructions.push_back("velocity linear between cell centres, pressures of the lines");
  facts.n_cells      = grid.n_own;
  facts.at_a_time    = 4096;
  facts.width        = grid.h.minCoeff();
  facts.zone_is_seen = grid.n_all_whole > 0;
  if (shared)
    {
      facts.processes = shared->processes();
      facts.parts     = grid.own_layers();
    }
  facts.quadrature = "The boundary of the zone cuts cells: lines of the zone are integrated by Gauss's rule, so the bound "
                     "is an estimate.";
  return facts;
}

/// q where lines end at walls that cut cells.
class PressureOnWalls
{
public:
  PressureOnWalls(const Domain &domain, const AlignedGrid &grid, const Vector &multipliers)
      : domain(domain), grid(grid), impulses(multipliers.cwiseMax(0.))
  {}

  /// At the point xi of a node's cell, 0 where it lies on no wall (m²/s). Impulses are averaged over a cell and a half to
  /// all sides, as they alternate between large and small pieces.
  double operator()(const int node, const Vector &xi) const
  {
    constexpr double beside = 1e-6, around = 1.5; // of a cell
    const double     h = grid.h.minCoeff();
    Eigen::MatrixXd  x;
    grid.points(&grid.cell_of_node[node], 1, xi, x);
    for (int side = 0; side < 2 * grid.dim; ++side)
      {
        if (!domain.walls[side] || std::abs(depth_below(domain, side, x.col(0))) > beside * h)
          continue;
        double impulse = 0., area = 0.;
        for (std::size_t k = 0; k < grid.on_walls.size(); ++k)
          if (const WallPiece &piece = grid.on_walls[k]; piece.side == side)
            {
              const double weight = std::max(0., 1. - (piece.at - x.col(0)).norm() / (around * h));
              impulse += weight * impulses(static_cast<Index>(k));
              area += weight * piece.area;
            }
        return area > 0. ? impulse / area : 0.;
      }
    return 0.;
  }

private:
  const Domain      &domain;
  const AlignedGrid &grid;
  Vector             impulses;
};

/// The lines of one axis, a column of cells at a time.
class LinesOfAxis
{
public:
  LinesOfAxis(const Setting &setting, const AlignedGrid &grid, const convex::ChainFamilies::Family &family, const int axis,
              const Vector &u, const PressureOnWalls &on_walls, const bool with_U)
      : grid(grid)
      , on_walls(on_walls)
      , axis(axis)
      , with_U(with_U)
      , chains(grid, family, axis, u)
      , across(lines_along(grid.dim, axis))
      , gauss(gauss_rule(3, 1))
      , to_points(integrals_to_points(gauss))
      , pieces_of(setting, grid, axis)
  {}

  Index n_columns() const { return grid.n_cells() / grid.n[axis]; }

  /// Layers of columns whose integrals are added before those of other layers, whatever the number of processes: across the
  /// last axis, and of lines along that across the first one.
  Index n_layers() const { return grid.dim == 1 ? 1 : axis == grid.dim - 1 ? grid.n[0] : grid.n[grid.dim - 1]; }
  Index layer(const Index column) const
  {
    return axis == grid.dim - 1 ? column % n_layers() : column / (n_columns() / n_layers());
  }

  /// Whether the grid is shared by such layers.
  bool is_across_layers() const { return grid.layers.axis != axis; }

  /// Adds to the indicators of the nodes of a column.
  GapIntegrals operator()(const Index column, Eigen::MatrixXd &indicators) const
  {
    GapIntegrals           sum;
    convex::LineRegression regression;
    Line                   line;
    for (Index q = 0; q < across.size(); ++q)
      {
        pieces_of(column, across.points.col(q), gauss.points, line);
        add_U(line, across.weights(q), sum);
        for (std::size_t begin = 0; begin < line.pieces.size();)
          {
            std::size_t end = begin + 1;
            while (end < line.pieces.size() && line.pieces[end].joined)
              ++end;
            add_segment(line, begin, end, across.points.col(q), across.weights(q), regression, sum, indicators);
            begin = end;
          }
      }
    return sum;
  }

private:
  using Piece = Line::Piece;

  /// Volume, mean and spread of U, once, by the lines of one axis.
  void add_U(const Line &line, const double weight, GapIntegrals &sum) const
  {
    if (!with_U)
      return;
    GapIntegrals point;
    for (std::size_t k = 0; k < line.pieces.size(); ++k)
      for (int g = 0; g < 3; ++g)
        {
          point.volume              = grid.cell_volume() * weight * line.pieces[k].length() * gauss.weights(g);
          point.mean.head(grid.dim) = line.U.col(3 * static_cast<Index>(k) + g);
          sum.add(point);
        }
  }

  /// A segment of the zone on a line: pieces begin ... end-1.
  void add_segment(const Line &line, const std::size_t begin, const std::size_t end, const Vector &at, const double weight,
                   convex::LineRegression &regression, GapIntegrals &sum, Eigen::MatrixXd &indicators) const
  {
    const auto          n = static_cast<Index>(end - begin);
    const Vector        e = grid.frame.col(axis);
    std::vector<double> mean(n), length(n), z(n), p(n + 1);
    Eigen::Matrix3Xd    U(3, n);
    for (Index k = 0; k < n; ++k)
      {
        for (int g = 0; g < 3; ++g)
          U(g, k) = e.dot(line.U.col(3 * (static_cast<Index>(begin) + k) + g));
        length[k] = line.pieces[begin + k].length() * grid.h(axis);
        mean[k]   = gauss.weights.dot(U.col(k));
      }
    const std::array<double, 2> q      = pressed(line.pieces[begin], line.pieces[end - 1], at);
    std::vector<double>         driven = mean; // by these impulses
    driven[0] += q[0] / length[0];
    driven[n - 1] -= q[1] / length[n - 1];
    regression.project(n, driven.data(), length.data(), z.data());
    const bool wall_before = line.pieces[begin].at_lower_wall, wall_after = line.pieces[end - 1].at_upper_wall;
    for (double &value : z)
      {
        value = wall_before ? std::max(value, 0.) : value;
        value = wall_after ? std::min(value, 0.) : value;
      }
    p[0] = q[0];
    p[n] = q[1];
    set_pressures(mean, length, z, wall_before, wall_after, p);

    Vector xi = at;
    for (Index k = 0; k < n; ++k)
      {
        const Piece          &piece  = line.pieces[begin + k];
        const int             node   = piece.node;
        const double          volume = grid.cell_volume() * weight * piece.length(), area = grid.face_area(axis) * weight;
        const Eigen::Vector3d above = (U.col(k).array() - z[k]).matrix();
        const Eigen::Vector3d inner = (p[k] + length[k] * (to_points * above).array()).matrix();
        Eigen::Vector3d       smooth;
        std::array<double, 2> mismatch = {}, work = {}, energy = {};
        for (int g = 0; g < 3; ++g)
          {
            xi(axis)         = piece.begin + piece.length() * gauss.points(0, g);
            smooth(g)        = chains.value(node, xi.data());
            const double u_p = inner(g) > 0. ? z[k] : U(g, k);
            mismatch[0] += volume * gauss.weights(g) * std::pow(chains.value(node) - u_p, 2);
            mismatch[1] += volume * gauss.weights(g) * std::pow(smooth(g) - u_p, 2);
            energy[0] += volume * gauss.weights(g) * chains.value(node) * (U(g, k) - .5 * chains.value(node));
            energy[1] += volume * gauss.weights(g) * smooth(g) * (U(g, k) - .5 * smooth(g));
          }
        const double gain_of_piece = (smooth(2) - smooth(0)) / (gauss.points(0, 2) - gauss.points(0, 0));
        work[1]                    = 2. * area * gauss.weights.dot(inner.cwiseMax(0.)) * gain_of_piece;
        if (k + 1 < n && line.pieces[begin + k + 1].node != node)
          {
            const double gain = chains.gain(node);
            work[0]           = 2. * area * p[k + 1] * gain;
            sum.violation     = std::max(sum.violation, -gain / grid.h(axis));
          }
        for (const bool upper : {false, true})
          if (upper ? (wall_after || q[1] > 0.) && k + 1 == n : (wall_before || q[0] > 0.) && k == 0)
            {
              xi(axis)           = upper ? 1. : 0.;
              const double twice = (upper ? -2. : 2.) * area * p[upper ? n : 0], v = chains.value(node);
              work[0] += twice * v;
              work[1] += twice * chains.value(node, xi.data());
              if (upper ? wall_after : wall_before)
                sum.violation = std::max(sum.violation, (upper ? v : -v) / grid.h(axis));
            }
        for (int pair = 0; pair < 2; ++pair)
          {
            sum.mismatch[pair] += mismatch[pair];
            sum.work[pair] += work[pair];
            sum.energy[pair] += energy[pair];
            indicators(node, pair) += mismatch[pair] + work[pair];
          }
        sum.speed = std::max(sum.speed, std::abs(chains.value(node)));
      }
  }

  /// q where a segment begins and where it ends.
  std::array<double, 2> pressed(const Piece &first, const Piece &last, const Vector &at) const
  {
    if (grid.on_walls.empty())
      return {0., 0.};
    Vector begin = at, end = at;
    begin(axis) = first.begin;
    end(axis)   = last.end;
    return {on_walls(first.node, begin), on_walls(last.node, end)};
  }

  /// p between the pieces, and at ends of the segment that lie on walls: running sums of (mean - z) length, 0 where z
  /// increases. Other ends are left as they are.
  static void set_pressures(const std::vector<double> &mean, const std::vector<double> &length, const std::vector<double> &z,
                            const bool wall_before, const bool wall_after, std::vector<double> &p)
  {
    const std::size_t n     = z.size();
    const double      p_end = p[n];
    double            sum   = 0.;
    for (std::size_t k = 0; k < n && wall_before; ++k)
      {
        sum += (mean[k] - z[k]) * length[k];
        p[0] = std::max(p[0], -sum);
      }
    for (std::size_t k = 0; k < n; ++k)
      p[k + 1] = k + 1 < n && z[k + 1] > z[k] ? 0. : std::max(0., p[k] + (mean[k] - z[k]) * length[k]);
    if (!wall_after)
      p[n] = p_end;
  }

  const AlignedGrid     &grid;
  const PressureOnWalls &on_walls;
  const int              axis;
  const bool             with_U;
  AxisChains             chains;
  Rule                   across, gauss;
  Eigen::Matrix3d        to_points;
  LinePieces             pieces_of;
};

/// Both pairs, all integrals of which are known beforehand.
class LinePairs : public AdmissiblePair
{
public:
  LinePairs(const Setting &setting, const AlignedGrid &grid, const convex::ChainFamilies &chains, const Vector &u,
            const Vector &at_walls, const SharedChains *const shared, const Progress &progress)
      : AdmissiblePair(facts_of_lines(grid, shared))
      , of_all(grid.n_own > 0 && grid.n_before == 0)
      , of_nodes(Eigen::MatrixXd::Zero(grid.n_own, 2))
  {
    const PressureOnWalls on_walls(setting.domain, grid, at_walls);
    for (const WallPiece &piece : grid.on_walls)
      sum.violation =
          std::max(sum.violation,
                   normal_of_side(piece.side, grid.dim).dot(u.segment(grid.dim * piece.node, grid.dim)) / grid.h.minCoeff());
    for (std::size_t k = 0; k < chains.families.size(); ++k)
      {
        const int      axis = grid.axis_of_direction[k];
        const double   n    = static_cast<double>(chains.families.size());
        const Progress part = progress.part(static_cast<double>(k) / n, static_cast<double>(k + 1) / n);
        if (shared && shared->columns() && axis == grid.dim - 1)
          {
            const GridColumns    &columns     = *shared->columns();
            const Eigen::MatrixXd there       = gaps(LinesOfAxis(setting, columns.grid(), shared->along_columns(), axis,
                                                                 columns.to_columns(own(grid, u), grid.dim), on_walls, k == 0),
                                                     columns.grid(), part);
            const Eigen::MatrixXd interleaved = there.transpose();
            of_nodes += columns.to_layers(interleaved.reshaped(), 2).reshaped(2, grid.n_own).transpose();
          }
        else
          of_nodes += gaps(LinesOfAxis(setting, grid, chains.families[k], axis, u, on_walls, k == 0), grid, part)
                          .middleRows(grid.first_own, grid.n_own);
      }
  }

  GapIntegrals integrals(const Index first, const Index last, Eigen::MatrixXd &indicators) const override
  {
    indicators.middleRows(first, last - first) = of_nodes.block(first, 0, last - first, indicators.cols());
    return of_all && first == 0 ? sum : GapIntegrals();
  }

private:
  static Vector own(const AlignedGrid &grid, const Vector &u)
  {
    return u.segment(grid.dim * grid.first_own, grid.dim * grid.n_own);
  }

  /// Adds the integrals of the lines of all processes, layer by layer; those of own ones by nodes of their grid.
  Eigen::MatrixXd gaps(const LinesOfAxis &lines, const AlignedGrid &at, const Progress &progress)
  {
    Eigen::MatrixXd           found = Eigen::MatrixXd::Zero(at.n_nodes(), 2);
    std::vector<GapIntegrals> of_columns(lines.n_columns());
    const bool                by_layers = lines.is_across_layers();
    const auto                is_own    = [&](const Index column) {
      const Index layer = lines.layer(column);
      return !by_layers || at.layers.first <= layer && layer < at.layers.last;
    };
    together(facts.processes, [&] {
      Steps columns(progress, lines.n_columns());
      tbb::parallel_for(Index(0), lines.n_columns(), [&](const Index column) {
        if (is_own(column))
          of_columns[column] = lines(column, found);
        columns.done();
      });
    });
    std::vector<GapIntegrals> of_layers(lines.n_layers());
    for (Index column = 0; column < lines.n_columns(); ++column)
      of_layers[lines.layer(column)].add(of_columns[column]);
    if (by_layers)
      of_layers = {of_layers.begin() + at.layers.first, of_layers.begin() + at.layers.last};
    sum.add(sum_of(of_layers, facts.processes));
    return found;
  }

  bool            of_all; ///< this process, and no other, has the sum
  GapIntegrals    sum;
  Eigen::MatrixXd of_nodes; ///< gaps of the two pairs
};
} // namespace

TotalBound line_total_bound(const Setting &setting, const AlignedGrid &grid, const convex::ChainFamilies &chains,
                            const Vector &u, const Vector &at_walls, const SharedChains *const shared,
                            const Progress &progress)
{
  return total_bound(LinePairs(setting, grid, chains, u, at_walls, shared, progress));
}
} // namespace moreau::macro
