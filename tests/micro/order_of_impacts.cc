// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/impact_sequence.h"

#include "convex/solvers/make_projector.h"
#include "micro/lattices.h"

#include <boost/test/unit_test.hpp>

#include <utility>

BOOST_AUTO_TEST_SUITE(order_of_impacts)

using namespace moreau;
using namespace moreau::micro;

namespace
{
/// Of spheres of radius 1/2 and mass 1 on a line at x, but for one of another mass.
ImpactSequence sequence_of(const Vector &x, const Vector &U, const double e, const double tolerance,
                           const Vector &mass = Vector::Ones(3))
{
  SequenceParameters parameters;
  parameters.law.restitution   = e;
  parameters.max_impacts       = 10000;
  parameters.contact_tolerance = tolerance;
  const Spheres spheres{x.transpose(), Vector::Constant(x.size(), .5), mass};
  return micro::impact_sequence(spheres, {}, U, *convex::make_projector("Lawson-Hanson", {1e-10}), parameters);
}
} // namespace

// A light sphere between heavy ones collapses. Momentum alone tells the end, whatever the tolerance.
BOOST_AUTO_TEST_CASE(a_collapse_does_not_end_at_the_contact_tolerance)
{
  for (const auto &[mass, e] : {std::pair(100., .5), {10., .2}})
    for (const double tolerance : {1e-3, 1e-6, 1e-12})
      {
        const ImpactSequence x = sequence_of(Eigen::Vector3d(0., 1.1, 2.2), Eigen::Vector3d(1., .3, -1.), e, tolerance,
                                             Eigen::Vector3d(mass, 1., mass));
        const double         u = .3 / (2. * mass + 1.);
        BOOST_TEST((x.U.array() - u).abs().maxCoeff() < 1e-9);
        BOOST_TEST((x.end == ImpactSequence::End::separated));
        for (const SequenceImpact &impact : x.impacts)
          BOOST_TEST(!impact.hangs_on_tolerance);
      }
}

// e = .09 is above 7 - 4 sqrt 3: gaps shrink to a fraction of the tolerance and open again.
BOOST_AUTO_TEST_CASE(what_nearly_collapses_parts_at_the_same_speeds_for_every_tolerance)
{
  const auto x_for = [](const double tolerance) {
    return sequence_of(Eigen::Vector3d(0., 1.1, 2.2), Eigen::Vector3d(1., .1, -1.), .09, tolerance);
  };
  const ImpactSequence fine = x_for(1e-12), coarse = x_for(1e-3);
  BOOST_TEST(!fine.impacts.back().effort.collapsed);
  BOOST_TEST(fine.impacts.size() > 3u);
  BOOST_TEST(fine.U(0) < fine.U(2));
  BOOST_TEST((fine.U - coarse.U).norm() < 1e-9);
}

BOOST_AUTO_TEST_CASE(impacts_that_hang_on_the_tolerance_say_so)
{
  const auto hangs = [](const double gap, const double e) {
    const ImpactSequence x =
        sequence_of(Eigen::Vector3d(0., 1.5, 2.5 + gap), Eigen::Vector3d(1., 0., 0.), e, usual_contact_tolerance);
    return x.impacts.front().hangs_on_tolerance;
  };
  for (const double e : {.5, 1.})
    {
      BOOST_TEST(hangs(1e-7, e));
      BOOST_TEST(hangs(4e-7, e));
      BOOST_TEST(!hangs(0., e));
      BOOST_TEST(!hangs(1e-14, e)); // rounding
      BOOST_TEST(!hangs(1e-3, e));  // no contact
    }
  BOOST_TEST(!hangs(1e-7, 0.)); // sticks, sooner or later
  // two pairs that have nothing to do with each other, one a little later
  const ImpactSequence pairs = sequence_of(Eigen::Vector4d(0., 1.5, 20., 21.5 + 1e-7), Eigen::Vector4d(0., -1., 1., 0.), 1.,
                                           usual_contact_tolerance, Vector::Ones(4));
  BOOST_TEST(pairs.impacts.size() == 1u);
  BOOST_TEST(!pairs.impacts.front().hangs_on_tolerance);
}

BOOST_AUTO_TEST_SUITE_END()
