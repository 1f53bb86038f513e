// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/step_expansion.h"

#include "motions.h"

#include "convex/certificate.h"
#include "convex/solvers/make_projector.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(certified_steps)

using namespace moreau;
using namespace moreau::micro;

namespace
{
/// A step of some spheres that fall, and how far it is from the projection on its rows to rounding; both relative.
struct Judged
{
  convex::Certificate certificate;
  double              error;
  Index               n_rows;
};

Judged judged(const SphereSystem &system, const double h, const Vector &U)
{
  const Spheres          &s = system.spheres;
  const PeriodicBox       box{system.lower, system.period};
  const PeriodicObstacles obstacles(system.obstacles.at(h), box);
  const StepScene         scene = {s.r, s.R, s.m, obstacles, box, h};
  StepParameters          parameters;
  parameters.criterion.tolerance = 1e-6;
  const StepSolution step        = linearised_step(scene, U, {}, parameters);
  BOOST_TEST(step.x.converged());

  Vector b(step.rows.size());
  for (Index c = 0; c < b.size(); ++c)
    b(c) = step.rows[c].D / h;
  const auto problem = step_problem(step.rows, s.m, s.dimension(), U, b);
  const auto exact   = convex::make_projector("Lawson-Hanson", {1e-14, 10000, true})->project(problem);
  BOOST_TEST(exact.certificate.natural_residual < 1e-12);
  return {step.x.certificate, problem.V->norm(step.x.u - exact.u) / convex::relative_scale(problem), b.size()};
}

Vector falling(const SphereSystem &system, const double speed)
{
  Vector U = system.U;
  for (Index i = 0; i < system.spheres.size(); ++i)
    U(system.spheres.dimension() * (i + 1) - 1) -= speed;
  return U;
}

/// Discs side by side at the bottom of a round container of radius 30, half a disc apart.
SphereSystem in_a_bowl(const int n)
{
  SphereSystem system;
  system.spheres = {Eigen::MatrixXd(2, n), Vector::Ones(n), Vector::Ones(n)};
  system.U       = Vector::Zero(2 * n);
  for (int i = 0; i < n; ++i)
    system.spheres.r.col(i) = 29. * Eigen::Vector2d(std::sin(.07 * (i - .5 * n)), -std::cos(.07 * (i - .5 * n)));
  Obstacle bowl;
  bowl.name        = "bowl";
  bowl.shape       = Obstacle::Shape::inside_of_ball;
  bowl.a           = Vector::Zero(2);
  bowl.radius      = 30.;
  system.obstacles = Obstacles({bowl}, {RigidMotion()});
  return system;
}
} // namespace

// In the corner of two or three walls there is a point from which all moves away.
BOOST_AUTO_TEST_CASE(steps_of_what_has_a_free_side_are_certified)
{
  for (const Index dim : {1, 2, 3})
    for (const unsigned int seed : {1u, 2u, 3u})
      {
        SphereSystem          system = gas(dim, dim < 3 ? 5 : 3, 1., seed);
        std::vector<Obstacle> walls;
        for (Index k = 0; k < dim; ++k)
          walls.push_back(half_space("low " + std::to_string(k), Vector::Zero(dim), Vector::Unit(dim, k)));
        system.obstacles = Obstacles(walls, {RigidMotion()});
        const Judged of  = judged(system, .2, falling(system, 2.));
        BOOST_TEST(of.n_rows > 0);
        BOOST_TEST(of.certificate.guaranteed);
        BOOST_TEST(of.error <= of.certificate.relative_error_bound);
        BOOST_TEST(of.certificate.relative_error_bound < .05);
      }
}

// Of the many half-spaces that support a container a few say where that point is.
BOOST_AUTO_TEST_CASE(steps_in_a_bowl_are_certified)
{
  for (const int n : {3, 20, 40})
    {
      const SphereSystem system = in_a_bowl(n);
      const Judged       of     = judged(system, .1, falling(system, 1.));
      BOOST_TEST(of.n_rows >= n);
      BOOST_TEST(of.certificate.guaranteed);
      BOOST_TEST(of.error <= of.certificate.relative_error_bound);
    }
}

// Between walls that face each other, and around a period, nothing opens all rows: there is an estimate, and no bound from
// rows that hardly open.
BOOST_AUTO_TEST_CASE(steps_between_walls_have_estimates)
{
  for (const bool periodic : {false, true})
    {
      SphereSystem system = gas(2, 4, .1, 5);
      system.spheres.R.setConstant(.4999);
      for (Index i = 0; i < system.spheres.size(); ++i)
        system.spheres.r.col(i) << .5 + i % 4, .5 + i / 4 + 1e-3 * (i % 2);
      if (periodic)
        {
          system.lower     = Vector::Zero(2);
          system.period    = Eigen::Vector2d(4., 0.);
          system.obstacles = Obstacles({half_space("floor", Vector::Zero(2), Vector::Unit(2, 1))}, {RigidMotion()});
        }
      else
        system.obstacles = box_of_walls(2, 4.);
      const Judged of = judged(system, .1, falling(system, 1.));
      BOOST_TEST(!of.certificate.guaranteed);
      BOOST_TEST(of.certificate.relative_error_bound < .1);
    }
}

BOOST_AUTO_TEST_SUITE_END()
