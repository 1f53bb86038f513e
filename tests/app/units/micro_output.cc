// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/micro_output.h"

#include "insitu/vocabulary.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>

BOOST_AUTO_TEST_SUITE(micro_output)

using namespace moreau;
using namespace moreau::app;
using convex::Vector;

namespace
{
/// Discs of radii 0.5 and 0.25 beside each other.
micro::Spheres two_discs()
{
  micro::Spheres spheres;
  spheres.r = (Eigen::MatrixXd(2, 2) << 0., 0.75, 1., 2.).finished();
  spheres.R = (Vector(2) << 0.5, 0.25).finished();
  spheres.m = (Vector(2) << 3., 4.).finished();
  return spheres;
}

const geometry::Array &named(const geometry::Mesh &mesh, const std::string &name)
{
  const auto &arrays = mesh.point_data;
  const auto  array  = std::find_if(arrays.begin(), arrays.end(), [&](const geometry::Array &a) { return a.name == name; });
  BOOST_TEST_REQUIRE((array != arrays.end()), name);
  return *array;
}
} // namespace

BOOST_AUTO_TEST_CASE(spheres_are_ready_for_glyphs)
{
  const geometry::Mesh mesh = sphere_mesh(two_discs());
  BOOST_TEST(mesh.name == "spheres");
  BOOST_TEST(mesh.points == (std::vector<double>{0., 1., 0., 0.75, 2., 0.}));
  BOOST_TEST(mesh.connectivity == (std::vector<long long>{0, 1}));
  BOOST_TEST(named(mesh, "radius").values == (std::vector<double>{0.5, 0.25}));
  BOOST_TEST(named(mesh, "diameter").values == (std::vector<double>{1., 0.5}));
  BOOST_TEST(named(mesh, "mass").values == (std::vector<double>{3., 4.}));
  BOOST_TEST(insitu::active_arrays(mesh.point_data).scalars == &named(mesh, "diameter"));
}

BOOST_AUTO_TEST_CASE(velocities_have_three_components_and_the_projected_one_is_optional)
{
  const Vector         U = Vector::LinSpaced(4, 1., 4.), u = 2. * U;
  const geometry::Mesh inelastic = sphere_mesh(two_discs(), U, u), elastic = sphere_mesh(two_discs(), U, u, &U);
  BOOST_TEST(named(inelastic, "U").values == (std::vector<double>{1., 2., 0., 3., 4., 0.}));
  BOOST_TEST(named(inelastic, "u").values == (std::vector<double>{2., 4., 0., 6., 8., 0.}));
  BOOST_TEST(inelastic.point_data.size() + 1 == elastic.point_data.size());
  BOOST_TEST(named(elastic, "u_projected").values == named(elastic, "U").values);
  for (const geometry::Array &array : elastic.point_data)
    BOOST_TEST(array.values.size() == 2u * array.n_components, array.name);
  BOOST_TEST(insitu::active_arrays(elastic.point_data).vectors == &named(elastic, "u"));
}

BOOST_AUTO_TEST_SUITE_END()
