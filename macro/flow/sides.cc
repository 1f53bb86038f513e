// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/sides.h"

#include "convex/input_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

namespace moreau::macro
{
Inflow::Inflow(const FlowGrid &grid, const FlowSetting &setting) : grid(grid), setting(setting)
{
  for (int side = 0; side < 2 * grid.dim(); ++side)
    if (grid.side(side) == Boundary::inflow && setting.inflow)
      cells[side] = cells_at(side);
}

/// The cells at a side with inflow, and those of other processes that are below them along an axis of the side, whose
/// numbers go to `below`.
std::vector<CellIndex> Inflow::cells_at(const int side)
{
  std::vector<CellIndex>   found;
  std::map<CellIndex, int> numbers;
  const auto add = [&](const CellIndex &cell) { // by its place in the box, for it may be beyond a periodic side
    const auto [known, is_new] = numbers.try_emplace(*grid.wrapped(cell), static_cast<int>(found.size()));
    if (is_new)
      found.push_back(cell);
    return known->second;
  };
  grid.for_side(side, [&](Index, Index, const CellIndex &cell) { add(cell); });
  const std::size_t n_own = found.size();
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      std::vector<int> &below = sides[side].below[axis];
      below.assign(n_own, -1);
      for (std::size_t k = 0; k < n_own && axis != side / 2; ++k)
        if (const CellIndex other = moved(found[k], axis, -1); grid.wrapped(other))
          below[k] = add(other);
    }
  return found;
}

void Inflow::evaluate(const double t)
{
  if (!setting.inflow)
    return;
  const int dim = grid.dim();
  for (int side = 0; side < 2 * dim; ++side)
    {
      if (grid.side(side) != Boundary::inflow)
        continue;
      const std::vector<CellIndex> &of_side = cells[side];
      Eigen::MatrixXd               x(dim, of_side.size()), values(dim + 1, of_side.size());
      for (std::size_t k = 0; k < of_side.size(); ++k)
        {
          x.col(k) = grid.box().centre(*grid.wrapped(of_side[k]));
          x(side / 2, k) += (side % 2 ? .5 : -.5) * grid.box().h(side / 2);
        }
      if (!of_side.empty())
        setting.inflow(t, x, values);
      sides[side].rho.resize(of_side.size());
      for (int b = 0; b < dim; ++b)
        sides[side].u[b].resize(of_side.size());
      const auto leads_in = [&] { return ((side % 2 ? -1. : 1.) * values.row(1 + side / 2).array() > 0.).any(); };
      bool       enters   = leads_in();
      for (std::size_t k = 0; k < of_side.size(); ++k)
        {
          const double most = setting.rho_max(of_side[k]), rho = most > 0. ? values(0, k) : 0.; // solids let nothing in
          if (!(rho >= 0. && rho <= most + 1e-12) || !values.col(k).allFinite())
            {
              std::ostringstream text;
              text << "What enters at (" << x.col(k).transpose() << ") at t = " << t << " s has the density " << rho
                   << "; it must be finite and lie between 0 and the maximal density there, " << most << ".";
              throw InputError("the density of the inflow", text.str());
            }
          sides[side].rho[k] = rho;
          for (int b = 0; b < dim; ++b)
            sides[side].u[b][k] = values(1 + b, k);
        }
      constexpr int n_instants = 64;
      for (int k = 1; k <= n_instants && t == 0. && !enters && !of_side.empty() && setting.inflow_until > 0.; ++k)
        {
          setting.inflow(setting.inflow_until * k / n_instants, x, values);
          enters = leads_in();
        }
      if (t == 0. && grid.largest(enters ? 1. : 0.) == 0.)
        throw InputError("the velocity of the inflow",
                         "It does not lead into the box anywhere on a side of the inflow, at no time of the run; turn it "
                         "round.");
    }
}

AllSides Inflow::nothing() const
{
  AllSides none = sides;
  for (SideValues &side : none)
    {
      std::fill(side.rho.begin(), side.rho.end(), 0.);
      for (std::vector<double> &u : side.u)
        std::fill(u.begin(), u.end(), 0.);
    }
  return none;
}

/// What the matter that enters through the k-th face of a side and the one below it along the axis has in the mean, by what
/// of them the dual cell between them gets.
double Inflow::tangential(const int side, const int axis, const int k, const double share_below,
                          const double share_above) const
{
  const SideValues &values = sides[side];
  const auto       &u      = values.u[axis];
  const int         below  = values.below[axis][k];
  if (below < 0)
    return u[k];
  const auto entering = [&](const int at) {
    return values.rho[at] * std::max(0., (side % 2 ? -1. : 1.) * values.u[side / 2][at]);
  };
  const double of_below = share_below * entering(below), of_this = share_above * entering(k), all = of_below + of_this;
  return u[k] + (all > 0. ? of_below / all : .5) * (u[below] - u[k]);
}

void Inflow::set_velocities(const FlowGrid &here, const FaceCells &rho_D, FaceCells &U) const
{
  for (int side = 0; side < 2 * grid.dim(); ++side)
    if (grid.side(side) == Boundary::inflow && setting.inflow)
      {
        const int   b        = side / 2;
        const Index outwards = side % 2 ? here.stride(b) : -here.stride(b);
        int         k        = 0;
        here.for_side(side, [&](const Index face, const Index cell, const CellIndex &index) {
          if (!(rho_D[b].values(face) > empty_density)) // where it meets nothing it keeps its velocity
            U[b].values(face) = sides[side].u[b][k];
          for (int axis = 0; axis < grid.dim(); ++axis)
            if (axis != b)
              {
                const Index last = cell + here.stride(axis); // the face above, where no cell is behind it
                U[axis].values(cell + outwards) =
                    tangential(side, axis, k, here.share_below(axis)(cell), here.share_above(axis)(cell));
                if (grid.holds_last_faces(axis) && index[axis] == grid.box().n[axis] - 1)
                  U[axis].values(last + outwards) = sides[side].u[axis][k];
              }
          ++k;
        });
      }
}

double Inflow::longest_step(const double cfl) const
{
  // also where nothing enters yet: that may change within the step
  double least = std::numeric_limits<double>::infinity();
  for (int side = 0; side < 2 * grid.dim(); ++side)
    for (const double u : sides[side].u[side / 2])
      if (u != 0.)
        least = std::min(least, cfl * grid.box().h(side / 2) / std::abs(u));
  return least;
}

Vector Inflow::prescribe(const FlowGrid &here, const CellArray &rho, const FaceCells &flux, const FaceCells &rho_D,
                         FaceCells &momentum) const
{
  Vector given = Vector::Zero(grid.dim());
  for (int side = 0; side < 2 * grid.dim(); ++side)
    {
      if (grid.side(side) != Boundary::inflow)
        continue;
      const int   axis    = side / 2;
      double      of_side = 0.;
      std::size_t k       = 0;
      here.for_side(side, [&](const Index face, const Index cell, const CellIndex &) {
        const double g = flux[axis].values(face), enters = side % 2 ? -g : g;
        const double carried = enters > 0. ? sides[side].rho[k] : rho.values(cell), wanted = sides[side].u[axis][k];
        const bool   is_nothing =
            !(sides[side].rho[k] > empty_density) && enters >= 0.; // it does not hold what leaves the side
        ++k;
        if (is_nothing || !((side % 2 ? -wanted : wanted) > 0.) || !(carried > empty_density))
          return;
        const double m = rho_D[axis].values(face) * g / carried;
        of_side += m - momentum[axis].values(face);
        momentum[axis].values(face) = m;
      });
      given(axis) += grid.sum(of_side) * grid.box().cell_volume();
    }
  return given;
}

Vector reaction_of_walls(const FlowGrid &grid, const std::array<Vector, 3> &response, const CellArray &q)
{
  Vector given = Vector::Zero(grid.dim());
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index   s        = grid.stride(axis);
      const Vector &capacity = response[axis];
      double        of_axis  = 0.;
      grid.for_cells([&](const Index c) { of_axis += q.values(c) * (capacity(c + s) - capacity(c)); });
      given(axis) = grid.sum(of_axis) * grid.box().face_area(axis);
    }
  return given;
}

Vector stop_at_closed_faces(const FlowGrid &grid, FaceCells &momentum, FaceCells &taken)
{
  Vector given = Vector::Zero(grid.dim());
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      double of_axis = 0.;
      grid.for_faces_in_whole(axis, [&](const Index c, const Index face) {
        if (grid.open(axis)(c) == 0.)
          {
            of_axis -= momentum[axis].values(c);
            taken[axis].values(face) += momentum[axis].values(c);
            momentum[axis].values(c) = 0.;
          }
      });
      given(axis) = grid.sum(of_axis) * grid.box().cell_volume();
    }
  return given;
}

void add_pressure_on_obstacles(const FlowGrid &grid, const CellArray &q, const CellArray &rho_max, FaceCells &taken)
{
  const Vector &near = grid.beside_solids();
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index s = grid.stride(axis);
      grid.for_faces(axis, [&](const Index c) {
        const bool is_cut = near.size() > 0 && grid.open(axis)(c) > 0. && rho_max.values(c - s) > 0. &&
                            rho_max.values(c) > 0. && (near(c - s) > 0. || near(c) > 0.);
        if (grid.open(axis)(c) > 0. && !is_cut)
          return;
        const double on_face = grid.capacity(axis)(c); // 0 where it is closed
        taken[axis].values(c) +=
            (q.values(c - s) * (rho_max.values(c - s) - on_face) - q.values(c) * (rho_max.values(c) - on_face)) /
            grid.box().h(axis);
      });
    }
}

double entered_mass(const FlowGrid &grid, const FaceCells &flux, const double h)
{
  double entered = 0.;
  for (int side = 0; side < 2 * grid.dim(); ++side)
    if (grid.side(side) != Boundary::periodic)
      grid.for_side(side, [&](const Index face, Index, const CellIndex &) {
        entered += (side % 2 ? -1. : 1.) * flux[side / 2].values(face) * grid.box().face_area(side / 2);
      });
  return grid.sum(entered) * h;
}
} // namespace moreau::macro
