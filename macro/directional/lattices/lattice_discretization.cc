// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/lattice_discretizations.h"

#include "convex/certificate.h"
#include "convex/solvers/make_projector.h"
#include "convex/components.h"
#include "convex/solvers/chain_projector.h"
#include "geometry/fill_picture.h"
#include "macro/directional/lattices/aligned_grid.h"
#include "macro/directional/lattices/lattice_certificate.h"
#include "macro/directional/lattices/torn_triangles.h"
#include "macro/directional/saturated_means.h"
#include "macro/directional/velocity_on_mesh.h"

#include <algorithm>
#include <numeric>

namespace moreau::macro
{
namespace
{
/// The exact projector on chains that are known already.
class KnownChains : public convex::ConeProjector
{
public:
  KnownChains(const convex::StoppingCriterion &criterion, const convex::ChainFamilies &chains)
      : chains(chains), projector(criterion)
  {}

  convex::SaddlePoint project(const convex::ProjectionProblem &problem, const Vector *const p_start) const override
  {
    return projector.project(problem, chains, p_start);
  }

private:
  const convex::ChainFamilies &chains;
  convex::ChainProjector       projector;
};
} // namespace

std::unique_ptr<convex::ConeProjector> projector_on_chains(const std::string               &solver,
                                                           const convex::StoppingCriterion &criterion,
                                                           const convex::ChainFamilies     &chains)
{
  if (solver == "automatic" || solver == "lines")
    return std::make_unique<KnownChains>(criterion, chains);
  return convex::make_projector(solver, criterion);
}

convex::Expansion expansion_between_walls(const convex::PairConstraint &B, const Eigen::MatrixXd &x, const Domain &domain,
                                          const double beyond)
{
  const Index        dim = x.rows(), n = x.cols();
  convex::Components parts(n);
  for (const auto &[i, j] : B.pairs())
    if (j != convex::PairConstraint::fixed_body)
      parts.join(i, j);

  convex::Expansion      expansion;
  const std::vector<int> part   = parts.numbers(expansion.n_parts);
  Eigen::MatrixXd        centre = Eigen::MatrixXd::Zero(dim, expansion.n_parts);
  Vector                 size   = Vector::Zero(expansion.n_parts);
  for (Index k = 0; k < n; ++k)
    {
      centre.col(part[k]) += x.col(k);
      size(part[k]) += 1.;
    }
  centre.array().rowwise() /= size.transpose().array();
  expansion.w.resize(dim * n);
  for (Index k = 0; k < n; ++k)
    {
      for (Index a = 0; a < dim; ++a)
        {
          const bool   lower = domain.walls[2 * a], upper = domain.walls[2 * a + 1];
          const double fixed = lower ? domain.lower(a) - beyond : upper ? domain.upper(a) + beyond : centre(a, part[k]);
          expansion.w(dim * k + a) = lower && upper ? 0. : x(a, k) - fixed;
        }
      expansion.part_of_unknown.insert(expansion.part_of_unknown.end(), dim, part[k]);
    }
  for (const auto &pair : B.pairs())
    expansion.part_of_row.push_back(part[pair.i]);
  return expansion;
}

namespace
{
/// Takes away what nodes at walls have towards them.
class StoppedAtWalls : public convex::FeasibleRepair
{
public:
  explicit StoppedAtWalls(std::shared_ptr<const convex::PairConstraint> B) : B(std::move(B)) {}

  Vector repaired(const Vector &u) const override
  {
    Vector      v   = u;
    const Index dim = B->dimension();
    for (Index c = 0; c < B->n_constraints(); ++c)
      if (B->pairs()[c].j == convex::PairConstraint::fixed_body)
        {
          auto       v_i = v.segment(dim * B->pairs()[c].i, dim);
          const auto n   = B->directions().col(c); // a side of the box: entries 0, ±1
          v_i -= std::max(0., n.dot(v_i)) * n;
        }
    return v;
  }

private:
  std::shared_ptr<const convex::PairConstraint> B;
};

Eigen::MatrixXd positions(const TriangularMesh &mesh)
{
  Eigen::MatrixXd x(2, mesh.n_nodes());
  for (Index q = 0; q < x.cols(); ++q)
    x.col(q) = mesh.position(mesh.site(q));
  return x;
}

class TriangularDiscretization : public Discretization
{
public:
  TriangularDiscretization(const Setting &setting, const Progress &progress)
      : setting(setting), mesh(setting, progress.part(0., .4)), crossings(wall_crossings(setting.domain, mesh))
  {
    mesh.tear(edges_where_U_jumps(setting, mesh));
    const auto B     = mesh.constraint(row_of_edge, row_of_wall);
    impact.V         = std::make_shared<convex::DiagonalSpace>(mesh.masses(), 2, axes_with_walls(setting.domain.walls, 2));
    impact.B         = B;
    impact.U         = mesh.nodal_values(setting, progress.part(.6, .9));
    impact.expansion = expansion_between_walls(*B, positions(mesh), setting.domain, crossings.empty() ? 0. : mesh.spacing());
    open_torn_edges(mesh, impact.expansion.w);
    if (crossings.empty())
      {
        impact.repair = std::make_shared<StoppedAtWalls>(B);
        return;
      }
    impact.B = with_crossings(*B, mesh, crossings);
    for (const WallCrossing &crossing : crossings)
      impact.expansion.part_of_row.push_back(impact.expansion.part_of_unknown[2 * mesh.node(crossing.begin)]);
  }

  const convex::ProjectionProblem &problem() const override { return impact; }

  std::unique_ptr<convex::ConeProjector> projector(const std::string               &solver,
                                                   const convex::StoppingCriterion &criterion) const override
  {
    return convex::make_projector(solver, criterion);
  }

  TotalBound total_bound(const convex::SaddlePoint &x, const Progress &progress) const override
  {
    bool         feasible = false;
    const Vector v        = convex::feasible_companion(impact, x.u, feasible);
    return lattice_total_bound(setting, mesh, row_of_edge, row_of_wall, crossings, v, x.p, feasible, progress);
  }

  /// Linear on the triangles of the zone.
  Field velocity(const convex::SaddlePoint &x) const override
  {
    const auto nodal = std::make_shared<const Vector>(admissible(x.u));
    return velocity_on_mesh(setting, [this, nodal](const double *const at, double *const value) {
      TriangularMesh::Triangle triangle;
      Eigen::Vector3d          weights;
      const Reach where = reach(mesh.nearest(Eigen::Vector2d(at[0], at[1]), triangle, weights) / mesh.spacing());
      if (where != Reach::away)
        {
          Eigen::Vector2d v = Eigen::Vector2d::Zero();
          for (int k = 0; k < 3; ++k)
            v += weights(k) * nodal->segment<2>(2 * static_cast<Index>(mesh.node(triangle, k)));
          value[0] = v(0);
          value[1] = v(1);
        }
      return where == Reach::on_mesh && !mesh.is_whole(triangle) ? Reach::beside : where; // a part of it is saturated
    });
  }

  Mesh fields(const convex::SaddlePoint &x, const Vector &u_plus, const TotalBound &bound) const override;

  Motion outside() const override
  {
    if (setting.domain.uniform)
      return Motion(2);
    const BoxGrid box =
        box_grid(setting.domain.lower, setting.domain.upper, setting.mesh.cells_per_unit_length, Processes::alone());
    return saturated_means(setting, box, Eigen::Matrix2d::Identity(), box.lower).outside;
  }

  std::string description() const override
  {
    return std::to_string(mesh.triangles().size()) + " triangles along the lattice, " + std::to_string(mesh.n_nodes()) +
           " nodes; linear velocities" + (mesh.torn_edges().empty() ? "" : ", torn where U jumps") + ", pressures on edges" +
           (crossings.empty() ? "" : ", walls that cut triangles");
  }

  std::optional<VolumeOfZone> volume_of_zone() const override { return VolumeOfZone{mesh.zone_area(), mesh.zone_error()}; }

  std::string remarks() const override
  {
    if (mesh.triangles().empty())
      return "No triangle holds saturated matter: u = U everywhere.";
    if (mesh.n_whole_triangles() == 0)
      return "No triangle lies in the zone as a whole: it is thinner than a cell, and parts of it may be overlooked; give "
             "more cells.";
    std::string words = "Pictures show triangles with saturated matter only; elsewhere u = U.";
    if (!mesh.zone_is_triangles())
      words += " Triangles that the boundary of the zone or of the box cuts count with the part that is saturated; pictures "
               "show them whole.";
    return words;
  }

private:
  Vector admissible(const Vector &u) const
  {
    bool feasible = false;
    return convex::feasible_companion(impact, u, feasible);
  }

  Setting                   setting;
  TriangularMesh            mesh;
  std::vector<WallCrossing> crossings;
  std::vector<int>          row_of_edge, row_of_wall;
  convex::ProjectionProblem impact;
};

Mesh TriangularDiscretization::fields(const convex::SaddlePoint &x, const Vector &u_plus, const TotalBound &bound) const
{
  const auto n       = static_cast<Index>(mesh.triangles().size());
  Mesh       picture = continuum(CellType::triangle);
  picture.points     = three_components(positions(mesh));
  const Eigen::Map<const Eigen::MatrixXd> u(u_plus.data(), 2, mesh.n_nodes()), U(impact.U.data(), 2, mesh.n_nodes());
  const LatticePressure                   pressure(mesh, row_of_edge, row_of_wall, x.p);
  Eigen::MatrixXd                         U_of_cell(2, n), u_of_cell(2, n), p(3, n), slopes(3, n), active(3, n), part(1, n);
  for (Index q = 0; q < n; ++q)
    {
      const TriangularMesh::Triangle &triangle = mesh.triangles()[q];
      part(0, q)                               = mesh.part(triangle.anchor, triangle.t);
      int node[3];
      for (int k = 0; k < 3; ++k)
        {
          node[k] = mesh.node(triangle, k);
          picture.connectivity.push_back(node[k]);
        }
      u_of_cell.col(q) = (u.col(node[0]) + u.col(node[1]) + u.col(node[2])) / 3.;
      U_of_cell.col(q) = (U.col(node[0]) + U.col(node[1]) + U.col(node[2])) / 3.;
      for (int k = 0; k < 3; ++k)
        {
          const auto   c    = pressure.coefficients(triangle, k);
          const double sign = triangle.t == 0 ? 1. : -1.;
          p(k, q)           = std::accumulate(c.begin(), c.end(), 0.) / 6.;
          active(k, q)      = p(k, q) > 0.;
          slopes(k, q) = sign * mesh.directions().col(k).dot(u.col(node[(k + 1) % 3]) - u.col(node[k])) / mesh.spacing();
        }
    }
  picture.point_data = list_of(vectors_of("U", "m/s", U), vectors_of("u", "m/s", u));
  picture.cell_data =
      list_of(vectors_of("U", "m/s", U_of_cell), vectors_of("u", "m/s", u_of_cell), array_of("p", "m^2/s", p),
              array_of("directional_derivatives", "1/s", slopes), array_of("active", "", active),
              array_of("density", "", Eigen::MatrixXd::Ones(1, n)), array_of("saturated_part", "", part),
              array_of("error_indicator", "m^4/s^2", bound.indicator.transpose()));
  return picture;
}
} // namespace

std::unique_ptr<Discretization> triangular_discretization(const Setting &setting, const Progress &progress)
{
  return std::make_unique<TriangularDiscretization>(setting, progress);
}
} // namespace moreau::macro
