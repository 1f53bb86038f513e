// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/periodic_obstacles.h"

#include "convex/input_error.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace moreau::micro
{
namespace
{
using Shape = Obstacle::Shape;

/// A cosine or a length over a period below which it counts as 0.
constexpr double as_good_as_none = 1e-12;

/// n periods in the range of images.
int whole(const double n)
{
  constexpr double farthest = PeriodicObstacles::farthest;
  return static_cast<int>(std::max(-farthest, std::min(farthest, n)));
}

/// Whether an obstacle differs from its image along a periodic axis. Throws where that image does not go with it.
bool differs_from_image(const PlacedObstacles &all, const int k, const Index axis, const double period)
{
  const Obstacle &body   = all.obstacles()[k];
  const auto      refuse = [&](const std::string &what) {
    throw InputError("the periods", std::string(1, "xyz"[axis]) + " cannot be periodic with " + body.name + ", " + what);
  };
  if (body.shape == Shape::half_space)
    {
      if (std::abs(body.b(axis)) > as_good_as_none)
        refuse("whose normal is not perpendicular to it; leave one of them out.");
      return false;
    }
  if (body.shape == Shape::inside_of_cylinder)
    {
      const double along = std::abs((body.b - body.a).normalized()(axis));
      if (along > 1. - as_good_as_none)
        return false;
      if (along > as_good_as_none)
        refuse("whose axis is neither along it nor perpendicular to it; leave one of them out.");
    }
  std::ostringstream text;
  if (body.is_container() && 2. * body.radius > (1. + as_good_as_none) * period)
    {
      text << "which is " << 2. * body.radius << " m wide, more than the period, " << period
           << " m; make it smaller, enlarge the zone, or leave one of them out.";
      refuse(text.str());
    }
  if (body.is_bounded() && !(all.upper(k)(axis) - all.lower(k)(axis) <= PeriodicObstacles::longest * period))
    {
      text << "which is longer than " << PeriodicObstacles::longest << " periods; make it shorter or enlarge the zone.";
      refuse(text.str());
    }
  return true;
}

/// Of what moves an obstacle into the box.
double centre_of(const PlacedObstacles &all, const int k, const Index axis)
{
  return all.obstacles()[k].is_bounded() ? .5 * (all.lower(k)(axis) + all.upper(k)(axis)) : all.obstacles()[k].a(axis);
}
} // namespace

PeriodicObstacles::PeriodicObstacles(PlacedObstacles given, PeriodicBox given_box)
    : placed(std::move(given)), box(std::move(given_box))
{
  if (!box.any())
    return;
  bool any_beyond = false;
  repetitions.resize(size());
  for (int k = 0; k < size(); ++k)
    for (Index axis = 0; axis < box.period.size(); ++axis)
      if (const double period = box.period(axis); period > 0. && differs_from_image(placed, k, axis, period))
        {
          Repetition  &of     = repetitions[k];
          const double offset = centre_of(placed, k, axis) - box.lower(axis);
          of.period[axis]     = period;
          if (!(0. <= offset && offset < period)) // what is in the box keeps its digits
            of.laps[axis] = std::floor(offset / period);
          any_beyond = any_beyond || of.laps[axis] != 0.;
        }
  if (!any_beyond)
    return;
  std::vector<Obstacle> within = placed.obstacles();
  for (int k = 0; k < size(); ++k)
    for (Index axis = 0; axis < box.period.size(); ++axis)
      for (Vector *const point : {&within[k].a, &within[k].b, &within[k].c})
        if (point->size() > 0 && repetitions[k].laps[axis] != 0.)
          (*point)(axis) -= repetitions[k].laps[axis] * repetitions[k].period[axis];
  moved.emplace(std::move(within));
}

bool PeriodicObstacles::repeats_bodies() const
{
  const std::vector<Obstacle> &all = placed.obstacles();
  return box.any() && std::any_of(all.begin(), all.end(), [](const Obstacle &body) { return body.is_bounded(); });
}

PeriodicObstacles::Range PeriodicObstacles::near(const int obstacle, const double *x, const double distance) const
{
  Range      range;
  const bool bounded = placed.obstacles()[obstacle].is_bounded();
  const auto nothing = [&] {
    range.last[0] = range.first[0] - 1;
    return range;
  };
  for (Index axis = 0; axis < box.period.size(); ++axis)
    {
      const double period = repetitions[obstacle].period[axis];
      const double low    = bounded ? seen().lower(obstacle)(axis) - distance - x[axis] : 0.;
      const double high   = bounded ? seen().upper(obstacle)(axis) + distance - x[axis] : 0.;
      if (period > 0. && bounded)
        {
          range.first[axis] = whole(std::ceil(low / period));
          range.last[axis]  = whole(std::floor(high / period));
        }
      else if (period > 0.)
        range.first[axis] = range.last[axis] = whole(std::round((seen().obstacles()[obstacle].a(axis) - x[axis]) / period));
      else if (low > 0. || high < 0.)
        return nothing();
    }
  if (!bounded && approach(obstacle, image_of(range.first), x, distance).D > 0.)
    return nothing();
  return range;
}

Vector PeriodicObstacles::displacement(const int obstacle, const Image image) const
{
  const Index dim    = placed.obstacles()[obstacle].a.size();
  Vector      result = Vector::Zero(dim);
  if (box.any())
    for (Index axis = 0; axis < dim; ++axis)
      if (const Repetition &of = repetitions[obstacle]; of.period[axis] > 0.)
        result(axis) = (shift_of(image)[axis] + of.laps[axis]) * of.period[axis];
  return result;
}

Approach PeriodicObstacles::approach(const int obstacle, const Image image, const double *x, const double R) const
{
  if (image == 0)
    return seen().approach(obstacle, x, R);
  const Shift           shift     = shift_of(image);
  std::array<double, 3> displaced = {};
  for (Index axis = 0; axis < box.period.size(); ++axis)
    displaced[axis] = x[axis] + shift[axis] * repetitions[obstacle].period[axis];
  return seen().approach(obstacle, displaced.data(), R);
}

PeriodicObstacles::Image PeriodicObstacles::image_after(const PeriodicObstacles &next, const int obstacle, const Image image,
                                                        const std::array<int, 3> &taken) const
{
  Shift shift = shift_of(image);
  for (Index axis = 0; axis < box.period.size(); ++axis)
    if (repetitions[obstacle].period[axis] > 0.)
      shift[axis] =
          whole(shift[axis] + taken[axis] + repetitions[obstacle].laps[axis] - next.repetitions[obstacle].laps[axis]);
  return image_of(shift);
}

namespace
{
constexpr PeriodicObstacles::Image n_shifts = 2 * PeriodicObstacles::farthest + 1;
} // namespace

/// A digit for each direction: 0, 1, -1, 2, -2, ...
PeriodicObstacles::Image PeriodicObstacles::image_of(const Shift &shift)
{
  Image image = 0;
  for (const std::size_t axis : {2, 1, 0})
    image = image * n_shifts + (shift[axis] > 0 ? 2 * shift[axis] - 1 : -2 * shift[axis]);
  return image;
}

PeriodicObstacles::Shift PeriodicObstacles::shift_of(Image image)
{
  Shift shift = {0, 0, 0};
  for (std::size_t axis = 0; axis < 3 && image > 0; ++axis, image /= n_shifts)
    {
      const int digit = static_cast<int>(image % n_shifts);
      shift[axis]     = digit % 2 == 1 ? (digit + 1) / 2 : -digit / 2;
    }
  return shift;
}
} // namespace moreau::micro
