// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/velocity_transfer.h"

#include "geometry/box_grid.h"
#include "geometry/quadrature.h"
#include "homogenization/simplex_geometry.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace moreau::homogenization
{
namespace
{
/// Components of one velocity are refined by what matters for its length.
Accuracy accuracy_of_means()
{
  Accuracy accuracy;
  accuracy.least_scale = 1.;
  return accuracy;
}

/// Distances below 1e-9 of the largest value of a field are not refined on their own account: that could be rounding. This
/// value comes as one more component, which is constant so that it is never refined itself.
Accuracy accuracy_of_squares()
{
  Accuracy accuracy;
  accuracy.least_scale     = 1e-18;
  accuracy.enough_in_total = 1e-4; // half of it in the root
  return accuracy;
}

/// √squared and what an error in `squared` makes of it.
Distance root(const double squared, const double error)
{
  const double value = std::sqrt(std::max(squared, 0.));
  if (!(squared >= 0.))
    return {squared, squared}; // not a number
  return {value, std::max(std::sqrt(squared + error) - value, value - std::sqrt(std::max(squared - error, 0.)))};
}

/// A pair of which at least one is a function: what is left to quadrature.
bool needs_quadrature(const Pair &pair, const int n_functions)
{
  return (pair.first != Pair::zero && pair.first < n_functions) || (pair.second != Pair::zero && pair.second < n_functions);
}

/// |f - g|² of fields that are constant on cells, the sum over cells as it is.
double squared_distance(const VoronoiCells &cells, const Vector *f, const Vector *g)
{
  const Index dim = cells.dimension();
  return cells.sum([&](const Index i) {
    Eigen::Vector3d difference = Eigen::Vector3d::Zero();
    if (f)
      difference.head(dim) += f->segment(dim * i, dim);
    if (g)
      difference.head(dim) -= g->segment(dim * i, dim);
    return cells.volumes()(i) * difference.squaredNorm();
  });
}

/// The fields at points of one cell.
class ValuesInCell
{
public:
  ValuesInCell(const Fields &fields, const Index dim, const Index cell, const Eigen::MatrixXd &x)
      : fields(fields), dim(dim), cell(cell), of_function(fields.functions.size())
  {
    for (std::size_t k = 0; k < fields.functions.size(); ++k)
      {
        of_function[k].resize(dim, x.cols());
        fields.functions[k](x, of_function[k]);
      }
  }

  /// Squared distance of two fields in point q.
  double squared_distance(const Pair &pair, const Index q) const
  {
    double squared = 0.;
    for (Index c = 0; c < dim; ++c)
      {
        const double difference = value(pair.first, c, q) - value(pair.second, c, q);
        squared += difference * difference;
      }
    return squared;
  }

  /// The largest square of a function here.
  double largest_square() const
  {
    double largest = 0.;
    for (const Eigen::MatrixXd &values : of_function)
      largest = std::max(largest, values.colwise().squaredNorm().maxCoeff());
    return largest;
  }

private:
  double value(const int field, const Index c, const Index q) const
  {
    if (field == Pair::zero)
      return 0.;
    const int n_functions = static_cast<int>(of_function.size());
    return field < n_functions ? of_function[field](c, q) : (*fields.cellwise[field - n_functions])(dim * cell + c);
  }

  const Fields                &fields;
  Index                        dim, cell;
  std::vector<Eigen::MatrixXd> of_function;
};

/// d x (d+1) corners of a simplex of the Delaunay mesh.
Eigen::MatrixXd corners_of(const DelaunayMesh &mesh, const micro::Spheres &spheres, const Index simplex)
{
  Eigen::MatrixXd corners(mesh.dim, mesh.dim + 1);
  for (Index k = 0; k <= mesh.dim; ++k)
    corners.col(k) = spheres.r.col(mesh.corners[(mesh.dim + 1) * simplex + k]);
  return corners;
}

/// Edges from the first corner, dim x dim; of values in the corners: their differences.
Eigen::MatrixXd edges_of(const Eigen::MatrixXd &corners)
{
  return corners.rightCols(corners.cols() - 1).colwise() - corners.col(0);
}
} // namespace

Vector restriction(const VoronoiCells &cells, const geometry::Field &U, double *const error,
                   const geometry::Progress &progress)
{
  const Index         dim       = cells.dimension();
  const CellIntegrals integrals = integrate(
      cells, [&](Index, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) { U(x, values); }, dim, accuracy_of_means(),
      progress);
  Vector U_tilde(dim * cells.size());
  for (Index i = 0; i < cells.size(); ++i)
    U_tilde.segment(dim * i, dim) = integrals.values.col(i) / cells.volumes()(i);
  if (error)
    *error =
        std::sqrt(cells.sum([&](const Index i) { return integrals.cell_error.col(i).squaredNorm() / cells.volumes()(i); }));
  return U_tilde;
}

std::vector<Distance> distances(const VoronoiCells &cells, const Fields &fields, const std::vector<Pair> &pairs,
                                const geometry::Progress &progress)
{
  const int           n_functions = static_cast<int>(fields.functions.size());
  std::vector<Pair>   integrated;
  std::vector<double> squared, error;
  for (const Pair &pair : pairs)
    if (needs_quadrature(pair, n_functions))
      integrated.push_back(pair);

  // what a curved boundary hides or adds is as large as its volume times the largest square
  const bool      zone_is_exact = !(cells.volume_error() > 0.);
  Eigen::MatrixXd largest = Eigen::MatrixXd::Zero(static_cast<Index>(integrated.size()), zone_is_exact ? 0 : cells.size());
  const CellIntegrand squares = [&](const Index cell, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    const ValuesInCell in_cell(fields, cells.dimension(), cell, x);
    for (Index q = 0; q < x.cols(); ++q)
      for (std::size_t k = 0; k < integrated.size(); ++k)
        values(static_cast<Index>(k), q) = in_cell.squared_distance(integrated[k], q);
    if (!zone_is_exact)
      largest.col(cell) = largest.col(cell).cwiseMax(values.topRows(largest.rows()).rowwise().maxCoeff());
    values.bottomRows(1).setConstant(in_cell.largest_square());
  };
  CellIntegrals integrals;
  if (!integrated.empty())
    integrals = integrate(cells, squares, static_cast<Index>(integrated.size()) + 1, accuracy_of_squares(), progress);

  const auto cellwise = [&](const int field) {
    return field == Pair::zero ? nullptr : fields.cellwise[field - n_functions];
  };
  std::vector<Distance> result;
  Index                 k = 0;
  for (const Pair &pair : pairs)
    if (needs_quadrature(pair, n_functions))
      {
        const double of_zone =
            zone_is_exact
                ? 0.
                : cells.volume_error() * cells.processes().max(largest.cols() > 0 ? largest.row(k).maxCoeff() : 0.);
        result.push_back(root(integrals.total(k), integrals.error(k) + of_zone));
        ++k;
      }
    else
      result.push_back(root(squared_distance(cells, cellwise(pair.first), cellwise(pair.second)), 0.));
  return result;
}

double spread_on_box(const geometry::Field &f, const Vector &lower, const Vector &upper)
{
  constexpr double        n_cells = 4096.;
  const Index             dim     = lower.size();
  const double            volume  = (upper - lower).prod();
  const geometry::BoxGrid grid = geometry::box_grid(lower, upper, std::pow(n_cells / volume, 1. / static_cast<double>(dim)),
                                                    geometry::Processes::alone());
  const geometry::Rule    rule = geometry::gauss_rule(3, grid.dim);
  Eigen::MatrixXd         centre(dim, dim), of_centre(dim, dim), x(dim, rule.size()), values(dim, rule.size());
  centre.colwise() = .5 * (lower + upper);
  f(centre, of_centre);
  Vector integral = Vector::Zero(dim);
  double squared  = 0.;
  geometry::for_own_cells(grid, [&](const geometry::CellIndex &cell) {
    for (int a = 0; a < grid.dim; ++a)
      x.row(a) = (grid.lower(a) + (static_cast<double>(cell[a]) + rule.points.row(a).array()) * grid.h(a)).matrix();
    f(x, values);
    values.colwise() -= of_centre.col(0);
    integral += grid.cell_volume() * (values * rule.weights);
    squared += grid.cell_volume() * values.colwise().squaredNorm().dot(rule.weights.transpose());
  });
  return std::sqrt(std::max(0., squared - integral.squaredNorm() / volume));
}

Distance distance_to_interpolant(const DelaunayMesh &mesh, const micro::Spheres &spheres, const Vector &values,
                                 const geometry::Field &f, const geometry::Processes &processes,
                                 const geometry::Progress &progress)
{
  const Index     dim = mesh.dim;
  const Partition partition{
      dim,
      mesh.n_simplices(),
      [&](const Index simplex, Eigen::MatrixXd &corners) { corners = corners_of(mesh, spheres, simplex); },
      {},
      processes,
      !mesh.block_begin.empty(),
      mesh.block_begin};
  const CellIntegrand square = [&](const Index simplex, const Eigen::MatrixXd &x, Eigen::MatrixXd &squared) {
    Eigen::MatrixXd nodal(dim, dim + 1), f_of_x(dim, x.cols());
    for (Index k = 0; k <= dim; ++k)
      nodal.col(k) = values.segment(dim * mesh.corners[(dim + 1) * simplex + k], dim);
    const Eigen::MatrixXd corners  = corners_of(mesh, spheres, simplex);
    const Eigen::MatrixXd gradient = edges_of(nodal) * edges_of(corners).inverse();
    f(x, f_of_x);
    squared.row(0) =
        (f_of_x - ((gradient * (x.colwise() - corners.col(0))).colwise() + nodal.col(0))).colwise().squaredNorm();
    squared.row(1).setConstant(f_of_x.colwise().squaredNorm().maxCoeff());
  };
  const CellIntegrals integrals = integrate(partition, square, 2, accuracy_of_squares(), progress);
  return root(integrals.total(0), integrals.error(0));
}
} // namespace moreau::homogenization
