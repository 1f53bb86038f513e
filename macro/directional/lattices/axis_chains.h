// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_AXIS_CHAINS_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_AXIS_CHAINS_H

#include "macro/directional/lattices/runs_on_lines.h"

#include <memory>

namespace moreau::macro
{
/// Weights of a cell's lower neighbour, itself and its upper neighbour in linear interpolation between centres; xi in [0,1].
inline std::array<double, 3> hat(const double xi)
{
  return xi < .5 ? std::array<double, 3>{.5 - xi, .5 + xi, 0.} : std::array<double, 3>{0., 1.5 - xi, xi - .5};
}

/// The chains of one axis with a velocity and a pressure on them, and which chains lie beside which: what the smooth pair of
/// chain_total_bound() is made of. Keeps references to its grid and family.
/// Where processes share the grid it has the nodes here, and values are those of own nodes; chains along the last axis are
/// whole by what `runs` says of them.
class AxisChains
{
public:
  using Runs = std::shared_ptr<const RunsOnLines>;

  /// u: cell values (dim * n_nodes). runs: of the whole grid; null where the chains here are whole.
  AxisChains(const AlignedGrid &grid, const convex::ChainFamilies::Family &family, int axis, const Vector &u,
             Runs runs = nullptr);

  /// Without them pressures are not to be asked for. faces: as face_pressures() has them; k: the family of these chains.
  void set_pressures(const Eigen::MatrixXd &faces, Index k);

  /// m: chains around a chain and itself, 3^(dim-1), the offset along the first other axis fastest.
  Index n_beside() const { return m; }

  /// For a node's cell and each of the m chains: v in the cell before, in it and behind it, and the Bernstein coefficients
  /// of p on it (lower face, middle, upper face). Each 3 m numbers.
  void coefficients(int node, double *v, double *p) const;

  /// The smooth v along the axis at a point of a node's cell, xi in [0,1]^dim (m/s).
  double value(int node, const double *xi) const;

  /// v along the axis in a node's cell (m/s).
  double value(const int node) const { return values[position[node]]; }
  /// p on the lower (0) and the upper (2) face of a node's cell (m²/s).
  double face_pressure(const int node, const int face) const { return pressure(face, position[node]); }
  /// Whether the chain of a node ends at a wall on this side of its cell.
  bool at_wall(int node, bool upper) const;
  /// What v gains from this node's cell to the next, 0 at the end of a chain.
  double gain(int node) const;

private:
  /// A chain beside a run: `shift` more is the index along it. p_too: p vanishes wherever it has to if taken from there.
  struct Partner
  {
    int  run, shift;
    bool p_too;
  };

  void    find_runs();
  void    find_partners();
  Partner partner(int r, Index o) const;
  /// v in the cell before, in and behind the l-th of a run, as the chain beside it has them; what ends goes on constantly.
  std::array<double, 3> velocities(const Partner &partner, int l) const;
  double                value_in(int run, int l) const;

  const AlignedGrid                   &grid;
  const convex::ChainFamilies::Family &family;
  int                                  axis;
  Runs                                 runs;
  Index                                m     = 1;
  int                                  below = 0;     // cells along the axis before the first one here
  std::vector<int>                     position, run; // per node; of `runs`
  std::vector<int>                     start;         // per run: where its first cell is or would be among the positions
  std::vector<double>                  values;        // per position: v along the axis
  Eigen::Matrix3Xd                     pressure;      // per position: lower face, middle coefficient, upper face
  std::vector<Partner>                 partners;      // m per run
};
} // namespace moreau::macro

#endif
