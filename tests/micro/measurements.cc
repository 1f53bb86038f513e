// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/measurements/measurements.h"

#include "measured.h"

#include "convex/input_error.h"

#include <Eigen/Geometry>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(measurements)

using namespace moreau;
using namespace moreau::micro;
namespace utf = boost::unit_test;

namespace
{
Gate plane(const std::string &name, const Vector &point, const Vector &normal)
{
  return {name, Gate::Shape::plane, point, normal, {}, 0.};
}

Gate segment(const std::string &name, const Vector &from, const Vector &to)
{
  return {name, Gate::Shape::segment, from, to, {}, 0.};
}

/// Bit for bit, but for numbers that are none.
bool same(const convex::NamedArrays &one, const convex::NamedArrays &other)
{
  const std::vector<double> &x = one.reals.at("measured numbers"), &y = other.reals.at("measured numbers");
  return one.integers == other.integers && std::equal(x.begin(), x.end(), y.begin(), y.end(), [](double a, double b) {
           return a == b || (std::isnan(a) && std::isnan(b));
         });
}

bool blames(const InputError &error, const std::string &subject, const std::string &words)
{
  return error.subject == subject && error.sentence.find(words) != std::string::npos;
}
} // namespace

// y(t) = 1 - g h² n (n + 1)/2 after n steps: explicit in the force, implicit in the velocity.
BOOST_AUTO_TEST_CASE(a_falling_disc_crosses_a_line_in_the_step_that_its_path_says)
{
  SphereSystem system = one_disc(.3, 1., 0., 0.);
  system.force        = gravity(10.);
  const double    h   = 1e-2;
  MeasurementPlan plan;
  plan.gates          = {plane("down", vec({0., .5}), vec({0., -3.})), plane("up", vec({0., .5}), vec({0., 1.})),
                         segment("hit", vec({0., .5}), vec({1., .5})), segment("missed", vec({.31, .5}), vec({1., .5}))};
  const auto   motion = make_motion(system, MotionParameters());
  Measurements measured(plan, system, 2);
  for (int n = 1; n <= 50; ++n)
    {
      motion->advance(n * h);
      measured.see(*motion);
      const auto  y       = [&](const int k) { return 1. - 10. * h * h * k * (k + 1) / 2.; };
      const int   crosses = y(n - 1) >= .5 && y(n) < .5;
      const auto &gates   = measured.at_gates();
      BOOST_TEST(gates[0].step.n == (y(n - 1) > .5 && y(n) <= .5)); // n·(x - a) >= 0 includes the line itself
      BOOST_TEST(gates[1].step.n == -crosses);
      BOOST_TEST(gates[2].step.n == gates[0].step.n);
      BOOST_TEST(gates[3].step.n == 0);
    }
  BOOST_TEST(measured.at_gates()[0].total.n == 1);
  BOOST_TEST(measured.at_gates()[0].total.mass == 2.);
  BOOST_TEST(measured.at_gates()[1].total.mass == -2.);
  measured.end_interval(.5);
  BOOST_TEST(measured.at_gates()[0].interval.n == 0);
  BOOST_TEST(measured.at_gates()[0].total.n == 1);
}

// What is behind a line changes by what crosses it, whatever happens; adjacent segments share no sphere and miss none.
BOOST_AUTO_TEST_CASE(counts_are_the_change_of_what_is_behind)
{
  SphereSystem system = gas(2, 8, 2., 3);
  system.obstacles    = box_of_walls(2, 8.);
  MotionParameters parameters;
  parameters.law.restitution = .9;
  MeasurementPlan plan;
  plan.gates          = {plane("all", vec({0., 4.1}), vec({0., 1.})), segment("a", vec({8., 4.1}), vec({3., 4.1})),
                         segment("b", vec({3., 4.1}), vec({0., 4.1}))};
  const auto   motion = make_motion(system, parameters);
  Measurements measured(plan, system, 2);
  const auto   mass_behind = [&] {
    double mass = 0.;
    for (Index i = 0; i < motion->spheres().size(); ++i)
      mass += motion->spheres().r(1, i) >= 4.1 ? motion->spheres().m(i) : 0.;
    return mass;
  };
  const double before = mass_behind();
  int          busy   = 0;
  for (int k = 1; k <= 60; ++k)
    {
      motion->advance(.05 * k);
      measured.see(*motion);
      const auto &gates = measured.at_gates();
      busy += gates[0].step.n != 0;
      BOOST_TEST(gates[0].step.n == gates[1].step.n + gates[2].step.n);
      BOOST_TEST(std::abs(mass_behind() - before - gates[0].total.mass) < 1e-10);
    }
  BOOST_TEST(busy > 10);
}

BOOST_AUTO_TEST_CASE(who_goes_round_a_periodic_box_is_counted_every_time)
{
  for (const double u : {.7, -.7})
    {
      SphereSystem system = one_disc(.5, .5, u, 0.);
      system.lower        = vec({0., 0.});
      system.period       = vec({1., 0.});
      MeasurementPlan plan;
      plan.gates = {plane("side", vec({0., 0.}), vec({1., 0.})),       plane("other side", vec({1., 0.}), vec({1., 0.})),
                    segment("inside", vec({.25, 0.}), vec({.25, 1.})), plane("beside", vec({0., .2}), vec({0., 1.})),
                    plane("far", vec({-7.6, 0.}), vec({1., 0.})),      segment("far", vec({2.4, 1.}), vec({2.4, 0.}))};
      const auto   motion = make_motion(system, MotionParameters());
      Measurements measured(plan, system, 2);
      for (int k = 1; k <= 200; ++k)
        {
          motion->advance(.05 * k);
          measured.see(*motion);
        }
      const int sign = u > 0. ? 1 : -1; // from .5 to 7.5 or -6.5
      for (const int gate : {0, 1, 2})
        BOOST_TEST(measured.at_gates()[gate].total.n == sign * 7);
      BOOST_TEST(measured.at_gates()[3].total.n == 0);
      BOOST_TEST(measured.at_gates()[4].total.n == sign * 7);
      BOOST_TEST(measured.at_gates()[5].total.n == -sign * 7);
    }
}

BOOST_AUTO_TEST_CASE(discs_and_rectangles_in_space_have_an_extent)
{
  SphereSystem system;
  system.spheres.r = (Eigen::MatrixXd(3, 3) << 0., 3., .4, 0., 0., .4, 1., 1., 1.).finished();
  system.spheres.R = Vector::Constant(3, .01);
  system.spheres.m = vec({1., 2., 4.});
  system.U         = Vector::Zero(9);
  system.force     = gravity(1.);
  MeasurementPlan plan;
  plan.gates          = {{"disc", Gate::Shape::disc, vec({0., 0., .5}), vec({0., 0., -2.}), {}, .5},
                         {"rectangle", Gate::Shape::rectangle, vec({-1., -1., .5}), vec({-1., 1., .5}), vec({1., -1., .5}), 0.}};
  const auto   motion = make_motion(system, MotionParameters());
  Measurements measured(plan, system, 3);
  for (int k = 1; k <= 20; ++k)
    {
      motion->advance(.1 * k);
      measured.see(*motion);
    }
  BOOST_TEST(measured.at_gates()[0].total.mass == 1.); // (.4, .4) is .566 from the middle
  BOOST_TEST(measured.at_gates()[1].total.mass == 5.); // normal (b - a) x (c - a) points down
}

// Action and reaction: what walls get, linear and angular, is what spheres lose beside the force; a wall that moves, too.
BOOST_AUTO_TEST_CASE(bodies_get_what_spheres_lose)
{
  for (const Index dim : {2, 3})
    for (const double e : {0., .6})
      {
        SphereSystem          system = gas(dim, dim == 2 ? 6 : 3, 2., 11);
        const double          side   = dim == 2 ? 6. : 3.;
        std::vector<Obstacle> bodies = box_of_walls(dim, side).at(0.).obstacles();
        Obstacle              ball;
        ball.name       = "ball";
        ball.shape      = Obstacle::Shape::ball;
        ball.a          = Vector::Constant(dim, side / 2.);
        ball.a(dim - 1) = -.9;
        ball.radius     = .4;
        ball.group      = 1;
        bodies.push_back(ball);
        RigidMotion swing;
        swing.translation = [dim](const double t) -> Vector { return t * Vector::Unit(dim, dim - 1); };
        system.obstacles  = Obstacles(bodies, {RigidMotion(), swing});
        system.force      = gravity(3.);
        MotionParameters parameters;
        parameters.law.restitution = e;
        const auto      motion     = make_motion(system, parameters);
        MeasurementPlan plan;
        for (int k = 0; k < system.obstacles.size(); ++k)
          plan.bodies.push_back({"b" + std::to_string(k), {k}, k + 1 < system.obstacles.size()});
        Measurements measured(plan, system, dim);
        double       largest = 0.;
        for (int k = 1; k <= 40; ++k)
          {
            const double h      = .05;
            const Vector before = motion->u();
            motion->advance(h * k);
            measured.see(*motion);
            Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = linear, got = linear, turned = linear;
            for (Index i = 0; i < system.spheres.size(); ++i)
              {
                Eigen::Vector3d lost = Eigen::Vector3d::Zero(), r = lost;
                lost.head(dim) = system.spheres.m(i) * (before - motion->u()).segment(dim * i, dim);
                lost(dim - 1) -= h * 3. * system.spheres.m(i);
                r.head(dim) = motion->paths().begin.col(i);
                linear += lost;
                angular += r.cross(lost);
              }
            for (std::size_t b = 0; b < plan.bodies.size(); ++b)
              {
                const ObstacleImpulse &load = measured.on_bodies()[b].step;
                got += load.impulse;
                turned += load.moment + pivot_of(plan.bodies[b], *motion).cross(load.impulse);
              }
            largest = std::max(largest, got.norm());
            BOOST_TEST((got - linear).norm() < 1e-10);
            BOOST_TEST((turned - angular).norm() < 1e-9);
          }
        BOOST_TEST(largest > 1.);
        BOOST_TEST(measured.on_bodies().back().total.impulse.norm() > .1);
      }
}

BOOST_AUTO_TEST_CASE(a_pile_at_rest_weighs_on_the_floor_what_it_weighs, *utf::tolerance(1e-8)) // residual of the projections
{
  const SphereSystem system = standing_columns(4, 5, .1, 2., 10.);
  const auto         motion = make_motion(system, MotionParameters());
  MeasurementPlan    plan;
  plan.bodies = {{"floor", {0}, true}, {"left", {1}, true}, {"sides", {1, 2}, false}};
  Measurements measured(plan, system, 2);
  for (int k = 1; k <= 10; ++k)
    {
      motion->advance(.01 * k);
      measured.see(*motion);
      const ObstacleImpulse &floor = measured.on_bodies()[0].step;
      BOOST_TEST(floor.impulse.y() == -.01 * 20 * 2. * 10.);
      BOOST_TEST(floor.moment.z() == -.01 * 20 * 2. * 10. * .4); // in the middle of a box .8 m wide
      BOOST_TEST((std::abs(floor.impulse.x()) < 1e-12));
      BOOST_TEST((measured.on_bodies()[1].step.impulse.norm() < 1e-8));
    }
  BOOST_TEST(measured.on_bodies()[0].interval.impulse.y() == -.1 * 400.);
}

BOOST_AUTO_TEST_CASE(torques_of_what_turns_are_about_its_axis)
{
  SphereSystem system = one_disc(.5, .2, 0., 0.);
  Obstacle     bar;
  bar.name     = "bar";
  bar.shape    = Obstacle::Shape::capsule;
  bar.a        = vec({-1., 0.});
  bar.b        = vec({1., 0.});
  bar.radius   = .1;
  system.force = gravity(10.);
  RigidMotion turning;
  turning.angle  = [](double) { return 0.; };
  turning.centre = vec({.25, 0.});
  for (const bool turns : {true, false})
    {
      system.obstacles  = Obstacles({bar}, {turns ? turning : RigidMotion()});
      const auto motion = make_motion(system, MotionParameters());
      motion->advance(.01);
      const ObstacleImpulse load = load_on({"bar", {0}, false}, *motion);
      BOOST_TEST((std::abs(load.impulse.y() + .2) < 1e-12));
      BOOST_TEST((std::abs(load.moment.z() + .2 * (turns ? .25 : 1.5)) < 1e-12));
    }
}

BOOST_AUTO_TEST_CASE(balances_close_over_what_is_removed)
{
  SphereSystem          system = gas(2, 6, 2., 7);
  std::vector<Obstacle> walls  = box_of_walls(2, 6.).at(0.).obstacles();
  walls.erase(walls.begin() + 2); // no floor
  system.obstacles = Obstacles(walls, {RigidMotion()});
  system.force     = gravity(10.);
  MeasurementPlan plan;
  plan.removal.in         = {{vec({0., -3.}), vec({3., -1.})}};
  plan.removal.outside_of = Box{vec({0., -1.5}), vec({6., 7.})};
  plan.bodies             = {{"walls", {0, 1, 2}, true}};
  const auto   motion     = make_motion(system, MotionParameters());
  Measurements measured(plan, system, 2);
  double       mass = system.spheres.m.sum(), energy = motion->record().kinetic_energy;
  Vector       momentum = motion->record().momentum;
  Index        some     = 0;
  for (int k = 1; k <= 300; ++k)
    {
      const double weight = .01 * 10. * motion->spheres().m.sum();
      motion->advance(.01 * k);
      measured.see(*motion);
      momentum -= vec({0., weight}) + measured.on_bodies()[0].step.impulse.head(2);
      const StepRecord     &last = motion->record();
      const RemovedSpheres &gone = measured.removed();
      some += gone.n > 0 && gone.n < 36;
      BOOST_TEST((std::abs(motion->spheres().m.sum() + gone.mass - mass) < 1e-10));
      BOOST_TEST(((last.momentum + gone.momentum - momentum).norm() < 1e-8));
      BOOST_TEST(
          (std::abs(last.kinetic_energy + gone.energy + last.dissipated - last.work - last.scheme_error - energy) < 1e-8));
      BOOST_TEST((last.momentum_error < 1e-12));
      for (Index i = 0; i < motion->spheres().size(); ++i)
        {
          BOOST_TEST(motion->spheres().m(i) == system.spheres.m(motion->ids()[i])); // who is left keeps its id
          BOOST_TEST(motion->spheres().r(1, i) >= (motion->spheres().r(0, i) < 3. ? -1. : -1.5));
        }
    }
  BOOST_TEST(some > 10);
  BOOST_TEST(motion->spheres().size() == 0); // time goes on without any
  BOOST_TEST(measured.removed().n == 36);
  BOOST_TEST((std::abs(motion->time() - 3.) < 1e-12));
  BOOST_TEST(motion->record().step == 300);
}

BOOST_AUTO_TEST_CASE(a_motion_goes_on_bit_for_bit_after_removals)
{
  SphereSystem system = gas(2, 6, 2., 9);
  system.obstacles    = Obstacles({half_space("floor", vec({0., 0.}), vec({0., 1.}))}, {RigidMotion()});
  system.force        = gravity(10.);
  system.radii        = [R = system.spheres.R](const double t) -> Vector { return (1. + .02 * t) * R; };
  MeasurementPlan plan;
  plan.gates              = {plane("half", vec({3., 0.}), vec({1., 0.}))};
  plan.bodies             = {{"floor", {0}, true}};
  plan.regions            = {{"all", {vec({0., 0.}), vec({6., 6.})}}};
  plan.removal.outside_of = Box{vec({0., 0.}), vec({6., 7.})};
  const auto   whole = make_motion(system, MotionParameters()), second = make_motion(system, MotionParameters());
  Measurements measured(plan, system, 2), again(plan, system, 2);
  for (int k = 1; k <= 60; ++k)
    {
      whole->advance(.02 * k);
      measured.see(*whole);
      if (k == 30)
        {
          BOOST_TEST_REQUIRE(whole->spheres().size() < 36);
          convex::NamedArrays state = whole->state(), more = measured.state();
          state.reals.merge(more.reals);
          state.integers.merge(more.integers);
          again.restore(state);
          second->restore(state);
        }
      if (k > 30)
        {
          second->advance(.02 * k);
          again.see(*second);
          BOOST_TEST((whole->u() == second->u() && whole->q() == second->q() && whole->ids() == second->ids()));
          BOOST_TEST(same(measured.state(), again.state()));
        }
    }
  BOOST_TEST(whole->spheres().size() > 0);
  Measurements        other({}, system, 2);
  convex::NamedArrays state = measured.state();
  BOOST_CHECK_THROW(other.restore(state), std::out_of_range);
}

BOOST_AUTO_TEST_CASE(lines_as_long_as_a_period_are_met_once_and_longer_ones_refused)
{
  SphereSystem system = one_disc(.3, .1, 0., 1.);
  system.lower        = vec({0., 0.});
  system.period       = vec({1., 0.});
  MeasurementPlan plan;
  plan.gates = {segment("whole", vec({-3., .5}), vec({-2., .5})), plane("huge normal", vec({0., .5}), vec({0., 1e200}))};
  const auto   motion = make_motion(system, MotionParameters());
  Measurements measured(plan, system, 2);
  motion->advance(1.);
  measured.see(*motion);
  BOOST_TEST(measured.at_gates()[0].total.n == -1); // its normal points to the right of who goes along it
  BOOST_TEST(measured.at_gates()[1].total.n == 1);
  plan.gates = {segment("longer", vec({0., .5}), vec({1.5, .5}))};
  BOOST_CHECK_EXCEPTION(Measurements(plan, system, 2), InputError, [](const InputError &error) {
    return blames(error, "the fluxes", "longer than the period along x");
  });
}

// Spheres that are taken out before the motion begins are not in its initial energy.
BOOST_AUTO_TEST_CASE(what_is_removed_at_the_beginning_takes_no_energy)
{
  const SphereSystem system = one_disc(.5, .5, 3., 0.);
  MeasurementPlan    plan;
  plan.removal.in     = {{vec({0., 0.}), vec({1., 1.})}};
  const auto   motion = make_motion(system, MotionParameters());
  Measurements measured(plan, system, 2);
  measured.see_beginning(*motion);
  BOOST_TEST(measured.removed().n == 1);
  BOOST_TEST(measured.removed().energy == 0.);
}

BOOST_AUTO_TEST_CASE(boxes_of_removal_are_repeated_with_a_periodic_box)
{
  SphereSystem system = row_of_spheres({-.8, .1, .4, .9}, {0., 0., 0., 0.}, .04);
  system.lower        = vec({-1.});
  system.period       = vec({2.});
  const auto left     = [&](const Removal &removal) {
    MeasurementPlan plan;
    plan.removal      = removal;
    const auto motion = make_motion(system, MotionParameters());
    Measurements(plan, system, 1).see_beginning(*motion);
    return motion->ids();
  };
  const auto box = [](const double from, const double to) { return Box{vec({from}), vec({to})}; };
  using Ids      = std::vector<Index>;
  BOOST_TEST((left({{box(.3, .5)}, {}}) == Ids{0, 1, 3}));
  BOOST_TEST((left({{box(6.3, 6.5)}, {}}) == Ids{0, 1, 3}));
  BOOST_TEST((left({{box(-3.7, -3.5)}, {}}) == Ids{0, 1, 3}));
  BOOST_TEST((left({{box(.7, 1.4)}, {}}) == Ids{1, 2})); // across the side
  BOOST_TEST((left({{}, box(4.7, 5.3)}) == Ids{0, 3}));
  BOOST_TEST((left({{}, box(-7., 9.)}) == Ids{0, 1, 2, 3})); // longer than the period
}

BOOST_AUTO_TEST_CASE(what_cannot_be_measured_is_refused)
{
  const SphereSystem system  = one_disc(.5, .5, 0., 0.);
  const auto         refused = [&](const MeasurementPlan &plan, const std::string &subject, const std::string &words) {
    BOOST_CHECK_EXCEPTION(Measurements(plan, system, 2), InputError,
                                  [&](const InputError &error) { return blames(error, subject, words); });
  };
  MeasurementPlan plan;
  plan.gates = {plane("top", vec({0., 0.}), vec({0., 0.}))};
  refused(plan, "the fluxes", "normal 0");
  plan.gates = {segment("top", vec({0., 1.}), vec({0., 1.}))};
  refused(plan, "the fluxes", "begins where it ends");
  plan.gates = {segment("top", vec({0., 1.}), vec({0., std::numeric_limits<double>::infinity()}))};
  refused(plan, "the fluxes", "not finite");
  plan.gates = {plane("top", vec({0., std::nan("")}), vec({0., 1.}))};
  refused(plan, "the fluxes", "not finite");
  plan.gates = {{"top", Gate::Shape::disc, vec({0., 1.}), vec({0., 1.}), {}, 1.}};
  refused(plan, "the fluxes", "in space");
  plan.gates.clear();
  plan.regions = {{"r", {vec({0., 1.}), vec({1., 1.})}}};
  refused(plan, "the regions", "no volume");
  plan.regions.clear();
  plan.removal.in = {{vec({0., 1.}), vec({1., 0.})}};
  refused(plan, "the removal of spheres", "no volume");
  plan.removal.in.clear();
  plan.zone   = {vec({0., 0.}), vec({1., 1.})};
  plan.probes = {{"p", vec({2., .5})}};
  refused(plan, "the probes", "outside of the zone");
  plan.probes.clear();
  plan.coarse = {{4, 4}, .09};
  refused(plan, "the coarse graining", "below the largest radius");
  plan.coarse = {{4, 4}, .4};
  refused(plan, "the coarse graining", "shortest side");
  plan.coarse = {{4}, .2};
  refused(plan, "the coarse graining", "number of axes");
  plan.coarse           = {};
  SphereSystem periodic = system;
  periodic.lower        = vec({0., 0.});
  periodic.period       = vec({1., 0.});
  plan.removal.in.clear();
  plan.gates = {plane("slanted", vec({0., 0.}), vec({1., 1.}))};
  BOOST_CHECK_THROW(Measurements(plan, periodic, 2), InputError);
  plan.gates.clear();
  plan.regions = {{"r", {vec({.5, 0.}), vec({1.5, 1.})}}};
  BOOST_CHECK_THROW(Measurements(plan, periodic, 2), InputError);
  // all of the box lies in it, whatever rounding makes of its period
  periodic.lower  = vec({-.84, 0.});
  periodic.period = vec({.71 + .84, 0.});
  BOOST_TEST(periodic.lower(0) + periodic.period(0) < .71);
  plan.regions = {{"zone", {vec({-.84, 0.}), vec({.71, 1.})}}};
  BOOST_CHECK_NO_THROW(Measurements(plan, periodic, 2));
}

BOOST_AUTO_TEST_SUITE_END()
