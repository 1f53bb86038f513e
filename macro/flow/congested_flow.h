// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_CONGESTED_FLOW_H
#define MOREAU_MACRO_FLOW_CONGESTED_FLOW_H

#include "convex/effort.h"
#include "convex/law.h"
#include "convex/named_arrays.h"
#include "geometry/box_grid.h"
#include "macro/vocabulary.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

/// Pressureless Euler equations with a maximal density and an impact law [BM (46)]:
///     ∂_t ρ + div(ρu) = 0,   ∂_t(ρu) + div(ρu⊗u) + ∇p = ρf,   0 <= ρ <=
///     ρ̄,   (ρ̄ - ρ)p = 0,   p >= 0,   u⁺ = u⁻ - (1+e)(u⁻ - P_C u⁻).
/// ρ is relative to the density of a packing: dimensionless, masses are volumes (m^d). p is divided by it, too (m²/s²).
namespace moreau::macro
{
/// What stands at a side of the box.
enum class Boundary : char
{
  open, ///< matter leaves freely, nothing enters
  wall,
  inflow,  ///< matter enters with given density and velocity, unless it finds no room
  periodic ///< both sides of an axis
};

/// How the density on a face is chosen.
enum class DensityFlux : char
{
  upwind,        ///< first order, smears the edges of blocks over ever more cells
  anti_diffusive ///< as far downwind as bounds allow: edges stay within a cell or two
};

/// How the velocity that a mass flux carries is chosen.
enum class CarriedVelocity : char
{
  upwind,        ///< first order
  energy_limited ///< second order where velocities are smooth, as far as the kinetic energy does not rise
};

/// What becomes of the velocities of bodies that meet.
enum class BodyVelocities : char
{
  mixed, ///< one velocity: where bodies meet within a cell theirs mix, and what is lost there does not vanish with the cells
  kept   ///< one velocity per body: macro/flow/colour.h
};

/// What a flow starts from and obeys.
struct FlowSetting
{
  BoxGrid                 grid;
  std::array<Boundary, 6> sides = {}; ///< in the order of Sides
  CellArray               rho;        ///< means over the cells at t = 0
  CellArray               rho_max;    ///< ρ̄ per cell; 0: a solid obstacle
  std::array<CellArray, 3>
      momentum; ///< ρu at t = 0 per axis: means over the cells; half of it goes to either face of a cell

  /// ∫ρ at t = 0 as it was asked for (m^d), which errors of mass are relative to, and the estimated error of it; empty: what
  /// the cells hold.
  std::optional<double> mass_asked_for;
  double                mass_asked_for_error = 0.;

  /// ½∫ρ|u|² at t = 0 as it was asked for, and its estimated error; empty: not known. What varies within cells is not in
  /// that of the flow.
  std::optional<double> energy_asked_for;
  double                energy_asked_for_error = 0.;

  /// Density (first row) and velocity (the others) of what enters, at the
  /// points x (dim x n) and time t; empty: nothing does.
  std::function<void(double t, const Eigen::MatrixXd &x, Eigen::MatrixXd &values)> inflow;

  /// Force per unit mass at the points x (dim x n, m) where the velocity is u
  /// (dim x n, m/s): f becomes dim x n (m/s²). Empty: none.
  std::function<void(double t, const Eigen::MatrixXd &x, const Eigen::MatrixXd &u, Eigen::MatrixXd &f)> force;
  bool force_is_steady    = false; ///< it depends on x alone
  bool force_has_velocity = true;  ///< it depends on the velocity: drag is then taken implicitly, see advance()

  double inflow_until = 0.; ///< s: an inflow whose velocity never leads inwards until then is refused

  BodyVelocities  bodies   = BodyVelocities::mixed;
  DensityFlux     flux     = DensityFlux::anti_diffusive;
  CarriedVelocity velocity = CarriedVelocity::energy_limited;
  convex::Law     law;
  double          cfl = .5; ///< outflow of a cell in one step, of what it holds: at most 1
  /// Of the congestion problem of each step: the tolerance is that of the natural residual, relative to the fastest flux.
  convex::StoppingCriterion criterion;
};

/// Of a flow with BodyVelocities::kept. Since the start: bodies = births + broken_off - deaths - fusions - gone.
struct BodyCounts
{
  /// When and where something happened first.
  struct First
  {
    double                time  = -1.; ///< s; below 0: never
    std::array<double, 3> place = {};  ///< m, centre of mass of what it happened to
  };

  std::int64_t bodies = 0;                          ///< now
  std::int64_t births = 0, changes = 0, deaths = 0; ///< since the start: bodies found, colours changed, bodies given up
  std::int64_t colours = 0;                         ///< the most in use, besides the mixture
  /// Pieces of matter at the start with full cells that are narrower than three cells; with gaps of less than a cell.
  std::int64_t thin = 0, joined = 0;
  std::int64_t surrounded = 0; ///< likewise, with full cells that thinner matter surrounds or touches
  std::int64_t fused      = 0; ///< the most bodies at a time that no colour was free for
  std::int64_t changed    = 0; ///< bodies that came where ρ̄ varies, and pieces that lay there at the start
  /// Since the start: pieces of bodies that are apart from the rest; bodies that came to touch one of their colour and move
  /// with it; that left the box, or wore away to debris, from one step to the next.
  std::int64_t broken_off = 0, fusions = 0, gone = 0;
  /// Of the deaths: those neither at a side through which matter leaves nor where ρ̄ varies.
  std::int64_t narrowed = 0;
  First        first_narrowed, first_fused;
};

/// Matter that had one velocity at t = 0, now.
struct BodySums
{
  double mass = 0.;    ///< ∫ρ (m^d)
  Vector momentum;     ///< ∫ρu
  Vector first_moment; ///< ∫ρx (m^d m)
  double energy = 0.;  ///< ½∫ρ|u|²
};

/// What one step did; integrals over the whole box, of all processes.
struct FlowRecord
{
  std::int64_t step = 0; ///< 1 for the first one; 0: the initial state
  double       time = 0., h = 0.;

  double mass = 0.;           ///< ∫ρ (m^d)
  Vector momentum;            ///< ∫ρu
  double kinetic_energy = 0.; ///< ½∫ρ|u|²
  double work           = 0.; ///< of the force since the start, along the mean of the velocities before and after each step
  double mass_in        = 0.; ///< through open sides and inflow since the start, less what left
  Vector momentum_in;         ///< through the sides, by walls, solids and the force since the start
  double mass_error     = 0.; ///< |mass - asked for - mass_in| / (asked for + what entered)
  double momentum_error = 0.; ///< |momentum - initial - momentum_in|, relative to ∫∫ρ|f| dt and ∫ρ|u|, see formats.md
  double min_density = 0., max_density = 0.; ///< of ρ and of ρ/ρ̄
  double congested_volume = 0.;              ///< of the cells with ρ >= (1 - 1e-8) ρ̄
  double pressure         = 0.;              ///< ∫p dx, mean over the step
  double impulse          = 0.;              ///< ∫∫p dx dt since the start
  double largest_speed    = 0.;              ///< m/s, over faces next to matter

  convex::Effort effort; ///< of the congestion problems of this step: density, then impact law
  convex::Effort
      impact; ///< of those of the impact law alone, the only ones with an error bound, relative to |u⁻| in the zone
  std::int64_t n_impacts          = 0;  ///< with rebound (e > 0) in this step, with repetitions
  double       unrebounded_energy = 0.; ///< J: what e > 0 would have left of approaches of this step that count as at rest
  std::int64_t rebounds_of_matter = 0;  ///< the most that the same matter has taken part in since the start
  bool         any_between_bodies = false; ///< of all rebounds since the start; else they were from walls and solids alone
  BodyCounts   bodies;
  double       transport_time = 0., congestion_time = 0.; ///< s of the clock
};

/// Finite volumes on staggered cells: ρ and p in cells, velocities on faces, momentum conserved on the dual cells around
/// faces. 1D, 2D, 3D; processes share layers of the last axis.
class CongestedFlow
{
public:
  /// Throws InputError where the data are not those of a flow: ρ outside [0, ρ̄], more processes than layers, ...
  explicit CongestedFlow(FlowSetting setting);
  ~CongestedFlow();

  /// Longest step that the CFL condition allows from here (s); infinite where nothing moves. Forces of the step are counted.
  double longest_step() const;

  /// Time until the next contact between bodies closes, at most `longest`, at least a millionth of it: where a step should
  /// end. Where bodies keep their velocity, on the line; elsewhere `longest`.
  double until_contact(double longest) const;

  /// One step to t_next > time(). A force f(u) adds h f/(1 + h k), k = (-∂f_a/∂u_a)⁺ per axis: drag, however strong,
  /// brings to rest and not beyond.
  /// Throws InputError("the time step", ...) where it is longer than longest_step() allows by more than
  /// rounding, and for forces that are not finite.
  void advance(double t_next);

  double             time() const;
  const FlowRecord  &record() const;
  const FlowSetting &setting() const;

  const CellArray &rho() const;      ///< ghosts up to date
  const CellArray &pressure() const; ///< mean over the last step (m²/s²)
  const CellArray &impulse()
      const; ///< ∫p dt since clear_impulse() (m²/s): p itself jumps from step to step, its mean over many steps does not
  void       clear_impulse();      ///< and its time
  double     impulse_time() const; ///< s since clear_impulse() or the start
  FaceArrays velocity() const;     ///< u on faces; 0 where there is no matter next to the face
  FaceArrays mass_flux() const;    ///< ρu through faces, mean over the last step (m/s); 0 before the first one
  /// On faces that are walls or sides of solids: density of the momentum that they took in the last step along the axis
  /// (m/s), times the volume of a cell their impulse; 0 elsewhere. It is that of p, of what arrives and stops, and of what
  /// the force does to the half cell at the face, which they carry. Without drag and with constant ρ̄ the sum of all is what
  /// the balance of momentum lacks.
  FaceArrays obstacle_impulse() const;
  /// Momentum of cells over their mass, dim per own cell, i fastest (m/s); 0 in empty cells.
  Eigen::MatrixXd cell_velocities() const;

  /// Beyond the line, of two bodies in the order of share_of_first_body(), whose matter is followed; empty where matter has
  /// not two velocities at t = 0. All processes call.
  std::vector<BodySums> two_bodies() const;

  /// Of this process; bit for bit.
  convex::NamedArrays state() const;
  void restore(const convex::NamedArrays &state); ///< Throws std::invalid_argument where it belongs to another flow.

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};
} // namespace moreau::macro

#endif
