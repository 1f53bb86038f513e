// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/jamming.h"

#include "convex/solvers/least_relaxation.h"
#include "micro/compaction.h"
#include "micro/packing_parts.h"
#include "micro/soft_spheres.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::micro
{
namespace
{
/// One linear program for spheres of which little overlaps. last_growth: that of the one before, is set to the growth that
/// it promises, relative to the radii.
void grow(SoftSpheres &spheres, double &last_growth)
{
  constexpr double                      reach = .25, longest = .1; // of the mean diameter
  const double                          unit  = 2. * spheres.s;
  const std::vector<SoftSpheres::Close> pairs = spheres.near(reach * unit);
  const SoftSpheres::Rows               rows  = spheres.rows(pairs);
  const double                          fine  = std::max(1e-14, 1e-3 * last_growth);
  const convex::Relaxation              x     = convex::LeastRelaxation(rows.B, .5 * rows.S).solve(rows.D / unit, -1., fine);

  Eigen::MatrixXd way = unit * x.w.reshaped(spheres.dimension(), spheres.size());
  for (Index i = 0; i < spheres.size(); ++i) // rattlers may go far
    if (const double length = way.col(i).norm(); length > longest * unit)
      way.col(i) *= longest * unit / length;
  spheres.r += way;
  double factor = std::numeric_limits<double>::infinity();
  for (const SoftSpheres::Close &pair : pairs)
    {
      Eigen::Vector3d e;
      double          sum;
      const double    gap_now = spheres.gap(pair, e, sum);
      factor                  = std::min(factor, spheres.s + gap_now / sum);
    }
  spheres.s = factor * (1. - 1e-15);
  spheres.wrap();
  ++spheres.n_steps;
  last_growth = std::abs(x.lower);
}

Packing packing_of(const SoftSpheres &spheres, const std::vector<std::pair<int, int>> &touching)
{
  Packing packing;
  packing.spheres = {spheres.r, spheres.s * spheres.a, Vector(spheres.size())};
  for (Index i = 0; i < spheres.size(); ++i)
    packing.spheres.m(i) = volume_of_ball(packing.spheres.R(i), spheres.dimension());
  packing.coverage = spheres.coverage();
  packing.n_steps  = spheres.n_steps;
  count_contacts(packing, touching);
  return packing;
}

/// Radii larger by 1 + ε, forces in balance.
void compress(SoftSpheres &spheres, const double overlap, const std::function<void(double)> &said)
{
  constexpr double longest = 2e-3, fair = 1e-3, fine = 1e-10;
  const int        n_steps = static_cast<int>(std::ceil(overlap / longest));
  const double     ds      = spheres.s * overlap / n_steps;
  for (int k = 1; k <= n_steps; ++k)
    {
      spheres.s += ds;
      spheres.glide(fair);
      said((k - .5) / n_steps);
      spheres.settle(k == n_steps ? fine : fair);
      said(static_cast<double>(k) / n_steps);
    }
}

/// All but jammed. What overlaps is a contact, and is made smaller until nothing does.
Packing compressed_packing_of(SoftSpheres &spheres)
{
  std::vector<std::pair<int, int>> touching;
  double                           deepest = 0.; // of R_i + R_j
  for (const SoftSpheres::Close &pair : spheres.near(0.))
    {
      Eigen::Vector3d e;
      double          S;
      const double    D = spheres.gap(pair, e, S);
      if (D > 0.)
        continue;
      touching.emplace_back(pair.i, pair.j);
      deepest = std::max(deepest, -D / (spheres.s * S));
    }
  const double s = spheres.s;
  spheres.s *= (1. - deepest) * (1. - 1e-15);
  Packing packing = packing_of(spheres, touching);
  packing.reach   = s / spheres.s - 1.;
  return packing;
}
} // namespace

bool can_jam(const PackingParameters &parameters)
{
  return parameters.coverage == 0. && !(parameters.n > 0 && parameters.radius > 0.) && !parameters.compression &&
         parameters.obstacles.empty() && parameters.lower.size() > 1 &&
         parameters.number() >= fewest_to_jam(parameters.lower.size());
}

Packing jam(const PackingParameters &parameters, const std::function<void(double)> &progress)
{
  constexpr unsigned int max_programs = 200, enough_still = 3;
  constexpr double       gliding = .1, soft = .9; // parts of the work
  constexpr double       at_rest = 1e-13;         // growth that is none
  double                 told    = 0.;
  const auto             say     = [&](const double fraction) {
    told = std::clamp(fraction, told, 1.);
    if (progress)
      progress(told);
  };
  SoftSpheres spheres(parameters);
  spheres.at_step = [&] { say(told); };
  spheres.soften([&](const double part) { say(gliding * part); });
  const bool is_compact = compact(spheres, [&](const double part) { say(gliding + (soft - gliding) * part); });
  if (parameters.overlap > 0.)
    {
      constexpr double balanced = 1e-8;
      compress(spheres, parameters.overlap, [&](const double part) { say(soft + (1. - soft) * part); });
      const bool jammed  = is_compact && spheres.imbalance() <= balanced;
      Packing    packing = compressed_packing_of(spheres);
      packing.jammed     = jammed && packing.n_contacts > 0;
      return packing;
    }
  bool         jammed = false;
  double       growth = 1e-6, least = growth; // least: of programs in a row that let nothing grow
  unsigned int n_still = 0;
  for (unsigned int k = 0; k < max_programs && !jammed && n_still < enough_still; ++k)
    {
      const double s = spheres.s;
      grow(spheres, growth);
      n_still = spheres.s > (1. + at_rest) * s ? 0 : n_still + 1;
      least   = n_still > 1 ? std::min(least, growth) : growth;
      jammed  = growth < at_rest || (n_still == enough_still && least < contact_gap);
      say(soft + (1. - soft) * std::log(std::clamp(growth, at_rest, 1e-6) / 1e-6) / std::log(at_rest / 1e-6));
    }
  Packing packing = packing_of(spheres, spheres.touching(contact_gap));
  packing.jammed  = jammed;
  return packing;
}
} // namespace moreau::micro
