// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/network/rigid_clusters.h"

#include "convex/solvers/facial_reduction.h"
#include "micro/impact_problem.h"

#include <boost/test/unit_test.hpp>

#include <stdexcept>

BOOST_AUTO_TEST_SUITE(rigid_clusters_of_spheres)

using namespace moreau;
using namespace moreau::micro;

namespace
{
Spheres discs(const Eigen::MatrixXd &r)
{
  Spheres spheres;
  spheres.r = r;
  spheres.R = Vector::Ones(r.cols());
  spheres.m = Vector::Ones(r.cols());
  return spheres;
}

std::vector<char> rigid_contacts(const Spheres &spheres, const std::vector<Wall> &walls, const ContactGraph &graph)
{
  return convex::find_face(micro::impact_problem(spheres, walls, graph, Vector::Zero(2 * spheres.size()))).rigid;
}

/// In a box from the origin to (width, width) with these walls.
struct Jammed
{
  Jammed(const Eigen::MatrixXd &r, const double width, const std::vector<std::string> &names)
      : spheres(discs(r))
      , walls(box_walls(Vector::Zero(2), Vector::Constant(2, width), names))
      , graph(micro::contact_graph(spheres, walls, 1e-6))
      , clusters(rigid_clusters(graph, rigid_contacts(spheres, walls, graph)))
  {}

  Spheres           spheres;
  std::vector<Wall> walls;
  ContactGraph      graph;
  RigidClusters     clusters;
};
} // namespace

// Two rows that jam between walls, and discs that touch the first disc of both, or nothing.
BOOST_AUTO_TEST_CASE(rows_between_walls_are_clusters_and_what_touches_them_is_not_in_them)
{
  Eigen::MatrixXd r(2, 8);
  r << 1, 3, 5, 1, 1, 3, 5, 4, //
      1, 1, 1, 3, 5, 5, 5, 9;
  const Jammed jammed(r, 6., {"left", "right"});
  BOOST_TEST(jammed.graph.n_contacts() == 11);
  BOOST_TEST(jammed.clusters.of_sphere == (std::vector<int>{0, 0, 0, -1, 1, 1, 1, -1}), boost::test_tools::per_element());
  BOOST_TEST(jammed.clusters.n_clusters == 2);
  BOOST_TEST(jammed.clusters.largest == 3);
}

BOOST_AUTO_TEST_CASE(a_disc_that_only_walls_hold_is_a_cluster)
{
  Eigen::MatrixXd r(2, 2);
  r << 1, 1, //
      1, 3;
  const Jammed jammed(r, 2., {"left", "right"});
  BOOST_TEST(jammed.clusters.n_clusters == 2);
  BOOST_TEST(jammed.clusters.largest == 1);
}

BOOST_AUTO_TEST_CASE(without_rigid_contacts_there_are_no_clusters)
{
  Eigen::MatrixXd r(2, 2);
  r << 1, 3, //
      1, 1;
  const Jammed jammed(r, 4., {});
  BOOST_TEST(jammed.graph.n_contacts() == 1);
  BOOST_TEST(jammed.clusters.of_sphere == (std::vector<int>{-1, -1}), boost::test_tools::per_element());
  BOOST_TEST(jammed.clusters.n_clusters == 0);
  BOOST_TEST(jammed.clusters.largest == 0);
  BOOST_CHECK_THROW(rigid_clusters(jammed.graph, {1, 1}), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
