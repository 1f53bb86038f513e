// SPDX-License-Identifier: GPL-3.0-or-later
#include "insitu/plugin/vtk_data.h"

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDataSetAttributes.h>
#include <vtkDoubleArray.h>
#include <vtkIdTypeArray.h>
#include <vtkInformation.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>

#include <mutex>
#include <unordered_map>

namespace moreau::insitu
{
namespace
{
static_assert(sizeof(vtkIdType) == sizeof(long long) && sizeof(vtkTypeInt64) == sizeof(long long),
              "Indices of moreau and VTK have 64 bits");

/// Meshes whose arrays VTK uses, by the beginning of these.
class Owners
{
public:
  void add(const void *const values, std::shared_ptr<const Mesh> mesh)
  {
    const std::lock_guard<std::mutex> lock(mutex);
    meshes.emplace(values, std::move(mesh));
  }

  void remove(const void *const values)
  {
    std::shared_ptr<const Mesh>       last; // the mesh may end with it, after the lock
    const std::lock_guard<std::mutex> lock(mutex);
    const auto                        mesh = meshes.find(values);
    last                                   = std::move(mesh->second);
    meshes.erase(mesh);
  }

private:
  std::mutex                                                         mutex;
  std::unordered_multimap<const void *, std::shared_ptr<const Mesh>> meshes;
};

Owners &owners()
{
  static auto &all = *new Owners; // VTK frees arrays until the very end of the program
  return all;
}

/// Makes one of VTK's arrays of the mesh's values; VTK only reads them, but does not say so in its types.
template <typename ArrayType, typename Number>
vtkSmartPointer<ArrayType> view(const std::shared_ptr<const Mesh> &mesh, const std::vector<Number> &values,
                                const int n_components = 1)
{
  auto array = vtkSmartPointer<ArrayType>::New();
  array->SetNumberOfComponents(n_components);
  if (values.empty())
    return array;
  owners().add(values.data(), mesh);
  array->SetArray(reinterpret_cast<typename ArrayType::ValueType *>(const_cast<Number *>(values.data())),
                  static_cast<vtkIdType>(values.size()), /*save=*/0, ArrayType::VTK_DATA_ARRAY_USER_DEFINED);
  array->SetArrayFreeFunction([](void *const freed) { owners().remove(freed); });
  return array;
}

/// 0, and where each cell ends.
template <typename ArrayType, typename End>
vtkSmartPointer<ArrayType> offsets(const std::size_t n_cells, const End &end)
{
  auto array = vtkSmartPointer<ArrayType>::New();
  array->SetNumberOfValues(static_cast<vtkIdType>(n_cells) + 1);
  array->SetValue(0, 0);
  for (std::size_t k = 0; k < n_cells; ++k)
    array->SetValue(static_cast<vtkIdType>(k) + 1, end(k));
  return array;
}

vtkSmartPointer<vtkCellArray> cells(const std::shared_ptr<const Mesh> &shared)
{
  const Mesh &mesh   = *shared;
  const auto  n      = static_cast<long long>(points_per_cell(mesh.cell_type));
  auto        result = vtkSmartPointer<vtkCellArray>::New();
  result->SetData(
      offsets<vtkTypeInt64Array>(
          mesh.n_cells(), [&](const std::size_t k) { return n == 0 ? mesh.offsets[k] : n * static_cast<long long>(k + 1); }),
      view<vtkTypeInt64Array>(shared, mesh.connectivity));
  return result;
}

void add_arrays(vtkDataSetAttributes &data, const std::shared_ptr<const Mesh> &mesh, const std::vector<Array> &arrays)
{
  for (const Array &array : arrays)
    {
      const auto values = view<vtkDoubleArray>(mesh, array.values, array.n_components);
      values->SetName(array.name.c_str());
      if (!array.unit.empty())
        values->GetInformation()->Set(vtkDataArray::UNITS_LABEL(), array.unit.c_str());
      for (std::size_t k = 0; k < array.component_names.size(); ++k)
        values->SetComponentName(static_cast<vtkIdType>(k), array.component_names[k].c_str());
      data.AddArray(values);
    }
  const ActiveArrays active = active_arrays(arrays);
  if (active.scalars != nullptr)
    data.SetActiveScalars(active.scalars->name.c_str());
  if (active.vectors != nullptr)
    data.SetActiveVectors(active.vectors->name.c_str());
}

vtkSmartPointer<vtkPolyData> poly_data(const std::shared_ptr<const Mesh> &mesh)
{
  auto result = vtkSmartPointer<vtkPolyData>::New();
  if (mesh->cell_type == CellType::vertex)
    result->SetVerts(cells(mesh));
  else if (mesh->cell_type == CellType::line)
    result->SetLines(cells(mesh));
  else
    result->SetPolys(cells(mesh));
  return result;
}

vtkSmartPointer<vtkUnstructuredGrid> unstructured_grid(const std::shared_ptr<const Mesh> &shared)
{
  const Mesh &mesh   = *shared;
  auto        result = vtkSmartPointer<vtkUnstructuredGrid>::New();
  if (mesh.cell_type != CellType::polyhedron)
    {
      result->SetCells(vtk_cell_type(mesh.cell_type), cells(shared));
      return result;
    }
  vtkNew<vtkUnsignedCharArray> types;
  types->SetNumberOfValues(static_cast<vtkIdType>(mesh.n_cells()));
  types->Fill(vtk_cell_type(mesh.cell_type));
  const auto             begin = [&](const std::size_t k) { return k == 0 ? 0 : mesh.face_offsets[k - 1]; };
  vtkNew<vtkIdTypeArray> locations;
  locations->SetNumberOfValues(static_cast<vtkIdType>(mesh.n_cells()));
  for (std::size_t k = 0; k < mesh.n_cells(); ++k)
    locations->SetValue(static_cast<vtkIdType>(k), begin(k));
  result->SetCells(types, cells(shared), locations, view<vtkIdTypeArray>(shared, mesh.faces));
  return result;
}

vtkSmartPointer<vtkPointSet> point_set(const std::shared_ptr<const Mesh> &mesh)
{
  if (is_poly_data(mesh->cell_type))
    return poly_data(mesh);
  return unstructured_grid(mesh);
}
} // namespace

vtkSmartPointer<vtkDataSet> vtk_data(const std::shared_ptr<const Mesh> &mesh)
{
  const std::shared_ptr<const Mesh>  shape  = mesh->shape != nullptr ? mesh->shape : mesh;
  const vtkSmartPointer<vtkPointSet> result = point_set(shape);
  vtkNew<vtkPoints>                  points;
  points->SetData(view<vtkDoubleArray>(shape, shape->points, 3));
  result->SetPoints(points);
  add_arrays(*result->GetPointData(), mesh, mesh->point_data);
  add_arrays(*result->GetCellData(), mesh, mesh->cell_data);
  return result;
}
} // namespace moreau::insitu
