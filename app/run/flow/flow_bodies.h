// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_FLOW_FLOW_BODIES_H
#define MOREAU_APP_RUN_FLOW_FLOW_BODIES_H

#include "macro/flow/congested_flow.h"
#include "macro/line/mass_coordinate.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace moreau::app
{
/// Bodies of a flow on the line: matter that has one velocity at the start. Matter does not pass matter there, so that a
/// body is an interval of the mass coordinate for ever.
class LineBodies
{
public:
  LineBodies() = default; ///< none are known: all numbers are null
  /// yields: the method lets matter be denser between bodies that press each other than it was, as a soft pressure does.
  LineBodies(const macro::Parcels &initial, bool yields);

  /// effective_restitution, granular_energy and body_motions (doc/formats.md) of what the same matter does now; null where
  /// it is not the same, as some has left the box.
  nlohmann::ordered_json details(const macro::Parcels &now) const;

  /// Of two bodies that approached each other, a sentence on how fast they part, in their means; else empty.
  std::string sentence(const macro::Parcels &now) const;

private:
  std::vector<macro::BodyMotion> motions(const macro::Parcels &now) const; ///< empty: not known
  std::optional<double>          relative_speed(const macro::Parcels &now) const;
  bool                           is_pressed(const macro::Parcels &now) const;

  macro::Parcels                 initial;
  bool                           yields = false;
  std::vector<double>            places; ///< ends of bodies in m
  std::vector<macro::BodyMotion> at_start;
};

/// Two bodies of a flow in the plane or in space: matter that has one of two velocities at the start.
class TwoFlowBodies
{
public:
  TwoFlowBodies() = default; ///< there are none: all numbers are null
  TwoFlowBodies(std::vector<macro::BodySums> at_start, bool has_periodic_sides);

  /// The same keys as of LineBodies; null where the flow does not start with two velocities or some matter is not there any
  /// more, the restitution also where sides are periodic and the bodies do not approach each other at the start.
  nlohmann::ordered_json details(const std::vector<macro::BodySums> &now) const;

  /// As LineBodies.
  std::string sentence(const std::vector<macro::BodySums> &now) const;

private:
  bool                  are_the_same(const std::vector<macro::BodySums> &now) const;
  std::optional<double> relative_speed(const std::vector<macro::BodySums> &now) const;

  std::vector<macro::BodySums> at_start;
  bool                         approach = false;
};
} // namespace moreau::app

#endif
