// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/processes.h"

#include "convex/input_error.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace moreau::geometry
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

Processes::Processes(const MPI_Comm communicator)
{
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (!started || ended)
    return;
  comm = communicator;
  MPI_Comm_rank(comm, &my_rank);
  MPI_Comm_size(comm, &n);
}

int Processes::n_on_this_machine() const
{
  int n_here = 1;
  if (n > 1)
    {
      MPI_Comm here;
      MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
      MPI_Comm_size(here, &n_here);
      MPI_Comm_free(&here);
    }
  return n_here;
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

Vector gathered(const Processes &processes, const Vector &own)
{
  if (processes.size() == 1)
    return own;
  const int        n = static_cast<int>(own.size());
  std::vector<int> count(processes.size()), begin(processes.size(), 0);
  MPI_Allgather(&n, 1, MPI_INT, count.data(), 1, MPI_INT, processes.communicator());
  for (int rank = 1; rank < processes.size(); ++rank)
    begin[rank] = begin[rank - 1] + count[rank - 1];
  Vector all(begin.back() + count.back());
  MPI_Allgatherv(own.data(), n, MPI_DOUBLE, all.data(), count.data(), begin.data(), MPI_DOUBLE, processes.communicator());
  return all;
}

Vector sum_of_columns(const Processes &processes, const Eigen::MatrixXd &own)
{
  const Vector all = gathered(processes, own.reshaped());
  Vector       sum = Vector::Zero(own.rows());
  for (Index begin = 0; begin < all.size(); begin += own.rows())
    sum += all.segment(begin, own.rows());
  return sum;
}

void together(const Processes &processes, const std::function<void()> &f)
{
  std::optional<InputError> mine;
  try
    {
      f();
    }
  catch (const InputError &error)
    {
      mine = error;
    }
  const int n = processes.size(), lowest = n - static_cast<int>(processes.max(mine ? n - processes.rank() : 0.));
  if (lowest == n)
    return;
  if (n == 1)
    throw *mine;
  const auto from_lowest = [&](std::string text) {
    unsigned long long size = text.size();
    MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, lowest, processes.communicator());
    text.resize(size);
    MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, lowest, processes.communicator());
    return text;
  };
  const std::string subject = from_lowest(mine ? mine->subject : ""), sentence = from_lowest(mine ? mine->sentence : "");
  throw InputError(subject, sentence);
}
} // namespace moreau::geometry
