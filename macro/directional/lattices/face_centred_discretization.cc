// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/lattice_discretizations.h"

#include "convex/certificate.h"
#include "convex/solvers/facial_reduction.h"
#include "convex/solvers/make_projector.h"
#include "geometry/fill_picture.h"
#include "macro/directional/lattices/face_centred_certificate.h"
#include "macro/directional/saturated_means.h"
#include "macro/directional/velocity_on_mesh.h"

namespace moreau::macro
{
namespace
{
class FaceCentredDiscretization : public Discretization
{
public:
  FaceCentredDiscretization(const Setting &setting, const Progress &progress)
      : setting(setting)
      , mesh(setting)
      , rows(mesh.zone())
      , impact(inner_approximation(mesh.zone(), mesh.nodal_values(setting, progress.part(.6, .9)), mesh.masses(), rows))
  {}

  const convex::ProjectionProblem &problem() const override { return impact; }

  std::unique_ptr<convex::ConeProjector> projector(const std::string               &solver,
                                                   const convex::StoppingCriterion &criterion) const override
  {
    if (solver != "automatic" && solver != "interior point")
      return convex::make_projector(solver, criterion);
    convex::InteriorPoint::Parameters parameters;
    parameters.n_correctors = 3;
    return std::make_unique<convex::InteriorPointOnFaces>(criterion, parameters);
  }

  TotalBound total_bound(const convex::SaddlePoint &x, const Progress &progress) const override
  {
    bool         feasible = false;
    const Vector v        = convex::feasible_companion(impact, x.u, feasible);
    return face_centred_total_bound(setting, mesh, rows, v, feasible, x.p, progress);
  }

  /// Linear on the tetrahedra of the zone.
  Field velocity(const convex::SaddlePoint &x) const override
  {
    const auto nodal = std::make_shared<const Vector>(admissible(x.u));
    return velocity_on_mesh(setting, [this, nodal](const double *const at, double *const value) {
      int             q = 0;
      Eigen::Vector4d weights;
      const Reach     where = reach(mesh.nearest(Eigen::Vector3d(at[0], at[1], at[2]), q, weights) / mesh.spacing());
      if (where != Reach::away)
        Eigen::Map<Eigen::Vector3d>{value} = mesh.velocity(*nodal, q, weights);
      return where == Reach::on_mesh && !mesh.is_whole(q) ? Reach::beside : where; // a part of it is saturated
    });
  }

  Mesh fields(const convex::SaddlePoint &x, const Vector &u_plus, const TotalBound &bound) const override;

  Motion outside() const override
  {
    if (setting.domain.uniform)
      return Motion(3);
    const BoxGrid box =
        box_grid(setting.domain.lower, setting.domain.upper, setting.mesh.cells_per_unit_length, Processes::alone());
    return saturated_means(setting, box, Eigen::Matrix3d::Identity(), box.lower).outside;
  }

  std::string description() const override
  {
    return std::to_string(mesh.n_tetrahedra()) + " tetrahedra along the lattice, " + std::to_string(mesh.n_nodes()) +
           " nodes, " + std::to_string(rows.n_rows) + " inequalities; linear velocities" +
           (mesh.zone().torn.empty() ? "" : ", torn where U jumps");
  }

  /// What was left out counts as an error, too.
  std::optional<VolumeOfZone> volume_of_zone() const override
  {
    double volume = 0., error = mesh.zone_error();
    for (Index q = 0; q < mesh.n_tetrahedra(); ++q)
      volume += mesh.volume(q);
    for (const auto &sliver : mesh.left_out())
      error += sliver.second;
    return VolumeOfZone{volume, error};
  }

  std::string remarks() const override
  {
    if (mesh.n_tetrahedra() == 0)
      return "No tetrahedron holds saturated matter: u = U everywhere.";
    if (mesh.n_whole() == 0)
      return "No tetrahedron lies in the zone as a whole: it is thinner than a cell, and parts of it may be overlooked; "
             "give more cells.";
    std::string words = "Pictures show tetrahedra with saturated matter only; elsewhere u = U.";
    if (!mesh.zone_is_tetrahedra())
      words +=
          " Tetrahedra that the boundary of the zone or of the box cuts count with the part that is saturated; pictures "
          "show them whole.";
    return words;
  }

private:
  Vector admissible(const Vector &u) const
  {
    bool feasible = false;
    return convex::feasible_companion(impact, u, feasible);
  }

  /// p_k on tetrahedra (6 x n, m²/s).
  Eigen::MatrixXd pressures(const Vector &multipliers) const
  {
    Vector volumes(mesh.n_tetrahedra());
    for (Index q = 0; q < volumes.size(); ++q)
      volumes(q) = mesh.volume(q);
    return cell_pressures(mesh.zone(), multipliers.cwiseMax(0.), rows, volumes);
  }

  Setting                   setting;
  FaceCentredMesh           mesh;
  SharedRows                rows;
  convex::ProjectionProblem impact;
};

Mesh FaceCentredDiscretization::fields(const convex::SaddlePoint &x, const Vector &u_plus, const TotalBound &bound) const
{
  const auto &simplices = mesh.zone().zone.mesh.simplices;
  const Index n         = mesh.n_tetrahedra();
  Mesh        picture   = continuum(CellType::tetrahedron);
  picture.points        = three_components(mesh.zone().zone.mesh.points);
  picture.connectivity.assign(simplices.data(), simplices.data() + simplices.size());
  const Eigen::Map<const Eigen::MatrixXd> u(u_plus.data(), 3, mesh.n_nodes()), U(impact.U.data(), 3, mesh.n_nodes());
  const Eigen::MatrixXd                   p = pressures(x.p);
  Eigen::MatrixXd                         U_of_cell(3, n), u_of_cell(3, n), slopes(6, n), active(6, n), part(1, n);
  const std::vector<char>                 is_active = active_rows(impact, x);
  for (Index q = 0; q < n; ++q)
    {
      part(0, q)       = mesh.part(q);
      u_of_cell.col(q) = u(Eigen::all, simplices.col(q)).rowwise().mean();
      U_of_cell.col(q) = U(Eigen::all, simplices.col(q)).rowwise().mean();
      slopes.col(q)    = mesh.zone().derivatives(u_plus, q);
      for (int k = 0; k < 6; ++k)
        active(k, q) = is_active[rows.row(k, q)];
    }
  picture.point_data = list_of(vectors_of("U", "m/s", U), vectors_of("u", "m/s", u));
  picture.cell_data =
      list_of(vectors_of("U", "m/s", U_of_cell), vectors_of("u", "m/s", u_of_cell), array_of("p", "m^2/s", p),
              array_of("directional_derivatives", "1/s", slopes), array_of("active", "", active),
              array_of("density", "", Eigen::MatrixXd::Ones(1, n)), array_of("saturated_part", "", part));
  if (bound.indicator.size() == n)
    picture.cell_data.push_back(array_of("error_indicator", "m^5/s^2", bound.indicator.transpose()));
  return picture;
}
} // namespace

std::unique_ptr<Discretization> face_centred_discretization(const Setting &setting, const Progress &progress)
{
  return std::make_unique<FaceCentredDiscretization>(setting, progress);
}
} // namespace moreau::macro
