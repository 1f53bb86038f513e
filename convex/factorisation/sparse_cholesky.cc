// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/factorisation/sparse_cholesky.h"

#include "convex/factorisation/cholmod_analysis.h"
#include "convex/factorisation/multifrontal_cholesky.h"

#include <algorithm>
#include <cmath>

namespace moreau::convex
{
namespace
{
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

thread_local CholeskyElsewhere *cholesky_elsewhere = nullptr;
} // namespace

WithCholeskyElsewhere::WithCholeskyElsewhere(CholeskyElsewhere &elsewhere) : before(cholesky_elsewhere)
{
  cholesky_elsewhere = &elsewhere;
}

WithCholeskyElsewhere::~WithCholeskyElsewhere() { cholesky_elsewhere = before; }

std::unique_ptr<SparseCholesky> make_sparse_cholesky(const BlockPattern &pattern, const CholeskyBackend backend)
{
  if (cholesky_elsewhere)
    if (std::unique_ptr<SparseCholesky> made = cholesky_elsewhere->make(pattern))
      return made;
  if (backend == CholeskyBackend::cholmod)
    return std::make_unique<CholmodCholesky>(pattern);
  return make_multifrontal_cholesky(pattern, backend == CholeskyBackend::multifrontal_single);
}
} // namespace moreau::convex
