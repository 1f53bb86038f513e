// SPDX-License-Identifier: GPL-3.0-or-later
// Gluey contact (BL, remark 4.3): M u - Bᵀγ changes by forces alone, γ <= 0, and a contact opens where γ reaches 0.
#include "micro/motion/sphere_motion.h"

#include "motions.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

BOOST_AUTO_TEST_SUITE(gluey_contact)

using namespace moreau;
using namespace moreau::micro;

namespace
{
MotionParameters gluey()
{
  MotionParameters parameters;
  parameters.contact_law = ContactLaw::gluey;
  return parameters;
}

/// -1 until t = 1 s, then 1 (m/s²).
double push_then_pull(const double t) { return t < 1. ? -1. : 1.; }

/// A sphere of radius 1 m and mass 2 kg, .25 m above a floor that it approaches with 1 m/s.
SphereSystem sphere_above_a_floor()
{
  SphereSystem system = row_of_spheres({1.25}, {-1.}, 1.);
  system.spheres.m(0) = 2.;
  system.force        = [](const double t, const Eigen::MatrixXd &r, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
    f.setConstant(r.rows(), r.cols(), push_then_pull(t));
  };
  system.obstacles = Obstacles({half_space("floor", Vector::Zero(1), Vector::Unit(1, 0))}, {RigidMotion()});
  return system;
}

/// From where it is to time T.
void go_on(Motion &motion, const double h, const double T)
{
  const int last = static_cast<int>(std::lround(T / h));
  for (int k = static_cast<int>(std::lround(motion.time() / h)) + 1; k <= last; ++k)
    motion.advance(k * h);
}

/// γ of the contact of (i, j) at the end of the last step; 0 where it does not hold.
double gamma_of(const SphereMotion &motion, const int i, const int j)
{
  for (const MotionContact &contact : motion.contacts())
    if (contact.i == i && contact.j == j)
      return contact.gamma;
  return 0.;
}

/// The lubricated sphere, m u' = m f - m μ u/D, at time T by steps h of the implicit Euler method: u + μ ln D changes by the
/// force alone. Its gap.
double lubricated_gap(const double mu, const double T, const double h)
{
  double D = .25, A = -1. + mu * std::log(D); // u + μ ln D
  for (double t = 0.; t < T - .5 * h; t += h)
    {
      A += h * push_then_pull(t + .5 * h);
      // D - h (A - μ ln D) grows with D
      double low = 0., high = D + 10. * h;
      for (int k = 0; k < 200; ++k)
        {
          const double middle                                         = .5 * (low + high);
          (middle - h * (A - mu * std::log(middle)) < D ? low : high) = middle;
        }
      D = std::max(.5 * (low + high), std::exp(-600.));
    }
  return D;
}
} // namespace

// It arrives with -√1.5 m/s and is pressed until t = 1 s: then u - γ/m = -2 m/s, which the pull needs 2 s to use up.
BOOST_AUTO_TEST_CASE(a_sphere_leaves_the_floor_when_what_pressed_it_has_been_used_up)
{
  for (const double h : {.02, .01, .005})
    {
      const auto motion = make_motion(sphere_above_a_floor(), gluey());
      go_on(*motion, h, 2.5);
      BOOST_TEST(std::abs(motion->u()(0)) < 1e-10);
      BOOST_TEST(std::abs(motion->q()(0) - 1.) < 1e-8);
      BOOST_TEST(std::abs(gamma_of(*motion, 0, 1) + 2. * .5) < 1e-9);
      BOOST_TEST(motion->contacts().at(0).impulse < 0.); // it is pulled
      BOOST_TEST(*motion->record().n_glued == 1);
      go_on(*motion, h, 4.);
      BOOST_TEST(std::abs(motion->u()(0) - 1.) < 1e-9);
      BOOST_TEST(std::abs(motion->q()(0) - 1.5) < .6 * h);
      BOOST_TEST(*motion->record().n_glued == 0);
    }
  const auto dry = make_motion(sphere_above_a_floor(), MotionParameters());
  go_on(*dry, .01, 2.5);
  BOOST_TEST(std::abs(dry->u()(0) - 1.5) < 1e-9);
}

// With half of the viscosity the gap is half as far from that of the gluey sphere.
BOOST_AUTO_TEST_CASE(it_is_the_limit_of_lubricated_contact)
{
  const double T = 4., exact = .5;
  double       before = 0.;
  for (const double mu : {.08, .04, .02})
    {
      const double error = std::abs(lubricated_gap(mu, T, 1e-3) - exact);
      if (before > 0.)
        BOOST_TEST(error < .65 * before);
      before = error;
    }
  BOOST_TEST(before < .05);
}

// Three spheres, the first one strikes with 3 m/s: they go on with 1 m/s, γ = -2, -1 kg m/s. The last one is pulled by 1 N
// and takes the others with it, until the impulse 2/3 N t through its contact is 1 kg m/s: at t = 1.5 s.
BOOST_AUTO_TEST_CASE(a_row_is_pulled_apart_at_the_contact_that_holds_less)
{
  SphereSystem system = row_of_spheres({0., 2., 4.}, {3., 0., 0.}, 1.);
  system.force        = [](double, const Eigen::MatrixXd &r, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
    f.setZero(r.rows(), r.cols());
    f(0, r.cols() - 1) = 1.;
  };
  const auto motion = make_motion(system, gluey());
  go_on(*motion, .01, 1.2);
  BOOST_TEST(std::abs(motion->u()(0) - 1.4) < 1e-9);
  BOOST_TEST(std::abs(motion->u()(2) - 1.4) < 1e-9);
  BOOST_TEST(std::abs(gamma_of(*motion, 0, 1) + 2. - .4) < 1e-8);
  BOOST_TEST(std::abs(gamma_of(*motion, 1, 2) + 1. - .8) < 1e-8);
  go_on(*motion, .01, 2.);
  BOOST_TEST(std::abs(motion->u()(0) - 1.5) < 1e-9);
  BOOST_TEST(std::abs(motion->u()(1) - 1.5) < 1e-9);
  BOOST_TEST(std::abs(motion->u()(2) - 2.) < 1e-9);
  BOOST_TEST(motion->record().momentum_error < 1e-12);
}

// They meet with γ = -1 kg m/s and turn around each other with .5 rad/s: 1/4 N holds them, for 4 s.
BOOST_AUTO_TEST_CASE(two_discs_turn_around_each_other_until_they_fly_apart)
{
  const auto after = [](const double h, const double T) {
    SphereSystem system = row_of_spheres({0., 2.}, {1., -1.}, 1., 2);
    system.U(1)         = -.5;
    system.U(3)         = .5;
    auto motion         = make_motion(system, gluey());
    go_on(*motion, h, T);
    return motion;
  };
  const auto distance = [](const SphereMotion &motion) {
    return (motion.spheres().r.col(1) - motion.spheres().r.col(0)).norm();
  };
  const auto held = after(.005, 3.5);
  BOOST_TEST(std::abs(distance(*held) - 2.) < 1e-4);
  BOOST_TEST(*held->record().n_glued == 1);
  BOOST_TEST(std::abs(gamma_of(*held, 0, 1) + 1. - 3.5 / 4.) < .02);
  const Vector x = held->spheres().r.col(1) - held->spheres().r.col(0);
  BOOST_TEST(std::abs(std::atan2(x(1), x(0)) - 1.75) < .02);
  const auto free = after(.005, 4.5);
  BOOST_TEST(*free->record().n_glued == 0);
  BOOST_TEST(distance(*free) > 2.);
  BOOST_TEST(free->record().momentum.norm() < 1e-12);
}

// Nothing but its own motion acts: kinetic energy never rises, clusters grow, and momentum is balanced.
BOOST_AUTO_TEST_CASE(a_gas_sticks_together_and_loses_energy)
{
  SphereSystem system = gas(2, 6, 1., 3);
  system.obstacles    = box_of_walls(2, 6.);
  const auto   motion = make_motion(system, gluey());
  double       before = motion->record().kinetic_energy;
  const double first  = before;
  for (int step = 1; step <= 200; ++step)
    {
      motion->advance(.005 * step);
      BOOST_TEST_REQUIRE(motion->record().effort.converged());
      BOOST_TEST(motion->record().kinetic_energy <= before + 1e-6 * first);
      BOOST_TEST(motion->record().momentum_error < 1e-12);
      BOOST_TEST(motion->record().max_overlap < 1e-7);
      before = motion->record().kinetic_energy;
    }
  BOOST_TEST(before < .5 * first);
  BOOST_TEST(*motion->record().n_glued > 20);
}

BOOST_AUTO_TEST_CASE(a_state_carries_gamma)
{
  const auto whole = make_motion(sphere_above_a_floor(), gluey()), first = make_motion(sphere_above_a_floor(), gluey());
  go_on(*whole, .01, 2.);
  go_on(*first, .01, 2.);
  const auto second = make_motion(sphere_above_a_floor(), gluey());
  second->restore(first->state());
  BOOST_TEST(*second->record().n_glued == 1);
  go_on(*whole, .01, 4.);
  go_on(*second, .01, 4.);
  BOOST_TEST(whole->u()(0) == second->u()(0));
  BOOST_TEST(whole->q()(0) == second->q()(0));
}

// A row that is pulled apart late, and a sphere that a body pushes, then holds back: both pass the side of a periodic box.
BOOST_AUTO_TEST_CASE(what_holds_passes_a_periodic_side)
{
  for (const double upper : {1.5, 2.5, 2.9, 4.9})
    {
      SphereSystem row = row_of_spheres({0., 2., 4.}, {3., 0., 0.}, 1.);
      row.force        = [](double, const Eigen::MatrixXd &r, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
        f.setZero(r.rows(), r.cols());
        f(0, r.cols() - 1) = .5;
      };
      SphereSystem pushed = row_of_spheres({2.}, {0.}, 1.);
      Obstacle     ball;
      ball.name   = "ball";
      ball.shape  = Obstacle::Shape::ball;
      ball.a      = Vector::Zero(1);
      ball.radius = 1.;
      RigidMotion slower;
      slower.translation = [](const double t) {
        return Vector::Constant(1, t < 1. ? t : t - .2 * (t - 1.) * (t - 1.)).eval();
      };
      pushed.obstacles = Obstacles({ball}, {slower});
      for (SphereSystem *const system : {&row, &pushed})
        {
          const auto free = make_motion(*system, gluey());
          system->lower   = Vector::Constant(1, upper - 20.);
          system->period  = Vector::Constant(1, 20.);
          const auto side = make_motion(*system, gluey());
          go_on(*free, .01, 2.5);
          go_on(*side, .01, 2.5);
          BOOST_TEST((side->u() - free->u()).norm() < 1e-9);
          BOOST_TEST(*side->record().n_glued == system->spheres.size() - (system == &row));
        }
    }
}

BOOST_AUTO_TEST_CASE(there_is_no_rebound_and_no_catching_up)
{
  const auto is_refused = [](const MotionParameters &parameters) {
    BOOST_CHECK_EXCEPTION(make_motion(sphere_above_a_floor(), parameters), InputError,
                          [](const InputError &error) { return error.subject == "the contact law"; });
  };
  MotionParameters rebounds = gluey(), catching_up = gluey();
  rebounds.law.restitution = .5;
  catching_up.scheme       = Scheme::catching_up;
  is_refused(rebounds);
  is_refused(catching_up);
}

BOOST_AUTO_TEST_SUITE_END()
