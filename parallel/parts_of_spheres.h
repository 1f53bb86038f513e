// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_PARTS_OF_SPHERES_H
#define MOREAU_PARALLEL_PARTS_OF_SPHERES_H

#include "micro/contact_graph.h"
#include "parallel/collectives.h"

#include <functional>
#include <string>

namespace moreau::parallel
{
/// What reads a file of spheres, and number `rank` of n consecutive parts of it, as micro::read_csv() and
/// micro::read_part_of_csv() do.
struct SphereReaders
{
  std::function<micro::SphereFile(const std::string &file_name, Index dim)>                  whole;
  std::function<micro::SphereFile(const std::string &file_name, Index dim, int rank, int n)> part;
};

/// A file of spheres that several processes read: each has consecutive spheres of it, in the order of ranks; what else the
/// result says is of the whole file. What is no regular file, and one with a mistake in it, is read by the first process,
/// which says the sentence that one process would say; all throw it.
micro::SphereFile read_spheres(const SphereReaders &readers, const std::string &file_name, Index dim,
                               const Processes &processes);
micro::SphereFile read_csv(const std::string &file_name, Index dim, const Processes &processes); ///< the same of tables

/// All spheres on the first process, and none on the others; likewise numbers that belong to them.
micro::Spheres on_first(const Processes &processes, const micro::Spheres &part);
Vector         on_first(const Processes &processes, const Vector &part);

/// The same for contacts, numbered over all already.
micro::ContactGraph on_first(const Processes &processes, const micro::ContactGraph &part);
} // namespace moreau::parallel

#endif
