// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/collectives.h"

#include <chrono>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace moreau::parallel
{
namespace
{
/// MPI counts by int.
int count_of(const std::size_t n)
{
  if (n > 0x7fffffffu)
    throw std::runtime_error("A message of more than 2^31 numbers; start more processes, so that each has less to say.");
  return static_cast<int>(n);
}

std::vector<int> starts(const std::vector<int> &counts)
{
  std::vector<int> begin(counts.size(), 0);
  long long        sum = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    {
      begin[rank] = count_of(static_cast<std::size_t>(sum));
      sum += counts[rank];
    }
  count_of(static_cast<std::size_t>(sum));
  return begin;
}

/// MPI's own waiting keeps a core busy, which the process that works could use.
void wait_asleep(MPI_Request &request)
{
  int arrived = 0;
  for (int tries = 0; !arrived; ++tries)
    {
      MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
      if (!arrived && tries > 10000)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}
} // namespace

List on_all(const Processes &processes, const List &own)
{
  if (processes.size() == 1)
    return own;
  const int        n = count_of(own.size());
  std::vector<int> counts(processes.size());
  MPI_Allgather(&n, 1, MPI_INT, counts.data(), 1, MPI_INT, processes.communicator());
  const std::vector<int> begin = starts(counts);
  List                   all(begin.back() + counts.back());
  MPI_Allgatherv(own.data(), n, MPI_DOUBLE, all.data(), counts.data(), begin.data(), MPI_DOUBLE, processes.communicator());
  return all;
}

List on_first(const Processes &processes, const List &own)
{
  if (processes.size() == 1)
    return own;
  const int        n = count_of(own.size());
  std::vector<int> counts(processes.size(), 0), begin(processes.size(), 0);
  MPI_Gather(&n, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, processes.communicator());
  if (processes.rank() == 0)
    begin = starts(counts);
  List all(begin.back() + counts.back());
  MPI_Gatherv(own.data(), n, MPI_DOUBLE, all.data(), counts.data(), begin.data(), MPI_DOUBLE, 0, processes.communicator());
  return all;
}

List from_first(const Processes &processes, const std::vector<List> &of_process)
{
  if (processes.size() == 1)
    return of_process.front();
  const bool       is_first = processes.rank() == 0;
  std::vector<int> counts, begin;
  List             all;
  if (is_first)
    {
      for (const List &list : of_process)
        counts.push_back(count_of(list.size()));
      begin = starts(counts);
      for (const List &list : of_process)
        all.insert(all.end(), list.begin(), list.end());
    }
  int n = 0;
  MPI_Scatter(counts.data(), 1, MPI_INT, &n, 1, MPI_INT, 0, processes.communicator());
  List own(n);
  MPI_Scatterv(all.data(), counts.data(), begin.data(), MPI_DOUBLE, own.data(), n, MPI_DOUBLE, 0, processes.communicator());
  return own;
}

void from_first(const Processes &processes, void *const data, const std::size_t n_bytes)
{
  if (processes.size() == 1 || n_bytes == 0)
    return;
  MPI_Request request;
  MPI_Ibcast(data, count_of(n_bytes), MPI_BYTE, 0, processes.communicator(), &request);
  wait_asleep(request);
}

List exchanged(const Processes &processes, const std::vector<List> &to)
{
  if (processes.size() == 1)
    return to.front();
  const std::size_t n = processes.size();
  std::vector<int>  n_sent(n), n_received(n);
  List              outgoing;
  for (std::size_t rank = 0; rank < n; ++rank)
    {
      n_sent[rank] = count_of(to[rank].size());
      outgoing.insert(outgoing.end(), to[rank].begin(), to[rank].end());
    }
  MPI_Alltoall(n_sent.data(), 1, MPI_INT, n_received.data(), 1, MPI_INT, processes.communicator());
  List incoming;
  exchange(processes, outgoing, n_sent, n_received, incoming);
  return incoming;
}

void exchange(const Processes &processes, const List &numbers, const std::vector<int> &n_to, const std::vector<int> &n_from,
              List &arrived)
{
  if (processes.size() == 1)
    {
      arrived = numbers;
      return;
    }
  const std::vector<int> to = starts(n_to), from = starts(n_from);
  arrived.resize(from.back() + n_from.back());
  MPI_Alltoallv(numbers.data(), n_to.data(), to.data(), MPI_DOUBLE, arrived.data(), n_from.data(), from.data(), MPI_DOUBLE,
                processes.communicator());
}

namespace
{
std::vector<long long> as_long(const std::vector<Index> &numbers) { return {numbers.begin(), numbers.end()}; }
} // namespace

std::vector<Index> sum(const Processes &processes, std::vector<Index> own)
{
  if (processes.size() == 1)
    return own;
  std::vector<long long> all = as_long(own);
  MPI_Allreduce(MPI_IN_PLACE, all.data(), count_of(all.size()), MPI_LONG_LONG, MPI_SUM, processes.communicator());
  return {all.begin(), all.end()};
}

std::vector<Index> sum_of_lower(const Processes &processes, const std::vector<Index> &own)
{
  std::vector<long long> mine = as_long(own), lower(own.size(), 0);
  if (processes.size() > 1)
    MPI_Exscan(mine.data(), lower.data(), count_of(mine.size()), MPI_LONG_LONG, MPI_SUM, processes.communicator());
  if (processes.rank() == 0) // where MPI leaves it undefined
    lower.assign(own.size(), 0);
  return {lower.begin(), lower.end()};
}

void write_in_order(const Processes &processes, const Index n_own, const std::function<void(std::ostream &, Index)> &own,
                    std::ostream *const out)
{
  constexpr int  tag  = 23;
  const MPI_Comm comm = processes.communicator();
  if (processes.rank() > 0)
    {
      for (Index piece = 0; piece <= n_own; ++piece) // an empty one ends
        {
          std::ostringstream text;
          if (piece < n_own)
            own(text, piece);
          const std::string bytes = text.str();
          if (bytes.empty() && piece < n_own)
            continue;
          MPI_Request request; // it waits until the first process wants it
          MPI_Issend(bytes.data(), count_of(bytes.size()), MPI_CHAR, 0, tag, comm, &request);
          wait_asleep(request);
        }
      return;
    }
  for (Index piece = 0; out != nullptr && piece < n_own; ++piece)
    own(*out, piece);
  for (int rank = 1; rank < processes.size(); ++rank)
    for (bool more = true; more;)
      {
        MPI_Status  status;
        int         n = 0;
        std::string bytes;
        MPI_Probe(rank, tag, comm, &status);
        MPI_Get_count(&status, MPI_CHAR, &n);
        bytes.resize(n);
        MPI_Recv(bytes.data(), n, MPI_CHAR, rank, tag, comm, MPI_STATUS_IGNORE);
        more = n > 0;
        if (out != nullptr)
          *out << bytes;
      }
}

void by_first(const Processes &processes, const std::function<void()> &f)
{
  std::exception_ptr error;
  if (processes.rank() == 0)
    try
      {
        f();
      }
    catch (...)
      {
        error = std::current_exception();
      }
  int failed = error ? 1 : 0;
  from_first(processes, &failed, sizeof failed);
  if (failed)
    geometry::together(processes, [&] {
      if (error)
        std::rethrow_exception(error);
    });
}
} // namespace moreau::parallel
