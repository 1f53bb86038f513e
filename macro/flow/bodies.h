// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_BODIES_H
#define MOREAU_MACRO_FLOW_BODIES_H

#include "macro/flow/body_matter.h"
#include "macro/flow/force.h"

#include <cstdint>

namespace moreau::macro
{
/// Which matter has which colour. A body is a connected part of a colour with full cells; on the line it has full cells, at
/// most one partly filled cell at either end, and the mass of three cells or more. Bodies of one colour stay three cells
/// apart: within a step that comes nobody nearer than the cells between them. Where ρ̄ varies, but for solids, matter
/// changes its density and is no body: within three cells of such a place all is mixture.
class Bodies
{
public:
  static constexpr int most_colours = 4; ///< besides the mixture

  /// Keeps a reference. Each process knows all bodies, from the densities of all, and changes its own cells and faces; all
  /// call all of the following.
  Bodies(const WholeBox &box, bool under_force);

  /// Deaths, then births, then changes: what has no full cell any more or is thinner than three cells goes to the mixture
  /// (which loses the energy of mixing), what is a body there gets a colour that nobody near it has, and where two bodies of
  /// one colour come near each other one of them changes it. Matter and momentum move as they are. Colours are added as they
  /// are needed. t: now (s), for counts().
  void recolour(std::vector<Colour> &colours, double t);

  /// Finds the bodies of a state that was left behind recolour(); nothing changes.
  void find(const std::vector<Colour> &colours);

  /// Bodies that move as a whole but for less than `most` (m/s) along each axis get one velocity, momentum kept: what
  /// projections leave between the rows of a flat body would move its edge unevenly, and each impact multiplies that by the
  /// cells it has moved since the last one. m_k, u_k up to date; beyond the line, for the parts of the last recolour().
  void even_out(std::vector<Colour> &colours, double most) const;

  /// Time until the next contact between bodies, or with a wall or solid, closes at the velocities of now and the forces f
  /// (of each colour; empty: none), on the line: a step that ends there has the impact in its place, and one after the
  /// other. Between 1e-6 h and h; h elsewhere.
  double until_contact(const std::vector<Colour> &colours, double h, const std::vector<const FlowForce *> &f) const;

  const BodyCounts &counts() const { return count; }
  void              set_counts(const BodyCounts &counts) { count = counts; }

private:
  struct Part ///< connected cells of a colour
  {
    std::size_t            colour = 0;
    std::vector<CellIndex> cells; ///< not wrapped where an axis is periodic; on the line from left to right
    Index                  n_full     = 0;
    double                 mass       = 0.;    ///< in cells
    bool                   is_compact = true;  ///< partly filled cells only at the edge
    bool                   has_gap    = false; ///< partly filled cells between full ones
    bool                   is_changed = false; ///< ρ̄ varies within three cells
    CellIndex              lowest, highest;    ///< corners of the box around them
    std::array<Index, 3>   extent = {1, 1, 1};
    double                 width  = 0.; ///< the largest mass of a line of cells along an axis, of the axis where it is least
  };

  double      fullness(std::size_t colour, const CellIndex &cell) const;
  bool        is_full(std::size_t colour, const CellIndex &cell) const;
  void        find_parts(const std::vector<Colour> &colours);
  void        find_parts_of(std::size_t colour);
  void        describe(Part &part) const;
  double      least_mass() const;
  bool        is_thin(const Part &part) const;
  bool        is_debris(const Part &part) const;
  bool        is_at(const Part &part, int side) const;
  bool        is_entering(const Part &part) const;
  bool        is_leaving(const Part &part) const;
  bool        can_be_body(const Part &part) const;
  bool        is_body(const Part &part) const;
  bool        is_near(std::size_t part, std::size_t colour) const;
  std::size_t free_colour(std::size_t part) const;
  void        move(std::vector<Colour> &colours, std::size_t part, std::size_t colour); ///< ρ_k, M_k alone
  void        count_step(const std::vector<Part> &before, const std::vector<BodyMatter> &matter_before);
  void        note_none(const Part &part);
  void        note(BodyCounts::First &first, const Part &part, double t) const;
  void        take_stock(const std::vector<Colour> &colours, std::int64_t n_fused);

  /// Faces of a part that its matter moves through and this process computes, and what they carry.
  struct MovingFaces
  {
    std::vector<Index> faces;
    double             mass = 0., momentum = 0., slowest, fastest; ///< densities; slowest, fastest: m/s
  };
  MovingFaces moving_faces(const Colour &colour, const Part &part, int axis) const;

  const WholeBox   &box;
  bool              under_force; ///< of the colours that are added
  const FlowGrid   &grid;        ///< of the whole box
  const CellArray  &rho_max;     ///< likewise
  std::vector<char> varies;      ///< per position in the whole box: whether ρ̄ varies within three cells; empty: nowhere

  std::vector<Part>       parts;
  std::vector<BodyMatter> matter; ///< per colour
  BodyCounts              count;
  bool                    is_first = true; ///< nobody has looked at the initial state yet
};
} // namespace moreau::macro

#endif
