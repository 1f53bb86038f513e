// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_PROCESSES_H
#define MOREAU_GEOMETRY_PROCESSES_H

#include "geometry/field.h"

#include <mpi.h>

#include <functional>

namespace moreau::geometry
{
/// Starts MPI for this process alone where mpirun did not, until the program ends: Trilinos does nothing without.
void start_mpi();

/// The processes that share a run: those of a communicator, or this one alone (then nothing here calls MPI).
class Processes
{
public:
  Processes() = default; ///< this process alone

  /// Those of the caller's communicator, which must live as long as this; this one alone where MPI was not started.
  explicit Processes(MPI_Comm communicator);

  /// This process alone, whatever MPI says.
  static Processes alone() { return {}; }

  int      rank() const { return my_rank; }
  int      size() const { return n; }
  MPI_Comm communicator() const { return comm; } ///< MPI_COMM_SELF where this process is alone

  /// How many of them run on this process' machine, itself included. All call it.
  int n_on_this_machine() const;

  double sum(double local) const;
  double max(double local) const;
  Index  sum(Index local) const;

  /// Sends `to_lower` to the process before this one and `to_upper` to the one behind, and receives their counterparts into
  /// from_lower and from_upper, which have the right length already; nothing is touched where there is no neighbour.
  void exchange(const Vector &to_lower, const Vector &to_upper, Vector &from_lower, Vector &from_upper) const;

private:
  int      my_rank = 0, n = 1;
  MPI_Comm comm = MPI_COMM_SELF;
};

/// The parts of all processes, in the order of their ranks.
Vector gathered(const Processes &processes, const Vector &own);

/// Σ of the columns of all processes, added one after another in the order of their ranks: where columns are sums over parts
/// that no two processes share, no digit depends on how many of them there are.
Vector sum_of_columns(const Processes &processes, const Eigen::MatrixXd &own);

/// Runs f on all processes. Where it throws InputError on some, all throw the one of the first of these: then none waits for
/// another, and one sentence is said. f itself does not wait for other processes.
void together(const Processes &processes, const std::function<void()> &f);
} // namespace moreau::geometry

#endif
