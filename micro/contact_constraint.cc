// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/contact_constraint.h"

namespace moreau::micro
{
namespace
{
std::vector<convex::PairConstraint::Pair> pairs_of(const ContactGraph &graph)
{
  std::vector<convex::PairConstraint::Pair> pairs;
  pairs.reserve(graph.contacts.size());
  for (const Contact &c : graph.contacts)
    pairs.push_back({c.i, graph.touches_wall(c) ? convex::PairConstraint::fixed_body : c.j});
  return pairs;
}

Eigen::MatrixXd directions_of(const ContactGraph &graph)
{
  Eigen::MatrixXd e(graph.dim, graph.n_contacts());
  for (Index c = 0; c < graph.n_contacts(); ++c)
    e.col(c) = graph.contacts[c].e.head(graph.dim);
  return e;
}
} // namespace

ContactConstraint::ContactConstraint(const ContactGraph &graph)
    : PairConstraint(graph.dim, graph.n_spheres, pairs_of(graph), directions_of(graph))
{}

Vector approach_velocity_of_walls(const ContactGraph &graph, const std::vector<Wall> &walls)
{
  Vector b = Vector::Zero(graph.n_contacts());
  for (Index c = 0; c < graph.n_contacts(); ++c)
    if (const Contact &contact = graph.contacts[c]; graph.touches_wall(contact))
      b(c) = contact.e.head(graph.dim).dot(walls[contact.j - graph.n_spheres].velocity);
  return b;
}

Vector approach_velocity_of_images(const ContactGraph &graph, const Eigen::MatrixXd &D)
{
  Vector b = Vector::Zero(graph.n_contacts());
  for (Index c = 0; D.size() > 0 && c < graph.n_contacts(); ++c)
    if (const Contact &contact = graph.contacts[c]; contact.image != 0)
      b(c) = contact.e.head(graph.dim).dot(D * graph.displacement(contact));
  return b;
}
} // namespace moreau::micro
