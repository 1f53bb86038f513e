// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/line_bodies.h"

#include "app/input/text/words.h"
#include "app/output/summary.h"

#include <algorithm>
#include <cmath>

namespace moreau::app
{
namespace
{
constexpr double      rounding      = 1e-9; ///< of masses and velocities, relative
constexpr std::size_t most_summed   = 1000; ///< bodies, of which each has a velocity of its own
constexpr std::size_t most_in_a_row = 100;  ///< that are listed

/// Ends in m of what has one velocity.
std::vector<double> ends_of_bodies(const macro::Parcels &parcels)
{
  std::vector<double> ends = {0.};
  for (std::size_t k = 0; k < parcels.u.size(); ++k)
    if (k + 1 == parcels.u.size() || parcels.u[k + 1] != parcels.u[k])
      ends.push_back(parcels.m[k + 1]);
  return ends;
}

/// The larger one of those of the parcels at both sides of the place m.
double density_beside(const macro::Parcels &parcels, const double m)
{
  const double slack  = rounding * parcels.m.back();
  double       result = 0.;
  for (std::size_t k = 0; k < parcels.u.size(); ++k)
    if (parcels.m[k] <= m + slack && m - slack <= parcels.m[k + 1])
      result = std::max(result, (parcels.m[k + 1] - parcels.m[k]) / (parcels.right[k] - parcels.left[k]));
  return result;
}
} // namespace

LineBodies::LineBodies(const macro::Parcels &initial)
    : initial(initial), places(ends_of_bodies(initial)), at_start(macro::body_motions(initial, places))
{}

std::vector<macro::BodyMotion> LineBodies::motions(const macro::Parcels &now) const
{
  if (at_start.empty() || at_start.size() > most_summed || now.m.empty() ||
      !(std::abs(now.m.back() - places.back()) <= rounding * places.back()))
    return {};
  std::vector<double> m = places;
  m.back()              = now.m.back();
  return macro::body_motions(now, m);
}

/// How fast two bodies that approached each other part now, over how fast they approached.
std::optional<double> LineBodies::relative_speed(const macro::Parcels &now) const
{
  const auto bodies = motions(now);
  if (bodies.size() != 2 || !(at_start[0].u > at_start[1].u))
    return std::nullopt;
  return (bodies[1].u - bodies[0].u) / (at_start[0].u - at_start[1].u);
}

/// Whether two bodies of matter that yields, as in a soft congestion, are denser where they touch than they were.
bool LineBodies::is_pressed(const macro::Parcels &now) const
{
  const double before = density_beside(initial, places[1]);
  return before < 1. - rounding && density_beside(now, places[1]) > before * (1. + rounding);
}

nlohmann::ordered_json LineBodies::details(const macro::Parcels &now) const
{
  nlohmann::ordered_json json = {
      {"effective_restitution", nullptr}, {"granular_energy", nullptr}, {"body_motions", nullptr}};
  const auto bodies = motions(now);
  if (bodies.empty())
    return json;
  if (const auto e = relative_speed(now); e && *e >= -rounding && !is_pressed(now))
    json["effective_restitution"] = number(*e);
  double sum = 0.;
  for (const macro::BodyMotion &body : bodies)
    sum += body.granular;
  json["granular_energy"] = number(sum);
  if (bodies.size() > most_in_a_row)
    return json;
  json["body_motions"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < bodies.size(); ++i)
    json["body_motions"].push_back({{"mass", number(bodies[i].mass)},
                                    {"velocity_before", number(at_start[i].u)},
                                    {"velocity_after", number(bodies[i].u)},
                                    {"granular_energy", number(bodies[i].granular)}});
  return json;
}

std::string LineBodies::sentence(const macro::Parcels &now) const
{
  const auto e = relative_speed(now);
  if (!e)
    return "";
  if (*e < -rounding)
    return "still approach each other with " + short_number(-*e) + " of the speed at the start, in their mean";
  return "part with " + short_number(*e) + " of the speed that they met with, in their mean" +
         (is_pressed(now) ? ", while matter between them is still pressed" : "");
}
} // namespace moreau::app
