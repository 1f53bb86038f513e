// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/solver.h"

#include "macro/obstacle/on_box.h"
#include "macro/obstacle/line.h"
#include "macro/obstacle/window.h"
#include "macro/obstacle/on_line.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace moreau::macro
{
/// One dimension: every process computes the whole line.
class CongestionOnLine
{
public:
  using Progress = CongestionSolver::Progress;

  CongestionOnLine(const BoxGrid &grid, const bool periodic, const FaceArrays &weights, const CellArray *const unknown)
      : grid(grid)
  {
    const Index n_own_faces = grid.own(0) + (grid.last == grid.n[0]);
    line.h                  = grid.h(0);
    line.periodic           = periodic;
    line.weights            = gathered(grid.processes, weights.values[0].head(n_own_faces));
    if (periodic && grid.n[0] == 1) // a link from a cell to itself
      line.weights.setZero();
    const Vector all = unknown ? gathered(grid.processes, own(*unknown)) : Vector::Ones(grid.n[0]).eval();
    line.unknown.resize(all.size());
    for (Index c = 0; c < all.size(); ++c)
      line.unknown[c] = all(c) != 0.;
    join_cells();
  }

  Progress solve(const CellArray &f, CellArray &pi, const double tolerance, const double excess_tolerance) const
  {
    const Vector f_all    = joined(gathered(grid.processes, own(f)));
    Vector       solution = line.solve(f_all);
    line.refine(f_all, solution);
    const Vector A_pi = line.apply(solution), diagonal = line.diagonal();
    double       size = 0.;
    Progress     progress;
    for (Index c = 0; c < solution.size(); ++c)
      if (line.unknown[c])
        {
          const double slack = A_pi(c) - f_all(c);
          size               = std::max(size, diagonal(c) * solution(c));
          progress.residual  = std::max(progress.residual, std::abs(std::min(diagonal(c) * solution(c), slack)));
          progress.excess    = std::max(progress.excess, -slack);
        }
    // a direct solution: what is left is rounding, of running sums of f and of π
    constexpr double eps     = 4. * std::numeric_limits<double>::epsilon();
    const double     of_sums = eps * std::max(size, f_all.lpNorm<1>());
    if (!(progress.residual <= std::max(tolerance, of_sums + eps * size * static_cast<double>(solution.size())) &&
          progress.excess <= std::max(excess_tolerance, of_sums)))
      progress.effort.status = convex::Status::stagnated;
    for (Index i = grid.first; i < grid.last; ++i)
      pi({i, 0, 0}) = solution(place[i]);
    return progress;
  }

private:
  Vector own(const CellArray &array) const { return array.values.segment(1, grid.own(0)); }

  /// Cells with links of infinite weight between them become one cell of the line, and its entries are numbered anew.
  void join_cells()
  {
    const Index n     = grid.n[0];
    Index       begin = 0; // where a ring is cut
    while (begin < n && std::isinf(line.weights(begin)))
      ++begin;
    if (begin == n)
      throw std::invalid_argument("CongestionSolver: all links have infinite weight.");
    std::vector<double> weights;
    std::vector<char>   unknown;
    place.resize(n);
    for (Index j = 0; j < n; ++j)
      {
        const Index c = (begin + j) % n;
        if (!std::isinf(line.weights(c)))
          {
            weights.push_back(line.weights(c));
            unknown.push_back(1);
          }
        place[c]       = static_cast<Index>(unknown.size()) - 1;
        unknown.back() = unknown.back() && line.unknown[c];
      }
    weights.push_back(line.periodic ? weights.front() : line.weights(n));
    line.weights = Eigen::Map<const Vector>(weights.data(), static_cast<Index>(weights.size()));
    line.unknown = std::move(unknown);
  }

  Vector joined(const Vector &of_cells) const
  {
    Vector sums = Vector::Zero(static_cast<Index>(line.unknown.size()));
    for (Index c = 0; c < of_cells.size(); ++c)
      sums(place[c]) += of_cells(c);
    return sums;
  }

  BoxGrid            grid;
  CongestedLine      line;
  std::vector<Index> place; ///< of a cell of the grid on the line
};

class CongestionSolver::Implementation
{
public:
  std::array<bool, 3>               periodic;
  std::unique_ptr<CongestionOnLine> line;   ///< one dimension
  std::unique_ptr<CongestionWindow> window; ///< two and three
};

CongestionSolver::CongestionSolver(const BoxGrid &grid, const std::array<bool, 3> &periodic, const FaceArrays &weights,
                                   const CellArray *const unknown)
    : implementation(std::make_unique<Implementation>())
{
  implementation->periodic = periodic;
  if (grid.dim == 1)
    implementation->line = std::make_unique<CongestionOnLine>(grid, periodic[0], weights, unknown);
  else
    implementation->window = std::make_unique<CongestionWindow>(grid, periodic, weights, unknown);
}

CongestionSolver::~CongestionSolver()                            = default;
CongestionSolver::CongestionSolver(CongestionSolver &&) noexcept = default;

CongestionSolver::Progress CongestionSolver::solve(const CellArray &f, CellArray &pi, const double tolerance,
                                                   const double excess_tolerance, const unsigned int max_iterations,
                                                   const bool nested)
{
  const BoxGrid &grid         = f.box_grid();
  Index          n_not_finite = 0;
  for_own_cells(grid, [&](const CellIndex &cell) { n_not_finite += !std::isfinite(f(cell)) || !std::isfinite(pi(cell)); });
  if (grid.processes.sum(n_not_finite) > 0)
    {
      Progress none;
      none.residual = none.excess = std::numeric_limits<double>::quiet_NaN();
      none.effort.status          = convex::Status::stagnated;
      return none;
    }
  const Progress progress = implementation->line
                                ? implementation->line->solve(f, pi, tolerance, excess_tolerance)
                                : implementation->window->solve(f, pi, tolerance, excess_tolerance, max_iterations, nested);
  update_ghosts(pi, implementation->periodic);
  return progress;
}

std::vector<std::int64_t> CongestionSolver::memory() const
{
  return implementation->window ? implementation->window->memory() : std::vector<std::int64_t>();
}

void CongestionSolver::remember(const std::vector<std::int64_t> &memory)
{
  if (implementation->window)
    implementation->window->remember(memory);
}
} // namespace moreau::macro
