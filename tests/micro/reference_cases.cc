// SPDX-License-Identifier: GPL-3.0-or-later
// Impacts whose outcome is known in closed form.
#include "convex/solvers/diagnostics.h"
#include "convex/impact_law.h"
#include "convex/solvers/lawson_hanson.h"
#include "convex/solvers/make_projector.h"
#include "micro/contact_constraint.h"
#include "micro/impact_problem.h"
#include "micro/lattices.h"
#include "tests/oracles.h"

#include <Eigen/Dense>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(reference_cases)

using namespace moreau;
using namespace moreau::micro;

namespace
{
constexpr double rounding = 1e-13; // Lawson-Hanson on small clusters, velocities of size 1

double max_abs(const Vector &v) { return v.lpNorm<Eigen::Infinity>(); }

convex::SaddlePoint project(const convex::ProjectionProblem &problem) { return convex::LawsonHanson().project(problem); }

convex::Impact impact(const Spheres &spheres, const Vector &U, const double restitution)
{
  return convex::post_impact(micro::impact_problem(spheres, U), convex::LawsonHanson(), restitution);
}

convex::Impact impact(const Spheres &spheres, const std::vector<Wall> &walls, const Vector &U, const double restitution)
{
  return convex::post_impact(micro::impact_problem(spheres, walls, micro::contact_graph(spheres, walls, 1e-6), U),
                             convex::LawsonHanson(), restitution);
}

Spheres row(const Index n) { return lattices::row(n, .5, Vector::Zero(1)); }

Vector vector(const std::initializer_list<double> &values)
{
  return Eigen::Map<const Vector>(values.begin(), static_cast<Index>(values.size()));
}

/// Weighted isotonic regression by its min-max formula: u_k = max over i <= k of min over j >= k of the mean of U_i ... U_j.
Vector isotonic(const Vector &U, const Vector &weight)
{
  const Index n = U.size();
  Vector      u(n);
  for (Index k = 0; k < n; ++k)
    {
      u(k) = -std::numeric_limits<double>::infinity();
      for (Index i = 0; i <= k; ++i)
        {
          double least = std::numeric_limits<double>::infinity();
          for (Index j = k; j < n; ++j)
            least = std::min(least,
                             weight.segment(i, j - i + 1).dot(U.segment(i, j - i + 1)) / weight.segment(i, j - i + 1).sum());
          u(k) = std::max(u(k), least);
        }
    }
  return u;
}

/// -(r - c) scaled by `inwards` plus a rotation about c of angular velocity `rotation`.
Vector contraction(const Spheres &spheres, const double inwards, const double rotation)
{
  const Vector centre = spheres.r.rowwise().mean();
  Vector       U(2 * spheres.size());
  for (Index k = 0; k < spheres.size(); ++k)
    {
      const Vector x = spheres.r.col(k) - centre;
      U(2 * k)       = -inwards * x(0) - rotation * x(1);
      U(2 * k + 1)   = -inwards * x(1) + rotation * x(0);
    }
  return U;
}

lattices::Zone disc(const double radius)
{
  lattices::Zone zone;
  zone.lower    = Vector::Constant(2, -radius);
  zone.upper    = Vector::Constant(2, radius);
  zone.contains = [radius](const Vector &x) { return x.norm() <= radius; };
  return zone;
}

lattices::Placement anchored_at_the_origin()
{
  lattices::Placement placement;
  placement.anchor = Vector::Zero(2);
  return placement;
}

/// Four equal discs, three and three touching: two in the middle one above the other, one on each side (BM, fig. 4).
Spheres rhombus()
{
  Spheres spheres;
  spheres.r.resize(2, 4);
  spheres.r << -std::sqrt(.75), std::sqrt(.75), 0., 0., /**/ 0., 0., .5, -.5;
  spheres.R = Vector::Constant(4, .5);
  spheres.m = Vector::Ones(4);
  return spheres;
}
} // namespace

BOOST_AUTO_TEST_CASE(a_wall_reflects_the_normal_velocity_only)
{
  Spheres sphere;
  sphere.r                = Eigen::Vector2d(.3, .25);
  sphere.R                = Vector::Constant(1, .25);
  sphere.m                = Vector::Constant(1, 3.);
  std::vector<Wall> walls = box_walls(Vector::Zero(2), Vector::Ones(2), {"bottom"});
  for (const double e : {0., .5, 1.})
    for (const double V : {0., .75}) // a floor that rises
      {
        walls[0].velocity   = vector({.1, V}); // what moves along the wall does not matter
        const auto x        = impact(sphere, walls, vector({2., -1.}), e);
        const auto expected = vector({2., V + e * (1. + V)});
        BOOST_TEST(max_abs(x.u_plus - expected) < rounding);
        BOOST_TEST(std::abs(x.impulse(0) - 3. * (1. + e) * (1. + V)) < 10. * rounding);
      }
}

// ū = (m1u1 + m2u2)/(m1 + m2), u⁺ = ū - e(u - ū) along the line of centres, impulse m1m2/(m1+m2)(1+e)(u1 - u2).
BOOST_AUTO_TEST_CASE(a_pair_follows_newtons_law)
{
  const double m1 = 2., m2 = 5., angle = .7, R1 = .3, R2 = .8;
  const Vector normal = vector({std::cos(angle), std::sin(angle)}), tangent = vector({-std::sin(angle), std::cos(angle)});
  Spheres      pair;
  pair.r        = Eigen::MatrixXd::Zero(2, 2);
  pair.r.col(1) = (R1 + R2) * normal;
  pair.R        = vector({R1, R2});
  pair.m        = vector({m1, m2});
  for (const double e : {0., .3, 1.})
    {
      const double u1 = 1.5, u2 = -.5, mean = (m1 * u1 + m2 * u2) / (m1 + m2);
      Vector       U(4), expected(4);
      U << u1 * normal + .4 * tangent, u2 * normal - tangent;
      expected << (mean - e * (u1 - mean)) * normal + .4 * tangent, (mean - e * (u2 - mean)) * normal - tangent;
      const auto x = impact(pair, U, e);
      BOOST_TEST(max_abs(x.u_plus - expected) < rounding);
      BOOST_TEST(std::abs(x.impulse(0) - m1 * m2 / (m1 + m2) * (1. + e) * (u1 - u2)) < 10. * rounding);
    }
}

BOOST_AUTO_TEST_CASE(a_row_is_mass_weighted_isotonic_regression)
{
  oracles::Random random(1);
  for (int trial = 0; trial < 10; ++trial)
    {
      Spheres spheres = row(12);
      spheres.m       = oracles::masses(random, 12, 2.);
      const Vector U  = random.normals(12);
      BOOST_TEST(max_abs(impact(spheres, U, 0.).u_plus - isotonic(U, spheres.m)) <
                 10. * rounding); // masses over two decades
    }
}

BOOST_AUTO_TEST_CASE(inelastic_row_moves_as_a_block)
{
  BOOST_TEST(max_abs(impact(row(5), Vector::Unit(5, 0), 0.).u_plus - Vector::Constant(5, .2)) < rounding);
}

BOOST_AUTO_TEST_CASE(the_touching_cradle_bounces_back)
{
  const Vector U = Vector::Unit(5, 0);
  BOOST_TEST(max_abs(impact(row(5), U, 1.).u_plus - vector({-.6, .4, .4, .4, .4})) < rounding);
  BOOST_TEST(max_abs(impact(row(5), U, .5).u_plus - vector({-.2, .3, .3, .3, .3})) < rounding);
}

// Pulled apart, the spheres meet two by two: only the last one leaves, whatever the gaps (BM, fig. 10).
BOOST_AUTO_TEST_CASE(the_cradle_pulled_apart_passes_the_velocity_on)
{
  Vector u = Vector::Unit(5, 0);
  for (int k = 0; k + 1 < 5; ++k)
    {
      Spheres spheres = lattices::row(5, .5, Vector::Zero(1), /*gap=*/.1);
      spheres.r.leftCols(k + 1).array() += .1; // those that have been hit have closed the gap to k+1, and only k touches
      spheres.r.leftCols(k).array() -= .05;
      u = impact(spheres, u, 1.).u_plus;
    }
  BOOST_TEST(max_abs(u - Vector::Unit(5, 4)) < rounding);
}

BOOST_AUTO_TEST_CASE(a_simultaneous_triple_stops_or_turns_back)
{
  const Vector U = vector({1., 0., -1.});
  BOOST_TEST(max_abs(impact(row(3), U, 0.).u_plus) < rounding);
  BOOST_TEST(max_abs(impact(row(3), U, 1.).u_plus + U) < rounding);
}

BOOST_AUTO_TEST_CASE(an_impact_is_repeated_until_admissible)
{
  const auto x = impact(row(4), vector({1., 0., .3, -1.3}), 1.);
  BOOST_TEST(max_abs(x.u_plus - vector({-1., -.3, 0., 1.3})) < rounding);
  BOOST_TEST(x.effort.n_projections == 2u);
}

BOOST_AUTO_TEST_CASE(rigid_motions_are_unchanged)
{
  for (const Spheres &cluster :
       {lattices::hyperstatic_cluster(), lattices::seven_discs(), lattices::triangular(disc(3.), anchored_at_the_origin())})
    for (const double e : {0., 1.})
      {
        Vector U = contraction(cluster, 0., .8);
        for (Index k = 0; k < cluster.size(); ++k)
          U.segment(2 * k, 2) += vector({3., -1.});
        BOOST_TEST(max_abs(impact(cluster, U, e).u_plus - U) < 10. * rounding * max_abs(U));
      }
}

BOOST_AUTO_TEST_CASE(a_contracting_and_turning_disc_keeps_the_rotation)
{
  const Spheres lattice = lattices::triangular(disc(4.), anchored_at_the_origin());
  const Vector  U       = contraction(lattice, 1., .6);
  const auto    problem = micro::impact_problem(lattice, U);
  Vector        BU;
  problem.B->apply(U, BU);
  BOOST_TEST(BU.minCoeff() > .1); // every contact is pressed
  const auto x = project(problem);
  BOOST_TEST_REQUIRE(x.converged());
  BOOST_TEST(max_abs(x.u - contraction(lattice, 0., .6)) < 10. * rounding * max_abs(U));
}

// 29 contacts for 28 unknowns, three of them rigid: p cannot be unique, u is.
BOOST_AUTO_TEST_CASE(fourteen_discs_are_hyperstatic)
{
  const Spheres cluster = lattices::hyperstatic_cluster();
  const auto    problem = micro::impact_problem(cluster, contraction(cluster, 1., 0.));
  const auto    x       = project(problem);
  const auto    facts   = convex::diagnose(problem, x);
  BOOST_TEST(problem.n_constraints() == 29);
  BOOST_TEST(facts.rank_of_B.value() <= 25);
  BOOST_TEST(!facts.multiplier_is_unique.value());

  // p may be moved along the kernel of B* without moving u
  const Eigen::MatrixXd B      = static_cast<const ContactConstraint &>(*problem.B).matrix();
  const Eigen::MatrixXd kernel = B.transpose().fullPivLu().kernel();
  BOOST_TEST(kernel.cols() == 29 - facts.rank_of_B.value());
  BOOST_TEST(max_abs(problem.velocity_of(x.p + kernel.col(0)) - x.u) <
             1e-11 * kernel.col(0).norm()); // rounding of the kernel
}

BOOST_AUTO_TEST_CASE(seven_discs_are_the_first_with_many_multipliers)
{
  const Spheres cluster = lattices::seven_discs();
  const auto    problem = micro::impact_problem(cluster, contraction(cluster, 1., 0.));
  const auto    facts   = convex::diagnose(problem, project(problem));
  BOOST_TEST(problem.n_constraints() == 12);
  BOOST_TEST(facts.rank_of_B.value() == 11);
  BOOST_TEST(!facts.multiplier_is_unique.value());
}

// All contacts are pressed, yet glued discs would pull the two in the middle together: they are pushed apart (BM, fig. 4).
BOOST_AUTO_TEST_CASE(the_maximum_principle_fails_for_four_discs)
{
  Vector U(8);
  U << 1., 0., -1., 0., 0., -.05, 0., .05;
  const auto            problem = micro::impact_problem(rhombus(), U);
  const auto           &contact = static_cast<const ContactConstraint &>(*problem.B);
  const Eigen::MatrixXd B       = contact.matrix();
  Index                 central = -1;
  for (Index c = 0; c < problem.n_constraints(); ++c)
    if (contact.pairs()[c].i == 2 && contact.pairs()[c].j == 3)
      central = c;
  BOOST_TEST_REQUIRE(problem.n_constraints() == 5);
  BOOST_TEST_REQUIRE(central >= 0);
  BOOST_TEST((B * U).minCoeff() > 0.);
  const Vector glued = (B * B.transpose()).ldlt().solve(B * U); // BB*p = BU
  BOOST_TEST(glued(central) < -.1);

  const auto x = project(problem);
  BOOST_TEST(x.p(central) == 0.);
  BOOST_TEST((B * x.u)(central) < -.1); // they separate
  BOOST_TEST((convex::test_maximum_principle(problem, x) == convex::MaximumPrinciple::fails));
  BOOST_TEST(convex::positive_couplings(problem)->n_pairs > 0);
}

// Rows feel only the x component, columns only the y component, each as a line of its own.
BOOST_AUTO_TEST_CASE(a_square_lattice_is_its_lines)
{
  lattices::Zone box;
  box.lower             = Vector::Zero(2);
  box.upper             = vector({6., 5.});
  const Spheres lattice = lattices::square(box, lattices::Placement());
  const Index   n       = lattice.size();
  BOOST_TEST_REQUIRE(n == 30);
  oracles::Random random(2);
  const Vector    U = random.normals(2 * n);

  const auto x = project(micro::impact_problem(lattice, U));

  BOOST_TEST_REQUIRE(x.converged());
  for (Index k = 0; k < 2; ++k)
    for (int line = 0; line < (k == 0 ? 5 : 6); ++line)
      {
        std::vector<Index> sites; // on this line, in order
        for (Index i = 0; i < n; ++i)
          if (std::abs(lattice.r(1 - k, i) - (line + .5)) < 1e-9)
            sites.push_back(i);
        std::sort(sites.begin(), sites.end(),
                  [&](const Index i, const Index j) { return lattice.r(k, i) < lattice.r(k, j); });
        Vector along(sites.size()), found(sites.size());
        for (std::size_t s = 0; s < sites.size(); ++s)
          {
            along(s) = U(2 * sites[s] + k);
            found(s) = x.u(2 * sites[s] + k);
          }
        BOOST_TEST(max_abs(found - isotonic(along, Vector::Ones(along.size()))) < rounding);
      }
}

BOOST_AUTO_TEST_CASE(a_closed_box_cannot_be_squeezed)
{
  const Spheres     spheres = lattices::row(4, .5, vector({.5, .5}));
  std::vector<Wall> walls   = box_walls(Vector::Zero(2), vector({4., 1.}), {"left", "right", "bottom", "top"});
  walls[0].velocity         = vector({.5, 0.}); // the left wall comes in
  const auto x              = impact(spheres, walls, Vector::Zero(8), 0.);
  BOOST_TEST((x.effort.status == convex::Status::infeasible));
  BOOST_TEST((x.projection.p.array() > 1e-3).count() == 5); // left wall, three contacts, right wall; never top or bottom
  BOOST_TEST(max_abs(x.u_plus) == 0.);

  walls[1].velocity = vector({.5, 0.}); // the right wall gives way: all move along
  const auto moving = impact(spheres, walls, Vector::Zero(8), 0.);
  BOOST_TEST((moving.effort.status == convex::Status::converged));
  for (Index k = 0; k < 4; ++k)
    BOOST_TEST(std::abs(moving.u_plus(2 * k) - .5) < rounding);
}

// Between two walls every impact presses the other one: the normal velocity is halved until nothing but rounding is left,
// and the last, tiny projections count relative to the first. A frame that moves changes nothing.
BOOST_AUTO_TEST_CASE(a_sphere_between_two_walls_comes_to_rest_in_every_frame)
{
  const Spheres sphere = lattices::row(1, 1., vector({0., 0.}));
  for (const std::string solver : {"automatic", "projected gradient", "interior point", "Lawson-Hanson"})
    for (const double frame : {0., 1.})
      {
        std::vector<Wall> walls = box_walls(vector({-1., -5.}), vector({1., 5.}), {"left", "right"});
        for (Wall &wall : walls)
          wall.velocity = vector({frame, 0.});
        const auto problem =
            micro::impact_problem(sphere, walls, micro::contact_graph(sphere, walls, 1e-6), vector({2. + frame, 2.}));
        const auto x = convex::post_impact(problem, *convex::make_projector(solver, {}), .5);
        BOOST_TEST((x.effort.status == convex::Status::converged), solver);
        BOOST_TEST(!x.effort.collapsed, solver);
        BOOST_TEST(std::abs(x.u_plus(0) - frame) < 1e-5, solver); // ten times the tolerance of the first impact
        BOOST_TEST(std::abs(x.u_plus(1) - 2.) < rounding, solver);
      }
}

BOOST_AUTO_TEST_SUITE_END()
