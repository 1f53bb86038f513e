// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/formula.h"

#include "convex/input_error.h"

#include <tbb/parallel_for.h>

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(formula)

namespace
{
using namespace moreau;
using app::ExpressionText;
using app::Formula;

Formula force(const std::string &expression, const Eigen::Index n_components = -1)
{
  return Formula("Force", ExpressionText{expression, "a = 2", "x,y,ux,uy,t"}, n_components);
}

/// The message, and whether it is one sentence about this parameter.
std::string complaint(const std::string &parameter, const std::function<void()> &action)
{
  try
    {
      action();
    }
  catch (const InputError &error)
    {
      BOOST_TEST(error.subject == parameter);
      const std::string text = error.sentence;
      BOOST_TEST(text.find(". ") == std::string::npos);
      BOOST_TEST(text.back() == '.');
      return text;
    }
  BOOST_FAIL("nothing is thrown");
  return "";
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }
} // namespace

BOOST_AUTO_TEST_CASE(variables_and_constants_have_their_names)
{
  const Eigen::VectorXd f =
      force("a*x - uy; y*t + pi; if (ux > 3 & x < 2, 7, 8)", 3)((Eigen::VectorXd(5) << 1., 3., 4., 5., 6.).finished());
  BOOST_TEST(f(0) == -3.);
  BOOST_TEST(f(1) == 18. + M_PI);
  BOOST_TEST(f(2) == 7.);
}

BOOST_AUTO_TEST_CASE(it_knows_which_variables_occur)
{
  const Formula f = force("a*x; t");
  BOOST_TEST(f.uses("x"));
  BOOST_TEST(f.uses("t"));
  BOOST_TEST(!f.uses("ux"));
  BOOST_TEST(!f.is_constant());
  BOOST_TEST(force("0; -9.81*a + pi").is_constant());
}

BOOST_AUTO_TEST_CASE(threads_evaluate_at_once)
{
  const Formula       f = force("x^2 + sin(t)", 1);
  std::vector<double> results(1000);
  tbb::parallel_for(std::size_t(0), results.size(), [&](const std::size_t k) {
    const double variables[] = {double(k), 0., 0., 0., 1.};
    f.evaluate(variables, &results[k]);
  });
  for (std::size_t k = 0; k < results.size(); ++k)
    BOOST_TEST(results[k] == double(k * k) + std::sin(1.));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_evaluated_is_said)
{
  BOOST_TEST(contains(complaint("Force/Function expression", [] { force("x; foo"); }), "Component 2, 'foo'"));
  BOOST_TEST(contains(complaint("Force/Function expression", [] { force("x +", 1); }), "'x +'"));
  BOOST_TEST(contains(complaint("Force/Function expression", [] { force("x; y", 3); }), "3 are needed"));
  BOOST_TEST(contains(complaint("Force/Function expression", [] { force("rand()", 1); }), "rand"));
  BOOST_TEST(contains(complaint("Force/Function constants",
                                [] {
                                  Formula("Force", ExpressionText{"x", "a = b", "x"}, 1);
                                }),
                      "'a = b'"));
  complaint("Force/Function constants", [] { Formula("Force", ExpressionText{"x", "x = 1", "x"}, 1); });
}

BOOST_AUTO_TEST_CASE(blanks_and_lengths_do_not_matter)
{
  BOOST_TEST(Formula("Force", ExpressionText{"sqrt \t(x) + 2*(x) + ( x )", "", "x"},
                     1)(Eigen::VectorXd::Constant(1, 4.))(0) == 14.);
  const std::string parameter = "Force/Function expression";
  BOOST_TEST(contains(complaint(parameter, [] { force(std::string(15000, 'a'), 1); }), "cannot be evaluated"));
  BOOST_TEST(contains(complaint(parameter, [] { force(std::string(300000, 'a'), 1); }), "too long"));
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_is_said_with_the_place)
{
  const Formula     f = force("x; sqrt(y) / t", 2);
  const std::string text =
      complaint("Force/Function expression", [&] { f((Eigen::VectorXd(5) << 1., -2.5, 0., 0., 0.125).finished()); });
  BOOST_TEST(contains(text, "Component 2"));
  BOOST_TEST(contains(text, "not a number"));
  BOOST_TEST(contains(text, "y = -2.5"));
  BOOST_TEST(contains(text, "t = 0.125"));
  BOOST_TEST(contains(complaint("Force/Function expression", [&] { f((Eigen::VectorXd(5) << 1, 1, 0, 0, 0).finished()); }),
                      "infinite"));
}

BOOST_AUTO_TEST_SUITE_END()
