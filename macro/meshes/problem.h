// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_PROBLEM_H
#define MOREAU_MACRO_MESHES_PROBLEM_H

#include "convex/cone_projection.h"
#include "macro/meshes/space.h"

#include <Eigen/SparseCore>

#include <array>
#include <memory>

namespace moreau::macro
{
/// Raviart-Thomas velocities with their consistent mass matrix: <u,v> = ∫u·v over the saturated zone.
class MixedVelocities : public convex::VelocitySpace
{
public:
  explicit MixedVelocities(std::shared_ptr<const MixedSpace> space);

  Index  size() const override { return space->unknowns.n_own(); }
  double dot(const Vector &u, const Vector &v) const override;
  void   riesz(const Vector &v, Vector &Mv) const override;

  /// Conjugate gradients, scaled by the diagonal: the mass matrix is well
  /// conditioned. To 1e-14 of |f|, or to what rounding permits.
  void   inverse_riesz(const Vector &f, Vector &v) const override;
  Vector mean(const Vector &U) const override;
  double sum_over_processes(const double local) const override { return space->processes().sum(local); }
  double max_over_processes(const double local) const override { return space->processes().max(local); }

  /// ∫u, of all processes.
  Vector momentum(const Vector &u) const;

  const Vector &diagonal() const { return M_diagonal; } ///< of M, own coefficients

  /// Uniform unit velocities along the axes: what mean() combines, but along axes at rest.
  void set_uniform(std::vector<Vector> velocities, std::vector<bool> is_at_rest)
  {
    uniform = std::move(velocities);
    at_rest = std::move(is_at_rest);
  }

private:
  using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

  std::shared_ptr<const MixedSpace> space;
  Matrix                            M; ///< contributions of own cells, ghosts included
  Vector                            M_diagonal;
  std::vector<Vector>               uniform;
  std::vector<bool>                 at_rest; ///< per axis
};

/// B of a MixedSpace: (Bv)_row = -div v at the vertices of cells, scaled to a
/// velocity, then v·n at the ends of their wall faces (BM, eq. 14).
class MixedConstraint : public convex::ConstraintOperator
{
public:
  explicit MixedConstraint(std::shared_ptr<const MixedSpace> space);

  Index n_constraints() const override { return B.rows(); }
  Index n_unknowns() const override { return mixed_space->unknowns.n_own(); }
  void  apply(const Vector &v, Vector &Bv) const override { Bv.noalias() = B * mixed_space->unknowns.fetched(v); }
  void  apply_transpose(const Vector &q, Vector &Btq) const override
  {
    Btq = mixed_space->unknowns.summed(B.transpose() * q);
  }
  Vector delassus_diagonal(const convex::VelocitySpace &V) const override; ///< with the diagonal of M instead of M

  const std::shared_ptr<const MixedSpace> &space() const { return mixed_space; }

private:
  std::shared_ptr<const MixedSpace>            mixed_space;
  Eigen::SparseMatrix<double, Eigen::RowMajor> B; ///< own rows, own and ghost columns
};

/// The projection of U on the velocities of the space with div u >= 0 everywhere (and u·n <= 0 on walls): U is represented
/// by its L² projection on the space, `evaluator` integrates it. The expansion is a linear field with divergence 1 that
/// flows away from all walls; there is none where walls face each other along every axis.
convex::ProjectionProblem mixed_problem(const std::shared_ptr<const MixedSpace> &space, CellEvaluator &evaluator,
                                        const Setting &setting);
} // namespace moreau::macro

#endif
