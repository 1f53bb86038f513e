// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_SHARED_SPHERES_H
#define MOREAU_PARALLEL_SHARED_SPHERES_H

#include "micro/part_of_contacts.h"
#include "parallel/collectives.h"

namespace moreau::parallel
{
/// Blocks of consecutive spheres, dealt out whole: process r of N gets those from n_blocks r/N to n_blocks (r+1)/N.
struct Blocks
{
  Index n    = 0;    ///< spheres
  Index size = 4096; ///< spheres of a block; the last one has what is left

  Index count() const { return (n + size - 1) / size; }
  Index first(const Index block) const { return std::min(n, block * size); } ///< sphere
  Index first_of_process(const Index rank, const Index n_processes) const { return count() * rank / n_processes; } ///< block
  Index owner(Index sphere, Index n_processes) const;                                                              ///< rank
};

/// The spheres that one process works with. Numbers are those along the Hilbert curve; places those in which spheres were
/// given, over all processes.
struct SharedSpheres
{
  Blocks             blocks;
  std::vector<Index> number; ///< of the spheres here, ascending: own ones, and those of others that may touch them
  std::vector<Index> place;  ///< of the same
  Index              first_own = 0, n_own = 0; ///< own ones are consecutive
  micro::Spheres     spheres;                  ///< those here
  Vector             U;                        ///< of own ones, d n_own, interleaved (m/s)
  std::vector<Index> given_begin; ///< for each process, the place of the first sphere that it gave; and how many there are

  std::size_t giver(Index place) const; ///< the process that gave this sphere
};

/// Each process gives some spheres with their velocities and gets its blocks of all; then neighbours give each other what
/// may touch. What comes out does not depend on who gave what.
///   given  perhaps none; the dimension is there in any case
///   range  what a contact is, known to all
///   box    a periodic one, across whose sides spheres may touch, too: they are within it
SharedSpheres share(const micro::Spheres &given, const Vector &U, const micro::ContactRange &range, Index block_size,
                    const Processes &processes, const micro::PeriodicBox &box = {});

/// For each process the place of the first sphere that it gives, n here; and how many there are.
std::vector<Index> places_of_processes(Index n, const Processes &processes);
} // namespace moreau::parallel

#endif
