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

/// The spheres that one process works with. Numbers are those along the Hilbert curve.
struct SharedSpheres
{
  Blocks             blocks;
  std::vector<Index> order;  ///< on the first process: the sphere of the file that has each number
  std::vector<Index> number; ///< of the spheres here, ascending: own ones, and those of others that may touch them
  Index              first_own = 0, n_own = 0; ///< own ones are consecutive
  micro::Spheres     spheres;                  ///< those here
  Vector             U;                        ///< of own ones, d n_own, interleaved (m/s)
};

/// The first process has all spheres and their velocities and gives each process its blocks; then neighbours give each other
/// what may touch. range: what a contact is, known to all.
SharedSpheres share(const micro::Spheres &spheres, const Vector &U, const micro::ContactRange &range, Index block_size,
                    const Processes &processes);
} // namespace moreau::parallel

#endif
