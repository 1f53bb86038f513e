// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_PARTS_OF_SPHERES_H
#define MOREAU_PARALLEL_PARTS_OF_SPHERES_H

#include "micro/contact_graph.h"
#include "parallel/collectives.h"

#include <string>

namespace moreau::parallel
{
/// micro::read_csv() by several processes: each has consecutive spheres of the file, in the order of ranks; what else the
/// result says is of the whole file. What is no regular file, and one with a mistake in it, is read by the first process,
/// which says the sentence that one process would say; all throw it.
micro::SphereFile read_csv(const std::string &file_name, Index dim, const Processes &processes);

/// All spheres on the first process, and none on the others; likewise numbers that belong to them.
micro::Spheres on_first(const Processes &processes, const micro::Spheres &part);
Vector         on_first(const Processes &processes, const Vector &part);

/// The same for contacts, numbered over all already, of no periodic box.
micro::ContactGraph on_first(const Processes &processes, const micro::ContactGraph &part);
} // namespace moreau::parallel

#endif
