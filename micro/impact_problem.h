// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_IMPACT_PROBLEM_H
#define MOREAU_MICRO_IMPACT_PROBLEM_H

#include "convex/cone_projection.h"
#include "micro/contact_graph.h"

namespace moreau::micro
{
/// The projection of U on the cone of feasible velocities of touching spheres (BM, eq. 8), in the kinetic metric M =
/// diag(m_i), with the expansion of each connected cluster as a strictly feasible direction.
///   U              length d n, interleaved by sphere (m/s)
///   mean_gradient  of a periodic box (d x d, 1/s): the image of a sphere at the distance L has its velocity + DL; of size 0
///                  where the box keeps its shape
convex::ProjectionProblem impact_problem(const Spheres &spheres, const std::vector<Wall> &walls, const ContactGraph &graph,
                                         const Vector &U, const Eigen::MatrixXd &mean_gradient = {});

/// The same with contacts found at the tolerance of contact_graph.
convex::ProjectionProblem impact_problem(const Spheres &spheres, const Vector &U,
                                         double contact_tolerance = usual_contact_tolerance);

/// w with e_ij·(w_j - w_i) > 0 on every contact: r - c on each connected cluster, with c behind every wall that the cluster
/// touches. Parts between walls that face each other have no such field, and a cluster that touches its own periodic images
/// has none along these: their rows keep rate 0 and the certificate of a velocity that violates them is not guaranteed.
convex::Expansion expansion(const Spheres &spheres, const std::vector<Wall> &walls, const ContactGraph &graph);
} // namespace moreau::micro

#endif
