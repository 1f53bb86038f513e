// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/pockets.h"

#include "macro/obstacle/line.h"

#include <algorithm>
#include <limits>

namespace moreau::macro
{
namespace
{
template <class F>
void for_own_cell_of(const LevelBox &box, F &&f)
{
  box.for_rows([&](const Index row, Index, Index) {
    for (Index c = row; c < row + box.n[0]; ++c)
      f(c);
  });
}

/// f(neighbour) for the cells that a link leads to.
template <class F>
void for_linked(const LevelBox &box, const LinkOperator &A, const Index c, F &&f)
{
  for (int axis = 0; axis < box.dim; ++axis)
    {
      const Index s = box.stride[axis];
      if (A.w[axis][c] > 0.)
        f(c - s);
      if (A.w[axis][c + s] > 0.)
        f(c + s);
    }
}

/// Connected unknown cells of this process, by numbers from 0 on; -1 elsewhere.
std::vector<Index> own_components(const LevelBox &box, const LinkOperator &A, const std::vector<char> &is_unknown, Index &n)
{
  std::vector<Index> component(box.size, -1), stack;
  std::vector<char>  own(box.size, 0);
  for_own_cell_of(box, [&](const Index c) { own[c] = is_unknown[c] != 0; });
  n = 0;
  for_own_cell_of(box, [&](const Index first) {
    if (!own[first] || component[first] >= 0)
      return;
    stack.assign(1, first);
    component[first] = n;
    while (!stack.empty())
      {
        const Index c = stack.back();
        stack.pop_back();
        for_linked(box, A, c, [&](const Index other) {
          if (own[other] && component[other] < 0)
            {
              component[other] = n;
              stack.push_back(other);
            }
        });
      }
    ++n;
  });
  return component;
}

/// One number per pocket, of all processes.
void reduce(const Processes &processes, const MPI_Op operation, std::vector<double> &values)
{
  if (processes.size() > 1)
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, operation,
                  processes.communicator());
}
} // namespace

Pockets::Pockets(const LevelBox &box, const LinkOperator &A, const std::vector<char> &is_unknown)
{
  constexpr double   open      = -1.;
  Index              n_local   = 0;
  std::vector<Index> component = own_components(box, A, is_unknown, n_local);
  // components are called by their least name on any process, those with a link to x = 0 `open`
  Vector      name  = Vector::LinSpaced(n_local, 0., static_cast<double>(n_local - 1));
  const auto &sizes = gathered(box.processes, Vector::Constant(1, static_cast<double>(n_local)));
  name.array() += sizes.head(box.processes.rank()).sum();
  for_own_cell_of(box, [&](const Index c) {
    if (component[c] >= 0)
      for_linked(box, A, c, [&](const Index other) {
        if (!is_unknown[other])
          name(component[c]) = open;
      });
  });
  std::vector<double> names(box.size, 0.);
  for (bool changed = true; changed;)
    {
      for_own_cell_of(box, [&](const Index c) { names[c] = component[c] >= 0 ? name(component[c]) : 0.; });
      box.update_ghosts(names);
      const Vector before = name;
      for_own_cell_of(box, [&](const Index c) {
        if (component[c] >= 0)
          for_linked(box, A, c, [&](const Index other) { name(component[c]) = std::min(name(component[c]), names[other]); });
      });
      changed = box.processes.max(name == before ? 0. : 1.) > 0.;
    }

  const Vector        all_names = gathered(box.processes, name);
  std::vector<double> closed;
  std::copy_if(all_names.begin(), all_names.end(), std::back_inserter(closed),
               [](const double value) { return value != open; });
  std::sort(closed.begin(), closed.end());
  closed.erase(std::unique(closed.begin(), closed.end()), closed.end());
  n = static_cast<Index>(closed.size());
  if (n == 0)
    return;
  for (Index &c : component)
    if (c >= 0)
      c = name(c) == open ? -1 : std::lower_bound(closed.begin(), closed.end(), name(c)) - closed.begin();
  pocket = std::move(component);
}

template <class F>
void Pockets::for_cells(const LevelBox &box, F &&f) const
{
  for_own_cell_of(box, [&](const Index c) {
    if (pocket[c] >= 0)
      f(c, pocket[c]);
  });
}

void Pockets::remove_constants(const LevelBox &box, std::vector<double> &x) const
{
  std::vector<double> least(n, std::numeric_limits<double>::infinity());
  for_cells(box, [&](const Index c, const Index k) { least[k] = std::min(least[k], x[c]); });
  reduce(box.processes, MPI_MIN, least);
  for_cells(box, [&](const Index c, const Index k) { x[c] -= least[k]; });
}

void Pockets::remove_positive_means(const LevelBox &box, std::vector<double> &f) const
{
  std::vector<double> mean(n, 0.), size(n, 0.);
  for_cells(box, [&](const Index c, const Index k) {
    mean[k] += f[c];
    size[k] += 1.;
  });
  reduce(box.processes, MPI_SUM, mean);
  reduce(box.processes, MPI_SUM, size);
  for_cells(box, [&](const Index c, const Index k) { f[c] -= std::max(mean[k], 0.) / size[k]; });
}
} // namespace moreau::macro
