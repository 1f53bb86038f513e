// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/enclosure.h"
#include "app/input/text/formula.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

BOOST_AUTO_TEST_SUITE(enclosure)

using namespace moreau;
using namespace moreau::app;

namespace
{
geometry::OnHull on_hull(const std::string &expression, const Eigen::MatrixXd &corners)
{
  return field_of("Velocity", {expression, "a = .25", "x,y,z,t"}, corners.rows(), 1).on_hull(corners);
}

Eigen::MatrixXd square(const double x, const double y, const double side)
{
  Eigen::MatrixXd corners(2, 4);
  corners << x, x + side, x, x + side, y, y, y + side, y + side;
  return corners;
}

/// Expressions of all that is known, with numbers of the size of the hulls, so that branches are met.
class Writer
{
public:
  explicit Writer(const unsigned seed) : random(seed) {}

  std::string operator()(const int depth)
  {
    if (depth == 0)
      return leaf();
    const std::string a = (*this)(depth - 1), b = (*this)(depth - 1);
    switch (below(16))
      {
        case 0:
        case 1:
          return a + " + " + b;
        case 2:
          return "(" + a + ")*(" + b + ")";
        case 3:
          return "-(" + a + ")^2 - " + b;
        case 4:
          return "(" + a + ")/(2 + (" + b + ")^2)";
        case 5:
          return "if(" + condition(a, b) + ", " + b + ", " + a + ")";
        case 6:
          return "(" + condition(b, a) + " ? " + a + " : " + leaf() + ")";
        case 7:
          return "max(" + a + ", " + b + ") - min(" + b + ", " + leaf() + ")";
        case 8:
          return "abs(" + a + ")";
        case 9:
          return "floor(3*(" + a + ")) + int(" + b + ")";
        case 10:
          return "sin(" + a + ") - cos(" + b + ")";
        case 11:
          return "exp(-(" + a + ")^2) + tanh(" + b + ")";
        case 12:
          return "sqrt(1 + (" + a + ")^2) + atan(" + b + ")";
        case 13:
          return "log(2 + (" + a + ")^2)*sign(" + b + ")";
        case 14:
          return "pow(" + a + ", 3) - 2^-1*(" + b + ")";
        default:
          return "(" + condition(a, b) + ")*(" + b + ")";
      }
  }

  double number(const double low, const double high) { return std::uniform_real_distribution<>(low, high)(random); }

private:
  int below(const int n) { return std::uniform_int_distribution<>(0, n - 1)(random); }

  std::string leaf()
  {
    switch (below(5))
      {
        case 0:
        case 1:
          return "x";
        case 2:
          return "y";
        case 3:
          return "a";
        default:
          return std::to_string(number(-1., 1.));
      }
  }

  std::string condition(const std::string &a, const std::string &b)
  {
    static const std::array<std::string, 5> signs = {" < ", " <= ", " > ", " >= ", " != "};
    const std::string one = "(" + a + ")" + signs[below(5)] + leaf(), other = b + signs[below(4)] + leaf();
    switch (below(4))
      {
        case 0:
          return one + " && " + other;
        case 1:
          return one + " || " + other;
        case 2:
          return "(" + one + ") | (" + other + ")";
        default:
          return one;
      }
  }

  std::mt19937 random;
};
} // namespace

BOOST_AUTO_TEST_CASE(values_of_random_expressions_are_inside)
{
  Writer write(7);
  int    n_polynomials = 0, n_known = 0;
  for (int k = 0; k < 3000; ++k)
    {
      const std::string      expression = write(1 + k % 3);
      const double           side       = std::pow(10., -write.number(0., 3.));
      const Eigen::MatrixXd  corners    = k % 2 ? square(write.number(-1., 1.), write.number(-1., 1.), side)
                                                : square(write.number(-1., 1.), write.number(-1., 1.), side).leftCols(3).eval();
      const geometry::Field  f          = field_of("Velocity", {expression, "a = .25", "x,y,z,t"}, 2, 1);
      const geometry::OnHull known      = f.on_hull(corners);
      const Eigen::Vector2d  c          = corners.rowwise().mean();
      n_polynomials += known.is_polynomial;
      n_known += std::isfinite(known.remainder(0));
      for (int point = 0; point < 40; ++point)
        {
          Eigen::VectorXd weights(corners.cols());
          for (double &weight : weights)
            weight = -std::log(write.number(1e-12, 1.));
          const Eigen::MatrixXd x = corners * (weights / weights.sum());
          Eigen::MatrixXd       value;
          f(x, value);
          const double linear = known.value(0) + (known.gradient * (x - c))(0);
          const double slack  = 1e-12 * (1. + std::abs(value(0)));
          const bool   inside = std::abs(value(0) - linear) <= known.remainder(0) + slack &&
                              known.lower(0) - slack <= value(0) && value(0) <= known.upper(0) + slack;
          BOOST_REQUIRE_MESSAGE(inside, expression << " at " << x.transpose() << " is " << value(0) << ", not "
                                                   << known.value(0) << " + " << known.gradient << " +- "
                                                   << known.remainder(0) << " in " << known.lower(0) << " " << known.upper(0)
                                                   << " on\n"
                                                   << corners);
        }
    }
  BOOST_TEST(n_known > 2700);
  BOOST_TEST(n_polynomials > 300);
}

BOOST_AUTO_TEST_CASE(what_decides_on_the_side_of_a_hull_cuts_it_not)
{
  const Eigen::MatrixXd cell = square(.25, .5, .125);
  for (const std::string whole :
       {"if(x < .25, 1, y)", "if(x <= a, 1, x*y)", "if(x < .375 && y >= .5, x^2, 0)", "max(x, .25) + abs(y - .625)",
        "floor(8*x)", "if(y > .5, 1, 0)", "x == .25", "if(x^2 + y^2 < 4, y, 0)", "sin(a)*x", "(x < .25 || y < .625)*y"})
    BOOST_TEST(on_hull(whole, cell).is_polynomial, whole);
  for (const std::string cut : {"if(x < .26, 1, y)", "if(abs(x - .3) < 1e-9, 1, 0)", "max(x, .3)", "abs(y - .6)",
                                "floor(9*x)", "if((x - .3)^2 + (y - .55)^2 < 1e-8, 1, 0)", "sin(x)", "x/y",
                                "if(abs(x + y - .85) < 1e-7, 1, 0)", "erf(1e9*(x - .3))", "y + exp(-1e12*(x - .3)^2)"})
    BOOST_TEST(!on_hull(cut, cell).is_polynomial, cut);
}

BOOST_AUTO_TEST_CASE(triangles_are_no_boxes)
{
  Eigen::MatrixXd below(2, 3);
  below << 0., 1., 1., 0., 0., 1.;
  BOOST_TEST(on_hull("if(y < x, 1, 2)", below).is_polynomial);
  BOOST_TEST(on_hull("if(y < x, 1, 2)", below).lower(0) == 1.);
  BOOST_TEST(!on_hull("if(y < x, 1, 2)", square(0., 0., 1.)).is_polynomial);
}

BOOST_AUTO_TEST_CASE(nothing_is_known_of_what_is_not_followed)
{
  const geometry::OnHull known = on_hull("tan(3*x)", square(0., 0., 1.));
  BOOST_TEST(!known.is_polynomial);
  BOOST_TEST(std::isinf(known.remainder(0)));
  const geometry::OnHull deep = on_hull(std::string(150, '(') + "x" + std::string(150, ')'), square(0., 0., 1.));
  BOOST_TEST(!deep.is_polynomial);
  BOOST_TEST(std::isinf(deep.upper(0)));
}

BOOST_AUTO_TEST_CASE(operators_bind_as_in_the_parser)
{
  // a tree that binds otherwise has other values, and is not taken
  for (const std::string expression :
       {"-x^2", "2^-x", "2^3^x", "-2*x^2/3", "x - y - 1", "x/2/3", "1 < 2 == 1", "x < 1 ? y < 1 ? 1 : 2 : 3", "1 - -x",
        "-(-x)", "1 || 0 && 0", "x > 0 | y > 0 & x > 1", "1e-3*x + .5e1", "3*-x", "min(x, y, .1)", "avg(x, y)", "+x"})
    BOOST_TEST(std::isfinite(on_hull(expression, square(.1, .2, .01)).upper(0)), expression);
}

BOOST_AUTO_TEST_SUITE_END()
