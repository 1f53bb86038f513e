// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/factorisation/sparse_cholesky.h"

#include "tests/oracles.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <limits>

namespace moreau::convex
{
/// For the names of the test cases.
std::ostream &operator<<(std::ostream &out, const CholeskyBackend backend)
{
  return out << (backend == CholeskyBackend::cholmod ? "CHOLMOD" : "multifrontal");
}
} // namespace moreau::convex

BOOST_AUTO_TEST_SUITE(sparse_cholesky)

namespace utf = boost::unit_test;
using namespace moreau;
using namespace moreau::convex;

namespace
{
const CholeskyBackend backends[] = {CholeskyBackend::multifrontal, CholeskyBackend::cholmod};

/// M + BᵀWB of a network, as block values and as a dense matrix.
struct NetworkMatrix
{
  BlockPattern    pattern;
  Vector          values;
  Eigen::MatrixXd dense;

  /// weights 10^x, x uniform over `decades` around 0
  NetworkMatrix(const oracles::Network &network, const double decades, const unsigned int seed)
  {
    const int                     d = static_cast<int>(network.dim()), n = static_cast<int>(network.size());
    std::vector<std::vector<int>> below(n);
    for (const auto &[i, j] : network.pairs)
      below[std::min(i, j)].push_back(std::max(i, j));
    pattern.dim = d;
    pattern.column_start.push_back(0);
    for (int k = 0; k < n; ++k)
      {
        std::sort(below[k].begin(), below[k].end());
        pattern.row.push_back(k);
        pattern.row.insert(pattern.row.end(), below[k].begin(), below[k].end());
        pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
      }
    oracles::Random random(seed);
    dense = Eigen::MatrixXd::Identity(d * n, d * n);
    for (const auto &[i, j] : network.pairs)
      {
        Vector e                       = Vector::Zero(d * n);
        e.segment(d * i, d)            = (network.r.col(j) - network.r.col(i)).normalized();
        e.segment(d * j, d)            = -e.segment(d * i, d);
        const Eigen::MatrixXd weighted = std::pow(10., decades * (random.uniform() - .5)) * e * e.transpose();
        dense += weighted;
      }
    set_values();
  }

  void set_values()
  {
    const int d = pattern.dim;
    values.resize(static_cast<Index>(pattern.n_values()));
    for (int column = 0; column < pattern.n_nodes(); ++column)
      for (int q = pattern.column_start[column]; q < pattern.column_start[column + 1]; ++q)
        for (int a = 0; a < d; ++a)
          for (int k = 0; k < d; ++k)
            values((q * d + a) * d + k) = k < a && pattern.row[q] == column ? // not to be read
                                              std::numeric_limits<double>::quiet_NaN()
                                                                            : dense(d * pattern.row[q] + k, d * column + a);
  }
};

/// |Hx - f| / (|H| |x|): backward error.
double backward_error(const Eigen::MatrixXd &H, const Vector &x, const Vector &f)
{
  return (H * x - f).norm() / (H.norm() * x.norm());
}
} // namespace

BOOST_DATA_TEST_CASE(solutions_have_the_backward_error_of_rounding, utf::data::make(backends), backend)
{
  const oracles::Network networks[] = {oracles::lattice_patch(14, 11, true, .1), oracles::random_network(3, 40, 120, 1),
                                       oracles::random_network(1, 50, 70, 2), oracles::random_network(2, 30, 200, 3),
                                       oracles::random_network(2, 25, 3, 4)};
  oracles::Random        random(7);
  for (const oracles::Network &network : networks)
    {
      const NetworkMatrix H(network, 12., 5); // the contrast of an interior point
      const auto          cholesky = make_sparse_cholesky(H.pattern, backend);
      BOOST_TEST_REQUIRE(cholesky->factorize(H.values));
      const Vector f = random.normals(H.dense.rows());
      Vector       x = f;
      cholesky->solve(x);
      BOOST_TEST(backward_error(H.dense, x, f) < 1e-13); // some 100 columns of rounding
    }
}

BOOST_DATA_TEST_CASE(one_analysis_serves_many_matrices, utf::data::make(backends), backend)
{
  const oracles::Network network = oracles::lattice_patch(9, 9, true);
  oracles::Random        random(3);
  const auto             cholesky = make_sparse_cholesky(NetworkMatrix(network, 0., 1).pattern, backend);
  for (unsigned int seed = 1; seed < 5; ++seed)
    {
      const NetworkMatrix H(network, 6., seed);
      BOOST_TEST_REQUIRE(cholesky->factorize(H.values));
      for (int k = 0; k < 2; ++k)
        {
          const Vector f = random.normals(H.dense.rows());
          Vector       x = f;
          cholesky->solve(x);
          BOOST_TEST(backward_error(H.dense, x, f) < 1e-13);
        }
    }
}

BOOST_DATA_TEST_CASE(a_matrix_that_is_not_positive_definite_is_refused_and_the_next_one_accepted, utf::data::make(backends),
                     backend)
{
  NetworkMatrix H(oracles::lattice_patch(8, 8, true), 2., 1);
  const auto    cholesky = make_sparse_cholesky(H.pattern, backend);
  const Vector  good     = H.values;
  const Index   n        = H.dense.rows();
  for (const Index k : {Index(0), n / 2, n - 1})
    {
      const double diagonal = H.dense(k, k);
      for (const double wrong : {-1., 0., std::numeric_limits<double>::quiet_NaN()})
        {
          H.dense(k, k) = wrong;
          H.set_values();
          BOOST_TEST(!cholesky->factorize(H.values));
        }
      H.dense(k, k) = diagonal;
    }
  BOOST_TEST_REQUIRE(cholesky->factorize(good));
  const Vector f = Vector::Ones(n);
  Vector       x = f;
  cholesky->solve(x);
  BOOST_TEST(backward_error(H.dense, x, f) < 1e-13);
}

BOOST_DATA_TEST_CASE(a_matrix_of_one_node_is_no_exception, utf::data::make(backends), backend)
{
  BlockPattern one;
  one.dim             = 2;
  one.column_start    = {0, 1};
  one.row             = {0};
  const auto cholesky = make_sparse_cholesky(one, backend);
  Vector     H(4), x(2);
  H << 4., 2., 0., 2.;
  x << 8., 6.;
  BOOST_TEST_REQUIRE(cholesky->factorize(H)); // [4 2; 2 2]
  cholesky->solve(x);
  BOOST_TEST(x(0) == 1., boost::test_tools::tolerance(1e-14));
  BOOST_TEST(x(1) == 2., boost::test_tools::tolerance(1e-14));
}

// A dense front, wider than any block of the BLAS, and a diagonal matrix, where METIS sees no edge.
BOOST_DATA_TEST_CASE(dense_and_diagonal_patterns_work, utf::data::make(backends), backend)
{
  for (const Index n_pairs : {Index(0), Index(60 * 59 / 2)})
    {
      const NetworkMatrix H(oracles::random_network(2, 60, n_pairs, 1), 2., 1);
      const auto          cholesky = make_sparse_cholesky(H.pattern, backend);
      BOOST_TEST_REQUIRE(cholesky->factorize(H.values));
      const Vector f = Vector::LinSpaced(H.dense.rows(), -1., 2.);
      Vector       x = f;
      cholesky->solve(x);
      BOOST_TEST(backward_error(H.dense, x, f) < 1e-13);
    }
}

BOOST_AUTO_TEST_SUITE_END()
