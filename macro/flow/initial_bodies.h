// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_INITIAL_BODIES_H
#define MOREAU_MACRO_FLOW_INITIAL_BODIES_H

#include "macro/flow/colour.h"
#include "macro/flow/two_bodies.h"
#include "macro/flow/whole_box.h"

namespace moreau::macro
{
/// The matter at t = 0, in two colours where bodies are so near each other that their edges share a cell or a face, else in
/// one. On the line: runs of full cells with one velocity each are told apart
///  - where they touch on a face and their velocities differ,
///  - where one cell is between them and their velocities differ: it is shared out so that mass and momentum are right,
///  - where two cells are between them, each with the velocity of its neighbour.
/// One cell between runs of the same velocity says not where the gap is: they remain one. In the plane and in space
/// matter_of_cores() does the same, with `most` colours at most.
/// setting: densities and momenta as the flow has them, ghosts of `rho` up to date. two: Colour::first follows where there
/// are two bodies.
std::vector<Colour> initial_colours(const WholeBox &box, const FlowSetting &setting, const CellArray &rho,
                                    const TwoBodies &two, std::size_t most);
} // namespace moreau::macro

#endif
