// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_IMPACT_H
#define MOREAU_MICRO_IMPACT_H

#include "convex/impact_law.h"
#include "micro/contact_graph.h"

#include <string>

namespace moreau::micro
{
/// How an impact is computed.
struct ImpactOptions
{
  convex::Law               law;                                         ///< restitution e, and what repetitions it may have
  convex::StoppingCriterion criterion;                                   ///< tolerance: the relative error bound demanded
  std::string               solver            = "automatic";             ///< a name that convex::make_projector() knows
  double                    contact_tolerance = usual_contact_tolerance; ///< of the smaller radius: what counts as a contact
  PeriodicBox               box               = {};                      ///< that repeats itself; the spheres lie within it
  Eigen::MatrixXd           mean_gradient = {}; ///< D of that box (d x d, 1/s), part of the U that is given; of size 0: none
};

/// One impact of spheres, with all that it was computed from.
struct SphereImpact
{
  ContactGraph              graph;   ///< the contacts: rows of B
  convex::ProjectionProblem problem; ///< its U is the velocity before
  convex::Impact            law;     ///< velocity after, impulses, certificate
};

/// Moreau's law (BM, eq. 3-4, 8) for all spheres that touch: u⁺ = U - (1+e)(U - P_C U), M(U - u⁺) = Bᵀ impulse.
///   U        length d n, interleaved by sphere (m/s)
///   walls    may move; their normals are unit vectors
///   p_start  a guess of the impulses of the first projection (m), from a neighbouring problem, or null, in the order of the
///            contacts of the graph
/// Throws InputError for spheres that overlap or are not valid, a restitution outside [0, 1], a velocity that is not finite,
/// a solver that does not exist, and where walls or the mean gradient leave no admissible velocity, with the chain of
/// spheres that they squeeze.
/// A projection that did not converge is a status in law.effort, not thrown.
SphereImpact impact(const Spheres &spheres, const std::vector<Wall> &walls, const Vector &U,
                    const ImpactOptions &options = {}, const Vector *p_start = nullptr);

/// The same for contacts that the caller knows, from contact_graph() or graph_of_pairs().
SphereImpact impact(const Spheres &spheres, const std::vector<Wall> &walls, ContactGraph graph, const Vector &U,
                    const ImpactOptions &options = {}, const Vector *p_start = nullptr);

/// The law of one impact for the problem of these contacts: what the two above apply. Throws as they do.
convex::Impact apply_law(const convex::ProjectionProblem &problem, const ContactGraph &graph, const std::vector<Wall> &walls,
                         const ImpactOptions &options, const Vector *p_start = nullptr);

/// The InputError of an impact without an admissible velocity: which spheres walls or the mean gradient squeeze.
///   p  of the projection that found out, in the order of the contacts of the graph
[[noreturn]] void refuse_squeeze(const ContactGraph &graph, const std::vector<Wall> &walls, const Vector &p);
} // namespace moreau::micro

#endif
