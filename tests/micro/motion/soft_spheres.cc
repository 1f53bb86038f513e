// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/soft_spheres.h"

#include "micro/contact_graph.h"
#include "micro/jamming.h"
#include "tests/micro/packing_gaps.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

BOOST_AUTO_TEST_SUITE(soft_spheres)

using namespace moreau;
using namespace moreau::micro;
using namespace moreau::micro::test;

namespace
{
struct Forces
{
  double E, mean_overlap, imbalance; ///< m²; of the mean diameter; mean square of forces on spheres over the mean overlap
};

Forces forces(const SoftSpheres &x, const PackingParameters &parameters)
{
  Packing packing;
  packing.spheres        = {x.r, x.s * x.a, Vector::Ones(x.size())};
  const Index          n = x.size();
  double               E = 0., sum = 0.;
  Eigen::MatrixXd      F     = Eigen::MatrixXd::Zero(x.dimension(), n);
  std::vector<StepRow> pairs = all_gaps(packing, parameters, 0.);
  for (const auto &[i, j, image, e, D] : pairs)
    {
      E += .5 * D * D;
      sum -= D;
      F.col(i) += D * e.head(x.dimension());
      if (j < n)
        F.col(j) -= D * e.head(x.dimension());
    }
  const double mean = pairs.empty() ? 0. : sum / static_cast<double>(pairs.size());
  return {E, mean / (2. * x.s), pairs.empty() ? 0. : F.norm() / (mean * std::sqrt(static_cast<double>(n)))};
}
} // namespace

BOOST_AUTO_TEST_CASE(soft_spheres_come_to_rest_by_inertia_and_by_majorants)
{
  for (const auto &[dim, n, periodic] : {std::tuple{Index{2}, Index{300}, true}, std::tuple{Index{3}, Index{100}, false}})
    {
      const PackingParameters p = parameters(dim, n, periodic, .2);
      SoftSpheres             spheres(p);
      spheres.glide(1e-2);
      const double before = forces(spheres, p).E;
      const double rough  = spheres.glide(1e-3);
      const Forces glided = forces(spheres, p);
      BOOST_TEST(glided.E <= before);
      BOOST_TEST(std::abs(rough - glided.mean_overlap) < 1e-12);
      BOOST_TEST(glided.imbalance <= 1e-3);
      BOOST_TEST(spheres.imbalance() == glided.imbalance, boost::test_tools::tolerance(1e-6));

      const double fine    = spheres.settle(1e-7);
      const Forces settled = forces(spheres, p);
      BOOST_TEST(settled.E <= glided.E);
      BOOST_TEST(std::abs(fine - settled.mean_overlap) < 1e-12);
      BOOST_TEST(settled.imbalance <= 1e-7);
      BOOST_TEST(spheres.imbalance() <= 1e-7);

      spheres.s *= .5;
      const Eigen::MatrixXd r = spheres.r;
      BOOST_TEST(spheres.settle(1e-7) == 0.); // nothing overlaps: all stay
      BOOST_TEST((spheres.r == r));
    }
}

BOOST_AUTO_TEST_CASE(softened_spheres_just_do_not_overlap)
{
  for (const unsigned int seed : {1u, 2u, 3u})
    {
      PackingParameters p = parameters(2, 400, true, .2);
      p.seed              = seed;
      SoftSpheres spheres(p);
      spheres.soften([](double) {});
      BOOST_TEST(forces(spheres, p).E == 0.);
      spheres.s *= 1.01;
      const double overlap = forces(spheres, p).mean_overlap;
      BOOST_TEST((overlap > 1e-4 && overlap < 1e-2));
    }
}

// Their radii and forces are those of soft spheres, their contacts what overlapped.
BOOST_AUTO_TEST_CASE(compressed_packings_have_the_contacts_of_soft_spheres)
{
  struct Case
  {
    Index  dim, n;
    bool   periodic;
    double overlap;
  };
  for (const auto &[dim, n, periodic, overlap] :
       {Case{2, 300, true, 1e-2}, Case{2, 200, false, 1e-3}, Case{3, 100, true, 5e-3}, Case{3, 80, false, 3e-2}})
    {
      PackingParameters p                   = parameters(dim, n, periodic, .2);
      const double      coverage_of_jamming = jam(p, {}).coverage;
      p.overlap                             = overlap;
      std::vector<double> fractions;
      const Packing       packing = random_packing(p, [&](const double fraction) { fractions.push_back(fraction); });
      BOOST_TEST(std::is_sorted(fractions.begin(), fractions.end()));
      BOOST_TEST(std::abs(fractions.back() - 1.) < 1e-12);
      BOOST_TEST(packing.jammed);
      BOOST_TEST(largest_overlap(packing, p) < 1e-13);
      BOOST_TEST(packing.reach > .2 * overlap);

      const double grown = (1. + packing.reach) / (1. + overlap); // beyond jamming
      BOOST_TEST(std::abs(packing.coverage * std::pow(grown, dim) - coverage_of_jamming) < 1e-5);
      SoftSpheres soft(p);
      soft.r            = packing.spheres.r;
      soft.s            = (1. + packing.reach) * packing.spheres.R.mean() / soft.a.mean();
      const Forces left = forces(soft, p);
      BOOST_TEST(left.imbalance < 1e-8);
      BOOST_TEST((left.mean_overlap > .1 * overlap && left.mean_overlap < 2. * overlap));

      PeriodicBox box;
      if (periodic)
        box = {p.lower, p.upper - p.lower};
      const std::vector<std::string> sides =
          dim == 2 ? std::vector<std::string>{"left", "right", "bottom", "top"}
                   : std::vector<std::string>{"left", "right", "bottom", "top", "back", "front"};
      const std::vector<Wall> walls         = periodic ? std::vector<Wall>() : box_walls(p.lower, p.upper, sides);
      const ContactGraph      graph         = graph_of_overlaps(packing.spheres, walls, packing.reach, box);
      Index                   n_overlapping = 0, n_seen = 0; // of all pairs
      for (const StepRow &row : all_gaps(packing, p, .5))
        n_overlapping += row.D <= packing.reach * (packing.spheres.R(row.i) + (row.j < n ? packing.spheres.R(row.j) : 0.));
      for (const Contact &contact : graph.contacts)
        n_seen += contact.D <=
                  packing.reach * (packing.spheres.R(contact.i) + (contact.j < n ? packing.spheres.R(contact.j) : 0.));
      BOOST_TEST(graph.n_contacts() == n_overlapping);
      BOOST_TEST(graph.n_contacts() == n_seen);
      BOOST_TEST((packing.n_contacts <= graph.n_contacts() && packing.n_contacts > dim * (n - packing.n_rattlers)));
    }
}

BOOST_AUTO_TEST_SUITE_END()
