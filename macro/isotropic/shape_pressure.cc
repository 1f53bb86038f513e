// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/shape_pressure.h"

#include <algorithm>

namespace moreau::macro
{
namespace
{
constexpr double reliable_depth = 1.; ///< cells from the boundary where p/w is taken from the solution
constexpr int n_passes = 4; ///< layers of cells that the continuation crosses: the two cut ones and a neighbour on each side

/// Offsets of the 3^dim cells around a cell, in the order of neighbourhood().
std::vector<Eigen::Vector3d> offsets(const int dim)
{
  std::vector<Eigen::Vector3d> result = {Eigen::Vector3d::Zero()};
  for (int axis = 0; axis < dim; ++axis)
    {
      std::vector<Eigen::Vector3d> wider;
      for (int to = -1; to <= 1; ++to)
        for (Eigen::Vector3d at : result)
          {
            at(axis) = to;
            wider.push_back(at);
          }
      result = wider;
    }
  return result;
}

/// q and its differences per cell, known in some cells and carried on from there.
class Continuation
{
public:
  Continuation(const ShapeFunction &w, const ShapeZone &zone, const CellArray &p)
      : grid(zone.inside.grid), q(grid), known(grid), around(neighbourhood(q)), to(offsets(grid.dim))
  {
    for (int axis = 0; axis < grid.dim; ++axis)
      slope[axis] = CellArray(grid);
    for_own_cells(grid, [&](const CellIndex &cell) {
      if (!zone.inside(cell) || !reliable(w.depth(), cell))
        return;
      known(cell) = 1.;
      q(cell)     = p(cell) / w.at_centres()(cell);
    });
    q.update_ghosts();
    known.update_ghosts();
    set_slopes();
  }

  /// Crosses one layer of cells.
  void carry_on()
  {
    Continuation next = *this;
    for_own_cells_and_beyond(grid, [&](const CellIndex &cell) {
      if (known(cell) == 0.)
        carry_to(cell, next);
    });
    *this = next;
    update_ghosts();
  }

  const CellArray &values() const { return q; }

private:
  /// Deep enough, or the deepest of a part of the zone that is nowhere deep.
  bool reliable(const CellArray &depth, const CellIndex &cell) const
  {
    if (depth(cell) >= reliable_depth)
      return true;
    for (const Index at : around)
      if (depth.values(depth.position(cell) + at) > depth(cell))
        return false;
    return true;
  }

  void set_slopes()
  {
    for_own_cells(grid, [&](const CellIndex &cell) {
      const Index c = q.position(cell);
      for (int axis = 0; axis < grid.dim && known.values(c) != 0.; ++axis)
        {
          const Index  s     = q.stride(axis);
          const double above = known.values(c + s), below = known.values(c - s);
          if (above + below > 0.)
            slope[axis].values(c) =
                (above * (q.values(c + s) - q.values(c)) + below * (q.values(c) - q.values(c - s))) / (above + below);
        }
    });
    update_ghosts();
  }

  /// The mean of the linear continuations from the known cells around, near ones weighing more.
  void carry_to(const CellIndex &cell, Continuation &next) const
  {
    double          sum = 0., value = 0.;
    Eigen::Vector3d slopes = Eigen::Vector3d::Zero();
    const Index     c      = q.position(cell);
    for (std::size_t k = 0; k < around.size(); ++k)
      {
        CellIndex other  = cell;
        bool      exists = true;
        for (int axis = 0; axis < grid.dim; ++axis)
          {
            other[axis] += static_cast<Index>(to[k](axis));
            const Index first = axis == grid.last_axis() ? grid.first : 0,
                        end   = axis == grid.last_axis() ? grid.last : grid.n[axis];
            exists            = exists && other[axis] >= first - 1 && other[axis] <= end;
          }
        if (!exists || known.values(c + around[k]) == 0.)
          continue;
        const Index     at     = c + around[k];
        const double    weight = 1. / to[k].squaredNorm();
        Eigen::Vector3d g      = Eigen::Vector3d::Zero();
        for (int axis = 0; axis < grid.dim; ++axis)
          g(axis) = slope[axis].values(at);
        sum += weight;
        value += weight * (q.values(at) - g.dot(to[k]));
        slopes += weight * g;
      }
    if (sum == 0.)
      return;
    next.known.values(c) = 1.;
    next.q.values(c)     = value / sum;
    for (int axis = 0; axis < grid.dim; ++axis)
      next.slope[axis].values(c) = slopes(axis) / sum;
  }

  void update_ghosts()
  {
    q.update_ghosts();
    known.update_ghosts();
    for (int axis = 0; axis < grid.dim; ++axis)
      slope[axis].update_ghosts();
  }

  BoxGrid                      grid;
  CellArray                    q, known; ///< known: 1 or 0
  std::array<CellArray, 3>     slope;    ///< per cell, not per m
  std::vector<Index>           around;
  std::vector<Eigen::Vector3d> to;
};

/// Is the cell next to this wall?
bool at_wall(const BoxZone &zone, const CellIndex &cell, const int side)
{
  return zone.walls[side] && cell[side / 2] == (side % 2 ? zone.grid.n[side / 2] - 1 : 0);
}

CellIndex neighbour(const CellIndex &cell, const int side) { return moved(cell, side / 2, side % 2 ? 1 : -1); }

/// Beyond walls: p continued from the cell with the slope of the wall's
/// multiplier, which is that of p on the wall up to O(h²).
void continue_beyond_walls(const ShapeFunction &w, const BoxZone &zone, const CellArray &p, const FaceArrays &p_wall,
                           CellArray &q)
{
  for_own_cells(zone.grid, [&](const CellIndex &cell) {
    for (int side = 0; side < 2 * zone.grid.dim; ++side)
      {
        const CellIndex beyond = neighbour(cell, side);
        if (at_wall(zone, cell, side) && zone(cell) && w.depth()(cell) >= reliable_depth &&
            w.depth()(beyond) >= reliable_depth)
          q(beyond) = (2. * p_wall(side / 2, moved(cell, side / 2, side % 2)) - p(cell)) / w.at_centres()(beyond);
      }
  });
}

/// A spline smooths its coefficients by 1/8 of their second differences: taken off where they are reliable. That also keeps
/// p from leaking out of the cells with pressure.
CellArray sharpened(const ShapeFunction &w, const BoxZone &zone, const CellArray &q)
{
  constexpr double smallest_depth = 1.5; // the neighbours are reliable, too
  CellArray        result         = q;
  for_own_cells(zone.grid, [&](const CellIndex &cell) {
    const Index c = q.position(cell);
    if (w.depth()(cell) < smallest_depth || q.values(c) <= 0.)
      return;
    double second = 0.;
    for (int axis = 0; axis < zone.grid.dim; ++axis)
      second += q.values(c + q.stride(axis)) - 2. * q.values(c) + q.values(c - q.stride(axis));
    result.values(c) -= second / 8.;
    for (int side = 0; side < 2 * zone.grid.dim; ++side)
      if (at_wall(zone, cell, side))
        result(neighbour(cell, side)) -= second / 8.;
  });
  return result;
}
} // namespace

void ShapePressure::evaluate(const CellIndex &cell, const Eigen::MatrixXd &xi, Vector &p, Eigen::MatrixXd &gradient) const
{
  Vector          w_values;
  Eigen::MatrixXd w_gradient;
  evaluate_spline(q, cell, xi, p, gradient);
  w.evaluate(cell, xi, w_values, w_gradient);
  for (Index k = 0; k < xi.cols(); ++k)
    {
      for (Index axis = 0; axis < xi.rows(); ++axis)
        gradient(axis, k) = gradient(axis, k) * w_values(k) + w_gradient(axis, k) * p(k);
      p(k) = std::max(p(k) * w_values(k), 0.);
    }
}

CellArray quotient(const ShapeFunction &w, const ShapeZone &zone, const CellArray &p, const FaceArrays &p_wall)
{
  Continuation continuation(w, zone, p);
  for (int pass = 0; pass < n_passes; ++pass)
    continuation.carry_on();
  CellArray q = continuation.values();
  continue_beyond_walls(w, zone.inside, p, p_wall, q);
  q        = sharpened(w, zone.inside, q);
  q.values = q.values.cwiseMax(0.);
  q.update_ghosts();
  return q;
}
} // namespace moreau::macro
