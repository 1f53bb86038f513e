// SPDX-License-Identifier: GPL-3.0-or-later
// What studies of samples measure: distances on windows, the nearest dilatancy.
#include "homogenization/coarse_distances.h"
#include "homogenization/dilatancy_fit.h"
#include "tests/homogenization/cells.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(samples)

using namespace moreau;
using namespace moreau::homogenization;
using oracles::Random;

namespace utf = boost::unit_test;

namespace
{
VoronoiCells irregular(const Index dim, const Index n)
{
  return VoronoiCells(test::random_spheres(n, dim), test::unit_box(dim));
}

/// u = s x.
geometry::Field expansion(const double s)
{
  return [s](const Eigen::MatrixXd &x, Eigen::MatrixXd &u) { u = s * x; };
}

/// v_i = s r_i up to noise.
Vector noisy_expansion(const VoronoiCells &cells, const double s, const double noise)
{
  const micro::Spheres spheres = test::random_spheres(std::lround(std::sqrt(cells.size())), 2);
  return s * spheres.r.reshaped() + noise * Random(3).normals(2 * cells.size());
}

/// (first + slope s) x, s x unless they are given.
DilatantProjections expansions(const double error, const double first = 0., const double slope = 1.)
{
  return DilatantProjections([error, first, slope](const double s) {
    Reference reference;
    reference.name  = "s x";
    reference.u     = expansion(first + slope * s);
    reference.error = error;
    return reference;
  });
}

/// The s with the smallest |v - s x|: ⟨v, x⟩/⟨x, x⟩, from three distances, which are quadratic in s.
double nearest_expansion(const VoronoiCells &cells, const Vector &v)
{
  Fields fields;
  fields.functions = {expansion(0.), expansion(1.)};
  fields.cellwise  = {&v};
  const auto   d   = distances(cells, fields, {{0, 2}, {1, 2}});
  const double xx  = 2. / 3.; // |x|² on the unit square
  return .5 * (d[0].value * d[0].value - d[1].value * d[1].value + xx) / xx;
}
} // namespace

BOOST_AUTO_TEST_CASE(means_over_windows_are_exact_for_linear_functions_whatever_the_cells, *utf::tolerance(1e-12))
{
  for (const Index dim : {2, 3})
    {
      const VoronoiCells     cells = irregular(dim, dim == 2 ? 9 : 4);
      const std::vector<int> windows{1, 2, 3, 5};
      const Eigen::MatrixXd  d = coarse_distances(cells, test::unit_box(dim), Vector::Zero(dim * cells.size()),
                                                  {expansion(1.), expansion(-2.)}, windows);
      BOOST_TEST(d.rows() == 4);
      BOOST_TEST(d.cols() == 2);
      for (std::size_t w = 0; w < windows.size(); ++w)
        {
          double of_one_component = 0.; // Σ centre²/k
          for (int j = 0; j < windows[w]; ++j)
            of_one_component += std::pow((j + .5) / windows[w], 2) / windows[w];
          BOOST_TEST(d(w, 0) == std::sqrt(dim * of_one_component));
          BOOST_TEST(d(w, 1) == 2. * d(w, 0));
        }
    }
}

// u of a mesh much finer than the cells jumps everywhere: a rule without bisection tells 1e-3 of it where nothing is.
BOOST_AUTO_TEST_CASE(means_over_windows_resolve_functions_that_jump_within_cells)
{
  const VoronoiCells cells(micro::lattices::row(8, 1. / 16., Vector::Constant(1, 1. / 16.)), test::unit_box(1));
  constexpr double   n     = 1024.;
  const auto         stair = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &u) {
    u = x.unaryExpr([](const double at) { return std::sin(7. * (std::floor(n * at) + .5) / n); });
  };
  Vector mean = Vector::Zero(8); // of the cells
  for (int j = 0; j < static_cast<int>(n); ++j)
    mean(8 * j / static_cast<int>(n)) += std::sin(7. * (j + .5) / n) * 8. / n;
  const Eigen::MatrixXd d = coarse_distances(cells, test::unit_box(1), mean, {stair}, {1, 2, 4, 8});
  for (Index w = 0; w < d.rows(); ++w)
    BOOST_TEST(d(w, 0) < 1e-4);
}

BOOST_AUTO_TEST_CASE(fluctuations_on_the_scale_of_the_spheres_count_less_on_larger_windows)
{
  const VoronoiCells    cells = irregular(2, 40);
  const Vector          v     = Random(5).normals(2 * cells.size());
  const Eigen::MatrixXd d     = coarse_distances(cells, test::unit_box(2), v, {expansion(0.)}, {1, 2, 4, 8, 16});
  const double all = std::sqrt(cells.volumes().dot(v.reshaped(2, cells.size()).colwise().squaredNorm().transpose()));
  for (Index w = 1; w < d.rows(); ++w)
    BOOST_TEST(d(w, 0) > d(w - 1, 0)); // a window is four of the next ones
  BOOST_TEST(d(4, 0) < all);
  BOOST_TEST(d(1, 0) < .1 * all); // about 2/40
}

BOOST_AUTO_TEST_CASE(the_dilatancy_is_the_vertex_where_distances_are_quadratic_in_it)
{
  const VoronoiCells cells = irregular(2, 12);
  for (const double s : {.07, .33, .5, .93})
    {
      const Vector          v   = noisy_expansion(cells, s, .05);
      DilatantProjections   u   = expansions(0.);
      const FittedDilatancy fit = fitted_dilatancy(cells, v, u);
      BOOST_TEST(fit.s == nearest_expansion(cells, v), boost::test_tools::tolerance(1e-6));
      BOOST_TEST(fit.lower <= fit.s);
      BOOST_TEST(fit.upper >= fit.s);
      BOOST_TEST(fit.upper - fit.lower < .1);
      BOOST_TEST(u.n_computed() <= 16);
    }
}

BOOST_AUTO_TEST_CASE(what_is_not_known_of_projections_widens_the_interval)
{
  const VoronoiCells    cells = irregular(2, 12);
  const Vector          v     = noisy_expansion(cells, .4, .05);
  DilatantProjections   exact = expansions(0.), vague = expansions(.1);
  const FittedDilatancy sharp = fitted_dilatancy(cells, v, exact), wide = fitted_dilatancy(cells, v, vague);
  BOOST_TEST(wide.s == sharp.s);
  BOOST_TEST(wide.lower < sharp.lower);
  BOOST_TEST(wide.upper > sharp.upper);
}

BOOST_AUTO_TEST_CASE(beyond_the_family_the_nearest_is_its_end)
{
  const VoronoiCells  cells = irregular(2, 12);
  DilatantProjections u     = expansions(0.);
  BOOST_TEST(fitted_dilatancy(cells, noisy_expansion(cells, -1., 0.), u).s == 0.);
  BOOST_TEST(fitted_dilatancy(cells, noisy_expansion(cells, 2., 0.), u).s == 1.);
}

BOOST_AUTO_TEST_CASE(where_all_cones_give_the_same_projection_no_dilatancy_fits_best)
{
  const VoronoiCells  cells = irregular(2, 12);
  const Vector        v     = noisy_expansion(cells, .4, .05);
  DilatantProjections u = expansions(0.), same = expansions(0., .4, 0.), nearly = expansions(0., .4, .01);
  const double        scale = .4 / std::sqrt(6.); // of .4 (x - mean x)
  BOOST_TEST(fitted_dilatancy(cells, v, same).spread < 1e-12);
  BOOST_TEST(fitted_dilatancy(cells, v, same).is_flat(scale));
  BOOST_TEST(fitted_dilatancy(cells, v, nearly).is_flat(scale));
  BOOST_TEST(!fitted_dilatancy(cells, v, u).is_flat(scale));
}

BOOST_AUTO_TEST_SUITE_END()
