// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_CONVERGENCE_STUDY_H
#define MOREAU_HOMOGENIZATION_CONVERGENCE_STUDY_H

#include "convex/effort.h"
#include "homogenization/microscopic_law.h"
#include "macro/discretize.h"

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace moreau::homogenization
{
/// A macroscopic projection u = P_{C_ρ} U as a function, which φ_n(U) is compared with.
struct Reference
{
  std::string                     name;       ///< "isotropic", "triangular", "closed form"
  geometry::Field                 u;          ///< dim components (m/s), all over ω; with the D x of a mean gradient
  double                          error = 0.; ///< |u - P_{C_ρ} U| <= error in L²(ω) (m/s m^{d/2}); 0 for a closed form
  bool                            guaranteed = true; ///< of error; else it is an estimate
  bool                            certified  = true; ///< by its solver; false makes the run "not converged"
  std::string                     description;       ///< one line for the log
  std::string                     remark;            ///< one sentence, empty where there is nothing to say
  macro::Cone                     cone;              ///< which it belongs to
  std::function<geometry::Mesh()> fields;            ///< for pictures; empty for a closed form
};

/// The finite-element projection of setting.U as a Reference, which keeps its mesh alive.
/// Throws InputError as macro::discretize() does, and where the mesh offers no velocity as a function.
Reference macroscopic_projection(const macro::Setting &setting, const std::string &solver,
                                 const convex::StoppingCriterion &criterion, const geometry::Progress &progress = {});

/// What u of a reference is compared by: what repeats itself of it, u itself where the box does not repeat itself.
geometry::Field fluctuation_of(const Reference &reference, const macro::Setting &setting);

/// How near φ_n(U) is to one reference.
struct Comparison
{
  Distance error;         ///< |v - u| against the reference's u, v constant on cells
  double   relative = 0.; ///< to |U - mean U|; NaN where U is uniform
  double   lower =
      0.; ///< lower and upper end of |v - P_{C_ρ} U|, with the reference's error, the algebraic and the quadrature error
  double   upper = 0.;
  Distance interpolant; ///< the same for the P1 interpolant of ũ, on the Delaunay mesh
  /// (|v|² - <u, U>) / |U - mean U|², in the frame of mean U where there are no walls: |v|² = <v, U> for every projection
  /// on a cone, so that it tends to 0 where v tends to u, weakly or not. Below 0 spheres give way less than the cone of u
  /// allows. NaN with a mean gradient: then velocities project on convex sets that are no cones.
  double defect = 0.;
  Vector coarse;                                                       ///< coarse_distances() of StudyOptions::windows
  double order             = std::numeric_limits<double>::quiet_NaN(); ///< in the radius, from the level before
  double order_interpolant = std::numeric_limits<double>::quiet_NaN();
};

/// Falk's estimate |u - v|² <= |u - f|² + 2 |u - U| (|u - f| + |g - v|), f in C_n, g in C_ρ (BM, eq. 40, with the
/// constants 1 and 2), and the two conditions of (BM, remark 6): |u - f| -> 0 and |g - v| -> 0.
struct FalkEstimate
{
  double interpolation       = 0.;   ///< |u - u_int|, u_int the cell means of u
  double violation           = 0.;   ///< by which u_int fails to lie in C_n (m/s), at any contact
  double violation_inside    = 0.;   ///< the same at contacts of cells that no boundary cuts
  double consistency         = 0.;   ///< |u - f|, f the projection of u_int on C_n
  double nonconformity       = 0.;   ///< |g - v|: at least the distance of v from C_ρ; 0 where v lies in it
  bool   nonconformity_known = true; ///< else no g was computed, and `bound` is not known
  double bound               = 0.;   ///< square root of the right-hand side, with the errors of u, ũ and quadrature
};

struct StudyOptions
{
  std::string               solver = "automatic";
  convex::StoppingCriterion criterion;
  bool                      interpolant = true; ///< also the P1 interpolant on the Delaunay mesh
  bool                      falk        = true;
  std::vector<int>          windows;              ///< k of the coarse distances
  bool                      nonconforming = true; ///< project v on C_ρ where it does not lie in it, to find g
  Index largest_nonconforming = 40000;            ///< spheres up to which that is done: it takes as long as the level itself
};

/// Everything that is known of one level.
struct Level
{
  Index               n_spheres = 0, n_contacts = 0, n_cut = 0; ///< n_cut: cells that a boundary cuts
  double              radius  = 0.;                             ///< the largest (m)
  double              refined = 0.;                             ///< ln(radius of the level before / radius); set_orders()
  convex::Effort      effort;                                   ///< of the projection
  convex::Certificate certificate;
  std::string         method;
  double              zone_volume = 0., volume_error = 0.; ///< |ω| (m^d)
  double              scale           = 0.;                ///< |U - mean U| in L²(ω)
  bool                of_fluctuations = false;  ///< all below that is |·|, ∫ or cellwise; else of velocities themselves
  double              dissipated_fraction = 0.; ///< 1 - |v|²/|Ũ|²; NaN of fluctuations
  double              norm_U = 0., norm_U_tilde = 0., norm_v = 0.; ///< |U| >= |Ũ| >= |v|; |v| of fluctuations may be larger
  Vector              momentum_before, momentum_after;             ///< ∫Ũ and ∫v over ω (kg m/s per unit of density)
  double              momentum_defect      = 0.; ///< |∫v - ∫U| / (|ω|^{1/2} |U|): quadrature and round-off
  double              momentum_defect_of_u = 0.; ///< the same of the first reference: large where that is no projection of U
  double              restriction_error    = 0.; ///< estimated error of Ũ by quadrature, in L²(ω)
  double              micro_bound          = 0.; ///< |ũ - P_{C_r}Ũ| <= micro_bound in L²(ω)
  double direct_bound = std::numeric_limits<double>::infinity(); ///< |v - u| <= direct_bound without any macroscopic
                                                                 ///< solve, where v and p extend to ω (bricks)
  double face_violation    = 0.;       ///< of the first reference's cone, see microscopic_law.h; relative to max|U - mean U|
  double shifted_violation = 0.;       ///< the same
  std::vector<Comparison> comparisons; ///< one per reference
  FalkEstimate            falk;        ///< for the first reference
  double                  seconds_cells = 0., seconds_transfer = 0., seconds_comparison = 0.;
  Vector                  U_tilde, u_tilde, u_int; ///< d n; u_int: cell means of the first reference
  Vector                  p;                       ///< multipliers of contacts
};

/// φ_n(U) on one packing, compared with the references. The first of them is
/// the one that Falk's estimate and violations refer to.
/// In a box that repeats itself all is as on a torus, and with a mean gradient D of fluctuations, which are velocities less
/// D x (less D r of a sphere); distances are the same. The interpolant is compared where the box repeats itself along all
/// axes or none. Throws InputError("the mean gradient", ...) where contacts let no velocity with this D pass.
///   setting   domain, U and the mesh on which v is projected for Falk's estimate
/// The processes of packing.cells call together, with the same packing and references: the first one projects, all share the
/// integrals over cells, and all have the result, which does not depend on their number. Of a packing in parts each projects
/// and has the cellwise fields of its own cells; all else in the result is that of all.
Level study(const Packing &packing, const macro::Setting &setting, const std::vector<Reference> &references,
            const StudyOptions &options, const geometry::Progress &progress = {});

/// Whether a norm of differences of velocities is what |U| (or the scale) rounds away, 64 ε of it: without an order.
bool is_rounding(double distance, const Level &level);

/// Fills refined and the orders of levels, which come with decreasing radius; NaN where distances are rounding.
void set_orders(std::vector<Level> &levels);

/// How many of n levels, the last ones, tell the observed order: three, or all where there are fewer.
std::size_t n_in_order(std::size_t n);

/// Least squares slope of log(error) over log(radius) in the last levels, n_in_order() of them (NaN with one), for one
/// reference.
double observed_order(const std::vector<Level> &levels, std::size_t reference = 0);

/// The same for any sizes and errors of one length.
double observed_order(const std::vector<double> &sizes, const std::vector<double> &errors);

/// Least squares slope of log(seconds of a level) over log(number of spheres), all levels that take a tenth of a second or
/// more: shorter ones tell how threads start. NaN with fewer than two.
double observed_cost(const std::vector<Level> &levels);

/// Whether every contact direction is, up to sign, one of the cone's, and every direction of the cone occurs: else no
/// theorem and no experience says that φ_n(U) tends to the projection on that cone.
bool directions_match(const micro::ContactGraph &graph, const macro::Cone &cone);
bool directions_match(const Packing &packing, const macro::Cone &cone); ///< the same; all processes call
} // namespace moreau::homogenization

#endif
