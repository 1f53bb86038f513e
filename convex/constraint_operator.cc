// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/constraint_operator.h"

#include "convex/in_pieces.h"
#include "convex/with_dimension.h"

#include <tbb/task_arena.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace moreau::convex
{
namespace
{
constexpr Index worth_threads = 30000; ///< rows, or nodes
}

Vector SparseConstraint::row_norms() const
{
  const Matrix &B = matrix();
  Vector        norms(B.rows());
  for (Index c = 0; c < B.rows(); ++c)
    norms(c) = B.row(c).norm();
  return norms;
}

PairConstraint::PairConstraint(const Index dim, const Index n_nodes, std::vector<Pair> pairs, Eigen::MatrixXd directions)
    : dim(dim), nodes(n_nodes), pair(std::move(pairs)), e(std::move(directions))
{
  if (dim < 1 || dim > 3)
    throw std::invalid_argument("PairConstraint: the dimension is 1, 2 or 3.");
  if (e.rows() != dim || e.cols() != n_constraints())
    throw std::invalid_argument("PairConstraint: one direction of length dim per pair.");
  for (const auto &[i, j] : pair)
    if (i < 0 || i >= nodes || j < fixed_body || j >= nodes || i == j)
      throw std::invalid_argument("PairConstraint: a pair names a node that does not exist.");
  constexpr double unit_length = 1e-6;
  for (Index c = 0; c < e.cols(); ++c)
    if (!(std::abs(e.col(c).squaredNorm() - 1.) <= unit_length)) // NaN, too
      throw std::invalid_argument("PairConstraint: direction " + std::to_string(c) + " is no unit vector.");
}

void PairConstraint::apply(const Vector &v, Vector &Bv) const
{
  Bv.resize(n_constraints());
  with_dimension(dim, [&](auto d) {
    in_pieces(n_constraints(), worth_threads, [&](const Index begin, const Index end) {
      for (Index c = begin; c < end; ++c)
        {
          const double *const e_c = e.data() + d() * c, *const v_i = v.data() + d() * pair[c].i;
          double approach = 0.;
          for (int k = 0; k < d(); ++k)
            approach += e_c[k] * v_i[k];
          if (pair[c].j != fixed_body)
            {
              // differences first: touching spheres of equal velocity give an exact zero
              const double *const v_j = v.data() + d() * pair[c].j;
              approach                = 0.;
              for (int k = 0; k < d(); ++k)
                approach += e_c[k] * (v_i[k] - v_j[k]);
            }
          Bv(c) = approach;
        }
    });
  });
}

void PairConstraint::apply_transpose(const Vector &q, Vector &Btq) const
{
  Btq.setZero(n_unknowns());
  with_dimension(dim, [&](auto d) {
    if (knows_rows_of_nodes && tbb::this_task_arena::max_concurrency() > 1)
      return in_pieces(nodes, worth_threads, [&](const Index begin, const Index end) {
        for (Index node = begin; node < end; ++node)
          for (int l = of_nodes.start[node]; l < of_nodes.start[node + 1]; ++l)
            {
              const int    c   = of_nodes.row[l];
              const double q_c = pair[c].i == node ? q(c) : -q(c);
              for (int k = 0; k < d(); ++k)
                Btq(d() * node + k) += q_c * e(k, c);
            }
      });
    for (Index c = 0; c < n_constraints(); ++c)
      {
        const double *const e_c = e.data() + d() * c;
        for (int k = 0; k < d(); ++k)
          Btq(d() * pair[c].i + k) += q(c) * e_c[k];
        if (pair[c].j != fixed_body)
          for (int k = 0; k < d(); ++k)
            Btq(d() * pair[c].j + k) -= q(c) * e_c[k];
      }
  });
}

const PairConstraint::RowsOfNodes &PairConstraint::rows_of_nodes() const
{
  std::call_once(sorted, [this] {
    const auto for_each_end = [&](const auto &visit) {
      for (Index c = 0; c < n_constraints(); ++c)
        {
          visit(pair[c].i, static_cast<int>(c));
          if (pair[c].j != fixed_body)
            visit(pair[c].j, static_cast<int>(c));
        }
    };
    of_nodes.start.assign(nodes + 1, 0);
    for_each_end([&](const int node, int) { ++of_nodes.start[node + 1]; });
    for (Index node = 0; node < nodes; ++node)
      of_nodes.start[node + 1] += of_nodes.start[node];
    of_nodes.row.resize(of_nodes.start[nodes]);
    std::vector<int> next(of_nodes.start.begin(), of_nodes.start.end() - 1);
    for_each_end([&](const int node, const int c) { of_nodes.row[next[node]++] = c; });
    knows_rows_of_nodes = true;
  });
  return of_nodes;
}

const SparseConstraint::Matrix &PairConstraint::matrix() const
{
  std::call_once(assembled, [this] {
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(2 * dim * pair.size());
    for (Index c = 0; c < n_constraints(); ++c)
      for (Index k = 0; k < dim; ++k)
        {
          entries.emplace_back(c, dim * pair[c].i + k, e(k, c));
          if (pair[c].j != fixed_body)
            entries.emplace_back(c, dim * pair[c].j + k, -e(k, c));
        }
    B.resize(n_constraints(), n_unknowns());
    B.setFromTriplets(entries.begin(), entries.end());
  });
  return B;
}
} // namespace moreau::convex
