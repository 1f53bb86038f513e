// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MEASUREMENTS_MEASUREMENTS_H
#define MOREAU_MICRO_MEASUREMENTS_MEASUREMENTS_H

#include "micro/measurements/body_load.h"
#include "micro/measurements/coarse_graining.h"
#include "micro/measurements/gate.h"
#include "micro/measurements/region.h"
#include "micro/measurements/removal.h"

#include <optional>
#include <vector>

namespace moreau::micro
{
/// What is asked of a motion of spheres.
struct MeasurementPlan
{
  std::vector<Gate>         gates;
  std::vector<MeasuredBody> bodies;
  std::vector<Region>       regions;
  Removal                   removal;
  std::vector<Probe>        probes;
  CoarseGraining            coarse;    ///< of probes and pictures
  Box                       zone = {}; ///< where that is done

  bool has_coarse_picture() const { return !coarse.cells.empty(); }

  /// Whether something is added up over intervals.
  bool has_intervals() const { return !gates.empty() || !bodies.empty(); }

  bool any() const
  {
    return !gates.empty() || !bodies.empty() || !regions.empty() || removal.any() || !probes.empty() || has_coarse_picture();
  }
};

/// Follows a motion and measures it, step by step. Sums over an interval begin where the one before ended.
class Measurements
{
public:
  struct AtGate
  {
    Passage step, interval, total;
  };

  struct OnBody
  {
    ObstacleImpulse step, interval, total; ///< moments about the pivot of each step (pivot_of)
  };

  /// Throws InputError for what cannot be measured: "the fluxes", "the regions", "the probes", "the coarse
  /// graining", "the removal of spheres".
  Measurements(MeasurementPlan plan, const SphereSystem &system, Index dim);

  /// Measures the last step of the motion, then takes out the spheres that are due.
  void see(SphereMotion &motion);

  /// Before the first step: takes out the spheres that are due, measures regions.
  void see_beginning(SphereMotion &motion);

  /// Begins a new interval at the end of the last step.
  void end_interval(double time);

  const MeasurementPlan &plan() const { return asked; }

  const std::vector<AtGate>      &at_gates() const { return passages; }
  const std::vector<OnBody>      &on_bodies() const { return loads; }
  const std::vector<RegionState> &in_regions() const { return states; }
  const std::vector<ProbeState>  &at_probes() const { return probed; }
  const RemovedSpheres           &removed() const { return gone; } ///< so far

  /// Where a picture of fields or probes are asked for, else null.
  const CoarseGrainer *coarse() const { return grainer ? &*grainer : nullptr; }

  double interval_begin() const { return begin; } ///< s

  /// All that is measured, in arrays named "measured numbers".
  convex::NamedArrays state() const;

  /// Takes these arrays out of a state. Throws std::out_of_range for one of other measurements.
  void restore(convex::NamedArrays &state);

private:
  template <class Self, class Archive>
  static void pass(Self &self, Archive &archive);

  void measure_places(const SphereMotion &motion);
  void measure_regions(const SphereMotion &motion);
  void remove(SphereMotion &motion);

  MeasurementPlan          asked;
  std::vector<GateCounter> counters;
  std::vector<AtGate>      passages;
  std::vector<OnBody>      loads;
  std::vector<RegionState> states;
  std::vector<ProbeState>  probed;
  RemovedSpheres           gone;
  double                   begin = 0.;

  std::optional<CoarseGrainer> grainer;
};
} // namespace moreau::micro

#endif
