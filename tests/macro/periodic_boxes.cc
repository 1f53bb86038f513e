// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/certificate.h"
#include "convex/input_error.h"
#include "geometry/quadrature.h"
#include "macro/discretize.h"
#include "macro/impact.h"
#include "tests/macro/directional/dilatant_flows.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(periodic_boxes)

using namespace moreau;
using namespace moreau::macro;

/// Boxes that repeat themselves, with a mean gradient D: U = D x + A sin(2πx) e_x makes u = D x + f(x) e_x, f' >= -c. Around
/// x = 1/2, where sin falls, f is the line -c (x - 1/2) to both sides as far as it takes to meet A sin(2πx).
namespace
{
constexpr double pi = 3.14159265358979323846;

Eigen::MatrixXd diagonal(const Vector &entries) { return entries.asDiagonal(); }

Setting periodic(const int dim, const Function &U, const Eigen::MatrixXd &D, const double cells)
{
  Setting setting         = unit_cube(dim, by_points(U), cells);
  setting.domain.periodic = {true, dim > 1, dim > 2};
  setting.mean_gradient   = D;
  return setting;
}

Function wave(const Eigen::MatrixXd &D, const double A, const double shift = 0.)
{
  return [=](const Vector &x) -> Vector {
    Vector u = D * x;
    u(0) += A * std::sin(2. * pi * (x(0) - shift));
    return u;
  };
}

/// ℓ > 0 with A sin(2πℓ) = c ℓ.
double half_width(const double A, const double c)
{
  double low = 1e-6, high = .5;
  for (int halving = 0; halving < 80; ++halving)
    {
      const double middle                                        = .5 * (low + high);
      (A * std::sin(2. * pi * middle) > c * middle ? low : high) = middle;
    }
  return low;
}

/// The projection of wave().
Function exact(const Eigen::MatrixXd &D, const double A, const double c, const double shift = 0.)
{
  const double l = half_width(A, c);
  return [=](const Vector &x) -> Vector {
    const double at = x(0) - shift - .5, from_middle = at - std::round(at);
    Vector       u = D * x;
    u(0) += std::abs(from_middle) <= l ? -c * from_middle : -A * std::sin(2. * pi * from_middle);
    return u;
  };
}

double distance(const int dim, const Field &f, const Function &g)
{
  const BoxGrid grid = box_grid(Vector::Zero(dim), Vector::Ones(dim), dim == 3 ? 21. : 97., Processes::alone());
  const Rule    rule = gauss_rule(3, dim);
  double        sum  = 0.;
  for_own_cells(grid, [&](const CellIndex &cell) {
    Eigen::MatrixXd x(dim, rule.size()), of_f(dim, rule.size());
    for (int axis = 0; axis < dim; ++axis)
      x.row(axis) =
          (grid.lower(axis) + (static_cast<double>(cell[axis]) + rule.points.row(axis).array()) * grid.h(axis)).matrix();
    f(x, of_f);
    for (Index q = 0; q < rule.size(); ++q)
      sum += grid.cell_volume() * rule.weights(q) * (of_f.col(q) - g(x.col(q))).squaredNorm();
  });
  return std::sqrt(sum);
}

struct Case
{
  Cone   cone;
  double c;
  double cells;
};

/// With D = diag(a, b, b), and the c that its inequality leaves.
std::vector<Case> cases(const int dim, const double a, const double b)
{
  const double      d = dim, s = .3;
  std::vector<Case> result = {{Cone{}, a + (d - 1.) * b, dim == 3 ? 12. : 48.}};
  if (dim == 1)
    return result;
  // (1-s)/d tr + s min: the smallest entry is the first
  const double of_polygon = a + (1. - s) / d * (d - 1.) * b / ((1. - s) / d + s);
  // tr = s sqrt(d(d-1)) |dev|, |dev|² = (d-1)/d (b - α)²: α + (d-1) b = s (d-1) (b - α)
  const double of_circle = a + (d - 1.) * (1. - s) * b / (1. + s * (d - 1.));
  result.push_back({macro::dilatant_cone(dim, constant(s), dim == 2 ? 32 : 13), of_polygon, dim == 2 ? 24. : 6.});
  result.push_back({macro::circular_cone(constant(s)), of_circle, dim == 2 ? 24. : 6.});
  if (dim == 2)
    result.push_back({lattice_cone(ConeType::triangular, 0.), a, 24.});
  return result;
}
} // namespace

BOOST_AUTO_TEST_CASE(waves_are_stopped_at_the_slope_that_the_mean_gradient_leaves)
{
  const double A = .3;
  for (const int dim : {1, 2, 3})
    {
      Vector entries          = Vector::Constant(dim, .35);
      entries(0)              = .4;
      const Eigen::MatrixXd D = diagonal(entries);
      for (const Case &of : cases(dim, entries(0), dim > 1 ? entries(1) : 0.))
        {
          double     last          = 0.;
          const bool is_polyhedron = of.cone.type == ConeType::dilatant; // with few directions: no mesh makes them more
          for (const double finer : {1., 2.})
            {
              if (finer > 1. && is_polyhedron && dim == 3)
                continue;
              Setting setting = periodic(dim, wave(D, A), D, finer * of.cells);
              setting.cone    = of.cone;
              const Solution found(setting);
              BOOST_TEST_CONTEXT(name(of.cone.type) << " in dimension " << dim << ", " << finer * of.cells << " cells")
              {
                const double error = distance(dim, found.mesh->velocity(found.x), exact(D, A, of.c));
                BOOST_TEST(found.x.converged());
                BOOST_TEST(found.x.certificate.guaranteed);
                BOOST_TEST(found.bound.available);
                BOOST_TEST(found.bound.largest_violation <= 1e-9);
                BOOST_TEST(error <= 1.02 * found.bound.eta);
                BOOST_TEST(found.bound.eta <= (dim == 3 ? .6 : .2) * A);
                BOOST_TEST(found.bound.eta >= 0.);
                if (finer > 1.)
                  BOOST_TEST(found.bound.eta <= (is_polyhedron ? .9 : .6) * last);
              }
              last = found.bound.eta;
            }
        }
    }
}

// Where the wave begins does not matter: over the sides it is stopped as it is in the middle.
BOOST_AUTO_TEST_CASE(sides_are_nowhere)
{
  const Eigen::MatrixXd D = diagonal(Eigen::Vector2d(.4, .35));
  for (const Case &of : cases(2, .4, .35))
    for (const bool along_y : {false, true})
      {
        std::vector<double> energies, bounds;
        for (const double shift : {0., .5})
          {
            const auto U = [&](const Vector &x) -> Vector {
              const double at = 2. * pi * (x(along_y ? 1 : 0) - shift), across = 2. * pi * x(along_y ? 0 : 1);
              Vector       w(2);
              w << .3 * std::sin(at) * (1. + .3 * std::cos(across)), .1 * std::cos(at + across);
              if (along_y)
                w.reverseInPlace();
              return D * x + w;
            };
            Setting setting = periodic(2, U, D, 16.);
            setting.cone    = of.cone;
            const Solution found(setting);
            energies.push_back(found.norm());
            bounds.push_back(found.bound.eta);
          }
        BOOST_TEST_CONTEXT(name(of.cone.type))
        {
          BOOST_TEST(std::abs(energies[1] - energies[0]) <= 1e-6 * energies[0]);
          BOOST_TEST(std::abs(bounds[1] - bounds[0]) <= 2e-2 * bounds[0]);
        }
      }
}

BOOST_AUTO_TEST_CASE(admissible_flows_stay)
{
  const Eigen::MatrixXd D = (Eigen::MatrixXd(2, 2) << .5, .1, -.2, .4).finished();
  for (const Case &of : cases(2, .5, .4))
    for (const double A : {0., .02})
      {
        Setting setting = periodic(2, wave(D, A), D, 12.);
        setting.cone    = of.cone;
        const Solution found(setting);
        BOOST_TEST(found.x.converged());
        BOOST_TEST(found.distance_to_U() <= 1e-12);
        if (A == 0.)
          BOOST_TEST(distance(2, found.mesh->velocity(found.x), wave(D, A)) <= 1e-12);
      }
}

// Inequalities of a rotation are 0 >= 0: rounding does not make them impossible.
BOOST_AUTO_TEST_CASE(a_rotation_is_admissible)
{
  for (const double speed : {1., .7, 3e-6})
    for (const int K : {4, 16, 32})
      for (const double s : {.1, .3, 1.})
        {
          const Eigen::MatrixXd D       = (Eigen::MatrixXd(2, 2) << 0., speed, -speed, 0.).finished();
          Setting               setting = periodic(2, wave(D, 0.), D, 8.);
          setting.cone                  = macro::dilatant_cone(2, constant(s), K);
          const Solution found(setting);
          BOOST_TEST(found.x.converged());
          BOOST_TEST(found.distance_to_U() <= 1e-12 * speed);
        }
}

// Without a mean gradient the isotropic law of a full torus is the projection on velocities without divergence: of a
// gradient nothing is left, and what has no divergence stays.
BOOST_AUTO_TEST_CASE(a_full_torus_keeps_what_has_no_divergence)
{
  const auto U = [](const Vector &x) -> Vector {
    return Eigen::Vector2d(std::sin(2. * pi * x(1)) + std::cos(2. * pi * x(0)) + .2, .5 * std::sin(4. * pi * x(0)));
  };
  const auto u = [](const Vector &x) -> Vector {
    return Eigen::Vector2d(std::sin(2. * pi * x(1)) + .2, .5 * std::sin(4. * pi * x(0)));
  };
  const Solution found(periodic(2, U, {}, 64.));
  BOOST_TEST(distance(2, found.mesh->velocity(found.x), u) <= 2e-3);
  BOOST_TEST(found.x.certificate.natural_residual <= 1e-6);
}

// Nothing may fall around a full ring without a mean gradient: it moves as one, with the mean of U, whatever U is.
BOOST_AUTO_TEST_CASE(a_full_ring_moves_as_one)
{
  const auto U = [](const Vector &x) -> Vector {
    return Vector::Constant(1, .3 + std::sin(2. * pi * x(0)) + .2 * std::cos(6. * pi * x(0)));
  };
  const auto mean = [](const Vector &) -> Vector { return Vector::Constant(1, .3); };
  for (const double cells : {7., 64., 1000.})
    {
      const Solution found(periodic(1, U, {}, cells));
      BOOST_TEST(found.x.converged());
      BOOST_TEST(found.x.certificate.guaranteed);
      BOOST_TEST(found.bound.available);
      BOOST_TEST((found.x.u.array() - .3).abs().maxCoeff() <= 1e-12);
      BOOST_TEST(distance(1, found.mesh->velocity(found.x), mean) <= 1e-12);
      BOOST_TEST(found.bound.eta <= 2. / cells);
    }
}

// Matter that lies across the side of a ring is what it is in the middle of an open line.
BOOST_AUTO_TEST_CASE(runs_do_not_end_at_the_sides_of_a_ring)
{
  const auto solution = [](const double shift, const bool is_ring) {
    const auto place   = [shift](const Vector &x) { return x(0) - shift - std::floor(x(0) - shift); };
    Setting    setting = periodic(
           1, [=](const Vector &x) -> Vector { return Vector::Constant(1, std::sin(5. * place(x))); }, {}, 32.);
    setting.domain.periodic = {is_ring, false, false};
    setting.domain.uniform  = false;
    setting.domain.density  = by_points(
        [=](const Vector &x) -> Vector { return Vector::Constant(1, .25 < place(x) && place(x) < .75 ? 1. : .5); });
    return Solution(setting);
  };
  const Solution open = solution(0., false);
  for (const double shift : {0., .25, .5, .625})
    {
      const Solution ring = solution(shift, true);
      BOOST_TEST(ring.x.converged());
      BOOST_TEST(ring.x.certificate.guaranteed);
      BOOST_TEST(ring.bound.available);
      BOOST_TEST(std::abs(ring.norm() - open.norm()) <= 1e-12);
      BOOST_TEST(std::abs(ring.bound.eta - open.bound.eta) <= 1e-9);
    }
}

// Open along one axis, periodic along the other; and a band that fills the box along its period only.
BOOST_AUTO_TEST_CASE(boxes_may_be_open_and_zones_smaller)
{
  const auto U = [](const Vector &x) -> Vector {
    return Eigen::Vector2d(std::sin(2. * pi * x(0)), -x(1) * (1. + .5 * std::cos(2. * pi * x(0))));
  };
  for (const bool is_band : {false, true})
    {
      Setting setting         = periodic(2, U, {}, 32.);
      setting.domain.periodic = {true, is_band, false};
      if (is_band)
        {
          setting.domain.uniform = false;
          setting.domain.density =
              by_points([](const Vector &x) -> Vector { return Vector::Constant(1, .25 < x(1) && x(1) < .75 ? 1. : .5); });
        }
      const Solution found(setting);
      BOOST_TEST(found.x.converged());
      BOOST_TEST(found.x.certificate.guaranteed);
      BOOST_TEST(found.bound.available);
      BOOST_TEST(found.bound.relative <= .05);
    }
}

BOOST_AUTO_TEST_CASE(refuses_what_cannot_repeat_itself)
{
  const Eigen::MatrixXd D       = diagonal(Eigen::Vector2d(.1, .1));
  const auto            refused = [](const Setting &setting, const std::string &subject) {
    BOOST_CHECK_EXCEPTION(discretize(setting), InputError,
                                     [&](const InputError &error) { return error.subject == subject; });
  };
  Setting setting         = periodic(2, wave(D, .1), D, 8.);
  setting.domain.walls[0] = true;
  refused(setting, "the periods");
  setting = periodic(2, wave(-D, .1), -D, 8.);
  refused(setting, "the mean gradient");
  const Eigen::MatrixXd shear = diagonal(Eigen::Vector2d(.4, -.1)); // of its cones it is in the isotropic one only
  setting                     = periodic(2, wave(shear, .1), shear, 8.);
  BOOST_CHECK_NO_THROW(discretize(setting));
  for (const Cone &cone :
       {macro::dilatant_cone(2, constant(.9), 16), macro::circular_cone(constant(.9)), lattice_cone(ConeType::square, 0.)})
    {
      setting.cone = cone;
      refused(setting, "the mean gradient");
    }
  // of the dilatant cone with s = .3, but not of the directions that stand for it, which are within it
  const Eigen::MatrixXd close = diagonal(Eigen::Vector2d(1., -.535));
  setting                     = periodic(2, wave(close, .1), close, 8.);
  setting.cone                = macro::dilatant_cone(2, constant(.3), 16);
  refused(setting, "the number of directions");
  for (const Cone &cone : {macro::dilatant_cone(2, constant(.3), 64), macro::circular_cone(constant(.3))})
    {
      setting.cone = cone;
      BOOST_CHECK_NO_THROW(discretize(setting));
    }
  setting                     = periodic(2, wave(D, .1), D, 8.);
  setting.mesh.raviart_thomas = true;
  refused(setting, "the periods");
  setting                       = periodic(2, wave(D, .1), D, 8.);
  setting.domain.uniform        = false;
  setting.domain.density        = constant(1.);
  setting.domain.level          = constant(1.);
  setting.domain.level_is_given = true;
  refused(setting, "the level function");
  setting                 = periodic(2, wave(D, .1), D, 8.);
  setting.domain.periodic = {true, false, false};
  setting.domain.walls[2] = true;
  refused(setting, "the mean gradient");
  setting      = periodic(2, wave(D, .1), D, 2.);
  setting.cone = macro::dilatant_cone(2, constant(.3), 16);
  refused(setting, "the cells per unit length");
  const Eigen::MatrixXd squeeze = diagonal(Vector::Constant(1, -.1));
  refused(periodic(1, wave(squeeze, .1), squeeze, 8.), "the mean gradient");
}

BOOST_AUTO_TEST_SUITE_END()
