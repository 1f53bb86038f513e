// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_IMPACT_ARRAYS_H
#define MOREAU_APP_OUTPUT_IMPACT_ARRAYS_H

#include "app/output/micro_output.h"
#include "exchange/hdf5_table.h"

#include <vector>

/// spheres.h5 and contacts.h5: columns as those of the .csv tables, for write_shared().
namespace moreau::app
{
using Hdf5Columns = std::vector<exchange::Hdf5TableWriter::Column>;

Hdf5Columns sphere_columns(convex::Index dim);
Hdf5Columns contact_columns(const micro::ContactGraph &graph);

/// Adds the numbers of the spheres first ... last-1; u: their velocities.
void add_spheres(std::vector<double> &numbers, const micro::Spheres &spheres, const convex::Vector &u, convex::Index first,
                 convex::Index last);

/// Those of contacts. j is -1 where the first wall is touched, -2 at the second one, ...
void add_contacts(std::vector<double> &numbers, const ContactRows &rows, convex::Index first, convex::Index last);
} // namespace moreau::app

#endif
