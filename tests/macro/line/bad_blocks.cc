// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/input_error.h"
#include "macro/line/exact_blocks.h"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

BOOST_AUTO_TEST_SUITE(bad_blocks)

using namespace moreau;
using namespace moreau::macro;

using Blocks = std::vector<Block>;

namespace
{
ExactBlocks::Parameters with(const double e, const double force = 0., const LineWalls &walls = {})
{
  ExactBlocks::Parameters parameters;
  std::tie(parameters.restitution, parameters.force, parameters.walls) = std::tie(e, force, walls);
  return parameters;
}
} // namespace

BOOST_AUTO_TEST_CASE(they_say_what_is_wrong)
{
  const double nan    = std::numeric_limits<double>::quiet_NaN();
  const auto   refuse = [](const Blocks &blocks, const ExactBlocks::Parameters &parameters, const std::string &words) {
    BOOST_CHECK_EXCEPTION(ExactBlocks(blocks, parameters), InputError, [&](const InputError &error) {
      return error.sentence.find(words) != std::string::npos && !error.subject.empty();
    });
  };
  refuse({{0., 1., 0.}, {.5, 1., 0.}}, with(0.), "overlaps");
  refuse({{-.1, 1., 0.}}, with(0., 0., {0., 2.}), "wall");
  refuse({{1.5, 1., 0.}}, with(0., 0., {0., 2.}), "wall");
  refuse({{0., 0., 0.}}, with(0.), "width");
  refuse({{0., nan, 0.}}, with(0.), "width");
  refuse({{nan, 1., 0.}}, with(0.), "place");
  refuse({{0., 1., nan}}, with(0.), "velocity");
  refuse({{0., 1., 0.}}, with(1.1), "[0, 1]");
  refuse({{0., 1., 0.}}, with(nan), "[0, 1]");
  refuse({{0., 1., 0.}}, with(0., nan), "force");
  refuse({}, with(0., 0., {1., 0.}), "wall");
  ExactBlocks blocks({{0., 1., 1.}}, with(0.));
  BOOST_CHECK_THROW(blocks.advance(-1.), std::invalid_argument);
  BOOST_CHECK_THROW(blocks.advance(nan), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
