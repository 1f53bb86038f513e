// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/obstacles.h"

#include "convex/input_error.h"
#include "convex/number_text.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace moreau::micro
{
namespace
{
using Shape = Obstacle::Shape;
using Eigen::Vector3d;

Vector3d padded(const double *x, const Index dim)
{
  Vector3d result = Vector3d::Zero();
  for (Index k = 0; k < dim; ++k)
    result(k) = x[k];
  return result;
}

Vector3d padded(const Vector &x) { return padded(x.data(), x.size()); }

/// x - (the nearest point a + s u, 0 <= s <= 1), for x relative to a.
Vector3d from_segment(const Vector3d &x, const Vector3d &u)
{
  const double uu = u.squaredNorm();
  return uu > 0. ? x - std::clamp(x.dot(u) / uu, 0., 1.) * u : x;
}

/// x - (the nearest point a + s u + t v, 0 <= s, t <= 1), for x relative to a: over the interior, or at the nearest edge.
Vector3d from_parallelogram(const Vector3d &x, const Vector3d &u, const Vector3d &v)
{
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v), xu = x.dot(u), xv = x.dot(v);
  const double det = uu * vv - uv * uv, s = (vv * xu - uv * xv) / det, t = (uu * xv - uv * xu) / det;
  if (0. <= s && s <= 1. && 0. <= t && t <= 1.)
    return x - s * u - t * v;
  Vector3d nearest = from_segment(x, u);
  for (const Vector3d &other : {from_segment(x, v), from_segment(x - u, v), from_segment(x - v, u)})
    if (other.squaredNorm() < nearest.squaredNorm())
      nearest = other;
  return nearest;
}

/// x without its component along the unit vector u.
Vector3d across(const Vector3d &x, const Vector3d &u) { return x - x.dot(u) * u; }

/// A unit vector in the space of dimension dim, orthogonal to u (which may be 0 and is not all of the space).
Vector3d any_normal(const Vector3d &u, const Index dim)
{
  if (u.isZero(0.) || dim == 1)
    return Vector3d::UnitX();
  Index least = 0;
  u.head(dim).cwiseAbs().minCoeff(&least);
  return across(Vector3d::Unit(least), u.normalized()).normalized();
}

std::string of_group(const int group) { return group == 0 ? "" : ", group " + std::to_string(group + 1); }

void check(const Obstacle &body, const Index dim)
{
  const auto refuse = [&](const std::string &what) {
    throw InputError("the shapes of the obstacles" + of_group(body.group), "The " + body.name + " " + what + ".");
  };
  const Shape shape     = body.shape;
  const bool  has_b     = shape != Shape::ball && shape != Shape::inside_of_ball;
  const auto  is_finite = [&](const Vector &x) { return x.size() == dim && x.allFinite(); };
  if (!is_finite(body.a) || (has_b && !is_finite(body.b)) || (shape == Shape::plate && !is_finite(body.c)))
    refuse("has a point or normal that is not " + std::to_string(dim) + " finite numbers; correct it");
  if (!(std::isfinite(body.radius) && body.radius >= 0.))
    {
      std::ostringstream radius;
      radius << body.radius;
      refuse("has the radius " + radius.str() + "; give a finite number that is not negative");
    }
  if ((shape == Shape::plate || shape == Shape::inside_of_cylinder) && dim != 3)
    refuse("exists in dimension 3 only; use a capsule or half-spaces");
  if (shape == Shape::half_space && body.b.isZero(0.))
    refuse("has the normal 0; give the direction that points to the spheres");
  if ((!has_b || shape == Shape::inside_of_cylinder) && !(body.radius > 0.))
    refuse("has the radius 0; give a positive one");
  if (shape == Shape::capsule && body.a == body.b && body.radius == 0.)
    refuse("is a single point; move one end or give a positive radius");
  if (shape == Shape::inside_of_cylinder && body.a == body.b)
    refuse("has no axis, since its two points are the same; move one of them");
  if (shape == Shape::plate)
    {
      const Vector3d u = body.b - body.a, v = body.c - body.a;
      if (!(u.cross(v).norm() > 1e-6 * u.norm() * v.norm()))
        refuse("has parallel sides; give a corner and its two neighbours");
    }
}

/// Q(angle) x - x by Rodrigues' formula, exact to round-off of the difference.
Vector3d turn(const Vector3d &x, const Vector3d &axis, const double angle)
{
  const Vector3d normal = axis.cross(x);
  const double   half   = std::sin(angle / 2.);
  return std::sin(angle) * normal + 2. * half * half * axis.cross(normal);
}

Vector3d axis_of(const RigidMotion &motion) { return motion.axis.size() == 3 ? Vector3d(motion.axis) : Vector3d::UnitZ(); }

Vector translation_at(const RigidMotion &motion, const int group, const Index dim, const double t)
{
  if (!motion.translation)
    return Vector::Zero(dim);
  Vector shift = motion.translation(t);
  if (shift.size() != dim || !shift.allFinite())
    throw InputError("the translation of the obstacles" + of_group(group), "The translation at t = " + short_number(t) +
                                                                               " is not " + std::to_string(dim) +
                                                                               " finite numbers; it must be at all times.");
  if (shift.cwiseAbs().maxCoeff() > largest_input)
    throw InputError("the translation of the obstacles" + of_group(group),
                     "The translation at t = " + short_number(t) + " is beyond " + digits(largest_input) +
                         " m, which cannot be computed with; give a slower one.");
  return shift;
}

double angle_at(const RigidMotion &motion, const int group, const double t)
{
  const double angle = motion.angle ? motion.angle(t) : 0.;
  if (!std::isfinite(angle))
    throw InputError("the angle of the obstacles" + of_group(group),
                     "The angle at t = " + short_number(t) + " is not finite; it must be at all times.");
  return angle;
}

/// Checks a motion and gives it a centre and a unit axis.
void complete(RigidMotion &motion, const int group, const Index dim)
{
  if (motion.angle && dim == 1)
    throw InputError("the angle of the obstacles" + of_group(group),
                     "Nothing turns in dimension 1; leave the parameter empty.");
  if (motion.centre.size() == 0)
    motion.centre = Vector::Zero(dim);
  if (motion.centre.size() != dim || !motion.centre.allFinite())
    throw InputError("the centre of the obstacles" + of_group(group),
                     "It needs " + std::to_string(dim) + (dim == 1 ? " finite number." : " finite numbers."));
  if (motion.axis.size() == 0)
    return;
  if (dim != 3)
    throw InputError("the axis of the obstacles" + of_group(group),
                     "An axis is for dimension 3; leave the parameter empty.");
  if (motion.axis.size() != 3 || !motion.axis.allFinite() || motion.axis.isZero(0.))
    throw InputError("the axis of the obstacles" + of_group(group), "It needs three finite numbers that are not all 0.");
  motion.axis.stableNormalize();
}
} // namespace

const std::vector<ShapeDescription> &shape_descriptions()
{
  static const std::vector<ShapeDescription> all = {
      {"half-space", "POINT NORMAL", Shape::half_space, 2, false},
      {"ball", "CENTRE RADIUS", Shape::ball, 1, true},
      {"capsule", "POINT POINT RADIUS", Shape::capsule, 2, true},
      {"plate", "POINT POINT POINT RADIUS", Shape::plate, 3, true},
      {"inside of ball", "CENTRE RADIUS", Shape::inside_of_ball, 1, true},
      {"inside of cylinder", "POINT POINT RADIUS", Shape::inside_of_cylinder, 2, true},
  };
  return all;
}

PlacedObstacles::PlacedObstacles(std::vector<Obstacle> obstacles) : placed(std::move(obstacles))
{
  const double infinity = std::numeric_limits<double>::infinity();
  dim                   = placed.empty() ? 0 : placed.front().a.size();
  cores.reserve(placed.size());
  for (const Obstacle &body : placed)
    {
      Core core    = {padded(body.a),
                      Vector3d::Zero(),
                      Vector3d::Zero(),
                      Eigen::Array3d::Constant(-infinity),
                      Eigen::Array3d::Constant(infinity),
                      body.radius,
                      false};
      core.bounded = body.shape == Shape::ball || body.shape == Shape::capsule || body.shape == Shape::plate;
      if (body.shape == Shape::half_space)
        core.u = padded(body.b);
      else if (body.shape == Shape::capsule || body.shape == Shape::plate)
        core.u = padded(body.b) - core.a;
      else if (body.shape == Shape::inside_of_cylinder)
        core.u = (padded(body.b) - core.a).normalized();
      if (body.shape == Shape::plate)
        core.v = padded(body.c) - core.a;
      if (core.bounded)
        {
          const Eigen::Array3d u = core.u, v = core.v;
          core.lower.head(dim) = (core.a.array() + u.min(0.) + v.min(0.) - body.radius).head(dim);
          core.upper.head(dim) = (core.a.array() + u.max(0.) + v.max(0.) + body.radius).head(dim);
        }
      cores.push_back(core);
    }
}

Approach PlacedObstacles::approach(const int obstacle, const double *x, const double R) const
{
  const Core &core  = cores[obstacle];
  const Shape shape = placed[obstacle].shape;

  Vector3d offset = padded(x, dim) - core.a;
  if (shape == Shape::half_space)
    return {offset.dot(core.u) - R, -core.u};
  if (shape == Shape::capsule)
    offset = from_segment(offset, core.u);
  else if (shape == Shape::plate)
    offset = from_parallelogram(offset, core.u, core.v);
  else if (shape == Shape::inside_of_cylinder)
    offset = across(offset, core.u);

  const double   distance = offset.norm(); // from the core of a body, from the middle of a container
  const Vector3d outwards = distance > 0.           ? Vector3d(offset / distance)
                            : shape == Shape::plate ? Vector3d(core.u.cross(core.v).normalized())
                                                    : any_normal(core.u, dim);
  if (placed[obstacle].is_container())
    return {core.radius - distance - R, outwards};
  return {distance - core.radius - R, -outwards};
}

Obstacles::Obstacles(std::vector<Obstacle> at_rest, std::vector<RigidMotion> motions)
    : at_rest(std::move(at_rest)), motions(std::move(motions))
{
  if (this->at_rest.empty())
    return;
  const Index dim = this->at_rest.front().a.size();
  for (Obstacle &body : this->at_rest)
    {
      if (body.group < 0 || body.group >= static_cast<int>(this->motions.size()))
        throw InputError("the obstacles" + of_group(body.group),
                         "The motion of the " + body.name + " is missing; give one.");
      check(body, dim);
      if (body.shape == Shape::half_space)
        body.b.stableNormalize();
    }
  for (std::size_t group = 0; group < this->motions.size(); ++group)
    complete(this->motions[group], static_cast<int>(group), dim);
}

bool Obstacles::moves(const int obstacle) const
{
  const RigidMotion &motion = motions[at_rest[obstacle].group];
  return motion.translation || motion.angle;
}

Vector Obstacles::centre_of_rotation(const int obstacle, const double t) const
{
  const int          group  = at_rest[obstacle].group;
  const RigidMotion &motion = motions[group];
  if (!motion.angle)
    return {};
  return motion.centre + translation_at(motion, group, at_rest[obstacle].a.size(), t);
}

PlacedObstacles Obstacles::at(const double t) const
{
  std::vector<Obstacle> placed = at_rest;
  for (Obstacle &body : placed)
    {
      const RigidMotion &motion = motions[body.group];
      const Index        dim    = body.a.size();
      const Vector       shift  = translation_at(motion, body.group, dim, t);
      const double       angle  = angle_at(motion, body.group, t);
      const auto         turned = [&](const Vector &x) { return Vector(turn(padded(x), axis_of(motion), angle).head(dim)); };
      const auto         move   = [&](Vector &x) {
        if (x.size() > 0)
          x += (motion.angle ? turned(x - motion.centre) : Vector::Zero(dim)) + shift;
      };
      move(body.a);
      if (body.shape != Shape::half_space)
        move(body.b);
      else if (motion.angle)
        body.b += turned(body.b);
      move(body.c);
    }
  return PlacedObstacles(std::move(placed));
}

Vector Obstacles::velocity(const int obstacle, const Vector &x, const double t, const double h) const
{
  const int          group  = at_rest[obstacle].group;
  const RigidMotion &motion = motions[group];
  const Index        dim    = x.size();
  const Vector       after  = translation_at(motion, group, dim, t + h);
  Vector             way    = after - translation_at(motion, group, dim, t);
  if (motion.angle)
    {
      const double angle = angle_at(motion, group, t + h) - angle_at(motion, group, t);
      way -= turn(padded(x - motion.centre - after), axis_of(motion), -angle).head(dim);
    }
  return way / h;
}
} // namespace moreau::micro
