// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_AXIS_LINES_H
#define MOREAU_MACRO_AXIS_LINES_H

#include "macro/aligned_grid.h"

namespace moreau::macro
{
/// The lines of one axis with a velocity and a pressure on them, and which lines lie beside which: what the smooth pair of
/// line_total_bound() is made of. Keeps references to its grid and family.
class AxisLines
{
public:
  /// u: cell values (dim * n_nodes); p: multipliers of all rows.
  AxisLines(const AlignedGrid &grid, const convex::LineFamilies::Family &family, int axis, const Vector &u, const Vector &p);

  /// m: lines around a line and itself, 3^(dim-1), the offset along the first other axis fastest.
  Index n_beside() const { return m; }

  /// For a node's cell and each of the m lines: v in the cell before, in it and behind it, and the Bernstein coefficients
  /// of p
  /// on it (lower face, middle, upper face). Each 3 m numbers.
  void coefficients(int node, double *v, double *p) const;

  /// v along the axis in a node's cell (m/s).
  double value(const int node) const { return values[position[node]]; }
  /// p on the lower (0) and the upper (2) face of a node's cell (m²/s).
  double face_pressure(const int node, const int face) const { return pressure(face, position[node]); }
  /// Whether the line of a node ends at a wall on this side of its cell.
  bool at_wall(int node, bool upper) const;
  /// What v gains from this node's cell to the next, 0 at the end of a line.
  double gain(int node) const;

private:
  /// A line beside a run: `shift` more is the index along it. p_too: p vanishes wherever it has to if taken from there.
  struct Partner
  {
    int  run, shift;
    bool p_too;
  };

  void    set_pressures(const Vector &p);
  void    find_partners();
  Partner partner(int r, Index o) const;

  const AlignedGrid                  &grid;
  const convex::LineFamilies::Family &family;
  int                                 axis;
  Index                               m = 1;
  std::vector<int>                    position, run; // per node
  std::vector<double>                 values;        // per position: v along the axis
  Eigen::Matrix3Xd                    pressure;      // per position: lower face, middle coefficient, upper face
  std::vector<Partner>                partners;      // m per run
};
} // namespace moreau::macro

#endif
