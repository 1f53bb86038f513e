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

geometry::Mesh contact_lines(const micro::Spheres &spheres, const micro::ContactGraph &graph)
{
  geometry::Mesh mesh;
  mesh.name      = "contacts";
  mesh.cell_type = geometry::CellType::line;
  mesh.points    = three_components(spheres.r);
  for (const micro::Contact &contact : graph.contacts)
    {
      mesh.connectivity.push_back(contact.i);
      if (!graph.touches_wall(contact) && contact.image == 0)
        {
          mesh.connectivity.push_back(contact.j);
          continue;
        }
      const double length = spheres.R(contact.i) + contact.D + (graph.touches_wall(contact) ? 0. : spheres.R(contact.j));
      mesh.connectivity.push_back(mesh.n_points());
      for (int axis = 0; axis < 3; ++axis)
        mesh.points.push_back(mesh.points[3 * contact.i + axis] + length * contact.e(axis));
    }
  return mesh;
}

geometry::Mesh contact_mesh(const micro::ImpactScene &scene)
{
  const micro::ContactGraph &graph = scene.graph;
  geometry::Mesh             lines = contact_lines(scene.spheres, graph), mesh = empty_contact_mesh(scene.spheres);
  mesh.points       = std::move(lines.points);
  mesh.connectivity = std::move(lines.connectivity);
  std::vector<double> D;
  for (const micro::Contact &contact : graph.contacts)
    D.push_back(contact.D);
  mesh.cell_data[0].values = convex::values(scene.impact.projection.p);
  mesh.cell_data[1].values = convex::values(scene.impact.impulse);
  mesh.cell_data[2].values = convex::values(approach_velocity(scene.problem, scene.problem.U));
  mesh.cell_data[3].values = convex::values(approach_velocity(scene.problem, scene.impact.u_plus));
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

std::vector<geometry::Mesh> impact_meshes(const Parameters &parameters, const Configuration &configuration,
                                          geometry::Mesh spheres, geometry::Mesh contacts)
{
  std::vector<geometry::Mesh> meshes = geometry::list_of(std::move(spheres), std::move(contacts));
  const auto [lower, upper]          = box_around(parameters, configuration.spheres);
  for (geometry::Mesh &mesh : wall_mesh(configuration.walls, lower, upper))
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

void write_contacts(std::ostream &out, const std::size_t impact, const micro::ImpactScene &scene)
{
  const micro::ContactGraph &graph  = scene.graph;
  const Vector               before = approach_velocity(scene.problem, scene.problem.U);
  const Vector               after  = approach_velocity(scene.problem, scene.impact.u_plus);
  for (Index k = 0; k < graph.n_contacts(); ++k)
    {
      const micro::Contact &contact = graph.contacts[k];
      out << impact << ',' << contact.i << ',';
      if (graph.touches_wall(contact))
        out << scene.walls[contact.j - graph.n_spheres].name;
      else
        out << contact.j;
      out << ',' << digits(contact.D);
      for (Index axis = 0; axis < graph.dim; ++axis)
        out << ',' << digits(contact.e(axis));
      if (graph.box.any())
        for (const double L : graph.displacement(contact))
          out << ',' << digits(L);
      out << ',' << digits(scene.impact.projection.p(k)) << ',' << digits(scene.impact.impulse(k)) << ','
          << digits(before(k)) << ',' << digits(after(k)) << '\n';
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
