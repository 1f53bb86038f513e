// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/lattice_discretizations.h"

#include "convex/certificate.h"
#include "convex/chains/runs_of_problem.h"
#include "convex/solvers/make_projector.h"
#include "geometry/fill_picture.h"
#include "macro/directional/lattices/chain_certificate.h"
#include "macro/directional/lattices/chain_velocity.h"
#include "macro/directional/lattices/line_certificate.h"
#include "macro/directional/lattices/shared_chains.h"

#include <mutex>
#include <numeric>

namespace moreau::macro
{
namespace
{
/// Makes every chain monotone, within its walls: the projection of u itself, along one axis after the other.
class MonotoneChains : public convex::FeasibleRepair
{
public:
  MonotoneChains(std::shared_ptr<const convex::ChainFamilies> chains, const Index n_rows)
      : chains(std::move(chains)), n_rows(n_rows)
  {}

  Vector repaired(const Vector &u) const override
  {
    Vector v = u;
    for (const auto &family : chains->families)
      {
        const convex::RunsOfProblem runs(family, Vector(), true, Vector::Zero(n_rows));
        runs.for_all_runs([&](const Index r) {
          const int              begin = family.run_start[r], n = family.run_start[r + 1] - begin;
          convex::LineRegression line;
          std::vector<double>    s(n), z(n);
          for (int l = 0; l < n; ++l)
            s[l] = family.direction.dot(u.segment(chains->dim * family.node[begin + l], chains->dim));
          runs.regress(line, r, s.data(), z.data());
          for (int l = 0; l < n; ++l)
            v.segment(chains->dim * family.node[begin + l], chains->dim) += (z[l] - s[l]) * family.direction;
        });
      }
    return v;
  }

private:
  std::shared_ptr<const convex::ChainFamilies> chains;
  Index                                        n_rows;
};

class ChainDiscretization : public Discretization
{
public:
  ChainDiscretization(const Setting &setting, const Progress &progress)
      : setting(setting)
      , grid(aligned_grid(setting, progress.part(0., .8)))
      , chains(std::make_shared<convex::ChainFamilies>(chains_of(grid)))
  {
    const std::vector<bool> at_rest = axes_with_walls(setting.domain.walls, grid.dim);
    impact.U                        = grid.U;
    if (can_be_shared(setting))
      {
        shared        = std::make_shared<SharedChains>(grid, *chains, setting.domain, setting.processes);
        impact.B      = shared->network();
        impact.V      = std::make_shared<convex::SharedSpace>(shared->network(), at_rest);
        impact.repair = shared;
        return;
      }
    const auto B = constraint_of(*chains, grid.on_walls);
    impact.V     = std::make_shared<convex::DiagonalSpace>(grid.volume, grid.dim, at_rest);
    impact.B     = B;
    if (grid.on_walls.empty())
      impact.repair = std::make_shared<MonotoneChains>(chains, B->n_constraints());
    else
      {
        Eigen::MatrixXd centres;
        grid.points(grid.cell_of_node.data(), grid.n_nodes(), Vector::Constant(grid.dim, .5), centres);
        impact.expansion = expansion_between_walls(*B, centres, setting.domain, grid.h.norm());
      }
  }

  const convex::ProjectionProblem &problem() const override { return impact; }

  std::unique_ptr<convex::ConeProjector> projector(const std::string               &solver,
                                                   const convex::StoppingCriterion &criterion) const override
  {
    if (shared && (solver == "automatic" || solver == "lines"))
      return std::make_unique<SharedChainProjector>(criterion, shared);
    return !shared && grid.on_walls.empty() ? projector_on_chains(solver, criterion, *chains) // lines that do not couple
                                            : convex::make_projector(solver, criterion);
  }

  TotalBound total_bound(const convex::SaddlePoint &x, const Progress &progress) const override
  {
    TotalBound   bound   = judged_pairs(x, progress);
    const Vector of_node = bound.indicator;
    bound.indicator      = Vector::Zero(n_shown());
    for (Index own = 0; own < of_node.size(); ++own)
      bound.indicator(shown_cell(own)) = of_node(own);
    return bound;
  }

  /// Exactly the v of the better pair, which only the bound tells. Not offered where several processes share it.
  Field velocity(const convex::SaddlePoint &x) const override
  {
    if (setting.processes.size() > 1)
      return {};
    const auto v = std::make_shared<const ChainVelocity>(grid, *chains, admissible(x.u), smooth_is_better(x));
    return velocity_on_mesh(setting, [v](const double *const at, double *const value) { return (*v)(at, value); });
  }

  Mesh fields(const convex::SaddlePoint &x, const Vector &u_plus, const TotalBound &bound) const override;

  Vector momentum(const Vector &u) const override
  {
    if (!shared)
      return Discretization::momentum(u);
    const Vector &mass = dynamic_cast<const convex::DiagonalSpace &>(*impact.V).masses_of_nodes();
    Vector        result(grid.dim);
    for (int a = 0; a < grid.dim; ++a)
      result(a) = shared->network()->sum_over_nodes([&](const Index own) { return mass(own) * u(grid.dim * own + a); });
    return result;
  }

  Motion outside() const override { return grid.outside; }

  std::string description() const override
  {
    std::string words;
    for (int a = 0; a < grid.dim; ++a)
      words += (a == 0 ? "" : " x ") + std::to_string(a == grid.layers.axis ? grid.layers.all : grid.n[a]);
    return words + " cells along the lattice, " + std::to_string(grid.n_all) +
           " of them hold saturated matter; cell velocities, pressures between cells";
  }

  std::optional<VolumeOfZone> volume_of_zone() const override { return VolumeOfZone{grid.zone_volume, grid.zone_error}; }

  std::string remarks() const override
  {
    std::string words;
    if (grid.n_all == 0)
      words = "No cell is saturated: u = U everywhere.";
    else if (grid.n_all_whole == 0)
      words = "No cell lies in the zone as a whole: it is thinner than a cell, and parts of it may be overlooked; give more "
              "cells.";
    else if (!grid.zone_is_cells)
      words = "Cells that the boundary of the zone cuts count with the part that is saturated; pictures show them whole.";
    if (!grid.is_box)
      words += (words.empty() ? "" : " ") +
               std::string("The cells are turned against the box; pictures show those with saturated matter only.");
    return words;
  }

private:
  Vector admissible(const Vector &u) const
  {
    bool feasible = false;
    return convex::feasible_companion(impact, u, feasible);
  }

  TotalBound judged_pairs(const convex::SaddlePoint &x, const Progress &progress = {}) const
  {
    Vector u = admissible(x.u);
    if (shared)
      u = shared->with_ghosts(u, grid.dim);
    TotalBound bound;
    if (grid.zone_is_cells)
      bound = chain_total_bound(grid, *chains, setting.U, u, faces_with_ghosts(x.p), shared.get(), progress);
    else
      bound = line_total_bound(setting, grid, *chains, u, x.p.tail(static_cast<Index>(grid.on_walls.size())), shared.get(),
                               progress);
    const std::lock_guard<std::mutex> lock(of_last);
    last = {x.u, x.p, bound.pair == 1};
    return bound;
  }

  bool smooth_is_better(const convex::SaddlePoint &x) const
  {
    {
      const std::lock_guard<std::mutex> lock(of_last);
      if (last.u.size() == x.u.size() && last.p.size() == x.p.size() && last.u == x.u && last.p == x.p)
        return last.smooth;
    }
    return judged_pairs(x).pair == 1;
  }

  /// face_pressures() of all nodes here.
  Eigen::MatrixXd faces_with_ghosts(const Vector &p) const
  {
    const Eigen::MatrixXd here = face_pressures(grid, *chains, p);
    if (grid.n_own == grid.n_nodes() && setting.processes.size() == 1)
      return here;
    return shared->with_ghosts(here.middleCols(grid.first_own, grid.n_own).reshaped(), here.rows())
        .reshaped(here.rows(), grid.n_nodes());
  }

  /// Pictures show the whole box, or the saturated cells where the grid is turned; of several processes each the cells that
  /// it owns, numbered from 0.
  Index of_layer() const { return grid.n_cells() / grid.n[grid.dim - 1]; }
  Index first_shown() const { return grid.is_box ? of_layer() * grid.layers.first : grid.first_own; }
  Index n_shown() const { return grid.is_box ? of_layer() * (grid.layers.last - grid.layers.first) : grid.n_own; }
  Index shown_cell(const Index own) const
  {
    const Index node = grid.first_own + own;
    return (grid.is_box ? grid.cell_of_node[node] : node) - first_shown();
  }
  /// The cell here of what is shown as k.
  Index cell_shown(const Index k) const { return grid.is_box ? first_shown() + k : grid.cell_of_node[first_shown() + k]; }

  Mesh shown_cells() const;

  Setting                                setting;
  AlignedGrid                            grid;
  std::shared_ptr<convex::ChainFamilies> chains;
  std::shared_ptr<const SharedChains>    shared; ///< null: too few cells to share, or of what processes share none
  convex::ProjectionProblem              impact;

  /// The solution judged last: who wants its bound wants its velocity, too, and U is dear to integrate twice.
  struct Judged
  {
    Vector u, p;
    bool   smooth = false;
  };
  mutable Judged     last;
  mutable std::mutex of_last;
};

Mesh ChainDiscretization::shown_cells() const
{
  constexpr int corner_order[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  Mesh          mesh               = continuum(cell_of_box(grid.dim));
  CellIndex     n_points           = {1, 1, 1};
  for (int a = 0; a < grid.dim; ++a)
    n_points[a] = grid.n[a] + 1;
  std::vector<long long> number(n_points[0] * n_points[1] * n_points[2], -1);
  std::vector<Index>     used;
  const int              n_corners = 1 << grid.dim;
  for (Index k = 0; k < n_shown(); ++k)
    {
      const CellIndex cell = grid.cell_index(cell_shown(k));
      for (int c = 0; c < n_corners; ++c)
        {
          const int *const corner = corner_order[c];
          const Index      point =
              cell[0] + corner[0] + n_points[0] * (cell[1] + corner[1] + n_points[1] * (cell[2] + corner[2]));
          if (number[point] < 0)
            {
              number[point] = static_cast<long long>(used.size());
              used.push_back(point);
            }
          mesh.connectivity.push_back(number[point]);
        }
    }
  Eigen::MatrixXd points(grid.dim, used.size());
  Vector          s(grid.dim);
  for (std::size_t k = 0; k < used.size(); ++k)
    {
      const CellIndex at = {used[k] % n_points[0], used[k] / n_points[0] % n_points[1],
                            used[k] / (n_points[0] * n_points[1])};
      for (int a = 0; a < grid.dim; ++a)
        s(a) = static_cast<double>(a == grid.layers.axis ? at[a] + grid.layers.below : at[a]) * grid.h(a);
      points.col(k) = grid.origin + grid.frame * s;
    }
  mesh.points = three_components(points);
  return mesh;
}

Mesh ChainDiscretization::fields(const convex::SaddlePoint &x, const Vector &u_plus, const TotalBound &bound) const
{
  const Index     n = n_shown(), K = static_cast<Index>(chains->families.size());
  Eigen::MatrixXd U = Eigen::MatrixXd::Zero(grid.dim, n), p = Eigen::MatrixXd::Zero(K, n), slopes = p, active = p,
                  density = Eigen::MatrixXd::Ones(1, n), part = Eigen::MatrixXd::Zero(1, n);
  if (n > grid.n_own)
    {
      std::vector<Index> all(n);
      std::iota(all.begin(), all.end(), first_shown());
      const Rule rule = gauss_rule(3, grid.dim);
      for_blocks(n, 2048, [&](const Index first, const Index last) {
        Eigen::MatrixXd x, values(grid.dim, (last - first) * rule.size());
        grid.points(all.data() + first, last - first, rule.points, x);
        setting.U(x, values);
        for (Index k = first; k < last; ++k)
          U.col(k) = values.middleCols((k - first) * rule.size(), rule.size()) * rule.weights;
      });
      Eigen::MatrixXd centres;
      grid.points(all.data(), n, Vector::Constant(grid.dim, .5), centres);
      setting.domain.density(centres, density);
    }
  Eigen::MatrixXd       u     = U;
  const Eigen::MatrixXd faces = face_pressures(grid, *chains, x.p);
  for (Index own = 0; own < grid.n_own; ++own)
    {
      const Index cell = shown_cell(own), node = grid.first_own + own;
      U.col(cell)   = impact.U.segment(grid.dim * own, grid.dim);
      u.col(cell)   = u_plus.segment(grid.dim * own, grid.dim);
      part(0, cell) = grid.volume(node) / grid.cell_volume();
      for (Index a = 0; a < K; ++a)
        {
          p(a, cell)      = .5 * (faces(2 * a, node) + faces(2 * a + 1, node));
          active(a, cell) = p(a, cell) > 0.;
        }
    }
  // means over cells of the derivative of what is linear between their centres
  const Vector u_here = shared ? shared->with_ghosts(u_plus, grid.dim) : u_plus;
  for (Index a = 0; a < K; ++a)
    {
      const auto  &family = chains->families[a];
      const double h      = grid.h(grid.axis_of_direction[a]);
      for (std::size_t l = 0; l < family.node.size(); ++l)
        if (family.row[l] != convex::ChainFamilies::none)
          {
            const int    lower = family.node[l], upper = family.node[l + 1];
            const double half = .5 *
                                family.direction.dot(u_here.segment(grid.dim * upper, grid.dim) -
                                                     u_here.segment(grid.dim * lower, grid.dim)) /
                                h;
            for (const int node : {lower, upper})
              if (grid.owns(node))
                slopes(a, shown_cell(node - grid.first_own)) += half;
          }
    }
  Mesh mesh = shown_cells();
  mesh.cell_data =
      list_of(vectors_of("U", "m/s", U), vectors_of("u", "m/s", u), array_of("p", "m^2/s", p),
              array_of("directional_derivatives", "1/s", slopes), array_of("active", "", active),
              array_of("density", "", density), array_of("saturated_part", "", part),
              array_of("error_indicator", "m^" + std::to_string(2 + grid.dim) + "/s^2", bound.indicator.transpose()));
  return mesh;
}
} // namespace

std::unique_ptr<Discretization> line_discretization(const Setting &setting, const Progress &progress)
{
  return std::make_unique<ChainDiscretization>(setting, progress);
}
} // namespace moreau::macro
