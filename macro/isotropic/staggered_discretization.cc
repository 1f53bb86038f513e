// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/certificate.h"
#include "convex/impact_law.h"
#include "convex/input_error.h"
#include "geometry/box_rows.h"
#include "geometry/face_means.h"
#include "macro/isotropic/box_certificate.h"
#include "macro/isotropic/box_picture.h"
#include "macro/isotropic/box_velocity.h"
#include "macro/isotropic/divergence_constraint.h"
#include "macro/discretize.h"
#include "macro/isotropic/obstacle_multigrid.h"
#include "macro/saturated_cells.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
namespace
{
/// The isotropic cone on a box whose cells are saturated or not: velocities on faces, pressures in cells.
class StaggeredDiscretization : public Discretization
{
public:
  StaggeredDiscretization(const Setting &setting, const Progress &progress)
      : density(setting.domain.density)
      , is_array(setting.domain.density_is_cellwise)
      , U(setting.fluctuation())
      , D(setting.mean_gradient)
      , grid(box_grid(setting.domain.lower, setting.domain.upper, setting.mesh.cells_per_unit_length, setting.processes))
      , cells(saturated_cells(setting.domain, grid, progress.part(0., .3)))
      , U_means(face_means(cells.centred, U, progress.part(setting.domain.uniform ? 0. : .3, 1.)))
      , staggered(cells.centred)
      , projection(staggered.projection_problem(U_means, mean_divergence()))
  {}

  const convex::ProjectionProblem &problem() const override { return projection; }

  std::unique_ptr<convex::ConeProjector> projector(const std::string               &solver,
                                                   const convex::StoppingCriterion &criterion) const override
  {
    if (solver == "automatic" || solver == "multigrid")
      return std::make_unique<ObstacleMultigrid>(criterion);
    throw InputError("the solver", "'" + solver +
                                       "' does not project on the isotropic cone of a box; choose automatic or "
                                       "multigrid, or Raviart-Thomas elements for 'active set'.");
  }

  TotalBound  total_bound(const convex::SaddlePoint &x, const Progress &progress) const override;
  Field       velocity(const convex::SaddlePoint &x) const override;
  Mesh        fields(const convex::SaddlePoint &x, const convex::Vector &u_plus, const TotalBound &bound) const override;
  Vector      momentum(const convex::Vector &u) const override;
  Motion      outside() const override;
  std::string description() const override;
  std::string remarks() const override;

private:
  struct BoundedVelocity
  {
    std::shared_ptr<const ReconstructedVelocity> v;
    TotalBound                                   bound;
  };

  std::unique_ptr<BoxPressure> pressure(const convex::Vector &p) const;
  BoundedVelocity              bounded_velocity(const convex::SaddlePoint &x, const Progress &progress = {}) const;
  BoundedVelocity bounded_velocity(const convex::SaddlePoint &x, double tolerable, const Progress &progress) const;
  double          price_of_expansion(const convex::SaddlePoint &x) const;
  double          compression(const convex::Vector &u) const;
  bool            is_cut() const { return cells.n_cut > 0; }
  double          mean_divergence() const { return D.size() > 0 ? D.trace() : 0.; }
  bool            has_walls() const
  {
    return std::any_of(cells.centred.walls.begin(), cells.centred.walls.end(), [](const bool wall) { return wall; });
  }

  Field                     density;
  bool                      is_array; ///< is the density
  Field                     U;        ///< what repeats itself of it, as all velocities but those of pictures and momenta
  Eigen::MatrixXd           D;        ///< of size 0: none
  BoxGrid                   grid;
  SaturatedCells            cells;
  FaceArrays                U_means;
  StaggeredProblem          staggered;
  convex::ProjectionProblem projection;
};

/// Admissible: where the boundary of the zone cuts cells, only those wholly inside keep their pressure.
std::unique_ptr<BoxPressure> StaggeredDiscretization::pressure(const convex::Vector &p) const
{
  CellArray  p_cell = staggered.cell_pressures(p);
  FaceArrays p_wall = staggered.wall_pressures(p);
  if (is_cut())
    {
      for (Index k = 0; k < p_cell.values.size(); ++k)
        p_cell.values(k) *= cells.inside.saturated[k];
      return spline_pressure(cells.inside, p_cell, p_wall);
    }
  return spline_pressure(cells.centred, p_cell, p_wall);
}

/// 2 ∫p times the largest compression: what an expansion that repairs u adds to η².
double StaggeredDiscretization::price_of_expansion(const convex::SaddlePoint &x) const
{
  const CellArray p             = staggered.cell_pressures(x.p);
  double          integral_of_p = 0.;
  for_own_cells(grid, [&](const CellIndex &cell) { integral_of_p += p(cell) * grid.cell_volume(); });
  return 2. * grid.processes.sum(integral_of_p) * compression(x.u);
}

/// Largest (-div u)⁺ of the saturated cells, or (u·n)⁺ of their walls over a cell (1/s).
double StaggeredDiscretization::compression(const convex::Vector &u) const
{
  return convex::approach_speed(projection, u) / std::pow(grid.cell_volume(), 1. / grid.dim);
}

/// What is tolerable is left to an expansion.
StaggeredDiscretization::BoundedVelocity StaggeredDiscretization::bounded_velocity(const convex::SaddlePoint &x,
                                                                                   const double               tolerable,
                                                                                   const Progress            &progress) const
{
  const BoxZone                     &zone = is_cut() ? cells.touched : cells.centred;
  const std::unique_ptr<BoxPressure> p    = pressure(x.p);
  bool                               feasible;
  const FaceArrays v_means = repaired_fluxes(zone, staggered.faces(x.u, U_means), feasible, tolerable, mean_divergence());
  progress(.2);
  const auto v =
      std::make_shared<const ReconstructedVelocity>(zone, v_means, U, *p, progress.part(.2, .5), mean_divergence());
  return {v, box_total_bound(zone, U, *v, *p, progress.part(.5, 1.))};
}

StaggeredDiscretization::BoundedVelocity StaggeredDiscretization::bounded_velocity(const convex::SaddlePoint &x,
                                                                                   const Progress            &progress) const
{
  // a linear solve for the repair is dear: first without, where that should cost little in view of what η usually is
  const double    n     = static_cast<double>(*std::max_element(grid.n.begin(), grid.n.end()));
  const double    price = price_of_expansion(x), usual = x.certificate.scale * std::pow(n, -1.5);
  BoundedVelocity result;
  if (!is_cut() && !geometry::any(cells.centred.periodic) && price <= std::pow(.1 * usual, 2))
    result = bounded_velocity(x, 2. * compression(x.u), progress.part(0., .5));
  if (!result.bound.available || price > .02 * result.bound.eta * result.bound.eta)
    result = bounded_velocity(x, 0., progress.part(result.v ? .5 : 0., 1.));
  return result;
}

TotalBound StaggeredDiscretization::total_bound(const convex::SaddlePoint &x, const Progress &progress) const
{
  TotalBound bound = bounded_velocity(x, progress).bound;
  if (D.size() > 0)
    bound.forget_energies(); // of what repeats itself
  if (has_walls())
    bound.scale = std::max(bound.scale, convex::relative_scale(projection)); // a uniform U can run into a wall
  bound.relative = bound.scale > 0. ? bound.eta / bound.scale : 0.;
  if (is_cut() && cells.n_saturated == 0)
    {
      bound.available = false;
      bound.remark =
          "There is no bound: the zone contains no centre of a cell, so u = U is not its projection; give more cells.";
      return bound;
    }
  if (is_cut())
    {
      bound.construction += ", on the cells that the zone touches and on those inside it";
      bound.guaranteed = false;
      bound.forget_energies();
      if (bound.available) // an inadmissible velocity is the graver reason
        bound.remark =
            std::string(is_array ? "The boundary of the zone cuts cells" : "Which cells the zone touches was sampled") +
            ", so the bound is an estimate; it falls like h^(1/2).";
    }
  return bound;
}

/// Made again: to keep it would cost memory in runs that only want the bound.
Field StaggeredDiscretization::velocity(const convex::SaddlePoint &x) const
{
  if (grid.processes.size() > 1 || (is_cut() && cells.n_saturated == 0))
    return {};
  return geometry::with_mean_gradient(velocity_on_box(bounded_velocity(x).v, cells, density, U), D);
}

Mesh StaggeredDiscretization::fields(const convex::SaddlePoint &x, const convex::Vector &u_plus,
                                     const TotalBound &bound) const
{
  const double     factor = convex::impact_factor(projection, x.u, u_plus); // 0 after repeated impacts
  bool             feasible;
  const FaceArrays v_means = repaired_fluxes(cells.centred, staggered.faces(x.u, U_means), feasible, 0., mean_divergence());
  const FaceArrays means   = staggered.faces(u_plus, U_means);
  const CellArray  p_cells = staggered.cell_pressures(x.p);
  const std::unique_ptr<BoxPressure> spline = pressure(x.p);
  const ReconstructedVelocity        v(cells.centred, v_means, U, *spline, {}, mean_divergence());
  const Eigen::MatrixXd              centre = Eigen::MatrixXd::Constant(grid.dim, 1, .5);
  Eigen::MatrixXd                    v_centre;
  Vector                             ignored;

  const auto of_D = [&](const CellIndex &cell) {
    return D.size() > 0 ? Vector(D * grid.centre(cell)) : Vector(Vector::Zero(grid.dim));
  };
  return box_picture(grid, geometry::with_mean_gradient(U, D), cells.density, bound.indicator,
                     [&](const CellIndex &cell, Eigen::Ref<Vector> u, double &p, double &div) {
                       div = divergence(U_means, cell) + mean_divergence();
                       if (!cells.centred(cell))
                         return;
                       p = p_cells(cell);
                       if (factor > 0.)
                         {
                           v.evaluate(cell, centre, v_centre, ignored);
                           u += factor * (v_centre.col(0) + of_D(cell) - u);
                           div = (1. - factor) * div + factor * (divergence(v_means, cell) + mean_divergence());
                         }
                       else
                         {
                           div = divergence(means, cell) + mean_divergence();
                           u   = of_D(cell);
                           for (int axis = 0; axis < grid.dim; ++axis)
                             u(axis) += .5 * (means(axis, cell) + means(axis, moved(cell, axis, 1)));
                         }
                     });
}

/// With that of D x in the cells of the zone.
Vector StaggeredDiscretization::momentum(const convex::Vector &u) const
{
  Vector result = staggered.momentum(u);
  if (D.size() == 0)
    return result;
  Vector first_moments = Vector::Zero(grid.dim);
  for_own_cells(grid, [&](const CellIndex &cell) {
    if (cells.centred(cell))
      first_moments += grid.cell_volume() * grid.centre(cell);
  });
  for (double &moment : first_moments)
    moment = grid.processes.sum(moment);
  return result + D * first_moments;
}

/// By the rule of the centres.
Motion StaggeredDiscretization::outside() const
{
  Eigen::MatrixXd values(grid.dim, grid.n_own_cells());
  geometry::with_mean_gradient(U, D)(own_centres(grid), values);
  Motion motion(grid.dim);
  Index  k = 0;
  for_own_cells(grid, [&](const CellIndex &cell) {
    if (!cells.centred(cell))
      motion.add(grid.cell_volume() * cells.density(k), values.col(k));
    ++k;
  });
  return motion.summed(grid.processes);
}

std::string StaggeredDiscretization::description() const
{
  std::string text = std::to_string(grid.n[0]);
  for (int axis = 1; axis < grid.dim; ++axis)
    text += " x " + std::to_string(grid.n[axis]);
  return text + " cells, " + std::to_string(cells.n_saturated) + " of them saturated; staggered velocities, cell pressures";
}

std::string StaggeredDiscretization::remarks() const
{
  if (is_cut())
    return "The boundary of the zone cuts " + std::to_string(cells.n_cut) +
           " cells: those with a saturated centre count as saturated, and the total error bound falls only like h^(1/2). " +
           (is_array ? "Where lines of the mesh are those of the array, none is cut: take a multiple of its cells."
            : geometry::any(cells.centred.periodic) ? "More cells make the strip that they stand for thinner."
                                                    : "A level function describes the zone sharply.");
  return cells.n_saturated == 0 ? "No cell is saturated, so u = U." : "";
}
} // namespace

std::unique_ptr<Discretization> staggered_discretization(const Setting &setting, const Progress &progress)
{
  return std::make_unique<StaggeredDiscretization>(setting, progress);
}
} // namespace moreau::macro
