// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_FORCE_H
#define MOREAU_MACRO_FLOW_FORCE_H

#include "macro/flow/transport.h"

namespace moreau::macro
{
/// The force of a flow on faces and, where it depends on velocities, its derivatives by difference quotients.
class FlowForce
{
public:
  /// Keeps references to both.
  FlowForce(const FlowGrid &grid, const FlowSetting &setting);

  /// At time t, unless it is known and the same. U, rho_D: ghosts up to date; speed: a typical one (m/s).
  /// Throws InputError where the force on matter is not finite.
  void evaluate(double t, const FaceCells &U, const FaceCells &rho_D, double speed);

  void forget() { is_known = false; } ///< U has changed by other means than a step

  /// U has changed by a step.
  void step_done() { is_known = setting.force_is_steady; }

  const FlowGrid  &flow_grid() const { return grid; }
  bool             acts() const { return static_cast<bool>(setting.force); } ///< else there are no values
  const FaceCells &values() const { return force; }    ///< f_a on faces of axis a (m/s²); ghosts up to date
  FaceCells        given_in(double h) const;           ///< velocities of a step of length h: h f/(1 + h k) (m/s)
  const FaceCells &drag() const { return drag_rates; } ///< (-∂f_a/∂u_a)⁺ (1/s)
  double           largest() const { return most; }    ///< |f_a| (m/s²)
  double           growth() const { return fastest; }  ///< of velocities by the force (1/s), drag excepted

private:
  void   places(int axis, Index row, const CellIndex &first, Index n, const FaceCells &U);
  double small_change(double speed) const;
  void   differentiate(double t, int axis, Index row, const Vector &rho_D, double small);

  const FlowGrid    &grid;
  const FlowSetting &setting;
  FaceCells          force, drag_rates;
  Eigen::MatrixXd    x, u, value; ///< of a row of faces
  bool               is_known = false;
  double             most = 0., fastest = 0.;
};

/// What the force gives in a step of length h, to the momentum and, alone, to `pushed`; what lies at a closed face is
/// carried by it, which `taken` says. Densities of momentum, as FlowForce has faces. Returns the momentum that all get.
Vector push(const FlowForce &force, double h, const CellArray &rho, const FaceCells &rho_D, FaceCells &momentum,
            FaceCells &pushed, FaceCells &taken);
} // namespace moreau::macro

#endif
