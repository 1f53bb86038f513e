// SPDX-License-Identifier: GPL-3.0-or-later
// Without walls no impact changes ∫ρu.
#include "convex/impact_law.h"
#include "geometry/quadrature.h"
#include "macro/discretize.h"
#include "tests/macro/gmsh_files.h"
#include "tests/macro/directional/lattice_forms.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <tuple>

BOOST_AUTO_TEST_SUITE(momentum)

using namespace moreau;
using namespace moreau::macro;

namespace
{
/// Waves that run into each other, and a jump at x = .5, a line of all grids here.
void collision(const Eigen::MatrixXd &x, Eigen::MatrixXd &U)
{
  for (Index k = 0; k < x.cols(); ++k)
    for (Index axis = 0; axis < x.rows(); ++axis)
      U(axis, k) = std::sin(3. * x(axis, k) + 1. + x(0, k)) + (axis == 0 && x(0, k) < .5 ? 1. : -.3);
}

/// Saturated in a disc about the middle, half full elsewhere.
Setting on_a_disc(Setting setting)
{
  setting.domain.uniform = false;
  setting.domain.density = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &density) {
    for (Index k = 0; k < x.cols(); ++k)
      density(0, k) = (x.col(k).array() - .5).matrix().norm() < .4 ? 1. : .5;
  };
  return setting;
}

Setting on_a_shape(Setting setting)
{
  setting                       = on_a_disc(setting);
  setting.domain.level_is_given = true;
  setting.domain.level          = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &level) {
    for (Index k = 0; k < x.cols(); ++k)
      level(0, k) = .16 - (x.col(k).array() - .5).matrix().squaredNorm();
  };
  return setting;
}

/// ∫|U| over the unit cube, roughly.
double size_of(const Setting &setting)
{
  const Rule      rule = gauss_rule(4, static_cast<int>(setting.dim()), 8);
  Eigen::MatrixXd U(setting.dim(), rule.size());
  setting.U(rule.points, U);
  return U.colwise().norm().dot(rule.weights);
}

/// The impact on this mesh changes U, and not its momentum.
void check(const std::string &name, const Discretization &mesh, const Setting &setting, const double restitution = .5)
{
  const auto           projector = mesh.projector("automatic", {});
  const convex::Impact impact    = convex::post_impact(mesh.problem(), *projector, restitution);
  BOOST_TEST_CONTEXT(name)
  {
    const Vector before = mesh.momentum(mesh.problem().U), after = mesh.momentum(impact.u_plus);
    BOOST_TEST(mesh.problem().V->norm(impact.u_plus - mesh.problem().U) > 1e-3); // something happens
    BOOST_TEST((after - before).cwiseAbs().maxCoeff() <= 1e-12 * size_of(setting));
  }
}

void check(const std::string &name, const Setting &setting) { check(name, *discretize(setting), setting); }

Setting on_elements(Setting setting)
{
  setting.mesh.raviart_thomas = true;
  return setting;
}

/// A directional cone on the unit cube.
Setting with_cone(const ConeType type, const double angle, const double cells, const Alignment alignment)
{
  Setting setting = unit_cube(type, angle, cells, {}, alignment);
  setting.U       = collision;
  return setting;
}

/// Five directions in the plane, or six in space, of no lattice.
Setting with_directions(const int dim, const double cells)
{
  Setting setting           = unit_cube(dim, collision, cells);
  setting.cone.type         = ConeType::directions;
  setting.cone.n_directions = dim == 2 ? 5 : 6;
  setting.cone.directions   = Eigen::MatrixXd(dim, setting.cone.n_directions);
  for (int k = 0; k < setting.cone.n_directions; ++k)
    {
      const double a = .3 + k, z = dim == 2 ? 0. : std::cos(2. * a);
      setting.cone.directions(0, k) = std::sqrt(1. - z * z) * std::cos(a);
      setting.cone.directions(1, k) = std::sqrt(1. - z * z) * std::sin(a);
      if (dim == 3)
        setting.cone.directions(2, k) = z;
    }
  return setting;
}
} // namespace

BOOST_AUTO_TEST_CASE(isotropic_impacts_conserve_momentum)
{
  for (const int dim : {1, 2, 3})
    check("box of dimension " + std::to_string(dim), unit_cube(dim, collision, dim == 3 ? 8. : 16.));
  for (const int dim : {2, 3})
    {
      check("zone that cuts cells", on_a_disc(unit_cube(dim, collision, 8.)));
      check("shape", on_a_shape(unit_cube(dim, collision, 16.)));
    }
}

BOOST_AUTO_TEST_CASE(impacts_on_general_meshes_conserve_momentum)
{
  for (const int dim : {2, 3})
    {
      const Setting box = on_elements(unit_cube(dim, collision, dim == 3 ? 6. : 16.));
      check("Raviart-Thomas on a box of dimension " + std::to_string(dim), box);
      check("zone that cuts cells", on_a_disc(box));
      Setting             of_file = unit_cube(dim, collision, 1.);
      const TemporaryFile file(gmsh(dim == 3 ? sheared_box(3) : perturbed_square(12)));
      of_file.mesh.file                                    = file.path;
      std::tie(of_file.domain.lower, of_file.domain.upper) = bounding_box(file.path, dim);
      check("Gmsh", of_file);
      check("zone in a Gmsh mesh", on_a_disc(of_file));
    }
}

BOOST_AUTO_TEST_CASE(impacts_on_adaptive_meshes_conserve_momentum)
{
  for (const int dim : {2, 3})
    for (const bool in_part : {false, true})
      {
        Setting setting              = unit_cube(dim, collision, dim == 3 ? 4. : 8.);
        setting                      = in_part ? on_a_disc(setting) : setting;
        setting.mesh.adaptive_cycles = 2;
        auto mesh                    = discretize(setting);
        for (unsigned int cycle = 0; cycle < setting.mesh.adaptive_cycles; ++cycle)
          {
            const auto x = mesh->projector("automatic", {})->project(mesh->problem(), mesh->p_start());
            mesh         = mesh->refined(x, mesh->total_bound(x));
            check("dimension " + std::to_string(dim) + ", cycle " + std::to_string(cycle + 1), *mesh, setting);
          }
        BOOST_TEST(mesh->description().find("locally refined") != std::string::npos);
      }
}

BOOST_AUTO_TEST_CASE(impacts_of_lattices_conserve_momentum)
{
  const std::tuple<std::string, ConeType, double> cones[] = {
      {"square", ConeType::square, 0.},
      {"square, turned", ConeType::square, 30.},
      {"triangular", ConeType::triangular, 0.},
      {"triangular, turned", ConeType::triangular, 20.},
      {"cubic", ConeType::cubic, 0.},
      {"cubic, turned", ConeType::cubic, 20.},
      {"face-centred cubic", ConeType::face_centred_cubic, 0.},
      {"face-centred cubic, turned", ConeType::face_centred_cubic, 20.}};
  for (const auto &[name, type, angle] : cones)
    for (const Alignment alignment : {Alignment::lattice, Alignment::box})
      {
        const bool    in_space = lattice_directions(type, angle).rows() == 3;
        const double  cells    = in_space ? alignment == Alignment::box ? 4. : 8. : 16.;
        const Setting setting  = with_cone(type, angle, cells, alignment);
        const auto    words    = name + (alignment == Alignment::box ? ", simplices" : ", along the lattice");
        check(words, setting);
        check(words + ", disc", on_a_disc(setting));
      }
}

BOOST_AUTO_TEST_CASE(impacts_of_other_directions_conserve_momentum)
{
  check("plane", with_directions(2, 12.));
  check("disc", on_a_disc(with_directions(2, 12.)));
  check("space", with_directions(3, 4.));
  Setting grains              = with_directions(2, 12.);
  grains.cone.n_directions    = 3;
  grains.cone.direction_field = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &e) {
    const Eigen::MatrixXd left  = lattice_directions(ConeType::triangular, 5.),
                          right = lattice_directions(ConeType::triangular, 30.);
    for (Index q = 0; q < x.cols(); ++q)
      e.col(q) = Eigen::Map<const Vector>((x(0, q) < .5 ? left : right).data(), 6);
  };
  check("two grains", grains);
}

BOOST_AUTO_TEST_CASE(impacts_of_dilatant_and_circular_cones_and_in_periodic_boxes_conserve_momentum)
{
  const Field dilatancy = [](const Eigen::MatrixXd &, Eigen::MatrixXd &values) { values.setConstant(.3); };
  Setting     plane     = unit_cube(2, collision, 8.);
  plane.cone            = dilatant_cone(2, dilatancy, 12);
  check("dilatant", plane);
  check("dilatant, disc", on_a_disc(plane));
  plane.cone = circular_cone(dilatancy);
  check("circular", plane);
  for (const ConeType type : {ConeType::isotropic, ConeType::square})
    {
      Setting periodic         = unit_cube(2, collision, 16.);
      periodic.cone            = lattice_cone(type, 0.);
      periodic.domain.periodic = {true, false, false};
      check(name(type) + ", periodic", periodic);
    }
}

// Where U jumps on lines of the mesh and is linear between them, the velocity on the mesh has its momentum, in the zone and
// outside.
BOOST_AUTO_TEST_CASE(momentum_on_the_mesh_is_that_of_U_where_it_jumps_on_lines_of_the_mesh)
{
  const Field U = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    for (Index k = 0; k < x.cols(); ++k)
      for (Index axis = 0; axis < x.rows(); ++axis)
        values(axis, k) = (x(0, k) < .3 ? 1. : -2. + x(axis, k)) + (axis > 0 && x(1, k) < .5 ? 3. : 0.);
  };
  for (const int dim : {1, 2, 3})
    for (const bool in_part : {false, true})
      {
        Setting setting        = unit_cube(dim, U, 10.);
        setting.domain.uniform = !in_part;
        setting.domain.density = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &density) {
          density = (x.row(0).array() > .2 && x.row(0).array() < .8).select(1., Eigen::MatrixXd::Constant(1, x.cols(), .5));
        };
        const auto   mesh  = discretize(setting);
        const Vector found = mesh->momentum(mesh->problem().U) + mesh->outside().momentum;
        // x in (0, .2), (.2, .3), (.3, .8), (.8, 1)
        const double rho = in_part ? .5 : 1., mass = .6 + .4 * rho;
        for (int axis = 0; axis < dim; ++axis)
          {
            // of x_axis over (.3, .8) and (.8, 1)
            const double middle = axis == 0 ? .5 * .55 : .5 * .5, end = axis == 0 ? .2 * .9 : .2 * .5;
            const double exact = .1 + .2 * rho - 2. * (.5 + .2 * rho) + middle + rho * end + (axis > 0 ? 1.5 * mass : 0.);
            BOOST_TEST(std::abs(found(axis) - exact) <= 1e-12); // a ten-billionth of a cell beside the faces
          }
      }
}

// (BM, fig. 6): the mean of u_x stays 0, and the velocity is odd.
BOOST_AUTO_TEST_CASE(blocks_that_meet_on_a_line_of_the_mesh_stay_where_they_are)
{
  Setting setting = unit_cube(
      2,
      [](const Eigen::MatrixXd &x, Eigen::MatrixXd &U) {
        for (Index k = 0; k < x.cols(); ++k)
          U.col(k) << (x(0, k) < 1. ? 1. : -1.), 0.;
      },
      16.);
  setting.domain.upper << 2., 1.;
  const auto                mesh = discretize(setting);
  const convex::SaddlePoint x    = mesh->projector("automatic", {})->project(mesh->problem());
  BOOST_TEST(mesh->momentum(mesh->problem().U).cwiseAbs().maxCoeff() <= 1e-14);
  BOOST_TEST(mesh->momentum(x.u).cwiseAbs().maxCoeff() <= 1e-14);
}

BOOST_AUTO_TEST_SUITE_END()
