// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_OBSTACLES_H
#define MOREAU_MICRO_OBSTACLES_H

#include "micro/spheres.h"

#include <functional>
#include <string>
#include <vector>

namespace moreau::micro
{
/// A rigid body that spheres cannot enter. For all but the insides the gap of a sphere, g(x) = distance(x, body) - R, is
/// convex in the centre x, which is what scheme A asks for. The insides are
/// convex sets that centres may not leave: supporting half-spaces.
struct Obstacle
{
  enum class Shape
  {
    half_space, ///< a: point of the boundary, b: unit normal to the spheres
    ball,       ///< a: centre, radius
    capsule,    ///< all points nearer than radius to the segment a b; radius 0: the segment itself
    plate, ///< dimension 3: all points nearer than radius to the parallelogram a + s (b - a) + t (c - a), s, t in [0, 1]
    inside_of_ball,    ///< spheres are within the ball with centre a and radius
    inside_of_cylinder ///< dimension 3: within the (infinitely long) cylinder about the line a b with radius
  };

  std::string name; ///< how messages call it: "capsule 2 of Obstacles"
  Shape       shape = Shape::half_space;
  Vector      a, b, c;                   ///< length d, as far as the shape needs them (m)
  double      radius  = 0.;              ///< m
  int         group   = 0;               ///< which rigid motion carries it
  std::string subject = "the obstacles"; ///< of messages about its motion
  std::string label   = {};              ///< what measurements call it; obstacles of one label are one body

  /// Whether it ends somewhere, so that a periodic box repeats it.
  bool is_bounded() const { return shape != Shape::half_space && !is_container(); }

  bool is_container() const { return shape == Shape::inside_of_ball || shape == Shape::inside_of_cylinder; }
};

/// How a shape is called, and what it is given by: so many of the points (or normals) a, b, c, then a radius or not.
struct ShapeDescription
{
  std::string     name; ///< "inside of ball"
  std::string     form; ///< what it is given by, in words: "CENTRE RADIUS"
  Obstacle::Shape shape;
  int             n_points;
  bool            has_radius;
};

const std::vector<ShapeDescription> &shape_descriptions();

/// x ↦ centre + Q(angle(t)) (x - centre) + translation(t). Empty functions: 0.
struct RigidMotion
{
  std::function<Vector(double t)> translation; ///< length d (m)
  std::function<double(double t)> angle;       ///< rad; counter-clockwise in the plane, about axis in space
  Vector                          centre;      ///< length d; empty: origin
  Vector                          axis;        ///< length 3, unit; in space only
};

/// The nearest point of an obstacle as a sphere sees it.
struct Approach
{
  double          D; ///< gap (m): distance - R
  Eigen::Vector3d e; ///< unit, from the sphere to the obstacle (entries beyond d are 0): ∇g = -e
};

/// Obstacles at an instant.
class PlacedObstacles
{
public:
  PlacedObstacles() = default;
  explicit PlacedObstacles(std::vector<Obstacle> obstacles); ///< shapes as Obstacles lets pass

  const std::vector<Obstacle> &obstacles() const { return placed; }
  int                          size() const { return static_cast<int>(placed.size()); }

  /// Gap and direction for a sphere with centre x (length d) and radius R. For a container the supporting half-space at the
  /// boundary point nearest to x. Where x lies in the core of the obstacle (centre, segment, parallelogram) it is as deep
  /// inside as can be, and e some unit vector; so is e in the middle of a container.
  Approach approach(int obstacle, const double *x, double R) const;

  /// Corners of the box around a body that ends somewhere; infinite for others and beyond d.
  const Eigen::Array3d &lower(const int obstacle) const { return cores[obstacle].lower; }
  const Eigen::Array3d &upper(const int obstacle) const { return cores[obstacle].upper; }

  /// Calls visit(obstacle) for all obstacles that could be nearer than `reach` to a sphere at x: conservative and cheap.
  template <class Visit>
  void visit_near(const double *x, double R, double reach, const Visit &visit) const
  {
    for (int k = 0; k < size(); ++k)
      if (may_reach(k, x, R + reach))
        visit(k);
  }

private:
  /// What approach() needs at hand, entries beyond d are 0.
  struct Core
  {
    Eigen::Vector3d a; ///< Obstacle::a
    Eigen::Vector3d u,
        v; ///< edges of a segment or parallelogram; u is the normal of a half-space, the unit axis of a cylinder
    Eigen::Array3d lower, upper; ///< box around a bounded body, infinite for others and beyond d
    double         radius;
    bool           bounded;
  };

  bool may_reach(const int obstacle, const double *x, const double distance) const
  {
    const Core &core = cores[obstacle];
    for (Index k = 0; k < dim; ++k)
      if (x[k] < core.lower(k) - distance || x[k] > core.upper(k) + distance)
        return false;
    return core.bounded || !(approach(obstacle, x, distance).D > 0.);
  }

  std::vector<Obstacle> placed;
  std::vector<Core>     cores;
  Index                 dim = 0;
};

/// Obstacles with their prescribed motions.
class Obstacles
{
public:
  Obstacles() = default;

  /// Normals and axes of any length become unit vectors. Messages count groups from 1 and name all but the first.
  /// Throws InputError("the obstacles, group 2") where a group has no motion, InputError for degenerate shapes (zero normal,
  /// segment of length 0 with radius 0, plate with parallel sides, radius < 0, NaN), for what does not exist in the
  /// dimension, and for a centre or axis of another length, or an axis 0.
  Obstacles(std::vector<Obstacle> at_rest, std::vector<RigidMotion> motions);

  int size() const { return static_cast<int>(at_rest.size()); }

  /// Where they are at time t. Throws InputError where a motion is not finite.
  PlacedObstacles at(double t) const;

  /// Mean velocity (m/s) over t ... t + h of the material point of the obstacle that is at x at time t + h. Length d.
  Vector velocity(int obstacle, const Vector &x, double t, double h) const;

  /// Where the point is at time t about which its motion turns it; empty: it does not turn.
  Vector centre_of_rotation(int obstacle, double t) const;

  bool moves(int obstacle) const; ///< whether its group has a translation or an angle

private:
  std::vector<Obstacle>    at_rest;
  std::vector<RigidMotion> motions;
};
} // namespace moreau::micro

#endif
