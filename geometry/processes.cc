// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/processes.h"

#include <cstdlib>

namespace moreau::macro
{
void start_mpi()
{
  int started = 0;
  MPI_Initialized(&started);
  if (started)
    return;
  MPI_Init(nullptr, nullptr);
  std::atexit([] { MPI_Finalize(); });
}

Processes::Processes()
{
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (!started || ended)
    return;
  comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &my_rank);
  MPI_Comm_size(comm, &n);
}

Processes Processes::alone()
{
  Processes one;
  one.my_rank = 0;
  one.n       = 1;
  one.comm    = MPI_COMM_SELF;
  return one;
}

double Processes::sum(double local) const
{
  if (n > 1)
    MPI_Allreduce(MPI_IN_PLACE, &local, 1, MPI_DOUBLE, MPI_SUM, comm);
  return local;
}

double Processes::max(double local) const
{
  if (n > 1)
    MPI_Allreduce(MPI_IN_PLACE, &local, 1, MPI_DOUBLE, MPI_MAX, comm);
  return local;
}

Index Processes::sum(Index local) const
{
  long long total = local;
  if (n > 1)
    MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_LONG_LONG, MPI_SUM, comm);
  return total;
}

void Processes::exchange(const Vector &to_lower, const Vector &to_upper, Vector &from_lower, Vector &from_upper) const
{
  if (n == 1)
    return;
  const int lower = my_rank > 0 ? my_rank - 1 : MPI_PROC_NULL, upper = my_rank + 1 < n ? my_rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(to_lower.data(), to_lower.size(), MPI_DOUBLE, lower, 0, from_upper.data(), from_upper.size(), MPI_DOUBLE,
               upper, 0, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv(to_upper.data(), to_upper.size(), MPI_DOUBLE, upper, 1, from_lower.data(), from_lower.size(), MPI_DOUBLE,
               lower, 1, comm, MPI_STATUS_IGNORE);
}
} // namespace moreau::macro
