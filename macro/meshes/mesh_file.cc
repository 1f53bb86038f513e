// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/mesh_file.h"

#include "macro/meshes/cells_fit.h"
#include "macro/meshes/gmsh_text.h"

#include <deal.II/base/geometry_info.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria.h>

#include <Eigen/LU>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace moreau::macro
{
namespace
{
/// Gmsh's number of quadrilaterals or hexahedra.
int cell_type(const int dim) { return dim == 2 ? 3 : 5; }

void check_elements(const std::filesystem::path &file, const std::map<int, long long> &n_of_type, const int dim)
{
  // admitted beside the cells: points, lines and, in space, faces
  const int                        cell   = cell_type(dim);
  const std::string                needed = dim == 2 ? "quadrilaterals" : "hexahedra";
  const std::map<int, std::string> solids = {{4, "tetrahedra"}, {5, "hexahedra"}, {6, "prisms"}, {7, "pyramids"}};
  for (const auto &[type, n] : n_of_type)
    {
      if (dim == 2 && solids.count(type))
        refuse_mesh(file, "holds " + solids.at(type) + ", a mesh of dimension 3; set Dimension to 3 or give a plane mesh.");
      const bool admitted = type == cell || type == 15 || type == 1 || (dim == 3 && type == 3);
      if (!admitted)
        refuse_mesh(file, "holds " + std::to_string(n) + " elements of Gmsh's type " + std::to_string(type) +
                              (type == 2   ? " (triangles)"
                               : type == 4 ? " (tetrahedra)"
                               : type > 7  ? " (of higher order)"
                                           : "") +
                              "; give " + needed + " of order 1 only" + (dim == 2 && type == 2 ? " (Recombine)." : "."));
    }
  if (!n_of_type.count(cell))
    refuse_mesh(file, "holds no " + needed + "; Dimension is " + std::to_string(dim) + ".");
}

/// Edges of a cell seen from vertex k, as the columns of a determinant that must be positive for det J > 0 there.
template <int dim, class Cell>
double jacobian_determinant(const Cell &cell, const unsigned int k)
{
  Eigen::Matrix<double, dim, dim> J;
  for (int axis = 0; axis < dim; ++axis)
    {
      const auto edge = cell->vertex(k | 1u << axis) - cell->vertex(k & ~(1u << axis));
      for (int a = 0; a < dim; ++a)
        J(a, axis) = edge[a];
    }
  return J.determinant();
}

/// z of what a plane mesh consists of is not read.
void require_plane(const std::filesystem::path &file, const GmshText &text)
{
  std::array<double, 3> lower, upper;
  lower.fill(std::numeric_limits<double>::infinity());
  upper.fill(-std::numeric_limits<double>::infinity());
  for (const std::vector<int> &cell : text.cells.at(cell_type(2)))
    for (const int node : cell)
      for (int a = 0; a < 3; ++a)
        {
          lower[a] = std::min(lower[a], text.points[node][a]);
          upper[a] = std::max(upper[a], text.points[node][a]);
        }
  if (upper[2] - lower[2] > 1e-6 * std::max(upper[0] - lower[0], upper[1] - lower[1]))
    {
      std::ostringstream ends;
      ends << lower[2] << " to " << upper[2];
      refuse_mesh(file, "has cells whose nodes have z from " + ends.str() +
                            "; lay the mesh into the plane of x and y, or set Dimension to 3 and give hexahedra.");
    }
}

template <int dim>
void check_cells(const std::filesystem::path &file, const dealii::Triangulation<dim, dim> &triangulation)
{
  for (const auto &cell : triangulation.active_cell_iterators())
    {
      for (unsigned int k = 0; k < 1u << dim; ++k)
        if (!(jacobian_determinant<dim>(cell, k) > 1e-10 * std::pow(cell->diameter(), dim)))
          refuse_mesh(file, "has an inverted or degenerate cell at " + position<dim>(cell->center()) +
                                "; all its angles must be below 180 degrees.");
      if (dim == 3 && !is_affine<dim>(cell, 1e-8))
        refuse_mesh(file, "has a hexahedron at " + position<dim>(cell->center()) +
                              " that is no parallelepiped: the lowest-order Raviart-Thomas velocity would not converge; use "
                              "affine hexahedra.");
    }
}

template <int dim>
std::pair<Vector, Vector> bounding_box_of(const std::filesystem::path &file)
{
  dealii::Triangulation<dim> triangulation;
  read_mesh<dim>(file, triangulation);
  Vector lower = Vector::Constant(dim, std::numeric_limits<double>::infinity()), upper = -lower;
  for (const auto &x : triangulation.get_vertices())
    for (int axis = 0; axis < dim; ++axis)
      {
        lower(axis) = std::min(lower(axis), x[axis]);
        upper(axis) = std::max(upper(axis), x[axis]);
      }
  return {lower, upper};
}
} // namespace

template <int dim>
void read_mesh(const std::filesystem::path &file, dealii::Triangulation<dim, dim> &triangulation)
{
  const GmshText text = read_gmsh(file);
  check_elements(file, text.n_of_type, dim);
  if (dim == 2)
    require_plane(file, text);
  std::vector<dealii::Point<dim>> points(text.points.size());
  for (std::size_t k = 0; k < points.size(); ++k)
    for (int axis = 0; axis < dim; ++axis)
      points[k][axis] = text.points[k][axis];
  std::vector<dealii::CellData<dim>> cells;
  for (const std::vector<int> &nodes : text.cells.at(cell_type(dim)))
    {
      cells.emplace_back();
      for (std::size_t k = 0; k < nodes.size(); ++k)
        cells.back().vertices[dealii::GeometryInfo<dim>::ucd_to_deal[k]] = nodes[k];
    }
  try
    {
      // as dealii::GridIn does
      dealii::SubCellData none;
      dealii::GridTools::delete_unused_vertices(points, cells, none);
      dealii::GridTools::invert_cells_with_negative_measure(points, cells);
      dealii::GridTools::consistently_order_cells(cells);
      triangulation.create_triangulation(points, cells, none);
    }
  catch (const std::exception &)
    {
      // deal.II's banner says where in its source, not what is wrong with the file
      refuse_mesh(
          file,
          "is no mesh that deal.II can read; it seems to be damaged or its cells do not fit together: write it again.");
    }
  check_cells(file, triangulation);
  require_cells_that_fit(file, triangulation);
}

std::pair<Vector, Vector> bounding_box(const std::filesystem::path &file, const int dim)
{
  return dim == 2 ? bounding_box_of<2>(file) : bounding_box_of<3>(file);
}

template void read_mesh<2>(const std::filesystem::path &, dealii::Triangulation<2, 2> &);
template void read_mesh<3>(const std::filesystem::path &, dealii::Triangulation<3, 3> &);
} // namespace moreau::macro
