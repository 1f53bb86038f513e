// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_VELOCITY_TRANSFER_H
#define MOREAU_HOMOGENIZATION_VELOCITY_TRANSFER_H

#include "homogenization/cell_integrals.h"

namespace moreau::homogenization
{
/// Ũ_i = 1/|D_i| ∫_{D_i} U dx (BM, eq. 37), the L² projection on fields
/// that are constant on cells: d n, interleaved by sphere (m/s).
/// error (m/s m^{d/2}) becomes an estimate of what quadrature adds, in L²(ω), where it is given.
/// Throws what U throws where it is undefined.
Vector restriction(const VoronoiCells &cells, const geometry::Field &U, double *error = nullptr,
                   const geometry::Progress &progress = {});

/// Distances in L²(ω) between a fixed set of fields: functions of position, and fields that are constant on cells (d n).
struct Fields
{
  std::vector<geometry::Field> functions;
  std::vector<const Vector *>  cellwise;
};

/// One pair of `Fields`: positions in functions, then in cellwise counted on from there; `zero` stands for the field 0.
struct Pair
{
  static constexpr int zero = -1;
  int                  first, second;
};

struct Distance
{
  double value = 0.; ///< in L²(ω) (m/s m^{d/2})
  double error = 0.; ///< estimated error of quadrature in it, that of a curved boundary of the zone included
};

/// All of them in one pass over the quadrature points, so that every function is evaluated once in each.
std::vector<Distance> distances(const VoronoiCells &cells, const Fields &fields, const std::vector<Pair> &pairs,
                                const geometry::Progress &progress = {});

/// |f - mean f| in L² of a box (m/s m^{d/2}), by Gauss points on a grid: exact for polynomials of degree 2.
double spread_on_box(const geometry::Field &f, const Vector &lower, const Vector &upper);

/// |f - P1 interpolant of nodal values| in L² over the Delaunay mesh, (values: d n, of all spheres here).
///   processes  that have the same mesh and share the integral, or each a part of the mesh
Distance distance_to_interpolant(const DelaunayMesh &mesh, const micro::Spheres &spheres, const Vector &values,
                                 const geometry::Field &f, const geometry::Processes &processes = {},
                                 const geometry::Progress &progress = {});
} // namespace moreau::homogenization

#endif
