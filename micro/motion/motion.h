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

  double kinetic_energy = 0.; ///< ½ uᵀM(q)u at the end (J)
  /// Of the forces since the start (J): ∫ f(t, q, q')·dq along the way that q goes, straight in each step. Of systems with
  /// what changes ½ uᵀM(q)u on it: inertial forces do no work.
  double work            = 0.;
  double constraint_work = 0.; ///< of walls that move and radii that grow, since the start (J): -Σ p ∂g/∂t
  /// By impacts, since the start (J), by the formula of Thomson and Tait: the reactions R of a step take -R·(u⁻ + u⁺)/2. It
  /// never falls: reactions that give energy, where a step has a rebound and a force, are an error of the scheme.
  double dissipated = 0.;
  /// What the scheme adds to the energy by itself since the start (J), or takes from it where it is negative:
  /// kinetic_energy = initial + work + constraint_work - dissipated + scheme_error.
  double scheme_error = 0.;
  Vector momentum; ///< Σ m u at the end (d), kg m/s; M(q)u for mechanical systems
  double momentum_error =
      0.; ///< |momentum - (momentum before + h Σ m f + impulse of walls)|, relative to Σ m |u| + what was added to it

  Index n_constraints = 0; ///< rows of the (last) projection
  Index n_contacts    = 0; ///< of these that are felt: p above the tolerance times the largest one
  /// Constraints that no admissible velocity opens, at least: those that a self-stress presses, where the step needed one
  /// (StepSolution::stress). In a step that does not, nobody looks for them; only of spheres
  std::optional<Index> n_rigid;
  /// Contacts that hold at the end: γ < 0 by more than the tolerance times the largest one; only where contact is gluey
  std::optional<Index> n_glued;
  double max_overlap = 0.; ///< max (-g)⁺ of the positions at the end; for spheres relative to the smallest radius

  double pushed_energy = 0.; ///< kinetic energy (J) of what the forces alone would make of the velocity in the step
  double energy_gain   = 0.; ///< what reactions gave in the step instead of taking (J), an error of its length
  double largest_move  = 0.; ///< of spheres: the longest way of the step, in radii of the one that goes it; of systems 0
  /// Of spheres: h times the largest rate (1/s) at which the force slows one down, -∂f/∂u along u at the beginning. Above 1
  /// the step turns its velocity round, above 2 drag makes it faster and faster. Of systems 0.
  double drag = 0.;
  /// Of spheres (J): energy of approach of contacts that did not rebound, because they count as at rest (Rebound); what
  /// forces added in the step is not in it. Of systems 0.
  double unrebounded = 0.;
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
  /// not converge is a status in record(), not thrown. What is thrown, by a force as well, leaves the motion as it was.
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
  double resting_speed  = -1.; ///< approach speed (m/s) below which e = 0; negative: twice what forces press with in a step
  bool   implicit_force = false; ///< of scheme C
};
} // namespace moreau::micro

#endif
