// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/formula.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(expression)

using namespace moreau;
using namespace moreau::app;

namespace
{
Eigen::VectorXd value(const geometry::Field &f, const Eigen::VectorXd &x)
{
  Eigen::MatrixXd result;
  f(x, result);
  return result.col(0);
}

double value_of(const ExpressionText &text, const Eigen::VectorXd &x)
{
  return value(field_of("Velocity", text, x.size(), 1), x)(0);
}
} // namespace

BOOST_AUTO_TEST_CASE(components_are_functions_of_the_coordinates)
{
  const auto            f = field_of("Velocity", {"x^2 - y; a*sin(pi/2) + t", "a = 3, b = -1e2", "x,y,z,t"}, 2, 2);
  const Eigen::VectorXd U = value(f, Eigen::Vector2d(2., 1.));
  BOOST_TEST(U(0) == 3.);
  BOOST_TEST(U(1) == 3.); // sin(pi/2) is 1 to the last digit
}

BOOST_AUTO_TEST_CASE(coordinates_may_have_other_names)
{
  BOOST_TEST(value_of({"r - s", "", "r, s"}, Eigen::Vector2d(2., 5.)) == -3.);
  BOOST_TEST(value_of({"r - s", "", "r, s, time"}, Eigen::Vector2d(2., 5.)) == -3.);
  BOOST_TEST(value_of({"r - s + time", "", "r, s, w, time"}, Eigen::Vector2d(2., 5.)) == -3.);
  BOOST_TEST(value_of({"q", "", "q"}, Eigen::VectorXd::Constant(1, 7.)) == 7.);
  BOOST_CHECK_THROW(field_of("Velocity", {"r", "", "r"}, 2, 1), InputError);
}

BOOST_AUTO_TEST_CASE(mistakes_name_their_parameter)
{
  const auto place = [](const ExpressionText &text) {
    try
      {
        field_of("Zone", text, 2, 1);
      }
    catch (const InputError &error)
      {
        return error.subject;
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
  const auto reciprocal = field_of("Velocity", {"1/x", "", "x,y,z,t"}, 2, 1);
  BOOST_TEST(value(reciprocal, Eigen::Vector2d(4., 0.))(0) == 0.25);
  BOOST_CHECK_THROW(value(reciprocal, Eigen::Vector2d(0., 0.)), InputError);

  Eigen::MatrixXd x(2, 3), values;
  x << 4., 0., 2., 0., 7., 0.;
  try
    {
      reciprocal(x, values);
      BOOST_FAIL("nothing was thrown");
    }
  catch (const InputError &error)
    {
      BOOST_TEST(error.subject == "Velocity/Function expression");
      BOOST_TEST(error.sentence == "Component 1, '1/x', is infinite at (0, 7); it must be finite everywhere.");
    }
}

BOOST_AUTO_TEST_CASE(many_points_at_once_have_the_values_of_each)
{
  const auto            U = field_of("Velocity", {"if(x < y, sin(x), a); x*y + t", "a = 3", "x,y,z,t"}, 2, 2);
  const Eigen::MatrixXd x = Eigen::MatrixXd::Random(2, 50);
  Eigen::MatrixXd       values;
  U(x, values);
  BOOST_TEST_REQUIRE(values.rows() == 2);
  BOOST_TEST_REQUIRE(values.cols() == 50);
  for (Eigen::Index k = 0; k < x.cols(); ++k)
    {
      BOOST_TEST((values.col(k) == value(U, x.col(k))));
      BOOST_TEST(values(1, k) == x(0, k) * x(1, k));
    }
}

BOOST_AUTO_TEST_CASE(random_numbers_are_refused_because_no_run_could_repeat_them)
{
  for (const char *text : {"x + rand()", "rand_seed(2)", "x > 0 ? 1 : rand()"})
    BOOST_CHECK_EXCEPTION(field_of("Velocity", {text, "", "x,y,z,t"}, 2, 1), InputError, [](const InputError &error) {
      return error.sentence.find("no run could repeat") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(several_threads_evaluate_one_expression)
{
  const auto                   f = field_of("Zone", {"x + 2*y", "", "x,y,z,t"}, 2, 1);
  const Eigen::MatrixXd        x = Eigen::MatrixXd::Random(2, 20000);
  std::vector<Eigen::MatrixXd> values(4);
  std::vector<std::thread>     threads;
  for (Eigen::MatrixXd &own : values)
    threads.emplace_back([&] { f(x, own); });
  for (std::thread &thread : threads)
    thread.join();
  for (const Eigen::MatrixXd &own : values)
    BOOST_TEST((own == x.row(0) + 2. * x.row(1)));
}

BOOST_AUTO_TEST_SUITE_END()
