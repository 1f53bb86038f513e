// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/impact.h"

#include "convex/certificate.h"
#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(impact)

using namespace moreau;
using namespace moreau::micro;

namespace
{
/// n touching spheres of radius 1/2 and mass 1 on the x axis.
Spheres row(const Index n)
{
  Spheres spheres{Eigen::MatrixXd::Zero(2, n), Vector::Constant(n, .5), Vector::Ones(n)};
  spheres.r.row(0) = Vector::LinSpaced(n, 0., static_cast<double>(n - 1));
  return spheres;
}

Vector struck(const Index n)
{
  Vector U = Vector::Zero(2 * n);
  U(0)     = 1.;
  return U;
}

std::string complaint(const Spheres &spheres, const std::vector<std::array<int, 2>> &pairs)
{
  try
    {
      graph_of_pairs(spheres, {}, pairs);
    }
  catch (const InputError &error)
    {
      return error.what();
    }
  return "";
}
} // namespace

// A row of equal spheres struck at one end leaves as one block (BM, eq. 8 with e = 0).
BOOST_AUTO_TEST_CASE(inelastic_row_moves_as_a_block)
{
  const SphereImpact x = micro::impact(row(5), {}, struck(5));
  BOOST_TEST_REQUIRE(x.law.effort.converged());
  for (Index k = 0; k < 5; ++k)
    BOOST_TEST(x.law.u_plus(2 * k) == .2, boost::test_tools::tolerance(1e-8));
  BOOST_TEST(x.graph.n_contacts() == 4);
  BOOST_TEST(x.law.worst.guaranteed);
}

BOOST_AUTO_TEST_CASE(contacts_of_the_caller_are_those_that_are_found)
{
  const Spheres                   spheres = row(6);
  std::vector<std::array<int, 2>> pairs;
  for (int k = 0; k + 1 < 6; ++k)
    pairs.push_back({k, k + 1});
  const SphereImpact found = micro::impact(spheres, {}, struck(6));
  const SphereImpact given = micro::impact(spheres, {}, graph_of_pairs(spheres, {}, pairs), struck(6));
  BOOST_TEST(found.law.u_plus == given.law.u_plus);
  BOOST_TEST(found.graph.smallest_gap == given.graph.smallest_gap);
}

BOOST_AUTO_TEST_CASE(restitution_and_walls_are_those_of_the_options)
{
  Spheres ball{Eigen::MatrixXd(2, 1), Vector::Constant(1, .5), Vector::Ones(1)};
  ball.r << 0., .5;
  const Wall    floor{"floor", Eigen::Vector2d(0., 1.), 0., Eigen::Vector2d(0., .25)};
  ImpactOptions options;
  options.law.restitution = .5;
  const SphereImpact x    = micro::impact(ball, {floor}, Eigen::Vector2d(1., -1.), options);
  BOOST_TEST(x.law.u_plus(0) == 1.);
  BOOST_TEST(x.law.u_plus(1) == .25 + .5 * 1.25, boost::test_tools::tolerance(1e-12)); // relative to the floor
}

BOOST_AUTO_TEST_CASE(walls_that_squeeze_are_named)
{
  const std::vector<Wall> walls = {{"left", Eigen::Vector2d(1., 0.), -.5, Eigen::Vector2d(1., 0.)},
                                   {"right", Eigen::Vector2d(-1., 0.), -1.5, Eigen::Vector2d(-1., 0.)}};
  BOOST_CHECK_EXCEPTION(micro::impact(row(2), walls, Vector::Zero(4)), InputError, [](const InputError &error) {
    return error.subject == "the velocities of the walls" && error.sentence.find("spheres 0-1") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(pairs_that_are_no_contacts_are_refused)
{
  const Spheres spheres = row(3);
  BOOST_TEST(complaint(spheres, {{0, 1}, {1, 2}}) == "");
  BOOST_TEST(complaint(spheres, {}) == "");
  for (const std::array<int, 2> &pair : {std::array<int, 2>{1, 0}, {1, 1}, {0, 3}, {-1, 0}, {3, 4}})
    BOOST_TEST(complaint(spheres, {pair}).find("0 <= i < j") != std::string::npos);
  BOOST_TEST(complaint(spheres, {{1, 2}, {0, 1}}).find("sort contacts") != std::string::npos);
  BOOST_TEST(complaint(spheres, {{0, 1}, {0, 1}}).find("sort contacts") != std::string::npos);
  Spheres coinciding = spheres;
  coinciding.r.setZero();
  BOOST_TEST(complaint(coinciding, {{0, 1}}).find("coincide") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(numbers_of_a_certificate_have_names)
{
  const SphereImpact x = micro::impact(row(3), {}, struck(3));
  for (const auto &[name, value] : convex::named_numbers(x.law.worst))
    {
      if (name == "relative_error_bound")
        BOOST_TEST(value == x.law.worst.relative_error_bound);
      if (name == "scale")
        BOOST_TEST(value == x.law.worst.scale);
    }
  BOOST_TEST(convex::named_numbers(x.law.worst).size() == 10U);
}

BOOST_AUTO_TEST_SUITE_END()
