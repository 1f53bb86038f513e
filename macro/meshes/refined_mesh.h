// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_REFINED_MESH_H
#define MOREAU_MACRO_MESHES_REFINED_MESH_H

#include "macro/discretize.h"

#include <memory>
#include <vector>

namespace dealii
{
template <int, int>
class Triangulation;
}

namespace moreau::macro
{
/// Quadrilaterals or hexahedra, refined or not, and which of them are saturated: those where the density is 1 at the centre.
/// Under MPI with several processes the mesh is distributed (p4est), otherwise it is serial and MPI need not be started.
template <int dim>
class MixedMesh
{
public:
  /// The box in equal cells, or the cells of setting.mesh.file. Throws InputError about the mesh or its file, matter outside
  /// of the box and walls on which no face lies.
  explicit MixedMesh(const Setting &setting);

  /// A copy of a triangulation of the caller; see on_triangulation.h.
  MixedMesh(const Setting &setting, const dealii::Triangulation<dim, dim> &triangulation);
  ~MixedMesh();

  /// Cells that carry `fraction` of the sum of the indicator are refined.
  ///   indicator  one number >= 0 per own cell
  ///   values     in: polynomials of degree `degree` on own cells, as their
  ///   values at the (degree+1)^dim equidistant points (the
  ///              centre for 0), x fastest: one column per own cell; out: the
  ///              same functions on the own cells of the new mesh
  std::unique_ptr<MixedMesh> refined(const Vector &indicator, double fraction, int degree, Eigen::MatrixXd &values) const;

  const dealii::Triangulation<dim, dim> &triangulation() const { return *mesh; }
  const Setting                         &setting() const { return given; }
  bool                                   is_distributed() const { return given.processes.size() > 1; }

  /// Per active cell that this process knows (own and ghost), by deal.II's active cell index.
  const std::vector<char> &saturated() const { return is_saturated; }

  /// Whether the face f at the boundary is a wall: it lies on a side of the box that is one, up to 1e-5 of the shortest side
  /// of the cell that it was before refinement. By deal.II's active cell index, of cells that this process knows.
  bool on_wall(const unsigned int active_cell, const unsigned int f) const { return wall_faces[active_cell] >> f & 1u; }

  Index     n_own_cells() const;
  long long n_cells() const;          ///< of all processes
  bool      has_mixed_levels() const; ///< some cell that this process knows has a neighbour of another size
  Mesh      picture() const;          ///< own cells without data
  Vector    densities() const;        ///< at the centres of own cells
  bool      zone_is_cells() const; ///< no cell, on any process, is saturated in a part only, as its centre and vertices tell
  Motion    outside() const;       ///< of the cells of all processes that are not saturated

private:
  MixedMesh(const Setting &setting, std::unique_ptr<dealii::Triangulation<dim, dim>> mesh);
  void find_saturated();
  void find_walls();
  void require_walls() const; ///< and no matter outside of the box

  Setting                                          given;
  std::unique_ptr<dealii::Triangulation<dim, dim>> mesh;
  std::vector<char>                                is_saturated;
  std::vector<unsigned char>                       wall_faces; ///< a bit per face of each active cell
};
} // namespace moreau::macro

#endif
