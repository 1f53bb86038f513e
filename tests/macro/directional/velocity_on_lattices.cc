// SPDX-License-Identifier: GPL-3.0-or-later
// Velocities of directional cones as functions of position: the v of the total
// bound on the mesh, its continuation beside it.
#include "macro/discretize.h"
#include "geometry/quadrature.h"
#include "tests/macro/directional/lattice_forms.h"

#include <Eigen/LU>
#include <boost/test/unit_test.hpp>
#include <tbb/parallel_for.h>

#include <cmath>
#include <random>

BOOST_AUTO_TEST_SUITE(velocity_on_lattices)

using namespace moreau;
using namespace moreau::macro;

namespace
{
using SettingOfMesh = std::function<Setting(double cells_per_unit_length)>;

Eigen::Matrix2d rotation(const double angle)
{
  const double c = std::cos(angle), s = std::sin(angle);
  return (Eigen::Matrix2d() << c, -s, s, c).finished();
}

/// The density is 1 inside and ½ elsewhere; the box reaches from -side to side.
Setting restricted(Setting setting, const double side, const std::function<bool(const Vector &x)> &inside)
{
  setting.domain.lower.setConstant(-side);
  setting.domain.upper.setConstant(side);
  setting.domain.uniform = false;
  setting.domain.density = [inside](const Eigen::MatrixXd &x, Eigen::MatrixXd &density) {
    for (Index q = 0; q < x.cols(); ++q)
      density(0, q) = inside(x.col(q)) ? 1. : .5;
  };
  return setting;
}

bool in_unit_ball(const Vector &x) { return x.squaredNorm() <= 1.; }

struct Solution
{
  std::unique_ptr<Discretization> mesh;
  convex::SaddlePoint             x;
  TotalBound                      bound;
  Field                           v;

  explicit Solution(const Setting &setting, const double tolerance = 1e-8) : mesh(discretize(setting))
  {
    convex::StoppingCriterion criterion;
    criterion.tolerance = tolerance;
    x                   = mesh->projector("automatic", criterion)->project(mesh->problem());
    BOOST_TEST(x.converged());
    bound = mesh->total_bound(x);
    v     = mesh->velocity(x);
  }

  Eigen::MatrixXd operator()(const Eigen::MatrixXd &at) const
  {
    Eigen::MatrixXd values(at.rows(), at.cols());
    v(at, values);
    return values;
  }
};

/// Points of the parallelepiped origin + A [0,1]^dim.
struct Region
{
  Vector          origin;
  Eigen::MatrixXd A;

  Eigen::MatrixXd operator()(const Eigen::MatrixXd &xi) const { return (A * xi).colwise() + origin; }
};

Region cube(const int dim, const double lower = 0., const double upper = 1.)
{
  return {Vector::Constant(dim, lower), (upper - lower) * Eigen::MatrixXd::Identity(dim, dim)};
}

/// The unit square sheared so that its sides are lines of the triangular lattice, in the middle of a box.
const Region sheared{vector(-.75, -.25 * root_3), (Eigen::Matrix2d() << 1., .5, 0., .5 * root_3).finished()};

bool contains(const Region &region, const Vector &x)
{
  const Vector xi = region.A.inverse() * (x - region.origin);
  return xi.minCoeff() >= -1e-9 && xi.maxCoeff() <= 1. + 1e-9;
}

struct Errors
{
  double l2 = 0., max = 0.;
};

/// v - u over the part of a region that is inside, by Gauss's rule with 4 points on n cells per direction.
Errors errors(const Field &v, const Function &u, const Region &region, const int n,
              const std::function<bool(const Vector &x)> &inside = {})
{
  const int  dim     = static_cast<int>(region.origin.size());
  const Rule rule    = gauss_rule(4, dim);
  Index      n_cells = 1;
  Errors     result;
  for (int a = 0; a < dim; ++a)
    n_cells *= n;
  Eigen::MatrixXd values(dim, rule.size());
  for (Index cell = 0; cell < n_cells; ++cell)
    {
      Vector corner(dim);
      Index  rest = cell;
      for (int a = 0; a < dim; ++a, rest /= n)
        corner(a) = static_cast<double>(rest % n);
      const Eigen::MatrixXd x = region((rule.points.colwise() + corner) / n);
      v(x, values);
      for (Index q = 0; q < rule.size(); ++q)
        if (!inside || inside(x.col(q)))
          {
            const double squared = (values.col(q) - u(x.col(q))).squaredNorm();
            result.l2 += rule.weights(q) * squared;
            result.max = std::max(result.max, std::sqrt(squared));
          }
    }
  result.l2 = std::sqrt(result.l2 * std::abs(region.A.determinant()) / static_cast<double>(n_cells));
  return result;
}

Eigen::MatrixXd random_points(const Region &region, const Index n, const unsigned seed = 5)
{
  std::mt19937                           engine(seed);
  std::uniform_real_distribution<double> number(0., 1.);
  return region(Eigen::MatrixXd::NullaryExpr(region.origin.size(), n, [&](Index, Index) { return number(engine); }));
}

/// f with x replaced by the distance from the oblique side of the sheared square, and y from its lower side.
Function on_sheared(const Function &f)
{
  return [f](const Vector &x) {
    const Vector r = x - sheared.origin;
    return f(vector(r(0) - r(1) / root_3, r(1)));
  };
}

/// Smooth and compressing here, opening there.
Vector waves(const Vector &x)
{
  Vector v = Vector::NullaryExpr(x.size(), [&](const Index a) { return std::sin(6. * x(a) + 3. * x.sum()); });
  v(0) += std::cos(5. * x(1));
  return v;
}

/// Opens along every direction.
Vector opening(const Vector &x)
{
  Vector v = 2. * x.array() + .3;
  v(0) -= .8 * x(1);
  v(1) += .7 * x(0);
  return v;
}

Setting square(const double n, const Function &U = S1_U) { return unit_cube(ConeType::square, 0., n, U); }
Setting sheared_square(const double n, const Function &U)
{
  Setting setting =
      restricted(unit_cube(ConeType::triangular, 0., n, U), 1., [](const Vector &x) { return contains(sheared, x); });
  setting.domain.lower = sheared.origin - sheared.A * vector(.5, .5); // for even n, corners of the zone are sites
  return setting;
}
Setting disc(const ConeType type, const double angle, const double n, const Function &U,
             const Alignment alignment = Alignment::lattice)
{
  return restricted(unit_cube(type, angle, n, U, alignment), 1.2, in_unit_ball);
}

/// The unit square turned by 30 degrees, on a square lattice turned with it.
const Region turned{vector(-.2, -.7), rotation(M_PI / 6.)};
Function     on_turned(const Function &f)
{
  return [f](const Vector &x) -> Vector { return turned.A * f(turned.A.transpose() * (x - turned.origin)); };
}
Setting turned_square(const double n)
{
  Setting setting      = restricted(unit_cube(ConeType::square, 30., n, on_turned(S1_U)), 1.,
                                    [](const Vector &x) { return contains(turned, x); });
  setting.domain.lower = turned.origin - turned.A * vector(1., .5); // for even n, corners of the zone are those of cells
  setting.domain.upper = setting.domain.lower + vector(2., 2.5);
  return setting;
}

/// S1 on the unit segment.
Setting segment(const double n, const Alignment alignment)
{
  Setting setting           = square(n, [](const Vector &x) { return Vector::Constant(1, parabola(x(0), 1.)); });
  setting.cone.type         = ConeType::directions;
  setting.cone.directions   = Eigen::MatrixXd::Ones(1, 1);
  setting.cone.n_directions = 1;
  setting.domain.lower      = Vector::Zero(1);
  setting.domain.upper      = Vector::Ones(1);
  setting.mesh.alignment    = alignment;
  return setting;
}

/// Meshes of all kinds, most of them with a strip that they leave out.
std::vector<Setting> all_kinds()
{
  return {square(12., waves),
          disc(ConeType::square, 20., 9., waves),
          unit_cube(ConeType::triangular, 10., 12., waves),
          disc(ConeType::triangular, 0., 9., waves),
          disc(ConeType::triangular, 15., 5., waves, Alignment::box),
          unit_cube(ConeType::cubic, 25., 6., waves),
          unit_cube(ConeType::face_centred_cubic, 10., 5., waves),
          unit_cube(ConeType::cubic, 0., 2., waves, Alignment::box)};
}
} // namespace

BOOST_AUTO_TEST_CASE(distance_from_u_is_within_the_bound_on_whole_cells_and_triangles)
{
  const auto check = [](const std::string &name, const SettingOfMesh &setting, const Function &u, const Region &zone,
                        const std::array<double, 2> &n, const double lowest_order, const double effectivity) {
    std::vector<double> error;
    for (const double cells : n)
      {
        const Solution solution(setting(cells));
        error.push_back(errors(solution.v, u, zone, 2 * static_cast<int>(cells)).l2);
        BOOST_TEST_MESSAGE(name << ", n = " << cells << ": error " << error.back() << ", bound " << solution.bound.eta);
        BOOST_TEST(error.back() <= 1.001 * solution.bound.eta, name); // kinks in the quadrature
        BOOST_TEST(error.back() >= solution.bound.eta / effectivity, name);
      }
    const double observed = order(error[0], error[1], n[1] / n[0]);
    BOOST_TEST_MESSAGE("  order " << observed);
    BOOST_TEST(observed >= lowest_order, name);
  };

  check(
      "S1", [](const double n) { return square(n); }, S1_u, cube(2), {16., 64.}, 1.4, 1.1);
  check("S1 turned", turned_square, on_turned(S1_u), turned, {8., 16.}, 1.4, 1.1);
  const auto against_a_wall = [](const double n) {
    Setting setting         = square(n, [](const Vector &x) { return vector(x(0) - .4 - .2 * x(1), x(1)); });
    setting.domain.walls[0] = true;
    return setting;
  };
  const auto stopped = [](const Vector &x) { return vector(std::max(0., x(0) - .4 - .2 * x(1)), x(1)); };
  check("wall", against_a_wall, stopped, cube(2), {16., 32.}, 1.4, 1.2);
  const auto s        = [](const Vector &x) { return 1. + .25 * (x(1) + x(2)); };
  const auto in_space = [&](const double n) {
    return unit_cube(ConeType::cubic, 0., n, [&](const Vector &x) { return vector(parabola(x(0), s(x)), 0., x(2)); });
  };
  const auto projected_in_space = [&](const Vector &x) { return vector(projected(x(0), s(x)), 0., x(2)); };
  check("S1 in space", in_space, projected_in_space, cube(3), {5., 10.}, 1.3, 1.2);

  const auto T2 = [](const double n) { return sheared_square(n, on_sheared(T2_U)); };
  const auto T3 = [](const double n) { return sheared_square(n, on_sheared(T3_U)); };
  check("T2", T2, on_sheared(T2_u), sheared, {8., 16.}, 1.4, 9.); // u_p is far worse than v
  check("T3", T3, on_sheared(T3_u), sheared, {8., 16.}, 1.4, 4.);

  const auto S1_on_simplices = [](const double n) { return unit_cube(ConeType::square, 0., n, S1_U, Alignment::box); };
  const auto T3_on_simplices = [](const double n) { return unit_cube(ConeType::triangular, 0., n, T3_U, Alignment::box); };
  check("S1 on simplices", S1_on_simplices, S1_u, cube(2), {6., 12.}, 1.4, 4.);
  check("T3 on simplices", T3_on_simplices, T3_u, cube(2), {6., 12.}, 1.4, 4.);

  const auto on_segment = [](const Vector &x) { return Vector::Constant(1, projected(x(0), 1.)); };
  for (const Alignment alignment : {Alignment::lattice, Alignment::box}) // the kink lies in the middle of a cell
    check(
        "segment, " + name(alignment), [&](const double n) { return segment(n, alignment); }, on_segment, cube(1),
        {10., 30.}, 1.4, 5.);
}

// What the boundary cuts is left out of the mesh but belongs to the zone: |U -
// u| is of order 1 there, |v - u| of the order of the spacing.
BOOST_AUTO_TEST_CASE(distance_from_u_tends_to_zero_on_the_strip_beside_the_mesh)
{
  const auto check = [](const std::string &name, const SettingOfMesh &setting, const Function &u, const Region &region,
                        const bool round, const std::array<double, 2> &n, const double lowest_order) {
    std::vector<double> error;
    for (const double cells : n)
      {
        const Solution solution(setting(cells));
        const int      n_quadrature = region.origin.size() == 2 ? 3 * static_cast<int>(cells) : 10;
        const Errors   e            = errors(
                         solution.v, u, region, n_quadrature, round ? in_unit_ball : [](const Vector &) { return true; });
        error.push_back(e.l2);
        BOOST_TEST_MESSAGE(name << ", n = " << cells << ": error " << e.l2 << ", largest " << e.max << ", bound "
                                << solution.bound.eta);
        BOOST_TEST(e.max <= 2. / cells, name);
      }
    const double observed = order(error[0], error[1], n[1] / n[0]);
    BOOST_TEST_MESSAGE("  order " << observed);
    BOOST_TEST(observed >= lowest_order, name);
  };

  const Region   around  = cube(2, -1., 1.);
  const Function stretch = [](const Vector &x) { return vector(-x(0), x(1)); };
  const Function slip    = [](const Vector &x) { return vector(0., x(1)); };
  const auto     T1      = [&](const double n) { return disc(ConeType::triangular, 0., n, stretch); };
  check("T1", T1, slip, around, true, {8., 32.}, .9);
  const auto crush = [](const double n) {
    return disc(ConeType::triangular, 10., n, [](const Vector &x) { return Vector(-x); });
  };
  BOOST_TEST(errors(
                 Solution(crush(16.)).v, [](const Vector &) { return vector(0., 0.); }, around, 48, in_unit_ball)
                 .max <= 1e-2);
  const auto T2 = [](const double n) { return unit_cube(ConeType::triangular, 0., n, T2_U); };
  const auto T3 = [](const double n) { return unit_cube(ConeType::triangular, 0., n, T3_U); };
  check("T2", T2, T2_u, cube(2), false, {10., 40.}, 1.);
  check("T3", T3, T3_u, cube(2), false, {10., 40.}, 1.3);
  const Eigen::Matrix2d R      = rotation(M_PI / 9.);
  const auto            tilted = [&](const Function &f) -> Function {
    return [R, f](const Vector &x) -> Vector { return R * f(R.transpose() * x); };
  };
  const auto tilted_lattice = [&](const double n) { return disc(ConeType::square, 20., n, tilted(stretch)); };
  check("tilted square lattice", tilted_lattice, tilted(slip), around, true, {8., 32.}, .9);
  const auto simplices = [&](const double n) { return disc(ConeType::triangular, 0., n, stretch, Alignment::box); };
  check("disc of simplices", simplices, slip, around, true, {4., 8.}, .75);
  // L = diag(-1, ½, ½) needs p_k = (1 - |x|²)/12 along four of the six directions
  const auto ball = [](const double n) {
    return restricted(
        unit_cube(ConeType::face_centred_cubic, 0., n, [](const Vector &x) { return vector(-x(0), .5 * x(1), .5 * x(2)); }),
        1.1, in_unit_ball);
  };
  const auto squeezed = [](const Vector &x) -> Vector { return 2. / 3. * vector(-x(0), x(1), x(2)); };
  check("face-centred cubic", ball, squeezed, cube(3, -1., 1.), true, {4., 8.}, .9);
}

BOOST_AUTO_TEST_CASE(velocity_is_that_of_the_cells_where_these_give_the_smaller_bound)
{
  const Index    n = 24;
  const Function U = [](const Vector &x) {
    return vector(std::sin(99. * std::floor(24. * x(0)) + std::floor(24. * x(1))), .25);
  };
  const Solution solution(square(static_cast<double>(n), U));
  const auto     x = random_points(cube(2), 500);
  const auto     v = solution(x);
  for (Index q = 0; q < x.cols(); ++q)
    {
      const Index cell = static_cast<Index>(24. * x(0, q)) + n * static_cast<Index>(24. * x(1, q));
      BOOST_TEST((v.col(q) - solution.x.u.segment(2 * cell, 2)).norm() == 0.);
    }
  BOOST_TEST(solution.bound.eta <= 1e-13);
  // whether or not a bound was asked for, and for this solution
  const Solution smooth(square(static_cast<double>(n)));
  const auto     at = [&](const Discretization &mesh, const convex::SaddlePoint &which) {
    Eigen::MatrixXd values(2, x.cols());
    mesh.velocity(which)(x, values);
    return values;
  };
  const auto unjudged = discretize(square(static_cast<double>(n)));
  const auto expected = smooth(x);
  BOOST_TEST((at(*unjudged, smooth.x) - expected).norm() == 0.);
  convex::SaddlePoint other = smooth.x;
  other.p.setZero();
  other.u.setZero();
  BOOST_TEST(at(*smooth.mesh, other).norm() == 0.);
  BOOST_TEST((at(*smooth.mesh, smooth.x) - expected).norm() == 0.);
}

BOOST_AUTO_TEST_CASE(S2_is_at_rest_also_where_the_jump_lies_in_a_cell)
{
  const Solution S2(square(15., [](const Vector &x) { return vector(x(0) < .5 ? 1. : x(0) > .5 ? -1. : 0., 0.); }));
  BOOST_TEST(S2(random_points(cube(2), 500)).cwiseAbs().maxCoeff() <= 1e-14);
}

BOOST_AUTO_TEST_CASE(admissible_linear_velocity_comes_back)
{
  struct Case
  {
    Setting setting;
    double  margin; // where whole cells, or all sites, are around
  };
  const Case cases[] = {{square(8., opening), .5 / 8.},
                        {unit_cube(ConeType::triangular, 10., 8., opening), 1. / 8.},
                        {unit_cube(ConeType::triangular, 10., 4., opening, Alignment::box), 0.},
                        {unit_cube(ConeType::cubic, 0., 4., opening), .5 / 4.},
                        {unit_cube(ConeType::cubic, 0., 2., opening, Alignment::box), 0.},
                        {unit_cube(ConeType::face_centred_cubic, 0., 6., opening), 1.5 / 6.},
                        {unit_cube(ConeType::face_centred_cubic, 25., 8., opening), 2. / 8.}};
  for (const Case &test : cases)
    {
      const int      dim = static_cast<int>(test.setting.dim());
      const Solution solution(test.setting);
      const auto     x     = random_points(cube(dim, test.margin, 1. - test.margin), 300);
      const auto     v     = solution(x);
      double         worst = 0.;
      for (Index q = 0; q < x.cols(); ++q)
        worst = std::max(worst, (v.col(q) - opening(x.col(q))).norm());
      BOOST_TEST(worst <= 1e-12); // an interior point stops near U
    }
}

BOOST_AUTO_TEST_CASE(velocity_is_monotone_along_every_direction)
{
  struct Case
  {
    Setting setting;
    Region  inner; // without strips
  };
  const Region half    = cube(2, -.5, .5);
  const Case   cases[] = {{square(20., waves), cube(2)},
                          {disc(ConeType::square, 20., 16., waves), half},
                          {sheared_square(16., waves), sheared},
                          {disc(ConeType::triangular, 20., 12., waves), half},
                          {unit_cube(ConeType::triangular, 20., 8., waves, Alignment::box), cube(2)},
                          {unit_cube(ConeType::cubic, 0., 6., waves), cube(3)},
                          {unit_cube(ConeType::face_centred_cubic, 0., 8., opening), cube(3, .2, .8)}};
  for (const Case &test : cases)
    {
      const Solution solution(test.setting);
      const auto     a = random_points(test.inner, 2000), near = random_points(test.inner, 2000, 9);
      for (Index k = 0; k < test.setting.cone.directions.cols(); ++k)
        for (const double step : {1e-3, .07})
          {
            const Vector e = test.setting.cone.directions.col(k);
            const auto   v = solution(a), w = solution(a.colwise() + step * e);
            double       least = 0.;
            for (Index q = 0; q < a.cols(); ++q)
              if (contains(test.inner, a.col(q) + step * e))
                least = std::min(least, e.dot(w.col(q) - v.col(q)));
            BOOST_TEST(least >= -1e-12); // round-off of v
          }
    }
}

BOOST_AUTO_TEST_CASE(velocity_is_U_where_the_density_is_below_one_and_finite_everywhere)
{
  for (Setting setting : all_kinds())
    {
      const Solution  solution(setting);
      const Vector    centre = .5 * (setting.domain.lower + setting.domain.upper);
      const double    width  = setting.domain.upper(0) - setting.domain.lower(0);
      const int       dim    = static_cast<int>(setting.dim());
      Eigen::MatrixXd x      = random_points({setting.domain.lower, width * Eigen::MatrixXd::Identity(dim, dim)}, 3000);
      // corners, middles of edges and sides, the centre; and a little beyond the box
      for (const double factor : {1., 1. + 1e-13, 1.5})
        for (int k = 0; k < static_cast<int>(std::pow(3, dim)); ++k)
          {
            x.conservativeResize(Eigen::NoChange, x.cols() + 1);
            for (int a = 0, rest = k; a < dim; ++a, rest /= 3)
              x(a, x.cols() - 1) = centre(a) + .5 * factor * width * (rest % 3 - 1);
          }
      const Eigen::MatrixXd v = solution(x);
      BOOST_TEST(v.allFinite());
      Eigen::MatrixXd U(v.rows(), v.cols());
      setting.U(x, U);
      Index n_outside = 0, n_changed = 0;
      for (Index q = 0; q < x.cols(); ++q)
        if (const bool beyond = (x.col(q) - centre).cwiseAbs().maxCoeff() > .7 * width;
            beyond || !setting.domain.uniform && setting.mesh.alignment == Alignment::lattice && x.col(q).norm() > 1.)
          {
            ++n_outside;
            BOOST_TEST((v.col(q) - U.col(q)).norm() == 0.);
          }
        else
          n_changed += (v.col(q) - U.col(q)).norm() > 1e-6;
      BOOST_TEST(n_outside > 0);
      BOOST_TEST(n_changed > .5 * x.cols());
    }
}

BOOST_AUTO_TEST_CASE(zone_without_a_cell_keeps_U)
{
  for (const ConeType type : {ConeType::square, ConeType::triangular})
    {
      const Solution solution(
          restricted(unit_cube(type, 0., 4., waves), 1., [](const Vector &x) { return x.norm() < .05; }));
      const auto x = random_points(cube(2, -1., 1.), 50), v = solution(x);
      for (Index q = 0; q < x.cols(); ++q)
        if (x.col(q).norm() >= .05)
          BOOST_TEST((v.col(q) - waves(x.col(q))).norm() == 0.);
    }
}

BOOST_AUTO_TEST_CASE(points_are_independent_of_their_batch_and_of_threads)
{
  for (const Setting &setting : all_kinds())
    {
      const Solution  solution(setting);
      const int       dim   = static_cast<int>(setting.dim());
      const double    width = setting.domain.upper(0) - setting.domain.lower(0);
      const auto      x     = random_points({setting.domain.lower, width * Eigen::MatrixXd::Identity(dim, dim)}, 4000);
      const auto      v     = solution(x);
      Eigen::MatrixXd w(v.rows(), v.cols());
      tbb::parallel_for(Index(0), Index(200),
                        [&](const Index b) { w.middleCols(20 * b, 20) = solution(x.middleCols(20 * b, 20)); });
      BOOST_TEST((v - w).cwiseAbs().maxCoeff() == 0.);
      for (Index q = 0; q < 50; ++q)
        BOOST_TEST((solution(x.col(q)) - v.col(q)).norm() == 0.);
    }
}

BOOST_AUTO_TEST_SUITE_END()
