// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/factorisation/multifrontal_cholesky.h"

#include "convex/factorisation/cholmod_analysis.h"
#include "convex/factorisation/dense_front.h"
#include "convex/factorisation/elimination_tree.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

namespace moreau::convex
{
namespace
{
/// Multifrontal factorisation. Supernode s owns the columns first(s) ... first(s+1)-1 of the permuted matrix and
/// a dense panel of all their rows, column by column, own rows on top:
///     panel of s = [L11; L21],   Schur complement of s = Σ of its children's
///     - L21 L21ᵀ,  added to the panel of its parent.
/// Postorder keeps the Schur complements that wait on a stack, one for each part of the tree: parts are worked on by
/// threads. Triangular solves go the same way: what a part subtracts from rows of others it leaves in slots of its own
/// behind the vector, and the parents fetch it in their order.
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
    redirect_rows_of_others();
    panels.resize(panel_start.back());
  }

  bool factorize(const Vector &values) override
  {
    std::atomic<bool> is_positive{true};
    tree.from_leaves([&](const int part) {
      if (is_positive && !factorize_part(part, values))
        is_positive = false;
    });
    if (!is_positive)
      for (auto &stack : stacks)
        stack.reset();
    return is_positive;
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
    tree.from_leaves([&](const int part) { solve_forward(part); });
    tree.from_roots([&](const int part) { solve_backward(part); });
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
  std::vector<Real>        panels;
  EliminationTree          tree;

  // of the parts of the tree
  std::vector<std::size_t>             stack_size;
  std::vector<std::unique_ptr<Real[]>> stacks;
  std::vector<int>                     n_handed_on; ///< fronts whose parents are in other parts
  std::vector<std::atomic<int>>        n_unread;    ///< of these: Schur complements that were not added yet
  std::vector<Real *>                  schur_of;    ///< per supernode: its Schur complement

  std::vector<int>                       slot_start; ///< per supernode that is handed on: its slots in `permuted`
  Eigen::Matrix<Real, Eigen::Dynamic, 1> permuted;   ///< one entry per row of H, then the slots

  int         n_supernodes() const { return static_cast<int>(first.size()) - 1; }
  int         n_columns(const int s) const { return first[s + 1] - first[s]; }
  int         n_rows(const int s) const { return row_start[s + 1] - row_start[s]; }
  int         n_below(const int s) const { return n_rows(s) - n_columns(s); }
  std::size_t schur_size(const int s) const { return static_cast<std::size_t>(n_below(s)) * n_below(s); }
  bool        is_in(const int s, const EliminationTree::Part &part) const { return s >= part.begin && s < part.end; }

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
    std::vector<int> supernode_of(permutation.size()), place(permutation.size()), parent(n_supernodes(), -1);
    for (int s = 0; s < n_supernodes(); ++s)
      std::fill(supernode_of.begin() + first[s], supernode_of.begin() + first[s + 1], s);

    first_child.assign(n_supernodes(), -1);
    next_child.assign(n_supernodes(), -1);
    relative.resize(rows.size());
    for (int child = 0; child < n_supernodes(); ++child)
      if (n_below(child) > 0)
        {
          parent[child]              = supernode_of[rows[row_start[child] + n_columns(child)]];
          next_child[child]          = first_child[parent[child]];
          first_child[parent[child]] = child;
        }
    std::vector<double> work(n_supernodes());
    for (int s = 0; s < n_supernodes(); ++s)
      {
        work[s] = static_cast<double>(n_columns(s)) * n_rows(s) * n_rows(s);
        for (int k = 0; k < n_rows(s); ++k)
          place[rows[row_start[s] + k]] = k;
        for (int child = first_child[s]; child >= 0; child = next_child[child])
          for (int k = n_columns(child); k < n_rows(child); ++k)
            relative[row_start[child] + k] = place[rows[row_start[child] + k]];
      }
    tree = EliminationTree(std::move(parent), work);
    measure_stacks();
  }

  void measure_stacks()
  {
    const std::vector<EliminationTree::Part> &parts = tree.parts();
    stacks.resize(parts.size());
    n_unread = std::vector<std::atomic<int>>(parts.size());
    schur_of.resize(n_supernodes());
    for (const EliminationTree::Part &part : parts)
      {
        std::size_t size = 0, largest = 0;
        int         n = 0;
        for (int s = part.begin; s < part.end; ++s)
          {
            n += tree.is_handed_on(s);
            largest = std::max(largest, size + schur_size(s));
            for (int child = first_child[s]; child >= 0; child = next_child[child])
              if (is_in(child, part))
                size -= schur_size(child);
            size += schur_size(s);
          }
        stack_size.push_back(largest);
        n_handed_on.push_back(n);
      }
  }

  /// For the solves: rows below a part become slots of the front of it that hands them on.
  void redirect_rows_of_others()
  {
    int              n = static_cast<int>(permutation.size());
    std::vector<int> slot(permutation.size());
    slot_start.resize(n_supernodes());
    for (const EliminationTree::Part &part : tree.parts())
      for (int s = part.end - 1; s >= part.begin; --s) // a subtree after its root, whose rows below are all that it has
        {
          const int of_part = first[part.end];
          if (tree.is_handed_on(s))
            {
              slot_start[s] = n;
              for (int k = n_columns(s); k < n_rows(s); ++k)
                slot[rows[row_start[s] + k]] = n++;
            }
          for (int k = n_columns(s); k < n_rows(s); ++k)
            if (int &row = rows[row_start[s] + k]; row >= of_part)
              row = slot[row];
        }
    permuted.resize(n);
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

  bool factorize_part(const int number, const Vector &values)
  {
    const EliminationTree::Part part = tree.parts()[number];
    stacks[number].reset(new Real[stack_size[number]]);
    n_unread[number] = n_handed_on[number];
    Real *top        = stacks[number].get(); // end of the stack
    for (int s = part.begin; s < part.end; ++s)
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
          std::fill_n(schur, schur_size(s), 0.);
        // the last child of this part lies on top
        for (int child = first_child[s]; child >= 0; child = next_child[child])
          {
            const bool is_own = is_in(child, part);
            if (is_own)
              end_of_child -= schur_size(child);
            add_child(child, is_own ? end_of_child : schur_of[child], panel, nr, nc, schur, nu);
            if (const int other = tree.part_of(child); !is_own && --n_unread[other] == 0)
              stacks[other].reset();
          }
        if (!eliminate_front(panel, nr, nc, schur, !has_child))
          return false;
        if (has_child)
          std::memmove(end_of_child, schur, sizeof(Real) * schur_size(s));
        schur_of[s] = end_of_child;
        top         = end_of_child + schur_size(s);
      }
    if (n_handed_on[number] == 0)
      stacks[number].reset();
    return true;
  }

  /// Adds the child's Schur complement (lower triangle, nu_child x nu_child)
  /// to the panel and to the Schur complement of its parent.
  void add_child(const int child, const Real *from, Real *const panel, const int nr, const int nc, Real *const schur,
                 const int nu) const
  {
    const int        nu_child = n_below(child);
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

  /// move(own entry, slot) for what fronts of other parts hand on to the front s.
  template <class Move>
  void exchange_with_children(const int s, const EliminationTree::Part &part, const Move &move)
  {
    for (int child = first_child[s]; child >= 0; child = next_child[child])
      if (!is_in(child, part))
        for (int k = 0; k < n_below(child); ++k)
          move(permuted(rows[row_start[s] + relative[row_start[child] + n_columns(child) + k]]),
               permuted(slot_start[child] + k));
  }

  void solve_forward(const int number)
  {
    const EliminationTree::Part part = tree.parts()[number];
    std::vector<Real>           gathered;
    for (int s = part.begin; s < part.end; ++s)
      if (tree.is_handed_on(s))
        permuted.segment(slot_start[s], n_below(s)).setZero();
    for (int s = part.begin; s < part.end; ++s)
      {
        exchange_with_children(s, part, [](Real &own, const Real &slot) { own += slot; });
        const int         nc = n_columns(s), nr = n_rows(s), nu = nr - nc, stride = 1;
        const Real *const panel = panels.data() + panel_start[s];
        Real *const       x     = permuted.data() + first[s];
        Blas<Real>::trsv("L", "N", "N", &nc, panel, &nr, x, &stride);
        if (nu == 0)
          continue;
        const Real one = 1., zero = 0.;
        gathered.resize(std::max<std::size_t>(gathered.size(), nu));
        Blas<Real>::gemv("N", &nu, &nc, &one, panel + nc, &nr, x, &stride, &zero, gathered.data(), &stride);
        const int *const below = rows.data() + row_start[s] + nc;
        for (int k = 0; k < nu; ++k)
          permuted(below[k]) -= gathered[k];
      }
  }

  void solve_backward(const int number)
  {
    const EliminationTree::Part part = tree.parts()[number];
    std::vector<Real>           gathered;
    for (int s = part.end - 1; s >= part.begin; --s)
      {
        const int         nc = n_columns(s), nr = n_rows(s), nu = nr - nc, stride = 1;
        const Real *const panel = panels.data() + panel_start[s];
        Real *const       x     = permuted.data() + first[s];
        if (nu > 0)
          {
            const int *const below = rows.data() + row_start[s] + nc;
            gathered.resize(std::max<std::size_t>(gathered.size(), nu));
            for (int k = 0; k < nu; ++k)
              gathered[k] = permuted(below[k]);
            const Real one = 1., minus_one = -1.;
            Blas<Real>::gemv("T", &nu, &nc, &minus_one, panel + nc, &nr, gathered.data(), &stride, &one, x, &stride);
          }
        Blas<Real>::trsv("L", "T", "N", &nc, panel, &nr, x, &stride);
        exchange_with_children(s, part, [](const Real &own, Real &slot) { slot = own; });
      }
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
