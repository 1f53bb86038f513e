// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/box_grid.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <set>

BOOST_AUTO_TEST_SUITE(box_grid)

using namespace moreau;
using namespace moreau::geometry;

namespace
{
BoxGrid grid_of(const std::vector<double> &sides, const double cells_per_unit_length)
{
  const Vector upper = Eigen::Map<const Vector>(sides.data(), static_cast<Index>(sides.size()));
  return geometry::box_grid(Vector::Zero(upper.size()), upper, cells_per_unit_length, Processes::alone());
}
} // namespace

BOOST_AUTO_TEST_CASE(sides_are_cut_into_whole_numbers_of_cells)
{
  const BoxGrid grid = grid_of({1., .3, .05}, 10.);
  BOOST_TEST(grid.n[0] == 10);
  BOOST_TEST(grid.n[1] == 3); // .3 · 10 is 3 up to rounding only
  BOOST_TEST(grid.n[2] == 1);
  BOOST_TEST(std::abs(grid.h(2) - .05) <= 1e-16);
  BOOST_TEST(std::abs(grid.cell_volume() * static_cast<double>(grid.n_cells()) - .015) <= 1e-16);
  BOOST_TEST((grid.centre({9, 1, 0}) - Eigen::Vector3d(.95, .15, .025)).norm() <= 1e-15);
}

BOOST_AUTO_TEST_CASE(more_cells_than_anybody_has_memory_for_are_refused)
{
  BOOST_CHECK_THROW(grid_of({1., 1.}, 1e5), InputError);
  BOOST_CHECK_THROW(grid_of({1., 1.}, 1. / 0.), InputError);
}

BOOST_AUTO_TEST_CASE(cells_and_ghosts_have_places_of_their_own)
{
  for (const BoxGrid &grid : {grid_of({4.}, 1.), grid_of({4., 3.}, 1.), grid_of({4., 3., 2.}, 1.)})
    {
      CellArray       array(grid, 1., -1.);
      std::set<Index> places;
      const Index     ghost[3] = {1, grid.dim > 1, grid.dim > 2};
      for (Index k = -ghost[2]; k < grid.n[2] + ghost[2]; ++k)
        for (Index j = -ghost[1]; j < grid.n[1] + ghost[1]; ++j)
          for (Index i = -ghost[0]; i < grid.n[0] + ghost[0]; ++i)
            {
              const bool own = i >= 0 && i < grid.n[0] && j >= 0 && j < grid.n[1] && k >= 0 && k < grid.n[2];
              BOOST_TEST(array({i, j, k}) == (own ? 1. : -1.));
              places.insert(array.position({i, j, k}));
            }
      BOOST_TEST(static_cast<Index>(places.size()) == array.values.size());
      for (int axis = 0; axis < grid.dim; ++axis)
        BOOST_TEST(array.position(moved({0, 0, 0}, axis, 1)) - array.position({0, 0, 0}) == array.stride(axis));
    }
}

BOOST_AUTO_TEST_CASE(faces_have_places_of_their_own)
{
  const BoxGrid    grid = grid_of({4., 3., 2.}, 1.);
  const FaceArrays faces(grid);
  for (int axis = 0; axis < 3; ++axis)
    {
      std::set<Index> places;
      for_own_cells(grid, [&](const CellIndex &cell) {
        places.insert(faces.position(axis, cell));
        places.insert(faces.position(axis, moved(cell, axis, 1)));
      });
      BOOST_TEST(static_cast<Index>(places.size()) == faces.values[axis].size());
      BOOST_TEST(*places.begin() == 0);
      BOOST_TEST(*places.rbegin() == faces.values[axis].size() - 1);
    }
}

// Gauss's rule with 3 points is exact to degree 5.
BOOST_AUTO_TEST_CASE(face_means_of_polynomials_are_exact)
{
  const Field U = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &v) {
    v.row(0) = (x.row(0).array() * x.row(1).array().pow(5)).matrix();
    v.row(1) = (x.row(1).array() + 7. * x.row(0).array().pow(4)).matrix();
  };
  const BoxGrid    grid       = grid_of({1., 2.}, 3.);
  const FaceArrays means      = face_means(grid, U);
  const double     h          = 1. / 3.;
  const auto       power_mean = [h](const Index cell, const int degree) { // of x^degree over a cell
    const auto k = static_cast<double>(cell);
    return (std::pow((k + 1.) * h, degree + 1) - std::pow(k * h, degree + 1)) / (degree + 1) / h;
  };
  for_own_cells(grid, [&](const CellIndex &cell) {
    const double x = static_cast<double>(cell[0]) * h, y = static_cast<double>(cell[1]) * h;
    BOOST_TEST(std::abs(means(0, cell) - x * power_mean(cell[1], 5)) <= 1e-13); // values up to 32
    BOOST_TEST(std::abs(means(1, cell) - (y + 7. * power_mean(cell[0], 4))) <= 1e-14);
  });
}

BOOST_AUTO_TEST_CASE(zone_counts_its_cells_and_ends_at_the_box)
{
  const BoxGrid grid = grid_of({3., 2.}, 1.);
  BoxZone       zone(grid, {});
  BOOST_TEST(zone.n_own_cells() == 0);
  for_own_cells(grid, [&](const CellIndex &cell) { zone.set(cell, cell[0] != 1); });
  zone.update_ghosts();
  BOOST_TEST(zone.n_own_cells() == 4);
  BOOST_TEST(zone({0, 1, 0}));
  BOOST_TEST(!zone({1, 1, 0}));
  BOOST_TEST(!zone({-1, 1, 0}));
  BOOST_TEST(!zone({0, 2, 0}));
}

BOOST_AUTO_TEST_SUITE_END()
