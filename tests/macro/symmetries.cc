// SPDX-License-Identifier: GPL-3.0-or-later
// The isotropic cone: mirrored, turned and exchanged data have the mirrored, turned, exchanged answer, on every mesh.
#include "tests/macro/gmsh_files.h"
#include "tests/macro/isometries.h"

#include <Eigen/LU>

#include <tuple>

BOOST_AUTO_TEST_SUITE(symmetries)

using namespace moreau;
using namespace moreau::macro;

namespace
{
/// The same mesh after Q: cells that a mirror turns inside out are numbered the other way round.
GmshCells after(const Isometry &Q, const Vector &upper, GmshCells mesh)
{
  const Index dim = Q.rows();
  for (auto &node : mesh.nodes)
    {
      const Vector x                       = image(Q, upper, Eigen::Map<const Vector>(node.data(), dim));
      Eigen::Map<Vector>(node.data(), dim) = x;
    }
  if (Q.determinant() < 0.)
    for (auto &cell : mesh.cells)
      for (std::size_t half = 0; half < cell.size(); half += 4)
        std::swap(cell[half + 1], cell[half + 3]);
  return mesh;
}

void check_file(const std::string &name, const GmshCells &mesh, Setting setting)
{
  const TemporaryFile file(gmsh(mesh));
  setting.mesh.file                                    = file.path;
  std::tie(setting.domain.lower, setting.domain.upper) = bounding_box(file.path, static_cast<int>(setting.dim()));
  const Answer straight                                = answer(setting);
  for (const Isometry &Q : all_isometries(static_cast<int>(setting.dim())))
    {
      const TemporaryFile turned_file(gmsh(after(Q, setting.domain.upper, mesh)));
      Setting             turned = macro::after(Q, setting);
      turned.mesh.file           = turned_file.path;
      check_turned(name, straight, answer(turned), Q, setting.domain.upper);
    }
}

Setting on_elements(Setting setting)
{
  setting.mesh.raviart_thomas = true;
  return setting;
}

Setting adaptive(Setting setting, const unsigned int cycles)
{
  setting.mesh.adaptive_cycles = cycles;
  return setting;
}

Setting between_walls(Setting setting)
{
  setting.domain.walls = {true, false, false, true, false, true};
  for (std::size_t side = 2 * setting.dim(); side < setting.domain.walls.size(); ++side)
    setting.domain.walls[side] = false;
  return setting;
}

/// Odd in every coordinate about the middle and the same for all axes: falls together, with a jump in the middle planes.
void symmetric_collision(const Eigen::MatrixXd &x, Eigen::MatrixXd &U)
{
  for (Index k = 0; k < x.cols(); ++k)
    for (Index axis = 0; axis < x.rows(); ++axis)
      {
        const double y = x(axis, k) - .5, r2 = (x.col(k).array() - .5).matrix().squaredNorm();
        U(axis, k) = std::sin(7. * y) * std::cos(9. * r2) + (y > 0. ? -.4 : y < 0. ? .4 : 0.);
      }
}

/// Data that no isometry of the cube changes have an answer that none changes.
void check_symmetric(const std::string &name, const Setting &setting)
{
  const Answer only = answer(setting);
  for (const Isometry &Q : all_isometries(static_cast<int>(setting.dim())))
    check_turned(name, only, only, Q, setting.domain.upper);
}
} // namespace

BOOST_AUTO_TEST_CASE(isotropic_impacts_on_boxes_turn_with_their_data)
{
  check_isometries("square", unit_cube(2, collision_without_symmetry, 16.), all_isometries(2));
  check_isometries("cube", unit_cube(3, collision_without_symmetry, 8.), all_isometries(3));
  check_isometries("interval", unit_cube(1, collision_without_symmetry, 32.), {mirror(1, 0)});
}

// Cells that the boundary cuts: the gradient of p jumps where the cells inside end.
BOOST_AUTO_TEST_CASE(isotropic_impacts_on_zones_that_cut_cells_turn_with_their_data)
{
  check_isometries("annulus", on_an_annulus(unit_cube(2, collision_without_symmetry, 32.)), all_isometries(2));
  check_isometries("shell", on_an_annulus(unit_cube(3, collision_without_symmetry, 12.)), all_isometries(3));
}

BOOST_AUTO_TEST_CASE(isotropic_impacts_on_shapes_turn_with_their_data)
{
  Setting disc               = on_an_annulus(unit_cube(2, collision_without_symmetry, 24.));
  disc.domain.level_is_given = true;
  disc.domain.level          = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &level) {
    for (Index k = 0; k < x.cols(); ++k)
      {
        const double r2 = (x.col(k).array() - .5).matrix().squaredNorm();
        level(0, k)     = (r2 - .21 * .21) * (.43 * .43 - r2);
      }
  };
  check_isometries("annulus", disc, all_isometries(2));
  Setting shell                    = disc;
  shell.domain.lower               = Vector::Zero(3);
  shell.domain.upper               = Vector::Ones(3);
  shell.mesh.cells_per_unit_length = 16.;
  check_isometries("shell", shell, all_isometries(3));
}

// The gradient of the mean makes room, the waves compress.
BOOST_AUTO_TEST_CASE(isotropic_impacts_in_boxes_that_repeat_themselves_turn_with_their_data)
{
  const Setting square = unit_cube(2, {}, 16.), cube = unit_cube(3, {}, 8.);
  check_isometries("square", repeated(square, 2), all_isometries(2));
  check_isometries("along x", repeated(square, 1), all_isometries(2));
  check_isometries("annulus", on_an_annulus(repeated(unit_cube(2, {}, 32.), 2)), all_isometries(2));
  check_isometries("cube", repeated(cube, 3), all_isometries(3));
  check_isometries("along x and y", repeated(cube, 2), all_isometries(3));
}

BOOST_AUTO_TEST_CASE(isotropic_impacts_between_walls_turn_with_their_data)
{
  check_isometries("square", between_walls(unit_cube(2, collision_without_symmetry, 16.)), all_isometries(2));
  check_isometries("cube", between_walls(unit_cube(3, collision_without_symmetry, 8.)), all_isometries(3));
  check_isometries("elements", on_elements(between_walls(unit_cube(2, collision_without_symmetry, 8.))), all_isometries(2));
}

BOOST_AUTO_TEST_CASE(isotropic_impacts_on_elements_turn_with_their_data)
{
  check_isometries("square", on_elements(unit_cube(2, collision_without_symmetry, 16.)), all_isometries(2));
  check_isometries("annulus", on_elements(on_an_annulus(unit_cube(2, collision_without_symmetry, 24.))), all_isometries(2));
  check_isometries("cube", on_elements(unit_cube(3, collision_without_symmetry, 4.)), all_isometries(3));
  check_file("quadrilaterals", perturbed_square(8), unit_cube(2, collision_without_symmetry, 1.));
  check_file("hexahedra", sheared_box(3), unit_cube(3, collision_without_symmetry, 1.));
}

BOOST_AUTO_TEST_CASE(adaptive_meshes_turn_with_their_data)
{
  check_isometries("square", adaptive(unit_cube(2, collision_without_symmetry, 8.), 3), all_isometries(2));
  check_isometries("annulus", adaptive(on_an_annulus(unit_cube(2, collision_without_symmetry, 16.)), 2), all_isometries(2));
  check_isometries("cube", adaptive(unit_cube(3, collision_without_symmetry, 4.), 1), all_isometries(3));
}

BOOST_AUTO_TEST_CASE(symmetric_data_have_symmetric_answers)
{
  const Setting square = unit_cube(2, symmetric_collision, 16.), cube = unit_cube(3, symmetric_collision, 8.);
  check_symmetric("interval", unit_cube(1, symmetric_collision, 32.));
  check_symmetric("square", square);
  check_symmetric("annulus", on_an_annulus(unit_cube(2, symmetric_collision, 128.)));
  check_symmetric("cube", cube);
  check_symmetric("shell", on_an_annulus(cube));
  check_symmetric("elements", on_elements(square));
  check_symmetric("elements in an annulus", on_elements(on_an_annulus(unit_cube(2, symmetric_collision, 32.))));
  check_symmetric("elements in space", on_elements(unit_cube(3, symmetric_collision, 4.)));
  check_symmetric("adaptive", adaptive(unit_cube(2, symmetric_collision, 8.), 4));
  check_symmetric("adaptive in an annulus", adaptive(on_an_annulus(square), 3));
  check_symmetric("adaptive in space", adaptive(unit_cube(3, symmetric_collision, 4.), 2));
}

BOOST_AUTO_TEST_SUITE_END()
