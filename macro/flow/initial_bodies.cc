// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/initial_bodies.h"

#include "macro/flow/initial_cores.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
namespace
{
/// A line of cells, from an empty one on where it is a ring.
class Line
{
public:
  Line(const FlowGrid &grid, const FlowSetting &setting, const CellArray &rho)
      : grid(grid), rho(rho), rho_max(setting.rho_max), momentum(setting.momentum[0])
  {
    const Index n = grid.box().n[0];
    Index       j = 0;
    while (grid.periodic()[0] && j < n && rho({j, 0, 0}) > 0.)
      ++j;
    begin = j % n;
    for (j = 0; j < n; ++j)
      if (rho.values(at(j)) > empty_density)
        fastest = std::max(fastest, std::abs(velocity(j)));
    find_runs();
    find_cuts();
  }

  Index at(const Index j) const { return grid.position({(begin + j) % grid.box().n[0], 0, 0}); }

  /// Before the cell `first` ends what has one colour, and of the cell `first - 1` it has this part of mass and momentum.
  struct Cut
  {
    Index  first;
    double rho, momentum; ///< of the body before in that cell
  };
  std::vector<Cut> cuts;

private:
  struct Run
  {
    Index  first, last;
    double u;
  };

  double velocity(const Index j) const
  {
    const double mass = rho.values(at(j));
    return mass > empty_density ? momentum.values(at(j)) / mass : 0.;
  }
  bool is_same(const double u, const double v) const { return std::abs(u - v) <= 1e-9 * fastest; }
  bool is_full(const Index j) const { return rho.values(at(j)) >= (1. - 1e-9) * rho_max.values(at(j)); }

  void find_runs()
  {
    const Index n = grid.box().n[0];
    for (Index j = 0; j < n; ++j)
      if (rho_max.values(at(j)) > 0. && is_full(j))
        {
          Run run = {j, j, velocity(j)};
          while (run.last + 1 < n && is_full(run.last + 1) && is_same(velocity(run.last + 1), run.u))
            ++run.last;
          if (run.last > run.first)
            runs.push_back(run);
          j = run.last;
        }
  }

  void find_cuts()
  {
    for (std::size_t k = 1; k < runs.size(); ++k)
      {
        const Run  &a = runs[k - 1], &b = runs[k];
        const Index between = b.first - a.last - 1, next = a.last + 1;
        const auto  whole = [&](const Index j) { return Cut{j + 1, rho.values(at(j)), momentum.values(at(j))}; };
        if (between == 0)
          cuts.push_back(whole(a.last));
        else if (between == 1 && !is_same(a.u, b.u))
          {
            const double     all = rho.values(at(next)), part = all * (velocity(next) - b.u) / (a.u - b.u);
            constexpr double rounding = 1e-9;
            if (part >= -rounding && part <= all + rounding)
              {
                const double own = std::clamp(part, 0., all);
                cuts.push_back({next + 1, own, own * a.u});
              }
          }
        else if (between == 2 && is_same(velocity(next), a.u) && is_same(velocity(next + 1), b.u))
          cuts.push_back(whole(next));
      }
  }

  const FlowGrid  &grid;
  const CellArray &rho, &rho_max, &momentum;
  Index            begin   = 0;
  double           fastest = 0.;
  std::vector<Run> runs;
};

SharedMatter matter_of_line(const FlowGrid &grid, const FlowSetting &setting, const CellArray &rho)
{
  const Line   line(grid, setting, rho);
  SharedMatter shared;
  shared.rho.assign(line.cuts.empty() ? 1 : 2, grid.array());
  shared.momentum.resize(shared.rho.size());
  for (FaceCells &of_cells : shared.momentum)
    of_cells = grid.faces();
  shared.rho[0].values         = rho.values;
  shared.momentum[0][0].values = setting.momentum[0].values;
  const auto give              = [&](const Index j, const double mass, const double momentum) { // to the second colour
    const Index c = line.at(j);
    shared.rho[1].values(c) += mass;
    shared.rho[0].values(c) = std::max(0., shared.rho[0].values(c) - mass);
    shared.momentum[1][0].values(c) += momentum;
    shared.momentum[0][0].values(c) -= momentum;
  };
  for (std::size_t k = 0; k < line.cuts.size(); ++k)
    {
      const Line::Cut &cut = line.cuts[k];
      const Index      c = line.at(cut.first - 1), end = k + 1 < line.cuts.size() ? line.cuts[k + 1].first : grid.box().n[0];
      const double     mass = rho.values(c), momentum = setting.momentum[0].values(c);
      if (k % 2 == 0) // what follows has the second colour
        {
          give(cut.first - 1, mass - cut.rho, momentum - cut.momentum);
          for (Index j = cut.first; j < end - (k + 1 < line.cuts.size()); ++j)
            give(j, rho.values(line.at(j)), setting.momentum[0].values(line.at(j)));
        }
      else
        give(cut.first - 1, cut.rho, cut.momentum);
    }
  return shared;
}

/// matter_of_cores() of the whole box, which every process finds, here.
SharedMatter part_of_matter(const WholeBox &box, const FlowSetting &setting, const CellArray &rho, const std::size_t most)
{
  const FlowGrid &grid  = box.here();
  FlowSetting     whole = setting;
  whole.rho_max         = box.rho_max();
  for (int axis = 0; axis < grid.dim(); ++axis)
    whole.momentum[axis] = box.gathered(setting.momentum[axis]);
  const SharedMatter all = matter_of_cores(box.grid(), whole, box.gathered(rho), most);
  SharedMatter       here;
  here.rho.assign(all.rho.size(), grid.array());
  here.momentum.resize(all.rho.size());
  for (std::size_t k = 0; k < all.rho.size(); ++k)
    {
      box.take_part(all.rho[k], here.rho[k]);
      here.momentum[k] = grid.faces();
      for (int axis = 0; axis < grid.dim(); ++axis)
        box.take_part(all.momentum[k][axis], here.momentum[k][axis]);
    }
  return here;
}
} // namespace

std::vector<Colour> initial_colours(const WholeBox &box, const FlowSetting &setting, const CellArray &rho,
                                    const TwoBodies &two, const std::size_t most)
{
  const FlowGrid &grid   = box.here();
  SharedMatter    shared = grid.dim() == 1 ? matter_of_line(grid, setting, rho) : part_of_matter(box, setting, rho, most);
  std::vector<Colour> colours;
  for (std::size_t k = 0; k < shared.rho.size(); ++k)
    {
      CellArray first;
      if (two.are_there())
        {
          grid.exchange(shared.rho[k]);
          first = two.share_of_first(shared.rho[k], shared.momentum[k]);
        }
      FaceCells momentum;
      for (int axis = 0; axis < grid.dim(); ++axis)
        {
          grid.exchange(shared.momentum[k][axis]);
          momentum[axis]      = grid.array();
          const DualFlux mean = DualFlux::mean(grid, axis, shared.momentum[k][axis]);
          grid.for_faces(axis, [&](const Index c) { momentum[axis].values(c) = grid.open(axis)(c) * mean(c); });
          shared.momentum[k][axis] = CellArray();
        }
      colours.emplace_back(grid, static_cast<bool>(setting.force));
      colours[k].take(shared.rho[k], momentum);
      if (two.are_there())
        colours[k].grid().for_cells_in_whole(
            [&](const Index c, const Index cell) { colours[k].first.values(c) = first.values(cell); });
      shared.rho[k] = CellArray();
    }
  return colours;
}
} // namespace moreau::macro
