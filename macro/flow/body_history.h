// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_BODY_HISTORY_H
#define MOREAU_MACRO_FLOW_BODY_HISTORY_H

#include "convex/named_arrays.h"
#include "macro/flow/congested_flow.h"

#include <utility>
#include <vector>

namespace moreau::macro
{
/// Counts what a step made of `before` bodies, after which there are `after`: those that are linked belong together, and
/// their numbers say whether pieces broke off, bodies became one, or were gone.
///   links  pairs of a body before and one after that have a cell in common; each may be given several times
void count_step(std::size_t before, std::size_t after, const std::vector<std::pair<std::size_t, std::size_t>> &links,
                BodyCounts &count);

/// Into a state.
void put_into(convex::NamedArrays &state, const BodyCounts &count);

/// From there; throws std::invalid_argument where there are none.
BodyCounts body_counts_of(const convex::NamedArrays &state);
} // namespace moreau::macro

#endif
