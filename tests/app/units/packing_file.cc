// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/packing_file.h"

#include "convex/input_error.h"
#include "tests/app/units/folder.h"

#include <boost/test/unit_test.hpp>

#include <fstream>

BOOST_AUTO_TEST_SUITE(packing_file)

using namespace moreau;
using namespace moreau::app;

namespace
{
micro::PackingParameters twenty()
{
  micro::PackingParameters how;
  how.lower    = Eigen::Vector2d(0., 0.);
  how.upper    = Eigen::Vector2d(1., 1.);
  how.periodic = {true, true};
  how.n        = 20;
  how.seed     = 3;
  return how;
}
} // namespace

BOOST_AUTO_TEST_CASE(a_packing_that_cannot_be_left_is_not_lost)
{
  namespace fs = std::filesystem;
  const Folder                   folder;
  const fs::path                 cache  = folder.path / "cache";
  const micro::PackingParameters how    = twenty();
  int                            n_made = 0;
  const auto                     make   = [&] {
    ++n_made;
    return micro::random_packing(how);
  };
  const CachedPacking first = packing_of_cache(cache, how, [&] {
    fs::remove_all(cache); // while it was made something else got that name
    std::ofstream(cache) << "no folder";
    return make();
  });
  BOOST_TEST(!first.was_there);
  BOOST_TEST(first.warning.find("cache") != std::string::npos);
  BOOST_TEST(first.packing.spheres.size() == 20);
  BOOST_CHECK_EXCEPTION(packing_of_cache(cache, how, make), InputError,
                        [](const InputError &error) { return error.subject == "Random packing/Cache directory"; });
  BOOST_TEST(n_made == 1); // nothing is made that is known to be lost
  fs::remove(cache);
  const CachedPacking second = packing_of_cache(cache, how, make), third = packing_of_cache(cache, how, make);
  BOOST_TEST((!second.was_there && second.warning.empty() && third.was_there && third.warning.empty()));
  BOOST_TEST(n_made == 2);
  BOOST_TEST((third.packing.spheres.r == first.packing.spheres.r));
  BOOST_TEST((third.packing.spheres.R == second.packing.spheres.R));
}

BOOST_AUTO_TEST_SUITE_END()
