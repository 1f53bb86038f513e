// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/compaction.h"

#include "convex/solvers/least_relaxation.h"
#include "tests/micro/packing_gaps.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <vector>

BOOST_AUTO_TEST_SUITE(compaction)

using namespace moreau;
using namespace moreau::micro;
using namespace moreau::micro::test;

// The linear program of growth at the places where it ends, by another interior point: hardly any growth is left, its
// forces are in balance, and none of them is where a gap is wide.
BOOST_AUTO_TEST_CASE(it_ends_where_no_displacement_lets_radii_grow)
{
  struct Case
  {
    Index  dim, n;
    bool   periodic;
    double spread;
  };
  for (const auto &[dim, n, periodic, spread] : {Case{2, 400, true, .2}, Case{2, 150, false, .3}, Case{2, 900, true, .15},
                                                 Case{3, 150, true, .2}, Case{3, 80, false, .3}})
    for (const unsigned int seed : {1u, 2u})
      {
        PackingParameters p = parameters(dim, n, periodic, spread);
        p.seed              = seed;
        SoftSpheres spheres(p);
        spheres.soften([](double) {});
        const double        s = spheres.s;
        std::vector<double> fractions;
        BOOST_TEST(compact(spheres, [&](const double fraction) { fractions.push_back(fraction); }));
        BOOST_TEST((spheres.s > s && spheres.s < 1.1 * s));
        BOOST_TEST(std::is_sorted(fractions.begin(), fractions.end()));
        BOOST_TEST(fractions.back() > .9);

        const double                          unit  = 2. * spheres.s;
        const std::vector<SoftSpheres::Close> pairs = spheres.near(.25 * unit);
        const SoftSpheres::Rows               rows  = spheres.rows(pairs);
        BOOST_TEST(rows.D.minCoeff() > 0.);
        const Vector             l    = .5 * rows.S;
        const convex::Relaxation left = convex::LeastRelaxation(rows.B, l).solve(rows.D / unit, -1., 1e-14);
        BOOST_TEST(left.lower <= 0.);
        BOOST_TEST(left.lower > -1e-11);
        double widest    = 0.; // of what is pressed
        Index  n_pressed = 0;
        for (Index c = 0; c < left.p.size(); ++c)
          if (left.p(c) > 1e-6 * left.p.maxCoeff())
            {
              widest = std::max(widest, rows.D(c) / unit);
              ++n_pressed;
            }
        BOOST_TEST(widest < 1e-8);
        BOOST_TEST(n_pressed > dim * n / 2);
      }
}

BOOST_AUTO_TEST_CASE(spheres_that_overlap_are_left_alone)
{
  SoftSpheres           spheres(parameters(2, 100, true));
  const Eigen::MatrixXd r = spheres.r;
  BOOST_TEST(!compact(spheres, [](double) {}));
  BOOST_TEST((spheres.r == r));
}

BOOST_AUTO_TEST_SUITE_END()
