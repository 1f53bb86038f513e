// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_MOTION_H
#define MOREAU_MICRO_MOTION_MOTION_H

#include "convex/effort.h"
#include "convex/law.h"
#include "convex/named_arrays.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace moreau::micro
{
using Eigen::Index;
using Vector = Eigen::VectorXd;

/// What one time step did. Counts and times of one step, energies at its end.
struct StepRecord
{
  std::int64_t step = 0;  ///< 1 for the first one; 0: the initial state
  double       time = 0.; ///< at the end of the step (s)
  double       h    = 0.; ///< its length (s)

  double kinetic_energy = 0.;  ///< ½ uᵀM(q)u at the end (J)
  double work           = 0.;  ///< of the forces since the start (J): on spheres along their displacements, on systems along
                               ///< the mean of the velocities before and after
  double constraint_work = 0.; ///< of walls that move and radii that grow, since the start (J): -Σ p ∂g/∂t
  double dissipated =
      0.;          ///< by impacts, since the start (J): kinetic_energy = initial + work + constraint_work - dissipated
  Vector momentum; ///< Σ m u at the end (d), kg m/s; M(q)u for mechanical systems
  double momentum_error =
      0.; ///< |momentum - (momentum before + h Σ m f + impulse of walls)|, relative to Σ m |u| + what was added to it

  Index n_constraints = 0; ///< rows of the (last) projection
  Index n_contacts    = 0; ///< of these that are felt: p above the tolerance times the largest one
  /// Contacts that hold at the end: γ < 0 by more than the tolerance times the largest one; only where contact is gluey
  std::optional<Index> n_glued;
  double max_overlap = 0.; ///< max (-g)⁺ of the positions at the end; for spheres relative to the smallest radius

  double energy_gain  = 0.; ///< by how much `dissipated` fell in the step (J), an error of its length
  double largest_move = 0.; ///< of spheres: the longest way of the step, in radii of the one that goes it; of systems 0
  double velocity_change =
      0.; ///< |u - u before| in the metric of M (m √kg/s): the sum over the steps is the variation of u_h (BL, Prop. 2.4)

  convex::Effort effort;           ///< of projections with constraints added in between, or repeated by the impact law
  std::string    method;           ///< of the first projection
  double         search_time = 0.; ///< s of the clock, in the search for pairs
};

/// The number of steps, time, q, u and energies are among them.
using MotionState = convex::NamedArrays;

/// A configuration q(t) that moves step by step under forces, constraints and impacts (one of the three schemes).
class Motion
{
public:
  virtual ~Motion() = default;

  /// One step from time() to t_next > time(). Throws InputError where the data make the step impossible: no admissible
  /// velocity, with the chain of contacts that blocks it, a force that is not finite, with the place. A projection that did
  /// not converge is a status in record(), not thrown.
  virtual void advance(double t_next) = 0;

  virtual double        time() const = 0;
  virtual const Vector &q() const    = 0; ///< generalised coordinates; for spheres centres (d n), interleaved by sphere
  virtual const Vector &u() const    = 0; ///< velocity of q, right-continuous: after the impact

  /// Of the last step; of the initial state before the first one.
  virtual const StepRecord &record() const = 0;

  /// Generalised impulse M(u⁺ - u⁻) - ∫f dt of the constraints in the last step, in coordinates of q (kg m/s). Length of q.
  virtual Vector impulse() const = 0;

  virtual MotionState state() const              = 0;
  virtual void restore(const MotionState &state) = 0; ///< Throws std::invalid_argument where it belongs to another motion.
};

enum class Scheme
{
  linearised_constraints, ///< A
  catching_up,            ///< B
  inertia_operator        ///< C
};

/// "linearised constraints", "catching-up", "inertia operator".
std::string name(Scheme scheme);

/// What two spheres in contact do when they are pulled apart.
enum class ContactLaw
{
  dry,
  /// The limit of lubricated contact as the viscosity vanishes (BL, remark 4.3; Maury 2007): each contact has a γ <= 0, the
  /// impulse by which it has been pressed since it closed, dγ = -dp. It holds as long as γ < 0: an impulse by which it is
  /// pulled uses γ up, and where nothing is left it opens.
  gluey
};

/// "dry", "gluey".
std::string name(ContactLaw law);

/// How exact the projections of a step are.
struct StepParameters
{
  convex::StoppingCriterion criterion; ///< always on the natural residual
  std::string               solver = "automatic";
  /// Of the smallest radius: overlap that a step may leave; stop of the iterations of scheme B.
  double     position_tolerance = 1e-8;
  ContactLaw contact_law        = ContactLaw::dry; ///< of scheme A for spheres; gluey: without restitution
};

/// Parameters that all schemes share.
struct MotionParameters : StepParameters
{
  Scheme      scheme = Scheme::linearised_constraints;
  convex::Law law;
  double      resting_speed  = -1.;   ///< approach speed (m/s) below which e = 0; negative: 2 h max|f|
  bool        implicit_force = false; ///< of scheme C
};
} // namespace moreau::micro

#endif
