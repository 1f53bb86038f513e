// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/closed_contacts.h"

#include "motions.h"

#include "micro/network/rigid_clusters.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>

BOOST_AUTO_TEST_SUITE(closed_contacts_of_motions)

using namespace moreau;
using namespace moreau::micro;

namespace
{
constexpr double tolerance = 1e-8;

SphereSystem discs(const Eigen::MatrixXd &r)
{
  SphereSystem system;
  system.spheres = {r, Vector::Ones(r.cols()), Vector::Ones(r.cols())};
  system.U       = Vector::Zero(r.size());
  system.force   = gravity(10.);
  return system;
}

/// Three discs that fit between two walls, on a floor; one lies on them, one flies. The right wall moves from t = 1 on.
SphereSystem bed(const double speed)
{
  Eigen::MatrixXd r(2, 5);
  r << 1., 3., 5., 2., 3., //
      1., 1., 1., 1. + std::sqrt(3.), 90.;
  SphereSystem system = discs(r);
  RigidMotion  moving;
  moving.translation = [speed](const double t) -> Vector { return Eigen::Vector2d(speed * std::max(0., t - 1.), 0.); };
  system.obstacles   = Obstacles({half_space("floor", Vector::Zero(2), Vector::Unit(2, 1)),
                                  half_space("left", Vector::Zero(2), Vector::Unit(2, 0)),
                                  half_space("right", Vector::Constant(2, 6.), -Vector::Unit(2, 0), 1)},
                                 {RigidMotion(), moving});
  return system;
}

double rigid_flags(const ClosedContacts &closed)
{
  return closed.rigid->is_rigid.size() > 0 ? closed.rigid->is_rigid.sum() : 0.;
}
} // namespace

// The row is pressed by a self-stress; on the floor it may be lifted, and so may what lies on it.
BOOST_AUTO_TEST_CASE(a_row_that_fits_between_walls_is_rigid)
{
  for (const Scheme scheme : {Scheme::linearised_constraints, Scheme::catching_up})
    {
      MotionParameters parameters;
      parameters.scheme = scheme;
      const auto motion = make_motion(bed(.5), parameters);
      run(*motion, .01, .5);
      const ClosedContacts closed = closed_contacts(*motion, tolerance, 1000);
      BOOST_TEST_REQUIRE(closed.rigid.has_value());
      BOOST_TEST(closed.graph.n_contacts() == 9); // 2 in the row, 3 with the floor, 2 with walls, 2 of what lies on it
      BOOST_TEST(closed.rigid->n_rows == 4);
      BOOST_TEST(rigid_flags(closed) == 4.);
      for (Index c = 0; c < closed.graph.n_contacts(); ++c)
        BOOST_TEST((closed.rigid->is_rigid(c) > 0.) == (std::abs(closed.graph.contacts[c].e(1)) < .1));
      const RigidClusters clusters =
          rigid_clusters(closed.graph, {closed.rigid->is_rigid.begin(), closed.rigid->is_rigid.end()});
      BOOST_TEST(clusters.n_clusters == 1);
      BOOST_TEST(clusters.largest == 3);
      BOOST_TEST(!closed_contacts(*motion, tolerance, 8).rigid.has_value());
    }
}

/// A triangular lattice that fills a box: n discs of radius 1 across, one less in every second layer.
SphereSystem crystal(const int n, const int layers)
{
  std::vector<Eigen::Vector2d> centres;
  for (int layer = 0; layer < layers; ++layer)
    for (int k = 0; k < n - layer % 2; ++k)
      centres.emplace_back(1. + layer % 2 + 2. * k, 1. + std::sqrt(3.) * layer);
  SphereSystem system = discs(Eigen::Map<const Eigen::MatrixXd>(centres[0].data(), 2, static_cast<Index>(centres.size())));
  std::mt19937 generator(4);
  std::uniform_real_distribution<double> uniform(-1., 1.);
  for (double &U : system.U)
    U = uniform(generator);
  const double height = 2. + std::sqrt(3.) * (layers - 1);
  system.obstacles    = Obstacles({half_space("floor", Vector::Zero(2), Vector::Unit(2, 1)),
                                   half_space("left", Vector::Zero(2), Vector::Unit(2, 0)),
                                   half_space("right", Vector::Constant(2, 2. * n), -Vector::Unit(2, 0)),
                                   half_space("lid", Vector::Constant(2, height), -Vector::Unit(2, 1))},
                                  {RigidMotion()});
  return system;
}

// Multipliers of crystals in boxes are found without their stress, but no bound is: that is what it is looked for.
BOOST_AUTO_TEST_CASE(crystals_in_boxes_rest_with_a_bound)
{
  for (const int n : {8, 15}) // less and more than 500 constraints
    {
      const auto motion = make_motion(crystal(n, n), MotionParameters());
      for (int k = 1; k <= 6; ++k)
        {
          motion->advance(.01 * k);
          const StepRecord &record = motion->record();
          BOOST_TEST((record.effort.status == convex::Status::converged));
          BOOST_TEST(record.effort.guaranteed);
          BOOST_TEST(record.effort.relative_error_bound <= 1e-6);
          BOOST_TEST(record.max_overlap <= 1e-12);
        }
      const ClosedContacts closed = closed_contacts(*motion, tolerance, 2000);
      BOOST_TEST_REQUIRE(closed.rigid.has_value());
      BOOST_TEST(closed.rigid->n_rows == closed.graph.n_contacts());
      BOOST_TEST(*motion->record().n_rigid == closed.rigid->n_rows);
      BOOST_TEST(std::count_if(motion->contacts().begin(), motion->contacts().end(),
                               [](const MotionContact &contact) { return contact.rigid; }) > 0);
    }
}

BOOST_AUTO_TEST_CASE(a_wall_that_has_gone_leaves_nothing_rigid)
{
  const auto motion = make_motion(bed(.5), MotionParameters());
  run(*motion, .01, 1.5);
  const ClosedContacts closed = closed_contacts(*motion, tolerance, 1000);
  BOOST_TEST_REQUIRE(closed.rigid.has_value());
  BOOST_TEST(closed.graph.n_contacts() >= 4);
  BOOST_TEST(closed.rigid->n_rows == 0);
}

// Around a period, where the row holds itself; and without spheres.
BOOST_AUTO_TEST_CASE(a_row_around_a_period_is_rigid)
{
  Eigen::MatrixXd r(2, 3);
  r << .5, 2.5, 4.5, //
      0., 0., 0.;
  SphereSystem system = discs(r);
  system.lower        = Vector::Zero(2);
  system.period       = Eigen::Vector2d(6., 0.);
  const auto motion   = make_motion(system, MotionParameters());
  run(*motion, .01, .1);
  const ClosedContacts closed = closed_contacts(*motion, tolerance, 1000);
  BOOST_TEST_REQUIRE(closed.rigid.has_value());
  BOOST_TEST(closed.graph.n_contacts() == 3);
  BOOST_TEST(closed.rigid->n_rows == 3);
  motion->remove({0, 1, 2});
  const ClosedContacts none = closed_contacts(*motion, tolerance, 1000);
  BOOST_TEST_REQUIRE(none.rigid.has_value());
  BOOST_TEST(none.graph.n_contacts() == 0);
  BOOST_TEST(none.rigid->n_rows == 0);
}

BOOST_AUTO_TEST_SUITE_END()
