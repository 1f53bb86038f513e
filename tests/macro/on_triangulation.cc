// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/on_triangulation.h"

#include "convex/input_error.h"
#include "macro/impact.h"

#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(on_triangulation)

using namespace moreau;
using namespace moreau::macro;

namespace
{
Setting setting(const int dim)
{
  Setting s;
  s.domain.lower = Vector::Zero(dim);
  s.domain.upper = Vector::Ones(dim);
  s.U            = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &U) { U = (.4 - x.array().square()).matrix(); };
  return s;
}

template <int dim>
void check_box()
{
  constexpr unsigned int          n = dim == 2 ? 12 : 4;
  const convex::StoppingCriterion criterion;
  dealii::Triangulation<dim>      cells;
  dealii::GridGenerator::subdivided_hyper_cube(cells, n);
  Setting on_box                    = setting(dim);
  on_box.mesh.cells_per_unit_length = n;
  on_box.mesh.raviart_thomas        = true;
  const auto   ours = discretize(on_box), users = macro::on_triangulation<dim>(cells, setting(dim));
  const auto   a = impact(*ours, {}, criterion), b = impact(*users, {}, criterion);
  const double energy = ours->problem().V->dot(a.u_plus, a.u_plus);
  BOOST_TEST(a.effort.converged());
  BOOST_TEST(b.effort.converged());
  BOOST_TEST(energy == users->problem().V->dot(b.u_plus, b.u_plus), boost::test_tools::tolerance(1e-8));
  BOOST_TEST(energy < .99 * ours->problem().V->dot(ours->problem().U, ours->problem().U));
}

template <int dim>
std::string complaint(const dealii::Triangulation<dim> &cells, const Setting &s)
{
  try
    {
      macro::on_triangulation<dim>(cells, s);
    }
  catch (const InputError &error)
    {
      return error.what();
    }
  return "";
}
} // namespace

BOOST_AUTO_TEST_CASE(a_box_of_the_caller_is_the_box_of_the_program)
{
  check_box<2>();
  check_box<3>();
}

BOOST_AUTO_TEST_CASE(a_refined_mesh_is_taken_as_it_is_and_its_bound_is_smaller)
{
  dealii::Triangulation<2> cells;
  dealii::GridGenerator::hyper_shell(cells, dealii::Point<2>(), .5, 1., 12);
  std::vector<double> eta;
  for (int level = 0; level < 2; ++level)
    {
      cells.refine_global(1);
      const auto       mesh  = macro::on_triangulation<2>(cells, setting(2));
      auto             x     = impact(*mesh, {});
      const TotalBound bound = bound_of_impact(*mesh, {}, {}, x);
      const auto       n     = mesh->fields(x.projection, x.u_plus, bound).n_cells();
      BOOST_TEST(n == cells.n_active_cells());
      BOOST_TEST(x.effort.converged());
      eta.push_back(bound.eta);
    }
  BOOST_TEST(eta[1] < .6 * eta[0]);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_used_is_refused)
{
  dealii::Triangulation<2> empty, simplices, squares;
  dealii::GridGenerator::subdivided_hyper_cube_with_simplices(simplices, 2);
  dealii::GridGenerator::subdivided_hyper_cube(squares, 2);
  BOOST_TEST(complaint<2>(empty, setting(2)).find("no cell") != std::string::npos);
  BOOST_TEST(complaint<2>(simplices, setting(2)).find("quadrilaterals") != std::string::npos);
  Setting square = setting(2);
  square.cone    = lattice_cone(ConeType::square, 0.);
  BOOST_TEST(complaint<2>(squares, square).find("isotropic") != std::string::npos);
  BOOST_TEST(complaint<2>(squares, setting(2)) == "");
  dealii::Triangulation<3> ball;
  dealii::GridGenerator::hyper_ball(ball);
  BOOST_TEST(complaint<3>(ball, setting(3)).find("parallelepiped") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
