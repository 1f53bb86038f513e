// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_GHOST_EXCHANGE_H
#define MOREAU_GEOMETRY_GHOST_EXCHANGE_H

#include "geometry/processes.h"

#include <vector>

namespace moreau::geometry
{
/// Coefficients numbered through all processes, each owning a contiguous range, and those of others that this process needs.
/// Local index: own coefficients first, then the ghosts in the order of their global numbers.
class GhostExchange
{
public:
  GhostExchange() = default;

  /// n_own: of this process; ghosts: global numbers that others own, sorted, each once.
  GhostExchange(Index n_own, std::vector<long long> ghosts, const Processes &processes);

  Index                         n_own() const { return own; }
  Index                         n_local() const { return own + static_cast<Index>(ghosts.size()); }
  long long                     first() const { return starts.empty() ? 0 : starts[processes.rank()]; }
  long long                     n_global() const { return starts.empty() ? own : starts.back(); }
  const std::vector<long long> &ghost_numbers() const { return ghosts; }
  const Processes              &sharing() const { return processes; }

  Index     local(long long global) const; ///< global -> local index, both own and ghost
  long long global(Index local) const;     ///< and back

  Vector fetched(const Vector &own_values) const; ///< own values and, behind them, those of the ghosts
  Vector summed(const Vector &values) const;      ///< own values plus what other processes have for them as ghosts

private:
  Index                  own = 0;
  std::vector<long long> ghosts, starts; ///< starts: first number of each process, then the number of all
  Processes              processes = Processes::alone();
  std::vector<int>       n_received, received_at; ///< ghosts per process that owns them
  std::vector<int>       n_sent, sent_at;         ///< own coefficients per process that needs them
  std::vector<Index>     sent;                    ///< which ones
};

/// First number of each process and, behind them, the number of all, where each process has n_own.
std::vector<long long> range_starts(Index n_own, const Processes &processes);
} // namespace moreau::geometry

#endif
