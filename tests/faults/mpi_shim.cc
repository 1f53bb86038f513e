// SPDX-License-Identifier: GPL-3.0-or-later
// Makes one call of MPI fail, as shim.cc does with others: FAULT = mpi, on process FAULT_PROCESS. It does what MPI does
// where something goes wrong: it calls the error handler of the communicator.
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OMPI_SKIP_MPICXX
#include <mpi.h>

namespace
{
int n_calls = 0;

/// Counts a call, and fails where it is the one.
int code_of(const MPI_Comm communicator)
{
  const char *const kind = std::getenv("FAULT"), *const number = std::getenv("FAULT_NUMBER");
  const char *const process = std::getenv("FAULT_PROCESS"), *const mine = std::getenv("OMPI_COMM_WORLD_RANK");
  if (kind == nullptr || number == nullptr || std::strcmp(kind, "mpi") != 0 || process == nullptr || mine == nullptr ||
      std::strcmp(process, mine) != 0 || __atomic_add_fetch(&n_calls, 1, __ATOMIC_RELAXED) != std::atoi(number))
    return MPI_SUCCESS;
  const int report = open(std::getenv("FAULT_REPORT"), O_WRONLY | O_CREAT | O_APPEND, 0666);
  syscall(SYS_write, report, "failed\n", 7);
  syscall(SYS_close, report);
  MPI_Comm_call_errhandler(communicator, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}
} // namespace

#define FAILING(name, parameters, arguments, communicator)                                                                  \
  int name parameters                                                                                                       \
  {                                                                                                                         \
    const int code = code_of(communicator);                                                                                 \
    return code != MPI_SUCCESS ? code : P##name arguments;                                                                  \
  }

extern "C" {
FAILING(MPI_Allreduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c), c)
FAILING(MPI_Reduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, int r, MPI_Comm c), (a, b, n, t, o, r, c), c)
FAILING(MPI_Barrier, (MPI_Comm c), (c), c)
FAILING(MPI_Bcast, (void *a, int n, MPI_Datatype t, int r, MPI_Comm c), (a, n, t, r, c), c)
FAILING(MPI_Ibarrier, (MPI_Comm c, MPI_Request *q), (c, q), c)
FAILING(MPI_Ibcast, (void *a, int n, MPI_Datatype t, int r, MPI_Comm c, MPI_Request *q), (a, n, t, r, c, q), c)
FAILING(MPI_Send, (const void *a, int n, MPI_Datatype t, int r, int g, MPI_Comm c), (a, n, t, r, g, c), c)
FAILING(MPI_Recv, (void *a, int n, MPI_Datatype t, int r, int g, MPI_Comm c, MPI_Status *s), (a, n, t, r, g, c, s), c)
FAILING(MPI_Isend, (const void *a, int n, MPI_Datatype t, int r, int g, MPI_Comm c, MPI_Request *q), (a, n, t, r, g, c, q),
        c)
FAILING(MPI_Irecv, (void *a, int n, MPI_Datatype t, int r, int g, MPI_Comm c, MPI_Request *q), (a, n, t, r, g, c, q), c)
FAILING(MPI_Sendrecv,
        (const void *a, int n, MPI_Datatype t, int r, int g, void *b, int m, MPI_Datatype u, int p, int h, MPI_Comm c,
         MPI_Status *s),
        (a, n, t, r, g, b, m, u, p, h, c, s), c)
FAILING(MPI_Allgather, (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c),
        (a, n, t, b, m, u, c), c)
FAILING(MPI_Allgatherv,
        (const void *a, int n, MPI_Datatype t, void *b, const int *m, const int *d, MPI_Datatype u, MPI_Comm c),
        (a, n, t, b, m, d, u, c), c)
FAILING(MPI_Gather, (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, int r, MPI_Comm c),
        (a, n, t, b, m, u, r, c), c)
FAILING(MPI_Gatherv,
        (const void *a, int n, MPI_Datatype t, void *b, const int *m, const int *d, MPI_Datatype u, int r, MPI_Comm c),
        (a, n, t, b, m, d, u, r, c), c)
FAILING(MPI_Scatter, (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, int r, MPI_Comm c),
        (a, n, t, b, m, u, r, c), c)
FAILING(MPI_Scatterv,
        (const void *a, const int *n, const int *d, MPI_Datatype t, void *b, int m, MPI_Datatype u, int r, MPI_Comm c),
        (a, n, d, t, b, m, u, r, c), c)
FAILING(MPI_Alltoall, (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c),
        (a, n, t, b, m, u, c), c)
FAILING(MPI_Alltoallv,
        (const void *a, const int *n, const int *d, MPI_Datatype t, void *b, const int *m, const int *e, MPI_Datatype u,
         MPI_Comm c),
        (a, n, d, t, b, m, e, u, c), c)
FAILING(MPI_Exscan, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c), c)
FAILING(MPI_Issend, (const void *a, int n, MPI_Datatype t, int r, int g, MPI_Comm c, MPI_Request *q), (a, n, t, r, g, c, q),
        c)
FAILING(MPI_Probe, (int r, int g, MPI_Comm c, MPI_Status *s), (r, g, c, s), c)
FAILING(MPI_Comm_split_type, (MPI_Comm c, int t, int k, MPI_Info i, MPI_Comm *d), (c, t, k, i, d), c)
FAILING(MPI_Wait, (MPI_Request * q, MPI_Status *s), (q, s), MPI_COMM_WORLD)
FAILING(MPI_Waitall, (int n, MPI_Request *q, MPI_Status *s), (n, q, s), MPI_COMM_WORLD)
FAILING(MPI_Comm_dup, (MPI_Comm c, MPI_Comm *d), (c, d), c)
}
