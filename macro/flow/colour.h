// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_COLOUR_H
#define MOREAU_MACRO_FLOW_COLOUR_H

#include "macro/flow/transport.h"

#include <memory>
#include <vector>

/// Flows whose bodies keep their velocity: several (ρ_k, M_k, u_k) on one grid under one pressure, Σρ_k <= ρ̄. Colour 0 is
/// the mixture, all matter that is no body; every other colour holds bodies that are far from each other. Letters: m_k is
/// the ρ_D of a colour; θ_k its share of a face, Σθ = 1 where any colour holds the face.
namespace moreau::macro
{
/// The matter of one colour, in the tiles of the grid that it is in or near.
struct Colour
{
  /// How far matter and momentum come in a step (cells): through a face, and to the other face of the cell behind it.
  static constexpr Index in_a_step = 2;

  /// Nothing. Keeps a reference to the grid of the flow. under_force: whether one acts.
  explicit Colour(const FlowGrid &whole, bool under_force);

  const FlowGrid &grid() const { return *tiles; } ///< of its tiles: positions in the arrays below are positions there

  CellArray rho, after; ///< ρ_k; `after` at the end of a step
  CellArray first;      ///< share of the first of two bodies, see share_of_first_body(); 0 where these are not followed
  FaceCells momentum, velocity, mass, mass_before;
  FaceCells resistance; ///< 1 + h k, k the rate of drag in this step: what an impulse is divided by; empty without force
  FaceCells pushed;     ///< what the force gave in this step, a density of momentum; empty without force
  FaceCells driven;     ///< the velocity that the force left; empty without force
  FaceCells flux;       ///< G_k, mass flux of the last step
  FaceCells share;      ///< θ_k; 0 where the colour does not hold the face
  FaceCells leader;     ///< +1, -1: the face moves with the next one above, below; 0: it moves by itself
  FaceCells crossing;   ///< 1 where the flux of this step leads into a cell that others hold and this colour does not
  FaceCells part;       ///< θ_k of the impact law, see ColouredImpact
  FaceCells moved;      ///< m̃_k; 0 on faces that are led

  /// Nothing of it is anywhere, and nothing enters: no process has a tile of it, and steps pass it over.
  bool is_empty = true;

  bool   is_under_force() const { return is_pushed; }
  double resistance_on(const int axis, const Index face) const { return is_pushed ? resistance[axis].values(face) : 1.; }

  /// m_k and u_k from ρ_k and M_k; ghosts of ρ_k up to date.
  void find_velocities();

  /// Tiles that are not there yet are added, empty.
  void add_tiles(std::vector<Index> wanted);
  /// From now on these cells of this process are among those that loops visit.
  void visit(const std::vector<CellIndex> &cells);

  /// Tiles where its matter and momentum are or may come in a step, which is two cells away, and no others; all where matter
  /// may enter. Sets is_empty; ghosts are not up to date. All processes call.
  void fit(bool enters);

  /// Until here, or fit(), only ρ_k and M_k are there: what a colour holds at the beginning leaves it before it moves.
  void prepare();

  void find_whether_empty(); ///< from the tiles that there are; all processes call

  /// What one of the arrays has in a cell, or on a face, of this process; 0 where there is no tile.
  double at(const CellArray &array, const CellIndex &cell) const
  {
    const Index position = tiles->position(cell);
    return position == Tiles::none ? 0. : array.values(position);
  }

  /// The matter of an array of all cells and its momentum, in tiles that are added for it; it has none before. Ghosts are
  /// not up to date. All processes call.
  void take(const CellArray &rho, const FaceCells &momentum);

private:
  template <class F>
  void for_arrays(F &&f);
  template <class F>
  void include_matter(Index tile, std::vector<Tiles::Part> &needed, F &&is_there) const;
  bool is_anything_at(Index position) const;
  void include_at_borders(std::vector<Tiles::Part> &needed) const;

  std::unique_ptr<FlowGrid> tiles;
  bool                      is_pushed, has_all_arrays = false; ///< is_pushed: by a force
};

/// A colour that a tile has.
struct ColourInTile
{
  Colour *colour;
  Index   begin; ///< its values stand from here on, at the same positions in all colours
};
/// f(tile, what loops visit of it, the colours that are there) for the tiles that any colour has.
template <class F>
void for_tiles(std::vector<Colour> &colours, F &&f)
{
  const Tiles              &shape = colours.front().grid().tiles();
  std::vector<ColourInTile> here;
  for (Index tile = 0; tile < shape.n_tiles(); ++tile)
    {
      here.clear();
      Tiles::Part visited;
      for (Colour &colour : colours)
        if (const Tiles &tiles = colour.grid().tiles(); tiles.has(tile))
          {
            here.push_back({&colour, tiles.begin_of(tile)});
            visited.include(tiles.visited(tile));
          }
      if (!here.empty())
        f(tile, visited, here);
    }
}

/// f(which colours are there, position in their tiles, position in all cells) for own cells, and for the faces of an axis
/// that this process computes, where there is any colour.
template <class F>
void for_cells_of(const FlowGrid &whole, std::vector<Colour> &colours, F &&f)
{
  const Tiles &shape = colours.front().grid().tiles();
  for_tiles(colours, [&](const Index tile, const Tiles::Part &visited, const std::vector<ColourInTile> &here) {
    shape.for_rows_of(tile, visited, {0, 0, 0}, [&](const Index row, const CellIndex &first, const Index n) {
      const Index of_whole = whole.position(first);
      for (Index k = 0; k < n; ++k)
        f(here, row + k, of_whole + k);
    });
  });
}
/// The same for the faces of an axis that this process computes.
template <class F>
void for_faces_of(const FlowGrid &whole, std::vector<Colour> &colours, const int axis, F &&f)
{
  const Tiles         &shape = colours.front().grid().tiles();
  std::array<Index, 3> more  = {0, 0, 0};
  more[axis]                 = whole.holds_last_faces(axis);
  for_tiles(colours, [&](const Index tile, const Tiles::Part &visited, const std::vector<ColourInTile> &here) {
    shape.for_rows_of(tile, visited, more, [&](const Index row, const CellIndex &first, const Index n) {
      const Index of_whole = whole.position(first);
      for (Index k = 0; k < n; ++k)
        f(here, row + k, of_whole + k);
    });
  });
}

/// Densities on faces up to this are in nobody's way: far above by how much rows of a flat edge differ after some impacts.
inline double crumb_density(const FlowGrid &grid) { return grid.dim() == 1 ? 1e-9 : 1e-6; }

/// Shares and leaders from densities (ghosts up to date). A colour holds a face where it is on both sides: c_k, the smaller
/// of the two densities, above crumb_density() and 1 % of what all have; θ_k = c_k / Σc. A face that is not
/// held is the outer face of a body if the next face on the side of its fuller cell is held: it moves with that one.
void set_shares(const FlowGrid &grid, std::vector<Colour> &colours);
} // namespace moreau::macro

#endif
