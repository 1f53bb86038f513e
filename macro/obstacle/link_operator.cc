// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/link_operator.h"

#include <algorithm>

namespace moreau::macro
{
LinkOperator::LinkOperator(const LevelBox &box)
    : diagonal(box.size, 0.), inverse(box.size, 0.), plain(box.size, 0), run_begin(), run_end()
{
  for (int axis = 0; axis < box.dim; ++axis)
    w[axis].assign(box.size, 0.);
}

void LinkOperator::finish(const LevelBox &box, const std::vector<char> &is_unknown)
{
  run_begin.clear();
  run_end.clear();
  leaves.clear();
  const auto set = [&](const Index c) {
    double sum      = 0.;
    bool   is_plain = true;
    int    n_links  = 0;
    Index  linked   = c;
    for (int axis = 0; axis < box.dim; ++axis)
      {
        const double before = w[axis][c], behind = w[axis][c + box.stride[axis]];
        sum += before + behind;
        n_links += (before > 0.) + (behind > 0.);
        linked += before > 0. ? -box.stride[axis] : behind > 0. ? box.stride[axis] : 0;
        is_plain = is_plain && before == plain_w[axis] && behind == plain_w[axis];
      }
    const bool unknown = is_unknown[c] && sum > 0.;
    diagonal[c]        = unknown ? sum : 0.;
    inverse[c]         = unknown ? 1. / sum : 0.;
    plain[c]           = unknown && is_plain;
    if (unknown && n_links == 1 && is_unknown[linked])
      leaves.push_back({c, linked});
  };
  box.for_rows([&](const Index row, Index, Index) {
    for (Index c = row; c < row + box.n[0]; ++c)
      set(c);
    Index longest = 0, begin = 0;
    for (Index i = 0; i < box.n[0];)
      {
        const char *const first = &plain[row + i];
        const Index       same  = std::find(first, first + (box.n[0] - i), plain[row + i] ? 0 : 1) - first;
        if (plain[row + i] && same > longest)
          {
            longest = same;
            begin   = i;
          }
        i += same;
      }
    run_begin.push_back(begin);
    run_end.push_back(begin + longest);
  });
  box.update_ghosts(diagonal);
  box.update_ghosts(plain);
}

namespace
{
/// t (from the begin of the row on) = f + Σ w x of the neighbours in other rows and, of those in the row, the one behind
/// (forwards) or before (backwards) or both.
enum class InRow
{
  before,
  behind,
  both
};

template <int dim, InRow in_row>
void gather(const LinkOperator &A, const std::array<Index, 3> &stride, const double *const f, const double *const x,
            const Index begin, const Index end, const Index plain_begin, const Index plain_end, double *const t)
{
  const double *const w0 = A.w[0].data(), *const w1 = A.w[1].data(), *const w2 = A.w[2].data();
  const Index sy = stride[1], sz = stride[2];
  const auto  special = [&](const Index from, const Index to) {
    for (Index c = from; c < to; ++c)
      {
        double sum = f[c] + w1[c] * x[c - sy] + w1[c + sy] * x[c + sy];
        if (dim == 3)
          sum += w2[c] * x[c - sz] + w2[c + sz] * x[c + sz];
        if (in_row != InRow::behind)
          sum += w0[c] * x[c - 1];
        if (in_row != InRow::before)
          sum += w0[c + 1] * x[c + 1];
        t[c - begin] = sum;
      }
  };
  special(begin, plain_begin);
  const double wx = A.plain_w[0], wy = A.plain_w[1], wz = A.plain_w[2];
  for (Index c = plain_begin; c < plain_end; ++c)
    {
      double sum = f[c] + wy * (x[c - sy] + x[c + sy]);
      if (dim == 3)
        sum += wz * (x[c - sz] + x[c + sz]);
      if (in_row == InRow::both)
        sum += wx * (x[c - 1] + x[c + 1]);
      else
        sum += wx * x[in_row == InRow::before ? c - 1 : c + 1];
      t[c - begin] = sum;
    }
  special(plain_end, end);
}

template <bool projected>
double cut_off(const double value)
{
  return projected ? (value > 0. ? value : 0.) : value;
}

template <int dim, bool projected>
void sweep_row(const LevelBox &box, const LinkOperator &A, const double *const f, double *const x, const Index row,
               const Index plain_begin, const Index plain_end, const bool backwards, double *const t)
{
  const Index         end = row + box.n[0];
  const double *const w0 = A.w[0].data(), *const inverse = A.inverse.data();
  const double plain = plain_begin < plain_end ? inverse[plain_begin] : 0., c0 = plain * A.plain_w[0];
  const auto   special = [&](const Index c, const double weight, const double neighbour) {
    x[c] = cut_off<projected>((t[c - row] + weight * neighbour) * inverse[c]);
  };
  if (!backwards)
    {
      gather<dim, InRow::behind>(A, box.stride, f, x, row, end, plain_begin, plain_end, t);
      for (Index c = row; c < plain_begin; ++c)
        special(c, w0[c], x[c - 1]);
      double before = x[plain_begin - 1];
      for (Index c = plain_begin; c < plain_end; ++c)
        x[c] = before = cut_off<projected>(plain * t[c - row] + c0 * before);
      for (Index c = plain_end; c < end; ++c)
        special(c, w0[c], x[c - 1]);
    }
  else
    {
      gather<dim, InRow::before>(A, box.stride, f, x, row, end, plain_begin, plain_end, t);
      for (Index c = end; c-- > plain_end;)
        special(c, w0[c + 1], x[c + 1]);
      double behind = x[plain_end];
      for (Index c = plain_end; c-- > plain_begin;)
        x[c] = behind = cut_off<projected>(plain * t[c - row] + c0 * behind);
      for (Index c = plain_begin; c-- > row;)
        special(c, w0[c + 1], x[c + 1]);
    }
}

std::vector<Index> own_rows(const LevelBox &box)
{
  std::vector<Index> rows;
  box.for_rows([&](const Index row, Index, Index) { rows.push_back(row); });
  return rows;
}
} // namespace

template <bool projected>
void sweep(const LevelBox &box, const LinkOperator &A, const std::vector<double> &f, std::vector<double> &x,
           const bool backwards)
{
  const std::vector<Index> rows = own_rows(box);
  const Index              n    = static_cast<Index>(rows.size());
  std::vector<double>      t(box.n[0]);
  for (Index r = 0; r < n; ++r)
    {
      const Index number = backwards ? n - 1 - r : r, row = rows[number];
      (box.dim == 2 ? sweep_row<2, projected> : sweep_row<3, projected>)(box, A, f.data(), x.data(), row,
                                                                         row + A.run_begin[number], row + A.run_end[number],
                                                                         backwards, t.data());
    }
}

void for_residual_rows(const LevelBox &box, const LinkOperator &A, const std::vector<double> &f,
                       const std::vector<double> &x, const std::function<void(Index, double *)> &visit)
{
  std::vector<double> r(box.n[0]);
  Index               number = 0;
  box.for_rows([&](const Index row, Index, Index) {
    const Index begin = row + A.run_begin[number], end = row + A.run_end[number], last = row + box.n[0];
    ++number;
    double *const t = r.data();
    (box.dim == 2 ? gather<2, InRow::both> : gather<3, InRow::both>)(A, box.stride, f.data(), x.data(), row, last, begin,
                                                                     end, t);
    const auto special = [&](const Index from, const Index to) {
      for (Index c = from; c < to; ++c)
        t[c - row] = A.diagonal[c] > 0. ? t[c - row] - A.diagonal[c] * x[c] : 0.;
    };
    special(row, begin);
    const double plain = begin < end ? A.diagonal[begin] : 0.;
    for (Index c = begin; c < end; ++c)
      t[c - row] -= plain * x[c];
    special(end, last);
    visit(row, r.data());
  });
}

template void sweep<false>(const LevelBox &, const LinkOperator &, const std::vector<double> &, std::vector<double> &, bool);
template void sweep<true>(const LevelBox &, const LinkOperator &, const std::vector<double> &, std::vector<double> &, bool);
} // namespace moreau::macro
