// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/projector.h"

#include "convex/certificate.h"
#include "macro/meshes/cellwise_system.h"
#include "macro/meshes/problem.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <stdexcept>

namespace moreau::macro
{
namespace
{
/// Of the linear solver, relative to its right-hand side.
constexpr double solver_tolerance = 1e-12;

/// The equations of one cell for its part of the active set.
struct CutCell
{
  std::vector<char>  active; ///< per row
  std::vector<Index> rows;   ///< the active ones
  Eigen::MatrixXd    M_inverse;
  Eigen::MatrixXd    P; ///< forces -> velocities with B_A v = 0
  Eigen::MatrixXd    Q; ///< forces -> multipliers of the active rows
};

/// Saddle points for given active sets.
class HybridSaddlePoint
{
public:
  explicit HybridSaddlePoint(const MixedSpace &space) : space(space)
  {
    std::vector<const CellMap *> maps;
    for (Index c = 0; c < space.n_cells(); ++c)
      {
        maps.push_back(&space.traces[c]);
        CutCell cell;
        cell.M_inverse = space.M[c].llt().solve(Eigen::MatrixXd::Identity(space.n_functions, space.n_functions));
        cells.push_back(std::move(cell));
      }
    system = cellwise_system(space.multipliers, maps, static_cast<int>(space.n_traces_per_face));
    S.resize(space.n_cells());
    velocities.resize(space.n_cells());
  }

  /// Takes these rows as equations.
  void activate(const std::vector<char> &active)
  {
    double largest = 0.;
    for (Index c = 0; c < space.n_cells(); ++c)
      {
        activate(c, std::vector<char>(active.begin() + space.first_row[c], active.begin() + space.first_row[c + 1]));
        if (S[c].size() > 0)
          largest = std::max(largest, S[c].diagonal().maxCoeff());
      }
    Vector diagonal = Vector::Zero(space.multipliers.n_own());
    if (!system->set(S, diagonal))
      {
        // active rows between walls on all sides leave λ up to a constant
        diagonal.setConstant(1e-12 * space.processes().max(largest));
        system->set(S, diagonal);
      }
  }

  /// p, Bu (all rows) and the velocity in every cell that belong to U (own coefficients).
  void solve(const Vector &U, Vector &p, Vector &Bu)
  {
    const Vector        all_U = space.unknowns.fetched(U);
    std::vector<Vector> forces(space.n_cells());
    Vector              f = Vector::Zero(space.multipliers.n_local());
    for (Index c = 0; c < space.n_cells(); ++c)
      {
        forces[c] = space.M[c] * space.velocity[c].gather(all_U);
        space.traces[c].scatter_add(cells[c].P * forces[c], f);
      }
    // a start from an older λ would leave its rounding errors in a small one
    Vector lambda = Vector::Zero(space.multipliers.n_own());
    linear_iterations += system->solve(space.multipliers.summed(f), lambda, solver_tolerance);
    ++n_solves;
    const Vector all_lambda = space.multipliers.fetched(lambda);
    p.setZero(space.first_row.back());
    Bu.resize(space.first_row.back());
    for (Index c = 0; c < space.n_cells(); ++c)
      {
        const Vector force                             = forces[c] - space.traces[c].gather(all_lambda);
        const Index  first                             = space.first_row[c];
        velocities[c].noalias()                        = cells[c].P * force;
        Bu.segment(first, space.B[c].rows()).noalias() = space.B[c] * velocities[c];
        const Vector p_active                          = cells[c].Q * force;
        for (std::size_t k = 0; k < cells[c].rows.size(); ++k)
          {
            p(first + cells[c].rows[k])  = p_active(static_cast<Index>(k));
            Bu(first + cells[c].rows[k]) = 0.;
          }
      }
  }

  /// Mean over all solves; 0: factorised.
  double iterations_per_solve() const { return n_solves == 0 ? 0. : static_cast<double>(linear_iterations) / n_solves; }

  /// The velocity of the last solve as coefficients: what cells that share one have in the mean.
  Vector velocity() const
  {
    Vector sum = Vector::Zero(space.unknowns.n_local()), count = sum;
    for (Index c = 0; c < space.n_cells(); ++c)
      {
        const CellMap &map = space.velocity[c];
        for (Index j = 0; j < map.weight.cols(); ++j)
          for (Index i = 0; i < map.weight.rows(); ++i)
            if (map.weight(i, j) == 1. && map.weight.row(i).cwiseAbs().sum() == 1.)
              {
                sum(map.index[j]) += velocities[c](i);
                count(map.index[j]) += 1.;
              }
      }
    return space.unknowns.summed(sum).cwiseQuotient(space.unknowns.summed(count));
  }

private:
  void activate(const Index c, std::vector<char> active)
  {
    CutCell &cell = cells[c];
    if (cell.active == active)
      return;
    cell.active = std::move(active);
    cell.rows.clear();
    for (std::size_t row = 0; row < cell.active.size(); ++row)
      if (cell.active[row])
        cell.rows.push_back(static_cast<Index>(row));
    const Eigen::MatrixXd B_A = space.B[c](cell.rows, Eigen::all);
    const Eigen::MatrixXd G   = cell.M_inverse * B_A.transpose();
    const Eigen::MatrixXd W   = B_A * G;
    if (cell.rows.empty())
      cell.Q.resize(0, space.n_functions);
    else // a cell with walls all around has dependent rows
      cell.Q = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(W).solve(G.transpose());
    cell.P                   = cell.M_inverse - G * cell.Q;
    const Eigen::MatrixXd &C = space.traces[c].weight;
    S[c].noalias()           = C.transpose() * cell.P * C;
  }

  const MixedSpace               &space;
  std::vector<CutCell>            cells;
  std::vector<Vector>             velocities; ///< in every cell, of the last solve
  std::vector<Eigen::MatrixXd>    S;          ///< Cᵀ_K P_K C_K
  std::unique_ptr<CellwiseSystem> system;
  int                             linear_iterations = 0, n_solves = 0;
};
} // namespace

convex::SaddlePoint MixedProjector::project(const convex::ProjectionProblem &problem,
                                            const convex::Vector *const      p_start) const
{
  const auto *const B = dynamic_cast<const MixedConstraint *>(problem.B.get());
  if (!B || !dynamic_cast<const MixedVelocities *>(problem.V.get()))
    throw std::invalid_argument("MixedProjector needs Raviart-Thomas velocities and their divergence.");
  const convex::VelocitySpace &V      = *problem.V;
  const Index                  m      = problem.n_constraints();
  const Vector                 half_W = .5 * B->delassus_diagonal(V);
  const double                 speed  = std::max(convex::typical_speed(problem), std::numeric_limits<double>::min());
  HybridSaddlePoint            saddle_point(*B->space());

  std::vector<char> active(m, 0);
  if (p_start && p_start->size() == m)
    for (Index row = 0; row < m; ++row)
      active[row] = (*p_start)(row) > 0.;

  convex::SaddlePoint x;
  x.u                        = problem.U;
  x.p                        = Vector::Zero(m);
  x.status                   = convex::Status::iteration_limit;
  double       best_residual = std::numeric_limits<double>::infinity();
  double       fewest_wrong  = best_residual;
  unsigned int patience      = 0;
  Vector       p(m), Bu(m), wrong(m), ignored(m), Bu_of_u(m);
  while (x.n_iterations < criterion.max_iterations)
    {
      saddle_point.activate(active);
      saddle_point.solve(problem.U, p, Bu);
      ++x.n_iterations;
      const double residual = V.max_over_processes(convex::max_abs(half_W.cwiseProduct(p).cwiseMin(-Bu))) / speed;
      for (Index row = 0; row < m; ++row)
        wrong(row) = active[row] ? std::max(0., -half_W(row) * p(row)) : std::max(0., Bu(row));
      const double n_wrong = V.sum_over_processes(static_cast<double>((wrong.array() > 0.).count()));
      criterion.watch(residual, criterion.tolerance);
      if (residual < best_residual)
        {
          best_residual = residual;
          x.p           = p.cwiseMax(0.);
          if (residual <= criterion.tolerance || n_wrong == 0.)
            {
              // once more from the velocity itself: what is left of the divergence then is rounding of a small correction
              saddle_point.solve(problem.velocity_of(x.p), ignored, Bu_of_u);
              x.u = saddle_point.velocity();
              convex::judge(problem, criterion, x);
              if (x.converged())
                break;
            }
        }
      if (n_wrong == 0.)
        {
          x.status = convex::Status::stagnated;
          break;
        }
      patience     = n_wrong < fewest_wrong ? 0 : patience + 1;
      fewest_wrong = std::min(fewest_wrong, n_wrong);
      // all wrong rows change sides; where that goes in circles only the worst do
      constexpr unsigned int rounds    = 10;
      const double           threshold = patience < rounds ? 0. : .5 * V.max_over_processes(convex::max_abs(wrong));
      for (Index row = 0; row < m; ++row)
        if (wrong(row) > threshold)
          active[row] = !active[row];
    }
  const double linear = saddle_point.iterations_per_solve();
  x.method            = "active set (" + std::to_string(x.n_iterations) +
             (linear > 0. ? "; " + std::to_string(std::lround(linear)) + " multigrid iterations each)" : ")");
  if (!x.converged())
    {
      x.u = problem.velocity_of(x.p);
      convex::judge(problem, criterion, x);
    }
  return x;
}
} // namespace moreau::macro
