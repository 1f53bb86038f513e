// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_SAMPLE_NETWORK_H
#define MOREAU_APP_RUN_SAMPLE_NETWORK_H

#include "app/input/parameters.h"
#include "app/output/disorder_tables.h"
#include "app/output/stages.h"
#include "micro/contact_graph.h"
#include "micro/packings.h"

/// What the contacts of a random packing say by themselves, without a flow.
namespace moreau::app
{
/// What touches in a sample: what overlapped where spheres were soft.
micro::ContactGraph graph_of(const micro::Packing &packing, const std::vector<micro::Wall> &walls, double tolerance,
                             const micro::PeriodicBox &box);

/// The coordination of a sample and, where Homogenization/Contact cone asks for it, the s of its contacts, or a sentence why
/// it has none; nothing for lattices and files. Of the box that repeats itself: in the open one everything could be taken
/// out, one sphere after the other.
void find_network(DisorderSample &sample, const micro::Packing &packing, const Parameters &parameters, Stages &stages);
} // namespace moreau::app

#endif
