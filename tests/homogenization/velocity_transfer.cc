// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/velocity_transfer.h"

#include "homogenization/cell_location.h"
#include "tests/homogenization/cells.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cmath>
#include <limits>

BOOST_AUTO_TEST_SUITE(velocity_transfer)

using namespace moreau;
using namespace moreau::homogenization;
using oracles::Random;

namespace
{
/// Cells of n^dim spheres in the unit box, irregular.
VoronoiCells random_cells(const Index dim, const Index n)
{
  return VoronoiCells(test::random_spheres(n, dim), test::unit_box(dim));
}

/// Cells of a square lattice in the unit square.
VoronoiCells squares(const double spacing)
{
  return VoronoiCells(micro::lattices::square(test::filled(test::unit_box(2)), test::placement(spacing)), test::unit_box(2));
}

/// Field with the value of a function of one point.
template <class F>
geometry::Field pointwise(const F &f)
{
  return [f](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    values.resize(f(x.col(0)).size(), x.cols());
    for (Index q = 0; q < x.cols(); ++q)
      values.col(q) = f(x.col(q));
  };
}

/// A random quadratic field: its square has degree 4, so that quadrature makes no error.
geometry::Field quadratic(Random &random, const Index dim)
{
  const Eigen::MatrixXd A = random.normals(dim * dim).reshaped(dim, dim), B = random.normals(dim * dim).reshaped(dim, dim);
  const Vector          c = random.normals(dim);
  return pointwise([=](const Vector &x) { return Vector(c + A * x + B * x.cwiseProduct(x)); });
}

geometry::Field indicator_of_disc(const double R)
{
  return pointwise([R](const Vector &x) { return Eigen::Vector2d(((x.array() - .5).matrix().norm() < R) ? 1. : 0., 0.); });
}

double distance(const VoronoiCells &cells, const Fields &fields, const Pair &pair)
{
  return distances(cells, fields, {pair})[0].value;
}
} // namespace

// Means of an affine field are its values at the centroids, here of triangles' sums.
BOOST_AUTO_TEST_CASE(restriction_takes_means)
{
  for (const Index dim : {1, 2, 3})
    {
      Random                random(3);
      const VoronoiCells    cells = random_cells(dim, dim == 3 ? 3 : 6);
      const Eigen::MatrixXd A     = random.normals(dim * dim).reshaped(dim, dim);
      const Vector          U_tilde =
          restriction(cells, pointwise([A](const Vector &x) { return Vector(A * x + Vector::Ones(x.size())); }));
      Eigen::MatrixXd corners;
      for (Index i = 0; i < cells.size(); ++i)
        {
          cells.simplices(i, corners);
          Vector first_moment = Vector::Zero(dim);
          for (Index k = 0; k < corners.cols(); k += dim + 1)
            {
              const Eigen::MatrixXd edges = corners.middleCols(k + 1, dim).colwise() - corners.col(k);
              first_moment +=
                  std::abs(edges.determinant()) / std::tgamma(dim + 1.) * corners.middleCols(k, dim + 1).rowwise().mean();
            }
          const Vector mean = A * first_moment / cells.volumes()(i) + Vector::Ones(dim);
          BOOST_TEST((U_tilde.segment(dim * i, dim) - mean).norm() < 1e-13);
        }
    }
}

// Σ |D_i| Ũ_i = ∫U, known for a field of degree 5.
BOOST_AUTO_TEST_CASE(restriction_conserves_momentum)
{
  const VoronoiCells cells = random_cells(2, 7);
  double             error;
  const Vector       U_tilde  = restriction(cells, pointwise([](const Vector &x) {
                                       return Eigen::Vector2d(std::pow(x(0), 3) * x(1) * x(1), std::pow(x(1), 5) - x(0));
                                     }),
                                            &error);
  const Vector       momentum = U_tilde.reshaped(2, cells.size()) * cells.volumes();
  BOOST_TEST(std::abs(momentum(0) - 1. / 12.) < 1e-14);
  BOOST_TEST(std::abs(momentum(1) + 1. / 3.) < 1e-14);
  BOOST_TEST(error < 1e-5); // it knows of degree 3 only
}

// The restriction of what is constant on cells gives it back: no point lies on a boundary of cells.
BOOST_AUTO_TEST_CASE(restriction_inverts_prolongation)
{
  for (const Index dim : {1, 2, 3})
    {
      Random               random(9);
      const micro::Spheres spheres = test::random_spheres(3, dim);
      const Vector         v       = random.normals(dim * spheres.size());
      const Vector         again   = restriction(VoronoiCells(spheres, test::unit_box(dim)), prolongation(spheres, v));
      BOOST_TEST((again - v).cwiseAbs().maxCoeff() < 1e-13 * v.cwiseAbs().maxCoeff());
    }
}

// Restriction is the orthogonal projection on fields that are constant on cells: |U|² = |Ũ|² + |U - Ũ|².
BOOST_AUTO_TEST_CASE(restriction_is_an_orthogonal_projection)
{
  for (const Index dim : {1, 2, 3})
    {
      Random                random(21);
      const VoronoiCells    cells   = random_cells(dim, dim == 3 ? 3 : 6);
      const geometry::Field U       = quadratic(random, dim);
      const Vector          U_tilde = restriction(cells, U);
      const auto            found   = distances(cells, {{U}, {&U_tilde}}, {{0, Pair::zero}, {1, Pair::zero}, {0, 1}});
      const double          U_norm = found[0].value, mean_norm = found[1].value, rest = found[2].value;
      BOOST_TEST(std::abs(U_norm * U_norm - mean_norm * mean_norm - rest * rest) < 1e-13 * U_norm * U_norm);
    }
}

// The estimate of what quadrature adds to Ũ at a jump along a line through aligned cells, where the means are known.
BOOST_AUTO_TEST_CASE(the_error_of_restriction_is_honest)
{
  const VoronoiCells cells = squares(.1);
  for (const double jump : {.503, .52, .57, .6})
    {
      double       error, squared = 0.;
      const Vector U_tilde = restriction(
          cells, pointwise([jump](const Vector &x) { return Eigen::Vector2d(x(0) < jump ? 1. : -1., 0.); }), &error);
      for (Index i = 0; i < cells.size(); ++i)
        {
          const double left = cells.outline(i).row(0).minCoeff();
          const double part = std::min(1., std::max(0., (jump - left) / .1));
          squared += .01 * std::pow(U_tilde(2 * i) - (2. * part - 1.), 2);
        }
      BOOST_TEST(std::sqrt(squared) <= error + 1e-14);
      BOOST_TEST(error < 2e-3); // of |U| = 1
    }
}

// Functions and cellwise fields in all combinations, at points and by hand: |x|² and so on over the unit square in 4 cells.
BOOST_AUTO_TEST_CASE(distances_have_their_closed_forms)
{
  const VoronoiCells      cells = squares(.5);
  const geometry::Field   x     = pointwise([](const Vector &x) { return Vector(x); });
  const geometry::Field   y     = pointwise([](const Vector &x) { return Eigen::Vector2d(x(1), x(0)); });
  const Vector            half = Vector::Constant(8, .5), one = Vector::Ones(8);
  const std::vector<Pair> pairs     = {{0, Pair::zero}, {0, 1}, {0, 2}, {2, 0}, {2, 3}, {Pair::zero, 3}, {1, 1}, {2, 2}};
  const auto              found     = distances(cells, {{x, y}, {&half, &one}}, pairs);
  const double            squared[] = {2. / 3., 1. / 3., 1. / 6., 1. / 6., .5, 2., 0., 0.};
  for (std::size_t k = 0; k < found.size(); ++k)
    {
      BOOST_TEST(std::abs(found[k].value - std::sqrt(squared[k])) < 1e-15);
      BOOST_TEST(found[k].error < 1e-14);
    }
}

BOOST_AUTO_TEST_CASE(distances_evaluate_each_function_once_in_each_point)
{
  const VoronoiCells    cells = random_cells(2, 4);
  std::atomic<Index>    n_f = 0, n_g = 0;
  const geometry::Field f = [&](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    n_f += x.cols();
    values = x;
  };
  const geometry::Field g = [&](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    n_g += x.cols();
    values = 2. * x;
  };
  const Vector zero = Vector::Zero(2 * cells.size());
  distances(cells, {{f, g}, {&zero}}, {{0, 1}, {0, 2}, {1, 2}, {0, Pair::zero}, {1, 0}});
  Eigen::MatrixXd corners;
  Index           n_points = 0;
  for (Index i = 0; i < cells.size(); ++i)
    {
      cells.simplices(i, corners);
      n_points += 10 * corners.cols() / 3;
    }
  BOOST_TEST(n_f == n_points);
  BOOST_TEST(n_g == n_points);
}

// √(area) of a disc, and the distance of its indicator from another; both errors are stated.
BOOST_AUTO_TEST_CASE(distances_of_discontinuous_functions_state_their_errors)
{
  const VoronoiCells cells = random_cells(2, 14);
  const auto         found =
      distances(cells, {{indicator_of_disc(.3), indicator_of_disc(.41)}, {}}, {{0, Pair::zero}, {0, 1}, {1, 1}});
  const double expected[] = {std::sqrt(M_PI) * .3, std::sqrt(M_PI * (.41 * .41 - .3 * .3)), 0.};
  for (int k = 0; k < 3; ++k)
    {
      BOOST_TEST(std::abs(found[k].value - expected[k]) <= found[k].error);
      BOOST_TEST(found[k].error <= 1e-3 * expected[k]);
    }
}

// The error of a root: that of the square divided by twice the root, bounded where the root is 0.
BOOST_AUTO_TEST_CASE(a_distance_that_is_not_a_number_does_not_count_as_zero)
{
  const VoronoiCells    cells = random_cells(2, 3);
  const geometry::Field nan   = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    values.setConstant(2, x.cols(), std::numeric_limits<double>::quiet_NaN());
  };
  BOOST_TEST(std::isnan(distance(cells, {{nan}, {}}, {0, Pair::zero})));
}

// On one segment of length h the interpolant of x² errs by (x - a)(b - x), the square of which integrates to h⁵/30.
BOOST_AUTO_TEST_CASE(the_interpolant_of_a_parabola_errs_as_known)
{
  micro::Spheres spheres;
  spheres.r.resize(1, 4);
  spheres.r << 0., .2, .5, 1.;
  spheres.R = Vector::Constant(4, .1);
  const DelaunayMesh mesh{1, {0, 1, 1, 2, 2, 3}};
  const Vector       values   = spheres.r.row(0).array().square();
  const auto         parabola = pointwise([](const Vector &x) { return Vector(x.cwiseProduct(x)); });
  const Distance     found    = distance_to_interpolant(mesh, spheres, values, parabola);
  const double       exact    = std::sqrt((std::pow(.2, 5) + std::pow(.3, 5) + std::pow(.5, 5)) / 30.);
  BOOST_TEST(std::abs(found.value - exact) < 1e-15);
}

BOOST_AUTO_TEST_CASE(the_interpolant_of_affine_fields_is_exact)
{
  Random random(43);
  for (const Index dim : {2, 3})
    {
      micro::Spheres spheres;
      spheres.r = Eigen::MatrixXd::Zero(dim, dim + 2);
      spheres.r.middleCols(1, dim).setIdentity();
      spheres.r.col(dim + 1).setConstant(.9);
      DelaunayMesh mesh{dim, {}};
      for (const Index first : {0, 1}) // two simplices with a common face
        for (Index k = 0; k <= dim; ++k)
          mesh.corners.push_back(static_cast<int>(first + k));
      const Eigen::MatrixXd A      = random.normals(dim * dim).reshaped(dim, dim);
      const Eigen::MatrixXd values = A * spheres.r;
      const auto            affine = pointwise([A](const Vector &x) { return Vector(A * x); });
      const auto            zero   = pointwise([](const Vector &x) { return Vector(Vector::Zero(x.size())); });
      BOOST_TEST(distance_to_interpolant(mesh, spheres, values.reshaped(), affine).value < 1e-14);
      BOOST_TEST(distance_to_interpolant(mesh, spheres, values.reshaped(), zero).value > .1);
    }
}

BOOST_AUTO_TEST_SUITE_END()
