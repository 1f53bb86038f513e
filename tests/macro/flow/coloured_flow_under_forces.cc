// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/congested_flow.h"

#include "flows.h"
#include "macro/line/exact_blocks.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(coloured_flow_under_forces)

using namespace moreau;
using namespace moreau::macro;
using namespace flows;

// Bodies that keep their velocity on the line, under gravity and with drag.
namespace
{
constexpr double rounding = 1e-12;

void add_gravity(FlowSetting &setting)
{
  setting.force = [](double, const Eigen::MatrixXd &x, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
    f.setZero(x.rows(), x.cols());
    f.row(0).setConstant(-1.);
  };
  setting.force_is_steady    = true;
  setting.force_has_velocity = false;
}
} // namespace

// One cloud, one body, two bodies that fall on each other: [0, .3] at rest, p = .3 - x but in the cell where a body ends.
BOOST_AUTO_TEST_CASE(columns_come_to_rest)
{
  const std::vector<std::vector<Segment>> starts = {
      {{.2, .8, 0., .5}}, {{.2, .5, 0., 1.}}, {{.1, .25, 0., 1.}, {.4, .55, 0., 1.}}};
  for (const double e : {0., .5})
    for (const auto &start : starts)
      {
        FlowSetting setting     = line(0., 1., 50, start);
        setting.bodies          = BodyVelocities::kept;
        setting.sides[0]        = Boundary::wall;
        setting.law.restitution = e;
        add_gravity(setting);
        CongestedFlow flow(setting);
        while (flow.time() < 5.)
          {
            const double t = flow.time() + flow.until_contact(std::min(flow.longest_step(), .01));
            flow.advance(t > 5. - 1e-12 ? 5. : t);
          }
        BOOST_TEST(distance(flow, line(0., 1., 50, {{0., .3, 0., 1.}})) < rounding);
        BOOST_TEST(flow.record().largest_speed < rounding);
        BOOST_TEST(flow.record().momentum_error < rounding);
        for (Index i = 0; i < 14; ++i)
          BOOST_TEST(std::abs(flow.pressure()({i, 0, 0}) - (.3 - (static_cast<double>(i) + .5) / 50.)) < rounding);
      }
}

// There is no approach but what the force makes in each step.
BOOST_AUTO_TEST_CASE(what_lies_on_a_floor_loses_no_rebound)
{
  for (const BodyVelocities bodies : {BodyVelocities::mixed, BodyVelocities::kept})
    {
      FlowSetting setting     = line(0., 1., 40, {{0., .5, 0., 1.}});
      setting.bodies          = bodies;
      setting.sides[0]        = Boundary::wall;
      setting.law.restitution = .5;
      add_gravity(setting);
      CongestedFlow flow(setting);
      double        unrebounded = 0.;
      run_to(flow, 1., [&](const FlowRecord &record) {
        unrebounded += record.unrebounded_energy;
        BOOST_TEST(record.impact.converged());
      });
      BOOST_TEST(unrebounded == 0.);
      BOOST_TEST(flow.record().largest_speed < rounding);
    }
}

// What flies freely gains what the force works, also in steps in which matter leaves faces behind.
BOOST_AUTO_TEST_CASE(work_is_what_a_free_body_gains)
{
  for (const BodyVelocities bodies : {BodyVelocities::mixed, BodyVelocities::kept})
    {
      FlowSetting setting = line(0., 1., 40, {{.71, .923, -.3, 1.}});
      setting.bodies      = bodies;
      add_gravity(setting);
      CongestedFlow flow(setting);
      const double  before = flow.record().kinetic_energy;
      while (flow.time() < .5)
        flow.advance(std::min(.5, flow.time() + std::min(flow.longest_step(), .01)));
      const double gained = flow.record().kinetic_energy - before;
      BOOST_TEST(gained > .03);
      BOOST_TEST(std::abs(flow.record().work - gained) < rounding);
    }
}

// Two blocks that bounce on a floor and on each other: first order in the length of the steps.
BOOST_AUTO_TEST_CASE(blocks_bounce_under_gravity)
{
  const std::vector<Segment> start = {{.3, .45, 0., 1.}, {.5, .62, .4, 1.}};
  ExactBlocks::Parameters    parameters;
  parameters.restitution = 1.;
  parameters.force       = -1.;
  parameters.walls.left  = 0.;
  ExactBlocks exact({{.3, .15, 0.}, {.5, .12, .4}}, parameters);
  exact.advance(3.);
  std::vector<Segment> end;
  for (const Block &block : exact.blocks())
    end.push_back({block.left, block.left + block.width, block.u, 1.});
  std::vector<double> errors;
  for (const int n : {200, 400})
    {
      FlowSetting setting     = line(0., 2., n, start);
      setting.bodies          = BodyVelocities::kept;
      setting.sides[0]        = Boundary::wall;
      setting.law.restitution = 1.;
      add_gravity(setting);
      CongestedFlow flow(setting);
      std::int64_t  n_impacts = 0;
      run_to(flow, 3., [&](const FlowRecord &record) { n_impacts += record.n_impacts; });
      BOOST_TEST(n_impacts == static_cast<std::int64_t>(exact.n_impacts()));
      BOOST_TEST(flow.record().momentum_error < rounding);
      errors.push_back(distance(flow, line(0., 2., n, end)));
    }
  BOOST_TEST(errors.front() < .06);
  BOOST_TEST(errors.back() < .6 * errors.front());
}

// What a strong force holds at a wall rests there; bodies that it does not reach rebound as without it.
BOOST_AUTO_TEST_CASE(what_rests_elsewhere_takes_no_rebound)
{
  const std::vector<Segment> start = {{.2, .4, .5, 1.}, {.5, .6, 0., 1.}, {1.8, 2., 0., 1.}};
  for (const BodyVelocities bodies : {BodyVelocities::mixed, BodyVelocities::kept})
    {
      FlowSetting setting     = line(0., 2., 200, start);
      setting.bodies          = bodies;
      setting.sides[1]        = Boundary::wall;
      setting.law.restitution = 1.;
      setting.force           = [](double, const Eigen::MatrixXd &x, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
        f.setZero(x.rows(), x.cols());
        f.row(0) = 1000. * (x.row(0).array() > 1.7).cast<double>();
      };
      setting.force_is_steady    = true;
      setting.force_has_velocity = false;
      CongestedFlow flow(setting);
      std::int64_t  n_impacts = 0;
      const double  before    = flow.record().kinetic_energy;
      run_to(flow, .3, [&](const FlowRecord &record) {
        n_impacts += record.n_impacts;
        BOOST_TEST(record.impact.relative_error_bound <= 1e-6);
      });
      BOOST_TEST(n_impacts >= 1);
      if (bodies == BodyVelocities::kept)
        BOOST_TEST(std::abs(flow.record().kinetic_energy / before - 1.) < rounding);
      else
        BOOST_TEST(flow.record().kinetic_energy > .9 * before); // 2/3 of it without rebounds
      BOOST_TEST(flow.pressure()({198, 0, 0}) > 1.);            // the weight of the block at the wall
    }
}

/// f(u) per mass.
FlowSetting with_drag(FlowSetting setting, const double restitution, const std::function<double(double)> &force)
{
  setting.bodies          = BodyVelocities::kept;
  setting.law.restitution = restitution;
  setting.force           = [force](double, const Eigen::MatrixXd &x, const Eigen::MatrixXd &u, Eigen::MatrixXd &f) {
    f.setZero(x.rows(), x.cols());
    for (Index k = 0; k < x.cols(); ++k)
      f(0, k) = force(u(0, k));
  };
  return setting;
}

BOOST_AUTO_TEST_CASE(drag_acts_on_each_body_by_its_own_velocity)
{
  const std::vector<Segment> apart = {{.2, .4, 1., 1.}, {.9, 1., -.5, 1.}}, near = {{.2, .4, 1., 1.}, {.45, .55, -1.5, 1.}};
  std::vector<double>        errors;
  for (const int n : {100, 200})
    {
      CongestedFlow flow(with_drag(line(0., 2., 2 * n, apart), 1., [](const double u) { return -2. * u; }));
      run_to(flow, .2, [](const FlowRecord &record) { BOOST_TEST(record.momentum_error < rounding); });
      errors.push_back(std::abs(flow.record().kinetic_energy - .1125 * std::exp(-.8)));
    }
  BOOST_TEST(errors.front() < .005 * .1125);
  BOOST_TEST(errors.back() < .6 * errors.front());
  // rates of drag that differ where bodies meet: what it takes of their impulses is in the balance
  for (const double e : {0., .5, 1.})
    {
      CongestedFlow flow(with_drag(line(0., 1., 100, near), e, [](const double u) { return -3. * std::abs(u) * u; }));
      run_to(flow, .2, [](const FlowRecord &record) { BOOST_TEST(record.momentum_error < rounding); });
      BOOST_TEST(flow.record().impulse > .02);
      CongestedFlow stopped(with_drag(line(0., 1., 100, near), e, [](const double u) { return -1e8 * u; }));
      stopped.advance(.001);
      BOOST_TEST(stopped.record().largest_speed < 2e-5);
    }
}

// A pile with drag rests under its full weight.
BOOST_AUTO_TEST_CASE(a_pile_with_drag_rests)
{
  FlowSetting setting = line(0., 1., 50, {{.1, .25, 0., 1.}, {.4, .55, 0., 1.}});
  setting.sides[0]    = Boundary::wall;
  CongestedFlow flow(with_drag(setting, .5, [](const double u) { return -1. - 4. * u; }));
  while (flow.time() < 5.)
    flow.advance(std::min(5., flow.time() + flow.until_contact(std::min(flow.longest_step(), .01))));
  BOOST_TEST(flow.record().largest_speed < rounding);
  BOOST_TEST(flow.record().momentum_error < rounding);
  for (Index i = 0; i < 14; ++i)
    BOOST_TEST(std::abs(flow.pressure()({i, 0, 0}) - (.3 - (static_cast<double>(i) + .5) / 50.)) < rounding);
}

BOOST_AUTO_TEST_SUITE_END()
