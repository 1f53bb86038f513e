// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/initial_cores.h"

#include "macro/flow/transport.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace moreau::macro
{
namespace
{
constexpr int no_core = -1;

class Cores
{
public:
  Cores(const FlowGrid &grid, const FlowSetting &setting, const CellArray &rho)
      : grid(grid), setting(setting), rho(rho), core(grid.size(), no_core)
  {
    grid.for_cells([&](const Index c) { fastest = std::max(fastest, velocity(c).lpNorm<Eigen::Infinity>()); });
    for_own_cells(grid.box(), [&](const CellIndex &cell) { grow(cell); });
    join_what_varies();
    choose_colours();
  }

  std::size_t size() const { return n_colours; }

  /// Mass and momentum of a cell that each colour gets.
  struct Part
  {
    std::size_t     colour;
    double          rho;
    Eigen::VectorXd momentum;
  };
  std::vector<Part> parts(const CellIndex &cell) const;

private:
  Eigen::VectorXd momentum(const Index c) const
  {
    Eigen::VectorXd m(grid.dim());
    for (int axis = 0; axis < grid.dim(); ++axis)
      m(axis) = setting.momentum[axis].values(c);
    return m;
  }
  Eigen::VectorXd velocity(const Index c) const
  {
    return rho.values(c) > empty_density ? Eigen::VectorXd(momentum(c) / rho.values(c))
                                         : Eigen::VectorXd(Eigen::VectorXd::Zero(grid.dim()));
  }
  bool is_same(const Eigen::VectorXd &u, const Eigen::VectorXd &v) const
  {
    return (u - v).lpNorm<Eigen::Infinity>() <= 1e-9 * fastest;
  }
  bool is_full(const Index c) const
  {
    return setting.rho_max.values(c) > 0. && rho.values(c) >= (1. - 1e-9) * setting.rho_max.values(c);
  }

  int core_at(const CellIndex &cell) const
  {
    const auto there = grid.find(cell);
    return there ? core[*there] : no_core;
  }

  bool            is_shared(const CellIndex &cell) const;
  void            grow(const CellIndex &start);
  Eigen::VectorXd difference(const CellIndex &cell, int axis) const;
  double          gradient_from(const CellIndex &cell, int axis) const;
  void            join_what_varies();
  void            choose_colours();

  const FlowGrid          &grid;
  const FlowSetting       &setting;
  const CellArray         &rho;
  double                   fastest = 0.;
  std::vector<int>         core; ///< per position
  int                      n_cores = 0;
  std::vector<std::size_t> colour; ///< per core
  std::size_t              n_colours = 1;
};

/// Whether the cell lies between two pairs of full ones with a velocity each and has a mean of them: straight edges of
/// bodies that touch leave a row of such cells, which are no body.
bool Cores::is_shared(const CellIndex &cell) const
{
  const Eigen::VectorXd v = velocity(grid.position(cell));
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const auto below = grid.find(moved(cell, axis, -1)), above = grid.find(moved(cell, axis, 1));
      if (!below || !above || !is_full(*below) || !is_full(*above))
        continue;
      const Eigen::VectorXd a = velocity(*below), b = velocity(*above);
      if (is_same(v, a) || is_same(v, b) || is_same(a, b))
        continue;
      const auto goes_on = [&](const Index by, const Eigen::VectorXd &u) {
        const auto next = grid.find(moved(cell, axis, by));
        return next && is_full(*next) && is_same(velocity(*next), u);
      };
      if (!goes_on(-2, a) || !goes_on(2, b))
        continue;
      const double part = (v - b).dot(a - b) / (a - b).squaredNorm();
      if (0. < part && part < 1. && is_same(v, part * a + (1. - part) * b))
        return true;
    }
  return false;
}

void Cores::grow(const CellIndex &start)
{
  const Index                  at     = grid.position(start);
  const Eigen::VectorXd        v      = velocity(at);
  const int                    number = n_cores;
  const std::vector<CellIndex> cells  = grid.connected(start, [&](const CellIndex &cell) {
    const Index there = grid.position(cell);
    const bool  joins = core[there] == no_core && is_full(there) && is_same(velocity(there), v) && !is_shared(cell);
    if (joins)
      core[there] = number;
    return joins;
  });
  if (cells.size() > 1)
    ++n_cores;
  else if (cells.size() == 1)
    core[at] = no_core;
}

/// Of the velocities of a cell and the next one along an axis; 0 where they are not of two cores.
Eigen::VectorXd Cores::difference(const CellIndex &cell, const int axis) const
{
  const CellIndex next = moved(cell, axis, 1);
  const int       a = core_at(cell), b = core_at(next);
  if (a == no_core || b == no_core || a == b)
    return Eigen::VectorXd::Zero(grid.dim());
  return velocity(*grid.find(next)) - velocity(*grid.find(cell));
}

/// The largest of three successive differences, where each is about as large as the one before and points the same way:
/// there the velocity varies within a body. Else 0: one difference is a contact, and two are one whose cells are shared.
double Cores::gradient_from(const CellIndex &cell, const int axis) const
{
  constexpr double about  = 3.; // a factor
  Eigen::VectorXd  before = difference(cell, axis);
  double           most   = before.norm();
  for (const Index by : {1, 2})
    {
      const Eigen::VectorXd next = difference(moved(cell, axis, by), axis);
      if (!(next.dot(before) > 0.) || next.norm() > about * before.norm() || before.norm() > about * next.norm())
        return 0.;
      most   = std::max(most, next.norm());
      before = next;
    }
  return most;
}

/// Cores of a connected piece of matter whose velocities differ by no more than its velocity does between some cells in
/// which it varies, twice at most, are one: the rows of a shear, the columns of a rotation in space.
void Cores::join_what_varies()
{
  constexpr double more  = 2.; // than a difference that is no contact
  const auto       roots = [&] {
    std::vector<int> parent(n_cores);
    std::iota(parent.begin(), parent.end(), 0);
    return parent;
  };
  const auto root = [](std::vector<int> &parent, int k) {
    while (parent[k] != k)
      k = parent[k] = parent[parent[k]];
    return k;
  };
  const auto for_contacts = [&](const auto &f) { // between two cores
    for_own_cells(grid.box(), [&](const CellIndex &cell) {
      for (int axis = 0; axis < grid.dim(); ++axis)
        if (const int a = core_at(cell), b = core_at(moved(cell, axis, 1)); a != no_core && b != no_core && a != b)
          f(cell, axis, a, b);
    });
  };
  std::vector<int> piece = roots(), body = roots();
  for_contacts([&](const CellIndex &, int, const int a, const int b) { piece[root(piece, a)] = root(piece, b); });
  std::vector<double> gradient(n_cores, 0.); // per piece
  for_contacts([&](const CellIndex &cell, const int axis, const int a, int) {
    double &largest = gradient[root(piece, a)];
    largest         = std::max(largest, gradient_from(cell, axis));
  });
  for_contacts([&](const CellIndex &cell, const int axis, const int a, const int b) {
    if (difference(cell, axis).norm() <= more * gradient[root(piece, a)])
      body[root(body, a)] = root(body, b);
  });
  for (int &number : core)
    if (number != no_core)
      number = root(body, number);
}

/// Greedily, in the order of the cores.
void Cores::choose_colours()
{
  std::vector<std::set<int>> near(n_cores);
  for_own_cells(grid.box(), [&](const CellIndex &cell) {
    const int mine = core[grid.position(cell)];
    if (mine != no_core)
      grid.any_around(cell, 2, [&](const CellIndex &there) {
        const Index at = grid.position(there);
        if (core[at] != no_core && core[at] != mine && !is_same(velocity(at), velocity(grid.position(cell))))
          near[mine].insert(core[at]);
        return false;
      });
  });
  colour.assign(near.size(), 0);
  for (std::size_t k = 0; k < near.size(); ++k)
    {
      std::set<std::size_t> taken;
      for (const int other : near[k])
        if (static_cast<std::size_t>(other) < k)
          taken.insert(colour[other]);
      while (taken.count(colour[k]) > 0)
        ++colour[k];
      n_colours = std::max(n_colours, colour[k] + 1);
    }
}

std::vector<Cores::Part> Cores::parts(const CellIndex &cell) const
{
  const Index           at  = grid.position(cell);
  const Eigen::VectorXd all = momentum(at);
  if (core[at] != no_core)
    return {{colour[core[at]], rho.values(at), all}};
  struct Candidate // a colour, and its velocity nearby
  {
    std::size_t     colour;
    Eigen::VectorXd u;
  };
  std::vector<Candidate> candidates;
  for (const Index reach : {1, 2})
    if (candidates.empty())
      grid.any_around(cell, reach, [&](const CellIndex &there) {
        const Index its = grid.position(there);
        if (core[its] != no_core && std::none_of(candidates.begin(), candidates.end(),
                                                 [&](const Candidate &known) { return is_same(known.u, velocity(its)); }))
          candidates.push_back({colour[core[its]], velocity(its)});
        return false;
      });
  if (candidates.empty())
    return {{0, rho.values(at), all}};
  const auto distance = [&](const Candidate &candidate) { return (velocity(at) - candidate.u).norm(); };
  const auto nearest  = std::min_element(candidates.begin(), candidates.end(),
                                         [&](const Candidate &a, const Candidate &b) { return distance(a) < distance(b); });
  if (candidates.size() == 2 && !is_same(velocity(at), nearest->u))
    {
      const Eigen::VectorXd &a = candidates[0].u, &b = candidates[1].u;
      constexpr double       rounding = 1e-6; // of the quadrature in cells that are cut
      const double part = (all - rho.values(at) * b).dot(a - b) / (a - b).squaredNorm(), rest = rho.values(at) - part;
      const double left = (all - part * a - rest * b).lpNorm<Eigen::Infinity>();
      if (part >= -rounding && rest >= -rounding && left <= rounding * fastest)
        {
          const double own = std::clamp(part, 0., rho.values(at));
          return {{candidates[0].colour, own, own * a}, {candidates[1].colour, rho.values(at) - own, all - own * a}};
        }
    }
  return {{nearest->colour, rho.values(at), all}}; // by its velocity, not by the order of the cells
}
} // namespace

SharedMatter matter_of_cores(const FlowGrid &grid, const FlowSetting &setting, const CellArray &rho, const std::size_t most)
{
  const Cores  cores(grid, setting, rho);
  SharedMatter shared;
  shared.rho.assign(std::min(cores.size(), most), grid.array());
  shared.momentum.resize(shared.rho.size());
  for (FaceCells &momentum : shared.momentum)
    momentum = grid.faces();
  for_own_cells(grid.box(), [&](const CellIndex &cell) {
    const Index c = grid.position(cell);
    for (const Cores::Part &part : cores.parts(cell))
      {
        const std::size_t k = part.colour < shared.rho.size() ? part.colour : 0;
        shared.rho[k].values(c) += part.rho;
        for (int axis = 0; axis < grid.dim(); ++axis)
          shared.momentum[k][axis].values(c) += part.momentum(axis);
      }
  });
  return shared;
}
} // namespace moreau::macro
