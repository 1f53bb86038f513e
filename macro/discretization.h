// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DISCRETIZATION_H
#define MOREAU_MACRO_DISCRETIZATION_H

#include "convex/cone_projection.h"
#include "geometry/picture.h"
#include "macro/vocabulary.h"
#include "macro/total_bound.h"

#include <memory>
#include <string>

namespace moreau::macro
{
/// A macroscopic projection made finite: spaces for u and p on some mesh, U on it, and the way back to functions.
class Discretization
{
public:
  virtual ~Discretization() = default;

  /// The discrete projection: what solvers, impact law and algebraic certificate work with.
  virtual const convex::ProjectionProblem &problem() const = 0;

  /// The solver of this name ("automatic": the one made for this problem). Throws InputError("the solver", ...) naming those
  /// that this discretisation offers.
  virtual std::unique_ptr<convex::ConeProjector> projector(const std::string               &solver,
                                                           const convex::StoppingCriterion &criterion) const = 0;

  /// A guess of p, from a coarser mesh; null where there is none.
  virtual const convex::Vector *p_start() const { return nullptr; }

  /// Bound on the total error of the solution x of problem().
  virtual TotalBound total_bound(const convex::SaddlePoint &x) const = 0;

  /// The v of total_bound(x) as a function of position on the zone (dim components), so that |v - u| <= η there; U
  /// elsewhere. May be called from several threads, for all points of Ω, as
  /// long as this object lives. Empty where it is not offered.
  virtual Field velocity(const convex::SaddlePoint &) const { return {}; }

  /// All of Ω for pictures, cell data: U, u (= u_plus on the zone, U elsewhere; the reconstructed v where e = 0), p (all
  /// p_k as components), divergence (isotropic) or directional_derivatives of
  /// u (one per direction), active (1 where p > 0), density, error_indicator.
  ///   u_plus: velocity after the impact, coefficients as in problem().
  virtual Mesh fields(const convex::SaddlePoint &x, const convex::Vector &u_plus, const TotalBound &bound) const = 0;

  /// ½ ∫ρ|U|² where ρ < 1: kinetic energy that no impact changes (J per unit of areal density).
  virtual double energy_outside() const = 0;

  /// One line for the log: "256 x 256 cells, 65536 of them saturated; staggered velocities, cell pressures".
  virtual std::string description() const = 0;

  /// What the user should know about how the zone and the cone were treated; one sentence each, empty where nothing.
  virtual std::string remarks() const { return ""; }

  /// The next mesh of an adaptive run, with p_start() from x; null where this discretisation does not refine.
  virtual std::unique_ptr<Discretization> refined(const convex::SaddlePoint &, const TotalBound &) const { return nullptr; }
};
} // namespace moreau::macro

#endif
