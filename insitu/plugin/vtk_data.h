// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_INSITU_PLUGIN_VTK_DATA_H
#define MOREAU_INSITU_PLUGIN_VTK_DATA_H

#include "insitu/vocabulary.h"

#include <vtkDataSet.h>
#include <vtkSmartPointer.h>

#include <memory>

namespace moreau::insitu
{
/// The mesh as VTK has it: vtkPolyData of vertices, lines and polygons, vtkUnstructuredGrid of other cells. Points,
/// connectivity and arrays are those of the mesh, not copies: VTK keeps it as long as it uses any of them. Where cells end
/// is copied, since VTK begins with a 0.
vtkSmartPointer<vtkDataSet> vtk_data(const std::shared_ptr<const Mesh> &mesh);
} // namespace moreau::insitu

#endif
