// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_MICRO_OUTPUT_H
#define MOREAU_APP_MICRO_OUTPUT_H

#include "app/configuration.h"
#include "convex/impact_law.h"
#include "insitu/snapshot.h"
#include "micro/impact_sequence.h"

#include <iosfwd>
#include <string>
#include <vector>

/// What the files of `micro impact` hold (doc/formats.md).
namespace moreau::app
{
/// The shortest digits that read back as the same double.
std::string digits(double x);

/// The second body of a contact: the number of a sphere or the name of a wall.
std::string name_of_second(const Configuration &c, const micro::Contact &contact);

/// Points with radius, mass, U, u and, where it is given, u_projected. Velocities have length d n, interleaved (m/s); three components in the file.
insitu::Mesh sphere_mesh(const micro::Spheres &spheres, const convex::Vector &U, const convex::Vector &u,
                         const convex::Vector *u_projected = nullptr);

/// One line per contact, between centres or from a centre to the wall, with p, impulse, speeds of approach and D.
insitu::Mesh contact_mesh(const Configuration &c, const convex::ProjectionProblem &problem, const convex::Impact &impact);

/// i,j,D,ex[,ey[,ez]],p,impulse,approach_velocity_before,approach_velocity_after; j is a wall's name where a wall is touched.
void write_contacts(std::ostream &out, const Configuration &c, const convex::ProjectionProblem &problem,
                    const convex::Impact &impact);

/// One row per impact in time.
void write_statistics(std::ostream &out, const std::vector<micro::SequenceImpact> &impacts);
} // namespace moreau::app

#endif
