// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/divergence_constraint.h"

#include "convex/with_dimension.h"
#include "macro/isotropic/box_certificate.h"
#include "macro/obstacle/multigrid.h"

#include <cmath>
#include <stdexcept>

namespace moreau::macro
{
namespace
{
/// Calls f(face) for the faces of an axis with own layers, i fastest; of those between two processes the upper one has them.
template <class F>
void for_own_faces(const BoxGrid &grid, const int axis, F &&f)
{
  BoxGrid faces = grid;
  if (axis != grid.last_axis() || grid.last == grid.n[axis])
    {
      faces.n[axis] += 1;
      faces.last += axis == grid.last_axis();
    }
  for_own_cells(faces, f);
}

/// Velocities on faces with lumped masses, spread over processes.
class StaggeredSpace : public convex::VelocitySpace
{
public:
  explicit StaggeredSpace(std::shared_ptr<const DivergenceConstraint> B) : B(std::move(B)) {}

  Index  size() const override { return B->n_unknowns(); }
  void   riesz(const Vector &v, Vector &Mv) const override { Mv = B->masses().cwiseProduct(v); }
  void   inverse_riesz(const Vector &f, Vector &v) const override { v = f.cwiseQuotient(B->masses()); }
  double dot(const Vector &u, const Vector &v) const override
  {
    return sum_over_processes((B->masses().array() * u.array() * v.array()).sum());
  }

  /// Per axis the mean weighted with the masses.
  Vector mean(const Vector &U) const override
  {
    Vector result(U.size());
    for (int axis = 0; axis < B->zone().grid.dim; ++axis)
      {
        const Index  begin = B->axis_begin(axis), n = B->axis_begin(axis + 1) - begin;
        const auto   m    = B->masses().segment(begin, n);
        const double mass = sum_over_processes(m.sum()), momentum = sum_over_processes(m.dot(U.segment(begin, n)));
        const bool   at_rest = B->zone().walls[2 * axis] || B->zone().walls[2 * axis + 1];
        result.segment(begin, n).setConstant(mass > 0. && !at_rest ? momentum / mass : 0.);
      }
    return result;
  }

  double sum_over_processes(const double local) const override { return B->zone().grid.processes.sum(local); }
  double max_over_processes(const double local) const override { return B->zone().grid.processes.max(local); }

private:
  std::shared_ptr<const DivergenceConstraint> B;
};

/// One Poisson solve brings small negative divergences back to zero.
class FluxRepair : public convex::FeasibleRepair
{
public:
  FluxRepair(const StaggeredProblem &staggered, const double mean_divergence)
      : staggered(staggered), mean_divergence(mean_divergence)
  {}

  Vector repaired(const Vector &u) const override
  {
    bool             feasible;
    const FaceArrays faces = staggered.faces(u, FaceArrays(staggered.zone().grid));
    return staggered.coefficients(repaired_fluxes(staggered.zone(), faces, feasible, 0., mean_divergence));
  }

private:
  StaggeredProblem staggered;
  double           mean_divergence;
};

/// w with div w = 1 and w·n < 0 on walls, as far as linear functions can: nothing where every axis has walls on both sides
/// or repeats itself.
convex::Expansion expansion(const DivergenceConstraint &B)
{
  const BoxGrid &grid   = B.zone().grid;
  const Sides   &walls  = B.zone().walls;
  int            n_open = 0;
  for (int axis = 0; axis < grid.dim; ++axis)
    n_open += is_open(B.zone(), axis);

  convex::Expansion result;
  if (n_open == 0)
    return result;
  result.n_parts = 1;
  result.w       = Vector::Zero(B.n_unknowns());
  result.part_of_unknown.assign(B.n_unknowns(), 0);
  result.part_of_row.assign(B.n_constraints(), 0);
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      if (!is_open(B.zone(), axis))
        continue;
      auto       w = result.w.segment(B.axis_begin(axis), B.axis_begin(axis + 1) - B.axis_begin(axis));
      const auto m = B.masses().segment(B.axis_begin(axis), w.size());
      Index      l = 0;
      for_own_faces(grid, axis, [&](const CellIndex &face) {
        if (B.relative_masses()(axis, face) > 0.)
          w(l++) = static_cast<double>(face[axis]) * grid.h(axis);
      });
      // zero in the middle of the zone, or a cell behind the wall
      const double mass   = grid.processes.sum(m.sum());
      double       origin = mass > 0. ? grid.processes.sum(m.dot(w)) / mass : 0.;
      if (walls[2 * axis])
        origin = -grid.h(axis);
      else if (walls[2 * axis + 1])
        origin = static_cast<double>(grid.n[axis] + 1) * grid.h(axis);
      w.array() = (w.array() - origin) / n_open;
    }
  return result;
}
} // namespace

DivergenceConstraint::DivergenceConstraint(const BoxZone &zone, const FaceArrays *const given)
    : saturated(zone), theta(zone.grid)
{
  const BoxGrid &grid = zone.grid;
  const double   L    = std::pow(grid.cell_volume(), 1. / grid.dim);
  for (int axis = 0; axis < grid.dim; ++axis)
    area[axis] = grid.face_area(axis) / std::pow(L, grid.dim - 1);
  set_masses(given);
  number_unknowns();
  number_constraints();
}

Index DivergenceConstraint::layer() const
{
  const BoxGrid &grid = saturated.grid;
  return grid.n_own_cells() / grid.own(grid.last_axis());
}

void DivergenceConstraint::set_masses(const FaceArrays *const given)
{
  const BoxGrid &grid = saturated.grid;
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      BoxGrid faces = grid; // both sides of process borders
      faces.n[axis] += 1;
      faces.last += axis == grid.last_axis();
      for_own_cells(faces, [&](const CellIndex &face) {
        const int n_sides = saturated(moved(face, axis, -1)) + saturated(face);
        if (n_sides > 0)
          theta(axis, face) = given && (*given)(axis, face) > 0. ? (*given)(axis, face) : .5 * n_sides;
      });
    }
}

void DivergenceConstraint::number_unknowns()
{
  const BoxGrid &grid   = saturated.grid;
  const double   volume = grid.cell_volume();
  const int      last   = grid.last_axis();
  Index          n      = 0;
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      begin[axis] = n;
      unknowns[axis].assign(theta.values[axis].size(), none);
      for_own_faces(grid, axis, [&](const CellIndex &face) {
        const Index position  = theta.position(axis, face);
        const bool  is_a_copy = saturated.periodic[axis] && face[axis] == grid.n[axis];
        if (theta.values[axis](position) > 0.)
          unknowns[axis][position] =
              is_a_copy ? unknowns[axis][theta.position(axis, moved(face, axis, -grid.n[axis]))] : static_cast<int>(n++);
      });
    }
  for (int axis = grid.dim; axis < 4; ++axis)
    begin[axis] = n;

  m.resize(n);
  for (int axis = 0; axis < grid.dim; ++axis)
    for (std::size_t k = 0; k < unknowns[axis].size(); ++k)
      if (unknowns[axis][k] != none)
        m(unknowns[axis][k]) = volume * theta.values[axis](k);
  if (grid.first > 0)
    lower_border.assign(unknowns[last].begin(), unknowns[last].begin() + layer());
  if (grid.last < grid.n[last])
    mass_above = volume * theta.values[last].tail(layer());
}

void DivergenceConstraint::number_constraints()
{
  const BoxGrid  &grid = saturated.grid;
  const int       last = grid.last_axis();
  const CellArray layout(grid);
  const bool      continued = grid.last < grid.n[last];
  for_own_cells(grid, [&](const CellIndex &cell) {
    if (!saturated(cell))
      return;
    if (continued && cell[last] == grid.last - 1)
      upper_border.push_back(static_cast<int>(theta.position(last, cell) % layer()));
    cells.push_back(static_cast<int>(layout.position(cell)));
    for (int axis = 0; axis < grid.dim; ++axis)
      for (int side = 0; side < 2; ++side)
        {
          const CellIndex face    = moved(cell, axis, side);
          const int       unknown = unknowns[axis][theta.position(axis, face)];
          faces.push_back(unknown);
          if (saturated.walls[2 * axis + side] && face[axis] == side * grid.n[axis])
            walls.push_back({axis, cell, face, side == 0 ? -1. : 1., unknown});
        }
  });
  n_inner = n_cells() - static_cast<Index>(upper_border.size());
}

namespace
{
/// The lower and upper normal velocities of a cell are unknowns face[0], face[1] on axis 0, face[2], face[3] on axis 1, ...
template <int dim>
double outflow(const int *const face, const double *const v, const std::array<double, 3> &area)
{
  double sum = 0.;
  for (int axis = 0; axis < dim; ++axis)
    sum += area[axis] * (v[face[2 * axis + 1]] - v[face[2 * axis]]);
  return sum;
}

template <int dim>
void add_gradient(const int *const face, const double q, double *const Btq, const std::array<double, 3> &area)
{
  for (int axis = 0; axis < dim; ++axis)
    {
      Btq[face[2 * axis]] += area[axis] * q;
      Btq[face[2 * axis + 1]] -= area[axis] * q;
    }
}
} // namespace

void DivergenceConstraint::apply(const Vector &v, Vector &Bv) const
{
  const int dim = saturated.grid.dim, last = saturated.grid.last_axis();
  Bv.resize(n_constraints());
  convex::with_dimension(dim, [&](const auto d) {
    for (Index c = 0; c < n_inner; ++c)
      Bv(c) = -outflow<d()>(&faces[2 * d() * c], v.data(), area);
  });

  const Index n_walls = static_cast<Index>(walls.size());
  for (Index w = 0; w < n_walls; ++w)
    Bv(n_cells() + w) = walls[w].outward * v(walls[w].unknown);
  if (saturated.grid.processes.size() == 1)
    return;

  Vector to_lower = Vector::Zero(static_cast<Index>(lower_border.size())), above(mass_above.size()), nothing;
  for (Index l = 0; l < to_lower.size(); ++l)
    if (lower_border[l] != none)
      to_lower(l) = v(lower_border[l]);
  saturated.grid.processes.exchange(to_lower, nothing, nothing, above);
  for (Index c = n_inner; c < n_cells(); ++c)
    {
      double outflow = 0.;
      for (int side = 0; side < 2 * dim; ++side)
        {
          const double v_f = side == 2 * last + 1 ? above(upper_border[c - n_inner]) : v(faces[2 * dim * c + side]);
          outflow += (side % 2 == 0 ? -1. : 1.) * area[side / 2] * v_f;
        }
      Bv(c) = -outflow;
    }
}

void DivergenceConstraint::apply_transpose(const Vector &q, Vector &Btq) const
{
  const int dim = saturated.grid.dim, last = saturated.grid.last_axis();
  Btq = Vector::Zero(n_unknowns());
  convex::with_dimension(dim, [&](const auto d) {
    for (Index c = 0; c < n_inner; ++c)
      add_gradient<d()>(&faces[2 * d() * c], q(c), Btq.data(), area);
  });

  const Index n_walls = static_cast<Index>(walls.size());
  for (Index w = 0; w < n_walls; ++w)
    Btq(walls[w].unknown) += walls[w].outward * q(n_cells() + w);
  if (saturated.grid.processes.size() == 1)
    return;

  Vector to_upper = Vector::Zero(mass_above.size()), below(static_cast<Index>(lower_border.size())), nothing;
  for (Index c = n_inner; c < n_cells(); ++c)
    {
      to_upper(upper_border[c - n_inner]) = q(c);
      for (int side = 0; side < 2 * dim; ++side)
        if (side != 2 * last + 1)
          Btq(faces[2 * dim * c + side]) += (side % 2 == 0 ? 1. : -1.) * area[side / 2] * q(c);
    }
  saturated.grid.processes.exchange(nothing, to_upper, below, nothing);
  for (Index l = 0; l < below.size(); ++l)
    if (lower_border[l] != none)
      Btq(lower_border[l]) -= area[last] * below(l);
}

Vector DivergenceConstraint::delassus_diagonal(const convex::VelocitySpace &) const
{
  const int dim = saturated.grid.dim;
  Vector    W   = Vector::Zero(n_constraints());
  for (Index c = 0; c < n_cells(); ++c)
    for (int side = 0; side < 2 * dim; ++side)
      {
        const int unknown = faces[2 * dim * c + side];
        W(c) += std::pow(area[side / 2], 2) / (unknown == none ? mass_above(upper_border[c - n_inner]) : m(unknown));
      }
  for (std::size_t w = 0; w < walls.size(); ++w)
    W(n_cells() + w) = 1. / m(walls[w].unknown);
  return W;
}

Vector DivergenceConstraint::row_norms() const
{
  double squares = 0.;
  for (int axis = 0; axis < saturated.grid.dim; ++axis)
    squares += 2. * std::pow(area[axis], 2);
  Vector norms = Vector::Ones(n_constraints()); // rows of walls: a velocity each
  norms.head(n_cells()).setConstant(std::sqrt(squares));
  return norms;
}

const convex::SparseConstraint::Matrix &DivergenceConstraint::matrix() const
{
  if (saturated.grid.processes.size() > 1)
    throw std::logic_error("The matrix of a DivergenceConstraint is known on one process only.");
  std::call_once(assembled, [this] {
    const int                           dim = saturated.grid.dim;
    std::vector<Eigen::Triplet<double>> entries;
    for (Index c = 0; c < n_cells(); ++c)
      for (int side = 0; side < 2 * dim; ++side)
        entries.emplace_back(static_cast<int>(c), faces[2 * dim * c + side], (side % 2 == 0 ? 1. : -1.) * area[side / 2]);
    for (std::size_t w = 0; w < walls.size(); ++w)
      entries.emplace_back(static_cast<int>(n_cells() + w), static_cast<int>(walls[w].unknown), walls[w].outward);
    B.resize(n_constraints(), n_unknowns());
    B.setFromTriplets(entries.begin(), entries.end());
  });
  return B;
}

void DivergenceConstraint::scatter(const Vector &v, FaceArrays &result) const
{
  const BoxGrid &grid = saturated.grid;
  for (int axis = 0; axis < grid.dim; ++axis)
    for (std::size_t k = 0; k < unknowns[axis].size(); ++k)
      if (unknowns[axis][k] != none)
        result.values[axis](k) = v(unknowns[axis][k]);
  if (grid.processes.size() == 1)
    return;
  const int last     = grid.last_axis();
  auto      upper    = result.values[last].tail(layer());
  Vector    to_lower = result.values[last].head(layer()), above = upper, nothing, from_lower;
  if (lower_border.empty())
    to_lower.resize(0);
  if (mass_above.size() == 0)
    above.resize(0);
  grid.processes.exchange(to_lower, nothing, from_lower, above);
  for (Index l = 0; l < above.size(); ++l)
    if (mass_above(l) > 0.)
      upper(l) = above(l);
}

StaggeredProblem::StaggeredProblem(const BoxZone &zone, const FaceArrays *const theta)
    : B(std::make_shared<const DivergenceConstraint>(zone, theta))
{}

StaggeredProblem::~StaggeredProblem() = default;

convex::ProjectionProblem StaggeredProblem::projection_problem(const FaceArrays &U, const double mean_divergence) const
{
  convex::ProjectionProblem problem;
  problem.V         = std::make_shared<const StaggeredSpace>(B);
  problem.B         = B;
  problem.U         = coefficients(U);
  problem.expansion = expansion(*B);
  problem.repair    = std::make_shared<const FluxRepair>(*this, mean_divergence);
  if (mean_divergence != 0.)
    {
      problem.b = Vector::Zero(B->n_constraints());
      problem.b.head(B->n_cells()).setConstant(mean_divergence * std::pow(zone().grid.cell_volume(), 1. / zone().grid.dim));
    }
  return problem;
}

FaceArrays StaggeredProblem::faces(const Vector &u, const FaceArrays &outside) const
{
  FaceArrays result = outside;
  B->scatter(u, result);
  return result;
}

Vector StaggeredProblem::coefficients(const FaceArrays &u) const
{
  Vector result(B->n_unknowns());
  for (int axis = 0; axis < zone().grid.dim; ++axis)
    for (Index k = 0; k < u.values[axis].size(); ++k)
      if (const Index unknown = B->unknown(axis, k); unknown != DivergenceConstraint::none)
        result(unknown) = u.values[axis](k);
  return result;
}

namespace
{
/// L^{d-1}: multiplier of a cell / its pressure.
double multiplier_per_pressure(const BoxGrid &grid) { return std::pow(grid.cell_volume(), (grid.dim - 1.) / grid.dim); }
} // namespace

CellArray StaggeredProblem::cell_pressures(const Vector &p) const
{
  CellArray    result(zone().grid);
  const double factor = 1. / multiplier_per_pressure(zone().grid);
  for (Index c = 0; c < B->n_cells(); ++c)
    result.values(B->cell_positions()[c]) = factor * p(c);
  update_ghosts(result, zone().periodic);
  return result;
}

FaceArrays StaggeredProblem::wall_pressures(const Vector &p) const
{
  FaceArrays result(zone().grid);
  Index      row = B->n_cells();
  for (const WallFace &wall : B->wall_faces())
    result(wall.axis, wall.face) = p(row++) / zone().grid.face_area(wall.axis);
  return result;
}

Vector StaggeredProblem::momentum(const convex::Vector &u) const
{
  const BoxGrid &grid = B->zone().grid;
  Vector         result(grid.dim);
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      const Index begin = B->axis_begin(axis), n = B->axis_begin(axis + 1) - begin;
      result(axis) = grid.processes.sum(B->masses().segment(begin, n).dot(u.segment(begin, n)));
    }
  return result;
}

const BoxZone &StaggeredProblem::zone() const { return B->zone(); }
} // namespace moreau::macro
