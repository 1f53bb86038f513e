// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/mass_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
constexpr double tiny_density = 2e-12; ///< rounding errors of a congestion problem stay below

FaceArrays open_faces(const FlowGrid &grid)
{
  FaceCells open;
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      open[axis]        = grid.array();
      open[axis].values = grid.open(axis);
    }
  return face_arrays(grid, open);
}
} // namespace

MassStep::MassStep(const FlowGrid &grid, const FlowSetting &setting)
    : grid(grid)
    , setting(setting)
    , mass_flux(setting.flux)
    , congestion(grid.box(), grid.periodic(), open_faces(grid))
    , pi(grid.array())
    , f(grid.array())
{
  G = grid.faces();
}

convex::Effort MassStep::advance(const CellArray &rho, const FaceCells &U, const AllSides &inflow, const double h,
                                 const double speed_scale, FaceCells &flux, CellArray &after)
{
  effort = {};
  mass_flux.predict(grid, rho, U, inflow, h, G);
  draw(rho, U);
  for (int axis = 0; axis < grid.dim(); ++axis)
    grid.exchange(G[axis]);
  do // every time fewer faces are drawn
    solve(rho, h, speed_scale, flux, after);
  while (undraw(rho, flux, h));
  fill_holes(rho, h, flux, after);
  return effort;
}

convex::Effort MassStep::congest(const CellArray &rho, const double h, const double speed_scale, FaceCells &flux,
                                 CellArray &after)
{
  effort = {};
  solve(rho, h, speed_scale, flux, after);
  return effort;
}

/// A full cell pressed from behind by a less full one feels its momentum, though the upwind density would let it fall freely
/// through the gap between them: there the flux is that of the mean density. Where that would leave the cell behind with
/// less than nothing it is taken back.
void MassStep::draw(const CellArray &rho, const FaceCells &U)
{
  drawn.clear();
  const Vector   &r = rho.values, &most = setting.rho_max.values;
  const CellArray full = full_cells(grid, rho, setting.rho_max);
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index s = grid.stride(axis);
      grid.for_faces(axis, [&](const Index c) {
        const double u    = U[axis].values(c);
        const Index  into = u > 0. ? c : c - s, donor = u > 0. ? c - s : c;
        const double whole = .5 * (r(c) + r(c - s)) * u;
        if (full.values(into) > 0. && !(full.values(donor) > 0.) && most(donor) > 0. && grid.open(axis)(c) > 0. &&
            std::abs(whole) > std::abs(G[axis].values(c)))
          {
            drawn.push_back({axis, c, donor, G[axis].values(c)});
            G[axis].values(c) = whole;
          }
      });
    }
}

/// Takes the draw back from cells that would give more than they have; whether there were any.
bool MassStep::undraw(const CellArray &rho, const FaceCells &flux, const double h)
{
  double     n_back = 0.;
  const auto keeps  = [&](const DrawnFace &face) {
    if (left_in(rho, flux, face.donor, h) >= -tiny_density)
      return true;
    G[face.axis].values(face.face) = face.flux;
    ++n_back;
    return false;
  };
  drawn.erase(std::stable_partition(drawn.begin(), drawn.end(), keeps), drawn.end());
  if (grid.sum(n_back) == 0.)
    return false;
  for (int axis = 0; axis < grid.dim(); ++axis)
    grid.exchange(G[axis]);
  return true;
}

/// What a cell has left when all that leaves it in the step has gone, before anything comes in.
double MassStep::left_in(const CellArray &rho, const FaceCells &flux, const Index cell, const double h) const
{
  double left = rho.values(cell);
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Vector &g = flux[axis].values, &weight = grid.outflow_weight(axis);
      const Index   s = grid.stride(axis);
      left -=
          h / grid.box().h(axis) * (weight(cell) * std::max(-g(cell), 0.) + weight(cell + s) * std::max(g(cell + s), 0.));
    }
  return left;
}

/// ρ - h div(flux); ghosts up to date.
void MassStep::divergence_step(const CellArray &rho, const FaceCells &mass, const double h, CellArray &result) const
{
  negative_divergence(grid, mass, result);
  grid.for_cells([&](const Index c) { result.values(c) = rho.values(c) + h * result.values(c); });
  grid.exchange(result);
}

double MassStep::speed_of_flux() const
{
  double most = 0.;
  for (int axis = 0; axis < grid.dim(); ++axis)
    grid.for_faces(axis, [&](const Index c) { most = std::max(most, std::abs(G[axis].values(c))); });
  return grid.largest(most);
}

void MassStep::solve(const CellArray &rho, const double h, const double speed_scale, FaceCells &flux, CellArray &after)
{
  constexpr double round_off = 5e-13; // of the density
  const double     cell      = grid.box().h.minCoeff();
  divergence_step(rho, G, h, after);
  grid.for_cells([&](const Index c) { f.values(c) = (after.values(c) - setting.rho_max.values(c)) / h; });
  // what the tolerance leaves of the fastest flux is at least a rounding error of the largest speed
  const double fastest =
      std::max(speed_of_flux(), convex::epsilon / std::max(setting.criterion.tolerance, convex::epsilon) * speed_scale);
  const double scale  = std::max(fastest / cell, std::numeric_limits<double>::min());
  const bool   cold   = grid.largest(pi.values.maxCoeff()) <= 0.;
  const auto progress = congestion.solve(f, pi, std::min(setting.criterion.tolerance * scale, round_off / h), round_off / h,
                                         setting.criterion.max_iterations, cold);
  ++effort.n_projections;
  effort.n_iterations += progress.effort.n_iterations;
  effort.natural_residual = progress.residual / scale;
  effort.status           = progress.effort.status;
  for (int axis = 0; axis < grid.dim(); ++axis)
    flux[axis].values = G[axis].values;
  subtract_gradient(grid, pi, grid.open(), flux); // G = G* - ∇π
  for (int axis = 0; axis < grid.dim(); ++axis)
    grid.exchange(flux[axis]);
  divergence_step(rho, flux, h, after);
}

/// Rounding may let a drawn cell give slightly more than it has, step after step: it keeps that much.
void MassStep::fill_holes(const CellArray &rho, const double h, FaceCells &flux, CellArray &after)
{
  double n_filled = 0.;
  for (const DrawnFace &face : drawn)
    if (const double hole = -left_in(rho, flux, face.donor, h); hole > 0.)
      {
        const bool from_below = face.donor != face.face;
        flux[face.axis].values(face.face) -= (from_below ? 1. : -1.) * hole * grid.box().h(face.axis) / h;
        ++n_filled;
      }
  if (grid.sum(n_filled) == 0.)
    return;
  for (int axis = 0; axis < grid.dim(); ++axis)
    grid.exchange(flux[axis]);
  divergence_step(rho, flux, h, after);
}
} // namespace moreau::macro
