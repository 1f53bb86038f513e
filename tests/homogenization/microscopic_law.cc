// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/microscopic_law.h"

#include "convex/certificate.h"
#include "convex/solvers/make_projector.h"
#include "homogenization/cell_location.h"
#include "tests/homogenization/cells.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <numeric>

BOOST_AUTO_TEST_SUITE(microscopic_law)

using namespace moreau;
using namespace moreau::homogenization;
using oracles::Random;

namespace
{
Packing packing_of(const micro::Spheres &spheres, const std::vector<micro::Wall> &walls = {})
{
  return Packing(spheres, walls, micro::contact_graph(spheres, walls, 1e-9), test::unit_box(spheres.dimension()));
}

using Lattice = micro::Spheres (*)(const micro::lattices::Zone &, const micro::lattices::Placement &);

Packing lattice(const Lattice make, const Index dim, const double spacing, const double vacancies = 0.)
{
  return packing_of(make(test::filled(test::unit_box(dim)), test::placement(spacing, /*angle=*/0., vacancies)));
}

/// An f in C_n near a cellwise field: its projection, and expanded about the centre of each cluster as much as the worst
/// contact needs then.
Vector admissible_neighbour(const Packing &packing, const Vector &f)
{
  // The expansion alone would move a cluster of length L by L/2R times the worst violation, which need not tend to 0 with R.
  const convex::ProjectionProblem problem = microscopic_problem(packing, f);
  convex::StoppingCriterion       criterion;
  criterion.tolerance         = 1e-4;
  const convex::SaddlePoint x = convex::make_projector("automatic", criterion)->project(problem);
  bool                      feasible;
  return convex::feasible_companion(problem, x.u, feasible);
}

Packing square(const double spacing, const double vacancies = 0.)
{
  return lattice(micro::lattices::square, 2, spacing, vacancies);
}

Packing triangular(const double spacing, const double vacancies = 0.)
{
  return lattice(micro::lattices::triangular, 2, spacing, vacancies);
}

/// Spheres at random places, each as large as its neighbours and `largest`
/// allow: most touch the nearest of those before them.
Packing random_packing(const Index dim, const Index n, const double largest, const unsigned int seed)
{
  Random                                 random(seed);
  std::vector<std::pair<Vector, double>> placed;
  while (static_cast<Index>(placed.size()) < n)
    {
      const Vector r = Vector::NullaryExpr(dim, [&](Index) { return random.uniform(); });
      double       R = largest;
      for (const auto &[centre, radius] : placed)
        R = std::min(R, (r - centre).norm() - radius);
      if (R > .2 * largest)
        placed.emplace_back(r, R);
    }
  micro::Spheres spheres{Eigen::MatrixXd(dim, n), Vector(n), Vector::Ones(n)};
  for (Index i = 0; i < n; ++i)
    {
      spheres.r.col(i) = placed[i].first;
      spheres.R(i)     = placed[i].second;
    }
  return packing_of(spheres);
}

template <class F>
geometry::Field pointwise(const F &f)
{
  return [f](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    for (Index q = 0; q < x.cols(); ++q)
      values.col(q) = f(Vector(x.col(q)));
  };
}

/// A random quadratic field: its square has degree 4, so that quadrature makes no error.
geometry::Field quadratic(Random &random, const Index dim)
{
  const Eigen::MatrixXd A = random.normals(dim * dim).reshaped(dim, dim), B = random.normals(dim * dim).reshaped(dim, dim);
  const Vector          c = random.normals(dim);
  return pointwise([=](const Vector &x) { return Vector(c + A * x + B * x.cwiseProduct(x)); });
}

/// φ_n(U), with the tolerance of the solver far below that of the tests.
convex::SaddlePoint phi(const Packing &packing, const Vector &U_tilde, const std::string &solver = "automatic")
{
  convex::StoppingCriterion criterion;
  criterion.tolerance = 1e-7;
  return convex::make_projector(solver, criterion)->project(microscopic_problem(packing, U_tilde));
}

double norm(const Packing &packing, const Vector &v)
{
  return distances(packing.cells, {{}, {&v}}, {{0, Pair::zero}})[0].value;
}

/// The error of u that its certificate guarantees, in L²(ω).
double bound(const convex::SaddlePoint &x) { return x.certificate.relative_error_bound * x.certificate.scale; }

Eigen::MatrixXd directions(const macro::ConeType type) { return macro::lattice_directions(type, 0.); }

Eigen::MatrixXd axes(const Index dim) { return Eigen::MatrixXd::Identity(dim, dim); }

geometry::Field rotation()
{
  return pointwise([](const Vector &x) { return Eigen::Vector2d(-x(1), x(0)); });
}
} // namespace

BOOST_AUTO_TEST_CASE(masses_are_the_volumes_of_cells)
{
  const Packing packing = random_packing(2, 40, .1, 1);
  BOOST_TEST((packing.spheres.m.array() == packing.cells.volumes().array()).all());
  BOOST_TEST(std::abs(packing.spheres.m.sum() - 1.) < 1e-13);
}

// φ_n is a composition of projections: |φ_n(U)| <= |Ũ| <= |U|, on lattices, with vacancies and at random, by every
// solver. The solver's error is the only slack.
BOOST_AUTO_TEST_CASE(phi_n_does_not_increase_the_norm)
{
  Random                     random(1);
  const std::vector<Packing> packings = {square(1. / 9.), triangular(1. / 8.), triangular(1. / 10., .15),
                                         random_packing(2, 60, .08, 3), random_packing(1, 15, .03, 5)};
  for (const Packing &packing : packings)
    for (const char *const solver : {"automatic", "projected gradient", "interior point", "Lawson-Hanson"})
      {
        const geometry::Field     U       = quadratic(random, packing.spheres.dimension());
        const Vector              U_tilde = restriction(packing.cells, U);
        const convex::SaddlePoint x       = phi(packing, U_tilde, solver);
        BOOST_TEST_REQUIRE(x.converged());
        const auto found =
            distances(packing.cells, {{U}, {&U_tilde, &x.u}}, {{0, Pair::zero}, {1, Pair::zero}, {2, Pair::zero}});
        const double U_norm = found[0].value;
        BOOST_TEST(found[1].value <= U_norm * (1. + 1e-14));
        BOOST_TEST(found[2].value <= found[1].value + bound(x) + 1e-14 * U_norm);
      }
}

// The same where U jumps: what quadrature adds is stated.
BOOST_AUTO_TEST_CASE(phi_n_does_not_increase_the_norm_of_discontinuous_fields)
{
  Random random(2);
  for (const Packing &packing : {square(1. / 12.), triangular(1. / 12.), random_packing(2, 60, .08, 3)})
    {
      const Vector          a = random.normals(2), left = random.normals(2), right = random.normals(2);
      const geometry::Field U = pointwise([=](const Vector &x) { return a.dot(x) < .5 * a.sum() ? left : right; });
      double                error;
      const Vector          U_tilde = restriction(packing.cells, U, &error);
      const auto            x       = phi(packing, U_tilde);
      const auto            found =
          distances(packing.cells, {{U}, {&U_tilde, &x.u}}, {{0, Pair::zero}, {1, Pair::zero}, {2, Pair::zero}});
      BOOST_TEST(found[1].value <= found[0].value + error + found[0].error);
      BOOST_TEST(found[2].value <= found[1].value + bound(x));
      BOOST_TEST(error + found[0].error < 1e-3 * found[0].value);
    }
}

// |φ_n(U_1) - φ_n(U_2)| <= |U_1 - U_2|, and φ_n(v) = v where v is constant on cells and admissible.
BOOST_AUTO_TEST_CASE(phi_n_is_nonexpansive_and_keeps_what_is_admissible)
{
  Random random(3);
  for (const Packing &packing : {square(1. / 9.), triangular(1. / 8.), random_packing(2, 60, .08, 3)})
    {
      const geometry::Field U_1 = quadratic(random, 2), U_2 = quadratic(random, 2);
      const auto x_1 = phi(packing, restriction(packing.cells, U_1)), x_2 = phi(packing, restriction(packing.cells, U_2));
      const auto found = distances(packing.cells, {{U_1, U_2}, {&x_1.u, &x_2.u}}, {{0, 1}, {2, 3}});
      BOOST_TEST(found[1].value <= found[0].value * (1. + 1e-14) + bound(x_1) + bound(x_2));

      const Vector v     = admissible_neighbour(packing, x_1.u);
      const Vector again = phi(packing, restriction(packing.cells, prolongation(packing.spheres, v))).u;
      BOOST_TEST(norm(packing, again - v) <= 1e-7 * norm(packing, v));
    }
}

// Σ |D_i| ũ_i = ∫ U: contacts only exchange momentum.
BOOST_AUTO_TEST_CASE(momentum_is_conserved)
{
  const geometry::Field U =
      pointwise([](const Vector &x) { return Eigen::Vector2d(std::pow(x(0), 2) * x(1) - x(0), 1. - std::pow(x(1), 5)); });
  for (const Packing &packing : {square(1. / 9.), triangular(1. / 10., .1), random_packing(2, 60, .08, 7)})
    {
      const Vector u        = phi(packing, restriction(packing.cells, U)).u;
      const Vector momentum = u.reshaped(2, packing.cells.size()) * packing.cells.volumes();
      BOOST_TEST(std::abs(momentum(0) + 1. / 3.) < 1e-12);
      BOOST_TEST(std::abs(momentum(1) - 5. / 6.) < 1e-12);
    }
}

// Square lattice: every face between cells is perpendicular to its contact, so that C_n lies in C_ρ. In the first two
// lattices the outermost cells are larger or smaller than the others.
BOOST_AUTO_TEST_CASE(square_cells_give_admissible_fields)
{
  Random random(4);
  for (const double spacing : {1. / 9.3, 1. / 8.7, 1. / 12.})
    {
      const Packing packing = square(spacing);
      const Vector  U_tilde = restriction(packing.cells, quadratic(random, 2)), v = phi(packing, U_tilde).u;
      BOOST_TEST(face_violation(packing, U_tilde, axes(2)) > .01);
      BOOST_TEST(face_violation(packing, U_tilde, macro::Cone()) > .01);
      BOOST_TEST(face_violation(packing, v, macro::Cone()) < 1e-13 * v.cwiseAbs().maxCoeff());
      BOOST_TEST(face_violation(packing, v, axes(2)) < 1e-13 * v.cwiseAbs().maxCoeff());
      BOOST_TEST(shifted_violation(packing, v, axes(2)) < 1e-13 * v.cwiseAbs().maxCoeff());
    }
  const Packing cubes = lattice(micro::lattices::cubic, 3, 1. / 4.3);
  const Vector  v     = phi(cubes, restriction(cubes.cells, quadratic(random, 3))).u;
  BOOST_TEST(face_violation(cubes, v, axes(3)) < 1e-13 * v.cwiseAbs().maxCoeff());
  const Packing row = lattice(micro::lattices::line, 1, 1. / 20.);
  const Vector  u   = phi(row, restriction(row.cells, pointwise([](const Vector &x) { return Vector(-x); }))).u;
  BOOST_TEST(face_violation(row, u, axes(1)) < 1e-14);
}

// Triangular lattice: what the contacts say is the shifted inequality, exactly.
BOOST_AUTO_TEST_CASE(hexagons_give_fields_that_satisfy_the_shifted_inequality)
{
  Random                random(5);
  const Eigen::MatrixXd three = directions(macro::ConeType::triangular);
  for (const Packing &packing : {triangular(1. / 14.), triangular(1. / 7.3)})
    {
      const Vector U_tilde = restriction(packing.cells, quadratic(random, 2));
      const auto   x       = phi(packing, U_tilde);
      const Vector v       = admissible_neighbour(packing, x.u);
      BOOST_TEST(shifted_violation(packing, U_tilde, three) > .01);
      BOOST_TEST(shifted_violation(packing, x.u, three) <= 1e-6 * U_tilde.cwiseAbs().maxCoeff()); // the solver's
      BOOST_TEST(shifted_violation(packing, v, three) < 1e-14 * v.cwiseAbs().maxCoeff());
      BOOST_TEST(shifted_violation(packing, U_tilde, axes(2)) < violation(packing, U_tilde) + 1e-15);
    }
}

// The remark on (BM, prop. 7): a rigid rotation is admissible for any cone, but of its cell means v·e_k falls by √3/2
// spacing across the faces beside those that e_k meets head on. So v does not
// lie in C_ρ, while the shifted inequality holds.
BOOST_AUTO_TEST_CASE(a_rotation_is_not_admissible_when_constant_on_hexagons)
{
  const double          spacing = 1. / 10.;
  const Packing         packing = triangular(spacing);
  const Eigen::MatrixXd three   = directions(macro::ConeType::triangular);
  Vector                v(2 * packing.cells.size());
  for (Index i = 0; i < packing.cells.size(); ++i)
    v.segment(2 * i, 2) << -packing.spheres.r(1, i), packing.spheres.r(0, i); // the means on whole hexagons
  BOOST_TEST(shifted_violation(packing, v, three) < 1e-15);
  BOOST_TEST(std::abs(face_violation(packing, v, three) - std::sqrt(.75) * spacing) < 1e-14);

  // for cones that know no direction: it slides along all faces, which dilatant cones forbid, and in the plane circular ones
  // are the same
  const geometry::Field s = pointwise([](const Vector &) { return Vector(Vector::Constant(1, .3)); });
  BOOST_TEST(face_violation(packing, v, macro::Cone()) < 1e-15);
  BOOST_TEST(std::abs(face_violation(packing, v, macro::dilatant_cone(2, s, 16)) - .3 * spacing) < 1e-14);
  BOOST_TEST(std::abs(face_violation(packing, v, macro::circular_cone(s)) - .3 * spacing) < 1e-14);
  const Vector closing = -packing.spheres.r.reshaped(); // by the distance of centres
  BOOST_TEST(std::abs(face_violation(packing, closing, macro::Cone()) - spacing) < 1e-14);
  BOOST_TEST(std::abs(face_violation(packing, closing, macro::dilatant_cone(2, s, 16)) - 1.3 * spacing) < 1e-14);
  BOOST_TEST(std::abs(face_violation(packing, closing, macro::circular_cone(s)) - 1.3 * spacing) < 1e-14);

  const Vector means = phi(packing, restriction(packing.cells, rotation())).u;
  BOOST_TEST(face_violation(packing, means, three) > .8 * spacing);
}

// Fields u in C_ρ, linear, convex gradients (admissible for all cones) and others.
BOOST_AUTO_TEST_CASE(cell_means_of_admissible_fields_are_admissible_between_whole_cells)
{
  Random                       random(6);
  const Eigen::MatrixXd        three = directions(macro::ConeType::triangular);
  std::vector<geometry::Field> triangular_fields;
  while (triangular_fields.size() < 5) // u = Lx with e_k·L e_k >= 0, one of them 0
    {
      Eigen::Matrix2d L;
      L << random.normal(), random.normal(), random.normal(), random.normal();
      Vector stretch = (three.transpose() * L * three).diagonal();
      L -= stretch.minCoeff() * Eigen::Matrix2d::Identity();
      triangular_fields.push_back(pointwise([L](const Vector &x) { return Vector(L * x); }));
    }
  triangular_fields.push_back(pointwise([](const Vector &x) { return Eigen::Vector2d(10. * x(1) * x(1), 60. * x(1)); }));

  std::vector<geometry::Field> both;
  both.push_back(pointwise([](const Vector &x) { return Vector(x * x.squaredNorm()); }));
  const Vector a = random.normals(2), b = random.normals(2);
  both.push_back(pointwise([=](const Vector &x) { return Vector(a * std::exp(a.dot(x)) + b * std::pow(b.dot(x), 3)); }));
  both.push_back(pointwise([=](const Vector &x) { return Vector(a.dot(x) > .5 * a.sum() ? a : Vector(-a)); })); // jumps

  std::vector<geometry::Field> square_fields = {pointwise([](const Vector &x) {
    return Eigen::Vector2d(std::exp(x(0)) * std::cos(x(1)) - 9. * x(1), std::pow(x(1), 3) + std::sin(7. * x(0)));
  })};

  const auto check = [](const Packing &packing, const geometry::Field &u) {
    double       error;
    const Vector u_int = restriction(packing.cells, u, &error);
    // equal cells have equal triangles, so that quadrature errs in the same way on both; at jumps it does not
    const double least_volume = packing.cells.volumes().minCoeff();
    BOOST_TEST(violation(packing, u_int, /*whole_only=*/true) <=
               1e-12 + (error < 1e-6 ? 0. : 2. * error / std::sqrt(least_volume)));
  };
  for (const double spacing : {1. / 10., 1. / 13.7})
    {
      const Packing hexagons = triangular(spacing), squares = square(spacing);
      for (const geometry::Field &u : triangular_fields)
        check(hexagons, u);
      for (const geometry::Field &u : square_fields)
        check(squares, u);
      for (const geometry::Field &u : both)
        {
          check(hexagons, u);
          check(squares, u);
        }
    }
}

// u = (10 y², 60 y) is admissible: e·∂_e u = -s 5√3 y + 45 >= 0 for e = (-½, s√3/2), and u_x does not change along
// x. Yet the mean of y² over a cell that the left side cuts beside its axis
// is not that over the whole cell on its right: they approach along x.
BOOST_AUTO_TEST_CASE(cell_means_can_violate_at_the_boundary)
{
  const geometry::Field      u = pointwise([](const Vector &x) { return Eigen::Vector2d(10. * x(1) * x(1), 60. * x(1)); });
  micro::lattices::Placement placement;
  placement.spacing     = .25;
  placement.anchor      = Eigen::Vector2d(.05, .125);
  const Packing packing = packing_of(micro::lattices::triangular({Vector::Zero(2), Vector::Ones(2)}, placement));
  const Vector  u_int   = restriction(packing.cells, u);
  BOOST_TEST(violation(packing, u_int) > .01);
  BOOST_TEST(violation(packing, u_int, true) < 1e-13);
}

// What Falk's estimate needs all the same: an f in C_n that tends to u with order 1, as the cell means do.
BOOST_AUTO_TEST_CASE(cell_means_have_an_admissible_neighbour)
{
  const geometry::Field u      = pointwise([](const Vector &x) { return Eigen::Vector2d(10. * x(1) * x(1), 60. * x(1)); });
  double                before = 10.;
  for (const double n : {12.3, 24.3, 48.3}) // where cells at the boundary violate
    {
      const Packing packing  = triangular(1. / n);
      const Vector  u_int    = restriction(packing.cells, u);
      const Vector  f        = admissible_neighbour(packing, u_int);
      const double  distance = distances(packing.cells, {{u}, {&f}}, {{0, 1}})[0].value;
      BOOST_TEST(violation(packing, u_int) > .5 / n);
      BOOST_TEST(violation(packing, f) < 1e-12);
      BOOST_TEST(distance < .6 * before);
      before = distance;
    }
}

// A wall is a neighbour that does not move: spheres at it may leave but not approach.
BOOST_AUTO_TEST_CASE(walls_count_as_contacts)
{
  micro::lattices::Placement placement;
  placement.spacing            = 1. / 6.;
  const micro::Spheres spheres = micro::lattices::square({Vector::Zero(2), Vector::Ones(2)}, placement);
  const Packing        packing = packing_of(spheres, micro::box_walls(Vector::Zero(2), Vector::Ones(2), {"left", "bottom"}));
  Vector               v       = Vector::Zero(72);
  for (Index i = 0; i < 36; ++i)
    v(2 * i) = -.25;
  BOOST_TEST(violation(packing, v) == .25);
  BOOST_TEST(violation(packing, v, true) == 0.);
  BOOST_TEST(violation(packing, -v) == 0.);
  BOOST_TEST(violation(packing, admissible_neighbour(packing, v)) < 1e-15);
  BOOST_TEST(violation(packing, phi(packing, v).u) < 1e-12);
}

BOOST_AUTO_TEST_CASE(the_order_of_spheres_does_not_matter)
{
  Random                random(8);
  const geometry::Field U       = quadratic(random, 2);
  const Packing         packing = triangular(1. / 8.);
  const Index           n       = packing.cells.size();
  std::vector<Index>    order(n);
  std::iota(order.begin(), order.end(), 0);
  for (Index k = n - 1; k > 0; --k)
    std::swap(order[k], order[random.below(k + 1)]);
  micro::Spheres spheres = packing.spheres;
  for (Index k = 0; k < n; ++k)
    spheres.r.col(k) = packing.spheres.r.col(order[k]);
  const Packing permuted = packing_of(spheres);
  const auto    x = phi(packing, restriction(packing.cells, U)), y = phi(permuted, restriction(permuted.cells, U));
  Vector        back(2 * n);
  for (Index k = 0; k < n; ++k)
    back.segment(2 * order[k], 2) = y.u.segment(2 * k, 2);
  BOOST_TEST(norm(packing, back - x.u) <= bound(x) + bound(y));
}

// Lattice and field turned by 90° about the centre of the box.
BOOST_AUTO_TEST_CASE(a_rotated_lattice_gives_the_rotated_field)
{
  Random                random(9);
  const geometry::Field U = quadratic(random, 2);
  Eigen::Matrix2d       turn;
  turn << 0., -1., 1., 0.;
  const Eigen::Vector2d centre(.5, .5);
  const geometry::Field turned_U = [=](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    const Eigen::MatrixXd before = (turn.transpose() * (x.colwise() - centre)).colwise() + centre;
    U(before, values);
    values = (turn * values).eval();
  };
  const Packing  packing = triangular(1. / 8.);
  micro::Spheres spheres = packing.spheres;
  spheres.r              = (turn * (packing.spheres.r.colwise() - centre)).colwise() + centre;
  const Packing turned   = packing_of(spheres);
  const auto    x = phi(packing, restriction(packing.cells, U)), y = phi(turned, restriction(turned.cells, turned_U));
  const Vector  back = (turn.transpose() * y.u.reshaped(2, packing.cells.size())).reshaped();
  BOOST_TEST(norm(packing, back - x.u) <= bound(x) + bound(y));
  BOOST_TEST(norm(packing, y.u - x.u) > .01);
}

// A disc, its lattice and the field turned by any angle about its centre: D_i end at the circle, which is cut by chords.
BOOST_AUTO_TEST_CASE(a_disc_gives_the_same_at_any_angle)
{
  const Eigen::Vector2d centre(.5, .5);
  const test::Predicate inside = [&](const Vector &x) { return (x - centre).norm() < .413; };
  const macro::Domain   domain = test::zone(test::unit_box(2), inside);
  const auto            disc   = [&](const double angle) {
    micro::lattices::Placement placement = test::placement(.08, angle);
    placement.anchor                     = centre;
    const micro::Spheres spheres         = micro::lattices::triangular(test::filled(domain, inside), placement);
    return Packing(spheres, {}, micro::contact_graph(spheres, {}, 1e-9), domain);
  };
  const auto turned = [&](const double angle) {
    const Eigen::Matrix2d turn = Eigen::Rotation2Dd(angle).toRotationMatrix();
    return pointwise([=](const Vector &x) {
      const Eigen::Vector2d y = turn.transpose() * (x - centre);
      return Vector(turn * Eigen::Vector2d(y(0) * y(1) - y(0), .3 * y(0) - std::pow(y(1), 2)));
    });
  };
  const Packing plain = disc(0.);
  const auto    x     = phi(plain, restriction(plain.cells, turned(0.)));
  for (const double angle : {.3, 1.})
    {
      const Packing packing = disc(angle);
      const auto    y       = phi(packing, restriction(packing.cells, turned(angle)));
      BOOST_TEST_REQUIRE(packing.cells.size() == plain.cells.size());
      BOOST_TEST(std::abs(norm(packing, y.u) - norm(plain, x.u)) < 1e-4 * norm(plain, x.u)); // chords
      for (Index i = 0; i < plain.cells.size(); ++i)
        {
          const Eigen::Vector2d r = centre + Eigen::Rotation2Dd(angle) * Eigen::Vector2d(plain.spheres.r.col(i) - centre);
          Index                 j;
          BOOST_TEST((packing.spheres.r.colwise() - r).colwise().norm().minCoeff(&j) < 1e-12);
          const Eigen::Vector2d expected = Eigen::Rotation2Dd(angle) * Eigen::Vector2d(x.u.segment(2 * i, 2));
          BOOST_TEST((y.u.segment(2 * j, 2) - expected).norm() < 1e-2 * x.u.cwiseAbs().maxCoeff());
        }
    }
}

// Only what lies in the zone counts: two cells whose common face lies outside may approach through it.
BOOST_AUTO_TEST_CASE(faces_outside_the_zone_do_not_count)
{
  micro::Spheres spheres = test::spheres_at(Eigen::Matrix2d::Zero(), Eigen::Vector2d::Constant(.05));
  spheres.r << .2, .8, .5, .5;
  Vector v(4);
  v << 1., 0., -1., 0.;
  const auto violation_with_gap = [&](const double gap) {
    const macro::Domain domain =
        test::zone(test::unit_box(2), [gap](const Vector &x) { return std::abs(x(0) - .5) > .5 * gap; });
    return face_violation(Packing(spheres, {}, micro::contact_graph(spheres, {}, 1e-9), domain), v, axes(2));
  };
  BOOST_TEST(violation_with_gap(-1.) == 2.);
  BOOST_TEST(violation_with_gap(.2) == 0.);
}

BOOST_AUTO_TEST_SUITE_END()
