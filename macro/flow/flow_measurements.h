// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_FLOW_MEASUREMENTS_H
#define MOREAU_MACRO_FLOW_FLOW_MEASUREMENTS_H

#include "macro/flow/congested_flow.h"
#include "macro/flow/gate_pieces.h"

#include <string>
#include <utility>
#include <vector>

namespace moreau::macro
{
/// A box along the axes, lower <= x < upper.
struct FlowRegion
{
  std::string name;
  Vector      lower, upper; ///< length dim (m)
};

/// A point.
struct FlowProbe
{
  std::string name;
  Vector      x;
};

/// What takes momentum: a side of the box that is a wall, or all solid cells.
struct FlowBody
{
  static constexpr int solids = -1;

  std::string name;
  int         side = solids; ///< in the order of Sides
};

/// What is asked of a flow.
struct FlowMeasurementPlan
{
  std::vector<FlowGate>   gates;
  std::vector<FlowBody>   bodies;
  std::vector<FlowRegion> regions;
  std::vector<FlowProbe>  probes;

  /// Whether something is added up over intervals.
  bool has_intervals() const { return !gates.empty() || !bodies.empty(); }
  /// Whether anything is asked for.
  bool any() const { return has_intervals() || !regions.empty() || !probes.empty(); }
};

/// Follows a flow and measures it, step by step. All processes call the same functions together and hold the same numbers.
class FlowMeasurements
{
public:
  /// Sums over the last step, since the last end_interval(), and since the start.
  template <class Value>
  struct Sums
  {
    Value step, interval, total;
  };

  struct InRegion
  {
    double mass = 0.;     ///< of the parts of cells in it (m^d)
    double rho  = 0.;     ///< mass over volume
    Vector u;             ///< momentum of these parts over mass (m/s); NaN without mass
    double p = 0.;        ///< mean over region and step (m²/s²)
    Vector solid_impulse; ///< what solids took in the step through those of their faces whose middle is in it (m^(d+1)/s)
  };

  struct AtProbe ///< of the cell that holds it
  {
    double rho = 0.;
    Vector u;
    double p = 0.; ///< mean over the step (m²/s²)
  };

  /// Throws InputError: "the fluxes", "the regions", "the probes" for what does not meet the box, or reaches out of one that
  /// repeats itself (fluxes count at its other side, and are no longer than the period), "the forces" for a side
  /// that is no wall and for solids where there are none.
  FlowMeasurements(FlowMeasurementPlan plan, const CongestedFlow &flow);

  /// Measures the last step; before the first one what there is.
  void see(const CongestedFlow &flow);

  /// Begins a new interval at a time (s).
  void end_interval(double time);

  const FlowMeasurementPlan       &plan() const { return asked; }           ///< as it was given
  const std::vector<Sums<double>> &masses() const { return passed; }        ///< that went through gates (m^d)
  const std::vector<Sums<Vector>> &impulses() const { return loads; }       ///< that bodies took (m^(d+1)/s)
  const std::vector<InRegion>     &in_regions() const { return states; }    ///< at the end of the last step
  const std::vector<AtProbe>      &at_probes() const { return probed; }     ///< likewise
  bool                             has_solids() const { return solids; }    ///< whether any cell is solid
  double                           interval_begin() const { return begin; } ///< s

  /// All that is measured, in the array "measured numbers".
  convex::NamedArrays state() const;

  /// Takes that array out of a state. Throws std::out_of_range for one of other measurements.
  void restore(convex::NamedArrays &state);

private:
  struct Part ///< of an own cell
  {
    CellIndex cell;
    double    volume;
  };

  template <class Self, class Archive>
  static void pass(Self &self, Archive &&archive);

  void              require_within_period(const FlowRegion &region) const;
  std::vector<Part> parts_of(const FlowRegion &region) const;
  double            flux_through(const std::vector<GatePiece> &pieces, const Vector &normal, const FaceArrays &flux) const;
  Vector            impulse_of(const FlowBody &body, const FaceArrays &taken) const;
  void              measure_regions(const CongestedFlow &flow, const FaceArrays &taken);
  void              measure_probes(const CongestedFlow &flow);
  Vector            sum(const Vector &local) const;

  template <class F>
  void for_own_faces(int axis, F &&f) const;

  int side_of(int axis, const CellIndex &face) const;

  FlowMeasurementPlan                 asked;
  BoxGrid                             grid;
  std::array<bool, 3>                 is_periodic = {false, false, false};
  bool                                solids      = false;
  std::vector<std::vector<GatePiece>> pieces;
  std::vector<std::vector<Part>>      parts;
  std::vector<CellIndex>              probe_cells;
  std::vector<Sums<double>>           passed;
  std::vector<Sums<Vector>>           loads;
  std::vector<InRegion>               states;
  std::vector<AtProbe>                probed;
  double                              begin = 0.;
};
} // namespace moreau::macro

#endif
