// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/force.h"

#include "convex/input_error.h"
#include "convex/number_text.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace moreau::macro
{
FlowForce::FlowForce(const FlowGrid &grid, const FlowSetting &setting) : grid(grid), setting(setting)
{
  if (acts())
    force = drag_rates = grid.faces();
}

void FlowForce::evaluate(const double t, const FaceCells &U, const FaceCells &rho_D, const double speed)
{
  if (is_known || !setting.force)
    return;
  double largest_force = 0.;
  fastest              = 0.;
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Vector &matter = rho_D[axis].values;
      grid.for_face_rows(axis, [&](const Index row, const CellIndex &first, const Index n) {
        places(axis, row, first, n, U);
        setting.force(t, x, u, value);
        for (Index k = 0; k < n; ++k)
          {
            const bool matters = matter(row + k) > empty_density, finite = std::isfinite(value(axis, k));
            if (matters && !finite)
              throw InputError("the force", "It is not finite at t = " + short_number(t) + " s; give one that is.");
            force[axis].values(row + k) = finite ? value(axis, k) : 0.;
            largest_force               = std::max(largest_force, matters ? std::abs(value(axis, k)) : 0.);
          }
        if (setting.force_has_velocity)
          differentiate(t, axis, row, matter, small_change(speed));
      });
      grid.exchange(force[axis]);
      grid.exchange(drag_rates[axis]);
    }
  most     = grid.largest(largest_force);
  fastest  = grid.largest(fastest);
  is_known = true;
}

/// Positions and velocities of a row of faces.
void FlowForce::places(const int axis, const Index row, const CellIndex &first, const Index n, const FaceCells &U)
{
  const int    dim  = grid.dim();
  const double mean = .25;
  const Index  s    = grid.stride(axis);
  for (Eigen::MatrixXd *const matrix : {&x, &u, &value})
    matrix->resize(dim, n);
  for (Index k = 0; k < n; ++k)
    {
      CellIndex cell = first;
      cell[0] += k;
      x.col(k) = grid.box().centre(cell);
      x(axis, k) -= .5 * grid.box().h(axis);
      const Index c = row + k;
      for (int b = 0; b < dim; ++b)
        {
          const Vector &v = U[b].values;
          const Index   t = grid.stride(b);
          u(b, k)         = b == axis ? v(c) : mean * (v(c) + v(c + t) + v(c - s) + v(c - s + t));
        }
    }
}

/// A change of velocities for difference quotients.
double FlowForce::small_change(const double speed) const
{
  constexpr double small = 1e-6;
  const double     of_row =
      std::max({u.lpNorm<Eigen::Infinity>(), speed, std::sqrt(value.lpNorm<Eigen::Infinity>() * grid.box().h.minCoeff())});
  return small * (of_row > 0. ? of_row : 1.);
}

void FlowForce::differentiate(const double t, const int axis, const Index row, const Vector &rho_D, const double small)
{
  const Index     n     = x.cols();
  Vector          grows = Vector::Zero(n); // what is not drag
  Eigen::MatrixXd other, shifted(x.rows(), n);
  for (int b = 0; b < grid.dim(); ++b)
    {
      other = u;
      other.row(b).array() += small;
      setting.force(t, x, other, shifted);
      for (Index k = 0; k < n; ++k)
        {
          const double slope = (shifted(axis, k) - value(axis, k)) / small;
          if (b == axis)
            drag_rates[axis].values(row + k) = std::isfinite(slope) ? std::max(-slope, 0.) : 0.;
          grows(k) += b == axis ? std::max(slope, 0.) : std::abs(slope);
        }
    }
  for (Index k = 0; k < n; ++k)
    if (rho_D(row + k) > empty_density && std::isfinite(grows(k)))
      fastest = std::max(fastest, grows(k));
}

FaceCells FlowForce::given_in(const double h) const
{
  FaceCells given = force;
  for (int axis = 0; axis < grid.dim(); ++axis)
    given[axis].values.array() *= h / (1. + h * drag_rates[axis].values.array());
  return given;
}

Vector push(const FlowForce &force, const double h, const CellArray &rho, const FaceCells &rho_D, FaceCells &momentum,
            FaceCells &pushed, FaceCells &taken)
{
  const FlowGrid &grid  = force.flow_grid();
  Vector          given = Vector::Zero(grid.dim());
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      double        of_axis = 0.;
      const Vector &open    = grid.open(axis);
      const Index   s       = grid.stride(axis);
      grid.for_faces(axis, [&](const Index c) {
        const double at_face = .5 * (rho.values(c) + rho.values(c - s)), mass = open(c) * at_face;
        if (open(c) == 0.) // what lies at a wall is carried by it, at rest: without drag
          taken[axis].values(c) = at_face > empty_density ? h * at_face * force.values()[axis].values(c) : 0.;
        pushed[axis].values(c) = rho_D[axis].values(c) > empty_density
                                     ? h * mass * force.values()[axis].values(c) / (1. + h * force.drag()[axis].values(c))
                                     : 0.;
        momentum[axis].values(c) += pushed[axis].values(c);
        of_axis += pushed[axis].values(c);
      });
      given(axis) = grid.sum(of_axis) * grid.box().cell_volume();
    }
  return given;
}
} // namespace moreau::macro
