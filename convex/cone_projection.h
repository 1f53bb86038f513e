// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_CONE_PROJECTION_H
#define MOREAU_CONVEX_CONE_PROJECTION_H

#include "convex/circular_rows.h"
#include "convex/constraint_operator.h"
#include "convex/velocity_space.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace moreau::convex
{
/// A field w with Bw < 0 row by row: moving a little along it repairs what violates Bv <= b. For touching spheres it is
/// the expansion r - c of each connected cluster. Parts are the clusters, on which w may be scaled separately.
struct Expansion
{
  Vector           w;               ///< length n; empty: no such field is known
  std::vector<int> part_of_unknown; ///< length n, 0 ... n_parts-1
  std::vector<int> part_of_row;     ///< length m
  int              n_parts = 0;

  bool empty() const { return w.size() == 0; }
};

/// Brings a velocity that violates some rows a little back into K, better than an expansion can: what a mesh makes possible.
class FeasibleRepair
{
public:
  virtual ~FeasibleRepair() = default;

  /// v near u (length n) with Bv <= b up to rounding, where that can be achieved.
  virtual Vector repaired(const Vector &u) const = 0;
};

/// Find u = P_K U, K = { v : Bv <= b }, in the metric of V; a cone where b = 0 (BM, eq. 50):
///     u + B*p = U,   p >= 0,   Bu <= b,   <Bu - b, p> = 0,      B*p = M⁻¹Bᵀp.
/// Where rows demand something together, b - Bu ∈ Q and p ∈ Q stand for the inequalities (CircularRows).
/// Owns its V and B because the functions that build problems return it; solvers keep no reference to it.
struct ProjectionProblem
{
  std::shared_ptr<const VelocitySpace>      V;
  std::shared_ptr<const ConstraintOperator> B;
  Vector                                    U; ///< velocity to project (n), m/s
  Vector                                    b; ///< right-hand side (m), m/s; length 0 means zero
  Expansion                                 expansion;
  std::shared_ptr<const FeasibleRepair>     repair;  ///< used before the expansion; may be null
  std::shared_ptr<const CircularRows>       circles; ///< null: every row is an inequality of its own

  Index  n_unknowns() const { return V->size(); }
  Index  n_constraints() const { return B->n_constraints(); }
  bool   is_cone() const { return b.size() == 0 || b.isZero(0.); }
  Vector right_hand_side() const { return b.size() == 0 ? Vector(Vector::Zero(n_constraints())) : b; }

  /// u_p = U - B*p for given p: what every solver reports and every certificate starts from.
  Vector velocity_of(const Vector &p) const;

  /// How far y = Bv - b (m) is from what is admissible, row by row: <= 0 where it is. Rows of a circle have one number.
  Vector excess(const Vector &y) const { return circles ? circles->excess(y) : y; }

  /// The multiplier nearest to p (m): p⁺, or that of Q.
  Vector nearest_multiplier(const Vector &p) const { return circles ? circles->nearest(p) : Vector(p.cwiseMax(0.)); }
};

/// Residuals and error bounds of a pair (u, p). All numbers but `scale` are relative and dimensionless.
struct Certificate
{
  /// relative_error_bound holds for u, whatever solver produced it (up to
  /// rounding, where ‖p‖₁ stands for that of the exact p)
  bool   guaranteed           = false;
  double relative_error_bound = 0.; ///< >= |u - P_K U| / scale where guaranteed, an estimate elsewhere
  double bound_relative_to_u  = 0.; ///< the same bound divided by |u - mean u| instead of scale; infinite where u is uniform
  double gap                  = 0.; ///< ½|v - u_p|² + <b - Bv, p> of the repaired v, relative: divided by scale²
  double primal_infeasibility = 0.; ///< max (Bu - b)⁺ / max|U - mean U|
  double dual_infeasibility   = 0.; ///< max p⁻ (in velocity units) / max|U - mean U|
  double complementarity      = 0.; ///< |<b - Bu, p>| / scale²
  double momentum             = 0.; ///< |u + B*p - U| / scale
  double natural_residual     = 0.; ///< max |min(p, b - Bu_p)| / max|U - mean U|, p scaled to a velocity, u_p = U - B*p
  double round_off_floor      = 0.; ///< √(2ε‖p‖₁ max|v|) / scale, p of rows where v is not 0: no bound gets below
  double demanded             = 0.; ///< relative error bound that the solver's StoppingCriterion demanded of this answer
  double scale                = 0.; ///< max(‖U - mean U‖, ‖(B mean U - b)⁺‖/‖B‖): independent of the frame
};

enum class Status
{
  converged,       ///< certificate.relative_error_bound meets the StoppingCriterion
  iteration_limit, ///< the cap was reached first
  stagnated,       ///< no further progress is possible with this method
  infeasible       ///< K is empty: p >= 0, B*p = 0, <b,p> < 0; the support of p names the blocking rows
};

/// "converged", "iteration limit", "stagnated", "infeasible".
std::string name(Status status);

/// Rows that no admissible velocity opens, because a self-stress presses them (Face).
struct RigidSet
{
  Index  n_rows = 0; ///< of all processes
  Vector is_rigid;   ///< per row here 1 or 0; of length 0 where there are none
};

/// What every projector returns.
struct SaddlePoint
{
  Vector                  u; ///< projected velocity (n), m/s
  Vector                  p; ///< multipliers (m), p >= 0, in kg m/s: M(U - u) = Bᵀp
  Certificate             certificate;
  unsigned int            n_iterations = 0;
  Status                  status       = Status::iteration_limit;
  std::string             method; ///< what was done, for log and summary: "interior point (14)"
  std::optional<RigidSet> rigid;  ///< empty: nobody looked for them

  bool converged() const { return status == Status::converged; }
};

/// Told, from the thread that solves, how large the error is that an iteration looks at, and at which size it ends; each
/// method has its own error, so that only ratios mean something. May be empty.
struct Watch
{
  std::function<void(double error, double enough)> tell = {};

  void operator()(const double error, const double enough) const
  {
    if (tell)
      tell(error, enough);
  }
};

/// When a projector may stop.
struct StoppingCriterion
{
  double       tolerance      = 1e-6; ///< relative error bound demanded; natural residual demanded where on_natural_residual
  unsigned int max_iterations = 100000; ///< in the solver's own unit: passes, factorisations, changes of the active set
  /// Stop on certificate.natural_residual instead of the bound: what time
  /// stepping does, where a bound per step costs too much.
  bool on_natural_residual = false;
  /// Where > 0: coupled lines end as soon as their error, relative, is estimated to be below it. The certificate is then not
  /// guaranteed, and its bound is that estimate. Other solvers take no notice.
  double accuracy = 0.;
  Watch  watch    = {}; ///< for lines of progress

  /// Relative error bound that is demanded in view of what can be certified at all: the tolerance, or three times the
  /// round-off floor where that is larger (at most 1e-4: a huge ‖p‖₁ is no excuse for a poor bound).
  double demanded(const Certificate &certificate) const;

  /// What is demanded has been reached. A bound that is only an estimate leaves out the rows that nothing repairs: it counts
  /// only together with the natural residual and the primal infeasibility.
  bool met_by(const Certificate &certificate) const;
};

/// Projects on K. Implementations are immutable: project() may be called from several threads.
class ConeProjector
{
public:
  virtual ~ConeProjector() = default;

  /// p_start: a guess of p (length m) from a neighbouring problem, or null.
  /// Never throws for lack of convergence: status says.
  /// Throws std::invalid_argument where the problem does not have the structure that the solver needs.
  virtual SaddlePoint project(const ProjectionProblem &problem, const Vector *p_start = nullptr) const = 0;
};
} // namespace moreau::convex

#endif
