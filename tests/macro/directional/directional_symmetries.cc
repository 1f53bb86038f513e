// SPDX-License-Identifier: GPL-3.0-or-later
// Directional cones: mirrored, turned and exchanged data have the mirrored, turned, exchanged answer wherever the isometry
// maps the mesh to itself.
#include "tests/macro/isometries.h"
#include "tests/macro/directional/lattice_forms.h"

BOOST_AUTO_TEST_SUITE(directional_symmetries)

using namespace moreau;
using namespace moreau::macro;

namespace
{
Setting of_cone(const ConeType type, const double cells, const Alignment alignment = Alignment::lattice)
{
  Setting setting = unit_cube(type, 0., cells, {}, alignment);
  setting.U       = collision_without_symmetry;
  return setting;
}

/// On a box whose corners are sites of the triangular lattice.
Setting triangular(const double cells, const int rows)
{
  Setting setting         = of_cone(ConeType::triangular, cells);
  setting.domain.upper(1) = rows * .5 * root_3 / cells;
  return setting;
}

/// On a whole number of cubes of the lattice, an even one: then mirrors map sites to sites.
Setting face_centred(const double cells, const int layers)
{
  Setting setting      = of_cone(ConeType::face_centred_cubic, cells);
  setting.domain.upper = Vector::Constant(3, layers * std::sqrt(.5) / cells);
  return setting;
}

/// Directions of no lattice.
Setting of_directions(const int dim, const double cells)
{
  Setting setting           = unit_cube(dim, collision_without_symmetry, cells);
  setting.cone.type         = ConeType::directions;
  setting.cone.n_directions = 4;
  setting.cone.directions   = Eigen::MatrixXd(dim, 4);
  for (int k = 0; k < 4; ++k)
    setting.cone.directions.col(k) =
        (dim == 2 ? Vector(vector(std::cos(.3 + k), std::sin(.3 + k))) : vector(1., std::sin(1. + k), std::cos(3. * k)))
            .normalized();
  return setting;
}

/// Two grains that meet at x = 1/2.
Setting grains(const double cells)
{
  Setting setting              = of_directions(2, cells);
  setting.cone.directions      = {};
  setting.cone.n_directions    = 3;
  setting.cone.direction_field = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &e) {
    const Eigen::MatrixXd left  = lattice_directions(ConeType::triangular, 5.),
                          right = lattice_directions(ConeType::triangular, 30.);
    for (Index q = 0; q < x.cols(); ++q)
      e.col(q) = Eigen::Map<const Vector>((x(0, q) < .5 ? left : right).data(), 6);
  };
  return setting;
}

Setting with_walls(Setting setting)
{
  setting.domain.walls[0] = setting.domain.walls[3] = true;
  return setting;
}

/// Refined twice by halving simplices, where the bound says so.
Setting adaptive(Setting setting)
{
  setting.mesh.adaptive_cycles = 2;
  return setting;
}
} // namespace

BOOST_AUTO_TEST_CASE(square_and_cubic_lattices_turn_with_their_data)
{
  const Setting square = of_cone(ConeType::square, 32.), cubic = of_cone(ConeType::cubic, 10.);
  for (const Setting &setting : {square, on_an_annulus(square), with_walls(square)})
    check_isometries("square", setting, all_isometries(2));
  for (const Setting &setting : {cubic, with_walls(cubic)})
    check_isometries("cubic", setting, all_isometries(3));
  // in space curved boundaries are integrated with an error, and which parts are divided is decided by rounding
  check_isometries("cubic, cut", on_an_annulus(cubic), {half_turn(3), exchange(3), next_axis(3)}, 1e-3);
}

BOOST_AUTO_TEST_CASE(triangular_lattices_turn_with_their_data)
{
  const Setting box = triangular(12., 12);
  // the sides of the box cut every second row of triangles. Where cells are cut η is made small by sweeps over the
  // directions, in an order that no mirror keeps, until they gain little (5e-5 of η are seen)
  constexpr double velocities = 1e-10, bounds = 1e-3;
  for (const Setting &setting : {box, on_an_annulus(box), with_walls(box)})
    check_isometries("triangular", setting, all_isometries(2), velocities, bounds);
}

BOOST_AUTO_TEST_CASE(face_centred_cubic_lattices_turn_with_their_data)
{
  const Setting box = face_centred(8. * std::sqrt(.5), 8); // the jump lies between cubes
  // where U bends much, jumps and curved boundaries are integrated in parts that no mirror maps to themselves
  check_isometries("face-centred cubic", box, all_isometries(3), 1e-3);
  check_isometries("face-centred cubic, walls", with_walls(box), all_isometries(3), 1e-3);
  check_isometries("face-centred cubic, cut", on_an_annulus(box), all_isometries(3), 3e-2);
}

// Diagonals of cells lie along (1, 1) or (1, 1, 1): what maps these to themselves maps the mesh to itself.
BOOST_AUTO_TEST_CASE(simplices_turn_with_their_data_where_their_diagonals_do)
{
  const std::vector<Isometry> in_plane = {half_turn(2), exchange(2)}, in_space = {half_turn(3), exchange(3), next_axis(3)};
  for (const ConeType type : {ConeType::square, ConeType::triangular})
    check_isometries(name(type), of_cone(type, 12., Alignment::box), in_plane);
  for (const ConeType type : {ConeType::cubic, ConeType::face_centred_cubic})
    check_isometries(name(type), of_cone(type, 4., Alignment::box), in_space);
  check_isometries("annulus", on_an_annulus(of_cone(ConeType::triangular, 12., Alignment::box)), in_plane);
  check_isometries("walls", with_walls(of_cone(ConeType::triangular, 12., Alignment::box)), in_plane);
  check_isometries("directions", of_directions(2, 12.), in_plane);
  check_isometries("directions in space", of_directions(3, 4.), in_space);
  check_isometries("grains", grains(12.), in_plane);
  check_isometries("walls in space", with_walls(of_cone(ConeType::face_centred_cubic, 4., Alignment::box)), in_space);
}

BOOST_AUTO_TEST_CASE(adaptive_simplices_turn_with_their_data_where_their_diagonals_do)
{
  const std::vector<Isometry> in_plane = {half_turn(2), exchange(2)}, in_space = {half_turn(3), exchange(3), next_axis(3)};
  for (const ConeType type : {ConeType::square, ConeType::triangular})
    check_isometries(name(type), adaptive(of_cone(type, 8., Alignment::box)), in_plane);
  check_isometries("annulus", adaptive(on_an_annulus(of_cone(ConeType::square, 12., Alignment::box))), in_plane);
  check_isometries("cubic", adaptive(of_cone(ConeType::cubic, 3., Alignment::box)), in_space);
}

BOOST_AUTO_TEST_CASE(simplices_of_boxes_that_repeat_themselves_turn_with_their_data_where_their_diagonals_do)
{
  const std::vector<Isometry> in_plane = {half_turn(2), exchange(2)}, in_space = {half_turn(3), exchange(3), next_axis(3)};
  for (const ConeType type : {ConeType::square, ConeType::triangular})
    {
      const Setting box = of_cone(type, 12., Alignment::box);
      check_isometries(name(type), repeated(box, 2), in_plane);
      check_isometries(name(type) + " along x", repeated(box, 1), in_plane);
      check_isometries(name(type) + ", annulus", on_an_annulus(repeated(box, 2)), in_plane);
    }
  for (const ConeType type : {ConeType::cubic, ConeType::face_centred_cubic})
    check_isometries(name(type), repeated(of_cone(type, 4., Alignment::box), 3), in_space);
}

BOOST_AUTO_TEST_SUITE_END()
