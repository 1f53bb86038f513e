// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/homogenization_output.h"

#include "app/output/micro_output.h"

#include <Eigen/LU>

#include <iterator>
#include <stdexcept>
#include <utility>

namespace moreau::app
{
namespace
{
using homogenization::Index;
using homogenization::Vector;
using homogenization::VoronoiCells;

geometry::CellType cell_type(const Index dim)
{
  return dim == 1 ? geometry::CellType::line : dim == 2 ? geometry::CellType::polygon : geometry::CellType::polyhedron;
}

/// Convex cells that share no points, and which sphere each belongs to.
struct CellList
{
  geometry::Mesh     mesh;
  std::vector<Index> spheres;

  /// faces: in space, as VoronoiCells::faces() has them.
  void add(const Eigen::Ref<const Eigen::MatrixXd> &vertices, const std::pair<const int *, const int *> &faces,
           const Index sphere)
  {
    const auto first = static_cast<long long>(mesh.n_points());
    for (Index k = 0; k < vertices.cols(); ++k)
      {
        for (Index axis = 0; axis < 3; ++axis)
          mesh.points.push_back(axis < vertices.rows() ? vertices(axis, k) : 0.);
        mesh.connectivity.push_back(first + k);
      }
    if (vertices.rows() > 1)
      mesh.offsets.push_back(mesh.connectivity.size());
    if (vertices.rows() == 3)
      add_faces(faces, first);
    spheres.push_back(sphere);
  }

private:
  void add_faces(const std::pair<const int *, const int *> &faces, const long long first_point)
  {
    const std::size_t start = mesh.faces.size();
    mesh.faces.push_back(0);
    for (const int *face = faces.first; face != faces.second; face += 1 + *face)
      {
        ++mesh.faces[start];
        mesh.faces.push_back(*face);
        for (int k = 1; k <= *face; ++k)
          mesh.faces.push_back(first_point + face[k]);
      }
    mesh.face_offsets.push_back(mesh.faces.size());
  }
};

/// The pieces of a cell that the boundary of the zone cuts, their corners in the order of an outline.
void add_pieces(const VoronoiCells &cells, const Index i, CellList &list)
{
  static constexpr int outward[] = {3, 0, 2, 1, 3, 0, 1, 3, 3, 1, 2, 3, 3, 0, 3, 2}; // of a positive tetrahedron
  const Index          dim       = cells.dimension();
  Eigen::MatrixXd      corners, edges(dim, dim);
  cells.simplices(i, corners);
  for (Index k = 0; k < corners.cols(); k += dim + 1)
    {
      auto simplex = corners.middleCols(k, dim + 1);
      edges        = simplex.rightCols(dim).colwise() - simplex.col(0);
      if (edges.determinant() < 0.)
        simplex.col(0).swap(simplex.col(1));
      list.add(simplex, {std::begin(outward), std::end(outward)}, i);
    }
}

/// One number or vector per sphere as one per cell of the list; vectors are filled up with zeros to three components.
geometry::Array array(const CellwiseField &field, const std::vector<Index> &spheres, const Index dim, const Index n_spheres)
{
  const bool is_vector = field.values.size() == dim * n_spheres && ((dim > 1 && n_spheres > 0) || field.unit == "m/s");
  if (!is_vector && field.values.size() != n_spheres)
    throw std::invalid_argument("voronoi_mesh: '" + field.name + "' is not as long as the spheres.");
  const Index         n_given = is_vector ? dim : 1, n_written = is_vector ? 3 : 1;
  std::vector<double> values(n_written * spheres.size(), 0.);
  for (std::size_t k = 0; k < spheres.size(); ++k)
    for (Index component = 0; component < n_given; ++component)
      values[n_written * k + component] = field.values(n_given * spheres[k] + component);
  return {field.name, field.unit, static_cast<int>(n_written), std::move(values)};
}
} // namespace

geometry::Mesh voronoi_mesh(const homogenization::Packing &packing, const std::vector<CellwiseField> &fields)
{
  const VoronoiCells &cells = packing.cells;
  CellList            list;
  list.mesh.name      = "voronoi";
  list.mesh.cell_type = cell_type(cells.dimension());
  Vector sphere(cells.size()), cut(cells.size());
  for (Index i = 0; i < cells.size(); ++i)
    {
      sphere(i) = static_cast<double>(cells.spheres().place_of(i));
      cut(i)    = cells.is_cut(i);
      if (cells.has_pieces(i))
        add_pieces(cells, i, list);
      else
        list.add(cells.outline(i), cells.faces(i), i);
    }

  const auto add_array = [&](const CellwiseField &field) {
    list.mesh.cell_data.push_back(array(field, list.spheres, cells.dimension(), cells.size()));
  };
  for (const CellwiseField &field : fields)
    add_array(field);
  add_array({"sphere", "", std::move(sphere)});
  add_array({"cut", "", std::move(cut)});
  return std::move(list.mesh);
}

geometry::Snapshot snapshot_of(const homogenization::Packing &packing, const homogenization::Level &level,
                               const std::size_t k)
{
  const Index  n          = packing.cells.size(); // own ones come first
  const Vector difference = level.u_tilde - level.u_int;
  Vector       of_D       = Vector::Zero(level.u_tilde.size());
  if (packing.mean_gradient.size() > 0)
    of_D = (packing.mean_gradient * packing.spheres.r.leftCols(n)).reshaped();
  const Vector       U_tilde = level.U_tilde + of_D, v = level.u_tilde + of_D, u = level.u_int + of_D;
  geometry::Snapshot snapshot = {static_cast<double>(k), static_cast<unsigned int>(k), {}, static_cast<std::int64_t>(k)};
  snapshot.meshes.push_back(voronoi_mesh(
      packing, {{"U_tilde", "m/s", U_tilde}, {"v", "m/s", v}, {"u", "m/s", u}, {"v_minus_u", "m/s", difference}}));
  snapshot.meshes.push_back(
      sphere_mesh({packing.spheres.r.leftCols(n), packing.spheres.R.head(n), packing.spheres.m.head(n)}, U_tilde, v));
  return snapshot;
}

geometry::Snapshot without_cells(geometry::Snapshot snapshot)
{
  for (geometry::Mesh &mesh : snapshot.meshes)
    {
      mesh.shape.reset();
      mesh.points.clear();
      mesh.connectivity.clear();
      mesh.offsets.clear();
      mesh.faces.clear();
      mesh.face_offsets.clear();
      for (std::vector<geometry::Array> *const arrays : {&mesh.point_data, &mesh.cell_data})
        for (geometry::Array &array : *arrays)
          array.values.clear();
    }
  return snapshot;
}
} // namespace moreau::app
