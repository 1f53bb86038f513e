// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/micro_output.h"

#include "app/input/obstacle_text.h"
#include "app/input/text/words.h"
#include "convex/vectors.h"
#include "geometry/fill_picture.h"

#include <ostream>

namespace moreau::app
{
using convex::Index;
using convex::Vector;
using geometry::three_components;

namespace
{
/// Bv - b: positive where the two bodies of a contact approach (m/s).
Vector approach_velocity(const convex::ProjectionProblem &problem, const Vector &v)
{
  Vector Bv(problem.n_constraints());
  problem.B->apply(v, Bv);
  return Bv - problem.right_hand_side();
}
} // namespace

geometry::Mesh sphere_mesh(const micro::Spheres &spheres)
{
  geometry::Mesh mesh;
  mesh.name   = "spheres";
  mesh.points = three_components(spheres.r);
  for (Index k = 0; k < spheres.size(); ++k)
    mesh.connectivity.push_back(k);
  mesh.point_data = {{"radius", "m", 1, convex::values(spheres.R)},
                     {"diameter", "m", 1, convex::values(2. * spheres.R)},
                     {"mass", "kg", 1, convex::values(spheres.m)}};
  return mesh;
}

geometry::Mesh sphere_mesh(const micro::Spheres &spheres, const Vector &U, const Vector &u, const Vector *u_projected)
{
  const Index    dim  = spheres.dimension();
  geometry::Mesh mesh = sphere_mesh(spheres);
  mesh.point_data.push_back({"U", "m/s", 3, three_components(U, dim)});
  mesh.point_data.push_back({"u", "m/s", 3, three_components(u, dim)});
  if (u_projected != nullptr)
    mesh.point_data.push_back({"u_projected", "m/s", 3, three_components(*u_projected, dim)});
  return mesh;
}

geometry::Mesh empty_contact_mesh(const micro::Spheres &spheres)
{
  geometry::Mesh mesh;
  mesh.name      = "contacts";
  mesh.cell_type = geometry::CellType::line;
  mesh.points    = three_components(spheres.r);
  mesh.cell_data = {{"p", "kg m/s", 1, {}},
                    {"impulse", "kg m/s", 1, {}},
                    {"approach_velocity_before", "m/s", 1, {}},
                    {"approach_velocity_after", "m/s", 1, {}},
                    {"D", "m", 1, {}}};
  return mesh;
}

geometry::Mesh contact_lines(const micro::Spheres &spheres, const micro::ContactGraph &graph, const PartOfSpheres &part)
{
  geometry::Mesh mesh;
  mesh.name      = "contacts";
  mesh.cell_type = geometry::CellType::line;
  mesh.points    = three_components(spheres.r);
  for (Index k = 0; k < graph.n_contacts(); ++k)
    {
      const micro::Contact &contact = graph.contacts[k];
      const Index           i = contact.i - part.first, j = contact.j - part.first;
      const bool            at_wall = graph.touches_wall(contact), ends_are_given = !at_wall && part.r_j.size() > 0;
      mesh.connectivity.push_back(i);
      if (!at_wall && contact.image == 0 && j < spheres.size())
        {
          mesh.connectivity.push_back(j);
          continue;
        }
      mesh.connectivity.push_back(mesh.n_points());
      const double length = ends_are_given ? 0. : spheres.R(i) + contact.D + (at_wall ? 0. : spheres.R(j));
      for (Index axis = 0; axis < 3; ++axis)
        mesh.points.push_back(!ends_are_given          ? mesh.points[3 * i + axis] + length * contact.e(axis)
                              : axis < part.r_j.rows() ? part.r_j(axis, k)
                                                       : 0.);
    }
  return mesh;
}

ContactRows contact_rows(const micro::ImpactScene &scene)
{
  return {scene.graph, scene.impact.projection.p, scene.impact.impulse, approach_velocity(scene.problem, scene.problem.U),
          approach_velocity(scene.problem, scene.impact.u_plus)};
}

geometry::Mesh contact_mesh(const micro::Spheres &spheres, const ContactRows &rows, const PartOfSpheres &part)
{
  geometry::Mesh lines = contact_lines(spheres, rows.graph, part), mesh = empty_contact_mesh(spheres);
  mesh.points       = std::move(lines.points);
  mesh.connectivity = std::move(lines.connectivity);
  std::vector<double> D;
  for (const micro::Contact &contact : rows.graph.contacts)
    D.push_back(contact.D);
  mesh.cell_data[0].values = convex::values(rows.p);
  mesh.cell_data[1].values = convex::values(rows.impulse);
  mesh.cell_data[2].values = convex::values(rows.before);
  mesh.cell_data[3].values = convex::values(rows.after);
  mesh.cell_data[4].values = std::move(D);
  return mesh;
}

std::pair<Vector, Vector> box_around(const Parameters &parameters, const micro::Spheres &spheres)
{
  std::pair<Vector, Vector> box = {parameters.zone.lower_corner, parameters.zone.upper_corner};
  for (Index k = 0; k < spheres.size(); ++k)
    {
      box.first  = box.first.cwiseMin(Vector(spheres.r.col(k).array() - spheres.R(k)));
      box.second = box.second.cwiseMax(Vector(spheres.r.col(k).array() + spheres.R(k)));
    }
  return box;
}

std::vector<geometry::Mesh> impact_meshes(const std::vector<micro::Wall> &walls, const std::pair<Vector, Vector> &box,
                                          geometry::Mesh spheres, geometry::Mesh contacts, const bool draws)
{
  std::vector<geometry::Mesh> meshes = geometry::list_of(std::move(spheres), std::move(contacts));
  for (geometry::Mesh &mesh : wall_mesh(walls, box.first, box.second, draws))
    meshes.push_back(std::move(mesh));
  return meshes;
}

void write_packing(OutputDirectory &output, const PackingReport &packing, const micro::Spheres &spheres,
                   const convex::Vector &U)
{
  output.write_lasting("packing.csv", [&](std::ostream &out) { micro::write_csv(out, spheres, U); });
  output.write_lasting("packing.json", [&](std::ostream &out) { out << packing.record; });
}

void write_contacts_header(std::ostream &out, const Index dim, const bool periodic)
{
  out << "impact,i,j,D";
  for (const char *const name : {"e", "L"})
    for (Index axis = 0; (*name == 'e' || periodic) && axis < dim; ++axis)
      out << ',' << name << "xyz"[axis];
  out << ",p,impulse,approach_velocity_before,approach_velocity_after\n";
}

void write_contacts(std::ostream &out, const std::size_t impact, const ContactRows &rows,
                    const std::vector<micro::Wall> &walls)
{
  write_contacts(out, impact, rows, walls, 0, rows.graph.n_contacts());
}

void write_contacts(std::ostream &out, const std::size_t impact, const ContactRows &rows,
                    const std::vector<micro::Wall> &walls, const Index first, const Index last)
{
  const micro::ContactGraph &graph = rows.graph;
  for (Index k = first; k < last; ++k)
    {
      const micro::Contact &contact = graph.contacts[k];
      out << impact << ',' << contact.i << ',';
      if (graph.touches_wall(contact))
        out << walls[contact.j - graph.n_spheres].name;
      else
        out << contact.j;
      out << ',' << digits(contact.D);
      for (Index axis = 0; axis < graph.dim; ++axis)
        out << ',' << digits(contact.e(axis));
      if (graph.box.any())
        for (const double L : graph.displacement(contact))
          out << ',' << digits(L);
      out << ',' << digits(rows.p(k)) << ',' << digits(rows.impulse(k)) << ',' << digits(rows.before(k)) << ','
          << digits(rows.after(k)) << '\n';
    }
}

void write_statistics(std::ostream &out, const std::vector<micro::SequenceImpact> &impacts)
{
  out << "impact,time,contacts,repetitions,iterations,energy_before,energy_projected,energy_after,relative_error_bound,"
         "natural_residual\n";
  for (std::size_t k = 0; k < impacts.size(); ++k)
    {
      const micro::SequenceImpact &impact = impacts[k];
      out << k + 1 << ',' << digits(impact.time) << ',' << impact.n_contacts << ',' << impact.effort.n_projections << ','
          << impact.effort.n_iterations << ',' << digits(impact.energy_before) << ',' << digits(impact.energy_projected)
          << ',' << digits(impact.energy_after) << ',' << digits(impact.certificate.relative_error_bound) << ','
          << digits(impact.certificate.natural_residual) << '\n';
    }
}
} // namespace moreau::app
