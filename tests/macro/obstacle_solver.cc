// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/solver.h"

#include "tests/macro/growing_disc.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

BOOST_AUTO_TEST_SUITE(obstacle_solver)

using namespace moreau;
using namespace moreau::macro;

namespace
{
using CongestionProgress = CongestionSolver::Progress;
using Periodic           = std::array<bool, 3>;

/// A box with links, to be filled at random.
struct Setting
{
  BoxGrid    grid;
  Periodic   periodic = {false, false, false};
  FaceArrays weights;
  CellArray  unknown;
  bool       masked = false;

  CongestionSolver solver() const { return CongestionSolver(grid, periodic, weights, masked ? &unknown : nullptr); }

  /// The face behind a cell or before it, and the cell beyond: first < 0 where there is none.
  CellIndex neighbour(const CellIndex &cell, const int axis, const int side) const
  {
    CellIndex other = moved(cell, axis, side);
    if (periodic[axis])
      other[axis] = (other[axis] + grid.n[axis]) % grid.n[axis];
    return other;
  }
  double link(const CellIndex &cell, const int axis, const int side) const
  {
    return weights(axis, side < 0 ? cell : moved(cell, axis, 1)) / (grid.h(axis) * grid.h(axis));
  }
  bool inside(const CellIndex &cell, const int axis) const { return cell[axis] >= 0 && cell[axis] < grid.n[axis]; }

  /// (Aπ)_c and A_cc from the definition.
  std::pair<double, double> row(const CellArray &pi, const CellIndex &cell) const
  {
    double A_pi = 0., diagonal = 0.;
    for (int axis = 0; axis < grid.dim; ++axis)
      for (const int side : {-1, 1})
        {
          const CellIndex other = neighbour(cell, axis, side);
          const double    w     = link(cell, axis, side);
          A_pi += w * (pi(cell) - (inside(other, axis) ? pi(other) : 0.));
          diagonal += w;
        }
    return {A_pi, diagonal};
  }
};

Setting box(const std::vector<Index> &cells, const Vector &upper, const Periodic &periodic = {})
{
  Setting setting;
  setting.grid     = box_grid(Vector::Zero(upper.size()), upper, 1. / upper.maxCoeff(), Processes::alone());
  setting.periodic = periodic;
  for (std::size_t axis = 0; axis < cells.size(); ++axis)
    {
      setting.grid.n[axis] = cells[axis];
      setting.grid.h(axis) = upper(axis) / static_cast<double>(cells[axis]);
    }
  setting.grid.last = setting.grid.n[setting.grid.last_axis()];
  setting.weights   = FaceArrays(setting.grid, 1.);
  setting.unknown   = CellArray(setting.grid, 1.);
  return setting;
}

void close_side(Setting &setting, const int axis, const int end)
{
  BoxGrid faces = setting.grid;
  faces.n[axis] = 1;
  if (axis == faces.last_axis())
    faces.last = 1;
  for_own_cells(faces, [&](CellIndex face) {
    face[axis]                  = end == 0 ? 0 : setting.grid.n[axis];
    setting.weights(axis, face) = 0.;
  });
}

void close_all_sides(Setting &setting)
{
  for (int axis = 0; axis < setting.grid.dim; ++axis)
    for (const int end : {0, 1})
      if (!setting.periodic[axis])
        close_side(setting, axis, end);
}

/// All faces of a cell; its copy on the other side of a periodic axis, too.
void make_solid(Setting &setting, const CellIndex &cell)
{
  for (int axis = 0; axis < setting.grid.dim; ++axis)
    for (const int side : {0, 1})
      {
        const CellIndex face        = moved(cell, axis, side);
        setting.weights(axis, face) = 0.;
        if (setting.periodic[axis] && face[axis] % setting.grid.n[axis] == 0)
          setting.weights(axis, moved(face, axis, face[axis] == 0 ? setting.grid.n[axis] : -setting.grid.n[axis])) = 0.;
      }
}

void solids_at_random(Setting &setting, std::mt19937 &random, const double fraction)
{
  std::uniform_real_distribution<double> uniform;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    if (uniform(random) < fraction)
      make_solid(setting, cell);
  });
}

void weights_at_random(Setting &setting, std::mt19937 &random)
{
  std::uniform_real_distribution<double> uniform(1., 2.);
  for (int axis = 0; axis < setting.grid.dim; ++axis)
    {
      for (Index k = 0; k < setting.weights.values[axis].size(); ++k)
        setting.weights.values[axis](k) *= uniform(random);
      if (!setting.periodic[axis])
        continue;
      BoxGrid faces = setting.grid;
      faces.n[axis] = 1;
      if (axis == faces.last_axis())
        faces.last = 1;
      for_own_cells(faces, [&](const CellIndex &face) {
        setting.weights(axis, moved(face, axis, setting.grid.n[axis])) = setting.weights(axis, face);
      });
    }
}

CellArray at_random(const BoxGrid &grid, std::mt19937 &random, const double mean)
{
  std::normal_distribution<double> normal(mean);
  CellArray                        f(grid);
  for_own_cells(grid, [&](const CellIndex &cell) { f(cell) = normal(random); });
  return f;
}

/// f and the π that solves the problem for it: drawn together.
std::pair<CellArray, CellArray> drawn_together(const Setting &setting, std::mt19937 &random)
{
  const CellArray drawn = at_random(setting.grid, random, -.3);
  CellArray       f(setting.grid), pi(setting.grid);
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    pi(cell) = setting.unknown(cell) != 0. && setting.row(pi, cell).second > 0. ? std::max(drawn(cell), 0.) : 0.;
  });
  for_own_cells(setting.grid,
                [&](const CellIndex &cell) { f(cell) = setting.row(pi, cell).first + std::min(drawn(cell), 0.); });
  return {f, pi};
}

double largest(const CellArray &array)
{
  double most = 0.;
  for_own_cells(array.box_grid(), [&](const CellIndex &cell) { most = std::max(most, std::abs(array(cell))); });
  return most;
}

/// √(x·Ax), the norm in which solutions are unique
double energy_norm(const Setting &setting, const CellArray &x)
{
  double sum = 0.;
  for_own_cells(setting.grid, [&](const CellIndex &cell) { sum += x(cell) * setting.row(x, cell).first; });
  return std::sqrt(std::max(sum, 0.));
}

/// max |min(π A_cc, Aπ - f)| and max (f - Aπ)⁺ from the definition.
std::pair<double, double> residual(const Setting &setting, const CellArray &f, const CellArray &pi)
{
  double worst = 0., excess = 0.;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    if (setting.unknown(cell) == 0.)
      {
        BOOST_TEST(pi(cell) == 0.);
        return;
      }
    const auto [A_pi, diagonal] = setting.row(pi, cell);
    worst                       = std::max(worst, std::abs(std::min(pi(cell) * diagonal, A_pi - f(cell))));
    excess                      = std::max(excess, f(cell) - A_pi);
  });
  return {worst, excess};
}

constexpr double       tolerance      = 1e-11; // of numbers f of size 1, on grids of some 20 cells a side
constexpr unsigned int max_iterations = 200;

void check(const Setting &setting, std::mt19937 &random, const std::string &name)
{
  BOOST_TEST_CONTEXT(name << ", " << setting.grid.n[0] << " x " << setting.grid.n[1] << " x " << setting.grid.n[2])
  {
    const auto [f, expected] = drawn_together(setting, random);
    const double     size    = largest(f);
    CongestionSolver solver  = setting.solver();
    CellArray        pi(setting.grid), warm = expected, nested(setting.grid);
    warm.values *= 1.1;
    for (CellArray *const x : {&pi, &warm, &nested})
      {
        const CongestionProgress progress =
            solver.solve(f, *x, tolerance * size, tolerance * size, max_iterations, x == &nested);
        BOOST_TEST(progress.effort.converged());
        BOOST_TEST(progress.residual <= tolerance * size);
        const auto [worst, excess] = residual(setting, f, *x);
        BOOST_TEST(worst <= 2. * tolerance * size); // summed in another order
        BOOST_TEST(excess <= 2. * tolerance * size);
        BOOST_TEST(std::all_of(x->values.begin(), x->values.end(), [](const double value) { return value >= 0.; }));
        CellArray error = *x;
        error.values -= expected.values;
        BOOST_TEST(energy_norm(setting, error) <= 1e-8 * energy_norm(setting, expected));
      }
  }
}
} // namespace

BOOST_AUTO_TEST_CASE(lines_with_walls_solids_masks_and_weights_find_the_solution_drawn)
{
  std::mt19937 random(1);
  for (const bool periodic : {false, true})
    for (const int closed : {0, 1, 2, 3})
      for (const double solids : {0., .1})
        for (const bool masked : {false, true})
          {
            Setting setting = box({23}, Vector::Constant(1, 2.3), Periodic{periodic});
            for (const int end : {0, 1})
              if (closed & (1 << end) || (periodic && closed > 0))
                close_side(setting, 0, end);
            solids_at_random(setting, random, solids);
            weights_at_random(setting, random);
            setting.masked = masked;
            if (masked)
              for (const Index i : {5, 6, 14})
                setting.unknown({i, 0, 0}) = 0.;
            check(setting, random, "line");
          }
}

BOOST_AUTO_TEST_CASE(planes_and_spaces_find_the_solution_drawn)
{
  std::mt19937 random(2);
  for (const std::vector<Index> &cells :
       {std::vector<Index>{16, 16}, {21, 13}, {30, 5}, {2, 40}, {1, 17}, {9, 8, 7}, {4, 6, 12}})
    for (const bool closed : {false, true})
      for (const double solids : {0., .1})
        for (const int variant : {0, 1, 2, 3, 4, 5})
          {
            const bool     uneven   = variant % 2 == 1;
            const Periodic periodic = {variant / 2 > 0, variant / 2 > 1, variant / 2 == 1};
            Setting        setting  = box(cells, Vector::Ones(cells.size()), periodic);
            if (closed)
              close_all_sides(setting);
            solids_at_random(setting, random, solids);
            if (uneven)
              {
                weights_at_random(setting, random);
                setting.masked         = true;
                setting.unknown        = at_random(setting.grid, random, 2.);
                setting.unknown.values = (setting.unknown.values.array() > 0.).cast<double>();
              }
            check(setting, random, "box");
          }
}

BOOST_AUTO_TEST_CASE(where_nothing_presses_pi_is_zero_at_once)
{
  std::mt19937 random(3);
  for (const std::vector<Index> &cells : {std::vector<Index>{20}, {10, 12}, {5, 6, 7}})
    {
      const Setting setting = box(cells, Vector::Ones(cells.size()));
      CellArray     f = at_random(setting.grid, random, 0.), pi = at_random(setting.grid, random, 2.);
      f.values            = -f.values.cwiseAbs();
      const auto progress = setting.solver().solve(f, pi, 0., 0., max_iterations);
      BOOST_TEST(progress.effort.converged());
      BOOST_TEST(progress.effort.n_iterations == 0u);
      BOOST_TEST(largest(pi) == 0.);
    }
}

BOOST_AUTO_TEST_CASE(numbers_that_are_not_finite_are_refused)
{
  for (const std::vector<Index> &cells : {std::vector<Index>{20}, {10, 12}})
    {
      const Setting setting = box(cells, Vector::Ones(cells.size()));
      CellArray     f(setting.grid, -1.), pi(setting.grid);
      f({3, 0, 0})        = std::numeric_limits<double>::quiet_NaN();
      const auto progress = setting.solver().solve(f, pi, 1e100, 1e100, max_iterations);
      BOOST_TEST(!progress.effort.converged());
      BOOST_TEST(std::isnan(progress.excess));
    }
}

BOOST_AUTO_TEST_CASE(boxes_that_are_full_are_solved_and_those_too_full_say_so)
{
  std::mt19937 random(4);
  for (const std::vector<Index> &cells : {std::vector<Index>{20}, {16, 16}, {13, 10}, {6, 7, 8}})
    for (const bool closed : {false, true})
      for (const double mean : {0., .1})
        {
          Setting setting = box(cells, Vector::Ones(cells.size()), Periodic{!closed, !closed, !closed});
          if (closed)
            close_all_sides(setting);
          CellArray f   = at_random(setting.grid, random, 0.), pi(setting.grid);
          double    sum = 0.;
          for_own_cells(setting.grid, [&](const CellIndex &cell) { sum += f(cell); });
          for_own_cells(setting.grid,
                        [&](const CellIndex &cell) { f(cell) += mean - sum / static_cast<double>(setting.grid.n_cells()); });
          const auto progress = setting.solver().solve(f, pi, tolerance, tolerance, max_iterations);
          BOOST_TEST(progress.effort.converged() == (mean == 0.));
          // nobody can leave: all cells are congested, and what is too much is everywhere
          BOOST_TEST(std::abs(progress.excess - mean) <= 1e-10);
          double least = largest(pi);
          for_own_cells(setting.grid, [&](const CellIndex &cell) { least = std::min(least, pi(cell)); });
          BOOST_TEST(least == 0.);
        }
}

BOOST_AUTO_TEST_CASE(pi_has_the_symmetries_of_f)
{
  const Index n = 40;
  for (const bool periodic : {false, true})
    {
      const Setting setting = box({n, n}, Vector::Ones(2), Periodic{periodic, periodic});
      CellArray     f(setting.grid), shifted(setting.grid), pi(setting.grid), pi_shifted(setting.grid);
      for_own_cells(setting.grid, [&](const CellIndex &cell) {
        const Vector x = setting.grid.centre(cell).array() - .5;
        f(cell)        = std::cos(12. * x(0)) * std::cos(12. * x(1)) - 3. * x.squaredNorm();
      });
      for_own_cells(setting.grid, [&](const CellIndex &cell) {
        shifted(cell) = f({(cell[0] + 3) % n, (cell[1] + 17) % n, 0});
      });
      CongestionSolver solver = setting.solver();
      BOOST_TEST(solver.solve(f, pi, tolerance, tolerance, max_iterations).effort.converged());
      BOOST_TEST(largest(pi) > 0.);
      double worst = 0.;
      for_own_cells(setting.grid, [&](const CellIndex &cell) {
        const auto [i, j, k] = cell;
        for (const CellIndex &image : {CellIndex{j, i, k}, {n - 1 - i, j, k}, {i, n - 1 - j, k}})
          worst = std::max(worst, std::abs(pi(cell) - pi(image)));
      });
      // the residual is tolerance at most, ‖A⁻¹‖ <= 1/8
      BOOST_TEST(worst <= tolerance);
      if (!periodic)
        continue;
      BOOST_TEST(solver.solve(shifted, pi_shifted, tolerance, tolerance, max_iterations, true).effort.converged());
      worst = 0.;
      for_own_cells(setting.grid, [&](const CellIndex &cell) {
        worst = std::max(worst, std::abs(pi_shifted(cell) - pi({(cell[0] + 3) % n, (cell[1] + 17) % n, 0})));
      });
      BOOST_TEST(worst <= tolerance);
      for (Index k = 0; k < n; ++k)
        {
          BOOST_TEST(pi({-1, k, 0}) == pi({n - 1, k, 0}));
          BOOST_TEST(pi({k, n, 0}) == pi({k, 0, 0}));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_plane_between_walls_is_a_line)
{
  std::mt19937 random(5);
  for (const bool periodic : {false, true})
    {
      const Setting line  = box({50}, Vector::Ones(1), Periodic{periodic});
      Setting       plane = box({50, 7}, Vector::Ones(2), Periodic{periodic});
      for (const int end : {0, 1})
        close_side(plane, 1, end);
      const CellArray f_line = at_random(line.grid, random, -.1);
      CellArray       f_plane(plane.grid), pi_line(line.grid), pi_plane(plane.grid);
      for_own_cells(plane.grid, [&](const CellIndex &cell) { f_plane(cell) = f_line({cell[0], 0, 0}); });
      BOOST_TEST(line.solver().solve(f_line, pi_line, tolerance, tolerance, max_iterations).effort.converged());
      BOOST_TEST(plane.solver().solve(f_plane, pi_plane, tolerance, tolerance, max_iterations).effort.converged());
      BOOST_TEST(largest(pi_line) > 0.);
      double worst = 0.;
      for_own_cells(plane.grid, [&](const CellIndex &cell) {
        worst = std::max(worst, std::abs(pi_plane(cell) - pi_line({cell[0], 0, 0})));
      });
      BOOST_TEST(worst <= tolerance);
    }
}

BOOST_AUTO_TEST_CASE(a_single_cell_may_push_away_many)
{
  for (const Periodic &periodic : {Periodic{}, Periodic{true, false}, Periodic{true, true}})
    for (const CellIndex &pushed : {CellIndex{50, 40, 0}, {3, 40, 0}, {99, 89, 0}})
      {
        const Setting    setting = box({100, 90}, Eigen::Vector2d(1., .9), periodic);
        CongestionSolver solver  = setting.solver();
        CellArray        f(setting.grid, -1.), pi(setting.grid);
        for (const double strength : {5., 1000., 3000., 20., 0.}) // cells that the matter in excess fills
          {
            f(pushed)           = strength;
            const auto progress = solver.solve(f, pi, 1e-9, 1e-9, max_iterations);
            BOOST_TEST(progress.effort.converged());
            const auto [worst, excess] = residual(setting, f, pi);
            BOOST_TEST(worst <= 2e-9); // summed in another order
            BOOST_TEST(excess <= 2e-9);
            Index n_congested = 0;
            for_own_cells(setting.grid, [&](const CellIndex &cell) { n_congested += pi(cell) > 0.; });
            BOOST_TEST(n_congested >= (pushed[0] == 50 ? .5 * strength
                                       : strength > 0. ? 1.
                                                       : 0.)); // near sides matter leaves
          }
        BOOST_TEST(largest(pi) == 0.);
      }
}

BOOST_AUTO_TEST_CASE(iterations_do_not_depend_on_the_mesh)
{
  for (const bool periodic : {false, true})
    for (const Index n : {64, 101, 256})
      {
        const Setting    setting = box({n, n}, Vector::Ones(2), Periodic{periodic, periodic});
        CongestionSolver solver  = setting.solver();
        CellArray        pi(setting.grid);
        // excesses of density, over the time that it takes to fill a cell
        const double rate = 1e-12 * static_cast<double>(n) / .3;
        for (int step = 0; step < 4; ++step)
          {
            const CellArray f        = growing_disc(setting.grid, .25 + .3 * step / static_cast<double>(n));
            const auto      progress = solver.solve(f, pi, 1e-6 * static_cast<double>(n), rate, max_iterations, step == 0);
            BOOST_TEST(progress.effort.converged());
            BOOST_TEST(progress.excess <= rate);
            BOOST_TEST(progress.effort.n_iterations <= 22u); // measured: 9-18
          }
        std::mt19937 random(6);
        const auto   progress = solver.solve(at_random(setting.grid, random, -.02), pi, 1e-10, 1e-10, max_iterations, true);
        BOOST_TEST(progress.effort.converged());
        BOOST_TEST(progress.effort.n_iterations <= 25u); // measured: 12-19
      }
}

BOOST_AUTO_TEST_SUITE_END()
