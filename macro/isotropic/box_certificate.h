// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_ISOTROPIC_BOX_CERTIFICATE_H
#define MOREAU_MACRO_ISOTROPIC_BOX_CERTIFICATE_H

#include "geometry/box_grid.h"
#include "macro/vocabulary.h"
#include "macro/total_bound.h"

#include <memory>

/// Total error bounds of the isotropic cone on a box grid, from face fluxes and a conforming pressure, cell by cell.
namespace moreau::macro
{
/// Calls f(axis, face, outward sign) for the wall faces of own saturated cells.
template <class F>
void for_wall_faces(const BoxZone &zone, F &&f)
{
  const BoxGrid &grid = zone.grid;
  for (int axis = 0; axis < grid.dim; ++axis)
    for (int side = 0; side < 2; ++side)
      if (zone.walls[2 * axis + side])
        for_own_cells(grid, [&](const CellIndex &cell) {
          if (cell[axis] == (side == 0 ? 0 : grid.n[axis] - 1) && zone(cell))
            f(axis, moved(cell, axis, side), side == 0 ? -1. : 1.);
        });
}

/// A pressure p >= 0 in H¹₀ of the zone (free on walls) that is smooth within every cell.
class BoxPressure
{
public:
  virtual ~BoxPressure() = default;

  /// p (n) and its gradient (dim x n, 1/m included) at the points of the cell
  /// with reference coordinates xi in [0,1]^dim (dim x n).
  virtual void evaluate(const CellIndex &cell, const Eigen::MatrixXd &xi, Vector &p, Eigen::MatrixXd &gradient) const = 0;
};

/// The C1 biquadratic (triquadratic) B-spline whose coefficients are the cell pressures, in Bernstein form: on a cell,
/// centre = p_cell, edge (face) = mean of the 2 cells, vertex = mean of the
/// cells there, 0 where the zone ends, the wall multiplier on walls.
///   p      cell pressures >= 0, ghosts up to date, 0 outside the zone (m²/s)
///   p_wall one value per wall face of own cells (0 elsewhere), as a FaceArrays
std::unique_ptr<BoxPressure> spline_pressure(const BoxZone &zone, const CellArray &p, const FaceArrays &p_wall);

/// v in RT1 with the given face means and div v >= 0 pointwise: the normal component on a face is linear (bilinear in
/// space), its slopes are the first moments of (U - ∇p)·n there (where it jumps, the mean of those of both sides), the rest
/// is a local fit to U - ∇p, limited where div v would change sign.
/// On wall faces |slope| <= |mean|, so that v·n <= 0 pointwise.
class ReconstructedVelocity
{
public:
  ///   mean_divergence  tr D of a box that repeats itself (1/s), v and U being what repeats itself: div v stands for
  ///                    div v + tr D then, here and below
  ReconstructedVelocity(const BoxZone &zone, const FaceArrays &face_means, const Field &U, const BoxPressure &p,
                        const Progress &progress = {}, double mean_divergence = 0.);
  ~ReconstructedVelocity();

  /// v (dim x n) and div v (n) at reference points of an own cell.
  void evaluate(const CellIndex &cell, const Eigen::MatrixXd &xi, Eigen::MatrixXd &v, Vector &divergence) const;

  /// v (dim x n) at points x of the box (dim x n, m), where one process owns
  /// all of it; on a face between two cells that of the upper one.
  /// Columns whose point lies in no cell of the zone stay what they are. Fastest where points of a cell follow each other.
  ///   cells  n, becomes the position in a CellArray of the cell that each point lies in
  void at(const Eigen::MatrixXd &x, Eigen::MatrixXd &v, std::vector<Index> &cells) const;

private:
  struct Coefficients;
  std::unique_ptr<Coefficients> coefficients;
};

/// η² = |v - u_p|² + 2∫ p div v - 2∫_wall p v·n over the zone, by Gauss's rule with 4 points per direction.
/// indicator: per own cell of the box, i fastest, 0 outside the zone. Parallel (every process does its layers), threaded.
TotalBound box_total_bound(const BoxZone &zone, const Field &U, const ReconstructedVelocity &v, const BoxPressure &p,
                           const Progress &progress = {});

/// Face means nearest to v, roughly, with div >= 0 in every saturated cell and v·n <= 0 on walls: v - ∇φ, -Δφ = (div
/// v)⁻, one linear solve on the grid (φ = 0 where the zone ends freely, Neumann on walls), then what is left along a
/// smooth expansion. feasible says whether that went well: it cannot where a
/// connected part of the zone touches no free boundary.
///   tolerable  compressions (-div v)⁺ up to this one (1/s) are left to the
///   expansion, which costs no solve but 2 ∫p times the largest in η²
///   mean_divergence  tr D of a box that repeats itself (1/s): div v + tr D >= 0 is asked for. Where neither its periodic
///                    axes nor walls leave a way out what is missing is taken from where div v + tr D is above 0, and v
///                    is made a little smaller in the end
FaceArrays repaired_fluxes(const BoxZone &zone, const FaceArrays &v, bool &feasible, double tolerable = 0.,
                           double mean_divergence = 0.);
} // namespace moreau::macro

#endif
