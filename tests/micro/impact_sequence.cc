// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/impact_sequence.h"

#include "convex/input_error.h"
#include "convex/solvers/make_projector.h"
#include "micro/lattices.h"

#include <boost/test/unit_test.hpp>

#include <random>

BOOST_AUTO_TEST_SUITE(impact_sequence)

using namespace moreau;
using namespace moreau::micro;
namespace utf = boost::unit_test;
using End     = ImpactSequence::End;

namespace
{
/// Exact for the few contacts of these tests.
ImpactSequence follow(const Spheres &spheres, const std::vector<Wall> &walls, const Vector &U,
                      const SequenceParameters &parameters, const ImpactObserver &observer = {})
{
  return micro::impact_sequence(spheres, walls, U, *convex::make_projector("Lawson-Hanson", {1e-10}), parameters, observer);
}

SequenceParameters with_restitution(const double restitution)
{
  SequenceParameters parameters;
  parameters.law.restitution = restitution;
  parameters.max_impacts     = 10000;
  return parameters;
}

/// n equal spheres of mass 1 in a line.
Spheres unit_row(const Index n, const double gap)
{
  Spheres spheres = lattices::row(n, .5, Vector::Zero(1), gap);
  spheres.m.setOnes();
  return spheres;
}

Vector striker(const Index n)
{
  Vector U = Vector::Zero(n);
  U(0)     = 1.;
  return U;
}
} // namespace

// BM, Fig. 10: slightly pulled apart, the last sphere leaves with all of the velocity.
BOOST_AUTO_TEST_CASE(cradle_pulled_apart_passes_the_velocity_on, *utf::tolerance(1e-12)) // rounding
{
  const ImpactSequence x = follow(unit_row(5, 1e-3), {}, striker(5), with_restitution(1.));
  BOOST_TEST((x.end == End::separated));
  BOOST_TEST_REQUIRE(x.impacts.size() == 4);
  for (Index k = 0; k < 5; ++k)
    BOOST_TEST((std::abs(x.U(k) - (k == 4)) < 1e-12));
  for (Index k = 0; k < 4; ++k)
    {
      BOOST_TEST(x.impacts[k].time == (k + 1) * 1e-3);
      BOOST_TEST(x.impacts[k].n_contacts == 1);
      BOOST_TEST(x.impacts[k].effort.n_projections == 1);
      BOOST_TEST(x.impacts[k].energy_before == .5);
      BOOST_TEST(x.impacts[k].energy_after == .5);
      BOOST_TEST((x.impacts[k].effort.status == convex::Status::converged));
    }
}

// Two spheres of mass 1 at speeds 1 and 0 have 1/4 J after the projection, whatever the restitution.
BOOST_AUTO_TEST_CASE(energy_of_the_projection_is_recorded, *utf::tolerance(1e-9)) // projector
{
  for (const double restitution : {0., .5, 1.})
    {
      const ImpactSequence x = follow(unit_row(2, .1), {}, striker(2), with_restitution(restitution));
      BOOST_TEST_REQUIRE(x.impacts.size() == 1);
      BOOST_TEST(x.impacts[0].energy_projected == .25);
      BOOST_TEST(x.impacts[0].energy_after == .25 * (1. + restitution * restitution));
      BOOST_TEST(x.impacts[0].effort.n_iterations > 0u);
      BOOST_TEST(x.impacts[0].method.find("Lawson-Hanson") == 0u);
    }
}

// U = (1, 0, 0.3, -1.3) with e = 1 needs two applications; a cap of one ends with an inelastic projection.
BOOST_AUTO_TEST_CASE(the_cap_of_repetitions_is_handed_on)
{
  SequenceParameters parameters = with_restitution(1.);
  const Vector       U          = Eigen::Vector4d(1., 0., .3, -1.3);
  BOOST_TEST_REQUIRE(follow(unit_row(4, 0.), {}, U, parameters).impacts.size() == 1u);
  BOOST_TEST(!follow(unit_row(4, 0.), {}, U, parameters).impacts[0].effort.collapsed);
  parameters.law.max_repetitions = 1;
  BOOST_TEST(follow(unit_row(4, 0.), {}, U, parameters).impacts[0].effort.collapsed);
}

// The impulse of an impact changes the momentum of each sphere: M(U - u⁺) = Bᵀ impulse.
BOOST_AUTO_TEST_CASE(the_impulse_seen_by_observers_is_the_change_of_momentum, *utf::tolerance(1e-9)) // projector
{
  Index      n_observed = 0;
  const auto observer   = [&](const SequenceImpact &, const ImpactScene &scene) {
    ++n_observed;
    BOOST_TEST_REQUIRE(scene.impact.impulse.size() == 1);
    BOOST_TEST(scene.impact.impulse(0) == 1.); // equal masses swap their velocities
    BOOST_TEST(scene.graph.contacts[0].i == n_observed - 1);
  };
  follow(unit_row(3, .1), {}, striker(3), with_restitution(1.), observer);
  BOOST_TEST(n_observed == 2);
}

BOOST_AUTO_TEST_CASE(touching_cradle_bounces_at_once, *utf::tolerance(1e-9)) // projector
{
  const ImpactSequence x = follow(unit_row(5, 0.), {}, striker(5), with_restitution(1.));
  BOOST_TEST_REQUIRE(x.impacts.size() == 1);
  BOOST_TEST(x.impacts[0].n_contacts == 4);
  BOOST_TEST(x.U(0) == -.6);
  for (Index k = 1; k < 5; ++k)
    BOOST_TEST(x.U(k) == .4);
}

BOOST_AUTO_TEST_CASE(inelastic_row_gathers_sphere_by_sphere, *utf::tolerance(1e-9)) // projector
{
  const ImpactSequence x = follow(unit_row(4, .25), {}, striker(4), with_restitution(0.));
  BOOST_TEST((x.end == End::separated));
  BOOST_TEST_REQUIRE(x.impacts.size() == 3);
  BOOST_TEST(x.impacts[1].time == .25 + .5);
  BOOST_TEST(x.impacts[2].time == .25 + .5 + .75);
  BOOST_TEST(x.impacts[2].n_contacts == 3);
  for (Index k = 0; k < 4; ++k)
    BOOST_TEST(x.U(k) == .25);
}

// Three equal spheres with e < 7 - 4√3 hit infinitely often in finite time.
BOOST_AUTO_TEST_CASE(inelastic_collapse_ends)
{
  for (const double restitution : {.01, .05, .07})
    {
      Vector U(3);
      U << 1., 0., -1.;
      Spheres spheres = unit_row(3, .3);
      spheres.r(0, 2) += .05; // not symmetric
      const ImpactSequence x = follow(spheres, {}, U, with_restitution(restitution));
      BOOST_TEST((x.end == End::separated));
      BOOST_TEST(x.impacts.size() > 3);
      BOOST_TEST(x.impacts.size() < 100); // gaps shrink geometrically until they are contacts
      BOOST_TEST(std::abs(x.U.sum()) < 1e-9);
      BOOST_TEST(x.U.norm() < 1e-9); // as far as the projection goes
      BOOST_TEST(x.impacts.back().effort.collapsed);
      BOOST_TEST(!x.impacts.front().effort.collapsed);
    }
}

// The third impact, at .04 m/s, is one with e, however fast all of them fly.
BOOST_AUTO_TEST_CASE(impacts_do_not_depend_on_the_frame)
{
  const double         shift = 1e8;
  const ImpactSequence x     = follow(unit_row(3, 1e-3), {}, striker(3), with_restitution(.6)),
                       fast  = follow(unit_row(3, 1e-3), {}, striker(3).array() + shift, with_restitution(.6));
  BOOST_TEST(fast.impacts.size() == x.impacts.size());
  BOOST_TEST(x.U(0) < x.U(1) - .02);
  BOOST_TEST((fast.U.array() - shift - x.U.array()).abs().maxCoeff() < 1e-6);
}

BOOST_AUTO_TEST_CASE(the_cap_is_reported)
{
  SequenceParameters parameters = with_restitution(1.);
  parameters.max_impacts        = 7;
  const auto           walls    = box_walls(Vector::Constant(1, -1.), Vector::Constant(1, 1.), {"left", "right"});
  const ImpactSequence x        = follow(unit_row(1, 0.), walls, Vector::Ones(1), parameters);
  BOOST_TEST((x.end == End::impact_limit));
  BOOST_TEST(x.impacts.size() == 7);
  BOOST_TEST(x.time == .5 + 7.); // the eighth impact is not carried out
  BOOST_TEST(name(x.end) == "impact limit");
}

BOOST_AUTO_TEST_CASE(a_ball_between_walls_returns_in_time, *utf::tolerance(1e-12)) // rounding
{
  SequenceParameters parameters = with_restitution(1.);
  parameters.end_time           = 10.25;
  const auto           walls    = box_walls(Vector::Constant(1, -1.), Vector::Constant(1, 1.), {"left", "right"});
  const ImpactSequence x        = follow(unit_row(1, 0.), walls, Vector::Ones(1), parameters);
  BOOST_TEST((x.end == End::end_time));
  BOOST_TEST(x.time == 10.25);
  BOOST_TEST(x.impacts.size() == 10); // at .5, 1.5, ..., 9.5
  BOOST_TEST(x.spheres.r(0, 0) == .25);
}

// Also where the time of the impact and that of the end differ by rounding.
BOOST_AUTO_TEST_CASE(an_impact_at_the_end_time_has_happened, *utf::tolerance(1e-12)) // rounding
{
  for (const auto &[gap, speed, end] : {std::tuple(.5, 1., .5), {.3, 1., .3}, {.7, 3., .7 / 3.}, {.1, .3, .1 / .3}})
    {
      SequenceParameters parameters = with_restitution(1.);
      parameters.end_time           = end;
      const ImpactSequence x        = follow(unit_row(2, gap), {}, speed * striker(2), parameters);
      BOOST_TEST((x.end == End::end_time));
      BOOST_TEST(x.time == end);
      BOOST_TEST(x.impacts.size() == 1u);
      BOOST_TEST(x.U(1) == speed);
      parameters.end_time *= 1. - 1e-12;
      BOOST_TEST(follow(unit_row(2, gap), {}, speed * striker(2), parameters).impacts.empty());
    }
}

BOOST_AUTO_TEST_CASE(a_moving_wall_pushes, *utf::tolerance(1e-9)) // projector
{
  auto walls             = box_walls(Vector::Constant(1, -2.), Vector::Constant(1, 9.), {"left"});
  walls[0].velocity(0)   = 3.;
  const ImpactSequence x = follow(unit_row(1, 0.), walls, Vector::Zero(1), with_restitution(0.));
  BOOST_TEST_REQUIRE(x.impacts.size() == 1);
  BOOST_TEST(x.impacts[0].time == .5);
  BOOST_TEST(x.U(0) == 3.);
  BOOST_TEST(x.walls[0].offset == -.5);
}

BOOST_AUTO_TEST_CASE(oblique_spheres_hit_where_geometry_says, *utf::tolerance(1e-12)) // rounding
{
  Spheres spheres{Eigen::MatrixXd(2, 2), Vector::Ones(2), Vector::Ones(2)};
  spheres.r << 0., 5., 0., 1.;
  Vector U(4);
  U << 1., 0., 0., 0.;
  const ImpactSequence x = follow(spheres, {}, U, with_restitution(1.));
  BOOST_TEST_REQUIRE(x.impacts.size() == 1);
  BOOST_TEST(x.impacts[0].time == 5. - std::sqrt(3.));
  // the line of centres is (√3, 1)/2: the second sphere leaves along it with its part √3/2 of the velocity
  BOOST_TEST(x.U(2) == .75);
  BOOST_TEST(x.U(3) == std::sqrt(3.) / 4.);
}

BOOST_AUTO_TEST_CASE(spheres_that_miss_do_not_hit)
{
  Spheres spheres{Eigen::MatrixXd(2, 2), Vector::Ones(2), Vector::Ones(2)};
  spheres.r << 0., 5., 0., 2.001;
  const Vector         U = Eigen::Vector4d(1., 0., 0., 0.);
  const ImpactSequence x = follow(spheres, {}, U, with_restitution(1.));
  BOOST_TEST(x.impacts.empty());
  BOOST_TEST((x.end == End::separated));
  BOOST_TEST((x.U == U));
}

BOOST_AUTO_TEST_CASE(a_gas_in_a_box_keeps_its_energy_and_never_overlaps)
{
  std::mt19937                           random(1);
  std::uniform_real_distribution<double> uniform(-1., 1.);
  lattices::Placement                    placement;
  placement.spacing = 1.;
  Spheres spheres   = lattices::square({Vector::Zero(2), Vector::Constant(2, 4.)}, placement);
  spheres.R *= .8;
  spheres.R(3) *= .5;
  spheres.m(3) = .2;
  Vector U(2 * spheres.size());
  for (double &u : U)
    u = uniform(random);

  SequenceParameters parameters = with_restitution(1.);
  parameters.end_time           = 3.;
  const auto walls              = box_walls(Vector::Zero(2), Vector::Constant(2, 4.), {"left", "right", "bottom", "top"});
  Index      n_observed         = 0;
  const auto observer           = [&](const SequenceImpact &impact, const ImpactScene &scene) {
    ++n_observed;
    BOOST_TEST((scene.problem.U != scene.impact.u_plus));
    BOOST_TEST(scene.graph.n_contacts() == impact.n_contacts);
    BOOST_TEST(std::abs(impact.energy_after - impact.energy_before) < 1e-12 * impact.energy_before); // rounding
  };
  const ImpactSequence x = follow(spheres, walls, U, parameters, observer);
  BOOST_TEST((x.end == End::end_time));
  BOOST_TEST(x.impacts.size() > 20);
  BOOST_TEST(n_observed == static_cast<Index>(x.impacts.size()));
  BOOST_TEST(micro::contact_graph(x.spheres, x.walls, 1e-6).smallest_gap > -1e-12);
}

namespace
{
/// Discs on a loose lattice, more than FlightEvents takes all pairs of, with random velocities.
Spheres loose_discs(const Index per_side, Vector &U)
{
  std::mt19937                           random(3);
  std::uniform_real_distribution<double> uniform(-1., 1.);
  lattices::Placement                    placement;
  placement.spacing = 1.;
  Spheres spheres   = lattices::square({Vector::Zero(2), Vector::Constant(2, double(per_side))}, placement);
  U.resize(2 * spheres.size());
  for (Index k = 0; k < spheres.size(); ++k)
    {
      spheres.R(k) = .3 + .1 * uniform(random);
      spheres.m(k) = 2. + uniform(random);
    }
  for (double &u : U)
    u = uniform(random);
  return spheres;
}

/// Impacts of pairs, e = 1, every pair looked at in every flight: what the queue must agree with. Gives their number.
Index follow_pairs(Spheres &spheres, Vector &U, double time)
{
  const Index n = spheres.size();
  for (Index n_impacts = 0;; ++n_impacts)
    {
      double least = time;
      Index  a = -1, b = -1;
      for (Index i = 0; i < n; ++i)
        for (Index j = i + 1; j < n; ++j)
          {
            const Eigen::Vector2d r = spheres.r.col(j) - spheres.r.col(i), v = U.segment<2>(2 * j) - U.segment<2>(2 * i);
            const double          R = spheres.R(i) + spheres.R(j), c = r.squaredNorm() - R * R, along = r.dot(v);
            const double          disc = along * along - v.squaredNorm() * c;
            if (along < 0. && disc > 0. && c / (std::sqrt(disc) - along) < least)
              {
                least = c / (std::sqrt(disc) - along);
                a     = i;
                b     = j;
              }
          }
      spheres.r += least * U.reshaped(2, n);
      time -= least;
      if (a < 0)
        return n_impacts;
      const Eigen::Vector2d e = (spheres.r.col(b) - spheres.r.col(a)).normalized();
      const double          m = 1. / (1. / spheres.m(a) + 1. / spheres.m(b));
      const double          p = 2. * m * e.dot(U.segment<2>(2 * a) - U.segment<2>(2 * b));
      U.segment<2>(2 * a) -= p / spheres.m(a) * e;
      U.segment<2>(2 * b) += p / spheres.m(b) * e;
    }
}
} // namespace

BOOST_AUTO_TEST_CASE(the_queue_finds_what_a_look_at_all_pairs_finds)
{
  Vector             U;
  const Spheres      spheres    = loose_discs(14, U);
  SequenceParameters parameters = with_restitution(1.);
  parameters.end_time           = 1.;
  const ImpactSequence x        = follow(spheres, {}, U, parameters);
  Spheres              expected = spheres;
  const Index          n        = follow_pairs(expected, U, parameters.end_time);
  BOOST_TEST(n > 100);
  BOOST_TEST(n == static_cast<Index>(x.impacts.size()));
  BOOST_TEST((x.spheres.r - expected.r).lpNorm<Eigen::Infinity>() < 1e-8); // impacts amplify rounding
  BOOST_TEST((x.U - U).lpNorm<Eigen::Infinity>() < 1e-8);
}

// All fly apart but one, which is far away and faster: no near pair meets, and the end is known to be the end.
BOOST_AUTO_TEST_CASE(a_late_impact_of_spheres_far_from_each_other_is_found)
{
  Vector      U;
  Spheres     spheres = loose_discs(14, U);
  const Index n       = spheres.size();
  spheres.r.col(n - 1) << 1000., 100.;
  U = (spheres.r.colwise() - Vector(Vector::Constant(2, 7.))).reshaped(); // an expansion
  U.segment<2>(0).setZero();
  U.segment<2>(2 * n - 2) << -2000., 0.;
  spheres.r.col(0) << -30., 100.;
  const ImpactSequence x = follow(spheres, {}, U, with_restitution(0.));
  BOOST_TEST((x.end == End::separated));
  BOOST_TEST_REQUIRE(x.impacts.size() == 1u);
  BOOST_TEST(std::abs(x.impacts[0].time - (1030. - spheres.R(0) - spheres.R(n - 1)) / 2000.) < 1e-12);
}

// A slow pair would meet after 1e16 s, when the others are too far away for doubles.
BOOST_AUTO_TEST_CASE(spheres_that_fly_too_far_end_the_sequence)
{
  Vector      U;
  Spheres     spheres = loose_discs(14, U);
  const Index n       = spheres.size();
  U                   = (spheres.r.colwise() - Vector(Vector::Constant(2, 7.))).reshaped();
  spheres.r.col(0) << -3000., 3130.; // where nothing passes
  spheres.r.col(n - 1) << -3000., 3132.;
  U.segment<2>(0) << 0., 1e-16;
  U.segment<2>(2 * n - 2).setZero();
  const ImpactSequence x = follow(spheres, {}, U, with_restitution(0.));
  BOOST_TEST((x.end == End::far_away));
  BOOST_TEST(x.impacts.empty());
}

// Two discs of radius 1 that meet far from where they begin, b beside each other: sin = b/2 of the normal.
BOOST_AUTO_TEST_CASE(late_impacts_are_at_the_right_place)
{
  for (const double distance : {1e5, 3e7, 1e9})
    for (const double beside : {0., 1., 1.9})
      {
        Spheres spheres{Eigen::MatrixXd::Zero(2, 2), Vector::Ones(2), Vector::Ones(2)};
        spheres.r.col(1) << distance, beside;
        Vector U(4);
        U << 1., 0., -1., 0.;
        const ImpactSequence x = follow(spheres, {}, U, with_restitution(0.));
        BOOST_TEST((x.end == End::separated));
        BOOST_TEST_REQUIRE(x.impacts.size() == 1u);
        const double          sine = .5 * beside, cosine = std::sqrt(1. - sine * sine);
        const Eigen::Vector2d u(1. - cosine * cosine, -cosine * sine);
        BOOST_TEST((x.U.head(2) - u).norm() < 1e-12 + 1e-15 * distance); // of coordinates
        BOOST_TEST((x.U.head(2) + x.U.tail(2)).norm() < 1e-12);
      }
}

// e = 0: they stick, and what rounding leaves approaching is no impact after 1e16 s.
BOOST_AUTO_TEST_CASE(spheres_that_stick_never_meet_again)
{
  for (const Index n : {4, 5, 6, 7})
    for (const double at : {.3, .5, .6})
      {
        Spheres              spheres = lattices::row(n, .1, Vector::Zero(1), .02);
        Vector               U       = at - spheres.r.row(0).transpose().array();
        const ImpactSequence x       = follow(spheres, {}, U, with_restitution(0.));
        BOOST_TEST((x.end == End::separated));
        BOOST_TEST(x.time < 100.);
        BOOST_TEST((x.U.array() - U.mean()).abs().maxCoeff() < 1e-12);
      }
}

// What would meet so far away that coordinates are coarser than radii is not followed, nor is free flight until then.
BOOST_AUTO_TEST_CASE(nothing_moves_to_where_coordinates_are_too_coarse)
{
  Spheres spheres{Eigen::MatrixXd::Zero(1, 2), Vector::Constant(2, .1), Vector::Ones(2)};
  spheres.r << 0., 1.;
  SequenceParameters parameters = with_restitution(0.);
  const Vector       faster     = Eigen::Vector2d(1. + 1e-14, 1.);
  ImpactSequence     x          = follow(spheres, {}, faster, parameters);
  BOOST_TEST((x.end == End::far_away)); // after 8e13 s
  BOOST_TEST(x.time == 0.);
  parameters.end_time = 1e14;
  x                   = follow(spheres, {}, Vector::Ones(2), parameters);
  BOOST_TEST((x.end == End::far_away));
  BOOST_TEST(x.spheres.r(1) == 1.);
}

// Between two walls a ball that is not elastic bounces for ever, ten times as slowly each time: e = 0.1.
BOOST_AUTO_TEST_CASE(what_only_gets_slower_ends_before_numbers_do)
{
  const Spheres           ball{Eigen::MatrixXd::Constant(1, 1, .5), Vector::Constant(1, .1), Vector::Ones(1)};
  const Vector            rest = Vector::Zero(1), right = Vector::Ones(1);
  const std::vector<Wall> walls = {{"left", right, 0., rest}, {"right", -right, -1., rest}};
  for (const double speed : {1., 1e-130, 1e-150})
    {
      const ImpactSequence x = follow(ball, walls, Vector::Constant(1, speed), with_restitution(.1));
      BOOST_TEST(name(x.end) == "too slow");
      BOOST_TEST(std::abs(x.U(0)) < 1e-100 * speed);
      BOOST_TEST(std::abs(x.U(0)) > 1e-300);
      BOOST_TEST(x.time < 1e300);
      BOOST_TEST(std::abs(std::log10(speed / std::abs(x.U(0))) - x.impacts.size()) < 1e-6);
    }
}

// What rests in contact elsewhere takes no part.
BOOST_AUTO_TEST_CASE(an_impact_is_one_of_the_clusters_that_are_hit)
{
  Spheres spheres{Eigen::MatrixXd(2, 4), Vector::Constant(4, .5), Vector::Ones(4)};
  spheres.r << 0., 3., 0., 1., 0., 0., 5., 5.;
  Vector U              = Vector::Zero(8);
  U(0)                  = 1.;
  Index      n_observed = 0;
  const auto observer   = [&](const SequenceImpact &impact, const ImpactScene &scene) {
    ++n_observed;
    BOOST_TEST(impact.n_contacts == 1);
    BOOST_TEST(impact.energy_before == .5);
    BOOST_TEST(scene.graph.contacts[0].i == 0);
    BOOST_TEST(scene.graph.contacts[0].j == 1);
    BOOST_TEST(scene.U(0) == 1.);
    BOOST_TEST(std::abs(scene.u_plus(2) - .5) < 1e-9);
    BOOST_TEST(scene.u_plus.size() == 8);
  };
  const ImpactSequence x = follow(spheres, {}, U, with_restitution(0.), observer);
  BOOST_TEST(n_observed == 1);
  BOOST_TEST((x.end == End::separated));
}

BOOST_AUTO_TEST_CASE(parameters_that_make_no_sense_are_refused)
{
  const Spheres      row     = unit_row(2, .1);
  SequenceParameters no_time = with_restitution(0.), no_tolerance = with_restitution(0.);
  no_time.end_time               = -1.;
  no_tolerance.contact_tolerance = 0.;
  BOOST_CHECK_THROW(follow(row, {}, striker(2), no_time), InputError);
  BOOST_CHECK_THROW(follow(row, {}, striker(2), no_tolerance), InputError);
  BOOST_CHECK_THROW(follow(row, {}, striker(2), with_restitution(2.)), InputError);
  BOOST_CHECK_THROW(follow(unit_row(2, -.1), {}, striker(2), with_restitution(0.)), InputError);
}

BOOST_AUTO_TEST_SUITE_END()
