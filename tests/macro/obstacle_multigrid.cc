// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/obstacle_multigrid.h"

#include "convex/certificate.h"
#include "convex/solvers/interior_point.h"
#include "convex/chains/isotonic_regression.h"
#include "macro/isotropic/divergence_constraint.h"
#include "tests/macro/flow/random_faces.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(obstacle_multigrid)

using namespace moreau;
using namespace moreau::macro;

namespace
{
using In = std::function<bool(const Vector &)>;

BoxGrid grid_of(const Vector &upper, const double cells_per_unit_length)
{
  return box_grid(Vector::Zero(upper.size()), upper, cells_per_unit_length, Processes::alone());
}

BoxZone zone_where(
    const BoxGrid &grid, const Sides &walls = {}, const In &in = [](const Vector &) { return true; })
{
  BoxZone zone(grid, walls);
  for_own_cells(grid, [&](const CellIndex &cell) { zone.set(cell, in(grid.centre(cell))); });
  zone.update_ghosts();
  return zone;
}

/// Case I1 of the reference cases: p = ((r0² - r²)⁺)².
FaceArrays disc_in_contact(const BoxGrid &grid)
{
  return face_means(grid, [](const Eigen::MatrixXd &x, Eigen::MatrixXd &U) {
    for (Index k = 0; k < x.cols(); ++k)
      {
        const double X = x(0, k) - .5, Y = x(1, k) - .5, s = .09 - X * X - Y * Y;
        const double t = s > 0. ? -4. * s : -s;
        U(0, k)        = -Y + t * X;
        U(1, k)        = X + t * Y;
      }
  });
}

convex::StoppingCriterion residual_of(const double tolerance)
{
  convex::StoppingCriterion criterion;
  criterion.tolerance           = tolerance;
  criterion.max_iterations      = 100;
  criterion.on_natural_residual = true;
  return criterion;
}

/// The projection by the interior point, which knows nothing of the grid.
convex::SaddlePoint by_interior_point(const convex::ProjectionProblem &problem)
{
  const auto               &B       = dynamic_cast<const DivergenceConstraint &>(*problem.B);
  convex::ProjectionProblem general = problem;
  general.V                         = std::make_shared<convex::DiagonalSpace>(B.masses());
  general.B                         = std::make_shared<convex::SparseConstraint>(B.matrix());
  return convex::InteriorPoint(residual_of(1e-11)).project(general);
}

void check_against_interior_point(const BoxZone &zone, const convex::ProjectionProblem &problem, const std::string &name)
{
  const auto expected = by_interior_point(problem), x = ObstacleMultigrid(residual_of(1e-11)).project(problem);
  BOOST_TEST_CONTEXT(name << ", " << zone.grid.n[0] << " cells, " << x.method)
  {
    BOOST_TEST(x.converged());
    BOOST_TEST(x.p.minCoeff() >= 0.);
    // both residuals are 1e-11 at most, and the zones are about 10 cells wide
    BOOST_TEST(problem.V->norm(x.u - expected.u) <= 1e-8 * problem.V->norm(problem.U));
  }
}
} // namespace

BOOST_AUTO_TEST_CASE(one_dimension_is_isotonic_regression)
{
  const BoxZone zone    = zone_where(grid_of(Vector::Ones(1), 100.));
  const auto    U       = random_faces(zone.grid, 1);
  const auto    problem = StaggeredProblem(zone).projection_problem(U);
  const auto    x       = ObstacleMultigrid(residual_of(1e-12)).project(problem);
  BOOST_TEST(x.converged());
  // half a cell of mass at both ends
  Vector masses = Vector::Ones(101);
  masses(0) = masses(100) = .5;
  BOOST_TEST((x.u - convex::isotonic_regression(U.values[0], masses)).lpNorm<Eigen::Infinity>() <= 1e-13);
}

BOOST_AUTO_TEST_CASE(one_dimension_with_walls_gaps_and_bounds_agrees_with_the_interior_point)
{
  const In everywhere = [](const Vector &) { return true; }, gap = [](const Vector &x) { return std::abs(x(0) - .4) > .1; };
  for (const Sides &walls : {Sides{}, Sides{true}, Sides{false, true}, Sides{true, true}})
    for (const In &in : {everywhere, gap})
      for (const bool bounded : {false, true})
        {
          const BoxZone zone    = zone_where(grid_of(Vector::Ones(1), 30.), walls, in);
          auto          problem = StaggeredProblem(zone).projection_problem(random_faces(zone.grid, 2));
          if (bounded)
            problem.b = Vector::LinSpaced(problem.n_constraints(), .1, .9);
          check_against_interior_point(zone, problem, "line");
        }
}

// Coarse levels are in single precision, which holds nothing above 2^128.
BOOST_AUTO_TEST_CASE(times_a_power_of_two_no_digit_changes)
{
  const BoxZone                   zone    = zone_where(grid_of(Vector::Ones(2), 32.), {true});
  const auto                      problem = StaggeredProblem(zone).projection_problem(random_faces(zone.grid, 3));
  const convex::StoppingCriterion criterion;
  const convex::SaddlePoint       x = ObstacleMultigrid(criterion).project(problem);
  BOOST_TEST(x.converged());
  for (const int k : {-450, -140, 130, 450})
    {
      convex::ProjectionProblem scaled = problem;
      scaled.U                         = std::ldexp(1., k) * problem.U;
      scaled.b                         = std::ldexp(1., k) * problem.b;
      const convex::SaddlePoint y      = ObstacleMultigrid(criterion).project(scaled);
      BOOST_TEST(y.converged());
      BOOST_TEST((y.u == std::ldexp(1., k) * x.u), k);
      BOOST_TEST(y.certificate.relative_error_bound == x.certificate.relative_error_bound, k);
    }
}

BOOST_AUTO_TEST_CASE(minimal_pressure_between_walls_is_zero)
{
  for (const int dim : {1, 2})
    {
      const BoxZone          zone = zone_where(grid_of(Vector::Ones(dim), 20.), Sides{true, true, true, true});
      const StaggeredProblem staggered(zone);
      const auto             problem = staggered.projection_problem(random_faces(zone.grid, 3));
      const auto             x       = ObstacleMultigrid(residual_of(1e-11)).project(problem);
      BOOST_TEST(x.converged());
      BOOST_TEST(std::abs(x.p.minCoeff()) <= 1e-13);
      // nothing can expand: div u = 0 in all cells, u·n = 0 on the walls
      Vector Bu;
      problem.B->apply(x.u, Bu);
      BOOST_TEST(Bu.lpNorm<Eigen::Infinity>() <= 1e-9);
    }
}

BOOST_AUTO_TEST_CASE(planes_and_spaces_agree_with_the_interior_point)
{
  const In everywhere = [](const Vector &) { return true; },
           l_shape    = [](const Vector &x) { return x(0) < .4 || x(1) < .3; },
           two_discs =
               [](const Vector &x) {
                 return (x - Eigen::Vector2d(.3, .3)).norm() < .25 || (x - Eigen::Vector2d(.7, .8)).norm() < .2;
               },
           dust     = [](const Vector &x) { return std::sin(50. * x(0)) * std::sin(70. * x(1)) > -.2; };
  unsigned int seed = 10;
  for (const Sides &walls : {Sides{}, Sides{true}, Sides{false, true, true, true}})
    for (const In &in : {everywhere, l_shape, two_discs, dust})
      {
        const BoxZone zone = zone_where(grid_of(Eigen::Vector2d(1., .9), 21.), walls, in);
        check_against_interior_point(zone, StaggeredProblem(zone).projection_problem(random_faces(zone.grid, ++seed)),
                                     "plane");
      }
  const BoxZone ball = zone_where(grid_of(Eigen::Vector3d(1., .8, .7), 9.), Sides{false, false, true, false, false, true},
                                  [](const Vector &x) { return (x.array() - .4).matrix().norm() < .5; });
  check_against_interior_point(ball, StaggeredProblem(ball).projection_problem(random_faces(ball.grid, ++seed)), "space");
}

BOOST_AUTO_TEST_CASE(cut_links_flat_cells_and_bounds_agree_with_the_interior_point)
{
  BoxGrid       grid   = grid_of(Eigen::Vector2d(1., 1.), 16.);
  const BoxZone square = zone_where(grid);
  FaceArrays    theta  = random_faces(grid, 20);
  for (int axis = 0; axis < 2; ++axis)
    theta.values[axis] = theta.values[axis].cwiseAbs().cwiseMax(.05);
  check_against_interior_point(square, StaggeredProblem(square, &theta).projection_problem(random_faces(grid, 21)),
                               "cut links");

  auto bounded = StaggeredProblem(square).projection_problem(random_faces(grid, 22));
  bounded.b    = Vector::LinSpaced(bounded.n_constraints(), 0., 1.);
  check_against_interior_point(square, bounded, "bounds");

  grid.h(1) /= 3.;
  const BoxZone flat = zone_where(grid, Sides{true, false, true});
  check_against_interior_point(flat, StaggeredProblem(flat).projection_problem(random_faces(grid, 23)), "flat cells");
}

// BU >= 0 row by row: then the linear solve B B*p = BU has p >= 0 and is the solution (maximum principle, BM def. 3).
BOOST_AUTO_TEST_CASE(compressed_everywhere_means_incompressible_everywhere)
{
  const BoxZone zone =
      zone_where(grid_of(Eigen::Vector2d(1., 1.), 33.), Sides{}, [](const Vector &x) { return x.sum() < 1.5; });
  const auto problem = StaggeredProblem(zone).projection_problem(
      face_means(zone.grid, [](const Eigen::MatrixXd &x, Eigen::MatrixXd &U) { U = -x.array().cube(); }));
  const auto x = ObstacleMultigrid(residual_of(1e-11)).project(problem);
  Vector     Bu;
  problem.B->apply(x.u, Bu);
  BOOST_TEST(x.converged());
  BOOST_TEST(Bu.lpNorm<Eigen::Infinity>() <= 1e-10);
  BOOST_TEST(x.p.minCoeff() > 0.);
}

BOOST_AUTO_TEST_CASE(an_expanding_field_is_left_alone)
{
  const BoxZone zone    = zone_where(grid_of(Eigen::Vector2d(1., 1.), 20.));
  const auto    problem = StaggeredProblem(zone).projection_problem(
         face_means(zone.grid, [](const Eigen::MatrixXd &x, Eigen::MatrixXd &U) { U = x; }));
  const auto x = ObstacleMultigrid(residual_of(1e-12)).project(problem);
  BOOST_TEST(x.converged());
  BOOST_TEST(x.p.isZero(0.));
  BOOST_TEST((x.u - problem.U).isZero(0.));
}

BOOST_AUTO_TEST_CASE(iterations_do_not_depend_on_the_mesh)
{
  // measured: 6 and 12-17
  for (const double cells : {64., 100., 128., 255., 256.})
    {
      const BoxZone    zone = zone_where(grid_of(Eigen::Vector2d(1., 1.), cells));
      StaggeredProblem staggered(zone);
      const auto       smooth =
          ObstacleMultigrid(residual_of(1e-8)).project(staggered.projection_problem(disc_in_contact(zone.grid)));
      const auto rough =
          ObstacleMultigrid(residual_of(1e-8)).project(staggered.projection_problem(random_faces(zone.grid, 7)));
      BOOST_TEST(smooth.converged());
      BOOST_TEST(rough.converged());
      BOOST_TEST(smooth.n_iterations <= 8u);
      BOOST_TEST(rough.n_iterations <= 20u);
    }
}

BOOST_AUTO_TEST_CASE(walls_cost_no_iterations)
{
  for (const Sides &walls :
       {Sides{true, false, true}, Sides{false, true, false, true}, Sides{true, true}, Sides{true, true, true, true}})
    for (const double cells : {63., 64.})
      {
        const BoxZone zone = zone_where(grid_of(Eigen::Vector2d(1., 1.), cells), walls);
        const auto    x    = ObstacleMultigrid(residual_of(1e-8))
                           .project(StaggeredProblem(zone).projection_problem(random_faces(zone.grid, 7)));
        BOOST_TEST(x.converged());
        BOOST_TEST(x.n_iterations <= 20u);
      }
}

BOOST_AUTO_TEST_CASE(the_bound_is_met_and_guaranteed)
{
  const BoxZone             zone    = zone_where(grid_of(Eigen::Vector2d(1., 1.), 60.));
  const auto                problem = StaggeredProblem(zone).projection_problem(disc_in_contact(zone.grid));
  convex::StoppingCriterion criterion;
  criterion.tolerance = 1e-6;
  const auto x        = ObstacleMultigrid(criterion).project(problem);
  BOOST_TEST(x.converged());
  BOOST_TEST(x.certificate.guaranteed);
  BOOST_TEST(x.certificate.relative_error_bound <= 1e-6);
  // the companion that the bound rests on is feasible in every cell
  bool         feasible = false;
  const Vector v        = convex::feasible_companion(problem, x.u, feasible);
  BOOST_TEST(feasible);
  BOOST_TEST(convex::approach_speed(problem, v) <= 1e-14 * problem.U.lpNorm<Eigen::Infinity>());
}

/// Solved as far as double precision allows: smooth, with p over most of the zone.
convex::SaddlePoint solved_to_rounding()
{
  const BoxZone             zone    = zone_where(grid_of(Eigen::Vector2d(1., 1.), 128.));
  const auto                problem = StaggeredProblem(zone).projection_problem(disc_in_contact(zone.grid));
  convex::StoppingCriterion criterion;
  criterion.tolerance = 1e-14;
  return ObstacleMultigrid(criterion).project(problem);
}

BOOST_AUTO_TEST_CASE(stagnation_at_rounding_is_seen_at_once) { BOOST_TEST(solved_to_rounding().n_iterations <= 20u); }

BOOST_AUTO_TEST_CASE(the_bound_ends_near_the_round_off_floor)
{
  const convex::Certificate certificate = solved_to_rounding().certificate;
  BOOST_TEST(certificate.relative_error_bound <= 3. * certificate.round_off_floor);
}

BOOST_AUTO_TEST_CASE(a_start_saves_iterations)
{
  const BoxZone           zone    = zone_where(grid_of(Eigen::Vector2d(1., 1.), 64.));
  const auto              problem = StaggeredProblem(zone).projection_problem(random_faces(zone.grid, 9));
  const ObstacleMultigrid projector(residual_of(1e-8));
  const auto              cold = projector.project(problem), warm = projector.project(problem, &cold.p);
  BOOST_TEST(warm.converged());
  BOOST_TEST(warm.n_iterations == 0u);
  BOOST_TEST(cold.n_iterations > 0u);
}

BOOST_AUTO_TEST_CASE(an_iteration_cap_is_a_status)
{
  const BoxZone zone       = zone_where(grid_of(Eigen::Vector2d(1., 1.), 64.));
  auto          criterion  = residual_of(1e-8);
  criterion.max_iterations = 2;
  const auto x = ObstacleMultigrid(criterion).project(StaggeredProblem(zone).projection_problem(random_faces(zone.grid, 9)));
  BOOST_TEST((x.status == convex::Status::iteration_limit));
  BOOST_TEST(x.n_iterations == 2u);
}

BOOST_AUTO_TEST_CASE(other_constraints_are_refused)
{
  convex::ProjectionProblem problem;
  problem.V = std::make_shared<convex::DiagonalSpace>(Vector::Ones(2));
  problem.B = std::make_shared<convex::SparseConstraint>(convex::SparseConstraint::Matrix(1, 2));
  problem.U = Vector::Zero(2);
  BOOST_CHECK_THROW(ObstacleMultigrid(residual_of(1e-8)).project(problem), std::invalid_argument);
}
BOOST_AUTO_TEST_SUITE_END()
