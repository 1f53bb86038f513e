// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_MEASUREMENT_OUTPUT_H
#define MOREAU_APP_OUTPUT_MEASUREMENT_OUTPUT_H

#include "app/output/record.h"
#include "geometry/picture.h"
#include "micro/measurements/measurements.h"

#include <string>
#include <vector>

/// How measurements of a motion become columns, keys and a table (doc/formats.md).
namespace moreau::app
{
/// Adds the columns of the last step, of length h, and their keys in summary.json.
void add_columns(Record &record, const micro::Measurements &measured, micro::Index dim, double time, double h);

/// "coarse": the box of Zone in cells with rho, u, p, solid_fraction, stress, kinetic_stress.
/// Why coarse fields are not what they seem, in a sentence; empty where they are. Cells are wider than the kernel:
std::string complaint_of_cells(const micro::CoarseGrainer &grainer);

/// The same of radii (m) that became larger than the width of the kernel.
std::string complaint_of_growth(const micro::CoarseGrainer &grainer, double largest_radius);

geometry::Mesh coarse_mesh(const micro::CoarseGrainer &grainer, const micro::SphereMotion &motion);

/// measurements.csv: a row per interval between pictures.
std::string interval_header(const micro::Measurements &measured, micro::Index dim);
std::string interval_row(const micro::Measurements &measured, micro::Index dim, double time);
} // namespace moreau::app

#endif
