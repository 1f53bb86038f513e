// SPDX-License-Identifier: GPL-3.0-or-later
// What the impact law must not depend on, for every solver.
#include "convex/impact_law.h"
#include "convex/solvers/make_projector.h"
#include "micro/impact_problem.h"
#include "micro/lattices.h"
#include "tests/oracles.h"

#include <Eigen/Geometry>

#include <boost/test/unit_test.hpp>

#include <numeric>

BOOST_AUTO_TEST_SUITE(invariances)

using namespace moreau;
using namespace moreau::micro;

namespace
{
constexpr double tolerance = 1e-6; // relative error bound demanded of every solver

struct Configuration
{
  Spheres spheres;
  Vector  U;
};

double max_abs(const Vector &v) { return v.lpNorm<Eigen::Infinity>(); }

/// A lattice with holes, masses over two decades and random velocities.
Configuration configuration(const Index dim = 2)
{
  lattices::Zone zone;
  zone.lower = Vector::Zero(dim);
  zone.upper = Vector::Constant(dim, dim == 2 ? 6. : 3.);
  lattices::Placement placement;
  placement.vacancies = .15;
  placement.angle     = .3;
  oracles::Random random(5);
  Configuration   x;
  x.spheres   = dim == 2 ? lattices::triangular(zone, placement) : lattices::face_centred_cubic(zone, placement);
  x.spheres.m = oracles::masses(random, x.spheres.size(), 2.);
  x.U         = random.normals(dim * x.spheres.size());
  return x;
}

/// The solvers under test; `lines` needs the lattice that rotations and permutations keep, so it runs too.
const std::vector<std::string> &solvers() { return convex::projector_names(); }

convex::SaddlePoint project(const std::string &solver, const Configuration &x)
{
  convex::StoppingCriterion criterion;
  criterion.tolerance = tolerance;
  const auto answer   = convex::make_projector(solver, criterion)->project(micro::impact_problem(x.spheres, x.U));
  BOOST_TEST_REQUIRE(answer.converged());
  return answer;
}

/// What every answer is certified to, in units of its scale.
double demanded(const convex::SaddlePoint &answer)
{
  convex::StoppingCriterion criterion;
  criterion.tolerance = tolerance;
  return criterion.demanded(answer.certificate);
}

/// Two certified answers in the same units differ by at most the sum of their bounds, entry by entry with the least mass.
void check_equal(const Configuration &x, const convex::SaddlePoint &answer, const Vector &expected)
{
  const double bound = 2. * demanded(answer) * answer.certificate.scale;
  BOOST_TEST(max_abs(answer.u - expected) <= bound / std::sqrt(x.spheres.m.minCoeff()));
}

/// Applies a linear map to the velocity of every sphere.
Vector map_each(const Eigen::MatrixXd &A, const Vector &u)
{
  const Eigen::MatrixXd mapped = A * Eigen::Map<const Eigen::MatrixXd>(u.data(), A.cols(), u.size() / A.cols());
  return Eigen::Map<const Vector>(mapped.data(), mapped.size());
}
} // namespace

BOOST_AUTO_TEST_CASE(rotations_and_reflections_commute_with_the_law)
{
  Eigen::Matrix2d turn = Eigen::Rotation2Dd(.77).toRotationMatrix(), mirror = turn;
  mirror.col(0) *= -1.;
  for (const std::string &solver : solvers())
    for (const Eigen::Matrix2d &Q : {turn, mirror})
      BOOST_TEST_CONTEXT(solver)
      {
        Configuration x        = configuration();
        const Vector  expected = map_each(Q, project(solver, x).u);
        x.spheres.r            = Q * x.spheres.r;
        x.U                    = map_each(Q, x.U);
        check_equal(x, project(solver, x), expected);
      }
}

BOOST_AUTO_TEST_CASE(the_numbering_of_spheres_does_not_matter)
{
  for (const std::string &solver : solvers())
    BOOST_TEST_CONTEXT(solver)
    {
      const Configuration x = configuration();
      const Vector        u = project(solver, x).u;
      const Index         n = x.spheres.size();
      Configuration       y = x;
      Vector              expected(u.size());
      for (Index k = 0; k < n; ++k)
        {
          const Index to              = (7 * k + 3) % n; // a permutation: 7 does not divide n
          y.spheres.r.col(to)         = x.spheres.r.col(k);
          y.spheres.m(to)             = x.spheres.m(k);
          y.U.segment(2 * to, 2)      = x.U.segment(2 * k, 2);
          expected.segment(2 * to, 2) = u.segment(2 * k, 2);
        }
      BOOST_TEST_REQUIRE(std::gcd(Index(7), n) == 1);
      check_equal(y, project(solver, y), expected);
    }
}

BOOST_AUTO_TEST_CASE(a_moving_frame_adds_its_velocity)
{
  for (const std::string &solver : solvers())
    BOOST_TEST_CONTEXT(solver)
    {
      Configuration x     = configuration();
      const Vector  frame = Eigen::Vector2d(3., -7.).replicate(x.spheres.size(), 1), expected = project(solver, x).u + frame;
      x.U += frame;
      check_equal(x, project(solver, x), expected);
    }
}

BOOST_AUTO_TEST_CASE(units_of_mass_and_length_do_not_matter)
{
  for (const std::string &solver : solvers())
    BOOST_TEST_CONTEXT(solver)
    {
      const Configuration x     = configuration();
      const auto          u     = project(solver, x);
      Configuration       grams = x, millimetres = x;
      grams.spheres.m *= 1000.;
      const auto heavy = project(solver, grams);
      check_equal(x, heavy, u.u);
      // impulses are in kg m/s: compare what they do
      const auto problem = micro::impact_problem(x.spheres, x.U);
      BOOST_TEST(problem.V->norm(problem.velocity_of(heavy.p / 1000.) - problem.velocity_of(u.p)) <=
                 4. * demanded(u) * u.certificate.scale);
      millimetres.spheres.r *= 1000.;
      millimetres.spheres.R *= 1000.;
      check_equal(x, project(solver, millimetres), u.u);
    }
}

BOOST_AUTO_TEST_CASE(the_law_is_positively_homogeneous)
{
  for (const std::string &solver : solvers())
    for (const double factor : {1e-6, 1e4})
      BOOST_TEST_CONTEXT(solver << ", factor " << factor)
      {
        Configuration x        = configuration();
        const Vector  expected = factor * project(solver, x).u;
        x.U *= factor;
        check_equal(x, project(solver, x), expected);
      }
}

BOOST_AUTO_TEST_CASE(spheres_in_a_plane_are_discs)
{
  for (const std::string &solver : solvers())
    BOOST_TEST_CONTEXT(solver)
    {
      const Configuration               flat = configuration();
      const Eigen::Matrix<double, 3, 2> lift = Eigen::Matrix<double, 3, 2>::Identity();
      Configuration space{{lift * flat.spheres.r, flat.spheres.R, flat.spheres.m}, map_each(lift, flat.U)};
      const auto    x = project(solver, space);
      check_equal(flat, x, map_each(lift, project(solver, flat).u));
      for (Index k = 0; k < flat.spheres.size(); ++k)
        BOOST_TEST(x.u(3 * k + 2) == 0.); // nothing pushes out of the plane
    }
}

// Without walls impulses are equal and opposite and act along the lines of centres.
BOOST_AUTO_TEST_CASE(momentum_and_angular_momentum_are_conserved)
{
  for (const Index dim : {2, 3})
    for (const std::string &solver : solvers())
      BOOST_TEST_CONTEXT(solver << ", dimension " << dim)
      {
        const Configuration   x       = configuration(dim);
        const auto            answer  = project(solver, x);
        const auto            problem = micro::impact_problem(x.spheres, x.U);
        const Vector          change  = problem.velocity_of(answer.p) - x.U; // of the reported impulses, exactly
        const Eigen::MatrixXd impulse =
            Eigen::Map<const Eigen::MatrixXd>(change.data(), dim, x.spheres.size()) * x.spheres.m.asDiagonal();
        const double size = impulse.norm();
        BOOST_TEST(impulse.rowwise().sum().norm() < 1e-13 * size); // rounding
        const Eigen::MatrixXd moment = x.spheres.r * impulse.transpose();
        BOOST_TEST((moment - moment.transpose()).norm() < 1e-12 * size * x.spheres.r.norm()); // rounding of directions
        // and the reported u has it to the tolerance
        BOOST_TEST(problem.V->norm(answer.u - problem.velocity_of(answer.p)) <=
                   4. * demanded(answer) * answer.certificate.scale);
      }
}

// The velocity that is reported, of any solver that certifies it and with any restitution: Σ m u changes by rounding only.
BOOST_AUTO_TEST_CASE(no_impact_changes_the_momentum_of_the_reported_velocity)
{
  for (const Index dim : {2, 3})
    for (const std::string &solver : solvers())
      for (const double e : {0., .5, 1.})
        BOOST_TEST_CONTEXT(solver << ", dimension " << dim << ", e = " << e)
        {
          const Configuration       x = configuration(dim);
          convex::StoppingCriterion criterion;
          criterion.tolerance = tolerance;
          const auto impact =
              convex::post_impact(micro::impact_problem(x.spheres, x.U), *convex::make_projector(solver, criterion), e);
          const auto velocities = [&](const Vector &v) {
            return Eigen::Map<const Eigen::MatrixXd>(v.data(), dim, x.spheres.size());
          };
          const Vector change       = velocities(impact.u_plus - x.U) * x.spheres.m;
          const double all_momentum = velocities(x.U).colwise().norm().dot(x.spheres.m);
          BOOST_TEST(max_abs(change) <= 1e-12 * all_momentum);
        }
}

// |u⁺|² = |P_C U|² + e²|P_N U|² for one application, and never more than |U|².
BOOST_AUTO_TEST_CASE(energy_follows_the_restitution)
{
  for (const std::string &solver : solvers())
    for (const double e : {0., .4, 1.})
      BOOST_TEST_CONTEXT(solver << ", e = " << e)
      {
        const Configuration       x       = configuration();
        const auto                problem = micro::impact_problem(x.spheres, x.U);
        convex::StoppingCriterion criterion;
        criterion.tolerance = tolerance;
        const auto impact   = convex::post_impact(problem, *convex::make_projector(solver, criterion), e);
        const auto energy   = [&](const Vector &v) { return problem.V->dot(v, v); };
        // an error δ|U| of the projection enters with (1+e)² and twice
        const double error = 8. * impact.effort.n_projections * criterion.demanded(impact.worst) * energy(x.U);
        BOOST_TEST((impact.effort.status == convex::Status::converged));
        BOOST_TEST(energy(impact.u_plus) <= energy(x.U) + error);
        if (impact.effort.n_projections == 1)
          {
            const Vector &u = impact.projection.u;
            BOOST_TEST(std::abs(energy(impact.u_plus) - energy(u) - e * e * energy(x.U - u)) <= error);
          }
        if (e == 1.)
          BOOST_TEST(std::abs(energy(impact.u_plus) - energy(x.U)) <= error);
        if (e == 0.)
          BOOST_TEST(impact.effort.n_projections == 1u);
      }
}

BOOST_AUTO_TEST_SUITE_END()
