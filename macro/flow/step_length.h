// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_STEP_LENGTH_H
#define MOREAU_MACRO_FLOW_STEP_LENGTH_H

#include "macro/flow/force.h"

namespace moreau::macro
{
/// Throws as the constructor of CongestedFlow does.
void check_data(const FlowGrid &grid, const FlowSetting &setting);

/// The longest step in which no cell gives more than the part `cfl` of what it holds, of matter with these densities and
/// velocities under the force; infinite where nothing moves. Of this process.
double longest_step_of(const FlowGrid &grid, double cfl, const CellArray &rho, const FaceCells &U, const FlowForce &force);
} // namespace moreau::macro

#endif
