// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/impact_law.h"
#include "convex/input_error.h"
#include "convex/chains/isotonic_regression.h"
#include "macro/isotropic/divergence_constraint.h"
#include "macro/discretize.h"
#include "tests/macro/closed_forms.h"
#include "tests/macro/pictures.h"
#include "tests/macro/settings.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(reference_cases)

using namespace moreau;
using namespace moreau::macro;

namespace
{
const convex::StoppingCriterion criterion{1e-9, 1000, true};

convex::SaddlePoint solution(const Discretization &mesh)
{
  convex::SaddlePoint x = mesh.projector("automatic", criterion)->project(mesh.problem());
  BOOST_TEST_REQUIRE(x.converged());
  return x;
}

pictures::Columns cell_data(const Mesh &plane, const std::string &name) { return pictures::data(plane.cell_data, name, 2); }

/// Of a quadrilateral.
Vector centre_of(const Mesh &plane, const Index cell)
{
  const auto points = pictures::points(plane, 2);
  return .5 * (points.col(plane.connectivity[4 * cell]) + points.col(plane.connectivity[4 * cell + 2]));
}

/// Errors on one mesh of the unit cube, all of it saturated.
struct Errors
{
  double u, p;       ///< in the staggered norms: at faces against means of the exact u, at centres
  double eta, total; ///< bound and what it bounds: |v - u| and |u_p - u| together
};

Errors errors(const ClosedForm &exact, const int dim, const double n, const Sides &walls = {})
{
  const Setting             setting = unit_cube(dim, exact.U, n, walls);
  const auto                mesh    = staggered_discretization(setting);
  const convex::SaddlePoint x       = solution(*mesh);

  BoxZone zone(box_grid(setting.domain.lower, setting.domain.upper, n, setting.processes), walls);
  for_own_cells(zone.grid, [&](const CellIndex &cell) { zone.set(cell, true); });
  const StaggeredProblem staggered(zone);
  const CellArray        p = staggered.cell_pressures(x.p);
  Errors                 result;
  result.u     = mesh->problem().V->norm(x.u - staggered.coefficients(face_means(zone.grid, exact.u)));
  double sum_p = 0.;
  for_own_cells(zone.grid, [&](const CellIndex &cell) { sum_p += std::pow(p(cell) - exact.p(zone.grid.centre(cell)), 2); });
  result.p = std::sqrt(sum_p * zone.grid.cell_volume());

  const auto                  spline   = spline_pressure(zone, p, staggered.wall_pressures(x.p));
  bool                        feasible = false;
  const auto                  v_means  = repaired_fluxes(zone, staggered.faces(x.u, FaceArrays(zone.grid)), feasible);
  const ReconstructedVelocity v(zone, v_means, exact.U, *spline);
  result.eta   = mesh->total_bound(x).eta;
  result.total = true_error(zone, exact, v, *spline).both();
  BOOST_TEST(feasible);
  return result;
}

double order(const double coarse, const double fine, const double refinement)
{
  return std::log(coarse / fine) / std::log(refinement);
}

/// Contact in a box with walls on the left and below, the whole box pressed: p and u are polynomials.
ClosedForm pressed_into_a_corner()
{
  return closed_form(
      [](const double *const x, double *const u, Index) {
        u[0] = x[0];
        u[1] = -x[1];
      },
      [](const double *const x, double *const g, Index) {
        g[0] = -(1. - x[1]) * (2. + x[0] + x[1]) + (1. - x[0]) * (1. - x[1]);
        g[1] = -(1. - x[0]) * (2. + x[0] + x[1]) + (1. - x[0]) * (1. - x[1]);
      },
      [](const Vector &x) { return (1. - x(0)) * (1. - x(1)) * (2. + x(0) + x(1)); });
}

/// One dimension, a wall on the left: U = x² - ½ runs into it where it is negative, u = U⁺.
ClosedForm pressed_against_a_wall()
{
  return {at_points([](const double *const x, double *const v, Index) { v[0] = x[0] * x[0] - .5; }),
          at_points([](const double *const x, double *const v, Index) { v[0] = std::max(x[0] * x[0] - .5, 0.); }),
          [](const Vector &x) {
            const double a = std::sqrt(.5), t = std::min(x(0), a);
            return .5 * (a - t) - (a * a * a - t * t * t) / 3.;
          }};
}
} // namespace

// Orders of certificate.md: 1.5 is what uniform meshes allow, because u has a kink on the free boundary.
BOOST_AUTO_TEST_CASE(smooth_free_boundary_converges_with_order_three_halves_and_is_bounded)
{
  const ClosedForm I1     = smooth_free_boundary();
  const Errors     coarse = errors(I1, 2, 32.), fine = errors(I1, 2, 128.);
  BOOST_TEST_MESSAGE("I1: u " << fine.u << ", p " << fine.p << ", bound " << fine.eta << ", bound / error "
                              << fine.eta / fine.total);
  BOOST_TEST(order(coarse.u, fine.u, 4.) >= 1.4);
  BOOST_TEST(order(coarse.p, fine.p, 4.) >= 1.8);
  BOOST_TEST(order(coarse.eta, fine.eta, 4.) >= 1.4);
  for (const Errors &e : {coarse, fine})
    {
      BOOST_TEST(e.eta >= e.total);
      BOOST_TEST(e.eta <= 1.7 * e.total);
    }
  BOOST_TEST(fine.eta <= 1.2e-4); // 1.0e-4 was measured
}

BOOST_AUTO_TEST_CASE(disc_of_contact_converges_and_is_bounded)
{
  const ClosedForm I4     = disc_of_contact();
  const Errors     coarse = errors(I4, 2, 32.), fine = errors(I4, 2, 128.);
  BOOST_TEST_MESSAGE("I4: u " << fine.u << ", p " << fine.p << ", bound " << fine.eta << ", bound / error "
                              << fine.eta / fine.total);
  BOOST_TEST(order(coarse.u, fine.u, 4.) >= 1.4);
  BOOST_TEST(order(coarse.p, fine.p, 4.) >= 1.8);
  BOOST_TEST(order(coarse.eta, fine.eta, 4.) >= 1.3);
  for (const Errors &e : {coarse, fine})
    {
      BOOST_TEST(e.eta >= e.total);
      BOOST_TEST(e.eta <= 1.8 * e.total);
    }
}

BOOST_AUTO_TEST_CASE(smooth_free_boundary_in_space_is_bounded)
{
  const ClosedForm I1     = smooth_free_boundary();
  const Errors     coarse = errors(I1, 3, 8.), fine = errors(I1, 3, 16.);
  BOOST_TEST(order(coarse.eta, fine.eta, 2.) >= 1.2);
  for (const Errors &e : {coarse, fine})
    {
      BOOST_TEST(e.eta >= e.total);
      BOOST_TEST(e.eta <= 1.7 * e.total);
    }
}

// No free boundary and no kink: everything is of order 2.
BOOST_AUTO_TEST_CASE(pressure_on_walls_keeps_the_order)
{
  const ClosedForm exact  = pressed_into_a_corner();
  const Sides      walls  = {true, false, true, false};
  const Errors     coarse = errors(exact, 2, 8.), fine = errors(exact, 2, 32.);
  const Errors     coarse_with_walls = errors(exact, 2, 8., walls), fine_with_walls = errors(exact, 2, 32., walls);
  BOOST_TEST(order(coarse_with_walls.eta, fine_with_walls.eta, 4.) >= 1.9);
  BOOST_TEST(fine_with_walls.eta >= fine_with_walls.total * (1. - 1e-12)); // equal: nothing opens
  BOOST_TEST(fine_with_walls.eta <= 1.02 * fine_with_walls.total);         // the repair may cost 1 %
  BOOST_TEST(coarse.eta > coarse_with_walls.eta);                          // without walls it is another problem
  BOOST_TEST(fine.eta > fine_with_walls.eta);
}

BOOST_AUTO_TEST_CASE(impact_on_a_wall_in_one_dimension)
{
  const ClosedForm exact  = pressed_against_a_wall();
  const Errors     coarse = errors(exact, 1, 32., {true}), fine = errors(exact, 1, 128., {true});
  BOOST_TEST(order(coarse.eta, fine.eta, 4.) >= 1.3);
  for (const Errors &e : {coarse, fine})
    {
      BOOST_TEST(e.eta >= e.total);
      BOOST_TEST(e.eta <= 2.5 * e.total);
    }
}

// In one dimension the staggered velocities are the sites of a row, the outermost ones with half the mass.
BOOST_AUTO_TEST_CASE(one_dimension_is_isotonic_regression)
{
  const Field U    = at_points([](const double *const x, double *const v, Index) { v[0] = std::sin(11. * x[0]) - x[0]; });
  const auto  mesh = staggered_discretization(unit_cube(1, U, 60.));
  const convex::SaddlePoint x = solution(*mesh);
  Vector                    m = Vector::Ones(61);
  m(0) = m(60)   = .5;
  const Vector u = convex::isotonic_regression(mesh->problem().U, m);
  BOOST_TEST((x.u - u).cwiseAbs().maxCoeff() <= 1e-8); // the solver's tolerance is 1e-9
}

// The cells that the disc touches and those inside it stand for a disc that no mesh of boxes can show.
BOOST_AUTO_TEST_CASE(disc_that_cuts_cells_is_bounded_between_two_staircases)
{
  // case I2: U = Lx, p = (-tr L / 4)(R² - |x|²), u = Lx - (tr L / 2) x, with R = .4 about the centre
  constexpr double L[2][2] = {{-1., .3}, {-.2, -.5}}, trace = -1.5, R2 = .16;
  const auto       U = [L](const double *const x, double *const v, Index) {
    for (int a = 0; a < 2; ++a)
      v[a] = L[a][0] * (x[0] - .5) + L[a][1] * (x[1] - .5);
  };
  const auto u = [U](const double *const x, double *const v, Index) {
    U(x, v, 2);
    for (int a = 0; a < 2; ++a)
      v[a] -= .5 * trace * (x[a] - .5);
  };
  double eta[2];
  for (const int level : {0, 1})
    {
      Setting setting        = unit_cube(2, at_points(U), level == 0 ? 20. : 80.);
      setting.domain.uniform = false;
      setting.domain.density = at_points(
          [](const double *const x, double *const rho, Index) { rho[0] = squared_distance_to_centre(x, 2) < R2 ? 1. : .2; });
      const auto                mesh  = staggered_discretization(setting);
      const convex::SaddlePoint x     = solution(*mesh);
      const TotalBound          bound = mesh->total_bound(x);
      BOOST_TEST(!bound.guaranteed);
      BOOST_TEST(mesh->remarks().find("cuts") != std::string::npos);
      eta[level] = bound.eta;

      // |v - u| at the centres of the cells inside, which is less than |v - u| up to O(h²)
      const Mesh picture = mesh->fields(x, x.u, bound);
      double     squared = 0.;
      for (Index k = 0; k < cell_data(picture, "u").cols(); ++k)
        {
          const Vector centre = centre_of(picture, k);
          double       exact[2];
          u(centre.data(), exact, 2);
          if (squared_distance_to_centre(centre.data(), 2) < R2)
            squared += std::pow(cell_data(picture, "u")(0, k) - exact[0], 2) +
                       std::pow(cell_data(picture, "u")(1, k) - exact[1], 2);
        }
      BOOST_TEST(eta[level] >= std::sqrt(squared / static_cast<double>(picture.n_cells())));
    }
  BOOST_TEST(order(eta[0], eta[1], 4.) >= .4);
  BOOST_TEST(order(eta[0], eta[1], 4.) <= 1.);
}

BOOST_AUTO_TEST_CASE(zone_made_of_whole_cells_cuts_none)
{
  Setting setting        = unit_cube(2, disc_of_contact().U, 20.);
  setting.domain.uniform = false;
  setting.domain.density = at_points([](const double *const x, double *const rho, Index) {
    rho[0] = std::abs(x[0] - .5) < .25 && std::abs(x[1] - .5) < .35 ? 1. : .5;
  });
  const auto mesh        = staggered_discretization(setting);
  BOOST_TEST(mesh->remarks() == "");
  BOOST_TEST(mesh->description() == "20 x 20 cells, 140 of them saturated; staggered velocities, cell pressures");
}

BOOST_AUTO_TEST_CASE(nothing_saturated_leaves_U)
{
  const Field uniform             = at_points([](const double *, double *const v, Index) { v[0] = v[1] = 2.; });
  Setting     setting             = unit_cube(2, uniform, 8.);
  setting.domain.uniform          = false;
  setting.domain.density          = at_points([](const double *, double *const rho, Index) { rho[0] = .5; });
  const auto                mesh  = staggered_discretization(setting);
  const convex::SaddlePoint x     = solution(*mesh);
  const TotalBound          bound = mesh->total_bound(x);
  BOOST_TEST(mesh->remarks() == "No cell is saturated, so u = U.");
  BOOST_TEST(bound.eta == 0.);
  BOOST_TEST(std::abs(mesh->outside().energy - 2.) <= 1e-14); // ½ · ½ · (2² + 2²)
  const Mesh picture = mesh->fields(x, x.u, bound);
  BOOST_TEST((cell_data(picture, "u") == cell_data(picture, "U")));
}

BOOST_AUTO_TEST_CASE(density_outside_zero_and_one_is_refused_with_the_place)
{
  Setting setting                    = unit_cube(2, disc_of_contact().U, 4.);
  setting.domain.uniform             = false;
  setting.domain.density_is_cellwise = true;
  setting.domain.density             = at_points(
      [](const double *const x, double *const rho, Index) { rho[0] = x[0] > .5 && x[0] < .75 && x[1] < .25 ? 1.2 : 1.; });
  try
    {
      staggered_discretization(setting);
      BOOST_TEST(false);
    }
  catch (const InputError &error)
    {
      BOOST_TEST(error.subject == "the density");
      BOOST_TEST(error.sentence == "The density is 1.2 at (0.625, 0.125); it must lie in [0, 1].");
    }
}

BOOST_AUTO_TEST_CASE(unknown_solver_is_refused_with_those_that_exist)
{
  const auto mesh = staggered_discretization(unit_cube(2, disc_of_contact().U, 4.));
  BOOST_CHECK_THROW(mesh->projector("lines", criterion), InputError);
}

BOOST_AUTO_TEST_CASE(fields_show_velocities_pressure_and_divergence)
{
  const ClosedForm          I1      = smooth_free_boundary();
  const auto                mesh    = staggered_discretization(unit_cube(2, I1.U, 32.));
  const convex::SaddlePoint x       = solution(*mesh);
  const TotalBound          bound   = mesh->total_bound(x);
  const Mesh                picture = mesh->fields(x, x.u, bound);
  BOOST_TEST(picture.n_cells() == 32u * 32u);
  BOOST_TEST(picture.n_points() == 33u * 33u);
  double largest_error = 0.;
  for (Index k = 0; k < 32 * 32; ++k)
    {
      const Vector    centre = centre_of(picture, k);
      const double    r2     = squared_distance_to_centre(centre.data(), 2);
      Eigen::MatrixXd exact(2, 1);
      I1.u(centre, exact);
      largest_error = std::max(largest_error, (cell_data(picture, "u").col(k) - exact).norm());
      if (std::abs(std::sqrt(r2) - .3) > .05) // a cell and a half away from the free boundary
        BOOST_TEST(cell_data(picture, "active")(0, k) == (r2 < .09 ? 1. : 0.));
    }
  BOOST_TEST(largest_error <= 2e-3);                                // h² = 1e-3
  BOOST_TEST(cell_data(picture, "divergence").minCoeff() >= -1e-7); // the solver's tolerance is 1e-9, times 1/h
  BOOST_TEST(cell_data(picture, "p").minCoeff() >= 0.);
  BOOST_TEST(std::abs(cell_data(picture, "error_indicator").sum() - bound.eta * bound.eta) <= 1e-13);
}

// After several impacts u_plus is no longer U - (1+e)(U - u).
BOOST_AUTO_TEST_CASE(fields_of_repeated_impacts_show_means_of_faces)
{
  const auto                mesh    = staggered_discretization(unit_cube(2, smooth_free_boundary().U, 8.));
  const convex::SaddlePoint x       = solution(*mesh);
  const convex::Vector      u_plus  = .5 * x.u + convex::Vector::LinSpaced(x.u.size(), 0., 1.);
  const Mesh                picture = mesh->fields(x, u_plus, mesh->total_bound(x));
  // unknowns are the faces across x, 9 per row, then those across y, 8 per row
  const Index i = 3, j = 4, k = i + 8 * j;
  BOOST_TEST(std::abs(cell_data(picture, "u")(0, k) - .5 * (u_plus(i + 9 * j) + u_plus(i + 1 + 9 * j))) <= 1e-15);
  BOOST_TEST(std::abs(cell_data(picture, "u")(1, k) - .5 * (u_plus(72 + k) + u_plus(72 + k + 8))) <= 1e-15);
}

// Too few cells for a coarser grid.
BOOST_AUTO_TEST_CASE(smallest_boxes_are_solved)
{
  const Field U = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &value) { value = -x; };
  for (const int dim : {2, 3})
    for (const double cells : {1., 2., 3.})
      {
        const auto                mesh = staggered_discretization(unit_cube(dim, U, cells));
        const convex::SaddlePoint x    = solution(*mesh);
        Vector                    Bu(mesh->problem().n_constraints());
        mesh->problem().B->apply(x.u, Bu);
        BOOST_TEST(convex::max_abs(Bu) <= 1e-8); // all of it is pressed: div u = 0
        BOOST_TEST(x.p.minCoeff() > 0.);
      }
}

// The velocity that is shown is U - (1+e)(U - v) with the v of e = 0, and div v >= 0 in every cell to round-off.
BOOST_AUTO_TEST_CASE(shown_velocity_is_affine_in_the_restitution)
{
  const Field U = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &value) {
    value.row(0) = (7. * x.row(0).array() + x.row(1).array()).sin() - x.row(0).array();
    value.row(1) = (5. * x.row(1).array()).cos();
  };
  const auto            mesh     = staggered_discretization(unit_cube(2, U, 24.));
  const auto            x        = solution(*mesh);
  const TotalBound      bound    = mesh->total_bound(x);
  const Mesh            still    = mesh->fields(x, x.u, bound);
  const Mesh            after    = mesh->fields(x, mesh->problem().U - 1.5 * (mesh->problem().U - x.u), bound);
  const Eigen::MatrixXd expected = cell_data(still, "U") - 1.5 * (cell_data(still, "U") - cell_data(still, "u"));
  BOOST_TEST((cell_data(after, "u") - expected).cwiseAbs().maxCoeff() <= 1e-12);
  BOOST_TEST(cell_data(still, "divergence").minCoeff() >= -1e-12);
}

BOOST_AUTO_TEST_SUITE_END()
