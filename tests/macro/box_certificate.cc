// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/box_certificate.h"

#include "geometry/box_rows.h"
#include "geometry/quadrature.h"
#include "tests/macro/closed_forms.h"

#include <tbb/global_control.h>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>

BOOST_AUTO_TEST_SUITE(box_certificate)

using namespace moreau::macro;

namespace
{
constexpr double epsilon = 2.2e-16;

/// All cells of the unit cube but those for which `without` holds.
template <class F>
BoxZone zone_of_unit_cube(const int dim, const double n, const Sides &walls, F &&without)
{
  const BoxGrid grid = box_grid(Vector::Zero(dim), Vector::Ones(dim), n, Processes::alone());
  BoxZone       zone(grid, walls);
  for_own_cells(grid, [&](const CellIndex &cell) { zone.set(cell, !without(cell)); });
  return zone;
}

bool nowhere(const CellIndex &) { return false; }
bool lower_corner(const CellIndex &cell) { return cell[0] < 3 && cell[1] < 2; }

class RandomNumbers
{
public:
  double operator()(const double lower, const double upper)
  {
    return std::uniform_real_distribution<double>(lower, upper)(generator);
  }

private:
  std::mt19937 generator{7};
};

CellArray random_pressures(const BoxZone &zone)
{
  RandomNumbers random;
  CellArray     p(zone.grid);
  for_own_cells(zone.grid, [&](const CellIndex &cell) { p(cell) = zone(cell) ? random(0., 1.) : 0.; });
  return p;
}

/// Values on all faces, those on walls too.
FaceArrays random_faces(const BoxGrid &grid, const double lower, const double upper)
{
  RandomNumbers random;
  FaceArrays    v(grid);
  for (int axis = 0; axis < grid.dim; ++axis)
    for (double &value : v.values[axis])
      value = random(lower, upper);
  return v;
}

/// div >= 0 in every cell and v·n <= 0 on lower walls: random numbers on an expansion that outweighs them.
FaceArrays random_admissible_faces(const BoxGrid &grid)
{
  FaceArrays v = random_faces(grid, 0., 1.);
  for (int axis = 0; axis < grid.dim; ++axis)
    for_own_cells(grid, [&](const CellIndex &cell) {
      for (int side = 0; side < 2; ++side)
        if (const CellIndex face = moved(cell, axis, side); side == 1 || cell[axis] == 0)
          v(axis, face) += static_cast<double>(face[axis]);
    });
  return v;
}

/// Points on a face of the unit cube.
Eigen::MatrixXd points_on_face(const int dim, const int axis, const int side)
{
  Eigen::MatrixXd xi = face_rule(3, dim, axis).points;
  xi.row(axis).setConstant(side);
  return xi;
}

/// Calls f(cell, axis) for the faces between two saturated cells: the upper ones of `cell`.
template <class F>
void for_inner_faces(const BoxZone &zone, F &&f)
{
  for_own_cells(zone.grid, [&](const CellIndex &cell) {
    for (int axis = 0; axis < zone.grid.dim; ++axis)
      if (zone(cell) && zone(moved(cell, axis, 1)))
        f(cell, axis);
  });
}

/// Are all cells around saturated, so that a spline knows no boundary there?
bool is_deep_inside(const BoxZone &zone, const CellIndex &cell)
{
  bool inside = true;
  for (int k = 0; k < 27; ++k)
    {
      const int steps[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
      CellIndex at       = cell;
      for (int axis = 0; axis < zone.grid.dim; ++axis)
        at[axis] += steps[axis];
      inside = inside && zone(at);
    }
  return inside;
}

const Field no_velocity = [](const Eigen::MatrixXd &, Eigen::MatrixXd &values) { values.setZero(); };
const Field waves       = at_points([](const double *const x, double *const v, const Index dim) {
  for (Index a = 0; a < dim; ++a)
    v[a] = std::sin(9. * x[a] + static_cast<double>(a)) * std::cos(7. * x[(a + 1) % dim]);
});
} // namespace

BOOST_AUTO_TEST_CASE(spline_pressure_is_continuous_with_its_gradient)
{
  for (const int dim : {1, 2, 3})
    {
      const BoxZone   zone = zone_of_unit_cube(dim, dim == 3 ? 6. : 9., {}, dim > 1 ? lower_corner : nowhere);
      const auto      p    = spline_pressure(zone, random_pressures(zone), FaceArrays(zone.grid));
      Vector          below, above;
      Eigen::MatrixXd g_below, g_above;
      int             n_smooth = 0;
      for_inner_faces(zone, [&](const CellIndex &cell, const int axis) {
        const CellIndex next = moved(cell, axis, 1);
        p->evaluate(cell, points_on_face(dim, axis, 1), below, g_below);
        p->evaluate(next, points_on_face(dim, axis, 0), above, g_above);
        BOOST_TEST((below - above).cwiseAbs().maxCoeff() <= 16. * epsilon);
        BOOST_TEST(below.minCoeff() >= 0.);
        if (is_deep_inside(zone, cell) && is_deep_inside(zone, next))
          {
            ++n_smooth;
            BOOST_TEST((g_below - g_above).cwiseAbs().maxCoeff() <= 256. * epsilon * 9.); // gradients are about 1/h
          }
      });
      BOOST_TEST(n_smooth > 0);
    }
}

BOOST_AUTO_TEST_CASE(spline_pressure_vanishes_where_the_zone_ends_and_is_the_multiplier_on_walls)
{
  for (const int dim : {1, 2, 3})
    {
      const Sides      walls  = {true, false, dim > 1, false, false, false};
      const BoxZone    zone   = zone_of_unit_cube(dim, 5., walls, dim > 1 ? lower_corner : nowhere);
      const FaceArrays p_wall = random_faces(zone.grid, 0., 1.);
      const auto       p      = spline_pressure(zone, random_pressures(zone), p_wall);
      Vector           value;
      Eigen::MatrixXd  gradient;
      for_own_cells(zone.grid, [&](const CellIndex &cell) {
        for (int side = 0; side < 2 * dim; ++side)
          {
            const int axis = side / 2;
            if (!zone(cell) || zone(moved(cell, axis, side % 2 ? 1 : -1)))
              continue;
            p->evaluate(cell, points_on_face(dim, axis, side % 2), value, gradient);
            if (!walls[side] || cell[axis] > 0)
              BOOST_TEST(value.maxCoeff() <= 8. * epsilon);
            else if (is_deep_inside(zone, moved(cell, axis, 1)))
              {
                // with coefficients that are means of multipliers, 9/16 or
                // more of the value at the middle is that of this face
                BOOST_TEST(value.minCoeff() > 0.);
                if (dim == 1)
                  BOOST_TEST(std::abs(value(0) - p_wall(axis, cell)) <= 8. * epsilon);
              }
          }
      });
    }
}

BOOST_AUTO_TEST_CASE(reconstructed_velocity_is_conforming_and_has_the_given_means)
{
  for (const int dim : {1, 2, 3})
    {
      const BoxZone               zone  = zone_of_unit_cube(dim, dim == 3 ? 5. : 9., {}, dim > 1 ? lower_corner : nowhere);
      const FaceArrays            means = random_admissible_faces(zone.grid);
      const auto                  p     = spline_pressure(zone, random_pressures(zone), FaceArrays(zone.grid));
      const ReconstructedVelocity v(zone, means, waves, *p);
      Eigen::MatrixXd             below, above;
      Vector                      ignored;
      for_inner_faces(zone, [&](const CellIndex &cell, const int axis) {
        const Rule rule = face_rule(3, dim, axis);
        v.evaluate(cell, points_on_face(dim, axis, 1), below, ignored);
        v.evaluate(moved(cell, axis, 1), points_on_face(dim, axis, 0), above, ignored);
        BOOST_TEST((below.row(axis) - above.row(axis)).cwiseAbs().maxCoeff() <= 256. * epsilon); // of values about 10
        BOOST_TEST(std::abs(below.row(axis).dot(rule.weights) - means(axis, moved(cell, axis, 1))) <= 256. * epsilon);
      });
    }
}

BOOST_AUTO_TEST_CASE(divergence_of_the_reconstructed_velocity_is_its_derivative_and_not_negative)
{
  for (const int dim : {1, 2, 3})
    {
      const BoxZone zone            = zone_of_unit_cube(dim, 4., {}, nowhere);
      FaceArrays    means           = random_admissible_faces(zone.grid);
      means(0, {1, 0, 0})           = means(0, {0, 0, 0}); // brings the divergence of some cells near to zero
      const auto                  p = spline_pressure(zone, random_pressures(zone), FaceArrays(zone.grid));
      const ReconstructedVelocity v(zone, means, waves, *p);
      constexpr double            step = 1e-3;
      Eigen::MatrixXd             lower, upper, at_vertices;
      Vector                      d, ignored;
      for_own_cells(zone.grid, [&](const CellIndex &cell) {
        const Eigen::MatrixXd xi         = gauss_rule(2, dim).points;
        Vector                difference = Vector::Zero(xi.cols());
        for (int axis = 0; axis < dim; ++axis)
          {
            Eigen::MatrixXd moved_xi = xi;
            moved_xi.row(axis).array() -= step;
            v.evaluate(cell, moved_xi, lower, ignored);
            moved_xi.row(axis).array() += 2. * step;
            v.evaluate(cell, moved_xi, upper, ignored);
            // exact: v_a is quadratic in x_a
            difference += (upper - lower).row(axis).transpose() / (2. * step * zone.grid.h(axis));
          }
        v.evaluate(cell, xi, at_vertices, d);
        BOOST_TEST((d - difference).cwiseAbs().maxCoeff() <= 1e-10); // rounding of differences: 1e-15 · 10 / step / h
        v.evaluate(cell, (gauss_rule(2, dim).points.array() > .5).cast<double>(), at_vertices, d);
        BOOST_TEST(d.minCoeff() >=
                   std::min(0., divergence(means, cell)) - 64. * epsilon * std::abs(divergence(means, cell)));
      });
    }
}

BOOST_AUTO_TEST_CASE(reconstructed_velocity_does_not_enter_walls)
{
  for (const int dim : {2, 3})
    {
      const Sides                 walls = {true, false, true, false, dim == 3, false};
      const BoxZone               zone  = zone_of_unit_cube(dim, 6., walls, nowhere);
      const FaceArrays            means = random_admissible_faces(zone.grid);
      const auto                  p     = spline_pressure(zone, random_pressures(zone), random_faces(zone.grid, 0., 1.));
      const ReconstructedVelocity v(zone, means, waves, *p);
      Eigen::MatrixXd             values;
      Vector                      ignored;
      for_own_cells(zone.grid, [&](const CellIndex &cell) {
        for (int axis = 0; axis < dim; ++axis)
          if (cell[axis] == 0)
            {
              Eigen::MatrixXd vertices = (gauss_rule(2, dim).points.array() > .5).cast<double>();
              vertices.row(axis).setZero();
              v.evaluate(cell, vertices, values, ignored);
              BOOST_TEST(values.row(axis).minCoeff() >= -8. * epsilon);
            }
      });
    }
}

// u_p = U and v = u exactly: the bound is what U is missing of u.
BOOST_AUTO_TEST_CASE(bound_of_an_expansion_without_pressure_is_zero)
{
  for (const int dim : {1, 2, 3})
    {
      const BoxZone zone = zone_of_unit_cube(dim, 4., {}, nowhere);
      const Field   U    = at_points([](const double *x, double *v, const Index dim) { std::copy(x, x + dim, v); });
      const auto    p    = spline_pressure(zone, CellArray(zone.grid), FaceArrays(zone.grid));
      const ReconstructedVelocity v(zone, face_means(zone.grid, U), U, *p);
      const TotalBound            bound = box_total_bound(zone, U, v, *p);
      BOOST_TEST(bound.eta <= 16. * epsilon);
      BOOST_TEST(bound.guaranteed);
      BOOST_TEST(std::abs(bound.scale - std::sqrt(dim / 12.)) <= 16. * epsilon); // |x - centre| over the unit cube
      BOOST_TEST(bound.indicator.size() == zone.grid.n_own_cells());
    }
}

// Whatever v and p: the inequality does not ask where they come from.
BOOST_AUTO_TEST_CASE(any_admissible_pair_bounds_the_error)
{
  const ClosedForm case_1 = smooth_free_boundary();
  const BoxZone    zone   = zone_of_unit_cube(2, 24., {}, nowhere);
  FaceArrays       means  = face_means(zone.grid, case_1.u);
  for (const double share : {.5, .9, 1., 1.2})
    {
      CellArray p_cell(zone.grid);
      for_own_cells(zone.grid, [&](const CellIndex &cell) { p_cell(cell) = share * case_1.p(zone.grid.centre(cell)); });
      const auto p        = spline_pressure(zone, p_cell, FaceArrays(zone.grid));
      bool       feasible = false;
      for (Index k = 0; k < means.values[0].size(); ++k)
        means.values[0](k) += 1e-3 * std::sin(static_cast<double>(k)); // compresses some cells
      const FaceArrays v_means = repaired_fluxes(zone, means, feasible);
      BOOST_TEST(feasible);
      const ReconstructedVelocity v(zone, v_means, case_1.U, *p);
      const TotalBound            bound = box_total_bound(zone, case_1.U, v, *p);
      const TrueError             error = true_error(zone, case_1, v, *p);
      BOOST_TEST(bound.eta >= error.both());
      BOOST_TEST(bound.eta <= 10. * error.both());
      BOOST_TEST(std::abs(bound.indicator.sum() - bound.eta * bound.eta) <= 1e-13);
      BOOST_TEST(!bound.guaranteed); // U has a kink on the free boundary
      BOOST_TEST(bound.oscillation > 0.);
    }
}

BOOST_AUTO_TEST_CASE(bound_does_not_depend_on_the_number_of_threads)
{
  const BoxZone zone  = zone_of_unit_cube(2, 40., {true, false, false, false}, lower_corner);
  const auto    bound = [&](const int n_threads) {
    const tbb::global_control   control(tbb::global_control::max_allowed_parallelism, n_threads);
    const auto                  p = spline_pressure(zone, random_pressures(zone), random_faces(zone.grid, 0., 1.));
    const ReconstructedVelocity v(zone, random_admissible_faces(zone.grid), waves, *p);
    return box_total_bound(zone, waves, v, *p);
  };
  const TotalBound one = bound(1), two = bound(2);
  BOOST_TEST(one.eta == two.eta);
  BOOST_TEST(one.scale == two.scale);
  BOOST_TEST((one.indicator == two.indicator));
}

BOOST_AUTO_TEST_CASE(repair_leaves_admissible_fluxes_alone)
{
  const BoxZone    zone     = zone_of_unit_cube(2, 8., {true, false, true, false}, lower_corner);
  const FaceArrays v        = random_admissible_faces(zone.grid);
  bool             feasible = false;
  const FaceArrays repaired = repaired_fluxes(zone, v, feasible);
  BOOST_TEST(feasible);
  for (int axis = 0; axis < 2; ++axis)
    BOOST_TEST((repaired.values[axis] == v.values[axis]));
}

BOOST_AUTO_TEST_CASE(repaired_fluxes_are_admissible_and_near)
{
  for (const int dim : {1, 2, 3})
    for (const double size : {1., 1e-8, 1e-15})
      for (const bool opposite_walls : {false, true})
        {
          const Sides   walls = {true, opposite_walls && dim > 1, false, false, false, false};
          const BoxZone zone  = zone_of_unit_cube(dim, 8., walls, dim > 1 ? lower_corner : nowhere);
          // a uniform velocity off the wall with noise
          FaceArrays v = random_faces(zone.grid, -size, size);
          v.values[0].array() += opposite_walls && dim > 1 ? 0. : 1.;
          bool             feasible = false;
          const FaceArrays repaired = repaired_fluxes(zone, v, feasible);
          BOOST_TEST(feasible);
          for_own_cells(zone.grid, [&](const CellIndex &cell) {
            if (!zone(cell))
              return;
            BOOST_TEST(divergence(repaired, cell) >= -1e-14);
            if (cell[0] == 0)
              BOOST_TEST(repaired(0, cell) >= 0.);
            if (walls[1] && cell[0] == zone.grid.n[0] - 1)
              BOOST_TEST(repaired(0, moved(cell, 0, 1)) <= 0.);
          });
          // divergences of size / h on a domain of size 1 ask for velocities of size / h
          for (int axis = 0; axis < dim; ++axis)
            BOOST_TEST((repaired.values[axis] - v.values[axis]).cwiseAbs().maxCoeff() <= 2. * 8. * dim * (size + 1e-14));
        }
}

// The expansion adds the same divergence to all cells.
BOOST_AUTO_TEST_CASE(tolerable_compressions_are_repaired_by_an_expansion)
{
  const BoxZone    zone     = zone_of_unit_cube(2, 8., {}, nowhere);
  const FaceArrays v        = random_faces(zone.grid, 0., 1e-6);
  bool             feasible = false;
  const FaceArrays repaired = repaired_fluxes(zone, v, feasible, 1.);
  BOOST_TEST(feasible);
  double least = 1., most = 0.;
  for_own_cells(zone.grid, [&](const CellIndex &cell) {
    const double added = divergence(repaired, cell) - divergence(v, cell);
    least              = std::min(least, added);
    most               = std::max(most, added);
    BOOST_TEST(divergence(repaired, cell) >= 0.);
  });
  BOOST_TEST(least > 0.);
  BOOST_TEST(most - least <= 1e-13 * most + 64. * epsilon * 1e-6 * 8.);
}

BOOST_AUTO_TEST_CASE(compression_between_walls_all_around_cannot_be_repaired)
{
  const BoxZone zone = zone_of_unit_cube(2, 4., {true, true, true, true}, nowhere);
  FaceArrays    v(zone.grid);
  v(0, {2, 1, 0}) = 1.; // one cell is compressed, and nothing can leave
  bool feasible   = true;
  repaired_fluxes(zone, v, feasible);
  BOOST_TEST(!feasible);

  const auto       p     = spline_pressure(zone, CellArray(zone.grid), FaceArrays(zone.grid));
  const TotalBound bound = box_total_bound(zone, no_velocity, ReconstructedVelocity(zone, v, no_velocity, *p), *p);
  BOOST_TEST(!bound.guaranteed);
  BOOST_TEST(bound.largest_violation == 4.); // 1 m/s over a cell of 1/4 m
}

BOOST_AUTO_TEST_SUITE_END()
