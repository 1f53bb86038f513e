// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DISCRETIZATION_H
#define MOREAU_MACRO_DISCRETIZATION_H

#include "convex/cone_projection.h"
#include "geometry/picture.h"
#include "geometry/processes.h"
#include "geometry/progress.h"
#include "macro/vocabulary.h"
#include "macro/total_bound.h"

#include <memory>
#include <optional>
#include <string>

namespace moreau::macro
{
/// ½∫ρ|U|² and ∫ρU of a part of Ω (J, kg m/s, per unit of density).
struct Motion
{
  double energy = 0.;
  Vector momentum;

  explicit Motion(const Index dim) : momentum(Vector::Zero(dim)) {}

  /// Adds that of a point of this mass.
  template <class Velocity>
  void add(const double mass, const Velocity &U)
  {
    energy += .5 * mass * U.squaredNorm();
    momentum += mass * U;
  }

  void operator+=(const Motion &other)
  {
    energy += other.energy;
    momentum += other.momentum;
  }

  /// Of all processes together.
  Motion summed(const Processes &processes) const
  {
    Motion result(momentum.size());
    result.energy = processes.sum(energy);
    for (Index axis = 0; axis < momentum.size(); ++axis)
      result.momentum(axis) = processes.sum(momentum(axis));
    return result;
  }
};

/// A volume with an estimate of its error (m^d).
struct VolumeOfZone
{
  double volume, error;
};

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
  virtual TotalBound total_bound(const convex::SaddlePoint &x, const Progress &progress = {}) const = 0;

  /// The v of total_bound(x) as a function of position on the zone (dim components), so that |v - u| <= η there; U
  /// elsewhere. May be called from several threads, for all points of Ω, as
  /// long as this object lives. Empty where it is not offered.
  virtual Field velocity(const convex::SaddlePoint &) const { return {}; }

  /// All of Ω for pictures, cell data: U, u (= u_plus on the zone, U elsewhere; the reconstructed v where e = 0), p (all
  /// p_k as components), divergence (isotropic) or directional_derivatives of
  /// u (one per direction), active (1 where p > 0), density, error_indicator.
  ///   u_plus: velocity after the impact, coefficients as in problem().
  virtual Mesh fields(const convex::SaddlePoint &x, const convex::Vector &u_plus, const TotalBound &bound) const = 0;

  /// ∫u over the zone, of all processes (kg m/s per unit of density); u: coefficients as in problem(). Here for velocities
  /// at nodes with lumped masses.
  virtual Vector momentum(const convex::Vector &u) const;

  /// That of U where ρ < 1: no impact changes it.
  virtual Motion outside() const = 0;

  /// One line for the log: "256 x 256 cells, 65536 of them saturated; staggered velocities, cell pressures".
  virtual std::string description() const = 0;

  /// What the user should know about how the zone and the cone were treated; one sentence each, empty where nothing.
  virtual std::string remarks() const { return ""; }

  /// Where K inequalities approximate a cone: |u - u_outer| relative to the scale of x's certificate, u that of the inner
  /// approximation, u_outer the projection on the same mesh with the outer one. Costs a second projection.
  virtual std::optional<double> approximation_of_cone(const convex::SaddlePoint &) const { return {}; }

  /// Of what the discretisation takes for the zone where it cuts cells; empty where it takes them whole or leaves them out.
  virtual std::optional<VolumeOfZone> volume_of_zone() const { return {}; }

  /// Whether cells are a part of the zone where its boundary cuts them.
  virtual bool cuts_cells() const { return volume_of_zone().has_value(); }

  /// The next mesh of an adaptive run, with p_start() from x; null where this discretisation does not refine.
  virtual std::unique_ptr<Discretization> refined(const convex::SaddlePoint &, const TotalBound &) const { return nullptr; }
};
} // namespace moreau::macro

#endif
