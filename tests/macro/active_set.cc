// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/active_set.h"

#include "convex/certificate.h"
#include "convex/input_error.h"
#include "macro/divergence_constraint.h"
#include "macro/impact_problem.h"
#include "macro/obstacle_multigrid.h"
#include "tests/macro/closed_forms.h"

#include <boost/test/unit_test.hpp>
#include <mpi.h>

#include <random>

using namespace moreau;
using namespace moreau::macro;

namespace
{
convex::StoppingCriterion on_residual(const double tolerance, const unsigned int max_iterations = 200)
{
  convex::StoppingCriterion criterion;
  criterion.tolerance           = tolerance;
  criterion.max_iterations      = max_iterations;
  criterion.on_natural_residual = true;
  return criterion;
}

/// An L-shaped zone of 20 x 20 cells, or the whole square.
BoxZone zone_of(const Sides &walls, const bool L_shaped)
{
  const BoxGrid grid = box_grid(Vector::Zero(2), Vector::Ones(2), 20., Processes::alone());
  BoxZone       zone(grid, walls);
  for_own_cells(grid, [&](const CellIndex &cell) { zone.set(cell, !L_shaped || cell[0] < 12 || cell[1] < 9); });
  return zone;
}

convex::ProjectionProblem noisy_problem(const BoxZone &zone)
{
  std::mt19937                     numbers(3);
  std::normal_distribution<double> normal;
  FaceArrays                       U(zone.grid);
  for (int axis = 0; axis < zone.grid.dim; ++axis)
    for (double &u : U.values[axis])
      u = normal(numbers);
  return StaggeredProblem(zone).projection_problem(U);
}

Setting unit_box(const int dim, const double n, const std::string &pressure, const Field &U)
{
  Setting setting;
  setting.domain.lower               = Vector::Zero(dim);
  setting.domain.upper               = Vector::Ones(dim);
  setting.mesh.cells_per_unit_length = n;
  setting.mesh.pressure              = pressure;
  setting.U                          = U;
  setting.processes                  = Processes::alone();
  return setting;
}

/// |u_p - u| over the box and the total bound, for case I1 with continuous pressures.
struct Comparison
{
  double error, eta;
};

Comparison smooth_case(const int dim, const double n)
{
  const ClosedForm          exact          = smooth_free_boundary();
  const auto                discretization = discretize(unit_box(dim, n, "continuous", exact.U));
  const auto               &problem        = discretization->problem();
  const convex::SaddlePoint x              = discretization->projector("automatic", on_residual(1e-9))->project(problem);
  BOOST_TEST(x.converged());

  // the points of the velocities: cell by cell, i fastest, two Gauss points per direction
  const Rule      rule = gauss_rule(2, dim);
  const auto      m    = static_cast<Index>(n);
  Eigen::MatrixXd points(dim, problem.n_unknowns() / dim), u(dim, points.cols());
  for (Index k = 0; k < points.cols(); ++k)
    {
      Index cell = k / rule.size();
      for (int axis = 0; axis < dim; ++axis, cell /= m)
        points(axis, k) = (static_cast<double>(cell % m) + rule.points(axis, k % rule.size())) / n;
    }
  exact.u(points, u);
  const TotalBound bound = discretization->total_bound(x);
  BOOST_TEST(bound.available);
  return {problem.V->norm(x.u - Vector(u.reshaped())), bound.eta};
}
} // namespace

BOOST_AUTO_TEST_SUITE(active_set)

BOOST_AUTO_TEST_CASE(projects_as_the_nested_multigrid_does)
{
  for (const Sides &walls : {Sides{}, Sides{true, false, true, true, false, false}})
    for (const bool L_shaped : {false, true})
      {
        const auto problem = noisy_problem(zone_of(walls, L_shaped));
        const auto x       = ActiveSet(on_residual(1e-11)).project(problem);
        const auto y       = ObstacleMultigrid(on_residual(1e-11)).project(problem);
        BOOST_TEST(x.converged());
        BOOST_TEST(x.certificate.natural_residual <= 1e-11);
        // residuals of 1e-11, condition number about 20²
        BOOST_TEST(problem.V->norm(x.u - y.u) <= 1e-8 * problem.V->norm(problem.U));
      }
}

BOOST_AUTO_TEST_CASE(walls_all_around_leave_an_incompressible_velocity)
{
  const auto problem = noisy_problem(zone_of({true, true, true, true, false, false}, false));
  const auto x       = ActiveSet(on_residual(1e-10)).project(problem);
  BOOST_TEST(x.converged());
  Vector Bu(problem.n_constraints());
  problem.B->apply(x.u, Bu);
  // what does not leave cannot expand: all rows are tight
  BOOST_TEST(Bu.cwiseAbs().maxCoeff() <= 1e-7 * convex::max_abs(problem.U)); // 400 cells share what 1e-10 leaves
}

BOOST_AUTO_TEST_CASE(its_own_solution_is_the_best_start)
{
  const auto problem = noisy_problem(zone_of({}, true));
  const auto x       = ActiveSet(on_residual(1e-9)).project(problem);
  BOOST_TEST(x.n_iterations > 1u);
  BOOST_TEST(ActiveSet(on_residual(1e-9)).project(problem, &x.p).n_iterations == 0u);
}

BOOST_AUTO_TEST_CASE(meets_an_error_bound_as_well_as_a_residual)
{
  convex::StoppingCriterion criterion;
  criterion.tolerance = 1e-6;
  const auto x        = ActiveSet(criterion).project(noisy_problem(zone_of({}, false)));
  BOOST_TEST(x.converged());
  BOOST_TEST(x.certificate.guaranteed);
  BOOST_TEST(x.certificate.relative_error_bound <= 1e-6);
}

BOOST_AUTO_TEST_CASE(a_cap_that_is_reached_is_a_status)
{
  const auto x = ActiveSet(on_residual(1e-9, 2)).project(noisy_problem(zone_of({}, true)));
  BOOST_TEST((x.status == convex::Status::iteration_limit));
  BOOST_TEST(x.n_iterations == 2u);
}

BOOST_AUTO_TEST_CASE(velocities_that_are_no_numbers_never_converge)
{
  auto problem = noisy_problem(zone_of({}, false));
  problem.U(7) = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(!ActiveSet(on_residual(1e-9)).project(problem).converged());
}

BOOST_AUTO_TEST_CASE(an_unknown_operator_is_refused)
{
  struct Opaque : convex::ConstraintOperator
  {
    Index n_constraints() const override { return 1; }
    Index n_unknowns() const override { return 1; }
    void  apply(const convex::Vector &v, convex::Vector &Bv) const override { Bv = v; }
    void  apply_transpose(const convex::Vector &q, convex::Vector &Btq) const override { Btq = q; }
  };
  convex::ProjectionProblem problem;
  problem.V = std::make_shared<convex::DiagonalSpace>(Vector::Ones(1));
  problem.B = std::make_shared<Opaque>();
  problem.U = Vector::Ones(1);
  BOOST_CHECK_THROW(ActiveSet(on_residual(1e-9)).project(problem), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(continuous_pressures_are_of_order_one_and_bounded)
{
  for (const int dim : {2, 3})
    {
      const double     n      = dim == 2 ? 32. : 12.;
      const Comparison coarse = smooth_case(dim, n), fine = smooth_case(dim, 2. * n);
      const double     order = std::log2(coarse.error / fine.error);
      BOOST_TEST(order >= .85);
      BOOST_TEST(order <= 1.2);
      for (const Comparison &c : {coarse, fine})
        {
          BOOST_TEST(c.eta >= c.error); // up to the rule of Gauss for both
          BOOST_TEST(c.eta <= 2. * c.error);
        }
    }
}

BOOST_AUTO_TEST_CASE(continuous_pressures_hold_back_at_walls)
{
  // thrown against the wall at x = 1, and nothing can flow aside: u = 0
  Setting setting      = unit_box(2, 8., "continuous", at_points([](const double *, double *const v, const Index) {
                               v[0] = 1.;
                               v[1] = 0.;
                             }));
  setting.domain.walls = {false, true, true, true, false, false};
  const auto d         = discretize(setting);
  const auto x         = d->projector("active set", on_residual(1e-12))->project(d->problem());
  BOOST_TEST(x.converged());
  BOOST_TEST(x.u.cwiseAbs().maxCoeff() <= 1e-9); // p = x is linear: in the space
  const TotalBound bound = d->total_bound(x);
  BOOST_TEST(bound.eta <= 1e-8);
  BOOST_TEST(bound.scale > .1);
}

BOOST_AUTO_TEST_CASE(continuous_pressures_go_to_zero_where_the_zone_ends)
{
  Setting setting        = unit_box(2, 16., "continuous", at_points([](const double *const x, double *const v, const Index) {
                               v[0] = .5 - x[0];
                               v[1] = 0.;
                             }));
  setting.domain.uniform = false;
  setting.domain.density = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &rho) {
    rho = (x.row(0).array() < .5).select(Eigen::RowVectorXd::Ones(x.cols()), Eigen::RowVectorXd::Constant(x.cols(), .25));
  };
  const auto d = discretize(setting);
  const auto x = d->projector("automatic", on_residual(1e-9))->project(d->problem());
  BOOST_TEST(x.converged());
  BOOST_TEST(d->problem().n_constraints() == 7 * 15); // inner nodes of 8 x 16 cells
  // ½ · ¼ ∫_{x > ½} (½ - x)²
  BOOST_TEST(d->energy_outside() == .125 / 24., boost::test_tools::tolerance(1e-12));
  const FieldMesh fields = d->fields(x, x.u, d->total_bound(x));
  BOOST_TEST(fields.n_cells() == 256);
}

BOOST_AUTO_TEST_CASE(continuous_pressures_know_other_solvers)
{
  const auto d        = discretize(unit_box(2, 8., "continuous", smooth_free_boundary().U));
  const auto expected = d->projector("automatic", on_residual(1e-10))->project(d->problem());
  const auto x        = d->projector("interior point", on_residual(1e-10))->project(d->problem());
  BOOST_TEST(d->problem().V->norm(x.u - expected.u) <= 1e-7); // both to 1e-10, condition number about 8²
  BOOST_CHECK_THROW(d->projector("lines", on_residual(1e-9)), InputError);
}

BOOST_AUTO_TEST_SUITE_END()
