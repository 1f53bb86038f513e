// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_FLOW_OUTPUT_H
#define MOREAU_APP_OUTPUT_FLOW_OUTPUT_H

#include "app/output/log.h"
#include "app/output/record.h"
#include "geometry/picture.h"
#include "macro/flow/congested_flow.h"

#include <string>
#include <utility>
#include <vector>

/// What the files of `congested flow` hold (doc/formats.md).
namespace moreau::app
{
/// What is said of a step.
Record columns_of(const macro::FlowRecord &record);

/// Adds what is said of bodies that keep their velocity.
void add_columns(Record &record, const macro::BodyCounts &bodies);

/// The line of the log about them, and what keeps them from being right. dim: of the flow.
void say_bodies(const macro::BodyCounts &bodies, int dim, bool rebounds, Log &log);

/// Time means and sums of pressures in the own cells, i fastest.
struct FlowPressures
{
  geometry::Vector p;       ///< mean since the last picture (m²/s²)
  geometry::Vector impulse; ///< ∫p dt since the start (m²/s)
};

/// The mesh "continuum": own cells with rho, u, p, p_step (of the last step
/// alone, which jumps from step to step), impulse, rho_max (0: no matter ever gets there). shape: these cells.
geometry::Mesh flow_mesh(std::shared_ptr<const geometry::Mesh> shape, const macro::CongestedFlow &flow,
                         const FlowPressures &pressures);

/// What an exact solution has in the cells of the line.
struct ExactProfile
{
  std::string         name; ///< "sticky solution"; empty: none is known, as the others then are
  std::vector<double> rho, u;
};

/// A flow on the line: a row per cell with its centre x, its ends left and right, rho, u, p, p_mean (over the last part of
/// the time), impulse, and rho_exact, u_exact where these are known.
void write_profile(std::ostream &out, const macro::CongestedFlow &flow, const FlowPressures &pressures,
                   const geometry::Vector &p_mean, const ExactProfile &exact);

/// The intervals of a flow on the line where ρ >= 0.9 ρ̄ that hold a cell with ρ >= 0.999 ρ̄ (m): impacts of blocks
/// leave small dips in between. Their ends lie within the cells beside them: the mass in the next two cells above that of
/// what lies beyond counts as saturated matter in front of the end.
std::vector<std::pair<double, double>> fronts(const macro::CongestedFlow &flow);
} // namespace moreau::app

#endif
