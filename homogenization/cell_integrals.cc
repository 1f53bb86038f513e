// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/cell_integrals.h"

#include "homogenization/refined_cell.h"
#include "homogenization/shared_columns.h"
#include "parallel/collectives.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>

namespace moreau::homogenization
{
namespace
{
constexpr Index cells_at_a_time = 512; ///< fixed, so that results do not depend on the number of threads
constexpr Index blocks_of_a_sum = 8;   ///< likewise of processes

/// Cells in blocks, and those of them that this process looks at.
struct Dealt
{
  std::vector<Index> begin; ///< the first cell of each block, and the number of cells
  Share              share; ///< of blocks
  bool               in_parts;

  explicit Dealt(const Partition &partition)
      : begin(partition.block_begin.empty() ? even(partition.n_cells) : partition.block_begin)
      , share(partition.processes, n_blocks(), partition.in_parts)
      , in_parts(partition.in_parts)
  {}

  Index n_blocks() const { return static_cast<Index>(begin.size()) - 1; }
  Share of_cells() const
  {
    Share cells = share;
    cells.first = begin[share.first];
    cells.last  = begin[share.last];
    return cells;
  }

  /// Σ over all cells of what add(i, sum) adds to n numbers for a cell i that this process looks at.
  template <class Add>
  Vector sum(const Index n, const Add &add) const
  {
    Eigen::MatrixXd of_block = Eigen::MatrixXd::Zero(n, n_blocks());
    tbb::parallel_for(share.first, share.last, [&](const Index block) {
      for (Index i = begin[block]; i < begin[block + 1]; ++i)
        add(i, of_block.col(block));
    });
    return share.sum(of_block, blocks_of_a_sum);
  }

private:
  static std::vector<Index> even(const Index n)
  {
    std::vector<Index> begin;
    for (Index i = 0; i < n; i += cells_at_a_time)
      begin.push_back(i);
    begin.push_back(n);
    return begin;
  }
};

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
FirstPass first_pass(const Partition &partition, const Dealt &dealt, const CellIntegrand &f, CellIntegrals &result,
                     const geometry::Progress &progress)
{
  const Index           n_components = result.values.rows();
  const Share          &share        = dealt.share;
  const Eigen::MatrixXd no_error     = FirstLook<dim>(partition, f, n_components).no_error();
  Eigen::MatrixXd       scales       = Eigen::MatrixXd::Zero(n_components, dealt.n_blocks());
  Eigen::MatrixXd       errors       = Eigen::MatrixXd::Zero(no_error.size(), dealt.n_blocks());
  std::vector<Index>    n_points(dealt.n_blocks(), 0);
  FirstPass             all;
  all.volume.resize(partition.n_cells);
  geometry::Steps steps(progress, share.size());
  share.for_each([&](const Index block) {
    FirstLook<dim>  first_look(partition, f, n_components);
    Eigen::MatrixXd of_block = no_error;
    for (Index i = dealt.begin[block]; i < dealt.begin[block + 1]; ++i)
      {
        const SimplexIntegrals<dim> &look    = first_look(i);
        const Eigen::MatrixXd        of_cell = look.sum_of_errors();
        of_block.leftCols(of_cell.cols()) += of_cell;
        result.values.col(i)     = look.total_integral();
        result.cell_error.col(i) = estimate(of_cell, look.squared_errors());
        all.volume(i)            = look.total_volume();
      }
    scales.col(block) = first_look.largest_values();
    errors.col(block) = of_block.reshaped();
    n_points[block]   = first_look.n_evaluated();
    steps.done();
  });
  const Share of_cells = dealt.of_cells();
  of_cells.complete(result.values);
  of_cells.complete(result.cell_error);
  of_cells.complete(all.volume);

  all.scale.resize(n_components);
  for (Index c = 0; c < n_components; ++c)
    all.scale(c) = partition.processes.max(scales.cols() > 0 ? scales.row(c).maxCoeff() : 0.);
  all.errors   = share.sum(errors, blocks_of_a_sum).reshaped(n_components, no_error.cols());
  all.n_points = partition.processes.sum(std::accumulate(n_points.begin(), n_points.end(), Index(0)));
  return all;
}

/// Of positive numbers on all processes, in their order, those of this process that are among the n largest of all; of equal
/// ones the first.
std::vector<Index> among_largest(const std::vector<double> &numbers, const Index n, const geometry::Processes &processes)
{
  std::vector<Index> chosen;
  if (processes.sum(static_cast<Index>(numbers.size())) <= n)
    {
      chosen.resize(numbers.size());
      std::iota(chosen.begin(), chosen.end(), 0);
      return chosen;
    }
  // positive numbers are ordered as their bits are: the largest number that n numbers reach, bit by bit
  const auto reach = [&](const double least) {
    return processes.sum(static_cast<Index>(
        std::count_if(numbers.begin(), numbers.end(), [&](const double number) { return number >= least; })));
  };
  std::uint64_t bits   = 0;
  const auto    number = [](const std::uint64_t of) {
    double result;
    std::memcpy(&result, &of, sizeof result);
    return result;
  };
  for (int bit = 62; bit >= 0; --bit)
    if (const std::uint64_t next = bits | std::uint64_t(1) << bit; !std::isnan(number(next)) && reach(number(next)) >= n)
      bits = next;
  const double least = number(bits);
  const Index  n_above =
      processes.sum(static_cast<Index>(std::count_if(numbers.begin(), numbers.end(), [&](double x) { return x > least; })));
  const Index n_equal = static_cast<Index>(std::count(numbers.begin(), numbers.end(), least));
  Index       room    = n - n_above - parallel::sum_of_lower(processes, {n_equal}).front();
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (numbers[k] > least || (numbers[k] == least && room-- > 0))
      chosen.push_back(static_cast<Index>(k));
  return chosen;
}

/// The cells whose errors exceed what is allowed per volume; no more than n_most, those that exceed it most. Ascending; of
/// cells in parts, those here.
std::vector<Index> cells_to_refine(const FirstPass &pass, const Eigen::MatrixXd &cell_error, const Vector &allowed,
                                   const Index n_most, const geometry::Processes &processes)
{
  std::vector<Index>  candidates;
  std::vector<double> excesses;
  for (Index i = 0; i < pass.volume.size(); ++i)
    if (const double excess = (cell_error.col(i).array() / allowed.array()).maxCoeff() / pass.volume(i); excess > 1.)
      {
        candidates.push_back(i);
        excesses.push_back(excess);
      }
  std::vector<Index> cells;
  for (const Index k : among_largest(excesses, n_most, processes))
    cells.push_back(candidates[k]);
  return cells;
}

/// Replaces the integrals over the cells with the largest errors, and in `errors` their part of Σ_T d_T.
template <int dim>
void refine(const Partition &partition, const Dealt &dealt, const CellIntegrand &f, const Accuracy &accuracy,
            const FirstPass &pass, CellIntegrals &result, Eigen::MatrixXd &errors, const geometry::Progress &progress)
{
  constexpr double always_paid = 4e6, of_use = 8.; // points; so many times those of the first pass make a cell more accurate
  const auto       those         = dealt.in_parts ? partition.processes : geometry::Processes::alone(); // with other cells
  const double     budget        = std::max(accuracy.work * static_cast<double>(pass.n_points), always_paid);
  const double     points_a_cell = static_cast<double>(pass.n_points) / static_cast<double>(those.sum(partition.n_cells));
  const Index      n_components  = result.values.rows();
  Vector allowed = accuracy.tolerance * pass.scale.cwiseMax(accuracy.least_scale * pass.scale.maxCoeff()).cwiseMax(1e-290);
  const Vector sizes = dealt.sum(n_components, [&](const Index i, auto &&sum) { sum += result.values.col(i).cwiseAbs(); });
  for (Index c = 0; c < n_components; ++c)
    if (result.error(c) <= accuracy.enough_in_total * sizes(c))
      allowed(c) = std::numeric_limits<double>::infinity();
  const std::vector<Index> cells =
      cells_to_refine(pass, result.cell_error, allowed, static_cast<Index>(budget / (of_use * points_a_cell)), those);
  const Index  n_cells = static_cast<Index>(cells.size()), n_all = those.sum(n_cells), n_err = errors.size();
  const double budget_of_cell = budget / static_cast<double>(n_all);
  if (n_all == 0)
    return;

  // of each cell: integrals, their errors, what is added to Σ_T d_T
  Eigen::MatrixXd of_cell = Eigen::MatrixXd::Zero(2 * n_components + n_err, n_cells);
  const Share     share(partition.processes, n_cells, dealt.in_parts);
  geometry::Steps steps(progress, share.size());
  share.for_each([&](const Index k) {
    const Index           i      = cells[k];
    const Eigen::MatrixXd before = FirstLook<dim>(partition, f, n_components)(i).sum_of_errors();
    SimplexIntegrals<dim> simplices(simplex_rule(dim), f, n_components);
    Eigen::MatrixXd       corners;
    partition.simplices(i, corners);
    RefinedCell<dim> cell(i, corners, allowed * pass.volume(i), simplices);
    cell.refine(dim * accuracy.max_depth, static_cast<Index>(budget_of_cell));
    const Eigen::MatrixXd after                            = cell.sum_of_errors();
    of_cell.col(k).head(n_components)                      = cell.integral();
    of_cell.col(k).segment(n_components, n_components)     = cell.error();
    of_cell.col(k).segment(2 * n_components, after.size()) = after.reshaped();
    of_cell.col(k).segment(2 * n_components, before.size()) -= before.reshaped();
    steps.done();
  });
  share.complete(of_cell);
  for (Index k = 0; k < n_cells; ++k)
    {
      result.values.col(cells[k])     = of_cell.col(k).head(n_components);
      result.cell_error.col(cells[k]) = of_cell.col(k).segment(n_components, n_components);
    }
  const Vector added = dealt.sum(n_err, [&](const Index i, auto &&sum) {
    if (const auto at = std::lower_bound(cells.begin(), cells.end(), i); at != cells.end() && *at == i)
      sum += of_cell.col(at - cells.begin()).tail(n_err);
  });
  errors += added.reshaped(errors.rows(), errors.cols());
}

template <int dim>
CellIntegrals integrate(const Partition &partition, const CellIntegrand &f, const Index n_components,
                        const Accuracy &accuracy, const geometry::Progress &progress)
{
  const Index   n = partition.n_cells;
  CellIntegrals result{Eigen::MatrixXd(n_components, n), Eigen::MatrixXd(n_components, n), Vector::Zero(n_components),
                       Vector::Zero(n_components)};
  if ((partition.in_parts ? partition.processes.sum(n) : n) == 0 || n_components == 0)
    return result;
  const Dealt     dealt(partition);
  const FirstPass pass        = first_pass<dim>(partition, dealt, f, result, progress.part(0., .5));
  Eigen::MatrixXd errors      = pass.errors;
  const auto      total_error = [&] {
    return estimate(errors, .25 * dealt.sum(n_components, [&](const Index i, auto &&sum) {
      sum += result.cell_error.col(i).cwiseAbs2();
    }));
  };
  result.error = total_error();
  refine<dim>(partition, dealt, f, accuracy, pass, result, errors, progress.part(.5, 1.));
  result.error = total_error();
  result.total = dealt.sum(n_components, [&](const Index i, auto &&sum) { sum += result.values.col(i); });
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
  const Partition partition{cells.dimension(),
                            cells.size(),
                            [&](const Index i, Eigen::MatrixXd &corners) { cells.simplices(i, corners); },
                            [&](const Index i, Eigen::MatrixXd &corners) { return is_parallelepiped(cells, i, corners); },
                            cells.processes(),
                            cells.in_parts()};
  return integrate(partition, f, n_components, accuracy, progress);
}
} // namespace moreau::homogenization
