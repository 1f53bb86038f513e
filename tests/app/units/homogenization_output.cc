// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/homogenization_output.h"

#include "micro/lattices.h"

#include <boost/test/unit_test.hpp>

#include <Eigen/Geometry>

#include <cmath>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(homogenization_output)

using namespace moreau;
using namespace moreau::app;
using convex::Index;
using convex::Vector;

namespace
{
macro::Domain unit_box(const Index dim)
{
  macro::Domain domain;
  domain.lower = Vector::Zero(dim);
  domain.upper = Vector::Ones(dim);
  return domain;
}

/// The ball of radius 0.45 in the middle of the box, as a smooth shape.
macro::Domain ball(const Index dim)
{
  macro::Domain domain = unit_box(dim);
  domain.uniform       = false;
  domain.level         = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    values = 0.45 * 0.45 - (x.array() - 0.5).square().colwise().sum();
  };
  domain.density = [level = domain.level](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    level(x, values);
    values = (values.array() >= 0.).cast<double>().eval();
  };
  return domain;
}

homogenization::Packing packing(const micro::Spheres &spheres, const macro::Domain &domain)
{
  return {spheres, {}, micro::contact_graph(spheres, {}, 1e-9), domain};
}

/// The lattice of this dimension with n spheres per unit length in the zone.
homogenization::Packing lattice(const macro::Domain &domain, const double n)
{
  const Index                dim = domain.lower.size();
  micro::lattices::Zone      zone{domain.lower, domain.upper};
  micro::lattices::Placement placement;
  placement.spacing = 1. / n;
  if (!domain.uniform)
    zone.contains = [&](const Vector &x) {
      Eigen::MatrixXd rho(1, 1);
      domain.density(x, rho);
      return rho(0) == 1.;
    };
  return packing(dim == 1   ? micro::lattices::line(zone, placement)
                 : dim == 2 ? micro::lattices::triangular(zone, placement)
                            : micro::lattices::face_centred_cubic(zone, placement),
                 domain);
}

Eigen::Vector3d point(const geometry::Mesh &mesh, const long long k) { return Eigen::Vector3d::Map(&mesh.points[3 * k]); }

/// Volume of a polyhedron from its faces, by the divergence theorem: positive
/// where they are seen counterclockwise from outside.
double volume_of_polyhedron(const geometry::Mesh &mesh, const std::size_t cell)
{
  const long long *face   = mesh.faces.data() + (cell == 0 ? 0 : mesh.face_offsets[cell - 1]);
  double           volume = 0.;
  for (long long n_faces = *face++; n_faces > 0; --n_faces, face += 1 + *face)
    for (long long k = 2; k < *face; ++k)
      volume += point(mesh, face[1]).dot(point(mesh, face[k]).cross(point(mesh, face[k + 1]))) / 6.;
  return volume;
}

/// Length, area (positive where counterclockwise) or volume of a cell.
double measure(const geometry::Mesh &mesh, const std::size_t cell)
{
  if (mesh.cell_type == geometry::CellType::line)
    return point(mesh, mesh.connectivity[2 * cell + 1]).x() - point(mesh, mesh.connectivity[2 * cell]).x();
  if (mesh.cell_type == geometry::CellType::polyhedron)
    return volume_of_polyhedron(mesh, cell);
  const long long first = cell == 0 ? 0 : mesh.offsets[cell - 1];
  double          area  = 0.;
  for (long long k = first + 2; k < mesh.offsets[cell]; ++k)
    area += 0.5 * (point(mesh, mesh.connectivity[k - 1]) - point(mesh, mesh.connectivity[first]))
                      .cross(point(mesh, mesh.connectivity[k]) - point(mesh, mesh.connectivity[first]))
                      .z();
  return area;
}

const std::vector<double> &values(const geometry::Mesh &mesh, const std::string &name)
{
  for (const geometry::Array &array : mesh.cell_data)
    if (array.name == name)
      return array.values;
  throw std::logic_error(name);
}

/// Volumes of what is written of each sphere.
Vector written_volumes(const geometry::Mesh &mesh, const Index n_spheres)
{
  Vector result = Vector::Zero(n_spheres);
  for (std::size_t k = 0; k < mesh.n_cells(); ++k)
    {
      BOOST_TEST(measure(mesh, k) > 0.);
      result(static_cast<Index>(values(mesh, "sphere")[k])) += measure(mesh, k);
    }
  return result;
}

void check_volumes(const homogenization::Packing &packing)
{
  const geometry::Mesh mesh = voronoi_mesh(packing, {});
  BOOST_TEST((written_volumes(mesh, packing.spheres.size()) - packing.cells.volumes()).cwiseAbs().maxCoeff() <
             1e-14); // round-off: boxes of size 1
}
} // namespace

BOOST_AUTO_TEST_CASE(fields_are_the_values_of_spheres_with_vectors_in_three_components)
{
  const homogenization::Packing four =
      packing(micro::lattices::square({Vector::Zero(2), Vector::Ones(2)}, {0.5}), unit_box(2));
  const geometry::Mesh mesh =
      voronoi_mesh(four, {{"U", "m/s", Vector::LinSpaced(8, 1., 8.)}, {"volume", "m^2", four.cells.volumes()}});

  BOOST_TEST(mesh.name == "voronoi");
  BOOST_TEST((mesh.cell_type == geometry::CellType::polygon));
  BOOST_TEST(mesh.offsets == (std::vector<long long>{4, 8, 12, 16}));
  BOOST_TEST(mesh.n_points() == 16u);
  BOOST_TEST_REQUIRE(mesh.cell_data.size() == 4u);
  BOOST_TEST(mesh.cell_data[0].n_components == 3);
  BOOST_TEST(mesh.cell_data[0].unit == "m/s");
  BOOST_TEST(mesh.cell_data[0].values == (std::vector<double>{1., 2., 0., 3., 4., 0., 5., 6., 0., 7., 8., 0.}));
  BOOST_TEST(mesh.cell_data[1].n_components == 1);
  const Vector &volumes = four.cells.volumes();
  BOOST_TEST(mesh.cell_data[1].values == std::vector<double>(volumes.begin(), volumes.end()));
  BOOST_TEST(values(mesh, "sphere") == (std::vector<double>{0., 1., 2., 3.}));
  BOOST_TEST(values(mesh, "cut") == (std::vector<double>{1., 1., 1., 1.}));
}

BOOST_AUTO_TEST_CASE(in_one_dimension_cells_are_lines)
{
  const homogenization::Packing four = lattice(unit_box(1), 4);
  const geometry::Mesh          mesh =
      voronoi_mesh(four, {{"U", "m/s", Vector::LinSpaced(4, 1., 4.)}, {"p", "kg m/s", Vector::Ones(4)}});
  BOOST_TEST((mesh.cell_type == geometry::CellType::line));
  BOOST_TEST(mesh.n_cells() == 4u);
  BOOST_TEST(mesh.offsets.empty());
  BOOST_TEST(values(mesh, "U") == (std::vector<double>{1., 0., 0., 2., 0., 0., 3., 0., 0., 4., 0., 0.}));
  BOOST_TEST(values(mesh, "p") == (std::vector<double>{1., 1., 1., 1.}));
  BOOST_TEST(values(mesh, "cut") == (std::vector<double>{1., 0., 0., 1.}));
  check_volumes(four);
}

BOOST_AUTO_TEST_CASE(polygons_have_the_areas_of_cells) { check_volumes(lattice(unit_box(2), 5)); }

BOOST_AUTO_TEST_CASE(polyhedra_have_the_volumes_of_cells)
{
  const homogenization::Packing spheres = lattice(unit_box(3), 3);
  BOOST_TEST((voronoi_mesh(spheres, {}).cell_type == geometry::CellType::polyhedron));
  check_volumes(spheres);
}

BOOST_AUTO_TEST_CASE(of_cut_cells_the_pieces_are_written_with_the_values_of_the_cell)
{
  for (const Index dim : {1, 2, 3})
    {
      const homogenization::Packing spheres = lattice(ball(dim), dim == 3 ? 3 : 5);
      Vector                        squares(spheres.spheres.size());
      std::size_t                   n_whole = 0;
      for (Index i = 0; i < squares.size(); ++i)
        {
          squares(i) = i * i;
          n_whole += !spheres.cells.has_pieces(i);
        }
      const geometry::Mesh mesh = voronoi_mesh(spheres, {{"square", "", squares}});
      BOOST_TEST(n_whole < static_cast<std::size_t>(squares.size()));
      BOOST_TEST(mesh.n_cells() > n_whole);
      for (std::size_t k = 0; k < mesh.n_cells(); ++k)
        BOOST_TEST(values(mesh, "square")[k] == std::pow(values(mesh, "sphere")[k], 2));
      check_volumes(spheres);
    }
}

BOOST_AUTO_TEST_CASE(a_field_of_another_length_is_refused)
{
  const homogenization::Packing four = lattice(unit_box(2), 2);
  BOOST_CHECK_THROW(voronoi_mesh(four, {{"U", "m/s", Vector::Ones(1)}}), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
