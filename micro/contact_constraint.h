// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_CONTACT_CONSTRAINT_H
#define MOREAU_MICRO_CONTACT_CONSTRAINT_H

#include "convex/constraint_operator.h"
#include "micro/contact_graph.h"

namespace moreau::micro
{
/// B for hard spheres: one row -G_ij per contact, so that Bv <= 0 means "not approaching" (BM, eq. 2, 7).
/// A wall is a body that does not move; its velocity is in b, as that of a periodic box that changes its shape.
class ContactConstraint : public convex::PairConstraint
{
public:
  explicit ContactConstraint(const ContactGraph &graph);
};

/// b_c = e_c·V_wall for a contact with a moving wall, 0 between spheres (m/s).
Vector approach_velocity_of_walls(const ContactGraph &graph, const std::vector<Wall> &walls);

/// b_c = e_c·DL for a contact with the image of a sphere at the distance L, which moves at u_j + DL where the box has the
/// mean velocity gradient D (d x d, 1/s); 0 within the box (m/s). D of size 0: the box keeps its shape.
Vector approach_velocity_of_images(const ContactGraph &graph, const Eigen::MatrixXd &D);
} // namespace moreau::micro

#endif
