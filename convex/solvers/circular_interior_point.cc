// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/circular_interior_point.h"

#include "convex/certificate.h"
#include "convex/factorisation/normal_matrix.h"
#include "convex/solvers/circular_scaling.h"
#include "convex/solvers/momentum.h"
#include "convex/structure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace moreau::convex
{
namespace
{
/// A power of two near x > 0, so that scaling does not round.
double power_of_two_near(const double x)
{
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1., exponent);
}

/// W⁻¹A for scaled rows A, block by block: rows of a block have the same columns, some with a 0.
class TurnedRows : public SparseConstraint
{
public:
  TurnedRows(const SparseConstraint &rows, const CircularRows &Q, const Vector &row_scale)
      : blocks(Q.n_blocks()), place(Q.n_blocks())
  {
    std::vector<Eigen::Triplet<double>> entries;
    for (Index b = 0; b < Q.n_blocks(); ++b)
      {
        std::vector<Index> columns;
        for (Index row = Q.begin[b]; row < Q.begin[b + 1]; ++row)
          for (Matrix::InnerIterator entry(rows.matrix(), row); entry; ++entry)
            columns.push_back(entry.col());
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        blocks[b] = Eigen::MatrixXd::Zero(Q.size(b), static_cast<Index>(columns.size()));
        for (Index row = Q.begin[b]; row < Q.begin[b + 1]; ++row)
          {
            for (Matrix::InnerIterator entry(rows.matrix(), row); entry; ++entry)
              blocks[b](row - Q.begin[b], std::lower_bound(columns.begin(), columns.end(), entry.col()) - columns.begin()) +=
                  entry.value() / row_scale(row);
            for (const Index column : columns)
              entries.emplace_back(row, column, 1.);
          }
        place[b] = b == 0 ? 0 : place[b - 1] + blocks[b - 1].size();
      }
    B.resize(rows.n_constraints(), rows.n_unknowns());
    B.setFromTriplets(entries.begin(), entries.end());
    B.makeCompressed();
  }

  void turn(const CircularScaling &W)
  {
    for (std::size_t b = 0; b < blocks.size(); ++b)
      {
        using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        Eigen::Map<RowMajor>(B.valuePtr() + place[b], blocks[b].rows(), blocks[b].cols()) =
            W.inverse_of_block(static_cast<Index>(b)) * blocks[b];
      }
  }

private:
  std::vector<Eigen::MatrixXd> blocks; ///< of A
  std::vector<Index>           place;  ///< of their values
};

/// One run on a problem in units in which everything is of size 1, in the frame of the mean velocity.
class Iteration
{
public:
  Iteration(const ProjectionProblem &problem, const SparseConstraint &B, const DiagonalSpace &V, const double scale)
      : B(B)
      , Q(*problem.circles)
      , algebra{Q}
      , mean(V.mean(problem.U))
      , velocity_unit(power_of_two_near(scale / std::sqrt(V.masses().sum())))
      , mass_unit(power_of_two_near(V.masses().mean()))
      , U((problem.U - mean) / velocity_unit)
      , m(V.masses() / mass_unit)
      , row_scale(Q.largest_of_blocks(mass_unit * delassus_diagonal(problem)).cwiseSqrt())
      , turned(B, Q, row_scale = (row_scale.array() > 0.).select(row_scale, 1.))
      , matrix(make_normal_matrix(turned, m))
      , cholesky(make_sparse_cholesky(matrix->pattern()))
      , e(algebra.unit())
  {
    Vector B_mean(Q.n_rows());
    B.apply(mean, B_mean);
    b = (problem.right_hand_side() - B_mean).cwiseQuotient(row_scale) / velocity_unit;
    u = U;
    // far enough inside, with products of size 1
    const Vector slack = b - rows(u), beyond = Q.excess(-slack);
    s = slack + (beyond.cwiseMax(0.).array() + 1.).matrix().cwiseProduct(e);
    p = e;
    evaluate();
  }

  Vector velocity() const { return mean + velocity_unit * u; }
  Vector impulse() const { return velocity_unit * mass_unit * p.cwiseQuotient(row_scale); }
  double unit() const { return velocity_unit * std::sqrt(mass_unit); } ///< of the norm of V

  /// √(2 gap) as if u were admissible.
  double estimate() const
  {
    return std::sqrt(r_d.cwiseAbs2().cwiseQuotient(m).sum() + 2. * (s.dot(p) + r_p.cwiseAbs().dot(p.cwiseAbs())));
  }

  /// Whether u lies inside, up to rounding.
  bool is_inside() const { return max_abs(r_p) <= 1e-10; }

  /// False where H cannot be factorised or nothing moves.
  bool step()
  {
    const CircularScaling W(Q, s, p);
    turned.turn(W);
    matrix->assemble(Vector::Ones(Q.n_rows()));
    if (!cholesky->factorize(matrix->values()))
      return false;
    constexpr double inside = .995, least_centring = .01;
    const Vector     lambda = W.lambda(), squares = algebra.product(lambda, lambda);
    const double     mu = s.dot(p) / static_cast<double>(Q.n_blocks());
    Vector           du, dp, ds;
    solve(W, -squares, du, dp, ds);
    // products far below the others would be lost in rounding
    const double alpha = longest(dp, ds), centring = std::max(least_centring, std::pow(1. - alpha, 3));
    solve(W, centring * mu * e - squares - algebra.product(W.apply_inverse(ds), W.apply(dp)), du, dp, ds);
    const double length = std::min(1., inside * longest(dp, ds));
    if (!(length > 1e-10) || !du.allFinite())
      return false;
    u += length * du;
    p += length * dp;
    s += length * ds;
    evaluate();
    return true;
  }

private:
  const SparseConstraint         &B;
  const CircularRows             &Q;
  const CircularAlgebra           algebra;
  const Vector                    mean; ///< m/s
  const double                    velocity_unit, mass_unit;
  const Vector                    U, m;
  Vector                          row_scale; ///< of the largest row of a block; 1 for empty ones
  TurnedRows                      turned;
  std::unique_ptr<NormalMatrix>   matrix;
  std::unique_ptr<SparseCholesky> cholesky;
  const Vector                    e;
  Vector                          b, u, p, s, r_d, r_p;

  Vector rows(const Vector &v) const
  {
    Vector Bv(Q.n_rows());
    B.apply(v, Bv);
    return Bv.cwiseQuotient(row_scale);
  }

  Vector transposed(const Vector &q) const
  {
    Vector Btq(U.size());
    B.apply_transpose(q.cwiseQuotient(row_scale), Btq);
    return Btq;
  }

  void evaluate()
  {
    r_d = m.cwiseProduct(u - U) + transposed(p);
    r_p = rows(u) + s - b;
  }

  double longest(const Vector &dp, const Vector &ds) const
  {
    return std::min(algebra.longest_step(p, dp), algebra.longest_step(s, ds));
  }

  /// The direction for the right hand side r_c of the complementarity.
  void solve(const CircularScaling &W, const Vector &r_c, Vector &du, Vector &dp, Vector &ds) const
  {
    const Vector of_c          = W.apply_inverse(algebra.quotient(W.lambda(), r_c));
    const auto   twice_inverse = [&](const Vector &y) { return W.apply_inverse(W.apply_inverse(y)); };
    const Vector right         = -r_d - transposed(twice_inverse(r_p) + of_c);
    du                         = right;
    cholesky->solve(du);
    // what the large numbers of H cost in rounding is got back
    Vector rest = right - m.cwiseProduct(du) - transposed(twice_inverse(rows(du)));
    cholesky->solve(rest);
    du += rest;
    const Vector Bdu = rows(du);
    dp               = twice_inverse(Bdu + r_p) + of_c; // of_c is near to -p: through W it would come out with errors of s
    ds               = -r_p - Bdu;
  }
};

/// u, or where a row of it is not admissible by little what lies between it and a velocity inside.
Vector kept_inside(const ProjectionProblem &problem, const Vector &u, const Vector &inside)
{
  bool feasible;
  feasible_companion(problem, u, feasible);
  if (feasible || inside.size() == 0)
    return u;
  const Vector b = problem.right_hand_side();
  Vector       Bv(b.size());
  for (double t = 1e-14; t < 1.; t *= 4.)
    {
      const Vector v = u + t * (inside - u);
      problem.B->apply(v, Bv);
      if (problem.excess(Bv - b).maxCoeff() <= 0.)
        return v;
    }
  return u;
}
/// Where a cone has no inside, as between walls all around, nothing may be left but motions as a whole: the u of x or the
/// mean velocity, whichever is certified better.
Vector moving_as_one(const ProjectionProblem &problem, const SaddlePoint &x)
{
  const Vector      mean   = problem.V->mean(problem.U);
  const Certificate before = certify(problem, x.u, x.p), of_mean = certify(problem, mean, x.p);
  return of_mean.guaranteed && of_mean.relative_error_bound < std::max(before.relative_error_bound, .1) ? mean : x.u;
}
} // namespace

SaddlePoint CircularInteriorPoint::project(const ProjectionProblem &problem, const Vector *) const
{
  const auto [B, pairs, V] = structure_with_entries(problem, "CircularInteriorPoint");
  if (!problem.circles || problem.circles->n_rows() != problem.n_constraints())
    throw std::invalid_argument("CircularInteriorPoint needs a circle, or an inequality, for every row.");
  const double scale = relative_scale(problem);
  SaddlePoint  x;
  x.u      = problem.U;
  x.p      = Vector::Zero(problem.n_constraints());
  x.status = Status::stagnated;
  judge(problem, criterion, x); // U may lie in the cone, up to rounding
  if (!x.converged() && std::isfinite(scale) && scale > 0.)
    {
      constexpr unsigned int most_steps = 100, patience = 8;
      const double           demanded = criterion.tolerance * scale;
      Iteration              iteration(problem, *B, *V, scale);
      Vector                 inside; // the first velocity that lies there: far from the boundary
      double                 least = std::numeric_limits<double>::infinity();
      for (unsigned int in_vain = 0; in_vain < patience; ++x.n_iterations)
        {
          const double estimate = iteration.unit() * iteration.estimate();
          criterion.watch(estimate, demanded);
          in_vain = estimate < .9 * least ? 0 : in_vain + 1;
          if (inside.size() == 0 && iteration.is_inside())
            inside = iteration.velocity();
          if (estimate < least)
            {
              least = estimate;
              x.u   = with_momentum_of_U(problem, iteration.velocity());
              x.p   = iteration.impulse();
              if (estimate <= demanded)
                {
                  x.u                           = kept_inside(problem, x.u, inside);
                  const Certificate certificate = certify(problem, x.u, x.p);
                  if (certificate.guaranteed && criterion.met_by(certificate))
                    break;
                }
            }
          if (x.n_iterations == std::min(most_steps, criterion.max_iterations))
            {
              x.status = Status::iteration_limit;
              break;
            }
          if (!iteration.step())
            break;
        }
      x.u = kept_inside(problem, x.u, inside);
      if (!certify(problem, x.u, x.p).guaranteed)
        x.u = moving_as_one(problem, x);
    }
  x.method = "interior point on circular cones (" + std::to_string(x.n_iterations) + ")";
  judge(problem, criterion, x);
  return x;
}
} // namespace moreau::convex
