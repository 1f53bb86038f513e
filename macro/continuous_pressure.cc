// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/certificate.h"
#include "convex/input_error.h"
#include "macro/active_set.h"
#include "macro/aligned_grid.h"
#include "macro/box_certificate.h"
#include "macro/box_fields.h"
#include "macro/box_velocity.h"
#include "macro/impact_problem.h"
#include "macro/saturated_cells.h"

#include <algorithm>
#include <cmath>

/// The isotropic cone with continuous d-linear pressures (Q1) and velocities that are their gradients plus data, known at Gauss points:
///     (Bv)_a = ∫ v·∇φ_a / L^{d-1}   (m/s),      L = |c|^{1/d},      multiplier of node a = p_a L^{d-1}.
/// So div v >= 0 holds in the mean around nodes only. For comparison with the staggered grid; not for large meshes.
namespace moreau::macro
{
namespace
{
using convex::SparseConstraint;

constexpr int none = -1;

/// The vertices of a grid; i fastest, as cells.
class Nodes
{
public:
  explicit Nodes(const BoxGrid &grid) : dim(grid.dim)
  {
    for (int axis = 0; axis < dim; ++axis)
      n[axis] = grid.n[axis] + 1;
  }

  Index size() const { return n[0] * n[1] * n[2]; }
  Index number(const CellIndex &node) const { return node[0] + n[0] * (node[1] + n[1] * node[2]); }
  int   per_cell() const { return 1 << dim; }

  /// Vertex k of a cell: bit `axis` of k says on which side.
  Index of_cell(const CellIndex &cell, const int k) const
  {
    return number({cell[0] + (k & 1), cell[1] + (k >> 1 & 1), cell[2] + (k >> 2)});
  }

private:
  int                  dim;
  std::array<Index, 3> n = {1, 1, 1};
};

/// Nodes that have a pressure: all cells around are in the zone, and the node is on no side of the box that is free.
std::vector<char> free_nodes(const BoxZone &zone)
{
  const BoxGrid    &grid = zone.grid;
  const Nodes       nodes(grid);
  std::vector<char> is_free(nodes.size(), 1);
  for_own_cells(grid, [&](const CellIndex &cell) {
    for (int k = 0; k < nodes.per_cell(); ++k)
      {
        bool inside = zone(cell);
        for (int axis = 0; axis < grid.dim; ++axis)
          {
            const int side = k >> axis & 1;
            inside &= zone.walls[2 * axis + side] || cell[axis] != (side ? grid.n[axis] - 1 : 0);
          }
        is_free[nodes.of_cell(cell, k)] &= inside;
      }
  });
  return is_free;
}

/// ∇φ_k of vertex k of a cell at reference point xi (1/m).
Vector gradient_of_shape(const BoxGrid &grid, const int k, const Vector &xi)
{
  Vector gradient(grid.dim);
  for (int a = 0; a < grid.dim; ++a)
    {
      gradient(a) = (k >> a & 1 ? 1. : -1.) / grid.h(a);
      for (int other = 0; other < grid.dim; ++other)
        if (other != a)
          gradient(a) *= k >> other & 1 ? xi(other) : 1. - xi(other);
    }
  return gradient;
}

/// p (m²/s) from its values at the vertices of the grid.
class NodalPressure : public BoxPressure
{
public:
  NodalPressure(const BoxGrid &grid, Vector values) : grid(grid), nodes(grid), values(std::move(values)) {}

  void evaluate(const CellIndex &cell, const Eigen::MatrixXd &xi, Vector &p, Eigen::MatrixXd &gradient) const override
  {
    p        = Vector::Zero(xi.cols());
    gradient = Eigen::MatrixXd::Zero(grid.dim, xi.cols());
    for (int k = 0; k < nodes.per_cell(); ++k)
      if (const double value = values(nodes.of_cell(cell, k)); value > 0.)
        for (Index q = 0; q < xi.cols(); ++q)
          {
            double shape = 1.;
            for (int a = 0; a < grid.dim; ++a)
              shape *= k >> a & 1 ? xi(a, q) : 1. - xi(a, q);
            p(q) += value * shape;
            gradient.col(q) += value * gradient_of_shape(grid, k, xi.col(q));
          }
  }

  /// Mean over a cell.
  double mean(const CellIndex &cell) const
  {
    double sum = 0.;
    for (int k = 0; k < nodes.per_cell(); ++k)
      sum += values(nodes.of_cell(cell, k));
    return sum / nodes.per_cell();
  }

  /// Mean over the lower (0) or upper (1) side of a cell along an axis.
  double mean_on_side(const CellIndex &cell, const int axis, const int side) const
  {
    double sum = 0.;
    for (int k = 0; k < nodes.per_cell(); ++k)
      if ((k >> axis & 1) == side)
        sum += values(nodes.of_cell(cell, k));
    return sum / (nodes.per_cell() / 2);
  }

  /// Mean over a cell, or any of its faces across the axis, of ∂p/∂x_axis (m/s).
  double slope(const CellIndex &cell, const int axis) const
  {
    double sum = 0.;
    for (int k = 0; k < nodes.per_cell(); ++k)
      sum += (k >> axis & 1 ? 1. : -1.) * values(nodes.of_cell(cell, k));
    return sum / (nodes.per_cell() / 2) / grid.h(axis);
  }

private:
  const BoxGrid &grid;
  Nodes          nodes;
  Vector         values;
};

/// Subtracts the means of ∇p·(axis direction) over the faces of the zone; ∇p jumps there: the mean of both sides. On walls that press, v·n = 0.
void subtract_gradient(const BoxZone &zone, const NodalPressure &p, FaceArrays &v)
{
  for_own_cells(zone.grid, [&](const CellIndex &cell) {
    if (zone(cell))
      for (int axis = 0; axis < zone.grid.dim; ++axis)
        for (int side = 0; side < 2; ++side)
          {
            const CellIndex face   = moved(cell, axis, side);
            const bool      shared = zone(moved(cell, axis, 2 * side - 1));
            const bool      wall   = zone.walls[2 * axis + side] && face[axis] == side * zone.grid.n[axis];
            if (wall && p.mean_on_side(cell, axis, side) > 0.)
              v(axis, face) = 0.;
            else
              v(axis, face) -= (shared ? .5 : 1.) * p.slope(cell, axis);
          }
  });
}

class ContinuousPressureDiscretization : public Discretization
{
public:
  explicit ContinuousPressureDiscretization(const Setting &setting);

  const convex::ProjectionProblem &problem() const override { return projection; }

  std::unique_ptr<convex::ConeProjector> projector(const std::string               &solver,
                                                   const convex::StoppingCriterion &criterion) const override;
  TotalBound                             total_bound(const convex::SaddlePoint &x) const override;
  Field                                  velocity(const convex::SaddlePoint &x) const override;
  FieldMesh   fields(const convex::SaddlePoint &x, const convex::Vector &u_plus, const TotalBound &bound) const override;
  double      energy_outside() const override;
  std::string description() const override;
  std::string remarks() const override;

private:
  void              set_constraint();
  convex::Expansion expansion(const Eigen::MatrixXd &x) const;
  Eigen::MatrixXd   gauss_points(bool saturated) const;
  NodalPressure     pressure(const Vector &multipliers, const std::vector<char> &admissible) const;
  const BoxZone    &zone_of_v() const { return is_cut() ? cells.touched : cells.centred; }
  NodalPressure admissible_pressure(const convex::SaddlePoint &x) const { return pressure(x.p, free_nodes(cells.inside)); }
  std::shared_ptr<const ReconstructedVelocity> admissible_velocity(const NodalPressure &p) const;
  bool                                         is_cut() const { return cells.n_cut > 0; }
  bool   has_walls() const { return std::count(setting.domain.walls.begin(), setting.domain.walls.end(), true) > 0; }
  double multiplier_per_pressure() const { return std::pow(grid.cell_volume(), (grid.dim - 1.) / grid.dim); }

  Setting                   setting;
  BoxGrid                   grid;
  SaturatedCells            cells;
  Nodes                     nodes;
  Rule                      gauss; ///< 2^d points: point k is nearest to vertex k
  std::vector<int>          row_of_node;
  Index                     n_rows = 0;
  convex::ProjectionProblem projection;
};

ContinuousPressureDiscretization::ContinuousPressureDiscretization(const Setting &setting)
    : setting(setting)
    , grid(box_grid(setting.domain.lower, setting.domain.upper, setting.mesh.cells_per_unit_length, Processes::alone()))
    , cells(saturated_cells(setting.domain, grid))
    , nodes(grid)
    , gauss(gauss_rule(2, grid.dim))
{
  const std::vector<char> is_free = free_nodes(cells.centred);
  row_of_node.assign(nodes.size(), none);
  for (std::size_t node = 0; node < is_free.size(); ++node)
    if (is_free[node])
      row_of_node[node] = static_cast<int>(n_rows++);

  const Eigen::MatrixXd x = gauss_points(true);
  Eigen::MatrixXd       U(grid.dim, x.cols());
  setting.U(x, U);
  projection.U = U.reshaped();
  projection.V =
      std::make_shared<const convex::DiagonalSpace>(Vector::Constant(x.cols(), grid.cell_volume() / nodes.per_cell()),
                                                    grid.dim, axes_with_walls(setting.domain.walls, grid.dim));
  set_constraint();
  projection.expansion = expansion(x);
}

/// Of the saturated cells or of all others, cell by cell.
Eigen::MatrixXd ContinuousPressureDiscretization::gauss_points(const bool saturated) const
{
  const Index     n_cells = saturated ? cells.n_saturated : grid.n_cells() - cells.n_saturated;
  Eigen::MatrixXd x(grid.dim, n_cells * gauss.size());
  Index           column = 0;
  for_own_cells(grid, [&](const CellIndex &cell) {
    if (cells.centred(cell) == saturated)
      for (Index q = 0; q < gauss.size(); ++q, ++column)
        for (int a = 0; a < grid.dim; ++a)
          x(a, column) = grid.lower(a) + (static_cast<double>(cell[a]) + gauss.points(a, q)) * grid.h(a);
  });
  return x;
}

/// B, column by column.
void ContinuousPressureDiscretization::set_constraint()
{
  // on every cell the same entries
  const double                 factor = grid.cell_volume() / nodes.per_cell() / multiplier_per_pressure();
  std::vector<Eigen::MatrixXd> entries; // per Gauss point: dim x vertices
  for (Index q = 0; q < gauss.size(); ++q)
    {
      entries.emplace_back(grid.dim, nodes.per_cell());
      for (int k = 0; k < nodes.per_cell(); ++k)
        entries.back().col(k) = factor * gradient_of_shape(grid, k, gauss.points.col(q));
    }

  Eigen::SparseMatrix<double> B(n_rows, projection.U.size());
  B.reserve(projection.U.size() * nodes.per_cell());
  Index column = 0;
  for_own_cells(grid, [&](const CellIndex &cell) {
    if (!cells.centred(cell))
      return;
    for (const Eigen::MatrixXd &of_point : entries)
      for (int a = 0; a < grid.dim; ++a, ++column)
        {
          B.startVec(column);
          for (int k = 0; k < nodes.per_cell(); ++k)
            if (const int row = row_of_node[nodes.of_cell(cell, k)]; row != none)
              B.insertBack(row, column) = of_point(a, k);
        }
  });
  B.finalize();
  projection.B = std::make_shared<const SparseConstraint>(SparseConstraint::Matrix(B));
}

/// div w = 1 and w·n < 0 on walls: along the axes that do not have walls on both sides; nothing where all have.
convex::Expansion ContinuousPressureDiscretization::expansion(const Eigen::MatrixXd &x) const
{
  const Sides      &walls  = setting.domain.walls;
  Eigen::MatrixXd   w      = Eigen::MatrixXd::Zero(grid.dim, x.cols());
  int               n_axes = 0;
  convex::Expansion result;
  for (int a = 0; a < grid.dim; ++a)
    {
      if (x.cols() == 0 || walls[2 * a] && walls[2 * a + 1])
        continue;
      const double length = static_cast<double>(grid.n[a] + 1) * grid.h(a);
      const double origin = walls[2 * a]       ? grid.lower(a) - grid.h(a)
                            : walls[2 * a + 1] ? grid.lower(a) + length
                                               : x.row(a).mean();
      w.row(a)            = x.row(a).array() - origin;
      ++n_axes;
    }
  if (n_axes == 0)
    return result;
  result.w = w.reshaped() / n_axes;
  result.part_of_unknown.assign(w.size(), 0);
  result.part_of_row.assign(n_rows, 0);
  result.n_parts = 1;
  return result;
}

std::unique_ptr<convex::ConeProjector>
ContinuousPressureDiscretization::projector(const std::string &solver, const convex::StoppingCriterion &criterion) const
{
  if (solver == "automatic" || solver == "active set")
    return std::make_unique<ActiveSet>(criterion);
  const std::vector<std::string> &known = convex::projector_names();
  if (solver == "lines" || std::find(known.begin(), known.end(), solver) == known.end())
    throw InputError("Solver", "'" + solver +
                                   "' does not project with continuous pressures; choose automatic, active set, interior "
                                   "point, projected gradient or Lawson-Hanson.");
  return convex::make_projector(solver, criterion);
}

/// p where it is admissible: 0 at other nodes.
NodalPressure ContinuousPressureDiscretization::pressure(const Vector            &multipliers,
                                                         const std::vector<char> &admissible) const
{
  Vector values = Vector::Zero(nodes.size());
  for (Index node = 0; node < values.size(); ++node)
    if (row_of_node[node] != none && admissible[node])
      values(node) = std::max(multipliers(row_of_node[node]), 0.) / multiplier_per_pressure();
  return NodalPressure(grid, std::move(values));
}

/// The velocities have no pointwise sign: v is RT1 with the face means of U - ∇p, made admissible by a linear solve.
std::shared_ptr<const ReconstructedVelocity>
ContinuousPressureDiscretization::admissible_velocity(const NodalPressure &p) const
{
  FaceArrays v_means = face_means(grid, setting.U);
  subtract_gradient(zone_of_v(), p, v_means);
  bool             feasible;
  const FaceArrays repaired = repaired_fluxes(zone_of_v(), v_means, feasible);
  return std::make_shared<const ReconstructedVelocity>(zone_of_v(), feasible ? repaired : v_means, setting.U, p);
}

TotalBound ContinuousPressureDiscretization::total_bound(const convex::SaddlePoint &x) const
{
  const NodalPressure p     = admissible_pressure(x);
  TotalBound          bound = box_total_bound(zone_of_v(), setting.U, *admissible_velocity(p), p);
  if (has_walls())
    bound.scale = std::max(bound.scale, convex::relative_scale(projection)); // a uniform U can run into a wall
  bound.relative     = bound.scale > 0. ? bound.eta / bound.scale : 0.;
  bound.construction = "RT1 velocity from repaired face means of U - grad p, p continuous and linear in every variable";
  if (is_cut())
    {
      bound.construction += ", on the cells that the zone touches and on those inside it";
      bound.guaranteed = false;
      bound.remark     = "Which cells the zone touches was sampled, so the bound is an estimate; it falls like h^(1/2).";
    }
  return bound;
}

Field ContinuousPressureDiscretization::velocity(const convex::SaddlePoint &x) const
{
  return velocity_on_box(admissible_velocity(admissible_pressure(x)), cells, setting.domain.density, setting.U);
}

/// u: means of the Gauss points of a cell; its divergence: that of the d-linear function through them.
FieldMesh ContinuousPressureDiscretization::fields(const convex::SaddlePoint &x, const Vector &u_plus,
                                                   const TotalBound &bound) const
{
  const NodalPressure   p       = pressure(x.p, std::vector<char>(nodes.size(), 1));
  const Eigen::MatrixXd outside = gauss_points(false);
  Eigen::MatrixXd       U_outside(grid.dim, outside.cols());
  setting.U(outside, U_outside);

  BoxFields   result;
  const Index n = grid.n_own_cells();
  result.U.resize(grid.dim, n);
  setting.U(own_centres(grid), result.U);
  result.u.resize(grid.dim, n);
  result.p               = Vector::Zero(n);
  result.divergence      = Vector::Zero(n);
  result.density         = cells.density;
  result.error_indicator = bound.indicator.size() == n ? bound.indicator : Vector(Vector::Zero(n));
  Index cell_number = 0, saturated = 0, other = 0;
  for_own_cells(grid, [&](const CellIndex &cell) {
    const bool                              inside = cells.centred(cell);
    const Eigen::Map<const Eigen::MatrixXd> u(inside ? u_plus.data() + grid.dim * gauss.size() * saturated++
                                                     : U_outside.data() + grid.dim * gauss.size() * other++,
                                              grid.dim, gauss.size());
    result.u.col(cell_number) = u.rowwise().mean();
    result.p(cell_number)     = inside ? p.mean(cell) : 0.;
    for (int a = 0; a < grid.dim; ++a)
      for (Index q = 0; q < gauss.size(); ++q)
        // Gauss points of a line lie 1/√3 of a cell apart
        result.divergence(cell_number) +=
            (q >> a & 1 ? 1. : -1.) * u(a, q) * std::sqrt(3.) / grid.h(a) / static_cast<double>(gauss.size() / 2);
    ++cell_number;
  });
  return field_mesh(grid, result);
}

double ContinuousPressureDiscretization::energy_outside() const
{
  return macro::energy_outside(setting, [this](const Vector &x) {
    CellIndex cell = {0, 0, 0};
    for (int a = 0; a < grid.dim; ++a)
      cell[a] = std::clamp(static_cast<Index>((x(a) - grid.lower(a)) / grid.h(a)), Index(0), grid.n[a] - 1);
    return cells.centred(cell);
  });
}

std::string ContinuousPressureDiscretization::description() const
{
  std::string text = std::to_string(grid.n[0]);
  for (int a = 1; a < grid.dim; ++a)
    text += " x " + std::to_string(grid.n[a]);
  return text + " cells, " + std::to_string(cells.n_saturated) + " of them saturated; continuous pressures at " +
         std::to_string(n_rows) + " nodes, velocities at Gauss points";
}

std::string ContinuousPressureDiscretization::remarks() const
{
  if (cells.n_saturated == 0)
    return "No cell is saturated, so u = U.";
  const std::string sign = "Continuous pressures make div u >= 0 in the mean around nodes only.";
  return is_cut() ? sign + " The boundary of the zone cuts " + std::to_string(cells.n_cut) +
                        " cells: those with a saturated centre count as saturated."
                  : sign;
}
} // namespace

std::unique_ptr<Discretization> continuous_pressure_discretization(const Setting &setting)
{
  if (setting.processes.size() > 1)
    throw InputError("Mesh/Pressure", "Continuous pressures work in one process; choose cellwise, or run without mpirun.");
  return std::make_unique<ContinuousPressureDiscretization>(setting);
}
} // namespace moreau::macro
