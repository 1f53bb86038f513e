// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/node_sharing.h"

#include "parallel/shared_factors.h"

#include <deal.II/base/index_set.h>
#include <deal.II/base/partitioner.h>

#include <cmath>

namespace moreau::parallel
{
namespace
{
Traffic all_traffic;

/// Numbers to and from one other process.
struct Partner
{
  int   rank;
  Index begin, n; ///< nodes, in the list of those that are sent or received
};

class NodeTransfer : public convex::Sharing::Transfer
{
public:
  NodeTransfer(const MPI_Comm comm, const Index dim, const std::vector<Partner> &to, const std::vector<Partner> &from,
               const Index n_received)
      : comm(comm), dim(dim), to(to), from(from), incoming(dim * n_received)
  {}

  ~NodeTransfer() override { wait(); }

  void start(const std::vector<double> &values) override
  {
    wait();
    outgoing = values;
    for (const Partner &partner : from)
      MPI_Irecv(incoming.data() + dim * partner.begin, static_cast<int>(dim * partner.n), MPI_DOUBLE, partner.rank, tag,
                comm, &requests.emplace_back());
    for (const Partner &partner : to)
      {
        MPI_Isend(outgoing.data() + dim * partner.begin, static_cast<int>(dim * partner.n), MPI_DOUBLE, partner.rank, tag,
                  comm, &requests.emplace_back());
        ++all_traffic.n_messages;
        all_traffic.n_bytes += static_cast<long long>(sizeof(double)) * dim * partner.n;
      }
  }

  const std::vector<double> &finish() override
  {
    wait();
    return incoming;
  }

private:
  static constexpr int tag = 17;

  void wait()
  {
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    requests.clear();
  }

  MPI_Comm                 comm;
  Index                    dim;
  std::vector<Partner>     to, from;
  std::vector<double>      outgoing, incoming;
  std::vector<MPI_Request> requests;
};

/// Of a process that has all nodes.
class NoTransfer : public convex::Sharing::Transfer
{
public:
  void                       start(const std::vector<double> &) override {}
  const std::vector<double> &finish() override { return none; }

private:
  std::vector<double> none;
};

class NodeSharing : public convex::Sharing
{
public:
  NodeSharing(const Processes &processes, const Index n_nodes, const Index first_own, const Index n_own,
              const Index n_own_blocks, const std::vector<Index> &ghosts, const double largest_factor)
      : processes(processes), largest_factor(largest_factor), n_ghosts(static_cast<Index>(ghosts.size()))
  {
    for (const double n : parallel::on_all(processes, {static_cast<double>(n_own_blocks)}))
      n_blocks.push_back(static_cast<int>(n));
    if (processes.size() == 1 || n_nodes == 0) // a Partitioner divides by the number
      return;
    using Number = dealii::types::global_dof_index;
    dealii::IndexSet own(static_cast<Number>(n_nodes)), others(static_cast<Number>(n_nodes));
    own.add_range(static_cast<Number>(first_own), static_cast<Number>(first_own + n_own));
    others.add_indices(ghosts.begin(), ghosts.end());
    own.compress();
    others.compress();
    const dealii::Utilities::MPI::Partitioner pattern(own, others, processes.communicator());
    for (const auto &[begin, end] : pattern.import_indices())
      for (auto node = begin; node < end; ++node)
        needed.push_back(static_cast<Index>(node));
    to   = partners(pattern.import_targets());
    from = partners(pattern.ghost_targets());
  }

  bool   is_first() const override { return rank() == 0; }
  int    rank() const override { return processes.rank(); }
  double max(const double local) const override { return processes.max(local); }
  void   max(std::vector<double> &local) const override
  {
    if (processes.size() > 1)
      MPI_Allreduce(MPI_IN_PLACE, local.data(), static_cast<int>(local.size()), MPI_DOUBLE, MPI_MAX,
                    processes.communicator());
  }

  std::vector<double> of_all_blocks(const std::vector<double> &own, const Index n) const override
  {
    if (processes.size() == 1)
      return own;
    std::vector<int> counts, begin;
    int              total = 0;
    for (const int blocks : n_blocks)
      {
        begin.push_back(total);
        counts.push_back(static_cast<int>(n) * blocks);
        total += counts.back();
      }
    std::vector<double> all(total);
    MPI_Allgatherv(own.data(), static_cast<int>(own.size()), MPI_DOUBLE, all.data(), counts.data(), begin.data(), MPI_DOUBLE,
                   processes.communicator());
    ++all_traffic.n_sums;
    return all;
  }

  std::vector<double> on_first(const std::vector<double> &own) const override { return parallel::on_first(processes, own); }
  std::vector<double> from_first(const std::vector<std::vector<double>> &of_process) const override
  {
    return parallel::from_first(processes, of_process);
  }
  void from_first(void *const data, const std::size_t n_bytes) const override
  {
    parallel::from_first(processes, data, n_bytes);
  }

  std::vector<double> on_all(const std::vector<double> &own) const override { return parallel::on_all(processes, own); }
  std::vector<double> exchanged(const std::vector<std::vector<double>> &to) const override
  {
    return parallel::exchanged(processes, to);
  }
  int n_processes() const override { return processes.size(); }

  void exchange(const std::vector<double> &numbers, const std::vector<int> &n_to, const std::vector<int> &n_from,
                std::vector<double> &arrived) const override
  {
    parallel::exchange(processes, numbers, n_to, n_from, arrived);
  }

  void run_on_first(const std::function<void()> &f) const override
  {
    if (processes.size() == 1 || std::isinf(largest_factor))
      return Sharing::run_on_first(f);
    SharedFactors factors(processes, largest_factor);
    if (!is_first())
      return factors.help();
    {
      const convex::WithCholeskyElsewhere in_this_thread(factors);
      f();
    }
    n_factorised += factors.n_made();
    factors.dismiss();
  }

  long long n_factorised_by_all() const override { return n_factorised; }

  const std::vector<Index> &sent() const override { return needed; }

  std::unique_ptr<Transfer> transfer(const Index dim) const override
  {
    if (processes.size() == 1)
      return std::make_unique<NoTransfer>();
    return std::make_unique<NodeTransfer>(processes.communicator(), dim, to, from, n_ghosts);
  }

private:
  template <class Targets>
  static std::vector<Partner> partners(const Targets &targets)
  {
    std::vector<Partner> result;
    Index                begin = 0;
    for (const auto &[rank, n] : targets)
      {
        result.push_back({static_cast<int>(rank), begin, static_cast<Index>(n)});
        begin += static_cast<Index>(n);
      }
    return result;
  }

  Processes            processes;
  double               largest_factor;
  mutable long long    n_factorised = 0;
  Index                n_ghosts;
  std::vector<int>     n_blocks; ///< of each process
  std::vector<Index>   needed;
  std::vector<Partner> to, from;
};
} // namespace

std::shared_ptr<const convex::Sharing> node_sharing(const Processes &processes, const Index n_nodes, const Index first_own,
                                                    const Index n_own, const Index n_own_blocks,
                                                    const std::vector<Index> &ghosts, const double largest_factor)
{
  return std::make_shared<NodeSharing>(processes, n_nodes, first_own, n_own, n_own_blocks, ghosts, largest_factor);
}

Traffic traffic() { return all_traffic; }
} // namespace moreau::parallel
