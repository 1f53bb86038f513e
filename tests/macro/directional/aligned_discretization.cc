// SPDX-License-Identifier: GPL-3.0-or-later
// Directional cones on meshes along a lattice: closed forms S1, S2, T1-T3 of the design, bounds and exact identities.
#include "tests/macro/directional/aligned.h"

#include "convex/chains/isotonic_regression.h"
#include "convex/chains/chain_families.h"

BOOST_AUTO_TEST_SUITE(aligned_discretization)

using namespace moreau;
using namespace moreau::macro;
using namespace moreau::macro::aligned;

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
      const Result S1 = solve(plane(ConeType::square, 0., static_cast<double>(n), {1., 1.}, in_the_plane(S1_U)));
      eta.push_back(S1.bound.eta);
      const double error = error_between_centres(S1, n, in_the_plane(S1_u));
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
      BOOST_TEST(S2.in_cells("p")(0, c) == std::min(x, 1. - x), boost::test_tools::tolerance(1e-13));
      BOOST_TEST(S2.in_cells("p")(1, c) == 0.);
    }
  // a quarter turn of lattice, zone and data
  const auto   turned  = [&](const double, const double y) { return Eigen::Vector2d(0., y < .5 ? 1. : -1.); };
  const Result quarter = solve(plane(ConeType::square, 90., static_cast<double>(n), {1., 1.}, turned));
  BOOST_TEST(quarter.x.u.lpNorm<Eigen::Infinity>() <= 1e-15);
  BOOST_TEST(quarter.in_cells("p").row(0).maxCoeff() > .4); // e_0 is (0, 1) there
}

BOOST_AUTO_TEST_CASE(bound_of_T2_and_T3_on_the_parallelogram_is_that_of_the_prototype)
{
  struct Case
  {
    Plane  U, u;
    double eta, lowest_order, effectivity;
  };
  for (const Case &example : {Case{on_the_parallelogram(T2_U), on_the_parallelogram(T2_u), 3.4e-4, 1.8, 9.},
                              Case{on_the_parallelogram(T3_U), on_the_parallelogram(T3_u), 6.8e-4, 1.5, 3.}})
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

// Points stand for the strip along the circle, which costs the bound more than half an order, and v nothing.
BOOST_AUTO_TEST_CASE(T1_on_the_disc_converges)
{
  std::vector<double> error, eta;
  for (const double n : {8., 32.})
    {
      Setting disc         = restricted(plane(ConeType::triangular, 0., n, {1.2, 1.2},
                                              [](const double x, const double y) { return Eigen::Vector2d(-x, y); }),
                                        [](const double x, const double y) { return x * x + y * y <= 1.; });
      disc.domain.lower    = Eigen::Vector2d(-1.2, -1.2);
      const Result    T1   = solve(disc);
      const Rule      rule = gauss_rule(2, 2, 150);
      Eigen::MatrixXd x    = 2. * rule.points.array() - 1., v(2, x.cols());
      T1.discretization->velocity(T1.x)(x, v);
      double squared = 0.;
      for (Index q = 0; q < x.cols(); ++q)
        if (x.col(q).norm() <= 1.)
          squared += 4. * rule.weights(q) * (v.col(q) - Eigen::Vector2d(0., x(1, q))).squaredNorm();
      error.push_back(std::sqrt(squared));
      eta.push_back(T1.bound.eta);
      BOOST_TEST(!T1.bound.guaranteed);
      BOOST_TEST(T1.bound.available);
      BOOST_TEST(eta.back() >= error.back());
    }
  // u is linear and p quadratic
  BOOST_TEST(std::max(error[0], error[1]) <= 3e-4);
  BOOST_TEST(order(eta[0], eta[1], 4.) >= .3);
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
  const auto   &problem = hexagon.discretization->problem();
  const auto   &B       = dynamic_cast<const convex::PairConstraint &>(*problem.B);
  const Vector &mass    = dynamic_cast<const convex::DiagonalSpace &>(*problem.V).masses_of_nodes();
  const std::optional<convex::ChainFamilies> chains = convex::find_chain_families(B);
  BOOST_TEST_REQUIRE(chains.has_value());
  BOOST_TEST(B.n_nodes() == 3 * 8 * 9 + 1); // the whole hexagon of side 8
  const auto f = [&](const int node) {
    const Eigen::Vector2d r     = hexagon.points().col(node) - centre;
    const double          cubic = r(0) * r(0) * r(0) - 3. * r(0) * r(1) * r(1); // |r|³ cos 3θ
    return std::abs(cubic) <= 1e-12 ? 0. : cubic > 0. ? 1. : -1.;
  };
  Vector p = Vector::Zero(B.n_constraints());
  for (const auto &family : chains->families)
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

BOOST_AUTO_TEST_CASE(cubic_law_is_one_regression_per_line)
{
  Setting cube = setting(ConeType::cubic, 0., 8., Eigen::Vector3d::Zero(), Eigen::Vector3d(1., .5, .75));
  cube.U       = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    for (Index k = 0; k < x.cols(); ++k)
      values.col(k) << std::sin(9. * x(0, k) + x(2, k)), x(1, k) - x(0, k), std::cos(7. * x(2, k) + x(1, k));
  };
  cube.domain.walls[4] = true;
  const Result result  = solve(cube);
  const auto   u = result.in_cells("u"), U = result.in_cells("U");
  for (Index line = 0; line < 4 * 6; ++line)
    {
      const Vector expected = convex::isotonic_regression(Vector(U.row(0).segment(8 * line, 8).transpose()));
      BOOST_TEST((u.row(0).segment(8 * line, 8).transpose() - expected).cwiseAbs().maxCoeff() <= 1e-14);
    }
  BOOST_TEST((u.row(1) - U.row(1)).cwiseAbs().maxCoeff() <= 1e-15);
  BOOST_TEST(u.row(2).head(32).minCoeff() >= 0.); // the wall z = 0
  BOOST_TEST(result.in_cells("directional_derivatives").minCoeff() >= -1e-12);
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
  BOOST_TEST((result.in_cells("u").transpose() - expected).cwiseAbs().maxCoeff() <= 1e-14);
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
  const Result    result = solve(ball, 1e-8);
  Eigen::MatrixXd rest   = result.in_points("u");
  for (Index k = 0; k < rest.cols(); ++k)
    {
      const Vector x = result.points().col(k);
      rest.col(k) -= Eigen::Vector3d(-x(1) + .5, x(0) - .5, .3);
    }
  const Eigen::Vector3d of_centre = rest.rowwise().mean(); // what slivers that are left out take with them
  BOOST_TEST(of_centre.norm() <= 1e-3);
  BOOST_TEST((rest.colwise() - of_centre).cwiseAbs().maxCoeff() <= 1e-6);
  BOOST_TEST(result.bound.available);
  BOOST_TEST((result.picture.cell_type == CellType::tetrahedron));
}

BOOST_AUTO_TEST_SUITE_END()
