// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_DEALT_CONTACT_CONE_H
#define MOREAU_PARALLEL_DEALT_CONTACT_CONE_H

#include "geometry/progress.h"
#include "geometry/processes.h"
#include "micro/network/contact_cone.h"

namespace moreau::parallel
{
/// micro::contact_cone() of the packing that the first process has; linear programs know nothing of each other and are dealt
/// out, so that no digit depends on how many processes there are. Each has the network, and the memory for a factor of it.
/// Returns the edges on the first process, in the order of the deviators; elsewhere nothing. Throws as micro::contact_cone()
/// does, on all.
std::vector<micro::ConeEdge> dealt_contact_cone(micro::Spheres spheres, micro::ContactGraph graph,
                                                const std::vector<micro::Deviator> &deviators, double tolerance,
                                                const geometry::Processes &processes,
                                                const geometry::Progress  &progress = {});
} // namespace moreau::parallel

#endif
