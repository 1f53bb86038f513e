// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/macro_output.h"

#include <stdexcept>
#include <utility>

namespace moreau::app
{
namespace
{
using geometry::Index;

insitu::CellType cell_type(const geometry::CellShape shape)
{
  switch (shape)
    {
      case geometry::CellShape::vertex:
        return insitu::CellType::vertex;
      case geometry::CellShape::segment:
        return insitu::CellType::line;
      case geometry::CellShape::triangle:
        return insitu::CellType::triangle;
      case geometry::CellShape::quadrilateral:
        return insitu::CellType::quadrilateral;
      case geometry::CellShape::tetrahedron:
        return insitu::CellType::tetrahedron;
      case geometry::CellShape::hexahedron:
        return insitu::CellType::hexahedron;
    }
  throw std::invalid_argument("field_mesh: unknown shape of cells.");
}

/// Column after column, each filled up with zeros to n_components.
std::vector<double> padded(const Eigen::MatrixXd &columns, const Index n_components)
{
  std::vector<double> result(n_components * columns.cols(), 0.);
  Eigen::Map<Eigen::MatrixXd>(result.data(), n_components, columns.cols()).topRows(columns.rows()) = columns;
  return result;
}

std::vector<insitu::Array> arrays(const std::vector<geometry::NamedValues> &quantities, const Index dim,
                                  const Index n_entries)
{
  std::vector<insitu::Array> result;
  for (const auto &[name, unit, values] : quantities)
    {
      if (values.cols() != n_entries)
        throw std::invalid_argument("field_mesh: '" + name + "' is not as long as the points or cells.");
      const bool  is_velocity  = (name == "U" || name == "u") && values.rows() == dim;
      const Index n_components = is_velocity ? 3 : values.rows();
      result.push_back({name, unit, static_cast<int>(n_components), padded(values, n_components)});
    }
  return result;
}
} // namespace

insitu::Mesh field_mesh(const geometry::FieldMesh &fields)
{
  insitu::Mesh mesh;
  mesh.name         = "continuum";
  mesh.cell_type    = cell_type(fields.shape);
  mesh.points       = padded(fields.points, 3);
  mesh.connectivity = fields.cells;
  mesh.point_data   = arrays(fields.point_data, fields.dim, fields.points.cols());
  mesh.cell_data    = arrays(fields.cell_data, fields.dim, fields.n_cells());
  return mesh;
}

insitu::Mesh field_mesh(std::shared_ptr<const insitu::Mesh> shape, const std::vector<geometry::NamedValues> &cell_data,
                        const Index dim)
{
  insitu::Mesh mesh;
  mesh.name      = shape->name;
  mesh.cell_type = shape->cell_type;
  mesh.cell_data = arrays(cell_data, dim, static_cast<Index>(shape->n_cells()));
  mesh.shape     = std::move(shape);
  return mesh;
}
} // namespace moreau::app
