// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/congested_flow.h"

#include "convex/input_error.h"
#include "flows.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(flow_amounts)

using namespace moreau;
using namespace moreau::macro;
using namespace flows;

// What solids and sides take and give, where cells are cut and amounts cancel.
namespace
{
constexpr double rounding = 1e-12;

/// Shares of the cells that are not solid: on the line beyond `from`.
void put_solid(FlowSetting &setting, const double from)
{
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    const double left     = static_cast<double>(cell[0]) * setting.grid.h(0);
    setting.rho_max(cell) = std::clamp((from - left) / setting.grid.h(0), 0., 1.);
  });
}

void set_force(FlowSetting &setting, const std::function<Vector(const Vector &x, const Vector &u)> &force)
{
  setting.force = [force](double, const Eigen::MatrixXd &x, const Eigen::MatrixXd &u, Eigen::MatrixXd &f) {
    f.resize(x.rows(), x.cols());
    for (Index k = 0; k < x.cols(); ++k)
      f.col(k) = force(x.col(k), u.col(k));
  };
}

/// ρ and the velocity of what enters, at all points.
void set_inflow(FlowSetting &setting, const std::vector<int> &sides,
                const std::function<std::pair<double, double>(double t, double x)> &what)
{
  for (const int side : sides)
    setting.sides[side] = Boundary::inflow;
  setting.inflow = [what](const double t, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    values = Eigen::MatrixXd::Zero(x.rows() + 1, x.cols());
    for (Index k = 0; k < x.cols(); ++k)
      std::tie(values(0, k), values(1, k)) = what(t, x(0, k));
  };
}

/// Impulse of the last step on closed faces and beside solids, per axis.
Vector impulse(const CongestedFlow &flow)
{
  const FaceArrays taken = flow.obstacle_impulse();
  Vector           sums  = Vector::Zero(flow.setting().grid.dim);
  for (Index axis = 0; axis < sums.size(); ++axis)
    sums(axis) = taken.values[axis].sum() * flow.setting().grid.cell_volume();
  return sums;
}
} // namespace

// A block of .3 m is pressed against a solid, or hits it: wherever its side lies in a cell.
BOOST_AUTO_TEST_CASE(a_solid_that_cuts_cells_takes_all_of_the_momentum)
{
  for (const double from : {.7, .702, .705, .7099})
    BOOST_TEST_CONTEXT("solid beyond " << from)
    {
      FlowSetting rests = line(0., 1., 100, {{.2, .5, 0., 1.}}), hits = line(0., 1., 100, {{.2, .5, 1., 1.}});
      put_solid(rests, from);
      put_solid(hits, from);
      set_force(rests, [](const Vector &, const Vector &) { return Vector::Constant(1, 10.); });
      CongestedFlow resting(rests), hitting(hits);
      run(resting, .5);
      BOOST_TEST(std::abs(impulse(resting)(0) / resting.record().h - 3.) < 1e-9);
      double total = 0.;
      run(hitting, .4, 1e9, [&](const FlowRecord &) { total += impulse(hitting)(0); });
      BOOST_TEST(std::abs(total - .3) < rounding);
    }
}

// Matter rests on a half disc on the floor: all of its weight is borne, by the disc what is above it.
BOOST_AUTO_TEST_CASE(a_round_solid_bears_what_lies_on_it)
{
  constexpr int n       = 32;
  FlowSetting   setting = empty_box(2, n);
  for (const int side : {0, 1, 2})
    setting.sides[side] = Boundary::wall;
  double mass = 0.;
  for_own_cells(setting.grid, [&](const CellIndex &cell) {
    constexpr int points = 16; // of a cell, along an axis
    int           free   = 0;
    for (int i = 0; i < points; ++i)
      for (int j = 0; j < points; ++j)
        {
          const double x = (static_cast<double>(cell[0]) + (i + .5) / points) / n - .5;
          const double y = (static_cast<double>(cell[1]) + (j + .5) / points) / n;
          free += x * x + y * y >= .09;
        }
    setting.rho_max(cell) = static_cast<double>(free) / (points * points);
    setting.rho(cell)     = cell[1] < 22 ? setting.rho_max(cell) : 0.;
    mass += setting.rho(cell) / (n * n);
  });
  set_force(setting, [](const Vector &, const Vector &u) -> Vector { return Eigen::Vector2d(0., -10. - 5. * u(1)); });
  CongestedFlow flow(setting);
  Vector        force = Vector::Zero(2); // in the mean over time, since the surface beside the disc is never quite at rest
  run(flow, 1., 1e9, [&](const FlowRecord &) { force += impulse(flow); });
  BOOST_TEST(std::abs(force(0)) < .01);
  BOOST_TEST(std::abs(force(1) + 10. * mass) < .01 * 10. * mass);
  CongestedFlow quiet(setting); // short steps, in each of which it rests
  run(quiet, 1., .001);
  force = impulse(quiet) / quiet.record().h;
  BOOST_TEST(std::abs(force(0)) < .01);
  BOOST_TEST(std::abs(force(1) + 10. * mass) < .01 * 10. * mass);
}

// Drag takes nothing of the weight of what rests, however long the steps.
BOOST_AUTO_TEST_CASE(a_floor_bears_the_whole_weight_under_drag)
{
  for (const BodyVelocities bodies : {BodyVelocities::mixed, BodyVelocities::kept})
    for (const double h : {.1, .01})
      {
        FlowSetting setting = line(0., 1., 20, {{0., .2, 0., 1.}});
        setting.sides[0]    = Boundary::wall;
        setting.bodies      = bodies;
        set_force(setting, [](const Vector &, const Vector &u) -> Vector { return Vector::Constant(1, -1. - 50. * u(0)); });
        CongestedFlow flow(setting);
        run(flow, 1., h, [&](const FlowRecord &record) {
          BOOST_TEST(std::abs(impulse(flow)(0) / record.h + .2) < 1e-10);
          BOOST_TEST(record.kinetic_energy < 1e-20);
        });
      }
}

// Thin matter sinks, packs itself and rests; its surface is no exact layer of cells full to rounding.
BOOST_AUTO_TEST_CASE(what_has_settled_rests)
{
  for (const int n : {20, 40})
    for (const double thin : {.2, .23})
      for (const DensityFlux flux : {DensityFlux::anti_diffusive, DensityFlux::upwind})
        {
          FlowSetting setting;
          setting.grid    = box_grid(Vector::Zero(2), Eigen::Vector2d(.2, 1.), n, Processes::alone());
          setting.rho     = CellArray(setting.grid);
          setting.rho_max = CellArray(setting.grid, 1.);
          setting.momentum.fill(CellArray(setting.grid));
          setting.flux     = flux;
          setting.sides[0] = setting.sides[1] = Boundary::periodic;
          setting.sides[2] = setting.sides[3] = Boundary::wall;
          for_own_cells(setting.grid, [&](const CellIndex &cell) { setting.rho(cell) = cell[1] < n / 2 ? 0. : thin; });
          set_force(setting,
                    [](const Vector &, const Vector &u) -> Vector { return Eigen::Vector2d(-5. * u(0), -1. - 5. * u(1)); });
          CongestedFlow flow(setting);
          run(flow, 16., .08);
          const double mass = .1 * thin;
          BOOST_TEST(flow.record().kinetic_energy < 1e-10 * mass);
          BOOST_TEST(std::abs(flow.record().momentum(1)) < 1e-6 * mass);
          BOOST_TEST(std::abs(impulse(flow)(1) / flow.record().h + mass) < 1e-6 * mass);
        }
}

// Momenta and impulses that cancel do not make its error large.
BOOST_AUTO_TEST_CASE(errors_of_momentum_are_relative_to_what_does_not_cancel)
{
  FlowSetting meeting = line(0., 1., 100, {}), squeezed = line(0., 1., 100, {{.3, .7, 0., 1.}});
  set_inflow(meeting, {0, 1}, [](double, const double x) { return std::pair(.5, x < .5 ? 1. : -1.); });
  set_force(squeezed, [](const Vector &x, const Vector &) { return Vector::Constant(1, .5 - x(0)); });
  for (const FlowSetting &setting : {meeting, squeezed})
    {
      CongestedFlow flow(setting);
      run(flow, .5, .01, [](const FlowRecord &record) { BOOST_TEST(record.momentum_error < 1e-13); });
    }
}

// An inflow that is switched off, by its density, lets what has entered go on.
BOOST_AUTO_TEST_CASE(an_inflow_of_nothing_holds_nothing_back)
{
  for (const double after : {0., 1e-9})
    {
      FlowSetting leaving = line(0., 1., 50, {{0., .2, 1., 1.}}), entering = line(0., 1., 50, {});
      set_inflow(leaving, {0}, [&](double, double) { return std::pair(after, 1.); });
      set_inflow(entering, {0}, [&](const double t, double) { return std::pair(t < .1 ? 1. : after, 1.); });
      CongestedFlow left(leaving), entered(entering);
      run(left, .3);
      run(entered, .3, .005);
      BOOST_TEST(std::abs(left.record().momentum(0) - .2) < 1e-8);
      BOOST_TEST(std::abs(left.record().kinetic_energy - .1) < 1e-8);
      BOOST_TEST(std::abs(entered.record().momentum(0) - entered.record().mass) < 1e-8);
      BOOST_TEST(std::abs(entered.record().kinetic_energy - .5 * entered.record().mass) < 1e-8);
    }
}

BOOST_AUTO_TEST_CASE(an_inflow_may_begin_later)
{
  const auto flow = [](const double until, const std::function<double(double)> &u) {
    FlowSetting setting = line(0., 1., 50, {});
    set_inflow(setting, {0}, [&](const double t, double) { return std::pair(.5, u(t)); });
    setting.inflow_until = until;
    return CongestedFlow(setting).longest_step();
  };
  BOOST_CHECK_NO_THROW(flow(1., [](const double t) { return std::sin(3. * t); }));
  BOOST_CHECK_NO_THROW(flow(1., [](const double t) { return t < .9 ? -1. : 1.; }));
  BOOST_CHECK_THROW(flow(.5, [](const double t) { return t < .9 ? -1. : 1.; }), InputError);
  BOOST_CHECK_THROW(flow(0., [](const double t) { return t; }), InputError);
}

// Rebounds from walls are exact, those between bodies need not be.
BOOST_AUTO_TEST_CASE(rebounds_from_walls_alone_are_told_from_others)
{
  const auto rebounds = [](const std::vector<Segment> &segments) {
    FlowSetting setting = line(0., 1., 100, segments);
    setting.sides[0] = setting.sides[1] = Boundary::wall;
    setting.law.restitution             = 1.;
    CongestedFlow flow(setting);
    run(flow, 3.);
    CongestedFlow again(setting);
    again.restore(flow.state());
    BOOST_TEST(flow.record().rebounds_of_matter > 1);
    BOOST_TEST(again.record().any_between_bodies == flow.record().any_between_bodies);
    return flow.record().any_between_bodies;
  };
  BOOST_TEST(!rebounds({{.2, .4, 1., 1.}}));
  BOOST_TEST(rebounds({{.2, .4, 1., 1.}, {.6, .7, -1., 1.}}));
}

BOOST_AUTO_TEST_SUITE_END()
