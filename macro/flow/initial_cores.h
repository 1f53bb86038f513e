// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_INITIAL_CORES_H
#define MOREAU_MACRO_FLOW_INITIAL_CORES_H

#include "macro/flow/grid.h"

namespace moreau::macro
{
/// Which matter in a cell belongs to which of several colours.
struct SharedMatter
{
  std::vector<CellArray> rho;      ///< means over cells, whose sum is ρ
  std::vector<FaceCells> momentum; ///< likewise, of cells
};

/// The matter at t = 0 in the plane and in space, told apart where bodies touch.
///
/// Cores are connected full cells of one velocity, two or more, but for cells between two pairs of full ones whose mean
/// velocity they have. Where the velocity varies along an axis over three faces or more between cores, as in a shear, cores
/// of that piece of matter are one if they differ by no more than twice what cells beside each other do there. (Four bodies
/// a cell thick, with velocities that rise from one to the next, are a shear, too.) Cores of different velocities that come
/// within two cells of each other get different colours, all other matter colour 0.
///
/// A cell beside cores of two colours that is in none has the velocity of one of them and belongs to it, or one between
/// them: then it is shared out so that mass and momentum are right. Where that is not possible it has colour 0. Where
/// velocities vary from cell to cell along all axes there are no cores, and bodies that touch are one.
///   most     colours at most
///   rho      ghosts up to date; setting: densities and momenta as the flow has them
SharedMatter matter_of_cores(const FlowGrid &grid, const FlowSetting &setting, const CellArray &rho, std::size_t most);
} // namespace moreau::macro

#endif
