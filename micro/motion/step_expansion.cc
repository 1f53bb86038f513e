// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/step_expansion.h"

#include "micro/impact_problem.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <vector>

namespace moreau::micro
{
namespace
{
/// Takes the field from clusters of which some row opens much more slowly than others move, as where they have to leave
/// obstacles that nearly face each other, or where they are joined to their own images: a bound by it would say nothing.
void leave_out_what_hardly_opens(const std::vector<StepRow> &rows, const Index dim, convex::Expansion &x)
{
  constexpr double    hardly = 1e-4;
  const Index         n      = x.w.size() / dim;
  std::vector<double> rate(x.n_parts, std::numeric_limits<double>::infinity()), speed(x.n_parts, 0.);
  for (Index i = 0; i < n; ++i)
    {
      double &fastest = speed[x.part_of_unknown[dim * i]];
      fastest         = std::max(fastest, x.w.segment(dim * i, dim).norm());
    }
  for (const StepRow &row : rows)
    {
      double opens = -row.e.head(dim).dot(x.w.segment(dim * row.i, dim));
      if (row.j < n)
        opens += row.e.head(dim).dot(x.w.segment(dim * row.j, dim));
      double &slowest = rate[x.part_of_unknown[dim * row.i]];
      slowest         = std::min(slowest, opens);
    }
  for (Index k = 0; k < x.w.size(); ++k)
    if (const int part = x.part_of_unknown[k]; rate[part] < hardly * speed[part])
      x.w(k) = 0.;
}
} // namespace

convex::Expansion step_expansion(const std::vector<StepRow> &rows, const StepScene &scene)
{
  const Index   n = scene.q.cols(), dim = scene.q.rows();
  const Spheres spheres{scene.q, scene.R, scene.m};

  ContactGraph graph;
  graph.dim       = dim;
  graph.n_spheres = n;
  graph.box       = scene.box;
  graph.contacts.reserve(rows.size());
  std::vector<Wall>                    walls; // one for each direction, behind all that have it
  std::map<std::array<double, 3>, int> known;
  for (const StepRow &row : rows)
    if (row.j < n)
      graph.contacts.push_back({row.i, row.j, row.D, row.e, static_cast<std::int32_t>(row.image)});
    else
      {
        const Vector normal        = -row.e.head(dim);
        const double offset        = normal.dot(scene.q.col(row.i)) - scene.R(row.i) - row.D;
        const auto [place, is_new] = known.try_emplace({row.e(0), row.e(1), row.e(2)}, static_cast<int>(walls.size()));
        if (is_new)
          walls.push_back({"", normal, offset, {}});
        Wall &wall  = walls[place->second];
        wall.offset = std::min(wall.offset, offset);
        graph.contacts.push_back({row.i, static_cast<int>(n) + place->second, row.D, row.e, 0});
      }
  convex::Expansion result = expansion(spheres, walls, graph);
  if (!result.empty())
    leave_out_what_hardly_opens(rows, dim, result);
  return result;
}
} // namespace moreau::micro
