// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/dof_numbering.h"

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/lac/la_parallel_vector.h>

#include <algorithm>

namespace moreau::macro
{
namespace
{
using DoFVector = dealii::LinearAlgebra::distributed::Vector<double>;

template <int dim>
DoFVector shared_vector(const dealii::DoFHandler<dim> &dofs, const Processes &processes)
{
  dealii::IndexSet relevant;
  dealii::DoFTools::extract_locally_relevant_dofs(dofs, relevant);
  return DoFVector(dofs.locally_owned_dofs(), relevant, processes.communicator());
}
} // namespace

template <int dim>
DoFNumbering number_dofs(const dealii::DoFHandler<dim, dim> &dofs, const std::set<DoF> &own, const std::set<DoF> &needed,
                         const unsigned int n_each, const Processes &processes)
{
  DoFNumbering    result;
  const Index     n_own = static_cast<Index>(own.size() * n_each);
  const long long begin = range_starts(n_own, processes)[processes.rank()], end = begin + n_own;
  long long       next = begin;
  for (const DoF dof : own)
    {
      result.first[dof] = next;
      next += n_each;
    }
  if (processes.size() > 1)
    {
      // numbers are exact in a double
      DoFVector number = shared_vector<dim>(dofs, processes);
      for (const auto &[dof, n] : result.first)
        number(dof) = static_cast<double>(n);
      number.update_ghost_values();
      for (const DoF dof : needed)
        result.first[dof] = static_cast<long long>(number(dof));
    }
  std::vector<long long> ghosts;
  for (const auto &[dof, n] : result.first)
    if (n < begin || n >= end)
      for (unsigned int i = 0; i < n_each; ++i)
        ghosts.push_back(n + i);
  std::sort(ghosts.begin(), ghosts.end());
  result.exchange = GhostExchange(n_own, std::move(ghosts), processes);
  return result;
}

template <int dim>
std::set<DoF> marked_anywhere(const dealii::DoFHandler<dim, dim> &dofs, const std::set<DoF> &marked,
                              const std::set<DoF> &needed, const Processes &processes)
{
  if (processes.size() == 1)
    return marked;
  DoFVector count = shared_vector<dim>(dofs, processes);
  for (const DoF dof : marked)
    count(dof) = 1.;
  count.compress(dealii::VectorOperation::add);
  count.update_ghost_values();
  std::set<DoF> result;
  for (const DoF dof : needed)
    if (count(dof) > 0.)
      result.insert(dof);
  return result;
}

CellMap cell_map(const MapEntries &entries, const Index n_functions)
{
  CellMap map;
  for (const auto &[i, coefficient, weight] : entries)
    map.index.push_back(coefficient);
  std::sort(map.index.begin(), map.index.end());
  map.index.erase(std::unique(map.index.begin(), map.index.end()), map.index.end());
  map.weight = Eigen::MatrixXd::Zero(n_functions, static_cast<Index>(map.index.size()));
  for (const auto &[i, coefficient, weight] : entries)
    map.weight(i, std::lower_bound(map.index.begin(), map.index.end(), coefficient) - map.index.begin()) += weight;
  return map;
}

template DoFNumbering  number_dofs<2>(const dealii::DoFHandler<2, 2> &, const std::set<DoF> &, const std::set<DoF> &,
                                     unsigned int, const Processes &);
template DoFNumbering  number_dofs<3>(const dealii::DoFHandler<3, 3> &, const std::set<DoF> &, const std::set<DoF> &,
                                     unsigned int, const Processes &);
template std::set<DoF> marked_anywhere<2>(const dealii::DoFHandler<2, 2> &, const std::set<DoF> &, const std::set<DoF> &,
                                          const Processes &);
template std::set<DoF> marked_anywhere<3>(const dealii::DoFHandler<3, 3> &, const std::set<DoF> &, const std::set<DoF> &,
                                          const Processes &);
} // namespace moreau::macro
