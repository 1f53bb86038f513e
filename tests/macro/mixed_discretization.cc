// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/frame.h"
#include "convex/input_error.h"
#include "macro/discretize.h"
#include "macro/meshes/mesh_file.h"
#include "tests/macro/gmsh_files.h"
#include "tests/macro/pictures.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(mixed_discretization)

using namespace moreau;
using namespace moreau::macro;

namespace
{
const convex::StoppingCriterion criterion;

using Velocity = std::function<Vector(const Vector &x)>;

Field field(const Velocity &velocity)
{
  return [velocity](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    values.resize(x.rows(), x.cols());
    for (Index q = 0; q < x.cols(); ++q)
      values.col(q) = velocity(x.col(q));
  };
}

Setting setting(const int dim, const double cells_per_unit_length, const Velocity &U)
{
  Setting s;
  s.domain.lower               = Vector::Zero(dim);
  s.domain.upper               = Vector::Ones(dim);
  s.mesh.cells_per_unit_length = cells_per_unit_length;
  s.U                          = field(U);
  return s;
}

/// Case I1 of the closed forms: a rotation pressed together within r < 0.3 and expanding outside.
Vector smooth_contact_u(const Vector &x)
{
  const double X = x(0) - .5, Y = x(1) - .5, outside = std::max(0., X * X + Y * Y - .09);
  return Eigen::Vector2d(-Y + outside * X, X + outside * Y);
}

Vector smooth_contact_U(const Vector &x)
{
  const double X = x(0) - .5, Y = x(1) - .5, inside = std::max(0., .09 - X * X - Y * Y);
  return smooth_contact_u(x) - 4. * inside * Eigen::Vector2d(X, Y);
}

struct Solved
{
  std::unique_ptr<Discretization> discretization;
  convex::SaddlePoint             x;
  TotalBound                      bound;
};

Solved solved(std::unique_ptr<Discretization> discretization)
{
  Solved s;
  s.discretization     = std::move(discretization);
  const auto projector = s.discretization->projector("automatic", criterion);
  s.x                  = projector->project(s.discretization->problem(), s.discretization->p_start());
  s.bound              = s.discretization->total_bound(s.x);
  return s;
}

Solved refined(const Solved &coarse) { return solved(coarse.discretization->refined(coarse.x, coarse.bound)); }

double n_unknowns(const Solved &s)
{
  return static_cast<double>(s.discretization->problem().n_unknowns() + s.discretization->problem().n_constraints());
}

const std::vector<std::array<double, 3>> two_squares = {{0., 0., 0.}, {1., 0., 0.}, {2., 0., 0.},
                                                        {0., 1., 0.}, {1., 1., 0.}, {2., 1., 0.}};

/// |u_h - u| by its values at centroids: midpoint rule, whose own error is of second order.
double distance_at_centres(const Solved &s, const Velocity &u)
{
  const Mesh mesh = s.discretization->fields(s.x, s.x.u, s.bound);
  const auto u_h = pictures::data(mesh.cell_data, "u", 2), points = pictures::points(mesh, 2);
  double     sum = 0.;
  for (Index c = 0; c < u_h.cols(); ++c)
    {
      const auto   corner = [&](const int k) -> Vector { return points.col(mesh.connectivity[4 * c + k]); };
      const Vector a = corner(2) - corner(0), b = corner(3) - corner(1),
                   x = .25 * (corner(0) + corner(1) + corner(2) + corner(3));
      sum += .5 * std::abs(a(0) * b(1) - a(1) * b(0)) * (u_h.col(c) - u(x)).squaredNorm();
    }
  return std::sqrt(sum);
}

std::string refusal(const Setting &s)
{
  try
    {
      macro::mixed_discretization(s);
    }
  catch (const InputError &error)
    {
      return error.what();
    }
  return "";
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

std::string refusal_of_file(const std::string &text, const int dim = 2)
{
  const TemporaryFile file(text);
  Setting             s = setting(dim, 1., [](const Vector &x) { return x; });
  s.domain.upper        = Vector::Constant(dim, 2.);
  s.mesh.file           = file.path;
  return refusal(s);
}

double corner_density(const Vector &x) { return x(0) > 0. && x(1) < 0. ? .5 : 1.; }

/// The L-shaped rest of (-1,1)² without its lower right quarter, U = -x.
Setting l_shape()
{
  Setting s        = setting(2, 4., [](const Vector &x) { return Vector(-x); });
  s.domain.lower   = Vector::Constant(2, -1.);
  s.domain.uniform = false;
  s.domain.density = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &rho) {
    rho.resize(1, x.cols());
    for (Index q = 0; q < x.cols(); ++q)
      rho(0, q) = corner_density(x.col(q));
  };
  return s;
}
} // namespace

// Certificate.md 4: order 0.68 per degree of freedom, 4.5e-4 at 12416 of them.
BOOST_AUTO_TEST_CASE(total_bound_falls_as_known_on_uniform_meshes)
{
  const Solved coarse = solved(macro::mixed_discretization(setting(2, 8., smooth_contact_U)));
  const Solved fine   = solved(macro::mixed_discretization(setting(2, 32., smooth_contact_U)));
  BOOST_TEST_REQUIRE(coarse.x.converged());
  BOOST_TEST_REQUIRE(fine.x.converged());
  const double order = std::log(coarse.bound.eta / fine.bound.eta) / std::log(n_unknowns(fine) / n_unknowns(coarse));
  BOOST_TEST(order > .65);
  BOOST_TEST(fine.bound.eta < 4.6e-4);
  BOOST_TEST(!fine.bound.guaranteed); // U is no polynomial on the cells at the rim of the contact
  BOOST_TEST(fine.bound.largest_violation < 1e-12);
}

BOOST_AUTO_TEST_CASE(bound_is_not_below_the_true_error_on_general_quadrilaterals)
{
  const TemporaryFile file(gmsh(perturbed_square(12)));
  Setting             s = setting(2, 1., smooth_contact_U);
  s.mesh.file           = file.path;
  const Solved solution = solved(macro::mixed_discretization(s));
  const double error    = distance_at_centres(solution, smooth_contact_u);
  BOOST_TEST_REQUIRE(solution.x.converged());
  BOOST_TEST(solution.x.certificate.guaranteed);
  BOOST_TEST(solution.bound.eta >= error);
  BOOST_TEST(solution.bound.eta < 2.5e-3); // uniform squares: 1.7e-3
  BOOST_TEST(solution.bound.largest_violation < 1e-12);
}

// Certificate.md 4: order 1.08 per degree of freedom, uniform meshes 0.68.
BOOST_AUTO_TEST_CASE(adaptive_meshes_find_the_free_boundary)
{
  Solved       s   = solved(macro::mixed_discretization(setting(2, 16., smooth_contact_U)));
  const double eta = s.bound.eta, n = n_unknowns(s);
  for (int cycle = 0; cycle < 6; ++cycle)
    s = refined(s);
  BOOST_TEST_REQUIRE(s.x.converged());
  BOOST_TEST(std::log(eta / s.bound.eta) / std::log(n_unknowns(s) / n) > .95);
  BOOST_TEST(s.x.n_iterations <= 8u); // started from the coarser mesh
}

// Order 1 per degree of freedom in spite of the corner; uniform meshes have 0.34 (certificate.md 4).
BOOST_AUTO_TEST_CASE(adaptive_meshes_resolve_a_reentrant_corner)
{
  std::vector<double> eta, n;
  Solved              s = solved(macro::mixed_discretization(l_shape()));
  for (int cycle = 0; cycle < 15; ++cycle)
    {
      s = refined(s);
      eta.push_back(s.bound.eta);
      n.push_back(n_unknowns(s));
    }
  BOOST_TEST_REQUIRE(s.x.converged());
  BOOST_TEST(s.bound.guaranteed); // U is linear
  BOOST_TEST(std::log(eta[5] / eta[14]) / std::log(n[14] / n[5]) > 1.);
  // ½ · ½ ∫|x|² over the quarter outside
  BOOST_TEST(std::abs(s.discretization->outside().energy - .5 * .5 * 2. / 3.) < 1e-13);
}

// div x > 0: u = U, whatever the mesh; this fails where normal components do not match at hanging nodes or turned cells.
BOOST_AUTO_TEST_CASE(expansion_is_reproduced_on_refined_hexahedra_of_any_orientation)
{
  const TemporaryFile file(gmsh(sheared_box(2)));
  double              sign = -1.;
  Setting             s    = setting(3, 1., [&](const Vector &x) { return Vector(sign * x); });
  s.mesh.file              = file.path;
  s.domain.upper           = bounding_box(file.path, 3).second;
  const Solved pressed     = solved(macro::mixed_discretization(s));
  BOOST_TEST_REQUIRE(pressed.x.converged());
  BOOST_TEST(pressed.bound.guaranteed);
  BOOST_TEST(pressed.bound.relative > .1); // RT0 on eight cells
  sign              = 1.;
  const Solved free = refined(pressed);
  BOOST_TEST(free.bound.eta < 1e-12);
  BOOST_TEST(contains(free.discretization->description(), "locally refined"));
}

// Matter is thrown against the wall on the left: it may not leave there and turns aside.
BOOST_AUTO_TEST_CASE(nothing_leaves_through_a_wall)
{
  Setting      s      = setting(2, 8., [](const Vector &x) { return Eigen::Vector2d(-1. - .1 * x(1), 0.); });
  const Solved open   = solved(macro::mixed_discretization(s));
  s.domain.walls[0]   = true;
  const Solved walled = solved(macro::mixed_discretization(s));
  BOOST_TEST(open.bound.eta < 1e-12); // div U = 0
  BOOST_TEST_REQUIRE(walled.x.converged());
  BOOST_TEST(walled.x.certificate.guaranteed);
  BOOST_TEST(walled.bound.guaranteed);
  BOOST_TEST(walled.x.certificate.primal_infeasibility < 1e-12);
  const Mesh picture = walled.discretization->fields(walled.x, walled.x.u, walled.bound);
  const auto u       = pictures::data(picture.cell_data, "u", 2);
  BOOST_TEST(u.row(0).maxCoeff() > -.2); // beside the wall
  BOOST_TEST(u.row(1).cwiseAbs().maxCoeff() > .1);
}

BOOST_AUTO_TEST_CASE(bounding_box_of_a_file)
{
  const TemporaryFile file(gmsh(two_squares, 3, {{1, 2, 5, 4}, {2, 3, 6, 5}}));
  const auto [lower, upper] = bounding_box(file.path, 2);
  BOOST_TEST((lower - Eigen::Vector2d(0., 0.)).norm() == 0.);
  BOOST_TEST((upper - Eigen::Vector2d(2., 1.)).norm() == 0.);
}

BOOST_AUTO_TEST_CASE(unsuitable_meshes_are_refused_with_the_reason)
{
  const std::string good = gmsh(two_squares, 3, {{1, 2, 5, 4}, {2, 3, 6, 5}});
  BOOST_TEST(refusal_of_file(good) == "");
  BOOST_TEST(contains(refusal_of_file(good.substr(0, good.size() - 30)), "the file of the mesh: "));
  BOOST_TEST(contains(refusal_of_file(gmsh(two_squares, 2, {{1, 2, 5}, {1, 5, 4}})), "triangles"));
  BOOST_TEST(contains(refusal_of_file(good, 3), "no hexahedra"));
  BOOST_TEST(contains(refusal_of_file("$MeshFormat\n4.1 1 8\n$EndMeshFormat\n"), "ASCII"));
  // the second cell is a dart
  auto dart = two_squares;
  dart[5]   = {1.1, .3, 0.};
  BOOST_TEST(contains(refusal_of_file(gmsh(dart, 3, {{1, 2, 5, 4}, {2, 3, 6, 5}})), "degenerate"));
  // a frustum
  const std::string frustum =
      gmsh({{0., 0., 0.}, {1., 0., 0.}, {1., 1., 0.}, {0., 1., 0.}, {0., 0., 1.}, {.8, 0., 1.}, {.8, .8, 1.}, {0., .8, 1.}},
           5, {{1, 2, 3, 4, 5, 6, 7, 8}});
  BOOST_TEST(contains(refusal_of_file(frustum, 3), "parallelepiped"));

  Setting missing   = setting(2, 1., [](const Vector &x) { return x; });
  missing.mesh.file = "there_is_no_such_file.msh";
  BOOST_TEST(contains(refusal(missing), "cannot be read"));
  BOOST_TEST(contains(refusal(setting(1, 4., [](const Vector &x) { return x; })), "the elements of the mesh: "));
}

BOOST_AUTO_TEST_CASE(solvers_are_known_by_name)
{
  const auto discretization = macro::mixed_discretization(setting(2, 2., smooth_contact_U));
  BOOST_CHECK_NO_THROW(discretization->projector("active set", criterion));
  BOOST_CHECK_THROW(discretization->projector("lines", criterion), InputError);
}

// A bound that ended at 2.6e-4 where 1e-4 is the most that is excused.
BOOST_AUTO_TEST_CASE(a_frame_a_million_times_faster_is_certified_as_one_at_rest)
{
  const auto                d = macro::mixed_discretization(setting(2, 32., [](const Vector &x) {
    return Vector(Eigen::Vector2d(1000. + 1e-3 * std::sin(5. * x(0)), -500. + 1e-3 * std::cos(3. * x(1))));
  }));
  const convex::SaddlePoint x = convex::project_in_frame(*d->projector("automatic", criterion), d->problem(), d->p_start());
  BOOST_TEST(x.converged());
  BOOST_TEST(x.certificate.guaranteed);
  BOOST_TEST(x.certificate.relative_error_bound < 1e-6);
}

BOOST_AUTO_TEST_SUITE_END()
