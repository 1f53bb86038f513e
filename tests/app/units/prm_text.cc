// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/prm_text.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(prm_text)

using namespace moreau;
using namespace moreau::app;

BOOST_AUTO_TEST_CASE(paths_values_and_lines_are_read)
{
  const PrmText text = parse_prm("# a comment\n"
                                 "set  Problem=micro impact   # another\n"
                                 "subsection Spheres\n"
                                 "  set Lattice   angle = 1,\\\n"
                                 "    2\n"
                                 "  subsection Inner\n"
                                 "    set Name = a = b\r\n"
                                 "  end\n"
                                 "end\n"
                                 "set Empty =\n");
  BOOST_TEST_REQUIRE(text.assignments.size() == 4u);
  BOOST_TEST(text.assignments[0].path == "Problem");
  BOOST_TEST(text.assignments[0].value == "micro impact");
  BOOST_TEST(text.assignments[0].line == 2u);
  BOOST_TEST(text.assignments[1].path == "Spheres/Lattice angle");
  BOOST_TEST(text.assignments[1].value == "1, 2");
  BOOST_TEST(text.assignments[1].line == 4u); // where the continued line begins
  BOOST_TEST(text.assignments[2].path == "Spheres/Inner/Name");
  BOOST_TEST(text.assignments[2].value == "a = b");
  BOOST_TEST(text.assignments[3].path == "Empty");
  BOOST_TEST(text.assignments[3].value == "");
  BOOST_TEST_REQUIRE(text.sections.size() == 2u);
  BOOST_TEST(text.sections[1].path == "Spheres/Inner");
}

BOOST_AUTO_TEST_CASE(a_setting_names_its_section)
{
  const Assignment setting = parse_setting(" Zone / Upper  corner =1, 2");
  BOOST_TEST(setting.path == "Zone/Upper corner");
  BOOST_TEST(setting.value == "1, 2");
  BOOST_CHECK_THROW(parse_setting("Zone/Upper corner"), InputError);
}

BOOST_AUTO_TEST_CASE(mistakes_name_their_section)
{
  const auto section_of_mistake = [](const std::string &text) {
    try
      {
        parse_prm(text);
      }
    catch (const InputError &error)
      {
        return error.subject;
      }
    return std::string("no mistake");
  };
  BOOST_TEST(section_of_mistake("subsection A\nsubsection B\nset x 1\nend\nend\n") == "A/B");
  BOOST_TEST(section_of_mistake("subsection A\nfoo\nend\n") == "A");
  BOOST_TEST(section_of_mistake("subsection A\nset = 1\nend\n") == "A");
  BOOST_TEST(section_of_mistake("subsection A\nset x = 1\n") == "A");
  BOOST_TEST(section_of_mistake("set x = 1\nend\n") == "");
  BOOST_TEST(section_of_mistake("subsection A\nset x = 1\nend\n") == "no mistake");
}

BOOST_AUTO_TEST_CASE(the_nearest_name_has_the_fewest_changes)
{
  const std::vector<std::string> names = {"Restitution", "Tolerance", "Spheres/File"};
  BOOST_TEST(nearest("Restitutoin", names) == "Restitution");
  BOOST_TEST(nearest("tolerance", names) == "Tolerance"); // case does not count
  BOOST_TEST(nearest("Sphere/File", names) == "Spheres/File");
  BOOST_TEST(nearest("qqqqqqqqqqq", names) == "");
}

BOOST_AUTO_TEST_CASE(text_that_is_not_utf8_is_found)
{
  BOOST_TEST(is_utf8("plain"));
  BOOST_TEST(is_utf8("\xc3\xa9t\xc3\xa9 \xe2\x89\xa4 \xf0\x9d\x94\xb8")); // two, three and four bytes
  for (const char *text : {"\xe9t", "\xc3", "\xc3(", "\xff"})
    BOOST_TEST(!is_utf8(text));
  BOOST_CHECK_THROW(parse_prm("set Solver = \xe9\n"), InputError);
  BOOST_TEST(parse_prm("# \xe9\nset Solver = lines\n").assignments.size() == 1u); // comments may be anything
}

BOOST_AUTO_TEST_SUITE_END()
