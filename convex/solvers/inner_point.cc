// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/inner_point.h"

#include "convex/certificate.h"
#include "convex/solvers/interior_point.h"

#include <algorithm>
#include <utility>

namespace moreau::convex
{
namespace
{
class InnerPoint : public FeasibleRepair
{
public:
  InnerPoint(std::shared_ptr<const ConstraintOperator> B, Vector b, Vector inner)
      : B(std::move(B)), b(std::move(b)), inner(std::move(inner)), room(this->b.size())
  {
    this->B->apply(this->inner, room);
    room = this->b - room;
  }

  Vector repaired(const Vector &u) const override
  {
    Vector v = u, Bv(b.size());
    double t = 0.;
    for (int round = 0; round < 8; ++round) // once, and again for what rounding leaves
      {
        B->apply(v, Bv);
        double excess = 0.;
        for (Index c = 0; c < b.size(); ++c)
          if (Bv(c) > b(c))
            excess = std::max(excess, (Bv(c) - b(c)) / (Bv(c) - b(c) + room(c)));
        if (excess == 0.)
          break;
        t = std::min(1., t + (1. - t) * excess * (1. + 4e-16) * (1 << round));
        v = u + t * (inner - u);
      }
    return v;
  }

private:
  std::shared_ptr<const ConstraintOperator> B;
  Vector                                    b, inner, room; ///< room = b - B inner > 0
};
} // namespace

std::shared_ptr<const FeasibleRepair> repair_by_inner_point(const ProjectionProblem &problem)
{
  const Vector      b     = problem.right_hand_side();
  const double      speed = std::max(typical_speed(problem), max_abs(b));
  StoppingCriterion roughly;
  roughly.tolerance      = 1e-2; // any point inside serves
  roughly.max_iterations = 60;
  ProjectionProblem inside;
  inside.V = problem.V;
  inside.B = problem.B;
  inside.U = problem.U;
  for (const double part : {.05, 1e-3})
    {
      const double margin = part * speed;
      inside.b            = b.array() - margin;
      Vector v            = InteriorPoint(roughly).project(inside).u, Bv(b.size());
      if (!v.allFinite())
        continue;
      problem.B->apply(v, Bv);
      if ((Bv - b).maxCoeff() <= -.5 * margin)
        return std::make_shared<InnerPoint>(problem.B, b, std::move(v));
    }
  return nullptr;
}
} // namespace moreau::convex
