// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/impact_sequence.h"

#include "convex/certificate.h"
#include "convex/input_error.h"
#include "micro/flight_events.h"
#include "micro/impact_problem.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace moreau::micro
{
namespace
{
constexpr double never = FlightEvents::never;

void check(const SequenceParameters &parameters)
{
  // a sphere that arrives stops at a gap of the order of rounding, which must count as a contact
  if (!(parameters.contact_tolerance >= 1e-12))
    throw InputError("the contact tolerance", "A sequence of impacts needs a contact tolerance of at least 1e-12.");
  if (!(parameters.end_time >= 0.))
    throw InputError("the end time of the impacts", "It must not be negative.");
}

using Hit = FlightEvents::Hit;

class Sequence
{
public:
  Sequence(ImpactSequence &x, const convex::ConeProjector &projector, const SequenceParameters &parameters,
           const ImpactObserver &observer)
      : x(x), dim(x.spheres.dimension()), projector(projector), parameters(parameters), observer(observer), before(x.U)
  {}

  void run()
  {
    FlightEvents events(x.spheres, x.walls, x.U, parameters.contact_tolerance);
    if (!impact(touching(contact_graph(x.spheres, x.walls, parameters.contact_tolerance)), events))
      return stop(ImpactSequence::End::impact_limit);
    events.search(x.time);
    const double slowest = std::min(1e-140, 1e-100 * fastest());
    const double last    = parameters.end_time * (1. + 4. * convex::epsilon); // an impact at the end has happened then
    while (true)
      {
        const FlightEvents::Event event = events.next();
        const double              until = std::min(event.time, parameters.end_time);
        const bool                meets = event.kind == FlightEvents::Kind::contact && event.time <= last;
        if (until == never)
          return stop(ImpactSequence::End::separated);
        if (meets && fastest() < slowest)
          return stop(ImpactSequence::End::too_slow);
        if (!move(until))
          return stop(ImpactSequence::End::far_away);
        if (until == parameters.end_time && !meets)
          return stop(ImpactSequence::End::end_time);
        if (event.kind == FlightEvents::Kind::overlap)
          return stop(ImpactSequence::End::overlap);
        if (event.kind == FlightEvents::Kind::search)
          {
            if (!search(events))
              return stop(ImpactSequence::End::far_away);
          }
        else if (const Hit hit = events.hit(event.time); !hit.spheres.empty())
          {
            if (!impact(hit, events))
              return stop(ImpactSequence::End::impact_limit);
            events.predict(hit, x.time);
          }
      }
  }

private:
  double energy(const Vector &u, const Spheres &spheres) const
  {
    return .5 * (Eigen::Map<const Eigen::MatrixXd>(u.data(), dim, spheres.size()).colwise().squaredNorm() * spheres.m)(0);
  }

  /// The largest component of a velocity of a sphere or wall, m/s.
  double fastest() const
  {
    double result = convex::max_abs(x.U);
    for (const Wall &wall : x.walls)
      result = std::max(result, convex::max_abs(wall.velocity));
    return result;
  }

  void stop(const ImpactSequence::End end) { x.end = end; }

  /// False where coordinates have become too coarse.
  bool search(FlightEvents &events) const
  {
    try
      {
        events.search(x.time);
        return true;
      }
    catch (const InputError &) // of contact_range(), which took the coordinates of the beginning
      {
        return false;
      }
  }

  static Hit touching(const ContactGraph &graph)
  {
    Hit               result;
    std::vector<bool> touches(graph.n_spheres, false);
    for (const Contact &contact : graph.contacts)
      {
        result.contacts.push_back({contact.i, contact.j});
        touches[contact.i] = true;
        if (!graph.touches_wall(contact))
          touches[contact.j] = true;
      }
    for (Index i = 0; i < graph.n_spheres; ++i)
      if (touches[i])
        result.spheres.push_back(i);
    return result;
  }

  ContactGraph graph_of(const Hit &hit, const Spheres &part) const
  {
    const auto local = [&](const int number) {
      if (number >= x.spheres.size())
        return static_cast<int>(number - x.spheres.size() + part.size());
      return static_cast<int>(std::lower_bound(hit.spheres.begin(), hit.spheres.end(), number) - hit.spheres.begin());
    };
    std::vector<std::array<int, 2>> pairs;
    for (const auto &[i, j] : hit.contacts)
      pairs.push_back({local(i), local(j)});
    return graph_of_pairs(part, x.walls, pairs);
  }

  /// The largest velocity of these spheres in the frame of the walls or, without them, in that of the mean of all.
  double speed_of(const std::vector<Index> &members)
  {
    const Eigen::VectorXd frame =
        x.walls.empty() ? Eigen::VectorXd(columns(x.U).rowwise().mean()) : Eigen::VectorXd(Eigen::VectorXd::Zero(dim));
    return (columns(x.U)(Eigen::all, members).colwise() - frame).cwiseAbs().maxCoeff();
  }

  /// The impact of all contacts, if any is pressed. False where it would be one too many.
  bool impact(const Hit &hit, FlightEvents &events)
  {
    if (hit.contacts.empty())
      return true;
    const std::vector<Index> &members = hit.spheres;
    const Spheres             part{x.spheres.r(Eigen::all, members), x.spheres.R(members), x.spheres.m(members)};
    ContactGraph              graph = graph_of(hit, part);
    const Vector              U     = columns(x.U)(Eigen::all, members).reshaped();

    const convex::ProjectionProblem problem = impact_problem(part, x.walls, graph, U);
    // what contacts that have rebounded still approach with: below this part of the velocities nothing could be certified
    constexpr double spent = 1e-9;
    const bool       collapses =
        hit.collapses || (events.any_has_rebounded(hit) && convex::approach_speed(problem, U) <= spent * speed_of(members));
    const double   e   = collapses ? 0. : parameters.law.restitution;
    convex::Impact law = convex::post_impact(problem, projector, e, parameters.law.max_repetitions);
    if (collapses)
      events.forget_rebounds(hit);
    if (law.effort.n_projections == 0)
      return true;
    if (x.impacts.size() == parameters.max_impacts)
      return false;

    bool feasible;
    law.u_plus = convex::feasible_companion(problem, law.u_plus, feasible);
    law.effort.collapsed |= collapses;

    SequenceImpact record;
    const double   total = energy(x.U, x.spheres), of_part = energy(U, part);
    const bool     is_infeasible = law.effort.status == convex::Status::infeasible;
    record.time                  = x.time;
    record.n_contacts            = graph.n_contacts();
    record.energy_before         = total;
    record.energy_projected      = total + ((is_infeasible ? of_part : energy(law.projection.u, part)) - of_part);
    record.energy_after          = total + (energy(law.u_plus, part) - of_part);
    record.effort                = law.effort;
    record.certificate           = law.worst;
    record.method                = law.projection.method;
    record.hangs_on_tolerance    = e > 0. && presses_open_contacts_with_others(graph, part, law.impulse);
    x.impacts.push_back(record);

    put(members, law.u_plus, x.U);
    if (e > 0.)
      note_rebounds(hit, problem, law, events);
    if (observer)
      {
        for (Index k = 0; k < graph.n_contacts(); ++k)
          {
            graph.contacts[k].i = hit.contacts[k][0];
            graph.contacts[k].j = hit.contacts[k][1];
          }
        graph.n_spheres = x.spheres.size();
        if (projected.size() == 0)
          projected = before;
        put(members, law.projection.u, projected);
        observer(record, {x.spheres, x.walls, graph, problem, law, before, x.U, projected});
        put(members, law.u_plus, projected);
      }
    put(members, law.u_plus, before);
    return true;
  }

  /// Whether a contact that the tolerance makes one is pressed, and another one of the same sphere, too.
  bool presses_open_contacts_with_others(const ContactGraph &graph, const Spheres &part, const Vector &impulse) const
  {
    const double     least    = 1e-9 * convex::max_abs(impulse);
    const double     much     = 1e-3 * parameters.contact_tolerance; // more than velocities and coordinates are wrong by
    const double     rounding = contact_range(part, x.walls, 0.).rounding;
    std::vector<int> n_pressed(part.size() + x.walls.size(), 0); // of each sphere
    const auto       visit_pressed = [&](const auto &visit) {
      for (Index k = 0; k < graph.n_contacts(); ++k)
        if (impulse(k) > least)
          visit(graph.contacts[k]);
    };
    visit_pressed([&](const Contact &contact) {
      ++n_pressed[contact.i];
      n_pressed[contact.j] += !graph.touches_wall(contact); // walls hand nothing on
    });
    bool found = false;
    visit_pressed([&](const Contact &contact) {
      const bool   at_wall = graph.touches_wall(contact);
      const double R       = at_wall ? part.R(contact.i) : std::min(part.R(contact.i), part.R(contact.j));
      found |= contact.D > much * R + rounding && (n_pressed[contact.i] > 1 || n_pressed[contact.j] > 1);
    });
    return found;
  }

  /// Contacts that were pressed and part with a speed of the impact, not with that of an error.
  void note_rebounds(const Hit &hit, const convex::ProjectionProblem &problem, const convex::Impact &law,
                     FlightEvents &events) const
  {
    const Vector b = problem.right_hand_side();
    Vector       before(problem.n_constraints()), after(problem.n_constraints());
    problem.B->apply(problem.U, before);
    problem.B->apply(law.u_plus, after);
    const double slow = 1e-3 * parameters.law.restitution * (before - b).maxCoeff();
    for (Index k = 0; k < before.size(); ++k)
      if (law.impulse(k) > 0. && b(k) - after(k) > slow)
        events.rebound(hit.contacts[k][0], hit.contacts[k][1]);
  }

  /// d x n.
  Eigen::Map<Eigen::MatrixXd> columns(Vector &u) const { return {u.data(), dim, u.size() / dim}; }

  void put(const std::vector<Index> &members, Vector &part, Vector &u) const
  {
    columns(u)(Eigen::all, members) = columns(part);
  }

  /// False where coordinates would become too coarse for the radii; then nothing moves.
  bool move(const double until)
  {
    const double      step  = until - x.time;
    std::vector<Wall> walls = x.walls;
    for (Wall &wall : walls)
      wall.offset += step * wall.normal.dot(wall.velocity);
    moved = x.spheres.r + step * columns(x.U);
    if (const double extent = convex::max_abs(moved.reshaped()); extent > checked_extent)
      try
        {
          contact_range({moved, x.spheres.R, x.spheres.m}, walls, parameters.contact_tolerance);
          checked_extent = 2. * extent;
        }
      catch (const InputError &)
        {
          return false;
        }
    x.spheres.r.swap(moved);
    x.walls = std::move(walls);
    x.time  = until;
    return true;
  }

  ImpactSequence              &x;
  Index                        dim;
  const convex::ConeProjector &projector;
  const SequenceParameters    &parameters;
  const ImpactObserver        &observer;
  Vector                       before, projected;   ///< of all spheres: x.U but for an impact that goes on
  double                       checked_extent = 0.; ///< coordinates are fine enough up to here (m)
  Eigen::MatrixXd              moved;               ///< room for centres
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
      case ImpactSequence::End::far_away:
        return "far away";
      case ImpactSequence::End::too_slow:
        return "too slow";
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
