// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/velocity_flux.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
void VelocityFlux::correct(const FlowGrid &grid, const FaceCells &G, const FaceCells &U, const FaceCells &before,
                           const FaceCells &after, const double h, FaceCells &momentum)
{
  const int dim = grid.dim();
  for (CellArray *const array : {&low, &kept, &room_above, &room_below, &usable})
    grid.suit(*array);
  for (int axis = 0; axis < dim; ++axis)
    grid.suit(A[axis]);
  for (int axis = 0; axis < dim; ++axis)
    {
      const double *d = before[axis].values.data(), *e = after[axis].values.data(), *open = grid.open(axis).data();
      double       *m      = momentum[axis].values.data();
      const Vector &corner = grid.at_corners(axis);
      for (CellArray *const array : {&low, &kept, &usable})
        array->values.setZero(); // ghosts beyond the box among them
      grid.for_face_rows(axis, [&](const Index row, const CellIndex &first, const Index n) {
        for (Index c = row; c < row + n; ++c)
          {
            // half dual cells at the sides of the box stay first order, and those at corners of solids
            const Index at     = axis == 0 ? first[0] + (c - row) : first[axis];
            const bool  inside = grid.periodic()[axis] || (at > 0 && at < grid.box().n[axis]);
            if (!inside || open[c] == 0. || (corner.size() > 0 && corner(c) > 0.) || !(d[c] > empty_density) ||
                !(e[c] > empty_density))
              continue;
            usable.values(c) = 1.;
            low.values(c)    = m[c] / e[c];
            double left      = d[c];
            for (int b = 0; b < dim; ++b)
              {
                const DualFlux mass(grid, axis, b, G[b]);
                left -= h / grid.box().h(b) * (std::max(-mass(c), 0.) + std::max(mass(c + grid.stride(b)), 0.));
              }
            kept.values(c) = std::max(left, 0.);
          }
      });
      for (CellArray *const array : {&low, &kept, &usable})
        grid.exchange(*array);
      set_fluxes(grid, axis, G, U[axis].values, after[axis].values, h);
      limit(grid, axis, U[axis].values, after[axis].values);
      grid.for_face_rows(axis, [&](const Index row, const CellIndex &, const Index n) {
        for (int b = 0; b < dim; ++b)
          {
            const Index   t = grid.stride(b);
            const double *a = A[b].values.data();
            for (Index c = row; c < row + n; ++c)
              if (usable.values(c) > 0.)
                m[c] += a[c] - a[c + t];
          }
      });
    }
}

/// A of largest α that the energy allows.
void VelocityFlux::set_fluxes(const FlowGrid &grid, const int axis, const FaceCells &G, const Vector &U, const Vector &after,
                              const double h)
{
  const double *u = U.data(), *e = after.data(), *ok = usable.values.data(), *v = low.values.data(), *k = kept.values.data();
  for (int b = 0; b < grid.dim(); ++b)
    {
      const Index    t     = grid.stride(b);
      const double   ratio = h / grid.box().h(b), faces = grid.dim();
      const DualFlux mass(grid, axis, b, G[b]);
      double        *a = A[b].values.data();
      A[b].values.setZero();
      grid.for_face_rows(axis, [&](const Index row, const CellIndex &, const Index n) {
        for (Index c = row; c < row + n; ++c)
          {
            const double F = mass(c), moved = ratio * std::abs(F);
            if (!(ok[c] > 0. && ok[c - t] > 0.) || moved == 0.)
              continue;
            const Index  from = F > 0. ? c - t : c, to = F > 0. ? c : c - t;
            const double jump = u[to] - u[from], whole = moved * jump; // into `to`
            // energy: α whole (v_to - v_from) + α² whole² faces (1/ρ_to + 1/ρ_from) <= ½ kept moved jump² / ρ_to
            const double linear = whole * (v[to] - v[from]), square = whole * whole * faces * (1. / e[to] + 1. / e[from]);
            const double budget = .5 * k[to] * moved * jump * jump / e[to];
            const double root   = std::sqrt(linear * linear + 4. * square * budget);
            if (!(square > 0.))
              continue;
            const double alpha = std::min(1., linear > 0. ? 2. * budget / (linear + root) : (root - linear) / (2. * square));
            if (alpha > 0.)
              a[c] = alpha * (F > 0. ? whole : -whole);
          }
      });
      grid.exchange(A[b]);
    }
}

void VelocityFlux::limit(const FlowGrid &grid, const int axis, const Vector &U, const Vector &after)
{
  const int     dim = grid.dim();
  const double *u = U.data(), *ok = usable.values.data(), *v = low.values.data();
  grid.for_face_rows(axis, [&](const Index row, const CellIndex &, const Index n) {
    for (Index c = row; c < row + n; ++c)
      {
        room_above.values(c) = room_below.values(c) = 0.;
        if (!(ok[c] > 0.))
          continue;
        double least = std::min(u[c], v[c]), most = std::max(u[c], v[c]), in = 0., out = 0.;
        for (int b = 0; b < dim; ++b)
          {
            const Index   t = grid.stride(b);
            const double *a = A[b].values.data();
            for (const Index neighbour : {c - t, c + t})
              if (ok[neighbour] > 0.)
                {
                  least = std::min(least, u[neighbour]);
                  most  = std::max(most, u[neighbour]);
                }
            in += std::max(a[c], 0.) + std::max(-a[c + t], 0.);
            out += std::max(-a[c], 0.) + std::max(a[c + t], 0.);
          }
        room_above.values(c) = in > 0. ? std::min(1., after(c) * (most - v[c]) / in) : 1.;
        room_below.values(c) = out > 0. ? std::min(1., after(c) * (v[c] - least) / out) : 1.;
      }
  });
  grid.exchange(room_above);
  grid.exchange(room_below);
  for (int b = 0; b < dim; ++b)
    {
      const Index   t     = grid.stride(b);
      const double *above = room_above.values.data(), *below = room_below.values.data();
      double       *a = A[b].values.data();
      grid.for_face_rows(axis, [&](const Index row, const CellIndex &, const Index n) {
        for (Index c = row; c < row + n; ++c)
          a[c] *= a[c] > 0. ? std::min(above[c], below[c - t]) : std::min(above[c - t], below[c]);
      });
      grid.exchange(A[b]);
    }
}
} // namespace moreau::macro
