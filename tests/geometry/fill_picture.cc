// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/fill_picture.h"

#include "geometry/box_grid.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(fill_picture)

using namespace moreau;
using namespace moreau::geometry;

namespace
{
/// n cells of side 1 along each axis.
BoxGrid unit_cells(const std::vector<Index> &n)
{
  Vector upper(n.size());
  for (std::size_t axis = 0; axis < n.size(); ++axis)
    upper(axis) = static_cast<double>(n[axis]);
  return geometry::box_grid(Vector::Zero(upper.size()), upper, 1., Processes::alone());
}
} // namespace

BOOST_AUTO_TEST_CASE(vectors_get_three_components_and_nothing_else_does)
{
  Eigen::MatrixXd columns(2, 2);
  columns << 1., 2., //
      3., 4.;
  const Array u = vectors_of("u", "m/s", columns), derivatives = array_of("directional_derivatives", "1/s", columns);
  BOOST_TEST(u.name == "u");
  BOOST_TEST(u.unit == "m/s");
  BOOST_TEST(u.n_components == 3);
  BOOST_TEST(u.values == (std::vector<double>{1., 3., 0., 2., 4., 0.}));
  BOOST_TEST(derivatives.n_components == 2);
  BOOST_TEST(derivatives.values == (std::vector<double>{1., 3., 2., 4.}));
  BOOST_TEST(three_components(Vector::LinSpaced(4, 1., 4.), 2) == (std::vector<double>{1., 2., 0., 3., 4., 0.}));
}

BOOST_AUTO_TEST_CASE(a_vector_on_its_side_has_one_component)
{
  const Vector p          = Eigen::Vector3d(5., 6., 7.);
  const Array  of_a_row   = array_of("p", "m^2/s", p.transpose());
  const Array  of_a_block = array_of("p", "m^2/s", Eigen::Matrix3d(Eigen::Matrix3d::Identity()).row(1));
  BOOST_TEST(of_a_row.n_components == 1);
  BOOST_TEST(of_a_row.values == (std::vector<double>{5., 6., 7.}));
  BOOST_TEST(of_a_block.values == (std::vector<double>{0., 1., 0.}));
}

BOOST_AUTO_TEST_CASE(cells_of_a_plane_box_go_around_their_corners)
{
  const Mesh mesh = cell_mesh(unit_cells({2, 1}));
  BOOST_TEST(mesh.name == "continuum");
  BOOST_TEST((mesh.cell_type == CellType::quadrilateral));
  BOOST_TEST(mesh.points == (std::vector<double>{0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0}));
  BOOST_TEST(mesh.connectivity == (std::vector<long long>{0, 1, 4, 3, 1, 2, 5, 4}));
  BOOST_TEST(mesh.n_cells() == 2u);
}

BOOST_AUTO_TEST_CASE(cells_of_a_line_are_lines_in_space)
{
  const Mesh mesh = cell_mesh(unit_cells({2}));
  BOOST_TEST((mesh.cell_type == CellType::line));
  BOOST_TEST(mesh.points == (std::vector<double>{0, 0, 0, 1, 0, 0, 2, 0, 0}));
  BOOST_TEST(mesh.connectivity == (std::vector<long long>{0, 1, 1, 2}));
}

BOOST_AUTO_TEST_CASE(the_centre_of_a_cell_is_the_mean_of_its_corners)
{
  for (const std::vector<Index> &n : {std::vector<Index>{3}, {3, 2}, {3, 2, 2}})
    {
      const BoxGrid                            grid    = unit_cells(n);
      const Mesh                               mesh    = cell_mesh(grid);
      const Index                              corners = 1 << grid.dim;
      const Eigen::Map<const Eigen::Matrix3Xd> points(mesh.points.data(), 3, mesh.n_points());
      BOOST_TEST_REQUIRE(mesh.n_cells() == static_cast<std::size_t>(grid.n_cells()));
      Index cell = 0;
      for_own_cells(grid, [&](const CellIndex &index) {
        Eigen::Vector3d sum = Eigen::Vector3d::Zero();
        for (Index k = 0; k < corners; ++k)
          sum += points.col(mesh.connectivity[corners * cell + k]);
        BOOST_TEST((sum.head(grid.dim) / corners - grid.centre(index)).norm() <= 1e-15);
        ++cell;
      });
    }
}

BOOST_AUTO_TEST_SUITE_END()
