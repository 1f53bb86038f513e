// SPDX-License-Identifier: GPL-3.0-or-later
// Congested flow/Blocks file.
#include "app/input/line_setting.h"
#include "app/input/parameters.h"
#include "app/input/places.h"

#include "convex/input_error.h"

#include "folder.h"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(blocks_file)

using namespace moreau;

namespace
{
std::vector<macro::Block> blocks_of_lines(const std::string &text, std::string &message, const bool walls = false)
{
  const Folder              folder("moreau_blocks");
  const std::string         name = folder.write("blocks.csv", text).string();
  std::vector<macro::Block> blocks;
  const auto                prm = folder.write("flow.prm", "set Problem = congested flow\nset Dimension = 1\n");
  message                       = "";
  try
    {
      std::vector<std::string> settings = {"Congested flow/Method=exact blocks", "Congested flow/Blocks file=" + name};
      if (walls)
        settings.push_back("Zone/Walls=left, right");
      app::ParameterFile file(prm.string(), settings);
      file.values().validate();
      blocks = app::LineSetting(file).blocks();
    }
  catch (const InputError &error)
    {
      message = app::place_of(error.subject) + ": " + error.sentence;
    }
  return blocks;
}

std::string refusal_of_lines(const std::string &text, const bool walls = false)
{
  std::string message;
  BOOST_TEST(blocks_of_lines(text, message, walls).empty());
  BOOST_TEST(message.find("Congested flow/Blocks file: '") == 0, message);
  BOOST_TEST(message.find(". ") == std::string::npos, message);
  return message;
}
} // namespace

BOOST_AUTO_TEST_CASE(a_file_has_blocks_of_any_size)
{
  std::string text = "left,right,u\n", message;
  for (int k = 79; k >= 0; --k) // in any order; gaps of a picometre
    text += std::to_string(k) + "e-6," + std::to_string(k) + ".999999e-6," + std::to_string(k) + "\n";
  const std::vector<macro::Block> many = blocks_of_lines(text, message);
  BOOST_TEST(message == "");
  BOOST_TEST_REQUIRE(many.size() == 80);
  BOOST_TEST(many[3].left == 3e-6);
  BOOST_TEST(many[3].u == 3.);
  // blanks, comments, other columns, touching blocks of one velocity, and the last of two instants
  const auto touching =
      blocks_of_lines("t u right left block # comment\n0 9 9 8 0\n1 1 0.4 0.2 0\n1 1 0.5 0.4 1\n", message);
  BOOST_TEST(message == "");
  BOOST_TEST_REQUIRE(touching.size() == 2);
  BOOST_TEST(touching[1].left == .4);
}

BOOST_AUTO_TEST_CASE(bad_lines_of_a_file_of_blocks_are_named)
{
  const auto says = [](const std::string &message, const std::vector<std::string> &words) {
    for (const std::string &word : words)
      BOOST_TEST(message.find(word) != std::string::npos, message << " lacks " << word);
  };
  says(refusal_of_lines("left,right,u\n0,1,0\n2,nan,0\n"), {"line 3, column 'right'", "not finite"});
  says(refusal_of_lines("left,right,u\n0,one,0\n"), {"line 2, column 'right'", "'one' is not a number"});
  says(refusal_of_lines("left,right,u\n0,1\n"), {"line 2: 2 entries"});
  says(refusal_of_lines("left,right,u\n\n.4,.4,1\n"), {"line 3, column 'right'", "not on the right"});
  says(refusal_of_lines("left,right,u\n0,1e-126,1\n.25,.5,1\n"), {"line 2", "as short as the rounding"});
  says(refusal_of_lines("left,right,u\n.3,.6,0\n.1,.4,1\n"), {"line 2: the block [0.3, 0.6] overlaps [0.1, 0.4] of line 3"});
  says(refusal_of_lines("left,right,u\n.3,.6,0\n.8,1.1,1\n", true), {"line 3: the block [0.8, 1.1]", "the wall at 1"});
  says(refusal_of_lines("t,left,right,u\n1,.3,.6,0\n0,.3,.6,0\n"), {"line 3, column 't'", "must not decrease"});
  says(refusal_of_lines("left,right\n.3,.6\n"), {"line 1: the column 'u' is missing"});
  says(refusal_of_lines("left,right,v\n.3,.6,1\n"), {"line 1: the column 'v' is unknown"});
  says(refusal_of_lines("left,right,u\n"), {"there are no blocks"});
  says(refusal_of_lines(""), {"the file is empty"});
}

BOOST_AUTO_TEST_SUITE_END()
