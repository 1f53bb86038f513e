// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_COLOURED_FLOW_H
#define MOREAU_MACRO_FLOW_COLOURED_FLOW_H

#include "convex/named_arrays.h"
#include "macro/flow/bodies.h"
#include "macro/flow/coloured_impact.h"
#include "macro/flow/coloured_mass.h"
#include "macro/flow/force.h"
#include "macro/flow/rebound_count.h"
#include "macro/flow/two_bodies.h"
#include "macro/flow/velocity_flux.h"

namespace moreau::macro
{
/// The matter of a flow whose bodies keep their velocity, and the parts of its step. Sums over colours are in their order.
class ColouredFlow
{
public:
  /// Keeps references. The state is that at t = 0; bodies get their colours at once.
  /// Throws InputError("the bodies", ...) for what flows of several colours do not offer.
  ColouredFlow(const FlowGrid &grid, const FlowSetting &setting, const Inflow &inflow, MassStep &mass, const CellArray &rho,
               const TwoBodies &two);

  void add_up(CellArray &rho) const;      ///< Σ_k ρ_k, with ghosts
  void add_up(FaceCells &momentum) const; ///< Σ_k M_k on the faces of this process

  /// The longest step of the CFL condition, of this process, at time t; evaluates the forces on colours where they depend on
  /// the velocity. speed: as FlowForce::evaluate() has it.
  double longest_step(double t, double speed, const FlowForce &common);

  /// Of a colour; common: where it does not depend on the velocity.
  const FlowForce &force_of(const std::size_t colour, const FlowForce &common) const
  {
    return forces.empty() ? common : forces[colour];
  }

  /// The force of a step, common where it does not depend on the velocity. Half a cell that lies at a wall is carried by it
  /// where the force presses it there, which `taken` says on the closed face. Returns the momentum that all get.
  Vector push(double h, const FlowForce &common, const CellArray &rho, FaceCells &taken);

  /// What moves together moves so again, after a push.
  void move_together();

  /// Of the force of this step along the velocities of now, or those after the push where matter has left a face; of this
  /// process, over the volume of a cell.
  double half_work() const;

  /// Mass fluxes and densities of a step, as ColouredMassStep::advance().
  convex::Effort move_mass(const CellArray &rho, double h, double speed_scale, FaceCells &flux, CellArray &after)
  {
    return mass_step.advance(all, rho, inflow, h, speed_scale, flux, after);
  }

  /// Momenta follow the mass fluxes; what arrives at closed faces stays there and is added to `taken`. Returns the momentum
  /// that comes from outside.
  Vector move_momentum(double h, FaceCells &taken);

  /// As ColouredImpact::apply().
  FlowImpact obey_impact_law(const CellArray &rho, const ImpactLaw &law, CellArray &q)
  {
    return impact.apply(all, rho, setting.rho_max, law, q);
  }
  const std::array<Vector, 3> &response() const { return impact.response(); } ///< likewise

  /// What enters keeps the velocity of its flux, as Inflow::prescribe(); returns the momentum that this gives.
  Vector prescribe_inflow()
  {
    Colour &mixture = all.front();
    return inflow.prescribe(mixture.grid(), mixture.rho, mixture.flux, mixture.mass, mixture.momentum);
  }

  /// Bodies get their colours, for the next step, which begins at time t (s).
  void recolour(double t);

  /// As Bodies has it.
  double until_contact(double h, const FlowForce &common) const;

  double amount_pushed() const; ///< of the force of this step, Σ|pushed| of this process

  void add_to(std::vector<BodySums> &two_bodies) const; ///< as add_to_bodies(), of all colours

  const BodyCounts &counts() const { return bodies.counts(); }
  double            kinetic_energy() const; ///< of this process, over the volume of a cell
  double            largest_speed() const;  ///< of this process

  /// q where most of the matter (of densities rho in all) is mixture, 0 elsewhere.
  CellArray in_mixture(const CellArray &q, const CellArray &rho) const;

  /// Momentum of cells along an axis, all colours together.
  CellArray momentum_of_cells(int axis) const;

  /// ReboundCount::move() for the mixture in a step of length h.
  void move_rebounds_of_mixture(ReboundCount &rebounds, double h) const;

  void put_into(convex::NamedArrays &state) const;
  void take_from(const convex::NamedArrays &state); ///< Throws std::invalid_argument where it is of another flow.

private:
  void check() const;

  const FlowGrid     &grid;
  const FlowSetting  &setting;
  const Inflow       &inflow;
  const TwoBodies    &two;
  std::vector<Colour> all;
  ColouredMassStep    mass_step;
  ColouredImpact      impact;
  VelocityFlux        velocity_flux;
  WholeBox            box;
  Bodies              bodies;

  std::vector<FlowForce> forces; ///< per colour; empty where they do not depend on the velocity
};
} // namespace moreau::macro

#endif
