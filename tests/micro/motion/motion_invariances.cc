// SPDX-License-Identifier: GPL-3.0-or-later
// What a motion of spheres must not depend on.
#include "micro/motion/sphere_motion.h"

#include "motions.h"

#include <Eigen/Geometry>

#include <boost/test/unit_test.hpp>
#include <tbb/global_control.h>

#include <numeric>

BOOST_AUTO_TEST_SUITE(motion_invariances)

using namespace moreau;
using namespace moreau::micro;

namespace
{
/// A cluster that implodes, with many impacts.
SphereSystem implosion(const Index dim, const int side)
{
  SphereSystem system = gas(dim, side, .3, 8);
  for (Index i = 0; i < system.spheres.size(); ++i)
    system.U.segment(dim * i, dim) += Vector(.5 * side - system.spheres.r.col(i).array()) * .8;
  return system;
}

MotionParameters restitution(const double e)
{
  MotionParameters parameters;
  parameters.law.restitution     = e;
  parameters.criterion.tolerance = 1e-11;
  return parameters;
}

Eigen::MatrixXd as_matrix(const Vector &v, const Index dim)
{
  return Eigen::Map<const Eigen::MatrixXd>(v.data(), dim, v.size() / dim);
}
} // namespace

// A motion through many impacts magnifies rounding: short runs, and tolerances that leave room for that.
BOOST_AUTO_TEST_CASE(another_frame_of_reference_sees_the_same_motion)
{
  for (const double e : {0., .5})
    {
      const SphereSystem    at_rest = implosion(2, 6);
      SphereSystem          moving  = at_rest;
      const Eigen::Vector2d V(3., -2.);
      for (Index i = 0; i < moving.spheres.size(); ++i)
        moving.U.segment(2 * i, 2) += V;
      const auto a = make_motion(at_rest, restitution(e)), b = make_motion(moving, restitution(e));
      run(*a, .02, .6);
      run(*b, .02, .6);
      const Eigen::MatrixXd shift = as_matrix(b->q() - a->q(), 2).colwise() - .6 * V;
      BOOST_TEST(shift.cwiseAbs().maxCoeff() < 1e-7);
      BOOST_TEST(a->record().dissipated > .05);
    }
}

BOOST_AUTO_TEST_CASE(a_rotated_configuration_moves_in_the_rotated_way)
{
  const Eigen::Matrix2d Q = Eigen::Rotation2Dd(.7).toRotationMatrix();
  for (const double e : {0., .5})
    {
      const SphereSystem straight = implosion(2, 6);
      SphereSystem       rotated  = straight;
      rotated.spheres.r           = Q * straight.spheres.r;
      const Eigen::MatrixXd U     = Q * as_matrix(straight.U, 2);
      rotated.U                   = Eigen::Map<const Vector>(U.data(), U.size());
      const auto a = make_motion(straight, restitution(e)), b = make_motion(rotated, restitution(e));
      run(*a, .02, .6);
      run(*b, .02, .6);
      BOOST_TEST((as_matrix(b->q(), 2) - Q * as_matrix(a->q(), 2)).cwiseAbs().maxCoeff() < 1e-7);
    }
}

BOOST_AUTO_TEST_CASE(the_numbering_of_spheres_does_not_matter)
{
  const SphereSystem first = implosion(2, 6);
  SphereSystem       other = first;
  const Index        n     = first.spheres.size();
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  other.spheres = {first.spheres.r(Eigen::all, order), first.spheres.R(order), first.spheres.m(order)};
  for (Index i = 0; i < n; ++i)
    other.U.segment(2 * i, 2) = first.U.segment(2 * order[i], 2);
  const auto a = make_motion(first, restitution(.5)), b = make_motion(other, restitution(.5));
  run(*a, .02, .6);
  run(*b, .02, .6);
  const Eigen::MatrixXd r = as_matrix(a->q(), 2);
  BOOST_TEST((as_matrix(b->q(), 2) - r(Eigen::all, order)).cwiseAbs().maxCoeff() < 1e-7);
}

BOOST_AUTO_TEST_CASE(a_shifted_periodic_box_changes_nothing)
{
  SphereSystem first = gas(2, 6, 2., 9);
  first.lower        = Vector::Zero(2);
  first.period       = Vector::Constant(2, 6.);
  SphereSystem other = first;
  other.spheres.r.colwise() += Eigen::Vector2d(2.4, 3.3);
  const auto a = make_motion(first, restitution(.5)), b = make_motion(other, restitution(.5));
  run(*a, .02, .4);
  run(*b, .02, .4);
  Eigen::MatrixXd difference = (as_matrix(b->q() - a->q(), 2).colwise() - Eigen::Vector2d(2.4, 3.3)) / 6.;
  difference -= difference.array().round().matrix().eval();
  BOOST_TEST(difference.cwiseAbs().maxCoeff() < 1e-7);
  BOOST_TEST(a->record().dissipated > .1);
}

BOOST_AUTO_TEST_CASE(an_interrupted_motion_goes_on_bit_for_bit)
{
  for (const Scheme scheme : {Scheme::linearised_constraints, Scheme::catching_up})
    {
      SphereSystem system = gas(2, 8, 2., 4);
      system.obstacles    = box_of_walls(2, 8.);
      system.force        = gravity(1.);
      system.radii        = [R = system.spheres.R](const double t) { return Vector(R * (1. + .02 * std::sin(t))); };
      MotionParameters parameters;
      parameters.scheme          = scheme;
      parameters.law.restitution = scheme == Scheme::catching_up ? 0. : .5;
      const auto whole = make_motion(system, parameters), first = make_motion(system, parameters),
                 second = make_motion(system, parameters);
      for (int k = 1; k <= 40; ++k)
        whole->advance(.02 * k);
      for (int k = 1; k <= 17; ++k)
        first->advance(.02 * k);
      second->restore(first->state());
      BOOST_TEST(second->time() == .02 * 17);
      BOOST_TEST(second->record().h == first->record().h);
      BOOST_TEST((second->impulse().array() == first->impulse().array()).all());
      BOOST_TEST((second->paths().begin.array() == first->paths().begin.array()).all());
      BOOST_TEST(!first->contacts().empty());
      BOOST_TEST_REQUIRE(second->contacts().size() == first->contacts().size());
      for (std::size_t c = 0; c < first->contacts().size(); ++c)
        {
          const MotionContact &as_it_was = first->contacts()[c], &now = second->contacts()[c];
          BOOST_TEST((now.i == as_it_was.i && now.j == as_it_was.j && now.e == as_it_was.e && now.D == as_it_was.D &&
                      now.impulse == as_it_was.impulse));
        }
      for (std::size_t k = 0; k < first->obstacle_impulses().size(); ++k)
        BOOST_TEST((second->obstacle_impulses()[k].impulse == first->obstacle_impulses()[k].impulse));
      for (int k = 18; k <= 40; ++k)
        second->advance(.02 * k);
      BOOST_TEST((second->q().array() == whole->q().array()).all());
      BOOST_TEST((second->u().array() == whole->u().array()).all());
      BOOST_TEST(second->record().dissipated == whole->record().dissipated);
      BOOST_TEST(second->record().scheme_error == whole->record().scheme_error);
      BOOST_TEST(second->record().step == whole->record().step);
      BOOST_TEST(second->record().effort.n_iterations == whole->record().effort.n_iterations);
    }
}

BOOST_AUTO_TEST_CASE(a_state_of_other_spheres_is_refused)
{
  const auto small = make_motion(gas(2, 3, 1., 1), MotionParameters()),
             large = make_motion(gas(2, 4, 1., 1), MotionParameters());
  BOOST_CHECK_THROW(large->restore(small->state()), std::invalid_argument);

  const auto damaged = [&](auto damage) {
    MotionState state = small->state();
    damage(state);
    BOOST_CHECK_THROW(small->restore(state), std::logic_error);
  };
  damaged([](MotionState &state) { state.integers["partners"] = {0, 9}; });
  damaged([](MotionState &state) { state.reals["contacts"].resize(6), state.integers["partners"] = {0, 9}; });
  damaged([](MotionState &state) { state.reals["obstacles"].resize(6); });
  damaged([](MotionState &state) { state.reals["begin"].resize(1); });
  damaged([](MotionState &state) { state.reals.erase("h"); });
}

BOOST_AUTO_TEST_CASE(the_number_of_threads_does_not_change_a_bit)
{
  const auto final_positions = [](const int n_threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, n_threads);
    SphereSystem              system = implosion(2, 75); // more than one block of spheres
    system.obstacles                 = box_of_walls(2, 75.);
    const auto motion                = make_motion(system, MotionParameters());
    run(*motion, .02, .06);
    return motion->q();
  };
  const Vector one = final_positions(1), three = final_positions(3);
  BOOST_TEST((one.array() == three.array()).all());
}

BOOST_AUTO_TEST_SUITE_END()
