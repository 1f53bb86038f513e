// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/packings.h"

#include "convex/input_error.h"
#include "convex/number_text.h"

#include <cmath>
#include <stdexcept>

namespace moreau::micro
{
void PackingParameters::validate() const
{
  const Index dim = lower.size();
  if (dim < 1 || dim > 3 || upper.size() != dim || static_cast<Index>(periodic.size()) != dim)
    throw std::invalid_argument("random_packing: lower, upper and periodic have the length 1, 2 or 3.");
  if (!lower.allFinite() || !upper.allFinite() || !(lower.array() < upper.array()).all())
    throw InputError("the upper corner", "The upper corner must be above the lower corner in every coordinate.");
  if (!(0. <= spread && spread < 1.))
    throw InputError("the spread of radii", short_number(spread) + " lies outside [0, 1); 0 makes all radii equal.");
  if (!(0. <= coverage && coverage < 1.))
    throw InputError("the coverage",
                     short_number(coverage) + " lies outside [0, 1); give a fraction, or 0 for a jammed packing.");
  if (!(0. <= overlap && overlap <= .1))
    throw InputError("the overlap", short_number(overlap) +
                                        " lies outside [0, 0.1]; give a small part of the radii, or 0 for hard spheres.");
  if (overlap > 0. && (coverage > 0. || compression || (n > 0 && radius > 0.)))
    throw InputError("the overlap",
                     "Soft spheres grow until they are jammed and by the overlap beyond; leave out the coverage, "
                     "one of number and radius, and the method 'compression'.");
  if (overlap > 0. && !obstacles.empty())
    throw InputError("the overlap",
                     "Soft spheres are packed between the sides of the box; leave out the obstacles, or the overlap.");
  if (overlap > 0. && dim == 1)
    throw InputError("the overlap", "On a line nothing is left to chance; take two or three dimensions, or leave it out.");
  if (!(radius >= 0. && std::isfinite(radius)))
    throw InputError("the size of the spheres",
                     "A radius of " + short_number(radius) + " m cannot be reached; give a positive finite number.");
  if (n < 0 || (n == 0 && radius == 0.))
    throw InputError("the number of spheres", "A packing needs the number of its spheres or their radius; give one.");
  if (n > 0 && radius > 0. && coverage > 0.)
    throw InputError("the coverage",
                     "Number and radius of the spheres already say how much they cover; leave one of the three out.");
  if (!(tolerance > 0.))
    throw std::invalid_argument("random_packing: the tolerance must be positive.");
}

Index PackingParameters::number() const
{
  if (n > 0)
    return n;
  const Index      dim         = lower.size();
  constexpr double jammed[]    = {1., .84, .64};
  const double     covered     = coverage > 0. ? coverage : jammed[dim - 1];
  const double     of_spread[] = {1., 1. + spread * spread / 3., 1. + spread * spread};
  const double     mean_volume = volume_of_ball(radius, dim) * of_spread[dim - 1];
  const double     n_fitting   = std::round(covered * (upper - lower).prod() / mean_volume);
  if (!(n_fitting >= 1. && n_fitting < 1e8))
    throw InputError("the size of the spheres", "The zone holds " + short_number(n_fitting) + " spheres of radius " +
                                                    short_number(radius) +
                                                    " m; give a radius for which it is between 1 and 1e8.");
  return static_cast<Index>(n_fitting);
}

void PackingParameters::throw_unreachable(const double reached, const std::string &end) const
{
  if (coverage > 0.)
    throw InputError("the coverage", short_number(coverage) + " cannot be reached, since the packing " + end + " at " +
                                         short_number(reached) + "; give less than that, or 0.");
  throw InputError("the size of the spheres", "The radius " + short_number(radius) + " m cannot be reached by " +
                                                  std::to_string(n) + " spheres, since the packing " + end +
                                                  " at the coverage " + short_number(reached) +
                                                  "; give a smaller radius or fewer spheres.");
}
} // namespace moreau::micro
