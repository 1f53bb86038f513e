// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_LAWSON_HANSON_H
#define MOREAU_CONVEX_SOLVERS_LAWSON_HANSON_H

#include "convex/cone_projection.h"

namespace moreau::convex
{
/// Exact dense active-set projector for small problems (m up to about 500): the oracle of the other solvers.
///
/// Solves the dual  min ½|U - B*p|² + <b,p>,  p >= 0,  as Lawson and Hanson (1974) do for b = 0: the row that u violates
/// most enters the active set, rows whose multiplier would turn negative leave it. For b != 0 this is the dual method of
/// Goldfarb and Idnani (1983). Active rows stay linearly independent: a row that depends on them replaces one of them, so B
/// may have any rank; where none can leave, the dependence p >= 0, B*p = 0, <b,p> < 0 proves that K is empty.
///
/// Works for any operator (rows are probed when they enter). Steps cost O(n k), k active rows; memory O(n min(m, n)).
/// p_start: rows with p_start > 0 are tried as first active set, so that an approximate p is finished to round-off.
/// `max_iterations` counts changes of the active set. Infeasible: p is the
/// proof, scaled to max p = 1, and u the last velocity.
/// Throws std::invalid_argument where the active set could need more than 2 GB.
class LawsonHanson : public ConeProjector
{
public:
  explicit LawsonHanson(const StoppingCriterion &criterion = StoppingCriterion()) : criterion(criterion) {}

  SaddlePoint project(const ProjectionProblem &problem, const Vector *p_start = nullptr) const override;

private:
  StoppingCriterion criterion;
};
} // namespace moreau::convex

#endif
