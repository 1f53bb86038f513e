// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/flow_measurements.h"

#include "convex/input_error.h"
#include "flows.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(flow_measurements)

using namespace flows;

namespace utf = boost::unit_test;

namespace
{
Vector vec(const std::initializer_list<double> &x)
{
  Vector result(x.size());
  std::copy(x.begin(), x.end(), result.begin());
  return result;
}

/// The sides of a box, their normals outwards.
std::vector<FlowGate> sides_of(const FlowRegion &region)
{
  const int             dim = static_cast<int>(region.lower.size());
  std::vector<FlowGate> gates;
  for (int axis = 0; axis < dim; ++axis)
    for (const bool upper : {false, true})
      {
        FlowGate gate;
        gate.name   = std::to_string(2 * axis + upper);
        gate.normal = (upper ? 1. : -1.) * Vector::Unit(dim, axis);
        const int b = (axis + 1) % dim, c = (axis + 2) % dim;
        Vector    x = region.lower;
        x(axis)     = upper ? region.upper(axis) : region.lower(axis);
        gate.corners.push_back(x);
        if (dim > 1)
          {
            x(b) = region.upper(b);
            gate.corners.push_back(x);
          }
        if (dim > 2)
          {
            x(c) = region.upper(c);
            gate.corners.push_back(x);
            x(b) = region.lower(b);
            gate.corners.push_back(x);
          }
        gates.push_back(gate);
      }
  return gates;
}

/// A closed box of random matter with a solid block in it and gravity that is not along an axis.
FlowSetting closed_box(const int dim, const int n, const unsigned int seed)
{
  FlowSetting setting = random_setting(dim, n, seed);
  setting.sides.fill(Boundary::wall);
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    bool inside = true;
    for (int axis = 0; axis < dim; ++axis)
      inside = inside && 3 <= cell[axis] && cell[axis] < 5;
    if (!inside)
      return;
    setting.rho_max(cell) = setting.rho(cell) = 0.;
    for (int axis = 0; axis < dim; ++axis)
      setting.momentum[axis](cell) = 0.;
  });
  setting.force = [dim](double, const Eigen::MatrixXd &, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
    f.setZero();
    f.row(0).setConstant(.7);
    f.row(dim - 1).setConstant(-2.);
  };
  setting.force_is_steady    = true;
  setting.force_has_velocity = false;
  return setting;
}
} // namespace

BOOST_AUTO_TEST_CASE(what_flows_through_the_sides_of_a_box_is_the_mass_that_it_loses)
{
  for (const int dim : {1, 2, 3})
    for (const unsigned int seed : {1u, 2u, 3u}) // 3: periodic along x
      {
        const int     n = dim == 3 ? 6 : 11;
        CongestedFlow flow(random_setting(dim, n, seed));
        FlowRegion    region = {"region", Vector::Constant(dim, .23), Vector::Constant(dim, .71)};
        region.upper(0)      = 9. / n < .9 ? 5. / n : .5; // on faces
        FlowMeasurements measured({sides_of(region), {}, {region}, {}}, flow);
        measured.see(flow);
        for (int step = 0; step < 12; ++step)
          {
            const double before = measured.in_regions()[0].mass;
            flow.advance(flow.time() + std::min(flow.longest_step(), .01));
            measured.see(flow);
            double out = 0.;
            for (const auto &mass : measured.masses())
              out += mass.step;
            BOOST_TEST(std::abs(before - measured.in_regions()[0].mass - out) < 1e-13, dim << ", seed " << seed);
          }
        double scale = 0.;
        for (const auto &mass : measured.masses())
          scale += std::abs(mass.total);
        BOOST_TEST(scale > 1e-3); // there was something to see
      }
}

BOOST_AUTO_TEST_CASE(a_uniform_stream_crosses_surfaces_of_any_direction, *utf::tolerance(1e-12))
{
  const auto stream = [](const int dim) {
    FlowSetting setting = empty_box(dim, 8);
    for (int axis = 0; axis < dim; ++axis)
      setting.sides[2 * axis] = setting.sides[2 * axis + 1] = Boundary::periodic;
    for_own_cells(setting.grid, [&](const CellIndex &cell) {
      setting.rho(cell) = .5;
      for (int axis = 0; axis < dim; ++axis)
        setting.momentum[axis](cell) = .5 * (1. + axis);
    });
    return setting;
  };
  {
    CongestedFlow    flow(stream(2));
    const Vector     n       = vec({.6, .8});
    FlowGate         slanted = {"slanted", {vec({.2, .65}), vec({.6, .35})}, n};
    FlowGate         plane   = {"plane", plane_in_box(flow.setting().grid, vec({.5, .5}), n), n};
    FlowMeasurements measured({{slanted, plane}, {}, {}, {}}, flow);
    flow.advance(.01);
    measured.see(flow);
    BOOST_TEST(measured.masses()[0].step == .01 * .5 * (.6 + 2. * .8) * .5);
    // the line 0.6 x + 0.8 y = 0.7 from (1, 0.125) to (0, 0.875)
    BOOST_TEST(measured.masses()[1].step == .01 * .5 * (.6 + 2. * .8) * 1.25);
  }
  {
    CongestedFlow    flow(stream(3));
    const Vector     n     = vec({1., 1., 1.}) / std::sqrt(3.);
    FlowGate         plane = {"plane", plane_in_box(flow.setting().grid, vec({.5, .5, .5}), n), n};
    FlowMeasurements measured({{plane}, {}, {}, {}}, flow);
    flow.advance(.01);
    measured.see(flow);
    // the plane x + y + z = 3/2 meets the cube in a regular hexagon of side 1/√2
    const double area = 3. * std::sqrt(3.) / 2. * .5;
    BOOST_TEST(measured.masses()[0].step == .01 * .5 * 6. / std::sqrt(3.) * area);
  }
}

BOOST_AUTO_TEST_CASE(walls_and_solids_take_what_the_balance_of_momentum_lacks)
{
  for (const int dim : {1, 2, 3})
    for (const unsigned int seed : {1u, 2u})
      for (const double e : {0., .5})
        {
          FlowSetting setting     = closed_box(dim, dim == 3 ? 7 : 12, seed);
          setting.law.restitution = e;
          CongestedFlow       flow(setting);
          FlowMeasurementPlan plan;
          for (int side = 0; side < 2 * dim; ++side)
            plan.bodies.push_back({std::to_string(side), side});
          plan.bodies.push_back({"solids", FlowBody::solids});
          plan.regions = {
              {"block", Vector::Constant(dim, 2.5 / (dim == 3 ? 7 : 12)), Vector::Constant(dim, 5.5 / (dim == 3 ? 7 : 12))}};
          FlowMeasurements measured(plan, flow);
          const Vector     g = dim == 1 ? vec({-2.}) : dim == 2 ? vec({.7, -2.}) : vec({.7, 0., -2.});
          for (int step = 0; step < 15; ++step)
            {
              const Vector before = flow.record().momentum;
              const double mass   = flow.record().mass;
              flow.advance(flow.time() + std::min(flow.longest_step(), .01));
              measured.see(flow);
              Vector taken = Vector::Zero(dim);
              for (const auto &load : measured.impulses())
                taken += load.step;
              const Vector lacks = before + flow.record().h * mass * g - flow.record().momentum;
              BOOST_TEST(((taken - lacks).norm() < 1e-12), dim << ", seed " << seed << ", step " << step << ": "
                                                               << taken.transpose() << " and " << lacks.transpose());
              BOOST_TEST(((measured.in_regions()[0].solid_impulse - measured.impulses().back().step).norm() < 1e-14));
            }
          BOOST_TEST(measured.impulses().back().total.norm() > 1e-3);
        }
}

BOOST_AUTO_TEST_CASE(a_full_column_at_rest_weighs_on_its_floor, *utf::tolerance(1e-9))
{
  FlowSetting setting = empty_box(2, 16);
  setting.sides       = {Boundary::wall, Boundary::wall, Boundary::wall, Boundary::open};
  for_own_cells(setting.grid, [&](const CellIndex &cell) { setting.rho(cell) = cell[1] < 8; });
  setting.force = [](double, const Eigen::MatrixXd &, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
    f.row(0).setZero();
    f.row(1).setConstant(-10.);
  };
  setting.force_is_steady    = true;
  setting.force_has_velocity = false;
  CongestedFlow    flow(setting);
  FlowMeasurements measured({{},
                             {{"left", 0}, {"right", 1}, {"bottom", 2}},
                             {{"lower", vec({0., 0.}), vec({1., .25})}},
                             {{"deep", vec({.5, .01})}}},
                            flow);
  for (int step = 0; step < 5; ++step)
    {
      flow.advance(flow.time() + .001);
      measured.see(flow);
    }
  const double h = flow.record().h;
  BOOST_TEST(measured.impulses()[2].step(1) / h == -5.); // weight of 1 x 1/2
  // ∫ρ g (1/2 - y) dy over the cells of the side
  BOOST_TEST(measured.impulses()[1].step(0) / h == 1.25, boost::test_tools::tolerance(.01));
  BOOST_TEST(measured.impulses()[0].step(0) == -measured.impulses()[1].step(0));
  // cells have p = g (1/2 - y) at their middle, but for half a cell's weight that the floor carries
  BOOST_TEST(measured.in_regions()[0].p == 10. * .375, boost::test_tools::tolerance(.02));
  BOOST_TEST(measured.at_probes()[0].p == 10. * (.5 - .5 / 16.), boost::test_tools::tolerance(.02));
  BOOST_TEST(measured.in_regions()[0].mass == .25);
}

BOOST_AUTO_TEST_CASE(a_state_is_taken_up_again)
{
  const FlowSetting   setting = closed_box(2, 12, 1);
  CongestedFlow       flow(setting), other(setting);
  FlowMeasurementPlan plan = {{{"line", {vec({.5, 0.}), vec({.5, 1.})}, vec({1., 0.})}},
                              {{"left", 0}, {"solids", FlowBody::solids}},
                              {{"box", vec({.1, .1}), vec({.6, .5})}},
                              {{"point", vec({.9, .9})}}};
  FlowMeasurements    measured(plan, flow), again(plan, other);
  for (int step = 0; step < 4; ++step)
    {
      flow.advance(flow.time() + std::min(flow.longest_step(), .01));
      measured.see(flow);
    }
  moreau::convex::NamedArrays state = measured.state();
  again.restore(state);
  BOOST_TEST(state.reals.empty());
  BOOST_TEST((again.state().reals == measured.state().reals));
  plan.probes.clear();
  FlowMeasurements fewer(plan, other);
  state = measured.state();
  BOOST_CHECK_THROW(fewer.restore(state), std::out_of_range);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_measured_is_refused)
{
  const CongestedFlow flow(empty_box(2, 8));
  const auto          refused = [&](const FlowMeasurementPlan &plan) {
    BOOST_CHECK_THROW(FlowMeasurements(plan, flow), moreau::InputError);
  };
  refused({{{"far", {vec({2., 0.}), vec({2., 1.})}, vec({1., 0.})}}, {}, {}, {}});
  refused({{}, {{"left", 0}}, {}, {}});
  refused({{}, {{"solids", FlowBody::solids}}, {}, {}});
  refused({{}, {}, {{"empty", vec({.5, .5}), vec({.5, .6})}}, {}});
  refused({{}, {}, {{"far", vec({1.5, .5}), vec({2., .6})}}, {}});
  refused({{}, {}, {}, {{"far", vec({1.5, .5})}}});
}

BOOST_AUTO_TEST_SUITE_END()
