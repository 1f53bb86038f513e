// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_FACTORISATION_MULTIFRONTAL_CHOLESKY_H
#define MOREAU_CONVEX_FACTORISATION_MULTIFRONTAL_CHOLESKY_H

#include "convex/factorisation/sparse_cholesky.h"

#include <memory>

namespace moreau::convex
{
/// The own numerical phase on CHOLMOD's symbolic analysis. In single precision values are rounded once, panels take half the
/// memory, and L Lᵀ is H up to 1e-7 of its largest entries: a preconditioner. Throws as make_sparse_cholesky().
std::unique_ptr<SparseCholesky> make_multifrontal_cholesky(const BlockPattern &pattern, bool single_precision);
} // namespace moreau::convex

#endif
