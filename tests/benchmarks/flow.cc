// SPDX-License-Identifier: GPL-3.0-or-later
// The congestion problem of a step of a flow on n x n cells of the unit square, to an excess of density of 1e-12, against one linear Poisson solve on the
// same cells to a relative residual of 1e-8, set-up included.
//
// Data: disc    matter flows onto a disc of radius 1/4 that grows by 0.3 cells per step     column  rests on the ground of a closed box and sinks
//       noise   independent normal numbers in all cells                                     blocks  8 x 8 blocks collide; small: in 1/64 of the square
// `first` is a step that starts from nothing, `warm` the mean of steps that start from the step before. Times are of the processor.
#include "macro/box_poisson.h"
#include "macro/congestion.h"
#include "tests/benchmarks/process.h"
#include "tests/benchmarks/table.h"
#include "tests/macro/growing_disc.h"

#include <cmath>
#include <iostream>
#include <random>

using namespace moreau;
using namespace moreau::macro;
using namespace moreau::benchmarks;

namespace
{
constexpr double cells_per_step = .3;

double time_step(const BoxGrid &grid) { return cells_per_step * grid.h(0); }

double poisson_seconds(const BoxGrid &grid)
{
  BoxZone zone(grid, {});
  for_own_cells(grid, [&](const CellIndex &cell) { zone.set(cell, true); });
  const CellArray f(grid, 1.);
  double          least = INFINITY;
  for (int run = 0; run < 3; ++run)
    {
      const double begin = processor_seconds();
      solve_poisson(zone, f, 1e-8);
      least = std::min(least, processor_seconds() - begin);
    }
  return least;
}

/// f = (ρ* - 1)/h of a step.
using Step = std::function<CellArray(int step)>;

CellArray column(const BoxGrid &grid, const FaceArrays &weights, const int step)
{
  const double h = time_step(grid), height = .5 - .001 * step;
  CellArray    f(grid);
  // what is within the column has fallen for the time h
  const auto flux = [&](const CellIndex &face) { return weights(1, face) > 0. && grid.centre(face)(1) < height ? -h : 0.; };
  for_own_cells(grid, [&](const CellIndex &cell) {
    f(cell) = (flux(cell) - flux(moved(cell, 1, 1))) / grid.h(1) - (grid.centre(cell)(1) < height ? 0. : .7 / h);
  });
  return f;
}

CellArray noise(const BoxGrid &grid, const int step)
{
  std::mt19937                     numbers(7);
  std::normal_distribution<double> normal;
  CellArray                        f(grid);
  for_own_cells(grid, [&](const CellIndex &cell) { f(cell) = (1. + .02 * step) * normal(numbers) / grid.h(0); });
  return f;
}

/// 8 x 8 blocks with random velocities in a square of that side at the origin; the rest is half empty.
CellArray blocks(const BoxGrid &grid, const double side, const int step)
{
  std::mt19937                     numbers(7);
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd            u        = Eigen::MatrixXd::NullaryExpr(2, 64, [&] { return normal(numbers); });
  const auto                       velocity = [&](const CellIndex &cell, const int axis) {
    const auto block = [&](const int a) {
      return static_cast<Index>(8. * (static_cast<double>(cell[a]) + .5) * grid.h(a) / side);
    };
    const bool inside = cell[0] >= 0 && cell[1] >= 0 && block(0) < 8 && block(1) < 8;
    return inside ? (1. + .02 * step) * u(axis, 8 * block(1) + block(0)) : 0.;
  };
  CellArray f(grid);
  for_own_cells(grid, [&](const CellIndex &cell) {
    const Vector x = grid.centre(cell);
    f(cell)        = x.maxCoeff() < side ? 0. : -.5 / time_step(grid);
    if (f(cell) == 0.)
      for (int axis = 0; axis < 2; ++axis)
        f(cell) -= (velocity(moved(cell, axis, 1), axis) - velocity(moved(cell, axis, -1), axis)) / (2. * grid.h(axis));
  });
  return f;
}

/// One row for the first step, one for the mean of the following ones.
void add_rows(Table &table, const std::string &name, const BoxGrid &grid, const FaceArrays &weights, const Step &step,
              const double poisson)
{
  constexpr int      n_warm = 8;
  constexpr unsigned most   = 1000;
  const double       h = time_step(grid), excess = 1e-12 / h, residual = 1e-6 / grid.h(0);
  CongestionSolver   solver(grid, {}, weights);
  CellArray          pi(grid);
  double             time = 0., worst = 0.;
  unsigned int       n_iterations = 0;
  bool               converged    = true;
  const auto         run          = [&](const CellArray &f) {
    const double begin    = processor_seconds();
    const auto   progress = solver.solve(f, pi, residual, excess, most);
    time += processor_seconds() - begin;
    n_iterations += progress.n_iterations;
    worst     = std::max(worst, progress.excess * h);
    converged = converged && progress.converged;
  };
  const auto add = [&](const std::string &start, const int n) {
    table.add({std::to_string(grid.n[0]) + "^2 " + name + ", " + start, static_cast<double>(n_iterations) / n,
               converged ? "yes" : "no", worst, time / n, time / n / poisson});
    time = worst = 0.;
    n_iterations = 0;
    converged    = true;
  };
  run(step(0));
  add("first", 1);
  for (int k = 1; k <= n_warm; ++k)
    run(step(k));
  add("warm", n_warm);
}

void run(const Options &options)
{
  Table table(std::cout, "Congestion problems of a flow",
              {"case", "iterations", "converged", "excess", "seconds", "/Poisson"}, 28);
  for (Index n = 256; n <= static_cast<Index>(options.number("n", 1024.)); n *= 2)
    {
      const BoxGrid    grid    = box_grid(Vector::Zero(2), Vector::Ones(2), static_cast<double>(n), Processes::alone());
      const double     poisson = poisson_seconds(grid);
      const FaceArrays open(grid, 1.);
      FaceArrays       closed = open;
      for (Index i = 0; i < n; ++i)
        for (const Index end : {Index(0), n})
          closed(0, {end, i, 0}) = closed(1, {i, end, 0}) = 0.;
      add_rows(
          table, "disc", grid, open, [&](const int k) { return growing_disc(grid, .25 + k * cells_per_step * grid.h(0)); },
          poisson);
      add_rows(
          table, "column", grid, closed, [&](const int k) { return column(grid, closed, k); }, poisson);
      add_rows(
          table, "noise", grid, open, [&](const int k) { return noise(grid, k); }, poisson);
      add_rows(
          table, "blocks", grid, open, [&](const int k) { return blocks(grid, 1., k); }, poisson);
      add_rows(
          table, "small blocks", grid, open, [&](const int k) { return blocks(grid, .125, k); }, poisson);
    }
  write_json(options.text("json", ""), {&table});
}
} // namespace

int main(int argc, char **argv)
{
  return run_benchmark(argc, argv, {{"n", "cells along the side of the finest grid (1024)"}}, run);
}
