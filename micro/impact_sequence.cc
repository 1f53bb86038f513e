// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/impact_sequence.h"

#include "convex/certificate.h"
#include "convex/input_error.h"
#include "micro/impact_problem.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace moreau::micro
{
namespace
{
using Point = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1>; // length d, without a heap

constexpr double never = std::numeric_limits<double>::infinity();

void check(const SequenceParameters &parameters)
{
  // a sphere that arrives stops at a gap of the order of rounding, which must count as a contact
  if (!(parameters.contact_tolerance >= 1e-12))
    throw InputError("the contact tolerance", "A sequence of impacts needs a contact tolerance of at least 1e-12.");
  if (!(parameters.end_time >= 0.))
    throw InputError("the end time of the impacts", "It must not be negative.");
}

/// The first t > 0 with |Δr + t Δv| = R_i + R_j for spheres that are apart; infinite if there is none.
double time_of_contact(const Point &r_ij, const Point &v_ij, const double R_ij)
{
  const double approach = -r_ij.dot(v_ij);
  if (!(approach > 0.))
    return never;
  const double distance = r_ij.norm();
  const double c        = (distance - R_ij) * (distance + R_ij); // free of cancellation
  const double disc     = approach * approach - v_ij.squaredNorm() * c;
  return disc < 0. ? never : std::max(0., c / (approach + std::sqrt(disc)));
}

class Sequence
{
public:
  Sequence(ImpactSequence &x, const convex::ConeProjector &projector, const SequenceParameters &parameters,
           const ImpactObserver &observer)
      : x(x), dim(x.spheres.dimension()), projector(projector), parameters(parameters), observer(observer)
  {}

  void run()
  {
    while (true)
      {
        graph = contact_graph(x.spheres, x.walls, parameters.contact_tolerance);
        if (!impact())
          return stop(ImpactSequence::End::impact_limit);
        const double flight = time_to_next_contact(), overlap = time_to_overlap(), rest = parameters.end_time - x.time;
        const double step = std::min({flight, overlap, rest});
        if (step == never)
          return stop(ImpactSequence::End::separated);
        move(step);
        if (step == rest)
          return stop(ImpactSequence::End::end_time);
        if (step == overlap)
          return stop(ImpactSequence::End::overlap);
      }
  }

private:
  Point  velocity(const Index i) const { return x.U.segment(dim * i, dim); }
  double energy(const Vector &u) const
  {
    return .5 *
           (Eigen::Map<const Eigen::MatrixXd>(u.data(), dim, x.spheres.size()).colwise().squaredNorm() * x.spheres.m)(0);
  }

  void stop(const ImpactSequence::End end) { x.end = end; }

  /// The impact of all contacts, if any is pressed. False where it would be one too many.
  bool impact()
  {
    if (graph.n_contacts() == 0)
      return true;
    const convex::ProjectionProblem problem = impact_problem(x.spheres, x.walls, graph, x.U);
    convex::Impact law = convex::post_impact(problem, projector, parameters.law.restitution, parameters.law.max_repetitions);
    if (law.effort.n_projections == 0)
      return true;
    if (x.impacts.size() == parameters.max_impacts)
      return false;

    bool feasible;
    law.u_plus = convex::feasible_companion(problem, law.u_plus, feasible);
    x.U        = law.u_plus;

    SequenceImpact record;
    record.time             = x.time;
    record.n_contacts       = graph.n_contacts();
    record.energy_before    = energy(problem.U);
    record.energy_projected = energy(law.effort.status == convex::Status::infeasible ? problem.U : law.projection.u);
    record.energy_after     = energy(law.u_plus);
    record.effort           = law.effort;
    record.certificate      = law.worst;
    record.method           = law.projection.method;
    x.impacts.push_back(record);
    if (observer)
      observer(record, {x.spheres, x.walls, graph, problem, law});
    return true;
  }

  /// The least time in which a gap closes that is open now.
  double time_to_next_contact() const
  {
    double     least   = never;
    auto       contact = graph.contacts.begin();
    const auto touches = [&](const Index i, const Index j) { // contacts come in the order of this search
      const bool found = contact != graph.contacts.end() && contact->i == i && contact->j == j;
      contact += found;
      return found;
    };
    const Index n = x.spheres.size();
    for (Index i = 0; i < n; ++i)
      {
        const Point r_i = x.spheres.r.col(i), v_i = velocity(i);
        for (Index j = i + 1; j < n; ++j)
          if (!touches(i, j))
            least = std::min(least,
                             time_of_contact(x.spheres.r.col(j) - r_i, velocity(j) - v_i, x.spheres.R(i) + x.spheres.R(j)));
        for (std::size_t w = 0; w < x.walls.size(); ++w)
          if (!touches(i, n + w))
            least = std::min(least, time_to_wall(i, x.walls[w]));
      }
    return least;
  }

  double time_to_wall(const Index i, const Wall &wall) const
  {
    const double approach = wall.normal.dot(wall.velocity - velocity(i));
    const double D        = wall.normal.dot(x.spheres.r.col(i)) - wall.offset - x.spheres.R(i);
    return approach > 0. ? std::max(0., D / approach) : never;
  }

  /// The least time in which a contact that an impact left approaching overlaps by nearly the tolerance.
  double time_to_overlap() const
  {
    double least = never;
    for (const Contact &c : graph.contacts)
      {
        const bool   wall     = graph.touches_wall(c);
        const Point  v_j      = wall ? Point(x.walls[c.j - graph.n_spheres].velocity) : velocity(c.j);
        const double approach = c.e.head(dim).dot(velocity(c.i) - v_j);
        const double R        = wall ? x.spheres.R(c.i) : std::min(x.spheres.R(c.i), x.spheres.R(c.j));
        if (approach > 0.)
          least = std::min(least, std::max(0., (c.D + .9 * parameters.contact_tolerance * R) / approach));
      }
    return least;
  }

  void move(const double step)
  {
    x.spheres.r += step * Eigen::Map<const Eigen::MatrixXd>(x.U.data(), dim, x.spheres.size());
    for (Wall &wall : x.walls)
      wall.offset += step * wall.normal.dot(wall.velocity);
    x.time += step;
  }

  ImpactSequence              &x;
  Index                        dim;
  const convex::ConeProjector &projector;
  const SequenceParameters    &parameters;
  const ImpactObserver        &observer;
  ContactGraph                 graph;
};
} // namespace

std::string name(const ImpactSequence::End end)
{
  switch (end)
    {
      case ImpactSequence::End::separated:
        return "separated";
      case ImpactSequence::End::end_time:
        return "end time";
      case ImpactSequence::End::impact_limit:
        return "impact limit";
      default:
        return "overlap";
    }
}

ImpactSequence impact_sequence(const Spheres &spheres, const std::vector<Wall> &walls, const Vector &U,
                               const convex::ConeProjector &projector, const SequenceParameters &parameters,
                               const ImpactObserver &observer)
{
  check(parameters);
  if (U.size() != spheres.dimension() * spheres.size())
    throw std::invalid_argument("impact_sequence: U has length d n.");
  ImpactSequence x;
  x.spheres = spheres;
  x.walls   = walls;
  x.U       = U;
  Sequence(x, projector, parameters, observer).run();
  return x;
}
} // namespace moreau::micro
