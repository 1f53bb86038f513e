// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/trajectory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace moreau::micro
{
namespace
{
using State = Trajectory::State;

/// The weighted means of positions and velocities, and of impulses.
class Norm
{
public:
  Norm(const Vector &masses, const Index n)
  {
    const Vector m = masses.size() > 0 ? masses : Vector::Ones(n);
    if (m.size() != n)
      throw std::invalid_argument("error: there is a mass for every coordinate.");
    of_velocity = m / m.sum();
    of_impulse  = (m * m.sum()).cwiseInverse();
  }

  template <class Difference>
  double velocity(const Difference &u) const
  {
    return std::sqrt(u.cwiseAbs2().dot(of_velocity));
  }

  template <class Difference>
  double impulse(const Difference &P) const
  {
    return std::sqrt(P.cwiseAbs2().dot(of_impulse));
  }

private:
  Vector of_velocity, of_impulse;
};

/// NaN is larger than any number.
void raise(double &largest, const double x)
{
  if (!std::isnan(largest) && !(x <= largest))
    largest = x;
}

/// Walks through the steps of a trajectory.
class Walk
{
public:
  explicit Walk(const Trajectory &motion) : motion(motion) { enter(0); }

  double end_of_step() const
  {
    return k < motion.n_steps() ? motion.instants()[k + 1] : std::numeric_limits<double>::infinity();
  }
  const Vector &u() const { return slope; }
  State         cumulated_impulse() const { return motion.cumulated_impulse_at(k); }

  /// Goes to t, which is not after end_of_step().
  void go_to(const double t)
  {
    if (t == end_of_step())
      enter(k + 1);
    position = motion.q_at(k) + (t - motion.instants()[k]) * slope;
  }
  const Vector &q() const { return position; }

private:
  void enter(const Index step)
  {
    k        = step;
    position = motion.q_at(k);
    if (k < motion.n_steps())
      slope = (motion.q_at(k + 1) - motion.q_at(k)) / (motion.instants()[k + 1] - motion.instants()[k]);
  }

  const Trajectory &motion;
  Index             k = 0;
  Vector            slope, position;
};

void check_steps(const Trajectory &motion)
{
  if (motion.n_steps() < 1)
    throw std::invalid_argument("error: a trajectory needs at least one step.");
}

struct Integrals
{
  double u = 0., impulse = 0.;
};

Integrals operator+(const Integrals &a, const Integrals &b) { return {a.u + b.u, a.impulse + b.impulse}; }

/// Differences to a formula within one step.
class StepError
{
public:
  StepError(const Trajectory &motion, const ExactTrajectory &reference, const Norm &norm)
      : motion(motion), reference(reference), norm(norm)
  {}

  double sup_q = 0.;

  void begin(const Index step)
  {
    k     = step;
    start = motion.instants()[k];
    slope = (motion.q_at(k + 1) - motion.q_at(k)) / (motion.instants()[k + 1] - start);
    q_error(start, reference.at(start).q);
    q_error(motion.instants()[k + 1], reference.at(motion.instants()[k + 1]).q);
  }

  /// Over a part of the step in which u and P of the reference may jump.
  Integrals integral(const double a, const double b)
  {
    const double    m    = .5 * (a + b);
    const Integrals left = lobatto(a, m), right = lobatto(m, b), whole = left + right;
    allowed = {1e-4 * whole.u, 1e-4 * whole.impulse};
    return bisected(a, m, left, most_bisections) + bisected(m, b, right, most_bisections);
  }

private:
  static constexpr int most_bisections = 12; // a jump is found to 2e-4 of the step

  void q_error(const double t, const Vector &q) { raise(sup_q, norm.velocity(motion.q_at(k) + (t - start) * slope - q)); }

  /// Four points, the ends among them: no jump goes unseen between one rule and its two halves.
  Integrals lobatto(const double a, const double b)
  {
    // what is right-continuous may jump at b, where the next part begins
    static const double                    x       = .5 / std::sqrt(5.);
    const std::array<double, 4>            nodes   = {0., .5 - x, .5 + x, 1. - 1e-9};
    static constexpr std::array<double, 4> weights = {1. / 12., 5. / 12., 5. / 12., 1. / 12.};
    Integrals                              sum;
    for (std::size_t g = 0; g < nodes.size(); ++g)
      {
        const double                 t     = a + nodes[g] * (b - a);
        const ExactTrajectory::State state = reference.at(t);
        q_error(t, state.q);
        sum.u += weights[g] * (b - a) * norm.velocity(slope - state.u);
        sum.impulse +=
            weights[g] * (b - a) *
            (state.cumulated_impulse.size() == 0 ? std::numeric_limits<double>::quiet_NaN()
                                                 : norm.impulse(motion.cumulated_impulse_at(k) - state.cumulated_impulse));
      }
    return sum;
  }

  Integrals bisected(const double a, const double b, const Integrals &coarse, const int n_left)
  {
    const double    m    = .5 * (a + b);
    const Integrals left = lobatto(a, m), right = lobatto(m, b), fine = left + right;
    // written so that an impulse that is not known asks for nothing
    if (n_left == 0 ||
        !(std::abs(fine.u - coarse.u) > allowed.u || std::abs(fine.impulse - coarse.impulse) > allowed.impulse))
      return fine;
    return bisected(a, m, left, n_left - 1) + bisected(m, b, right, n_left - 1);
  }

  const Trajectory      &motion;
  const ExactTrajectory &reference;
  const Norm            &norm;
  Index                  k     = 0;
  double                 start = 0.;
  Vector                 slope;
  Integrals              allowed;
};
} // namespace

Trajectory::Trajectory(const double t, const Vector &q)
    : n(q.size()), times{t}, positions(q.data(), q.data() + n), impulses(n, 0.)
{}

void Trajectory::reserve(const Index n_steps)
{
  times.reserve(n_steps + 1);
  positions.reserve(n * (n_steps + 1));
  impulses.reserve(n * (n_steps + 1));
}

void Trajectory::record(const double t, const Vector &q, const Vector &impulse, const Vector &period)
{
  if (!(t >= times.back()) || q.size() != n || impulse.size() != n || (period.size() != 0 && period.size() != n))
    throw std::invalid_argument("Trajectory: instants come in order and all vectors have the length of q.");
  const std::size_t last = n * (times.size() - 1);
  if (t == times.back())
    {
      for (Index i = 0; i < n; ++i)
        impulses[last + i] += impulse(i);
      return;
    }
  times.push_back(t);
  for (Index i = 0; i < n; ++i)
    {
      const bool   repeats = period.size() != 0 && period(i) > 0.;
      const double moved   = q(i) - positions[last + i];
      positions.push_back(repeats ? positions[last + i] + std::remainder(moved, period(i)) : q(i));
      impulses.push_back(impulses[last + i] + impulse(i));
    }
}

Index Trajectory::step_of(const double t) const
{
  const auto after = std::upper_bound(times.begin(), times.end(), t);
  return std::clamp<Index>(after - times.begin() - 1, 0, std::max<Index>(0, n_steps() - 1));
}

Vector Trajectory::q(const double t) const
{
  const Index k = step_of(t);
  return n_steps() == 0 ? Vector(q_at(0)) : Vector(q_at(k) + (t - times[k]) * u(t));
}

Vector Trajectory::u(const double t) const
{
  const Index k = step_of(t);
  return n_steps() == 0 ? Vector(Vector::Zero(n)) : Vector((q_at(k + 1) - q_at(k)) / (times[k + 1] - times[k]));
}

Vector Trajectory::cumulated_impulse(const double t) const
{
  return cumulated_impulse_at(t >= times.back() ? n_steps() : step_of(t));
}

TrajectoryError error(const Trajectory &motion, const Trajectory &reference, const Vector &masses)
{
  check_steps(motion);
  check_steps(reference);
  if (motion.n_coordinates() != reference.n_coordinates())
    throw std::invalid_argument("error: the motions are not of one system.");
  const double begin = motion.instants().front(), end = std::min(motion.end_time(), reference.end_time());
  if (begin != reference.instants().front() || std::abs(motion.end_time() - reference.end_time()) > 1e-9 * (end - begin))
    throw std::invalid_argument("error: the motions begin and end at the same instants.");

  const Norm      norm(masses, motion.n_coordinates());
  Walk            a(motion), b(reference);
  TrajectoryError result;
  result.q = norm.velocity(a.q() - b.q());
  for (double t = begin; t < end;)
    {
      const double next = std::min({a.end_of_step(), b.end_of_step(), end});
      result.u += (next - t) * norm.velocity(a.u() - b.u());
      result.impulse += (next - t) * norm.impulse(a.cumulated_impulse() - b.cumulated_impulse());
      a.go_to(next);
      b.go_to(next);
      raise(result.q, norm.velocity(a.q() - b.q())); // both are linear in between
      t = next;
    }
  result.u /= end - begin;
  result.impulse /= end - begin;
  return result;
}

TrajectoryError error(const Trajectory &motion, const ExactTrajectory &reference, const Vector &masses)
{
  check_steps(motion);
  const Norm          norm(masses, motion.n_coordinates());
  StepError           step(motion, reference, norm);
  std::vector<double> kinks = reference.kinks;
  std::sort(kinks.begin(), kinks.end());
  auto      kink = kinks.begin();
  Integrals sum;
  for (Index k = 0; k < motion.n_steps(); ++k)
    {
      step.begin(k);
      double       t   = motion.instants()[k];
      const double end = motion.instants()[k + 1];
      for (; kink != kinks.end() && *kink < end; ++kink)
        if (*kink > t)
          {
            sum = sum + step.integral(t, *kink);
            t   = *kink;
          }
      sum = sum + step.integral(t, end);
    }
  const double T = motion.end_time() - motion.instants().front();
  return {step.sup_q, sum.u / T, sum.impulse / T};
}
} // namespace moreau::micro
