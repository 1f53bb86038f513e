// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/micro/motion/systems.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <random>

BOOST_AUTO_TEST_SUITE(mechanical_systems)

using namespace moreau;
using namespace moreau::micro;
namespace utf = boost::unit_test;

namespace
{
std::unique_ptr<Motion> motion_of(const System &system, const Scheme scheme, const double restitution = 0.)
{
  return make_motion(system, parameters(scheme, restitution));
}

/// Derivatives of q, u and of the impulse along the exact motion, away from impacts: u = q', m u' = f + P'.
void require_motion(const System &system, const double t, const double e)
{
  constexpr double h      = 1e-4;
  const auto       before = system->exact(t - h, e), now = system->exact(t, e), after = system->exact(t + h, e);
  const Vector     momentum = system->mass(now->q) * now->u;
  const Vector change = (system->mass(after->q) * after->u - system->mass(before->q) * before->u - after->cumulated_impulse +
                         before->cumulated_impulse) /
                        (2. * h);
  BOOST_TEST(((after->q - before->q) / (2. * h) - now->u).norm() < 1e-6); // O(h²)
  BOOST_TEST((change - system->force(t, now->q, momentum)).norm() < 1e-6);
  BOOST_TEST(system->constraints(t, now->q).minCoeff() >= -1e-15);
}
} // namespace

BOOST_AUTO_TEST_CASE(systems_are_listed_by_name_with_their_constants)
{
  const auto &systems = micro::mechanical_systems();
  BOOST_TEST(systems.size() >= 8u);
  for (std::size_t k = 0; k + 1 < systems.size(); ++k)
    BOOST_TEST((systems[k].name < systems[k + 1].name));
  for (const SystemDescription &system : systems)
    {
      BOOST_TEST(system.description.find(" = ") != std::string::npos);
      const System made = built_in(system.name);
      BOOST_TEST(static_cast<Index>(made->coordinate_names().size()) == made->n_coordinates());
    }
}

// ∇g by differences.
BOOST_AUTO_TEST_CASE(gradients_are_those_of_the_constraints)
{
  for (const SystemDescription &description : micro::mechanical_systems())
    BOOST_TEST_CONTEXT(description.name)
    {
      const System     system = built_in(description.name);
      constexpr double h      = 1e-6;
      const Vector     q      = system->initial_position() + Vector::Constant(system->n_coordinates(), .013);
      for (Index k = 0; k < q.size(); ++k)
        {
          const Vector d          = h * Vector::Unit(q.size(), k);
          const Vector difference = (system->constraints(.3, q + d) - system->constraints(.3, q - d)) / (2. * h);
          BOOST_TEST((difference - system->gradients(.3, q).col(k)).norm() < 1e-8);
        }
    }
}

BOOST_AUTO_TEST_CASE(exact_arcs_satisfy_the_equations_of_motion)
{
  for (const double e : {0., .5, 1.})
    {
      for (const double t : {.7, 2., 3.5, 4., 5.})
        require_motion(built_in("ball on a floor"), t, e);
      for (const double stop : {-.5, 0., .4})
        for (const double t : {.5, 3., 5., 9.})
          require_motion(built_in("oscillator with a stop", {{"stop", stop}}), t, e);
    }
}

// The first impact is at √2; flights last 2√2 e^k: 2.83, 1.41, 0.71, ... for e = 1/2, and end at 3√2.
BOOST_AUTO_TEST_CASE(ball_bounces_infinitely_often_until_it_rests, *utf::tolerance(1e-12)) // rounding
{
  const System ball = built_in("ball on a floor");
  const double t1   = std::sqrt(2.);
  for (int k = 0; k < 20; ++k)
    {
      const double begin = t1 * (3. - std::pow(2., 1 - k)), length = t1 * std::pow(2., -k); // after impact k
      const auto   top = ball->exact(begin + .5 * length, .5);
      BOOST_TEST(top->q(0) == std::pow(.25, k + 1));
      BOOST_TEST((std::abs(top->u(0)) < 1e-12));
    }
  BOOST_TEST(ball->exact(3. * t1, .5)->u(0) == 0.);
  BOOST_TEST(ball->exact(100., .5)->q(0) == 0.);
  BOOST_TEST(ball->exact(100., .5)->cumulated_impulse(0) == 100.); // the weight
  BOOST_TEST(ball->exact(t1, 1.)->u(0) == t1);                     // right-continuous
  BOOST_TEST(ball->exact(5. * t1 + .5, 1.)->u(0) == t1 - .5);
  BOOST_TEST(built_in("ball on a floor", {{"gravity", 0.}, {"velocity", -2.}})->exact(2., .5)->q(0) == 1.5);
  BOOST_TEST(built_in("ball on a floor", {{"height", 0.}, {"velocity", -1.}})->exact(0., .5)->u(0) == .5);
}

// Each impact at the stop in the middle takes half of the speed, and half a period passes between two of them.
BOOST_AUTO_TEST_CASE(oscillator_has_known_arcs, *utf::tolerance(1e-12)) // rounding
{
  const System middle = built_in("oscillator with a stop"), away = built_in("oscillator with a stop", {{"stop", -2.}}),
               pressed = built_in("oscillator with a stop", {{"stop", .5}});
  for (int k = 0; k < 5; ++k)
    BOOST_TEST(middle->exact(M_PI * (k + 1.), .5)->q(0) == std::pow(.5, k + 1));
  BOOST_TEST(middle->exact(10., 0.)->q(0) == 0.);
  BOOST_TEST(away->exact(10., .5)->q(0) == std::cos(10.)); // never touches
  BOOST_TEST(pressed->exact(50., .5)->q(0) == .5);         // infinitely many impacts have ended
  BOOST_TEST(pressed->exact(50., .5)->u(0) == 0.);
  BOOST_TEST(pressed->exact(2. * M_PI / 3., 1.)->q(0) == 1.); // at π/3 it turns back
}

// Head on it stops. Beside the middle it keeps what is tangential, 1/3, leaves along the tangent, and ends on the outer
// circle with the angular momentum 0.3 / 3.
BOOST_AUTO_TEST_CASE(point_in_a_disc_with_a_hole_moves_as_by_hand)
{
  const auto head_on = motion_of(built_in("disc with a hole", {{"y", 0.}}), B);
  advance(*head_on, 1., 1000);
  BOOST_TEST((head_on->q() - Eigen::Vector2d(-.3, 0.)).norm() < 1e-14);
  BOOST_TEST(head_on->u().norm() < 1e-14);
  BOOST_TEST((std::abs(head_on->record().dissipated - .5) < 1e-12));

  const auto            motion  = motion_of(built_in("disc with a hole"), B);
  const Eigen::Vector2d contact = {-std::sqrt(.08), .1}, tangent = {1. / 3., std::sqrt(.08) / .3};
  const double          impact = .8 - std::sqrt(.08);
  advance(*motion, 1.5, 3000, [&] { BOOST_TEST(motion->record().max_overlap < 1e-15); });
  BOOST_TEST((motion->q() - contact - (1.5 - impact) / 3. * tangent).norm() < 2e-3); // order one in h = 5e-4
  BOOST_TEST((motion->u() - tangent / 3.).norm() < 2e-3);
  for (int k = 1; k <= 9000; ++k)
    motion->advance(1.5 + k * 5e-4);
  BOOST_TEST((std::abs(motion->q().norm() - 1.) < 1e-14));
  BOOST_TEST((std::abs(motion->q()(0) * motion->u()(1) - motion->q()(1) * motion->u()(0) + .1) < 1e-3)); // clockwise
}

// The wall -(R - c(t)) reaches the point at rest when c = R, pushes it to its
// own speed (twice that with e = 1), and stays behind.
BOOST_AUTO_TEST_CASE(moving_disc_pushes_the_point)
{
  const SystemConstants constants = {{"amplitude", 1.2}, {"frequency", .25}};
  const double omega = .5 * M_PI, impact = std::asin(1. / 1.2) / omega, speed = 1.2 * omega * std::cos(omega * impact);
  const double end = 1.3;
  for (const double e : {0., 1.})
    for (const Scheme scheme : {B, C})
      if (scheme == C || e == 0.)
        {
          const auto motion = motion_of(built_in("moving disc", constants), scheme, e);
          advance(*motion, end, 2600);
          BOOST_TEST((std::abs(motion->u()(0) - (1. + e) * speed) < 5e-3)); // order one in h = 5e-4
          BOOST_TEST((std::abs(motion->q()(0) - (1. + e) * speed * (end - impact)) < 5e-3));
          BOOST_TEST(motion->q()(1) == 0.);
        }
}

namespace
{
/// From a to b, radius r.
struct Shape
{
  Eigen::Vector2d a, b;
  double          r;
};

System outside_of(const std::vector<Shape> &shapes)
{
  SystemConstants constants = {{"x", 5.}};
  for (std::size_t k = 0; k < shapes.size(); ++k)
    {
      const std::string number = std::to_string(k + 1);
      constants["ax" + number] = shapes[k].a(0);
      constants["ay" + number] = shapes[k].a(1);
      constants["bx" + number] = shapes[k].b(0);
      constants["by" + number] = shapes[k].b(1);
      constants["r" + number]  = shapes[k].r;
    }
  return built_in("complement of convex sets", constants);
}

/// The least distance from q to admissible points of the boundaries: 4000 on each straight or round part.
double distance_by_search(const System &system, const std::vector<Shape> &shapes, const Vector &q)
{
  constexpr int n       = 4000;
  double        nearest = std::numeric_limits<double>::infinity();
  const auto    look    = [&](const Vector &x) {
    if ((x - q).norm() < nearest && system->constraints(0., x).minCoeff() >= -1e-12)
      nearest = (x - q).norm();
  };
  for (const Shape &shape : shapes)
    {
      const Eigen::Vector2d s = shape.b - shape.a, normal = Eigen::Vector2d(-s(1), s(0)).normalized();
      for (int k = 0; k < n; ++k)
        {
          const double angle = 2. * M_PI * k / n;
          for (const Eigen::Vector2d &end : {shape.a, shape.b})
            look(end + shape.r * Eigen::Vector2d(std::cos(angle), std::sin(angle)));
          if (s.norm() > 0.)
            for (const double side : {-1., 1.})
              look(shape.a + double(k) / n * s + side * shape.r * normal);
        }
    }
  return nearest;
}
} // namespace

// A capsule and two balls that leave corners between them; three balls that overlap so much that linearisations about points
// between them exclude each other; three capsules on top of each other, where
// the linearisation about q need not lead to the nearest point.
BOOST_AUTO_TEST_CASE(projection_on_a_complement_of_convex_sets_is_the_nearest_point)
{
  const std::vector<std::vector<Shape>> scenes = {
      {{{.2, .5}, {.2, .5}, .4}, {{-1.5, -.3}, {-.4, -.8}, .3}, {{.15, -.6}, {.15, -.6}, .35}},
      {{{-.5, 0.}, {-.5, 0.}, 1.}, {{.5, 0.}, {.5, 0.}, 1.}, {{0., .9}, {0., .9}, .6}},
      {{{.96, .17}, {.34, -.83}, .89}, {{.56, .99}, {.31, -.93}, .68}, {{.38, .22}, {-.79, -.44}, .72}}};
  std::mt19937                           random(3);
  std::uniform_real_distribution<double> x(-1.5, 1.), y(-1.1, 1.);
  for (const std::vector<Shape> &scene : scenes)
    {
      const System system   = outside_of(scene);
      int          n_inside = 0;
      while (n_inside < 60)
        {
          const Eigen::Vector2d q(x(random), y(random));
          const Vector          p = *system->projection(0., q);
          BOOST_TEST(system->constraints(0., p).minCoeff() >= -1e-13);
          if (system->constraints(0., q).minCoeff() >= 0.)
            {
              BOOST_TEST((p == q));
              continue;
            }
          ++n_inside;
          const double found = distance_by_search(system, scene, q);
          BOOST_TEST((p - q).norm() <= found + 1e-12);
          BOOST_TEST((p - q).norm() >= found - 2e-3); // the spacing of its points
        }
    }
}

// Scheme A linearises what scheme B projects on; restitution 0.
BOOST_AUTO_TEST_CASE(schemes_agree_outside_of_convex_sets)
{
  double difference[2];
  for (const int level : {0, 1})
    {
      const System system = built_in("complement of convex sets");
      const auto   a = motion_of(system, A), b = motion_of(system, B);
      double       contacts = 0.;
      difference[level]     = 0.;
      const int n           = level == 0 ? 500 : 4000;
      for (int k = 1; k <= n; ++k)
        {
          a->advance(5. * k / n);
          b->advance(5. * k / n);
          contacts += a->record().n_contacts;
          BOOST_TEST(a->record().max_overlap < 1e-13);
          BOOST_TEST(b->record().max_overlap < 1e-13);
          difference[level] = std::max(difference[level], (a->q() - b->q()).norm());
        }
      BOOST_TEST(contacts > .3 * n);
    }
  BOOST_TEST_MESSAGE("A and B differ by " << difference[0] << ", " << difference[1]);
  BOOST_TEST(difference[1] < .25 * difference[0]); // h falls to an eighth
}

namespace
{
std::string refused(const std::string &name, const SystemConstants &constants, const Vector &q = {}, const Vector &u = {})
try
  {
    make_mechanical_system(name, constants, q, u);
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

BOOST_AUTO_TEST_CASE(bad_input_is_refused)
{
  const double nan = std::nan("");
  BOOST_TEST(refused("ball in a cup", {}) == "the system");
  BOOST_TEST(refused("ball on a floor", {{"colour", 1.}}) == "the constants of the system");
  BOOST_TEST(refused("ball on a floor", {{"mass", 0.}}) == "the constants of the system");
  BOOST_TEST(refused("ball on a floor", {{"gravity", nan}}) == "the constants of the system");
  BOOST_TEST(refused("ball on a floor", {{"height", -1.}}) == "the constants of the system");
  BOOST_TEST(refused("disc with a hole", {{"inner", 2.}}) == "the constants of the system");
  BOOST_TEST(refused("complement of convex sets", {{"r1", 0.}, {"r2", 0.}, {"r3", 0.}}) == "the constants of the system");
  BOOST_TEST(refused("ball on a floor", {}, Vector::Constant(1, -.1)) == "the initial position");
  BOOST_TEST(refused("ball on a floor", {}, Vector::Constant(1, nan)) == "the initial position");
  BOOST_TEST(refused("ball on a floor", {}, Vector::Zero(2)) == "the initial position");
  BOOST_TEST(refused("ball on a floor", {}, {}, Vector::Zero(3)) == "the initial velocity");
  BOOST_TEST(refused("moving disc", {}, Eigen::Vector2d(.5, .2), Eigen::Vector2d(1., 0.)) == "nothing");
}

BOOST_AUTO_TEST_CASE(system_begins_where_it_is_told_to)
{
  const auto system = make_mechanical_system("ball on a floor", {}, Vector::Constant(1, 2.), {});
  BOOST_TEST(system->initial_position()(0) == 2.);
  BOOST_TEST(system->initial_velocity()(0) == 0.);
  BOOST_TEST(!system->exact(1., .5).has_value()); // known from height and velocity only
}

BOOST_AUTO_TEST_SUITE_END()
