// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/flow/flow_bodies.h"

#include "app/input/text/words.h"
#include "app/output/summary.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

nlohmann::ordered_json no_details()
{
  return {{"effective_restitution", nullptr}, {"granular_energy", nullptr}, {"body_motions", nullptr}};
}

/// A row of body_motions.
nlohmann::ordered_json motion_of(const double mass, nlohmann::ordered_json before, nlohmann::ordered_json after,
                                 const double granular)
{
  return {{"mass", number(mass)},
          {"velocity_before", std::move(before)},
          {"velocity_after", std::move(after)},
          {"granular_energy", number(granular)}};
}

/// e < 0: they approach each other still.
std::string on_restitution(const double e)
{
  return e < -rounding ? "still approach each other with " + short_number(-e) + " of the speed at the start, in their mean"
                       : "part with " + short_number(e) + " of the speed that they met with, in their mean";
}

/// Kinetic energy about the mean velocity.
double granular_energy(const macro::BodySums &body)
{
  return std::max(0., body.energy - body.momentum.squaredNorm() / (2. * body.mass));
}
} // namespace

LineBodies::LineBodies(const macro::Parcels &initial, const bool yields)
    : initial(initial), yields(yields), places(ends_of_bodies(initial)), at_start(macro::body_motions(initial, places))
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
  return yields && before < 1. - rounding && density_beside(now, places[1]) > before * (1. + rounding);
}

nlohmann::ordered_json LineBodies::details(const macro::Parcels &now) const
{
  nlohmann::ordered_json json   = no_details();
  const auto             bodies = motions(now);
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
    json["body_motions"].push_back(
        motion_of(bodies[i].mass, number(at_start[i].u), number(bodies[i].u), bodies[i].granular));
  return json;
}

std::string LineBodies::sentence(const macro::Parcels &now) const
{
  const auto e = relative_speed(now);
  if (!e)
    return "";
  return on_restitution(*e) + (*e >= -rounding && is_pressed(now) ? ", while matter between them is still pressed" : "");
}

TwoFlowBodies::TwoFlowBodies(std::vector<macro::BodySums> bodies, const bool has_periodic_sides)
    : at_start(std::move(bodies))
{
  if (at_start.empty() || has_periodic_sides)
    return;
  const auto mean = [&](const std::size_t body, const auto &of) -> Eigen::VectorXd {
    return at_start[body].*of / at_start[body].mass;
  };
  using macro::BodySums;
  const Eigen::VectorXd x = mean(1, &BodySums::first_moment) - mean(0, &BodySums::first_moment);
  const Eigen::VectorXd u = mean(1, &BodySums::momentum) - mean(0, &BodySums::momentum);
  approach                = x.dot(u) < 0.;
}

bool TwoFlowBodies::are_the_same(const std::vector<macro::BodySums> &now) const
{
  constexpr double moved = 1e-6; // of the mass, what rooms in cells that bodies share let through
  if (now.empty() || now.size() != at_start.size())
    return false;
  return std::equal(now.begin(), now.end(), at_start.begin(), [&](const macro::BodySums &a, const macro::BodySums &b) {
    return std::abs(a.mass - b.mass) <= moved * b.mass;
  });
}

/// How fast they part now, along the velocity they had relative to each other, over that.
std::optional<double> TwoFlowBodies::relative_speed(const std::vector<macro::BodySums> &now) const
{
  if (!approach || !are_the_same(now))
    return std::nullopt;
  const auto relative = [](const std::vector<macro::BodySums> &two) -> Eigen::VectorXd {
    return two[1].momentum / two[1].mass - two[0].momentum / two[0].mass;
  };
  const Eigen::VectorXd before = relative(at_start);
  return -relative(now).dot(before) / before.squaredNorm();
}

nlohmann::ordered_json TwoFlowBodies::details(const std::vector<macro::BodySums> &now) const
{
  nlohmann::ordered_json json = no_details();
  if (!are_the_same(now))
    return json;
  if (const auto e = relative_speed(now); e && *e >= -rounding)
    json["effective_restitution"] = number(*e);
  json["granular_energy"] = number(granular_energy(now[0]) + granular_energy(now[1]));
  json["body_motions"]    = nlohmann::ordered_json::array();
  const auto velocity     = [](const macro::BodySums &body) {
    auto components = nlohmann::ordered_json::array();
    for (const double component : body.momentum)
      components.push_back(number(component / body.mass));
    return components;
  };
  for (std::size_t i = 0; i < now.size(); ++i)
    json["body_motions"].push_back(motion_of(now[i].mass, velocity(at_start[i]), velocity(now[i]), granular_energy(now[i])));
  return json;
}

std::string TwoFlowBodies::sentence(const std::vector<macro::BodySums> &now) const
{
  const auto e = relative_speed(now);
  return e ? on_restitution(*e) : "";
}
} // namespace moreau::app
