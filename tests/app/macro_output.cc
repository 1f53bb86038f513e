// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/macro_output.h"

#include <boost/test/unit_test.hpp>

#include <stdexcept>

using namespace moreau;
using namespace moreau::app;

namespace
{
/// Two unit squares side by side.
geometry::FieldMesh two_squares()
{
  geometry::FieldMesh fields;
  fields.dim   = 2;
  fields.shape = geometry::CellShape::quadrilateral;
  fields.points.resize(2, 6);
  fields.points << 0., 1., 2., 0., 1., 2., //
      0., 0., 0., 1., 1., 1.;
  fields.cells = {0, 1, 4, 3, 1, 2, 5, 4};
  Eigen::MatrixXd u(2, 2), p(1, 2), derivatives(2, 2);
  u << 1., 2., 3., 4.;
  p << 5., 6.;
  derivatives << 7., 8., 9., 10.;
  fields.cell_data = {{"u", "m/s", u}, {"p", "m^2/s", p}, {"directional_derivatives", "1/s", derivatives}};
  return fields;
}
} // namespace

BOOST_AUTO_TEST_SUITE(macro_output)

BOOST_AUTO_TEST_CASE(points_and_velocities_get_three_components_and_nothing_else)
{
  const insitu::Mesh mesh = field_mesh(two_squares());
  BOOST_TEST(mesh.name == "continuum");
  BOOST_TEST((mesh.cell_type == insitu::CellType::quadrilateral));
  BOOST_TEST(mesh.points == (std::vector<double>{0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0}));
  BOOST_TEST(mesh.connectivity == two_squares().cells);
  BOOST_TEST(mesh.n_cells() == 2u);

  BOOST_TEST_REQUIRE(mesh.cell_data.size() == 3u);
  const insitu::Array &u = mesh.cell_data[0], &p = mesh.cell_data[1], &derivatives = mesh.cell_data[2];
  BOOST_TEST(u.name == "u");
  BOOST_TEST(u.unit == "m/s");
  BOOST_TEST(u.n_components == 3);
  BOOST_TEST(u.values == (std::vector<double>{1., 3., 0., 2., 4., 0.}));
  BOOST_TEST(p.n_components == 1);
  BOOST_TEST(p.values == (std::vector<double>{5., 6.}));
  BOOST_TEST(derivatives.n_components == 2);
  BOOST_TEST(derivatives.values == (std::vector<double>{7., 9., 8., 10.}));
}

BOOST_AUTO_TEST_CASE(a_segment_is_a_line_in_space)
{
  geometry::FieldMesh fields;
  fields.dim              = 1;
  fields.shape            = geometry::CellShape::segment;
  fields.points           = Eigen::RowVector2d(2., 5.);
  fields.cells            = {0, 1};
  fields.cell_data        = {{"U", "m/s", Eigen::MatrixXd::Constant(1, 1, 4.)},
                             {"p", "m^2/s", Eigen::MatrixXd::Constant(1, 1, 3.)}};
  fields.point_data       = {{"T", "K", Eigen::RowVector2d(1., 2.)}};
  const insitu::Mesh mesh = field_mesh(fields);
  BOOST_TEST((mesh.cell_type == insitu::CellType::line));
  BOOST_TEST(mesh.points == (std::vector<double>{2., 0., 0., 5., 0., 0.}));
  BOOST_TEST(mesh.cell_data[0].values == (std::vector<double>{4., 0., 0.}));
  BOOST_TEST(mesh.cell_data[1].values == (std::vector<double>{3.}));
  BOOST_TEST(mesh.point_data[0].values == (std::vector<double>{1., 2.}));
}

BOOST_AUTO_TEST_CASE(every_shape_has_as_many_points_as_its_cell_type)
{
  using geometry::CellShape;
  for (const CellShape shape :
       {CellShape::segment, CellShape::triangle, CellShape::quadrilateral, CellShape::tetrahedron, CellShape::hexahedron})
    {
      geometry::FieldMesh fields;
      fields.dim    = 3;
      fields.shape  = shape;
      fields.points = Eigen::MatrixXd::Zero(3, geometry::n_vertices(shape));
      for (int k = 0; k < geometry::n_vertices(shape); ++k)
        fields.cells.push_back(k);
      BOOST_TEST(field_mesh(fields).n_cells() == 1u);
    }
}

BOOST_AUTO_TEST_CASE(an_array_of_wrong_length_is_refused)
{
  geometry::FieldMesh fields = two_squares();
  fields.cell_data[1].values.resize(1, 3);
  BOOST_CHECK_THROW(field_mesh(fields), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
