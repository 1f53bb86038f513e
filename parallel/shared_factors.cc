// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/shared_factors.h"

#include "convex/factorisation/cholmod_analysis.h"
#include "parallel/collectives.h"

#include <dmumps_c.h>

#include <cmath>
#include <new>
#include <stdexcept>
#include <string>

namespace moreau::parallel
{
namespace
{
/// What MUMPS does when it is called, by its numbers.
enum Job
{
  end       = -2,
  begin     = -1,
  analyse   = 1,
  factorise = 2,
  solve     = 3
};

/// INFOG(1) of MUMPS' manual, below 0 where something went wrong.
enum Failure
{
  no_workspace        = -9,
  no_workspace_either = -8,
  singular            = -10,
  no_memory           = -13,
  not_positive        = -40
};
} // namespace

/// MUMPS' own structure, on each process.
struct SharedFactors::Instance
{
  DMUMPS_STRUC_C data{};

  explicit Instance(const MPI_Comm communicator)
  {
    data.sym          = 1; // positive definite
    data.par          = 1; // the first process works, too
    data.comm_fortran = static_cast<MUMPS_INT>(MPI_Comm_c2f(communicator));
    call(begin);
    control(1) = control(2) = control(3) = -1; // silent
    control(4)                           = 0;
    control(7)                           = 1; // our order
    control(6) = control(8) = 0;              // H as it is: no matching, no scaling
    control(14)             = 30;             // per cent of memory beyond the estimate
  }

  ~Instance() { call(end); }
  Instance(const Instance &) = delete;

  int &control(const int k) { return data.icntl[k - 1]; } // numbered from 1, as in the manual

  int call(const int job)
  {
    data.job = job;
    dmumps_c(&data);
    return data.infog[0];
  }
};

/// On the first process.
class SharedFactors::Factor : public convex::SparseCholesky
{
public:
  Factor(SharedFactors &factors, const convex::BlockPattern &pattern, convex::LowerTriangle &&lower_,
         const convex::Elimination &elimination)
      : factors(factors)
      , number(factors.instances.size())
      , entries(static_cast<std::size_t>(elimination.n_entries))
      , lower(std::move(lower_))
      , values(lower.row.size())
  {
    factors.tell(Task::begin, number);
    const std::size_t n = static_cast<std::size_t>(pattern.n_rows());
    position.resize(n);
    for (std::size_t k = 0; k < n; ++k)
      position[elimination.order[k]] = static_cast<int>(k) + 1;
    column.reserve(lower.row.size());
    for (std::size_t j = 0; j < n; ++j)
      column.insert(column.end(), lower.column_start[j + 1] - lower.column_start[j], static_cast<int>(j) + 1);
    for (int &row : lower.row)
      ++row;
    DMUMPS_STRUC_C &data = instance().data;
    data.n               = static_cast<MUMPS_INT>(n);
    data.nnz             = static_cast<MUMPS_INT8>(lower.row.size());
    data.irn             = lower.row.data();
    data.jcn             = column.data();
    data.a               = values.data();
    data.perm_in         = position.data();
    require(compute(analyse), "analysis");
  }

  ~Factor() override
  {
    if (number < factors.instances.size()) // else all were dismissed
      factors.tell(Task::end, number);
  }

  bool factorize(const convex::Vector &H) override
  {
    for (std::size_t k = 0; k < values.size(); ++k)
      if (values[k] = H(lower.value[k]); !std::isfinite(values[k]))
        return false;
    constexpr int most_extra = 500; // per cent
    int           failure    = compute(factorise);
    while ((failure == no_workspace || failure == no_workspace_either) && instance().control(14) < most_extra)
      {
        instance().control(14) *= 2;
        failure = compute(factorise);
      }
    if (failure == singular || failure == not_positive)
      return false;
    require(failure, "factorisation");
    return instance().data.infog[11] == 0; // pivots below 0, which MUMPS passes over but in the last front
  }

  void solve(convex::Vector &x) override
  {
    instance().data.rhs = x.data();
    require(compute(Job::solve), "solution");
  }

  std::size_t n_entries() const override { return entries; }

private:
  SharedFactors        &factors;
  const std::size_t     number, entries;
  convex::LowerTriangle lower; ///< rows from 1 on
  std::vector<int>      column, position;
  std::vector<double>   values;

  Instance &instance() { return *factors.instances[number]; }

  int compute(const Job job)
  {
    instance().data.job = job;
    factors.tell(Task::compute, number);
    return instance().data.infog[0];
  }

  void require(const int failure, const char *const what)
  {
    if (failure == no_memory || failure == no_workspace || failure == no_workspace_either)
      throw std::bad_alloc();
    if (failure < 0)
      throw std::runtime_error("MUMPS' " + std::string(what) + " ended with INFOG(1) = " + std::to_string(failure) +
                               ", INFOG(2) = " + std::to_string(instance().data.infog[1]) + ".");
  }
};

SharedFactors::SharedFactors(const Processes &processes, const double largest) : processes(processes), largest(largest) {}

SharedFactors::~SharedFactors() = default;

std::unique_ptr<convex::SparseCholesky> SharedFactors::make(const convex::BlockPattern &pattern)
{
  convex::LowerTriangle     lower(pattern);
  const convex::Elimination elimination = convex::elimination(pattern, lower);
  if (elimination.n_entries * sizeof(double) <= largest)
    return nullptr;
  ++n_analysed;
  return std::make_unique<Factor>(*this, pattern, std::move(lower), elimination);
}

void SharedFactors::tell(const Task task, const std::size_t which)
{
  unsigned long long words[3] = {static_cast<unsigned long long>(task), which, 0};
  if (task == Task::compute)
    words[2] = static_cast<unsigned long long>(instances[which]->data.job);
  from_first(processes, words, sizeof words);
  carry_out(task, which);
}

void SharedFactors::carry_out(const Task task, const std::size_t which)
{
  switch (task)
    {
      case Task::begin:
        instances.push_back(std::make_unique<Instance>(processes.communicator()));
        break;
      case Task::compute:
        instances[which]->call(instances[which]->data.job);
        break;
      case Task::end:
        instances[which].reset();
        break;
      case Task::dismiss:
        instances.clear();
    }
}

void SharedFactors::help()
{
  for (Task task = Task::begin; task != Task::dismiss;)
    {
      unsigned long long words[3];
      from_first(processes, words, sizeof words);
      task             = static_cast<Task>(words[0]);
      const auto which = static_cast<std::size_t>(words[1]);
      if (task == Task::compute)
        instances[which]->data.job = static_cast<MUMPS_INT>(words[2]);
      carry_out(task, which);
    }
}

void SharedFactors::dismiss() { tell(Task::dismiss, 0); }
} // namespace moreau::parallel
