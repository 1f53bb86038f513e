// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/interior_point.h"

#include "tests/oracles.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <limits>

BOOST_AUTO_TEST_SUITE(interior_point)

namespace utf = boost::unit_test;
using namespace moreau;
using namespace moreau::convex;

namespace
{
StoppingCriterion to_tolerance(const double tolerance)
{
  StoppingCriterion criterion;
  criterion.tolerance = tolerance;
  return criterion;
}

/// |u - answer| relative to |U - mean U|.
double error(const ProjectionProblem &problem, const Vector &u, const Vector &answer)
{
  return problem.V->norm(u - answer) / problem.V->norm(problem.U - problem.V->mean(problem.U));
}

std::vector<oracles::Oracle> all_oracles(const unsigned int seed)
{
  std::vector<oracles::Oracle> all = oracles::affine_oracles(seed);
  for (auto *const some : {oracles::cone_oracles, oracles::network_cones})
    for (oracles::Oracle &oracle : some(seed))
      all.push_back(std::move(oracle));
  return all;
}

/// n unit masses in a row between two walls with these velocities, and
/// `n_loose` more beside them, each touching one of the row.
/// Rows: n-1 contacts of the row, left wall, right wall, loose ones.
ProjectionProblem row_between_walls(const int n, const double v_left, const double v_right, const int n_loose = 0)
{
  std::vector<PairConstraint::Pair> pairs;
  Eigen::MatrixXd                   e = Eigen::MatrixXd::Zero(2, n + 1 + n_loose);
  ProjectionProblem                 problem;
  problem.b = Vector::Zero(n + 1 + n_loose);
  for (int i = 0; i + 1 < n; ++i)
    {
      pairs.push_back({i, i + 1});
      e(0, i) = 1.;
    }
  pairs.push_back({0, PairConstraint::fixed_body});
  e(0, n - 1)      = -1.;
  problem.b(n - 1) = -v_left;
  pairs.push_back({n - 1, PairConstraint::fixed_body});
  e(0, n)      = 1.;
  problem.b(n) = v_right;
  for (int k = 0; k < n_loose; ++k)
    {
      pairs.push_back({k, n + k});
      e(1, n + 1 + k) = 1.;
    }
  problem.V = std::make_shared<DiagonalSpace>(Vector::Ones(n + n_loose), 2);
  problem.B = std::make_shared<PairConstraint>(2, n + n_loose, pairs, e);
  oracles::Random random(11);
  problem.U = random.normals(problem.n_unknowns());
  return problem;
}

double largest_of_Btp(const ProjectionProblem &problem, const Vector &p)
{
  Vector Btp(problem.n_unknowns());
  problem.B->apply_transpose(p, Btp);
  return Btp.lpNorm<Eigen::Infinity>();
}
} // namespace

BOOST_DATA_TEST_CASE(random_problems_are_solved_to_their_known_answer, utf::data::xrange(1u, 6u), seed)
{
  const InteriorPoint projector(to_tolerance(1e-7));
  for (const oracles::Oracle &oracle : all_oracles(seed))
    BOOST_TEST_CONTEXT(oracle.name)
    {
      const SaddlePoint x = projector.project(oracle.problem);
      BOOST_TEST(x.converged());
      // the bound is guaranteed up to the rounding with which the oracle's own u solves the problem
      BOOST_TEST(error(oracle.problem, x.u, oracle.u) <= x.certificate.relative_error_bound + 1e-12);
      BOOST_TEST(x.p.minCoeff() >= 0.);
      BOOST_TEST(x.n_iterations < 40);
      if (oracle.p_is_unique)
        BOOST_TEST((x.p - oracle.p).norm() <= 1e-5 * (1. + oracle.p.norm())); // 1e-7 times the condition of BB*
    }
}

BOOST_DATA_TEST_CASE(both_factorisations_lead_to_the_same_answer, utf::data::xrange(1u, 3u), seed)
{
  InteriorPoint::Parameters parameters;
  parameters.backend = CholeskyBackend::cholmod;
  const InteriorPoint projector(to_tolerance(1e-7), parameters);
  for (const oracles::Oracle &oracle : all_oracles(seed))
    {
      const SaddlePoint x = projector.project(oracle.problem);
      BOOST_TEST(x.converged());
      BOOST_TEST(error(oracle.problem, x.u, oracle.u) < 1e-7);
    }
}

/// Networks in space with masses over `decades`, free and in a box whose walls move outwards.
std::vector<ProjectionProblem> problems_in_space(const unsigned int seed, const double decades)
{
  oracles::Random                random(seed);
  const oracles::Network         networks[] = {oracles::disturbed(oracles::face_centred_ball(3.), .15, 0., seed),
                                               oracles::random_network(3, 60, 420, seed), oracles::random_network(3, 80, 200, seed)};
  std::vector<ProjectionProblem> problems;
  for (const oracles::Network &network : networks)
    {
      const Vector masses = oracles::masses(random, network.size(), decades);
      problems.push_back(oracles::network_problem(network, masses, random.normals(3 * network.size())));
      problems.push_back(
          oracles::boxed_problem(network, masses, random.normals(3 * network.size()), Vector::Constant(6, -.3)));
    }
  return problems;
}

BOOST_DATA_TEST_CASE(single_precision_in_space_leads_to_the_same_answer,
                     utf::data::xrange(1u, 3u) * utf::data::make({0., 2., 3.9}), seed, decades)
{
  InteriorPoint::Parameters parameters;
  parameters.single_precision_from = 0;
  for (const ProjectionProblem &problem : problems_in_space(seed, decades))
    {
      const SaddlePoint x = InteriorPoint(to_tolerance(1e-6)).project(problem),
                        y = InteriorPoint(to_tolerance(1e-6), parameters).project(problem);
      BOOST_TEST(x.converged());
      BOOST_TEST(y.converged());
      BOOST_TEST(y.p.minCoeff() >= 0.);
      BOOST_TEST(y.n_iterations < 2 * x.n_iterations + 10);
      BOOST_TEST((x.p - y.p).cwiseAbs().maxCoeff() > 0.); // another method
      // the sum of the bounds where there are such, else of the estimates
      BOOST_TEST(error(problem, x.u, y.u) <=
                 1e-9 + (x.certificate.relative_error_bound + y.certificate.relative_error_bound) *
                            (x.certificate.guaranteed && y.certificate.guaranteed ? 1. : 10.));
    }
}

BOOST_AUTO_TEST_CASE(balls_that_walls_squeeze_are_infeasible_in_single_precision_too)
{
  InteriorPoint::Parameters parameters;
  parameters.single_precision_from = 0;
  oracles::Random         random(3);
  const oracles::Network  network = oracles::face_centred_ball(2.2);
  const ProjectionProblem problem = oracles::boxed_problem(network, Vector::Ones(network.size()),
                                                           random.normals(3 * network.size()), Vector::Constant(6, 1.));
  const SaddlePoint       x       = InteriorPoint(to_tolerance(1e-6), parameters).project(problem);
  BOOST_TEST_REQUIRE((x.status == Status::infeasible));
  BOOST_TEST(largest_of_Btp(problem, x.p) < 1e-12);
  BOOST_TEST(problem.b.dot(x.p) < 0.);
}

BOOST_AUTO_TEST_CASE(units_of_velocity_and_mass_make_no_difference)
{
  const InteriorPoint projector(to_tolerance(1e-6));
  for (const oracles::Oracle &oracle : all_oracles(3))
    {
      const unsigned int n_iterations = projector.project(oracle.problem).n_iterations;
      const Vector      &m            = dynamic_cast<const DiagonalSpace &>(*oracle.problem.V).masses();
      for (const double unit : {0x1p-27, 0x1p27, 0x1p-400}) // powers of two: nothing is rounded
        {
          oracles::Oracle scaled = oracle;
          scaled.problem.U *= unit;
          scaled.problem.b *= unit;
          SaddlePoint x = projector.project(scaled.problem);
          BOOST_TEST(x.converged());
          BOOST_TEST(error(scaled.problem, x.u, unit * oracle.u) < 1e-6);
          BOOST_TEST(x.n_iterations == n_iterations);

          if (dynamic_cast<const PairConstraint *>(oracle.problem.B.get()))
            continue; // its space has nodes of several entries
          scaled           = oracle;
          scaled.problem.V = std::make_shared<DiagonalSpace>(unit * m);
          x                = projector.project(scaled.problem);
          BOOST_TEST(x.converged());
          BOOST_TEST(error(scaled.problem, x.u, oracle.u) < 1e-6);
        }
    }
}

BOOST_AUTO_TEST_CASE(the_frame_makes_no_difference)
{
  const InteriorPoint projector(to_tolerance(1e-5));
  for (const oracles::Oracle &oracle : oracles::network_cones(2))
    {
      const Index       dim   = dynamic_cast<const DiagonalSpace &>(*oracle.problem.V).dimension();
      const Vector      frame = Vector::LinSpaced(dim, 1000., 2000.).replicate(oracle.u.size() / dim, 1);
      ProjectionProblem moved = oracle.problem;
      moved.U += frame;
      const SaddlePoint x = projector.project(moved);
      BOOST_TEST(x.converged());
      BOOST_TEST(error(moved, x.u, oracle.u + frame) < 1e-5);
    }
}

BOOST_AUTO_TEST_CASE(what_is_feasible_stays_as_it_is)
{
  const InteriorPoint projector(to_tolerance(1e-9));
  for (const oracles::Oracle &oracle : oracles::affine_oracles(4))
    {
      ProjectionProblem problem = oracle.problem;
      problem.U                 = oracle.u;
      Vector Bu(problem.n_constraints());
      problem.B->apply(oracle.u, Bu);
      problem.b           = Bu.cwiseMax(problem.b); // b = Bu + s up to rounding
      const SaddlePoint x = projector.project(problem);
      BOOST_TEST(x.converged());
      BOOST_TEST(x.n_iterations == 0);
      BOOST_TEST((x.u.array() == problem.U.array()).all());
      BOOST_TEST(x.p.isZero(0.));
    }
}

BOOST_AUTO_TEST_CASE(no_constraint_and_empty_rows_are_no_exception)
{
  const InteriorPoint projector(to_tolerance(1e-9));
  ProjectionProblem   problem;
  problem.V = std::make_shared<DiagonalSpace>(Vector::Ones(3));
  problem.B = std::make_shared<SparseConstraint>(SparseConstraint::Matrix(0, 3));
  problem.U = Vector::LinSpaced(3, 1., 3.);
  BOOST_TEST(projector.project(problem).converged());
  BOOST_TEST((projector.project(problem).u.array() == problem.U.array()).all());

  // u_0 <= 0, 0 <= 0, 0 <= 5
  SparseConstraint::Matrix B(3, 3);
  B.insert(0, 0)      = 1.;
  problem.B           = std::make_shared<SparseConstraint>(B);
  problem.b           = Vector::Zero(3);
  problem.b(2)        = 5.;
  const SaddlePoint x = projector.project(problem);
  BOOST_TEST_REQUIRE(x.converged());
  BOOST_TEST(std::abs(x.u(0)) < 1e-8);
  BOOST_TEST(x.u(1) == 2., boost::test_tools::tolerance(1e-8));
  BOOST_TEST(x.p(0) == 1., boost::test_tools::tolerance(1e-8));

  problem.b(1)           = -1.; // 0 <= -1
  const SaddlePoint none = projector.project(problem);
  BOOST_TEST((none.status == Status::infeasible));
  BOOST_TEST(none.p(1) == 1.);
  BOOST_TEST(none.p.sum() == 1.);
}

// Contacts far away, b a million times larger than |U|, are as if they were not there.
BOOST_AUTO_TEST_CASE(distant_rows_do_not_matter)
{
  const InteriorPoint projector(to_tolerance(1e-10));
  for (oracles::Oracle &oracle : oracles::affine_oracles(5))
    {
      ProjectionProblem        near = oracle.problem, all = oracle.problem;
      SparseConstraint::Matrix B = dynamic_cast<const SparseConstraint &>(*near.B).matrix();
      const Index              m = B.rows();
      Eigen::MatrixXd          twice(2 * m, B.cols());
      twice << Eigen::MatrixXd(B), Eigen::MatrixXd(-B);
      all.B = std::make_shared<SparseConstraint>(twice.sparseView());
      all.b.conservativeResize(2 * m);
      all.b.tail(m).setConstant(1e6 * near.U.lpNorm<Eigen::Infinity>());
      const SaddlePoint x = projector.project(all);
      BOOST_TEST(error(all, x.u, oracle.u) < 1e-7);
      BOOST_TEST(x.p.tail(m).maxCoeff() < 1e-6 * (1. + x.p.head(m).maxCoeff()));
    }
}

// No strictly feasible velocity: the row cannot move, and any multiple of (1, ..., 1) can be added to p.
BOOST_DATA_TEST_CASE(a_row_that_just_fits_between_walls_comes_to_rest, utf::data::make({1, 2, 5, 50, 400}), n)
{
  for (const double v_walls : {0., .7})
    {
      const ProjectionProblem problem = row_between_walls(n, v_walls, v_walls, n / 2);
      const SaddlePoint       x       = InteriorPoint(to_tolerance(1e-7)).project(problem);
      BOOST_TEST_REQUIRE(x.converged());
      for (int k = 0; k < n; ++k)
        BOOST_TEST(std::abs(x.u(2 * k) - v_walls) < 1e-6);
    }
}

// Farkas: p >= 0, B*p = 0 and <b,p> < 0 prove that no velocity is feasible, and the support of p is the crushed row.
BOOST_DATA_TEST_CASE(a_row_between_approaching_walls_is_infeasible_and_named, utf::data::make({1, 2, 5, 50, 400}), n)
{
  for (const double speed : {1., 1e-3})
    {
      const ProjectionProblem problem = row_between_walls(n, speed, -speed, n / 2);
      const SaddlePoint       x       = InteriorPoint(to_tolerance(1e-7)).project(problem);
      BOOST_TEST_REQUIRE((x.status == Status::infeasible));
      BOOST_TEST(x.p.maxCoeff() == 1.);
      BOOST_TEST(x.p.minCoeff() >= 0.);
      BOOST_TEST(largest_of_Btp(problem, x.p) < 1e-12);
      BOOST_TEST(problem.b.dot(x.p) < -1.9 * speed);
      BOOST_TEST(x.p.head(n + 1).minCoeff() > .99);
      BOOST_TEST(x.p.tail(n / 2).isZero(0.));
    }
}

// One sphere in a closed box, asked to leave it in every direction: wall velocities that no motion satisfies.
BOOST_AUTO_TEST_CASE(a_box_that_shrinks_around_a_sphere_is_infeasible)
{
  ProjectionProblem problem;
  Eigen::MatrixXd   e(2, 4);
  e << 1., -1., 0., 0., 0., 0., 1., -1.;
  problem.V = std::make_shared<DiagonalSpace>(Vector::Ones(1), 2);
  problem.B =
      std::make_shared<PairConstraint>(2, 1, std::vector<PairConstraint::Pair>(4, {0, PairConstraint::fixed_body}), e);
  problem.U = Vector::Zero(2);
  problem.b = Vector::Zero(4);
  problem.b << -1., -1., 2., 1.; // only the walls in x approach
  const SaddlePoint x = InteriorPoint(to_tolerance(1e-7)).project(problem);
  BOOST_TEST_REQUIRE((x.status == Status::infeasible));
  BOOST_TEST(largest_of_Btp(problem, x.p) < 1e-12);
  BOOST_TEST(problem.b.dot(x.p) < -1.);
  BOOST_TEST(x.p.tail(2).isZero(0.));
}

// Hundreds of multipliers could prove it; the one returned must be exact all the same.
BOOST_DATA_TEST_CASE(an_irregular_hyperstatic_network_in_a_shrinking_box_is_infeasible, utf::data::make({.1, 1e-3}), speed)
{
  const Index      nx = 14, ny = 12;
  oracles::Network network = oracles::lattice_patch(nx, ny, true);
  oracles::Random  random(8);
  for (Index k = 0; k < network.size(); ++k)
    network.r.col(k) += .1 * random.normals(2).cwiseMax(-1.).cwiseMin(1.);
  const Index                       n     = network.size();
  std::vector<PairConstraint::Pair> pairs = network.pairs;
  std::vector<Eigen::Vector2d>      e;
  for (const auto &[i, j] : network.pairs)
    e.push_back((network.r.col(j) - network.r.col(i)).normalized());
  // walls along the sides of the patch, which is a parallelogram of 60°
  const Eigen::Vector2d right(std::sqrt(.75), -.5), up(0., 1.);
  const auto            touches = [&](const Index k, const Eigen::Vector2d &outward) {
    pairs.push_back({static_cast<int>(k), PairConstraint::fixed_body});
    e.push_back(outward);
  };
  for (Index y = 0; y < ny; ++y)
    {
      touches(y * nx, -right);
      touches(y * nx + nx - 1, right);
    }
  for (Index x = 0; x < nx; ++x)
    {
      touches(x, -up);
      touches((ny - 1) * nx + x, up);
    }
  Eigen::MatrixXd directions(2, e.size());
  for (std::size_t c = 0; c < e.size(); ++c)
    directions.col(c) = e[c];

  ProjectionProblem problem;
  problem.V = std::make_shared<DiagonalSpace>(Vector::Ones(n), 2);
  problem.B = std::make_shared<PairConstraint>(2, n, pairs, directions);
  problem.U = random.normals(2 * n);
  problem.b = Vector::Zero(problem.n_constraints());
  problem.b.tail(problem.n_constraints() - network.pairs.size()).setConstant(-speed);
  const SaddlePoint x = InteriorPoint(to_tolerance(1e-7)).project(problem);
  BOOST_TEST_REQUIRE((x.status == Status::infeasible));
  BOOST_TEST(x.p.minCoeff() >= 0.);
  BOOST_TEST(x.p.maxCoeff() == 1.);
  BOOST_TEST(largest_of_Btp(problem, x.p) < 1e-12);
  BOOST_TEST(problem.b.dot(x.p) < -.1 * speed);

  problem.b.setZero(); // nothing moves in the closed box: feasible, without interior
  const SaddlePoint rest = InteriorPoint(to_tolerance(1e-7)).project(problem);
  BOOST_TEST(rest.converged());
}

// Seen from a frame of 1e6 the b of an exactly solvable problem is rounded to 1e-10: no proof of infeasibility.
BOOST_AUTO_TEST_CASE(rounded_data_are_not_called_infeasible)
{
  for (unsigned int seed = 1; seed < 5; ++seed)
    for (oracles::Oracle &oracle : oracles::affine_oracles(seed))
      {
        const Vector frame = Vector::Constant(oracle.u.size(), 1e6);
        Vector       B_frame(oracle.p.size());
        oracle.problem.B->apply(frame, B_frame);
        oracle.problem.U += frame;
        oracle.problem.b += B_frame;
        const SaddlePoint x = InteriorPoint(to_tolerance(1e-8)).project(oracle.problem);
        BOOST_TEST((x.status != Status::infeasible));
        BOOST_TEST(error(oracle.problem, x.u, oracle.u + frame) < 1e-6);
      }
}

BOOST_AUTO_TEST_CASE(a_good_guess_of_p_saves_iterations_and_a_bad_one_does_no_harm)
{
  oracles::Random        random(2);
  const oracles::Network network = oracles::lattice_patch(20, 20, true, .1);
  const Index            n       = network.size();
  ProjectionProblem      problem = oracles::network_problem(network, Vector::Ones(n), random.normals(2 * n));
  const InteriorPoint    projector(to_tolerance(1e-6));
  const SaddlePoint      before = projector.project(problem);
  BOOST_TEST_REQUIRE(before.converged());

  problem.U += 1e-3 * random.normals(2 * n);
  const SaddlePoint cold = projector.project(problem), warm = projector.project(problem, &before.p);
  BOOST_TEST_REQUIRE(cold.converged());
  BOOST_TEST_REQUIRE(warm.converged());
  BOOST_TEST(warm.n_iterations < .7 * cold.n_iterations);
  BOOST_TEST(error(problem, warm.u, cold.u) < 2e-6); // two bounds of 1e-6

  for (const Vector &guess : {Vector(1e6 * random.normals(before.p.size())), Vector(Vector::Zero(before.p.size())),
                              Vector(Vector::Constant(before.p.size(), std::numeric_limits<double>::quiet_NaN()))})
    {
      const SaddlePoint x = projector.project(problem, &guess);
      BOOST_TEST(x.converged());
      BOOST_TEST(error(problem, x.u, cold.u) < 2e-6);
    }
}

BOOST_AUTO_TEST_CASE(the_natural_residual_can_be_what_stops)
{
  StoppingCriterion criterion   = to_tolerance(1e-8);
  criterion.on_natural_residual = true;
  for (const oracles::Oracle &oracle : oracles::network_cones(3))
    {
      const SaddlePoint x = InteriorPoint(criterion).project(oracle.problem);
      BOOST_TEST(x.converged());
      BOOST_TEST(x.certificate.natural_residual <= 1e-8);
    }
}

BOOST_AUTO_TEST_CASE(caps_and_broken_data_are_statuses)
{
  const oracles::Oracle oracle    = oracles::affine_oracles(1)[2];
  StoppingCriterion     criterion = to_tolerance(1e-9);
  criterion.max_iterations        = 2;
  const SaddlePoint x             = InteriorPoint(criterion).project(oracle.problem);
  BOOST_TEST((x.status == Status::iteration_limit));
  BOOST_TEST(x.n_iterations == 2);

  ProjectionProblem broken = oracle.problem;
  broken.U(0)              = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(!InteriorPoint(criterion).project(broken).converged());

  struct OnlyProducts : ConstraintOperator
  {
    Index n_constraints() const override { return 1; }
    Index n_unknowns() const override { return 3; }
    void  apply(const Vector &, Vector &) const override {}
    void  apply_transpose(const Vector &, Vector &) const override {}
  };
  broken.B = std::make_shared<OnlyProducts>();
  BOOST_CHECK_THROW(InteriorPoint(criterion).project(broken), std::invalid_argument);
}

// Rows without entries that demand the impossible leave no scale: they are seen before one is needed.
BOOST_AUTO_TEST_CASE(rows_without_entries_that_cannot_be_met_are_infeasible)
{
  ProjectionProblem problem;
  problem.V = std::make_shared<DiagonalSpace>(Vector::Ones(2));
  problem.B = std::make_shared<SparseConstraint>(SparseConstraint::Matrix(3, 2));
  problem.U = Vector::Ones(2);
  problem.b = Eigen::Vector3d(0., -1., 1.);

  const SaddlePoint x = InteriorPoint(to_tolerance(1e-6)).project(problem);

  BOOST_TEST((x.status == Status::infeasible));
  BOOST_TEST(x.p == Vector(Eigen::Vector3d(0., 1., 0.)));
}

// A pack without differences of velocity that flies into a wall: relative to the wall's push, the residual is what it is.
BOOST_AUTO_TEST_CASE(a_uniform_velocity_can_stop_on_the_residual)
{
  ProjectionProblem problem = row_between_walls(4, -1e9, 0.);
  problem.U.setZero();
  for (Index k = 0; k < problem.V->size(); k += 2)
    problem.U(k) = 1.;
  StoppingCriterion criterion   = to_tolerance(1e-8);
  criterion.on_natural_residual = true;
  const SaddlePoint x           = InteriorPoint(criterion).project(problem);
  BOOST_TEST(x.converged());
  BOOST_TEST(x.n_iterations <= 15u); // 5; not only where nothing moves any more
  BOOST_TEST(max_abs(x.u) <= 1e-6);  // everything comes to rest; rows of four have condition 10
}

BOOST_AUTO_TEST_CASE(a_guess_of_another_length_or_that_is_not_finite_is_passed_over)
{
  const oracles::Oracle oracle = oracles::network_cones(3).front();
  const InteriorPoint   projector(to_tolerance(1e-6));
  const SaddlePoint     cold      = projector.project(oracle.problem);
  const Vector          too_short = Vector::Ones(1);
  Vector                infinite  = oracle.p;
  infinite(0)                     = std::numeric_limits<double>::infinity();
  for (const Vector *const p_start : {&too_short, static_cast<const Vector *>(&infinite)})
    BOOST_TEST(projector.project(oracle.problem, p_start).u == cold.u);
}

BOOST_AUTO_TEST_SUITE_END()
