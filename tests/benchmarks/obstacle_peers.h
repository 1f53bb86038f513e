// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_BENCHMARKS_OBSTACLE_PEERS_H
#define MOREAU_TESTS_BENCHMARKS_OBSTACLE_PEERS_H

#include "convex/cone_projection.h"

#include <string>
#include <vector>

namespace moreau::benchmarks
{
/// PETSc's solvers for the discrete problem of the staggered grid: reduced-space Newton (SNESVI, vinewtonrsls) from coarser
/// grids (SNESSetGridSequence), with geometric (PCMG, Galerkin) or hypre's algebraic multigrid for its linear systems.
/// PETSc, and with it MPI, runs as long as an object of this class exists.
class PetscPeers
{
public:
  PetscPeers();
  ~PetscPeers();
  PetscPeers(const PetscPeers &)            = delete;
  PetscPeers &operator=(const PetscPeers &) = delete;

  struct Run
  {
    std::string method;
    long        n_iterations = 0; ///< Newton's on the finest grid; conjugate gradients for the linear problem
    double      seconds      = 0.;
    double      residual = 0.; ///< natural residual as Certificate defines it; |f - Wx|₂ / |f|₂ for the linear problem
    convex::Vector p;
  };

  /// p >= 0, W p >= BU, complementary, and W p = BU.
  ///   problem    on n x n cells of the unit square, all saturated, no walls,
  ///   n = 2^k - 1: then its cells are the inner nodes of the grids
  ///              that PETSc knows how to refine
  ///   tolerance  for the residuals on the finest grid
  std::vector<Run> projections(const convex::ProjectionProblem &problem, double tolerance) const;
  Run              linear_solve(const convex::ProjectionProblem &problem, double tolerance) const;
};
} // namespace moreau::benchmarks

#endif
