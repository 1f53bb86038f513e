// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/impact_arrays.h"

#include <string>

namespace moreau::app
{
namespace
{
using convex::Index;

void add_vector(Hdf5Columns &columns, const std::string &name, const std::string &unit, const Index dim)
{
  for (Index axis = 0; axis < dim; ++axis)
    columns.push_back({name + "xyz"[axis], unit});
}
} // namespace

Hdf5Columns sphere_columns(const Index dim)
{
  Hdf5Columns columns;
  add_vector(columns, "", "m", dim);
  columns.insert(columns.end(), {{"radius", "m"}, {"mass", "kg"}});
  add_vector(columns, "u", "m/s", dim);
  return columns;
}

Hdf5Columns contact_columns(const micro::ContactGraph &graph)
{
  Hdf5Columns columns = {{"i", "", true}, {"j", "", true}, {"D", "m"}};
  add_vector(columns, "e", "", graph.dim);
  if (graph.box.any())
    add_vector(columns, "L", "m", graph.dim);
  columns.insert(
      columns.end(),
      {{"p", "kg m/s"}, {"impulse", "kg m/s"}, {"approach_velocity_before", "m/s"}, {"approach_velocity_after", "m/s"}});
  return columns;
}

void add_spheres(std::vector<double> &numbers, const micro::Spheres &spheres, const convex::Vector &u, const Index first,
                 const Index last)
{
  const Index dim = spheres.dimension();
  for (Index k = first; k < last; ++k)
    {
      numbers.insert(numbers.end(), spheres.r.col(k).begin(), spheres.r.col(k).end());
      numbers.insert(numbers.end(), {spheres.R(k), spheres.m(k)});
      numbers.insert(numbers.end(), u.data() + dim * k, u.data() + dim * (k + 1));
    }
}

void add_contacts(std::vector<double> &numbers, const ContactRows &rows, const Index first, const Index last)
{
  const micro::ContactGraph &graph = rows.graph;
  for (Index k = first; k < last; ++k)
    {
      const micro::Contact &contact = graph.contacts[k];
      const Index j = graph.touches_wall(contact) ? graph.n_spheres - contact.j - 1 : static_cast<Index>(contact.j);
      numbers.insert(numbers.end(), {static_cast<double>(contact.i), static_cast<double>(j), contact.D});
      numbers.insert(numbers.end(), contact.e.data(), contact.e.data() + graph.dim);
      if (graph.box.any())
        for (const double L : graph.displacement(contact))
          numbers.push_back(L);
      numbers.insert(numbers.end(), {rows.p(k), rows.impulse(k), rows.before(k), rows.after(k)});
    }
}
} // namespace moreau::app
