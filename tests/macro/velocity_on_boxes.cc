// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/box_rows.h"
#include "macro/isotropic/divergence_constraint.h"
#include "macro/discretize.h"
#include "tests/macro/closed_forms.h"
#include "tests/macro/settings.h"

#include <tbb/parallel_for.h>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>

BOOST_AUTO_TEST_SUITE(velocity_on_boxes)

// Discretization::velocity() of the isotropic cone on boxes, asked at points that know nothing of the mesh.
using namespace moreau;
using namespace moreau::macro;

namespace
{
using Level = double (*)(const double *x, Index dim);

/// The zone where a level is positive; ρ = 1/5 outside.
void set_zone(Setting &setting, const Level level)
{
  setting.domain.uniform = false;
  setting.domain.density =
      at_points([level](const double *const x, double *const rho, const Index dim) { *rho = level(x, dim) > 0. ? 1. : .2; });
}

Setting on_shape(const Field &U, const double cells, const Level level, const Sides &walls = {})
{
  Setting setting = unit_cube(2, U, cells, walls);
  set_zone(setting, level);
  setting.domain.level =
      at_points([level](const double *const x, double *const value, const Index dim) { *value = level(x, dim); });
  setting.domain.level_is_given = true;
  return setting;
}

/// A projection that was computed.
struct Computed
{
  Field                                 v;
  TotalBound                            bound;
  std::shared_ptr<const Discretization> mesh; ///< v needs it
};

using Maker = decltype(&staggered_discretization);

convex::SaddlePoint solution(const Discretization &mesh)
{
  const convex::StoppingCriterion criterion{1e-9, 1000, true};
  convex::SaddlePoint             x = mesh.projector("automatic", criterion)->project(mesh.problem());
  BOOST_TEST_REQUIRE(x.converged());
  return x;
}

Computed computed(const Maker make, const Setting &setting)
{
  const std::shared_ptr<const Discretization> mesh = make(setting, {});
  const convex::SaddlePoint                   x    = solution(*mesh);
  return {mesh->velocity(x), mesh->total_bound(x), mesh};
}

Eigen::MatrixXd values(const Field &f, const Eigen::MatrixXd &x)
{
  Eigen::MatrixXd result(x.rows(), x.cols());
  f(x, result);
  return result;
}

/// One random point in each of n^dim equal parts of the unit cube.
Eigen::MatrixXd scattered(const int dim, const int n)
{
  std::mt19937                           generator(11);
  std::uniform_real_distribution<double> uniform(0., 1.);
  Eigen::MatrixXd                        x(dim, static_cast<Index>(std::lround(std::pow(n, dim))));
  for (Index k = 0; k < x.cols(); ++k)
    for (Index axis = 0, rest = k; axis < dim; ++axis, rest /= n)
      x(axis, k) = (static_cast<double>(rest % n) + uniform(generator)) / n;
  return x;
}

/// Points at which the level is positive, or is not.
Eigen::MatrixXd part(const Eigen::MatrixXd &x, const Level level, const bool positive)
{
  std::vector<Index> chosen;
  for (Index k = 0; k < x.cols(); ++k)
    if ((level(x.col(k).data(), x.rows()) > 0.) == positive)
      chosen.push_back(k);
  return x(Eigen::all, chosen);
}

double everywhere(const double *, Index) { return 1.; }

/// |v - u| over the zone.
double distance(const Field &v, const Field &u, const int dim, const Level level = everywhere)
{
  const Eigen::MatrixXd all = scattered(dim, dim == 1 ? 20000 : dim == 2 ? 300 : 45), x = part(all, level, true);
  return (values(v, x) - values(u, x)).norm() / std::sqrt(static_cast<double>(all.cols()));
}

/// |v - u| <= η, and the order 3/2 that the kink of u on the free boundary allows, or 2 where there is none.
void check_errors(const Maker make, const ClosedForm &exact, const std::function<Setting(double)> &with_cells,
                  const double coarse, const double refinement, const double smallest_order, const Level level = everywhere)
{
  double error[2];
  for (const int k : {0, 1})
    {
      const Setting  setting = with_cells(k == 0 ? coarse : coarse * refinement);
      const Computed x       = computed(make, setting);
      error[k]               = distance(x.v, exact.u, static_cast<int>(setting.dim()), level);
      BOOST_TEST(error[k] <= 1.01 * x.bound.eta); // sampling: the zone is known to half a per cent
      BOOST_TEST_MESSAGE("cells " << setting.mesh.cells_per_unit_length << ", |v - u| " << error[k] << ", bound "
                                  << x.bound.eta);
    }
  const double order = std::log(error[0] / error[1]) / std::log(refinement);
  BOOST_TEST_MESSAGE("order " << order);
  BOOST_TEST(order >= smallest_order);
  BOOST_TEST(order <= 2.2);
}

void check_errors_unit_cube(const ClosedForm &exact, const int dim, const double coarse, const double refinement,
                            const double smallest_order, const Sides &walls = {})
{
  check_errors(
      staggered_discretization, exact, [&](const double n) { return unit_cube(dim, exact.U, n, walls); }, coarse, refinement,
      smallest_order);
}

/// S1 on one line, s = 6/5: u = (conv ∫U)' is U up to a = 3s/4 - 1/2 and constant behind.
ClosedForm pooled_block()
{
  constexpr double s = 1.2, a = .4;
  const auto       U = [](const double x) { return x * (s - x); };
  return {at_points([U](const double *const x, double *const v, Index) { *v = U(*x); }),
          at_points([U](const double *const x, double *const v, Index) { *v = *x < a ? U(*x) : U(a); }),
          {}};
}

/// A wall on the left: U runs into it where it is negative, u = U⁺.
ClosedForm pressed_against_a_wall()
{
  return {at_points([](const double *const x, double *const v, Index) { *v = *x * *x - .5; }),
          at_points([](const double *const x, double *const v, Index) { *v = std::max(*x * *x - .5, 0.); }),
          {}};
}

/// The whole square pressed against walls on the left and below.
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
      {});
}

// Case I2 on a disc of radius R = .43: U = Lx, u = Lx - (tr L / 2) x
constexpr double R2 = .43 * .43;
double           disc(const double *const x, const Index dim) { return R2 - squared_distance_to_centre(x, dim); }

ClosedForm linear_on_disc()
{
  const auto U = [](const double *const x, double *const v, Index) {
    v[0] = -.2 * (x[0] - .5) + .9 * (x[1] - .5);
    v[1] = -.1 * (x[0] - .5) - (x[1] - .5);
  };
  return {at_points(U),
          at_points([U](const double *const x, double *const v, const Index dim) {
            U(x, v, dim);
            for (int a = 0; a < 2; ++a)
              v[a] += .6 * (x[a] - .5);
          }),
          {}};
}

// Case I3, scaled to the same disc: contact in a ring only
ClosedForm ring_on_disc()
{
  const auto u = [](const double *const x, double *const v, const double largest_r) {
    const double R = std::sqrt(R2), r = std::sqrt(squared_distance_to_centre(x, 2)) / R, a = std::min(r, largest_r);
    const double rv = a * a - std::pow(a, 4); // r times the radial velocity
    for (int axis = 0; axis < 2; ++axis)
      v[axis] = r > 0. ? rv / (r * r) * (x[axis] - .5) / R : 0.;
  };
  return {at_points([u](const double *const x, double *const v, Index) { u(x, v, 10.); }),
          at_points([u](const double *const x, double *const v, Index) { u(x, v, .533543003928); }),
          {}};
}

// Half a disc pressed against the wall x = 0: p = w (1 - x) > 0 on it, u = 0
double half_disc(const double *const x, Index) { return .17 - x[0] * x[0] - std::pow(x[1] - .5, 2); }

ClosedForm half_disc_at_wall()
{
  return closed_form([](const double *, double *const u, Index) { u[0] = u[1] = 0.; },
                     [](const double *const x, double *const g, const Index dim) {
                       g[0] = -2. * x[0] * (1. - x[0]) - half_disc(x, dim);
                       g[1] = -2. * (x[1] - .5) * (1. - x[0]);
                     },
                     {});
}

const Sides left = {true, false, false, false, false, false}, left_and_below = {true, false, true, false, false, false};

void check_U_outside(const Field &v, const Field &U, const Level level)
{
  const Eigen::MatrixXd x = part(scattered(2, 200), level, false);
  BOOST_TEST_REQUIRE(x.cols() > 1000);
  BOOST_TEST((values(v, x) == values(U, x)));
}
} // namespace

BOOST_AUTO_TEST_CASE(smooth_free_boundary_is_within_its_bound)
{
  check_errors_unit_cube(smooth_free_boundary(), 2, 32., 4., 1.4);
}

BOOST_AUTO_TEST_CASE(disc_of_contact_is_within_its_bound) { check_errors_unit_cube(disc_of_contact(), 2, 32., 4., 1.4); }

BOOST_AUTO_TEST_CASE(smooth_free_boundary_in_space_is_within_its_bound)
{
  check_errors_unit_cube(smooth_free_boundary(), 3, 8., 2., 1.2);
}

BOOST_AUTO_TEST_CASE(lines_are_within_their_bounds)
{
  check_errors_unit_cube(pooled_block(), 1, 32., 16., 1.4);
  check_errors_unit_cube(pressed_against_a_wall(), 1, 32., 16., 1.4, left);
}

BOOST_AUTO_TEST_CASE(square_pressed_into_a_corner_is_within_its_bound)
{
  check_errors_unit_cube(pressed_into_a_corner(), 2, 16., 4., 1.9, left_and_below);
}

BOOST_AUTO_TEST_CASE(shapes_are_within_their_bounds)
{
  const auto check = [](const ClosedForm &exact, const Level level, const double coarse, const Sides &walls) {
    check_errors(
        macro::shape_discretization, exact, [&](const double n) { return on_shape(exact.U, n, level, walls); }, coarse, 4.,
        1.4, level);
  };
  check(linear_on_disc(), disc, 40., {});
  check(ring_on_disc(), disc, 40., {});
  check(half_disc_at_wall(), half_disc, 20., left);
}

BOOST_AUTO_TEST_CASE(outside_shapes_nothing_changes)
{
  const ClosedForm I2 = linear_on_disc();
  const Computed   x  = computed(macro::shape_discretization, on_shape(I2.U, 24., disc));
  check_U_outside(x.v, I2.U, disc);
  const Eigen::MatrixXd inside = part(scattered(2, 200), disc, true);
  // |u - U| is 3/5 of the distance from the centre; errors are O(h²) = 2e-3, a few times that near the boundary
  const auto kick = (values(x.v, inside) - values(I2.U, inside)).colwise().norm().eval();
  for (Index k = 0; k < inside.cols(); ++k)
    BOOST_REQUIRE_SMALL(kick(k) - .6 * std::sqrt(squared_distance_to_centre(inside.col(k).data(), 2)), .02);
}

// The cells cut are v's, too, but the part of them outside is not the zone's.
BOOST_AUTO_TEST_CASE(outside_a_density_that_cuts_cells_nothing_changes)
{
  const ClosedForm I2      = linear_on_disc();
  Setting          setting = unit_cube(2, I2.U, 24.);
  set_zone(setting, disc);
  const Computed x = computed(staggered_discretization, setting);
  check_U_outside(x.v, I2.U, disc);
  BOOST_TEST(distance(x.v, I2.u, 2, disc) <= 1.01 * x.bound.eta);
  BOOST_TEST(distance(x.v, I2.u, 2, disc) <= .5 * distance(I2.U, I2.u, 2, disc));
}

BOOST_AUTO_TEST_CASE(outside_whole_cells_nothing_changes)
{
  const auto rectangle = [](const double *const x, Index) {
    return std::min(.25 - std::abs(x[0] - .5), .35 - std::abs(x[1] - .5));
  };
  const Field U       = at_points([](const double *const x, double *const v, Index) {
    v[0] = -x[0];
    v[1] = -x[1];
  });
  Setting     setting = unit_cube(2, U, 20.);
  set_zone(setting, rectangle);
  const Computed x = computed(staggered_discretization, setting);
  check_U_outside(x.v, U, rectangle);
  const Eigen::MatrixXd inside = part(scattered(2, 100), rectangle, true);
  // all of it is pressed: U - u = ∇p vanishes in the middle only
  BOOST_TEST((values(x.v, inside) - values(U, inside)).colwise().norm().minCoeff() > 0.);
}

BOOST_AUTO_TEST_CASE(nothing_saturated_leaves_U)
{
  const Field U       = disc_of_contact().U;
  Setting     setting = unit_cube(2, U, 8.);
  set_zone(setting, [](const double *, Index) { return -1.; });
  const Computed x = computed(staggered_discretization, setting);
  check_U_outside(x.v, U, [](const double *, Index) { return -1.; });
}

// Where there is no bound there is no v either.
BOOST_AUTO_TEST_CASE(zone_that_misses_all_centres_offers_nothing)
{
  const Level    speck   = [](const double *const x, const Index dim) { return 1e-4 - squared_distance_to_centre(x, dim); };
  const Setting  setting = on_shape(disc_of_contact().U, 10., speck);
  const Computed x       = computed(macro::shape_discretization, setting);
  BOOST_TEST(!x.bound.available);
  BOOST_TEST(!x.v);
  BOOST_TEST(!computed(staggered_discretization, setting).v);
}

// v·n is linear on a face, its mean what the solver found, up to its
// tolerance; the fluxes through the faces of a cell never compress it.
BOOST_AUTO_TEST_CASE(means_over_faces_are_those_of_the_solver)
{
  const Field U = at_points([](const double *const x, double *const v, Index) {
    v[0] = std::sin(7. * x[0] + x[1]) - x[0];
    v[1] = std::cos(5. * x[1]);
  });
  for (const Sides &walls : {Sides{}, left_and_below})
    {
      const Setting             setting = unit_cube(2, U, 16., walls);
      const auto                mesh    = staggered_discretization(setting);
      const convex::SaddlePoint x       = solution(*mesh);
      const BoxGrid             grid    = box_grid(setting.domain.lower, setting.domain.upper, 16., setting.processes);
      BoxZone                   zone(grid, walls);
      for_own_cells(grid, [&](const CellIndex &cell) { zone.set(cell, true); });
      const FaceArrays u = StaggeredProblem(zone).faces(x.u, FaceArrays(grid)), v = face_means(grid, mesh->velocity(x));
      double           smallest_divergence = 1.;
      for_own_cells(
          grid, [&](const CellIndex &cell) { smallest_divergence = std::min(smallest_divergence, divergence(v, cell)); });
      BOOST_TEST(smallest_divergence >= -1e-12); // rounding errors over a cell
      for (int axis = 0; axis < 2; ++axis)
        BOOST_TEST((u.values[axis] - v.values[axis]).cwiseAbs().maxCoeff() <=
                   1e-7); // 1e-9 was asked for, summed over 16 cells
    }
}

BOOST_AUTO_TEST_CASE(nothing_enters_walls)
{
  const Computed  x    = computed(staggered_discretization, unit_cube(2, smooth_free_boundary().U, 12., left_and_below));
  Eigen::MatrixXd wall = scattered(2, 60);
  for (const int axis : {0, 1})
    {
      Eigen::MatrixXd on_wall = wall;
      on_wall.row(axis).setZero();
      BOOST_TEST(values(x.v, on_wall).row(axis).minCoeff() >= 0.);
      BOOST_TEST(values(x.v, on_wall).row(axis).maxCoeff() > .01); // parts of it leave the wall
    }
}

BOOST_AUTO_TEST_CASE(points_on_faces_corners_and_sides_have_values)
{
  const ClosedForm I1 = smooth_free_boundary();
  for (const int dim : {1, 2, 3})
    {
      const int       n = 6;
      const Computed  x = computed(staggered_discretization, unit_cube(dim, I1.U, n));
      Eigen::MatrixXd points(dim, static_cast<Index>(std::lround(std::pow(2 * n + 1, dim))));
      for (Index k = 0; k < points.cols(); ++k)
        for (Index axis = 0, rest = k; axis < dim; ++axis, rest /= 2 * n + 1)
          points(axis, k) = static_cast<double>(rest % (2 * n + 1)) / (2 * n);
      // h² = .03, and velocities are about 1
      BOOST_TEST((values(x.v, points) - values(I1.u, points)).cwiseAbs().maxCoeff() <= .1);
    }
}

BOOST_AUTO_TEST_CASE(order_batches_and_threads_do_not_matter)
{
  const ClosedForm I2 = linear_on_disc();
  for (const Computed &computed : {computed(macro::shape_discretization, on_shape(I2.U, 24., disc)),
                                   computed(staggered_discretization, unit_cube(2, I2.U, 24.))})
    {
      const Eigen::MatrixXd x = scattered(2, 60), v = values(computed.v, x);
      Eigen::MatrixXd       single(2, x.cols()), batched(2, x.cols());
      tbb::parallel_for(Index(0), x.cols(), [&](const Index k) { single.col(k) = values(computed.v, x.col(k)); });
      tbb::parallel_for(Index(0), x.cols() / 45, [&](const Index k) {
        batched.middleCols(45 * k, 45) = values(computed.v, x.middleCols(45 * k, 45));
      });
      BOOST_TEST((single == v));
      BOOST_TEST((batched == v));
      BOOST_TEST((values(computed.v, x.rowwise().reverse()) == v.rowwise().reverse()));
    }
}

BOOST_AUTO_TEST_CASE(no_points_are_no_trouble)
{
  const Computed x = computed(staggered_discretization, unit_cube(2, smooth_free_boundary().U, 8.));
  BOOST_TEST(values(x.v, Eigen::MatrixXd(2, 0)).cols() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
