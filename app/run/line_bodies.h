// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_LINE_BODIES_H
#define MOREAU_APP_RUN_LINE_BODIES_H

#include "macro/flow/mass_coordinate.h"

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
  explicit LineBodies(const macro::Parcels &initial);

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
  std::vector<double>            places; ///< ends of bodies in m
  std::vector<macro::BodyMotion> at_start;
};
} // namespace moreau::app

#endif
