// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_LEVELS_H
#define MOREAU_MACRO_OBSTACLE_LEVELS_H

#include "geometry/box_grid.h"
#include "macro/vocabulary.h"

#include <functional>

/// Grids from fine to coarse for the multigrid on boxes, how their cells are
/// shared among processes, and linear interpolation between them.
namespace moreau::macro
{
/// The cells of one level and how its arrays lie in memory: n_0 x n_1 x n_2 cells, `pad` more on both sides of every axis
/// that exists (2D or 3D). This process works on the layers first ... last-1
/// of the last axis: on all of them unless the level is distributed.
struct LevelBox
{
  static constexpr Index pad = 2;

  LevelBox(int dim, const std::array<Index, 3> &n, Index first, Index last, const Processes &processes,
           const std::array<bool, 3> &periodic = {false, false, false});

  int                  dim;
  std::array<Index, 3> n;
  Index                first, last;
  Processes            processes; ///< alone() where every process works on all layers
  std::array<bool, 3>  periodic;  ///< axes along which ghosts are cells of the other end
  std::array<Index, 3> stride;
  Index                size; ///< of an array

  bool  distributed() const { return processes.size() > 1; }
  Index layer() const { return stride[dim - 1]; } ///< entries of an array per layer

  /// Position in an array of the cell i = 0 of row (j, k), global indices.
  Index position(const Index j, const Index k) const
  {
    return pad + (j + pad - (dim == 2 ? first : 0)) * stride[1] + (dim == 3 ? (k + pad - first) * stride[2] : 0);
  }

  /// Calls f(position of i = 0, j, k) for the rows of layers begin ... end-1, j fastest.
  template <class F>
  void for_rows(const Index begin, const Index end, F &&f) const
  {
    for (Index k = dim == 3 ? begin : 0; k < (dim == 3 ? end : 1); ++k)
      for (Index j = dim == 2 ? begin : 0; j < (dim == 2 ? end : n[1]); ++j)
        f(position(j, k), j, k);
  }
  template <class F>
  void for_rows(F &&f) const
  {
    for_rows(first, last, f);
  }

  /// Fetches `pad` layers on both sides from the neighbouring processes and, along periodic axes, from the other end; every
  /// cell has n_values numbers, those of a row one after the other.
  template <class T>
  void update_ghosts(std::vector<T> &array, Index n_values = 1) const;

private:
  template <class T>
  void wrap(T *array, int axis, Index n_values) const;
};

/// Linear interpolation along one axis. Coarse cell I stands where cell 2I + offset is: then Galerkin products keep 3
/// entries per axis. (Between the centres of merged cells they would have 5.)
class AxisTransfer
{
public:
  /// keeps: at the lower, upper end constants are kept (a wall), instead of going to zero one cell outside. Coarse cells
  /// stand there if possible. Where periodic, keeps_above alone is to be set: then an odd number of cells has coarse ones
  /// next to each other at the seam.
  AxisTransfer(Index n, bool coarsened, bool keeps_below, bool keeps_above, bool periodic = false);

  bool  coarsened, periodic;
  Index n, offset, n_coarse;

  /// Cell i gets below(i) times the value of lower_parent(i) and above(i)
  /// times that of the next coarse cell. Where periodic, -1 <= i <= n + 1.
  Index  lower_parent(const Index i) const { return coarsened ? (i - offset + 2) / 2 - 1 : i; }
  double below(const Index i) const { return weight_below[i + 1]; }
  double above(const Index i) const { return weight_above[i + 1]; }

  /// Coarse cell I contributes to the cells first_child(I) + c, c < n_children, with this weight.
  int    n_children() const { return coarsened ? 3 : 1; }
  Index  first_child(const Index I) const { return coarsened ? centre(I) - 1 : I; }
  Index  centre(const Index I) const { return coarsened ? 2 * I + offset : I; }
  double weight(const Index I, const int c) const
  {
    const Index i = first_child(I) + c;
    return is_outside(i) ? 0. : lower_parent(i) == I ? below(i) : above(i);
  }

  /// P_iI P_jK for child c = i - first_child(I), j = i + d - 1, K = I + k - 1, at [27 I + 9 c + 3 d + k].
  std::vector<float>           products;
  static std::array<float, 27> inner_products(bool coarsened); ///< those of a cell far from both ends

private:
  bool is_outside(const Index i) const { return !periodic && (i < 0 || i >= n); }

  std::vector<double> weight_below, weight_above; ///< from i = -1 on
};

using LevelTransfer = std::vector<AxisTransfer>; ///< one per axis

/// How often, and along which axes, a grid is coarsened: those with the
/// shortest cells, so that cells become cubes, down to n <= 2.
struct CoarseningPlan
{
  /// keeps: as for AxisTransfer, in the order of Sides.
  CoarseningPlan(int dim, const std::array<Index, 3> &n, const Vector &h, const Sides &keeps, int n_processes);

  std::vector<std::array<bool, 3>> coarsened; ///< per step
  std::size_t n_distributed = 0;              ///< levels that are shared among processes; none where there is one process
  Index       alignment     = 1;              ///< process borders of the finest level must be multiples of it
};

/// The levels, finest first.
struct LevelChain
{
  /// keeps: sides of the box as in Sides where interpolation keeps constants.
  LevelChain(const LevelBox &finest, const CoarseningPlan &plan, const Sides &keeps);

  std::vector<LevelBox>      boxes;
  std::vector<LevelTransfer> transfers;            ///< from level l to l+1
  std::vector<Index>         part_begin, part_end; ///< layers of level l that come from own layers of level l-1

  /// After the layers part_begin ... part_end-1 of level l were written: fetches the others that are needed here.
  template <class T>
  void complete(std::size_t level, std::vector<T> &array, Index n_values = 1) const;
};

/// r_coarse = Pᵀr on layers part_begin ... part_end-1 of level l+1, then completed. Ghosts of r up to date.
template <class Fine>
void restrict_to_coarser(const LevelChain &chain, std::size_t level, const std::vector<Fine> &r,
                         std::vector<float> &r_coarse);

/// f(position of i = 0, values) for the own rows of P x_coarse on `level`; ghosts of x_coarse (level + 1) up to date.
/// A row is given in double precision where x_coarse is, and else in single.
template <class T>
void for_prolonged_rows(const LevelChain &chain, std::size_t level, const std::vector<T> &x_coarse,
                        const std::function<void(Index, const T *)> &f);
} // namespace moreau::macro

#endif
