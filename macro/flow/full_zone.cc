// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/full_zone.h"

#include "macro/flow/drainage.h"

#include <cmath>
#include <limits>
#include <stdexcept>

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

FullZone::FullZone(const FlowGrid &grid, const CellArray &inside, const FaceCells &rho_D,
                   const std::array<Vector, 3> &response)
    : grid(grid), zone(inside), side(grid.box().h.minCoeff()), of_cells(grid.array())
{
  weights = grid.faces();
  flux    = grid.faces();
  std::vector<double> entries, masses;
  const double        volume    = grid.box().cell_volume();
  bool                is_joined = false, is_torn = false;
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
              if (!(d[c] > 0.))
                {
                  weight[c] = std::numeric_limits<double>::infinity();
                  is_joined = true;
                  is_torn   = is_torn || !(z[c] > 0. && z[c - s] > 0.);
                  continue;
                }
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
  if (grid.largest(is_torn || (is_joined && grid.box().processes.size() > 1) ? 1. : 0.) > 0.)
    throw std::invalid_argument("FullZone: a face without mass does not lie between two cells of the zone of one process.");
  a = Eigen::Map<const Vector>(entries.data(), static_cast<Index>(entries.size()));
  m = Eigen::Map<const Vector>(masses.data(), static_cast<Index>(masses.size()));
  number_rows();
  for (std::size_t k = 0; k < cells.size(); ++k)
    for (int axis = 0; axis < grid.dim(); ++axis)
      W(row_of[k]) += flux[axis].values(cells[k]) + flux[axis].values(cells[k] + grid.stride(axis));
}

void FullZone::number_rows()
{
  constexpr int    none = -1;
  std::vector<int> row(grid.size(), none);
  int              n_rows = 0;
  grid.for_cells([&](const Index c) {
    if (!(zone.values(c) > 0.))
      return;
    cells.push_back(static_cast<int>(c));
    if (row[c] == none)
      {
        row[c] = n_rows++;
        grid.spread(c, [&](const int axis, const Index face, const Index other) {
          const bool joins = std::isinf(weights[axis].values(face)) && row[other] == none;
          if (joins)
            row[other] = row[c];
          return joins;
        });
      }
    row_of.push_back(row[c]);
  });
  W = Vector::Zero(n_rows);
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
  Bv.setZero();
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index         s = grid.stride(axis);
      const double *const g = flux[axis].values.data();
      for (std::size_t k = 0; k < cells.size(); ++k)
        Bv(row_of[k]) += g[cells[k]] - g[cells[k] + s];
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
  for (std::size_t k = 0; k < cells.size(); ++k)
    q(row_of[k]) = values.values(cells[k]);
  return q;
}

void FullZone::scatter(const Vector &of_rows, CellArray &values) const
{
  for (std::size_t k = 0; k < cells.size(); ++k)
    values.values(cells[k]) = of_rows(row_of[k]);
}

void FullZone::scatter_sums(const Vector &of_rows, CellArray &values) const
{
  int next = 0; // rows are numbered in the order of their first cells
  for (std::size_t k = 0; k < cells.size(); ++k)
    {
      const bool is_first     = row_of[k] == next;
      values.values(cells[k]) = is_first ? of_rows(row_of[k]) : 0.;
      next += is_first;
    }
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
