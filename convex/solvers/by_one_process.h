// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_BY_ONE_PROCESS_H
#define MOREAU_CONVEX_SOLVERS_BY_ONE_PROCESS_H

#include "convex/shared_network.h"

namespace moreau::convex
{
/// For methods that know one memory only: where the network of a problem is shared, the first process alone applies the
/// projector to the whole, and each gets its part of (u, p). The certificate is that of the first: the digits are the same
/// for any number of processes. Any other problem is handed on as it is.
///   p_start  as in ConeProjector::project, on all processes or on none
/// Throws std::bad_alloc on all processes where the first one has not enough memory.
SaddlePoint project_by_one(const ConeProjector &projector, const ProjectionProblem &problem,
                           const Vector *p_start = nullptr);

/// project_by_one() as a projector.
class ByOneProcess : public ConeProjector
{
public:
  explicit ByOneProcess(std::unique_ptr<ConeProjector> projector) : projector(std::move(projector)) {}

  SaddlePoint project(const ProjectionProblem &problem, const Vector *const p_start = nullptr) const override
  {
    return project_by_one(*projector, problem, p_start);
  }

private:
  std::unique_ptr<ConeProjector> projector;
};
} // namespace moreau::convex

#endif
