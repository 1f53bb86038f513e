// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/factorisation/newton_system.h"

#include "convex/factorisation/normal_matrix.h"
#include "convex/in_pieces.h"

#include <Eigen/LU>
#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace moreau::convex
{
namespace
{
class FactorisedSystem : public NewtonSystem
{
public:
  FactorisedSystem(const SparseConstraint &B, const Vector &masses, const CholeskyBackend backend)
      : matrix(make_normal_matrix(B, masses)), cholesky(make_sparse_cholesky(matrix->pattern(), backend))
  {}

  bool set_weights(const Vector &w) override
  {
    matrix->assemble(w);
    return cholesky->factorize(matrix->values());
  }

  bool solve(Vector &x, double) override
  {
    cholesky->solve(x);
    return true;
  }

private:
  std::unique_ptr<NormalMatrix>   matrix;
  std::unique_ptr<SparseCholesky> cholesky;
};

/// The inverses of the diagonal blocks of H, in space.
class BlockJacobi
{
public:
  BlockJacobi(const PairConstraint &B, const Vector &masses, const Vector &w) : block(B.n_nodes())
  {
    for (Index k = 0; k < B.n_nodes(); ++k)
      block[k] = masses.segment<3>(3 * k).asDiagonal();
    for (Index c = 0; c < w.size(); ++c)
      {
        const auto [i, j]              = B.pairs()[c];
        const auto            e        = B.directions().col(c).head<3>();
        const Eigen::Matrix3d weighted = w(c) * e * e.transpose();
        block[i] += weighted;
        if (j != PairConstraint::fixed_body)
          block[j] += weighted;
      }
    for (Eigen::Matrix3d &H : block)
      H = H.inverse().eval();
  }

  void solve(Vector &x) const
  {
    for (std::size_t k = 0; k < block.size(); ++k)
      x.segment<3>(3 * k) = (block[k] * x.segment<3>(3 * k)).eval();
  }

private:
  std::vector<Eigen::Matrix3d> block;
};

/// L Lᵀ of H in single precision, without the contacts that hardly couple.
class SingleFactor
{
public:
  SingleFactor(const PairConstraint &B, const Vector &masses) : B(B), masses(masses), least_weight(B.n_constraints())
  {
    for (Index c = 0; c < B.n_constraints(); ++c)
      {
        const auto [i, j]   = B.pairs()[c];
        const Index  d      = B.dimension();
        const double mass_i = masses(d * i), mass_j = j == PairConstraint::fixed_body ? mass_i : masses(d * j);
        least_weight(c) = dropped * std::min(mass_i, mass_j);
      }
  }

  /// False where even weights of a small range cannot be factorised.
  bool factorize(const Vector &w)
  {
    choose(w);
    Vector weights(static_cast<Index>(rows.size()));
    for (std::size_t k = 0; k < rows.size(); ++k)
      weights(k) = w(rows[k]) > least_weight(rows[k]) ? w(rows[k]) : 0.;
    // a pivot that is lost in rounding: stiff contacts are made softer, in the preconditioner
    constexpr int max_caps = 6;
    for (int k = 0; k <= max_caps; ++k)
      {
        matrix->assemble(weights);
        if (cholesky->factorize(matrix->values()))
          return true;
        if (!weights.allFinite())
          return false;
        weights = weights.cwiseMin(.1 * max_abs(weights));
      }
    return false;
  }

  void solve(Vector &x) { cholesky->solve(x); }

private:
  static constexpr double dropped = .1, reused = .9;

  const PairConstraint           &B;
  const Vector                   &masses;
  Vector                          least_weight; ///< of contacts that are kept
  std::vector<Index>              rows;         ///< of B that were analysed
  std::optional<PairConstraint>   kept;         ///< those rows
  std::unique_ptr<NormalMatrix>   matrix;
  std::unique_ptr<SparseCholesky> cholesky;

  /// Analyses again where a contact is new, or many of those analysed are not needed any more.
  void choose(const Vector &w)
  {
    std::vector<Index> needed;
    for (Index c = 0; c < w.size(); ++c)
      if (w(c) > least_weight(c))
        needed.push_back(c);
    if (kept && std::includes(rows.begin(), rows.end(), needed.begin(), needed.end()) &&
        static_cast<double>(needed.size()) >= reused * static_cast<double>(rows.size()))
      return;
    cholesky.reset(); // before the memory of the next one is asked for
    matrix.reset();
    rows = std::move(needed);
    std::vector<PairConstraint::Pair> pairs;
    Eigen::MatrixXd                   e(B.dimension(), static_cast<Index>(rows.size()));
    for (std::size_t k = 0; k < rows.size(); ++k)
      {
        pairs.push_back(B.pairs()[rows[k]]);
        e.col(k) = B.directions().col(rows[k]);
      }
    kept.emplace(B.dimension(), B.n_nodes(), std::move(pairs), std::move(e));
    matrix   = make_normal_matrix(*kept, masses);
    cholesky = make_sparse_cholesky(matrix->pattern(), CholeskyBackend::multifrontal_single);
  }
};

class PreconditionedSystem : public NewtonSystem
{
public:
  PreconditionedSystem(const PairConstraint &B, const Vector &masses, const unsigned int few)
      : B(B)
      , masses(masses)
      , few(few > 0 ? few : std::clamp(static_cast<unsigned int>(B.n_nodes() / 150), 200u, 1000u))
      , factor(B, masses)
  {}

  bool set_weights(const Vector &weights) override
  {
    w = weights;
    blocks.reset();
    if (!w.allFinite())
      return false;
    if (early)
      {
        blocks.emplace(B, masses, w);
        return true;
      }
    return factor.factorize(w);
  }

  bool solve(Vector &x, const double tolerance) override
  {
    const Vector rhs = x;
    // coarse solutions serve as long as steps are far from the end
    if (blocks && iterate(rhs, x, std::max(tolerance, 1e-2), few))
      return true;
    if (blocks)
      {
        early = false;
        blocks.reset();
        if (!factor.factorize(w))
          return false;
      }
    return iterate(rhs, x, tolerance, largest_late);
  }

  bool solutions_are_costly() const override { return early; }

private:
  static constexpr unsigned int largest_late = 500;

  const PairConstraint      &B;
  const Vector              &masses;
  const unsigned int         few; ///< solutions of so many iterations take less than a factor, whose flops grow as n²
  SingleFactor               factor;
  std::optional<BlockJacobi> blocks;
  bool                       early = true;
  Vector                     w;

  void precondition(Vector &z)
  {
    if (blocks)
      blocks->solve(z);
    else
      factor.solve(z);
  }

  /// In one pass through the contacts; where there are threads for it, node by node, with the same digits.
  void apply(const Vector &d, Vector &Hd) const
  {
    const auto impulse = [&](const int c) -> Eigen::Vector3d {
      const auto [i, j]       = B.pairs()[c];
      const Eigen::Vector3d e = B.directions().col(c).head<3>();
      if (j == PairConstraint::fixed_body)
        return w(c) * e.dot(d.segment<3>(3 * i)) * e;
      return w(c) * e.dot(d.segment<3>(3 * i) - d.segment<3>(3 * j)) * e;
    };
    constexpr Index worth_threads = 10000;
    if (B.n_nodes() < worth_threads || tbb::this_task_arena::max_concurrency() == 1)
      {
        Hd = masses.cwiseProduct(d);
        for (int c = 0; c < w.size(); ++c)
          {
            const Eigen::Vector3d p = impulse(c);
            const auto [i, j]       = B.pairs()[c];
            Hd.segment<3>(3 * i) += p;
            if (j != PairConstraint::fixed_body)
              Hd.segment<3>(3 * j) -= p;
          }
        return;
      }
    const PairConstraint::RowsOfNodes &rows = B.rows_of_nodes();
    in_pieces(B.n_nodes(), worth_threads, [&](const Index begin, const Index end) {
      for (Index node = begin; node < end; ++node)
        {
          Eigen::Vector3d sum = masses.segment<3>(3 * node).cwiseProduct(d.segment<3>(3 * node));
          for (int l = rows.start[node]; l < rows.start[node + 1]; ++l)
            if (const int c = rows.row[l]; B.pairs()[c].i == node)
              sum += impulse(c);
            else
              sum -= impulse(c);
          Hd.segment<3>(3 * node) = sum;
        }
    });
  }

  /// Conjugate gradients from 0.
  bool iterate(const Vector &rhs, Vector &x, const double tolerance, const unsigned int largest)
  {
    Vector r = rhs, z = rhs, Hd(x.size());
    x.setZero();
    precondition(z);
    Vector       d     = z;
    double       rz    = r.dot(z);
    const double first = rz;
    for (unsigned int k = 0; tolerance == 1. ? rz > 0. : rz > tolerance * tolerance * first; ++k)
      {
        if (k == largest)
          return false;
        apply(d, Hd);
        const double alpha = rz / d.dot(Hd);
        if (!std::isfinite(alpha))
          return false;
        x += alpha * d;
        if (tolerance == 1.)
          return true;
        r -= alpha * Hd;
        z = r;
        precondition(z);
        const double before = rz;
        rz                  = r.dot(z);
        d                   = z + rz / before * d;
      }
    return true;
  }
};
} // namespace

std::unique_ptr<NewtonSystem> factorised_system(const SparseConstraint &B, const Vector &masses,
                                                const CholeskyBackend backend)
{
  return std::make_unique<FactorisedSystem>(B, masses, backend);
}

std::unique_ptr<NewtonSystem> preconditioned_system(const PairConstraint &B, const Vector &masses, const unsigned int few)
{
  return std::make_unique<PreconditionedSystem>(B, masses, few);
}
} // namespace moreau::convex
