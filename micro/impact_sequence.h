// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_IMPACT_SEQUENCE_H
#define MOREAU_MICRO_IMPACT_SEQUENCE_H

#include "convex/impact_law.h"
#include "micro/contact_graph.h"

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace moreau::micro
{
/// One application of the impact law on the way: all contacts of the clusters that are hit at that instant form one problem
/// (in the beginning all contacts). Energies are those of all spheres.
struct SequenceImpact
{
  double         time             = 0.; ///< s
  Index          n_contacts       = 0;  ///< of the problem, pressed or not
  double         energy_before    = 0.; ///< ½ uᵀMu (J)
  double         energy_projected = 0.; ///< of P_K U of the first application
  double         energy_after     = 0.;
  convex::Effort effort;           ///< a projection per application of the law until the velocity was admissible: >= 1;
                                   ///< collapsed, too, where one with e = 0 ended an endless sequence
  convex::Certificate certificate; ///< the worst of the projections
  std::string         method;      ///< of the first projection
  /// e > 0, and contacts that were open by more than a thousandth of the tolerance are pressed together with others: with a
  /// smaller tolerance they would be hit one after the other.
  bool hangs_on_tolerance = false;
};

/// What was there when an impact happened.
struct ImpactScene
{
  const Spheres                   &spheres;
  const std::vector<Wall>         &walls;
  const ContactGraph              &graph; ///< the contacts of the problem, in its order; i, j are numbers among all spheres
  const convex::ProjectionProblem &problem;                  ///< of the spheres that take part, in ascending order
  const convex::Impact            &impact;                   ///< of the same
  const Vector                    &U, &u_plus, &u_projected; ///< of all spheres (d n), m/s
};

/// Spheres in free flight from impact to impact.
struct ImpactSequence
{
  enum class End
  {
    separated,    ///< no pair and no wall approaches any more
    end_time,     ///< as asked
    impact_limit, ///< the cap was reached: perhaps an infinite sequence in finite time
    far_away,     ///< spheres have flown so far that their coordinates are too coarse for radii; more impacts may follow
    too_slow,     ///< impacts have made everything so slow that squares are no numbers; more would follow, without end
    overlap ///< an impact left a speed of approach (its residual) that has added up to an overlap of the contact tolerance
  };

  Spheres                     spheres; ///< where they are at `time`
  std::vector<Wall>           walls;   ///< the same
  Vector                      U;       ///< velocity at `time` (d n), m/s
  double                      time = 0.;
  End                         end  = End::separated;
  std::vector<SequenceImpact> impacts;
};

/// "separated", "end time", "impact limit", "far away", "too slow", "overlap".
std::string name(ImpactSequence::End end);

struct SequenceParameters
{
  convex::Law  law;
  double       contact_tolerance = usual_contact_tolerance; ///< at least 1e-12: what is nearer takes part in an impact
  double       end_time          = std::numeric_limits<double>::infinity(); ///< s, from the start at 0; the impact then, too
  unsigned int max_impacts       = 0;                                       ///< to be given
};

/// Called after every impact; the scene lives as long as the call. What it throws ends the sequence.
using ImpactObserver = std::function<void(const SequenceImpact &record, const ImpactScene &scene)>;

/// Follows spheres that move freely between impacts, event by event: the instant when the next gap closes is exact to
/// rounding (a quadratic equation per pair), so that spheres slightly pulled apart hit one after the other (BM, Fig. 10).
/// Velocities after an impact are made exactly admissible along the problem's expansion, so touching spheres do not drift
/// into one another; only between walls that face each other the residual of the projection remains.
/// A contact that has rebounded is none until it closes up to rounding, however near it stays: so gaps that shrink from
/// impact to impact are followed, and where they do so without end (an inelastic collapse), twenty impacts after the last
/// gap above rounding, or as they approach with 1e-9 of their velocities, one projection with e = 0 is what they lead to.
/// Flights are events in a queue (FlightEvents); an impact is a problem of the clusters that are hit alone, and its
/// certificate is relative to their speeds. What an impact costs beside its projection is O(n), small: all move.
///   U  length d n (m/s);  walls move at their velocities
/// Throws InputError for overlapping spheres, a restitution outside [0, 1] and parameters that make no sense.
ImpactSequence impact_sequence(const Spheres &spheres, const std::vector<Wall> &walls, const Vector &U,
                               const convex::ConeProjector &projector, const SequenceParameters &parameters,
                               const ImpactObserver &observer = {});
} // namespace moreau::micro

#endif
