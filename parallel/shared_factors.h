// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_SHARED_FACTORS_H
#define MOREAU_PARALLEL_SHARED_FACTORS_H

#include "convex/factorisation/sparse_cholesky.h"
#include "geometry/processes.h"

#include <memory>
#include <vector>

namespace moreau::parallel
{
using geometry::Processes;

/// H = LLᵀ by all processes, in whose memory L lies, with MUMPS and the order of elimination that one process has. The first
/// process has H, right-hand sides and solutions, and says what is to be done; the others help until they are dismissed.
/// Digits depend on the number of processes.
class SharedFactors : public convex::CholeskyElsewhere
{
public:
  /// largest: bytes of L up to which the first process makes it alone. All processes call it.
  SharedFactors(const Processes &processes, double largest);
  ~SharedFactors() override;

  /// On the first process; throws as convex::make_sparse_cholesky() does where a process has not enough memory.
  std::unique_ptr<convex::SparseCholesky> make(const convex::BlockPattern &pattern) override;

  void help();    ///< on each of the others, until
  void dismiss(); ///< is called on the first, which must not use what was made any more

  long long n_made() const { return n_analysed; } ///< factors that were not left to the first process

private:
  class Factor;
  struct Instance;

  enum class Task : int
  {
    begin,
    compute,
    end,
    dismiss
  };

  void tell(Task task, std::size_t which);
  void carry_out(Task task, std::size_t which);

  Processes                              processes;
  double                                 largest;
  std::vector<std::unique_ptr<Instance>> instances; ///< of MUMPS, the same on all processes
  long long                              n_analysed = 0;
};
} // namespace moreau::parallel

#endif
