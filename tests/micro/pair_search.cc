// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/neighbour_list.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

#include <random>
#include <set>
#include <tuple>

BOOST_AUTO_TEST_SUITE(pair_search)

using namespace moreau;
using namespace moreau::micro;

namespace
{
struct Cloud
{
  Eigen::MatrixXd r;
  Vector          a;
};

/// n points in [0, 4]^d with radii of very different size.
Cloud cloud(const Index dim, const Index n, const unsigned int seed)
{
  std::mt19937                           generator(seed);
  std::uniform_real_distribution<double> uniform(0., 1.);
  Cloud                                  result{Eigen::MatrixXd(dim, n), Vector(n)};
  for (Index i = 0; i < n; ++i)
    {
      for (Index k = 0; k < dim; ++k)
        result.r(k, i) = 4. * uniform(generator);
      result.a(i) = .4 * std::pow(2., -6. * uniform(generator));
    }
  return result;
}

using Key = std::tuple<int, int, std::vector<int>>; ///< i, j and by how many periods j is moved

Key key_of(const NearPair &pair, const Cloud &c, const PeriodicBox &box)
{
  std::vector<int> shift(c.r.rows(), 0);
  for (Index k = 0; k < c.r.rows(); ++k)
    if (box.any() && box.period(k) > 0.)
      shift[k] = static_cast<int>(std::lround((pair.x[k] - (c.r(k, pair.j) - c.r(k, pair.i))) / box.period(k)));
  return {pair.i, pair.j, shift};
}

/// Every image of every pair.
std::set<Key> all_pairs(const Cloud &c, const PeriodicBox &box)
{
  const Index   dim = c.r.rows();
  std::set<Key> result;
  for (int i = 0; i < c.r.cols(); ++i)
    for (int j = i + 1; j < c.r.cols(); ++j)
      for (int code = 0; code < 27; ++code)
        {
          std::vector<int> shift  = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
          Eigen::Vector3d  x      = Eigen::Vector3d::Zero();
          bool             exists = true;
          for (Index k = 0; k < 3; ++k)
            {
              const double period = k < dim && box.any() ? box.period(k) : 0.;
              exists &= shift[k] == 0 || period > 0.;
              if (k < dim)
                x(k) = c.r(k, j) - c.r(k, i) + shift[k] * period;
            }
          shift.resize(dim);
          if (exists && x.norm() <= c.a(i) + c.a(j))
            result.insert({i, j, shift});
        }
  return result;
}
} // namespace

BOOST_AUTO_TEST_CASE(finds_what_a_look_at_all_pairs_finds)
{
  for (Index dim = 1; dim <= 3; ++dim)
    for (int n_periodic = 0; n_periodic <= dim; ++n_periodic)
      {
        const Cloud c = cloud(dim, 300, 7 * dim + n_periodic);
        PeriodicBox box;
        if (n_periodic > 0)
          {
            box.lower  = Vector::Zero(dim);
            box.period = Vector::Zero(dim);
            box.period.tail(n_periodic).setConstant(4.);
          }
        const std::vector<NearPair> pairs = PairSearch(c.r, c.a, box).pairs([](const NearPair &) { return true; });
        std::set<Key>               found;
        for (const NearPair &pair : pairs)
          {
            BOOST_TEST(pair.i < pair.j);
            BOOST_TEST(found.insert(key_of(pair, c, box)).second);
          }
        BOOST_TEST((found == all_pairs(c, box)));
        BOOST_TEST(found.size() > 30u);
        BOOST_TEST(std::is_sorted(pairs.begin(), pairs.end()));
      }
}

BOOST_AUTO_TEST_CASE(the_code_of_an_image_does_not_depend_on_the_side_from_which_a_pair_is_seen)
{
  // a sphere that is smaller looks for the larger one: both orders of the indices occur
  PeriodicBox box{Vector::Zero(2), Vector::Constant(2, 10.)};
  Cloud       c{Eigen::MatrixXd(2, 2), Vector(2)};
  c.r << .2, 9.9, 5., 5.;
  const auto keep = [](const NearPair &) { return true; };
  c.a << .5, .1;
  const NearPair large_first = PairSearch(c.r, c.a, box).pairs(keep).at(0);
  c.a << .1, .5;
  const NearPair small_first = PairSearch(c.r, c.a, box).pairs(keep).at(0);
  BOOST_TEST(large_first.image == small_first.image);
  BOOST_TEST(large_first.x(0) == small_first.x(0));
  BOOST_TEST(std::abs(large_first.x(0) + .3) < 1e-14); // rounding of coordinates near 10
}

BOOST_AUTO_TEST_CASE(keeps_only_what_it_is_told_to_keep)
{
  const Cloud c      = cloud(2, 500, 3);
  const auto  pairs  = PairSearch(c.r, c.a, {}).pairs([](const NearPair &pair) { return pair.i % 2 == 0; });
  const auto  all    = PairSearch(c.r, c.a, {}).pairs([](const NearPair &) { return true; });
  const auto  n_even = std::count_if(all.begin(), all.end(), [](const NearPair &pair) { return pair.i % 2 == 0; });
  BOOST_TEST(pairs.size() == static_cast<std::size_t>(n_even));
  BOOST_TEST(pairs.size() < all.size());
}

BOOST_AUTO_TEST_CASE(points_outside_the_periodic_box_are_seen_through_their_images)
{
  PeriodicBox box{Vector::Zero(1), Vector::Constant(1, 4.)};
  Cloud       c{Eigen::MatrixXd(1, 2), Vector::Constant(2, .3)};
  c.r << 9.1, -2.5; // 1.1 and 1.5
  const auto pairs = PairSearch(c.r, c.a, box).pairs([](const NearPair &) { return true; });
  BOOST_TEST_REQUIRE(pairs.size() == 1u);
  BOOST_TEST(std::abs(pairs[0].x(0) - .4) < 1e-14); // rounding of coordinates near 10
}

BOOST_AUTO_TEST_CASE(wrapping_never_returns_the_upper_end)
{
  PeriodicBox box{Vector::Constant(1, .1), Vector::Constant(1, .7)};
  for (double x : {.1, .8, -1e-18, .1 - 1e-17, 100., -100., .1 - 1e-300})
    {
      box.wrap(&x);
      BOOST_TEST((x >= .1 && x < .1 + .7));
    }
}

BOOST_AUTO_TEST_CASE(a_period_shorter_than_the_reach_is_refused)
{
  PeriodicBox box{Vector::Zero(2), Vector::Constant(2, 1.)};
  Cloud       c{Eigen::MatrixXd::Constant(2, 1, .5), Vector::Constant(1, .5)};
  BOOST_CHECK_EXCEPTION(PairSearch(c.r, c.a, box), InputError,
                        [](const InputError &error) { return error.subject == "the periods"; });
}

BOOST_AUTO_TEST_CASE(a_kept_list_contains_what_a_new_search_finds)
{
  std::mt19937                           generator(8);
  std::uniform_real_distribution<double> uniform(-1., 1.);
  for (const bool periodic : {false, true})
    {
      Cloud        c = cloud(2, 400, 12);
      const Vector R = .8 * c.a;
      PeriodicBox  box;
      if (periodic)
        box = {Vector::Zero(2), Vector::Constant(2, 4.)};
      NeighbourList list;
      for (int k = 0; k < 40; ++k)
        {
          list.prepare(c.r, c.a, R, box);
          std::set<std::tuple<int, int, std::int32_t>> listed;
          for (const NeighbourList::Candidate &candidate : list.candidates())
            listed.insert({candidate.i, candidate.j, candidate.image});
          const auto pairs = PairSearch(c.r, c.a, box).pairs([](const NearPair &) { return true; });
          BOOST_TEST(pairs.size() > 100u);
          for (const NearPair &pair : pairs)
            BOOST_TEST(listed.count({pair.i, pair.j, pair.image}) == 1u);
          for (Index i = 0; i < 400; ++i)
            {
              c.r.col(i) += .02 * R(i) * Eigen::Vector2d(uniform(generator), uniform(generator));
              box.wrap(&c.r(0, i));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_box_knows_what_it_contains)
{
  const PeriodicBox box{Vector::Zero(2), Eigen::Vector2d(1., 0.)};
  BOOST_TEST(box.contains(Eigen::Vector2d(.5, 7.)));
  BOOST_TEST(!box.contains(Eigen::Vector2d(1., 7.)));
  BOOST_TEST(PeriodicBox().contains(Eigen::Vector2d(5., 7.)));
}

BOOST_AUTO_TEST_SUITE_END()
