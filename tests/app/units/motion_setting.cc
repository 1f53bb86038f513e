// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/motion_setting.h"
#include "app/input/places.h"

#include "app/input/motion_fields.h"
#include "app/run/time_grid.h"

#include "convex/input_error.h"

#include "folder.h"

#include <boost/test/unit_test.hpp>

#include <filesystem>

BOOST_AUTO_TEST_SUITE(motion_setting)

namespace
{
namespace utf = boost::unit_test;
using namespace moreau;
using app::ExpressionText;
using app::ParameterFile;
using micro::Vector;

ExpressionText force(const std::string &expression) { return {expression, "", "x,y,z,ux,uy,uz,t"}; }
ExpressionText growth(const std::string &expression) { return {expression, "", "x,y,z,t"}; }

/// Two discs.
micro::Spheres pair()
{
  micro::Spheres spheres;
  spheres.r = (Eigen::MatrixXd(2, 2) << 1., 3., 2., 5.).finished();
  spheres.R = (Vector(2) << 0.5, 0.25).finished();
  spheres.m = (Vector(2) << 1., 2.).finished();
  return spheres;
}

bool says(const InputError &error, const std::string &parameter, const std::string &part)
{
  BOOST_TEST_INFO(app::place_of(error.subject) + ": " + error.sentence);
  return app::place_of(error.subject) == parameter && error.sentence.find(part) != std::string::npos;
}
} // namespace

BOOST_AUTO_TEST_CASE(what_rounding_leaves_is_no_step)
{
  BOOST_TEST(app::TimeGrid(1., 1e-3).n_steps == 1000);
  BOOST_TEST(app::TimeGrid(1.0000000001, 1e-3).n_steps == 1000);
  BOOST_TEST(app::TimeGrid(0.9999999999, 1e-3).n_steps == 1000);
  BOOST_TEST(app::TimeGrid(1.0005, 1e-3).n_steps == 1001);
  BOOST_TEST(app::TimeGrid(1e-9, 1e-3).n_steps == 1);
  BOOST_TEST(app::TimeGrid(0.3, 0.1).n_steps == 3); // 0.3 / 0.1 is below 3
}

BOOST_AUTO_TEST_CASE(the_last_step_ends_at_the_end_exactly)
{
  const app::TimeGrid grid(0.25, 0.1);
  BOOST_TEST(grid.time(0) == 0.);
  BOOST_TEST(grid.time(2) == 2 * 0.1);
  BOOST_TEST(grid.time(3) == 0.25);
  BOOST_TEST(app::TimeGrid(0.3, 0.1).time(3) == 0.3); // and not 3 * 0.1, which is another double
}

BOOST_AUTO_TEST_CASE(a_force_sees_position_velocity_and_time)
{
  const micro::Spheres  spheres = pair();
  const Eigen::MatrixXd u       = (Eigen::MatrixXd(2, 2) << 10., 30., 20., 50.).finished();
  Eigen::MatrixXd       f;
  app::body_force(force("x + uy; y*t - ux + z + uz"), 2)(2., spheres.r, u, f);
  BOOST_TEST((f == (Eigen::MatrixXd(2, 2) << 21., 53., -6., -20.).finished()));
}

BOOST_AUTO_TEST_CASE(a_constant_force_is_the_same_for_all)
{
  Eigen::MatrixXd f;
  app::body_force(force("0; -9.81"), 2)(7., pair().r, pair().r, f);
  BOOST_TEST((f == Eigen::Vector2d(0., -9.81).replicate(1, 2)));
  BOOST_TEST(!app::body_force(force(""), 2));
}

BOOST_AUTO_TEST_CASE(a_force_that_is_not_finite_names_the_sphere_and_when)
{
  const auto      f = app::body_force(force("1; sqrt(4 - y) + 0*t"), 2);
  Eigen::MatrixXd values;
  BOOST_CHECK_EXCEPTION(f(0.25, pair().r, pair().r, values), InputError, [](const InputError &error) {
    return says(error, "Force/Function expression", "sphere 1") && says(error, "Force/Function expression", "y = 5") &&
           says(error, "Force/Function expression", "t = 0.25") && says(error, "Force/Function expression", "Component 2");
  });
}

BOOST_AUTO_TEST_CASE(radii_grow_by_the_factor_at_the_initial_centres)
{
  const auto R = app::growing_radii(growth("1 + x*t"), pair());
  BOOST_TEST((R(0.) == pair().R));
  BOOST_TEST((R(2.) == Vector(pair().R.cwiseProduct(Eigen::Vector2d(3., 7.)))));
  const auto uniform = app::growing_radii(growth("exp(-t)"), pair());
  BOOST_TEST((uniform(1.) == Vector(std::exp(-1.) * pair().R)));
}

BOOST_AUTO_TEST_CASE(factors_begin_at_one_and_stay_positive)
{
  const std::string place = "Growth/Function expression";
  BOOST_CHECK_EXCEPTION(app::growing_radii(growth("x"), pair()), InputError,
                        [&](const InputError &error) { return says(error, place, "3 at time 0 for sphere 1"); });
  const auto R = app::growing_radii(growth("1 - t*x"), pair());
  BOOST_CHECK_EXCEPTION(R(0.5), InputError,
                        [&](const InputError &error) { return says(error, place, "sphere 1 is -0.5 at t = 0.5 s"); });
  BOOST_CHECK_EXCEPTION(app::growing_radii(growth("if(t > 0, log(-t), 1)"), pair())(1.), InputError,
                        [&](const InputError &error) { return says(error, place, "not a number"); });
}

BOOST_AUTO_TEST_CASE(spheres_of_a_file_begin_within_the_period)
{
  const Folder folder;
  folder.write("spheres.csv", "x,y,radius,mass\n-0.25,0.5,0.1,3\n2,0.5,0.1,1\n0.5,0.5,0.1,1\n");
  const auto file = folder.write("motion.prm", "set Problem = particle motion\nsubsection Spheres\n set Arrangement = file\n"
                                               " set File = spheres.csv\nend\nsubsection Zone\n set Upper corner = 2, 1\n"
                                               " set Periodic = x\nend\n");
  ParameterFile            parameters(file, {"Force/Function expression=0; -1"});
  const app::MotionSetting setting = app::motion_setting(parameters);

  BOOST_TEST(setting.moves_spheres());
  BOOST_TEST((setting.spheres.spheres.r.row(0) == Eigen::RowVector3d(1.75, 0., 0.5)));
  BOOST_TEST((setting.spheres.period == Eigen::Vector2d(2., 0.)));
  BOOST_TEST((setting.spheres.U == Vector::Zero(6))); // at rest where nothing is said
  BOOST_TEST(setting.spheres.spheres.m(0) == 3.);
  BOOST_TEST(setting.inputs.size() == 2);
  BOOST_TEST(std::filesystem::path(parameters.values().spheres.file).is_absolute());

  const auto motion = setting.make_sphere_motion();
  motion->advance(0.5); // free fall; two motions from one setting are the same
  const auto again = setting.make_motion();
  again->advance(0.5);
  BOOST_TEST((motion->q() == again->q()));
  BOOST_TEST(motion->u()(1) == -0.5);
}

BOOST_AUTO_TEST_CASE(parameters_reach_the_schemes)
{
  const Folder folder;
  const auto   file =
      folder.write("motion.prm", "set Problem = particle motion\nset Restitution = 0.25\nset Tolerance = 1e-5\n"
                                 "set Maximum iterations = 77\nset Maximum repetitions = 66\n"
                                 "subsection System\n set Type = ball on a floor\n set Constants = height = 2\n"
                                 "end\nsubsection Time\n set Scheme = inertia operator\n"
                                 " set Force evaluation = implicit\nend\n");
  ParameterFile            parameters(file, {});
  const app::MotionSetting setting = app::motion_setting(parameters);
  BOOST_TEST(!setting.moves_spheres());
  BOOST_TEST(setting.system->initial_position()(0) == 2.);
  BOOST_TEST((setting.parameters.scheme == micro::Scheme::inertia_operator));
  BOOST_TEST(setting.parameters.law.restitution == 0.25);
  BOOST_TEST(setting.parameters.criterion.tolerance == 1e-5);
  BOOST_TEST(setting.parameters.criterion.max_iterations == 77u);
  BOOST_TEST(setting.parameters.law.max_repetitions == 66u);
  BOOST_TEST(setting.parameters.implicit_force);
  BOOST_TEST(setting.make_motion()->q().size() == 1);

  const auto other = folder.write("spheres.prm", "set Problem = particle motion\nsubsection Time\n set Resting speed = 0.5\n"
                                                 " set Position tolerance = 1e-7\nend\n");
  ParameterFile                 of_spheres(other, {});
  const micro::MotionParameters how = app::motion_setting(of_spheres).parameters;
  BOOST_TEST(how.resting_speed == 0.5);
  BOOST_TEST(how.position_tolerance == 1e-7);
}

BOOST_AUTO_TEST_CASE(a_system_of_expressions_has_the_force)
{
  const Folder folder;
  const auto file = folder.write("motion.prm", "set Problem = particle motion\nsubsection System\n set Type = expressions\n"
                                               " set Mass expression = 2\n set Constraint expression = x + 1\nend\n"
                                               "subsection Force\n set Function expression = -10\nend\n");
  ParameterFile parameters(file, {});
  const auto    motion = app::motion_setting(parameters).make_motion();
  motion->advance(0.25);                                                   // free fall: u = hf
  BOOST_TEST(motion->u()(0) == -2.5, boost::test_tools::tolerance(1e-14)); // rounding of the mass
}

BOOST_AUTO_TEST_SUITE_END()
