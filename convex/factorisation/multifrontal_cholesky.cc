// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/factorisation/multifrontal_cholesky.h"

#include "convex/factorisation/cholmod_analysis.h"
#include "convex/factorisation/dense_front.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

namespace moreau::convex
{
namespace
{
/// Multifrontal factorisation. Supernode s owns the columns first(s) ... first(s+1)-1 of the permuted matrix and
/// a dense panel of all their rows, column by column, own rows on top:
///     panel of s = [L11; L21],   Schur complement of s = Σ of its children's
///     - L21 L21ᵀ,  added to the panel of its parent.
/// Postorder keeps the Schur complements that wait on a stack.
template <class Real>
class MultifrontalCholesky : public SparseCholesky
{
public:
  explicit MultifrontalCholesky(const BlockPattern &pattern)
  {
    Cholmod         cholmod;
    LowerTriangle   lower(pattern);
    cholmod_factor *L = analyse(pattern, lower, cholmod);
    copy_supernodes(*L);
    cholmod_free_factor(&L, &cholmod.common);
    connect_supernodes();
    address_entries(lower);
    panels.resize(panel_start.back());
    permuted.resize(permutation.size());
  }

  bool factorize(const Vector &values) override
  {
    Real *top = stack.data(); // end of the stack
    for (int s = 0; s < n_supernodes(); ++s)
      {
        const int   nc = n_columns(s), nr = n_rows(s), nu = nr - nc;
        Real *const panel = panels.data() + panel_start[s];
        std::fill_n(panel, static_cast<std::size_t>(nc) * nr, 0.);
        for (std::size_t k = entry_start[s]; k < entry_start[s + 1]; ++k)
          panels[entry_address[k]] = static_cast<Real>(values(entry_value[k]));

        Real *const schur        = top;
        Real       *end_of_child = top;
        const bool  has_child    = first_child[s] >= 0;
        if (has_child)
          std::fill_n(schur, static_cast<std::size_t>(nu) * nu, 0.);
        // the last child lies on top
        for (int child = first_child[s]; child >= 0; child = next_child[child])
          {
            const std::size_t nu_child = n_rows(child) - n_columns(child);
            end_of_child -= nu_child * nu_child;
            add_child(child, end_of_child, panel, nr, nc, schur, nu);
          }
        if (!eliminate_front(panel, nr, nc, schur, !has_child))
          return false;
        if (has_child)
          std::memmove(end_of_child, schur, sizeof(Real) * nu * nu);
        top = end_of_child + static_cast<std::size_t>(nu) * nu;
      }
    return true;
  }

  void solve(Vector &x) override
  {
    // so that single precision neither over- nor underflows; a power of two does not round
    int exponent = 0;
    std::frexp(max_abs(x), &exponent);
    const double scale = std::ldexp(1., exponent);
    if (!(max_abs(x) > 0.))
      return;
    for (std::size_t k = 0; k < permutation.size(); ++k)
      permuted(k) = static_cast<Real>(x(permutation[k]) / scale);
    for (int s = 0; s < n_supernodes(); ++s)
      solve_forward(s);
    for (int s = n_supernodes() - 1; s >= 0; --s)
      solve_backward(s);
    for (std::size_t k = 0; k < permutation.size(); ++k)
      x(permutation[k]) = scale * permuted(k);
  }

  std::size_t n_entries() const override { return panels.size(); }

private:
  std::vector<int>         permutation;            ///< permuted entry k is entry permutation[k]
  std::vector<int>         first, row_start, rows; ///< supernodes: first column, their rows
  std::vector<std::size_t> panel_start;
  std::vector<int>         first_child, next_child; ///< last child first
  std::vector<int>         relative;    ///< like rows: place of a row below the panel's own among the rows of the parent
  std::vector<std::size_t> entry_start; ///< per supernode: its entries of H
  std::vector<int>         entry_value, entry_address;
  std::vector<Real>        panels, stack;
  Eigen::Matrix<Real, Eigen::Dynamic, 1> permuted, gathered;

  int n_supernodes() const { return static_cast<int>(first.size()) - 1; }
  int n_columns(const int s) const { return first[s + 1] - first[s]; }
  int n_rows(const int s) const { return row_start[s + 1] - row_start[s]; }

  void copy_supernodes(const cholmod_factor &L)
  {
    const auto *const Perm = static_cast<const int *>(L.Perm), *const super = static_cast<const int *>(L.super),
                      *const pi = static_cast<const int *>(L.pi), *const s = static_cast<const int *>(L.s);
    permutation.assign(Perm, Perm + L.n);
    first.assign(super, super + L.nsuper + 1);
    row_start.assign(pi, pi + L.nsuper + 1);
    rows.assign(s, s + L.ssize);
    if (L.n == 0)
      first = row_start = {0};
    panel_start.assign(1, 0);
    for (int k = 0; k < n_supernodes(); ++k)
      panel_start.push_back(panel_start.back() + static_cast<std::size_t>(n_columns(k)) * n_rows(k));
    if (panel_start.back() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw std::bad_alloc();
  }

  void connect_supernodes()
  {
    std::vector<int> supernode_of(permutation.size()), place(permutation.size());
    for (int s = 0; s < n_supernodes(); ++s)
      std::fill(supernode_of.begin() + first[s], supernode_of.begin() + first[s + 1], s);

    first_child.assign(n_supernodes(), -1);
    next_child.assign(n_supernodes(), -1);
    relative.resize(rows.size());
    for (int child = 0; child < n_supernodes(); ++child)
      if (n_rows(child) > n_columns(child))
        {
          const int parent    = supernode_of[rows[row_start[child] + n_columns(child)]];
          next_child[child]   = first_child[parent];
          first_child[parent] = child;
        }
    std::size_t size = 0, largest = 0;
    int         largest_below = 0;
    for (int s = 0; s < n_supernodes(); ++s)
      {
        for (int k = 0; k < n_rows(s); ++k)
          place[rows[row_start[s] + k]] = k;
        const std::size_t nu = n_rows(s) - n_columns(s);
        largest              = std::max(largest, size + nu * nu);
        largest_below        = std::max(largest_below, static_cast<int>(nu));
        for (int child = first_child[s]; child >= 0; child = next_child[child])
          {
            for (int k = n_columns(child); k < n_rows(child); ++k)
              relative[row_start[child] + k] = place[rows[row_start[child] + k]];
            const std::size_t nu_child = n_rows(child) - n_columns(child);
            size -= nu_child * nu_child;
          }
        size += nu * nu;
      }
    stack.resize(largest);
    gathered.resize(largest_below);
  }

  /// Where each entry of H goes, sorted by supernode so that a panel is filled while it is in the cache.
  void address_entries(const LowerTriangle &lower)
  {
    const int        n = static_cast<int>(permutation.size());
    std::vector<int> inverse(n), column_start(n + 1, 0), of_column(lower.row.size()), permuted_row(lower.row.size());
    for (int k = 0; k < n; ++k)
      inverse[permutation[k]] = k;
    const auto for_each = [&](const auto &visit) {
      for (int j = 0; j < n; ++j)
        for (int k = lower.column_start[j]; k < lower.column_start[j + 1]; ++k)
          {
            const auto [column, row] = std::minmax(inverse[j], inverse[lower.row[k]]);
            visit(column, row, k);
          }
    };
    for_each([&](const int column, int, int) { ++column_start[column + 1]; });
    for (int j = 0; j < n; ++j)
      column_start[j + 1] += column_start[j];
    std::vector<int> next(column_start.begin(), column_start.end() - 1);
    for_each([&](const int column, const int row, const int k) {
      of_column[next[column]]      = lower.value[k];
      permuted_row[next[column]++] = row;
    });

    std::vector<int> place(n);
    entry_value.swap(of_column);
    entry_address.resize(entry_value.size());
    entry_start.assign(1, 0);
    for (int s = 0; s < n_supernodes(); ++s)
      {
        for (int k = 0; k < n_rows(s); ++k)
          place[rows[row_start[s] + k]] = k;
        for (int j = first[s]; j < first[s + 1]; ++j)
          for (int k = column_start[j]; k < column_start[j + 1]; ++k)
            entry_address[k] = static_cast<int>(panel_start[s] + static_cast<std::size_t>(j - first[s]) * n_rows(s) +
                                                place[permuted_row[k]]);
        entry_start.push_back(column_start[first[s + 1]]);
      }
  }

  /// Adds the child's Schur complement (lower triangle, nu_child x nu_child)
  /// to the panel and to the Schur complement of its parent.
  void add_child(const int child, const Real *from, Real *const panel, const int nr, const int nc, Real *const schur,
                 const int nu) const
  {
    const int        nu_child = n_rows(child) - n_columns(child);
    const int *const place    = relative.data() + row_start[child] + n_columns(child);
    for (int j = 0; j < nu_child; ++j, from += nu_child)
      {
        const int   J = place[j];
        Real *const to =
            J < nc ? panel + static_cast<std::size_t>(J) * nr : schur + static_cast<std::size_t>(J - nc) * nu - nc;
        for (int i = j; i < nu_child; ++i)
          to[place[i]] += from[i];
      }
  }

  void solve_forward(const int s)
  {
    const int         nc = n_columns(s), nr = n_rows(s), nu = nr - nc, stride = 1;
    const Real *const panel = panels.data() + panel_start[s];
    Real *const       x     = permuted.data() + first[s];
    Blas<Real>::trsv("L", "N", "N", &nc, panel, &nr, x, &stride);
    if (nu == 0)
      return;
    const Real one = 1., zero = 0.;
    Blas<Real>::gemv("N", &nu, &nc, &one, panel + nc, &nr, x, &stride, &zero, gathered.data(), &stride);
    const int *const below = rows.data() + row_start[s] + nc;
    for (int k = 0; k < nu; ++k)
      permuted(below[k]) -= gathered(k);
  }

  void solve_backward(const int s)
  {
    const int         nc = n_columns(s), nr = n_rows(s), nu = nr - nc, stride = 1;
    const Real *const panel = panels.data() + panel_start[s];
    Real *const       x     = permuted.data() + first[s];
    if (nu > 0)
      {
        const int *const below = rows.data() + row_start[s] + nc;
        for (int k = 0; k < nu; ++k)
          gathered(k) = permuted(below[k]);
        const Real one = 1., minus_one = -1.;
        Blas<Real>::gemv("T", &nu, &nc, &minus_one, panel + nc, &nr, gathered.data(), &stride, &one, x, &stride);
      }
    Blas<Real>::trsv("L", "T", "N", &nc, panel, &nr, x, &stride);
  }
};
} // namespace

std::unique_ptr<SparseCholesky> make_multifrontal_cholesky(const BlockPattern &pattern, const bool single_precision)
{
  if (single_precision)
    return std::make_unique<MultifrontalCholesky<float>>(pattern);
  return std::make_unique<MultifrontalCholesky<double>>(pattern);
}
} // namespace moreau::convex
