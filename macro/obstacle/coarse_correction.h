// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_COARSE_CORRECTION_H
#define MOREAU_MACRO_OBSTACLE_COARSE_CORRECTION_H

#include "macro/obstacle/link_operator.h"

#include <Eigen/Dense>

namespace moreau::macro
{
/// The coarse levels under a LinkOperator some of whose unknowns are masked: Galerkin matrices PᵀAP, one V(1,1) cycle on
/// them. In single precision: they only make corrections.
class CoarseCorrection
{
public:
  explicit CoarseCorrection(const LevelChain &chain);

  /// What an unknown of the finest level does.
  enum State : char
  {
    masked,  ///< it stays what it is
    free,    ///< it is corrected
    follower ///< a leaf that makes the step of its neighbour
  };

  /// Matrices under A, which stands on level `finest`. states: ghosts up to date.
  /// Where the level is that of the last call, only what the changes of `states` touch is computed anew.
  void set_operator(std::size_t finest, const LinkOperator &A, const std::vector<char> &states);

  /// x on level finest + 1 with Px ≈ A⁻¹r there; ghosts of r up to date, r = 0 where not free.
  const std::vector<float> &correction(const std::vector<double> &r);

private:
  struct Level
  {
    std::vector<float> matrix; ///< 3^dim entries and the inverse of the middle one per cell; entry by entry within a row
    std::vector<float> x, f, r;
    std::vector<char>  kind;  ///< of the row: Kind
    std::vector<float> plain; ///< the 3^dim entries of plain rows
  };

  /// Per coarse cell and the cells of the finer level in its place.
  struct Blocks
  {
    std::vector<char> kind, changed; ///< Kind that all of them have, or general; whether any of them changed
  };

  // level: of the finer matrix, which is A where that is given
  Blocks blocks_of(std::size_t level, const std::vector<char> &kind, const std::vector<char> &changed) const;
  template <int dim>
  bool finer_row(std::size_t level, const LinkOperator *A, const std::vector<char> &kind, Index c, float *a) const;
  template <int dim>
  void make_plain_row(std::size_t level, const LinkOperator *A);
  template <int dim>
  void make_matrix(std::size_t level, const LinkOperator *A, const std::vector<char> &fine_kind,
                   const std::vector<char> &changed, std::vector<char> &rows_changed);
  template <int dim>
  void sweep_level(std::size_t level, bool backwards, bool from_zero);
  template <int dim>
  void residual_of_level(std::size_t level);
  void cycle(std::size_t level);
  void factorise();
  void solve_coarsest();

  const LevelChain  &chain;
  std::size_t        finest = 0;
  bool               is_set = false;
  std::vector<char>  states;
  std::vector<Level> levels;
  Eigen::MatrixXd    coarsest_inverse;
};
} // namespace moreau::macro

#endif
