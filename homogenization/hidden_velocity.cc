// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/hidden_velocity.h"

#include "geometry/box_rows.h"
#include "geometry/quadrature.h"
#include "macro/integrals_of_u.h"
#include "macro/saturated_cells.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace moreau::homogenization
{
namespace
{
constexpr int n_gauss = 3;

/// Points of the rule on the cells of a row of which one lies in the zone, cell after cell.
Eigen::MatrixXd points_of_row(const macro::Setting &setting, const geometry::BoxGrid &grid, const geometry::Row &row,
                              const geometry::Rule &rule)
{
  const Eigen::Index n = rule.size();
  Eigen::MatrixXd    x(grid.dim, n * (row.end - row.begin[0]));
  for (Eigen::Index k = 0; k < x.cols(); ++k)
    {
      const geometry::CellIndex cell = geometry::moved(row.begin, 0, k / n);
      for (int a = 0; a < grid.dim; ++a)
        x(a, k) = grid.lower(a) + (static_cast<double>(cell[a]) + rule.points(a, k % n)) * grid.h(a);
    }
  const std::vector<char> saturated = macro::saturated_at(setting.domain, x);
  Eigen::Index            n_kept    = 0;
  for (Eigen::Index first = 0; first < x.cols(); first += n)
    if (std::find(saturated.begin() + first, saturated.begin() + first + n, 1) != saturated.begin() + first + n)
      x.middleCols(n * n_kept++, n) = x.middleCols(first, n).eval();
  return x.leftCols(n * n_kept);
}

double sum(const std::vector<double> &of_rows) { return std::accumulate(of_rows.begin(), of_rows.end(), 0.); }
} // namespace

double hidden_velocity(const macro::Setting &setting, const double width, const geometry::Progress &progress)
{
  constexpr double        most_cells = 1e5;
  const geometry::Vector  sides      = setting.domain.upper - setting.domain.lower;
  const geometry::BoxGrid grid =
      geometry::box_grid(setting.domain.lower, setting.domain.upper, 1. / width, geometry::Processes::alone());
  if (!setting.U.on_hull || !(sides.prod() / std::pow(width, grid.dim) <= most_cells))
    return 0.;
  const geometry::Rule         rule = geometry::gauss_rule(n_gauss, grid.dim);
  const macro::IntegralsOfU    of_U = macro::IntegralsOfU::on_cubes(rule, n_gauss - 2);
  std::vector<Eigen::MatrixXd> x(n_own_rows(grid));
  std::vector<double>          seen(x.size(), 0.), squared(x.size(), 0.), hidden(x.size(), 0.);
  for_own_rows(
      grid,
      [&](const Eigen::Index r, const geometry::Row &row) {
        x[r] = points_of_row(setting, grid, row, rule);
        Eigen::MatrixXd U(grid.dim, x[r].cols());
        if (x[r].cols() > 0)
          setting.U(x[r], U);
        for (Eigen::Index first = 0; first < U.cols(); first += rule.size())
          seen[r] += of_U(U.middleCols(first, rule.size()), grid.cell_volume() * rule.weights).oscillation;
        squared[r] = grid.cell_volume() * U.colwise().squaredNorm().sum();
      },
      progress.part(0., .3));
  const bool all_seen = sum(seen) <= 1e-24 * sum(squared); // as linear
  for_own_rows(
      grid,
      [&](const Eigen::Index r, const geometry::Row &) {
        hidden[r] = of_U.hidden(setting.U, x[r], geometry::Vector::Constant(x[r].cols() / rule.size(), grid.cell_volume()),
                                all_seen, macro::IntegralsOfU::in_a_row(grid.n_cells()))
                        .squared;
      },
      progress.part(.3, 1.));
  return std::sqrt(sum(hidden));
}
} // namespace moreau::homogenization
