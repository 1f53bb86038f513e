// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/ghost_exchange.h"

#include <algorithm>

namespace moreau::geometry
{
std::vector<long long> range_starts(const Index n_own, const Processes &processes)
{
  std::vector<long long> starts(processes.size() + 1, 0);
  long long              n = n_own;
  if (processes.size() == 1)
    starts[1] = n;
  else
    MPI_Allgather(&n, 1, MPI_LONG_LONG, starts.data() + 1, 1, MPI_LONG_LONG, processes.communicator());
  for (std::size_t rank = 1; rank < starts.size(); ++rank)
    starts[rank] += starts[rank - 1];
  return starts;
}

GhostExchange::GhostExchange(const Index n_own, std::vector<long long> ghost_numbers, const Processes &processes)
    : own(n_own), ghosts(std::move(ghost_numbers)), starts(range_starts(n_own, processes)), processes(processes)
{
  const int n = processes.size();
  if (n == 1)
    return;
  n_received.assign(n, 0);
  received_at.assign(n, 0);
  n_sent.assign(n, 0);
  sent_at.assign(n, 0);
  for (int rank = 0; rank < n; ++rank)
    {
      const auto begin  = std::lower_bound(ghosts.begin(), ghosts.end(), starts[rank]);
      const auto end    = std::lower_bound(begin, ghosts.end(), starts[rank + 1]);
      received_at[rank] = static_cast<int>(begin - ghosts.begin());
      n_received[rank]  = static_cast<int>(end - begin);
    }
  MPI_Alltoall(n_received.data(), 1, MPI_INT, n_sent.data(), 1, MPI_INT, processes.communicator());
  for (int rank = 1; rank < n; ++rank)
    sent_at[rank] = sent_at[rank - 1] + n_sent[rank - 1];
  std::vector<long long> wanted(sent_at.back() + n_sent.back());
  MPI_Alltoallv(ghosts.data(), n_received.data(), received_at.data(), MPI_LONG_LONG, wanted.data(), n_sent.data(),
                sent_at.data(), MPI_LONG_LONG, processes.communicator());
  for (const long long number : wanted)
    sent.push_back(static_cast<Index>(number - first()));
}

Index GhostExchange::local(const long long global) const
{
  if (global >= first() && global < first() + own)
    return static_cast<Index>(global - first());
  return own + (std::lower_bound(ghosts.begin(), ghosts.end(), global) - ghosts.begin());
}

long long GhostExchange::global(const Index local) const { return local < own ? first() + local : ghosts[local - own]; }

Vector GhostExchange::fetched(const Vector &own_values) const
{
  if (processes.size() == 1)
    return own_values;
  Vector values(n_local()), outgoing(static_cast<Index>(sent.size()));
  values.head(own) = own_values;
  for (std::size_t k = 0; k < sent.size(); ++k)
    outgoing(k) = own_values(sent[k]);
  MPI_Alltoallv(outgoing.data(), n_sent.data(), sent_at.data(), MPI_DOUBLE, values.data() + own, n_received.data(),
                received_at.data(), MPI_DOUBLE, processes.communicator());
  return values;
}

Vector GhostExchange::summed(const Vector &values) const
{
  if (processes.size() == 1)
    return values;
  Vector result = values.head(own), incoming(static_cast<Index>(sent.size()));
  MPI_Alltoallv(values.data() + own, n_received.data(), received_at.data(), MPI_DOUBLE, incoming.data(), n_sent.data(),
                sent_at.data(), MPI_DOUBLE, processes.communicator());
  for (std::size_t k = 0; k < sent.size(); ++k)
    result(sent[k]) += incoming(k);
  return result;
}
} // namespace moreau::geometry
