// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/divergence_constraint.h"

#include "convex/certificate.h"
#include "macro/obstacle/poisson.h"
#include "tests/macro/flow/random_faces.h"

#include <boost/test/unit_test.hpp>

#include <Eigen/Eigenvalues>

#include <random>

BOOST_AUTO_TEST_SUITE(divergence_constraint)

using namespace moreau;
using namespace moreau::macro;

namespace
{
BoxGrid grid_of(const Vector &upper, const double cells_per_unit_length)
{
  return box_grid(Vector::Zero(upper.size()), upper, cells_per_unit_length, Processes::alone());
}

/// All cells that `in` accepts, by their centres.
template <class F>
BoxZone zone_where(const BoxGrid &grid, const Sides &walls, F &&in)
{
  BoxZone zone(grid, walls);
  for_own_cells(grid, [&](const CellIndex &cell) { zone.set(cell, in(grid.centre(cell))); });
  zone.update_ghosts();
  return zone;
}

/// An L of 4 x 4 cells on a box with a wall on the left: re-entrant corner, wall faces, faces outside.
BoxZone l_shape()
{
  return zone_where(grid_of(Eigen::Vector2d(1., 1.5), 4.), Sides{true},
                    [](const Vector &x) { return x(0) < .5 || x(1) < .5; });
}

Vector random_vector(const Index n, const unsigned int seed)
{
  std::mt19937                     numbers(seed);
  std::normal_distribution<double> normal;
  return Vector::NullaryExpr(n, [&] { return normal(numbers); });
}

Eigen::MatrixXd delassus_matrix(const convex::ProjectionProblem &problem)
{
  Eigen::MatrixXd W(problem.n_constraints(), problem.n_constraints());
  Vector          Bt(problem.n_unknowns()), v(problem.n_unknowns()), column(problem.n_constraints());
  for (Index c = 0; c < W.cols(); ++c)
    {
      problem.B->apply_transpose(Vector::Unit(W.cols(), c), Bt);
      problem.V->inverse_riesz(Bt, v);
      problem.B->apply(v, column);
      W.col(c) = column;
    }
  return W;
}
} // namespace

BOOST_AUTO_TEST_CASE(transpose_is_adjoint_on_a_zone_with_walls)
{
  for (const BoxZone &zone :
       {l_shape(), zone_where(grid_of(Eigen::Vector3d(1., 1.5, 1.), 3.), Sides{false, true, true, true},
                              [](const Vector &x) { return x.sum() < 2.; })})
    {
      const auto   problem = StaggeredProblem(zone).projection_problem(random_faces(zone.grid, 1));
      const Vector v = random_vector(problem.n_unknowns(), 2), q = random_vector(problem.n_constraints(), 3);
      Vector       Bv, Btq;
      problem.B->apply(v, Bv);
      problem.B->apply_transpose(q, Btq);
      BOOST_TEST(q.dot(Bv) == v.dot(Btq), boost::test_tools::tolerance(1e-13)); // sums of 100 numbers of size 1
      const auto &matrix = dynamic_cast<const DivergenceConstraint &>(*problem.B).matrix();
      BOOST_TEST((matrix * v - Bv).norm() <= 1e-14 * Bv.norm());
    }
}

BOOST_AUTO_TEST_CASE(rows_are_minus_the_flux_out_of_a_cell)
{
  // cells of 0.25 m x 0.5 m; u = (3x, y): div u = 4/s everywhere, L = sqrt(|c|)
  const BoxGrid grid = [] {
    BoxGrid g = grid_of(Eigen::Vector2d(1., 1.), 4.);
    g.n[1]    = 2;
    g.h(1)    = .5;
    g.last    = 2;
    return g;
  }();
  const BoxZone    zone    = zone_where(grid, Sides{}, [](const Vector &) { return true; });
  const FaceArrays U       = face_means(grid, [](const Eigen::MatrixXd &x, Eigen::MatrixXd &u) {
    u.row(0) = 3. * x.row(0);
    u.row(1) = x.row(1);
  });
  const auto       problem = StaggeredProblem(zone).projection_problem(U);
  Vector           BU;
  problem.B->apply(problem.U, BU);
  BOOST_TEST(BU.size() == 8);
  for (const double row : BU)
    BOOST_TEST(row == -4. * std::sqrt(.125), boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(delassus_matrix_is_the_five_point_matrix_with_half_cells_at_the_boundary)
{
  const BoxZone zone      = zone_where(grid_of(Eigen::Vector2d(3., 3.), 1.), Sides{}, [](const Vector &) { return true; });
  const auto    problem   = StaggeredProblem(zone).projection_problem(FaceArrays(zone.grid));
  const Eigen::MatrixXd W = delassus_matrix(problem);
  // h = 1: links of 1 between cells, of 2 to the boundary
  const double tolerance = 1e-14;
  for (Index c = 0; c < 9; ++c)
    for (Index d = 0; d < 9; ++d)
      {
        const Index  di = std::abs(c % 3 - d % 3), dj = std::abs(c / 3 - d / 3);
        const int    n_sides  = (c % 3 != 1) + (c / 3 != 1);
        const double expected = c == d ? 4. + n_sides : di + dj == 1 ? -1. : 0.;
        BOOST_TEST(std::abs(W(c, d) - expected) <= tolerance);
      }
  BOOST_TEST((problem.B->delassus_diagonal(*problem.V) - W.diagonal()).norm() <= tolerance);
}

BOOST_AUTO_TEST_CASE(delassus_matrix_is_an_m_matrix_with_walls_and_cut_links)
{
  const BoxZone zone  = l_shape();
  FaceArrays    theta = random_faces(zone.grid, 4);
  for (int axis = 0; axis < 2; ++axis)
    theta.values[axis] = theta.values[axis].cwiseMin(1.); // those below 0 follow the rule
  const auto            problem = StaggeredProblem(zone, &theta).projection_problem(FaceArrays(zone.grid));
  const Eigen::MatrixXd W       = delassus_matrix(problem);
  Index                 n_walls = 0;
  for (Index c = 0; c < W.rows(); ++c)
    for (Index d = 0; d < W.cols(); ++d)
      BOOST_TEST((c == d ? W(c, d) > 0. : W(c, d) <= 1e-14 * W(c, c)));
  for (Index c = 0; c < W.rows(); ++c)
    n_walls += (W.row(c).array().abs() > 1e-14 * W(c, c)).count() == 2; // itself and one cell
  BOOST_TEST(n_walls == 6);
  BOOST_TEST((W - W.transpose()).norm() <= 1e-14 * W.norm());
  BOOST_TEST((problem.B->delassus_diagonal(*problem.V) - W.diagonal()).norm() <= 1e-14 * W.norm());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(W);
  BOOST_TEST(spectrum.eigenvalues().minCoeff() > 0.);
}

BOOST_AUTO_TEST_CASE(multipliers_are_pressures_times_areas)
{
  const BoxZone          zone = l_shape();
  const StaggeredProblem staggered(zone);
  const auto             problem = staggered.projection_problem(FaceArrays(zone.grid));
  // p = x + 2y: B*p is its gradient between cells, and at the wall, where p_f is p
  CellArray  p(zone.grid);
  FaceArrays p_wall(zone.grid);
  for_own_cells(zone.grid, [&](const CellIndex &cell) {
    if (zone(cell))
      p(cell) = zone.grid.centre(cell).dot(Eigen::Vector2d(1., 2.));
    if (cell[0] == 0)
      p_wall(0, cell) = 2. * zone.grid.centre(cell)(1);
  });
  // each multiplier is one pressure, in a cell or on a face of the wall
  Vector q(problem.n_constraints());
  for (Index row = 0; row < q.size(); ++row)
    {
      const Vector unit = Vector::Unit(q.size(), row), cells = staggered.cell_pressures(unit).values,
                   faces = staggered.wall_pressures(unit).values[0];
      q(row)             = (cells.dot(p.values) + faces.dot(p_wall.values[0])) / (cells.squaredNorm() + faces.squaredNorm());
    }
  BOOST_TEST((staggered.cell_pressures(q).values - p.values).norm() <= 1e-14);
  BOOST_TEST((staggered.wall_pressures(q).values[0] - p_wall.values[0]).norm() <= 1e-14);
  const FaceArrays gradient = staggered.faces(-problem.velocity_of(q), FaceArrays(zone.grid)); // U = 0
  for_own_cells(zone.grid, [&](const CellIndex &cell) {
    for (int axis = 0; axis < 2; ++axis)
      if (zone(cell) && (zone(moved(cell, axis, -1)) || axis == 0 && cell[0] == 0))
        BOOST_TEST(gradient(axis, cell) == axis + 1., boost::test_tools::tolerance(1e-13));
  });
}

BOOST_AUTO_TEST_CASE(mean_is_taken_per_axis)
{
  BoxZone    zone = l_shape(); // touches the wall on the left
  FaceArrays U(zone.grid), along_wall(zone.grid);
  U.values[0].setConstant(3.);
  U.values[1].setConstant(-2.);
  along_wall.values[1] = U.values[1];
  {
    const StaggeredProblem staggered(zone);
    const auto             problem = staggered.projection_problem(U);
    BOOST_TEST((problem.V->mean(problem.U) - staggered.coefficients(along_wall)).norm() <= 1e-13);
  }
  zone.walls = {};
  const StaggeredProblem staggered(zone);
  const auto             problem = staggered.projection_problem(U);
  const Vector           v       = random_vector(problem.n_unknowns(), 5);
  BOOST_TEST((problem.V->mean(problem.U) - problem.U).norm() <= 1e-13);
  BOOST_TEST(std::abs(problem.V->dot(problem.U, v - problem.V->mean(v))) <=
             1e-13); // the rest is orthogonal to uniform fields
}

BOOST_AUTO_TEST_CASE(expansion_moves_every_row_towards_the_feasible_side)
{
  for (const Sides &walls : {Sides{}, Sides{true}, Sides{false, true, true, true}, Sides{true, false, false, true}})
    {
      const BoxZone zone =
          zone_where(grid_of(Eigen::Vector2d(1., 1.5), 4.), walls, [](const Vector &x) { return x(0) > .3 || x(1) < .5; });
      const auto problem = StaggeredProblem(zone).projection_problem(FaceArrays(zone.grid));
      Vector     Bw;
      problem.B->apply(problem.expansion.w, Bw);
      const auto &B = dynamic_cast<const DivergenceConstraint &>(*problem.B);
      BOOST_TEST(Bw.head(B.n_cells()).maxCoeff() < -.1 / 4.); // L div w, div w = 1
      for (std::size_t w = 0; w < B.wall_faces().size(); ++w)
        {
          const int axis = B.wall_faces()[w].axis;
          if (!(walls[2 * axis] && walls[2 * axis + 1]))
            BOOST_TEST(Bw(B.n_cells() + static_cast<Index>(w)) < 0.);
        }
    }
  const BoxZone closed =
      zone_where(grid_of(Eigen::Vector2d(1., 1.), 4.), Sides{true, true, true, true}, [](const Vector &) { return true; });
  BOOST_TEST(StaggeredProblem(closed).projection_problem(FaceArrays(closed.grid)).expansion.empty());
}

BOOST_AUTO_TEST_CASE(poisson_flux_has_the_divergence_asked_for)
{
  for (const BoxZone &zone :
       {l_shape(),
        zone_where(grid_of(Eigen::Vector3d(1., .7, .8), 10.), Sides{false, false, true, true},
                   [](const Vector &x) { return x(0) < .8; }),
        zone_where(grid_of(Vector::Ones(1), 37.), Sides{true}, [](const Vector &x) { return std::abs(x(0) - .5) > .1; })})
    {
      CellArray f(zone.grid);
      f.values            = random_vector(f.values.size(), 6);
      const auto solution = solve_poisson(zone, f, 1e-10);
      BOOST_TEST(solution.effort.converged());
      for (const int k : {-450, 450}) // coarse levels are in single precision
        {
          CellArray scaled = f;
          scaled.values *= std::ldexp(1., k);
          BOOST_TEST((solve_poisson(zone, scaled, 1e-10).phi.values == std::ldexp(1., k) * solution.phi.values), k);
        }
      double error = 0., size = 0.;
      for_own_cells(zone.grid, [&](const CellIndex &cell) {
        if (!zone(cell))
          {
            BOOST_TEST(solution.phi(cell) == 0.);
            return;
          }
        double div = 0.;
        for (int axis = 0; axis < zone.grid.dim; ++axis)
          div += (solution.minus_gradient(axis, moved(cell, axis, 1)) - solution.minus_gradient(axis, cell)) /
                 zone.grid.h(axis);
        error += std::pow(div - f(cell), 2);
        size += std::pow(f(cell), 2);
      });
      BOOST_TEST(std::sqrt(error / size) <= 2e-10); // what the solver stops at, and rounding
    }
}

BOOST_AUTO_TEST_CASE(poisson_in_a_closed_box_needs_a_mean_of_zero)
{
  for (const int dim : {1, 2})
    {
      const Sides   walls = {true, true, true, true};
      const BoxZone zone  = zone_where(grid_of(Vector::Ones(dim), 24.), walls, [](const Vector &) { return true; });
      CellArray     f(zone.grid);
      for_own_cells(zone.grid, [&](const CellIndex &cell) { f(cell) = std::cos(M_PI * zone.grid.centre(cell)(0)); });
      BOOST_TEST(solve_poisson(zone, f, 1e-9).effort.converged());
      for_own_cells(zone.grid, [&](const CellIndex &cell) { f(cell) += 1.; });
      BOOST_TEST(!solve_poisson(zone, f, 1e-9).effort.converged());
    }
}
BOOST_AUTO_TEST_SUITE_END()
