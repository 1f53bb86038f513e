// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_IMPACT_PROFILE_H
#define MOREAU_APP_OUTPUT_IMPACT_PROFILE_H

#include "app/output/plot.h"

#include <iosfwd>

namespace moreau::geometry
{
struct Mesh;
}

namespace moreau::app
{
/// An impact of the continuum on the line, a row per cell that holds matter, from left to right: `x` (its middle), `left`,
/// `right` (m), `rho`, `U`, `u` (m/s; means over the cell) and `p` (m²/s), as in the picture `continuum`, which has the
/// cells as lines with these arrays; where it has no density all of it is matter.
void write_impact_profile(std::ostream &out, const geometry::Mesh &continuum);

/// profile.png: U and u, and p.
Plot impact_plot(const std::string &title);
} // namespace moreau::app

#endif
