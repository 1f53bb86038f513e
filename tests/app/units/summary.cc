// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/summary.h"

#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <limits>

BOOST_AUTO_TEST_SUITE(summary)

using namespace moreau;
using namespace moreau::app;

BOOST_AUTO_TEST_CASE(the_keys_of_the_interface_are_there)
{
  Summary s;
  s.converged  = true;
  s.n_unknowns = 10;
  const auto j = nlohmann::json::parse(to_json(s).dump());
  for (const char *key : {"problem", "dimension", "version", "status", "unknowns", "constraints", "iterations",
                          "wall_time_s", "peak_memory_bytes", "energy_before", "energy_projected", "energy_after",
                          "certificate", "format_version", "command", "git_hash", "date", "host", "threads"})
    BOOST_TEST(j.contains(key), key << " is missing");
  for (const char *key : {"guaranteed", "relative_error_bound", "gap", "primal_infeasibility", "dual_infeasibility",
                          "complementarity", "round_off_floor", "scale"})
    BOOST_TEST(j["certificate"].contains(key), "certificate." << key << " is missing");
  BOOST_TEST(j["status"] == "converged");
  BOOST_TEST(j["unknowns"] == 10);
  BOOST_TEST(j["peak_memory_bytes"] > 1000000); // any process with this library
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_is_null)
{
  Summary s;
  s.energy_projected                = std::numeric_limits<double>::quiet_NaN();
  s.certificate.bound_relative_to_u = std::numeric_limits<double>::infinity();
  const std::string text            = to_json(s).dump();
  const auto        j               = nlohmann::json::parse(text);
  BOOST_TEST(j["energy_projected"].is_null());
  BOOST_TEST(j["certificate"]["bound_relative_to_u"].is_null());
}

BOOST_AUTO_TEST_CASE(numbers_read_back_bit_for_bit)
{
  Summary s;
  s.energy_before = 1. / 3.;
  BOOST_TEST(nlohmann::json::parse(to_json(s).dump())["energy_before"].get<double>() == 1. / 3.);
}

BOOST_AUTO_TEST_CASE(the_tolerance_asked_for_and_the_one_demanded_are_told_apart)
{
  Summary s;
  s.tolerance          = 1e-12;
  s.tolerance_demanded = 3e-8;
  BOOST_TEST(to_json(s)["tolerance"].get<double>() == 1e-12);
  BOOST_TEST(to_json(s)["tolerance_demanded"].get<double>() == 3e-8);
}

nlohmann::ordered_json summary_with_estimate(const bool converged, const bool guaranteed)
{
  Summary s;
  s.converged                        = converged;
  s.certificate.guaranteed           = guaranteed;
  s.certificate.relative_error_bound = .25;
  nlohmann::ordered_json json        = to_json(s);
  separate_estimates(json);
  return json["certificate"];
}

BOOST_AUTO_TEST_CASE(an_estimate_does_not_stand_in_the_place_of_a_bound)
{
  BOOST_TEST(summary_with_estimate(true, true)["relative_error_bound"] == .25);
  const auto estimate = summary_with_estimate(true, false);
  BOOST_TEST(estimate["relative_error_bound"].is_null());
  BOOST_TEST(estimate["bound_relative_to_u"].is_null());
  BOOST_TEST(estimate["error_estimate"] == .25);
}

BOOST_AUTO_TEST_CASE(an_estimate_of_what_has_not_converged_is_no_number)
{
  const auto estimate = summary_with_estimate(false, false);
  BOOST_TEST(estimate["relative_error_bound"].is_null());
  BOOST_TEST(estimate["error_estimate"].is_null());
}

BOOST_AUTO_TEST_CASE(diagnostics_that_were_not_computed_are_left_out)
{
  convex::Diagnostics d;
  BOOST_TEST(!to_json(d).contains("rank"));
  d.rank_of_B         = 11;
  d.maximum_principle = convex::MaximumPrinciple::fails;
  BOOST_TEST(to_json(d)["rank"] == 11);
  BOOST_TEST(to_json(d)["maximum_principle"] == "fails");
}

BOOST_AUTO_TEST_SUITE_END()
