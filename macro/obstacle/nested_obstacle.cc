// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/nested_obstacle.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
/// Takes min x = 0: a constant would grow with rounding errors.
void remove_constant(const LevelBox &box, const LinkObstacle &obstacle, std::vector<double> &x)
{
  const auto for_unknowns = [&](const auto &f) {
    box.for_rows([&](const Index row, Index, Index) {
      for (Index c = row; c < row + box.n[0]; ++c)
        if (obstacle.is_unknown[c])
          f(x[c]);
    });
  };
  double most = -std::numeric_limits<double>::infinity();
  for_unknowns([&](const double value) { most = std::max(most, -value); });
  const double least = -box.processes.max(most);
  for_unknowns([least](double &value) { value -= least; });
}

/// Solves the problem of a leaf and its neighbour, all others being fixed.
void relax_pair(const LevelBox &box, const LinkObstacle &obstacle, const LinkOperator::Leaf &leaf, std::vector<double> &x)
{
  const LinkOperator &A = obstacle.A;
  const Index         c = leaf.neighbour;
  double              f = obstacle.f[c];
  for (int axis = 0; axis < box.dim; ++axis)
    {
      const Index s = box.stride[axis];
      f += A.w[axis][c] * x[c - s] + A.w[axis][c + s] * x[c + s];
    }
  const double w = A.diagonal[leaf.cell], distance = obstacle.f[leaf.cell] * A.inverse[leaf.cell];
  f -= w * x[leaf.cell];
  // with the leaf at its distance above the neighbour, or at 0
  double value = A.diagonal[c] > w ? std::max((f + w * distance) / (A.diagonal[c] - w), 0.) : x[c];
  if (value + distance <= 0.)
    value = std::max(f * A.inverse[c], 0.);
  x[c]         = value;
  x[leaf.cell] = std::max(value + distance, 0.);
}

/// The iteration limit is what ends an iteration that could go on.
convex::Status verdict(const double residual, const double tolerance, const bool stagnates)
{
  return stagnates               ? convex::Status::stagnated
         : residual <= tolerance ? convex::Status::converged
                                 : convex::Status::iteration_limit;
}
} // namespace

NestedObstacle::NestedObstacle(const LevelChain &chain, LinkObstacle obstacle) : chain(chain), coarse(chain)
{
  obstacles.push_back(std::move(obstacle));
}

void NestedObstacle::make_coarser()
{
  while (obstacles.size() + 1 < chain.boxes.size())
    obstacles.push_back(coarsened(chain, obstacles.size() - 1, obstacles.back()));
  for (std::size_t level = 0; level + 1 < obstacles.size(); ++level)
    {
      std::vector<float> f(chain.boxes[level + 1].size, 0.f);
      restrict_to_coarser(chain, level, obstacles[level].f, f);
      obstacles[level + 1].f.assign(f.begin(), f.end());
    }
}

void NestedObstacle::relax(const std::size_t level, std::vector<double> &x) const
{
  const LevelBox     &box      = chain.boxes[level];
  const LinkObstacle &obstacle = obstacles[level];
  for (const bool backwards : {false, true})
    {
      box.update_ghosts(x);
      sweep<true>(box, obstacle.A, obstacle.f, x, backwards);
    }
  // one by one, a leaf and its neighbour would converge slowly wherever they are free and masked cells are around
  for (const bool backwards : {false, true})
    for (std::size_t k = 0; k < obstacle.A.leaves.size(); ++k)
      relax_pair(box, obstacle, obstacle.A.leaves[backwards ? obstacle.A.leaves.size() - 1 - k : k], x);
  for (const auto &[cell, neighbour] : obstacle.A.leaves)
    x[cell] = std::max(x[neighbour] + obstacle.f[cell] * obstacle.A.inverse[cell], 0.);
  if (!obstacle.pockets.empty())
    obstacle.pockets.remove_constants(box, x);
  else if (obstacle.is_closed)
    remove_constant(box, obstacle, x);
  box.update_ghosts(x);
}

double NestedObstacle::masked_residual(const std::size_t level, const std::vector<double> &x, std::vector<double> &r,
                                       std::vector<char> &states) const
{
  const LevelBox     &box      = chain.boxes[level];
  const LinkOperator &A        = obstacles[level].A;
  double              residual = 0.;
  for_residual_rows(box, A, obstacles[level].f, x, [&](const Index row, double *const values) {
    for (Index i = 0; i < box.n[0]; ++i)
      {
        const Index  c       = row + i;
        const double slack   = -values[i];
        const double worst   = std::abs(std::min(.5 * A.diagonal[c] * x[c], slack));
        const bool   is_free = x[c] > 0.;
        residual             = worst > residual ? worst : residual;
        states[c]            = is_free ? CoarseCorrection::free : CoarseCorrection::masked;
        r[c]                 = is_free ? values[i] : 0.;
      }
  });
  for (const LinkOperator::Leaf &leaf : A.leaves)
    if (x[leaf.cell] > 0.) // balanced: r = 0
      {
        states[leaf.cell] = CoarseCorrection::follower;
        r[leaf.cell]      = 0.;
      }
  return box.processes.max(residual);
}

void NestedObstacle::correct(const std::size_t level, std::vector<double> &x, std::vector<double> &r,
                             const std::vector<char> &states)
{
  const LevelBox     &box = chain.boxes[level];
  std::vector<double> d(box.size, 0.);
  for_prolonged_rows<float>(chain, level, coarse.correction(r), [&](const Index row, const float *const correction) {
    for (Index i = 0; i < box.n[0]; ++i)
      {
        const Index  c    = row + i;
        const double step = states[c] == CoarseCorrection::free ? static_cast<double>(correction[i]) : 0.;
        d[c]              = step > -x[c] ? step : -x[c];
      }
  });
  for (const LinkOperator::Leaf &leaf : obstacles[level].A.leaves)
    if (states[leaf.cell] == CoarseCorrection::follower)
      d[leaf.cell] = std::max(d[leaf.neighbour], -x[leaf.cell]);
  step(level, x, r, d);
}

/// x + αd >= 0 with the best α: r = f - Ax, d >= -x.
void NestedObstacle::step(const std::size_t level, std::vector<double> &x, const std::vector<double> &r,
                          std::vector<double> &d) const
{
  const LevelBox &box = chain.boxes[level];
  double          dr = 0., drest = 0.;
  box.update_ghosts(d);
  for_residual_rows(box, obstacles[level].A, r, d, [&](const Index row, double *const values) {
    double sum = 0., sum_rest = 0.;
    for (Index i = 0; i < box.n[0]; ++i)
      {
        sum += d[row + i] * r[row + i];
        sum_rest += d[row + i] * values[i];
      }
    dr += sum;
    drest += sum_rest;
  });
  dr                 = box.processes.sum(dr);
  const double dAd   = dr - box.processes.sum(drest);
  double       alpha = dAd > 0. ? dr / dAd : 0.;
  // beyond 1 a component may be cut off again, which is no exact search any more
  constexpr double longest_step = 3.;
  if (!(alpha > 0.))
    return;
  alpha = std::min(alpha, longest_step);
  box.for_rows([&](const Index row, Index, Index) {
    for (Index c = row; c < row + box.n[0]; ++c)
      {
        const double value = x[c] + alpha * d[c];
        x[c]               = value > 0. ? value : 0.;
      }
  });
}

/// By how much the energy ½x·Ax - f·x falls on the way to x + d: r = f - Ax.
double NestedObstacle::gain(const std::vector<double> &r, std::vector<double> &d) const
{
  const LevelBox &box    = chain.boxes[0];
  double          result = 0.;
  box.update_ghosts(d);
  for_residual_rows(box, obstacles[0].A, r, d, [&](const Index row, double *const values) {
    double sum = 0.;
    for (Index i = 0; i < box.n[0]; ++i)
      sum += d[row + i] * (r[row + i] + values[i]);
    result += .5 * sum;
  });
  return box.processes.sum(result);
}

/// To the best of max(x + αd, 0), α = 1, 1/4, ..., and of the points between it and x. Where most x are cut off at 0 on
/// the way to x + d, it is the first part of the way that counts: d is close
/// to a large constant where nearly all cells are free and little can leave.
void NestedObstacle::projected_step(std::vector<double> &x, const std::vector<double> &r, const std::vector<double> &d) const
{
  const LevelBox     &box = chain.boxes[0];
  std::vector<double> best(box.size, 0.), shorter;
  const auto          project = [&](const double alpha, std::vector<double> &step) {
    Index n_cut = 0;
    box.for_rows([&](const Index row, Index, Index) {
      for (Index c = row; c < row + box.n[0]; ++c)
        {
          const double wanted = alpha * d[c];
          n_cut += wanted < -x[c];
          step[c] = wanted > -x[c] ? wanted : -x[c];
        }
    });
    return box.processes.sum(n_cut);
  };
  constexpr double shortest = 1e-9, factor = .25;
  Index            n_cut = project(1., best);
  double           most  = n_cut > 0 ? gain(r, best) : 0.;
  shorter.assign(n_cut > 0 ? box.size : 0, 0.);
  for (double alpha = factor; n_cut > 0 && alpha > shortest; alpha *= factor)
    {
      n_cut            = project(alpha, shorter);
      const double now = gain(r, shorter);
      if (!(now > most) && most > 0.)
        break;
      if (now > most)
        best.swap(shorter);
      most = std::max(most, now);
    }
  step(0, x, r, best);
}

double NestedObstacle::rounding(const std::size_t level, const std::vector<double> &x) const
{
  const LevelBox     &box     = chain.boxes[level];
  const LinkOperator &A       = obstacles[level].A;
  double              largest = 0.;
  box.for_rows([&](const Index row, Index, Index) {
    for (Index c = row; c < row + box.n[0]; ++c)
      largest = std::max(largest, A.diagonal[c] * x[c]);
  });
  return 2. * std::numeric_limits<double>::epsilon() * box.processes.max(largest);
}

convex::Effort NestedObstacle::iterate(const std::size_t level, std::vector<double> &x, const double tolerance,
                                       const unsigned int max_iterations)
{
  const LevelBox     &box      = chain.boxes[level];
  const LinkObstacle &obstacle = obstacles[level];
  std::vector<double> r(box.size, 0.);
  std::vector<char>   states(box.size, CoarseCorrection::masked);
  convex::Effort      effort   = {1};
  constexpr unsigned  patience = 12, patience_at_rounding = 2;
  double              least    = std::numeric_limits<double>::infinity();
  std::int64_t        least_at = 0;
  while (true)
    {
      relax(level, x);
      effort.natural_residual = masked_residual(level, x, r, states);
      if (level == 0 && watch)
        watch(effort.natural_residual);
      if (effort.natural_residual < .5 * least)
        {
          least    = effort.natural_residual;
          least_at = effort.n_iterations;
        }
      const std::int64_t in_vain = effort.n_iterations - least_at;
      const bool         stagnates =
          in_vain >= patience || in_vain >= patience_at_rounding && effort.natural_residual <= 4. * rounding(level, x);
      effort.status = verdict(effort.natural_residual, tolerance, stagnates);
      if (effort.status != convex::Status::iteration_limit || effort.n_iterations >= max_iterations)
        return effort;
      ++effort.n_iterations;
      if (level + 1 == chain.boxes.size()) // too few cells for a coarser grid: sweeps are enough
        continue;
      box.update_ghosts(states);
      box.update_ghosts(r);
      coarse.set_operator(level, obstacle.A, states);
      correct(level, x, r, states);
    }
}

convex::Effort NestedObstacle::iterate_closely(std::vector<double> &x, const double tolerance,
                                               const unsigned int max_iterations)
{
  const LevelBox     &box      = chain.boxes[0];
  const LinkOperator &A        = obstacles[0].A;
  const bool          has_more = chain.boxes.size() > 1; // levels
  if (!free_system)
    free_system = std::make_unique<FreeSystem>(chain, A, coarse);
  std::vector<double>    r(box.size, 0.), d;
  std::vector<char>      states(box.size, CoarseCorrection::masked), before = states;
  convex::Effort         effort   = {1};
  constexpr unsigned int patience = 30, few_rounds = 10;
  double                 least    = std::numeric_limits<double>::infinity();
  unsigned int           least_at = 0;
  for (unsigned int round = 0;; ++round)
    {
      relax(0, x);
      effort.natural_residual = masked_residual(0, x, r, states);
      if (effort.natural_residual < .7 * least)
        {
          least    = effort.natural_residual;
          least_at = round;
        }
      Index n_free = 0, n_changed = 0;
      box.for_rows([&](const Index row, Index, Index) {
        for (Index c = row; c < row + box.n[0]; ++c)
          {
            n_free += states[c] != CoarseCorrection::masked;
            n_changed += states[c] != before[c];
          }
      });
      n_free        = box.processes.sum(n_free);
      n_changed     = box.processes.sum(n_changed);
      effort.status = verdict(effort.natural_residual, tolerance,
                              effort.natural_residual <= rounding(0, x) || round - least_at >= patience);
      if (effort.status != convex::Status::iteration_limit || effort.n_iterations >= max_iterations)
        return effort;

      ++effort.n_iterations;
      box.update_ghosts(states);
      box.update_ghosts(r);
      if (has_more)
        coarse.set_operator(0, A, states);
      const bool settled = round > 0 && 100 * n_changed <= n_free;
      if (settled || round > few_rounds || !has_more)
        {
          free_system->A.finish(box, states);
          // a first guess where some cells still change
          const double reduction = n_changed == 0 ? std::max(.3 * tolerance / effort.natural_residual, 1e-13) : 1e-2;
          effort.n_iterations += free_system->solver.solve(r, reduction, d).n_iterations;
          projected_step(x, r, d);
        }
      else
        correct(0, x, r, states);
      before = states;
    }
}

std::vector<double> NestedObstacle::start()
{
  make_coarser();
  std::size_t         level = obstacles.size() - 1;
  std::vector<double> x(chain.boxes[level].size, 0.);
  while (level > 0)
    {
      iterate(level, x, 0., 3);
      --level;
      const LevelBox     &box = chain.boxes[level];
      std::vector<double> finer(box.size, 0.);
      for_prolonged_rows<double>(chain, level, x, [&](const Index row, const double *const values) {
        for (Index i = 0; i < box.n[0]; ++i)
          finer[row + i] = obstacles[level].is_unknown[row + i] ? values[i] : 0.;
      });
      x.swap(finer);
    }
  return x;
}
} // namespace moreau::macro
