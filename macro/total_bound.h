// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_TOTAL_BOUND_H
#define MOREAU_MACRO_TOTAL_BOUND_H

#include "convex/cone_projection.h"
#include "geometry/processes.h"
#include "geometry/progress.h"
#include "macro/vocabulary.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

/// Error bounds against the exact projection u of the continuous problem, discretisation included: the one judge of every
/// mesh, as convex::certify() is of every solver.
namespace moreau::macro
{
/// For v admissible everywhere and p admissible in the continuous sense, with u_p = U - B*p,
///     η² = |v - u_p|² + 2 <-Bv, p>  >=  |v - u|² + |u_p - u|²       (norms in L² over the saturated zone).
/// v and p are built from the discrete solution; v is what fields() shows as the reconstructed velocity.
///
/// The same pair bounds the energy of u, the projection of U on a cone: |U|² = |u|² + |U - u|², |U - u| <= |U - v|, and
/// |u| <= |u_p|, since u is the smallest of all U - B*q with q >= 0. So
///     |U|² - |U - v|²  <=  |u|²  <=  |u_p|² = |U|² - |U - v|² + η²,
/// guaranteed where η is, and estimates, wider on both sides by twice the oscillation of U and, where U may have a step or a
/// kink in a cell, by |U| times the root of the oscillation there, where η is one because U is no polynomial. Where
/// integrals are never exact (the zone cuts cells) what rules leave out is larger than η², and nothing is said.
struct TotalBound
{
  /// η bounds the error on the zone that was asked for, or would if U were integrated exactly; false: `remark` says why.
  bool        available         = false;
  bool        guaranteed        = false; ///< false: not available, or an estimate by quadrature, as `remark` says
  bool        estimated         = false; ///< not available, but η is still an estimate of the error, and no bound
  double      eta               = 0.;    ///< η (m/s m^{d/2})
  double      relative          = 0.;    ///< η / |U - mean U| over the zone
  double      scale             = 0.;    ///< |U - mean U| over the zone
  bool        scale_is_of_U     = false; ///< it is |U| instead: U is uniform, and its spread is rounding
  double      mismatch          = 0.;    ///< |v - u_p|²
  double      work              = 0.;    ///< 2 <-Bv, p>: what v and p do to each other where both should not be
  double      least_energy      = 0.;    ///< ½|u|² is not below (m²/s² m^d); NaN where integrals are too coarse for that
  double      most_energy       = 0.;    ///< and not above
  double      oscillation       = 0.;    ///< part of η² that comes from U being no polynomial on cells, by quadrature
  double      largest_violation = 0.;    ///< of the constraints by v, in 1/s; round-off of zero
  int         pair              = 0;     ///< which of the pairs that were tried
  std::string construction;              ///< "RT1 and Bernstein-Q2 from cell pressures"
  std::string remark;                    ///< one sentence, empty where there is nothing to say
  Vector      indicator;                 ///< per cell of fields(): its part of η² (own cells)

  /// Where integrals are too coarse for bounds of the energy.
  void forget_energies() { least_energy = most_energy = std::numeric_limits<double>::quiet_NaN(); }
};

/// Integrals over some cells, and what is largest there. U counts by its mean and what deviates from it, so that a fast
/// frame drowns nothing in rounding.
struct GapIntegrals
{
  std::array<double, 2> mismatch = {}, work = {}; ///< |v - u_p|² and 2 <-Bv, p> of each pair that is tried
  std::array<double, 2> energy      = {};         ///< ½(|U|² - |U - v|²) of each pair; NaN: not known
  double                oscillation = 0.;
  double                violation = 0., speed = 0.; ///< of the constraints by v (1/s); |v| (any norm)
  double                volume = 0., spread = 0.;   ///< spread: ∫|U - mean|²
  Eigen::Vector3d       mean = Eigen::Vector3d::Zero();

  double gap(const int pair) const { return mismatch[pair] + work[pair]; }

  /// In the order of the calls, hence the same for any number of threads.
  void add(const GapIntegrals &other);
};

/// What the points of rules do not see of U.
struct Unseen
{
  double squared = 0.; ///< of it in η², see AdmissiblePair::hidden()
  double energy  = 0.; ///< of it in ∫U·v (m²/s² m^d), by its size: steps and kinks are of first order there

  Unseen &operator+=(const Unseen &more)
  {
    squared += more.squared;
    energy += more.energy;
    return *this;
  }
};

/// Velocities and pressures for η², on a mesh that only they know. Up to two pairs that share U and its quadrature may be
/// tried at once.
class AdmissiblePair
{
public:
  struct Facts
  {
    std::vector<std::string> constructions; ///< in words, one per pair
    Index                    n_cells       = 0;
    Index                    at_a_time     = 1;           ///< cells in a block, whatever the number of threads
    std::string              cells         = "cells";     ///< what they are called
    std::string              polynomials   = "quadratic"; ///< what the oscillation leaves out
    bool                     zone_is_seen  = true; ///< false: parts of it may be overlooked, and nothing bounds the error
    bool                     zone_is_cells = true; ///< the zone is a union of cells; else nothing bounds the error
    bool                     feasible      = true; ///< false: v is known to violate the constraints
    std::string other_problem;  ///< why η is that of a problem near the one asked for, and bounds nothing, as a sentence
    std::string quadrature;     ///< why the integrals are never exact, as a sentence; empty where those of polynomials are
    double      width     = 0.; ///< of the smallest cell (m), over which v may be off by rounding; 0: `feasible` tells
    Processes   processes = Processes::alone(); ///< each has cells of its own
    /// First cells of parts that no two processes share, and n_cells: sums over parts are added in the order of all of them,
    /// so that no digit depends on the processes. Empty: sums of processes are added.
    std::vector<Index> parts = {};
  };

  explicit AdmissiblePair(Facts facts) : facts(std::move(facts)) {}
  virtual ~AdmissiblePair() = default;

  /// Over cells first ... last-1, a block; sets their indicators (n_cells x pairs). Called from several threads.
  virtual GapIntegrals integrals(Index first, Index last, Eigen::MatrixXd &indicators) const = 0;

  /// Over these cells Σ of |U - P|² times the volume, P the polynomials through the points of the rule, and |U - P| the
  /// largest in their corners, and in parts of cells of which U knows itself: what the points do not see. And Σ of
  /// |U| |U - P|, norms on cells, where U may be no smooth function on them. Called from several threads.
  ///   all_seen  the points tell that U is a polynomial on all cells; else only U itself can tell more, and corners do not
  virtual Unseen hidden([[maybe_unused]] Index first, [[maybe_unused]] Index last, [[maybe_unused]] bool all_seen) const
  {
    return {};
  }

  const Facts facts;
};

/// Integrals over parts, those of other processes included, added in the order of their ranks.
GapIntegrals sum_of(const std::vector<GapIntegrals> &parts, const Processes &processes);

/// Integrals over all cells, those of other processes included.
GapIntegrals integrals_of(const AdmissiblePair &pair, Eigen::MatrixXd &indicators, const Progress &progress = {});

/// The bound of the better pair. It is available where v is admissible up to rounding and the zone is a union of cells (else
/// η is that of another zone, with its indicators), and guaranteed where U is integrated exactly besides.
TotalBound total_bound(const AdmissiblePair &pair, const Progress &progress = {});

/// Cells with at least this much carry `fraction` of the whole (Dörfler); cells that are alike by symmetry go together;
/// infinity where there is nothing. By bisection, so that any number of processes marks the same.
///   indicator: per own cell, >= 0
double marking_threshold(const Vector &indicator, double fraction, const Processes &processes);

/// What is demanded of the discrete projection x in view of its discretisation: the criterion or, where that is not met, a
/// relative bound of a tenth of η if that is larger (both relative to the scale of x's certificate), at most .1. Where η
/// is no bound it tells all the same what the mesh leaves at least, on the cells that stand for the zone, and counts up to
/// 1e-4. Residuals are demanded as ever. An answer that meets all this has converged, although the solver that was after
/// the tolerance gave up; another status stays.
/// Sets x.certificate.demanded.
void judge(const convex::StoppingCriterion &criterion, const TotalBound &bound, convex::SaddlePoint &x);

/// Calls f(first, last) for blocks of n things from several threads.
template <class F>
void for_blocks(const Index n, const Index at_a_time, const F &f, const Progress &progress = {})
{
  const Index n_blocks = (n + at_a_time - 1) / at_a_time;
  Steps       steps(progress, n_blocks);
  tbb::parallel_for(Index(0), n_blocks, [&](const Index block) {
    f(block * at_a_time, std::min(n, (block + 1) * at_a_time));
    steps.done();
  });
}
} // namespace moreau::macro

#endif
