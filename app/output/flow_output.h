// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_FLOW_OUTPUT_H
#define MOREAU_APP_OUTPUT_FLOW_OUTPUT_H

#include "app/output/summary.h"
#include "geometry/picture.h"
#include "macro/flow/congested_flow.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// What the files of `congested flow` hold (doc/formats.md).
namespace moreau::app
{
/// What all steps of a flow together were like.
struct FlowTotals
{
  double energy_before = 0.; ///< kinetic, m^(d+2)/s²

  std::int64_t n_steps = 0, n_solves = 0, n_iterations = 0, iterations_max = 0, n_impacts = 0;
  std::int64_t n_reduced       = 0;                ///< steps shorter than Time/Time step, for the CFL condition
  std::int64_t n_collapsed     = 0;                ///< steps
  std::int64_t n_not_converged = 0;                ///< steps
  double       max_density = 0., min_density = 0.; ///< of all steps
  double       mass_error = 0., momentum_error = 0., natural_residual = 0.; ///< the worst; NaN is worse than any number
  double       worst_not_converged = 0.;                                    ///< residual of steps that did not converge
  double       transport_time = 0., congestion_time = 0., wall_time = 0.;   ///< s of the clock; wall_time: of all steps
  std::string  first_not_converged;                                         ///< "step 3 (t = 0.3 s)"

  /// seconds: that the step took.
  void add(const macro::FlowRecord &record, double seconds);

  bool converged() const { return n_not_converged == 0; }
};

/// To and from json, for checkpoints.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FlowTotals, energy_before, n_steps, n_solves, n_iterations, iterations_max, n_impacts,
                                   n_reduced, n_collapsed, n_not_converged, max_density, min_density, mass_error,
                                   momentum_error, natural_residual, worst_not_converged, transport_time, congestion_time,
                                   wall_time, first_not_converged)

/// What summary.json says of a flow: the keys of every problem, then its own. last: the record of the last step.
nlohmann::ordered_json summary_of(const FlowTotals &totals, const macro::FlowRecord &last, Summary summary);

/// The first line of statistics.csv, and the line of a step. What the clock
/// says comes last: it is all that differs when a run is repeated.
std::string flow_statistics_header(int dim);
std::string flow_statistics_row(const macro::FlowRecord &record);

/// Time means and sums of pressures in the own cells, i fastest.
struct FlowPressures
{
  geometry::Vector p;       ///< mean since the last picture (m²/s²)
  geometry::Vector impulse; ///< ∫p dt since the start (m²/s)
};

/// The mesh "continuum": own cells with rho, u, p, p_step (of the last step
/// alone, which jumps from step to step), impulse. shape: these cells.
insitu::Mesh flow_mesh(std::shared_ptr<const insitu::Mesh> shape, const macro::CongestedFlow &flow,
                       const FlowPressures &pressures);

/// A flow on the line: a row per cell with its centre x, its ends left and right, rho, u, p, impulse.
void write_profile(std::ostream &out, const macro::CongestedFlow &flow, const FlowPressures &pressures);

/// The intervals of a flow on the line where ρ >= 0.9 ρ̄ that hold a cell with ρ >= 0.999 ρ̄ (m): impacts of blocks
/// leave small dips in between. Their ends lie within the cells beside them: the mass in the next two cells above that of
/// what lies beyond counts as saturated matter in front of the end.
std::vector<std::pair<double, double>> fronts(const macro::CongestedFlow &flow);
} // namespace moreau::app

#endif
