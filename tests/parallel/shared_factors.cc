// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/shared_factors.h"

#include "shared_scene.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <random>

BOOST_AUTO_TEST_SUITE(shared_factors)

using namespace moreau;
using namespace moreau::parallel;

namespace
{
/// A grid of n x n bodies in the plane, each beside its neighbours: its blocks, and values of a matrix that is `shift` above
/// a semidefinite one.
struct Grid
{
  convex::BlockPattern pattern;
  Vector               values;
  Eigen::MatrixXd      dense;

  Grid(const int n, const double shift) : dense(Eigen::MatrixXd::Zero(2 * n * n, 2 * n * n))
  {
    std::mt19937_64 bits(3);
    const auto      uniform = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
    const auto      couple  = [&](const int i, const int j) {
      const double          angle = 6. * uniform();
      const Eigen::Vector2d e(std::cos(angle), std::sin(angle));
      const Eigen::Matrix2d part = (.5 + uniform()) * e * e.transpose();
      dense.block<2, 2>(2 * i, 2 * i) += part;
      dense.block<2, 2>(2 * j, 2 * j) += part;
      dense.block<2, 2>(2 * i, 2 * j) -= part;
      dense.block<2, 2>(2 * j, 2 * i) -= part;
    };
    pattern.dim = 2;
    pattern.column_start.push_back(0);
    for (int k = 0; k < n * n; ++k)
      {
        pattern.row.push_back(k);
        if (k % n < n - 1)
          pattern.row.push_back(k + 1), couple(k, k + 1);
        if (k + n < n * n)
          pattern.row.push_back(k + n), couple(k, k + n);
        pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
      }
    dense.diagonal().array() += shift;
    values.resize(static_cast<Index>(pattern.n_values()));
    for (int node = 0; node < pattern.n_nodes(); ++node)
      for (int q = pattern.column_start[node]; q < pattern.column_start[node + 1]; ++q)
        values.segment<4>(4 * q) = Eigen::Matrix2d(dense.block<2, 2>(2 * pattern.row[q], 2 * node)).reshaped();
  }
};

std::optional<SharedImpact> shared_with(const Scene &scene, const double largest_factor, const Processes &processes)
{
  const auto [first, last] = given(scene.spheres.size(), Given::by_all, processes);
  const Index          dim = scene.spheres.dimension(), n = last - first;
  const micro::Spheres part{scene.spheres.r.middleCols(first, n), scene.spheres.R.segment(first, n),
                            scene.spheres.m.segment(first, n)};
  return share_impact(part, scene.walls, scene.U.segment(dim * first, dim * n), {32, 4, tolerance, largest_factor},
                      processes);
}
} // namespace

BOOST_AUTO_TEST_CASE(solve_what_one_process_solves)
{
  const Processes world(MPI_COMM_WORLD);
  if (world.size() == 1)
    return;
  SharedFactors factors(world, 0.);
  if (world.rank() > 0)
    {
      factors.help();
      return;
    }
  const Grid soft(12, .1), stiff(9, 10.);
  {
    const auto one = factors.make(soft.pattern), other = factors.make(stiff.pattern); // two at a time
    BOOST_TEST_REQUIRE((one && other));
    BOOST_TEST(factors.n_made() == 2);
    BOOST_TEST(one->n_entries() > soft.pattern.n_values());
    const Vector x   = Vector::LinSpaced(soft.dense.rows(), -1., 2.);
    Vector       rhs = soft.dense * x, rhs_of_other = stiff.dense * Vector::Ones(stiff.dense.rows());
    BOOST_TEST_REQUIRE(one->factorize(soft.values));
    BOOST_TEST_REQUIRE(other->factorize(stiff.values));
    one->solve(rhs);
    other->solve(rhs_of_other);
    BOOST_TEST((rhs - x).cwiseAbs().maxCoeff() < 1e-12);
    BOOST_TEST((rhs_of_other.array() - 1.).abs().maxCoeff() < 1e-13);

    Vector again = soft.dense * x * 2.; // another matrix of the same pattern
    BOOST_TEST_REQUIRE(one->factorize(2. * soft.values));
    one->solve(again);
    BOOST_TEST((again - x).cwiseAbs().maxCoeff() < 1e-12);

    BOOST_TEST(!one->factorize(-soft.values));
    Vector damaged = soft.values;
    damaged(0)     = std::numeric_limits<double>::quiet_NaN();
    BOOST_TEST(!one->factorize(damaged));
  }
  factors.dismiss();
}

BOOST_AUTO_TEST_CASE(small_ones_are_left_to_the_first_process)
{
  const Processes world(MPI_COMM_WORLD);
  SharedFactors   factors(world, 1e9);
  BOOST_TEST(!factors.make(Grid(5, 1.).pattern));
  BOOST_TEST(factors.n_made() == 0);
}

BOOST_AUTO_TEST_CASE(impacts_are_certified_with_them)
{
  const Processes world(MPI_COMM_WORLD);
  for (const Index dim : {2, 3})
    {
      const Scene crowd = scene(dim, dim == 2 ? 14 : 6);
      auto        many = shared_with(crowd, 0., world), one = shared_with(crowd, 1e18, world);
      many->given_contacts();
      one->given_contacts();
      const convex::Impact by_all       = impact(*many, 0., "interior point", world);
      const convex::Impact by_one       = impact(*one, 0., "interior point", world);
      const auto           n_factorised = [](const SharedImpact &shared) {
        return convex::shared_network(shared.problem)->processes().n_factorised_by_all();
      };
      if (world.rank() > 0)
        continue;
      BOOST_TEST((n_factorised(*many) > 0) == (world.size() > 1));
      BOOST_TEST(n_factorised(*one) == 0);
      BOOST_TEST(by_all.effort.converged());
      BOOST_TEST(by_all.worst.guaranteed);
      const double allowed    = (by_all.worst.relative_error_bound + by_one.worst.relative_error_bound) * by_one.worst.scale;
      const Vector difference = by_all.projection.u - by_one.projection.u;
      BOOST_TEST(std::sqrt(.5) * difference.norm() <= allowed); // masses are at least 1/2
    }
}

BOOST_AUTO_TEST_SUITE_END()
