// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_FACTORISATION_CHOLMOD_ANALYSIS_H
#define MOREAU_CONVEX_FACTORISATION_CHOLMOD_ANALYSIS_H

#include "convex/factorisation/sparse_cholesky.h"

#include <suitesparse/cholmod.h>

#include <new>
#include <vector>

namespace moreau::convex
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

/// Supernodal symbolic analysis, by METIS' nested dissection of the nodes; the caller frees it by cholmod_free_factor().
/// Throws std::bad_alloc.
cholmod_factor *analyse(const BlockPattern &pattern, LowerTriangle &lower, Cholmod &cholmod);

/// In which order analyse() eliminates, and what that leaves.
struct Elimination
{
  std::vector<int> order;          ///< of the rows: the row that is eliminated k-th
  double           n_entries = 0.; ///< of L, without the zeros that wide fronts store
};

/// The same order and its entries, also where there are too many for one factor. Throws std::bad_alloc.
Elimination elimination(const BlockPattern &pattern, LowerTriangle &lower);
} // namespace moreau::convex

#endif
