// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/dealt_contact_cone.h"

#include "parallel/collectives.h"

#include <utility>

namespace moreau::parallel
{
namespace
{
constexpr Index n_numbers_of_contact = 6, n_numbers_of_edge = 8;

/// What linear programs ask of a network.
void share(micro::Spheres &spheres, micro::ContactGraph &graph, const Processes &processes)
{
  Index sizes[] = {graph.dim, graph.n_spheres, graph.n_contacts(), graph.box.period.size()};
  from_first(processes, sizes, sizeof sizes);
  graph.dim       = sizes[0];
  graph.n_spheres = sizes[1];
  graph.contacts.resize(sizes[2]);
  for (Vector *const of_all : {&spheres.R, &graph.box.lower, &graph.box.period})
    {
      of_all->conservativeResize(of_all == &spheres.R ? graph.n_spheres : sizes[3]);
      from_first(processes, of_all->data(), of_all->size() * sizeof(double));
    }
  List numbers;
  for (const micro::Contact &c : graph.contacts)
    numbers.insert(numbers.end(), {static_cast<double>(c.i), static_cast<double>(c.j), c.D, c.e(0), c.e(1), c.e(2)});
  from_first(processes, numbers.data(), numbers.size() * sizeof(double));
  const double *at = numbers.data();
  for (micro::Contact &c : graph.contacts)
    {
      c.i = static_cast<int>(at[0]);
      c.j = static_cast<int>(at[1]);
      c.D = at[2];
      c.e = Eigen::Map<const Eigen::Vector3d>(at + 3);
      at += n_numbers_of_contact;
    }
}

void put(List &list, const std::size_t number, const micro::ConeEdge &edge)
{
  list.insert(list.end(),
              {static_cast<double>(number), edge.lower, edge.upper, edge.imbalance, edge.has_stress ? 1. : 0.,
               edge.converged ? 1. : 0., static_cast<double>(edge.n_iterations), static_cast<double>(edge.n_pressed)});
  list.insert(list.end(), edge.stress.begin(), edge.stress.end());
  list.insert(list.end(), edge.fluctuation.begin(), edge.fluctuation.end());
}
} // namespace

std::vector<micro::ConeEdge> dealt_contact_cone(micro::Spheres spheres, micro::ContactGraph graph,
                                                const std::vector<micro::Deviator> &deviators, const double tolerance,
                                                const Processes &processes, const geometry::Progress &progress)
{
  if (processes.size() == 1)
    return micro::contact_cone(spheres, graph, deviators, tolerance, progress);
  share(spheres, graph, processes);

  std::vector<micro::Deviator> dealt;
  std::vector<std::size_t>     numbers;
  for (std::size_t k = processes.rank(); k < deviators.size(); k += processes.size())
    {
      dealt.push_back(deviators[k]);
      numbers.push_back(k);
    }
  std::vector<micro::ConeEdge> edges;
  geometry::together(processes, [&] { edges = micro::contact_cone(spheres, graph, dealt, tolerance, progress); });
  List own;
  for (std::size_t k = 0; k < edges.size(); ++k)
    put(own, numbers[k], edges[k]);

  const List                   all = on_first(processes, own);
  const Index                  m = graph.n_contacts(), n = graph.dim * graph.n_spheres;
  std::vector<micro::ConeEdge> result(processes.rank() == 0 ? deviators.size() : 0);
  for (const double *at = all.data(); at != all.data() + all.size(); at += n_numbers_of_edge + m + n)
    {
      const auto       k    = static_cast<std::size_t>(at[0]);
      micro::ConeEdge &edge = result[k];
      edge.deviator         = deviators[k];
      edge.lower            = at[1];
      edge.upper            = at[2];
      edge.imbalance        = at[3];
      edge.has_stress       = at[4] != 0.;
      edge.converged        = at[5] != 0.;
      edge.n_iterations     = static_cast<unsigned int>(at[6]);
      edge.n_pressed        = static_cast<Index>(at[7]);
      edge.stress           = Eigen::Map<const Vector>(at + n_numbers_of_edge, m);
      edge.fluctuation      = Eigen::Map<const Vector>(at + n_numbers_of_edge + m, n);
    }
  return result;
}
} // namespace moreau::parallel
