// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/factorisation/dense_front.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace moreau::convex
{
namespace
{
constexpr int tile = 256, from_rows = 768; ///< rows of a front from which it is worth the threads

/// Where a matrix in column-major order has its entry (i, j).
template <class Real>
Real *at(Real *const A, const int ld, const int i, const int j)
{
  return A + static_cast<std::size_t>(j) * ld + i;
}

/// The first rows of tiles of [begin, end).
std::vector<int> tiles(const int begin, const int end)
{
  std::vector<int> first;
  for (int i = begin; i < end; i += tile)
    first.push_back(i);
  return first;
}

/// C_ij := beta C_ij - sum_k A_ik A_jk, k in [0, n_columns), on the lower triangle of rows and columns [begin, end), and the
/// rows from there to `last`; A and C count rows alike.
template <class Real>
void subtract_product(const Real *const A, const int ldA, const int n_columns, Real *const C, const int ldC, const Real beta,
                      const int begin, const int end, const int last)
{
  std::vector<std::pair<int, int>> pairs;
  for (const int j : tiles(begin, end))
    for (int i = j; i < last; i = i == j ? std::min(j + tile, end) : i + tile)
      pairs.emplace_back(i, j);
  const Real minus_one = -1.;
  tbb::parallel_for(std::size_t(0), pairs.size(), [&](const std::size_t k) {
    const auto [i, j] = pairs[k];
    const int nj      = std::min(tile, end - j);
    if (i == j)
      Blas<Real>::syrk("L", "N", &nj, &n_columns, &minus_one, at(A, ldA, j, 0), &ldA, &beta, at(C, ldC, j, j), &ldC);
    else
      {
        const int ni = std::min(tile, last - i);
        Blas<Real>::gemm("N", "T", &ni, &nj, &n_columns, &minus_one, at(A, ldA, i, 0), &ldA, at(A, ldA, j, 0), &ldA, &beta,
                         at(C, ldC, i, j), &ldC);
      }
  });
}

/// Whether all pivots of an n x n block are positive; the last one of a NaN matrix: LAPACK compares pivots and lets some NaN
/// pass.
template <class Real>
bool factorize_block(Real *const A, const int n, const int ld)
{
  int info = 0;
  Blas<Real>::potrf("L", &n, A, &ld, &info);
  return info == 0 && *at(A, ld, n - 1, n - 1) > 0.;
}
} // namespace

template <class Real>
bool eliminate_front(Real *const panel, const int nr, const int nc, Real *const schur, const bool empty)
{
  const int  nu  = nr - nc;
  const Real one = 1., minus_one = -1., beta = empty ? 0. : 1.;
  if (nr < from_rows)
    {
      if (!factorize_block(panel, nc, nr))
        return false;
      if (nu == 0)
        return true;
      Blas<Real>::trsm("R", "L", "T", "N", &nu, &nc, &one, panel, &nr, panel + nc, &nr);
      Blas<Real>::syrk("L", "N", &nu, &nc, &minus_one, panel + nc, &nr, &beta, schur, &nu);
      return true;
    }

  for (const int k : tiles(0, nc))
    {
      const int nk = std::min(tile, nc - k), below = k + nk;
      Real     *diagonal = at(panel, nr, k, k);
      if (!factorize_block(diagonal, nk, nr))
        return false;
      const std::vector<int> rows = tiles(below, nr);
      tbb::parallel_for(std::size_t(0), rows.size(), [&](const std::size_t q) {
        const int ni = std::min(tile, nr - rows[q]);
        Blas<Real>::trsm("R", "L", "T", "N", &ni, &nk, &one, diagonal, &nr, at(panel, nr, rows[q], k), &nr);
      });
      subtract_product<Real>(at(panel, nr, 0, k), nr, nk, panel, nr, 1., below, nc, nr);
    }
  if (nu > 0)
    subtract_product<Real>(panel + nc, nr, nc, schur, nu, beta, 0, nu, nu);
  return true;
}

template bool eliminate_front<double>(double *, int, int, double *, bool);
template bool eliminate_front<float>(float *, int, int, float *, bool);
} // namespace moreau::convex
