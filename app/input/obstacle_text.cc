// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/obstacle_text.h"

#include "app/input/text/formula.h"
#include "app/input/text/shape_text.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"

#include <memory>
#include <utility>
#include <vector>

namespace moreau::app
{
namespace
{
using micro::Index;
using micro::Obstacle;
using micro::Vector;
using Shape = Obstacle::Shape;

const std::vector<std::pair<ShapeSyntax, Shape>> &shapes()
{
  static const std::vector<std::pair<ShapeSyntax, Shape>> all = [] {
    std::vector<std::pair<ShapeSyntax, Shape>> result;
    for (const micro::ShapeDescription &known : micro::shape_descriptions())
      result.push_back({{known.name, known.form, known.n_points, known.has_radius}, known.shape});
    return result;
  }();
  return all;
}

Obstacle obstacle(const ShapeText &text, const std::string &section, const int group)
{
  const std::string name = text.shape + " " + std::to_string(text.number);
  Obstacle          body;
  body.name        = name + " of " + section;
  body.shape       = text.among(shapes());
  body.group       = group;
  body.subject     = section;
  body.radius      = text.radius;
  std::size_t next = 0;
  for (Vector *const point : {&body.a, &body.b, &body.c})
    if (next < text.points.size())
      *point = text.points[next++];
  body.label = text.name;
  if (body.label.empty())
    {
      body.label = group == 0 ? name : body.name;
      for (char &c : body.label)
        if (c == ' ' || c == '-')
          c = '_';
    }
  return body;
}

/// A formula in t, as a function of t.
std::function<Vector(double)> function_of_time(const std::string &section, const ExpressionText &text,
                                               const Index n_components)
{
  if (text.expression.find_first_not_of(' ') == std::string::npos)
    return {};
  return [formula = std::make_shared<const Formula>(section, text, n_components)](const double t) {
    return (*formula)(Vector::Constant(1, t));
  };
}

micro::RigidMotion motion(const std::string &section, const ObstacleParameters &group, const Index dim)
{
  micro::RigidMotion result;
  result.translation = function_of_time(section, group.translation, dim);
  if (const auto angle = function_of_time(section, group.angle, 1))
    result.angle = [angle](const double t) { return angle(t)(0); };
  result.centre = group.centre;
  result.axis   = group.axis;
  return result;
}
} // namespace

micro::Obstacles obstacles(const std::array<ObstacleParameters, MotionText::n_groups> &groups,
                           const std::vector<micro::Wall> &walls, const Index dim)
{
  std::vector<Obstacle>           bodies;
  std::vector<micro::RigidMotion> motions;
  for (int group = 0; group < MotionText::n_groups; ++group)
    {
      const std::string section = MotionText::section_of_group(group);
      for (const ShapeText &shape : read_shapes(section + "/Shapes", groups[group].shapes, syntaxes_of(shapes()), dim))
        bodies.push_back(obstacle(shape, section, group));
      motions.push_back(motion(section, groups[group], dim));
    }
  for (const micro::Wall &wall : walls)
    {
      const int group = static_cast<int>(motions.size());
      bodies.push_back({"the wall " + wall.name,
                        Shape::half_space,
                        wall.offset * wall.normal,
                        wall.normal,
                        {},
                        0.,
                        group,
                        "Zone/Wall velocities",
                        wall.name});
      motions.emplace_back();
      if (!wall.velocity.isZero(0.))
        motions.back().translation = [wall](const double t) {
          const Vector way = t * wall.velocity;
          if (!(way.cwiseAbs().maxCoeff() <= micro::largest_input))
            throw InputError("Zone/Wall velocities", "The wall " + wall.name + " is farther than " +
                                                         digits(micro::largest_input) + " m away at t = " + short_number(t) +
                                                         "; give it a lower velocity.");
          return way;
        };
    }
  return {std::move(bodies), std::move(motions)};
}
} // namespace moreau::app
