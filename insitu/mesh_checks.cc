// SPDX-License-Identifier: GPL-3.0-or-later
#include "insitu/mesh_checks.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace moreau::insitu
{
namespace
{
bool are_points(const Mesh &mesh, const long long *begin, const long long *end)
{
  const auto n = static_cast<long long>(mesh.n_points());
  return std::all_of(begin, end, [n](const long long point) { return 0 <= point && point < n; });
}

/// Whether the cells' ends increase up to the length of what they end in.
bool are_ends(const std::vector<long long> &offsets, const std::size_t size)
{
  const long long last = offsets.empty() ? 0 : offsets.back();
  return (offsets.empty() || offsets.front() > 0) && last == static_cast<long long>(size) &&
         std::adjacent_find(offsets.begin(), offsets.end(), std::greater_equal<>()) == offsets.end();
}

/// Whether [cell, end) is the number of faces and as many faces.
bool are_faces(const Mesh &mesh, const long long *cell, const long long *const end)
{
  long long n_faces = *cell++;
  for (; n_faces > 0 && cell < end; --n_faces)
    {
      const long long n_points = *cell++;
      if (n_points < 3 || n_points > end - cell || !are_points(mesh, cell, cell + n_points))
        return false;
      cell += n_points;
    }
  return n_faces == 0 && cell == end;
}

bool are_polyhedra(const Mesh &mesh)
{
  if (mesh.face_offsets.size() != mesh.n_cells() || !are_ends(mesh.face_offsets, mesh.faces.size()))
    return false;
  for (std::size_t k = 0; k < mesh.n_cells(); ++k)
    if (!are_faces(mesh, mesh.faces.data() + (k == 0 ? 0 : mesh.face_offsets[k - 1]),
                   mesh.faces.data() + mesh.face_offsets[k]))
      return false;
  return true;
}

bool are_cells(const Mesh &mesh)
{
  const std::size_t n_points_a_cell = points_per_cell(mesh.cell_type);
  if (!are_points(mesh, mesh.connectivity.data(), mesh.connectivity.data() + mesh.connectivity.size()))
    return false;
  if (n_points_a_cell == 0 ? !are_ends(mesh.offsets, mesh.connectivity.size())
                           : mesh.connectivity.size() % n_points_a_cell != 0 || !mesh.offsets.empty())
    return false;
  return mesh.cell_type == CellType::polyhedron ? are_polyhedra(mesh) : mesh.faces.empty() && mesh.face_offsets.empty();
}
} // namespace

void require_consistent(const Mesh &mesh)
{
  if (mesh.geometry().cell_type != mesh.cell_type || !are_cells(mesh.geometry()))
    throw std::invalid_argument("Mesh '" + mesh.name + "': cells that do not fit their type, points, offsets or faces.");
  const auto fits = [](const std::vector<Array> &arrays, const std::size_t n) {
    return std::all_of(arrays.begin(), arrays.end(),
                       [n](const Array &array) { return array.values.size() == n * array.n_components; });
  };
  if (!fits(mesh.point_data, mesh.n_points()) || !fits(mesh.cell_data, mesh.n_cells()))
    throw std::invalid_argument("Mesh '" + mesh.name + "': an array is not as long as its points or cells.");
}
} // namespace moreau::insitu
