// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/constraint_constants.h"

#include "convex/input_error.h"
#include "convex/solvers/positive_independence.h"
#include "micro/motion/mechanical_motion.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace moreau::micro
{
namespace
{
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Of the size of q_k: what is taken for 1 where q is 0, and does not vanish where q_k alone passes through 0.
double size_of(const Vector &q, const Index k)
{
  const double largest = q.lpNorm<Eigen::Infinity>();
  return largest > 0. ? std::max(std::abs(q(k)), 1e-3 * largest) : 1.;
}

/// D²g_i in the coefficients Lᵀq, by differences of gradients; symmetric.
std::vector<Eigen::MatrixXd> hessians(const MechanicalSystem &system, const MassMetric &metric, const double t,
                                      const Vector &q, const std::vector<Index> &which)
{
  const Index                  n = q.size();
  std::vector<Eigen::MatrixXd> result(which.size(), Eigen::MatrixXd::Zero(n, n));
  for (Index k = 0; k < n; ++k)
    {
      const double          h    = 1e-4 * size_of(q, k);
      const Vector          left = q - h * Vector::Unit(n, k), right = q + h * Vector::Unit(n, k);
      const Eigen::MatrixXd change = (system.gradients(t, right) - system.gradients(t, left)) / (right(k) - left(k));
      for (std::size_t i = 0; i < which.size(); ++i)
        result[i].col(k) = change.row(which[i]).transpose();
    }
  for (Eigen::MatrixXd &H : result)
    {
      H = .5 * (H + H.transpose()).eval();
      H = metric.scaled_rows(metric.scaled_rows(H).transpose());
    }
  return result;
}

/// h > 0: a time in which constraints hardly change.
Vector speeds_of_constraints(const MechanicalSystem &system, const double t, const Vector &q, const double h)
{
  return (system.constraints(t + h, q) - system.constraints(t - h, q)) / (2. * h);
}
} // namespace

ActiveConstraints active_constraints(const MechanicalSystem &system, const Motion &motion)
{
  const double          t = motion.time();
  const Vector         &q = motion.q();
  const MassMetric      metric(system.mass(q));
  const double          speed = metric.scaled(motion.u()).norm();
  const Vector          g = system.constraints(t, q), moved = speeds_of_constraints(system, t, q, 1e-3 * motion.record().h);
  const Eigen::MatrixXd gradients = system.gradients(t, q), rows = metric.scaled_rows(gradients);
  const Vector          length = rows.rowwise().norm();
  std::vector<Index>    which;
  for (Index i = 0; i < g.size(); ++i)
    if (g(i) <= motion.record().h * (length(i) * speed + std::abs(moved(i))) + 1e-9 * gradients.row(i).norm() * q.norm())
      which.push_back(i);
  ActiveConstraints active;
  active.rows      = Eigen::MatrixXd(rows(which, Eigen::all)).sparseView();
  active.speed     = moved(which);
  active.curvature = active.inwards = Vector::Zero(active.speed.size());
  if (which.empty())
    return active;
  constexpr double flat = 1e-7; // of differences, relative to the gradient
  const auto       bent = hessians(system, metric, t, q, which);
  for (std::size_t k = 0; k < which.size(); ++k)
    {
      const Vector lambda = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(bent[k], Eigen::EigenvaluesOnly).eigenvalues();
      const auto   i      = static_cast<Index>(k);
      active.curvature(i) = lambda.cwiseAbs().maxCoeff();
      active.inwards(i)   = lambda.maxCoeff() > flat * length(which[k]) ? lambda.maxCoeff() : 0.;
    }
  return active;
}

void ConstraintConstants::see(const ActiveConstraints &active)
{
  if (active.rows.rows() == 0)
    return;
  const double gamma = convex::positive_independence(active.rows).gamma();
  double       least = infinity, most = 0., c0 = 0.;
  for (Index i = 0; i < active.rows.rows(); ++i)
    {
      const double length = active.rows.row(i).norm();
      least               = std::min(least, length);
      most                = std::max({most, length, std::abs(active.speed(i))});
      c0                  = std::max(c0, gamma * std::abs(active.speed(i)) / length);
    }
  const double inwards = active.inwards.maxCoeff();
  const double eta     = inwards > 0. ? least / (inwards * gamma) : gamma < infinity ? infinity : 0.;
  least_gradient       = n == 0 ? least : std::min(least_gradient, least);
  least_eta            = n == 0 ? eta : std::min(least_eta, eta);
  most_gradient        = std::max(most_gradient, most);
  most_curvature       = std::max(most_curvature, active.curvature.maxCoeff());
  most_gamma           = std::max(most_gamma, gamma);
  most_a               = std::max(most_a, gamma / least);
  most_c0              = std::max(most_c0, c0);
  ++n;
}

Vector ConstraintConstants::state() const
{
  Vector state(9);
  state << static_cast<double>(n), static_cast<double>(n_left_out), least_gradient, most_gradient, most_curvature,
      most_gamma, most_a, most_c0, least_eta;
  return state;
}

void ConstraintConstants::restore(const Vector &state)
{
  const auto is_count = [](const double x) { return x >= 0. && x < 0x1p53; };
  if (state.size() != 9 || !is_count(state(0)) || !is_count(state(1)))
    throw std::invalid_argument("ConstraintConstants: this is not a state of theirs.");
  n              = static_cast<std::int64_t>(state(0));
  n_left_out     = static_cast<std::int64_t>(state(1));
  least_gradient = state(2);
  most_gradient  = state(3);
  most_curvature = state(4);
  most_gamma     = state(5);
  most_a         = state(6);
  most_c0        = state(7);
  least_eta      = state(8);
}

namespace
{
constexpr Index most_coordinates = 6; ///< that a few hundred samples say something of

/// Points that fill [0, 1]ⁿ evenly (Halton).
Vector halton(const Index n, int k)
{
  static const std::array<int, 16> primes = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
  Vector                           x(n);
  for (Index i = 0; i < n; ++i)
    {
      const int base  = primes[i % primes.size()];
      double    value = 0., digit = 1. / base;
      for (int rest = k + 1 + static_cast<int>(i / primes.size()); rest > 0; rest /= base, digit /= base)
        value += digit * (rest % base);
      x(i) = value;
    }
  return x;
}

/// The k-th of points in the unit ball; every second one on its surface, where most suprema are.
Vector in_ball(const Vector &cube, const int k)
{
  const Vector x      = 2. * cube - Vector::Ones(cube.size());
  const double length = x.norm(), most = x.lpNorm<Eigen::Infinity>();
  return length == 0. ? x : k % 2 == 0 ? Vector(x / length) : Vector(x * (most / length));
}

Eigen::MatrixXd root(const Eigen::MatrixXd &M) { return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M).operatorSqrt(); }

/// ‖DM^{1/2}‖ at q is at most this.
double slope_of_root(const MechanicalSystem &system, const Vector &q)
{
  double squares = 0.;
  for (Index k = 0; k < q.size(); ++k)
    {
      const double h = 1e-5 * size_of(q, k);
      squares +=
          ((root(system.mass(q + h * Vector::Unit(q.size(), k))) - root(system.mass(q - h * Vector::Unit(q.size(), k)))) /
           (2. * h))
              .squaredNorm();
    }
  return std::sqrt(squares);
}

AprioriBound with_radius(const MechanicalSystem &system, const double T, const double R, const double speed)
{
  constexpr int n_samples = 256, n_times = 5;
  const auto    moves = [&](const Vector &q) {
    const Vector g = system.constraints(0., q);
    return g != system.constraints(T / 3., q) || g != system.constraints(T, q);
  };
  const Vector q0 = system.initial_position();
  const Index  n  = q0.size();
  AprioriBound bound;
  bound.R     = R;
  bound.speed = speed;
  bound.alpha = infinity;
  std::vector<Vector> places;
  for (int k = 0; k < n_samples; ++k)
    {
      const Vector q = k == 0 ? q0 : Vector(q0 + R * in_ball(halton(n, k), k));
      bound.alpha = std::min(bound.alpha, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(system.mass(q)).eigenvalues()(0));
      if (!system.constant_mass())
        bound.L = std::max(bound.L, slope_of_root(system, q));
      if (moves(q))
        return {};
      places.push_back(q);
    }
  if (!(bound.alpha > 0.))
    return {};
  for (int k = 0; k < n_samples; ++k)
    {
      const Vector v = R / std::sqrt(bound.alpha) * in_ball(halton(2 * n, k).tail(n), k);
      for (int i = 0; i < n_times; ++i)
        bound.C_f = std::max(
            bound.C_f, system.force(T * i / (n_times - 1), places[k], system.mass(places[k]) * v).norm()); // NaN is not kept
    }
  const double k1 = bound.L / bound.alpha, k2 = bound.C_f / std::sqrt(bound.alpha),
               most = std::min(T, std::sqrt(bound.alpha));
  double until      = 0.; // θ(until) = R
  if (k1 > 0. && k2 > 0.)
    until = (std::atan(std::sqrt(k1 / k2) * R) - std::atan(std::sqrt(k1 / k2) * speed)) / std::sqrt(k1 * k2);
  else if (k1 > 0.)
    until = speed > 0. ? (1. / speed - 1. / R) / k1 : infinity;
  else
    until = k2 > 0. ? (R - speed) / k2 : infinity;
  bound.tau = std::min(most, until);
  return bound;
}
} // namespace

double AprioriBound::theta(const double t) const
{
  const double k1 = L / alpha, k2 = C_f / std::sqrt(alpha);
  if (k1 > 0. && k2 > 0.)
    {
      const double angle = std::sqrt(k1 * k2) * t + std::atan(std::sqrt(k1 / k2) * speed);
      return angle < M_PI_2 ? std::sqrt(k2 / k1) * std::tan(angle) : infinity;
    }
  if (k1 > 0.)
    return k1 * speed * t < 1. ? speed / (1. - k1 * speed * t) : infinity;
  return speed + k2 * t;
}

AprioriBound apriori_bound(const MechanicalSystem &system, const double T)
{
  const MassMetric metric(system.mass(system.initial_position()));
  const double     speed = metric.scaled(system.initial_velocity()).norm();
  AprioriBound     best;
  if (system.n_coordinates() > most_coordinates)
    return best;
  for (double factor = 1.25; factor < 1e3; factor *= 1.6)
    try
      {
        const AprioriBound bound = with_radius(system, T, factor * (speed > 0. ? speed : .1), speed);
        if (bound.tau > best.tau)
          best = bound;
      }
    catch (const InputError &) // no system so far away
      {
        break;
      }
  return best;
}
} // namespace moreau::micro
