// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/jumping_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace moreau::geometry
{
namespace
{
constexpr double no_jump        = std::numeric_limits<double>::infinity();
constexpr double least_jump     = 1e-9; // relative to the scale: below, the field is smooth enough
constexpr double part_of_jump   = .25;  // differences above this part of the largest jump are looked at
constexpr int    samples_a_line = 5;

/// Intervals between samples on edges and faces of the whole box, where the tip of a body that enters it may be short.
int n_on_boundary(const int dim) { return dim == 2 ? 64 : 8; }
} // namespace

double hair_of(const double extent, const double shortest_side)
{
  return std::max(1e-12, 32. * std::numeric_limits<double>::epsilon() * extent / shortest_side);
}

JumpingMean::JumpingMean(const Field &f, const int dim)
    : f(f)
    , dim(dim)
    , rules{Rule(), Rule(), gauss_rule(2, 1), gauss_rule(3, 1)}
    , corner(Point::Zero())
    , sides(Point::Ones())
    , x_at(dim, 1)
{
  if (dim != 2 && dim != 3)
    throw std::invalid_argument("JumpingMean: the dimension is 2 or 3.");
}

JumpingMean::Result JumpingMean::operator()(const Vector &lower, const Vector &upper, const Effort &effort)
{
  for (int axis = 0; axis < dim; ++axis)
    {
      corner(axis) = lower(axis);
      sides(axis)  = upper(axis) - lower(axis);
    }
  // so that a jump on the boundary of the box, where rounding decides, is not seen
  const double extent = std::max(lower.cwiseAbs().maxCoeff(), upper.cwiseAbs().maxCoeff());
  hair                = hair_of(extent, (upper - lower).minCoeff());
  n_points            = 0;
  std::vector<Part> parts(1, {Point::Zero(), Point::Ones(), {}, {}});
  per_scale.resize(0);
  look_at(parts[0], samples_a_line - 1, effort.usual);
  if (threshold == no_jump)
    {
      per_scale.resize(0); // it may have been 0 everywhere
      look_at(parts[0], n_on_boundary(dim), effort.usual);
    }
  if (threshold == no_jump)
    return {};
  has_several = false;
  integrate(parts[0]);
  constexpr double smooth_edge   = 1e-4; // a corner makes a larger error
  const bool       may_hide_tips = has_several || parts[0].largest_error > smooth_edge;

  const auto total_error = [&] {
    Values sum = Values::Zero(per_scale.size());
    for (const Part &part : parts)
      sum += part.error;
    return sum;
  };
  while (total_error().cwiseProduct(per_scale).maxCoeff() > effort.tolerance && n_points < effort.max_points)
    divide(parts);

  Result result = {true, Vector::Zero(per_scale.size()), total_error()};
  for (const Part &part : parts)
    result.mean += part.mean;
  if (may_hide_tips) // of bodies that end between samples on the boundary, here or beside the box
    for (Index c = 0; c < per_scale.size(); ++c)
      if (per_scale(c) > 0.)
        result.error(c) += .5 * std::pow(n_on_boundary(dim), -2.) / per_scale(c);
  return result;
}

/// Replaces the part with the largest error, the first of the heap, by its halves, quarters, eighths, and with it all that
/// are as bad, which symmetric fields have.
void JumpingMean::divide(std::vector<Part> &parts)
{
  const double      alike = (1. - 1e-6) * parts.front().largest_error;
  std::vector<Part> worst;
  while (!parts.empty() && parts.front().largest_error >= alike)
    {
      std::pop_heap(parts.begin(), parts.end());
      worst.push_back(parts.back());
      parts.pop_back();
    }
  for (const Part &whole : worst)
    {
      const Point middle = .5 * (whole.lower + whole.upper);
      for (int k = 0; k < 1 << dim; ++k)
        {
          Part part = whole;
          for (int axis = 0; axis < dim; ++axis)
            (k >> axis & 1 ? part.lower : part.upper)(axis) = middle(axis);
          look_at(part, samples_a_line - 1);
          integrate(part);
          parts.push_back(part);
          std::push_heap(parts.begin(), parts.end());
        }
    }
}

JumpingMean::Values JumpingMean::at(const Point &point)
{
  ++n_points;
  for (int axis = 0; axis < dim; ++axis)
    x_at(axis, 0) = corner(axis) + point(axis) * sides(axis);
  f(x_at, value_at);
  return value_at.col(0);
}

void JumpingMean::evaluate(const std::vector<Point> &at)
{
  n_points += static_cast<Index>(at.size());
  x.resize(dim, static_cast<Index>(at.size()));
  for (std::size_t k = 0; k < at.size(); ++k)
    for (int axis = 0; axis < dim; ++axis)
      x(axis, k) = corner(axis) + at[k](axis) * sides(axis);
  f(x, values);
}

void JumpingMean::set_scale(const Vector &usual)
{
  if (values.rows() > most_components)
    throw std::invalid_argument("JumpingMean: too many components.");
  per_scale = values.cwiseAbs().rowwise().maxCoeff();
  per_usual = per_scale;
  if (usual.size() > 0)
    per_usual = per_usual.cwiseMax(Values(usual.head(per_usual.size())));
  for (Values *const scales : {&per_scale, &per_usual})
    for (double &scale : *scales)
      scale = scale > 0. ? 1. / scale : 0.;
}

/// Points of the boundary of a part where jumps on lines of it are looked for, but its corners.
std::vector<JumpingMean::Point> JumpingMean::points_of_boundary(const Part &part, const int n_intervals) const
{
  std::vector<Point> found;
  const int          n = n_intervals + 1;
  for (int k = 0; k < (dim == 2 ? n * n : n * n * n); ++k)
    {
      Point point  = Point::Zero();
      int   n_ends = 0;
      for (int axis = 0, rest = k; axis < dim; ++axis, rest /= n)
        {
          const double a = part.lower(axis), b = part.upper(axis);
          point(axis) = std::clamp(a + (b - a) * (rest % n) / (n - 1), a + hair, b - hair);
          n_ends += rest % n == 0 || rest % n == n - 1;
        }
      if (0 < n_ends && n_ends < dim)
        found.push_back(point);
    }
  return found;
}

/// Finds the order of the axes and how large jumps are.
void JumpingMean::look_at(const Part &part, const int n_intervals, const Vector &usual)
{
  const Eigen::MatrixXd gauss = gauss_rule(2, dim).points, corners = geometry::corners(dim, 0.);
  const Index           n = corners.cols();
  points.clear();
  for (Index k = 0; k < 2 * n + 1; ++k)
    {
      Point point = .5 * (part.lower + part.upper);
      for (int axis = 0; axis < dim && k < 2 * n; ++axis)
        {
          const double a = part.lower(axis), b = part.upper(axis);
          point(axis) = k >= n ? a + gauss(axis, k - n) * (b - a) : corners(axis, k) == 0. ? a + hair : b - hair;
        }
      points.push_back(point);
    }
  const std::vector<Point> boundary = points_of_boundary(part, n_intervals);
  points.insert(points.end(), boundary.begin(), boundary.end());
  evaluate(points);
  if (per_scale.size() == 0)
    set_scale(usual);

  struct Pair
  {
    double distance;
    Index  a, b;
  };
  std::vector<Pair>     pairs;
  std::array<double, 3> change = {};
  for (Index k = 0; k < 2 * n; ++k)
    {
      pairs.push_back({distance(values.col(k), values.col(2 * n)), k, 2 * n});
      for (int axis = 0; axis < dim; ++axis)
        if ((k >> axis & 1) == 0) // corners and points of Gauss are numbered alike
          {
            const Index next = k + (Index(1) << axis);
            pairs.push_back({distance(values.col(k), values.col(next)), k, next});
            change[axis] += pairs.back().distance;
          }
    }
  std::array<Values, 3> slope; // what enters at one side only changes most across it
  slope.fill(Values::Zero(per_scale.size()));
  for (Index k = 2 * n + 1; k < values.cols(); ++k)
    {
      pairs.push_back({distance(values.col(k), values.col(2 * n)), k, 2 * n});
      for (int axis = 0; axis < dim; ++axis)
        slope[axis] += (points[k](axis) - points[2 * n](axis)) / (part.upper(axis) - part.lower(axis)) *
                       (values.col(k) - values.col(2 * n));
    }
  for (int axis = 0; axis < dim; ++axis)
    change[axis] += slope[axis].cwiseAbs().cwiseProduct(per_usual).maxCoeff();
  set_orders(change);

  // the largest difference may be one of a steep smooth field
  constexpr std::size_t n_tried = 4;
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair &a, const Pair &b) { return a.distance > b.distance; });
  threshold                          = no_jump;
  const Eigen::MatrixXd    all       = values;
  const std::vector<Point> positions = points;
  for (std::size_t k = 0; k < n_tried && threshold == no_jump; ++k)
    if (pairs[k].distance > least_jump)
      if (const double jump =
              jump_between(positions[pairs[k].a], positions[pairs[k].b], all.col(pairs[k].a), all.col(pairs[k].b));
          jump > least_jump)
        threshold = part_of_jump * jump;
}

/// All orders in which no axis comes before one along which the field changes more.
void JumpingMean::set_orders(const std::array<double, 3> &change)
{
  constexpr double alike = 1. - 1e-6;
  orders.clear();
  Order axes = {0, 1, 2};
  do
    if (change[axes[0]] >= alike * change[axes[1]] && (dim < 3 || change[axes[1]] >= alike * change[axes[2]]))
      orders.push_back(axes);
  while (std::next_permutation(axes.begin(), axes.begin() + dim));
}

/// How much the field jumps between two points; 0 where it is smooth.
double JumpingMean::jump_between(Point a, Point b, Values of_a, Values of_b)
{
  constexpr int    n_halvings = 20, early = 8;
  constexpr double left_of_smooth = .05; // after `early` halvings; it is 1/256 of a linear field
  const double     whole          = distance(of_a, of_b);
  for (int k = 1; k <= n_halvings; ++k)
    {
      const Point  middle    = .5 * (a + b);
      const Values of_middle = at(middle);
      if (distance(of_a, of_middle) >= distance(of_middle, of_b))
        {
          b    = middle;
          of_b = of_middle;
        }
      else
        {
          a    = middle;
          of_a = of_middle;
        }
      if (k >= early && distance(of_a, of_b) < left_of_smooth * whole)
        return 0.;
    }
  return distance(of_a, of_b);
}

void JumpingMean::integrate(Part &part)
{
  const double volume = (part.upper - part.lower).prod() / static_cast<double>(orders.size()); // absent axes: length 1
  part.mean           = Values::Zero(per_scale.size());
  part.error          = part.mean;
  for (const Order &of_axes : orders)
    {
      order             = of_axes;
      const Ends   ends = find_ends(dim - 1, part, part.lower);
      const Values fine = mean_between(dim - 1, part, part.lower, 3, ends);
      part.mean += volume * fine;
      part.error += volume * (fine - mean_between(dim - 1, part, part.lower, 2, ends)).cwiseAbs();
    }
  part.largest_error = part.error.cwiseProduct(per_scale).maxCoeff();
}

/// Where intervals begin and end on which integrals over the axes of lower levels are smooth along the axis of this one.
JumpingMean::Ends JumpingMean::find_ends(const int level, const Part &part, Point x)
{
  const int    axis  = order[level];
  const double begin = part.lower(axis), end = part.upper(axis);
  Ends         ends(1, begin);
  if (threshold != no_jump)
    {
      Ends jumps;
      for (int k = 0; k < 1 << level; ++k)
        {
          for (int lower_level = 0; lower_level < level; ++lower_level)
            {
              const int other = order[lower_level];
              x(other)        = k >> lower_level & 1 ? part.upper(other) - hair : part.lower(other) + hair;
            }
          const std::size_t n_before    = jumps.size();
          const int         n_intervals = static_cast<int>(std::ceil(level == 0 ? 0. : (end - begin) * n_on_boundary(dim)));
          find_jumps(axis, x, begin, end, std::max(n_intervals, samples_a_line - 1), jumps);
          has_several = has_several || jumps.size() > n_before + 1;
        }
      std::sort(jumps.begin(), jumps.end());
      for (const double jump : jumps)
        if (jump - ends.back() > 4. * hair && end - jump > 4. * hair)
          ends.push_back(jump);
    }
  ends.push_back(end);
  return ends;
}

/// On the line through x along an axis.
void JumpingMean::find_jumps(const int axis, Point x, const double begin, const double end, const int n_intervals,
                             Ends &jumps)
{
  points_of_line.clear();
  for (int k = 0; k <= n_intervals; ++k)
    {
      x(axis) = std::clamp(begin + (end - begin) * k / n_intervals, begin + hair, end - hair);
      points_of_line.push_back(x);
    }
  evaluate(points_of_line);
  for (int k = 0; k < n_intervals; ++k)
    find_between(axis, x, points_of_line[k](axis), values.col(k), points_of_line[k + 1](axis), values.col(k + 1), 0, jumps);
}

void JumpingMean::find_between(const int axis, Point x, const double a, const Values &of_a, const double b,
                               const Values &of_b, const int depth, Ends &jumps)
{
  constexpr int most_jumps = 4;
  if (!(distance(of_a, of_b) > threshold) || depth == most_jumps)
    return;
  double left = a, right = b;
  Values of_left = of_a, of_right = of_b;
  while (right - left > .1 * hair)
    {
      x(axis) = .5 * (left + right);
      if (!(x(axis) > left && x(axis) < right))
        break;
      const Values of_middle = at(x);
      if (distance(of_left, of_middle) >= distance(of_middle, of_right))
        {
          right    = x(axis);
          of_right = of_middle;
        }
      else
        {
          left    = x(axis);
          of_left = of_middle;
        }
      if (!(distance(of_left, of_right) > threshold))
        return; // steep, but smooth
    }
  find_between(axis, x, a, of_a, left, of_left, depth + 1, jumps);
  jumps.push_back(.5 * (left + right));
  find_between(axis, x, right, of_right, b, of_b, depth + 1, jumps);
}

/// Over the axes of this level and of lower ones, at the coordinates of x along the others.
JumpingMean::Values JumpingMean::mean_over(const int level, const Part &part, const Point &x, const int n_gauss)
{
  return mean_between(level, part, x, n_gauss, find_ends(level, part, x));
}

JumpingMean::Values JumpingMean::mean_between(const int level, const Part &part, Point x, const int n_gauss,
                                              const Ends &ends)
{
  const int    axis       = order[level];
  const double length     = part.upper(axis) - part.lower(axis);
  Values       sum        = Values::Zero(per_scale.size());
  const auto   for_points = [&](const auto &use) {
    for (std::size_t k = 0; k + 1 < ends.size(); ++k)
      for (int g = 0; g < n_gauss; ++g)
        {
          x(axis) = ends[k] + (ends[k + 1] - ends[k]) * rules[n_gauss].points(0, g);
          use(rules[n_gauss].weights(g) * (ends[k + 1] - ends[k]) / length);
        }
  };
  if (level > 0)
    {
      for_points([&](const double weight) { sum += weight * mean_over(level - 1, part, x, n_gauss); });
      return sum;
    }
  points_of_line.clear();
  for_points([&](double) { points_of_line.push_back(x); });
  evaluate(points_of_line);
  Index k = 0;
  for_points([&](const double weight) { sum += weight * values.col(k++); });
  return sum;
}
} // namespace moreau::geometry
