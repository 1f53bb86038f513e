// SPDX-License-Identifier: GPL-3.0-or-later
// Congested flows on n x n cells, and the congestion problem of a step alone, to an excess of density of 1e-12, against one
// linear Poisson solve on the same cells to a relative residual of 1e-8, set-up included. One thread.
//
// Flows:  Noh     density 1/4 flows to the origin from all sides, in [-1, 1]^2
// column  falls on a floor between walls and collapses
//         blocks  two that meet, not face to face; e = 0 and 1/2
// `congestion` of a step is all that FlowRecord::congestion_time counts: predicted mass fluxes, the solves of both
// projections, set-up included. Steps are impacts where the law is applied with e > 0 or more than 3 % of the kinetic energy
// are lost; `smooth` are the others. Columns from `/Poisson` on are times of
// congestion over that of a Poisson solve, taken in turns with the steps.
//
// Problems: disc    matter flows onto a disc of radius 1/4 that grows by 0.3
// cells per step     column  rests on the ground of a closed box and sinks
//           noise   independent normal numbers in all cells                                     blocks  8 x 8 blocks
//           collide; small: in 1/64 of the square
// `first` is a step that starts from nothing, `warm` the mean of steps that
// start from the step before. Times are of the processor.
#include "macro/obstacle/poisson.h"
#include "macro/obstacle/solver.h"
#include "tests/benchmarks/process.h"
#include "tests/benchmarks/table.h"
#include "tests/macro/flow/flows.h"
#include "tests/macro/growing_disc.h"

#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <random>

using namespace moreau;
using namespace moreau::macro;
using namespace moreau::benchmarks;

namespace
{
constexpr double cells_per_step = .3;

double time_step(const BoxGrid &grid) { return cells_per_step * grid.h(0); }

/// One linear Poisson solve.
class PoissonClock
{
public:
  explicit PoissonClock(const BoxGrid &grid) : zone(grid, {}), f(grid, 1.)
  {
    for_own_cells(grid, [&](const CellIndex &cell) { zone.set(cell, true); });
  }

  double seconds() const
  {
    const double begin = processor_seconds();
    solve_poisson(zone, f, 1e-8);
    return processor_seconds() - begin;
  }

private:
  BoxZone   zone;
  CellArray f;
};

double poisson_seconds(const BoxGrid &grid)
{
  const PoissonClock poisson(grid);
  return std::min({poisson.seconds(), poisson.seconds(), poisson.seconds()});
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
    n_iterations += progress.effort.n_iterations;
    worst     = std::max(worst, progress.excess * h);
    converged = converged && progress.effort.converged();
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

void measure_problems(const Index n_max, Table &table)
{
  for (Index n = 256; n <= n_max; n *= 2)
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
}

constexpr double noh_density = .25;

FlowSetting noh(const int n)
{
  FlowSetting setting = flows::empty_box(2, n, -1., 1.);
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    const Vector x    = setting.grid.centre(cell);
    setting.rho(cell) = noh_density;
    for (int axis = 0; axis < 2; ++axis)
      setting.momentum[axis](cell) = -noh_density * x(axis) / x.norm();
  });
  return setting;
}

/// Saturated between two corners, with one velocity along x; cells that a side cuts are filled in part.
void add_block(FlowSetting &setting, const Eigen::Vector2d &lower, const Eigen::Vector2d &upper, const double u)
{
  const Vector &h = setting.grid.h;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    const Vector centre = setting.grid.centre(cell);
    double       share  = 1.;
    for (int axis = 0; axis < 2; ++axis)
      share *= std::max(0., std::min(upper(axis), centre(axis) + .5 * h(axis)) -
                                std::max(lower(axis), centre(axis) - .5 * h(axis))) /
               h(axis);
    setting.rho(cell) = std::min(1., setting.rho(cell) + share);
    setting.momentum[0](cell) += share * u;
  });
}

FlowSetting column_on_floor(const int n)
{
  FlowSetting setting = flows::empty_box(2, n);
  add_block(setting, {0., .1}, {.25, .9}, 0.);
  setting.sides[0] = setting.sides[1] = setting.sides[2] = Boundary::wall;
  setting.force_is_steady                                = true;
  setting.force_has_velocity                             = false;
  setting.force = [](double, const Eigen::MatrixXd &x, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
    f.setZero(2, x.cols());
    f.row(1).setConstant(-9.81);
  };
  return setting;
}

FlowSetting two_blocks(const int n)
{
  FlowSetting setting = flows::empty_box(2, n);
  add_block(setting, {.1, .3}, {.4, .6}, 1.);
  add_block(setting, {.5, .45}, {.8, .75}, -.5);
  return setting;
}

/// Mean and largest of what is added.
struct Spread
{
  double sum = 0., most = 0.;
  int    n = 0;

  void add(const double x)
  {
    sum += x;
    most = std::max(most, x);
    ++n;
  }
  double mean() const { return sum / n; }
};

/// Steps until t_end, and a row about them. The flow's mean pressures are those of the second half of the time then.
void follow(CongestedFlow &flow, const double t_end, const std::string &name, Table &table)
{
  constexpr int      steps_per_poisson = 8;
  constexpr double   loss_at_impact    = .03;
  const BoxGrid     &grid              = flow.setting().grid;
  const PoissonClock clock(grid);
  Spread             step, transport, solves, iterations, poisson, smooth, impacts;
  bool               converged = true;
  clock.seconds(); // the first one finds its memory
  while (flow.time() < t_end)
    {
      if (step.n % steps_per_poisson == 0)
        poisson.add(clock.seconds()); // beside the steps, so that what disturbs these disturbs it, too
      const double begin = processor_seconds(), begin_clock = seconds();
      const double t = std::min(t_end, flow.time() + flow.longest_step());
      if (flow.time() < .5 * t_end && t >= .5 * t_end)
        flow.clear_impulse();
      const double energy = flow.record().kinetic_energy, work = flow.record().work;
      flow.advance(t);
      const double      time = processor_seconds() - begin, per_clock = time / (seconds() - begin_clock);
      const FlowRecord &now = flow.record();
      const double      had = energy + now.work - work;
      step.add(time);
      transport.add(per_clock * now.transport_time);
      solves.add(now.effort.n_projections);
      iterations.add(now.effort.n_iterations);
      const bool is_impact = now.n_impacts > 0 || had - now.kinetic_energy > loss_at_impact * had;
      (is_impact ? impacts : smooth).add(per_clock * now.congestion_time);
      converged = converged && now.effort.converged();
    }
  const double unit = poisson.mean(), congestion = (smooth.sum + impacts.sum) / step.n;
  const auto   spread = [&](const double x, const Spread &of) { return of.n > 0 ? Cell(x / unit) : Cell("-"); };
  table.add({std::to_string(grid.n[0]) + "^2 " + name, step.n, converged ? "yes" : "no", step.mean(),
             1e9 * step.mean() / static_cast<double>(grid.n_cells()), 100. * transport.mean() / step.mean(),
             100. * congestion / step.mean(), solves.mean(), iterations.mean(), iterations.most, unit, congestion / unit,
             congestion / solves.mean() / unit, spread(smooth.mean(), smooth), spread(smooth.most, smooth), impacts.n,
             spread(impacts.mean(), impacts), spread(impacts.most, impacts)});
}

constexpr double noh_time = .45; ///< later, what is beyond the box would be missed

/// How far the core is from the exact one: its radius at the end, and the mean
/// pressure in its middle during the second half of the time.
std::vector<Cell> noh_errors(const CongestedFlow &flow)
{
  const double q = std::sqrt(noh_density), radius = flow.time() * q / (1. - q), pressure = q / (1. - q);
  const Index  middle = flow.setting().grid.n[0] / 2;
  const double found  = std::sqrt(flow.record().congested_volume / M_PI);
  double       p      = 0.;
  for (const Index i : {middle - 1, middle})
    for (const Index j : {middle - 1, middle})
      p += .25 * flow.impulse()({i, j, 0}) / flow.impulse_time();
  return {std::to_string(2 * middle) + "^2", found, 100. * (found / radius - 1.), p, 100. * (p / pressure - 1.)};
}

/// Rows of `table`; returns those about the exact solution.
std::vector<std::vector<Cell>> measure_flows(const int n_max, Table &table)
{
  std::vector<std::vector<Cell>> errors;
  for (int n = 256; n <= n_max; n *= 2)
    for (const double e : {0., .5})
      {
        const auto measured = [&](const std::string &name, FlowSetting setting, const double t_end) {
          setting.law.restitution = e;
          auto flow               = std::make_unique<CongestedFlow>(std::move(setting));
          follow(*flow, t_end, name + (e > 0. ? ", e = 1/2" : ", e = 0"), table);
          return flow;
        };
        const auto to_origin = measured("Noh", noh(n), noh_time);
        if (e == 0.)
          errors.push_back(noh_errors(*to_origin));
        measured("column", column_on_floor(n), .2);
        measured("blocks", two_blocks(n), .15);
      }
  return errors;
}

void run(const Options &options)
{
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(options.number("threads", 1.)));
  Table                     flows(std::cout, "Congested flows",
                                  {"case", "steps", "converged", "s/step", "ns/cell", "transport%", "congestion%", "solves", "iterations",
                                   "most", "Poisson s", "/Poisson", "a solve", "smooth", "smooth, most", "impacts", "impact", "impact, most"},
                                  20);
  const auto                rows = measure_flows(static_cast<int>(options.number("flow-n", 512.)), flows);
  Table errors(std::cout, "Noh, e = 0, against the exact core", {"cells", "radius", "error%", "pressure", "error%"}, 20);
  for (const std::vector<Cell> &row : rows)
    errors.add(row);
  Table problems(std::cout, "Congestion problems of a flow",
                 {"case", "iterations", "converged", "excess", "seconds", "/Poisson"}, 28);
  measure_problems(static_cast<Index>(options.number("n", 1024.)), problems);
  write_json(options.text("json", ""), {&flows, &errors, &problems});
}
} // namespace

int main(int argc, char **argv)
{
  return run_benchmark(argc, argv,
                       {{"flow-n", "cells along the side of the finest grid of flows (512)"},
                        {"n", "the same of the congestion problems alone (1024)"},
                        {"threads", "number of threads (1)"}},
                       run);
}
