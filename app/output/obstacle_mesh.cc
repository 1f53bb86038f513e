// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/obstacle_text.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace moreau::app
{
namespace
{
using Eigen::Vector3d;
using micro::Index;
using micro::Obstacle;
using micro::Vector;
using Shape = Obstacle::Shape;

constexpr int    n_around  = 96;   ///< corners of a circle
constexpr int    n_rings   = 13;   ///< circles of latitude of a ball; odd, so that one is the equator
constexpr double thickness = 1e-3; ///< of the diagonal of the box: bodies without a radius are drawn with this one

Vector3d padded(const Vector &x)
{
  Vector3d result       = Vector3d::Zero();
  result.head(x.size()) = x;
  return result;
}

/// Draws obstacles one after another.
class Drawing
{
public:
  Drawing(const Vector &lower, const Vector &upper) : dim(lower.size()), lower(padded(lower)), upper(padded(upper))
  {
    mesh.name      = "obstacles";
    mesh.cell_type = dim == 1   ? geometry::CellType::vertex
                     : dim == 2 ? geometry::CellType::line
                                : geometry::CellType::polygon;
    numbers.name   = "obstacle";
  }

  void add(const Obstacle &body, const int number)
  {
    now = number;
    a = padded(body.a), b = padded(body.b), c = padded(body.c);
    radius = std::max(body.radius, thickness * (upper - lower).norm());
    if (body.shape == Shape::half_space)
      draw_half_space();
    else if (dim == 1)
      for (const double end : {std::min(a.x(), body.shape == Shape::capsule ? b.x() : a.x()) - body.radius,
                               std::max(a.x(), body.shape == Shape::capsule ? b.x() : a.x()) + body.radius})
        add_cell({Vector3d(end, 0., 0.)});
    else if (dim == 2)
      draw_outline(body.shape == Shape::capsule);
    else if (body.shape == Shape::plate)
      draw_plate();
    else if (body.shape == Shape::inside_of_cylinder)
      draw_cylinder();
    else
      draw_capsule(body.shape == Shape::capsule ? b : a);
  }

  geometry::Mesh result()
  {
    mesh.cell_data = {numbers};
    return std::move(mesh);
  }

private:
  using Ring = std::vector<Vector3d>;

  void add_cell(const Ring &corners)
  {
    for (const Vector3d &x : corners)
      {
        mesh.connectivity.push_back(static_cast<long long>(mesh.n_points()));
        mesh.points.insert(mesh.points.end(), {x.x(), x.y(), x.z()});
      }
    if (mesh.cell_type == geometry::CellType::polygon)
      mesh.offsets.push_back(static_cast<long long>(mesh.connectivity.size()));
    numbers.values.push_back(now);
  }

  /// The part of a large convex polygon (a segment in the plane) about the centre of the box that the box shows.
  void draw_half_space()
  {
    const Vector3d normal = b.normalized();
    if (dim == 1)
      return add_cell({a});
    const double   size   = (upper - lower).norm();
    const Vector3d centre = (lower + upper) / 2., foot = centre - (centre - a).dot(normal) * normal;
    const Vector3d s = dim == 2 ? normal.cross(Vector3d::UnitZ()) : normal.unitOrthogonal(), t = normal.cross(s);
    Ring           polygon = dim == 2 ? Ring{foot - size * s, foot + size * s}
                                      : Ring{foot - size * s, foot - size * t, foot + size * s, foot + size * t};
    for (Index axis = 0; axis < dim; ++axis)
      {
        const double slack = 1e-9 * size; // walls lie on the sides of the box
        clip(polygon, Vector3d::Unit(axis), lower(axis) - slack);
        clip(polygon, -Vector3d::Unit(axis), -upper(axis) - slack);
      }
    if (static_cast<Index>(polygon.size()) >= dim)
      add_cell(polygon);
  }

  /// Keeps normal·x >= offset of a convex polygon, or of a segment, whose two sides are the same.
  static void clip(Ring &polygon, const Vector3d &normal, const double offset)
  {
    Ring       kept;
    const bool is_segment = polygon.size() == 2;
    for (std::size_t k = 0; k < polygon.size(); ++k)
      {
        const Vector3d &x = polygon[k], &y = polygon[(k + 1) % polygon.size()];
        const double    gx = normal.dot(x) - offset, gy = normal.dot(y) - offset;
        if (gx >= 0.)
          kept.push_back(x);
        if ((gx < 0.) != (gy < 0.) && !(is_segment && k == 1))
          kept.push_back(x + gx / (gx - gy) * (y - x));
      }
    polygon = kept;
  }

  /// A circle about a, or one half of it about each end of a capsule.
  void draw_outline(const bool is_capsule)
  {
    const Vector3d along  = is_capsule ? Vector3d(b - a) : Vector3d::Zero();
    const double   start  = std::atan2(along.y(), along.x()) - M_PI / 2.;
    const int      n_half = n_around / 2 + (is_capsule ? 1 : 0);
    Ring           outline;
    for (int half = 0; half < 2; ++half)
      for (int k = 0; k < n_half; ++k)
        {
          const double angle = start + half * M_PI + 2. * M_PI * k / n_around;
          outline.push_back((half == 0 ? a + along : a) + radius * Vector3d(std::cos(angle), std::sin(angle), 0.));
        }
    for (std::size_t k = 0; k < outline.size(); ++k)
      add_cell({outline[k], outline[(k + 1) % outline.size()]});
  }

  /// Axes of a right-handed frame whose third one is given.
  struct Frame
  {
    explicit Frame(const Vector3d &axis) : n(axis.normalized()), s(n.unitOrthogonal()), t(n.cross(s)) {}
    Vector3d across(const int k) const
    {
      const double angle = 2. * M_PI * (k + .5) / n_around;
      return std::cos(angle) * s + std::sin(angle) * t;
    }
    Vector3d n, s, t;
  };

  /// A closed surface, or an open tube, through rings from one end to the other.
  void connect(const std::vector<Ring> &rings, const bool closed)
  {
    if (closed)
      add_cell(Ring(rings.front().rbegin(), rings.front().rend()));
    for (std::size_t r = 0; r + 1 < rings.size(); ++r)
      for (int k = 0; k < n_around; ++k)
        {
          const int next = (k + 1) % n_around;
          add_cell({rings[r][k], rings[r][next], rings[r + 1][next], rings[r + 1][k]});
        }
    if (closed)
      add_cell(rings.back());
  }

  /// Points core(k) + radius ω for directions ω of one latitude, which is the angle to -n.
  template <class Core>
  Ring ring(const Frame &frame, const double latitude, const Core &core) const
  {
    Ring points;
    for (int k = 0; k < n_around; ++k)
      points.push_back(core(k) + radius * (-std::cos(latitude) * frame.n + std::sin(latitude) * frame.across(k)));
    return points;
  }

  /// All points nearer than radius to the segment from a to the end; a ball where both are the same.
  void draw_capsule(const Vector3d &end)
  {
    const bool        is_ball = end == a;
    const Frame       frame(is_ball ? Vector3d(Vector3d::UnitZ()) : Vector3d(end - a));
    std::vector<Ring> rings;
    for (int r = 0; r < n_rings; ++r)
      {
        const double latitude = M_PI * (r + .5) / n_rings;
        if (2 * r < n_rings)
          rings.push_back(ring(frame, latitude, [&](int) { return a; }));
        if (2 * r + 1 > n_rings || (2 * r + 1 == n_rings && !is_ball)) // the equator belongs to both ends
          rings.push_back(ring(frame, latitude, [&](int) { return end; }));
      }
    connect(rings, true);
  }

  void draw_plate()
  {
    const Vector3d u = b - a, v = c - a;
    const Frame    frame(u.cross(v));
    const auto     corner = [&](const int k) {
      const Vector3d direction = frame.across(k);
      return Vector3d(a + (direction.dot(u) > 0. ? u : Vector3d::Zero()) + (direction.dot(v) > 0. ? v : Vector3d::Zero()));
    };
    std::vector<Ring> rings;
    for (int r = 0; r < n_rings; ++r)
      rings.push_back(ring(frame, M_PI * (r + .5) / n_rings, corner));
    connect(rings, true);
  }

  /// As long as the box, seen along the axis.
  void draw_cylinder()
  {
    const Frame       frame(b - a);
    const Vector3d    centre = (lower + upper) / 2.;
    const double      middle = (centre - a).dot(frame.n), half = frame.n.cwiseAbs().dot((upper - lower) / 2.);
    std::vector<Ring> rings;
    for (const double s : {middle - half, middle + half})
      rings.push_back(ring(frame, M_PI / 2., [&](int) { return Vector3d(a + s * frame.n); }));
    connect(rings, false);
  }

  const Index     dim;
  const Vector3d  lower, upper;
  geometry::Mesh  mesh;
  geometry::Array numbers;
  int             now = 0;     ///< obstacle that is being drawn
  Vector3d        a, b, c;     ///< its points
  double          radius = 0.; ///< and radius
};
} // namespace

geometry::Mesh obstacle_mesh(const micro::PlacedObstacles &obstacles, const Vector &lower, const Vector &upper)
{
  Drawing drawing(lower, upper);
  for (int k = 0; k < obstacles.size(); ++k)
    drawing.add(obstacles.obstacles()[k], k);
  return drawing.result();
}

std::vector<geometry::Mesh> wall_mesh(const std::vector<micro::Wall> &walls, const Vector &lower, const Vector &upper,
                                      const bool draws)
{
  if (walls.empty())
    return {};
  Drawing drawing(lower, upper);
  if (draws)
    {
      const micro::Obstacles       obstacles = app::obstacles({}, walls, lower.size());
      const micro::PlacedObstacles placed    = obstacles.at(0.);
      for (int k = 0; k < placed.size(); ++k)
        drawing.add(placed.obstacles()[k], k);
    }
  geometry::Mesh mesh    = drawing.result();
  mesh.name              = "walls";
  mesh.cell_data[0].name = "wall";
  return geometry::list_of(std::move(mesh));
}

std::vector<geometry::Mesh> wall_mesh(const std::vector<std::string> &names, const Vector &lower, const Vector &upper,
                                      const bool draws)
{
  return wall_mesh(micro::box_walls(lower, upper, names), lower, upper, draws);
}
} // namespace moreau::app
