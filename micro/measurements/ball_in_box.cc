// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/measurements/ball_in_box.h"

#include "geometry/quadrature.h"

#include <algorithm>
#include <cmath>

namespace moreau::micro
{
namespace
{
/// Part of [-R, R] in [x0, x1].
double interval_part(const double R, const double x0, const double x1)
{
  return std::max(0., std::min(R, x1) - std::max(-R, x0));
}

/// Area of the part X <= x of the disc of radius R about the origin, |x| <= R.
double segment_of_disc(const double R, const double x)
{
  const double y =
      std::sqrt(std::max(0., (R - x) * (R + x))); // both terms from one y: where x is near R their errors cancel
  return x * y + R * R * (std::atan2(x, y) + M_PI / 2.);
}

/// The same of the part X <= x, Y <= y.
double quadrant_of_disc(const double R, double x, double y)
{
  x              = std::clamp(x, -R, R);
  y              = std::clamp(y, -R, R);
  const double F = segment_of_disc(R, x), G = segment_of_disc(R, y), area = M_PI * R * R;
  if (x * x + y * y < R * R)
    return .5 * (F + G) - .25 * area + x * y;
  if (x >= 0. && y >= 0.)
    return F + G - area;
  return x < 0. && y < 0. ? 0. : x < 0. ? F : G;
}

/// The disc in [x0, x1] x [y0, y1].
double disc_part(const double R, const Vector &low, const Vector &high)
{
  if (!(R > 0.))
    return 0.;
  return quadrant_of_disc(R, high(0), high(1)) - quadrant_of_disc(R, low(0), high(1)) -
         quadrant_of_disc(R, high(0), low(1)) + quadrant_of_disc(R, low(0), low(1));
}

/// ∫ of the discs z = R sin θ, piecewise between the θ at which a disc reaches a side or a corner. There it is like |θ -
/// θ_k|^(3/2), which θ = a + (b - a) s²(3 - 2s) makes smooth.
double ball_part(const double R, const Vector &low, const Vector &high)
{
  const auto          angle = [&](const double z) { return std::asin(std::clamp(z / R, -1., 1.)); };
  const double        first = angle(low(2)), last = angle(high(2));
  std::vector<double> breaks = {first, last};
  const auto          add    = [&](const double reach) {
    if (reach < R)
      for (const double theta : {std::acos(reach / R), -std::acos(reach / R)})
        if (first < theta && theta < last)
          breaks.push_back(theta);
  };
  for (const double x : {low(0), high(0)})
    {
      add(std::abs(x));
      for (const double y : {low(1), high(1)})
        add(std::hypot(x, y));
    }
  for (const double y : {low(1), high(1)})
    add(std::abs(y));
  std::sort(breaks.begin(), breaks.end());

  double volume = 0.;
  for (std::size_t k = 0; k + 1 < breaks.size(); ++k)
    if (const double length = breaks[k + 1] - breaks[k]; length > 0.)
      {
        const auto slice = [&](const double s) -> Vector {
          const double theta = breaks[k] + length * s * s * (3. - 2. * s), c = R * std::cos(theta);
          return Vector::Constant(1, disc_part(c, low, high) * c * length * 6. * s * (1. - s));
        };
        volume += geometry::mean_over(0., 1., slice, 24)(0);
      }
  return volume;
}
} // namespace

double ball_in_box(const Vector &centre, const double R, const Vector &lower, const Vector &upper)
{
  const Vector low = lower - centre, high = upper - centre;
  if ((low.array() >= R).any() || (high.array() <= -R).any())
    return 0.;
  if ((low.array() <= -R).all() && (high.array() >= R).all())
    return volume_of_ball(R, centre.size());
  if (centre.size() == 1)
    return interval_part(R, low(0), high(0));
  return centre.size() == 2 ? disc_part(R, low, high) : ball_part(R, low, high);
}
} // namespace moreau::micro
