// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/motion_output.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

BOOST_AUTO_TEST_SUITE(motion_output)

namespace
{
namespace utf = boost::unit_test;
using namespace moreau;
using micro::Vector;

std::vector<std::string> words(const std::string &line)
{
  std::vector<std::string> result(1);
  for (const char c : line)
    if (c == ',')
      result.emplace_back();
    else
      result.back() += c;
  return result;
}

const geometry::Array &named(const std::vector<geometry::Array> &arrays, const std::string &name)
{
  const auto array = std::find_if(arrays.begin(), arrays.end(), [&](const geometry::Array &a) { return a.name == name; });
  BOOST_TEST_REQUIRE((array != arrays.end()), name);
  return *array;
}

/// Discs of radius 0.1 and mass 2 that have just met head-on, in a box of length 1 that repeats itself in x or does not.
std::unique_ptr<micro::SphereMotion> pair(const double x0, const double x1, const double u0, const double u1,
                                          const bool periodic)
{
  micro::SphereSystem system;
  system.spheres.r = (Eigen::MatrixXd(2, 2) << x0, x1, 0.5, 0.5).finished();
  system.spheres.R = Vector::Constant(2, 0.1);
  system.spheres.m = Vector::Constant(2, 2.);
  system.U         = (Vector(4) << u0, 0., u1, 0.).finished();
  system.lower     = Vector::Zero(2);
  if (periodic)
    system.period = (Vector(2) << 1., 0.).finished();
  auto motion = micro::make_motion(system, micro::MotionParameters());
  motion->advance(0.25);
  return motion;
}
} // namespace

// Equal spheres that meet head-on stop with e = 0: p = m v.
BOOST_AUTO_TEST_CASE(a_force_chain_leads_from_centre_to_centre, *utf::tolerance(1e-12)) // the solver is exact here
{
  const auto           motion = pair(0.4, 0.6, 1., -1., false);
  const geometry::Mesh mesh   = app::force_chain_mesh(*motion);
  BOOST_TEST_REQUIRE(mesh.n_cells() == 1u);
  const std::vector<double> expected = {0.4, 0.5, 0., 0.6, 0.5, 0.};
  BOOST_TEST(mesh.points == expected, boost::test_tools::per_element());
  BOOST_TEST(named(mesh.cell_data, "p").values[0] == 2.);
  BOOST_TEST(named(mesh.cell_data, "force").values[0] == 8.); // p/h
  BOOST_TEST(std::abs(named(mesh.cell_data, "D").values[0]) < 1e-12);
}

BOOST_AUTO_TEST_CASE(a_force_chain_does_not_cross_the_box, *utf::tolerance(1e-12))
{
  const auto           motion = pair(0.1, 0.9, -1., 1., true); // they meet through the side
  const geometry::Mesh mesh   = app::force_chain_mesh(*motion);
  BOOST_TEST_REQUIRE(mesh.n_cells() == 1u);
  BOOST_TEST(std::abs(mesh.points[3] - mesh.points[0]) == 0.2);
  BOOST_TEST(named(mesh.cell_data, "p").values[0] == 2.);
}

BOOST_AUTO_TEST_CASE(before_the_first_step_the_arrays_are_there_without_lines)
{
  micro::SphereSystem system;
  system.spheres.r = Eigen::MatrixXd::Zero(3, 1);
  system.spheres.R = system.spheres.m = Vector::Ones(1);
  system.U                            = Vector::Zero(3);
  const auto           motion         = micro::make_motion(system, micro::MotionParameters());
  const geometry::Mesh mesh           = app::force_chain_mesh(*motion);
  BOOST_TEST(mesh.n_cells() == 0u);
  BOOST_TEST(mesh.cell_data.size() == 3u);
}

BOOST_AUTO_TEST_CASE(spheres_have_velocity_and_impulse, *utf::tolerance(1e-12))
{
  const auto           motion = pair(0.4, 0.6, 1., 0., false);
  const geometry::Mesh mesh   = app::moving_sphere_mesh(*motion);
  BOOST_TEST(mesh.n_points() == 2u);
  const std::vector<double> u = {0.5, 0., 0., 0.5, 0., 0.}, impulse = {-1., 0., 0., 1., 0., 0.};
  BOOST_TEST(named(mesh.point_data, "u").values == u, boost::test_tools::per_element());
  BOOST_TEST(named(mesh.point_data, "impulse").values == impulse, boost::test_tools::per_element());
  BOOST_TEST(named(mesh.point_data, "radius").values[1] == 0.1);
  BOOST_TEST(named(mesh.point_data, "diameter").values[1] == 0.2);
  BOOST_TEST(named(mesh.point_data, "mass").values[1] == 2.);
}

BOOST_AUTO_TEST_CASE(a_row_has_the_columns_of_the_header)
{
  const auto                     motion = pair(0.4, 0.6, 1., 0., false);
  const std::vector<std::string> header = words(app::header_of(app::columns_of(motion->record(), {"x", "y"})));
  micro::StepRecord              record = motion->record();
  record.method                         = "lines, twice (3, 4)";
  const std::vector<std::string> row    = words(app::row_of(app::columns_of(record, {"x", "y"})));
  BOOST_TEST_REQUIRE(row.size() == header.size());
  const auto value = [&](const std::string &column) {
    return row[std::find(header.begin(), header.end(), column) - header.begin()];
  };
  BOOST_TEST(value("step") == "1");
  BOOST_TEST(value("time") == "0.25");
  BOOST_TEST(value("contacts") == "1");
  BOOST_TEST(value("status") == "converged");
  BOOST_TEST(value("method") == "lines; twice (3; 4)");
  BOOST_TEST(std::stod(value("momentum_x")) == 2., boost::test_tools::tolerance(1e-14));
  BOOST_TEST(header.back() == "projection_time"); // clocks last
}

BOOST_AUTO_TEST_CASE(a_system_has_a_trajectory)
{
  const std::shared_ptr<const micro::MechanicalSystem> system = micro::make_mechanical_system("ball on a floor", {}, {}, {});
  micro::MotionParameters                              parameters;
  parameters.scheme = micro::Scheme::inertia_operator;
  const auto motion = micro::make_motion(system, parameters);
  motion->advance(0.125);
  const std::vector<std::string> header = words(app::motion_header(*system)), row = words(app::motion_row(*motion));
  BOOST_TEST_REQUIRE(row.size() == header.size());
  BOOST_TEST(header.size() == 6u);
  BOOST_TEST(row[1] == "0.125");
  BOOST_TEST(std::stod(row[2]) == motion->q()(0));
  BOOST_TEST(std::stod(row[3]) == motion->u()(0));
}

BOOST_AUTO_TEST_CASE(totals_keep_the_worst)
{
  app::Totals       totals;
  micro::StepRecord record;
  record.effort.n_projections = 2;
  record.effort.guaranteed    = true;
  record.max_overlap          = 1e-9;
  record.n_contacts           = 7;
  totals.add(app::columns_of(record, {}), 0.5);
  BOOST_TEST(totals.at("certificate/guaranteed") == true);
  BOOST_TEST(totals.converged());

  record.step                    = 2;
  record.time                    = 0.25;
  record.n_contacts              = 3;
  record.effort.guaranteed       = false;
  record.max_overlap             = std::numeric_limits<double>::quiet_NaN();
  record.effort.natural_residual = 0.5;
  record.effort.status           = convex::Status::iteration_limit;
  totals.add(app::columns_of(record, {}), 0.5);
  BOOST_TEST(totals.at("certificate/guaranteed") == false);
  BOOST_TEST(!totals.converged());
  BOOST_TEST(std::isnan(totals.real("max_overlap")));
  BOOST_TEST(totals.count("contacts_max") == 7);
  BOOST_TEST(totals.count("projections") == 4);
  BOOST_TEST(totals.wall_time == 1.);
  BOOST_TEST(totals.complaint() == "1 of 2 steps did not converge, the first was step 2 (t = 0.25 s): iteration limit; the "
                                   "worst natural residual of these is 0.5");

  const auto again = nlohmann::json::from_cbor(nlohmann::json::to_cbor(totals)).get<app::Totals>();
  BOOST_TEST(std::isnan(again.real("max_overlap")));
  BOOST_TEST(again.complaint() == totals.complaint());
}

BOOST_AUTO_TEST_CASE(totals_of_a_checkpoint_must_be_those_of_such_records)
{
  micro::StepRecord record;
  const app::Record columns = app::columns_of(record, {});
  app::Totals       totals;
  totals.set(app::Total::first, columns);
  BOOST_TEST(totals.fit(columns));
  totals.add(columns, .5);
  BOOST_TEST(totals.fit(columns));

  const auto with = [&](const std::string &key, const nlohmann::json &value) {
    app::Totals forged = totals;
    for (auto &[name, of_run] : forged.values)
      if (name == key)
        of_run = value;
    return forged.fit(columns);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const nlohmann::json &value : {nlohmann::json(2.5), nlohmann::json(), nlohmann::json(infinity)})
    BOOST_TEST(with("work", value), value);
  for (const nlohmann::json &value : {nlohmann::json("a"), nlohmann::json(true), nlohmann::json::array({1})})
    BOOST_TEST(!with("work", value), value);
  BOOST_TEST(with("collapsed", 7));
  for (const nlohmann::json &value :
       {nlohmann::json("7"), nlohmann::json(7.), nlohmann::json(), nlohmann::json(std::numeric_limits<std::int64_t>::min()),
        nlohmann::json(std::numeric_limits<std::uint64_t>::max())})
    BOOST_TEST(!with("collapsed", value), value);
  BOOST_TEST(!with("certificate/guaranteed", 1));
  BOOST_TEST(!with("momentum_after", nlohmann::json::array({1., 2.}))); // this record has no coordinates

  for (const auto forge :
       {+[](app::Totals &t) { t.n_steps = -1; }, +[](app::Totals &t) { t.n_not_converged = 2; },
        +[](app::Totals &t) { t.first_not_converged = "\xff"; }, +[](app::Totals &t) { t.values.pop_back(); },
        +[](app::Totals &t) { t.values.front().first = "other"; },
        +[](app::Totals &t) { t.values.emplace_back("more", 1); }})
    {
      app::Totals forged = totals;
      forge(forged);
      BOOST_TEST(!forged.fit(columns));
    }
}

BOOST_AUTO_TEST_SUITE_END()
