// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_LINE_PIECES_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_LINE_PIECES_H

#include "macro/directional/lattices/aligned_grid.h"

namespace moreau::macro
{
/// What a line along an axis of the grid has of the zone.
struct Line
{
  /// In one half of a cell, saturated, U smooth.
  struct Piece
  {
    int    node;
    double begin, end;            ///< along the axis, in [0,1] of the cell
    bool   joined        = false; ///< to the piece before: a segment of the zone goes on, and its cells are tied
    bool   at_lower_wall = false, at_upper_wall = false;

    double length() const { return end - begin; }
  };

  std::vector<Piece> pieces;
  Eigen::MatrixXd    U; ///< dim x (m * pieces): at the points of the rule, piece after piece (m/s)
};

/// Finds them. In whole cells where U is smooth these are the halves; in others ends and jumps are sought between samples an
/// eighth of a half cell apart and found by bisection to rounding.
class LinePieces
{
public:
  LinePieces(const Setting &setting, const AlignedGrid &grid, int axis) : setting(setting), grid(grid), axis(axis) {}

  /// The line through the points xi (dim, in [0,1]; that along the axis does not count) of the cells of a column: those with
  /// the same indices along the other axes, counted with the first of these fastest. U at `points` (1 x m) of every piece.
  void operator()(Index column, const Vector &xi, const Eigen::MatrixXd &points, Line &line) const;

private:
  /// Values at points of a cell that lie on a line.
  struct Samples
  {
    std::vector<char> saturated;
    Eigen::MatrixXd   U; ///< 0 where not saturated
  };

  Samples             samples(Index cell, const Vector &xi, const std::vector<double> &at) const;
  std::vector<double> ends_in(Index cell, const Vector &xi) const;
  Eigen::MatrixXd     points_at(Index cell, const Vector &xi, const std::vector<double> &at) const;
  static double       bisected(double a, double b, const std::function<bool(double)> &like_a);
  void                add_pieces(Index cell, const Vector &xi, Line &line) const;

  const Setting     &setting;
  const AlignedGrid &grid;
  const int          axis;
};
} // namespace moreau::macro

#endif
