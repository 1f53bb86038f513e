// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/zone_level.h"

#include "tests/macro/settings.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <vector>

BOOST_AUTO_TEST_SUITE(zone_edges)

using namespace moreau;
using namespace moreau::macro;

namespace
{
const Field along_x = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) { values = -x; };

/// 1/4 less the distance from the middle of the unit square, and the density 1 where that is positive.
Setting disc(const double cells)
{
  Setting setting        = unit_cube(2, along_x, cells);
  setting.domain.uniform = false;
  setting.domain.level   = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    values.resize(1, x.cols());
    for (Index k = 0; k < x.cols(); ++k)
      values(0, k) = .25 - std::hypot(x(0, k) - .5, x(1, k) - .5);
  };
  setting.domain.density = [level = setting.domain.level](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    level(x, values);
    values = (values.array() > 0.).cast<double>();
  };
  return setting;
}

const std::vector<double> points = {.5, .5, 0., .5, .75, 0., .5, 1.125, 0., 0., 0., 0.};
} // namespace

BOOST_AUTO_TEST_CASE(of_a_shape_it_is_that_of_the_shape_and_of_its_box)
{
  const auto array = macro::zone_level(disc(8.).domain, points);
  BOOST_TEST_REQUIRE(array.has_value());
  BOOST_TEST(array->name == "zone_level");
  const std::vector<double> expected = {.25, 0., -.375, .25 - std::sqrt(.5)};
  for (std::size_t k = 0; k < expected.size(); ++k)
    BOOST_TEST(array->values[k] == expected[k], boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(of_a_whole_box_it_is_the_distance_from_its_sides)
{
  const auto array = macro::zone_level(unit_cube(2, along_x, 8.).domain, points);
  BOOST_TEST_REQUIRE(array.has_value());
  const std::vector<double> expected = {.5, .25, -.125, 0.};
  for (std::size_t k = 0; k < expected.size(); ++k)
    BOOST_TEST(array->values[k] == expected[k], boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(of_a_density_whose_level_nobody_knows_there_is_none)
{
  Setting setting      = disc(8.);
  setting.domain.level = {};
  BOOST_TEST(!macro::zone_level(setting.domain, points).has_value());
}

BOOST_AUTO_TEST_CASE(meshes_that_cut_cells_say_so)
{
  BOOST_TEST(discretize(disc(8.))->cuts_cells());
  BOOST_TEST(!discretize(unit_cube(2, along_x, 8.))->cuts_cells());
  Setting lattice           = disc(8.);
  lattice.cone.type         = ConeType::triangular;
  lattice.cone.directions   = lattice_directions(ConeType::triangular, 0.);
  lattice.cone.n_directions = 3;
  lattice.mesh.alignment    = Alignment::lattice;
  BOOST_TEST(discretize(lattice)->cuts_cells());
}

BOOST_AUTO_TEST_SUITE_END()
