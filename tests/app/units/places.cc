// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/parameters.h"
#include "app/input/places.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

#include <set>

BOOST_AUTO_TEST_SUITE(places)

using namespace moreau;
using app::place_of;

BOOST_AUTO_TEST_CASE(every_subject_has_a_place_in_a_parameter_file)
{
  std::set<std::string> known; // sections and parameters
  for (const auto &[path, value] : app::ParameterFile().values_as_text())
    known.insert({path, path.substr(0, path.find('/'))});
  BOOST_TEST(!app::places().empty());
  for (const auto &[subject, place] : app::places())
    BOOST_TEST(known.count(place_of(subject)) == 1U, subject << " is not at " << place);
}

BOOST_AUTO_TEST_CASE(a_group_of_obstacles_has_its_own_section)
{
  BOOST_TEST(place_of("the angle of the obstacles") == "Obstacles/Angle expression");
  BOOST_TEST(place_of("the angle of the obstacles, group 2") == "Obstacles 2/Angle expression");
  BOOST_TEST(place_of("the obstacles, group 3") == "Obstacles 3");
}

BOOST_AUTO_TEST_CASE(words_that_are_not_in_the_table_have_no_place)
{
  BOOST_TEST(place_of("the weather") == "");
  BOOST_TEST(place_of("the weather, group 2") == "");
}

BOOST_AUTO_TEST_CASE(what_the_program_itself_says_is_a_place)
{
  for (const char *place : {"Zone/Walls", "Solver", "typing mistake", ""})
    BOOST_TEST(place_of(place) == place);
}

BOOST_AUTO_TEST_CASE(an_error_of_the_library_says_what_it_is_about)
{
  const InputError error("the end time of the impacts", "It must not be negative.");
  BOOST_TEST(error.what() == "the end time of the impacts: It must not be negative.");
  BOOST_TEST(error.sentence == "It must not be negative.");
  BOOST_TEST(InputError("", "It is late.").what() == "It is late.");
  BOOST_TEST(InputError("It is late.").what() == "It is late.");
}

BOOST_AUTO_TEST_SUITE_END()
