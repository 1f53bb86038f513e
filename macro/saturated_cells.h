// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_SATURATED_CELLS_H
#define MOREAU_MACRO_SATURATED_CELLS_H

#include "macro/discretize.h"

namespace moreau::macro
{
/// The saturated zone [ρ = 1] on a box grid. Where its boundary cuts cells,
/// three staircases stand for it: inside ⊂ centred ⊂ touched.
struct SaturatedCells
{
  BoxZone centred;         ///< saturated at their centre: the cells of the discrete problem
  BoxZone inside;          ///< saturated at all samples
  BoxZone touched;         ///< at one sample at least
  Vector  density;         ///< ρ at the centres of own cells, i fastest
  Index   n_cut       = 0; ///< touched but not inside, of all processes
  Index   n_saturated = 0; ///< centred, of all processes
};

/// ρ is sampled at the centres, and, unless it is uniform or constant on
/// cells, just inside the vertices and the middles of the faces. Where these find no cell cut, what the density knows of
/// itself between them does.
/// Throws InputError("the density", ...) on all processes where it leaves [0, 1].
SaturatedCells saturated_cells(const Domain &domain, const BoxGrid &grid, const Progress &progress = {});

/// Whether one of some cells that samples take as wholly in the zone, or out of it, may still be cut: the density knows
/// itself on hulls (Field::on_hull), and is neither 1 nor less all over it. Cells that reach beyond the box are passed over.
///   corners: dim x (n_corners * cells), cell after cell (m); neighbours in turn are fast
bool may_be_cut(const Domain &domain, const Eigen::MatrixXd &corners, Index n_corners);

/// Points (dim x m) that rounding has beyond the box, on it.
Eigen::MatrixXd within_box(const Domain &domain, const Eigen::MatrixXd &x);

/// ρ at points (dim x m) that lie in the box, up to rounding; -1 beyond it. Nobody checks that it is in [0, 1].
Vector density_at(const Domain &domain, const Eigen::MatrixXd &x);

constexpr double rounding_of_density = 1e-12;

/// Whether a density is 1.
inline bool is_saturated(const double density) { return density >= 1. - rounding_of_density; }

/// is_saturated() at points; false beyond the box.
std::vector<char> saturated_at(const Domain &domain, const Eigen::MatrixXd &x);
} // namespace moreau::macro

#endif
