// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_DOF_NUMBERING_H
#define MOREAU_MACRO_MESHES_DOF_NUMBERING_H

#include "macro/meshes/space.h"

#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace dealii
{
template <int, int>
class DoFHandler;
}

/// From deal.II's degrees of freedom to the independent coefficients of a space on the saturated zone.
namespace moreau::macro
{
using DoF = unsigned int; ///< deal.II's global index

/// Numbers given to some degrees of freedom, each standing for n_each consecutive coefficients.
struct DoFNumbering
{
  std::map<DoF, long long> first; ///< of the own and of the needed ones
  GhostExchange            exchange;
};

/// Numbers the degrees of freedom in `own` (owned by this process), ascending;
/// `needed`: what its cells refer to, owned here or elsewhere.
template <int dim>
DoFNumbering number_dofs(const dealii::DoFHandler<dim, dim> &dofs, const std::set<DoF> &own, const std::set<DoF> &needed,
                         unsigned int n_each, const Processes &processes);

/// Those of `needed` that any process has in `marked`.
template <int dim>
std::set<DoF> marked_anywhere(const dealii::DoFHandler<dim, dim> &dofs, const std::set<DoF> &marked,
                              const std::set<DoF> &needed, const Processes &processes);

/// Local coefficient i gets weight times mesh coefficient (own or ghost).
using MapEntries = std::vector<std::tuple<Index, Index, double>>;

CellMap cell_map(const MapEntries &entries, Index n_functions);
} // namespace moreau::macro

#endif
