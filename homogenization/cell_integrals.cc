// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/cell_integrals.h"

#include "homogenization/refined_cell.h"
#include "homogenization/shared_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

namespace moreau::homogenization
{
namespace
{
constexpr Index cells_at_a_time = 512; ///< fixed, so that results do not depend on the number of threads

/// The first look at cells, one at a time: by the rule for parallelepipeds where a cell is one, which takes fewer points.
template <int dim>
class FirstLook
{
public:
  FirstLook(const Partition &partition, const CellIntegrand &f, const Index n_components)
      : partition(&partition)
      , simplices(simplex_rule(dim), f, n_components)
      , parallelepiped(dim == 1 ? simplex_rule(1) : parallelepiped_rule(dim), f, n_components)
  {}

  const SimplexIntegrals<dim> &operator()(const Index cell)
  {
    const bool is_parallelepiped = dim > 1 && partition->parallelepiped && partition->parallelepiped(cell, corners);
    if (!is_parallelepiped)
      partition->simplices(cell, corners);
    SimplexIntegrals<dim> &look = is_parallelepiped ? parallelepiped : simplices;
    look.evaluate(cell, corners);
    return look;
  }

  /// As wide as the errors of either rule.
  Eigen::MatrixXd no_error() const
  {
    return Eigen::MatrixXd::Zero(simplices.n_components(), std::max(simplices.n_defects(), parallelepiped.n_defects()));
  }
  Vector largest_values() const { return simplices.largest_values().cwiseMax(parallelepiped.largest_values()); }
  Index  n_evaluated() const { return simplices.n_evaluated() + parallelepiped.n_evaluated(); }

private:
  const Partition      *partition;
  SimplexIntegrals<dim> simplices, parallelepiped;
  Eigen::MatrixXd       corners;
};

/// What one look at each cell says.
struct FirstPass
{
  Vector          volume; ///< of each cell
  Vector          scale;  ///< max|f| of each component
  Eigen::MatrixXd errors; ///< Σ_T d_T
  Index           n_points = 0;
};

template <int dim>
FirstPass first_pass(const Partition &partition, const CellIntegrand &f, CellIntegrals &result,
                     const geometry::Progress &progress)
{
  const Index            n = partition.n_cells, n_components = result.values.rows();
  const Index            n_blocks = (n + cells_at_a_time - 1) / cells_at_a_time;
  const Share            share(partition.processes, n_blocks);
  std::vector<FirstPass> of_block(n_blocks);
  FirstPass              all;
  all.volume.resize(n);
  geometry::Steps steps(progress, share.size());
  share.for_each([&](const Index block) {
    FirstLook<dim>  first_look(partition, f, n_components);
    Eigen::MatrixXd errors = first_look.no_error();
    for (Index i = block * cells_at_a_time; i < std::min(n, (block + 1) * cells_at_a_time); ++i)
      {
        const SimplexIntegrals<dim> &look    = first_look(i);
        const Eigen::MatrixXd        of_cell = look.sum_of_errors();
        errors.leftCols(of_cell.cols()) += of_cell;
        result.values.col(i)     = look.total_integral();
        result.cell_error.col(i) = estimate(of_cell, look.squared_errors());
        all.volume(i)            = look.total_volume();
      }
    of_block[block].scale    = first_look.largest_values();
    of_block[block].errors   = errors;
    of_block[block].n_points = first_look.n_evaluated();
    steps.done();
  });
  const Share of_cells = share.of_parts(cells_at_a_time, n);
  of_cells.complete(result.values);
  of_cells.complete(result.cell_error);
  of_cells.complete(all.volume);

  all.scale             = Vector::Zero(n_components);
  all.errors            = FirstLook<dim>(partition, f, n_components).no_error();
  const Index     n_err = all.errors.size();
  Eigen::MatrixXd of_all(n_components + n_err + 1, n_blocks);
  for (Index block = share.first; block < share.last; ++block)
    of_all.col(block) << of_block[block].scale, of_block[block].errors.reshaped(),
        static_cast<double>(of_block[block].n_points);
  share.complete(of_all);
  for (Index block = 0; block < n_blocks; ++block)
    {
      all.scale = all.scale.cwiseMax(of_all.col(block).head(n_components));
      all.errors += of_all.col(block).segment(n_components, n_err).reshaped(n_components, all.errors.cols());
      all.n_points += static_cast<Index>(of_all(n_components + n_err, block));
    }
  return all;
}

/// The cells whose errors exceed what is allowed per volume; no more than n_most, those that exceed it most. Ascending.
std::vector<Index> cells_to_refine(const FirstPass &pass, const Eigen::MatrixXd &cell_error, const Vector &allowed,
                                   const std::size_t n_most)
{
  std::vector<std::pair<double, Index>> candidates;
  for (Index i = 0; i < pass.volume.size(); ++i)
    if (const double excess = (cell_error.col(i).array() / allowed.array()).maxCoeff() / pass.volume(i); excess > 1.)
      candidates.emplace_back(-excess, i);
  if (candidates.size() > n_most)
    {
      std::nth_element(candidates.begin(), candidates.begin() + n_most, candidates.end());
      candidates.resize(n_most);
    }
  std::vector<Index> cells;
  for (const auto &[excess, i] : candidates)
    cells.push_back(i);
  std::sort(cells.begin(), cells.end());
  return cells;
}

/// Replaces the integrals over the cells with the largest errors, and in `errors` their part of Σ_T d_T.
template <int dim>
void refine(const Partition &partition, const CellIntegrand &f, const Accuracy &accuracy, const FirstPass &pass,
            CellIntegrals &result, Eigen::MatrixXd &errors, const geometry::Progress &progress)
{
  constexpr double always_paid = 4e6, of_use = 8.; // points; so many times those of the first pass make a cell more accurate
  const double     budget        = std::max(accuracy.work * static_cast<double>(pass.n_points), always_paid);
  const double     points_a_cell = static_cast<double>(pass.n_points) / static_cast<double>(partition.n_cells);
  Vector allowed = accuracy.tolerance * pass.scale.cwiseMax(accuracy.least_scale * pass.scale.maxCoeff()).cwiseMax(1e-290);
  for (Index c = 0; c < allowed.size(); ++c)
    if (result.error(c) <= accuracy.enough_in_total * result.values.row(c).cwiseAbs().sum())
      allowed(c) = std::numeric_limits<double>::infinity();
  const std::vector<Index> cells =
      cells_to_refine(pass, result.cell_error, allowed, static_cast<std::size_t>(budget / (of_use * points_a_cell)));
  const Index  n_cells = static_cast<Index>(cells.size()), n_err = errors.size();
  const double budget_of_cell = budget / static_cast<double>(n_cells);

  // of each cell: integrals, their errors, Σ_T d_T before and after
  Eigen::MatrixXd of_cell = Eigen::MatrixXd::Zero(2 * (allowed.size() + n_err), n_cells);
  const Share     share(partition.processes, n_cells);
  geometry::Steps steps(progress, share.size());
  share.for_each([&](const Index k) {
    const Index           i      = cells[k];
    const Eigen::MatrixXd before = FirstLook<dim>(partition, f, allowed.size())(i).sum_of_errors();
    SimplexIntegrals<dim> simplices(simplex_rule(dim), f, allowed.size());
    Eigen::MatrixXd       corners;
    partition.simplices(i, corners);
    RefinedCell<dim> cell(i, corners, allowed * pass.volume(i), simplices);
    cell.refine(dim * accuracy.max_depth, static_cast<Index>(budget_of_cell));
    const Eigen::MatrixXd after                                      = cell.sum_of_errors();
    of_cell.col(k).head(allowed.size())                              = cell.integral();
    of_cell.col(k).segment(allowed.size(), allowed.size())           = cell.error();
    of_cell.col(k).segment(2 * allowed.size(), before.size())        = before.reshaped();
    of_cell.col(k).segment(2 * allowed.size() + n_err, after.size()) = after.reshaped();
    steps.done();
  });
  share.complete(of_cell);
  for (Index k = 0; k < n_cells; ++k)
    {
      result.values.col(cells[k])     = of_cell.col(k).head(allowed.size());
      result.cell_error.col(cells[k]) = of_cell.col(k).segment(allowed.size(), allowed.size());
      errors -= of_cell.col(k).segment(2 * allowed.size(), n_err).reshaped(errors.rows(), errors.cols());
      errors += of_cell.col(k).tail(n_err).reshaped(errors.rows(), errors.cols());
    }
}

template <int dim>
CellIntegrals integrate(const Partition &partition, const CellIntegrand &f, const Index n_components,
                        const Accuracy &accuracy, const geometry::Progress &progress)
{
  const Index   n = partition.n_cells;
  CellIntegrals result{Eigen::MatrixXd(n_components, n), Eigen::MatrixXd(n_components, n), Vector::Zero(n_components)};
  if (n == 0 || n_components == 0)
    return result;
  const FirstPass pass        = first_pass<dim>(partition, f, result, progress.part(0., .5));
  Eigen::MatrixXd errors      = pass.errors;
  const auto      total_error = [&] { return estimate(errors, .25 * result.cell_error.rowwise().squaredNorm()); };
  result.error                = total_error();
  refine<dim>(partition, f, accuracy, pass, result, errors, progress.part(.5, 1.));
  result.error = total_error();
  return result;
}

/// The three vertices of a polytope that edges join with the first one, in corners 1, 2, 3; false where there are not three.
bool corners_beside_first(const Eigen::Map<const Eigen::MatrixXd> &outline, const std::pair<const int *, const int *> &faces,
                          Eigen::MatrixXd &corners)
{
  std::set<int> beside;
  for (const int *face = faces.first; face != faces.second; face += *face + 1)
    for (int k = 0; k < *face; ++k)
      if (face[1 + k] == 0)
        beside.insert({face[1 + (k + 1) % *face], face[1 + (k + *face - 1) % *face]});
  if (beside.size() != 3)
    return false;
  Index k = 1;
  for (const int vertex : beside)
    corners.col(k++) = outline.col(vertex);
  return true;
}

/// Whether a cell is a parallelogram or a parallelepiped: then corners are one of its corners and those next to it.
bool is_parallelepiped(const VoronoiCells &cells, const Index i, Eigen::MatrixXd &corners)
{
  const auto  outline = cells.outline(i);
  const Index dim     = outline.rows();
  if (cells.has_pieces(i) || outline.cols() != (Index(1) << dim))
    return false;
  corners.resize(dim, dim + 1);
  corners.col(0) = outline.col(0);
  if (dim == 2)
    {
      corners.col(1) = outline.col(1);
      corners.col(2) = outline.col(3);
    }
  else if (!corners_beside_first(outline, cells.faces(i), corners))
    return false;
  // of all convex polytopes with so many corners, these three among them, only the parallelepiped has this centre and volume
  const Vector centre = corners.col(0) + .5 * (corners.rightCols(dim).colwise() - corners.col(0)).rowwise().sum();
  const double volume = (dim == 2 ? 2. : 6.) * std::abs(signed_volume(corners)), rounding = 1e-12;
  return std::abs(volume - cells.volumes()(i)) <= rounding * volume &&
         (centre - outline.rowwise().mean()).norm() <= rounding * (corners.col(1) - corners.col(0)).norm();
}
} // namespace

CellIntegrals integrate(const Partition &partition, const CellIntegrand &f, const Index n_components,
                        const Accuracy &accuracy, const geometry::Progress &progress)
{
  switch (partition.dim)
    {
      case 1:
        return integrate<1>(partition, f, n_components, accuracy, progress);
      case 2:
        return integrate<2>(partition, f, n_components, accuracy, progress);
      case 3:
        return integrate<3>(partition, f, n_components, accuracy, progress);
    }
  throw std::invalid_argument("integrate: the dimension is 1, 2 or 3.");
}

CellIntegrals integrate(const VoronoiCells &cells, const CellIntegrand &f, const Index n_components,
                        const Accuracy &accuracy, const geometry::Progress &progress)
{
  const Partition partition{
      cells.dimension(), cells.size(), [&](const Index i, Eigen::MatrixXd &corners) { cells.simplices(i, corners); },
      [&](const Index i, Eigen::MatrixXd &corners) { return is_parallelepiped(cells, i, corners); }, cells.processes()};
  return integrate(partition, f, n_components, accuracy, progress);
}
} // namespace moreau::homogenization
