// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/sphere_motion.h"

#include "motions.h"

#include "convex/input_error.h"
#include "micro/lattices.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(sphere_motion)

using namespace moreau;
using namespace moreau::micro;
namespace utf = boost::unit_test;

namespace
{
MotionParameters scheme(const Scheme wanted, const double restitution = 0.)
{
  MotionParameters parameters;
  parameters.scheme          = wanted;
  parameters.law.restitution = restitution;
  return parameters;
}

constexpr Scheme A = Scheme::linearised_constraints, B = Scheme::catching_up;

bool blames(const InputError &error, const std::string &parameter, const std::string &word)
{
  return error.subject == parameter && error.sentence.find(word) != std::string::npos;
}
} // namespace

// One dimension, no force: the constraints are linear, so the scheme is exact but for the instant of the impact.
BOOST_AUTO_TEST_CASE(two_spheres_that_meet_go_on_together)
{
  for (const Scheme wanted : {A, B})
    {
      const auto motion = make_motion(row_of_spheres({0., 3.}, {1., -.5}, 1.), scheme(wanted));
      run(*motion, .1, 2.);
      BOOST_TEST(std::abs(motion->u()(0) - .25) < 1e-12);
      BOOST_TEST(std::abs(motion->u()(1) - .25) < 1e-12);
      BOOST_TEST(std::abs(motion->q()(1) - motion->q()(0) - 2.) < 1e-12);
      BOOST_TEST(std::abs(motion->record().dissipated - .5 * (1. + .25) + .0625) < 1e-12);
    }
}

// BM, Fig. 10. The velocities of an impact do not depend on the step; with gaps they follow one after another.
BOOST_AUTO_TEST_CASE(a_cradle_apart_and_touching)
{
  const std::vector<double> strike   = {1., 0., 0., 0., 0.};
  const auto                touching = make_motion(row_of_spheres({-2.5, 0., 2., 4., 6.}, strike, 1.), scheme(A, 1.));
  run(*touching, .01, 1.);
  const std::vector<double> together = {-.6, .4, .4, .4, .4};
  const auto                apart    = make_motion(row_of_spheres({-2.5, 0., 2.1, 4.2, 6.3}, strike, 1.), scheme(A, 1.));
  run(*apart, .01, 2.);
  for (Index k = 0; k < 5; ++k)
    {
      BOOST_TEST(std::abs(touching->u()(k) - together[k]) < 1e-12);
      BOOST_TEST(std::abs(apart->u()(k) - (k == 4 ? 1. : 0.)) < 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(positions_are_admissible_also_for_large_steps)
{
  for (Index dim = 1; dim <= 3; ++dim)
    for (const double h : {.01, .3, 3.}) // spheres move by up to 15 radii in the longest
      for (const double e : {0., .7})
        {
          const int    side   = dim == 1 ? 30 : dim == 2 ? 8 : 4;
          SphereSystem system = gas(dim, side, 2., 5);
          system.obstacles    = box_of_walls(dim, side);
          system.force        = gravity(1.);
          const auto motion   = make_motion(system, scheme(A, e));
          for (int k = 1; k <= 10; ++k)
            {
              motion->advance(k * h);
              BOOST_TEST(motion->record().max_overlap <= 1e-8);
              BOOST_TEST(deepest_overlap(motion->spheres()) <= 1e-8 * .35);
              const Spheres &s = motion->spheres();
              for (Index i = 0; i < s.size(); ++i)
                {
                  BOOST_TEST(s.r.col(i).minCoeff() - s.R(i) >= -1e-8 * .35);
                  BOOST_TEST(s.r.col(i).maxCoeff() + s.R(i) <= side + 1e-8 * .35);
                }
              BOOST_TEST((motion->record().effort.status == convex::Status::converged));
            }
        }
}

BOOST_AUTO_TEST_CASE(spheres_stay_within_a_round_container)
{
  SphereSystem system = gas(2, 6, 3., 2);
  Obstacle     container;
  container.name   = "container";
  container.shape  = Obstacle::Shape::inside_of_ball;
  container.a      = Vector::Constant(2, 3.);
  container.radius = 4.4;
  system.obstacles = Obstacles({container}, {RigidMotion()});
  for (const Scheme wanted : {A, B})
    for (const double h : {.05, 1.})
      {
        const auto motion = make_motion(system, scheme(wanted));
        for (int k = 1; k <= 20; ++k)
          motion->advance(k * h);
        const Spheres &s = motion->spheres();
        for (Index i = 0; i < s.size(); ++i)
          BOOST_TEST((s.r.col(i) - container.a).norm() + s.R(i) <= container.radius + 1e-8 * .35);
        BOOST_TEST(motion->record().max_overlap <= 1e-8);
        BOOST_TEST((motion->record().effort.status == convex::Status::converged));
      }
}

// Steps far too long, in which rebounds are much of the motion: the weight still does what it does on the way gone.
BOOST_AUTO_TEST_CASE(forces_work_along_displacements)
{
  for (const double e : {0., .5, 1.})
    {
      SphereSystem system  = row_of_spheres({.5}, {0.}, .1);
      system.obstacles     = Obstacles({half_space("floor", Vector::Zero(1), Vector::Ones(1))}, {RigidMotion()});
      system.force         = gravity(10.);
      const auto   motion  = make_motion(system, scheme(A, e));
      const double start   = motion->q()(0);
      double       longest = 0.;
      for (int step = 1; step <= 20; ++step)
        {
          const double before = motion->q()(0);
          motion->advance(.05 * step);
          longest = std::max(longest, std::abs(motion->q()(0) - before) / .1);
          BOOST_TEST(std::abs(motion->record().largest_move - std::abs(motion->q()(0) - before) / .1) < 1e-12);
          BOOST_TEST(std::abs(motion->record().work - 10. * (start - motion->q()(0))) < 1e-12);
        }
      BOOST_TEST(longest > 1.);
    }
}

BOOST_AUTO_TEST_CASE(momentum_changes_by_the_impulse_of_walls_and_force_alone)
{
  for (const double e : {0., .5, 1.})
    {
      SphereSystem system   = gas(2, 8, 2., 11);
      system.obstacles      = box_of_walls(2, 8.);
      system.force          = gravity(1.);
      const auto   motion   = make_motion(system, scheme(A, e));
      const double mass     = system.spheres.m.sum();
      Vector       momentum = motion->record().momentum;
      for (int k = 1; k <= 60; ++k)
        {
          motion->advance(.02 * k);
          Vector from_walls = Vector::Zero(2);
          for (const MotionContact &contact : motion->contacts())
            if (contact.j >= system.spheres.size())
              from_walls -= contact.impulse * contact.e.head(2);
          momentum += from_walls + .02 * mass * Vector::Unit(2, 1) * -1.;
          BOOST_TEST(motion->record().momentum_error <= 1e-12);
          BOOST_TEST((motion->record().momentum - momentum).norm() <= 1e-12 * k * mass);
        }
    }
}

BOOST_AUTO_TEST_CASE(energy_never_rises_without_force_and_is_kept_for_e_1_in_one_impact)
{
  for (const double e : {0., .5, 1.})
    {
      SphereSystem system = gas(2, 8, 2., 4);
      system.obstacles    = box_of_walls(2, 8.);
      const auto   motion = make_motion(system, scheme(A, e));
      double       energy = motion->record().kinetic_energy;
      const double first  = energy;
      for (int k = 1; k <= 60; ++k)
        {
          motion->advance(.02 * k);
          BOOST_TEST(motion->record().kinetic_energy <= energy + 1e-10 * first);
          energy = motion->record().kinetic_energy;
          BOOST_TEST(std::abs(energy - (first + motion->record().work - motion->record().dissipated)) <= 1e-10 * first);
        }
      if (e == 0.)
        BOOST_TEST(energy < .5 * first);
      if (e == 1.)
        BOOST_TEST(energy > (1. - 1e-9) * first);
    }
}

BOOST_AUTO_TEST_CASE(both_schemes_agree_as_the_step_tends_to_0)
{
  // discs that meet obliquely: linearised and true sets differ
  SphereSystem system    = row_of_spheres({0., 2.5, 5.}, {1., 0., -1.}, 1., 2);
  system.spheres.r(1, 1) = .3;
  system.force           = gravity(.2);
  std::vector<double> distance;
  for (const double h : {.02, .01, .005, .0025})
    {
      const auto a = make_motion(system, scheme(A)), b = make_motion(system, scheme(B));
      run(*a, h, 1.5);
      run(*b, h, 1.5);
      distance.push_back((a->q() - b->q()).lpNorm<Eigen::Infinity>());
    }
  BOOST_TEST(distance.front() > 1e-6);
  BOOST_TEST(distance.back() < .2 * distance.front()); // order 1: 1/8
  BOOST_TEST(distance.back() < 5e-3);
}

// Two touching spheres whose radii grow as 1 + t while t < 1: centres move
// apart at speed 1 each; then they go on at that speed.
BOOST_AUTO_TEST_CASE(growing_spheres_push_each_other_apart)
{
  SphereSystem system = row_of_spheres({-1., 1.}, {0., 0.}, 1.);
  system.radii        = [](const double t) { return Vector::Constant(2, 1. + std::min(t, 1.)).eval(); };
  for (const Scheme wanted : {A, B})
    {
      const auto motion = make_motion(system, scheme(wanted));
      for (int k = 1; k <= 40; ++k)
        {
          const double t = .05 * k;
          motion->advance(t);
          BOOST_TEST(std::abs(motion->q()(1) - (1. + t)) < 1e-12);
          BOOST_TEST(std::abs(motion->u()(0) + 1.) < 1e-11);                   // differences of positions by a step of .05
          BOOST_TEST(std::abs(motion->record().constraint_work - 2.) < 1e-10); // impulse 1 at the speed 2 of both surfaces
        }
    }
}

BOOST_AUTO_TEST_CASE(a_moving_wall_pushes_or_strikes)
{
  for (const double e : {0., .5, 1.})
    {
      SphereSystem system = row_of_spheres({2.}, {0.}, 1.);
      RigidMotion  motion;
      motion.translation = [](const double t) { return Vector::Constant(1, 2. * t).eval(); };
      system.obstacles   = Obstacles({half_space("piston", Vector::Zero(1), Vector::Ones(1))}, {motion});
      const auto moving  = make_motion(system, scheme(A, e));
      run(*moving, .03, .9); // the piston arrives at t = .5
      BOOST_TEST(std::abs(moving->u()(0) - 2. * (1. + e)) < 1e-11);
      // impulse 2 (1 + e) at speed 2; in the frame of the piston (1 - e²) of the energy is lost
      BOOST_TEST(std::abs(moving->record().constraint_work - 4. * (1. + e)) < 1e-10);
      BOOST_TEST(std::abs(moving->record().dissipated - 2. * (1. - e * e)) < 1e-10);
    }
}

BOOST_AUTO_TEST_CASE(spheres_meet_across_a_periodic_boundary)
{
  SphereSystem system = row_of_spheres({1.5, 8.}, {-1., 1.}, 1.);
  system.lower        = Vector::Zero(1);
  system.period       = Vector::Constant(1, 10.);
  const auto motion   = make_motion(system, scheme(A, 1.));
  run(*motion, .125, 3.); // the gap 1.5 closes at t = .75
  BOOST_TEST(std::abs(motion->u()(0) - 1.) < 1e-12);
  BOOST_TEST(std::abs(motion->u()(1) + 1.) < 1e-12);
  BOOST_TEST((motion->q().minCoeff() >= 0. && motion->q().maxCoeff() < 10.));
}

BOOST_AUTO_TEST_CASE(a_bump_on_a_periodic_side_is_met_from_both_sides)
{
  SphereSystem system = row_of_spheres({9., 1.}, {1., -1.}, .5, 2);
  system.lower        = Vector::Zero(2);
  system.period       = 10. * Vector::Unit(2, 0);
  Obstacle bump;
  bump.name         = "bump";
  bump.shape        = Obstacle::Shape::ball;
  bump.a            = .1 * Vector::Unit(2, 0); // its images are at -9.9 and 10.1
  bump.radius       = .2;
  system.obstacles  = Obstacles({bump}, {RigidMotion()});
  const auto motion = make_motion(system, scheme(A));
  run(*motion, .05, 2.);
  BOOST_TEST(std::abs(motion->q()(0) - 9.4) < 1e-9);
  BOOST_TEST(std::abs(motion->q()(2) - .8) < 1e-9);
  BOOST_TEST(motion->u().norm() < 1e-9);
}

// A centre in the plane that a container touches at every point of a circle:
// cuts at points that lie close together must end.
BOOST_AUTO_TEST_CASE(spheres_stay_within_a_cylinder)
{
  SphereSystem system = gas(3, 3, 2., 6);
  Obstacle     cylinder;
  cylinder.name     = "cylinder";
  cylinder.shape    = Obstacle::Shape::inside_of_cylinder;
  cylinder.a        = Eigen::Vector3d(1.5, 1.5, 0.);
  cylinder.b        = Eigen::Vector3d(1.5, 1.5, 1.);
  cylinder.radius   = 2.;
  system.obstacles  = Obstacles({cylinder, half_space("floor", Vector::Zero(3), Vector::Unit(3, 2)),
                                 half_space("lid", 3. * Vector::Unit(3, 2), -Vector::Unit(3, 2))},
                                {RigidMotion()});
  system.force      = gravity(3.);
  const auto motion = make_motion(system, scheme(A));
  for (int k = 1; k <= 60; ++k)
    {
      motion->advance(.05 * k);
      BOOST_TEST((motion->record().effort.status == convex::Status::converged));
    }
  const Spheres &s = motion->spheres();
  for (Index i = 0; i < s.size(); ++i)
    BOOST_TEST((s.r.col(i).head(2) - cylinder.a.head(2)).norm() + s.R(i) <= 2. + 1e-8 * .35);
}

BOOST_AUTO_TEST_CASE(a_ball_comes_to_rest_and_stays_there)
{
  SphereSystem system = row_of_spheres({2.}, {0.}, 1.);
  system.obstacles    = Obstacles({half_space("floor", Vector::Zero(1), Vector::Ones(1))}, {RigidMotion()});
  system.force        = gravity(10.);
  const auto motion   = make_motion(system, scheme(A, .5));
  run(*motion, 1e-3, 3.); // infinitely many bounces until t = .447 (1 + 2 (.5 + .25 + ...)) = 1.34
  BOOST_TEST(std::abs(motion->u()(0)) < 1e-12);
  BOOST_TEST(std::abs(motion->q()(0) - 1.) < 1e-10);
}

BOOST_AUTO_TEST_CASE(three_spheres_collapse_without_hanging)
{
  // e < 7 - 4√3 = .0718: infinitely many impacts of the middle sphere in finite time
  const auto motion = make_motion(row_of_spheres({0., 2.2, 4.4}, {1., 0., -1.}, 1.), scheme(A, .05));
  run(*motion, 1e-2, 1.);
  BOOST_TEST((motion->record().effort.status == convex::Status::converged));
  BOOST_TEST(std::abs(motion->u().sum()) < 1e-12);
  BOOST_TEST(motion->u()(0) < motion->u()(2) + 1e-12);
  BOOST_TEST(motion->record().max_overlap <= 1e-8);
}

BOOST_AUTO_TEST_CASE(a_squeezed_chain_is_named)
{
  SphereSystem system = row_of_spheres({1., 3., 5.}, {0., 0., 0.}, 1.);
  RigidMotion  inwards;
  inwards.translation = [](const double t) { return Vector::Constant(1, .1 * t).eval(); };
  system.obstacles    = Obstacles({half_space("piston", Vector::Zero(1), Vector::Ones(1), 0),
                                   half_space("lid", Vector::Constant(1, 6.5), -Vector::Ones(1), 1)},
                                  {inwards, RigidMotion()});
  const auto motion   = make_motion(system, scheme(A));
  BOOST_CHECK_EXCEPTION(run(*motion, .5, 10.), InputError, [](const InputError &error) {
    return blames(error, "the obstacles", "0-1-2") && blames(error, "the obstacles", "piston");
  });
  BOOST_TEST(motion->time() == 5.); // .5 of free space at .1 m/s
}

BOOST_AUTO_TEST_CASE(growth_without_room_is_refused_at_its_step)
{
  SphereSystem system = row_of_spheres({1.5, 4.5}, {0., 0.}, 1.);
  system.obstacles    = box_of_walls(1, 6.);
  system.radii        = [](const double t) { return Vector::Constant(2, 1. + t).eval(); };
  const auto motion   = make_motion(system, scheme(A));
  BOOST_CHECK_EXCEPTION(run(*motion, .125, 1.), InputError,
                        [](const InputError &error) { return blames(error, "the growth", "0-1"); });
  BOOST_TEST(motion->time() == .5); // 4 R = 6
}

BOOST_AUTO_TEST_CASE(bad_input_is_answered)
{
  const SphereSystem touching = row_of_spheres({0., 2.}, {0., 0.}, 1.);
  const auto refused = [](const SphereSystem &system, const MotionParameters &parameters, const std::string &parameter,
                          const std::string &word) {
    BOOST_CHECK_EXCEPTION(make_motion(system, parameters), InputError,
                          [&](const InputError &error) { return blames(error, parameter, word); });
  };
  refused(touching, scheme(Scheme::inertia_operator), "the scheme", "catching-up");
  refused(touching, scheme(B, .5), "the restitution", "catching-up");
  refused(row_of_spheres({0., 1.9}, {0., 0.}, 1.), scheme(A), "the spheres", "0 and 1 overlap");
  SphereSystem in_wall = touching;
  in_wall.obstacles    = Obstacles({half_space("floor", Vector::Zero(1), Vector::Ones(1))}, {RigidMotion()});
  refused(in_wall, scheme(A), "the spheres", "floor");
  SphereSystem shrinking = touching;
  shrinking.radii        = [](const double t) { return Vector::Constant(2, 1. - t).eval(); };
  const auto motion      = make_motion(shrinking, scheme(A));
  BOOST_CHECK_EXCEPTION(run(*motion, .25, 2.), InputError,
                        [](const InputError &error) { return blames(error, "the growth", "at time 1 s"); });
  SphereSystem blown_away = touching;
  blown_away.force        = [](const double t, const Eigen::MatrixXd &r, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
    f = Eigen::MatrixXd::Constant(r.rows(), r.cols(), t > .5 ? std::nan("") : 0.);
  };
  const auto moving = make_motion(blown_away, scheme(A));
  BOOST_CHECK_EXCEPTION(run(*moving, .25, 2.), InputError,
                        [](const InputError &error) { return blames(error, "the force", ".5 s"); });
}

BOOST_AUTO_TEST_CASE(a_thin_body_does_not_jump_over_a_sphere)
{
  SphereSystem system = row_of_spheres({2.}, {0.}, .1, 2);
  Obstacle     bat;
  bat.name   = "bat";
  bat.shape  = Obstacle::Shape::capsule;
  bat.a      = Vector::Zero(2);
  bat.b      = Vector::Unit(2, 1);
  bat.a(1)   = -1.;
  bat.radius = .05;
  RigidMotion motion;
  motion.translation = [](const double t) { return (10. * t * Vector::Unit(2, 0)).eval(); };
  system.obstacles   = Obstacles({bat}, {motion});
  const auto fast    = make_motion(system, scheme(A));
  BOOST_CHECK_EXCEPTION(run(*fast, .1, 1.), InputError,
                        [](const InputError &error) { return blames(error, "the time step", "bat"); });
  const auto slow = make_motion(system, scheme(A));
  run(*slow, .01, 1.);
  BOOST_TEST(std::abs(slow->u()(0) - 10.) < 1e-9);
}

// Only the lowest row breaks a constraint before the step, and all discs are stopped by it or thrown aside: the size of what
// has to be undone is the speed of the fall, not what the lowest row is of it.
BOOST_AUTO_TEST_CASE(a_crystal_with_vacancies_that_falls_on_a_floor)
{
  lattices::Zone zone;
  zone.lower = Vector::Zero(2);
  zone.upper = Vector::Constant(2, 60.);
  lattices::Placement placement;
  placement.vacancies = .05;
  SphereSystem system;
  system.spheres   = lattices::triangular(zone, placement);
  const Index n    = system.spheres.size();
  const auto  down = [n](const double speed) {
    Vector U                                                   = Vector::Zero(2 * n);
    Eigen::Map<Eigen::MatrixXd>(U.data(), 2, n).row(1).array() = -speed;
    return U;
  };
  system.U          = down(1.);
  system.force      = gravity(9.81);
  system.obstacles  = Obstacles({half_space("the floor", Vector::Zero(2), Vector::Unit(2, 1))}, {RigidMotion()});
  const auto motion = make_motion(system, scheme(A));
  BOOST_TEST_REQUIRE(n > 3500);
  for (int step = 1; step <= 3; ++step)
    {
      motion->advance(.002 * step);
      const StepRecord &record = motion->record();
      BOOST_TEST(record.effort.converged(), "step " << step << ": " << record.method);
      BOOST_TEST(record.effort.natural_residual < 1e-6);
      BOOST_TEST(record.max_overlap < 1e-8);
      BOOST_TEST(record.energy_gain < 1e-5 * record.kinetic_energy); // of discs that the weight turns round
    }
  // some of the discs above vacancies keep falling, none falls faster than it would alone
  BOOST_TEST(motion->record().kinetic_energy < .7 * .5 * n * system.spheres.m(0));
}

BOOST_AUTO_TEST_SUITE_END()
