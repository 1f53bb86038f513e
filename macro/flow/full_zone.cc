// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/full_zone.h"

#include "macro/flow/drainage.h"

namespace moreau::macro
{
namespace
{
/// Lumped masses of unknowns, spread over processes, in the frame of the box.
class ZoneVelocities : public convex::DiagonalSpace
{
public:
  ZoneVelocities(const Vector &masses, const Processes &processes) : DiagonalSpace(masses), processes(processes) {}

  double dot(const Vector &u, const Vector &v) const override { return processes.sum(DiagonalSpace::dot(u, v)); }
  Vector mean(const Vector &U) const override { return Vector::Zero(U.size()); }
  double sum_over_processes(const double local) const override { return processes.sum(local); }
  double max_over_processes(const double local) const override { return processes.max(local); }

private:
  Processes processes;
};
} // namespace

FullZone::FullZone(const FlowGrid &grid, const CellArray &rho, const CellArray &rho_max, const FaceCells &rho_D,
                   const std::array<Vector, 3> &response)
    : grid(grid), zone(full_cells(grid, rho, rho_max)), side(grid.box().h.minCoeff()), of_cells(grid.array())
{
  add_edges(rho, rho_max);
  weights.fill(grid.array());
  flux.fill(grid.array());
  std::vector<double> entries, masses;
  const double        volume = grid.box().cell_volume();
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index   s = grid.stride(axis);
      const double *z = zone.values.data(), *capacity = grid.capacity(axis).data(), *d = rho_D[axis].values.data();
      const double *r = response[axis].data(), per_h = side / grid.box().h(axis);
      double       *weight = weights[axis].values.data(), *unit = flux[axis].values.data();
      grid.for_face_rows(axis, [&](const Index row, const CellIndex &, const Index n) {
        for (Index c = row; c < row + n; ++c)
          if (capacity[c] > 0. && (z[c] > 0. || z[c - s] > 0.))
            {
              weight[c] = capacity[c] * r[c] / d[c];
              faces.push_back(static_cast<int>(c));
              entries.push_back(capacity[c] * per_h);
              masses.push_back(volume * d[c] * capacity[c] / r[c]);
              unit[c] = entries.back() * entries.back() / masses.back();
            }
      });
      begin[axis + 1] = static_cast<Index>(faces.size());
      grid.exchange(weights[axis]);
      grid.exchange(flux[axis]);
    }
  a = Eigen::Map<const Vector>(entries.data(), static_cast<Index>(entries.size()));
  m = Eigen::Map<const Vector>(masses.data(), static_cast<Index>(masses.size()));
  std::vector<double> diagonal;
  grid.for_cells([&](const Index c) {
    if (!(zone.values(c) > 0.))
      return;
    cells.push_back(static_cast<int>(c));
    double W_cc = 0.;
    for (int axis = 0; axis < grid.dim(); ++axis)
      W_cc += flux[axis].values(c) + flux[axis].values(c + grid.stride(axis));
    diagonal.push_back(W_cc);
  });
  W = Eigen::Map<const Vector>(diagonal.data(), static_cast<Index>(diagonal.size()));
}

void FullZone::add_edges(const CellArray &rho, const CellArray &rho_max)
{
  constexpr double nothing = 1e-9;
  const CellArray  body    = zone;
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index s       = grid.stride(axis);
      const auto  is_edge = [&](const Index c, const Index to_body) {
        const Index behind = c - to_body; // in the box, where there is room
        return body.values(c + to_body) > 0. && rho_max.values(behind) > 0. && rho.values(behind) <= nothing;
      };
      grid.for_cells([&](const Index c) {
        if (rho.values(c) > nothing && (is_edge(c, s) || is_edge(c, -s)))
          zone.values(c) = 1.;
      });
    }
  grid.exchange(zone);
}

void FullZone::apply(const Vector &v, Vector &Bv) const
{
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      double *const g = flux[axis].values.data();
      for (Index k = begin[axis]; k < begin[axis + 1]; ++k)
        g[faces[k]] = a(k) * v(k);
      grid.exchange(flux[axis]);
    }
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index         s = grid.stride(axis);
      const double *const g = flux[axis].values.data();
      for (std::size_t row = 0; row < cells.size(); ++row)
        Bv(row) = (axis == 0 ? 0. : Bv(row)) + (g[cells[row]] - g[cells[row] + s]);
    }
}

void FullZone::apply_transpose(const Vector &q, Vector &Btq) const
{
  scatter(q, of_cells);
  grid.exchange(of_cells);
  const double *const values = of_cells.values.data();
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index s = grid.stride(axis);
      for (Index k = begin[axis]; k < begin[axis + 1]; ++k)
        Btq(k) = a(k) * (values[faces[k]] - values[faces[k] - s]);
    }
}

Vector FullZone::coefficients(const FaceCells &u) const
{
  Vector v(n_unknowns());
  for (int axis = 0; axis < grid.dim(); ++axis)
    for (Index k = begin[axis]; k < begin[axis + 1]; ++k)
      v(k) = u[axis].values(faces[k]);
  return v;
}

Vector FullZone::rows(const CellArray &values) const
{
  Vector q(n_constraints());
  for (Index row = 0; row < q.size(); ++row)
    q(row) = values.values(cells[row]);
  return q;
}

void FullZone::scatter(const Vector &of_rows, CellArray &values) const
{
  for (Index row = 0; row < of_rows.size(); ++row)
    values.values(cells[row]) = of_rows(row);
}

Vector FullZone::with_flux(const Vector &v, const FaceCells &more) const { return v + coefficients(more).cwiseQuotient(a); }

convex::ProjectionProblem FullZone::problem(const std::shared_ptr<const FullZone> &zone, Vector U)
{
  convex::ProjectionProblem problem;
  problem.V      = std::make_shared<ZoneVelocities>(zone->m, zone->grid.box().processes);
  problem.B      = zone;
  problem.U      = std::move(U);
  problem.repair = std::make_shared<Drainage>(zone, zone->grid.largest(convex::max_abs(problem.U)));
  return problem;
}
} // namespace moreau::macro
