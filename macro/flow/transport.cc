// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/transport.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
CellArray full_cells(const FlowGrid &grid, const CellArray &rho, const CellArray &rho_max, const double gap)
{
  const Vector &r = rho.values, &most = rho_max.values;
  CellArray     full = grid.array();
  grid.for_cells([&](const Index c) { full.values(c) = most(c) > 0. && r(c) >= (1. - gap) * most(c); });
  grid.exchange(full);
  return full;
}

void dual_densities(const FlowGrid &grid, const CellArray &rho, FaceCells &rho_D)
{
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const DualFlux mean = DualFlux::mean(grid, axis, rho);
      double        *d    = rho_D[axis].values.data();
      grid.for_faces(axis, [&](const Index c) { d[c] = mean(c); });
      grid.exchange(rho_D[axis]);
    }
}

void face_velocities(const FlowGrid &grid, const FaceCells &momentum, const FaceCells &rho_D, FaceCells &U)
{
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const double *m = momentum[axis].values.data(), *d = rho_D[axis].values.data();
      double       *u = U[axis].values.data();
      grid.for_face_rows(axis, [&](const Index row, const CellIndex &, const Index n) {
        for (Index c = row; c < row + n; ++c)
          u[c] = d[c] > empty_density ? m[c] / d[c] : 0.;
      });
      grid.exchange(U[axis]);
    }
}

double half_work(const FlowGrid &grid, const FaceCells &pushed, const FaceCells &mass, const FaceCells &velocity,
                 const FaceCells &driven)
{
  double work = 0.;
  for (int axis = 0; axis < grid.dim(); ++axis)
    grid.for_faces(axis, [&](const Index c) {
      const double given = pushed[axis].values(c);
      if (given != 0.)
        work += .5 * given * (mass[axis].values(c) > empty_density ? velocity : driven)[axis].values(c);
    });
  return work;
}

void MassFlux::predict(const FlowGrid &grid, const CellArray &rho, const FaceCells &U, const AllSides &inflow,
                       const double h, FaceCells &G)
{
  for (CellArray *const array : {&room_above, &room_below})
    grid.suit(*array);
  for (int axis = 0; axis < grid.dim(); ++axis)
    grid.suit(A[axis]);
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index   stride = grid.stride(axis);
      const double *r = rho.values.data(), *u = U[axis].values.data(), *open = grid.open(axis).data();
      double       *g = G[axis].values.data(), *a = A[axis].values.data();
      grid.for_face_rows(axis, [&](const Index row, const CellIndex &, const Index n) {
        for (Index c = row; c < row + n; ++c)
          {
            const double below = std::max(r[c - stride], 0.), above = std::max(r[c], 0.), v = open[c] * u[c]; // rounding
            g[c] = v * (v > 0. ? below : above);
            a[c] = std::abs(v) * (above - below); // downwind minus upwind
          }
      });
      for (const int side : {2 * axis, 2 * axis + 1})
        {
          std::size_t k = 0;
          if (grid.side(side) != Boundary::periodic)
            grid.for_side(side, [&](const Index face, Index, const CellIndex &) {
              a[face] = 0.;
              if (grid.side(side) != Boundary::inflow)
                return;
              const double v = inflow[side].u[axis][k], inwards = side % 2 ? -v : v;
              if (inwards > 0.)
                g[face] = inflow[side].rho[k] * v;
              ++k;
            });
        }
    }
  if (kind == DensityFlux::anti_diffusive)
    limit(grid, rho, h, G);
}

void MassFlux::limit(const FlowGrid &grid, const CellArray &rho, const double h, FaceCells &G)
{
  const int     dim = grid.dim();
  const double *r   = rho.values.data();
  for (int axis = 0; axis < dim; ++axis)
    {
      grid.exchange(A[axis]);
      grid.exchange(G[axis]);
    }
  std::array<double, 3>         ratio  = {0., 0., 0.};
  std::array<Index, 3>          stride = {0, 0, 0};
  std::array<const double *, 3> a = {}, g = {}, w = {};
  for (int axis = 0; axis < dim; ++axis)
    {
      ratio[axis]  = h / grid.box().h(axis);
      stride[axis] = grid.stride(axis);
      a[axis]      = A[axis].values.data();
      g[axis]      = G[axis].values.data();
      w[axis]      = grid.outflow_weight(axis).data();
    }
  grid.for_cell_rows([&](const Index row, const CellIndex &, const Index n) {
    for (Index c = row; c < row + n; ++c)
      {
        double after = r[c], kept = r[c], least = r[c], most = r[c], in = 0., out = 0., more = 0.;
        for (int axis = 0; axis < dim; ++axis)
          {
            const Index s = stride[axis];
            after -= ratio[axis] * (g[axis][c + s] - g[axis][c]);
            least = std::min({least, r[c - s], r[c + s]});
            most  = std::max({most, r[c - s], r[c + s]});
            in += ratio[axis] * (std::max(a[axis][c], 0.) + std::max(-a[axis][c + s], 0.));
            out += ratio[axis] * (std::max(-a[axis][c], 0.) + std::max(a[axis][c + s], 0.));
            kept -= ratio[axis] * (w[axis][c] * std::max(-g[axis][c], 0.) + w[axis][c + s] * std::max(g[axis][c + s], 0.));
            more += ratio[axis] * ((g[axis][c] <= 0. ? std::max(-a[axis][c], 0.) : 0.) +
                                   (g[axis][c + s] >= 0. ? std::max(a[axis][c + s], 0.) : 0.));
          }
        room_above.values(c) = in > 0. ? std::min(1., std::max(0., most - after) / in) : 1.;
        room_below.values(c) = out > 0. ? std::min(1., std::max(0., after - least) / out) : 1.;
        // what comes in during the step cannot leave in it: else dual cells would give more momentum than they have
        if (more > 0. && more > kept)
          room_below.values(c) = std::min(room_below.values(c), std::max(0., kept) / more);
      }
  });
  grid.exchange(room_above);
  grid.exchange(room_below);
  const double *above = room_above.values.data(), *below = room_below.values.data();
  for (int axis = 0; axis < dim; ++axis)
    {
      const Index s   = stride[axis];
      double     *out = G[axis].values.data();
      grid.for_face_rows(axis, [&](const Index row, const CellIndex &, const Index n) {
        for (Index c = row; c < row + n; ++c)
          {
            const double value = a[axis][c];
            if (value != 0.) // faces at the sides among them: rooms of ghosts are not known
              out[c] += value * (value > 0. ? std::min(above[c], below[c - s]) : std::min(above[c - s], below[c]));
          }
      });
    }
}

namespace
{
/// Momentum along `axis` through the boundary of the dual cells in the direction of `axis` itself, at the centres of cells.
void transport_along(const FlowGrid &grid, const int axis, const CellArray &G, const double *const u, const double ratio,
                     double *const m)
{
  const Index    s = grid.stride(axis);
  const DualFlux mass(grid, axis, axis, G);
  // each face takes the flux at the centre of its lower cell and gives that at the centre of its upper one
  const auto flux = [&](const Index c) {
    const double F = mass(c + s);
    return F * (F > 0. ? u[c] : u[c + s]);
  };
  grid.for_face_rows(axis, [&](const Index row, const CellIndex &first, const Index n) {
    for (Index c = row; c < row + n; ++c)
      {
        const Index at    = axis == 0 ? first[0] + (c - row) : first[axis];
        const bool  begin = !grid.periodic()[axis] && at == 0, end = !grid.periodic()[axis] && at == grid.box().n[axis];
        m[c] += ratio * ((begin ? 0. : flux(c - s)) - (end ? 0. : flux(c)));
      }
  });
}

/// Momentum along an axis that mass fluxes in the direction of another axis b carry from dual cell to dual cell.
class AcrossFlux
{
public:
  AcrossFlux(const FlowGrid &grid, const int axis, const int b, const CellArray &flux, const double *const velocity)
      : s(grid.stride(axis))
      , t(grid.stride(b))
      , mass(grid, axis, b, flux)
      , open(grid.open(axis).data())
      , G(flux.values.data())
      , u(velocity)
      , n(grid.size())
  {}

  /// Through the edge at a position, where both dual cells hold the shares of their cells that the one of face c does.
  double through(const Index edge, const Index c) const
  {
    const double F = mass.through(edge, c);
    return F * (F > 0. ? u[edge - t] : u[edge]);
  }

  /// What the dual cell of face c gets through the edge at a position beside it (c itself, or the next one) where shares
  /// differ: half a cell at a time, from the dual cell that holds it, and into that which holds the half behind.
  double into(const Index c, const Index edge) const
  {
    const Index  lower = c - s, other = c == edge ? c - t : edge;
    const bool   ends = c + s >= n || open[c + s] == 0.; // the cell above, at its other face
    const double in   = c == edge ? 1. : -1.;
    double       sum  = 0.;
    const auto   add  = [&](const bool is_mine, const double g, const auto &owner, const Index cell_of_other) {
      if (!is_mine || g == 0.)
        return;
      const bool comes = in * g > 0.;
      sum += .5 * in * g * u[comes ? owner(cell_of_other) : c];
    };
    const auto left  = [this](const Index cell) { return owner_of_left(cell); };
    const auto right = [this](const Index cell) { return owner_of_right(cell); };
    add(open[c] > 0. && open[lower] == 0., G[edge - s], left, other - s);
    add(open[c] > 0. || open[lower] == 0., G[edge - s], right, other - s);
    add(open[c] > 0. || ends, G[edge], left, other);
    add(open[c] > 0. && ends, G[edge], right, other);
    return sum;
  }

private:
  /// The face whose dual cell holds the half of a cell beside its lower face, and beside its upper one; where both are
  /// closed, the closed face beside it, which takes the momentum.
  Index owner_of_left(const Index cell) const { return open[cell] == 0. && open[cell + s] > 0. ? cell + s : cell; }
  Index owner_of_right(const Index cell) const { return open[cell + s] == 0. && open[cell] > 0. ? cell : cell + s; }

  Index         s, t;
  DualFlux      mass;
  const double *open, *G, *u;
  Index         n;
};

/// Through the boundary in the direction of another axis b. Returns what came through the sides of the box, in units of m.
double transport_across(const FlowGrid &grid, const int axis, const int b, const CellArray &G, const double *const u,
                        const double ratio, double *const m)
{
  const Index      t = grid.stride(b), last = grid.box().n[b] - 1;
  const Vector    &corner  = grid.at_corners(axis);
  const bool       is_ring = grid.periodic()[b];
  const AcrossFlux momentum(grid, axis, b, G, u);
  double           entered = 0.;
  grid.for_face_rows(axis, [&](const Index row, const CellIndex &first, const Index n) {
    const auto at = [&](const Index c) { return b == 0 ? first[0] + (c - row) : first[b]; };
    if (corner.size() == 0)
      for (Index c = row; c < row + n; ++c)
        m[c] += ratio * (momentum.through(c, c) - momentum.through(c + t, c));
    else
      for (Index c = row; c < row + n; ++c)
        {
          const bool plain = corner(c) == 0., open = grid.open(axis)(c) > 0.; // closed ones take what no dual cell holds
          const bool as_below = plain || at(c) == 0 && !is_ring || open && grid.same_shares(axis, c, c - t),
                     as_above = plain || at(c) == last && !is_ring || open && grid.same_shares(axis, c, c + t);
          m[c] += ratio * ((as_below ? momentum.through(c, c) : momentum.into(c, c)) +
                           (as_above ? -momentum.through(c + t, c) : momentum.into(c, c + t)));
        }
    for (Index c = row; c < row + n && !is_ring; c += b == 0 ? std::max<Index>(1, n - 1) : 1)
      {
        if (at(c) == 0)
          entered += ratio * momentum.through(c, c);
        if (at(c) == last)
          entered -= ratio * momentum.through(c + t, c);
      }
  });
  return entered;
}
} // namespace

Vector transport_momentum(const FlowGrid &grid, const FaceCells &G, const FaceCells &U, const AllSides &inflow,
                          const double h, FaceCells &momentum)
{
  const int    dim     = grid.dim();
  const double volume  = grid.box().cell_volume();
  Vector       entered = Vector::Zero(dim);
  for (int axis = 0; axis < dim; ++axis)
    for (int b = 0; b < dim; ++b)
      {
        const double  ratio = h / grid.box().h(b);
        const double *u     = U[axis].values.data();
        double       *m     = momentum[axis].values.data();
        if (b == axis)
          transport_along(grid, axis, G[b], u, ratio, m);
        else
          entered(axis) += volume * transport_across(grid, axis, b, G[b], u, ratio, m);
      }
  // normal momentum through the sides of the box, into the half cells of the last faces
  for (int side = 0; side < 2 * dim; ++side)
    {
      const int    b     = side / 2;
      const double ratio = h / grid.box().h(b);
      if (grid.side(side) == Boundary::periodic || grid.side(side) == Boundary::wall)
        continue;
      std::size_t k = 0;
      grid.for_side(side, [&](const Index face, Index, const CellIndex &) {
        const double g = G[b].values(face), in = side % 2 ? -g : g;
        const bool   enters = in > 0. && grid.side(side) == Boundary::inflow;
        const double u      = enters ? inflow[side].u[b][k] : U[b].values(face);
        momentum[b].values(face) += ratio * in * u;
        entered(b) += ratio * in * u * volume;
        ++k;
      });
    }
  for (double &component : entered)
    component = grid.box().processes.sum(component);
  return entered;
}

double absolute_sum(const FlowGrid &grid, const FaceCells &x)
{
  double sum = 0.;
  for (int axis = 0; axis < grid.dim(); ++axis)
    grid.for_faces(axis, [&](const Index c) { sum += std::abs(x[axis].values(c)); });
  return sum;
}
} // namespace moreau::macro
