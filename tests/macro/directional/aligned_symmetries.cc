// SPDX-License-Identifier: GPL-3.0-or-later
// Directional cones on meshes along a lattice: turns, walls, every cell and every solver.
#include "tests/macro/directional/aligned.h"

#include "convex/input_error.h"

BOOST_AUTO_TEST_SUITE(aligned_symmetries)

using namespace moreau;
using namespace moreau::macro;
using namespace moreau::macro::aligned;

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
  BOOST_TEST((turned.in_cells("u") - R * straight.in_cells("u")).cwiseAbs().maxCoeff() <= 1e-12);
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

BOOST_AUTO_TEST_CASE(velocities_are_admissible_in_every_cell)
{
  const Inside with_a_hole = [](const double x, const double y) {
    return !(x > .25 && x < .5 && y > .25 && y < .75) && !(x > .75 && y > .5);
  };
  const Result square = solve(restricted(plane(ConeType::square, 0., 32., {1., 1.}, waves), with_a_hole));
  BOOST_TEST(square.in_cells("directional_derivatives").minCoeff() >= -1e-12);
  const Result turned = solve(restricted(plane(ConeType::square, 20., 32., {1., 1.}, waves), with_a_hole));
  BOOST_TEST(turned.in_cells("directional_derivatives").minCoeff() >= -1e-12);
  const Result triangular = solve(restricted(plane(ConeType::triangular, 20., 32., {1., 1.}, waves), with_a_hole), 1e-6);
  BOOST_TEST(triangular.bound.largest_violation <= 1e-12); // of the velocity that the bound is about
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

BOOST_AUTO_TEST_CASE(energy_outside_is_that_of_what_is_not_saturated)
{
  Setting half        = plane(ConeType::square, 0., 8., {1., 1.}, [](double, double) { return Eigen::Vector2d(2., 0.); });
  half.domain.uniform = false;
  half.domain.density = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &density) {
    for (Index k = 0; k < x.cols(); ++k)
      density(0, k) = x(0, k) < .5 ? 1. : .25;
  };
  // ½ · ¼ · 4 · ½
  BOOST_TEST(solve(half).discretization->outside().energy == .25, boost::test_tools::tolerance(1e-13));
  half.domain.density = [](const Eigen::MatrixXd &, Eigen::MatrixXd &density) { density.setConstant(.5); };
  for (const ConeType type : {ConeType::square, ConeType::triangular})
    {
      half.cone.type       = type;
      half.cone.directions = lattice_directions(type, 0.);
      const Result none    = solve(half);
      BOOST_TEST(none.discretization->outside().energy == 1., boost::test_tools::tolerance(1e-13));
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

// Whether rows fit between two walls of the triangular lattice or not: the limit is the same.
BOOST_AUTO_TEST_CASE(walls_between_lines_of_the_lattice_are_walls)
{
  const auto energy = [](const double n) {
    Setting setting = plane(ConeType::triangular, 0., n, {1., 1.}, [](double, double) { return Eigen::Vector2d(.2, -1.); });
    setting.domain.walls[2] = setting.domain.walls[3] = true;
    const Result result                               = solve(setting, 1e-7);
    return .5 * result.discretization->problem().V->dot(result.x.u, result.x.u);
  };
  BOOST_TEST(energy(16.) == energy(14. / (.5 * root_3)), boost::test_tools::tolerance(2e-2)); // 14 rows
}

BOOST_AUTO_TEST_SUITE_END()
