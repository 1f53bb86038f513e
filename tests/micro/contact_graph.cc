// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/contact_graph.h"

#include "convex/input_error.h"
#include "micro/lattices.h"

#include <boost/test/unit_test.hpp>

#include <tbb/global_control.h>

#include <limits>
#include <random>
#include <set>

BOOST_AUTO_TEST_SUITE(contact_graph)

using namespace moreau;
using namespace moreau::micro;

namespace
{
double gap_of(const Spheres &spheres, const Index i, const Index j)
{
  return (spheres.r.col(j) - spheres.r.col(i)).norm() - spheres.R(i) - spheres.R(j);
}

/// Spheres with random radii between R_min and R_max (log-uniform), thrown at
/// random and grown or dropped until none overlap:
/// many of them touch, to rounding, the one that stopped their growth.
Spheres random_packing(const Index dim, const Index n_tries, const double R_min, const double R_max, const unsigned int seed)
{
  std::mt19937                           random(seed);
  std::uniform_real_distribution<double> uniform;
  std::vector<Vector>                    centres;
  std::vector<double>                    radii;
  for (Index t = 0; t < n_tries; ++t)
    {
      Vector r(dim);
      for (double &x : r)
        x = uniform(random);
      double R = R_min * std::pow(R_max / R_min, uniform(random));
      for (std::size_t k = 0; k < centres.size(); ++k)
        R = std::min(R, (r - centres[k]).norm() - radii[k]);
      if (R >= R_min)
        {
          centres.push_back(r);
          radii.push_back(R);
        }
    }
  Spheres spheres{Eigen::MatrixXd(dim, centres.size()), Eigen::Map<Vector>(radii.data(), radii.size()),
                  Vector::Ones(radii.size())};
  for (std::size_t k = 0; k < centres.size(); ++k)
    spheres.r.col(k) = centres[k];
  return spheres;
}

/// Compares with the definition, pair by pair.
void check_against_all_pairs(const Spheres &spheres, const std::vector<Wall> &walls, const double tolerance)
{
  const ContactGraph graph    = micro::contact_graph(spheres, walls, tolerance);
  double             smallest = std::numeric_limits<double>::infinity();
  std::size_t        c        = 0;
  const auto         compare  = [&](const Index i, const Index j, const double D, const double R, const Vector &e) {
    smallest = std::min(smallest, D);
    if (D > tolerance * R)
      return;
    BOOST_TEST_REQUIRE(c < graph.contacts.size());
    BOOST_TEST(graph.contacts[c].i == i);
    BOOST_TEST(graph.contacts[c].j == j);
    BOOST_TEST(std::abs(graph.contacts[c].D - D) <= 1e-14); // rounding of distances of order 1
    BOOST_TEST((graph.contacts[c].e.head(spheres.dimension()) - e).norm() <= 1e-9);
    ++c;
  };
  for (Index i = 0; i < spheres.size(); ++i)
    {
      for (Index j = i + 1; j < spheres.size(); ++j)
        compare(i, j, gap_of(spheres, i, j), std::min(spheres.R(i), spheres.R(j)),
                (spheres.r.col(j) - spheres.r.col(i)).normalized());
      for (std::size_t w = 0; w < walls.size(); ++w)
        compare(i, spheres.size() + w, walls[w].normal.dot(spheres.r.col(i)) - walls[w].offset - spheres.R(i), spheres.R(i),
                -walls[w].normal);
    }
  BOOST_TEST(c == graph.contacts.size());
  BOOST_TEST(std::abs(graph.smallest_gap - smallest) <= 1e-14);
}

std::string error_of(const Spheres &spheres, const std::vector<Wall> &walls = {}, const double tolerance = 1e-6)
{
  try
    {
      micro::contact_graph(spheres, walls, tolerance);
    }
  catch (const InputError &error)
    {
      return error.what();
    }
  return "no error";
}

Spheres spheres_at(const std::vector<Eigen::Vector2d> &centres, const double R = 1.)
{
  Spheres spheres{Eigen::MatrixXd(2, centres.size()), Vector::Constant(centres.size(), R), Vector::Ones(centres.size())};
  for (std::size_t k = 0; k < centres.size(); ++k)
    spheres.r.col(k) = centres[k];
  return spheres;
}

bool same(const ContactGraph &a, const ContactGraph &b)
{
  bool equal = a.n_contacts() == b.n_contacts() && a.smallest_gap == b.smallest_gap;
  for (Index c = 0; equal && c < a.n_contacts(); ++c)
    equal = a.contacts[c].i == b.contacts[c].i && a.contacts[c].j == b.contacts[c].j && a.contacts[c].D == b.contacts[c].D &&
            a.contacts[c].e == b.contacts[c].e;
  return equal;
}
} // namespace

BOOST_AUTO_TEST_CASE(finds_what_all_pairs_give)
{
  for (const Index dim : {1, 2, 3})
    for (const double ratio : {1.5, 10., 100., 1000.})
      for (const unsigned int seed : {1, 2, 3})
        {
          BOOST_TEST_CONTEXT("dimension " << dim << ", ratio " << ratio << ", seed " << seed)
          {
            const Spheres spheres = random_packing(dim, 400, .3 / ratio, .3, seed);
            const auto    walls =
                box_walls(Vector::Constant(dim, -.4), Vector::Constant(dim, 1.4), {"left", "right"}); // behind all spheres
            check_against_all_pairs(spheres, {}, 1e-9);
            check_against_all_pairs(spheres, walls, 1e-9);
            check_against_all_pairs(spheres, walls, .3); // many contacts at a distance
          }
        }
}

BOOST_AUTO_TEST_CASE(packings_under_test_have_contacts_between_small_and_large)
{
  const Spheres      spheres = random_packing(2, 400, .003, .3, 1);
  const ContactGraph graph   = micro::contact_graph(spheres, {}, 1e-9);
  BOOST_TEST(graph.n_contacts() > 50);
  double largest_ratio = 1.;
  for (const Contact &c : graph.contacts)
    largest_ratio = std::max({largest_ratio, spheres.R(c.i) / spheres.R(c.j), spheres.R(c.j) / spheres.R(c.i)});
  BOOST_TEST(largest_ratio > 20.);
}

BOOST_AUTO_TEST_CASE(spheres_far_apart_have_no_contact_but_a_smallest_gap)
{
  for (const Index dim : {1, 2, 3})
    for (const double R : {1e-3, 1e-5, 1e-8})
      {
        Spheres spheres = random_packing(dim, 100, 1e-3, 1.001e-3, 5);
        spheres.R.setConstant(R);
        check_against_all_pairs(spheres, {}, 1e-9);
        check_against_all_pairs(spheres, box_walls(Vector::Constant(dim, -.01), Vector::Constant(dim, 2.), {"left"}), 1e-9);
      }
}

BOOST_AUTO_TEST_CASE(a_lone_sphere_has_no_gap_but_to_a_wall)
{
  const Spheres one = spheres_at({{0., 0.}});
  BOOST_TEST(std::isinf(micro::contact_graph(one, {}, 1e-6).smallest_gap));
  const auto wall = box_walls(Vector::Constant(2, -3.), Vector::Ones(2), {"bottom"});
  BOOST_TEST(micro::contact_graph(one, wall, 1e-6).smallest_gap == 2.);
  BOOST_TEST(micro::contact_graph(Spheres{Eigen::MatrixXd(2, 0), Vector(0), Vector(0)}, {}, 1e-6).n_contacts() == 0);
}

BOOST_AUTO_TEST_CASE(the_tolerance_is_relative_to_the_smaller_radius)
{
  Spheres spheres = spheres_at({{0., 0.}, {1.1 + 1e-5, 0.}});
  spheres.R(1)    = .1;
  BOOST_TEST(micro::contact_graph(spheres, {}, .99e-4).n_contacts() == 0);
  BOOST_TEST(micro::contact_graph(spheres, {}, 1.01e-4).n_contacts() == 1);
}

BOOST_AUTO_TEST_CASE(the_contact_with_a_wall_points_into_the_wall)
{
  const auto         walls = box_walls(Vector::Constant(2, -1.), Vector::Constant(2, 9.), {"top", "left", "bottom"});
  const ContactGraph graph = micro::contact_graph(spheres_at({{0., 0.}, {2., 0.}}), walls, 1e-6);
  BOOST_TEST_REQUIRE(graph.n_contacts() == 4);
  const std::vector<std::pair<int, int>> expected = {{0, 1}, {0, 3}, {0, 4}, {1, 4}}; // wall w is 2 + w
  for (Index c = 0; c < 4; ++c)
    {
      BOOST_TEST(graph.contacts[c].i == expected[c].first);
      BOOST_TEST(graph.contacts[c].j == expected[c].second);
      BOOST_TEST(graph.touches_wall(graph.contacts[c]) == (c > 0));
    }
  BOOST_TEST((graph.contacts[0].e == Eigen::Vector3d(1., 0., 0.)));
  BOOST_TEST((graph.contacts[1].e == Eigen::Vector3d(-1., 0., 0.)));
  BOOST_TEST((graph.contacts[2].e == Eigen::Vector3d(0., -1., 0.)));
}

BOOST_AUTO_TEST_CASE(lattices_far_from_the_origin_keep_their_contacts)
{
  Spheres     spheres = lattices::triangular({Vector::Zero(2), Vector::Ones(2)}, {.1});
  const Index m       = micro::contact_graph(spheres, {}, 1e-6).n_contacts();
  spheres.r.colwise() += Eigen::Vector2d(1e6, -1e7);
  BOOST_TEST(micro::contact_graph(spheres, {}, 1e-6).n_contacts() == m);
  spheres.r.colwise() += Eigen::Vector2d(1e15, 0.);
  BOOST_TEST(error_of(spheres).find("move the origin") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(zero_tolerance_allows_for_rounding)
{
  BOOST_TEST(micro::contact_graph(lattices::hyperstatic_cluster(.1), {}, 0.).n_contacts() == 29);
}

BOOST_AUTO_TEST_CASE(overlap_is_refused_with_the_worst_pair_and_its_depth)
{
  const std::string error = error_of(spheres_at({{0., 0.}, {1.9, 0.}, {0., 1.75}, {9., 9.}}));
  BOOST_TEST(
      error.find(
          "the spheres: Spheres 0 and 2 overlap by 0.25 m, that is 0.25 of the smaller radius where 1e-06 is allowed; "
          "it is the worst of 2 overlaps;") == 0);
  BOOST_TEST(error_of(spheres_at({{0., 0.}, {0., 0.}})).find("Spheres 0 and 1 overlap by 2 m") != std::string::npos);
  BOOST_TEST(error_of(spheres_at({{0., 0.}, {2. - .9e-6, 0.}})) == "no error");
  BOOST_TEST(error_of(spheres_at({{0., 0.}, {2. - 1.1e-6, 0.}})) != "no error");
}

BOOST_AUTO_TEST_CASE(a_sphere_in_a_wall_is_refused)
{
  const auto        walls = box_walls(Vector::Constant(2, -.5), Vector::Constant(2, 9.), {"left"});
  const std::string error = error_of(spheres_at({{3., 0.}, {0., 0.}}), walls);
  BOOST_TEST(error.find("the spheres: Sphere 1 reaches into the wall 'left' by 0.5 m") == 0);
}

BOOST_AUTO_TEST_CASE(a_configuration_in_the_wrong_unit_is_refused_at_once)
{
  Spheres spheres = lattices::square({Vector::Zero(2), Vector::Ones(2)}, {1. / 128.});
  spheres.R *= 1000.;
  BOOST_TEST(error_of(spheres).find("overlap by") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_tolerance_that_makes_no_sense_is_refused)
{
  for (const double tolerance : {-1e-9, 1., double(NAN)})
    BOOST_TEST(error_of(spheres_at({{0., 0.}}), {}, tolerance).find("the contact tolerance: ") == 0);
}

BOOST_AUTO_TEST_CASE(directions_of_a_lattice_are_exactly_common)
{
  const lattices::Zone box{Vector::Zero(2), Vector::Ones(2)};
  for (const double angle : {0., .1, M_PI / 6., 1., M_PI / 2.})
    {
      lattices::Placement placement;
      placement.spacing        = 1. / 32.;
      placement.angle          = angle;
      Spheres spheres          = lattices::triangular(box, placement);
      spheres.r                = (spheres.r * 1e13).array().round() / 1e13; // as read from a file of 13 digits
      const ContactGraph graph = micro::contact_graph(spheres, {}, 1e-6);

      std::set<std::pair<double, double>> directions;
      for (const Contact &c : graph.contacts)
        directions.insert(c.e(1) > 1e-9 || (std::abs(c.e(1)) <= 1e-9 && c.e(0) > 0.) ? std::pair{c.e(0), c.e(1)}
                                                                                     : std::pair{-c.e(0), -c.e(1)});
      BOOST_TEST(directions.size() == 3);
      for (Index k = 0; k < 3; ++k)
        {
          const double exact_angle = angle + k * M_PI / 3.;
          double       nearest     = 1.;
          for (const auto &[x, y] : directions)
            nearest = std::min(nearest, std::abs(x * std::sin(exact_angle) - y * std::cos(exact_angle)));
          BOOST_TEST(nearest < 2e-14); // 1e-13/(1/32) of rounding, averaged over a thousand contacts
        }
    }
}

BOOST_AUTO_TEST_CASE(directions_of_an_unrotated_lattice_are_the_exact_ones)
{
  const Spheres spheres = lattices::triangular({Vector::Zero(2), Vector::Ones(2)}, {1. / 37.});
  for (const Contact &c : micro::contact_graph(spheres, {}, 1e-6).contacts)
    {
      BOOST_TEST((std::abs(c.e(0)) == 1. || std::abs(c.e(0)) == .5));
      BOOST_TEST((c.e(1) == 0. || std::abs(c.e(1)) == std::sqrt(.75)));
    }
}

BOOST_AUTO_TEST_CASE(directions_of_a_disordered_packing_stay_as_they_are)
{
  const Spheres spheres = random_packing(2, 400, .01, .3, 4);
  for (const Contact &c : micro::contact_graph(spheres, {}, 1e-9).contacts)
    BOOST_TEST((c.e.head(2) - (spheres.r.col(c.j) - spheres.r.col(c.i)).normalized()).norm() <= 4e-16); // rounding
}

BOOST_AUTO_TEST_CASE(the_graph_does_not_depend_on_the_number_of_threads)
{
  const Spheres             lattice = lattices::triangular({Vector::Zero(2), Vector::Ones(2)}, {1. / 128.});
  const ContactGraph        many    = micro::contact_graph(lattice, {}, 1e-6);
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  BOOST_TEST(same(many, micro::contact_graph(lattice, {}, 1e-6)));
}

// Of a periodic box: the second lattice loses what overlaps the first, or itself, across its sides.
BOOST_AUTO_TEST_CASE(two_lattices_do_not_overlap_across_the_sides_of_a_box)
{
  const PeriodicBox box{Vector::Zero(2), (Vector(2) << 1., 0.).finished()};
  lattices::Zone    zone{Vector::Zero(2), Vector::Ones(2)};
  zone.contains              = [](const Vector &x) { return x(0) < .999 && x(1) < .5; }; // sites on both sides are one
  const Spheres first        = lattices::triangular(zone, {1. / 10.});
  zone.contains              = [](const Vector &x) { return x(1) >= .5; };
  lattices::Placement turned = {1. / 10.};
  turned.angle               = 15. * M_PI / 180.;
  const Spheres second       = lattices::triangular(zone, turned);
  Spheres       both = united(first, second, 1e-6, box), overlapping = united(first, second, 1e-6);
  BOOST_TEST((first.size() < both.size() && both.size() < overlapping.size()));
  for (Spheres *const spheres : {&both, &overlapping})
    for (Index i = 0; i < spheres->size(); ++i)
      box.wrap(&spheres->r(0, i));
  BOOST_CHECK_NO_THROW(micro::contact_graph(both, {}, 1e-6, box));
  BOOST_CHECK_THROW(micro::contact_graph(overlapping, {}, 1e-6, box), InputError);
}

// Directions that are just one with the first that was seen, on either side of it: the mean is farther from some.
BOOST_AUTO_TEST_CASE(directions_far_from_their_mean_are_that_mean)
{
  const Index n_pairs = 22;
  Spheres     spheres{Eigen::MatrixXd(2, 2 * n_pairs), Vector::Constant(2 * n_pairs, .5), Vector::Ones(2 * n_pairs)};
  std::vector<std::array<int, 2>> pairs;
  for (int k = 0; k < n_pairs; ++k)
    {
      const double angle = .3 + (k == 0 ? 0. : k == 1 ? -1.9e-9 : 1.9e-9);
      spheres.r.col(2 * k) << 0., 0.;
      spheres.r.col(2 * k + 1) << std::cos(angle), std::sin(angle);
      pairs.push_back({2 * k, 2 * k + 1});
    }
  const ContactGraph graph = graph_of_pairs(spheres, {}, pairs);
  for (const Contact &contact : graph.contacts)
    {
      BOOST_TEST(std::abs(contact.e.norm() - 1.) < 1e-15);
      BOOST_TEST((contact.e == graph.contacts[0].e));
    }
}

BOOST_AUTO_TEST_SUITE_END()
