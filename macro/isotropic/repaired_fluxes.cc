// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/box_certificate.h"
#include "macro/obstacle/multigrid.h"
#include "macro/obstacle/poisson.h"
#include "geometry/box_rows.h"
#include "geometry/periodic_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
using convex::epsilon;

/// Calls f(cell, div v + mean) for all own saturated cells.
template <class F>
void for_divergences(const BoxZone &zone, const FaceArrays &v, const double mean, F &&f)
{
  Vector d(zone.grid.own(0));
  for (Index r = 0; r < n_own_rows(zone.grid); ++r)
    {
      const Row row = own_row(zone.grid, r);
      divergence(v, row, d.data());
      for (CellIndex cell = row.begin; cell[0] < row.end; ++cell[0])
        if (zone(cell))
          f(cell, d(cell[0] - row.begin[0]) + mean);
    }
}

/// Largest (-div v - mean)⁺ of all processes (1/s); infinite where it is no number.
double largest_compression(const BoxZone &zone, const FaceArrays &v, const double mean)
{
  double largest = 0.;
  for_divergences(zone, v, mean, [&](const CellIndex &, const double d) {
    if (!(d >= -largest))
      largest = std::isnan(d) ? std::numeric_limits<double>::infinity() : -d;
  });
  return zone.grid.processes.max(largest);
}

/// Largest |v·n| / h on faces: what rounding errors of a divergence are relative to (1/s).
double size_of_divergence(const BoxZone &zone, const FaceArrays &v)
{
  double largest = 0.;
  for (int axis = 0; axis < zone.grid.dim; ++axis)
    largest = std::max(largest, v.values[axis].cwiseAbs().maxCoeff() / zone.grid.h(axis));
  return zone.grid.processes.max(largest);
}

/// v += t w on all faces.
void add(FaceArrays &v, const double t, const FaceArrays &w)
{
  for (int axis = 0; axis < v.box_grid().dim; ++axis)
    v.values[axis] += t * w.values[axis];
}

/// v - ∇φ, -Δφ = -d where d = div v + mean <= closed, solved to a tolerance, and 0 elsewhere; where nothing flows out of a
/// box that repeats itself the same part of d is taken there, so that all that is sought adds up to 0.
FaceArrays with_potential_flow(const BoxZone &zone, const double closed, const double tolerance, FaceArrays v,
                               const double mean)
{
  CellArray f(zone.grid);
  double    missing = 0., room = 0.;
  for_divergences(zone, v, mean, [&](const CellIndex &cell, const double d) {
    f(cell) = d <= closed ? -d : 0.;
    (d <= closed ? missing : room) += std::abs(d);
  });
  if (is_closed(zone) && geometry::any(zone.periodic))
    {
      missing           = zone.grid.processes.sum(missing);
      room              = zone.grid.processes.sum(room);
      const double part = room > 0. ? std::min(1., missing / room) : 0.;
      for_divergences(zone, v, mean, [&](const CellIndex &cell, const double d) {
        if (d > closed)
          f(cell) = -part * d;
      });
    }
  add(v, 1., solve_poisson(zone, f, tolerance).minus_gradient);
  return v;
}

/// w with div w = 1 (about 1 where only a potential does it) and w·n <= 0 on walls: along the axes without opposite walls
/// that do not repeat themselves, (x - c) divided by their number, c in the wall or in the middle.
FaceArrays expansion(const BoxZone &zone)
{
  const BoxGrid &grid   = zone.grid;
  int            n_axes = 0;
  for (int axis = 0; axis < grid.dim; ++axis)
    n_axes += is_open(zone, axis);
  if (n_axes == 0)
    return solve_poisson(zone, CellArray(grid, 1.), 1e-6).minus_gradient;
  FaceArrays w(grid);
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      const bool lower = zone.walls[2 * axis], upper = zone.walls[2 * axis + 1];
      if (!is_open(zone, axis))
        continue;
      const double origin = lower ? 0. : upper ? static_cast<double>(grid.n[axis]) : .5 * static_cast<double>(grid.n[axis]);
      const auto   value  = [&](const CellIndex &face) {
        return (static_cast<double>(face[axis]) - origin) * grid.h(axis) / n_axes;
      };
      for_own_cells(grid, [&](const CellIndex &cell) {
        w(axis, cell)                 = value(cell);
        w(axis, moved(cell, axis, 1)) = value(moved(cell, axis, 1));
      });
    }
  return w;
}
} // namespace

FaceArrays repaired_fluxes(const BoxZone &zone, const FaceArrays &v, bool &feasible, const double tolerable,
                           const double mean_divergence)
{
  FaceArrays result = v;
  if (zone.grid.dim == 1 && is_closed(zone) && zone.periodic[0] && mean_divergence == 0.)
    {
      // what does not fall around a full ring is uniform
      const Vector &faces = v.values[0];
      result.values[0].setConstant(faces.head(faces.size() - 1).mean());
      feasible = std::isfinite(result.values[0](0));
      return result;
    }
  for_wall_faces(zone, [&](const int axis, const CellIndex &face, const double sign) {
    result(axis, face) = sign * std::min(sign * v(axis, face), 0.);
  });
  const double size      = size_of_divergence(zone, result);
  double       violation = largest_compression(zone, result, mean_divergence);
  // what an expansion of this relative size costs is below every bound of interest
  const double negligible = std::max(tolerable, 4. * epsilon * size);
  if (violation > negligible && std::isfinite(violation))
    {
      // a pressure that is rounded leaves divergences of both signs where they should be 0, and p makes both dear
      const double     n         = static_cast<double>(*std::max_element(zone.grid.n.begin(), zone.grid.n.end()));
      const double     rounded   = 4. * n * epsilon * size;
      const double     tolerance = std::clamp((violation <= rounded ? .1 : 1.) * negligible / violation, 1e-10, 1e-2);
      const FaceArrays candidate = with_potential_flow(zone, rounded, tolerance, result, mean_divergence);
      // where part of the zone is closed in, no φ exists, and what comes of trying may be worse
      if (const double left = largest_compression(zone, candidate, mean_divergence); left < violation)
        {
          result    = candidate;
          violation = left;
        }
    }
  if (violation > 0. && std::isfinite(violation) && is_closed(zone) && mean_divergence > 0.)
    // D x itself is admissible, by a margin: towards it
    for (double rounding = epsilon * size; violation > 0. && rounding < 1e3 * epsilon * size; rounding *= 4.)
      {
        const double kept = 1. - std::min(1., (violation + rounding) / (violation + mean_divergence));
        for (int axis = 0; axis < zone.grid.dim; ++axis)
          result.values[axis] *= kept;
        violation = largest_compression(zone, result, mean_divergence);
      }
  else if (violation > 0. && std::isfinite(violation))
    {
      const FaceArrays w = expansion(zone);
      // rounding errors of the sum may need a second, larger step
      for (double rounding = epsilon * size; violation > 0. && rounding < 1e3 * epsilon * size; rounding *= 4.)
        {
          add(result, violation + rounding, w);
          violation = largest_compression(zone, result, mean_divergence);
        }
    }
  feasible = violation <= 16. * epsilon * size;
  return result;
}
} // namespace moreau::macro
