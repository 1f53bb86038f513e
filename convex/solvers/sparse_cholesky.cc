// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/sparse_cholesky.h"

#include <suitesparse/cholmod.h>

#include <algorithm>
#include <csignal>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

extern "C" {
void dpotrf_(const char *uplo, const int *n, double *A, const int *ld, int *info);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
            const double *alpha, const double *A, const int *ldA, double *B, const int *ldB);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const double *A,
            const int *ldA, const double *beta, double *C, const int *ldC);
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *A, const int *ld, double *x,
            const int *incx);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *A, const int *ld,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
}

namespace moreau::convex
{
namespace
{
/// A silent cholmod_common with its lifetime: CHOLMOD reports through `status`, and so do we.
class Cholmod
{
public:
  Cholmod()
  {
    cholmod_start(&common);
    common.print                      = 0;
    common.error_handler              = nullptr;
    common.quick_return_if_not_posdef = 1;
    common.supernodal                 = CHOLMOD_SUPERNODAL;
    common.postorder                  = 1;
    common.nmethods                   = 1;
    common.method[0].ordering         = CHOLMOD_GIVEN;
    // wider than CHOLMOD's default: a few zeros are cheaper than many small fronts (measured on plane contact graphs)
    common.nrelax[0] = 6;
    common.nrelax[1] = 24;
    common.nrelax[2] = 72;
  }
  Cholmod(const Cholmod &)            = delete;
  Cholmod &operator=(const Cholmod &) = delete;
  ~Cholmod() { cholmod_finish(&common); }

  void check() const
  {
    if (common.status < CHOLMOD_OK)
      throw std::bad_alloc();
  }

  cholmod_common common;
};

/// The scalar lower triangle (column compressed) that a block pattern stands for.
struct LowerTriangle
{
  std::vector<int> column_start, row;
  std::vector<int> value; ///< where the block values hold each entry

  explicit LowerTriangle(const BlockPattern &pattern)
  {
    const int d = pattern.dim;
    column_start.reserve(pattern.n_rows() + 1);
    column_start.push_back(0);
    for (int node = 0; node < pattern.n_nodes(); ++node)
      for (int a = 0; a < d; ++a)
        {
          for (int q = pattern.column_start[node]; q < pattern.column_start[node + 1]; ++q)
            for (int k = (pattern.row[q] == node ? a : 0); k < d; ++k)
              {
                row.push_back(d * pattern.row[q] + k);
                value.push_back((q * d + a) * d + k);
              }
          column_start.push_back(static_cast<int>(row.size()));
        }
  }

  /// A view for CHOLMOD; x may be null (pattern only).
  cholmod_sparse view(double *x)
  {
    cholmod_sparse A{};
    A.nrow = A.ncol = column_start.size() - 1;
    A.nzmax         = row.size();
    A.p             = column_start.data();
    A.i             = row.data();
    A.x             = x;
    A.stype         = -1;
    A.itype         = CHOLMOD_INT;
    A.xtype         = x ? CHOLMOD_REAL : CHOLMOD_PATTERN;
    A.dtype         = CHOLMOD_DOUBLE;
    A.sorted = A.packed = 1;
    return A;
  }
};

/// METIS answers SIGTERM by a long jump out of whatever it is doing, with
/// locks held: the signal is held back until METIS is through.
/// Other threads must not take the signal meanwhile; the program keeps it from them.
class WithoutTermination
{
public:
  WithoutTermination()
  {
    sigset_t termination;
    sigemptyset(&termination);
    sigaddset(&termination, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &termination, &before);
  }
  ~WithoutTermination() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  WithoutTermination(const WithoutTermination &) = delete;

private:
  sigset_t before;
};

/// METIS nested dissection of the nodes, expanded to their entries: dissecting dim³ fewer edges than the scalar graph has.
std::vector<int> nested_dissection(const BlockPattern &pattern, Cholmod &cholmod)
{
  cholmod_sparse graph{};
  graph.nrow = graph.ncol = pattern.n_nodes();
  graph.nzmax             = pattern.row.size();
  graph.p                 = const_cast<int *>(pattern.column_start.data());
  graph.i                 = const_cast<int *>(pattern.row.data());
  graph.stype             = -1;
  graph.itype             = CHOLMOD_INT;
  graph.xtype             = CHOLMOD_PATTERN;
  graph.dtype             = CHOLMOD_DOUBLE;
  graph.sorted = graph.packed = 1;

  std::vector<int> of_nodes(pattern.n_nodes()), of_entries;
  {
    const WithoutTermination held_back;
    cholmod_metis(&graph, nullptr, 0, 0, of_nodes.data(), &cholmod.common);
  }
  cholmod.check();
  of_entries.reserve(pattern.n_rows());
  for (const int node : of_nodes)
    for (int a = 0; a < pattern.dim; ++a)
      of_entries.push_back(pattern.dim * node + a);
  return of_entries;
}

/// Supernodal symbolic analysis; the caller frees it.
cholmod_factor *analyse(const BlockPattern &pattern, LowerTriangle &lower, Cholmod &cholmod)
{
  std::vector<int> permutation = nested_dissection(pattern, cholmod);
  cholmod_sparse   A           = lower.view(nullptr);
  cholmod_factor  *L           = cholmod_analyze_p(&A, permutation.data(), nullptr, 0, &cholmod.common);
  cholmod.check();
  return L;
}

class CholmodCholesky : public SparseCholesky
{
public:
  explicit CholmodCholesky(const BlockPattern &pattern)
      : lower(pattern), x(lower.row.size()), L(analyse(pattern, lower, cholmod))
  {}

  ~CholmodCholesky() override
  {
    cholmod_free_factor(&L, &cholmod.common);
    cholmod_free_dense(&solution, &cholmod.common);
    cholmod_free_dense(&work, &cholmod.common);
    cholmod_free_dense(&set_work, &cholmod.common);
  }

  bool factorize(const Vector &values) override
  {
    for (std::size_t k = 0; k < x.size(); ++k)
      if (x[k] = values(lower.value[k]); !std::isfinite(x[k]))
        return false; // CHOLMOD lets NaN pass
    cholmod_sparse A = lower.view(x.data());
    cholmod_factorize(&A, L, &cholmod.common);
    cholmod.check();
    // the return value is true for an indefinite matrix, too
    return cholmod.common.status == CHOLMOD_OK && L->minor == L->n;
  }

  void solve(Vector &rhs) override
  {
    cholmod_dense b{};
    b.nrow = b.nzmax = b.d = rhs.size();
    b.ncol                 = 1;
    b.x                    = rhs.data();
    b.xtype                = CHOLMOD_REAL;
    b.dtype                = CHOLMOD_DOUBLE;
    cholmod_solve2(CHOLMOD_A, L, &b, nullptr, &solution, nullptr, &work, &set_work, &cholmod.common);
    cholmod.check();
    std::copy_n(static_cast<const double *>(solution->x), rhs.size(), rhs.data());
  }

  std::size_t n_entries() const override { return L->xsize; }

private:
  Cholmod             cholmod;
  LowerTriangle       lower;
  std::vector<double> x;
  cholmod_factor     *L;
  cholmod_dense      *solution = nullptr, *work = nullptr, *set_work = nullptr;
};

/// Multifrontal factorisation in doubles. Supernode s owns the columns first(s) ... first(s+1)-1 of the permuted matrix and
/// a dense panel of all their rows, column by column, own rows on top:
///     panel of s = [L11; L21],   Schur complement of s = Σ of its children's
///     - L21 L21ᵀ,  added to the panel of its parent.
/// Postorder keeps the Schur complements that wait on a stack.
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
    double *top = stack.data(); // end of the stack
    for (int s = 0; s < n_supernodes(); ++s)
      {
        const int     nc = n_columns(s), nr = n_rows(s), nu = nr - nc;
        double *const panel = panels.data() + panel_start[s];
        std::fill_n(panel, static_cast<std::size_t>(nc) * nr, 0.);
        for (std::size_t k = entry_start[s]; k < entry_start[s + 1]; ++k)
          panels[entry_address[k]] = values(entry_value[k]);

        double *const schur        = top;
        double       *end_of_child = top;
        const bool    has_child    = first_child[s] >= 0;
        if (has_child)
          std::fill_n(schur, static_cast<std::size_t>(nu) * nu, 0.);
        // the last child lies on top
        for (int child = first_child[s]; child >= 0; child = next_child[child])
          {
            const std::size_t nu_child = n_rows(child) - n_columns(child);
            end_of_child -= nu_child * nu_child;
            add_child(child, end_of_child, panel, nr, nc, schur, nu);
          }
        if (!eliminate(panel, nr, nc, schur, nu, has_child))
          return false;
        if (has_child)
          std::memmove(end_of_child, schur, sizeof(double) * nu * nu);
        top = end_of_child + static_cast<std::size_t>(nu) * nu;
      }
    return true;
  }

  void solve(Vector &x) override
  {
    for (std::size_t k = 0; k < permutation.size(); ++k)
      permuted(k) = x(permutation[k]);
    for (int s = 0; s < n_supernodes(); ++s)
      solve_forward(s);
    for (int s = n_supernodes() - 1; s >= 0; --s)
      solve_backward(s);
    for (std::size_t k = 0; k < permutation.size(); ++k)
      x(permutation[k]) = permuted(k);
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
  std::vector<double>      panels, stack;
  Vector                   permuted, gathered;

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
  void add_child(const int child, const double *from, double *const panel, const int nr, const int nc, double *const schur,
                 const int nu) const
  {
    const int        nu_child = n_rows(child) - n_columns(child);
    const int *const place    = relative.data() + row_start[child] + n_columns(child);
    for (int j = 0; j < nu_child; ++j, from += nu_child)
      {
        const int     J = place[j];
        double *const to =
            J < nc ? panel + static_cast<std::size_t>(J) * nr : schur + static_cast<std::size_t>(J - nc) * nu - nc;
        for (int i = j; i < nu_child; ++i)
          to[place[i]] += from[i];
      }
  }

  static bool eliminate(double *const panel, const int nr, const int nc, double *const schur, const int nu,
                        const bool has_child)
  {
    int info = 0;
    dpotrf_("L", &nc, panel, &nr, &info);
    // the last pivot of a NaN matrix: LAPACK compares pivots and lets some NaN pass
    const double last = panel[static_cast<std::size_t>(nc - 1) * nr + nc - 1];
    if (info != 0 || !(last > 0.))
      return false;
    if (nu == 0)
      return true;
    const double one = 1., minus_one = -1., beta = has_child ? 1. : 0.;
    dtrsm_("R", "L", "T", "N", &nu, &nc, &one, panel, &nr, panel + nc, &nr);
    dsyrk_("L", "N", &nu, &nc, &minus_one, panel + nc, &nr, &beta, schur, &nu);
    return true;
  }

  void solve_forward(const int s)
  {
    const int           nc = n_columns(s), nr = n_rows(s), nu = nr - nc, stride = 1;
    const double *const panel = panels.data() + panel_start[s];
    double *const       x     = permuted.data() + first[s];
    dtrsv_("L", "N", "N", &nc, panel, &nr, x, &stride);
    if (nu == 0)
      return;
    const double one = 1., zero = 0.;
    dgemv_("N", &nu, &nc, &one, panel + nc, &nr, x, &stride, &zero, gathered.data(), &stride);
    const int *const below = rows.data() + row_start[s] + nc;
    for (int k = 0; k < nu; ++k)
      permuted(below[k]) -= gathered(k);
  }

  void solve_backward(const int s)
  {
    const int           nc = n_columns(s), nr = n_rows(s), nu = nr - nc, stride = 1;
    const double *const panel = panels.data() + panel_start[s];
    double *const       x     = permuted.data() + first[s];
    if (nu > 0)
      {
        const int *const below = rows.data() + row_start[s] + nc;
        for (int k = 0; k < nu; ++k)
          gathered(k) = permuted(below[k]);
        const double one = 1., minus_one = -1.;
        dgemv_("T", &nu, &nc, &minus_one, panel + nc, &nr, gathered.data(), &stride, &one, x, &stride);
      }
    dtrsv_("L", "T", "N", &nc, panel, &nr, x, &stride);
  }
};
} // namespace

std::unique_ptr<SparseCholesky> make_sparse_cholesky(const BlockPattern &pattern, const CholeskyBackend backend)
{
  if (backend == CholeskyBackend::cholmod)
    return std::make_unique<CholmodCholesky>(pattern);
  return std::make_unique<MultifrontalCholesky>(pattern);
}
} // namespace moreau::convex
