// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/problem.h"

namespace moreau::macro
{
namespace
{
using Triplets = std::vector<Eigen::Triplet<double>>;

/// L² projections of several fields, all from one run over the cells.
std::vector<Vector> l2_projections(const MixedVelocities &V, const MixedSpace &space, CellEvaluator &evaluator,
                                   const std::vector<Field> &fields)
{
  std::vector<Vector> loads(fields.size(), Vector::Zero(space.unknowns.n_local()));
  Eigen::MatrixXd     value;
  for (Index c = 0; c < space.n_cells(); ++c)
    {
      const CellFunctions functions = evaluator.inside(c);
      for (std::size_t k = 0; k < fields.size(); ++k)
        {
          value.resize(space.dim, functions.x.cols());
          fields[k](functions.x, value);
          for (Index q = 0; q < value.cols(); ++q)
            value.col(q) *= functions.weights(q);
          space.velocity[c].scatter_add(functions.vectors.transpose() * value.reshaped(), loads[k]);
        }
    }
  for (Vector &load : loads)
    {
      const Vector f = space.unknowns.summed(load);
      load.resize(V.size());
      V.inverse_riesz(f, load);
    }
  return loads;
}

/// slope_a (x_a - c_a) with Σ slope_a = 1, w·n < 0 on all walls; false where walls leave no such field.
bool linear_expansion(const Domain &domain, Vector &slope, Vector &centre)
{
  const Index dim              = domain.lower.size();
  slope                        = Vector::Zero(dim);
  centre                       = .5 * (domain.lower + domain.upper);
  const Vector extent          = domain.upper - domain.lower;
  Index        n_between_walls = 0;
  for (Index a = 0; a < dim; ++a)
    {
      const bool lower = domain.walls[2 * a], upper = domain.walls[2 * a + 1];
      n_between_walls += lower && upper;
      slope(a) = lower && upper ? -1. / static_cast<double>(dim) : 0.;
      if (lower != upper)
        centre(a) += lower ? -extent(a) : extent(a);
    }
  if (n_between_walls == dim)
    return false;
  const double rest = (1. - slope.sum()) / static_cast<double>(dim - n_between_walls);
  for (Index a = 0; a < dim; ++a)
    if (slope(a) == 0.)
      slope(a) = rest;
  return true;
}

/// w where it expands in every row.
convex::Expansion expansion(const MixedVelocities &V, const MixedConstraint &B, const Vector &w)
{
  convex::Expansion result;
  // unequal slopes are not in the space on every mesh: then their projection need not expand everywhere
  Vector Bw(B.n_constraints());
  B.apply(w, Bw);
  const double worst = V.max_over_processes(Bw.size() == 0 ? -1. : Bw.maxCoeff());
  if (!(worst < 0.))
    return result;
  result.w = w;
  result.part_of_unknown.assign(V.size(), 0);
  result.part_of_row.assign(B.n_constraints(), 0);
  result.n_parts = 1;
  return result;
}
} // namespace

MixedVelocities::MixedVelocities(std::shared_ptr<const MixedSpace> mixed_space) : space(std::move(mixed_space))
{
  const GhostExchange &unknowns = space->unknowns;
  Triplets             entries;
  for (Index c = 0; c < space->n_cells(); ++c)
    {
      const CellMap        &map = space->velocity[c];
      const Eigen::MatrixXd M_K = map.weight.transpose() * space->M[c] * map.weight;
      for (Index i = 0; i < M_K.rows(); ++i)
        for (Index j = 0; j < M_K.cols(); ++j)
          entries.emplace_back(map.index[i], map.index[j], M_K(i, j));
    }
  M.resize(unknowns.n_local(), unknowns.n_local());
  M.setFromTriplets(entries.begin(), entries.end());
  M_diagonal = unknowns.summed(M.diagonal());
}

double MixedVelocities::dot(const Vector &u, const Vector &v) const
{
  Vector Mv(size());
  riesz(v, Mv);
  return sum_over_processes(u.dot(Mv));
}

void MixedVelocities::riesz(const Vector &v, Vector &Mv) const
{
  Mv = space->unknowns.summed(M * space->unknowns.fetched(v));
}

void MixedVelocities::inverse_riesz(const Vector &f, Vector &v) const
{
  v                 = f.cwiseQuotient(M_diagonal);
  const double size = sum_over_processes(f.dot(v));
  Vector       Mx(f.size()), r = f, z = v, direction;
  riesz(v, Mx);
  r -= Mx;
  z                 = r.cwiseQuotient(M_diagonal);
  direction         = z;
  double        rho = sum_over_processes(r.dot(z));
  constexpr int cap = 200; // far more than the condition of the scaled matrix needs
  for (int iteration = 0; iteration < cap && rho > 1e-28 * size; ++iteration)
    {
      riesz(direction, Mx);
      const double alpha = rho / sum_over_processes(direction.dot(Mx));
      v += alpha * direction;
      r -= alpha * Mx;
      z                     = r.cwiseQuotient(M_diagonal);
      const double previous = rho;
      rho                   = sum_over_processes(r.dot(z));
      direction             = z + rho / previous * direction;
    }
}

Vector MixedVelocities::momentum(const Vector &u) const
{
  Vector Mu(u.size()), result(uniform.size());
  riesz(u, Mu);
  for (Index axis = 0; axis < result.size(); ++axis)
    result(axis) = sum_over_processes(uniform[axis].dot(Mu));
  return result;
}

Vector MixedVelocities::mean(const Vector &U) const
{
  Vector       result = Vector::Zero(U.size());
  const Vector of_U   = momentum(U);
  for (Index axis = 0; axis < of_U.size(); ++axis)
    {
      const Vector &e    = uniform[axis];
      const double  size = at_rest[axis] ? 0. : dot(e, e);
      if (size > 0.)
        result += of_U(axis) / size * e;
    }
  return result;
}

MixedConstraint::MixedConstraint(std::shared_ptr<const MixedSpace> space) : mixed_space(std::move(space))
{
  Triplets entries;
  for (Index c = 0; c < mixed_space->n_cells(); ++c)
    {
      const CellMap        &map = mixed_space->velocity[c];
      const Eigen::MatrixXd B_K = mixed_space->B[c] * map.weight;
      for (Index i = 0; i < B_K.rows(); ++i)
        for (Index j = 0; j < B_K.cols(); ++j)
          if (B_K(i, j) != 0.)
            entries.emplace_back(mixed_space->first_row[c] + i, map.index[j], B_K(i, j));
    }
  B.resize(mixed_space->first_row.back(), mixed_space->unknowns.n_local());
  B.setFromTriplets(entries.begin(), entries.end());
}

Vector MixedConstraint::delassus_diagonal(const convex::VelocitySpace &V) const
{
  const auto *const velocities = dynamic_cast<const MixedVelocities *>(&V);
  if (!velocities)
    return {};
  const Vector m = mixed_space->unknowns.fetched(velocities->diagonal());
  Vector       W = Vector::Zero(B.rows());
  for (Index row = 0; row < B.rows(); ++row)
    for (decltype(B)::InnerIterator entry(B, row); entry; ++entry)
      W(row) += entry.value() * entry.value() / m(entry.col());
  return W;
}

convex::ProjectionProblem mixed_problem(const std::shared_ptr<const MixedSpace> &space, CellEvaluator &evaluator,
                                        const Setting &setting)
{
  const auto         V      = std::make_shared<MixedVelocities>(space);
  const auto         B      = std::make_shared<MixedConstraint>(space);
  std::vector<Field> fields = {setting.U};
  for (int axis = 0; axis < space->dim; ++axis)
    fields.push_back([axis](const Eigen::MatrixXd &, Eigen::MatrixXd &value) {
      value.setZero();
      value.row(axis).setOnes();
    });
  Vector     slope, centre;
  const bool expands = linear_expansion(setting.domain, slope, centre);
  if (expands)
    fields.push_back(
        [&](const Eigen::MatrixXd &x, Eigen::MatrixXd &value) { value = slope.asDiagonal() * (x.colwise() - centre); });
  const std::vector<Vector> coefficients = l2_projections(*V, *space, evaluator, fields);
  V->set_uniform({coefficients.begin() + 1, coefficients.begin() + 1 + space->dim},
                 axes_with_walls(setting.domain.walls, space->dim));

  convex::ProjectionProblem problem;
  problem.U = coefficients.front();
  if (expands)
    problem.expansion = expansion(*V, *B, coefficients.back());
  problem.V = V;
  problem.B = B;
  return problem;
}
} // namespace moreau::macro
