// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/levels.h"

#include <algorithm>

namespace moreau::macro
{
LevelBox::LevelBox(const int dim, const std::array<Index, 3> &n, const Index first, const Index last,
                   const Processes &processes, const std::array<bool, 3> &periodic)
    : dim(dim), n(n), first(first), last(last), processes(processes), periodic(periodic)
{
  size = 1;
  for (int axis = 0; axis < dim; ++axis)
    {
      stride[axis] = size;
      size *= (axis == dim - 1 ? last - first : n[axis]) + 2 * pad;
    }
  if (dim == 2)
    stride[2] = size;
}

template <class T>
void LevelBox::wrap(T *const array, const int axis, const Index n_values) const
{
  // pieces that are copied as a whole: entries, rows, planes
  const Index piece = axis == 0 ? 1 : stride[axis] * n_values, line = piece * (n[axis] + 2 * pad);
  T *const    end = array + size * n_values;
  for (T *begin = array; begin != end; begin += line)
    {
      T *const own = begin + pad * piece;
      for (Index k = 0; k < pad; ++k)
        {
          std::copy_n(own + k % n[axis] * piece, piece, own + (n[axis] + k) * piece);
          std::copy_n(own + (n[axis] - 1 - k % n[axis]) * piece, piece, own - (k + 1) * piece);
        }
    }
}

template <class T>
void LevelBox::update_ghosts(std::vector<T> &array, const Index n_values) const
{
  for (int axis = 0; axis < dim; ++axis)
    if (periodic[axis] && !(distributed() && axis == dim - 1))
      wrap(array.data(), axis, n_values);
  if (!distributed())
    return;
  const int  bytes = static_cast<int>(pad * layer() * n_values * static_cast<Index>(sizeof(T)));
  T *const   own   = array.data() + pad * layer() * n_values;
  T *const   upper = own + (last - first) * layer() * n_values; // ghosts
  const bool ring  = periodic[dim - 1];
  const int  rank = processes.rank(), size = processes.size(),
            below = rank > 0 ? rank - 1
                    : ring   ? size - 1
                             : MPI_PROC_NULL,
            above = rank + 1 < size ? rank + 1
                    : ring          ? 0
                                    : MPI_PROC_NULL;
  MPI_Sendrecv(own, bytes, MPI_BYTE, below, 0, upper, bytes, MPI_BYTE, above, 0, processes.communicator(),
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(upper - pad * layer() * n_values, bytes, MPI_BYTE, above, 1, array.data(), bytes, MPI_BYTE, below, 1,
               processes.communicator(), MPI_STATUS_IGNORE);
}

namespace
{
/// Which cells stay: the last one at a wall above, the first one at a wall below, both where n is odd.
Index offset_of(const Index n, const bool keeps_below, const bool keeps_above)
{
  return keeps_below || keeps_above && n % 2 == 1 ? 0 : 1;
}

Index n_coarse_of(const Index n, const Index offset) { return offset == 0 ? (n + 1) / 2 : n / 2; }
} // namespace

AxisTransfer::AxisTransfer(const Index n, const bool coarsened, const bool keeps_below, const bool keeps_above,
                           const bool periodic)
    : coarsened(coarsened)
    , periodic(periodic)
    , n(n)
    , offset(coarsened ? offset_of(n, keeps_below, keeps_above) : 0)
    , n_coarse(coarsened ? n_coarse_of(n, offset) : n)
    , weight_below(n + 3, 1.)
    , weight_above(n + 3, 0.)
{
  if (coarsened)
    for (Index i = 1 - offset; i < (periodic ? n + 2 : n); i += 2)
      {
        const bool at_begin = !periodic && lower_parent(i) < 0, at_end = !periodic && lower_parent(i) + 1 == n_coarse;
        weight_below[i + 1] = at_begin ? 0. : at_end && keeps_above ? 1. : .5;
        weight_above[i + 1] = at_end ? 0. : at_begin && keeps_below ? 1. : .5;
      }
  if (coarsened && periodic && offset == 0) // cell n is the first one again, a coarse one behind the last
    {
      weight_below[n + 1] = 0.;
      weight_above[n + 1] = 1.;
    }
  products.assign(27 * n_coarse, 0.f);
  for (Index I = 0; I < n_coarse; ++I)
    for (int c = 0; c < n_children(); ++c)
      for (int d = 0; d < 3; ++d)
        {
          const Index j = first_child(I) + c + d - 1;
          if (is_outside(j) || weight(I, c) == 0.)
            continue;
          float *const product = &products[27 * I + 9 * c + 3 * d];
          const Index  k       = lower_parent(j) + 1 - I;
          if (below(j) > 0.)
            product[k] = static_cast<float>(weight(I, c) * below(j));
          if (above(j) > 0.)
            product[k + 1] = static_cast<float>(weight(I, c) * above(j));
        }
}

std::array<float, 27> AxisTransfer::inner_products(const bool coarsened)
{
  const AxisTransfer    longer(16, coarsened, false, false);
  std::array<float, 27> result;
  std::copy_n(longer.products.begin() + 4 * 27, 27, result.begin());
  return result;
}

CoarseningPlan::CoarseningPlan(const int dim, const std::array<Index, 3> &n_finest, const Vector &h_finest,
                               const Sides &keeps, const int n_processes)
{
  std::array<Index, 3> n             = n_finest;
  Vector               h             = h_finest;
  bool                 distributed   = n_processes > 1;
  constexpr double     small         = 16000; // cells that are not worth a message
  constexpr Index      fewest_layers = 8;     // per process
  while (*std::max_element(n.begin(), n.begin() + dim) > 2)
    {
      if (distributed && (static_cast<double>(n[0]) * n[1] * n[2] < small || n[dim - 1] < 2 * fewest_layers * n_processes))
        distributed = false;
      n_distributed += distributed;
      double shortest = INFINITY;
      for (int axis = 0; axis < dim; ++axis)
        if (n[axis] > 1)
          shortest = std::min(shortest, h(axis));
      std::array<bool, 3> now = {false, false, false};
      for (int axis = 0; axis < dim; ++axis)
        if (n[axis] > 1 && h(axis) < 1.5 * shortest)
          {
            now[axis] = true;
            n[axis]   = n_coarse_of(n[axis], offset_of(n[axis], keeps[2 * axis], keeps[2 * axis + 1]));
            h(axis) *= 2.;
          }
      // the first level that is not distributed is made from layers of one that is
      if (distributed && now[dim - 1])
        alignment *= 2;
      coarsened.push_back(now);
    }
}

LevelChain::LevelChain(const LevelBox &finest, const CoarseningPlan &plan, const Sides &keeps)
{
  boxes.push_back(finest);
  part_begin.push_back(finest.first);
  part_end.push_back(finest.last);
  const int last = finest.dim - 1;
  for (std::size_t step = 0; step < plan.coarsened.size(); ++step)
    {
      const LevelBox &fine = boxes.back();
      LevelTransfer   transfer;
      auto            n = fine.n;
      for (int axis = 0; axis < fine.dim; ++axis)
        {
          transfer.emplace_back(fine.n[axis], plan.coarsened[step][axis], keeps[2 * axis], keeps[2 * axis + 1],
                                fine.periodic[axis]);
          n[axis] = transfer.back().n_coarse;
        }
      const Index factor = transfer[last].coarsened ? 2 : 1;
      const Index begin = fine.first / factor, end = fine.last == fine.n[last] ? n[last] : fine.last / factor;
      const bool  distributed = fine.distributed() && step + 1 < plan.n_distributed;
      part_begin.push_back(begin);
      part_end.push_back(end);
      boxes.push_back(distributed ? LevelBox(fine.dim, n, begin, end, fine.processes, fine.periodic)
                                  : LevelBox(fine.dim, n, 0, n[last], Processes::alone(), fine.periodic));
      transfers.push_back(transfer);
    }
}

template <class T>
void LevelChain::complete(const std::size_t level, std::vector<T> &array, const Index n_values) const
{
  const LevelBox &box = boxes[level];
  if (box.distributed())
    return box.update_ghosts(array, n_values);
  const Processes &parts = boxes[level - 1].processes;
  if (parts.size() == 1)
    return box.update_ghosts(array, n_values);
  const Index      bytes = box.layer() * n_values * static_cast<Index>(sizeof(T));
  std::vector<int> count(parts.size()), begin(parts.size());
  // the layers behind the box belong to the last part: links to what is outside are stored there
  const bool at_end = part_end[level] == box.n[box.dim - 1];
  const int  own    = static_cast<int>((part_end[level] - part_begin[level] + (at_end ? LevelBox::pad : 0)) * bytes);
  MPI_Allgather(&own, 1, MPI_INT, count.data(), 1, MPI_INT, parts.communicator());
  for (int rank = 1; rank < parts.size(); ++rank)
    begin[rank] = begin[rank - 1] + count[rank - 1];
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, array.data() + LevelBox::pad * box.layer() * n_values, count.data(),
                 begin.data(), MPI_BYTE, parts.communicator());
  box.update_ghosts(array, n_values);
}

template <class Fine>
void restrict_to_coarser(const LevelChain &chain, const std::size_t level, const std::vector<Fine> &r,
                         std::vector<float> &r_coarse)
{
  const LevelBox      &box = chain.boxes[level], &coarse = chain.boxes[level + 1];
  const LevelTransfer &transfer = chain.transfers[level];
  const AxisTransfer  &x = transfer[0], &y = transfer[1];
  const int            n_z = box.dim == 3 ? transfer[2].n_children() : 1;
  std::vector<Fine>    padded(x.n + 2 * LevelBox::pad, Fine(0));
  Fine *const          sum = padded.data() + LevelBox::pad;
  coarse.for_rows(
      chain.part_begin[level + 1], chain.part_end[level + 1], [&](const Index out, const Index J, const Index K) {
        const Index beyond = x.periodic ? 1 : 0;
        std::fill_n(sum - beyond, x.n + 2 * beyond, Fine(0));
        for (int c = 0; c < n_z; ++c)
          for (int b = 0; b < y.n_children(); ++b)
            {
              const Fine weight = static_cast<Fine>(y.weight(J, b) * (box.dim == 3 ? transfer[2].weight(K, c) : 1.));
              if (weight == Fine(0))
                continue;
              const Fine *const row =
                  r.data() + box.position(y.first_child(J) + b, box.dim == 3 ? transfer[2].first_child(K) + c : 0);
              for (Index i = -beyond; i < x.n + beyond; ++i)
                sum[i] += weight * row[i];
            }
        float *const result = r_coarse.data() + out;
        if (!x.coarsened)
          {
            for (Index i = 0; i < x.n; ++i)
              result[i] = static_cast<float>(sum[i]);
            return;
          }
        const Fine *const middle = sum + x.offset;
        for (Index I = 0; I < x.n_coarse; ++I)
          result[I] = static_cast<float>(middle[2 * I] + Fine(.5) * (middle[2 * I - 1] + middle[2 * I + 1]));
        // where weights differ at the ends
        for (const Index I : {Index(0), x.n_coarse - 1})
          {
            double value = 0.;
            for (int c = 0; c < 3; ++c)
              if (const double weight = x.weight(I, c); weight > 0.)
                value += weight * sum[x.first_child(I) + c];
            result[I] = static_cast<float>(value);
          }
      });
  chain.complete(level + 1, r_coarse);
}

template <class T>
void for_prolonged_rows(const LevelChain &chain, const std::size_t level, const std::vector<T> &x_coarse,
                        const std::function<void(Index, const T *)> &f)
{
  const LevelBox      &box = chain.boxes[level], &coarse = chain.boxes[level + 1];
  const LevelTransfer &transfer = chain.transfers[level];
  const AxisTransfer  &x = transfer[0], &y = transfer[1];
  std::vector<T>       padded(x.n_coarse + 2 * LevelBox::pad, T(0)), fine(x.n + 2);
  T *const             sum = padded.data() + LevelBox::pad;
  box.for_rows([&](const Index out, const Index j, const Index k) {
    const Index beyond = x.periodic ? 1 : 0;
    std::fill_n(sum - beyond, x.n_coarse + 2 * beyond, T(0));
    for (int c = 0; c < (box.dim == 3 ? 2 : 1); ++c)
      for (int b = 0; b < 2; ++b)
        {
          double weight = b == 0 ? y.below(j) : y.above(j);
          if (box.dim == 3)
            weight *= c == 0 ? transfer[2].below(k) : transfer[2].above(k);
          if (weight == 0.)
            continue;
          const T *const row =
              x_coarse.data() + coarse.position(y.lower_parent(j) + b, box.dim == 3 ? transfer[2].lower_parent(k) + c : 0);
          const T w = static_cast<T>(weight);
          for (Index I = -beyond; I < x.n_coarse + beyond; ++I)
            sum[I] += w * row[I];
        }
    if (!x.coarsened)
      return f(out, sum);
    // one more than there are on both sides
    T *const at = fine.data() + 1;
    for (Index I = 0; I < x.n_coarse; ++I)
      {
        at[x.centre(I)]                            = sum[I];
        at[x.centre(I) + (x.offset == 0 ? 1 : -1)] = T(.5) * (sum[I] + sum[x.offset == 0 ? I + 1 : I - 1]);
      }
    // where weights differ at the ends
    if (x.offset == 1)
      at[0] = static_cast<T>(x.above(0)) * sum[0] + static_cast<T>(x.below(0)) * sum[-1];
    if (x.centre(x.n_coarse - 1) < x.n - 1)
      at[x.n - 1] = static_cast<T>(x.below(x.n - 1)) * sum[x.n_coarse - 1];
    f(out, at);
  });
}

template void LevelBox::update_ghosts(std::vector<double> &, Index) const;
template void LevelBox::update_ghosts(std::vector<float> &, Index) const;
template void LevelBox::update_ghosts(std::vector<char> &, Index) const;
template void LevelBox::update_ghosts(std::vector<Index> &, Index) const;
template void LevelChain::complete(std::size_t, std::vector<double> &, Index) const;
template void LevelChain::complete(std::size_t, std::vector<float> &, Index) const;
template void LevelChain::complete(std::size_t, std::vector<char> &, Index) const;
template void restrict_to_coarser(const LevelChain &, std::size_t, const std::vector<double> &, std::vector<float> &);
template void restrict_to_coarser(const LevelChain &, std::size_t, const std::vector<float> &, std::vector<float> &);
template void for_prolonged_rows(const LevelChain &, std::size_t, const std::vector<double> &,
                                 const std::function<void(Index, const double *)> &);
template void for_prolonged_rows(const LevelChain &, std::size_t, const std::vector<float> &,
                                 const std::function<void(Index, const float *)> &);
} // namespace moreau::macro
