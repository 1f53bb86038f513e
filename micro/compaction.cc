// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/compaction.h"

#include "convex/factorisation/bordered_system.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace moreau::micro
{
namespace
{
class Compaction
{
public:
  explicit Compaction(SoftSpheres &spheres) : spheres(spheres), unit(2. * spheres.s), listed_at(spheres.r) {}

  /// What is left of s, if p were in balance: Σ p D over the mean diameter.
  double left() const { return gap_of_forces; }

  bool is_done() const { return gap_of_forces < done && last_step > .9; }

  static constexpr double done = 1e-12;

  /// False where it breaks down.
  bool advance()
  {
    const double reach_now = gap_of_forces > 1e-4 ? .2 : gap_of_forces > 1e-6 ? .1 : .05;
    if (reach == 0. || reach_now < reach ||
        (spheres.r - listed_at).colwise().squaredNorm().maxCoeff() > std::pow(part_of_reach * reach * unit, 2))
      {
        reach = reach_now;
        list();
      }
    const SoftSpheres::Rows rows = spheres.rows(pairs);
    S                            = rows.S;
    g                            = rows.D / unit;
    if (!(g.minCoeff() > 0.))
      return false;
    aim();
    Step step;
    if (!find(rows.B, step))
      return false;
    go(step);
    return true;
  }

private:
  static constexpr double part_of_reach = .2; // that spheres go in a step, and until pairs are listed again

  /// Lengths in mean diameters at the start.
  struct Step
  {
    Vector x, dg, dp;
    double ds = 0.;
  };

  SoftSpheres                            &spheres;
  const double                            unit;
  std::vector<SoftSpheres::Close>         pairs;
  Eigen::MatrixXd                         listed_at;
  std::shared_ptr<convex::SparseCholesky> factors; // of the pattern of the pairs
  Vector                                  p, g, S;
  double                                  reach = 0.; // of pairs, in mean diameters
  double                                  mu = 0., gap_of_forces = 1., last_step = 0.;
  double                                  stiffness = least_stiffness; // λ, of a force over a diameter
  int                                     n_short   = 0;

  static constexpr double least_stiffness = 6e-3;

  /// Who is near; forces stay with their pairs.
  void list()
  {
    using Force = std::tuple<int, int, double>;
    std::vector<Force> forces;
    for (std::size_t c = 0; c < pairs.size(); ++c)
      forces.emplace_back(pairs[c].i, pairs[c].j, p(static_cast<Index>(c)));
    std::sort(forces.begin(), forces.end());
    factors.reset();
    spheres.wrap();
    listed_at = spheres.r;
    pairs     = spheres.near(reach * unit);
    p.setZero(static_cast<Index>(pairs.size()));
    for (std::size_t c = 0; c < pairs.size(); ++c)
      if (const auto old = std::lower_bound(forces.begin(), forces.end(), Force(pairs[c].i, pairs[c].j, 0.));
          old != forces.end() && std::get<0>(*old) == pairs[c].i && std::get<1>(*old) == pairs[c].j)
        p(static_cast<Index>(c)) = std::get<2>(*old);
  }

  /// Forces of the sum 1, none far from μ / D.
  void aim()
  {
    constexpr double far = 100.;
    if (mu == 0.)
      mu = 1. / S.cwiseQuotient(g).sum();
    for (Index c = 0; c < p.size(); ++c)
      p(c) = p(c) > 0. ? std::clamp(p(c), mu / g(c) / far, mu / g(c) * far) : mu / g(c);
    p /= p.dot(S);
  }

  /// The part of a step, at most 1, that leaves what is positive so.
  static double most(const Vector &x, const Vector &dx)
  {
    constexpr double part = .99; // of the way to the boundary
    return std::min(1., part * convex::longest_part(x, dx, 1. / part));
  }

  bool find(const convex::PairConstraint &B, Step &step)
  {
    const Vector W      = p.cwiseQuotient(g);
    const double lambda = std::max(stiffness * p.sum() / static_cast<double>(spheres.size()), 1e-15 * W.maxCoeff());
    convex::BorderedSystem system(B, S, factors);
    factors = system.factors();
    if (!system.factorize(W / lambda))
      return false;
    const auto solve = [&](const Vector &products) { // p D := these, in the first order
      const Vector forces = products.cwiseQuotient(g);
      step.x.resize(B.n_unknowns());
      B.apply_transpose(forces, step.x);
      step.x /= -lambda;
      double t = (forces.dot(S) - 1.) / lambda;
      if (!system.solve(step.x, t))
        return false;
      step.dg.resize(B.n_constraints());
      B.apply(step.x, step.dg);
      step.dg = t * S - step.dg;
      step.dp = forces - p - W.cwiseProduct(step.dg);
      step.ds = -t;
      return step.x.allFinite() && std::isfinite(t);
    };
    const Vector aims = Vector::Constant(g.size(), mu);
    if (!solve(aims))
      return false;
    // what is of second order in that step
    const double t = std::min(most(g, step.dg), most(p, step.dp));
    return solve(aims - (t * t * step.dg.cwiseProduct(step.dp)).cwiseMax(-mu).cwiseMin(mu));
  }

  void go(const Step &step)
  {
    constexpr double much = .5, little = .3, more = 4.;
    const double     less       = spheres.dimension() < 3 ? .3 : .5; // by trial
    constexpr int    n_in_a_row = 3;
    const auto       x          = step.x.reshaped(spheres.dimension(), spheres.size());
    const double     possible = most(g, step.dg), dual = most(p, step.dp),
                 primal = std::min(possible, part_of_reach * reach / x.colwise().norm().maxCoeff());
    gap_of_forces       = p.dot(g) / S.mean();
    const double mean   = p.dot(g) / static_cast<double>(p.size());
    last_step           = primal;
    spheres.r += primal * unit * x;
    spheres.s += primal * unit * step.ds;
    p += dual * step.dp;
    ++spheres.n_steps;

    stiffness = primal < .5 * possible ? 4. * stiffness : std::max(least_stiffness, .5 * stiffness);
    if (primal > much && dual > much)
      {
        mu      = less * ((1. - primal) * mean + primal * mu);
        n_short = 0;
      }
    else if (primal == possible && possible < little && ++n_short == n_in_a_row)
      {
        mu      = more * std::min(mu, mean);
        n_short = 0;
      }
  }
};
} // namespace

bool compact(SoftSpheres &spheres, const std::function<void(double)> &said)
{
  constexpr unsigned int most = 3000;
  Compaction             compaction(spheres);
  double                 first = 0., told = 0.;
  for (unsigned int k = 0; k < most && !compaction.is_done(); ++k)
    {
      if (!compaction.advance())
        break;
      if (k == 0)
        first = compaction.left();
      told = std::clamp(std::log(compaction.left() / first) / std::log(Compaction::done / first), told, 1.);
      said(told);
    }
  spheres.wrap();
  return compaction.is_done();
}
} // namespace moreau::micro
