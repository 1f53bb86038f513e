// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/expression_system.h"
#include "app/input/places.h"

#include "convex/input_error.h"
#include "convex/vectors.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace moreau;
using namespace moreau::app;
using micro::Vector;
namespace utf = boost::unit_test;

BOOST_AUTO_TEST_SUITE(expression_system)

namespace
{
SystemParameters parameters(const std::string &masses, const std::string &constraints, const std::vector<double> &q = {},
                            const std::vector<double> &u = {})
{
  SystemParameters system;
  system.type             = "expressions";
  system.masses           = {masses, "", "", "Mass"};
  system.constraints      = {constraints, "r = 0.5", "x,y,z,t", "Constraint"};
  system.initial_position = convex::vector(q);
  system.initial_velocity = convex::vector(u);
  return system;
}

ExpressionText force(const std::string &expression) { return {expression, "k = 2", "x,y,z,ux,uy,uz,t", "Function"}; }

constexpr micro::Scheme A = micro::Scheme::linearised_constraints, C = micro::Scheme::inertia_operator;

std::unique_ptr<micro::Motion> motion(const SystemParameters &system, const ExpressionText &f, const micro::Scheme scheme,
                                      const double restitution = 0.)
{
  micro::MotionParameters p;
  p.scheme          = scheme;
  p.law.restitution = restitution;
  return micro::make_motion(app::expression_system(system, f), p);
}

void advance(micro::Motion &motion, const double T, const int n)
{
  for (int k = 1; k <= n; ++k)
    motion.advance(T * k / n);
}

/// The place that the error names.
std::string refused(const SystemParameters &system, const ExpressionText &f)
try
  {
    app::expression_system(system, f);
    return "nothing";
  }
catch (const InputError &error)
  {
    return place_of(error.subject);
  }
} // namespace

BOOST_AUTO_TEST_CASE(expressions_become_masses_forces_and_constraints, *utf::tolerance(1e-9)) // differences
{
  const auto system =
      app::expression_system(parameters("2; 3", "x^2 + y^2 - r^2; y + sin(t)", {1., 2.}, {.5, -1.}), force("-k*x + t; uy"));
  const Vector q = system->initial_position();
  BOOST_TEST(system->n_coordinates() == 2);
  BOOST_TEST(system->n_constraints() == 2);
  BOOST_TEST(system->mass(q)(1, 1) == 3.);
  BOOST_TEST(system->mass(q)(0, 1) == 0.);
  const Vector f = system->force(.5, q, Eigen::Vector2d(1., -3.)); // per unit mass (-2 + .5, -1)
  BOOST_TEST(f(0) == -3.);
  BOOST_TEST(f(1) == -3.);
  const Vector g = system->constraints(1., q);
  BOOST_TEST(g(0) == 4.75);
  BOOST_TEST(g(1) == 2. + std::sin(1.));
  const Eigen::MatrixXd G = system->gradients(1., q);
  BOOST_TEST(G(0, 0) == 2.);
  BOOST_TEST(G(0, 1) == 4.);
  BOOST_TEST((std::abs(G(1, 0)) < 1e-9));
  BOOST_TEST(G(1, 1) == 1.);
}

// Head on against a ball of radius 1/2, which is left with e times the speed.
BOOST_AUTO_TEST_CASE(particle_rebounds_from_a_ball_of_expressions)
{
  for (const micro::Scheme scheme : {A, C})
    {
      const auto x = motion(parameters("1; 1", "sqrt(x^2 + y^2) - r", {-1., 0.}, {1., 0.}), force(""), scheme, .5);
      advance(*x, 1., 1000);
      BOOST_TEST((std::abs(x->u()(0) + .5) < 1e-9));  // gradients
      BOOST_TEST((std::abs(x->q()(0) + .75) < 2e-3)); // order one in h = 1e-3
    }
}

BOOST_AUTO_TEST_CASE(motion_without_constraints_is_free, *utf::tolerance(1e-12)) // rounding
{
  const auto x = motion(parameters("2", "", {}, {1.}), force("t"), A);
  advance(*x, 1., 10);
  BOOST_TEST(x->u()(0) == 1.5); // the mean of a force that is linear in time is exact
  BOOST_TEST((x->record().effort.status == convex::Status::converged));
}

BOOST_AUTO_TEST_CASE(constraint_that_is_not_convex_is_met_on_the_way)
{
  const SystemParameters inside = parameters("1; 1", "1 - x^2 - y^2", {0., 0.}, {1., .5});
  const auto             a      = motion(inside, force(""), A);
  BOOST_CHECK_EXCEPTION(advance(*a, 2., 200), InputError,
                        [](const InputError &error) { return place_of(error.subject) == "Time/Scheme"; });
  const auto c = motion(inside, force(""), C);
  BOOST_CHECK_NO_THROW(advance(*c, 2., 200));
  BOOST_TEST(c->record().max_overlap < .03); // order one in h u = 0.011
}

// x >= t - 1 and x <= 1 - t leave nothing after t = 1.
BOOST_AUTO_TEST_CASE(squeezed_point_has_nowhere_to_go)
{
  const auto x = motion(parameters("1", "x + 1 - t; 1 - t - x"), force(""), A);
  BOOST_CHECK_EXCEPTION(advance(*x, 2., 20), InputError, [](const InputError &error) {
    const std::string text = error.sentence;
    return text.find("1, 2") != std::string::npos && text.find("t = 1.1") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(bad_expressions_are_refused)
{
  BOOST_TEST(refused(parameters("1; 0", "x"), force("")) == "System/Mass expression");
  BOOST_TEST(refused(parameters("1; 1; 1; 1", "x"), force("")) == "System/Mass expression");
  BOOST_TEST(refused(parameters("1", "x +"), force("")) == "System/Constraint expression");
  BOOST_TEST(refused(parameters("1", "x"), force("0; 0")) == "Force/Function expression");
  BOOST_TEST(refused(parameters("1", "x - 1"), force("0")) == "System/Initial position");
  BOOST_TEST(refused(parameters("1", "x", {1., 2.}), force("0")) == "System/Initial position");
  BOOST_TEST(refused(parameters("1", "x", {1.}), force("0")) == "nothing");
  const auto x = motion(parameters("1", "x", {1.}), force("1/(t - 0.05)"), C);
  BOOST_CHECK_EXCEPTION(x->advance(.05), InputError,
                        [](const InputError &error) { return place_of(error.subject) == "Force/Function expression"; });
}

BOOST_AUTO_TEST_SUITE_END()
