// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_FLOW_STATE_H
#define MOREAU_MACRO_FLOW_FLOW_STATE_H

#include "convex/named_arrays.h"
#include "convex/vectors.h"

#include <stdexcept>

namespace moreau::macro
{
/// Throws the std::invalid_argument of CongestedFlow::restore().
[[noreturn]] inline void throw_other_flow()
{
  throw std::invalid_argument("CongestedFlow: the state is that of another flow.");
}

/// From a state; throws std::invalid_argument where there is nothing of that name.
inline const std::vector<double> &reals_of(const convex::NamedArrays &state, const std::string &name)
{
  const auto found = state.reals.find(name);
  if (found == state.reals.end())
    throw_other_flow();
  return found->second;
}
/// Likewise.
inline const std::vector<std::int64_t> &integers_of(const convex::NamedArrays &state, const std::string &name)
{
  const auto found = state.integers.find(name);
  if (found == state.integers.end())
    throw_other_flow();
  return found->second;
}

/// Into values of as many numbers; throws std::invalid_argument where there are not.
inline void read_reals(const convex::NamedArrays &state, const std::string &name, Eigen::VectorXd &values)
{
  const std::vector<double> &found = reals_of(state, name);
  if (static_cast<Eigen::Index>(found.size()) != values.size())
    throw_other_flow();
  values = convex::vector(found);
}
} // namespace moreau::macro

#endif
