// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/micro_output.h"

#include <charconv>
#include <ostream>

namespace moreau::app
{
namespace
{
using convex::Index;
using convex::Vector;

/// Bv - b: positive where the two bodies of a contact approach (m/s).
Vector approach_velocity(const convex::ProjectionProblem &problem, const Vector &v)
{
  Vector Bv(problem.n_constraints());
  problem.B->apply(v, Bv);
  return Bv - problem.right_hand_side();
}

/// Interleaved velocities, padded with zeros to three components.
std::vector<double> padded(const Vector &v, const Index dim)
{
  std::vector<double> result(3 * (v.size() / dim), 0.);
  for (Index k = 0; k < v.size(); ++k)
    result[3 * (k / dim) + k % dim] = v(k);
  return result;
}

std::vector<double> as_std(const Vector &v) { return {v.data(), v.data() + v.size()}; }

} // namespace

std::string digits(const double x)
{
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr};
}

std::string name_of_second(const Configuration &c, const micro::Contact &contact)
{
  return c.graph.touches_wall(contact) ? c.walls[contact.j - c.graph.n_spheres].name : std::to_string(contact.j);
}

insitu::Mesh sphere_mesh(const micro::Spheres &spheres, const Vector &U, const Vector &u, const Vector *u_projected)
{
  const Index  dim = spheres.dimension();
  insitu::Mesh mesh;
  mesh.name   = "spheres";
  mesh.points = padded(Eigen::Map<const Vector>(spheres.r.data(), spheres.r.size()), dim);
  for (Index k = 0; k < spheres.size(); ++k)
    mesh.connectivity.push_back(k);
  mesh.point_data = {{"radius", "m", 1, as_std(spheres.R)},
                     {"mass", "kg", 1, as_std(spheres.m)},
                     {"U", "m/s", 3, padded(U, dim)},
                     {"u", "m/s", 3, padded(u, dim)}};
  if (u_projected != nullptr)
    mesh.point_data.push_back({"u_projected", "m/s", 3, padded(*u_projected, dim)});
  return mesh;
}

insitu::Mesh contact_mesh(const Configuration &c, const convex::ProjectionProblem &problem, const convex::Impact &impact)
{
  insitu::Mesh mesh;
  mesh.name      = "contacts";
  mesh.cell_type = insitu::CellType::line;
  mesh.points    = padded(Eigen::Map<const Vector>(c.spheres.r.data(), c.spheres.r.size()), c.spheres.dimension());
  insitu::Array D{"D", "m", 1, {}};
  for (const micro::Contact &contact : c.graph.contacts)
    {
      mesh.connectivity.push_back(contact.i);
      if (c.graph.touches_wall(contact))
        {
          mesh.connectivity.push_back(mesh.n_points());
          for (int axis = 0; axis < 3; ++axis)
            mesh.points.push_back(mesh.points[3 * contact.i + axis] +
                                  (c.spheres.R(contact.i) + contact.D) * contact.e(axis));
        }
      else
        mesh.connectivity.push_back(contact.j);
      D.values.push_back(contact.D);
    }
  mesh.cell_data = {{"p", "kg m/s", 1, as_std(impact.projection.p)},
                    {"impulse", "kg m/s", 1, as_std(impact.impulse)},
                    {"approach_velocity_before", "m/s", 1, as_std(approach_velocity(problem, c.U))},
                    {"approach_velocity_after", "m/s", 1, as_std(approach_velocity(problem, impact.u_plus))},
                    std::move(D)};
  return mesh;
}

void write_contacts(std::ostream &out, const Configuration &c, const convex::ProjectionProblem &problem,
                    const convex::Impact &impact)
{
  const Vector before = approach_velocity(problem, c.U);
  const Vector after  = approach_velocity(problem, impact.u_plus);
  const Index  dim    = c.spheres.dimension();
  out << "i,j,D";
  for (Index axis = 0; axis < dim; ++axis)
    out << ",e"
        << "xyz"[axis];
  out << ",p,impulse,approach_velocity_before,approach_velocity_after\n";
  for (Index k = 0; k < c.graph.n_contacts(); ++k)
    {
      const micro::Contact &contact = c.graph.contacts[k];
      out << contact.i << ',' << name_of_second(c, contact) << ',' << digits(contact.D);
      for (Index axis = 0; axis < dim; ++axis)
        out << ',' << digits(contact.e(axis));
      out << ',' << digits(impact.projection.p(k)) << ',' << digits(impact.impulse(k)) << ',' << digits(before(k)) << ','
          << digits(after(k)) << '\n';
    }
}

void write_statistics(std::ostream &out, const std::vector<micro::SequenceImpact> &impacts)
{
  out << "impact,time,contacts,repetitions,energy_before,energy_after,relative_error_bound,natural_residual\n";
  for (std::size_t k = 0; k < impacts.size(); ++k)
    {
      const micro::SequenceImpact &impact = impacts[k];
      out << k + 1 << ',' << digits(impact.time) << ',' << impact.n_contacts << ',' << impact.n_repeated << ','
          << digits(impact.energy_before) << ',' << digits(impact.energy_after) << ','
          << digits(impact.certificate.relative_error_bound) << ',' << digits(impact.certificate.natural_residual) << '\n';
    }
}
} // namespace moreau::app
