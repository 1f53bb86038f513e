// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/time_convergence_tables.h"
#include "app/run/time_reference.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

BOOST_AUTO_TEST_SUITE(time_convergence, *boost::unit_test::tolerance(1e-12)) // rounding of logarithms and of a few impacts

using namespace moreau;
using namespace moreau::app;
namespace utf = boost::unit_test;
using micro::Index;
using micro::Vector;

namespace
{
Vector vector(std::initializer_list<double> values)
{
  return Eigen::Map<const Vector>(values.begin(), static_cast<Index>(values.size()));
}

/// Distances of motions that are points on a line.
Eigen::MatrixXd distances(const std::vector<double> &places)
{
  const auto      n = static_cast<Index>(places.size());
  Eigen::MatrixXd result(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      result(i, j) = std::abs(places[i] - places[j]);
  return result;
}

/// Levels with h = 1, 1/2, 1/4, ... and errors C h^p in q.
std::vector<TimeLevel> levels_of_order(const double p, const int n)
{
  std::vector<TimeLevel> levels(n);
  for (int k = 0; k < n; ++k)
    {
      levels[k].h     = std::pow(2., -k);
      levels[k].error = {3. * std::pow(levels[k].h, p), 5. * levels[k].h, 0.};
    }
  return levels;
}

Log quiet(nullptr);

/// Spheres of radius 1/2 and mass 1 on a line at x with velocities U, for scheme A.
MotionSetting spheres_on_a_line(const Vector &x, const Vector &U, const double restitution)
{
  MotionSetting setting;
  setting.spheres.spheres.r          = x.transpose();
  setting.spheres.spheres.R          = Vector::Constant(x.size(), .5);
  setting.spheres.spheres.m          = Vector::Ones(x.size());
  setting.spheres.U                  = U;
  setting.parameters.law.restitution = restitution;
  return setting;
}

Parameters until(const double T)
{
  Parameters parameters;
  parameters.problem                      = "time convergence";
  parameters.dimension                    = 1;
  parameters.motion.time.end_time         = T;
  parameters.motion.time.steps            = {.1, .05};
  parameters.motion.convergence.reference = "events";
  return parameters;
}

/// Half-spaces left of 0, moving with w(t), and right of `upper`.
micro::Obstacles walls(const double upper, std::function<Vector(double)> w)
{
  micro::Obstacle left, right;
  left.name   = "left wall";
  right.name  = "right wall";
  left.a      = vector({0.});
  left.b      = vector({1.});
  right.a     = vector({upper});
  right.b     = vector({-1.});
  right.group = 1;
  return micro::Obstacles({left, right}, {{std::move(w), {}, {}, {}}, {}});
}

bool names_reference(const InputError &error) { return error.subject == "Time convergence/Reference"; }
} // namespace

BOOST_AUTO_TEST_CASE(orders_are_those_of_the_errors)
{
  std::vector<TimeLevel> levels = levels_of_order(1.5, 5);
  set_orders(levels);
  BOOST_TEST(std::isnan(levels[0].order.q));
  for (std::size_t k = 1; k < levels.size(); ++k)
    {
      BOOST_TEST(levels[k].order.q == 1.5);
      BOOST_TEST(levels[k].order.u == 1.);
      BOOST_TEST(std::isnan(levels[k].order.impulse)); // errors of 0 have none
    }
  BOOST_TEST(observed_orders(levels).q == 1.5);
  BOOST_TEST(observed_orders(levels).u == 1.);
}

BOOST_AUTO_TEST_CASE(lost_levels_have_no_order)
{
  std::vector<TimeLevel> levels = levels_of_order(1.5, 5);
  find_lost(levels, levels[1].error.q); // an error as large as the motion is not larger
  BOOST_TEST(levels[0].is_lost);
  for (std::size_t k = 1; k < levels.size(); ++k)
    BOOST_TEST(!levels[k].is_lost);
  set_orders(levels);
  BOOST_TEST(std::isnan(levels[1].order.q));
  BOOST_TEST(levels[2].order.q == 1.5);
  BOOST_TEST(observed_orders(levels).q == 1.5); // of the last three
  find_lost(levels, .5 * (levels[2].error.q + levels[3].error.q));
  BOOST_TEST(std::isnan(observed_orders(levels).q));
  BOOST_TEST(std::isnan(observed_orders(levels).u));
  find_lost(levels, 0.); // what stays where it is has no size
  BOOST_TEST(!levels[0].is_lost);
}

BOOST_AUTO_TEST_CASE(errors_that_are_rounding_have_no_order)
{
  std::vector<TimeLevel> levels = levels_of_order(1., 5);
  for (std::size_t k = 0; k < levels.size(); ++k)
    levels[k].rounding = {1e-12, 1e-12, 1e-12};
  levels[3].error.q = 3e-15;
  levels[4].error.q = 4e-15;
  set_orders(levels);
  BOOST_TEST(std::abs(levels[2].order.q - 1.) < 1e-9);
  for (const std::size_t k : {3, 4})
    {
      BOOST_TEST(std::isnan(levels[k].order.q));
      BOOST_TEST(std::abs(levels[k].order.u - 1.) < 1e-9);
    }
  BOOST_TEST(std::isnan(observed_orders(levels).q));
  BOOST_TEST(std::abs(observed_orders(levels).u - 1.) < 1e-9);
}

BOOST_AUTO_TEST_CASE(two_limits_are_told_apart)
{
  std::vector<double> places;
  std::vector<int>    expected;
  for (int k = 0; k < 4; ++k)
    for (const double limit : {0., 1.})
      {
        places.push_back(limit + .2 * std::pow(2., -k));
        expected.push_back(limit == 0. ? 2 : 1);
      }
  const std::vector<int> found = two_limits(distances(places), 1e-9);
  BOOST_TEST(found == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_limit_is_not_taken_for_two)
{
  BOOST_TEST(two_limits(distances({1., .5, .25, .125, .0625, .03}), 1e-9).empty());    // one sign
  BOOST_TEST(two_limits(distances({1., -.5, .25, -.125, .0625, -.03}), 1e-9).empty()); // changing signs
  BOOST_TEST(two_limits(distances({1., 0., .25, 0., .0625, 0., .015}), 1e-9).empty()); // every second step is lucky
  BOOST_TEST(two_limits(distances({.5, .5, .5, 0., 0., 0.}), 1e-9).empty());           // coarse ones are just bad
  BOOST_TEST(two_limits(distances({0., 1e-14, 0., 1e-14, 0., 1e-14}), 1e-9).empty());  // rounding
  BOOST_TEST(two_limits(distances({0., 1., 0.}), 1e-9).empty());                       // too few to say
}

BOOST_AUTO_TEST_CASE(orders_go_by_the_limit)
{
  std::vector<TimeLevel> levels = levels_of_order(1., 6);
  for (std::size_t k = 0; k < levels.size(); k += 2)
    {
      levels[k].limit     = 2;
      levels[k].error.q   = .7;
      levels[k + 1].limit = 1;
    }
  set_orders(levels);
  BOOST_TEST(level_before(levels, 0) == -1);
  BOOST_TEST(level_before(levels, 1) == -1);
  BOOST_TEST(level_before(levels, 5) == 3);
  BOOST_TEST(levels[5].order.q == 1.);
  BOOST_TEST(levels[4].order.q == 0.);
  BOOST_TEST(observed_orders(levels).q == 1.); // of those that tend to the reference
  const std::string sentence = sentence_on_two_limits(levels, .7, "rad");
  BOOST_TEST(sentence.find("0.7 rad apart") != std::string::npos);
  BOOST_TEST(sentence.find("h = 0.5, 0.125, 0.03125 s to one") != std::string::npos);
  BOOST_TEST(sentence.find("h = 1, 0.25, 0.0625 s to the other") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(unknown_numbers_are_null_in_json_and_empty_in_tables)
{
  std::vector<TimeLevel> levels = levels_of_order(1., 2);
  set_orders(levels);
  const nlohmann::ordered_json first = to_json(levels[0]), second = to_json(levels[1]);
  BOOST_TEST(first["h"] == 1.);
  BOOST_TEST(first["error_q"] == 3.);
  BOOST_TEST(first["order_q"].is_null());
  BOOST_TEST(second["order_q"].get<double>() == 1.);
  BOOST_TEST(second["order_u"].get<double>() == 1.);
  std::ostringstream table;
  write_convergence(table, levels);
  BOOST_TEST(table.str().find("h,steps,error_q,order_q,error_u,order_u,") == 0u);
  BOOST_TEST(table.str().find("\n1,0,3,,5,,0,,") != std::string::npos);
}

// Spheres of one mass swap velocities: 1 reaches its neighbour at t = .5, that one the third sphere at t = 1.
BOOST_AUTO_TEST_CASE(events_are_the_exact_motion)
{
  const MotionSetting     setting = spheres_on_a_line(vector({0., 1.5, 3.}), vector({1., 0., 0.}), 1.);
  const micro::Trajectory motion  = followed_events(setting, until(2.), quiet);
  BOOST_TEST(motion.end_time() == 2.);
  BOOST_TEST(motion.q(2.)(0) == .5);
  BOOST_TEST(motion.q(2.)(1) == 2.);
  BOOST_TEST(motion.q(2.)(2) == 4.);
  BOOST_TEST(motion.u(.75)(1) == 1.);
  BOOST_TEST(motion.cumulated_impulse(.75)(0) == -1.);
  BOOST_TEST(motion.cumulated_impulse(.75)(1) == 1.);
  BOOST_TEST(motion.cumulated_impulse(2.)(2) == 1.);
}

// A wall at speed 1 hits a sphere at rest, whose left end is at 1, at t = 1.
BOOST_AUTO_TEST_CASE(events_know_walls_that_move_uniformly)
{
  MotionSetting setting          = spheres_on_a_line(vector({1.5}), vector({0.}), 1.);
  setting.spheres.obstacles      = walls(100., [](const double t) { return vector({t}); });
  const micro::Trajectory motion = followed_events(setting, until(2.), quiet);
  BOOST_TEST(motion.q(2.)(0) == 3.5);
  BOOST_TEST(motion.cumulated_impulse(2.)(0) == 2.);
}

// e < 7 - 4 sqrt 3: the reference is exact until all impacts have happened, and says that it ended them.
BOOST_AUTO_TEST_CASE(events_that_collapse_are_warned_of)
{
  const Vector U = vector({1., 0., -1.});
  Log          log(nullptr);
  followed_events(spheres_on_a_line(vector({0., 1.3, 2.65}), U, 1.), until(2.), log);
  BOOST_TEST(log.warnings().empty());
  const micro::Trajectory motion = followed_events(spheres_on_a_line(vector({0., 1.3, 2.65}), U, .05), until(2.), log);
  BOOST_TEST_REQUIRE(log.warnings().size() == 1u);
  BOOST_TEST(log.warnings()[0].find("Spheres collapsed") == 0u);
  for (Index k = 0; k < 3; ++k)
    BOOST_TEST(std::abs(motion.u(2.)(k)) < 1e-9); // Σ u = 0
}

// Gaps of 1e-7 are closed by the tolerance: three spheres hit at once, and not one after the other.
BOOST_AUTO_TEST_CASE(events_whose_order_hangs_on_the_tolerance_are_warned_of)
{
  Log log(nullptr);
  followed_events(spheres_on_a_line(vector({0., 1.5, 2.5 + 1e-7}), vector({1., 0., 0.}), 1.), until(2.), log);
  BOOST_TEST_REQUIRE(log.warnings().size() == 1u);
  BOOST_TEST(log.warnings()[0].find("In 1 impact of 1, first at t = 0.5 s") == 0u);
  Log of_touching(nullptr);
  followed_events(spheres_on_a_line(vector({0., 1.5, 2.5}), vector({1., 0., 0.}), 1.), until(2.), of_touching);
  BOOST_TEST(of_touching.warnings().empty());
}

BOOST_AUTO_TEST_CASE(events_are_refused_where_they_are_not_known)
{
  const MotionSetting plain = spheres_on_a_line(vector({1.5}), vector({0.}), 1.);
  BOOST_CHECK_NO_THROW(time_reference(plain, until(1.)));

  MotionSetting forced = plain;
  forced.spheres.force = [](double, const Eigen::MatrixXd &, const Eigen::MatrixXd &, Eigen::MatrixXd &) {};
  BOOST_CHECK_EXCEPTION(time_reference(forced, until(1.)), InputError, names_reference);

  MotionSetting growing = plain;
  growing.spheres.radii = [](const double t) { return vector({.5 + t}); };
  BOOST_CHECK_EXCEPTION(time_reference(growing, until(1.)), InputError, names_reference);

  MotionSetting periodic  = plain;
  periodic.spheres.period = vector({4.});
  BOOST_CHECK_EXCEPTION(time_reference(periodic, until(1.)), InputError, names_reference);

  MotionSetting shaken     = plain;
  shaken.spheres.obstacles = walls(100., [](const double t) { return vector({.1 * std::sin(t)}); });
  BOOST_CHECK_EXCEPTION(time_reference(shaken, until(1.)), InputError, names_reference);

  // between walls that close infinitely many impacts come before t = 2
  MotionSetting squeezed     = spheres_on_a_line(vector({1.5}), vector({1.}), 1.);
  squeezed.spheres.obstacles = walls(3., [](const double t) { return vector({t}); });
  BOOST_CHECK_THROW(followed_events(squeezed, until(3.), quiet), InputError);
}

BOOST_AUTO_TEST_CASE(expressions_are_the_exact_motion_with_its_impulses)
{
  MotionSetting setting = spheres_on_a_line(vector({.5}), vector({-1.}), 1.);
  setting.spheres.force = [](const double t, const Eigen::MatrixXd &, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
    f.setConstant(t);
  };
  Parameters                 parameters         = until(2.);
  TimeConvergenceParameters &texts              = parameters.motion.convergence;
  texts.reference                               = "automatic";
  texts.exact_position.expression               = "0.5 + t + t^3/6";
  texts.exact_velocity.expression               = "1 + t^2/2";
  texts.exact_position.variable_names           = "t";
  texts.exact_velocity.variable_names           = "t";
  const TimeReference                 reference = time_reference(setting, parameters);
  const micro::ExactTrajectory::State state     = reference.exact->at(1.234);
  BOOST_TEST(reference.name == "exact");
  BOOST_TEST(state.q(0) == .5 + 1.234 + std::pow(1.234, 3) / 6.);
  BOOST_TEST(state.u(0) == 1. + 1.234 * 1.234 / 2.);
  BOOST_TEST(state.cumulated_impulse(0) == 2.); // the rebound at time 0, and no more than that
}

BOOST_AUTO_TEST_CASE(a_formula_that_does_not_fit_is_refused)
{
  const MotionSetting        setting    = spheres_on_a_line(vector({.5}), vector({1.}), 1.);
  Parameters                 parameters = until(1.);
  TimeConvergenceParameters &texts      = parameters.motion.convergence;
  texts.exact_position.variable_names   = "t";
  texts.exact_velocity.variable_names   = "t";
  const auto refused_at                 = [&](const std::string &place) {
    BOOST_CHECK_EXCEPTION(time_reference(setting, parameters), InputError,
                                          [&](const InputError &error) { return error.subject == place; });
  };
  texts.reference = "exact";
  refused_at("Time convergence/Reference"); // nothing is known
  texts.exact_position.expression = "0.5 + t";
  texts.exact_position.prefix     = "Exact position";
  texts.exact_velocity.prefix     = "Exact velocity";
  refused_at("Time convergence/Exact velocity expression");
  texts.exact_velocity.expression = "1";
  BOOST_CHECK_NO_THROW(time_reference(setting, parameters));
  texts.exact_position.expression = "0.6 + t";
  refused_at("Time convergence/Exact position expression"); // it begins elsewhere
  texts.exact_position.expression = "0.5 + t; 1";
  refused_at("Time convergence/Exact position expression");
  texts.exact_position.expression = "0.5 + sqrt(0.9 - t) - sqrt(0.9)";
  refused_at("Time convergence/Exact position expression"); // not to be had at the end
}

BOOST_AUTO_TEST_CASE(finest_is_a_quarter_of_the_smallest_step)
{
  Parameters parameters                   = until(1.);
  parameters.motion.convergence.reference = "finest";
  const TimeReference reference           = time_reference(spheres_on_a_line(vector({.5}), vector({1.}), 1.), parameters);
  BOOST_TEST(reference.name == "finest");
  BOOST_TEST(reference.h == .05 / 4.);
}

BOOST_AUTO_TEST_SUITE_END()
