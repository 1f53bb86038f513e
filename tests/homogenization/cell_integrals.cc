// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/cell_integrals.h"

#include "homogenization/embedded_rule.h"
#include "tests/homogenization/cells.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

#include <tbb/global_control.h>

#include <atomic>
#include <cmath>

BOOST_AUTO_TEST_SUITE(cell_integrals)

using namespace moreau;
using namespace moreau::homogenization;
using oracles::Random;

namespace utf = boost::unit_test;

namespace
{
/// Cells of n^dim spheres in the unit box, irregular.
VoronoiCells random_cells(const Index dim, const Index n)
{
  return VoronoiCells(test::random_spheres(n, dim), test::unit_box(dim));
}

using Lattice = micro::Spheres (*)(const micro::lattices::Zone &, const micro::lattices::Placement &);

VoronoiCells cells_of(const Lattice lattice, const Index dim, const double spacing)
{
  return VoronoiCells(lattice(test::filled(test::unit_box(dim)), test::placement(spacing)), test::unit_box(dim));
}

VoronoiCells hexagons(const double spacing) { return cells_of(micro::lattices::triangular, 2, spacing); }

/// 1 where a·x < c, else 0.
CellIntegrand half_space(const Vector &a, const double c)
{
  return [a, c](Index, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    for (Index q = 0; q < x.cols(); ++q)
      values(0, q) = a.dot(x.col(q)) < c ? 1. : 0.;
  };
}

/// Area of the part of a convex polygon where a·x < c.
double area_below(const Eigen::MatrixXd &polygon, const Eigen::Vector2d &a, const double c)
{
  std::vector<Eigen::Vector2d> kept;
  for (Index k = 0; k < polygon.cols(); ++k)
    {
      const Eigen::Vector2d p = polygon.col(k), q = polygon.col((k + 1) % polygon.cols());
      const double          at_p = a.dot(p) - c, at_q = a.dot(q) - c;
      if (at_p < 0.)
        kept.push_back(p);
      if ((at_p < 0.) != (at_q < 0.))
        kept.push_back(p + at_p / (at_p - at_q) * (q - p));
    }
  double area = 0.;
  for (std::size_t k = 2; k < kept.size(); ++k)
    {
      const Eigen::Vector2d b = kept[k - 1] - kept[0], d = kept[k] - kept[0];
      area += .5 * (b(0) * d(1) - b(1) * d(0));
    }
  return area;
}

/// ∫ (a·x + b)^n over simplices: |T| n! d!/(n+d)! times the sum of all products of n values in corners, with repetition.
double integral_of_power(const Eigen::MatrixXd &corners, const Vector &a, const double b, const int n)
{
  const Index dim = a.size();
  double      sum = 0.;
  for (Index first = 0; first < corners.cols(); first += dim + 1)
    {
      std::vector<double> products(n + 1, 0.); // of degree 0 ... n, in the corners so far
      products[0]   = 1.;
      double volume = 1.;
      for (Index k = 0; k <= dim; ++k)
        for (int degree = 1; degree <= n; ++degree)
          products[degree] += (a.dot(corners.col(first + k)) + b) * products[degree - 1];
      for (Index k = 1; k <= dim; ++k)
        volume *= static_cast<double>(n + k); // (n+d)!/n!
      const Eigen::MatrixXd edges = corners.middleCols(first + 1, dim).colwise() - corners.col(first);
      sum += std::abs(edges.determinant()) * products[n] / volume; // d! |T| = |det|
    }
  return sum;
}
} // namespace

// Rules have the degree that their documentation states, in barycentric monomials, whose means are known.
BOOST_AUTO_TEST_CASE(rules_have_degree_5_and_see_no_error_up_to_degree_2)
{
  const auto check = [](const EmbeddedRule &rule, const auto &mean_of_power) {
    Eigen::MatrixXd errors(1, rule.n_defects());
    BOOST_TEST((rule.weights.array() >= 0.).all());
    for (int degree = 0; degree <= 6; ++degree)
      {
        const Eigen::MatrixXd power = rule.points.row(1).array().pow(degree);
        const double          error = std::abs((power * rule.weights)(0) - mean_of_power(degree));
        BOOST_TEST((error < 1e-15) == (degree <= 5));
        rule.error_vectors(power, errors);
        BOOST_TEST((errors.norm() < 1e-15) == (degree <= 2));
        BOOST_TEST(errors.norm() >= error - 1e-15);
      }
  };
  for (const int dim : {1, 2, 3})
    {
      BOOST_TEST((simplex_rule(dim).points.array() > 0.).all());
      check(simplex_rule(dim), [dim](const int degree) {
        return std::tgamma(degree + 1.) * std::tgamma(dim + 1.) / std::tgamma(degree + dim + 1.);
      });
    }
  for (const int dim : {2, 3})
    check(parallelepiped_rule(dim), [](const int degree) { return 1. / (degree + 1.); });
}

// Powers of linear functions span the polynomials of degree 5. With the second tolerance every cell is bisected. Cells of
// the square and cubic lattices are parallelepipeds.
BOOST_AUTO_TEST_CASE(polynomials_of_degree_5_are_exact)
{
  Random                          random(7);
  const std::vector<VoronoiCells> all = {random_cells(1, 9), random_cells(2, 5), random_cells(3, 3),
                                         cells_of(micro::lattices::square, 2, .23),
                                         cells_of(micro::lattices::cubic, 3, .37)};
  for (const VoronoiCells &cells : all)
    for (const double tolerance : {1., 1e-14})
      for (int trial = 0; trial < 3; ++trial)
        {
          Accuracy accuracy;
          accuracy.tolerance  = tolerance;
          accuracy.max_depth  = 2;
          const Vector a      = random.normals(cells.dimension());
          const double b      = random.normal();
          const auto   result = integrate(
                cells,
                [&](Index, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
                values = ((a.transpose() * x).array() + b).pow(5);
              },
                1, accuracy);
          Eigen::MatrixXd corners;
          double          worst = 0.;
          for (Index i = 0; i < cells.size(); ++i)
            {
              cells.simplices(i, corners);
              worst = std::max(worst, std::abs(result.values(0, i) - integral_of_power(corners, a, b, 5)));
            }
          BOOST_TEST(worst < 1e-13); // rounding of (a·x + b)^5 <= 1e3 on volumes below 0.2
        }
}

// At random lines: what a cell gets, compared with the area of the clipped polygon.
BOOST_AUTO_TEST_CASE(a_jump_is_resolved_and_its_stated_error_is_honest)
{
  Random             random(5);
  const VoronoiCells cells        = random_cells(2, 8);
  double             error_before = 1.;
  for (const int depth : {0, 2, 4, 6})
    {
      Accuracy accuracy;
      accuracy.max_depth   = depth;
      double squared_error = 0., squared_estimate = 0.;
      int    n_cut = 0, n_understated = 0, n_totals_understated = 0;
      for (int trial = 0; trial < 20; ++trial)
        {
          const Vector a      = random.normals(2).normalized();
          const double c      = a.dot(Eigen::Vector2d(.2 + .6 * random.uniform(), .2 + .6 * random.uniform()));
          const auto   result = integrate(cells, half_space(a, c), 1, accuracy);
          double       total  = 0.;
          for (Index i = 0; i < cells.size(); ++i)
            {
              const double exact = area_below(cells.outline(i), a, c), error = std::abs(result.values(0, i) - exact);
              total += exact;
              if (exact < 1e-6 * cells.volumes()(i) || exact > (1. - 1e-6) * cells.volumes()(i))
                continue;
              ++n_cut;
              n_understated += error > result.cell_error(0, i) + 1e-6 * cells.volumes()(i);
              squared_error += error * error;
              squared_estimate += std::pow(result.cell_error(0, i), 2);
              BOOST_TEST(error < 4. * result.cell_error(0, i) + 1e-6 * cells.volumes()(i));
            }
          n_totals_understated += std::abs(result.values.sum() - total) > result.error(0);
        }
      BOOST_TEST_REQUIRE(n_cut > 100);
      BOOST_TEST(n_understated <= .05 * n_cut); // the estimate is two standard deviations
      BOOST_TEST(n_totals_understated <= 1);
      BOOST_TEST(squared_estimate < 100. * squared_error); // and not a wild exaggeration
      if (depth > 0)
        BOOST_TEST(std::sqrt(squared_error / n_cut) <
                   .3 * error_before); // better than order 1 in the diameter: two halvings
      error_before = std::sqrt(squared_error / n_cut);
    }
}

// The area of a disc, whose boundary is curved.
BOOST_AUTO_TEST_CASE(curved_jumps_are_resolved)
{
  Random             random(17);
  const VoronoiCells cells = hexagons(1. / 12.);
  for (int trial = 0; trial < 10; ++trial)
    {
      const double          R = .1 + .2 * random.uniform();
      const Eigen::Vector2d centre(.4 + .2 * random.uniform(), .4 + .2 * random.uniform());
      const auto            result = integrate(
                     cells,
                     [&](Index, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
            values = ((x.colwise() - centre).colwise().squaredNorm().array() < R * R).cast<double>();
          },
                     1);
      BOOST_TEST(std::abs(result.values.sum() - M_PI * R * R) <= result.error(0));
      BOOST_TEST(result.error(0) < 1e-4);
    }
}

// In dimension 1 and 3: the part of the unit box where Σ x < c has a known volume.
BOOST_AUTO_TEST_CASE(jumps_are_resolved_on_lines_and_in_space)
{
  for (const double c : {.31, .5, .77})
    {
      const auto line = integrate(random_cells(1, 9), half_space(Vector::Ones(1), c), 1);
      BOOST_TEST(std::abs(line.values.sum() - c) <= line.error(0) + 1e-15);
      BOOST_TEST(line.error(0) < 2e-3); // 2^-8 of a cell
    }
  Accuracy accuracy;
  accuracy.max_depth       = 3;
  const VoronoiCells cells = random_cells(3, 3);
  for (const double c : {.9, 1.5})
    {
      const double exact = (std::pow(c, 3) - (c > 1. ? 3. * std::pow(c - 1., 3) : 0.)) / 6.;
      const auto   space = integrate(cells, half_space(Vector::Ones(3), c), 1, accuracy);
      BOOST_TEST(std::abs(space.values.sum() - exact) <= space.error(0));
      BOOST_TEST(space.error(0) < 2e-2);
    }
}

// What is smooth costs one look: 4 triangles of 10 points in a hexagon. A line across n cells costs a multiple of √n more.
BOOST_AUTO_TEST_CASE(only_cells_at_a_jump_are_refined)
{
  const VoronoiCells cells  = hexagons(1. / 64.);
  Index              n_base = 0;
  Eigen::MatrixXd    corners;
  for (Index i = 0; i < cells.size(); ++i)
    {
      cells.simplices(i, corners);
      n_base += 10 * corners.cols() / 3;
    }

  std::atomic<Index> n_points = 0;
  const auto         smooth   = integrate(
                cells,
                [&](Index, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
        n_points += x.cols();
        values = (2. * x.row(0).array()).sin() * x.row(1).array().exp();
      },
                1);
  BOOST_TEST(n_points == n_base);
  BOOST_TEST(std::abs(smooth.values.sum() - .5 * (1. - std::cos(2.)) * (M_E - 1.)) < 1e-14);

  std::atomic<Index> n_refined = 0;
  integrate(
      cells,
      [&](const Index i, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
        n_points += x.cols();
        const auto outline = cells.outline(i);
        if (x.cols() != 10 * (outline.cols() - 2) && (outline.row(0).maxCoeff() < .507 || outline.row(0).minCoeff() > .507))
          ++n_refined;
        half_space(Eigen::Vector2d(1., 0.), .507)(i, x, values);
      },
      1);
  BOOST_TEST(n_refined == 0);
}

// Where everything jumps, as between the cells of a mesh, the work stays bounded and the error is still stated.
BOOST_AUTO_TEST_CASE(the_work_is_bounded_where_a_function_jumps_everywhere)
{
  const VoronoiCells cells = hexagons(1. / 12.);
  Accuracy           accuracy;
  accuracy.max_depth          = 30;
  std::atomic<Index> n_points = 0;
  const auto         result   = integrate(
                cells,
                [&](Index, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
        n_points += x.cols();
        for (Index q = 0; q < x.cols(); ++q)
          values(0, q) = std::fmod(std::floor(100. * x(0, q)) + std::floor(100. * x(1, q)), 2.);
      },
                1);
  BOOST_TEST(n_points < 4200000);
  BOOST_TEST(std::abs(result.values.sum() - .5) <= result.error(0));
  BOOST_TEST(result.error(0) < 1e-2);
}

BOOST_AUTO_TEST_CASE(the_result_does_not_depend_on_the_number_of_threads)
{
  const VoronoiCells  cells = hexagons(1. / 40.);
  const CellIntegrand f     = [](Index, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    for (Index q = 0; q < x.cols(); ++q)
      values.col(q) << (x.col(q).squaredNorm() < .4 ? 1. : 0.), std::sin(40. * x(0, q));
  };
  std::vector<CellIntegrals> results;
  for (const int n_threads : {1, 4})
    {
      const tbb::global_control control(tbb::global_control::max_allowed_parallelism, n_threads);
      results.push_back(integrate(cells, f, 2));
    }
  BOOST_TEST((results[0].values.array() == results[1].values.array()).all());
  BOOST_TEST((results[0].cell_error.array() == results[1].cell_error.array()).all());
  BOOST_TEST((results[0].error.array() == results[1].error.array()).all());
}

BOOST_AUTO_TEST_SUITE_END()
