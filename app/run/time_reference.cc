// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/time_reference.h"

#include "app/input/text/formula.h"
#include "app/input/text/words.h"
#include "app/run/sequence_of_impacts.h"

#include "convex/input_error.h"
#include "convex/solvers/make_projector.h"
#include "convex/velocity_space.h"
#include "geometry/quadrature.h"
#include "micro/impact_sequence.h"

#include <algorithm>
#include <functional>
#include <memory>

namespace moreau::app
{
namespace
{
using micro::ExactTrajectory;
using micro::Index;
using micro::Obstacle;
using micro::Vector;

const std::string section = "Time convergence";

[[noreturn]] void refuse(const std::string &reason) { throw InputError(section + "/Reference", reason); }

Vector vector(const double t) { return Vector::Constant(1, t); }

/// Impulses of the constraints on spheres whose motion is known: ∫dP = m
/// (u(t) - U) - ∫ m f, the integral by Gauss points.
class ImpulseOfFormula
{
public:
  ImpulseOfFormula(const micro::SphereSystem &system, std::shared_ptr<const Formula> q, std::shared_ptr<const Formula> u,
                   const double T)
      : system(system), m(masses_of_coordinates(system.spheres)), q(std::move(q)), u(std::move(u)), length(T / n_intervals)
  {
    until.push_back(Vector::Zero(m.size()));
    for (int k = 0; system.force && k < n_intervals; ++k)
      until.push_back(until.back() + integral(k * length, (k + 1) * length));
  }

  Vector operator()(const double t) const
  {
    Vector v = (*u)(vector(t)) - system.U;
    if (system.force)
      {
        const int k = std::clamp(static_cast<int>(t / length), 0, n_intervals);
        v -= until[k] + integral(k * length, t);
      }
    return m.cwiseProduct(v);
  }

private:
  static constexpr int n_intervals = 2000;

  /// ∫f over [a, b] by two points.
  Vector integral(const double a, const double b) const
  {
    const Index     d = system.spheres.dimension();
    Eigen::MatrixXd f(d, system.spheres.size());
    const auto      at = [&](const double t) -> Vector {
      system.force(t, (*q)(vector(t)).reshaped(d, f.cols()), (*u)(vector(t)).reshaped(d, f.cols()), f);
      return f.reshaped();
    };
    return (b - a) * geometry::mean_over(a, b - a, at, 2);
  }

  const micro::SphereSystem      system;
  const Vector                   m;
  std::shared_ptr<const Formula> q, u;
  double                         length;
  std::vector<Vector>            until; ///< ∫f from 0 to each multiple of length
};

/// Compares ∫u with what q changes by, interval by interval, and halves those where they part: what an impact leaves
/// vanishes, what is wrong does not. Throws InputError where it is more than a ten-thousandth of the largest speed times T.
class DerivativeCheck
{
public:
  DerivativeCheck(const Formula &q, const Formula &u, const double T, const Index n) : q(q), u(u), n(n)
  {
    std::vector<Interval> parts;
    Vector                size = Vector::Zero(n), length = q(vector(T)).cwiseAbs(); // a formula that ends says so here
    for (int k = 0; k < n_intervals; ++k)
      {
        parts.push_back(interval(T * k / n_intervals, T * (k + 1) / n_intervals));
        size   = size.cwiseMax(parts.back().given.cwiseAbs()).cwiseMax(parts.back().found.cwiseAbs());
        length = length.cwiseMax(q(vector(parts.back().begin)).cwiseAbs());
      }
    const auto part = [&](const Interval &of) {
      const double rounding = 4. * convex::epsilon / (of.end - of.begin);
      for (Index i = 0; i < n; ++i)
        if (!(of.apart(i) <= close * size(i) + rounding * length(i)))
          return true;
      return false;
    };
    while (true)
      {
        parts.erase(std::remove_if(parts.begin(), parts.end(), [&](const Interval &of) { return !part(of); }), parts.end());
        Vector total = Vector::Zero(n);
        for (const Interval &of : parts)
          for (Index i = 0; i < n; ++i)
            total(i) += of.apart(i) * (of.end - of.begin);
        if ((total.array() <= close * T * size.array()).all())
          return;
        if (parts.size() > most || parts.front().end - parts.front().begin < T * shortest)
          complain(parts, (size.array() > 0.).select(total.cwiseQuotient(size), 0.));
        std::vector<Interval> halves;
        for (const Interval &of : parts)
          {
            const double middle = .5 * (of.begin + of.end);
            halves.push_back(interval(of.begin, middle));
            halves.push_back(interval(middle, of.end));
          }
        parts.swap(halves);
      }
  }

private:
  static constexpr int         n_intervals = 2000;
  static constexpr std::size_t most        = 20000;
  static constexpr double      close = 1e-4, shortest = 1e-8;

  struct Interval
  {
    double begin, end;
    Vector given, found; ///< mean velocities by u and by q (m/s)

    double apart(const Index i) const { return std::abs(given(i) - found(i)); }
  };

  Interval interval(const double a, const double b) const
  {
    return {a, b,
            geometry::mean_over(
                a, b - a, [&](const double t) -> Vector { return u(vector(t)); }, 2),
            (q(vector(b)) - q(vector(a))) / (b - a)};
  }

  [[noreturn]] void complain(const std::vector<Interval> &parts, const Vector &wrong) const
  {
    Index i = 0;
    wrong.maxCoeff(&i);
    const Interval &worst = *std::max_element(parts.begin(), parts.end(),
                                              [i](const Interval &a, const Interval &b) { return a.apart(i) < b.apart(i); });
    throw InputError(section + "/Exact velocity expression",
                     "Component " + std::to_string(i + 1) + " is " + short_number(worst.given(i)) + " at t = " +
                         short_number(.5 * (worst.begin + worst.end)) + " s, where Exact position expression changes by " +
                         short_number(worst.found(i)) + " a second; give its derivative.");
  }

  const Formula &q, &u;
  Index          n;
};

/// By the expressions of the parameter file. Empty where there are none.
std::optional<ExactTrajectory> by_expressions(const MotionSetting &setting, const Parameters &parameters, const Vector &q_0)
{
  const TimeConvergenceParameters &texts = parameters.motion.convergence;
  const bool has_q = !texts.exact_position.expression.empty(), has_u = !texts.exact_velocity.expression.empty();
  if (has_q != has_u)
    throw InputError(section + (has_q ? "/Exact velocity expression" : "/Exact position expression"),
                     "Exact positions and velocities are given together or not at all; add the missing ones.");
  if (!has_q)
    return std::nullopt;
  const auto   q    = std::make_shared<const Formula>(section, texts.exact_position, q_0.size());
  const auto   u    = std::make_shared<const Formula>(section, texts.exact_velocity, q_0.size());
  const double T    = parameters.motion.time.end_time;
  double       size = q_0.lpNorm<Eigen::Infinity>(); // (m)
  for (const double t : {T, .75 * T, .5 * T, .25 * T})
    size = std::max(size, (*q)(vector(t)).lpNorm<Eigen::Infinity>());
  if (const double away = ((*q)(vector(0.)) - q_0).lpNorm<Eigen::Infinity>(); !(away <= 1e-9 * size))
    throw InputError(section + "/Exact position expression",
                     "At time 0 it is " + short_number(away) + " m away from where the motion begins; both must agree.");
  DerivativeCheck(*q, *u, T, q_0.size());
  std::function<Vector(double t)> impulse = [](double) { return Vector(); };
  if (setting.moves_spheres())
    impulse = [known = std::make_shared<const ImpulseOfFormula>(setting.spheres, q, u, T)](const double t) {
      return (*known)(t);
    };
  return ExactTrajectory{[q, u, impulse](const double t) -> ExactTrajectory::State {
                           return {(*q)(vector(t)), (*u)(vector(t)), impulse(t)};
                         },
                         {}};
}

/// By the system's own formula. Empty where it has none.
std::optional<ExactTrajectory> by_system(const MotionSetting &setting, const double T)
{
  const double e = setting.parameters.law.restitution;
  if (setting.moves_spheres() || !setting.system->exact(0., e) || !setting.system->exact(T, e))
    return std::nullopt;
  return ExactTrajectory{[system = setting.system, e](const double t) -> ExactTrajectory::State {
                           const auto arc = system->exact(t, e);
                           return {arc->q, arc->u, arc->cumulated_impulse};
                         },
                         {}};
}

/// Half-spaces that move uniformly over [0, T], which is what impact_sequence() knows of.
std::vector<micro::Wall> walls(const micro::Obstacles &obstacles, const double T)
{
  const micro::PlacedObstacles begin = obstacles.at(0.), end = obstacles.at(T);
  std::vector<micro::Wall>     result;
  for (int k = 0; k < obstacles.size(); ++k)
    {
      const Obstacle &a = begin.obstacles()[k], &b = end.obstacles()[k];
      if (a.shape != Obstacle::Shape::half_space)
        refuse("'events' knows half-spaces only, but there is " + a.name + "; use 'finest'.");
      for (const double part : {.25, .5, .75})
        {
          const Obstacle between = obstacles.at(part * T).obstacles()[k];
          if (!(between.b - a.b).isZero(1e-12) ||
              !((between.a - a.a) - part * (b.a - a.a)).isZero(1e-12 * (a.a.norm() + b.a.norm())))
            refuse("'events' knows half-spaces that move uniformly, but " + a.name + " does not; use 'finest'.");
        }
      result.push_back({a.name, a.b, a.b.dot(a.a), (b.a - a.a) / T});
    }
  return result;
}

void check_events(const MotionSetting &setting, const double T)
{
  if (!setting.moves_spheres())
    refuse("'events' is for spheres; use 'exact' or 'finest'.");
  if (setting.spheres.force)
    refuse("'events' follows spheres without force; leave Force/Function expression empty or use 'finest'.");
  if (setting.spheres.radii)
    refuse("'events' follows spheres of constant radii; leave Growth/Function expression empty or use 'finest'.");
  if (setting.spheres.period.size() > 0 && !setting.spheres.period.isZero())
    refuse("'events' knows no periodic box; leave Zone/Periodic empty or use 'finest'.");
  if (setting.parameters.contact_law != micro::ContactLaw::dry)
    refuse("'events' knows dry contact only, but Contact law is '" + micro::name(setting.parameters.contact_law) +
           "'; use 'finest'.");
  if (const Index n = setting.spheres.spheres.size(); n > 2000)
    refuse("'events' looks at all pairs and is meant for up to 2000 spheres, but there are " + std::to_string(n) +
           "; use 'finest'.");
  walls(setting.spheres.obstacles, T);
}
} // namespace

Vector masses_of_coordinates(const micro::Spheres &spheres)
{
  return spheres.m.transpose().replicate(spheres.dimension(), 1).reshaped();
}

TimeReference time_reference(const MotionSetting &setting, const Parameters &parameters)
{
  const std::string &asked = parameters.motion.convergence.reference;
  const double       T     = parameters.motion.time.end_time;
  TimeReference      result;
  if (asked == "exact" || asked == "automatic")
    {
      result.name      = "exact";
      const Vector q_0 = setting.make_motion()->q();
      if ((result.exact = by_expressions(setting, parameters, q_0)))
        {
          result.exact->at(T);
          result.description = "the exact motion of Time convergence/Exact position expression";
          return result;
        }
      if ((result.exact = by_system(setting, T)))
        {
          result.description = "the exact motion of the system";
          return result;
        }
      if (asked == "exact")
        refuse(
            "No exact motion is known here; give Exact position expression and Exact velocity expression, or use 'finest'.");
    }
  if (asked == "events")
    {
      check_events(setting, T);
      result.name        = "events";
      result.description = "spheres followed from impact to impact";
      return result;
    }
  const std::vector<double> &steps = parameters.motion.time.steps;
  result.name                      = "finest";
  result.h                         = *std::min_element(steps.begin(), steps.end()) / finest_ratio;
  result.description               = "the same scheme with h = " + short_number(result.h) + " s";
  return result;
}

micro::Trajectory followed_events(const MotionSetting &setting, const Parameters &parameters, Log &log)
{
  const micro::Spheres     &spheres = setting.spheres.spheres;
  const double              T       = parameters.motion.time.end_time;
  micro::SequenceParameters sequence;
  sequence.law                        = setting.parameters.law;
  sequence.contact_tolerance          = parameters.spheres.contact_tolerance;
  sequence.end_time                   = T;
  sequence.max_impacts                = 100000;
  convex::StoppingCriterion criterion = setting.parameters.criterion;
  criterion.tolerance                 = 1e-12; // nobody asks how far the reference is from the truth

  const auto        flat = [](const micro::Spheres &s) { return Vector(s.r.reshaped()); };
  const Vector      mass = masses_of_coordinates(spheres);
  micro::Trajectory result(0., flat(spheres));
  const auto        observe = [&](const micro::SequenceImpact &impact, const micro::ImpactScene &scene) {
    if (impact.effort.status == convex::Status::infeasible)
      refuse("Walls leave no admissible velocity after " + short_number(impact.time) + " s; use 'finest'.");
    result.record(impact.time, flat(scene.spheres), mass.cwiseProduct(scene.u_plus - scene.U));
  };
  const auto                  projector = convex::make_projector("automatic", criterion);
  const micro::ImpactSequence end =
      micro::impact_sequence(spheres, walls(setting.spheres.obstacles, T), setting.spheres.U, *projector, sequence, observe);
  if (end.end == micro::ImpactSequence::End::impact_limit)
    refuse("There are more than " + std::to_string(sequence.max_impacts) + " impacts before " + short_number(end.time) +
           " s, perhaps infinitely many; use 'finest' or an earlier End time.");
  if (end.end == micro::ImpactSequence::End::far_away)
    refuse("After " + short_number(end.time) +
           " s, before the next impact or the end, spheres are so far away that their "
           "coordinates are too coarse for their radii; use 'finest' or an earlier End time.");
  if (end.end == micro::ImpactSequence::End::overlap)
    refuse("Impacts cannot be followed beyond " + short_number(end.time) + " s; use 'finest' or an earlier End time.");
  warn_of_digits(setting.remark, log);
  warn_of_order(end, sequence.law.restitution, log);
  if (result.end_time() < T)
    result.record(T, flat(end.spheres) + (T - end.time) * end.U, Vector::Zero(mass.size()));
  return result;
}
} // namespace moreau::app
