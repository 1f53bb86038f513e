// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/expression.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace moreau;
using namespace moreau::app;

BOOST_AUTO_TEST_SUITE(expression)

BOOST_AUTO_TEST_CASE(components_are_functions_of_the_coordinates)
{
  const Expression      U("Velocity", {"x^2 - y; a*sin(pi/2) + t", "a = 3, b = -1e2", "x,y,z,t"}, 2, 2);
  const Eigen::VectorXd value = U(Eigen::Vector2d(2., 1.));
  BOOST_TEST(value(0) == 3.);
  BOOST_TEST(value(1) == 3.); // sin(pi/2) is 1 to the last digit
}

BOOST_AUTO_TEST_CASE(coordinates_may_have_other_names)
{
  BOOST_TEST(Expression("Velocity", {"r - s", "", "r, s"}, 2, 1)(Eigen::Vector2d(2., 5.))(0) == -3.);
  BOOST_TEST(Expression("Velocity", {"r - s", "", "r, s, time"}, 2, 1)(Eigen::Vector2d(2., 5.))(0) == -3.);
  BOOST_TEST(Expression("Velocity", {"q", "", "q"}, 1, 1)(Eigen::VectorXd::Constant(1, 7.))(0) == 7.);
  BOOST_CHECK_THROW(Expression("Velocity", {"r", "", "r"}, 2, 1), InputError);
}

BOOST_AUTO_TEST_CASE(mistakes_name_their_parameter)
{
  const auto place = [](const ExpressionText &text) {
    try
      {
        Expression("Zone", text, 2, 1);
      }
    catch (const InputError &error)
      {
        return error.parameter;
      }
    return std::string("no mistake");
  };
  BOOST_TEST(place({"x +", "", "x,y,z,t"}) == "Zone/Function expression");
  BOOST_TEST(place({"x; y", "", "x,y,z,t"}) == "Zone/Function expression");
  BOOST_TEST(place({"x", "a = b", "x,y,z,t"}) == "Zone/Function constants");
  BOOST_TEST(place({"x", "a+b = 1", "x,y,z,t"}) == "Zone/Function constants");
  BOOST_TEST(place({"x", "", "x,y,z,t"}) == "no mistake");
}

BOOST_AUTO_TEST_CASE(a_value_that_is_not_finite_is_refused_where_it_occurs)
{
  const Expression reciprocal("Velocity", {"1/x", "", "x,y,z,t"}, 2, 1);
  BOOST_TEST(reciprocal(Eigen::Vector2d(4., 0.))(0) == 0.25);
  BOOST_CHECK_THROW(reciprocal(Eigen::Vector2d(0., 0.)), InputError);
}

BOOST_AUTO_TEST_SUITE_END()
