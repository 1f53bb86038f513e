// SPDX-License-Identifier: GPL-3.0-or-later
// The isotropic projection on n x n (x n) cells of the unit square (cube), cold, against one linear Poisson solve by the
// same multigrid, both from the zone on, set-up included, to a natural residual and a relative residual of 1e-8.
//
// Data: smooth  case I1 of the reference cases: a disc in contact      blocks  7 x 7 (x 7) constant random velocities
//       noise   independent normal face velocities
// Then the same, once, on 2^k - 1 cells, against PETSc's way from the same data to the same answer.
//
// `certified` is the same projection with the repair that makes its error
// bound a guarantee. Times are wall times, the least of a few runs.
#include "macro/obstacle/poisson.h"
#include "macro/isotropic/divergence_constraint.h"
#include "macro/isotropic/obstacle_multigrid.h"
#include "tests/benchmarks/obstacle_peers.h"
#include "tests/benchmarks/table.h"

#include <algorithm>
#include <iostream>
#include <limits>
#include <random>

using namespace moreau;
using namespace moreau::macro;
using namespace moreau::benchmarks;

namespace
{
/// p = ((r0² - r²)⁺)², r0 = 0.3, around the middle.
void disc_in_contact(const Eigen::MatrixXd &x, Eigen::MatrixXd &U)
{
  for (Index k = 0; k < x.cols(); ++k)
    {
      const Vector from_middle = x.col(k).array() - .5;
      const double s           = .09 - from_middle.squaredNorm();
      U.col(k)                 = (s > 0. ? -4. * s : -s) * from_middle;
      U(0, k) -= from_middle(1);
      U(1, k) += from_middle(0);
    }
}

FaceArrays blocks(const BoxGrid &grid)
{
  std::mt19937                     numbers(7);
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd            u = Eigen::MatrixXd::NullaryExpr(grid.dim, 343, [&] { return normal(numbers); });
  return face_means(
      grid,
      [&u](const Eigen::MatrixXd &x, Eigen::MatrixXd &U) {
        for (Index k = 0; k < x.cols(); ++k)
          {
            Index block = 0;
            for (Index axis = x.rows(); axis-- > 0;)
              block = 7 * block + std::min<Index>(6, static_cast<Index>(7. * x(axis, k)));
            U.col(k) = u.col(block);
          }
      },
      1);
}

FaceArrays noise(const BoxGrid &grid)
{
  std::mt19937                     numbers(7);
  std::normal_distribution<double> normal;
  FaceArrays                       U(grid);
  for (int axis = 0; axis < grid.dim; ++axis)
    for (double &u : U.values[axis])
      u = normal(numbers);
  return U;
}

FaceArrays velocities(const std::string &name, const BoxGrid &grid)
{
  return name == "smooth" ? face_means(grid, disc_in_contact) : name == "blocks" ? blocks(grid) : noise(grid);
}

/// Least time of a few runs.
template <class Work>
double time_of(const int repetitions, Work &&work)
{
  double best = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < repetitions; ++repetition)
    {
      const double begin = seconds();
      work();
      best = std::min(best, seconds() - begin);
    }
  return best;
}

void add_rows(Table &table, const int dim, const Index n, const int repetitions)
{
  const BoxGrid grid = box_grid(Vector::Zero(dim), Vector::Ones(dim), static_cast<double>(n), Processes::alone());
  BoxZone       zone(grid, {});
  for_own_cells(grid, [&](const CellIndex &cell) { zone.set(cell, true); });
  CellArray f(grid, 1.);

  PoissonSolution poisson;
  const double    poisson_time = time_of(repetitions, [&] { poisson = solve_poisson(zone, f, 1e-8); });

  convex::StoppingCriterion criterion;
  criterion.tolerance           = 1e-8;
  criterion.on_natural_residual = true;
  const StaggeredProblem staggered(zone);
  const std::string      size = std::to_string(n) + (dim == 2 ? "^2" : "^3");
  for (const std::string name : {"smooth", "blocks", "noise"})
    {
      const FaceArrays U         = velocities(name, grid);
      const auto       certified = staggered.projection_problem(U);
      auto             problem   = certified;
      problem.repair.reset();
      problem.expansion = {};
      convex::SaddlePoint x;
      const double        time           = time_of(repetitions, [&] { x = ObstacleMultigrid(criterion).project(problem); });
      const double        certified_time = time_of(1, [&] { ObstacleMultigrid(criterion).project(certified); });
      table.add({size + " " + name, x.n_iterations, convex::name(x.status), x.certificate.natural_residual, time,
                 certified_time, poisson.effort.n_iterations, poisson_time, time / poisson_time});
    }
}

/// Everybody once, on the same discrete problem.
void add_peers(Table &table, const PetscPeers &petsc, const Index n)
{
  const BoxGrid grid = box_grid(Vector::Zero(2), Vector::Ones(2), static_cast<double>(n), Processes::alone());
  BoxZone       zone(grid, {});
  for_own_cells(grid, [&](const CellIndex &cell) { zone.set(cell, true); });
  const StaggeredProblem    staggered(zone);
  convex::StoppingCriterion criterion;
  criterion.tolerance           = 1e-8;
  criterion.on_natural_residual = true;
  criterion.max_iterations      = 1000;

  for (const std::string name : {"smooth", "blocks", "noise"})
    {
      auto problem = staggered.projection_problem(velocities(name, grid));
      problem.repair.reset();
      problem.expansion               = {};
      const double              begin = seconds();
      const convex::SaddlePoint x     = ObstacleMultigrid(criterion).project(problem);
      const PetscPeers::Run     ours  = {"moreau, nested multigrid", x.n_iterations, seconds() - begin,
                                         x.certificate.natural_residual, x.p};
      const double              size  = convex::max_abs(ours.p);
      const auto                add   = [&](const PetscPeers::Run &run) {
        table.add({std::to_string(n) + "^2 " + name + ", " + run.method, run.n_iterations, run.residual, run.seconds,
                   run.seconds / ours.seconds, convex::max_abs(run.p - ours.p) / size});
      };
      add(ours);
      for (const PetscPeers::Run &run : petsc.projections(problem, criterion.tolerance))
        add(run);
      const PetscPeers::Run linear = petsc.linear_solve(problem, criterion.tolerance);
      table.add({std::to_string(n) + "^2 " + name + ", " + linear.method, linear.n_iterations, linear.residual,
                 linear.seconds, linear.seconds / ours.seconds, "-"});
    }
}

void run(const Options &options)
{
  Table     table(std::cout, "Isotropic projection and one Poisson solve",
                  {"case", "its", "status", "residual", "seconds", "certified", "P its", "P seconds", "ratio"});
  const int dim         = static_cast<int>(options.number("dimension", 2.));
  const int repetitions = static_cast<int>(options.number("repetitions", 3.));
  for (double n = options.number("min-n", 256.); n < 1.001 * options.number("max-n", 2048.); n *= 2.)
    add_rows(table, dim, static_cast<Index>(n), repetitions);
  if (options.number("peers", 1.) == 0. || dim != 2)
    return write_json(options.text("json", ""), {&table});

  const PetscPeers petsc;
  Table            peers(std::cout, "The same projection by others (one run each)",
                         {"case, method", "its", "residual", "seconds", "x ours", "difference of p"}, 48);
  for (double n = options.number("min-n", 256.); n < 1.001 * options.number("max-n", 2048.); n *= 2.)
    add_peers(peers, petsc, static_cast<Index>(n) - 1);
  write_json(options.text("json", ""), {&table, &peers});
}
} // namespace

int main(int argc, char **argv)
{
  return run_benchmark(argc, argv,
                       {{"dimension", "2 or 3 (2)"},
                        {"min-n", "cells along an axis of the smallest grid (256)"},
                        {"max-n", "those of the largest one (2048)"},
                        {"repetitions", "runs of which the fastest counts (3)"},
                        {"peers", "0: leave out the others, which want min-n = 2^k (1)"}},
                       run);
}
