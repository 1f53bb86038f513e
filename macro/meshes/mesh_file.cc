// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/mesh_file.h"

#include "convex/input_error.h"

#include <deal.II/grid/grid_in.h>
#include <deal.II/grid/tria.h>

#include <Eigen/LU>

#include <array>
#include <fstream>
#include <map>
#include <sstream>

namespace moreau::macro
{
namespace
{
[[noreturn]] void refuse(const std::filesystem::path &file, const std::string &what)
{
  throw InputError("the file of the mesh", "'" + file.string() + "' " + what);
}

std::string contents(const std::filesystem::path &file)
{
  std::error_code     error;
  const std::ifstream stream(file);
  if (!std::filesystem::is_regular_file(file, error) || !stream)
    refuse(file, "cannot be read; give the path of a Gmsh file.");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// What stands between $NAME and $EndNAME.
std::istringstream section(const std::filesystem::path &file, const std::string &text, const std::string &name)
{
  const std::size_t begin = text.find("$" + name), end = text.find("$End" + name);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    refuse(file, "has no complete section $" + name + "; give a whole Gmsh file (ASCII, format 2.2 or 4.1).");
  const std::size_t start = begin + 1 + name.size();
  return std::istringstream(text.substr(start, end - start));
}

/// How many elements of each of Gmsh's types there are.
std::map<int, long long> count_elements(const std::filesystem::path &file, const std::string &text)
{
  double      version = 0.;
  int         binary  = 0;
  std::string line;
  section(file, text, "MeshFormat") >> version >> binary;
  const bool blocks = version >= 4.1 && version < 5.;
  if (binary != 0 || !(blocks || version >= 2. && version < 3.))
    refuse(file, "is not a Gmsh file of ASCII format 2.2 or 4.1; save it as one.");
  section(file, text, blocks ? "Entities" : "Nodes");
  section(file, text, "Nodes");
  std::istringstream       elements = section(file, text, "Elements");
  std::map<int, long long> n_of_type;
  long long                n = -1, ignored = 0, n_blocks = 0, counted = 0;
  if (blocks)
    {
      elements >> n_blocks >> n >> ignored >> ignored;
      for (long long block = 0; block < n_blocks && elements; ++block)
        {
          int       dim = 0, tag = 0, type = 0;
          long long n_here = 0;
          elements >> dim >> tag >> type >> n_here;
          std::getline(elements, line);
          long long read = 0;
          while (read < n_here && std::getline(elements, line))
            ++read;
          n_of_type[type] += read;
          counted += read;
        }
    }
  else
    {
      elements >> n;
      for (int number = 0, type = 0; elements >> number >> type; ++counted)
        {
          ++n_of_type[type];
          std::getline(elements, line);
        }
    }
  if (n < 1 || counted != n)
    refuse(file, "announces " + std::to_string(n) + " elements and holds " + std::to_string(counted) +
                     "; it seems to be damaged: write it again.");
  return n_of_type;
}

void check_elements(const std::filesystem::path &file, const std::string &text, const int dim)
{
  // Gmsh's numbers of what is admitted beside the cells: points, lines and, in space, faces
  const int                        cell      = dim == 2 ? 3 : 5;
  const std::string                needed    = dim == 2 ? "quadrilaterals" : "hexahedra";
  const std::map<int, std::string> solids    = {{4, "tetrahedra"}, {5, "hexahedra"}, {6, "prisms"}, {7, "pyramids"}};
  const auto                       n_of_type = count_elements(file, text);
  for (const auto &[type, n] : n_of_type)
    {
      if (dim == 2 && solids.count(type))
        refuse(file, "holds " + solids.at(type) + ", a mesh of dimension 3; set Dimension to 3 or give a plane mesh.");
      const bool admitted = type == cell || type == 15 || type == 1 || (dim == 3 && type == 3);
      if (!admitted)
        refuse(file, "holds " + std::to_string(n) + " elements of Gmsh's type " + std::to_string(type) +
                         (type == 2   ? " (triangles)"
                          : type == 4 ? " (tetrahedra)"
                          : type > 7  ? " (of higher order)"
                                      : "") +
                         "; give " + needed + " of order 1 only" + (dim == 2 && type == 2 ? " (Recombine)." : "."));
    }
  if (!n_of_type.count(cell))
    refuse(file, "holds no " + needed + "; Dimension is " + std::to_string(dim) + ".");
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

/// Whether opposite edges are equal.
template <int dim, class Cell>
bool is_affine(const Cell &cell)
{
  for (unsigned int axis = 0; axis < dim; ++axis)
    for (unsigned int k = 0; k < 1u << dim; ++k)
      if (!(k & 1u << axis))
        {
          const auto edge  = cell->vertex(k | 1u << axis) - cell->vertex(k),
                     first = cell->vertex(1u << axis) - cell->vertex(0);
          if ((edge - first).norm() > 1e-8 * cell->diameter())
            return false;
        }
  return true;
}

template <int dim>
std::string position(const dealii::Point<dim> &x)
{
  std::ostringstream text;
  text << '(' << x << ')';
  return text.str();
}

template <int dim>
void check_cells(const std::filesystem::path &file, const dealii::Triangulation<dim, dim> &triangulation)
{
  for (const auto &cell : triangulation.active_cell_iterators())
    {
      for (unsigned int k = 0; k < 1u << dim; ++k)
        if (!(jacobian_determinant<dim>(cell, k) > 1e-10 * std::pow(cell->diameter(), dim)))
          refuse(file, "has an inverted or degenerate cell at " + position(cell->center()) +
                           "; all its angles must be below 180 degrees.");
      if (dim == 3 && !is_affine<dim>(cell))
        refuse(file, "has a hexahedron at " + position(cell->center()) +
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
  const std::string text = contents(file);
  check_elements(file, text, dim);
  dealii::GridIn<dim> grid_in(triangulation);
  std::istringstream  stream(text);
  try
    {
      grid_in.read_msh(stream);
    }
  catch (const std::exception &)
    {
      // deal.II's banner says where in its source, not what is wrong with the file
      refuse(file,
             "is no mesh that deal.II can read; it seems to be damaged or its cells do not fit together: write it again.");
    }
  check_cells(file, triangulation);
}

std::pair<Vector, Vector> bounding_box(const std::filesystem::path &file, const int dim)
{
  return dim == 2 ? bounding_box_of<2>(file) : bounding_box_of<3>(file);
}

template void read_mesh<2>(const std::filesystem::path &, dealii::Triangulation<2, 2> &);
template void read_mesh<3>(const std::filesystem::path &, dealii::Triangulation<3, 3> &);
} // namespace moreau::macro
