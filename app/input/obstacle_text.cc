// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/obstacle_text.h"

#include "app/input/formula.h"

#include "convex/input_error.h"

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <memory>

namespace moreau::app
{
namespace
{
using dealii::Utilities::split_string_list;
using micro::Index;
using micro::Obstacle;
using micro::ShapeDescription;
using micro::Vector;
using Shape = Obstacle::Shape;

/// "capsule (0, 0) (1, 0) 0.1" with points of length dim: different unit
/// vectors behind the origin, so that it can be used as it is.
std::string example(const ShapeDescription &syntax, const Index dim)
{
  std::string text = syntax.name;
  for (int k = 0; k < syntax.n_points; ++k)
    {
      text += " (";
      for (Index axis = 0; axis < dim; ++axis)
        text += std::string(axis == 0 ? "" : ", ") + (axis == k - 1 ? "1" : "0");
      text += ")";
    }
  return text + (syntax.has_radius ? " 0.1" : "");
}

/// One item of Shapes, read from left to right.
class ShapeReader
{
public:
  ShapeReader(const std::string &section, const int number, const std::string &text, const Index dim)
      : section(section), number(number), text(text), dim(dim)
  {}

  Obstacle read(const int group) const
  {
    const ShapeDescription *const syntax = find_syntax();
    const std::string form = "is not of the form " + syntax->name + " " + syntax->form + ", as " + example(*syntax, dim);
    Obstacle          body;
    body.name        = syntax->name + " " + std::to_string(number) + " of " + section;
    body.shape       = syntax->shape;
    body.group       = group;
    body.subject     = section;
    std::string rest = text.substr(syntax->name.size());
    for (Vector *const point : {&body.a, &body.b, &body.c})
      if (point - &body.a < syntax->n_points)
        *point = take_point(rest, form);
    const std::vector<double> radius = numbers(rest, form);
    if (radius.size() != (syntax->has_radius ? 1 : 0))
      refuse(form);
    if (syntax->has_radius)
      body.radius = radius.front();
    return body;
  }

private:
  [[noreturn]] void refuse(const std::string &what) const
  {
    throw InputError(section + "/Shapes", "Item " + std::to_string(number) + ", '" + text + "', " + what + ".");
  }

  const ShapeDescription *find_syntax() const
  {
    for (const ShapeDescription &syntax : micro::shape_descriptions())
      if (text.compare(0, syntax.name.size(), syntax.name) == 0 &&
          text.find_first_of(" \t(", syntax.name.size()) == syntax.name.size())
        return &syntax;
    std::string known;
    for (const ShapeDescription &syntax : micro::shape_descriptions())
      known += (known.empty() ? "" : &syntax == &micro::shape_descriptions().back() ? " or " : ", ") + syntax.name;
    refuse("is no shape with its points; begin with " + known);
  }

  /// "0, 1" -> 0 and 1.
  std::vector<double> numbers(const std::string &list, const std::string &form) const
  {
    try
      {
        return dealii::Utilities::string_to_double(split_string_list(list, ','));
      }
    catch (const dealii::ExceptionBase &)
      {
        refuse(form);
      }
  }

  /// Takes "(0, 1)" from the beginning of the rest.
  Vector take_point(std::string &rest, const std::string &form) const
  {
    const std::size_t open = rest.find_first_not_of(" \t"), close = rest.find(')');
    if (open == std::string::npos || rest[open] != '(' || close == std::string::npos)
      refuse(form);
    const std::vector<double> x = numbers(rest.substr(open + 1, close - open - 1), form);
    if (static_cast<Index>(x.size()) != dim)
      refuse("has a point or normal with " + std::to_string(x.size()) + (x.size() == 1 ? " number" : " numbers") +
             "; Dimension = " + std::to_string(dim) + " needs " + std::to_string(dim) + ", as " +
             example(*find_syntax(), dim));
    rest.erase(0, close + 1);
    return Eigen::Map<const Vector>(x.data(), dim);
  }

  const std::string &section;
  const int          number;
  const std::string &text;
  const Index        dim;
};

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
      int               number  = 0;
      for (const std::string &item : split_string_list(groups[group].shapes, ';'))
        if (++number; !item.empty())
          bodies.push_back(ShapeReader(section, number, item, dim).read(group));
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
                        "Zone/Wall velocities"});
      motions.emplace_back();
      if (!wall.velocity.isZero(0.))
        motions.back().translation = [velocity = wall.velocity](const double t) { return Vector(t * velocity); };
    }
  return {std::move(bodies), std::move(motions)};
}
} // namespace moreau::app
