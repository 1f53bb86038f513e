// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/nested_obstacle.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
/// The same problem on cells twice as large, each around a cell of the finer level: fluxes through neighbouring faces are added, two links in a
/// row are one that is half as strong. A link that leaves the unknowns ends there.
LinkObstacle coarsened(const LevelChain &chain, const std::size_t level, const LinkObstacle &finer)
{
  const LevelBox      &fine = chain.boxes[level], &box = chain.boxes[level + 1];
  const LevelTransfer &transfer = chain.transfers[level];
  LinkObstacle         result(box);
  result.is_closed  = finer.is_closed;
  const Index begin = chain.part_begin[level + 1], end = chain.part_end[level + 1];

  for (int axis = 0; axis < box.dim; ++axis)
    {
      const std::vector<double> &w      = finer.A.w[axis];
      const Index                stride = fine.stride[axis];
      LevelBox                   faces  = box; // the links to what is outside follow the last cell
      faces.n[axis] += 1;
      const Index faces_end = end + (axis == box.dim - 1 && end == box.n[axis]);
      faces.for_rows(begin, faces_end, [&](const Index row, const Index J, const Index K) {
        for (Index I = 0; I < faces.n[0]; ++I)
          {
            const std::array<Index, 3> cell  = {I, J, K};
            std::array<Index, 3>       from  = {0, 0, 0};
            std::array<int, 3>         count = {1, 1, 1};
            for (int a = 0; a < box.dim; ++a)
              {
                from[a] = transfer[a].first_child(cell[a]);
                if (a != axis)
                  count[a] = transfer[a].n_children();
              }
            double sum = 0.;
            for (int k = 0; k < count[2]; ++k)
              for (int j = 0; j < count[1]; ++j)
                for (int i = 0; i < count[0]; ++i)
                  {
                    double                   weight = 1.;
                    const std::array<int, 3> child  = {i, j, k};
                    for (int a = 0; a < box.dim; ++a)
                      if (a != axis)
                        weight *= transfer[a].weight(cell[a], child[a]);
                    if (weight == 0.)
                      continue;
                    const Index c = fine.position(from[1] + j, from[2] + k) + from[0] + i;
                    // links c-1 -- c and c -- c+1, the coarse cells being c-1 and c+1
                    double link = w[c];
                    if (transfer[axis].coarsened && finer.is_unknown[c])
                      {
                        const double next = w[c + stride];
                        link              = link + next > 0. ? link * next / (link + next) : 0.;
                      }
                    else if (transfer[axis].coarsened)
                      link = finer.is_unknown[c - stride] ? w[c] : w[c + stride];
                    sum += weight * link;
                  }
            result.A.w[axis][row + I] = sum;
          }
      });
      chain.complete(level + 1, result.A.w[axis]);
      result.A.plain_w[axis] = finer.A.plain_w[axis];
      for (int a = 0; a < box.dim; ++a)
        if (transfer[a].coarsened)
          result.A.plain_w[axis] *= a == axis ? .5 : 2.;
    }

  std::vector<float> f(box.size, 0.f);
  restrict_to_coarser(chain, level, finer.f, f);
  result.f.assign(f.begin(), f.end());
  box.for_rows(begin, end, [&](const Index row, const Index J, const Index K) {
    const Index fine_row = fine.position(transfer[1].centre(J), box.dim == 3 ? transfer[2].centre(K) : 0);
    for (Index I = 0; I < box.n[0]; ++I)
      result.is_unknown[row + I] = finer.is_unknown[fine_row + transfer[0].centre(I)];
  });
  chain.complete(level + 1, result.is_unknown);
  result.A.finish(box, result.is_unknown);
  return result;
}

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
} // namespace

NestedObstacle::NestedObstacle(const LevelChain &chain, LinkObstacle obstacle) : chain(chain), coarse(chain)
{
  obstacles.push_back(std::move(obstacle));
  while (obstacles.size() + 1 < chain.boxes.size())
    obstacles.push_back(coarsened(chain, obstacles.size() - 1, obstacles.back()));
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
  if (obstacle.is_closed)
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
  double              dr = 0., drest = 0.;
  for_prolonged_rows<float>(chain, level, coarse.correction(r), [&](const Index row, const float *const correction) {
    double sum = 0.;
    for (Index i = 0; i < box.n[0]; ++i)
      {
        const Index  c    = row + i;
        const double step = states[c] == CoarseCorrection::free ? static_cast<double>(correction[i]) : 0.;
        d[c]              = step > -x[c] ? step : -x[c];
        sum += d[c] * r[c];
      }
    dr += sum;
  });
  for (const LinkOperator::Leaf &leaf : obstacles[level].A.leaves)
    if (states[leaf.cell] == CoarseCorrection::follower)
      d[leaf.cell] = std::max(d[leaf.neighbour], -x[leaf.cell]);
  box.update_ghosts(d);
  for_residual_rows(box, obstacles[level].A, r, d, [&](const Index row, double *const values) {
    double sum = 0.;
    for (Index i = 0; i < box.n[0]; ++i)
      sum += d[row + i] * values[i];
    drest += sum;
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

NestedObstacle::Progress NestedObstacle::iterate(const std::size_t level, std::vector<double> &x, const double tolerance,
                                                 const unsigned int max_iterations)
{
  const LevelBox     &box      = chain.boxes[level];
  const LinkObstacle &obstacle = obstacles[level];
  std::vector<double> r(box.size, 0.);
  std::vector<char>   states(box.size, CoarseCorrection::masked);
  Progress            progress;
  constexpr unsigned  patience = 12;
  double              least    = std::numeric_limits<double>::infinity();
  unsigned int        least_at = 0;
  while (true)
    {
      relax(level, x);
      progress.residual = masked_residual(level, x, r, states);
      if (progress.residual < .5 * least)
        {
          least    = progress.residual;
          least_at = progress.n_iterations;
        }
      progress.stagnated = progress.n_iterations - least_at >= patience;
      if (progress.residual <= tolerance || progress.n_iterations >= max_iterations || progress.stagnated)
        return progress;
      ++progress.n_iterations;
      if (level + 1 == chain.boxes.size()) // too few cells for a coarser grid: sweeps are enough
        continue;
      box.update_ghosts(states);
      box.update_ghosts(r);
      coarse.set_operator(level, obstacle.A, states);
      correct(level, x, r, states);
    }
}

std::vector<double> NestedObstacle::start()
{
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
