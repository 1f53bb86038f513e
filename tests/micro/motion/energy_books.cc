// SPDX-License-Identifier: GPL-3.0-or-later
// kinetic_energy = initial + work + constraint_work - dissipated + scheme_error, and each is what its name says.
#include "tests/micro/motion/motions.h"
#include "tests/micro/motion/systems.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(energy_books)

using namespace moreau;
using namespace moreau::micro;
namespace utf = boost::unit_test;

namespace
{
/// What the books do not explain of the energy (J).
double unexplained(const StepRecord &now, const double initial)
{
  return now.kinetic_energy - (initial + now.work + now.constraint_work - now.dissipated + now.scheme_error);
}

/// A force per mass -∂V/∂x along the first axis, of V = ½ k x² per mass.
BodyForce spring(const double k)
{
  return [k](double, const Eigen::MatrixXd &r, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
    f.setZero(r.rows(), r.cols());
    f.row(0) = -k * r.row(0);
  };
}

SphereSystem ball_above_a_floor(const double height)
{
  SphereSystem system = row_of_spheres({0.}, {0.}, .1, 2);
  system.spheres.m(0) = 2.;
  system.spheres.r(1) = .1 + height;
  system.force        = gravity(10.);
  system.obstacles    = Obstacles({half_space("floor", Vector::Zero(2), Vector::Unit(2, 1))}, {RigidMotion()});
  return system;
}
} // namespace

BOOST_AUTO_TEST_CASE(free_fall_dissipates_nothing)
{
  SphereSystem system = row_of_spheres({0.}, {.5}, .1, 2);
  system.force        = gravity(10.);
  for (const Scheme scheme : {A, B})
    {
      const auto motion = make_motion(system, parameters(scheme));
      advance(*motion, 1., 100, [&] {
        const StepRecord &now = motion->record();
        BOOST_TEST(now.dissipated <= (scheme == A ? 0. : 1e-10)); // velocities of B are differences of places
        BOOST_TEST((std::abs(now.work + 10. * motion->q()(1)) < 1e-12));
        BOOST_TEST((std::abs(now.scheme_error + .5 * std::pow(10. * .01, 2) * now.step) < 1e-10)); // it falls too far
        BOOST_TEST((std::abs(unexplained(now, .125)) < 1e-12));
      });
    }
}

// What the floor takes is the energy of the fall; later it carries the ball, and takes nothing.
BOOST_AUTO_TEST_CASE(a_floor_takes_the_energy_of_an_impact_and_nothing_at_rest)
{
  const SphereSystem system = ball_above_a_floor(.5);
  for (const int n : {500, 4000})
    {
      const auto   motion = make_motion(system, parameters(A));
      const double h      = 1. / n;
      advance(*motion, .5, n / 2);
      const double at_rest = motion->record().dissipated;
      BOOST_TEST((std::abs(at_rest - 10.) < 100. * h)); // m g H, to O(h)
      BOOST_TEST((std::abs(motion->record().work - 10.) < 1e-10));
      for (int k = n / 2 + 1; k <= n; ++k)
        motion->advance(k * h);
      BOOST_TEST((std::abs(motion->record().dissipated - at_rest) < 1e-10));
      BOOST_TEST((std::abs(unexplained(motion->record(), 0.)) < 1e-11));
    }
}

// An elastic floor takes nothing. The step of the impact has the whole impulse of the weight before it: an error in time.
BOOST_AUTO_TEST_CASE(elastic_impacts_take_nothing_away)
{
  double before = 0.;
  for (const int n : {400, 3200})
    {
      const auto motion = make_motion(ball_above_a_floor(.5), parameters(A, 1.));
      double     last   = 0.;
      advance(*motion, 3., n, [&] {
        BOOST_TEST(motion->record().dissipated >= last);
        last = motion->record().dissipated;
      });
      const StepRecord &end = motion->record();
      BOOST_TEST((std::abs(unexplained(end, 0.)) < 1e-10));
      BOOST_TEST((end.dissipated < 200. / n));
      const double height = 2. * 10. * (motion->q()(1) - .1);
      BOOST_TEST((std::abs(end.scheme_error - (end.kinetic_energy + height - 10. + end.dissipated)) < 1e-9));
      if (before > 0.)
        BOOST_TEST((std::abs(end.scheme_error) < .5 * before));
      before = std::abs(end.scheme_error);
    }
}

// h ω = 2.1 > 2: kinetic and potential energy together grow beyond all bounds, and no force has done that work.
BOOST_AUTO_TEST_CASE(a_spring_that_blows_up_is_an_error_of_the_scheme)
{
  SphereSystem system = row_of_spheres({1e-4}, {0.}, .1);
  system.force        = spring(1e4);
  const auto   motion = make_motion(system, parameters(A));
  const double E      = .5 * 1e4 * 1e-8;
  advance(*motion, .42, 20, [&] {
    const StepRecord &now       = motion->record();
    const double      potential = .5 * 1e4 * std::pow(motion->q()(0), 2);
    BOOST_TEST((std::abs(now.work - (E - potential)) <= 1e-9 * potential + 1e-18));
    BOOST_TEST(
        (std::abs(now.scheme_error - (now.kinetic_energy + potential - E)) <= 1e-9 * (now.kinetic_energy + potential)));
    BOOST_TEST(now.dissipated == 0.);
  });
  BOOST_TEST(motion->record().scheme_error > 100. * E);
  // the same in a box that repeats itself: work is that of the force where the sphere is
  system.lower        = Vector::Constant(1, -1.);
  system.period       = Vector::Constant(1, 2.);
  const auto periodic = make_motion(system, parameters(A));
  advance(*periodic, .1, 1000);
  BOOST_TEST((std::abs(periodic->record().scheme_error) < .1 * E));
}

BOOST_AUTO_TEST_CASE(drag_works_against_the_motion_whatever_the_step)
{
  SphereSystem system = row_of_spheres({0.}, {1e-6}, .1);
  system.force        = [](double, const Eigen::MatrixXd &, const Eigen::MatrixXd &u, Eigen::MatrixXd &f) { f = -250. * u; };
  const auto motion   = make_motion(system, parameters(A));
  double     work     = 0.;
  advance(*motion, .2, 20, [&] { // h k = 2.5: the speed grows by half in each step
    BOOST_TEST(motion->record().work < work);
    BOOST_TEST((std::abs(motion->record().drag - 2.5) < 1e-9));
    work = motion->record().work;
  });
  BOOST_TEST(motion->record().kinetic_energy > 1e6 * .5e-12);
  BOOST_TEST(motion->record().scheme_error > motion->record().kinetic_energy);
}

BOOST_AUTO_TEST_CASE(books_close_with_all_that_acts)
{
  for (const double e : {0., .5, 1.})
    for (const Scheme scheme : {A, B})
      {
        if (scheme == B && e > 0.)
          continue;
        SphereSystem system = gas(2, 6, 2., 7);
        RigidMotion  shaken;
        shaken.translation      = [](const double t) { return Vector(Vector::Unit(2, 1) * .1 * std::sin(20. * t)); };
        system.obstacles        = Obstacles({half_space("floor", Vector::Zero(2), Vector::Unit(2, 1), 0),
                                             half_space("left", Vector::Zero(2), Vector::Unit(2, 0), 1),
                                             half_space("right", Vector::Unit(2, 0) * 6., -Vector::Unit(2, 0), 1)},
                                            {shaken, RigidMotion()});
        system.force            = gravity(3.);
        system.radii            = [R = system.spheres.R](const double t) -> Vector { return (1. + .05 * t) * R; };
        const auto   motion     = make_motion(system, parameters(scheme, e));
        const double initial    = motion->record().kinetic_energy;
        double       dissipated = 0.;
        for (int k = 1; k <= 100; ++k)
          {
            const Vector     before = motion->q();
            const StepRecord last   = motion->record();
            motion->advance(.01 * k);
            const StepRecord &now    = motion->record();
            double            weight = 0.;
            for (Index i = 0; i < system.spheres.size(); ++i)
              weight -= 3. * system.spheres.m(i) * (motion->q() - before)(2 * i + 1);
            BOOST_TEST((std::abs(now.work - last.work - weight) < 1e-10));
            BOOST_TEST((std::abs(unexplained(now, initial)) < 1e-10 * initial));
            BOOST_TEST(now.dissipated >= dissipated);
            dissipated = now.dissipated;
          }
        BOOST_TEST(dissipated > .1 * initial * (1. - e));
        // a checkpoint has all of it
        const auto resumed = make_motion(system, parameters(scheme, e));
        resumed->restore(motion->state());
        for (Motion *const one : {motion.get(), static_cast<SphereMotion *>(resumed.get())})
          one->advance(1.01);
        BOOST_TEST(resumed->record().scheme_error == motion->record().scheme_error);
        BOOST_TEST(resumed->record().work == motion->record().work);
        BOOST_TEST(resumed->record().dissipated == motion->record().dissipated);
      }
}

// A double pendulum without its wall has kinetic and potential energy; what they change by together is the scheme's.
BOOST_AUTO_TEST_CASE(work_on_a_system_is_what_its_potential_loses)
{
  const System system    = built_in("double pendulum with a wall", {{"wall", 5.}});
  const auto   potential = [](const Vector &q) { return -9.81 * (2. * std::cos(q(0)) + std::cos(q(1))); };
  const auto   motion    = make_motion(system, parameters(C));
  const double V = potential(motion->q()), T = motion->record().kinetic_energy;
  double       largest = 0.;
  advance(*motion, 2., 400, [&] {
    const StepRecord &now = motion->record();
    BOOST_TEST((std::abs(now.work - (V - potential(motion->q()))) < 1e-5)); // by quadrature
    BOOST_TEST((std::abs(unexplained(now, T)) < 1e-12));
    BOOST_TEST(now.dissipated == 0.);
    largest = std::max(largest, std::abs(now.scheme_error));
  });
  BOOST_TEST(largest > 1e-3);
}

// By scheme B no multiplier is known: the reaction says what the wall did.
BOOST_AUTO_TEST_CASE(a_wall_that_moves_works_in_catching_up_as_in_the_other_schemes)
{
  const System system = built_in("moving disc", {{"gravity", 1.}, {"uy", .3}, {"x", .8}});
  double       work[2], dissipated[2];
  int          which = 0;
  for (const Scheme scheme : {B, C})
    {
      const auto   motion  = make_motion(system, parameters(scheme));
      const double initial = motion->record().kinetic_energy;
      advance(*motion, 2., 8000, [&] { BOOST_TEST((std::abs(unexplained(motion->record(), initial)) < 1e-9)); });
      work[which]         = motion->record().constraint_work;
      dissipated[which++] = motion->record().dissipated;
      BOOST_TEST((std::abs(motion->record().scheme_error) < .05));
    }
  BOOST_TEST(work[0] > 1.);
  BOOST_TEST((std::abs(work[0] - work[1]) < .05 * work[1]));
  BOOST_TEST((std::abs(dissipated[0] - dissipated[1]) < .05 * dissipated[1]));
}

BOOST_AUTO_TEST_SUITE_END()
