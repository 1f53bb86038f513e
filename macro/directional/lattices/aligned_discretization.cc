// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/lattice_discretizations.h"

#include "convex/input_error.h"

namespace moreau::macro
{
std::unique_ptr<Discretization> aligned_discretization(const Setting &setting, const Progress &progress)
{
  const Cone &cone = setting.cone;
  if (!setting.mesh.file.empty())
    throw InputError("the file of the mesh",
                     "A mesh from a file is not aligned with a lattice; leave it out, or align the mesh with the box.");
  if (cone.direction_field || cone.directions.cols() == 0)
    throw InputError("the cone", "Directions that vary in space have no aligned mesh; align it with the box.");
  if (cone.directions.rows() != setting.dim())
    throw InputError("the cone", "A cone with directions in dimension " + std::to_string(cone.directions.rows()) +
                                     " does not fit the dimension " + std::to_string(setting.dim()) +
                                     "; square and triangular are plane, cubic and face-centred cubic spatial.");
  if (cone.type == ConeType::triangular)
    return triangular_discretization(setting, progress);
  if (cone.type == ConeType::face_centred_cubic)
    return face_centred_discretization(setting, progress);
  const Eigen::MatrixXd &e    = cone.directions;
  const Eigen::MatrixXd  gram = e.transpose() * e;
  constexpr double       same = 1e-12;
  if (e.cols() == e.rows() && (gram - Eigen::MatrixXd::Identity(e.cols(), e.cols())).cwiseAbs().maxCoeff() <= same)
    return line_discretization(setting, progress);
  throw InputError("the cone", "These directions are not those of a lattice; align the mesh with the box.");
}
} // namespace moreau::macro
