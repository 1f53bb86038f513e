// SPDX-License-Identifier: GPL-3.0-or-later
// Directional cones on meshes along a lattice: closed forms S1, S2, T1-T3 of the design, walls, bounds and exact identities.
#include "convex/input_error.h"
#include "convex/solvers/isotonic_regression.h"
#include "convex/solvers/chain_families.h"
#include "convex/solvers/make_projector.h"
#include "macro/discretize.h"
#include "geometry/quadrature.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace moreau;
using namespace moreau::macro;

namespace
{
using Plane         = std::function<Eigen::Vector2d(double x, double y)>;
using Inside        = std::function<bool(double x, double y)>;
const double root_3 = std::sqrt(3.);

Field field(const Plane &f)
{
  return [f](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    for (Index k = 0; k < x.cols(); ++k)
      values.col(k) = f(x(0, k), x(1, k));
  };
}

Setting setting(const ConeType type, const double angle, const double n, const Vector &lower, const Vector &upper)
{
  Setting result;
  result.domain.lower               = lower;
  result.domain.upper               = upper;
  result.domain.density             = [](const Eigen::MatrixXd &, Eigen::MatrixXd &density) { density.setOnes(); };
  result.cone.type                  = type;
  result.cone.lattice_angle         = angle;
  result.cone.directions            = lattice_directions(type, angle);
  result.cone.n_directions          = static_cast<int>(result.cone.directions.cols());
  result.mesh.cells_per_unit_length = n;
  return result;
}

Setting plane(const ConeType type, const double angle, const double n, const Eigen::Vector2d &upper, const Plane &U)
{
  Setting result = setting(type, angle, n, Eigen::Vector2d::Zero(), upper);
  result.U       = field(U);
  return result;
}

Setting restricted(Setting setting, const Inside &inside)
{
  setting.domain.uniform = false;
  setting.domain.density = [inside](const Eigen::MatrixXd &x, Eigen::MatrixXd &density) {
    for (Index k = 0; k < x.cols(); ++k)
      density(0, k) = inside(x(0, k), x(1, k)) ? 1. : 0.;
  };
  return setting;
}

/// The unit square sheared so that its sides are lines of the triangular lattice.
Setting parallelogram(const double n, const Plane &U)
{
  return restricted(plane(ConeType::triangular, 0., n, {1.5, .5 * root_3}, U),
                    [](const double x, const double y) { return x - y / root_3 >= 0. && x - y / root_3 <= 1.; });
}

struct Result
{
  std::unique_ptr<Discretization> discretization;
  convex::SaddlePoint             x;
  TotalBound                      bound;
  FieldMesh                       fields;

  const Eigen::MatrixXd &cells(const std::string &name) const { return find(fields.cell_data, name); }
  const Eigen::MatrixXd &points(const std::string &name) const { return find(fields.point_data, name); }

private:
  static const Eigen::MatrixXd &find(const std::vector<NamedValues> &all, const std::string &name)
  {
    for (const NamedValues &one : all)
      if (one.name == name)
        return one.values;
    throw std::out_of_range(name);
  }
};

Result solve(const Setting &setting, const double tolerance = 1e-8, const std::string &solver = "automatic")
{
  Result result;
  result.discretization = macro::aligned_discretization(setting);
  convex::StoppingCriterion criterion;
  criterion.tolerance = tolerance;
  result.x            = result.discretization->projector(solver, criterion)->project(result.discretization->problem());
  BOOST_TEST(result.x.converged());
  result.bound  = result.discretization->total_bound(result.x);
  result.fields = result.discretization->fields(result.x, result.x.u, result.bound);
  return result;
}

/// |v - u| for v linear on triangles: what the bound is about.
double error_on_triangles(const Result &result, const Plane &u)
{
  const Rule             square = gauss_rule(8, 2); // kinks of u inside triangles
  const FieldMesh       &mesh   = result.fields;
  const Eigen::MatrixXd &v      = result.points("u");
  double                 sum    = 0.;
  for (Index c = 0; c < mesh.n_cells(); ++c)
    {
      Eigen::Matrix<double, 2, 3> x, values;
      for (int k = 0; k < 3; ++k)
        {
          x.col(k)      = mesh.points.col(mesh.cells[3 * c + k]);
          values.col(k) = v.col(mesh.cells[3 * c + k]);
        }
      const Eigen::Vector2d a = x.col(1) - x.col(0), b = x.col(2) - x.col(0);
      for (Index q = 0; q < square.size(); ++q)
        {
          const double          s = square.points(0, q), t = square.points(1, q) * (1. - s);
          const Eigen::Vector3d l(1. - s - t, s, t);
          const Eigen::Vector2d at = x * l;
          sum += square.weights(q) * (1. - s) * (a(0) * b(1) - a(1) * b(0)) * (values * l - u(at(0), at(1))).squaredNorm();
        }
    }
  return std::sqrt(sum);
}

/// |v - u| on the unit square of n x n cells for v linear between cell centres and constant beyond them.
double error_between_centres(const Result &result, const Index n, const Plane &u)
{
  const Rule             rule = gauss_rule(10, 2);
  const Eigen::MatrixXd &v    = result.cells("u");
  const auto             hat  = [n](const double x, Index &i) { // weight of cell i + 1
    const double s = std::min(std::max(static_cast<double>(n) * x - .5, 0.), static_cast<double>(n) - 1.);
    i              = std::min(static_cast<Index>(s), n - 2);
    return s - static_cast<double>(i);
  };
  double sum = 0.;
  for (Index c = 0; c < n * n; ++c)
    for (Index q = 0; q < rule.size(); ++q)
      {
        const double x          = (static_cast<double>(c % n) + rule.points(0, q)) / static_cast<double>(n),
                     y          = (static_cast<double>(c / n) + rule.points(1, q)) / static_cast<double>(n);
        Index                 i = 0, j = 0;
        const double          s = hat(x, i), t = hat(y, j);
        const Eigen::Vector2d at = (1. - t) * ((1. - s) * v.col(i + n * j) + s * v.col(i + 1 + n * j)) +
                                   t * ((1. - s) * v.col(i + n * (j + 1)) + s * v.col(i + 1 + n * (j + 1)));
        sum += rule.weights(q) / static_cast<double>(n * n) * (at - u(x, y)).squaredNorm();
      }
  return std::sqrt(sum);
}

double order(const double coarse, const double fine, const double refinement)
{
  return std::log(coarse / fine) / std::log(refinement);
}

double s_of(const double y) { return 1. + .5 * y; }

// S1
Eigen::Vector2d S1_U(const double x, const double y) { return {x * (s_of(y) - x), 0.}; }
Eigen::Vector2d S1_u(const double x, const double y)
{
  const double s = s_of(y), a = .75 * s - .5;
  return {x < a ? x * (s - x) : a * (s - a), 0.};
}
// T2, T3 on the parallelogram
Eigen::Vector2d T2_U(const double x, const double y) { return {(x - y / root_3) * (1. - x + y / root_3), 0.}; }
Eigen::Vector2d T2_u(const double x, const double y)
{
  const double a = x - y / root_3;
  return {a < .25 ? a * (1. - a) : 3. / 16., 0.};
}
Eigen::Vector2d T3_U(const double x, const double y)
{
  const double a = x - y / root_3;
  return {a * (s_of(y) - a), y};
}
Eigen::Vector2d T3_u(const double x, const double y) { return {S1_u(x - y / root_3, y)(0), y}; }

/// Smooth and compressing here, opening there.
Eigen::Vector2d waves(const double x, const double y)
{
  return {std::sin(7. * x + 3. * y), std::cos(5. * x * y) - std::sin(6. * y)};
}
} // namespace

BOOST_AUTO_TEST_SUITE(aligned_discretization)

BOOST_AUTO_TEST_CASE(lattice_directions_are_unit_vectors_in_a_tight_frame)
{
  const std::vector<std::pair<ConeType, double>> cases = {
      {ConeType::square, 1.}, {ConeType::triangular, 1.5}, {ConeType::cubic, 1.}, {ConeType::face_centred_cubic, 2.}};
  for (const auto &[type, c] : cases)
    for (const double angle : {0., 17., 90., -45.})
      {
        const Eigen::MatrixXd e = lattice_directions(type, angle);
        BOOST_TEST((e.colwise().norm().array() - 1.).abs().maxCoeff() <= 1e-15 * 4.); // rounding
        const Eigen::MatrixXd sum = e * e.transpose() - c * Eigen::MatrixXd::Identity(e.rows(), e.rows());
        BOOST_TEST(sum.cwiseAbs().maxCoeff() <= 1e-15 * 8.);
      }
  // (BM, section 4)
  const Eigen::MatrixXd e = lattice_directions(ConeType::triangular, 0.);
  BOOST_TEST((e.col(1) - Eigen::Vector2d(-.5, .5 * root_3)).norm() <= 1e-15);
  BOOST_TEST((e.col(2) - Eigen::Vector2d(-.5, -.5 * root_3)).norm() <= 1e-15);
  BOOST_TEST((lattice_directions(ConeType::square, 90.) - (Eigen::MatrixXd(2, 2) << 0, -1, 1, 0).finished()).norm() == 0.);
}

BOOST_AUTO_TEST_CASE(bound_of_S1_is_sharp_and_of_order_three_halves)
{
  std::vector<double> eta;
  for (const Index n : {16, 64})
    {
      const Result S1 = solve(plane(ConeType::square, 0., static_cast<double>(n), {1., 1.}, S1_U));
      eta.push_back(S1.bound.eta);
      const double error = error_between_centres(S1, n, S1_u);
      BOOST_TEST(S1.bound.guaranteed);
      BOOST_TEST(S1.bound.eta >= error);
      BOOST_TEST(S1.bound.eta <= 1.05 * error); // the goal, although the bound holds u_p, too
      BOOST_TEST(S1.bound.indicator.sum() == S1.bound.eta * S1.bound.eta, boost::test_tools::tolerance(1e-12));
    }
  const double observed = order(eta[0], eta[1], 4.);
  BOOST_TEST(observed >= 1.4);
  BOOST_TEST(observed <= 1.6);
}

BOOST_AUTO_TEST_CASE(S2_is_exact_where_the_jump_lies_between_cells)
{
  const auto   U  = [](const double x, double) { return Eigen::Vector2d(x < .5 ? 1. : -1., 0.); };
  const Index  n  = 16;
  const Result S2 = solve(plane(ConeType::square, 0., static_cast<double>(n), {1., 1.}, U));
  BOOST_TEST(S2.x.u.lpNorm<Eigen::Infinity>() <= 1e-15);
  BOOST_TEST(S2.bound.eta <= 1e-14);
  for (Index c = 0; c < n * n; ++c)
    {
      const double x = (static_cast<double>(c % n) + .5) / static_cast<double>(n);
      BOOST_TEST(S2.cells("p")(0, c) == std::min(x, 1. - x), boost::test_tools::tolerance(1e-13));
      BOOST_TEST(S2.cells("p")(1, c) == 0.);
    }
  // a quarter turn of lattice, zone and data
  const auto   turned  = [&](const double, const double y) { return Eigen::Vector2d(0., y < .5 ? 1. : -1.); };
  const Result quarter = solve(plane(ConeType::square, 90., static_cast<double>(n), {1., 1.}, turned));
  BOOST_TEST(quarter.x.u.lpNorm<Eigen::Infinity>() <= 1e-15);
  BOOST_TEST(quarter.cells("p").row(0).maxCoeff() > .4); // e_0 is (0, 1) there
}

BOOST_AUTO_TEST_CASE(bound_of_T2_and_T3_on_the_parallelogram_is_that_of_the_prototype)
{
  struct Case
  {
    Plane  U, u;
    double eta, lowest_order, effectivity;
  };
  for (const Case &example : {Case{T2_U, T2_u, 3.4e-4, 1.8, 9.}, Case{T3_U, T3_u, 6.8e-4, 1.5, 3.}})
    {
      std::vector<double> eta, error;
      for (const double n : {16., 32.})
        {
          const Result result = solve(parallelogram(n, example.U));
          eta.push_back(result.bound.eta);
          error.push_back(error_on_triangles(result, example.u));
          BOOST_TEST(result.bound.guaranteed);
          BOOST_TEST(result.bound.largest_violation <= 1e-12);
          BOOST_TEST(eta.back() >= error.back());
          BOOST_TEST(eta.back() <= example.effectivity * error.back()); // v is far better than u_p in T2
        }
      BOOST_TEST(eta[1] <= example.eta); // the figures measured for n = 32
      BOOST_TEST(order(eta[0], eta[1], 2.) >= example.lowest_order);
      BOOST_TEST(order(error[0], error[1], 2.) >= 1.5);
    }
}

// The zone is a staircase of triangles, which costs the bound half an order and the nodal values nearly none.
BOOST_AUTO_TEST_CASE(T1_on_the_disc_converges)
{
  std::vector<double> error;
  for (const double n : {8., 32.})
    {
      Setting disc      = restricted(plane(ConeType::triangular, 0., n, {1.2, 1.2},
                                           [](const double x, const double y) { return Eigen::Vector2d(-x, y); }),
                                     [](const double x, const double y) { return x * x + y * y <= 1.; });
      disc.domain.lower = Eigen::Vector2d(-1.2, -1.2);
      const Result T1   = solve(disc);
      error.push_back(error_on_triangles(T1, [](double, const double y) { return Eigen::Vector2d(0., y); }));
      BOOST_TEST(!T1.bound.guaranteed);
      BOOST_TEST(T1.bound.eta >= error.back());
    }
  BOOST_TEST(order(error[0], error[1], 4.) >= .75);
}

BOOST_AUTO_TEST_CASE(square_law_turns_with_its_lattice)
{
  const double          angle = 30., c = std::cos(M_PI / 6.), s = .5, n = 12.;
  const Eigen::Matrix2d R     = (Eigen::Matrix2d() << c, -s, s, c).finished();
  const Plane           U0    = [](const double x, const double y) { return waves(x, y); };
  const auto            local = [&](const double x, const double y) -> Eigen::Vector2d {
    return R.transpose() * Eigen::Vector2d(x, y) - Eigen::Vector2d(1., 0.);
  };
  const Plane  U = [&](const double x, const double y) -> Eigen::Vector2d { return R * U0(local(x, y)(0), local(x, y)(1)); };
  const Result turned =
      solve(restricted(plane(ConeType::square, angle, n, {2., 2.}, U), [&](const double x, const double y) {
        const Eigen::Vector2d at = local(x, y);
        return at.minCoeff() >= 0. && at.maxCoeff() <= 1.;
      }));
  const Result straight = solve(plane(ConeType::square, 0., n, {1., 1.}, U0));
  BOOST_TEST((turned.cells("u") - R * straight.cells("u")).cwiseAbs().maxCoeff() <= 1e-12);
  BOOST_TEST(turned.bound.eta == straight.bound.eta, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(turned.discretization->remarks().find("left out") == std::string::npos); // no cell is cut
}

// (BM, fig. 6) Two halves of a disc collide: head-on they stop, along the diagonal of the lattice they slip aside.
BOOST_AUTO_TEST_CASE(square_law_is_not_invariant_under_rotation)
{
  const auto energy = [](const Eigen::Vector2d &n, const double lattice_angle) {
    Setting disc        = restricted(plane(ConeType::square, lattice_angle, 25., {.6, .6},
                                           [&](const double x, const double y) -> Eigen::Vector2d {
                                      return n.dot(Eigen::Vector2d(x, y)) < 0. ? n : Eigen::Vector2d(-n);
                                    }),
                                     [](const double x, const double y) { return x * x + y * y <= .25; });
    disc.domain.lower   = Eigen::Vector2d(-.6, -.6);
    const Result result = solve(disc);
    const auto  &V      = *result.discretization->problem().V;
    return V.dot(result.x.u, result.x.u) / V.dot(result.discretization->problem().U, result.discretization->problem().U);
  };
  const Eigen::Vector2d diagonal = Eigen::Vector2d(1., 1.).normalized();
  BOOST_TEST(energy({1., 0.}, 0.) <= 1e-12);
  BOOST_TEST(energy(diagonal, 0.) >= .1);
  // cells of the turned lattice are not symmetric about the collision, which leaves a little
  BOOST_TEST(energy(diagonal, 45.) <= .5 * energy(diagonal, 0.));
}

BOOST_AUTO_TEST_CASE(row_of_cells_obeys_the_law_of_a_row_of_equal_spheres)
{
  const Index  n       = 40;
  const auto   of_cell = [](const Index k) { return std::sin(1. + 12.9898 * static_cast<double>(k * k)); };
  const auto   U       = [&](const double x, double) { return Eigen::Vector2d(of_cell(static_cast<Index>(40. * x)), .25); };
  const Result row     = solve(plane(ConeType::square, 0., static_cast<double>(n), {1., 1. / 40.}, U));
  const Vector masses = Vector::Constant(n, 1. / 1600.), velocities = Vector::NullaryExpr(n, of_cell),
               u = convex::isotonic_regression(velocities, masses), p = convex::multiplier_of_line(velocities, u, masses);
  for (Index k = 0; k < n; ++k)
    {
      BOOST_TEST(std::abs(row.x.u(2 * k) - u(k)) <= 1e-15 * 8.); // sums of equal and of given weights round differently
      BOOST_TEST(std::abs(row.x.u(2 * k + 1) - .25) <= 1e-15);
    }
  BOOST_TEST((row.x.p.head(n - 1) - p).cwiseAbs().maxCoeff() <= 1e-17);
  BOOST_TEST(row.bound.eta <= 1e-14); // U is constant on cells: exact on the continuous cone
}

// (BM, fig. 7) f is ±1 in the six kites around the corners of a hexagon; ∂_k p_k = f and Σ e_k = 0 give B*p = 0.
BOOST_AUTO_TEST_CASE(kernel_element_of_the_triangular_cone_is_in_the_kernel)
{
  const Eigen::Vector2d centre(1.125, .625 * root_3); // a site of the lattice of spacing 1/8
  const auto            height = [&](const double x, const double y) {
    double most = 0.;
    for (int k = 0; k < 3; ++k)
      most = std::max(most, std::abs(std::sin(M_PI / 3. * k) * (x - centre(0)) - std::cos(M_PI / 3. * k) * (y - centre(1))));
    return most;
  };
  const Result hexagon =
      solve(restricted(plane(ConeType::triangular, 0., 8., {2.25, 2.25}, waves),
                       [&](const double x, const double y) { return height(x, y) <= .5 * root_3 + 1e-9; }));
  const auto                               &problem = hexagon.discretization->problem();
  const auto                               &B       = dynamic_cast<const convex::PairConstraint &>(*problem.B);
  const Vector                             &mass = dynamic_cast<const convex::DiagonalSpace &>(*problem.V).masses_of_nodes();
  const std::optional<convex::LineFamilies> lines = convex::find_line_families(B);
  BOOST_TEST_REQUIRE(lines.has_value());
  BOOST_TEST(B.n_nodes() == 3 * 8 * 9 + 1); // the whole hexagon of side 8
  const auto f = [&](const int node) {
    const Eigen::Vector2d r     = hexagon.fields.points.col(node) - centre;
    const double          cubic = r(0) * r(0) * r(0) - 3. * r(0) * r(1) * r(1); // |r|³ cos 3θ
    return std::abs(cubic) <= 1e-12 ? 0. : cubic > 0. ? 1. : -1.;
  };
  Vector p = Vector::Zero(B.n_constraints());
  for (const auto &family : lines->families)
    for (Index r = 0; r < family.n_runs(); ++r)
      {
        double sum = 0.;
        for (int l = family.run_start[r]; l < family.run_start[r + 1]; ++l)
          {
            // with the sense of B's rows, which are those of e_k
            const bool along = family.row[l] < 0 || B.pairs()[family.row[l]].i == family.node[l];
            BOOST_TEST_REQUIRE(along);
            sum += mass(family.node[l]) * f(family.node[l]);
            if (family.row[l] >= 0)
              p(family.row[l]) = sum;
          }
        BOOST_TEST(std::abs(sum) <= 1e-15);
      }
  Vector Btp(problem.n_unknowns()), Bstar_p(problem.n_unknowns());
  B.apply_transpose(p, Btp);
  problem.V->inverse_riesz(Btp, Bstar_p);
  BOOST_TEST(Bstar_p.lpNorm<Eigen::Infinity>() <= 1e-13);
  BOOST_TEST(p.lpNorm<Eigen::Infinity>() >= mass(0));
}

BOOST_AUTO_TEST_CASE(velocities_are_admissible_in_every_cell)
{
  const Inside with_a_hole = [](const double x, const double y) {
    return !(x > .25 && x < .5 && y > .25 && y < .75) && !(x > .75 && y > .5);
  };
  const Result square = solve(restricted(plane(ConeType::square, 0., 32., {1., 1.}, waves), with_a_hole));
  BOOST_TEST(square.cells("directional_derivatives").minCoeff() >= -1e-12);
  const Result turned = solve(restricted(plane(ConeType::square, 20., 32., {1., 1.}, waves), with_a_hole));
  BOOST_TEST(turned.cells("directional_derivatives").minCoeff() >= -1e-12);
  const Result triangular = solve(restricted(plane(ConeType::triangular, 20., 32., {1., 1.}, waves), with_a_hole), 1e-6);
  BOOST_TEST(triangular.bound.largest_violation <= 1e-12); // of the velocity that the bound is about
}

// Lines end beside each other at different places there: neither v nor p may take over what would spoil a sign.
BOOST_AUTO_TEST_CASE(bound_converges_on_a_zone_with_steps_and_a_hole)
{
  std::vector<double> eta;
  for (const double n : {16., 64.})
    {
      const Result result =
          solve(restricted(plane(ConeType::square, 0., n, {1., 1.}, waves), [](const double x, const double y) {
            return !(x > .25 && x < .5 && y > .25 && y < .75) && !(x > .75 && y > .5);
          }));
      BOOST_TEST(result.bound.work >= 0.);
      BOOST_TEST(result.bound.indicator.minCoeff() >= -1e-15);
      BOOST_TEST(result.discretization->remarks().empty()); // a union of cells
      eta.push_back(result.bound.eta);
    }
  BOOST_TEST(order(eta[0], eta[1], 4.) >= 1.4);
}

BOOST_AUTO_TEST_CASE(wall_stops_what_runs_into_it)
{
  std::vector<double> eta;
  for (const double n : {16., 64.})
    {
      Setting wall         = plane(ConeType::square, 0., n, {1., 1.},
                                   [](const double x, const double y) { return Eigen::Vector2d(x - .4 - .2 * y, y); });
      wall.domain.walls[0] = true;
      const Result result  = solve(wall);
      const double error   = error_between_centres(result, static_cast<Index>(n), [](const double x, const double y) {
        return Eigen::Vector2d(std::max(0., x - .4 - .2 * y), y);
      });
      BOOST_TEST(result.bound.guaranteed);
      BOOST_TEST(result.bound.eta >= error);
      eta.push_back(result.bound.eta);
    }
  BOOST_TEST(order(eta[0], eta[1], 4.) >= 1.4);
}

// u = 0 and p_1 = p_2 = (r² - |x - c|²)₊² with c on the wall: the multipliers are tied there (mathematics.md 3).
BOOST_AUTO_TEST_CASE(wall_along_a_triangular_lattice_ties_the_pressures)
{
  const Eigen::MatrixXd e = lattice_directions(ConeType::triangular, 0.);
  const auto            U = [&](const double x, const double y) {
    const Eigen::Vector2d r(x - .6, y);
    const double          q = std::max(0., .09 - r.squaredNorm());
    Eigen::Vector2d       sum(0., 0.);
    for (const int k : {1, 2})
      sum += e.col(k).dot(-4. * q * r) * e.col(k);
    return sum;
  };
  std::vector<double> eta;
  for (const double n : {16., 32.})
    {
      Setting wall         = parallelogram(n, U);
      wall.domain.walls[2] = true;
      const Result result  = solve(wall, 1e-6);
      BOOST_TEST(result.bound.eta >= error_on_triangles(result, [](double, double) { return Eigen::Vector2d(0., 0.); }));
      BOOST_TEST(result.bound.largest_violation <= 1e-12);
      eta.push_back(result.bound.eta);
    }
  BOOST_TEST(order(eta[0], eta[1], 2.) >= 1.4);
}

BOOST_AUTO_TEST_CASE(cubic_law_is_one_regression_per_line)
{
  Setting cube = setting(ConeType::cubic, 0., 8., Eigen::Vector3d::Zero(), Eigen::Vector3d(1., .5, .75));
  cube.U       = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    for (Index k = 0; k < x.cols(); ++k)
      values.col(k) << std::sin(9. * x(0, k) + x(2, k)), x(1, k) - x(0, k), std::cos(7. * x(2, k) + x(1, k));
  };
  cube.domain.walls[4]          = true;
  const Result           result = solve(cube);
  const Eigen::MatrixXd &u = result.cells("u"), &U = result.cells("U");
  for (Index line = 0; line < 4 * 6; ++line)
    {
      const Vector expected = convex::isotonic_regression(Vector(U.row(0).segment(8 * line, 8).transpose()));
      BOOST_TEST((u.row(0).segment(8 * line, 8).transpose() - expected).cwiseAbs().maxCoeff() <= 1e-14);
    }
  BOOST_TEST((u.row(1) - U.row(1)).cwiseAbs().maxCoeff() <= 1e-15);
  BOOST_TEST(u.row(2).head(32).minCoeff() >= 0.); // the wall z = 0
  BOOST_TEST(result.cells("directional_derivatives").minCoeff() >= -1e-12);
  BOOST_TEST(result.bound.eta > 0.);
  BOOST_TEST(result.bound.eta <= .2 * result.bound.scale);
}

BOOST_AUTO_TEST_CASE(one_dimension_is_isotonic_regression)
{
  Setting segment         = setting(ConeType::square, 0., 32., Vector::Zero(1), Vector::Ones(1));
  segment.cone.type       = ConeType::directions;
  segment.cone.directions = Eigen::MatrixXd::Ones(1, 1);
  segment.domain.walls[0] = true;
  const auto of_cell      = [](const Index k) { return std::sin(5. * static_cast<double>(k)) - .2; };
  segment.U               = [&](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    for (Index k = 0; k < x.cols(); ++k)
      values(0, k) = of_cell(static_cast<Index>(32. * x(0, k)));
  };
  const Result result = solve(segment);
  const Vector expected =
      convex::isotonic_regression(Vector(Vector::NullaryExpr(32, of_cell))).cwiseMax(0.); // stopped by the wall
  BOOST_TEST((result.cells("u").transpose() - expected).cwiseAbs().maxCoeff() <= 1e-14);
  BOOST_TEST(result.bound.eta <= 1e-14);
  BOOST_TEST(result.bound.guaranteed);
}

BOOST_AUTO_TEST_CASE(face_centred_lattice_stops_a_collapse_and_keeps_a_rotation)
{
  Setting ball = setting(ConeType::face_centred_cubic, 0., 4., Eigen::Vector3d::Zero(), Eigen::Vector3d::Ones());
  ball.U       = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    for (Index k = 0; k < x.cols(); ++k)
      values.col(k) = -(x.col(k).array() - .5).matrix() + Eigen::Vector3d(-x(1, k) + .5, x(0, k) - .5, .3);
  };
  const Result result = solve(ball, 1e-8);
  for (Index k = 0; k < result.fields.points.cols(); ++k)
    {
      const Vector          x = result.fields.points.col(k);
      const Eigen::Vector3d centre_of_mass_motion =
          Eigen::Vector3d(-x(1) + .5, x(0) - .5, .3) - (result.fields.points.rowwise().mean().array() - .5).matrix();
      BOOST_TEST((result.cells("u").col(k) - centre_of_mass_motion).norm() <= 1e-6);
    }
  BOOST_TEST(!result.bound.available);
  BOOST_TEST(n_vertices(result.fields.shape) == 1);
}

BOOST_AUTO_TEST_CASE(energy_outside_is_that_of_what_is_not_saturated)
{
  Setting half        = plane(ConeType::square, 0., 8., {1., 1.}, [](double, double) { return Eigen::Vector2d(2., 0.); });
  half.domain.uniform = false;
  half.domain.density = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &density) {
    for (Index k = 0; k < x.cols(); ++k)
      density(0, k) = x(0, k) < .5 ? 1. : .25;
  };
  // ½ · ¼ · 4 · ½
  BOOST_TEST(solve(half).discretization->energy_outside() == .25, boost::test_tools::tolerance(1e-13));
  half.domain.density = [](const Eigen::MatrixXd &, Eigen::MatrixXd &density) { density.setConstant(.5); };
  for (const ConeType type : {ConeType::square, ConeType::triangular})
    {
      half.cone.type       = type;
      half.cone.directions = lattice_directions(type, 0.);
      const Result none    = solve(half);
      BOOST_TEST(none.discretization->energy_outside() == 1., boost::test_tools::tolerance(1e-13));
      BOOST_TEST(none.x.u.size() == 0);
      BOOST_TEST(!none.discretization->remarks().empty());
    }
}

BOOST_AUTO_TEST_CASE(every_solver_gives_the_same_velocity)
{
  const Setting two[] = {plane(ConeType::square, 0., 6., {1., 1.}, waves), parallelogram(5., waves)};
  for (const Setting &setting : two)
    {
      const Result best = solve(setting, 1e-7);
      for (const std::string &solver : convex::projector_names())
        BOOST_TEST((solve(setting, 1e-7, solver).x.u - best.x.u).lpNorm<Eigen::Infinity>() <= 1e-6);
      BOOST_CHECK_THROW(best.discretization->projector("sorcery", {}), InputError);
    }
}

BOOST_AUTO_TEST_CASE(walls_that_are_no_lines_of_the_lattice_are_refused)
{
  const auto with_wall = [](Setting setting, const int side) {
    setting.domain.walls[side] = true;
    return setting;
  };
  const auto is_about_walls = [](const InputError &error) { return error.subject == "the walls"; };
  for (const Setting &wrong : {with_wall(plane(ConeType::triangular, 0., 8., {1., 1.}, waves), 0),
                               with_wall(plane(ConeType::triangular, 0., 8., {1., 1.}, waves), 3),
                               with_wall(plane(ConeType::square, 30., 8., {1., 1.}, waves), 2)})
    BOOST_CHECK_EXCEPTION(macro::aligned_discretization(wrong), InputError, is_about_walls);
  // the remedy that the second message names
  BOOST_CHECK_NO_THROW(
      macro::aligned_discretization(with_wall(plane(ConeType::triangular, 0., 9. / (.5 * root_3), {1., 1.}, waves), 3)));
}

BOOST_AUTO_TEST_SUITE_END()
