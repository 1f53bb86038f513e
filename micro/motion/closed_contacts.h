// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_CLOSED_CONTACTS_H
#define MOREAU_MICRO_MOTION_CLOSED_CONTACTS_H

#include "convex/cone_projection.h"
#include "micro/contact_graph.h"
#include "micro/motion/linearised_step.h"
#include "micro/motion/sphere_motion.h"

#include <optional>

namespace moreau::micro
{
/// Contacts of moving spheres that are closed now, with obstacles as if they rested.
struct ClosedContacts
{
  ContactGraph graph; ///< ordered by i, then j = n + k for obstacle k, whose contacts have no `image`; no smallest_gap
  /// Rows of the graph that no velocity with e·(u_i - u_j) <= 0 at all contacts opens (convex::Face): the test of strict
  /// jamming. Empty where nobody knows.
  std::optional<convex::RigidSet> rigid;
};

/// Pairs of spheres, and spheres and obstacles, with gaps of at most `tolerance` (m, not negative) as they are now, overlaps
/// included; sorted. Throws InputError("the periods", ...) as PairSearch does.
std::vector<StepRow> rows_within(const SphereMotion &motion, double tolerance);

/// The periodic box of a motion; empty where there is none.
PeriodicBox box_of(const SphereMotion &motion);

/// Contacts with gaps of at most `tolerance` (m, not negative), overlaps included. Contacts that are within it without
/// touching count as closed, so that whoever is jammed but for such gaps is jammed.
///   limit  spheres times dimension, and contacts, up to which rigid ones are looked for: a linear program
/// Throws InputError("the periods", ...) as PairSearch does.
ClosedContacts closed_contacts(const SphereMotion &motion, double tolerance, Index limit);
} // namespace moreau::micro

#endif
