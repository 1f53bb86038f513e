// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_SHARED_SETTING_H
#define MOREAU_APP_INPUT_SHARED_SETTING_H

#include "app/input/sphere_setting.h"

/// configuration() for spheres whose contacts several processes find.
namespace moreau::app
{
/// Whether the impact can be shared: that Factorisation is used says so (parameter_use.h), which is for those.
bool is_shareable(const Parameters &parameters);

/// Spheres of a whole arrangement, or a file, with their centres within the box where it is periodic by Zone/Periodic; of
/// lattice sites on two of its sides that are one, one.
micro::Spheres in_periodic_box(micro::Spheres spheres, const Parameters &parameters);

/// Contacts, or where reach > 0 (m) overlaps up to that; where lattice sites on a wall are the trouble, the message says
/// what lattices offer.
micro::ContactGraph contact_graph_of(const Parameters &parameters, const micro::Spheres &spheres,
                                     const std::vector<micro::Wall> &walls, const micro::PeriodicBox &box,
                                     double reach = 0.);

/// configuration() in two steps: all but the graph, and the graph. Throw as it does.
/// Processes that share an impact call the first together: each gets some spheres, those of a file that it has read, and all
/// throw the same.
Configuration configuration_without_contacts(ParameterFile &file, const geometry::Processes &processes,
                                             const std::function<void(double)> &progress = {});
void          find_contacts(const Parameters &parameters, Configuration &configuration);
} // namespace moreau::app

#endif
