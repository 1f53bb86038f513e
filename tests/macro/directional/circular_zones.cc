// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/certificate.h"
#include "macro/directional/zone.h"
#include "macro/discretize.h"
#include "macro/impact.h"
#include "tests/macro/directional/dilatant_flows.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(circular_zones)

namespace tt = boost::test_tools;
using namespace moreau;
using namespace moreau::macro;

/// Walls, zones and dilatancies of circular cones, and of dilatant ones where what holds is the same.
namespace
{
const Sides left_and_right = {true, true, false, false, false, false};

Setting setting_of(const int dim, const Function &U, const double s, const double cells, const Sides &walls = {})
{
  Setting setting = unit_cube(dim, by_points(U), cells, walls);
  setting.cone    = macro::circular_cone(constant(s));
  return setting;
}

/// Saturated where f > 0.
Setting on(Setting setting, const std::function<double(const Vector &)> &f)
{
  setting.domain.uniform = false;
  setting.domain.density = by_points([f](const Vector &x) -> Vector { return Vector::Constant(1, f(x) > 0. ? 1. : 0.); });
  return setting;
}

/// The law, and the verdict in view of the total bound.
struct Verdict
{
  std::unique_ptr<Discretization> mesh;
  convex::Impact                  impact;
  TotalBound                      bound;

  explicit Verdict(const Setting &setting) : mesh(discretize(setting)), impact(macro::impact(*mesh, {}))
  {
    bound = bound_of_impact(*mesh, {}, {}, impact);
  }

  double moved() const { return mesh->problem().V->norm(mesh->problem().U - impact.u_plus); }
};

std::vector<Cone> both_cones(const int dim, const double s)
{
  return {macro::circular_cone(constant(s)), macro::dilatant_cone(dim, constant(s), dim == 2 ? 16 : 13)};
}
} // namespace

// What moves as a whole is admissible: the law leaves it as it is, whatever the frame, and converges.
BOOST_AUTO_TEST_CASE(rigid_motions_stay)
{
  for (const int dim : {2, 3})
    for (const Cone &cone : both_cones(dim, .3))
      for (const double turn : {0., 1.})
        for (const double speed : {.1, 1e3})
          {
            const auto U = [&](const Vector &x) -> Vector {
              Vector u = Vector::Constant(dim, speed);
              u(0) -= turn * x(1);
              u(1) += turn * x(0) + speed / 3.;
              return u;
            };
            Setting setting = setting_of(dim, U, .3, 3.);
            setting.cone    = cone;
            for (const Setting &zone : {setting, on(setting, [](const Vector &x) { return .7 - x(0); })})
              {
                const Verdict verdict(zone);
                BOOST_TEST(verdict.impact.effort.converged());
                BOOST_TEST(verdict.moved() <= 1e-12 * speed);
                BOOST_TEST(verdict.bound.eta <= 1e-10 * speed);
              }
          }
}

// Means at nodes of what is uniform are uniform to the last bit.
BOOST_AUTO_TEST_CASE(uniform_velocities_are_uniform_at_nodes)
{
  const auto  uniform = [](const Vector &) -> Vector { return Eigen::Vector2d(.1, 1. / 3.); };
  const auto  mesh    = discretize(setting_of(2, uniform, .3, 7.));
  const auto &U       = mesh->problem().U;
  for (Index i = 0; i < U.size(); i += 2)
    BOOST_TEST((U(i) == .1 && U(i + 1) == 1. / 3.));
}

// Between walls all around nothing moves, and the answer is known to be exact on the mesh.
BOOST_AUTO_TEST_CASE(closed_boxes_are_jammed)
{
  const auto swirl = [](const Vector &x) -> Vector {
    return Eigen::Vector2d(std::sin(M_PI * x(0)) * std::cos(M_PI * x(1)), -std::cos(M_PI * x(0)) * std::sin(M_PI * x(1)));
  };
  const Setting closed = setting_of(2, swirl, .3, 8., {true, true, true, true, false, false});
  BOOST_TEST(!remark_on_closed_box(closed).empty());
  const Verdict verdict(closed);
  BOOST_TEST(verdict.mesh->problem().V->norm(verdict.impact.u_plus) < 1e-3);
  BOOST_TEST(verdict.bound.eta < .2);
}

// Between two walls that face each other matter may leave on the other sides: something moves, and the bound holds.
BOOST_AUTO_TEST_CASE(channels_let_pass_what_dilates)
{
  const auto flow = [](const Vector &x) -> Vector {
    Vector u = Vector::Zero(x.size());
    u(0)     = x(0) < .5 ? .5 : -.5;
    u(1)     = x(1) - .5;
    return u;
  };
  for (const int dim : {2, 3})
    {
      double before = 0.;
      for (const double cells : {4., 8.})
        {
          const Verdict verdict(setting_of(dim, flow, .3, cells, left_and_right));
          BOOST_TEST(verdict.impact.effort.converged());
          BOOST_TEST(verdict.impact.worst.guaranteed);
          BOOST_TEST_REQUIRE(verdict.bound.available);
          BOOST_TEST(verdict.mesh->problem().V->norm(verdict.impact.u_plus) > .1);
          if (before > 0.)
            BOOST_TEST(verdict.bound.eta < .9 * before);
          before = verdict.bound.eta;
        }
    }
}

// A shaft with walls on four sides: where s > 1/2 matter in it moves as a whole only.
BOOST_AUTO_TEST_CASE(shafts_jam_above_one_half)
{
  const auto     rising = [](const Vector &x) -> Vector { return Eigen::Vector3d(0., 0., x(2) + .5); };
  const Sides    shaft  = {true, true, true, true, false, false};
  const Solution passes(setting_of(3, rising, .4, 3., shaft)), jams(setting_of(3, rising, .8, 3., shaft));
  BOOST_TEST(passes.distance_to_U() < 1e-12); // D = (0, 0, 1) is admissible
  Vector mean = Vector::Zero(jams.x.u.size());
  for (Index i = 2; i < mean.size(); i += 3)
    mean(i) = 1.;
  BOOST_TEST(jams.mesh->problem().V->norm(jams.x.u - mean) < 1e-6);
  BOOST_TEST(jams.x.certificate.guaranteed);
}

// At s = 1/2 only matter that rises layer by layer, none faster than the next, is admissible: the cone has no interior, and
// the projection is the isotonic regression of the means of layers. A little above nothing but the whole moves.
BOOST_AUTO_TEST_CASE(shafts_at_one_half_let_layers_pass)
{
  const int   n = 4;
  const auto  U = [](const Vector &x) -> Vector { return Eigen::Vector3d(.2 * x(1), 0., x(2) * x(2) - x(2) + .3 * x(0)); };
  const Sides shaft = {true, true, true, true, false, false};
  const Solution s(setting_of(3, U, .5, n, shaft)), jams(setting_of(3, U, .501, n, shaft));
  for (const Solution *const of : {&s, &jams})
    {
      BOOST_TEST(of->x.certificate.guaranteed);
      BOOST_TEST(of->x.certificate.relative_error_bound <= 1e-3);
      BOOST_TEST(of->bound.available);
    }
  const Vector &masses = dynamic_cast<const convex::DiagonalSpace &>(*s.mesh->problem().V).masses();
  const auto    grid   = box_grid(Vector::Zero(3), Vector::Ones(3), n, Processes::alone());
  const auto    mesh   = kuhn_subdivision(grid);
  const auto    zone =
      directional_zone(mesh, std::vector<char>(mesh.n_simplices(), 1), macro::circular_cone(constant(.5)), grid, shaft);
  const auto layer = [&](const Index node) { return std::lround(n * zone.zone.mesh.points(2, node)); };
  Vector     mass  = Vector::Zero(n + 1), mean(mass);
  for (Index node = 0; 3 * node < masses.size(); ++node)
    {
      mass(layer(node)) += masses(3 * node + 2);
      mean(layer(node)) += masses(3 * node + 2) * s.mesh->problem().U(3 * node + 2);
    }
  mean = mean.cwiseQuotient(mass);
  // they fall down to the middle: pooled from below until the next is not lower
  int    pooled = 0;
  double m = mass(0), moment = mass(0) * mean(0);
  while (pooled < n && mean(pooled + 1) <= moment / m)
    {
      ++pooled;
      m += mass(pooled);
      moment += mass(pooled) * mean(pooled);
    }
  BOOST_TEST_REQUIRE(pooled < n);
  Vector exact = Vector::Zero(s.x.u.size()), whole = exact;
  for (Index node = 0; 3 * node < masses.size(); ++node)
    {
      exact(3 * node + 2) = layer(node) <= pooled ? moment / m : mean(layer(node));
      whole(3 * node + 2) = mass.dot(mean) / mass.sum();
    }
  const auto &V = *s.mesh->problem().V;
  BOOST_TEST(V.norm(s.x.u - exact) <= 1e-5);
  BOOST_TEST(V.norm(s.x.u - exact) <= s.x.certificate.relative_error_bound * s.x.certificate.scale);
  BOOST_TEST(V.norm(jams.x.u - whole) <= 1e-10);
  BOOST_TEST(V.norm(exact - whole) > .03);
}

// The same between two walls with s = 1: nothing may shorten, and the walls are that far apart already.
BOOST_AUTO_TEST_CASE(channels_at_one_let_layers_pass)
{
  const auto U = [](const Vector &x) -> Vector {
    Vector u = Vector::Zero(x.size());
    u(0)     = x(0) - x(0) * x(0);
    u(1)     = x(1) * x(1) - x(1) + x(0) / 4.;
    return u;
  };
  for (const int dim : {2, 3})
    {
      const Solution s(setting_of(dim, U, 1., dim == 2 ? 8. : 3., left_and_right));
      BOOST_TEST(s.x.certificate.guaranteed);
      BOOST_TEST(s.x.certificate.relative_error_bound <= 1e-3);
      BOOST_TEST(s.bound.available);
      double across = 0.;
      for (Index i = 0; i < s.x.u.size(); i += dim)
        across = std::max(across, std::abs(s.x.u(i)));
      BOOST_TEST(across <= 1e-12);
      BOOST_TEST(s.norm() > .02);
    }
}

// An empty zone has an answer: U.
BOOST_AUTO_TEST_CASE(empty_zones_change_nothing)
{
  for (const int dim : {2, 3})
    for (const Cone &cone : both_cones(dim, .3))
      {
        Setting setting = on(setting_of(
                                 dim, [](const Vector &x) -> Vector { return -x; }, .3, 3.),
                             [](const Vector &) { return -1.; });
        setting.cone    = cone;
        const Verdict verdict(setting);
        BOOST_TEST(verdict.impact.u_plus.size() == 0);
        BOOST_TEST(verdict.mesh->fields(verdict.impact.projection, verdict.impact.u_plus, verdict.bound).n_cells() > 0);
      }
}

// Bodies part on facets of the mesh where U jumps and opens: the answer is exact where each half moves as a whole, and none
// do so in space above s = 1/2, where no jump is admissible.
BOOST_AUTO_TEST_CASE(bodies_part_on_facets)
{
  const auto parting = [](const Vector &x) -> Vector {
    Vector u = Vector::Zero(x.size());
    u(0)     = x(0) < .5 ? -1. : 1.;
    u(1)     = x(0) < .5 ? 0. : .2;
    return u;
  };
  for (const int dim : {2, 3})
    {
      const Solution s(setting_of(dim, parting, .3, 4.));
      BOOST_TEST_REQUIRE(s.x.converged());
      BOOST_TEST(s.distance_to_U() < 1e-12);
      BOOST_TEST(s.bound.eta < 1e-6);
      BOOST_TEST(s.bound.available);
    }
  const Solution never(setting_of(3, parting, .7, 4.));
  BOOST_TEST(never.x.converged());
  BOOST_TEST(never.bound.available);
  BOOST_TEST(never.distance_to_U() > .1);
}

// Where they part and shear as well the jump lies in its circle, and the bound says so.
BOOST_AUTO_TEST_CASE(jumps_that_shear_too_much_are_projected)
{
  const auto sliding = [](const Vector &x) -> Vector {
    Vector u = Vector::Zero(x.size());
    u(0)     = x(0) < .5 ? 0. : .2;
    u(1)     = x(0) < .5 ? 0. : 2.;
    return u;
  };
  for (const int dim : {2, 3})
    {
      double before = 0.;
      for (const double cells : {4., 8.})
        {
          const Solution s(setting_of(dim, sliding, .3, cells));
          BOOST_TEST_REQUIRE(s.x.converged());
          BOOST_TEST_REQUIRE(s.bound.available);
          BOOST_TEST(s.bound.largest_violation < 1e-12);
          BOOST_TEST(s.distance_to_U() > .01);
          if (before > 0.)
            BOOST_TEST(s.bound.eta < .85 * before);
          before = s.bound.eta;
        }
    }
}

// Two bodies that do not touch: each is projected as if it were alone.
BOOST_AUTO_TEST_CASE(bodies_apart_know_nothing_of_each_other)
{
  const auto    closing = [](const Vector &x) -> Vector { return .3 * x - x.cwiseProduct(x); };
  const auto    left    = [](const Vector &x) { return .3 - x(0); };
  const auto    right   = [](const Vector &x) { return x(0) - .7; };
  const auto    both    = [&](const Vector &x) { return std::max(left(x), right(x)); };
  const Setting setting = setting_of(2, closing, .4, 10.);
  const auto    energy  = [&](const std::function<double(const Vector &)> &zone) {
    const Solution s(on(setting, zone));
    BOOST_TEST(s.x.converged());
    return std::pow(s.norm(), 2);
  };
  BOOST_TEST(energy(both) == energy(left) + energy(right), tt::tolerance(1e-5));
}

// Where s varies u is admissible for the s of its place, the norm lies between those of uniform ones, and the bound is
// called an estimate: s is looked at in points.
BOOST_AUTO_TEST_CASE(dilatancy_may_vary)
{
  Setting setting = setting_of(2, flow_of_BM, .3, 8.);
  setting.cone = macro::circular_cone(by_points([](const Vector &x) -> Vector { return Vector::Constant(1, .6 * x(0)); }));
  const Solution varying(setting);
  BOOST_TEST(varying.x.converged());
  BOOST_TEST(varying.bound.available);
  BOOST_TEST(!varying.bound.guaranteed);
  BOOST_TEST(varying.bound.largest_violation <= 1e-13);
  BOOST_TEST(varying.norm() < Solution(setting_of(2, flow_of_BM, 0., 8.)).norm());
  BOOST_TEST(varying.norm() > Solution(setting_of(2, flow_of_BM, .6, 8.)).norm());
  // stresses know the least s around them, not the least of all, so that the bound falls
  setting.mesh.cells_per_unit_length = 32.;
  BOOST_TEST(Solution(setting).bound.eta < .6 * varying.bound.eta);
}

// Refined where the bound asks for it: a smaller bound with fewer unknowns.
BOOST_AUTO_TEST_CASE(adaptive_meshes_gain)
{
  const Setting  setting = setting_of(2, flow_of_BM, .3, 8.);
  const Solution coarse(setting), uniform(setting_of(2, flow_of_BM, .3, 16.));
  auto           mesh = coarse.mesh->refined(coarse.x, coarse.bound);
  BOOST_TEST_REQUIRE(static_cast<bool>(mesh));
  const auto       x     = mesh->projector("automatic", {})->project(mesh->problem());
  const TotalBound bound = mesh->total_bound(x);
  BOOST_TEST(x.converged());
  BOOST_TEST(bound.eta < coarse.bound.eta);
  BOOST_TEST(mesh->problem().n_unknowns() < uniform.mesh->problem().n_unknowns());
}

BOOST_AUTO_TEST_SUITE_END()
