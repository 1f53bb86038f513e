// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/saturated_cells.h"

#include "convex/input_error.h"
#include "geometry/box_rows.h"
#include "geometry/quadrature.h"

#include <algorithm>
#include <sstream>

namespace moreau::macro
{
namespace
{
/// Where ρ leaves [0, 1] most.
struct Offence
{
  double excess = 0., density = 0.;
  Vector x;
};

/// Points of the unit cell, the centre first; the others a little inside, so that a zone made of whole cells cuts none.
Eigen::MatrixXd samples(const int dim, const bool only_centre)
{
  constexpr double edge = 1e-6;
  Eigen::MatrixXd  xi   = Eigen::MatrixXd::Constant(dim, 1, .5);
  const auto       add  = [&](const Vector &point) {
    xi.conservativeResize(dim, xi.cols() + 1);
    xi.rightCols(1) = point;
  };
  for (int axis = 0; axis < dim && dim > 1 && !only_centre; ++axis)
    for (const double side : {edge, 1. - edge})
      {
        Vector point = Vector::Constant(dim, .5);
        point(axis)  = side;
        add(point);
      }
  for (int vertex = 0; vertex < 1 << dim && !only_centre; ++vertex)
    {
      Vector point(dim);
      for (int axis = 0; axis < dim; ++axis)
        point(axis) = vertex >> axis & 1 ? 1. - edge : edge;
      add(point);
    }
  return xi;
}

/// All processes throw the same sentence, or none does.
void check(const Processes &processes, const Offence &mine, const int dim)
{
  const double worst = processes.max(mine.excess);
  if (!(worst > rounding_of_density))
    return;
  const double first = -processes.max(mine.excess == worst ? -static_cast<double>(processes.rank()) : -processes.size());
  const bool   me    = first == processes.rank();
  std::ostringstream text;
  text << "The density is " << processes.sum(me ? mine.density : 0.) << " at (";
  for (int axis = 0; axis < dim; ++axis)
    text << (axis > 0 ? ", " : "") << processes.sum(me ? mine.x(axis) : 0.);
  text << "); it must lie in [0, 1].";
  throw InputError("the density", text.str());
}

/// Sorts the cells of a row and keeps the density at their centres; returns what offends.
Offence sort_row(const Domain &domain, const BoxGrid &grid, const Row &row, const Eigen::MatrixXd &xi, SaturatedCells &cells,
                 double *const density)
{
  const Index     n = xi.cols(), n_cells = row.end - row.begin[0];
  Eigen::MatrixXd x(grid.dim, n * n_cells), rho(1, n * n_cells);
  for (Index k = 0; k < x.cols(); ++k)
    {
      const CellIndex cell = moved(row.begin, 0, k / n);
      for (int axis = 0; axis < grid.dim; ++axis)
        x(axis, k) = grid.lower(axis) + (static_cast<double>(cell[axis]) + xi(axis, k % n)) * grid.h(axis);
    }
  domain.density(x, rho);

  Offence offence;
  for (Index i = 0; i < n_cells; ++i)
    {
      const auto      values = rho.row(0).segment(i * n, n);
      const CellIndex cell   = moved(row.begin, 0, i);
      density[i]             = values(0);
      cells.centred.set(cell, is_saturated(values(0)));
      cells.inside.set(cell, is_saturated(values.minCoeff()));
      cells.touched.set(cell, is_saturated(values.maxCoeff()));
      for (Index q = 0; q < n; ++q)
        if (const double excess = std::max(values(q) - 1., -values(q)); excess > offence.excess)
          offence = {excess, values(q), x.col(i * n + q)};
    }
  return offence;
}

bool is_decided(const Domain &domain, const Eigen::MatrixXd &corners)
{
  const geometry::OnHull known = domain.density.on_hull(corners);
  return is_saturated(known.lower(0)) || !is_saturated(known.upper(0));
}

/// Halves of the cells are looked at as a whole where they can be.
bool may_be_cut(const Domain &domain, const Eigen::MatrixXd &corners, const Index n_corners, const Index first,
                const Index last)
{
  const Eigen::MatrixXd own = corners.middleCols(first * n_corners, (last - first) * n_corners);
  if (last - first == 1)
    {
      const double slack  = 1e-9 * (domain.upper - domain.lower).maxCoeff();
      const bool   inside = ((own.colwise() - domain.lower).array() >= -slack).all() &&
                          ((own.colwise() - domain.upper).array() <= slack).all();
      return inside && !is_decided(domain, own);
    }
  if (is_decided(domain, geometry::box_around(own)))
    return false;
  const Index middle = first + (last - first) / 2;
  return may_be_cut(domain, corners, n_corners, first, middle) || may_be_cut(domain, corners, n_corners, middle, last);
}

/// Corners of the cells of a row, cell after cell.
Eigen::MatrixXd corners_of(const BoxGrid &grid, const Row &row)
{
  const Eigen::MatrixXd xi = geometry::corners(grid.dim, 0.);
  Eigen::MatrixXd       x(grid.dim, xi.cols() * (row.end - row.begin[0]));
  for (Index k = 0; k < x.cols(); ++k)
    {
      const CellIndex cell = moved(row.begin, 0, k / xi.cols());
      for (int axis = 0; axis < grid.dim; ++axis)
        x(axis, k) = grid.lower(axis) + (static_cast<double>(cell[axis]) + xi(axis, k % xi.cols())) * grid.h(axis);
    }
  return x;
}

/// Takes whole cells of a row that may be cut after all as cut.
void look_between_samples(const Domain &domain, const BoxGrid &grid, const Row &row, SaturatedCells &cells)
{
  const Index           n_corners = Index(1) << grid.dim;
  const Eigen::MatrixXd corners   = corners_of(grid, row);
  if (!may_be_cut(domain, corners, n_corners))
    return;
  for (Index k = 0; k < row.end - row.begin[0]; ++k)
    if (may_be_cut(domain, corners.middleCols(k * n_corners, n_corners), n_corners))
      {
        cells.inside.set(moved(row.begin, 0, k), false);
        cells.touched.set(moved(row.begin, 0, k), true);
      }
}
} // namespace

bool may_be_cut(const Domain &domain, const Eigen::MatrixXd &corners, const Index n_corners)
{
  return !domain.uniform && domain.density.on_hull && corners.cols() > 0 &&
         may_be_cut(domain, corners, n_corners, 0, corners.cols() / n_corners);
}

SaturatedCells saturated_cells(const Domain &domain, const BoxGrid &grid, const Progress &progress)
{
  SaturatedCells cells;
  cells.centred = cells.inside = cells.touched = BoxZone(grid, domain.walls, domain.periodic);
  cells.density                                = Vector::Ones(grid.n_own_cells());
  if (domain.uniform)
    for_own_cells(grid, [&](const CellIndex &cell) {
      for (BoxZone *const zone : {&cells.centred, &cells.inside, &cells.touched})
        zone->set(cell, true);
    });
  else
    {
      const Eigen::MatrixXd xi = samples(grid.dim, domain.density_is_cellwise);
      std::vector<Offence>  offences(n_own_rows(grid));
      for_own_rows(
          grid,
          [&](const Index r, const Row &row) {
            offences[r] = sort_row(domain, grid, row, xi, cells, cells.density.data() + r * grid.own(0));
          },
          progress);
      Offence worst;
      for (const Offence &offence : offences)
        if (offence.excess > worst.excess)
          worst = offence;
      check(grid.processes, worst, grid.dim);
    }
  const auto n_cut = [&] { return grid.processes.sum(cells.touched.n_own_cells() - cells.inside.n_own_cells()); };
  if (!domain.uniform && n_cut() == 0)
    for_own_rows(grid, [&](const Index, const Row &row) { look_between_samples(domain, grid, row, cells); });
  for (BoxZone *const zone : {&cells.centred, &cells.inside, &cells.touched})
    zone->update_ghosts();
  cells.n_saturated = grid.processes.sum(cells.centred.n_own_cells());
  cells.n_cut       = n_cut();
  return cells;
}

Eigen::MatrixXd within_box(const Domain &domain, const Eigen::MatrixXd &x)
{
  return x.cwiseMax(domain.lower.replicate(1, x.cols())).cwiseMin(domain.upper.replicate(1, x.cols()));
}

Vector density_at(const Domain &domain, const Eigen::MatrixXd &x)
{
  const double       slack = 1e-9 * (domain.upper - domain.lower).maxCoeff();
  Vector             found(x.cols());
  std::vector<Index> inside;
  for (Index k = 0; k < x.cols(); ++k)
    {
      const bool in =
          ((x.col(k) - domain.lower).array() >= -slack).all() && ((domain.upper - x.col(k)).array() >= -slack).all();
      found(k) = in ? 1. : -1.;
    }
  const Index n_inside = (found.array() > 0.).count();
  if (domain.uniform || n_inside == 0)
    return found;
  Eigen::MatrixXd density(1, n_inside);
  if (n_inside == x.cols())
    {
      domain.density(within_box(domain, x), density);
      return density.row(0).transpose();
    }
  for (Index k = 0; k < x.cols(); ++k)
    if (found(k) > 0.)
      inside.push_back(k);
  domain.density(within_box(domain, x(Eigen::all, inside)), density);
  for (Index k = 0; k < n_inside; ++k)
    found(inside[k]) = density(0, k);
  return found;
}

std::vector<char> saturated_at(const Domain &domain, const Eigen::MatrixXd &x)
{
  const Vector      density = density_at(domain, x);
  std::vector<char> saturated(density.size());
  for (Index k = 0; k < density.size(); ++k)
    saturated[k] = is_saturated(density(k));
  return saturated;
}
} // namespace moreau::macro
