// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_COLLECTIVES_H
#define MOREAU_PARALLEL_COLLECTIVES_H

#include "geometry/processes.h"

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <vector>

/// What several processes do together with lists of numbers. All of them call; one alone needs no MPI.
namespace moreau::parallel
{
using geometry::Index;
using geometry::Processes;
using geometry::Vector;
using List = std::vector<double>;

List on_all(const Processes &processes, const List &own);   ///< the lists of all, one behind the other
List on_first(const Processes &processes, const List &own); ///< the same on the first process; elsewhere nothing

/// To each process its list, of those that the first one has.
List from_first(const Processes &processes, const std::vector<List> &of_process);

/// The same bytes to all. Processes that wait long sleep.
void from_first(const Processes &processes, void *data, std::size_t n_bytes);

/// What all have for this process, itself included, in the order of their ranks; to: a list for each of them.
List exchanged(const Processes &processes, const std::vector<List> &to);

/// The same of numbers that lie one process behind the other, of which all know how many: n_to for each process, n_from of
/// each. arrived: what this process gets, whose memory is used again.
void exchange(const Processes &processes, const List &numbers, const std::vector<int> &n_to, const std::vector<int> &n_from,
              List &arrived);

/// Whole numbers, entry by entry: those of all processes added, and those of the processes with lower ranks. (Other numbers
/// would have digits that depend on how many processes there are.)
std::vector<Index> sum(const Processes &processes, std::vector<Index> own);
std::vector<Index> sum_of_lower(const Processes &processes, const std::vector<Index> &own);

/// A text that all know pieces of, one process behind the other, to a stream that the first one has. own: writes one of the
/// n_own pieces of this process, in turn; no more than one of each process is in memory at a time.
/// out: of the first process; null where it has none after all, and the pieces are dropped.
void write_in_order(const Processes &processes, Index n_own, const std::function<void(std::ostream &, Index)> &own,
                    std::ostream *out);

/// Runs f on the first process, while the others sleep. An InputError is thrown on all; what else it throws only there, and
/// ends the run for all.
void by_first(const Processes &processes, const std::function<void()> &f);
} // namespace moreau::parallel

#endif
