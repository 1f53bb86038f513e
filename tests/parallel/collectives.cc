// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/collectives.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

#include <numeric>

BOOST_AUTO_TEST_SUITE(collectives)

using namespace moreau;
using namespace moreau::parallel;

namespace
{
/// rank, rank, ... (rank times).
List list_of(const int rank) { return List(rank, rank); }

List lists_of_all(const int n)
{
  List all;
  for (int rank = 0; rank < n; ++rank)
    all.insert(all.end(), rank, rank);
  return all;
}
} // namespace

BOOST_AUTO_TEST_CASE(lists_of_all_come_in_the_order_of_ranks)
{
  const Processes world(MPI_COMM_WORLD);
  BOOST_TEST(on_all(world, list_of(world.rank())) == lists_of_all(world.size()));
  BOOST_TEST(on_first(world, list_of(world.rank())) == (world.rank() == 0 ? lists_of_all(world.size()) : List()));
}

BOOST_AUTO_TEST_CASE(every_process_gets_its_list)
{
  const Processes   world(MPI_COMM_WORLD);
  std::vector<List> lists;
  for (int rank = 0; rank < world.size() && world.rank() == 0; ++rank)
    lists.push_back(list_of(rank));
  BOOST_TEST(from_first(world, lists) == list_of(world.rank()));

  std::vector<List> to(world.size());
  List              expected;
  for (int rank = 0; rank < world.size(); ++rank)
    if (rank != world.rank())
      {
        to[rank] = {100. * world.rank() + rank};
        expected.push_back(100. * rank + world.rank());
      }
  BOOST_TEST(exchanged(world, to) == expected);
}

BOOST_AUTO_TEST_CASE(an_error_of_the_first_process_is_one_of_all)
{
  const Processes world(MPI_COMM_WORLD);
  bool            first_has_worked = false;
  by_first(world, [&] { first_has_worked = true; });
  BOOST_TEST(first_has_worked == (world.rank() == 0));
  BOOST_CHECK_EXCEPTION(by_first(world, [] { throw InputError("the spheres", "They are wrong."); }), InputError,
                        [](const InputError &error) { return error.sentence == "They are wrong."; });
}

BOOST_AUTO_TEST_SUITE_END()
