// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_TRANSPORT_H
#define MOREAU_MACRO_FLOW_TRANSPORT_H

#include "macro/flow/grid.h"

/// One conservative step of ρ and ρu on a FlowGrid. Letters: ρ_D the density of the dual cell of a face, the mean of the
/// two cells (half of one at the sides of the box); U = M/ρ_D the velocity on a face, M its momentum; G a mass flux on
/// faces (density times velocity).
namespace moreau::macro
{
/// Densities below count as none: what rounding leaves has no velocity.
constexpr double empty_density = 1e-13;

/// Σ|x| over the faces of all axes that this process computes.
double absolute_sum(const FlowGrid &grid, const FaceCells &x);

/// What enters through a side of the box: density and velocity, 0 where the side is no inflow. One value per face of
/// FlowGrid::for_side, in its order; then of faces of other processes that are beside these.
struct SideValues
{
  std::vector<double>                rho;
  std::array<std::vector<double>, 3> u;
  std::array<std::vector<int>, 3>    below; ///< of this process' faces: the number of the one below along an axis; -1: none
};
using AllSides = std::array<SideValues, 6>;

/// 1 in cells that are full but for a share `gap`, by default rounding errors, 0 in others and in solids; ghosts up to date.
CellArray full_cells(const FlowGrid &grid, const CellArray &rho, const CellArray &rho_max, double gap = 1e-9);

/// ρ_D on faces. rho: ghosts up to date, 0 beyond sides that are not periodic.
void dual_densities(const FlowGrid &grid, const CellArray &rho, FaceCells &rho_D);

/// M / ρ_D, 0 where ρ_D is empty; ghosts up to date.
void face_velocities(const FlowGrid &grid, const FaceCells &momentum, const FaceCells &rho_D, FaceCells &U);

/// Half of the work of a force that gave `pushed` (a density of momentum on faces), over the volume of a cell: along the
/// velocity, or where matter has left a face, which has no mass (ρ_D) now, along `driven`, the one with which it did.
double half_work(const FlowGrid &grid, const FaceCells &pushed, const FaceCells &mass, const FaceCells &velocity,
                 const FaceCells &driven);

/// Predicted mass fluxes G*: limited downwind (flux-corrected transport after Zalesak, in all directions at once) or upwind.
/// With h within the CFL condition ρ - h div G* >= 0, and where nothing is
/// compressed it stays between the densities of neighbours.
class MassFlux
{
public:
  explicit MassFlux(DensityFlux kind) : kind(kind) {}

  /// rho, U: ghosts up to date. G: faces of this process; ghosts are not.
  void predict(const FlowGrid &grid, const CellArray &rho, const FaceCells &U, const AllSides &inflow, double h,
               FaceCells &G);

private:
  void limit(const FlowGrid &grid, const CellArray &rho, double h, FaceCells &G);

  DensityFlux kind;
  FaceCells   A;                      ///< anti-diffusive fluxes
  CellArray   room_above, room_below; ///< fractions of A that a cell can take and give
};

/// -h div(F U) on the dual cells, added to momentum: F are means of G, so that
/// the dual cells' masses follow ρ_D; U from upwind.
/// G: ghosts up to date. Momentum on faces at the sides is included; returns what entered through the sides (dim).
Vector transport_momentum(const FlowGrid &grid, const FaceCells &G, const FaceCells &U, const AllSides &inflow, double h,
                          FaceCells &momentum);
} // namespace moreau::macro

#endif
