// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/contact_statistics.h"

#include "micro/contact_graph.h"
#include "micro/lattices.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <numeric>

BOOST_AUTO_TEST_SUITE(contact_statistics_of_spheres)

using namespace moreau::micro;

namespace utf = boost::unit_test;

namespace
{
/// Contacts of a piece of a lattice, with forces that depend on their direction.
template <class Force>
std::vector<PressedContact> contacts_of(const Spheres &spheres, const Force &force)
{
  std::vector<PressedContact> contacts;
  for (const Contact &contact : moreau::micro::contact_graph(spheres, {}, 1e-6).contacts)
    contacts.push_back({contact.e, force(contact.e)});
  return contacts;
}

/// Six discs around one: of its twelve contacts four point along each direction of the triangular lattice.
Spheres seven_discs()
{
  Spheres spheres;
  spheres.r = Eigen::MatrixXd::Zero(2, 7);
  for (int k = 0; k < 6; ++k)
    spheres.r.col(k + 1) << std::cos(k * M_PI / 3.), std::sin(k * M_PI / 3.);
  spheres.R = Eigen::VectorXd::Constant(7, .5);
  spheres.m = Eigen::VectorXd::Ones(7);
  return spheres;
}

bool is_along_x(const Eigen::Vector3d &e) { return std::abs(e(1)) < .5; }
} // namespace

BOOST_AUTO_TEST_CASE(directions_of_a_triangular_lattice_are_six_rays, *utf::tolerance(1e-12))
{
  // p = 2 along x, 1 along the two others: x has half of all forces and a third of all contacts
  const auto statistics =
      contact_statistics(contacts_of(seven_discs(), [](const Eigen::Vector3d &e) { return is_along_x(e) ? 2. : 1.; }), 2);
  BOOST_TEST(statistics.n == 12);
  BOOST_TEST(statistics.mean == 4. / 3.);
  BOOST_TEST(statistics.largest == 2.);
  BOOST_TEST_REQUIRE(statistics.directions.size() == 36u);
  for (const auto &bin : statistics.directions)
    {
      const bool on_ray = std::fmod(bin.angle, 60.) == 0., along_x = std::fmod(bin.angle, 180.) == 0.;
      BOOST_TEST(bin.count == (on_ray ? 4 : 0), bin.angle);
      BOOST_TEST(bin.count_density == (on_ray ? 6. : 0.), bin.angle);
      BOOST_TEST(bin.force_density == (!on_ray ? 0. : along_x ? 9. : 4.5), bin.angle);
    }
  // equal numbers along the three directions: no direction is preferred by the second moment
  BOOST_TEST(statistics.fabric(0, 0) == .5);
  BOOST_TEST((std::abs(statistics.fabric(0, 1)) < 1e-15));
  // Σ p e eᵀ = 4 (2 + 1/4 + 1/4) and 4 (3/4 + 3/4), over Σ p = 16
  BOOST_TEST(statistics.force_fabric(0, 0) == 5. / 8.);
  BOOST_TEST(statistics.force_fabric(1, 1) == 3. / 8.);
}

BOOST_AUTO_TEST_CASE(a_uniform_distribution_is_flat, *utf::tolerance(1e-12))
{
  std::vector<PressedContact> contacts;
  constexpr int               n = 1600;
  for (int k = 0; k < n; ++k)
    contacts.push_back({{1., 0., 0.}, 7. * (k + .5) / n});
  const auto statistics = contact_statistics(contacts, 1);
  BOOST_TEST(statistics.mean == 3.5);
  BOOST_TEST(statistics.directions.empty());
  BOOST_TEST_REQUIRE(statistics.forces.size() == 16u); // p / mean in (0, 2), bins of 1/8
  for (const auto &bin : statistics.forces)
    {
      BOOST_TEST(bin.count == 100);
      BOOST_TEST(bin.density == .5);
      BOOST_TEST(bin.upper - bin.lower == .125);
    }
}

BOOST_AUTO_TEST_CASE(equal_forces_share_a_bin_and_nothing_is_lost, *utf::tolerance(1e-12))
{
  const auto equal = contact_statistics(contacts_of(seven_discs(), [](const Eigen::Vector3d &) { return 1. / 3.; }), 2);
  BOOST_TEST(equal.forces.back().count == 12);
  BOOST_TEST(equal.forces.back().lower == 1.);

  std::vector<PressedContact> wide = {{{0., 0., 1.}, 1e6}};
  for (int k = 0; k < 99; ++k)
    wide.push_back({{1., 0., 0.}, 1.});
  const auto   statistics = contact_statistics(wide, 3);
  Eigen::Index n          = 0;
  double       integral   = 0.;
  for (const auto &bin : statistics.forces)
    {
      n += bin.count;
      integral += bin.density * (bin.upper - bin.lower);
    }
  BOOST_TEST(n == 100);
  BOOST_TEST(integral == 1.);
  BOOST_TEST(statistics.forces.size() <= 10u);
}

BOOST_AUTO_TEST_CASE(directions_in_space_are_relative_to_their_part_of_the_sphere,
                     *utf::tolerance(5e-3)) // 380 ends at a pole
{
  // uniformly on the sphere: heights in equal steps, the angle about z does not matter
  std::vector<PressedContact> contacts;
  constexpr int               n = 100000;
  for (int k = 0; k < n; ++k)
    {
      const double z = (k + .5) / n;
      contacts.push_back({{std::sqrt(1. - z * z), 0., z}, 1.});
    }
  const auto statistics = contact_statistics(contacts, 3);
  BOOST_TEST_REQUIRE(statistics.directions.size() == 19u);
  for (const auto &bin : statistics.directions)
    {
      BOOST_TEST(bin.count_density == 1.);
      BOOST_TEST(bin.force_density == 1.);
    }
  BOOST_TEST(std::accumulate(statistics.directions.begin(), statistics.directions.end(), 0,
                             [](const int sum, const auto &bin) { return sum + static_cast<int>(bin.count); }) == 2 * n);
}

BOOST_AUTO_TEST_CASE(without_contacts_there_is_nothing)
{
  const auto statistics = contact_statistics({}, 2);
  BOOST_TEST(statistics.n == 0);
  BOOST_TEST(statistics.forces.empty());
  BOOST_TEST(statistics.directions.empty());
  BOOST_TEST(std::isnan(statistics.fabric(0, 0)));
}

BOOST_AUTO_TEST_SUITE_END()
