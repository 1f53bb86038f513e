// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/micro/motion/systems.h"

#include "convex/input_error.h"
#include "micro/motion/trajectory.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

BOOST_AUTO_TEST_SUITE(mechanical_schemes)

using namespace moreau;
using namespace moreau::micro;
namespace utf = boost::unit_test;

namespace
{
/// Against the exact motion: sup of q, mean over time of |u|.
TrajectoryError error_of(const System &system, const Scheme scheme, const double e, const double T, const int n)
{
  const auto motion = make_motion(system, parameters(scheme, e));
  Trajectory trajectory(*motion);
  advance(*motion, T, n, [&] { trajectory.record(*motion); });
  ExactTrajectory exact;
  exact.at = [&](const double t) {
    const MechanicalSystem::Arc arc = *system->exact(t, e);
    return ExactTrajectory::State{arc.q, arc.u, arc.cumulated_impulse};
  };
  return error(trajectory, exact);
}

/// Two coordinates in a corner, coupled by M, with damping: M u' = -k P.
class Corner : public MechanicalSystem
{
public:
  Corner(const Vector &u, const double damping = 0., const Index n_walls = 2) : u(u), damping(damping), n_walls(n_walls) {}

  Index                    n_coordinates() const override { return 2; }
  std::vector<std::string> coordinate_names() const override { return {"x (m)", "y (m)"}; }
  Vector                   initial_position() const override { return Vector::Ones(2); }
  Vector                   initial_velocity() const override { return u; }
  Eigen::MatrixXd          mass(const Vector &) const override
  {
    Eigen::Matrix2d M;
    M << 2., 1., 1., 2.;
    return M;
  }
  bool            constant_mass() const override { return true; }
  Vector          force(double, const Vector &, const Vector &P) const override { return -damping * P; }
  Index           n_constraints() const override { return n_walls; }
  Vector          constraints(double, const Vector &q) const override { return q.head(n_walls); }
  Eigen::MatrixXd gradients(double, const Vector &) const override { return Eigen::MatrixXd::Identity(n_walls, 2); }
  bool            convex_constraints() const override { return true; }

private:
  Vector u;
  double damping;
  Index  n_walls;
};

System corner(const double ux, const double uy, const double damping = 0., const Index n_walls = 2)
{
  return std::make_shared<Corner>(Eigen::Vector2d(ux, uy), damping, n_walls);
}

double potential_of_pendulum(const Vector &q) { return -9.81 * (2. * std::cos(q(0)) + std::cos(q(1))); }

/// The largest change of the energy of a double pendulum without a wall.
double drift(const int n, const bool implicit)
{
  MotionParameters p   = parameters(C);
  p.implicit_force     = implicit;
  const auto   motion  = make_motion(built_in("double pendulum with a wall", {{"wall", 5.}}), p);
  const double energy  = potential_of_pendulum(motion->q());
  double       largest = 0.;
  advance(*motion, 1., n, [&] {
    largest = std::max(largest, std::abs(motion->record().kinetic_energy + potential_of_pendulum(motion->q()) - energy));
  });
  return largest;
}
} // namespace

// First order: positions in sup, velocities in L¹ (they jump). An impact falls anywhere in a step, so that single halvings
// vary: over 2^4 of them the error must fall by at least 2^3.2.
BOOST_AUTO_TEST_CASE(schemes_converge_to_the_exact_arcs_with_order_one)
{
  const System ball = built_in("ball on a floor"), oscillator = built_in("oscillator with a stop");
  for (const System &system : {ball, oscillator})
    for (const Scheme scheme : {A, B, C})
      for (const double e : {0., .5, 1.})
        if (scheme != B || e == 0.)
          BOOST_TEST_CONTEXT(system->coordinate_names()[0] << ", " << name(scheme) << ", e = " << e)
          {
            const double          T      = 4.;
            const TrajectoryError coarse = error_of(system, scheme, e, T, 128), fine = error_of(system, scheme, e, T, 2048);
            const double          order_q = std::log2(coarse.q / fine.q) / 4., order_u = std::log2(coarse.u / fine.u) / 4.;
            BOOST_TEST_MESSAGE("orders " << order_q << " of q in sup, " << order_u << " of u in L1");
            BOOST_TEST(order_q > .8);
            BOOST_TEST(order_u > .8);
            BOOST_TEST(fine.q < 3. * T / 2048.);
            BOOST_TEST(fine.u < 4. * T / 2048.);
            BOOST_TEST(fine.impulse < 4. * T / 2048.);
          }
}

// Infinitely many bounces end at t_1 (1 + 2e/(1 - e)), t_1 = √2: with e = 1/2 at 3√2 = 4.24.
BOOST_AUTO_TEST_CASE(infinitely_many_bounces_end_at_rest)
{
  for (const Scheme scheme : {A, C})
    {
      const auto motion = make_motion(built_in("ball on a floor"), parameters(scheme, .5));
      advance(*motion, 6., 6000);
      BOOST_TEST((std::abs(motion->q()(0)) < 2e-3)); // C leaves O(h)
      BOOST_TEST((std::abs(motion->u()(0)) < 4e-3)); // and bounces that a step cannot resolve
      BOOST_TEST((std::abs(motion->record().dissipated - 1.) < 1e-2));
      if (scheme == A) // below 2 h g the ball does not rebound any more
        BOOST_TEST(std::max(std::abs(motion->q()(0)), std::abs(motion->u()(0))) < 1e-15);
      BOOST_TEST(motion->record().step == 6000);
    }
}

BOOST_AUTO_TEST_CASE(books_balance_and_impacts_take_energy_away)
{
  for (const Scheme scheme : {A, C})
    for (const double e : {0., .5, 1.})
      {
        const auto   motion  = make_motion(built_in("oscillator with a stop", {{"velocity", 1.}}), parameters(scheme, e));
        const double initial = motion->record().kinetic_energy;
        double       lost    = 0.;
        BOOST_TEST(initial == .5);
        advance(*motion, 10., 1000, [&] {
          const StepRecord &record = motion->record();
          BOOST_TEST(
              (std::abs(initial + record.work - record.dissipated + record.scheme_error - record.kinetic_energy) < 1e-12));
          BOOST_TEST(record.momentum_error < 1e-12);
          BOOST_TEST(record.effort.natural_residual < 1e-12);
          BOOST_TEST(record.effort.guaranteed);
          BOOST_TEST(record.effort.relative_error_bound < 1e-7); // certificates see rounding as its square root
          BOOST_TEST((record.effort.status == convex::Status::converged));
          BOOST_TEST(record.dissipated >= lost);
          lost = record.dissipated;
        });
        if (e < 1.)
          BOOST_TEST(lost > .1);
        else
          BOOST_TEST((std::abs(lost) < .02));
      }
}

// M⁻¹ = [2 -1; -1 2]/3: the wall x = 0 takes λ = 3/2 from u = (-1, 0), and gives u = (0, -1/2); with e = 1 (1, -1).
BOOST_AUTO_TEST_CASE(impacts_use_the_metric_of_a_full_mass_matrix)
{
  for (const Scheme scheme : {A, C})
    {
      const Index n_walls   = scheme == A ? 2 : 1;
      const auto  inelastic = make_motion(corner(-1., 0., 0., n_walls), parameters(scheme)),
                 elastic    = make_motion(corner(-1., 0., 0., n_walls), parameters(scheme, 1.));
      advance(*inelastic, 1.1, 11);
      advance(*elastic, 1.1, 11);
      BOOST_TEST((inelastic->u() - Eigen::Vector2d(0., -.5)).norm() < 1e-14); // rounding
      BOOST_TEST((elastic->u() - Eigen::Vector2d(1., -1.)).norm() < 1e-14);
      BOOST_TEST((std::abs(inelastic->record().dissipated - .75) < 1e-14));
      BOOST_TEST((std::abs(elastic->record().dissipated) < 1e-14));
    }
}

// Without gravity the floor .2 sin(πt/2) reaches a ball at rest at height .1
// when t = 1/3, and gives it 1 + e times its own speed.
BOOST_AUTO_TEST_CASE(floor_that_moves_hits_a_ball_at_rest)
{
  const SystemConstants constants = {{"height", .1}, {"gravity", 0.}, {"amplitude", .2}, {"frequency", .25}};
  const double          speed     = .1 * M_PI * std::cos(M_PI / 6.);
  for (const Scheme scheme : {A, C})
    for (const double e : {.5, 1.})
      {
        const auto motion = make_motion(built_in("ball on a floor", constants), parameters(scheme, e));
        advance(*motion, 1., 1000);
        BOOST_TEST((std::abs(motion->u()(0) - (1. + e) * speed) < 2e-3)); // order one in h
      }
}

// Both walls at once; K_h is a corner, reached in one long step.
BOOST_AUTO_TEST_CASE(long_steps_leave_positions_admissible)
{
  for (const double e : {0., .5, 1.})
    {
      const auto motion = make_motion(corner(-1., -1.3), parameters(A, e));
      advance(*motion, 50., 10, [&] { BOOST_TEST(motion->q().minCoeff() >= -1e-14); });
      if (e == 0.)
        BOOST_TEST(motion->u().norm() < 1e-14);
    }
}

// The linearised constraint of a floor that moves is exact: the ball rests on
// it while the floor brakes more slowly than the ball falls.
BOOST_AUTO_TEST_CASE(ball_follows_a_moving_floor)
{
  const SystemConstants constants = {{"height", 0.}, {"gravity", 10.}, {"amplitude", .1}, {"frequency", .5}};
  for (const Scheme scheme : {A, B, C})
    {
      const auto   motion    = make_motion(built_in("ball on a floor", constants), parameters(scheme));
      const double tolerance = scheme == C ? 2e-3 : 1e-14; // C sees the floor one step later
      advance(*motion, 3., 1000,
              [&] { BOOST_TEST((std::abs(motion->q()(0) - .1 * std::sin(M_PI * motion->time())) < tolerance)); });
    }
}

// L_f = 10, M ~ 1: the fixed point contracts for h < √α/(L_f β^{3/2}) with the eigenvalues α = 1, β = 3 of M.
BOOST_AUTO_TEST_CASE(implicit_force_says_for_which_steps_its_fixed_point_contracts, *utf::tolerance(1e-12))
{
  MotionParameters implicit = parameters(C);
  implicit.implicit_force   = true;
  const auto small = make_motion(corner(1., 1., 10., 1), implicit), large = make_motion(corner(1., 1., 10., 1), implicit);
  small->advance(.01);
  BOOST_TEST((small->record().effort.status == convex::Status::converged));
  BOOST_TEST(small->u()(0) == 1. / 1.1);                                                      // u = 1 - h k u
  BOOST_TEST(small->record().method.find("contracts for h < 0.019245") != std::string::npos); // 1/(10·3^{3/2})
  large->advance(.2);
  BOOST_TEST((large->record().effort.status == convex::Status::iteration_limit));
  BOOST_TEST(large->u()(0) == -1.); // the explicit force
  BOOST_TEST(large->record().method.find("contracts for h < 0.019245") != std::string::npos);

  implicit.law.restitution = .5;
  const auto wall          = make_motion(corner(-100., 0., 10., 1), implicit);
  wall->advance(.011);
  BOOST_TEST((wall->record().effort.status == convex::Status::converged));
  BOOST_TEST(wall->u()(0) == 50.);
}

BOOST_AUTO_TEST_CASE(energy_of_a_double_pendulum_drifts_with_the_step)
{
  for (const bool implicit : {false, true})
    {
      const double coarse = drift(1000, implicit), fine = drift(4000, implicit);
      BOOST_TEST(coarse < .3);
      BOOST_TEST(coarse / fine > 3.);
      BOOST_TEST(coarse / fine < 5.);
    }
}

BOOST_AUTO_TEST_CASE(pendulum_passes_the_wall_by_no_more_than_a_step)
{
  for (const double e : {0., .5, 1.})
    {
      double overlap[2] = {}, impacts[2] = {};
      for (const int level : {0, 1})
        {
          const auto motion = make_motion(built_in("double pendulum with a wall", {{"wall", .3}}), parameters(C, e));
          advance(*motion, 2., level == 0 ? 1000 : 8000, [&] {
            overlap[level] = std::max(overlap[level], motion->record().max_overlap);
            impacts[level] += motion->impulse().norm();
          });
        }
      BOOST_TEST(overlap[0] < 10. * 2. / 1000.); // speeds below 10 m/s
      BOOST_TEST(overlap[1] < 10. * 2. / 8000.);
      BOOST_TEST(impacts[1] > 1.);
    }
}

// y = x²/2 from x = 1: at the stop the speed √(2 g y) becomes e times as large, and the bead rises to e² y.
BOOST_AUTO_TEST_CASE(bead_rises_to_e_squared_of_its_height)
{
  for (const double e : {.5, 1.})
    {
      const auto motion  = make_motion(built_in("bead on a curve"), parameters(C, e));
      double     highest = 0.;
      bool       hit     = false;
      advance(*motion, 4., 8000, [&] {
        hit = hit || motion->impulse()(0) > 0.;
        if (hit)
          highest = std::max(highest, .5 * std::pow(motion->q()(0), 2));
      });
      BOOST_TEST(hit);
      BOOST_TEST((std::abs(highest - e * e * .5) < 2e-3)); // order one in h = 5e-4
    }
}

// One C^∞ force, two sequences of steps, two limits (BM, Fig. 9):
// differences within a sequence fall with h, those between them do not.
BOOST_AUTO_TEST_CASE(two_sequences_of_steps_have_two_limits)
{
  const System                             system  = built_in("non-uniqueness");
  Trajectory                              *last[2] = {nullptr, nullptr};
  std::vector<std::unique_ptr<Trajectory>> all;
  double                                   change[2][2] = {};
  for (const int sequence : {0, 1})
    for (const int k : {5, 6, 7})
      {
        const double h      = sequence == 0 ? std::pow(4., -k) : 64. / std::pow(std::pow(2., k + 3) + 3., 2);
        const auto   motion = make_motion(system, parameters(A));
        all.push_back(std::make_unique<Trajectory>(*motion));
        for (int j = 1; motion->time() < 1.; ++j)
          {
            motion->advance(std::min(1., j * h));
            all.back()->record(*motion);
          }
        if (k > 5)
          change[sequence][k - 6] = error(*all.back(), *last[sequence]).q;
        last[sequence] = all.back().get();
      }
  const double between = error(*last[0], *last[1]).q;
  for (const int sequence : {0, 1})
    {
      BOOST_TEST(change[sequence][1] < .4 * change[sequence][0]); // h falls to a quarter
      BOOST_TEST(between > 20. * change[sequence][1]);
    }
  BOOST_TEST(last[0]->q(1.)(0) > .1);
  BOOST_TEST(last[1]->q(1.)(0) == 0.);
}

BOOST_AUTO_TEST_CASE(restored_motion_goes_on_bit_for_bit)
{
  const std::vector<std::pair<std::string, Scheme>> cases = {
      {"double pendulum with a wall", C}, {"complement of convex sets", A}, {"complement of convex sets", B}};
  for (const auto &[name, scheme] : cases)
    {
      MotionParameters p = parameters(scheme, scheme == B ? 0. : .5);
      p.implicit_force   = true;
      const auto whole = make_motion(built_in(name), p), rest = make_motion(built_in(name), p);
      advance(*whole, 1.5, 300);
      rest->restore(whole->state());
      BOOST_TEST((rest->impulse() == whole->impulse()));
      for (int k = 1; k <= 300; ++k)
        {
          whole->advance(1.5 + .005 * k);
          rest->advance(1.5 + .005 * k);
        }
      BOOST_TEST((rest->q() == whole->q() && rest->u() == whole->u()));
      BOOST_TEST(rest->record().dissipated == whole->record().dissipated);
      BOOST_TEST(rest->record().scheme_error == whole->record().scheme_error);
      BOOST_TEST(rest->record().work == whole->record().work);
      BOOST_TEST(rest->record().step == 600);
    }
  BOOST_CHECK_THROW(make_motion(built_in("ball on a floor"), parameters(A))
                        ->restore(make_motion(built_in("moving disc"), parameters(B))->state()),
                    std::invalid_argument);
  BOOST_CHECK_THROW(make_motion(built_in("ball on a floor"), parameters(A))->restore({}), std::invalid_argument);
}

// Into a corner with the mass [2 1; 1 2]: one wall after the other, then both at once. For e = 0 scheme C ends as A.
BOOST_AUTO_TEST_CASE(scheme_c_projects_on_several_constraints)
{
  for (const auto &[ux, uy] : {std::pair(-1., -.4), std::pair(-1., -1.), std::pair(-.3, .2)})
    {
      const auto a = make_motion(corner(ux, uy), parameters(A)), c = make_motion(corner(ux, uy), parameters(C));
      advance(*a, 5., 1000);
      advance(*c, 5., 1000);
      BOOST_TEST((a->u() - c->u()).norm() < 1e-12); // velocities of a corner do not depend on when it is met
      BOOST_TEST((a->q() - c->q()).norm() < 2e-2);  // order one in h |u| = 5e-3
      BOOST_TEST(c->record().momentum_error < 1e-14);
    }
  const auto both = make_motion(corner(-1., -1.), parameters(C, .5)); // met at once: M⁻¹-orthogonal, u⁺ = -e u⁻
  advance(*both, 1.1, 220);
  BOOST_TEST((both->u() - Eigen::Vector2d(.5, .5)).norm() < 1e-12);
  BOOST_TEST(both->record().n_contacts == 0);
  const auto damped = make_motion(corner(-1., -.4, .3), parameters(C, .5));
  double     before = damped->record().kinetic_energy;
  advance(*damped, 8., 4000, [&] {
    BOOST_TEST(damped->record().kinetic_energy <= before * (1. + 1e-12));
    before = damped->record().kinetic_energy;
    BOOST_TEST(damped->record().max_overlap < 2.5e-3); // order one in h |u| = 2e-3
  });
}

// What is left of a velocity after an impact may be a number whose square vanishes: no infinite residual then.
BOOST_AUTO_TEST_CASE(residuals_of_what_is_at_rest_are_numbers)
{
  for (const double speed : {1., 1e-100, 1e-200, 1e-310})
    {
      const auto motion = make_motion(corner(-speed, 0., 0., 1), parameters(C));
      advance(*motion, 1.5 / speed < 1e300 ? 1.5 / speed : 1e300, 30,
              [&] { BOOST_TEST(motion->record().effort.natural_residual < 1e-12); });
    }
}

// x'' = f(t) <= 0 pushes to the wall x >= 0 at all times, yet rest is not the only motion for e = 1 (Schatzman): one that
// bounces in phase with the force attracts what leaves the wall, however slowly.
BOOST_AUTO_TEST_CASE(elastic_motion_under_a_smooth_force_is_not_unique)
{
  const SystemConstants constants = {{"bias", 1.2}, {"growth", .2}};
  const auto            ends_at   = [&](const double speed) {
    const System system = make_mechanical_system("non-uniqueness", constants, Vector::Zero(1), Vector::Constant(1, speed));
    const auto   motion = make_motion(system, parameters(A, 1.));
    advance(*motion, 1., 80000);
    return motion->q()(0);
  };
  BOOST_TEST(ends_at(0.) == 0.);
  for (const double speed : {1e-5, 1e-6, 1e-7})
    BOOST_TEST(std::abs(ends_at(speed) - .353633) < 2e-3); // the exact arcs, by an independent program
}

namespace
{
/// The place that the error names.
std::string refused(const System &system, const MotionParameters &parameters)
try
  {
    make_motion(system, parameters);
    return "nothing";
  }
catch (const InputError &error)
  {
    const std::string text = error.sentence;
    BOOST_TEST(text.find(". ") == std::string::npos); // one sentence
    BOOST_TEST(text.back() == '.');
    return error.subject;
  }
} // namespace

BOOST_AUTO_TEST_CASE(schemes_that_do_not_fit_are_refused)
{
  const System pendulum = built_in("double pendulum with a wall"), ball = built_in("ball on a floor");
  BOOST_TEST(refused(pendulum, parameters(A)) == "the scheme");                     // M(q)
  BOOST_TEST(refused(pendulum, parameters(B)) == "the scheme");                     // no projection
  BOOST_TEST(refused(built_in("disc with a hole"), parameters(A)) == "the scheme"); // not convex
  BOOST_TEST(refused(ball, parameters(B, .5)) == "the restitution");
  BOOST_TEST(refused(ball, parameters(A, 1.5)) == "the restitution");
  BOOST_TEST(refused(ball, parameters(C, std::nan(""))) == "the restitution");
  MotionParameters lines = parameters(A);
  lines.solver           = "lines";
  BOOST_TEST(refused(ball, lines) == "the solver");
  BOOST_TEST(refused(ball, parameters(A)) == "nothing");
}

BOOST_AUTO_TEST_SUITE_END()
