// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_TEXT_LINE_PIECES_H
#define MOREAU_APP_INPUT_TEXT_LINE_PIECES_H

#include "geometry/field.h"

#include <vector>

namespace moreau::app
{
/// Density and velocity on an interval of the line.
struct LinePiece
{
  double left, right; ///< m
  double rho, u;      ///< u (m/s) is 0 where rho is; means where the piece is not uniform, of u by mass
  bool   uniform;
};

struct LinePieces
{
  std::vector<LinePiece> pieces;
  std::vector<double>    jumps; ///< m: where ρ or u jumps, ascending

  /// As many, and at the same places to rounding.
  bool has_same_jumps(const LinePieces &other) const;
};

/// The intervals between left and right on which ρ and u are constant, the longest possible ones, and short ones where they
/// vary smoothly. Both are looked at in n_samples >= 2 equally spaced points, both ends among them, and in `more` points; a
/// jump between two of them is found to the last bit, so that edges stand where they were typed.
/// Of several jumps between two of these points only some may be found.
/// f: rows rho, u.
LinePieces line_pieces(const geometry::Field &f, double left, double right, geometry::Index n_samples,
                       const std::vector<double> &more = {});
} // namespace moreau::app

#endif
