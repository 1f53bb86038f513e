// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/flow_setting.h"
#include "app/input/places.h"

#include "geometry/cell_means.h"
#include "app/output/flow_output.h"
#include "app/run/flow/flow_steps.h"

#include "convex/input_error.h"

#include "folder.h"

#include <boost/test/unit_test.hpp>

#include <limits>

BOOST_AUTO_TEST_SUITE(flow_setting)

namespace
{
using namespace moreau;
using app::ParameterFile;
using geometry::CellIndex;
using geometry::Index;
using geometry::Vector;

/// A flow of this dimension with these "Section/Name=value".
ParameterFile flow(const int dim, const std::vector<std::string> &settings)
{
  const Folder folder;
  return {folder.write("flow.prm", "set Problem = congested flow\nset Dimension = " + std::to_string(dim) + "\n"), settings};
}

macro::FlowSetting setting_of(const int dim, const std::vector<std::string> &settings)
{
  ParameterFile file = flow(dim, settings);
  file.values().validate();
  return app::flow_setting(file, geometry::Processes::alone());
}

double integral(const geometry::CellArray &array)
{
  double sum = 0.;
  geometry::for_own_cells(array.box_grid(), [&](const CellIndex &cell) { sum += array(cell); });
  return sum * array.box_grid().cell_volume();
}

app::FlowSteps steps_of(const std::vector<std::string> &settings)
{
  const ParameterFile file = flow(1, settings);
  return app::FlowSteps(file.values());
}

constexpr double never = std::numeric_limits<double>::infinity();
} // namespace

BOOST_AUTO_TEST_CASE(blocks_on_the_line_have_their_exact_masses_and_momenta)
{
  const auto setting =
      setting_of(1, {"Zone/Function expression=if(x > 0.2 & x < 0.41, 1, 0) + if(x > 0.553 & x < 1/sqrt(2), 0.5, 0)",
                     "Velocity/Function expression=if(x < 0.5, 1, -0.5)", "Mesh/Cells per unit length=37"});
  const double second = .5 * (1. / std::sqrt(2.) - .553);
  BOOST_TEST(std::abs(integral(setting.rho) - (.21 + second)) <= 1e-13); // of bisections and rounding
  BOOST_TEST(std::abs(integral(setting.momentum[0]) - (.21 - .5 * second)) <= 1e-13);
  BOOST_TEST(setting.rho({10, 0, 0}) == 1.); // [10, 11]/37 lies within the first block, to the last bit
  const double part = 1. - (.2 - 7. / 37.) * 37.;
  BOOST_TEST(std::abs(setting.rho({7, 0, 0}) - part) <= 1e-12);
  BOOST_TEST(setting.rho({0, 0, 0}) == 0.);
}

BOOST_AUTO_TEST_CASE(smooth_fields_have_their_means)
{
  const auto line = setting_of(1, {"Zone/Function expression=0.5 + 0.5*sin(20*x)", "Mesh/Cells per unit length=10"});
  for (Index i = 0; i < 10; ++i)
    {
      const double a = .1 * static_cast<double>(i), b = a + .1;
      BOOST_TEST(std::abs(line.rho({i, 0, 0}) - (.5 + .5 * (std::cos(20. * a) - std::cos(20. * b)) / 2.)) <= 1e-12);
    }
  const auto plane =
      setting_of(2, {"Zone/Function expression=x*y", "Velocity/Function expression=1; x", "Mesh/Cells per unit length=4"});
  geometry::for_own_cells(plane.grid, [&](const CellIndex &cell) { // Gauss's rule of 2 points is exact
    const Vector x = plane.grid.centre(cell);
    BOOST_TEST(std::abs(plane.rho(cell) - x(0) * x(1)) <= 1e-15);
    BOOST_TEST(std::abs(plane.momentum[1](cell) - (x(0) * x(0) + 1. / 192.) * x(1)) <= 1e-15);
  });
}

BOOST_AUTO_TEST_CASE(straight_edges_in_the_plane_and_in_space_have_their_exact_masses_and_momenta)
{
  const auto near = [](const double found, const double exact) { BOOST_TEST(std::abs(found - exact) <= 1e-13); };
  // slabs that cut cells, two velocities
  const auto slabs = setting_of(2, {"Zone/Upper corner=1, 0.25", "Mesh/Cells per unit length=128",
                                    "Zone/Function expression=if(x > 0.15 & x < 0.35, 1, 0) + if(x > 0.55 & x < 0.7, 1, 0)",
                                    "Velocity/Function expression=if(x < 0.5, 1, -0.5); if(x < 0.5, 0.3, -0.7)"});
  near(integral(slabs.rho), .0875);
  near(integral(slabs.momentum[0]), .25 * (.2 - .15 * .5));
  near(integral(slabs.momentum[1]), .25 * (.2 * .3 - .15 * .7));
  near(*slabs.mass_asked_for, .0875);
  BOOST_TEST(slabs.mass_asked_for_error <= 1e-13);

  // a square that is turned by 30 degrees: with corners in cells
  const auto turned = setting_of(
      2, {"Zone/Function expression=if(max(abs(sqrt(0.75)*(x-0.5) + 0.5*(y-0.48)), abs(0.5*(x-0.5) - sqrt(0.75)*(y-0.48))) "
          "< 0.21, 1, 0)",
          "Velocity/Function expression=y; 1", "Mesh/Cells per unit length=31"});
  // tips of the corners may be between the points where sides of cells are looked at
  BOOST_TEST(std::abs(integral(turned.rho) - .1764) <= 2e-7);
  BOOST_TEST(std::abs(integral(turned.momentum[0]) - .48 * .1764) <= 2e-7);
  BOOST_TEST(std::abs(*turned.mass_asked_for - .1764) <= turned.mass_asked_for_error + 1e-14);
  BOOST_TEST(turned.mass_asked_for_error <= 1e-6);

  const auto box = setting_of(3, {"Zone/Function expression=if(x > 0.21 & x < 0.6 & y < 0.47 & z > 0.333, 1, 0)",
                                  "Velocity/Function expression=1; z; 0", "Mesh/Cells per unit length=12"});
  near(integral(box.rho), .39 * .47 * .667);
  near(integral(box.momentum[1]), .39 * .47 * .667 * .6665);
  const auto half = setting_of(3, {"Zone/Function expression=if(x + 2*y + 3*z < 3, 1, 0)", "Mesh/Cells per unit length=11"});
  near(integral(half.rho), .5);

  // a solid that cuts cells leaves the rest of them; a strip of 0.05 cells has its area
  const auto solid = setting_of(2, {"Maximal density/Function expression=if(x + y < 0.777, 0, 1)",
                                    "Zone/Function expression=if(x + y < 0.777, 0, 1)", "Mesh/Cells per unit length=16"});
  near(integral(solid.rho_max), 1. - .777 * .777 / 2.);
  near(integral(solid.rho), 1. - .777 * .777 / 2.);
  const auto strip = setting_of(2, {"Zone/Function expression=if(x < 0.5 + 0.0125, 1, 0)", "Mesh/Cells per unit length=4"});
  near(strip.rho({2, 0, 0}), .05);
}

BOOST_AUTO_TEST_CASE(curved_edges_have_their_masses_up_to_an_estimated_error)
{
  for (const int cells : {8, 32, 128})
    {
      const auto disc =
          setting_of(2, {"Zone/Function expression=if((x-0.5)^2 + (y-0.47)^2 < 0.09, 1, 0)",
                         "Velocity/Function expression=x; y", "Mesh/Cells per unit length=" + std::to_string(cells)});
      BOOST_TEST_INFO(cells << " " << integral(disc.rho) - M_PI * .09 << " " << disc.mass_asked_for_error);
      BOOST_TEST(std::abs(integral(disc.rho) - M_PI * .09) <= disc.mass_asked_for_error + 1e-14);
      BOOST_TEST(std::abs(integral(disc.momentum[1]) - .47 * M_PI * .09) <= 1e-9);
      BOOST_TEST(std::abs(integral(disc.rho) - M_PI * .09) <= 1e-11);
      BOOST_TEST(disc.mass_asked_for_error <= (cells == 8 ? 1e-4 : 1e-9));
    }
  const auto ball = setting_of(
      3, {"Zone/Function expression=if((x-0.5)^2 + (y-0.5)^2 + (z-0.47)^2 < 0.09, 1, 0)", "Mesh/Cells per unit length=12"});
  BOOST_TEST_INFO(integral(ball.rho) - 4. / 3. * M_PI * .027 << " " << ball.mass_asked_for_error);
  BOOST_TEST(std::abs(integral(ball.rho) - 4. / 3. * M_PI * .027) <= ball.mass_asked_for_error);
  BOOST_TEST(std::abs(integral(ball.rho) - 4. / 3. * M_PI * .027) <= 1e-8);
  BOOST_TEST(ball.mass_asked_for_error <= 1e-3);
}

// The disc bulges over the middle of sides of cells, whose corners are outside.
BOOST_AUTO_TEST_CASE(edges_that_enter_cells_between_their_corners_are_seen)
{
  const auto disc =
      setting_of(2, {"Zone/Function expression=if((x-0.5)^2 + (y-0.5)^2 < 0.0961, 1, 0)", "Mesh/Cells per unit length=10",
                     "Zone/Lower corner=-0.05, -0.05", "Zone/Upper corner=1.05, 1.05"});
  BOOST_TEST(disc.rho({5, 8, 0}) > 0.); // [.45, .55] x [.75, .85], up to y = .81
  const auto lens =
      setting_of(2, {"Zone/Function expression=if((x-0.5)^2 + (y-0.5)^2 < 0.063, 1, 0)", "Mesh/Cells per unit length=10",
                     "Zone/Lower corner=-0.05, -0.05", "Zone/Upper corner=1.05, 1.05"});
  BOOST_TEST(lens.rho({5, 8, 0}) > 0.); // only to y = .75 + 0.001, far from the corners
  BOOST_TEST(std::abs(integral(lens.rho) - M_PI * .063) <= lens.mass_asked_for_error + 1e-14);
}

BOOST_AUTO_TEST_CASE(rough_data_end_and_the_first_bad_place_is_named)
{
  const auto rough = setting_of(1, {"Zone/Function expression=0.5 + 0.5*sin(1e9*x*x)", "Mesh/Cells per unit length=2"});
  BOOST_TEST(std::abs(integral(rough.rho) - .5) <= .05);
  for (int repeat = 0; repeat < 3; ++repeat)
    BOOST_CHECK_EXCEPTION(setting_of(2, {"Zone/Function expression=if(x + y > 1.1, 2, 0)", "Mesh/Cells per unit length=16"}),
                          InputError, [](const InputError &error) { // the same place whatever thread finds it
                            const std::string text = error.sentence;
                            BOOST_TEST_INFO(text);
                            return app::place_of(error.subject) == "Zone/Function expression" &&
                                   text.find("is 2 at (") != std::string::npos && text.find("overlap") != std::string::npos;
                          });
}

BOOST_AUTO_TEST_CASE(sides_forces_and_numbers_reach_the_flow)
{
  const auto s =
      setting_of(2, {"Zone/Walls=bottom", "Zone/Periodic=x", "Inflow/Sides=top", "Inflow/Density expression=0.25*t",
                     "Inflow/Velocity expression=x; -y", "Force/Function expression=ux; -1", "Restitution=0.25",
                     "Congested flow/Density flux=upwind", "Congested flow/CFL number=0.75", "Tolerance=1e-5",
                     "Maximum iterations=77", "Maximum repetitions=66", "Mesh/Cells per unit length=4",
                     "Maximal density/Function expression=if(x < 0.5, 0.5, 1)", "Zone/Function expression=0.5"});
  using macro::Boundary;
  BOOST_TEST((s.sides == std::array<Boundary, 6>{Boundary::periodic, Boundary::periodic, Boundary::wall, Boundary::inflow,
                                                 Boundary::open, Boundary::open}));
  Eigen::MatrixXd values, f;
  s.inflow(2., Eigen::Vector2d(.5, 1.), values);
  BOOST_TEST((values == Eigen::Vector3d(.5, .5, -1.)));
  s.force(0., Eigen::Vector2d(.5, 1.), Eigen::Vector2d(7., 8.), f);
  BOOST_TEST((f == Eigen::Vector2d(7., -1.)));
  BOOST_TEST(!s.force_is_steady);
  BOOST_TEST(setting_of(1, {"Force/Function expression=-x"}).force_is_steady);
  BOOST_TEST((s.flux == macro::DensityFlux::upwind));
  BOOST_TEST(s.law.restitution == .25);
  BOOST_TEST(s.cfl == .75);
  BOOST_TEST(s.criterion.tolerance == 1e-5);
  BOOST_TEST(s.criterion.max_iterations == 77u);
  BOOST_TEST(s.law.max_repetitions == 66u);
  BOOST_TEST(s.rho_max({1, 2, 0}) == .5);
  BOOST_TEST(s.rho_max({2, 2, 0}) == 1.);
}

BOOST_AUTO_TEST_CASE(steps_end_at_pictures_and_at_the_end_and_leave_no_short_one)
{
  const app::FlowSteps steps = steps_of({"Time/End time=0.25", "Time/Output every=0.1"});
  std::vector<double>  times;
  for (double t = 0.; t < .25;)
    {
      const app::FlowStep next = steps.next(t, .04);
      BOOST_TEST(next.t - t <= .04 * (1. + 1e-9));
      BOOST_TEST(next.t - t >= .024);
      BOOST_TEST(!next.reduced); // from nothing
      if (next.has_picture)
        times.push_back(next.t);
      t = next.t;
      if (t >= .25)
        BOOST_TEST(t == .25);
    }
  BOOST_TEST(times == (std::vector<double>{.1, .2}), boost::test_tools::per_element());
  BOOST_TEST(steps.next(.2, never).t == .25);
}

BOOST_AUTO_TEST_CASE(a_run_that_ends_at_a_picture_has_the_times_of_a_longer_one)
{
  const app::FlowSteps longer  = steps_of({"Time/End time=0.4", "Time/Output every=0.05"}),
                       shorter = steps_of({"Time/End time=0.15", "Time/Output every=0.05"});
  for (double t = 0.; t < .15; t = shorter.next(t, .03).t)
    BOOST_TEST(shorter.next(t, .03).t == longer.next(t, .03).t); // although 3 * 0.05 is not 0.15
  BOOST_TEST(shorter.next(.14, 1.).has_picture);
}

BOOST_AUTO_TEST_CASE(every_picture_of_a_long_run_comes_once)
{
  const app::FlowSteps steps = steps_of({"Time/End time=1234.5678901", "Time/Output every=0.123456789123456"});
  int                  n     = 0;
  for (double t = 0.; t < 1234.5678901; ++n)
    {
      const app::FlowStep next = steps.next(t, never);
      BOOST_TEST_REQUIRE(next.t > t + .001);
      t = next.t;
    }
  BOOST_TEST(n == 10000);
}

BOOST_AUTO_TEST_CASE(a_step_that_the_cfl_condition_forbids_is_reduced_or_refused)
{
  const std::vector<std::string> text  = {"Time/End time=1", "Time/Output every=0.5", "Time/Time step=0.1"};
  const app::FlowSteps           steps = steps_of(text);
  BOOST_TEST(!steps.next(0., .2).reduced);
  BOOST_TEST(steps.next(0., .2).t == .1);
  BOOST_TEST(steps.next(0., .03).reduced);
  BOOST_TEST(steps.next(0., .03).t <= .03);
  std::vector<std::string> fixed = text;
  fixed.push_back("Congested flow/Steps=fixed");
  BOOST_TEST(steps_of(fixed).next(0., .2).t == .1);
  BOOST_CHECK_EXCEPTION(steps_of(fixed).next(.25, .03), InputError, [](const InputError &error) {
    return app::place_of(error.subject) == "Time/Time step" && error.sentence.find("0.03 s") != std::string::npos;
  });
  BOOST_CHECK_EXCEPTION(steps.next(.25, 1e-17), InputError, [](const InputError &error) {
    return app::place_of(error.subject) == "Time/End time" &&
           error.sentence.find("never reach the end at 1 s") != std::string::npos;
  });
  fixed = text;
  fixed.push_back("Congested flow/CFL number=1e-16");
  BOOST_CHECK_EXCEPTION(steps_of(fixed).next(.25, 1e-17), InputError,
                        [](const InputError &error) { return app::place_of(error.subject) == "Congested flow/CFL number"; });
}

BOOST_AUTO_TEST_CASE(fronts_lie_where_the_mass_beside_them_says)
{
  const macro::CongestedFlow flow(setting_of(
      1, {"Zone/Function expression=if(x > 0.213 & x < 0.4, 1, 0) + if(x > 0.59 & x < 0.9, 0.7, 0.3)*if(x > 0.4, 1, 0)"
          " + if(x > 0.7 & x < 0.8, 0.3, 0)",
          "Mesh/Cells per unit length=50"}));
  const auto                 found = app::fronts(flow);
  BOOST_TEST_REQUIRE(found.size() == 2u);
  // edges of matter, in a vacuum and in thinner matter; 0.4, 0.7 and 0.8 are ends of cells
  for (const auto &[value, exact] :
       {std::pair<double, double>(found[0].first, .213), {found[0].second, .4}, {found[1].first, .7}, {found[1].second, .8}})
    BOOST_TEST(std::abs(value - exact) <= 1e-12);
}

BOOST_AUTO_TEST_SUITE_END()
