// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/measurements/coarse_graining.h"
#include "micro/measurements/region.h"

#include "micro/measurements/ball_in_box.h"
#include "measured.h"

#include <boost/test/unit_test.hpp>

#include <random>

BOOST_AUTO_TEST_SUITE(measured_fields)

using namespace moreau;
using namespace moreau::micro;
namespace utf = boost::unit_test;

// Every column of N discs carries its own weight: the contact under k discs has k m g.
BOOST_AUTO_TEST_CASE(columns_at_rest_have_the_stress_of_their_weight, *utf::tolerance(1e-8)) // residual of the projections
{
  const Index        N = 6, width = 4;
  const double       R = .1, m = 2., g = 10., h = .01, V = .8 * 1.2;
  const SphereSystem system = standing_columns(width, N, R, m, g);
  const auto         motion = make_motion(system, MotionParameters());
  motion->advance(h);
  const std::vector<bool> held = held_spheres(*motion);
  const Region            all = {"all", {vec({0., 0.}), vec({.8, 1.2})}}, middle = {"m", {vec({.15, .3}), vec({.55, .7})}};
  RegionState             state = state_of(all, *motion, held);
  BOOST_TEST(state.n_spheres == 24);
  BOOST_TEST(state.mass == 24. * m);
  BOOST_TEST((state.u.norm() < 1e-12));
  BOOST_TEST(state.packing_fraction == M_PI / 4.);
  BOOST_TEST(state.coordination == (2. * N - 1.) / N); // top: one, others: two with the floor
  BOOST_TEST(state.n_rattlers == 24);                  // columns without the sides are not held in the plane
  BOOST_TEST(std::isnan(state.coordination_without_rattlers));
  BOOST_TEST(state.fabric(1, 1) == 1.);
  BOOST_TEST((std::abs(state.fabric(0, 0)) < 1e-12));
  double carried = N * m * g * R; // the floor's branch is a radius long
  for (Index k = 1; k < N; ++k)
    carried += k * m * g * 2. * R;
  BOOST_TEST(state.stress(1, 1) == width * carried / V);
  BOOST_TEST((std::abs(state.stress(0, 0)) < 1e-8));
  BOOST_TEST((state.kinetic_stress.norm() < 1e-12));

  // y from .3 to .7 are two lattice spacings, in which a column carries the weight of 4 and of 3 discs, half of each; x from
  // .15 to .55 holds the columns at .3 and .5
  state = state_of(middle, *motion, held);
  BOOST_TEST(state.packing_fraction == M_PI / 4.);
  BOOST_TEST(state.stress(1, 1) == 2. * m * g * (4. + 3.) / 2. / .4);
}

BOOST_AUTO_TEST_CASE(fabric_of_a_crystal_and_its_rattlers, *utf::tolerance(1e-9))
{
  // a disc that four others press from all sides, none of which has another contact: these are taken away, then it
  SphereSystem system;
  system.spheres = {Eigen::MatrixXd::Zero(2, 5), Vector::Constant(5, .5), Vector::Ones(5)};
  system.U       = Vector::Zero(10);
  for (int k = 0; k < 4; ++k)
    {
      const Vector e                 = vec({std::cos(k * M_PI / 2.), std::sin(k * M_PI / 2.)});
      system.spheres.r.col(k + 1)    = 1.001 * e;
      system.U.segment(2 * k + 2, 2) = -e;
    }
  const auto motion = make_motion(system, MotionParameters());
  motion->advance(.1);
  const Region      near  = {"middle", {vec({-.2, -.2}), vec({.2, .2})}};
  const RegionState state = state_of(near, *motion, held_spheres(*motion));
  BOOST_TEST(state.n_spheres == 1);
  BOOST_TEST(state.coordination == 4.);
  BOOST_TEST(state.n_rattlers == 1);
  BOOST_TEST(state.fabric(0, 0) == .5);
  BOOST_TEST((std::abs(state.fabric(0, 1)) < 1e-9));
  BOOST_TEST(state.packing_fraction == 1.);
}

// The whole of a periodic box with two discs that approach: kinetic stress alone before, contacts carry p l/(h V).
BOOST_AUTO_TEST_CASE(stress_through_the_sides_of_a_periodic_box, *utf::tolerance(1e-9))
{
  SphereSystem system;
  system.spheres = {(Eigen::MatrixXd(2, 2) << .1, .9, .5, .5).finished(), Vector::Constant(2, .1), Vector::Constant(2, 3.)};
  system.U       = vec({-1., 0., 1., 0.});
  system.lower   = vec({0., 0.});
  system.period  = vec({1., 0.});
  const auto   motion = make_motion(system, MotionParameters());
  const Region all = {"all", {vec({0., 0.}), vec({1., 1.})}}, left = {"left", {vec({0., 0.}), vec({.05, 1.})}};
  BOOST_TEST(state_of(all, *motion, held_spheres(*motion)).kinetic_stress(0, 0) == 6.);
  BOOST_TEST(state_of(all, *motion, held_spheres(*motion)).packing_fraction == 2. * M_PI * .01);
  motion->advance(.1); // they touch at once: p = m v
  const RegionState state = state_of(all, *motion, held_spheres(*motion));
  BOOST_TEST(state.stress(0, 0) == 3. * .2 / .1);
  BOOST_TEST(state.kinetic_stress(0, 0) + 1. == 1.);
  BOOST_TEST(state_of(left, *motion, held_spheres(*motion)).stress(0, 0) == 3. * .05 / .1 / .05);
}

BOOST_AUTO_TEST_CASE(parts_of_balls_in_boxes)
{
  // sides that touch a disc up to rounding
  for (const double inside : {0., 1e-16, 1e-15, 3e-13, 1e-10})
    {
      const double R = .1, cut = R - R * inside;
      BOOST_TEST(std::abs(ball_in_box(vec({.3, .1}), R, vec({.3 - cut, .1 - cut}), vec({.3 + cut, .1 + cut})) -
                          M_PI * R * R) < 1e-16 + 4. * R * R * std::pow(inside, 1.5));
    }
  const Vector far = Vector::Constant(3, 9.);
  for (Index dim = 1; dim <= 3; ++dim)
    {
      const Vector zero = Vector::Zero(dim), high = far.head(dim);
      const double ball = volume_of_ball(.7, dim);
      BOOST_TEST(std::abs(ball_in_box(zero, .7, zero, high) - ball / std::pow(2., dim)) < 1e-9 * ball);
      BOOST_TEST(ball_in_box(zero, .7, -high, high) == ball);
      BOOST_TEST(ball_in_box(zero, .7, high, 2. * high) == 0.);
      // parts of a partition add up
      std::mt19937                           generator(4);
      std::uniform_real_distribution<double> uniform(-1., 1.);
      for (int sample = 0; sample < 20; ++sample)
        {
          Vector cut(dim), x(dim);
          for (Index k = 0; k < dim; ++k)
            {
              cut(k) = uniform(generator);
              x(k)   = .3 * uniform(generator);
            }
          double sum = 0.;
          for (int corner = 0; corner < 1 << dim; ++corner)
            {
              Vector low = -high, up = high;
              for (Index k = 0; k < dim; ++k)
                (corner >> k & 1 ? low : up)(k) = cut(k);
              sum += ball_in_box(x, .7, low, up);
            }
          BOOST_TEST(std::abs(sum - ball) < 1e-9 * ball);
        }
    }
  // a cap of height .2
  BOOST_TEST((std::abs(ball_in_box(Vector::Zero(3), .7, vec({-1., .5, -1.}), vec({1., 1., 1.})) -
                       M_PI * .04 * (3. * .7 - .2) / 3.) < 1e-9));
}

// The kernel is a partition of unity over the cells: mass and momentum on the grid are those of the spheres, at walls, too.
BOOST_AUTO_TEST_CASE(coarse_fields_hold_all_mass_momentum_and_stress)
{
  for (const Index dim : {1, 2, 3})
    for (const bool periodic : {false, true})
      {
        const double side   = dim == 1 ? 12. : 6.;
        SphereSystem system = gas(dim, static_cast<int>(side), 2., 21);
        if (periodic)
          {
            system.lower  = Vector::Zero(dim);
            system.period = Vector::Constant(dim, side);
          }
        else
          system.obstacles = box_of_walls(dim, side);
        const auto motion = make_motion(system, MotionParameters());
        run(*motion, .05, .3);
        const Vector        low = Vector::Zero(dim), high = Vector::Constant(dim, side);
        const CoarseGrainer grainer({std::vector<unsigned int>(dim, 7), .8}, low, high, system);
        const CoarseFields  fields = grainer.fields(*motion);
        const double        volume = grainer.cell_size().prod();
        BOOST_TEST(std::abs(volume * fields.rho.sum() - system.spheres.m.sum()) < 1e-11 * system.spheres.m.sum());
        BOOST_TEST((volume * fields.u * fields.rho - motion->record().momentum).norm() < 1e-10);
        const RegionState whole  = state_of({"all", {low, high}}, *motion, held_spheres(*motion));
        const Vector      stress = volume * fields.stress.rowwise().sum() / std::pow(side, dim);
        BOOST_TEST(whole.stress.norm() > .01);
        BOOST_TEST((stress - Eigen::Map<const Vector>(whole.stress.data(), dim * dim)).norm() < 1e-8 * whole.stress.norm());
      }
}

// A quarter of the line between the centres lies in the box, whichever of the two is named first.
BOOST_AUTO_TEST_CASE(contacts_across_an_open_side_count_with_their_part, *utf::tolerance(1e-9))
{
  for (const bool swapped : {false, true})
    {
      SphereSystem system;
      system.spheres = {Eigen::MatrixXd(2, 2), vec({.1, .1}), vec({1., 1.})};
      system.spheres.r.col(swapped ? 1 : 0) << .95, .5;
      system.spheres.r.col(swapped ? 0 : 1) << 1.15, .5;
      system.U          = swapped ? vec({-1., 0., 1., 0.}) : vec({1., 0., -1., 0.});
      const auto motion = make_motion(system, MotionParameters());
      motion->advance(.01);
      const Vector        low = vec({0., 0.}), high = vec({1., 1.});
      const CoarseGrainer grainer({{10, 10}, .1}, low, high, system);
      const double        sum = grainer.cell_size().prod() * grainer.fields(*motion).stress.row(0).sum();
      BOOST_TEST(sum == state_of({"all", {low, high}}, *motion, held_spheres(*motion)).stress(0, 0));
      BOOST_TEST(sum > 1.);
    }
}

// What varies on the scale of the lattice is gone where w is a few spacings: spheres that all move alike are a uniform flow.
BOOST_AUTO_TEST_CASE(a_lattice_becomes_a_uniform_continuum)
{
  SphereSystem system;
  const Index  side = 12;
  system.spheres = {Eigen::MatrixXd(2, side * side), Vector::Constant(side * side, .5), Vector::Constant(side * side, 3.)};
  system.U       = Vector::Zero(2 * side * side);
  for (Index i = 0; i < side * side; ++i)
    {
      system.spheres.r.col(i) = vec({.5 + i % side, .5 + i / side});
      system.U(2 * i)         = 2.;
    }
  system.lower          = vec({0., 0.});
  const auto walled     = make_motion(system, MotionParameters());
  system.period         = vec({12., 12.});
  const auto   periodic = make_motion(system, MotionParameters());
  const Vector high     = vec({12., 12.});
  for (const auto *motion : {walled.get(), periodic.get()})
    {
      const CoarseGrainer grainer({{5, 5}, 1.5}, vec({0., 0.}), high, motion->system());
      const CoarseFields  fields = grainer.fields(*motion);
      BOOST_TEST((fields.rho.array() - 3.).abs().maxCoeff() <
                 1e-3); // the spline's fourth power of sinc(√3 w) at the lattice
      BOOST_TEST((fields.solid_fraction.array() - M_PI / 4.).abs().maxCoeff() < 1e-3);
      BOOST_TEST((fields.u.row(0).array() - 2.).abs().maxCoeff() < 1e-12);
      BOOST_TEST(fields.kinetic_stress.cwiseAbs().maxCoeff() < 1e-10);
      for (const Vector &x : {vec({0., 0.}), vec({3.3, 11.9}), vec({6., 6.})})
        {
          const ProbeState probe = grainer.at(x, *motion);
          BOOST_TEST(std::abs(probe.rho - 3.) < 5e-3);
          BOOST_TEST((probe.u - vec({2., 0.})).norm() < 1e-12);
        }
    }
}

BOOST_AUTO_TEST_CASE(one_sphere_is_its_kernel)
{
  const SphereSystem  system = one_disc(2., 2., 0., 3.);
  const auto          motion = make_motion(system, MotionParameters());
  const CoarseGrainer grainer({{}, .2}, vec({0., 0.}), vec({4., 4.}), system);
  const double        peak = 2. / 3. / (std::sqrt(3.) * .2); // of the cubic B-spline
  BOOST_TEST(std::abs(grainer.at(vec({2., 2.}), *motion).rho - 2. * peak * peak) < 1e-12);
  BOOST_TEST(grainer.at(vec({2., 2.}), *motion).u(1) == 3.);
  BOOST_TEST(grainer.at(vec({2., 2.8}), *motion).rho == 0.);
  BOOST_TEST(std::isnan(grainer.at(vec({2., 2.8}), *motion).u(0)));
}

BOOST_AUTO_TEST_SUITE_END()
