// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/congested_flow.h"

#include "flows.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(sheared_bodies)

using namespace moreau;
using namespace moreau::macro;
using namespace flows;

// One body whose velocity varies is one body; what touches it, or is thin, is not.
namespace
{
using Velocity = std::function<Vector(const Vector &)>;

BodyCounts bodies_of(const int dim, const int n, const std::function<bool(const Vector &)> &holds, const Velocity &u)
{
  FlowSetting setting     = empty_box(dim, n);
  setting.bodies          = BodyVelocities::kept;
  setting.law.restitution = .5;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    const Vector x = setting.grid.centre(cell);
    if (!holds(x))
      return;
    setting.rho(cell) = 1.;
    for (int axis = 0; axis < dim; ++axis)
      setting.momentum[axis](cell) = u(x)(axis);
  });
  return CongestedFlow(setting).record().bodies;
}

Velocity along_x(const std::function<double(double)> &of_y)
{
  return [of_y](const Vector &x) { return Vector(Eigen::Vector2d(of_y(x(1)), 0.)); };
}

bool is_in_block(const Vector &x) { return std::abs(x(0) - .5) < .3 && std::abs(x(1) - .5) < .37; }
bool is_in_disc(const Vector &x) { return (x - Vector::Constant(x.size(), .5)).head(2).norm() < .35; }
} // namespace

// Extremes lie within a row, between two of them, and a row from the edge.
BOOST_AUTO_TEST_CASE(a_sheared_body_is_one)
{
  const std::vector<std::function<double(double)>> profiles = {
      [](double y) { return y; },
      [](double y) { return 1. + 1e-3 * std::sin(8. * M_PI * y); },
      [](double y) { return 1. + std::sin(8. * M_PI * y); },
      [](double y) { return y * y; },
      [](double y) { return std::max(0., y - .5); },
      [](double y) { return std::cos(2. * M_PI * (y - .5 - 1. / 32.)); }};
  for (const int n : {32, 40, 80})
    for (std::size_t k = 0; k < profiles.size(); ++k)
      for (const auto &shape : {is_in_block, is_in_disc})
        BOOST_TEST_CONTEXT(n << " cells, profile " << k << (shape == is_in_disc ? ", disc" : ", block"))
        {
          const BodyCounts found = bodies_of(2, n, shape, along_x(profiles[k]));
          BOOST_TEST(found.bodies == 1);
          BOOST_TEST(found.births == 1);
          BOOST_TEST(found.thin == 0);
        }
}

BOOST_AUTO_TEST_CASE(a_turning_body_is_one)
{
  const Velocity turning = [](const Vector &x) {
    Vector u = Vector::Zero(x.size());
    u.head(2) << .5 - x(1), x(0) - .5;
    return u;
  };
  BOOST_TEST(bodies_of(2, 32, is_in_disc, turning).births == 1);
  const BodyCounts pillar = bodies_of(3, 16, is_in_disc, turning); // its columns have one velocity each
  BOOST_TEST(pillar.births == 1);
  BOOST_TEST(pillar.thin == 0);
}

// A block of one velocity beside a sheared one, along whose edge it moves by 1 m/s or, too little for these cells, by .02.
BOOST_AUTO_TEST_CASE(what_touches_a_sheared_body_with_another_velocity_is_another)
{
  const auto beside = [](const int n, const double jump) {
    return bodies_of(2, n, is_in_block, along_x([jump](double y) { return y < .5 ? y : .5 + jump; })).births;
  };
  for (const int n : {32, 40, 80})
    {
      BOOST_TEST(beside(n, 1.) == 2);
      BOOST_TEST(beside(n, -1.) == 2);
    }
  BOOST_TEST(beside(40, .02) == 1);
  BOOST_TEST(beside(160, .02) == 2);
}

// They are mixture and said to be narrow, as they were.
BOOST_AUTO_TEST_CASE(thin_bodies_are_not_taken_for_a_part_of_what_they_touch)
{
  constexpr int n      = 40;
  const auto    plates = [](const std::vector<double> &of_rows) { // from y = .6 on; below it rests
    return bodies_of(
           2, n, [&](const Vector &x) { return std::abs(x(0) - .5) < .3 && .2 < x(1) && x(1) < .6 + of_rows.size() / 40.; },
           along_x([&](double y) { return y < .6 ? 0. : of_rows[static_cast<std::size_t>((y - .6) * n)]; }));
  };
  for (const auto &rows : std::vector<std::vector<double>>{{1.}, {1., 1.}, {1., -1.}, {1., 1., 2., 2.}, {1., -2., 3.}})
    {
      const BodyCounts found = plates(rows);
      BOOST_TEST(found.births == 1);
      BOOST_TEST(found.thin >= 1);
    }
  BOOST_TEST(plates({1., 1., 1.}).births == 2);
  BOOST_TEST(plates({1., 1., 1., 1.}).thin == 0);
  BOOST_TEST(plates({1., 2., 3., 4.}).births == 1); // rows of a shear
  BOOST_TEST(plates({1., 2., 3., 4.}).thin == 0);
}

BOOST_AUTO_TEST_SUITE_END()
