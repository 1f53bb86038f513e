// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/box_poisson.h"

#include "macro/box_line.h"
#include "macro/box_multigrid.h"
#include "macro/coarse_correction.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
/// Conjugate gradients for Ax = f on the finest level, preconditioned by a V(1,1) cycle.
class LevelSolver
{
public:
  LevelSolver(const LevelChain &chain, const LinkOperator &A, const std::vector<char> &is_unknown)
      : chain(chain), box(chain.boxes[0]), A(A), coarse(chain), zero(box.size, 0.), r(box.size), z(box.size), d(box.size)
  {
    if (chain.boxes.size() > 1)
      coarse.set_operator(0, A, is_unknown);
  }

  /// x from 0 until |f - Ax|₂ <= tolerance |f|₂; false where that is not reached.
  bool solve(const std::vector<double> &f, const double tolerance, std::vector<double> &x, unsigned int &n_iterations)
  {
    constexpr unsigned int cap = 200, patience = 20; // a singular system never ends
    double                 least    = std::numeric_limits<double>::infinity();
    unsigned int           least_at = 0;
    x.assign(box.size, 0.);
    r                 = f;
    const double goal = tolerance * std::sqrt(dot(f, f));
    double       rz   = 0.;
    n_iterations      = 0;
    std::vector<double> p(box.size, 0.);
    for (double norm = goal / tolerance; !(norm <= goal); norm = std::sqrt(dot(r, r)))
      {
        if (norm < .5 * least)
          {
            least    = norm;
            least_at = n_iterations;
          }
        if (n_iterations == cap || n_iterations - least_at > patience)
          return false;
        ++n_iterations;
        precondition();
        const double rz_new = dot(r, z), beta = rz > 0. ? rz_new / rz : 0.;
        rz = rz_new;
        for_own([&](const Index c) { p[c] = z[c] + beta * p[c]; });
        box.update_ghosts(p);
        for_residual_rows(box, A, zero, p, [&](const Index row, double *const minus_Ap) {
          for (Index i = 0; i < box.n[0]; ++i)
            d[row + i] = -minus_Ap[i];
        });
        const double pAp = dot(p, d);
        if (!(pAp > 0.))
          return false;
        const double alpha = rz / pAp;
        for_own([&](const Index c) {
          x[c] += alpha * p[c];
          r[c] -= alpha * d[c];
        });
      }
    return true;
  }

private:
  template <class F>
  void for_own(F &&f) const
  {
    box.for_rows([&](const Index row, Index, Index) {
      for (Index c = row; c < row + box.n[0]; ++c)
        f(c);
    });
  }

  double dot(const std::vector<double> &a, const std::vector<double> &b) const
  {
    double sum = 0.;
    box.for_rows([&](const Index row, Index, Index) {
      double of_row = 0.;
      for (Index c = row; c < row + box.n[0]; ++c)
        of_row += a[c] * b[c];
      sum += of_row;
    });
    return box.processes.sum(sum);
  }

  /// z ≈ A⁻¹r.
  void precondition()
  {
    z.assign(box.size, 0.);
    sweep<false>(box, A, r, z, false);
    if (chain.boxes.size() > 1)
      {
        box.update_ghosts(z);
        for_residual_rows(box, A, r, z,
                          [&](const Index row, double *const values) { std::copy_n(values, box.n[0], d.begin() + row); });
        box.update_ghosts(d);
        for_prolonged_rows<float>(chain, 0, coarse.correction(d), [&](const Index row, const float *const correction) {
          for (Index i = 0; i < box.n[0]; ++i)
            z[row + i] += A.diagonal[row + i] > 0. ? static_cast<double>(correction[i]) : 0.;
        });
      }
    box.update_ghosts(z);
    sweep<false>(box, A, r, z, true);
  }

  const LevelChain   &chain;
  const LevelBox     &box;
  const LinkOperator &A;
  CoarseCorrection    coarse;
  std::vector<double> zero, r, z, d;
};

/// θ as in DivergenceConstraint; 0 on walls, which flux does not cross.
FaceArrays link_lengths(const BoxZone &zone)
{
  FaceArrays theta(zone.grid);
  for (int axis = 0; axis < zone.grid.dim; ++axis)
    {
      BoxGrid faces = zone.grid; // both sides of process borders
      faces.n[axis] += 1;
      faces.last += axis == zone.grid.last_axis();
      for_own_cells(faces, [&](const CellIndex &face) {
        const bool wall =
            zone.walls[2 * axis] && face[axis] == 0 || zone.walls[2 * axis + 1] && face[axis] == zone.grid.n[axis];
        theta(axis, face) = wall ? 0. : .5 * (zone(moved(face, axis, -1)) + zone(face));
      });
    }
  return theta;
}

/// In a closed box only what has mean 0 has a solution; false where f is something else.
bool remove_mean(const BoxGrid &grid, const double tolerance, const std::vector<char> &is_unknown, std::vector<double> &f)
{
  double sum = 0., squares = 0.;
  for (const double value : f)
    {
      sum += value;
      squares += value * value;
    }
  const double n = static_cast<double>(grid.n_cells()), mean = grid.processes.sum(sum) / n;
  for (std::size_t c = 0; c < f.size(); ++c)
    if (is_unknown[c])
      f[c] -= mean;
  return std::abs(mean) <= tolerance * std::sqrt(grid.processes.sum(squares) / n);
}
} // namespace

PoissonSolution solve_poisson(const BoxZone &zone, const CellArray &f, const double tolerance)
{
  const BoxGrid &grid = zone.grid;
  if (grid.dim == 1)
    return solve_poisson_on_line(zone, f, tolerance);
  const FaceArrays theta = link_lengths(zone);
  PoissonSolution  solution;
  solution.phi            = CellArray(grid);
  solution.minus_gradient = FaceArrays(grid);

  const double        L = std::pow(grid.cell_volume(), 1. / grid.dim), unit = std::pow(L, grid.dim - 1);
  const BoxMultigrid  multigrid(grid, Sides{}, zone.walls);
  const LevelBox     &own = multigrid.own();
  std::vector<char>   is_unknown(own.size, 0);
  std::vector<double> right_side(own.size, 0.), x;
  for_own_cells(grid, [&](const CellIndex &cell) {
    if (!zone(cell))
      return;
    const Index c = multigrid.position(cell);
    is_unknown[c] = 1;
    right_side[c] = L * f(cell);
  });
  const bool         solvable = !is_closed(zone) || remove_mean(grid, tolerance, is_unknown, right_side);
  const LinkOperator A        = multigrid.links(theta, is_unknown);
  solution.converged          = LevelSolver(multigrid.chain(), A, multigrid.to_level(is_unknown))
                           .solve(multigrid.to_level(right_side), tolerance, x, solution.n_iterations) &&
                       solvable;
  x = multigrid.to_own(std::move(x));
  for_own_cells(grid, [&](const CellIndex &cell) {
    if (zone(cell))
      solution.phi(cell) = x[multigrid.position(cell)] / unit;
  });
  solution.phi.update_ghosts();

  for (int axis = 0; axis < grid.dim; ++axis)
    {
      BoxGrid faces = grid; // both sides of process borders
      faces.n[axis] += 1;
      faces.last += axis == grid.last_axis();
      for_own_cells(faces, [&](const CellIndex &face) {
        if (const double length = theta(axis, face) * grid.h(axis); length > 0.)
          solution.minus_gradient(axis, face) = (solution.phi(moved(face, axis, -1)) - solution.phi(face)) / length;
      });
    }
  return solution;
}
} // namespace moreau::macro
