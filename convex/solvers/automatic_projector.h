// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_AUTOMATIC_PROJECTOR_H
#define MOREAU_CONVEX_SOLVERS_AUTOMATIC_PROJECTOR_H

#include "convex/cone_projection.h"

namespace moreau::convex
{
class SharedNetwork;

/// Chooses the method by structure and size, and goes on to the next one where what is demanded is not reached:
///
///   B made of uncoupled chains           isotonic regression, exact
///   few constraints                     Lawson-Hanson, exact
///   b = 0, no expansion opens all rows  find_face(): an expansion, or rigid rows and an interior point on their face; for
///                                       other b, and on the natural residual, where all else fails
///   B made of coupled chains             alternating directions on chains, finished by an interior point
///   any other graph or sparse matrix    accelerated projected gradient with
///   face conjugate gradients, as long as it is cheaper than
///                                       an interior point; local polish where it stalls in a few clusters; interior point
///   operators without entries           accelerated projected gradient
///
/// On a network that processes share, lines and first-order methods work in parts and one process does the rest; find_face()
/// and Lawson-Hanson then come first or last, never in between.
///
/// Every switch depends on counts of work, never on a clock, so that a run can be repeated. What was done is in
/// SaddlePoint::method, in order; the best certificate of all attempts is returned. criterion.max_iterations caps each
/// method in its own unit, and n_iterations adds them up.
class AutomaticProjector : public ConeProjector
{
public:
  struct Parameters
  {
    Index few_constraints          = 120;     ///< Lawson-Hanson up to here
    Index largest_factorised_plane = 1500000; ///< nodes that an interior point is tried on, in dimension 1 and 2: memory
    Index largest_factorised_space = 120000;  ///< the same in dimension 3: the time of a factorisation grows as n²
    /// The same where that is in double precision, for lines, and where a natural residual is demanded, which first-order
    /// passes reach.
    Index        largest_double_space = 30000;
    Index        largest_face_space   = 40000; ///< the same for rigid rows: nothing else finds them
    double       polished_fraction    = .15;   ///< of the nodes that a local polish may touch in one round
    unsigned int max_polishes         = 12;
    double       first_order_share =
        .5; ///< of the work of an interior point that the first-order method may spend before it gives way
  };

  explicit AutomaticProjector(const StoppingCriterion &criterion) : AutomaticProjector(criterion, Parameters()) {}
  AutomaticProjector(const StoppingCriterion &criterion, const Parameters &parameters);

  SaddlePoint project(const ProjectionProblem &problem, const Vector *p_start = nullptr) const override;

private:
  SaddlePoint project_in_parts(const ProjectionProblem &problem, const SharedNetwork &network, const Vector *p_start) const;

  StoppingCriterion criterion;
  Parameters        parameters;
};
} // namespace moreau::convex

#endif
