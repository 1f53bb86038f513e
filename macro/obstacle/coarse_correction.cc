// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/coarse_correction.h"

#include <algorithm>

namespace moreau::macro
{
namespace
{
/// What a row of a matrix, or a cell of the finest level, is like.
enum Kind : char
{
  empty   = 0, ///< no entries: masked
  general = 1,
  plain   = 2 ///< as far from everything special
};

constexpr int power_of_3(const int dim) { return dim == 2 ? 9 : 27; }

/// Row of PᵀAP of one coarse cell. `row(cx, cy, cz, a)` writes the 3^dim
/// entries of a child's row of A, false where it has none;
/// tables: AxisTransfer::products of the cell.
template <int dim, class Row>
void galerkin_row(const std::array<const float *, 3> &tables, const std::array<int, 3> &n_children, Row &&row,
                  float *const out)
{
  constexpr int n_planes = dim == 3 ? 3 : 1;
  std::fill_n(out, power_of_3(dim), 0.f);
  for (int cz = 0; cz < n_children[2]; ++cz)
    {
      float plane[n_planes][9] = {}; // by dz; x and y contracted
      for (int cy = 0; cy < n_children[1]; ++cy)
        {
          float line[n_planes][3][3] = {}; // by dz, dy; x contracted
          bool  any                  = false;
          for (int cx = 0; cx < n_children[0]; ++cx)
            {
              float a[power_of_3(dim)];
              if (!row(cx, cy, cz, a))
                continue;
              any                  = true;
              const float *const T = tables[0] + 9 * cx;
              for (int dz = 0; dz < n_planes; ++dz)
                for (int dy = 0; dy < 3; ++dy)
                  for (int dx = 0; dx < 3; ++dx)
                    for (int k = 0; k < 3; ++k)
                      line[dz][dy][k] += T[3 * dx + k] * a[9 * dz + 3 * dy + dx];
            }
          if (!any)
            continue;
          const float *const T = tables[1] + 9 * cy;
          for (int dz = 0; dz < n_planes; ++dz)
            for (int dy = 0; dy < 3; ++dy)
              for (int l = 0; l < 3; ++l)
                for (int k = 0; k < 3; ++k)
                  plane[dz][3 * l + k] += T[3 * dy + l] * line[dz][dy][k];
        }
      if (dim == 2)
        for (int k = 0; k < 9; ++k)
          out[k] += plane[0][k];
      else
        for (int dz = 0; dz < n_planes; ++dz)
          for (int l = 0; l < 3; ++l)
            for (int k = 0; k < 9; ++k)
              out[9 * l + k] += tables[2][9 * cz + 3 * dz + l] * plane[dz][k];
    }
}

/// Calls f(position of the cell, I, J, K) on layers begin ... end-1.
template <class F>
void for_cells(const LevelBox &box, const Index begin, const Index end, F &&f)
{
  box.for_rows(begin, end, [&](const Index row, const Index J, const Index K) {
    for (Index I = 0; I < box.n[0]; ++I)
      f(row + I, std::array<Index, 3>{I, J, K});
  });
}

/// Over the cells of `fine` in the place of (I, J, K), the lower of its children: f(position).
template <class F>
void for_own_children(const LevelBox &fine, const LevelTransfer &transfer, const std::array<Index, 3> &cell, F &&f)
{
  std::array<Index, 3> begin = {0, 0, 0}, end = {1, 1, 1};
  for (int axis = 0; axis < fine.dim; ++axis)
    {
      begin[axis] = transfer[axis].coarsened ? 2 * cell[axis] : cell[axis];
      end[axis]   = std::min(fine.n[axis], begin[axis] + (transfer[axis].coarsened ? 2 : 1));
    }
  for (Index k = begin[2]; k < end[2]; ++k)
    for (Index j = begin[1]; j < end[1]; ++j)
      for (Index i = begin[0]; i < end[0]; ++i)
        f(fine.position(j, k) + i);
}

/// Offsets of the rows next to a row, itself included, those before it first.
template <int dim>
std::array<Index, power_of_3(dim) / 3> neighbouring_rows(const LevelBox &box)
{
  std::array<Index, power_of_3(dim) / 3> result;
  for (int dz = 0; dz < (dim == 3 ? 3 : 1); ++dz)
    for (int dy = 0; dy < 3; ++dy)
      result[3 * dz + dy] = (dy - 1) * box.stride[1] + (dim == 3 ? (dz - 1) * box.stride[2] : 0);
  return result;
}

/// Where the entries of the row of cells at a position begin: entry e of cell i at e * stride[1] + i.
Index matrix_position(const LevelBox &box, const Index row, const int n_values)
{
  const Index line = (row - LevelBox::pad) / box.stride[1];
  return line * n_values * box.stride[1] + LevelBox::pad;
}
} // namespace

CoarseCorrection::CoarseCorrection(const LevelChain &chain) : chain(chain), levels(chain.boxes.size())
{
  const int entries = power_of_3(chain.boxes[0].dim);
  for (std::size_t l = 1; l < levels.size(); ++l)
    {
      const Index size = chain.boxes[l].size;
      levels[l].matrix.assign((entries + 1) * size, 0.f);
      levels[l].kind.assign(size, empty);
      for (std::vector<float> *const array : {&levels[l].x, &levels[l].f, &levels[l].r})
        array->assign(size, 0.f);
      levels[l].plain.resize(entries);
    }
}

void CoarseCorrection::set_operator(const std::size_t level, const LinkOperator &A, const std::vector<char> &new_states)
{
  const LevelBox   &box  = chain.boxes[level];
  const bool        anew = !is_set || finest != level;
  std::vector<char> changed(box.size), kind(box.size), rows_changed;
  for (Index c = 0; c < box.size; ++c)
    {
      changed[c] = anew || new_states[c] != states[c];
      kind[c]    = new_states[c] == free ? (A.plain[c] ? plain : general) : empty;
    }
  states = new_states;
  finest = level;
  is_set = true;
  for (std::size_t l = level; l + 1 < levels.size(); ++l)
    {
      const auto &fine_kind = l == level ? kind : levels[l].kind;
      if (box.dim == 2)
        make_matrix<2>(l, l == level ? &A : nullptr, fine_kind, changed, rows_changed);
      else
        make_matrix<3>(l, l == level ? &A : nullptr, fine_kind, changed, rows_changed);
      changed.swap(rows_changed);
    }
  factorise();
}

template <int dim>
bool CoarseCorrection::finer_row(const std::size_t level, const LinkOperator *const A, const std::vector<char> &kind,
                                 const Index c, float *const a) const
{
  constexpr int   entries = power_of_3(dim);
  const LevelBox &box     = chain.boxes[level];
  if (kind[c] == empty)
    return false;
  if (!A)
    {
      const Index  line  = c / box.stride[1];
      const float *entry = levels[level].matrix.data() + line * entries * box.stride[1] + c;
      for (int e = 0; e < entries; ++e, entry += box.stride[1])
        a[e] = *entry;
      return true;
    }
  std::fill_n(a, entries, 0.f);
  double diagonal = A->diagonal[c];
  int    offset   = 1;
  for (int axis = 0; axis < dim; ++axis, offset *= 3)
    for (const int side : {-1, 1})
      {
        const Index  other = c + side * box.stride[axis];
        const double w     = A->w[axis][std::max(c, other)];
        if (kind[other] != empty)
          a[entries / 2 + side * offset] = -static_cast<float>(w);
        // a link to a follower is never stretched
        if (states[other] == follower)
          diagonal -= w;
      }
  a[entries / 2] = static_cast<float>(diagonal);
  return true;
}

template <int dim>
void CoarseCorrection::make_plain_row(const std::size_t level, const LinkOperator *const A)
{
  constexpr int      entries = power_of_3(dim);
  std::vector<float> a(entries, 0.f);
  if (!A)
    a = levels[level].plain;
  else
    for (int axis = 0, offset = 1; axis < dim; ++axis, offset *= 3)
      {
        a[entries / 2 - offset] = a[entries / 2 + offset] = -static_cast<float>(A->plain_w[axis]);
        a[entries / 2] += 2.f * static_cast<float>(A->plain_w[axis]);
      }
  std::array<std::array<float, 27>, 3> inner;
  std::array<const float *, 3>         tables     = {};
  std::array<int, 3>                   n_children = {1, 1, 1};
  for (int axis = 0; axis < dim; ++axis)
    {
      const AxisTransfer &transfer = chain.transfers[level][axis];
      inner[axis]                  = AxisTransfer::inner_products(transfer.coarsened);
      tables[axis]                 = inner[axis].data();
      n_children[axis]             = transfer.n_children();
    }
  galerkin_row<dim>(
      tables, n_children,
      [&a](int, int, int, float *const row) {
        std::copy(a.begin(), a.end(), row);
        return true;
      },
      levels[level + 1].plain.data());
}

CoarseCorrection::Blocks CoarseCorrection::blocks_of(const std::size_t level, const std::vector<char> &kind,
                                                     const std::vector<char> &changed) const
{
  const LevelBox      &fine = chain.boxes[level], &coarse = chain.boxes[level + 1];
  const LevelTransfer &transfer = chain.transfers[level];
  Blocks               blocks{std::vector<char>(coarse.size, empty), std::vector<char>(coarse.size, 0)};
  LevelBox             box    = coarse; // one more where cells are left over
  Index                end    = chain.part_end[level + 1];
  int                  n_full = 1;
  for (int axis = 0; axis < fine.dim; ++axis)
    {
      const bool left_over = transfer[axis].coarsened && 2 * coarse.n[axis] < fine.n[axis];
      end += axis == fine.dim - 1 && left_over && end == coarse.n[axis];
      box.n[axis] += left_over;
      n_full *= transfer[axis].coarsened ? 2 : 1;
    }
  for_cells(box, chain.part_begin[level + 1], end, [&](const Index c, const std::array<Index, 3> &cell) {
    char least = plain, most = empty, any = 0;
    int  n = 0;
    for_own_children(fine, transfer, cell, [&](const Index i) {
      least = std::min(least, kind[i]);
      most  = std::max(most, kind[i]);
      any |= changed[i];
      ++n;
    });
    blocks.kind[c]    = most == empty ? empty : (least == plain && n == n_full ? plain : general);
    blocks.changed[c] = any;
  });
  chain.complete(level + 1, blocks.kind);
  chain.complete(level + 1, blocks.changed);
  return blocks;
}

/// A cell that is its own neighbour along a periodic axis has no link there.
template <int dim>
void fold(const LevelBox &box, float *const a)
{
  for (int axis = 0, offset = 1; axis < dim; ++axis, offset *= 3)
    if (box.periodic[axis] && box.n[axis] == 1)
      for (int e = 0; e < power_of_3(dim); ++e)
        if (e / offset % 3 == 1)
          {
            a[e] += a[e - offset] + a[e + offset];
            a[e - offset] = a[e + offset] = 0.f;
          }
}

template <int dim>
void CoarseCorrection::make_matrix(const std::size_t level, const LinkOperator *const A, const std::vector<char> &fine_kind,
                                   const std::vector<char> &changed, std::vector<char> &rows_changed)
{
  constexpr int        entries = power_of_3(dim);
  const LevelBox      &fine = chain.boxes[level], &coarse = chain.boxes[level + 1];
  const LevelTransfer &transfer   = chain.transfers[level];
  Level               &to         = levels[level + 1];
  const Blocks         blocks     = blocks_of(level, fine_kind, changed);
  const auto           neighbours = neighbouring_rows<dim>(coarse);
  make_plain_row<dim>(level, A);
  fold<dim>(coarse, to.plain.data());

  const auto general_row = [&](const std::array<Index, 3> &cell, float *const a) {
    std::array<const float *, 3> tables     = {};
    std::array<Index, 3>         first      = {0, 0, 0};
    std::array<int, 3>           n_children = {1, 1, 1};
    for (int axis = 0; axis < dim; ++axis)
      {
        tables[axis]     = transfer[axis].products.data() + 27 * cell[axis];
        first[axis]      = transfer[axis].first_child(cell[axis]);
        n_children[axis] = transfer[axis].n_children();
      }
    galerkin_row<dim>(
        tables, n_children,
        [&](const int cx, const int cy, const int cz, float *const child) {
          return finer_row<dim>(level, A, fine_kind, fine.position(first[1] + cy, first[2] + cz) + first[0] + cx, child);
        },
        a);
  };

  rows_changed.assign(coarse.size, 0);
  coarse.for_rows(chain.part_begin[level + 1], chain.part_end[level + 1],
                  [&](const Index row, const Index J, const Index K) {
                    float *const matrix = to.matrix.data() + matrix_position(coarse, row, entries + 1);
                    for (Index I = 0; I < coarse.n[0]; ++I)
                      {
                        char least = plain, most = empty, any = 0;
                        for (const Index offset : neighbours)
                          for (Index c = row + I + offset - 1; c <= row + I + offset + 1; ++c)
                            {
                              least = std::min(least, blocks.kind[c]);
                              most  = std::max(most, blocks.kind[c]);
                              any |= blocks.changed[c];
                            }
                        if (!any)
                          continue;
                        rows_changed[row + I] = 1;
                        float a[entries]      = {};
                        char  kind            = most == empty ? empty : (least == plain ? plain : general);
                        if (kind == plain)
                          std::copy_n(to.plain.begin(), entries, a);
                        else if (kind == general)
                          {
                            general_row({I, J, K}, a);
                            fold<dim>(coarse, a);
                          }
                        if (!(a[entries / 2] > 0.f))
                          kind = empty;
                        to.kind[row + I] = kind;
                        for (int e = 0; e < entries; ++e)
                          matrix[e * coarse.stride[1] + I] = a[e];
                        matrix[entries * coarse.stride[1] + I] = kind == empty ? 0.f : 1.f / a[entries / 2];
                      }
                  });
  chain.complete(level + 1, to.kind);
  chain.complete(level + 1, rows_changed);
  chain.complete(level + 1, to.matrix, entries + 1);
}

template <int dim>
void CoarseCorrection::sweep_level(const std::size_t level, const bool backwards, const bool from_zero)
{
  constexpr int      entries = power_of_3(dim), n_lines = entries / 3;
  const LevelBox    &box        = chain.boxes[level];
  Level             &l          = levels[level];
  const auto         neighbours = neighbouring_rows<dim>(box);
  const Index        n = box.n[0], s = box.stride[1];
  std::vector<float> buffer(n);
  float *const       t     = buffer.data();
  const auto         relax = [&](const Index row, Index, Index) {
    const float *const a = l.matrix.data() + matrix_position(box, row, entries + 1);
    const float *const f = l.f.data() + row;
    float *const       x = l.x.data() + row;
    std::copy_n(f, n, t);
    for (int line = 0; line < (from_zero ? n_lines / 2 : n_lines); ++line)
      {
        if (line == n_lines / 2)
          continue;
        const float *const x_line = x + neighbours[line], *const a0 = a + 3 * line * s, *const a1 = a0 + s,
                           *const a2 = a1 + s;
        for (Index i = 0; i < n; ++i)
          t[i] -= a0[i] * x_line[i - 1] + a1[i] * x_line[i] + a2[i] * x_line[i + 1];
      }
    const float *const before = a + (entries / 2 - 1) * s, *const behind = a + (entries / 2 + 1) * s,
                       *const inverse = a + entries * s;
    if (!backwards)
      {
        if (!from_zero)
          for (Index i = 0; i < n; ++i)
            t[i] -= behind[i] * x[i + 1];
        for (Index i = 0; i < n; ++i)
          x[i] = (t[i] - before[i] * x[i - 1]) * inverse[i];
      }
    else
      {
        for (Index i = 0; i < n; ++i)
          t[i] -= before[i] * x[i - 1];
        for (Index i = n; i-- > 0;)
          x[i] = (t[i] - behind[i] * x[i + 1]) * inverse[i];
      }
  };
  if (!backwards)
    return box.for_rows(relax);
  std::vector<Index> rows;
  box.for_rows([&](const Index row, Index, Index) { rows.push_back(row); });
  for (auto row = rows.rbegin(); row != rows.rend(); ++row)
    relax(*row, 0, 0);
}

template <int dim>
void CoarseCorrection::residual_of_level(const std::size_t level)
{
  constexpr int   entries = power_of_3(dim), n_lines = entries / 3;
  const LevelBox &box        = chain.boxes[level];
  Level          &l          = levels[level];
  const auto      neighbours = neighbouring_rows<dim>(box);
  const Index     n = box.n[0], s = box.stride[1];
  box.for_rows([&](const Index row, Index, Index) {
    const float *const a = l.matrix.data() + matrix_position(box, row, entries + 1);
    const float *const x = l.x.data() + row;
    float *const       r = l.r.data() + row;
    std::copy_n(l.f.data() + row, n, r);
    for (int line = 0; line < n_lines; ++line)
      {
        const float *const x_line = x + neighbours[line], *const a0 = a + 3 * line * s, *const a1 = a0 + s,
                           *const a2 = a1 + s;
        for (Index i = 0; i < n; ++i)
          r[i] -= a0[i] * x_line[i - 1] + a1[i] * x_line[i] + a2[i] * x_line[i + 1];
      }
  });
}

const std::vector<float> &CoarseCorrection::correction(const std::vector<double> &r)
{
  restrict_to_coarser(chain, finest, r, levels[finest + 1].f);
  cycle(finest + 1);
  return levels[finest + 1].x;
}

void CoarseCorrection::cycle(const std::size_t level)
{
  const LevelBox &box = chain.boxes[level];
  Level          &l   = levels[level];
  if (level + 1 == levels.size())
    return solve_coarsest();
  std::fill(l.x.begin(), l.x.end(), 0.f);
  box.dim == 2 ? sweep_level<2>(level, false, true) : sweep_level<3>(level, false, true);
  box.update_ghosts(l.x);
  box.dim == 2 ? residual_of_level<2>(level) : residual_of_level<3>(level);
  box.update_ghosts(l.r);
  restrict_to_coarser(chain, level, l.r, levels[level + 1].f);
  cycle(level + 1);
  for_prolonged_rows<float>(chain, level, levels[level + 1].x, [&](const Index row, const float *const correction) {
    for (Index i = 0; i < box.n[0]; ++i)
      l.x[row + i] += correction[i];
  });
  box.update_ghosts(l.x);
  box.dim == 2 ? sweep_level<2>(level, true, false) : sweep_level<3>(level, true, false);
  box.update_ghosts(l.x);
}

void CoarseCorrection::factorise()
{
  const LevelBox    &box     = chain.boxes.back();
  const Level       &l       = levels.back();
  const int          entries = power_of_3(box.dim);
  std::vector<Index> number(box.size, -1);
  Index              n = 0;
  for_cells(box, box.first, box.last, [&](const Index c, const std::array<Index, 3> &) { number[c] = n++; });
  box.update_ghosts(number);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for_cells(box, box.first, box.last, [&](const Index c, const std::array<Index, 3> &cell) {
    const float *const a = l.matrix.data() + matrix_position(box, c - cell[0], entries + 1) + cell[0];
    for (int e = 0; e < entries; ++e)
      {
        const Index other =
            c + e % 3 - 1 + (e / 3 % 3 - 1) * box.stride[1] + (box.dim == 3 ? (e / 9 - 1) * box.stride[2] : 0);
        if (number[other] >= 0)
          A(number[c], number[other]) += a[e * box.stride[1]];
      }
  });
  // interpolation from cells that are nearly all masked may depend linearly on that from others
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(A);
  const double                                         least = 1e-6 * std::max(spectrum.eigenvalues().maxCoeff(), 0.);
  const Eigen::VectorXd                                inverse =
      spectrum.eigenvalues().unaryExpr([least](const double lambda) { return lambda > least ? 1. / lambda : 0.; });
  coarsest_inverse = spectrum.eigenvectors() * inverse.asDiagonal() * spectrum.eigenvectors().transpose();
}

void CoarseCorrection::solve_coarsest()
{
  const LevelBox &box = chain.boxes.back();
  Level          &l   = levels.back();
  Vector          f(coarsest_inverse.rows());
  Index           n = 0;
  for_cells(box, box.first, box.last, [&](const Index c, const std::array<Index, 3> &) { f(n++) = l.f[c]; });
  const Vector x = coarsest_inverse * f;
  n              = 0;
  for_cells(box, box.first, box.last,
            [&](const Index c, const std::array<Index, 3> &) { l.x[c] = static_cast<float>(x(n++)); });
  box.update_ghosts(l.x);
}
} // namespace moreau::macro
