// SPDX-License-Identifier: GPL-3.0-or-later
// Simplices that are bisected where the bound asks for it.
#include "macro/directional/bisected_box.h"
#include "macro/directional/zone.h"
#include "tests/macro/directional/lattice_forms.h"
#include "tests/oracles.h"

#include <Eigen/LU>
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>

BOOST_AUTO_TEST_SUITE(bisection)

namespace tt = boost::test_tools;
using namespace moreau;
using namespace moreau::macro;

namespace
{
BoxGrid grid(const int dim, const double cells = 2.)
{
  Vector upper = Vector::Ones(dim);
  upper(0)     = 1.5;
  return box_grid(Vector::Zero(dim), upper, cells, Processes::alone());
}

Vector of(const SimplexPoint &lambda, const int dim)
{
  Vector result(dim + 1);
  for (int i = 0; i <= dim; ++i)
    result(i) = lambda[i];
  return result;
}

/// Refined several times around a point on the boundary of several cells.
BisectedBox refined_around(const int dim, const int n_times)
{
  BisectedBox  box(grid(dim));
  const Vector corner = Vector::Constant(dim, .5 + 1e-3);
  for (int k = 0; k < n_times; ++k)
    {
      std::vector<char> marked(box.mesh().n_simplices(), 0);
      for (Index t = 0; t < box.mesh().n_simplices(); ++t)
        {
          const Eigen::MatrixXd x = box.mesh().vertices(t);
          marked[t]               = (x.rowwise().minCoeff().array() <= corner.array()).all() &&
                      (x.rowwise().maxCoeff().array() >= corner.array()).all();
        }
      box = box.refined(marked);
    }
  return box;
}

double longest_edge(const SimplexMatrix &x)
{
  double longest = 0.;
  for (Index i = 0; i < x.cols(); ++i)
    for (Index j = 0; j < i; ++j)
      longest = std::max(longest, (x.col(i) - x.col(j)).norm());
  return longest;
}

/// U opens along a line that no mesh has, at an angle to the directions, too: u = U, with a jump.
Setting opening(const double cells)
{
  Setting setting        = unit_cube(ConeType::square, 17., cells, [](const Vector &x) {
    return Vector(x(0) + .3 * x(1) < .53 ? Eigen::Vector2d(-.5, -.1) : Eigen::Vector2d(.5, .1));
  });
  setting.mesh.alignment = Alignment::box;
  return setting;
}

struct Level
{
  double n_unknowns, eta, error; ///< error: |v - u|, u = U
};

Level level(const Setting &setting, const Discretization &mesh, const convex::SaddlePoint &x, const TotalBound &bound)
{
  constexpr int n   = 600; // points of a midpoint rule along each axis
  const Field   v   = mesh.velocity(x);
  double        sum = 0.;
  for (int j = 0; j < n; ++j)
    {
      Eigen::MatrixXd at(2, n), of_v(2, n), of_U(2, n);
      for (int i = 0; i < n; ++i)
        at.col(i) << (i + .5) / n, (j + .5) / n;
      v(at, of_v);
      setting.U(at, of_U);
      sum += (of_v - of_U).squaredNorm();
    }
  return {static_cast<double>(mesh.problem().n_unknowns()), bound.eta, std::sqrt(sum) / n};
}

std::vector<Level> adaptive(Setting setting, const unsigned int cycles)
{
  setting.mesh.adaptive_cycles = cycles;
  std::vector<Level>              levels;
  std::unique_ptr<Discretization> mesh = discretize(setting);
  for (unsigned int cycle = 0;; ++cycle)
    {
      const auto       x     = mesh->projector("automatic", {})->project(mesh->problem());
      const TotalBound bound = mesh->total_bound(x);
      BOOST_TEST((x.status == convex::Status::converged));
      BOOST_TEST(bound.available);
      levels.push_back(level(setting, *mesh, x, bound));
      if (cycle == cycles)
        return levels;
      mesh = mesh->refined(x, bound);
    }
}

double order_per_unknown(const Level &coarse, const Level &fine)
{
  return std::log(coarse.eta / fine.eta) / std::log(fine.n_unknowns / coarse.n_unknowns);
}
} // namespace

BOOST_AUTO_TEST_CASE(bisected_simplices_fill_the_box_and_match)
{
  for (const int dim : {1, 2, 3})
    {
      const BisectedBox  box  = refined_around(dim, dim == 3 ? 5 : 8);
      const SimplexMesh &mesh = box.mesh();
      BOOST_TEST_CONTEXT("dimension " << dim << ", " << mesh.n_simplices() << " simplices")
      {
        BOOST_TEST(!box.is_uniform());
        double volume = 0., flattest = 1.;
        for (Index t = 0; t < mesh.n_simplices(); ++t)
          {
            volume += mesh.volume(t);
            flattest = std::min(flattest, mesh.volume(t) / std::pow(longest_edge(mesh.vertices(t)), dim));
          }
        BOOST_TEST(volume == 1.5, tt::tolerance(1e-13));
        double of_cell = 1.; // whose longest edge is the diagonal of a cube
        for (int a = 2; a <= dim; ++a)
          of_cell /= a;
        BOOST_TEST(flattest >= .24 * of_cell / std::pow(std::sqrt(dim), dim)); // finitely many shapes
        // a side without a neighbour lies on the boundary of the box
        const SimplexZone zone = simplex_zone(mesh, std::vector<char>(mesh.n_simplices(), 1));
        BOOST_TEST(zone.n_parts == 1);
        BOOST_TEST(zone.mesh.n_points() == mesh.n_points());
        for (const Facet &facet : zone.facets)
          if (facet.neighbour < 0)
            {
              Vector middle = Vector::Zero(dim);
              for (int i = 0; i <= dim; ++i)
                if (i != facet.opposite)
                  middle += zone.mesh.points.col(zone.mesh.simplices(i, facet.simplex)) / dim;
              bool on_boundary = false;
              for (int a = 0; a < dim; ++a)
                on_boundary |= middle(a) < 1e-12 || middle(a) > (a == 0 ? 1.5 : 1.) - 1e-12;
              BOOST_TEST(on_boundary);
            }
      }
    }
}

BOOST_AUTO_TEST_CASE(marked_simplices_get_edges_of_half_the_length_and_others_stay)
{
  const BisectedBox box(grid(2, 6.));
  std::vector<char> marked(box.mesh().n_simplices(), 0);
  marked[5]                = 1;
  const BisectedBox finer  = box.refined(marked);
  const double      before = longest_edge(box.mesh().vertices(5));
  const Vector      inside = box.mesh().centroid(5) + Eigen::Vector2d(.003, .001);
  SimplexPoint      lambda;
  const int         t = finer.containing(inside.data(), lambda);
  BOOST_TEST(longest_edge(finer.mesh().vertices(t)) == .5 * before, tt::tolerance(1e-12));
  const Vector far_away(Eigen::Vector2d(1.45, .97));
  BOOST_TEST(longest_edge(finer.mesh().vertices(finer.containing(far_away.data(), lambda))) == before, tt::tolerance(1e-12));
  BOOST_TEST(finer.mesh().n_simplices() < 2 * box.mesh().n_simplices());
  BOOST_TEST(box.refined(std::vector<char>(marked.size(), 0)).mesh().n_simplices() == box.mesh().n_simplices());
}

BOOST_AUTO_TEST_CASE(points_are_found_in_bisected_simplices)
{
  std::mt19937                           random(3);
  std::uniform_real_distribution<double> uniform(0., 1.);
  for (const int dim : {1, 2, 3})
    {
      const BisectedBox box = refined_around(dim, 4);
      for (int trial = 0; trial < 2000; ++trial)
        {
          Vector x(dim);
          for (int a = 0; a < dim; ++a)
            x(a) = uniform(random) * (a == 0 ? 1.5 : 1.);
          SimplexPoint lambda;
          const int    t = box.containing(x.data(), lambda);
          BOOST_REQUIRE(t >= 0);
          const Vector of_x = of(lambda, dim);
          BOOST_TEST(of_x.minCoeff() >= -1e-12);
          BOOST_TEST((box.mesh().vertices(t) * of_x - x).norm() < 1e-12);
        }
      SimplexPoint lambda;
      const Vector beyond = Vector::Constant(dim, -.01);
      BOOST_TEST(box.containing(beyond.data(), lambda) == -1);
    }
}

// Against all points of a fine grid on the simplex.
BOOST_AUTO_TEST_CASE(the_nearest_point_of_a_simplex_is_nearer_than_all_others)
{
  SimplexMatrix vertices(3, 4);
  vertices << 0., 1., .2, .1, //
      0., .1, 1.2, .3,        //
      0., -.1, .1, .9;
  std::mt19937                           random(5);
  std::uniform_real_distribution<double> uniform(-1., 2.);
  for (int trial = 0; trial < 200; ++trial)
    {
      const Eigen::Vector3d x(uniform(random), uniform(random), uniform(random));
      double                distance = 0.;
      const SimplexPoint    lambda   = nearest_on_simplex(vertices, x.data(), distance);
      const Vector          of_x     = of(lambda, 3);
      BOOST_TEST(of_x.minCoeff() >= 0.);
      BOOST_TEST(std::abs(of_x.sum() - 1.) < 1e-12);
      BOOST_TEST(std::abs((vertices * of_x - x).norm() - distance) < 1e-12);
      constexpr int n     = 12;
      double        least = std::numeric_limits<double>::infinity();
      for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n - i; ++j)
          for (int k = 0; k <= n - i - j; ++k)
            least = std::min(least, (vertices * Eigen::Vector4d(i, j, k, n - i - j - k) / n - x).norm());
      BOOST_TEST(distance <= least + 1e-12);
      BOOST_TEST(distance >= least - 1.5 / n);
    }
}

// A jump costs N^-1/4 on uniform meshes of N unknowns and N^-1/2 on these.
BOOST_AUTO_TEST_CASE(refinement_follows_jumps)
{
  const std::vector<Level> refined = adaptive(opening(8.), 10);
  const Level              coarse = adaptive(opening(16.), 0)[0], uniform = adaptive(opening(64.), 0)[0];
  for (const Level &l : refined)
    {
      BOOST_TEST(l.error <= 1.02 * l.eta); // an estimate by quadrature, as it says: U jumps in simplices
      BOOST_TEST_MESSAGE(l.n_unknowns << " unknowns: bound " << l.eta << ", error " << l.error);
    }
  BOOST_TEST(refined.back().n_unknowns < .7 * uniform.n_unknowns);
  BOOST_TEST(refined.back().eta < .7 * uniform.eta);
  BOOST_TEST(order_per_unknown(refined[2], refined.back()) > .42);
  BOOST_TEST(order_per_unknown(coarse, uniform) < .3);
}

// What the boundary of the zone cuts is refined, so that the simplices taken whole or left out come nearer to the disc.
BOOST_AUTO_TEST_CASE(refinement_follows_the_boundary_of_the_zone)
{
  Setting setting        = unit_cube(ConeType::triangular, 10., 4., [](const Vector &x) { return Vector(-x); });
  setting.domain.uniform = false;
  setting.domain.density = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &rho) {
    for (Index q = 0; q < x.cols(); ++q)
      rho(0, q) = (x.col(q) - Eigen::Vector2d(.5, .5)).norm() < .43 ? 1. : 0.;
  };
  setting.mesh.adaptive_cycles          = 6;
  const double                    area  = std::acos(-1.) * .43 * .43;
  double                          error = 0.;
  std::unique_ptr<Discretization> mesh  = discretize(setting);
  for (unsigned int cycle = 0; cycle <= 5; ++cycle)
    {
      const auto x = mesh->projector("automatic", {})->project(mesh->problem());
      BOOST_TEST((x.status == convex::Status::converged));
      error                  = std::abs(mesh->momentum(Vector::Ones(x.u.size()))(0) - area);
      const TotalBound bound = mesh->total_bound(x);
      BOOST_TEST(!bound.available);
      if (cycle < 5)
        mesh = mesh->refined(x, bound);
    }
  BOOST_TEST(error < .01 * area);
}

// Directions that vary on simplices are replaced by those of the centroid: nothing bounds the error of that.
BOOST_AUTO_TEST_CASE(directions_that_vary_have_no_bound)
{
  Setting setting              = unit_cube(2, field([](const Vector &x) { return Vector(-x); }), 8.);
  setting.cone.type            = ConeType::directions;
  setting.cone.n_directions    = 2;
  setting.cone.direction_field = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &e) {
    for (Index q = 0; q < x.cols(); ++q)
      e.col(q) << std::cos(x(0, q)), std::sin(x(0, q)), -std::sin(x(0, q)), std::cos(x(0, q));
  };
  const auto       mesh  = discretize(setting);
  const auto       x     = mesh->projector("automatic", {})->project(mesh->problem());
  const TotalBound bound = mesh->total_bound(x);
  BOOST_TEST(!bound.available);
  BOOST_TEST(bound.estimated);
  BOOST_TEST(bound.remark.find("directions vary") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
