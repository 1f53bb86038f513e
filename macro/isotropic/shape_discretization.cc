// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/certificate.h"
#include "convex/impact_law.h"
#include "convex/input_error.h"
#include "macro/isotropic/box_picture.h"
#include "macro/isotropic/box_velocity.h"
#include "macro/isotropic/divergence_constraint.h"
#include "macro/discretize.h"
#include "macro/isotropic/obstacle_multigrid.h"
#include "geometry/quadrature.h"
#include "geometry/box_rows.h"
#include "macro/saturated_cells.h"
#include "macro/isotropic/shape_certificate.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

namespace moreau::macro
{
namespace
{
/// The isotropic cone on a box, on a zone whose boundary cuts cells: pressures in the cells with their centre in the zone, p
/// = 0 where the boundary cuts the links between centres (ghost fluid).
class ShapeDiscretization : public Discretization
{
public:
  ShapeDiscretization(const Setting &setting, const Progress &progress)
      : domain(setting.domain)
      , U(setting.U)
      , grid(box_grid(domain.lower, domain.upper, setting.mesh.cells_per_unit_length, setting.processes))
      , w(domain.level, grid, domain.walls)
      , zone(shape_zone(w, domain.walls))
      , density(density_at_centres(progress.part(.3, .6)))
      , U_means(face_means(grid, U, 3, progress.part(.6, 1.)))
      , staggered(zone.inside, &zone.theta)
      , projection(staggered.projection_problem(U_means))
      , n_inside(grid.processes.sum(zone.inside.n_own_cells()))
      , n_touched(grid.processes.sum(zone.touched.n_own_cells()))
  {}

  const convex::ProjectionProblem &problem() const override { return projection; }

  std::unique_ptr<convex::ConeProjector> projector(const std::string               &solver,
                                                   const convex::StoppingCriterion &criterion) const override
  {
    if (solver == "automatic" || solver == "multigrid")
      return std::make_unique<ObstacleMultigrid>(criterion);
    throw InputError("the solver",
                     "'" + solver + "' does not project on the isotropic cone of a shape; choose automatic or multigrid.");
  }

  TotalBound  total_bound(const convex::SaddlePoint &x, const Progress &progress) const override;
  Field       velocity(const convex::SaddlePoint &x) const override;
  Mesh        fields(const convex::SaddlePoint &x, const convex::Vector &u_plus, const TotalBound &bound) const override;
  Vector      momentum(const convex::Vector &u) const override { return staggered.momentum(u); }
  Motion      outside() const override;
  bool        cuts_cells() const override { return true; }
  std::string description() const override;
  std::string remarks() const override;

private:
  Vector                           density_at_centres(const Progress &progress) const;
  std::shared_ptr<const ShapePair> pair_of(const convex::SaddlePoint &x, const Progress &progress = {}) const;
  double                           spread_of_U() const;
  double                           scale_of_U() const;
  bool                             is_useless(const ShapePair &pair) const;
  bool is_whole(const CellIndex &cell) const { return w.depth()(cell) > 2.; } ///< far from the boundary, if in the zone

  Domain                    domain;
  Field                     U;
  BoxGrid                   grid;
  ShapeFunction             w;
  ShapeZone                 zone;
  Vector                    density; ///< at the centres of own cells, i fastest
  FaceArrays                U_means;
  StaggeredProblem          staggered;
  convex::ProjectionProblem projection;
  Index                     n_inside, n_touched; ///< of all processes

  mutable std::optional<double> scale; ///< of U

  // total_bound() and fields() ask for the same pair
  mutable std::mutex                       last_access;
  mutable convex::Vector                   last_u, last_p;
  mutable std::shared_ptr<const ShapePair> last_pair;
};

/// Throws where density and level contradict each other, on all processes.
Vector ShapeDiscretization::density_at_centres(const Progress &progress) const
{
  Vector result(grid.n_own_cells());
  Index  k = 0;
  if (!domain.density)
    {
      for_own_cells(grid, [&](const CellIndex &cell) { result(k++) = zone.inside(cell) ? 1. : 0.; });
      return result;
    }
  const SaturatedCells cells = saturated_cells(domain, grid, progress);
  bool                 agree = true;
  for_own_cells(grid, [&](const CellIndex &cell) {
    agree = agree && (cells.centred(cell) == zone.inside(cell) || std::abs(w.depth()(cell)) < .1);
  });
  if (grid.processes.max(agree ? 0. : 1.) > 0.)
    throw InputError(
        "the level function",
        "The level is positive where the density is below 1, or not positive where it is 1; give a level that is "
        "positive exactly where the density is 1, or none.");
  return cells.density;
}

std::shared_ptr<const ShapePair> ShapeDiscretization::pair_of(const convex::SaddlePoint &x, const Progress &progress) const
{
  const std::lock_guard<std::mutex> lock(last_access);
  const auto equal = [](const convex::Vector &a, const convex::Vector &b) { return a.size() == b.size() && a == b; };
  // one process with another x means work for all
  const bool same = last_pair && equal(last_u, x.u) && equal(last_p, x.p);
  if (grid.processes.max(same ? 0. : 1.) > 0.)
    {
      last_pair = std::make_shared<ShapePair>(shape_pair(
          w, zone, U, {U_means, staggered.faces(x.u, U_means), staggered.cell_pressures(x.p), staggered.wall_pressures(x.p)},
          progress));
      last_u    = x.u;
      last_p    = x.p;
    }
  return last_pair;
}

/// |U - mean U| over the zone, by its value in the middle of whole cells and the Gauss points in pieces of cells.
double ShapeDiscretization::spread_of_U() const
{
  const Rule      middle = gauss_rule(1, grid.dim), fine = gauss_rule(4, grid.dim);
  Eigen::MatrixXd x, values;
  Vector          level;
  const auto      for_points = [&](auto &&f) {
    for_own_cells(grid, [&](const CellIndex &cell) {
      if (!zone.touched(cell))
        return;
      const bool  whole = is_whole(cell);
      const Rule &rule  = whole ? middle : fine;
      x                 = points_of(grid, cell, rule.points);
      values.resize(grid.dim, rule.size());
      U(x, values);
      if (!whole)
        w.level(x, level);
      for (Index q = 0; q < rule.size(); ++q)
        if (whole || level(q) > 0.)
          f(grid.cell_volume() * rule.weights(q), values.col(q));
    });
  };
  double volume = 0., spread = 0.;
  Vector mean = Vector::Zero(grid.dim);
  for_points([&](const double weight, const auto &value) {
    volume += weight;
    mean += weight * value;
  });
  volume = grid.processes.sum(volume);
  if (volume == 0.)
    return 0.;
  for (double &m : mean)
    m = grid.processes.sum(m) / volume;
  for_points([&](const double weight, const auto &value) { spread += weight * (value - mean).squaredNorm(); });
  return std::sqrt(grid.processes.sum(spread));
}

/// What bounds are relative to.
double ShapeDiscretization::scale_of_U() const
{
  const std::lock_guard<std::mutex> lock(last_access);
  if (!scale)
    {
      scale = spread_of_U();
      if (std::any_of(domain.walls.begin(), domain.walls.end(), [](const bool wall) { return wall; }))
        scale = std::max(*scale, convex::relative_scale(projection)); // a uniform U can run into a wall
    }
  return *scale;
}

/// Whether v is further from the projection than U, by more than rounding: the zone is too thin for the cells.
bool ShapeDiscretization::is_useless(const ShapePair &pair) const
{
  constexpr double rounding = 1e-9;
  double           speed    = 0.;
  for (const Vector &U_on_axis : U_means.values)
    speed = std::max(speed, convex::max_abs(U_on_axis));
  const double size = grid.processes.max(speed) * std::sqrt((domain.upper - domain.lower).prod());
  return pair.bound.eta > scale_of_U() && pair.bound.eta > rounding * size;
}

TotalBound ShapeDiscretization::total_bound(const convex::SaddlePoint &x, const Progress &progress) const
{
  const std::shared_ptr<const ShapePair> pair  = pair_of(x, progress.part(0., .9));
  TotalBound                             bound = pair->bound;
  bound.scale                                  = scale_of_U();
  bound.relative                               = bound.scale > 0. ? bound.eta / bound.scale : 0.;
  bound.construction =
      "RT1 velocity v, corrected where the boundary cuts cells, and the pressure w q, w vanishing on the boundary of the "
      "zone and q a quadratic spline; integrated over all cells that the zone touches; the bound is one for v";
  // an inadmissible velocity is the graver reason
  if (bound.guaranteed)
    bound.remark = "The level function is integrated by Gauss's rule, so the bound is an estimate.";
  if (n_inside == 0)
    {
      bound.available = false;
      bound.remark =
          "There is no bound: the zone contains no centre of a cell, so u = U is not its projection; give more cells.";
    }
  else if (is_useless(*pair))
    {
      bound.available = false;
      bound.remark =
          "There is no bound: where the boundary cuts cells no admissible velocity was found that is nearer to the "
          "solution than U is, since the zone is too thin for these cells; give more of them.";
    }
  bound.guaranteed = false;
  bound.forget_energies();
  return bound;
}

Field ShapeDiscretization::velocity(const convex::SaddlePoint &x) const
{
  if (grid.processes.size() > 1 || n_inside == 0)
    return {};
  BoxZone whole = zone.touched;
  for_own_cells(grid, [&](const CellIndex &cell) { whole.set(cell, zone.touched(cell) && is_whole(cell)); });
  const std::shared_ptr<const ShapePair> pair = pair_of(x);
  if (is_useless(*pair))
    throw InputError("the cells per unit length", "The zone is too thin for these cells: where its boundary cuts them no "
                                                  "velocity is found that is nearer to the projection than U itself; give a "
                                                  "larger number.");
  return velocity_on_box({pair, pair->v.get()}, zone.touched, whole, domain.level, U);
}

Mesh ShapeDiscretization::fields(const convex::SaddlePoint &x, const convex::Vector &u_plus, const TotalBound &bound) const
{
  const std::shared_ptr<const ShapePair> pair  = pair_of(x);
  const FaceArrays                       means = staggered.faces(u_plus, U_means);
  // 0 after repeated impacts, and where the means on faces tell more than v
  const double          factor = is_useless(*pair) ? 0. : convex::impact_factor(projection, x.u, u_plus);
  const Eigen::MatrixXd centre = Eigen::MatrixXd::Constant(grid.dim, 1, .5);
  Eigen::MatrixXd       v_centre, gradient;
  Vector                p_centre, div_v;

  return box_picture(grid, U, density, bound.indicator,
                     [&](const CellIndex &cell, Eigen::Ref<Vector> u, double &p, double &div) {
                       div = divergence(means, cell);
                       if (zone.touched(cell))
                         {
                           pair->p->evaluate(cell, centre, p_centre, gradient);
                           p = p_centre(0);
                         }
                       if (factor > 0. && zone.touched(cell))
                         {
                           pair->v->evaluate(cell, centre, v_centre, div_v);
                           u += factor * (v_centre.col(0) - u);
                           div = (1. - factor) * divergence(U_means, cell) + factor * div_v(0);
                         }
                       else if (zone.inside(cell))
                         for (int axis = 0; axis < grid.dim; ++axis)
                           u(axis) = .5 * (means(axis, cell) + means(axis, moved(cell, axis, 1)));
                     });
}

/// By the rule of the centres where the zone is not near, by the Gauss points outside it in the cells it touches.
Motion ShapeDiscretization::outside() const
{
  Motion motion(grid.dim);
  if (!domain.density)
    return motion;
  const Rule      rule = gauss_rule(4, grid.dim);
  Eigen::MatrixXd values(grid.dim, grid.n_own_cells()), x(grid.dim, rule.size()), U_cut(grid.dim, rule.size()),
      rho(1, rule.size());
  Vector level;
  U(own_centres(grid), values);
  Index k = 0;
  for_own_cells(grid, [&](const CellIndex &cell) {
    if (!zone.touched(cell))
      motion.add(grid.cell_volume() * density(k), values.col(k));
    else if (!is_whole(cell))
      {
        x = points_of(grid, cell, rule.points);
        w.level(x, level);
        U(x, U_cut);
        domain.density(x, rho);
        for (Index q = 0; q < rule.size(); ++q)
          if (level(q) <= 0.)
            motion.add(grid.cell_volume() * rule.weights(q) * rho(0, q), U_cut.col(q));
      }
    ++k;
  });
  return motion.summed(grid.processes);
}

std::string ShapeDiscretization::description() const
{
  std::string text = std::to_string(grid.n[0]);
  for (int axis = 1; axis < grid.dim; ++axis)
    text += " x " + std::to_string(grid.n[axis]);
  return text + " cells, " + std::to_string(n_inside) + " of them with their centre in the zone, " +
         std::to_string(n_touched) + " touched by it; staggered velocities, cell pressures";
}

std::string ShapeDiscretization::remarks() const
{
  if (n_inside == 0)
    return "No cell has its centre in the zone, so u = U.";
  return "The boundary of the zone cuts cells: p vanishes where it cuts the links between their centres, the level function "
         "carries p to the "
         "boundary itself, and the error behaves like h^1.5.";
}
} // namespace

std::unique_ptr<Discretization> shape_discretization(const Setting &setting, const Progress &progress)
{
  return std::make_unique<ShapeDiscretization>(setting, progress);
}
} // namespace moreau::macro
