// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/reference_mesh.h"

#include <boost/test/unit_test.hpp>

#include <limits>

BOOST_AUTO_TEST_SUITE(reference_mesh)

using namespace moreau::app;

BOOST_AUTO_TEST_CASE(meshes_are_refined_until_the_worst_error_is_below_a_quarter_of_its_distance)
{
  BOOST_TEST(refinement_wanted({{.01, .05}}) == 1.); // a fifth
  BOOST_TEST(refinement_wanted({{.01, .05}, {.05, .1}}) == 2.4, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(refinement_wanted({{.05, .1}, {.05, .05}}) == 4.8, boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(where_no_mesh_would_help_none_is_wanted)
{
  BOOST_TEST(refinement_wanted({{std::numeric_limits<double>::infinity(), .1}}) == 1.);
  BOOST_TEST(refinement_wanted({{.1, 0.}}) == 1.);
  BOOST_TEST(refinement_wanted({}) == 1.);
}

BOOST_AUTO_TEST_CASE(the_budget_is_of_cells_and_of_the_dearest_cone)
{
  Parameters parameters;
  parameters.dimension         = 2;
  parameters.cone.type         = moreau::macro::ConeType::isotropic;
  parameters.zone.lower_corner = moreau::geometry::Vector::Zero(2);
  parameters.zone.upper_corner = moreau::geometry::Vector::Ones(2);
  BOOST_TEST(affordable_cells(parameters) == 1024.);
  parameters.homogenization.compare_with = {moreau::macro::ConeType::triangular};
  BOOST_TEST(affordable_cells(parameters) == 512.);
  parameters.zone.upper_corner *= 4.;
  BOOST_TEST(affordable_cells(parameters) == 128.);
  parameters.homogenization.fit_dilatancy = true;
  BOOST_TEST(affordable_cells(parameters) == 12.);
  parameters.cone.type = moreau::macro::ConeType::circular; // what is fitted then
  BOOST_TEST(affordable_cells(parameters) == 16.);
}

BOOST_AUTO_TEST_SUITE_END()
