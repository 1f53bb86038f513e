// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/diagnostics.h"

#include "convex/solvers/lawson_hanson.h"
#include "tests/oracles.h"

#include <Eigen/Dense>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(diagnostics)

using namespace moreau::convex;
using namespace moreau;

namespace
{
/// A hexagon around a centre: 12 contacts of rank 11.
oracles::Network seven_discs()
{
  oracles::Network network;
  network.r = Eigen::MatrixXd::Zero(2, 7);
  for (int k = 0; k < 6; ++k)
    {
      network.r.col(k) << std::cos(k * M_PI / 3.), std::sin(k * M_PI / 3.);
      network.pairs.push_back({k, (k + 1) % 6});
      network.pairs.push_back({k, 6});
    }
  return network;
}

/// Points at the corners of a flat rhombus with a contact along its short diagonal (BM, fig. 4): the long diagonal is x.
oracles::Network rhombus(const double half_angle)
{
  oracles::Network network;
  const double     a = std::cos(half_angle), b = std::sin(half_angle);
  network.r.resize(2, 4);
  network.r << -a, a, 0., 0., /**/ 0., 0., b, -b;
  network.pairs = {{0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  return network;
}

ProjectionProblem problem_of(const oracles::Network &network, const Vector &U)
{
  return oracles::network_problem(network, Vector::Ones(network.size()), U);
}

Vector towards_the_centre(const oracles::Network &network)
{
  const Eigen::MatrixXd U = network.r.rowwise().mean().replicate(1, network.size()) - network.r;
  return Eigen::Map<const Vector>(U.data(), U.size());
}

Diagnostics diagnose_exactly(const ProjectionProblem &problem) { return diagnose(problem, LawsonHanson().project(problem)); }

/// A transpose that is none.
class WrongTranspose : public SparseConstraint
{
public:
  using SparseConstraint::SparseConstraint;
  void apply_transpose(const Vector &q, Vector &Btq) const override
  {
    SparseConstraint::apply_transpose(q, Btq);
    Btq(0) += .1 * q(0);
  }
};
} // namespace

BOOST_AUTO_TEST_CASE(a_wrong_transpose_is_seen)
{
  oracles::Random   random(1);
  ProjectionProblem problem = oracles::affine_oracles(1)[1].problem;
  BOOST_TEST(adjoint_defect(problem) < 1e-14); // rounding
  const SparseConstraint::Matrix B = static_cast<const SparseConstraint &>(*problem.B).matrix();
  problem.B                        = std::make_shared<WrongTranspose>(B);
  BOOST_TEST(adjoint_defect(problem) > 1e-4);
}

BOOST_AUTO_TEST_CASE(rank_and_kernels_of_known_clusters)
{
  const Diagnostics seven = diagnose_exactly(problem_of(seven_discs(), Vector::LinSpaced(14, -1., 2.)));
  BOOST_TEST(seven.rank_of_B.value() == 11);
  BOOST_TEST(seven.dim_kernel_of_B.value() == 3); // rigid motions of the plane
  BOOST_TEST(seven.dim_kernel_of_Bstar.value() == 1);

  // a lattice strip of two rows is isostatic: 2n - 3 contacts
  const oracles::Network strip = oracles::lattice_patch(6, 2, true);
  const Diagnostics      two   = diagnose_exactly(problem_of(strip, Vector::LinSpaced(24, -1., 2.)));
  BOOST_TEST(two.rank_of_B.value() == 21);
  BOOST_TEST(two.dim_kernel_of_Bstar.value() == 0);
  BOOST_TEST(two.multiplier_is_unique.value());
}

BOOST_AUTO_TEST_CASE(ranks_survive_masses_over_many_orders)
{
  oracles::Random        random(6);
  const oracles::Network network = seven_discs();
  const auto             problem = oracles::network_problem(network, oracles::masses(random, 7, 12.), Vector::Zero(14));
  BOOST_TEST(rank(problem) == 11);
}

BOOST_AUTO_TEST_CASE(positive_couplings_are_those_of_the_dense_matrix)
{
  oracles::Random        random(9);
  const oracles::Network network = oracles::random_network(2, 12, 30, 2);
  const Vector           mass    = oracles::masses(random, 12, 1.);
  const auto             problem = oracles::network_problem(network, mass, Vector::Zero(24));
  const Eigen::MatrixXd  B       = static_cast<const SparseConstraint &>(*problem.B).matrix();
  const Eigen::MatrixXd  W =
      B * static_cast<const DiagonalSpace &>(*problem.V).masses().cwiseInverse().asDiagonal() * B.transpose();
  Index  expected = 0;
  double largest  = 0.;
  for (Index c = 0; c < W.rows(); ++c)
    for (Index d = c + 1; d < W.rows(); ++d)
      if (W(c, d) > 1e-10)
        {
          ++expected;
          largest = std::max(largest, W(c, d) / std::sqrt(W(c, c) * W(d, d)));
        }

  const PositiveCouplings couplings = positive_couplings(problem).value();

  BOOST_TEST(expected > 0);
  BOOST_TEST(couplings.n_pairs == expected);
  BOOST_TEST(couplings.largest == largest, boost::test_tools::tolerance(1e-14));
}

// In one dimension BB* is a finite-difference Laplacian (BM, eq. 18).
BOOST_AUTO_TEST_CASE(a_row_has_no_positive_couplings_and_the_maximum_principle)
{
  oracles::Network network;
  network.r     = Vector::LinSpaced(4, 0., 3.).transpose();
  network.pairs = {{0, 1}, {1, 2}, {2, 3}};
  Vector U(4);
  U << 2., 1., .5, -3.;
  const Diagnostics row = diagnose_exactly(problem_of(network, U));
  BOOST_TEST(row.positive_couplings->n_pairs == 0);
  BOOST_TEST((row.maximum_principle == MaximumPrinciple::holds));
  U(0) = 0.;
  BOOST_TEST((diagnose_exactly(problem_of(network, U)).maximum_principle == MaximumPrinciple::not_applicable));
}

// The long diagonal is squeezed: the equality problem would have to pull on the short one (BM, fig. 4).
BOOST_AUTO_TEST_CASE(a_flat_rhombus_fails_the_maximum_principle)
{
  const oracles::Network network = rhombus(M_PI / 6.);
  Vector                 U(8);
  U << 1., 0., -1., 0., 0., -.05, 0., .05;
  const ProjectionProblem problem = problem_of(network, U);
  const Eigen::MatrixXd   B       = static_cast<const SparseConstraint &>(*problem.B).matrix();
  const Vector            glued   = (B * B.transpose()).ldlt().solve(B * U);
  BOOST_TEST((B * U).minCoeff() > 0.);
  BOOST_TEST(glued(4) < -.1);

  const Diagnostics fails = diagnose_exactly(problem);
  BOOST_TEST((fails.maximum_principle == MaximumPrinciple::fails));
  BOOST_TEST(fails.positive_couplings->n_pairs > 0);

  // pressed evenly the same four discs do not open
  const Diagnostics even = diagnose_exactly(problem_of(network, towards_the_centre(network)));
  BOOST_TEST((even.maximum_principle == MaximumPrinciple::holds));
}

BOOST_AUTO_TEST_CASE(multipliers_of_seven_discs_are_unique_or_not_by_velocity)
{
  const oracles::Network network = seven_discs();
  // pressed towards the centre: the self-stress of rim and spokes can be added
  BOOST_TEST(!diagnose_exactly(problem_of(network, towards_the_centre(network))).multiplier_is_unique.value());
  // only the ring's disc 0 hits the centre: the others open, and the self-stress has no room
  const Vector U = -3. * towards_the_centre(network) + 4. * [] {
    Vector hit = Vector::Zero(14);
    hit(0)     = -1.;
    return hit;
  }();
  BOOST_TEST(diagnose_exactly(problem_of(network, U)).multiplier_is_unique.value());
}

// A kernel of B* of dimension 9 does not make p ambiguous where the signs leave it no room: a rhombus pressed together has
// one p, found from whatever active set.
BOOST_AUTO_TEST_CASE(multipliers_can_be_unique_in_a_hyperstatic_cluster)
{
  const oracles::Network  network = oracles::lattice_patch(5, 5, true);
  const ProjectionProblem problem = problem_of(network, towards_the_centre(network));
  const SaddlePoint       x       = LawsonHanson().project(problem);
  const Diagnostics       facts   = diagnose(problem, x);
  BOOST_TEST(facts.dim_kernel_of_Bstar.value() == 9);
  BOOST_TEST(facts.multiplier_is_unique.value());
  const Vector guess = oracles::Random(4).normals(problem.n_constraints());
  BOOST_TEST((LawsonHanson().project(problem, &guess).p - x.p).lpNorm<Eigen::Infinity>() < 1e-12); // rounding
}

// p = 0 is a multiplier of rest; between two walls (1, 1) can be added, in a free row nothing can.
BOOST_AUTO_TEST_CASE(a_sphere_between_walls_has_many_multipliers)
{
  ProjectionProblem problem;
  Eigen::MatrixXd   e(1, 2);
  e << 1., -1.;
  const int wall = PairConstraint::fixed_body;
  problem.V      = std::make_shared<DiagonalSpace>(Vector::Ones(1));
  problem.B      = std::make_shared<PairConstraint>(1, 1, std::vector<PairConstraint::Pair>{{0, wall}, {0, wall}}, e);
  problem.U      = Vector::Constant(1, 1.);
  BOOST_TEST(!diagnose_exactly(problem).multiplier_is_unique.value());
  problem.b = Vector::Constant(2, .1); // the walls leave room: only one of them is touched
  BOOST_TEST(diagnose_exactly(problem).multiplier_is_unique.value());
}

BOOST_AUTO_TEST_CASE(moreau_identities_hold_for_projections_only)
{
  const auto  cone = oracles::network_cones(3)[2];
  SaddlePoint x    = LawsonHanson().project(cone.problem);
  Diagnostics good = diagnose(cone.problem, x);
  BOOST_TEST(good.orthogonality_defect.value() < 1e-12); // rounding
  BOOST_TEST(good.energy_defect.value() < 1e-12);
  x.u *= .9;
  Diagnostics bad = diagnose(cone.problem, x);
  BOOST_TEST(bad.orthogonality_defect.value() > 1e-3);
  BOOST_TEST(bad.energy_defect.value() > 1e-3);
  BOOST_TEST(!diagnose_exactly(oracles::affine_oracles(1)[1].problem).energy_defect); // meaningless for b != 0
}

BOOST_AUTO_TEST_CASE(what_is_too_large_is_left_out)
{
  const auto        cone = oracles::network_cones(3)[1];
  const SaddlePoint x    = LawsonHanson().project(cone.problem);
  const Diagnostics some = diagnose(cone.problem, x, 10);
  BOOST_TEST(!some.rank_of_B);
  BOOST_TEST(!some.multiplier_is_unique);
  BOOST_TEST(some.positive_couplings.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
