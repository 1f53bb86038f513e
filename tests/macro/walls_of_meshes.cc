// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/input_error.h"
#include "macro/discretize.h"
#include "tests/macro/gmsh_files.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(walls_of_meshes)

using namespace moreau;
using namespace moreau::macro;

namespace
{
GmshCells unit_square()
{
  GmshCells mesh = perturbed_square(8);
  for (int k = 0; k < 81; ++k)
    mesh.nodes[k] = {k % 9 / 8., k / 9 / 8., 0.};
  return mesh;
}

/// U = -x on a mesh in the box [lower, upper]², with walls on the left and below.
struct Pressed
{
  explicit Pressed(const GmshCells &mesh, const double lower = 0., const double upper = 1.) : file(gmsh(mesh))
  {
    setting.domain.lower    = Vector::Constant(2, lower);
    setting.domain.upper    = Vector::Constant(2, upper);
    setting.domain.walls[0] = setting.domain.walls[2] = true;
    setting.mesh.file                                 = file.path;
    setting.U = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) { values = -x; };
  }

  /// ½|u|² after the given number of refinements.
  double energy(const int n_refinements = 0) const
  {
    const convex::StoppingCriterion criterion;
    auto                            mesh = macro::mixed_discretization(setting);
    for (int k = 0;; ++k)
      {
        const auto x = mesh->projector("automatic", criterion)->project(mesh->problem(), mesh->p_start());
        BOOST_TEST(x.converged());
        if (k == n_refinements)
          return .5 * mesh->problem().V->dot(x.u, x.u);
        mesh = mesh->refined(x, mesh->total_bound(x));
      }
  }

  std::string refusal() const
  {
    try
      {
        macro::mixed_discretization(setting);
      }
    catch (const InputError &error)
      {
        return error.what();
      }
    return "";
  }

  TemporaryFile file;
  Setting       setting;
};

bool says(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }
} // namespace

BOOST_AUTO_TEST_CASE(digits_of_a_file_take_no_face_off_its_wall)
{
  const double energy = Pressed(unit_square()).energy(), of_refined = Pressed(unit_square()).energy(3);
  BOOST_TEST(energy < .06); // .22 without the wall on the left
  for (const double shift : {1e-9, 1e-7, 1e-6})
    {
      GmshCells shifted = unit_square(), dented = unit_square();
      for (auto &x : shifted.nodes)
        x[0] += shift;
      dented.nodes[4 * 9][0] += shift;
      for (const GmshCells &mesh : {shifted, dented})
        {
          BOOST_TEST(Pressed(mesh).energy() == energy, boost::test_tools::tolerance(1e-4));
          BOOST_TEST(Pressed(mesh).energy(3) == of_refined, boost::test_tools::tolerance(1e-4));
        }
    }
}

BOOST_AUTO_TEST_CASE(walls_without_faces_and_matter_outside_of_the_box_are_refused)
{
  BOOST_TEST(Pressed(unit_square()).refusal() == "");
  const std::string off = Pressed(unit_square(), -1., 2.).refusal();
  BOOST_TEST(says(off, "the walls: No face"));
  BOOST_TEST(says(off, "'left'"));
  const std::string outside = Pressed(unit_square(), 0., .5).refusal();
  BOOST_TEST(says(outside, "the upper corner: "));
  BOOST_TEST(says(outside, "to (0.625, 0)"));
  BOOST_TEST(says(Pressed(unit_square(), .5, 1.).refusal(), "the lower corner: "));
  Pressed open(unit_square(), -1., 2.);
  open.setting.domain.walls = {};
  BOOST_TEST(open.refusal() == "");
}

BOOST_AUTO_TEST_SUITE_END()
