// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/factorisation/dense_front.h"

#include "tests/oracles.h"

#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <tbb/global_control.h>

#include <Eigen/Cholesky>

#include <limits>

BOOST_AUTO_TEST_SUITE(dense_front)

using namespace moreau;
using namespace moreau::convex;

namespace
{
template <class Real>
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

/// A front [A11; A21] and a Schur complement, made of random numbers.
template <class Real>
struct Front
{
  int          nr, nc;
  Matrix<Real> panel, schur;

  Front(const int nr, const int nc, const unsigned int seed) : nr(nr), nc(nc)
  {
    oracles::Random random(seed);
    const auto      numbers = [&](const int rows, const int columns) {
      return Matrix<Real>(
          Eigen::MatrixXd::NullaryExpr(rows, columns, [&](Index, Index) { return random.normal(); }).template cast<Real>());
    };
    panel = numbers(nr, nc);
    schur = numbers(nr - nc, nr - nc);
    panel.diagonal().array() += 4. * nc; // definite
    panel.topRows(nc).template triangularView<Eigen::StrictlyUpper>().setConstant(std::numeric_limits<Real>::quiet_NaN());
  }

  bool eliminate(const bool empty) { return eliminate_front(panel.data(), nr, nc, schur.data(), empty); }
};

/// The largest difference below the diagonal, relative to the largest entry.
template <class Real>
double difference(const Matrix<Real> &a, const Matrix<Real> &b)
{
  double largest = 0., size = 0.;
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = j; i < a.rows(); ++i)
      {
        largest = std::max(largest, std::abs(double(a(i, j)) - double(b(i, j))));
        size    = std::max(size, std::abs(double(b(i, j))));
      }
  return largest / std::max(size, 1e-300);
}

const std::pair<int, int> sizes[] = {{1, 1}, {40, 7}, {767, 300}, {768, 300}, {900, 900}, {1100, 1}, {1300, 513}};
} // namespace

typedef boost::mpl::list<double, float> precisions;

BOOST_AUTO_TEST_CASE_TEMPLATE(fronts_of_every_size_are_eliminated, Real, precisions)
{
  for (const auto &[nr, nc] : sizes)
    for (const bool empty : {false, true})
      BOOST_TEST_CONTEXT(nr << " rows, " << nc << " columns")
      {
        Front<Real>  front(nr, nc, 3);
        Matrix<Real> L = front.panel;
        Matrix<Real> S = front.schur;
        if (empty)
          {
            S.setZero();
            front.schur.setConstant(std::numeric_limits<Real>::quiet_NaN());
          }
        const Matrix<Real> L11 = Matrix<Real>(L.topRows(nc)).template selfadjointView<Eigen::Lower>().llt().matrixL();
        L.topRows(nc)          = L11;
        if (nr > nc)
          {
            L.bottomRows(nr - nc) =
                L11.template triangularView<Eigen::Lower>().solve(L.bottomRows(nr - nc).transpose()).transpose();
            S -= L.bottomRows(nr - nc) * L.bottomRows(nr - nc).transpose();
          }
        BOOST_TEST_REQUIRE(front.eliminate(empty));
        const double rounding = 100. * std::numeric_limits<Real>::epsilon();
        BOOST_TEST(difference<Real>(front.panel, L) < rounding);
        BOOST_TEST(difference<Real>(front.schur, S) < rounding);
      }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(threads_do_not_change_a_digit, Real, precisions)
{
  Front<Real> alone(1300, 513, 4), together = alone;
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    BOOST_TEST_REQUIRE(alone.eliminate(false));
  }
  {
    const tbb::global_control four(tbb::global_control::max_allowed_parallelism, 4);
    BOOST_TEST_REQUIRE(together.eliminate(false));
  }
  BOOST_TEST(difference<Real>(alone.panel, together.panel) == 0.);
  BOOST_TEST(difference<Real>(alone.schur, together.schur) == 0.);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(pivots_that_are_not_positive_are_found_wherever_they_are, Real, precisions)
{
  for (const int k : {0, 255, 256, 512})
    for (const Real wrong : {Real(-1e6), std::numeric_limits<Real>::quiet_NaN()})
      {
        Front<Real> front(1300, 513, 5);
        front.panel(k, k) = wrong;
        BOOST_TEST(!front.eliminate(false));
      }
}

BOOST_AUTO_TEST_SUITE_END()
