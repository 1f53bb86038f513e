// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_COLLECTIVES_H
#define MOREAU_PARALLEL_COLLECTIVES_H

#include "geometry/processes.h"

#include <cstddef>
#include <functional>
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

/// What all others have for this process, in the order of their ranks; to: a list for each of them.
List exchanged(const Processes &processes, const std::vector<List> &to);

/// Runs f on the first process, while the others sleep. An InputError is thrown on all; what else it throws only there, and
/// ends the run for all.
void by_first(const Processes &processes, const std::function<void()> &f);
} // namespace moreau::parallel

#endif
