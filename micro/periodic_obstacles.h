// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_PERIODIC_OBSTACLES_H
#define MOREAU_MICRO_PERIODIC_OBSTACLES_H

#include "micro/obstacles.h"
#include "micro/periodic_box.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace moreau::micro
{
/// Obstacles at an instant as spheres meet them in a box that repeats itself: bodies that end somewhere are repeated with
/// it, wherever they are; of a container a sphere is within the repetition whose middle is nearest; half-spaces look the
/// same from all images. For that each obstacle is moved by whole periods until its centre is in the box, if it is not
/// there.
class PeriodicObstacles
{
public:
  /// Which image of a sphere meets an obstacle that has been moved into the box; 0: the sphere itself.
  using Image = std::int64_t;

  static constexpr int farthest       = 255; ///< periods between a sphere and its image, at most
  static constexpr int longest        = 100; ///< periods from end to end of a body, at most
  static constexpr int longest_flight = 100; ///< periods that a sphere may move in a step where there are bodies

  PeriodicObstacles() = default;

  /// Throws InputError("the periods", ...) for what does not repeat itself: half-spaces and cylinders that lean towards a
  /// periodic side, containers that are wider than a period; and for bodies that are too long.
  PeriodicObstacles(PlacedObstacles placed, PeriodicBox box);

  const PlacedObstacles &as_placed() const { return placed; } ///< in the box or not
  int                    size() const { return placed.size(); }

  bool repeats_bodies() const; ///< Whether there are images to look for.

  /// From a sphere to its image that meets the obstacle where that is placed (length d).
  Vector displacement(int obstacle, Image image) const;

  /// Gap and direction for the image of the sphere at x, as PlacedObstacles has them.
  Approach approach(int obstacle, Image image, const double *x, double R) const;

  /// The image after so many periods were taken from the sphere's position, as seen from `next`.
  Image image_after(const PeriodicObstacles &next, int obstacle, Image image, const std::array<int, 3> &taken) const;

  /// Calls visit(obstacle, image) for all that could be nearer than `reach` to a sphere at x: conservative and cheap.
  template <class Visit>
  void visit_near(const double *x, const double R, const double reach, const Visit &visit) const
  {
    if (!box.any())
      return placed.visit_near(x, R, reach, [&](const int k) { visit(k, Image(0)); });
    for (int k = 0; k < size(); ++k)
      visit_images(k, x, R, reach, [&](const Image image) { visit(k, image); });
  }

  /// The same of one obstacle: visit(image).
  template <class Visit>
  void visit_images(const int obstacle, const double *x, const double R, const double reach, const Visit &visit) const
  {
    const Range images = near(obstacle, x, R + reach);
    for (int n2 = images.first[2]; n2 <= images.last[2]; ++n2)
      for (int n1 = images.first[1]; n1 <= images.last[1]; ++n1)
        for (int n0 = images.first[0]; n0 <= images.last[0]; ++n0)
          visit(image_of({n0, n1, n2}));
  }

private:
  using Shift = std::array<int, 3>;

  struct Range
  {
    Shift first = {0, 0, 0}, last = {0, 0, 0}; ///< none where an entry of `last` is less
  };

  /// Of an obstacle; 0 in directions in which it is not repeated.
  struct Repetition
  {
    std::array<double, 3> period = {0., 0., 0.};
    std::array<double, 3> laps   = {0., 0., 0.}; ///< whole periods from where it is seen to where it is placed
  };

  static Image image_of(const Shift &shift);
  static Shift shift_of(Image image);

  Range                  near(int obstacle, const double *x, double distance) const;
  const PlacedObstacles &seen() const { return moved ? *moved : placed; }

  PlacedObstacles                placed;
  std::optional<PlacedObstacles> moved; ///< into the box, where some are not in it
  PeriodicBox                    box;
  std::vector<Repetition>        repetitions; ///< empty where the box is not periodic
};
} // namespace moreau::micro

#endif
