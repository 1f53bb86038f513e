// SPDX-License-Identifier: GPL-3.0-or-later
// A point in the plane outside of up to three capsules, { x : |x - S_k| >= r_k } for segments S_k (balls where both ends are
// the same): an intersection of complements of convex sets (BV, section 4). Each g_k(x) = |x - S_k| - r_k is convex, so that
// scheme A can be used as well.
#include "micro/motion/mechanical_projection.h"
#include "micro/motion/point_in_the_plane.h"

#include "convex/input_error.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace moreau::micro::systems
{
namespace
{
using Point = Eigen::Vector2d;

/// All points nearer than r to a segment.
struct Capsule
{
  Point  a, b;
  double r;

  Point nearest_of_segment(const Point &x) const
  {
    const double length = (b - a).squaredNorm();
    return length > 0. ? Point(a + std::clamp((x - a).dot(b - a) / length, 0., 1.) * (b - a)) : a;
  }

  double g(const Point &x) const { return (x - nearest_of_segment(x)).norm() - r; }

  /// ∇g; on the segment, where every direction off it is a subgradient, the normal.
  Point gradient(const Point &x) const
  {
    const Point d = x - nearest_of_segment(x), s = b - a;
    if (d.norm() > 0.)
      return d.normalized();
    return s.norm() > 0. ? Point(Point(-s(1), s(0)).normalized()) : Point(1., 0.);
  }
};

class ComplementOfConvexSets : public PointInThePlane
{
public:
  static constexpr int max_shapes = 3;

  explicit ComplementOfConvexSets(const SystemConstants &c) : PointInThePlane(c), projector(exact_projector())
  {
    for (int k = 1; k <= max_shapes; ++k)
      {
        const auto number = [&](const std::string &name) { return c.at(name + std::to_string(k)); };
        if (not_negative(c, "r" + std::to_string(k)) > 0.)
          shapes.push_back({{number("ax"), number("ay")}, {number("bx"), number("by")}, number("r")});
      }
    if (shapes.empty())
      throw InputError("the constants of the system", "There is no obstacle; one of r1, r2, r3 must be positive.");
  }

  Index  n_constraints() const override { return static_cast<Index>(shapes.size()); }
  Vector constraints(double, const Vector &q) const override
  {
    Vector g(n_constraints());
    for (Index k = 0; k < g.size(); ++k)
      g(k) = shapes[k].g(q);
    return g;
  }
  Eigen::MatrixXd gradients(double, const Vector &q) const override
  {
    Eigen::MatrixXd G(n_constraints(), 2);
    for (Index k = 0; k < G.rows(); ++k)
      G.row(k) = shapes[k].gradient(q).transpose();
    return G;
  }
  bool convex_constraints() const override { return true; }

  /// Linearised about q first. What is found is nearest where it is as near as the deepest capsule alone allows; elsewhere
  /// points around all capsules are tried as well, and the nearest answer is taken.
  std::optional<Vector> projection(double t, const Vector &q) const override
  {
    const double depth = -constraints(t, q).minCoeff();
    if (depth <= 0.)
      return q;
    std::optional<Vector> best = projection_from(q, q);
    constexpr double      same = 1. + 1e-9;
    if (best && (*best - q).norm() <= same * depth)
      return best;
    for (const Vector &start : starts(q))
      {
        const std::optional<Vector> found = projection_from(start, q);
        if (found && (!best || (*found - q).norm() < (*best - q).norm()))
          best = found;
      }
    return best;
  }

private:
  std::optional<Vector> projection_from(const Vector &start, const Vector &q) const
  {
    return nearest_admissible(*this, MassMetric(mass(q)), *projector, 0., q, start);
  }

  /// Points on the boundaries of all capsules, on all sides.
  std::vector<Vector> starts(const Vector &q) const
  {
    constexpr int       n_directions = 8;
    std::vector<Vector> points;
    for (const Capsule &shape : shapes)
      for (const Point &centre : {shape.a, shape.nearest_of_segment(q), shape.b})
        for (int k = 0; k < n_directions; ++k)
          {
            const double angle = 2. * M_PI * (k + .5) / n_directions;
            points.push_back(centre + shape.r * Point(std::cos(angle), std::sin(angle)));
          }
    return points;
  }

  std::vector<Capsule>                         shapes;
  std::shared_ptr<const convex::ConeProjector> projector;
};
} // namespace

SystemEntry complement_of_convex_sets()
{
  std::vector<SystemConstant> constants = {{"gravity", 1., "m/s^2"}, {"mass", 1., "kg"}, {"ux", 0., "m/s"},
                                           {"uy", 0., "m/s"},        {"x", 0., "m"},     {"y", 1.5, "m"}};
  // a ball, a capsule below to the left of it, and a ball that closes the gap between them
  const double defaults[ComplementOfConvexSets::max_shapes][5] = {
      {.2, .5, .2, .5, .4}, {-1.5, -.3, -.4, -.8, .3}, {.15, -.6, .15, -.6, .35}};
  for (int k = 0; k < ComplementOfConvexSets::max_shapes; ++k)
    for (int i = 0; i < 5; ++i)
      constants.push_back({std::array{"ax", "ay", "bx", "by", "r"}[i] + std::to_string(k + 1), defaults[k][i], "m"});
  return {"complement of convex sets",
          "a point in the plane outside of capsules, from (ax1, ay1) to (bx1, by1) with radius r1 and so on; r = 0: none",
          constants, [](const SystemConstants &c) { return std::make_unique<ComplementOfConvexSets>(c); }};
}
} // namespace moreau::micro::systems
