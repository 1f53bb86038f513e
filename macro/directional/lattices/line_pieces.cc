// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/line_pieces.h"

#include "macro/saturated_cells.h"

#include <algorithm>

namespace moreau::macro
{
namespace
{
constexpr int    samples_a_cell = 17;
constexpr double hair           = 1e-9;  // of a cell: what lies nearer to its faces does not count
constexpr double shortest       = 1e-11; // of a cell
} // namespace

void LinePieces::operator()(const Index column, const Vector &xi, const Eigen::MatrixXd &points, Line &line) const
{
  line.pieces.clear();
  CellIndex cell = {0, 0, 0};
  Index     rest = column;
  for (int a = 0; a < grid.dim; ++a)
    if (a != axis)
      {
        cell[a] = rest % grid.n[a];
        rest /= grid.n[a];
      }
  for (cell[axis] = 0; cell[axis] < grid.n[axis]; ++cell[axis])
    {
      const Index position = grid.position(cell);
      const int   node     = grid.node[position];
      if (node == AlignedGrid::none)
        continue;
      const std::size_t first = line.pieces.size();
      if (grid.is_whole(node) && !grid.is_rough[position])
        {
          line.pieces.push_back({node, 0., .5});
          line.pieces.push_back({node, .5, 1., true});
        }
      else
        add_pieces(position, xi, line);
      if (first == line.pieces.size())
        continue;
      Line::Piece &lower = line.pieces[first], &upper = line.pieces.back();
      lower.at_lower_wall = cell[axis] == 0 && grid.walls[2 * axis] && lower.begin == 0.;
      upper.at_upper_wall = cell[axis] + 1 == grid.n[axis] && grid.walls[2 * axis + 1] && upper.end == 1.;
      if (first > 0 && cell[axis] > 0 && lower.begin == 0.)
        {
          const Line::Piece &before = line.pieces[first - 1];
          lower.joined              = before.node == grid.node[grid.position(moved(cell, axis, -1))] && before.end == 1. &&
                         grid.passage(axis, cell) > 0.;
        }
    }

  const auto      n = static_cast<Index>(line.pieces.size()), m = points.cols();
  Eigen::MatrixXd x(grid.dim, n * m), at(grid.dim, m), x_of_piece;
  for (Index k = 0; k < n; ++k)
    {
      const Line::Piece &piece = line.pieces[k];
      at                       = xi.replicate(1, m);
      at.row(axis)             = (piece.begin + piece.length() * points.row(0).array()).matrix();
      grid.points(&grid.cell_of_node[piece.node], 1, at, x_of_piece);
      x.middleCols(k * m, m) = x_of_piece;
    }
  line.U.resize(grid.dim, n * m);
  if (n > 0)
    setting.U(within_box(setting.domain, x), line.U);
}

Eigen::MatrixXd LinePieces::points_at(const Index cell, const Vector &xi, const std::vector<double> &at) const
{
  const auto      n      = static_cast<Index>(at.size());
  Eigen::MatrixXd points = xi.replicate(1, n), x;
  for (Index k = 0; k < n; ++k)
    points(axis, k) = std::clamp(at[k], hair, 1. - hair);
  grid.points(&cell, 1, points, x);
  return x;
}

LinePieces::Samples LinePieces::samples(const Index cell, const Vector &xi, const std::vector<double> &at) const
{
  const auto            n     = static_cast<Index>(at.size());
  const Eigen::MatrixXd x     = points_at(cell, xi, at);
  Samples               found = {saturated_at(setting.domain, x), Eigen::MatrixXd::Zero(grid.dim, n)};
  std::vector<Index>    inside;
  for (Index k = 0; k < n; ++k)
    if (found.saturated[k])
      inside.push_back(k);
  if (inside.empty())
    return found;
  Eigen::MatrixXd U(grid.dim, inside.size());
  setting.U(within_box(setting.domain, x(Eigen::all, inside)), U);
  found.U(Eigen::all, inside) = U;
  return found;
}

double LinePieces::bisected(double a, double b, const std::function<bool(double)> &like_a)
{
  while (b - a > 1e-13)
    {
      const double middle      = .5 * (a + b);
      (like_a(middle) ? a : b) = middle;
    }
  return .5 * (a + b);
}

/// Where segments of the zone end in a cell and where U jumps, with both faces and the centre, ascending.
std::vector<double> LinePieces::ends_in(const Index cell, const Vector &xi) const
{
  std::vector<double> at(samples_a_cell);
  for (int k = 0; k < samples_a_cell; ++k)
    at[k] = static_cast<double>(k) / (samples_a_cell - 1);
  const Samples       of_cell = samples(cell, xi, at);
  std::vector<double> ends    = {0., .5, 1.};
  double              largest = 0.;
  const auto          change  = [&](const int k) { return (of_cell.U.col(k + 1) - of_cell.U.col(k)).norm(); };
  for (int k = 0; k + 1 < samples_a_cell; ++k)
    if (of_cell.saturated[k] && of_cell.saturated[k + 1])
      largest = std::max(largest, change(k));
  for (int k = 0; k + 1 < samples_a_cell; ++k)
    if (of_cell.saturated[k] != of_cell.saturated[k + 1])
      {
        const char of_a = of_cell.saturated[k];
        ends.push_back(bisected(at[k], at[k + 1], [&](const double here) {
          return saturated_at(setting.domain, points_at(cell, xi, {here}))[0] == of_a;
        }));
      }
    else if (of_cell.saturated[k] && change(k) > .25 * largest && change(k) > 0.)
      {
        // a jump stays as large as it is when seen from nearby
        const Vector  a = of_cell.U.col(k), b = of_cell.U.col(k + 1);
        const double  edge   = bisected(at[k], at[k + 1], [&](const double here) {
          const Vector U = samples(cell, xi, {here}).U.col(0);
          return (U - a).norm() < (U - b).norm();
        });
        const Samples beside = samples(cell, xi, {edge - 1e-9, edge + 1e-9});
        if ((beside.U.col(1) - beside.U.col(0)).norm() > .5 * change(k))
          ends.push_back(edge);
      }
  std::sort(ends.begin(), ends.end());
  return ends;
}

void LinePieces::add_pieces(const Index cell, const Vector &xi, Line &line) const
{
  const std::vector<double> ends = ends_in(cell, xi);
  std::vector<double>       middles;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k)
    middles.push_back(.5 * (ends[k] + ends[k + 1]));
  const std::vector<char> saturated = saturated_at(setting.domain, points_at(cell, xi, middles));
  bool                    before    = false;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k)
    if (ends[k + 1] - ends[k] > shortest)
      {
        if (saturated[k])
          line.pieces.push_back({grid.node[cell], ends[k], ends[k + 1], before});
        before = saturated[k];
      }
}
} // namespace moreau::macro
