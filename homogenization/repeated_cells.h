// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_REPEATED_CELLS_H
#define MOREAU_HOMOGENIZATION_REPEATED_CELLS_H

#include "geometry/processes.h"
#include "homogenization/space_cells.h"

#include <array>

namespace moreau::homogenization
{
/// Cells of equal spheres that are translates of one another, as most are in a lattice: finding that a cell is known takes a
/// twentieth of the time that voro++ needs.
///
/// The cell of r_i is the translate of a known cell P exactly if all
/// neighbours of P are there, and no other sphere takes anything away:
/// only one nearer than twice the outer radius of P can, and all of these are
/// asked. So this holds for any arrangement of spheres.
class RepeatedCells
{
public:
  /// Of the cells of some spheres, the samples, those are kept as prototypes that occur at least twice among them.
  /// Coordinates that differ by less than `rounding` are the same.
  ///   processes  that have spheres in parts: each gives samples of its own, the prototypes are those of all
  RepeatedCells(const micro::Spheres &spheres, double rounding, const std::vector<int> &samples,
                const std::vector<SpaceCell> &cells, const geometry::Processes &processes = {});

  Index            size() const { return static_cast<Index>(prototypes.size()); }
  const SpaceCell &operator[](const Index k) const { return prototypes[k].cell; } ///< what is behind its faces: no matter

  /// The cell that the one of sphere i is a translate of, or -1; behind becomes the spheres behind its faces.
  Index find(Index i, std::vector<int> &behind) const;

private:
  struct Prototype
  {
    SpaceCell        cell;
    Eigen::Matrix3Xd vertices, neighbours; ///< relative to the centre; one neighbour per face
    double           reach = 0.;           ///< squared: who is not nearer takes nothing away (m²)
  };

  bool                   matches(const Prototype &prototype, Index i, std::vector<int> &behind) const;
  std::vector<Prototype> candidates_of_all(const std::vector<int> &samples, const std::vector<SpaceCell> &cells,
                                           const geometry::Processes &processes) const;
  void                   choose_prototypes(const std::vector<int> &samples, const std::vector<Prototype> &candidates,
                                           const geometry::Processes &processes);
  void                   sort_into_grid();

  const micro::Spheres  &spheres;
  double                 rounding;
  std::vector<Prototype> prototypes;
  Eigen::Vector3d        lower;          ///< of the grid
  double                 grid_size = 0.; ///< at least the reach of all prototypes
  std::array<Index, 3>   extent{1, 1, 1};
  std::vector<Index>     grid_start; ///< in `sorted`, per grid cell
  std::vector<int>       sorted;
};
} // namespace moreau::homogenization

#endif
