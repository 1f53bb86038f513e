// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_SHARED_COLUMNS_H
#define MOREAU_HOMOGENIZATION_SHARED_COLUMNS_H

#include "geometry/processes.h"

#include <tbb/parallel_for.h>

#include <algorithm>

namespace moreau::homogenization
{
using Eigen::Index;

/// What one of several processes does of pieces of work, whose results are columns: those from `first` to before `last`.
/// Which process does a piece changes nothing of its result, so that no digit depends on how many there are.
class Share
{
public:
  Index first, last;

  /// Of n pieces that all know.
  Share(const geometry::Processes &processes, const Index n)
      : first(n * processes.rank() / processes.size())
      , last(n * (processes.rank() + 1) / processes.size())
      , processes(processes)
  {}

  /// Of n pieces that all know; or, in_parts, all of n pieces that nobody else knows, behind those of lower ranks.
  Share(const geometry::Processes &processes, const Index n, const bool in_parts) : Share(processes, n)
  {
    if (in_parts)
      first = 0, last = n, is_in_parts = true;
  }

  Index size() const { return last - first; }

  /// Of n parts, of which each piece has so many.
  Share of_parts(const Index parts_of_piece, const Index n) const
  {
    Share result = *this;
    result.first = std::min(n, parts_of_piece * first);
    result.last  = std::min(n, parts_of_piece * last);
    return result;
  }

  /// Calls f(piece) for those of this process, on its threads. An InputError is thrown on all processes.
  template <class F>
  void for_each(const F &f) const
  {
    geometry::together(processes, [&] { tbb::parallel_for(first, last, f); });
  }

  /// Gives all processes all columns, of pieces that all know, of a matrix in which each has filled its own. All call.
  void complete(Eigen::MatrixXd &columns) const { complete(columns.data(), columns.rows()); }
  void complete(Eigen::VectorXd &numbers) const { complete(numbers.data(), 1); }

  /// Σ over the pieces of all processes of a matrix in which each has filled its own columns: over groups of so many pieces,
  /// then over these, in their order. Only the last process may have a number of pieces that is no multiple of a group's.
  Eigen::VectorXd sum(const Eigen::MatrixXd &columns, Index group) const;

private:
  void complete(double *columns, Index n_rows) const;

  geometry::Processes processes;
  bool                is_in_parts = false;
};
} // namespace moreau::homogenization

#endif
