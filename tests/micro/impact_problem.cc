// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/impact_problem.h"

#include "convex/input_error.h"
#include "micro/contact_constraint.h"
#include "micro/lattices.h"

#include <boost/test/unit_test.hpp>

#include <random>

BOOST_AUTO_TEST_SUITE(impact_problem)

using namespace moreau;
using namespace moreau::micro;

namespace
{
Spheres spheres_at(const Eigen::MatrixXd &r, const Vector &R) { return {r, R, Vector::Ones(R.size())}; }

/// -max Bw: the rate at which the expansion opens the slowest contact.
double slowest_opening(const Spheres &spheres, const std::vector<Wall> &walls = {})
{
  const ContactGraph      graph = micro::contact_graph(spheres, walls, 1e-6);
  const convex::Expansion x     = expansion(spheres, walls, graph);
  BOOST_TEST_REQUIRE(x.w.size() == spheres.dimension() * spheres.size());
  Vector Bw;
  ContactConstraint(graph).apply(x.w, Bw);
  return -Bw.maxCoeff();
}

Vector random_vector(const Index n)
{
  static std::mt19937              random(3);
  std::normal_distribution<double> normal;
  Vector                           v(n);
  for (double &x : v)
    x = normal(random);
  return v;
}

std::vector<Wall> sides(const Index dim, const std::vector<std::string> &names)
{
  return box_walls(Vector::Zero(dim), Vector::Ones(dim), names);
}
} // namespace

// Two spheres that approach violate Bv <= 0, and p >= 0 drives them apart (BM, eq. 2, 6-8).
BOOST_AUTO_TEST_CASE(rows_are_minus_g)
{
  const Spheres pair = lattices::row(2, 1., Vector::Zero(2));
  Vector        U(4);
  U << 3., 0., -2., 5.;
  const auto problem = micro::impact_problem(pair, U);
  BOOST_TEST_REQUIRE(problem.n_constraints() == 1);
  Vector BU, Btp;
  problem.B->apply(U, BU);
  BOOST_TEST(BU(0) == 5.); // the speed of approach
  problem.B->apply_transpose(Vector::Ones(1), Btp);
  BOOST_TEST((Btp == Eigen::Vector4d(1., 0., -1., 0.))); // u = U - B*p: pushes the first to the left
}

// (Bv)_c is the rate at which the gap closes: -d/dt D(r + tv).
BOOST_AUTO_TEST_CASE(rows_are_derivatives_of_the_gaps)
{
  const Spheres      spheres = lattices::face_centred_cubic({Vector::Zero(3), Vector::Ones(3)}, {.2, .3});
  const ContactGraph graph   = micro::contact_graph(spheres, {}, 1e-6);
  const Vector       v       = random_vector(3 * spheres.size());
  Vector             Bv;
  ContactConstraint(graph).apply(v, Bv);
  const double h   = 1e-6;
  const auto   gap = [&](const Contact &c, const double t) {
    return (spheres.r.col(c.j) - spheres.r.col(c.i) + t * (v.segment(3 * c.j, 3) - v.segment(3 * c.i, 3))).norm();
  };
  for (Index c = 0; c < graph.n_contacts(); ++c)
    BOOST_TEST(std::abs((gap(graph.contacts[c], -h) - gap(graph.contacts[c], h)) / (2. * h) - Bv(c)) <
               1e-8); // rounding / h, h²
}

BOOST_AUTO_TEST_CASE(the_metric_is_the_kinetic_one)
{
  Spheres pair = lattices::row(2, 1., Vector::Zero(2));
  pair.m << 2., 3.;
  const auto problem = micro::impact_problem(pair, Vector::Ones(4));
  BOOST_TEST(problem.V->dot(problem.U, problem.U) == 10.);
}

BOOST_AUTO_TEST_CASE(without_contacts_nothing_is_constrained)
{
  const Vector U       = random_vector(10);
  const auto   problem = micro::impact_problem(lattices::row(5, 1., Vector::Zero(2), .1), U);
  BOOST_TEST(problem.n_constraints() == 0);
  BOOST_TEST((problem.U == U));
  BOOST_TEST(problem.b.size() == 0);
}

BOOST_AUTO_TEST_CASE(rigid_motions_close_no_gap)
{
  const Spheres spheres = lattices::hyperstatic_cluster(.3);
  Vector        U(2 * spheres.size()), BU;
  for (Index i = 0; i < spheres.size(); ++i)
    U.segment(2 * i, 2) << 2. - 3. * spheres.r(1, i), -1. + 3. * spheres.r(0, i);
  micro::impact_problem(spheres, U).B->apply(U, BU);
  BOOST_TEST(BU.cwiseAbs().maxCoeff() < 1e-14); // rounding of velocities of order 5
}

BOOST_AUTO_TEST_CASE(a_moving_wall_is_in_the_right_hand_side)
{
  auto walls = sides(2, {"left", "bottom"});
  walls[0].velocity << 2., 7.; // only the normal part matters: pushes to the right
  const Spheres one     = spheres_at(Eigen::Vector2d(.1, .1), Vector::Constant(1, .1));
  const auto    graph   = micro::contact_graph(one, walls, 1e-6);
  const auto    problem = micro::impact_problem(one, walls, graph, Vector::Zero(2));
  BOOST_TEST_REQUIRE(problem.b.size() == 2);
  BOOST_TEST(problem.b(0) == -2.); // e·v <= -2 with e = (-1, 0): the sphere must be as fast as the wall
  BOOST_TEST(problem.b(1) == 0.);
  Vector Bv;
  problem.B->apply(Eigen::Vector2d(2., 0.), Bv);
  BOOST_TEST(Bv(0) == problem.b(0));
  walls[0].velocity.setZero();
  BOOST_TEST(micro::impact_problem(one, walls, graph, Vector::Zero(2)).is_cone());
}

BOOST_AUTO_TEST_CASE(expansion_opens_every_contact_at_the_sum_of_the_radii)
{
  BOOST_TEST(std::abs(slowest_opening(lattices::hyperstatic_cluster(.1)) - .2) < 1e-15); // rounding
  BOOST_TEST(slowest_opening(lattices::row(10, 1., Vector::Zero(1))) == 2.);
  Spheres far = lattices::hyperstatic_cluster(.1);
  far.r.colwise() += Eigen::Vector2d(1e5, -1e5);
  BOOST_TEST(std::abs(slowest_opening(far) - .2) < 1e-9); // rounding of the coordinates, 1e-11, in ten sums
  BOOST_TEST(slowest_opening(spheres_at(Eigen::RowVector3d(0., 1.01, 1.022), Eigen::Vector3d(1., .01, .002))) >
             .0119); // 1:500: the smallest sum of radii is .012
}

BOOST_AUTO_TEST_CASE(expansion_moves_every_cluster_about_its_own_centre)
{
  Spheres two      = lattices::row(4, 1., Vector::Zero(2));
  two.r(0, 2)      = 100.;
  two.r(0, 3)      = 102.;
  const auto graph = micro::contact_graph(two, {}, 1e-6);
  const auto x     = expansion(two, {}, graph);
  BOOST_TEST(x.n_parts == 2);
  const Vector expected = (Vector(8) << -1., 0., 1., 0., -1., 0., 1., 0.).finished();
  BOOST_TEST((x.w - expected).norm() < 1e-13); // rounding of 100
  BOOST_TEST((x.part_of_row == std::vector<int>{0, 1}));
  BOOST_TEST((x.part_of_unknown == std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
}

BOOST_AUTO_TEST_CASE(expansion_leaves_walls_and_corners)
{
  const auto square = lattices::square({Vector::Zero(2), Vector::Ones(2)}, {.1});
  BOOST_TEST(slowest_opening(square, sides(2, {"left"})) > .0499); // at the wall the rate is R
  BOOST_TEST(slowest_opening(square, sides(2, {"right", "bottom"})) > .0499);
  const auto cube = lattices::cubic({Vector::Zero(3), Vector::Ones(3)}, {.25});
  BOOST_TEST(slowest_opening(cube, sides(3, {"left", "top", "front"})) > .124);
  BOOST_TEST(slowest_opening(spheres_at(Eigen::Vector2d(.2, .2), Vector::Constant(1, .2)), sides(2, {"left", "bottom"})) >
             .199);
}

BOOST_AUTO_TEST_CASE(expansion_leaves_slanted_walls)
{
  // a wedge with its tip at the origin, 30 degrees on either side of the vertical; the tip is the nearest point behind both
  std::vector<Wall> wedge;
  for (const double side : {-1., 1.})
    wedge.push_back({"slope", Eigen::Vector2d(side * std::cos(M_PI / 6.), std::sin(M_PI / 6.)), 0., Vector::Zero(2)});
  const Spheres one = spheres_at(Eigen::Vector2d(0., 2.), Vector::Ones(1));
  BOOST_TEST(micro::contact_graph(one, wedge, 1e-6).n_contacts() == 2);
  BOOST_TEST(slowest_opening(one, wedge) > .999);
  const auto x = expansion(one, wedge, micro::contact_graph(one, wedge, 1e-6));
  BOOST_TEST((x.w - Eigen::Vector2d(0., 2.)).norm() < 1e-14); // rounding
}

BOOST_AUTO_TEST_CASE(between_facing_walls_there_is_no_expansion)
{
  // the lower spheres span the box, the upper one does not
  Eigen::MatrixXd r(2, 3);
  r << .25, .75, .5, .25, .25, 5.;
  const Spheres spheres = spheres_at(r, Vector::Constant(3, .25));
  auto          walls   = sides(2, {"left", "right"});
  walls.push_back({"ceiling", Eigen::Vector2d(0., -1.), -5.25, Vector::Zero(2)});
  const auto graph = micro::contact_graph(spheres, walls, 1e-6);
  const auto x     = expansion(spheres, walls, graph);
  BOOST_TEST(x.n_parts == 2);
  BOOST_TEST(x.w.head(4).norm() == 0.);
  BOOST_TEST((x.w.tail(2) - Eigen::Vector2d(0., -.25)).norm() < 1e-15); // rounding
}

BOOST_AUTO_TEST_CASE(velocities_that_are_not_finite_are_refused)
{
  const Spheres row = lattices::row(3, 1., Vector::Zero(2));
  Vector        U   = Vector::Zero(6);
  U(3)              = NAN;
  try
    {
      micro::impact_problem(row, U);
      BOOST_ERROR("no exception");
    }
  catch (const InputError &error)
    {
      BOOST_TEST(error.subject == "the velocity");
      BOOST_TEST(error.sentence.find("sphere 1") != std::string::npos);
    }
  BOOST_CHECK_THROW(micro::impact_problem(row, Vector::Zero(5)), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
