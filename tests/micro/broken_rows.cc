// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/broken_rows.h"

#include "micro/contact_graph.h"
#include "micro/lattices.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

BOOST_AUTO_TEST_SUITE(broken_rows)

using namespace moreau;
using namespace moreau::micro;

namespace
{
constexpr int none = RowsOfSites::none;

/// A row of n sites; closed: the last one is beside the first.
std::vector<int> row(const int n, const bool closed)
{
  std::vector<int> next(n);
  for (int k = 0; k < n; ++k)
    next[k] = k + 1 < n ? k + 1 : closed ? 0 : none;
  return next;
}

std::vector<double> falling(const int n)
{
  std::vector<double> numbers(n);
  for (int k = 0; k < n; ++k)
    numbers[k] = 1. - static_cast<double>(k) / n;
  return numbers;
}

long long n_vacant(const std::vector<char> &is_vacant) { return std::count(is_vacant.begin(), is_vacant.end(), 1); }

lattices::Zone box(const double width, const double height)
{
  lattices::Zone zone;
  zone.lower = Vector::Zero(2);
  zone.upper = Eigen::Vector2d(width, height);
  return zone;
}

/// Rows along e, by the coordinate across it, and the coordinates of their spheres along it.
std::map<long long, std::set<double>> rows_along(const Spheres &spheres, const Eigen::Vector2d &e, const double spacing)
{
  std::map<long long, std::set<double>> rows;
  for (Index i = 0; i < spheres.size(); ++i)
    {
      const Eigen::Vector2d x      = spheres.r.col(i);
      const double          across = x(1) * e(0) - x(0) * e(1);
      rows[std::llround(1e3 * across / spacing)].insert(x.dot(e));
    }
  return rows;
}
} // namespace

BOOST_AUTO_TEST_CASE(an_open_row_loses_its_weakest_site_in_between)
{
  const RowsOfSites sites  = {{row(6, false)}, falling(6)};
  const auto        vacant = with_broken_rows(sites, std::vector<char>(6, 0));
  BOOST_TEST(vacant == std::vector<char>({0, 0, 0, 0, 1, 0}), boost::test_tools::per_element()); // not the last one, 5
}

BOOST_AUTO_TEST_CASE(a_closed_row_has_no_ends)
{
  const RowsOfSites sites  = {{row(6, true)}, falling(6)};
  const auto        vacant = with_broken_rows(sites, std::vector<char>(6, 0));
  BOOST_TEST(vacant == std::vector<char>({0, 0, 0, 0, 0, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_vacant_end_breaks_no_row_and_is_filled_for_the_one_that_does)
{
  const RowsOfSites sites  = {{row(5, false)}, {.1, .5, .4, .6, .7}};
  const auto        vacant = with_broken_rows(sites, {1, 0, 0, 0, 0});
  BOOST_TEST(vacant == std::vector<char>({0, 0, 1, 0, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(rows_of_two_are_left_alone)
{
  const RowsOfSites sites = {{row(2, false)}, {.1, .2}};
  BOOST_TEST(n_vacant(with_broken_rows(sites, {0, 0})) == 0);
}

BOOST_AUTO_TEST_CASE(vacancies_that_rows_need_stay_and_the_largest_number_is_filled_first)
{
  // two closed rows of three: the first has two vacancies, the second none
  const RowsOfSites sites  = {{{1, 2, 0, 4, 5, 3}}, {.1, .3, .9, .8, .7, .6}};
  const auto        vacant = with_broken_rows(sites, {1, 1, 0, 0, 0, 0});
  BOOST_TEST(vacant == std::vector<char>({1, 0, 0, 0, 0, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_another_direction_makes_superfluous_is_filled)
{
  // a square of 3 x 3 sites on a torus: the first direction vacates 2, 5, 8 (one column), the second 1, then, and 0;
  // 3 would do, but of the six chosen one by one only those stay that some row needs
  RowsOfSites sites;
  sites.next.resize(2);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 3; ++x)
      {
        sites.next[0].push_back(3 * y + (x + 1) % 3);
        sites.next[1].push_back(3 * ((y + 1) % 3) + x);
        sites.number.push_back(x == 2 ? .1 : x == 1 ? .5 : .6);
      }
  const auto vacant = with_broken_rows(sites, std::vector<char>(9, 0));
  const auto whole  = [&](const std::vector<char> &now) {
    int n = 0;
    for (int k = 0; k < 3; ++k)
      n += (!now[3 * k] && !now[3 * k + 1] && !now[3 * k + 2]) + (!now[k] && !now[k + 3] && !now[k + 6]);
    return n;
  };
  BOOST_TEST(whole(vacant) == 0);
  for (int k = 0; k < 9; ++k)
    if (vacant[k])
      {
        auto filled = vacant;
        filled[k]   = 0;
        BOOST_TEST(whole(filled) > 0);
      }
}

BOOST_AUTO_TEST_CASE(no_row_of_a_triangular_lattice_is_whole_and_the_number_of_vacancies_stays_near)
{
  for (const double angle : {0., .3})
    for (const unsigned int seed : {1u, 2u, 3u})
      {
        lattices::Placement placement;
        placement.spacing     = 1. / 40.;
        placement.angle       = angle;
        placement.vacancies   = .05;
        placement.seed        = seed;
        const auto    zone    = box(1., 1.);
        const Spheres before  = lattices::triangular(zone, placement);
        placement.break_rows  = true;
        const Spheres spheres = lattices::triangular(zone, placement);
        // short rows near corners need a few more
        BOOST_TEST(spheres.size() <= before.size());
        BOOST_TEST(spheres.size() > .995 * before.size());
        placement.break_rows = false;
        placement.vacancies  = 0.;
        const Spheres all    = lattices::triangular(zone, placement);
        for (int k = 0; k < 3; ++k)
          {
            const double          phi = angle + k * M_PI / 3.;
            const Eigen::Vector2d e(std::cos(phi), std::sin(phi));
            auto                  filled = rows_along(spheres, e, placement.spacing);
            int                   n_rows = 0;
            for (auto &[across, places] : rows_along(all, e, placement.spacing))
              if (places.size() > 2)
                {
                  ++n_rows;
                  // of the sites in between
                  const double first = *places.begin(), last = *places.rbegin();
                  const auto  &there = filled[across];
                  const auto   n     = std::count_if(there.begin(), there.end(), [&](const double s) {
                    return s > first + .5 * placement.spacing && s < last - .5 * placement.spacing;
                  });
                  BOOST_TEST(n < static_cast<long long>(places.size()) - 2);
                }
            BOOST_TEST(n_rows > 30);
          }
      }
}

BOOST_AUTO_TEST_CASE(rows_around_a_periodic_box_are_broken_and_no_site_is_there_twice)
{
  lattices::Placement placement;
  placement.spacing     = 1. / 30.;
  placement.vacancies   = .05;
  placement.break_rows  = true;
  auto zone             = box(1., std::sqrt(.75));
  zone.box              = {zone.lower, zone.upper - zone.lower};
  const Spheres spheres = lattices::triangular(zone, placement);
  BOOST_TEST(spheres.size() < 900);
  BOOST_TEST(spheres.size() > 820);
  const double               at_side = 1. - 1e-9;
  std::map<long long, Index> in_row; // 30 sites each
  for (Index i = 0; i < spheres.size(); ++i)
    {
      BOOST_TEST(spheres.r(0, i) < at_side);
      ++in_row[std::llround(1e3 * spheres.r(1, i))];
    }
  BOOST_TEST(in_row.size() == 30u);
  for (const auto &[height, n] : in_row)
    BOOST_TEST(n < 30);
}

BOOST_AUTO_TEST_CASE(a_lattice_without_vacancies_has_as_many_as_its_rows_need)
{
  lattices::Placement placement;
  placement.spacing    = .1;
  placement.break_rows = true;
  BOOST_TEST(100 - lattices::square(box(1., 1.), placement).size() >= 8); // ten rows each way, of which two lie at the sides
  BOOST_TEST(100 - lattices::square(box(1., 1.), placement).size() <= 20);
  placement.n_parts = 2;
  BOOST_CHECK_THROW(lattices::square(box(1., 1.), placement), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(rows_of_a_face_centred_cubic_lattice_have_six_directions)
{
  lattices::Placement placement;
  placement.spacing      = 1. / 6.;
  placement.vacancies    = .1;
  placement.break_rows   = true;
  lattices::Zone zone    = {Vector::Zero(3), Vector::Ones(3)};
  const Spheres  spheres = lattices::face_centred_cubic(zone, placement);
  placement.vacancies    = 0.;
  placement.break_rows   = false;
  const Spheres all      = lattices::face_centred_cubic(zone, placement);
  const auto    key      = [&](const Vector &x) {
    return std::array<long long, 3>{std::llround(1e6 * x(0)), std::llround(1e6 * x(1)), std::llround(1e6 * x(2))};
  };
  std::set<std::array<long long, 3>> filled, sites;
  for (Index i = 0; i < spheres.size(); ++i)
    filled.insert(key(spheres.r.col(i)));
  for (Index i = 0; i < all.size(); ++i)
    sites.insert(key(all.r.col(i)));
  int n_whole = 0, n_rows = 0;
  for (const Eigen::Vector3d &e : {Eigen::Vector3d(1, 1, 0), Eigen::Vector3d(1, 0, 1), Eigen::Vector3d(0, 1, 1),
                                   Eigen::Vector3d(1, -1, 0), Eigen::Vector3d(1, 0, -1), Eigen::Vector3d(0, 1, -1)})
    for (Index i = 0; i < all.size(); ++i)
      {
        const Vector step = std::sqrt(.5) * placement.spacing * e;
        Vector       x    = all.r.col(i);
        if (sites.count(key(x - step)) > 0)
          continue;
        int  n     = 0;
        bool whole = true;
        for (x += step; sites.count(key(x + step)) > 0; x += step, ++n)
          whole = whole && filled.count(key(x)) > 0;
        n_rows += n > 0;
        n_whole += n > 0 && whole;
      }
  BOOST_TEST(n_rows > 60);
  BOOST_TEST(n_whole == 0);
}

BOOST_AUTO_TEST_SUITE_END()
