// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/active_set.h"

#include "macro/processes.h"
#include "convex/certificate.h"

#include <Eigen/IterativeLinearSolvers>
#include <Epetra_CrsMatrix.h>
#include <Epetra_Map.h>
#include <Epetra_MpiComm.h>
#include <Epetra_Vector.h>
#include <deal.II/lac/trilinos_precondition.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <unordered_set>

namespace moreau::macro
{
namespace
{
using convex::Index;
using convex::Vector;
using Matrix = convex::SparseConstraint::Matrix;

/// W = B M⁻¹Bᵀ for diagonal M.
Matrix delassus_matrix(const convex::ProjectionProblem &problem)
{
  const auto *const B = dynamic_cast<const convex::SparseConstraint *>(problem.B.get());
  if (!B)
    throw std::invalid_argument("ActiveSet: B must be a SparseConstraint.");
  const Vector ones = Vector::Ones(problem.n_unknowns());
  Vector       mass(ones.size()), inverse_mass(ones.size());
  problem.V->riesz(ones, mass);
  problem.V->inverse_riesz(ones, inverse_mass);
  if (!mass.cwiseProduct(inverse_mass).isApproxToConstant(1., 1e-12))
    throw std::invalid_argument("ActiveSet: V must be diagonal.");
  const Matrix scaled = B->matrix() * inverse_mass.asDiagonal();
  return scaled * B->matrix().transpose();
}

/// The rows and columns of W that are in the set, in its order.
Matrix principal_part(const Matrix &W, const std::vector<int> &set)
{
  std::vector<int> number(W.rows(), -1);
  for (std::size_t k = 0; k < set.size(); ++k)
    number[set[k]] = static_cast<int>(k);
  const auto n = static_cast<Index>(set.size());
  Matrix     part(n, n);
  part.reserve(W.nonZeros());
  for (Index k = 0; k < n; ++k)
    {
      part.startVec(k);
      for (Matrix::InnerIterator entry(W, set[k]); entry; ++entry)
        if (const int column = number[entry.col()]; column >= 0)
          part.insertBack(k, column) = entry.value();
    }
  part.finalize();
  return part;
}

/// One V cycle of ML, as Eigen's iterative solvers like it.
class AlgebraicMultigrid
{
public:
  template <class M>
  AlgebraicMultigrid &analyzePattern(const M &)
  {
    return *this;
  }
  template <class M>
  AlgebraicMultigrid &factorize(const M &A)
  {
    return compute(A);
  }

  AlgebraicMultigrid &compute(const Matrix &A)
  {
    const auto n = static_cast<int>(A.rows());
    map          = std::make_unique<Epetra_Map>(n, 0, Epetra_MpiComm(MPI_COMM_SELF));
    std::vector<int> entries_of_row(n);
    for (int row = 0; row < n; ++row)
      entries_of_row[row] = A.outerIndexPtr()[row + 1] - A.outerIndexPtr()[row];
    matrix = std::make_unique<Epetra_CrsMatrix>(Copy, *map, *map, entries_of_row.data(), true);

    // where walls are all around A can be singular: a solution exists, but the coarsest grid must be factorised
    constexpr double    shift = 1e-9;
    std::vector<double> values;
    for (int row = 0; row < n; ++row)
      {
        const int begin = A.outerIndexPtr()[row], *const columns = A.innerIndexPtr() + begin;
        values.assign(A.valuePtr() + begin, A.valuePtr() + begin + entries_of_row[row]);
        for (int k = 0; k < entries_of_row[row]; ++k)
          if (columns[k] == row)
            values[k] *= 1. + shift;
        matrix->InsertMyValues(row, entries_of_row[row], values.data(), columns);
      }
    matrix->FillComplete();
    dealii::TrilinosWrappers::PreconditionAMG::AdditionalData choice;
    choice.elliptic        = true;
    choice.smoother_sweeps = 2;
    multigrid.initialize(*matrix, choice);
    return *this;
  }

  Vector solve(const Vector &r) const
  {
    Vector              z(r.size());
    const Epetra_Vector from(View, *map, const_cast<double *>(r.data()));
    Epetra_Vector       to(View, *map, z.data());
    multigrid.trilinos_operator().ApplyInverse(from, to);
    return z;
  }

  Eigen::ComputationInfo info() const { return Eigen::Success; }

private:
  std::unique_ptr<Epetra_Map>               map;
  std::unique_ptr<Epetra_CrsMatrix>         matrix;
  dealii::TrilinosWrappers::PreconditionAMG multigrid;
};

using ConjugateGradient = Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, AlgebraicMultigrid>;

/// p >= 0, Wp - f >= 0, complementary.
class Complementarity
{
public:
  Complementarity(Matrix W, Vector f) : W(std::move(W)), f(std::move(f)), half_diagonal(.5 * this->W.diagonal()) {}

  /// max |min(½ W_cc p_c, (Wp - f)_c)|: the natural residual in m/s.
  double residual(const Vector &p) const { return convex::max_abs(half_diagonal.cwiseProduct(p).cwiseMin(W * p - f)); }

  /// Iterates until `residual` of p⁺ is at most `tolerance`, at most `max_iterations` times; p may stay a little negative.
  convex::Status iterate(Vector &p, const double tolerance, const unsigned int max_iterations, unsigned int &n_iterations)
  {
    while (!(residual(p.cwiseMax(0.)) <= tolerance))
      {
        if (n_iterations >= max_iterations)
          return convex::Status::iteration_limit;
        const Vector      slack = W * p - f;
        std::vector<bool> is_active(p.size());
        for (Index c = 0; c < p.size(); ++c)
          is_active[c] = half_diagonal(c) * p(c) > slack(c);
        // After exact solves the next set depends on the last one alone: what comes back will come back for ever.
        // After inexact ones it may be an accident.
        const bool again = is_active != last_set && !seen.insert(std::hash<std::vector<bool>>()(is_active)).second;
        if (again && exact)
          return convex::Status::stagnated;
        if (again)
          {
            exact = true;
            seen.clear();
          }
        const double before = is_active == last_set ? residual(p.cwiseMax(0.)) : INFINITY;
        if (!solve(is_active, exact ? 0. : inexactness, .5 * tolerance, p))
          return convex::Status::stagnated;
        ++n_iterations;
        if (is_active == last_set && !(residual(p.cwiseMax(0.)) < .5 * before))
          return convex::Status::stagnated; // rounding
        last_set = std::move(is_active);
      }
    return convex::Status::converged;
  }

private:
  /// (Wp - f)_c = 0 in the set, up to the larger of `relative` times what p leaves and `absolute` (Euclidean norms); p = 0 elsewhere.
  bool solve(const std::vector<bool> &is_active, const double relative, const double absolute, Vector &p)
  {
    std::vector<int> set;
    for (Index c = 0; c < p.size(); ++c)
      if (is_active[c])
        set.push_back(static_cast<int>(c));
      else
        p(c) = 0.;
    if (set.empty())
      return true;
    Vector guess = p(set);
    if (is_active != last_set || !system)
      {
        system_matrix = principal_part(W, set);
        system        = std::make_unique<ConjugateGradient>();
        system->compute(system_matrix);
      }
    const Vector right_side = f(set);
    const double left       = (right_side - system_matrix * guess).norm();
    const double size       = right_side.norm();
    if (left > absolute && size > 0.)
      {
        system->setTolerance(std::max({relative * left, absolute, std::numeric_limits<double>::min()}) / size);
        system->setMaxIterations(max_linear_iterations);
        guess = system->solveWithGuess(right_side, guess);
      }
    p(set) = size > 0. ? guess : Vector(Vector::Zero(guess.size()));
    return guess.allFinite();
  }

  static constexpr double inexactness           = 1e-2;
  static constexpr int    max_linear_iterations = 500;

  Matrix                             W;
  Vector                             f, half_diagonal;
  std::vector<bool>                  last_set;
  std::unordered_set<std::size_t>    seen;
  bool                               exact = false;
  Matrix                             system_matrix;
  std::unique_ptr<ConjugateGradient> system;
};
} // namespace

convex::SaddlePoint ActiveSet::project(const convex::ProjectionProblem &problem, const Vector *const p_start) const
{
  start_mpi();
  if (problem.V->sum_over_processes(1.) > 1.)
    throw std::invalid_argument("ActiveSet: the problem is spread over several processes.");

  Matrix W = delassus_matrix(problem);
  Vector f(problem.n_constraints());
  problem.B->apply(problem.U, f);
  f -= problem.right_hand_side();
  Complementarity system(std::move(W), std::move(f));

  const double        speed = convex::typical_speed(problem);
  convex::SaddlePoint x;
  x.p = p_start ? *p_start : Vector(Vector::Zero(problem.n_constraints()));
  // a bound of 1e-6 needs residuals well below
  const double first = criterion.on_natural_residual ? criterion.tolerance : 1e-3 * criterion.tolerance;
  for (double goal = first;; goal *= .1)
    {
      Vector p = x.p;
      x.status = system.iterate(p, goal * speed, criterion.max_iterations, x.n_iterations);
      x.p      = p.cwiseMax(0.);
      x.u      = problem.velocity_of(x.p);
      x.method = "active set with algebraic multigrid (" + std::to_string(x.n_iterations) + ")";

      const bool reached = x.status == convex::Status::converged;
      judge(problem, criterion, x);
      if (!reached || x.converged() || goal < std::numeric_limits<double>::epsilon())
        return x;
    }
}
} // namespace moreau::macro
