// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/expression_system.h"
#include "app/input/places.h"
#include "app/input/text/derivative.h"

#include "convex/input_error.h"
#include "convex/vectors.h"

#include <Eigen/LU>
#include <Eigen/QR>

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(expression_system)

using namespace moreau;
using namespace moreau::app;
using micro::Vector;
namespace utf = boost::unit_test;

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

constexpr micro::Scheme A = micro::Scheme::linearised_constraints, B = micro::Scheme::catching_up,
                        C = micro::Scheme::inertia_operator;

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

BOOST_AUTO_TEST_CASE(expressions_become_masses_forces_and_constraints, *utf::tolerance(1e-11)) // differences
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
  BOOST_TEST((std::abs(G(1, 0)) < 1e-11));
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

// The double pendulum that is written in C++, from its mass matrix, its potential and its constraint.
BOOST_AUTO_TEST_CASE(double_pendulum_of_expressions_is_the_built_in_one)
{
  SystemParameters text      = parameters("2; cos(theta1 - theta2); 1", "wall - sin(theta1) - sin(theta2)", {-.5, -1.});
  text.coordinates           = "theta1 (rad), theta2 (rad)";
  text.constraints.constants = "wall = 0.5";
  text.potential             = {"-9.81*(2*cos(theta1) + cos(theta2))", "", "", "Potential"};
  text.generalised_force     = {"", "", "", "Generalised force"};
  const auto written         = app::expression_system(text, force("")),
             built           = micro::make_mechanical_system("double pendulum with a wall", {}, {}, {});
  BOOST_TEST(written->coordinate_names() == built->coordinate_names());
  const Vector q = Eigen::Vector2d(.7, -1.3), P = Eigen::Vector2d(.4, 2.);
  BOOST_TEST((written->mass(q) - built->mass(q)).norm() == 0.);
  BOOST_TEST(!written->constant_mass());
  BOOST_TEST((written->force(.3, q, P) - built->force(.3, q, P)).norm() < 1e-10);
  BOOST_TEST((written->gradients(.3, q) - built->gradients(.3, q)).norm() < 1e-11);

  micro::MotionParameters p;
  p.scheme          = C;
  p.law.restitution = .5;
  const auto a      = micro::make_motion(app::expression_system(text, force("")), p),
             b      = micro::make_motion(micro::make_mechanical_system("double pendulum with a wall", {}, {}, {}), p);
  advance(*a, 1., 1000);
  advance(*b, 1., 1000);
  BOOST_TEST((a->q() - b->q()).norm() < 1e-8);
  BOOST_TEST((a->u() - b->u()).norm() < 1e-7);

  text.generalised_force.expression = "-k*utheta1; t*utheta2"; // a torque, and one per unit mass of `Force`
  text.generalised_force.constants  = "k = 3";
  const auto   pushed               = app::expression_system(text, force("0; theta1"));
  const Vector u = written->mass(q).inverse() * P, extra = pushed->force(.3, q, P) - written->force(.3, q, P);
  BOOST_TEST((extra - Eigen::Vector2d(-3. * u(0), .3 * u(1)) - written->mass(q) * Eigen::Vector2d(0., .7)).norm() < 1e-10);
}

// By repeated linearisation, where a formula is known: inside of a disc that moves, whose constraint is concave.
BOOST_AUTO_TEST_CASE(scheme_b_projects_on_constraints_of_expressions)
{
  const auto              text = parameters("1; 1", "1 - sqrt((x - 0.5*sin(2*pi*t))^2 + y^2)", {0., .2}, {0., .3});
  const auto              a    = motion(text, force(""), B);
  micro::MotionParameters p;
  p.scheme     = B;
  const auto b = micro::make_motion(
      micro::make_mechanical_system("moving disc", {}, Eigen::Vector2d(0., .2), Eigen::Vector2d(0., .3)), p);
  for (int k = 1; k <= 500; ++k)
    {
      a->advance(.004 * k);
      b->advance(.004 * k);
      BOOST_TEST(a->record().max_overlap < 1e-12);
    }
  BOOST_TEST((a->q() - b->q()).norm() < 1e-9);

  // outside of a disc and above a line, in another metric than the Euclidean one: the first order conditions
  SystemParameters tilted = parameters("2; 0.5; 1", "x^2 + y^2 - r^2; y + 0.1", {1., 1.});
  tilted.coordinates      = "x (m), y (m)";
  const auto   system     = app::expression_system(tilted, force(""));
  const Vector target = Eigen::Vector2d(.35, -.15), found = system->projection(0., target).value();
  const Vector g = system->constraints(0., found);
  BOOST_TEST(g.minCoeff() > -1e-12);
  const Vector lambda =
      (system->gradients(0., found).transpose()).colPivHouseholderQr().solve(system->mass(found) * (found - target));
  for (int i = 0; i < 2; ++i)
    {
      BOOST_TEST(lambda(i) > -1e-9);
      BOOST_TEST(std::abs(lambda(i) * g(i)) < 1e-9);
    }
}

BOOST_AUTO_TEST_CASE(kinks_have_derivatives_on_both_sides)
{
  const auto system = app::expression_system(parameters("1", "abs(x - 1); max(x, 2*x - 1) + 1", {1.5}), force(""));
  for (const double x : {.9, .99999, 1.00001, 1.1})
    {
      const Eigen::MatrixXd G = system->gradients(0., Vector::Constant(1, x));
      BOOST_TEST(std::abs(G(0, 0) - (x > 1. ? 1. : -1.)) < 1e-8);
      BOOST_TEST(std::abs(G(1, 0) - (x > 1. ? 2. : 1.)) < 1e-8);
    }
}

// Every function that is followed, beside differences; a root where it begins.
BOOST_AUTO_TEST_CASE(derivatives_of_functions_are_those_of_differences)
{
  const std::vector<std::string> texts = {"sin(a)",        "cos(2*a)",          "tan(a)",
                                          "asin(a/2)",     "acos(a/2)",         "atan(a)",
                                          "sinh(a)",       "cosh(a)",           "tanh(a)",
                                          "asinh(a)",      "acosh(a + 2)",      "atanh(a/2)",
                                          "exp(a*b)",      "log(a + 2)",        "ln(a + 2)",
                                          "log10(a+2)",    "log2(a + 2)",       "sqrt(a + 2)",
                                          "erf(a)",        "erfc(a)",           "sec(a)",
                                          "csc(a + 2)",    "cot(a + 2)",        "a^3",
                                          "(a + 2)^b",     "pow(b, a)",         "a/b",
                                          "-a*b",          "abs(a - 9)",        "min(a,b,9)",
                                          "max(a*a,-9)",   "sum(a, a*a, b)",    "avg(a, b, a*b)",
                                          "a < b ? a : b", "if(a < b, b*a, a)", "atan2(a, b)",
                                          "floor(a)*a",    "sign(b)*a*a",       "(a < b && b > 0)*a"};
  std::string                    all   = texts.front();
  for (std::size_t k = 1; k < texts.size(); ++k)
    all += "; " + texts[k];
  SystemParameters system = parameters("1; 1", all);
  system.coordinates      = "a, b";
  system.initial_position = {};
  const DifferentiableFormula f("System", {all, "", "a,b,t", "Constraint"}, -1);
  for (const double a : {.31, .62})
    for (const int k : {0, 1})
      {
        const Vector x = Eigen::Vector3d(a, 1.3, 0.), h = 1e-5 * Vector::Unit(3, k);
        const Vector exact = f.derivative(x, k), nearly = (f(x + h) - f(x - h)) / 2e-5;
        for (Eigen::Index i = 0; i < exact.size(); ++i)
          BOOST_TEST(std::abs(exact(i) - nearly(i)) < 1e-8 * (1. + std::abs(nearly(i))), texts[i]);
      }
  const DifferentiableFormula root("System", {"sqrt(a^2)", "", "a", "Constraint"}, 1);
  BOOST_TEST(std::abs(root.derivative(Vector::Constant(1, 0.), 0)(0)) < 1e-8); // by differences: the chain rule says 0/0
}

// Derivatives know no unit of length: a pendulum and a disc of 0.01 mm are those of 1 m.
BOOST_AUTO_TEST_CASE(small_systems_have_the_motion_of_large_ones)
{
  SystemParameters well  = parameters("1e-9", "1");
  well.coordinates       = "x";
  well.potential         = {"-1e-14*cos(x/1e-4)", "", "x,y,z,t", "Potential"};
  const auto   in_a_well = app::expression_system(well, force(""));
  const double f         = in_a_well->force(0., Vector::Constant(1, .5e-4), Vector::Zero(1))(0);
  BOOST_TEST(f == -1e-10 * std::sin(.5), boost::test_tools::tolerance(1e-12));

  const auto outside = [](const double size) {
    const std::string text  = std::to_string(size * 1e6) + "e-6"; // of a metre
    SystemParameters system = parameters("2; 0.5", "sqrt(x^2 + 3*y^2) - 0.5*" + text, {size, .2 * size}, {-size, .1 * size});
    system.coordinates      = "x (m), y (m)";
    const auto moving       = motion(system, force(""), B);
    for (int k = 1; k <= 200; ++k)
      moving->advance(.01 * k);
    BOOST_TEST(moving->record().max_overlap < 1e-9 * size);
    return Vector(moving->q() / size);
  };
  BOOST_TEST((outside(1e-5) - outside(1.)).norm() < 1e-8);
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
  const auto named = [](const std::string &coordinates, const std::string &masses) {
    SystemParameters system = parameters(masses, "1");
    system.coordinates      = coordinates;
    return system;
  };
  BOOST_TEST(refused(named("a (rad), b, c1, d_2", "1; 1; 1; 1"), force("0; 0; 0; ua")) == "nothing");
  BOOST_TEST(refused(named("a, b", "1; 1; 1; 1"), force("")) == "System/Mass expression");
  BOOST_TEST(app::expression_system(named("a(rad), b", "1; 1"), force(""))->coordinate_names().front() == "a (rad)");
  BOOST_TEST(refused(parameters("1", "x >= 0"), force("")) == "System/Constraint expression");
  BOOST_TEST(refused(parameters("1", "if(x > 1, x, 1)"), force("")) == "nothing");
  BOOST_TEST(refused(named("a, b", "1; 2; 1"), force("")) == "System/Mass expression"); // not positive definite
  for (const char *const bad : {"a, a", "a, ua", "t, a", "2a, b", "a b, c", "pi, b", "a (m, b", "u_a, b", "error, b"})
    BOOST_TEST(refused(named(bad, "1; 1"), force("")) == "System/Coordinates", bad);
  BOOST_TEST(refused(parameters("1", "x"), force("0; 0")) == "Force/Function expression");
  BOOST_TEST(refused(parameters("1", "x - 1"), force("0")) == "System/Initial position");
  BOOST_TEST(refused(parameters("1", "x", {1., 2.}), force("0")) == "System/Initial position");
  BOOST_TEST(refused(parameters("1", "x", {1.}), force("0")) == "nothing");
  const auto x = motion(parameters("1", "x", {1.}), force("1/(t - 0.05)"), C);
  BOOST_CHECK_EXCEPTION(x->advance(.05), InputError,
                        [](const InputError &error) { return place_of(error.subject) == "Force/Function expression"; });
}

BOOST_AUTO_TEST_SUITE_END()
