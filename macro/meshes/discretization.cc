// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/discretize.h"

#include "convex/certificate.h"
#include "convex/input_error.h"
#include "geometry/fill_picture.h"
#include "macro/meshes/bernstein_pressure.h"
#include "macro/meshes/certificate.h"
#include "macro/meshes/on_triangulation.h"
#include "macro/meshes/problem.h"
#include "macro/meshes/projector.h"
#include "macro/watched.h"

#include <Eigen/LU>

namespace moreau::macro
{
namespace
{
/// ∫ N_i N_j over the unit square, N bilinear and 1 at a corner, corners x fastest; 1 for the constant of degree 0.
Eigen::MatrixXd reference_mass(const int degree)
{
  if (degree == 0)
    return Eigen::MatrixXd::Ones(1, 1);
  Eigen::Matrix2d line;
  line << 1. / 3., 1. / 6., 1. / 6., 1. / 3.;
  Eigen::MatrixXd mass(4, 4);
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 2; ++j)
      mass.block(2 * i, 2 * j, 2, 2) = line(i, j) * line;
  return mass;
}

/// Raviart-Thomas velocities of degree 1 (plane) or 0 (space), -div u <= 0 wherever the zone is; see mixed_space.h.
template <int dim>
class MixedDiscretization : public Discretization
{
public:
  explicit MixedDiscretization(std::unique_ptr<const MixedMesh<dim>> given_mesh, const Eigen::MatrixXd *pressures = nullptr)
      : mesh(std::move(given_mesh))
      , velocities(*mesh)
      , space(*velocities.space())
      , projection(mixed_problem(velocities.space(), *velocities.evaluator(n_gauss), mesh->setting()))
  {
    if (pressures)
      start = multipliers(*pressures);
    // here, because counting is collective and writing a log is not
    const Processes &processes = mesh->setting().processes;
    const bool       is_local  = processes.max(mesh->has_mixed_levels()) > 0.;
    summary                    = std::to_string(mesh->n_cells()) + (dim == 2 ? " quadrilaterals" : " hexahedra") +
              (is_local ? ", locally refined" : "") + ", " + std::to_string(processes.sum(space.n_cells())) +
              " of them saturated; Raviart-Thomas velocities of degree " + std::to_string(space.degree);
  }

  const convex::ProjectionProblem &problem() const override { return projection; }

  std::unique_ptr<convex::ConeProjector> projector(const std::string               &solver,
                                                   const convex::StoppingCriterion &criterion) const override
  {
    if (solver != "automatic" && solver != "active set")
      throw InputError("the solver",
                       "General and adaptive meshes offer 'automatic' and 'active set', not '" + solver + "'.");
    return std::make_unique<MixedProjector>(criterion);
  }

  const convex::Vector *p_start() const override { return start.size() > 0 ? &start : nullptr; }

  TotalBound total_bound(const convex::SaddlePoint &x, const Progress &progress) const override
  {
    bool                         feasible = false;
    const Vector                 v        = convex::feasible_companion(projection, x.u, feasible);
    const BernsteinPressure<dim> pressure(*mesh);
    const Field                 &U = mesh->setting().U;
    const Vector                 p = pressure.fetched(pressure.best_fit(U, cell_pressures(x.p)));
    progress(.5);
    AdmissiblePair::Facts facts;
    facts.constructions = {dim == 2 ? "RT1 and Bernstein-Q2, both optimal" : "RT0 and Q1, both optimal"};
    facts.zone_is_cells = mesh->zone_is_cells();
    facts.feasible      = feasible;
    const auto     of_v = velocities.evaluator(n_gauss), of_p = pressure.evaluator(n_gauss);
    const auto     on_cell = [&](const Index c) { return pressure.on_cell(c, p); };
    const MeshPair pair(space, v, U, *of_v, *of_p, on_cell, n_gauss, std::move(facts));
    TotalBound     bound            = macro::total_bound(pair, progress.part(.5, 1.));
    const Vector   of_saturated     = bound.indicator;
    bound.indicator                 = Vector::Zero(mesh->n_own_cells());
    bound.indicator(space.own_cell) = of_saturated;
    return bound;
  }

  Mesh fields(const convex::SaddlePoint &x, const convex::Vector &u_plus, const TotalBound &bound) const override
  {
    Mesh            picture = mesh->picture();
    const auto      n       = static_cast<Index>(picture.n_cells());
    const auto      points  = Eigen::Map<const Eigen::Matrix3Xd>(picture.points.data(), 3, picture.n_points()).topRows(dim);
    Eigen::MatrixXd centres = Eigen::MatrixXd::Zero(dim, n), U(dim, n);
    for (Index c = 0; c < n; ++c)
      for (int k = 0; k < (1 << dim); ++k)
        centres.col(c) += points.col(picture.connectivity[c * (1 << dim) + k]) / (1 << dim);
    mesh->setting().U(centres, U);
    Eigen::MatrixXd u = U, p = Eigen::MatrixXd::Zero(1, n), divergence = p, active = p, error = p;
    const Vector    all_u = space.unknowns.fetched(u_plus), pressures = cell_pressures(x.p);
    const auto      centre = velocities.evaluator(1);
    for (Index c = 0; c < space.n_cells(); ++c)
      {
        const CellFunctions functions = centre->inside(c);
        const Vector        u_K       = space.velocity[c].gather(all_u);
        const Index         cell      = space.own_cell[c];
        u.col(cell)                   = functions.vectors * u_K;
        divergence(0, cell)           = functions.scalars.row(0) * u_K;
        p(0, cell)                    = pressures(c);
        active(0, cell)               = pressures(c) > 0.;
      }
    if (bound.indicator.size() == n)
      error = bound.indicator.transpose();
    picture.cell_data = list_of(vectors_of("U", "m/s", U), vectors_of("u", "m/s", u), array_of("p", "m^2/s", p),
                                array_of("divergence", "1/s", divergence), array_of("active", "", active),
                                array_of("density", "", mesh->densities().transpose()),
                                array_of("error_indicator", "m^" + std::to_string(2 + dim) + "/s^2", error));
    return picture;
  }

  Vector momentum(const convex::Vector &u) const override
  {
    return static_cast<const MixedVelocities &>(*projection.V).momentum(u);
  }

  Motion outside() const override { return mesh->outside(); }

  std::string description() const override { return summary; }

  std::string remarks() const override
  {
    return mesh->setting().domain.uniform || mesh->setting().domain.density_is_cellwise
               ? ""
               : "The saturated zone is the union of the cells whose centre is saturated.";
  }

  std::unique_ptr<Discretization> refined(const convex::SaddlePoint &x, const TotalBound &bound) const override
  {
    constexpr double fraction = .3; // of η²
    return refined_where(bound.indicator, fraction, x.p);
  }

  /// Every cell cut into 2^dim, with a start from the solution x.
  std::unique_ptr<MixedDiscretization> refined_everywhere(const convex::SaddlePoint &x) const
  {
    return refined_where(Vector::Ones(mesh->n_own_cells()), 1., x.p);
  }

private:
  std::unique_ptr<MixedDiscretization> refined_where(const Vector &indicator, const double fraction, const Vector &p) const
  {
    const Eigen::MatrixXd mass_inverse = reference_mass(space.degree).inverse();
    Eigen::MatrixXd       pressures    = Eigen::MatrixXd::Zero(space.rows_per_cell, mesh->n_own_cells());
    for (Index c = 0; c < space.n_cells(); ++c)
      pressures.col(space.own_cell[c]) = mass_inverse * p.segment(space.first_row[c], space.rows_per_cell) /
                                         (static_cast<double>(space.rows_per_cell) * space.flux_scale(c));
    auto finer = mesh->refined(indicator, fraction, space.degree, pressures);
    return std::make_unique<MixedDiscretization>(std::move(finer), &pressures);
  }

  /// Means over saturated own cells: each row of a cell carries a share of it.
  Vector cell_pressures(const Vector &p) const
  {
    Vector result(space.n_cells());
    for (Index c = 0; c < space.n_cells(); ++c)
      result(c) = p.segment(space.first_row[c], space.rows_per_cell).mean() / space.flux_scale(c);
    return result;
  }

  /// Multipliers of a pressure that is bilinear (constant) on every own cell,
  /// given by its corner values: Σ_i p_i (Bv)_i = -∫p div v.
  Vector multipliers(const Eigen::MatrixXd &pressures) const
  {
    const Eigen::MatrixXd mass   = reference_mass(space.degree);
    Vector                result = Vector::Zero(space.first_row.back());
    for (Index c = 0; c < space.n_cells(); ++c)
      {
        const auto   rows                                       = static_cast<double>(space.rows_per_cell);
        const Vector p_K                                        = mass * pressures.col(space.own_cell[c]);
        result.segment(space.first_row[c], space.rows_per_cell) = rows * space.flux_scale(c) * p_K.cwiseMax(0.);
        // walls are pressed where the cell is
        result.segment(space.first_row[c] + space.rows_per_cell, space.B[c].rows() - space.rows_per_cell)
            .setConstant(std::max(0., p_K.sum()) * space.flux_scale(c));
      }
    return result;
  }

  static constexpr int n_gauss = dim == 2 ? 6 : 4;

  std::unique_ptr<const MixedMesh<dim>> mesh;
  RaviartThomas<dim>                    velocities;
  const MixedSpace                     &space;
  convex::ProjectionProblem             projection;
  Vector                                start; ///< multipliers, empty without a coarser mesh
  std::string                           summary;
};
/// Whether the box in cells of twice the size has half as many of them along each axis.
bool has_coarser_box(const Setting &setting)
{
  if (!setting.mesh.file.empty())
    return false;
  const auto cells = [&](const double per_unit_length) {
    return box_grid(setting.domain.lower, setting.domain.upper, per_unit_length, Processes::alone()).n;
  };
  constexpr Index few  = 8; // an active set that small is found at once
  const auto      fine = cells(setting.mesh.cells_per_unit_length), coarse = cells(.5 * setting.mesh.cells_per_unit_length);
  for (Index axis = 0; axis < setting.dim(); ++axis)
    if (coarse[axis] < few || fine[axis] != 2 * coarse[axis])
      return false;
  return true;
}

/// On a box with a start from coarser boxes, where active sets are found in few changes; on files as they are.
template <int dim>
std::unique_ptr<MixedDiscretization<dim>> nested_discretization(const Setting &setting, const Progress &progress)
{
  if (!has_coarser_box(setting))
    return std::make_unique<MixedDiscretization<dim>>(std::make_unique<MixedMesh<dim>>(setting));
  Setting coarser = setting;
  coarser.mesh.cells_per_unit_length *= .5;
  constexpr double          coarser_share = 1. / (1 << dim);
  const auto                coarse        = nested_discretization<dim>(coarser, progress.part(0., coarser_share));
  convex::StoppingCriterion roughly;
  roughly.tolerance           = 1e-3;
  roughly.on_natural_residual = true;
  roughly                     = watched(roughly, progress.part(coarser_share, .6));
  const convex::SaddlePoint x = MixedProjector(roughly).project(coarse->problem(), coarse->p_start());
  progress(.6);
  return coarse->refined_everywhere(x);
}
} // namespace

template <int dim>
std::unique_ptr<Discretization> on_triangulation(const dealii::Triangulation<dim, dim> &triangulation, Setting setting)
{
  check_triangulation(triangulation, setting);
  return std::make_unique<MixedDiscretization<dim>>(std::make_unique<MixedMesh<dim>>(setting, triangulation));
}

template std::unique_ptr<Discretization> on_triangulation<2>(const dealii::Triangulation<2, 2> &, Setting);
template std::unique_ptr<Discretization> on_triangulation<3>(const dealii::Triangulation<3, 3> &, Setting);

std::unique_ptr<Discretization> mixed_discretization(const Setting &setting, const Progress &progress)
{
  const std::string subject = !setting.mesh.file.empty()         ? "the file of the mesh"
                              : setting.mesh.adaptive_cycles > 0 ? "the adaptive cycles"
                                                                 : "the elements of the mesh";
  switch (setting.dim())
    {
      case 2:
        return nested_discretization<2>(setting, progress);
      case 3:
        return nested_discretization<3>(setting, progress);
      default:
        throw InputError(subject, "In dimension 1 the projection is isotonic regression on a box, exact on any mesh; "
                                  "leave this parameter at its default.");
    }
}
} // namespace moreau::macro
