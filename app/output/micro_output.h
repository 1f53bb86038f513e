// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_MICRO_OUTPUT_H
#define MOREAU_APP_OUTPUT_MICRO_OUTPUT_H

#include "app/input/sphere_setting.h"
#include "app/output/output_directory.h"
#include "geometry/picture.h"
#include "micro/impact_sequence.h"

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

/// What the files of `micro impact` hold (doc/formats.md).
namespace moreau::app
{
/// "spheres": points with radius, diameter and mass.
geometry::Mesh sphere_mesh(const micro::Spheres &spheres);

/// These with U, u and, where it is given, u_projected. Velocities have length
/// d n, interleaved (m/s); three components in the file.
geometry::Mesh sphere_mesh(const micro::Spheres &spheres, const convex::Vector &U, const convex::Vector &u,
                           const convex::Vector *u_projected = nullptr);

/// Contacts and what an impact did to them; in the order of the graph.
struct ContactRows
{
  const micro::ContactGraph &graph;
  convex::Vector             p, impulse;    ///< kg m/s
  convex::Vector             before, after; ///< speeds of approach (m/s)
};

ContactRows contact_rows(const micro::ImpactScene &scene);

/// The spheres of a mesh where they are a part of those that a graph is about: consecutive ones.
struct PartOfSpheres
{
  convex::Index   first = 0;  ///< number of the first
  Eigen::MatrixXd r_j   = {}; ///< centres of the second spheres of contacts, which may be others, d x contacts (m), or of
                              ///< their images
};

/// One line per contact, between centres or from a centre to the wall, with p, impulse, speeds of approach and D.
geometry::Mesh contact_mesh(const micro::Spheres &spheres, const ContactRows &rows, const PartOfSpheres &part = {});

/// The corners lower and upper of the box of the zone, moved outwards until all spheres are within.
std::pair<convex::Vector, convex::Vector> box_around(const Parameters &parameters, const micro::Spheres &spheres);

/// Spheres and contacts, and "walls" where there are walls: what a picture of an impact consists of.
/// box: its corners lower and upper; draws: walls, of which one of several processes has the lines.
std::vector<geometry::Mesh> impact_meshes(const std::vector<micro::Wall>                  &walls,
                                          const std::pair<convex::Vector, convex::Vector> &box, geometry::Mesh spheres,
                                          geometry::Mesh contacts, bool draws = true);

/// A line per contact, without data: from centre to centre, to a wall, or out of a periodic box to the image of a sphere.
geometry::Mesh contact_lines(const micro::Spheres &spheres, const micro::ContactGraph &graph,
                             const PartOfSpheres &part = {});

/// The same mesh for a moment without impact: points, no lines.
geometry::Mesh empty_contact_mesh(const micro::Spheres &spheres);

/// impact,i,j,D,ex[,ey[,ez]],p,impulse,approach_velocity_before,approach_velocity_after; in a periodic box Lx ... behind ex
/// ..., by how much the image of j lies beside j.
void write_contacts_header(std::ostream &out, convex::Index dim, bool periodic = false);

/// A row per contact of the impact with this number, or for those from `first` to `last`-1; j is a wall's name where a wall
/// is touched.
void write_contacts(std::ostream &out, std::size_t impact, const ContactRows &rows, const std::vector<micro::Wall> &walls);
void write_contacts(std::ostream &out, std::size_t impact, const ContactRows &rows, const std::vector<micro::Wall> &walls,
                    convex::Index first, convex::Index last);

/// packing.csv, spheres as packed at random with their velocities, and packing.json. They stay if the run fails: a next one
/// with the same parameters need not pack again.
void write_packing(OutputDirectory &output, const PackingReport &packing, const micro::Spheres &spheres,
                   const convex::Vector &U);

/// One row per impact in time.
void write_statistics(std::ostream &out, const std::vector<micro::SequenceImpact> &impacts);
} // namespace moreau::app

#endif
